"""The serving table in a database: the statements of docs/production.md give what `recommend` gives."""

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import vbn

PAGE = Path(__file__).parents[2] / "docs" / "production.md"
DIM = 6


def statement(title):
    """The statement of the page that begins with this comment."""
    (found,) = re.findall(rf"```sql\n-- {title}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return found


def narrow(question):
    """The statement with the candidates of an index, as the page says to write it."""
    old, new = re.findall(r"replace `(.+?)` by `(.+?)`", PAGE.read_text(encoding="utf-8").replace("\n", " "))[0]
    assert question.count(f"FROM {old}, u") == 1
    return question.replace(f"FROM {old}, u", f"FROM {new}, u")


@pytest.fixture(scope="module")
def shop():
    """Users of three tastes; items without data, a label, a dial and a calibration line that matter."""
    rng = np.random.default_rng(3)
    pairs = [(f"u{u}", f"i{(u % 3) + 3 * i}") for u in range(60) for i in rng.choice(12, 6, replace=False)]
    data = vbn.Dataset.from_interactions([u for u, _ in pairs], [i for _, i in pairs])
    titles = ["One's own ☃" if i == 1 else None for i in range(42)]
    catalogue = {"item": [f"i{i}" for i in range(42)], "title": titles, "kind": [f"kind {i % 3}" for i in range(42)]}
    data = data.with_catalogue(catalogue, id="item", levels=["kind"], label="title")
    model = vbn.VBN(dim=DIM, epochs=20, negatives=3, verbose=False).fit(data)
    turned = replace(model.trained_, dials={"all": (0.5, 1.0)}, slope=0.8, intercept=-0.3)
    return model.with_trained(turned, model.data_)


def orders(model):
    counts = model.data_.counts
    rows = [model.data_.rows[i] for i in counts.row_ids().tolist()]
    return {"user": rows, "item": [model.data_.columns[j] for j in counts.indices.tolist()]}


def assert_same(rows, table):
    assert [row[0] for row in rows] == table.entities
    assert [row[1] for row in rows] == table.labels
    np.testing.assert_allclose([row[2] for row in rows], table.scores, rtol=2e-5)
    np.testing.assert_allclose([row[3] for row in rows], table.stds, rtol=2e-4)


@pytest.mark.parametrize("user", ["u17", "u2"])
def test_duckdb_gives_the_top_ten_with_probability_and_std(shop, tmp_path, monkeypatch, user):
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    assert shop.export("serving.parquet", format="serving").name == "serving.parquet"
    pyarrow.parquet.write_table(pyarrow.table(orders(shop)), "orders.parquet")
    with duckdb.connect() as connection:
        connection.execute(statement("duckdb"))
        rows = connection.execute(statement("question").replace("'u17'", f"'{user}'")).fetchall()
    assert_same(rows, shop.recommend(user=user, k=10, affinity=False))


def test_the_vectors_multiply_to_the_moments_of_all_pairs(shop, tmp_path):
    table = pyarrow.parquet.read_table(shop.export(tmp_path / "s.parquet", format="serving")).to_pylist()
    sides = {side: [row for row in table if row["side"] == side] for side in ("row", "column")}
    trained = shop.trained_
    assert [row["entity"] for row in sides["row"]] == list(trained.rows.names)
    assert [row["entity"] for row in sides["column"]] == list(trained.columns.names)
    assert [row["count"] for row in sides["column"]] == trained.columns.counts.tolist()
    assert {row["entity"] for row in table if row["category"]} == {"kind 0", "kind 1", "kind 2"}
    assert {row["entity"]: row["label"] for row in table}["i1"] == "One's own ☃"
    every = np.array([(i, j) for i in range(len(trained.rows)) for j in range(len(trained.columns))]).T
    for name, expected in zip(("mean", "variance"), trained.cooccurrence.pair_moments(*every), strict=True):
        u, v = (np.array([row[name] for row in sides[side]], dtype=np.float64) for side in ("row", "column"))
        np.testing.assert_allclose((u @ v.T).reshape(-1), expected, rtol=1e-4, atol=1e-5)


def test_rows_that_are_columns_have_both_sides_and_float64_stays(tmp_path):
    data = vbn.Dataset.from_baskets([["tea", "milk", "honey"], ["beer", "nuts"]] * 9)
    model = vbn.VBN(dim=3, epochs=5, dtype="float64", verbose=False).fit(data)
    table = pyarrow.parquet.read_table(model.export(tmp_path / "s.parquet", format="serving"))
    assert table.schema.field("mean").type == pyarrow.list_(pyarrow.float64(), 4)
    assert table.column("entity").to_pylist() == [*model.names, *model.names]


@pytest.mark.parametrize("option", [{"role": "context"}, {"side": "row"}, {"readout": "smoothed"}])
def test_what_does_not_apply_is_refused(shop, tmp_path, option):
    with pytest.raises(vbn.ParameterError, match=f"omit {next(iter(option))}="):
        shop.export(tmp_path / "s.parquet", format="serving", **option)
    assert not list(tmp_path.iterdir())


def test_an_unknown_format_names_this_one(shop, tmp_path):
    with pytest.raises(vbn.ParameterError, match="numpy, serving, got 'sql'"):
        shop.export(tmp_path / "s.parquet", format="sql")


def binaries():
    """The folder of PostgreSQL's programs with pgvector: that of the system, or of the package pgserver."""
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        version = folder.parent.name
        if (Path("/usr/share/postgresql") / version / "extension" / "vector.control").exists():
            return folder
    found = importlib.util.find_spec("pgserver")
    if found is not None and found.origin is not None:
        return Path(found.origin).parent / "pginstall" / "bin"
    return None


@pytest.fixture(scope="module")
def postgres():
    """A cluster of its own in a temporary folder, reached by a socket there; not as root, which PostgreSQL refuses."""
    programs = binaries()
    if programs is None or importlib.util.find_spec("psycopg") is None:
        why = "PostgreSQL with pgvector and psycopg are not installed (extra test)"
        assert not os.environ.get("VBN_REQUIRE_POSTGRES"), why
        pytest.skip(why)
    import psycopg

    folder = Path(tempfile.mkdtemp(prefix="vbn-pg-"))
    options = {"cwd": folder, "check": True, "timeout": 120, "stdout": subprocess.DEVNULL}
    data = folder / "data"
    try:
        if os.geteuid() == 0:
            options["user"] = account()
            programs = reachable(programs, folder, options["user"])
            shutil.chown(folder, options["user"])
        start = [programs / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "-N", "-E", "UTF8", "--locale=C"]
        subprocess.run(start, **options)
        server = f"-k {folder} -c listen_addresses='' -c fsync=off"
        subprocess.run([programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", server, "start"], **options)
        try:
            with psycopg.connect(f"host={folder} user=postgres dbname=postgres", autocommit=True) as connection:
                yield connection
        finally:
            subprocess.run([programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def reachable(programs, folder, user):
    """The folder of the programs, or a copy of it if this user must not enter it, as in the home of root."""
    if subprocess.run(["test", "-x", programs / "initdb"], user=user, check=False).returncode == 0:
        return programs
    home = programs.parents[2]
    for part in (programs.parents[1], home / "pgserver.libs"):
        shutil.copytree(part, folder / "site" / part.name)
    folder.chmod(0o755)
    return folder / "site" / programs.relative_to(home)


def account():
    import pwd

    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    pytest.skip("there is no account that PostgreSQL may run as")


def test_postgres_gives_the_top_ten_with_probability_and_std(shop, postgres, tmp_path):
    file = shop.export(tmp_path / "serving.parquet", format="serving")
    postgres.execute(statement("postgres"))
    postgres.execute('CREATE TABLE orders ("user" text, item text)')
    with postgres.cursor() as cursor:
        with cursor.copy("COPY entities FROM STDIN") as copy:
            for batch in pyarrow.parquet.ParquetFile(file).iter_batches():
                for row in batch.to_pylist():
                    copy.write_row([str(value) if isinstance(value, list) else value for value in row.values()])
        with cursor.copy("COPY orders FROM STDIN") as copy:
            for pair in zip(*orders(shop).values(), strict=True):
                copy.write_row(pair)
    postgres.execute(statement("postgres: index"))
    question, narrowed = statement("question"), narrow(statement("question"))
    for user in ("u17", "u2"):
        for asked in (question, narrowed):
            rows = postgres.execute(asked.replace("'u17'", f"'{user}'")).fetchall()
            assert_same(rows, shop.recommend(user=user, k=10, affinity=False))
