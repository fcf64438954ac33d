"""`vbn train`: kinds of input, settings, repeating and resuming, what is refused."""

import gzip
import tomllib
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import vbn
from tests.cli.conftest import write_csv
from tests.cli.running import interrupt_in_first_training, run, start
from vbn.cli import gathered, read_config, to_toml

FAST = ("--dim", 2, "--epochs", 1, "-q")


def tensors(model):
    """The names of tensor files are their checksums."""
    return [file.name for file in model.glob("model-*.safetensors")]


def test_summary_and_progress_go_to_standard_error_and_the_folder_to_standard_output(words, called):
    result = called(
        "train", "pairs.csv", "--kind", "pairs", "--dim", 2, "--epochs", 2, "--out", "told", cwd=words.folder
    )
    assert result.returncode == 0
    assert result.stdout == "told\n"
    for part in ("Dataset of pairs: 18 entities", "epoch 2/2", "trained: 2 epochs"):
        assert part in result.stderr


def test_dry_run_shows_the_summary_only(words, called):
    result = called(
        "train", "pairs.csv", "--kind", "pairs", "--taxonomy", "taxonomy.csv", "--dry-run", cwd=words.folder
    )
    assert result.returncode == 0
    assert "Dataset of pairs" in result.stdout
    assert "taxonomy" in result.stdout
    assert not (words.folder / "model2").exists()
    assert "epoch" not in result.stderr


def test_the_written_settings_repeat_the_run_to_the_bit(words, tmp_path):
    before = tensors(words.model)
    result = run("train", "--config", words.model / "train.toml", "--out", "again", "--threads", 1, "-q", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert tensors(tmp_path / "again") == before
    assert vbn.load(tmp_path / "again").alpha == {"entity": 2.0}


def test_settings_and_options_of_an_earlier_version_are_understood(words, tmp_path, called):
    old = (words.model / "train.toml").read_text().replace("average_epochs = 5", "average = 3")
    assert "average = 3" in old
    (words.model / "old.toml").write_text(old)
    given = ["train", "--config", words.model / "old.toml", "--epochs", 1, "-q", "--out"]
    assert called(*given, tmp_path / "old").returncode == 0
    assert vbn.load(tmp_path / "old").average_epochs == 3
    assert called(*given, tmp_path / "older", "--average", 2).returncode == 0
    assert vbn.load(tmp_path / "older").average_epochs == 2


def test_options_override_the_config(words, tmp_path, called):
    result = called("train", "--config", words.model / "train.toml", "--epochs", 2, "--out", tmp_path / "short", "-q")
    assert result.returncode == 0, result.stderr
    assert vbn.load(tmp_path / "short").n_iter_ == 2


def test_a_model_without_counts_says_which_option_it_needs(shop, tmp_path, called):
    given = ["--columns", "who,what", "--no-counts", *FAST, "--out", tmp_path / "bare"]
    assert called("train", shop.folder / "bought.csv", "--kind", "interactions", *given).returncode == 0
    result = called("recommend", tmp_path / "bare", "--user", "u1")
    assert result.returncode == 1
    assert "Pass --include-seen, or save it with vbn train without --no-counts" in result.stderr
    write_csv(tmp_path / "held.csv", [("user", "item"), ("u1", "tea 1")])
    told = called("evaluate", tmp_path / "bare", "--task", "recommendation", "--data", tmp_path / "held.csv").stderr
    assert "train without --no-counts" in told
    assert called("recommend", tmp_path / "bare", "--user", "u1", "--include-seen").returncode == 0


def test_items_beside_users(shop, tmp_path, called):
    given = ["train", shop.folder / "bought.csv", "--kind", "interactions", "--columns", "who,what", *FAST]
    assert called(*given, "--co-occurrences", 1, "--out", tmp_path / "both").returncode == 0
    asked = ["recommend", tmp_path / "both", "--user", "u1", "-k", 3]
    assert called(*asked, "--query", "both").stdout != called(*asked).stdout
    assert "co_occurrences = 1.0" in (tmp_path / "both" / "train.toml").read_text()
    told = called("recommend", shop.model, "--user", "u1", "--query", "both")
    assert told.returncode == 2
    assert "train with --co-occurrences 1" in told.stderr
    assert "--query both" in told.stderr


def test_files_of_every_kind_are_read(tmp_path, called):
    (tmp_path / "text.txt").write_text("the dog barks\nthe cat purrs\n")
    with gzip.open(tmp_path / "baskets.tsv.gz", "wt") as stream:
        stream.write("basket\titem\n1\ttea\n1\tmilk\n2\ttea\n2\trusk\n")
    scipy.sparse.save_npz(tmp_path / "counts.npz", scipy.sparse.csr_array(np.array([[0, 3.0], [3.0, 0]])))
    (tmp_path / "names.txt").write_text("salt\npepper\n")
    (tmp_path / "ratings.dat").write_text("1::Heat::5::978300760\n1::Casino::4::978300761\n2::Heat::3::978300762\n")
    for name, arguments, entity in (
        ("text.txt", ["--kind", "sequences", "--window", 2, "--min-count", 1], "dog"),
        ("baskets.tsv.gz", ["--kind", "baskets", "--columns", "basket,1"], "tea"),
        ("ratings.dat", ["--kind", "interactions", "--delimiter", "::", "--columns", "0,1,2"], "Heat"),
        ("counts.npz", ["--kind", "matrix", "--row-names", "names.txt"], "pepper"),
    ):
        result = called("train", name, *arguments, *FAST, "--out", "model", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert len(vbn.load(tmp_path / "model").similar(entity)) >= 1


def test_how_much_evidence_a_basket_is_can_be_said(tmp_path, called):
    (tmp_path / "baskets.txt").write_text(" ".join(f"i{n}" for n in range(31)) + "\n")
    baskets = ("train", "baskets.txt", "--kind", "baskets", *FAST, "--out", "m")
    for weight, total in (((), 310), (("--weight", "none"), 930), (("--weight", 3), 93), (("--weight", "auto"), 310)):
        result = called(*baskets, *weight, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert vbn.load(tmp_path / "m").data_.counts.total == pytest.approx(total)
    assert called(*baskets, "--weight", 3, cwd=tmp_path).returncode == 0
    assert called("train", "--config", "m/train.toml", cwd=tmp_path).returncode == 0
    assert vbn.load(tmp_path / "m").data_.counts.total == pytest.approx(93)
    wrong = called(*baskets, "--weight", "much", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "--weight must be auto, none or a positive number" in wrong.stderr


def test_the_weight_of_a_basket_is_for_interactions_with_co_occurrences_only(tmp_path, called):
    (tmp_path / "bought.csv").write_text("user,item\n" + "".join(f"u,i{n}\n" for n in range(31)))
    given = ("train", "bought.csv", "--kind", "interactions", "--weight", "none", *FAST, "--out", "m")
    refused = called(*given, cwd=tmp_path)
    assert refused.returncode == 2
    assert "--weight has no meaning for interactions" in refused.stderr
    assert called(*given, "--co-occurrences", 1, cwd=tmp_path).returncode == 0
    assert vbn.load(tmp_path / "m").data_.counts.total == 31 + 930


@pytest.mark.filterwarnings("always")  # as in a shell, where they are told
def test_rows_without_a_name_are_dropped_if_wanted_and_the_settings_remember_it(tmp_path, called):
    (tmp_path / "bought.csv").write_text("user,item\na,tea\n,tea\n,milk\nb,NA\n")
    given = ["train", "bought.csv", "--kind", "interactions", *FAST, "--out", "m"]
    result = called(*given, cwd=tmp_path)
    assert result.returncode == 1
    assert "pass --drop-missing" in result.stderr
    assert called(*given, "--drop-missing", cwd=tmp_path).returncode == 0
    assert vbn.load(tmp_path / "m").data_.counts.nnz == 1
    assert tomllib.loads((tmp_path / "m" / "train.toml").read_text())["drop_missing"] is True
    (tmp_path / "bought.csv").write_text("user,item\na,tea\n,tea\nb,NA\nb,milk\n")
    few = called(*given, cwd=tmp_path)
    assert few.returncode == 0
    assert "1 row without a name is left out, at line 3 of bought.csv" in few.stderr
    assert "with --refuse-missing it is an error" in few.stderr
    assert vbn.load(tmp_path / "m").data_.counts.nnz == 3  # NA is a name
    assert called("train", "--config", "m/train.toml", cwd=tmp_path).returncode == 0
    assert vbn.load(tmp_path / "m").data_.counts.nnz == 3
    assert called(*given, "--refuse-missing", cwd=tmp_path).returncode == 1
    (tmp_path / "more.csv").write_text("user,item\na,beer\n,tea\n,milk\n")
    assert "pass --drop-missing" in called("update", "m", "more.csv", cwd=tmp_path).stderr
    assert called("update", "m", "more.csv", "--drop-missing", cwd=tmp_path).returncode == 0
    assert "--refuse-missing" not in called("observe", "m", "bought.csv", cwd=tmp_path).stderr


def test_cells_of_several_items_are_taken_apart_and_later_files_alike(tmp_path, called):
    (tmp_path / "bought.csv").write_text("user;item\na;tea, milk\nb;milk\nb;tea,beer\n")
    given = ["train", "bought.csv", *FAST, "--out", "m"]
    assert called(*given, "--split-items", ",", cwd=tmp_path).returncode == 0
    assert vbn.load(tmp_path / "m").data_.columns.names == ("tea", "milk", "beer")
    assert called("train", "--config", "m/train.toml", cwd=tmp_path).returncode == 0
    (tmp_path / "more.csv").write_text("user;item\nc;milk, beer,rusk\n")
    assert called("update", "m", "more.csv", "--quiet", cwd=tmp_path).returncode == 0
    assert vbn.load(tmp_path / "m").data_.columns.names == ("tea", "milk", "beer", "rusk")
    (tmp_path / "events.csv").write_text("user;item\nd;tea, rusk\n")
    assert "observed 2 events" in called("observe", "m", "events.csv", cwd=tmp_path).stderr
    refused = called("train", "bought.csv", "--kind", "pairs", "--split-items", ",", "--out", "m", cwd=tmp_path)
    assert "--split-items has no meaning for pairs" in refused.stderr


def test_cells_that_clearly_hold_several_items_are_taken_apart_by_themselves(tmp_path, called):
    (tmp_path / "bought.csv").write_text("user;item\na;tea, milk\nb;milk, rusk\nb;tea,beer\nc;rusk, tea\nd;beer\n")
    given = ["train", "bought.csv", *FAST, "--out", "m"]
    told = called(*(word for word in given if word != "-q"), cwd=tmp_path).stderr
    assert "taken apart as by --split-items ,;" in told
    assert "seems to hold several names" not in told
    assert set(vbn.load(tmp_path / "m").data_.columns.names) == {"tea", "milk", "rusk", "beer"}
    (tmp_path / "more.csv").write_text("user;item\ne;milk, beer\n")  # alone it would say little
    assert called("update", "m", "more.csv", "--quiet", cwd=tmp_path).returncode == 0
    assert set(vbn.load(tmp_path / "m").data_.columns.names) == {"tea", "milk", "rusk", "beer"}
    whole = called(*given, "--split-items", "none", cwd=tmp_path)
    assert "several names" not in whole.stderr
    assert "tea, milk" in vbn.load(tmp_path / "m").data_.columns.names
    assert called("update", "m", "more.csv", "--quiet", cwd=tmp_path).returncode == 0
    assert "milk, beer" in vbn.load(tmp_path / "m").data_.columns.names
    assert called("observe", "m", "more.csv", cwd=tmp_path).returncode == 0


def test_a_row_of_a_taxonomy_without_a_parent_is_a_root(tmp_path, called):
    (tmp_path / "pairs.csv").write_text("left,right\ntea,milk\nmilk,tea\n")
    (tmp_path / "kinds.csv").write_text("code,parent,description\nALL,,everything\ntea,ALL,hot\nmilk,ALL,cold\n")
    given = ["train", "pairs.csv", "--kind", "pairs", "--taxonomy", "kinds.csv", *FAST, "--out", "m"]
    assert called(*given, cwd=tmp_path).returncode == 0
    assert vbn.load(tmp_path / "m").data_.taxonomy.parents("tea") == [("ALL", 1.0)]


def test_rows_of_a_taxonomy_or_a_relation_without_a_name_are_dropped_if_wanted(tmp_path, called):
    (tmp_path / "pairs.csv").write_text("left,right\ntea,milk\nmilk,tea\n")
    (tmp_path / "kinds.csv").write_text("child,parent\ntea,drink\n,drink\n")
    (tmp_path / "near.csv").write_text("left,right\ntea,milk\ntea,\n")
    files = ["--taxonomy", "kinds.csv", "--relation", "near=near.csv"]
    given = ["train", "pairs.csv", "--kind", "pairs", *files, *FAST, "--out", "m"]
    assert "pass --drop-missing" in called(*given, cwd=tmp_path).stderr
    assert called(*given, "--drop-missing", cwd=tmp_path).returncode == 0
    model = vbn.load(tmp_path / "m")
    assert (model.data_.taxonomy.n_edges, len(model.data_.relations["near"])) == (1, 1)


@pytest.mark.parametrize("name", ["README.md", "config.json"])
def test_a_folder_with_such_a_file_of_another_is_refused_before_anything_is_read(name, tmp_path, called):
    (tmp_path / name).write_text("{}")
    given = ["train", "absent.csv", "--kind", "pairs", "--out", "."]
    result = called(*given, cwd=tmp_path)
    assert result.returncode == 1
    assert f"its {name} is not that of a vbn model" in result.stderr
    assert "no such file" in called(*given, "--dry-run", cwd=tmp_path).stderr  # which writes nothing


def test_items_of_a_line_may_be_separated_by_what_one_says(tmp_path, called):
    (tmp_path / "baskets.txt").write_text("green tea|milk\nmilk|green tea\n")
    given = ["train", "baskets.txt", "--kind", "baskets", "--delimiter", "|", *FAST, "--out", "m"]
    assert called(*given, cwd=tmp_path).returncode == 0
    assert "green tea" in vbn.load(tmp_path / "m").trained_.rows


def test_held_out_pairs_are_kept_beside_the_model_and_not_trained_on(shop):
    model = vbn.load(shop.model)
    assert len(model.validation_) == 15
    held = vbn.Dataset.from_interactions(shop.model / "held_out.csv")
    whole = vbn.Dataset.from_interactions(shop.folder / "bought.csv", "who", "what", "times")
    assert held.counts.nnz == round(0.15 * whole.counts.nnz)
    assert model.data_.counts.total + held.counts.total == whole.counts.total


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["2001.csv", "--kind", "pairs"], "no such file: '2001.csv'; check the path\n"),
        (["pears.csv", "--kind", "pairs"], "did you mean 'pairs.csv'?"),
        (["empty.csv", "--kind", "pairs"], "empty"),
        (["pairs.csv", "--kind", "pairs", "--columns", "left,rihgt"], "Did you mean 'right'"),
        (["pairs.csv", "--kind", "pairs", "--taxonomy", "cycle.csv", "--refuse-cycles"], "pass --drop-cycles"),
        (["pairs.csv", "--kind", "pairs", "--relation", "r=strangers.csv"], "pass --skip-unknown"),
        (["prices.csv", "--kind", "pairs"], "or --columns left,right to"),
        (["prices.csv", "--kind", "sequences"], "--columns"),
        (["pairs.csv", "--kind", "pairs", "--out", "pairs.csv"], "is a file"),
        (["pairs.csv", "--kind", "pairs", "--out", "pairs.csv/deeper"], "is a file"),
        (["pairs.csv", "--kind", "pairs", "--out", "x" * 300], "cannot be made"),
        (["pairs.csv", "--kind", "pairs", "--config", "no.toml"], "no.toml"),
        (["pairs.csv", "--kind", "pairs", "--config", "bad.toml"], "not a toml file"),
        (["pairs.csv", "--kind", "pairs", "--config", "unknown.toml"], "Did you mean 'dim'"),
        (["pairs.csv", "--kind", "pairs", "--config", "type.toml"], "should be of type int"),
        (["pairs.csv", "--kind", "pairs", "--resume"], "checkpoint"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(arguments, said, tmp_path, called):
    write_csv(tmp_path / "pairs.csv", [("left", "right"), ("a", "b"), ("b", "c")])
    write_csv(tmp_path / "cycle.csv", [("child", "parent"), ("a", "b"), ("b", "a")])
    write_csv(tmp_path / "prices.csv", [("left", "right", "height"), ("a", "b", 3), ("b", "c", 7)])
    write_csv(tmp_path / "strangers.csv", [("left", "right"), ("nobody", "a")])
    for name, content in (
        ("empty.csv", ""),
        ("bad.toml", "dim = "),
        ("unknown.toml", "dimm = 3"),
        ("type.toml", 'dim = "3"'),
    ):
        (tmp_path / name).write_text(content)
    out = [] if "--out" in arguments else ["--out", "model"]
    result = called("train", *arguments, *out, *FAST, cwd=tmp_path)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert said in result.stderr
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["pairs.csv", "--out", "m"],
        ["pairs.csv", "--kind", "pairs"],
        ["pairs.csv", "--kind", "chains", "--out", "m"],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--window", 3],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--columns", "a,b,c,d"],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--hold-out", 2],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--dim", 0],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--alpha", "much"],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--alpha", "2", "--alpha", "entity=3"],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--relation", "antonyms.csv"],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--symmetric", "antonym"],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--taxonomy-side", "row"],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--validation", "v.csv", "--hold-out", 0.1],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--address", "head:6379"],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--engine", "threads", "--workers", 2],
        ["pairs.csv", "--kind", "pairs", "--out", "m", "--engine", "ray", "--memory", "1GiB"],
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(arguments, tmp_path, called):
    write_csv(tmp_path / "pairs.csv", [("one", "other"), ("a", "b"), ("b", "c")])
    result = called("train", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr


def test_a_parameter_that_the_model_refuses_is_wrong_usage(words, tmp_path, called):
    given = ["--alpha", "entity=-1", "--out", tmp_path / "m", "-q"]
    result = called("train", "pairs.csv", "--kind", "pairs", *given, cwd=words.folder)
    assert result.returncode == 2
    assert "alpha" in result.stderr


def test_an_interrupted_training_keeps_its_epochs_and_resumes_to_the_same_bits(words, tmp_path):
    given = ["train", words.folder / "pairs.csv", "--kind", "pairs", "--dim", 3]
    process = start(*given, "--epochs", 100_000, "--checkpoint-every", 100_000, "--out", "broken", cwd=tmp_path)
    out, err = interrupt_in_first_training(process)
    assert process.returncode == 130
    assert out == ""
    assert "--resume" in err.splitlines()[-1]
    done = vbn.load(tmp_path / "broken").n_iter_
    assert 1 <= done < 100_000
    result = run(*given, "--epochs", done + 3, "--resume", "--out", "broken", "-q", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    whole = vbn.Dataset.from_pairs(words.folder / "pairs.csv")
    vbn.VBN(dim=3, epochs=done + 3, verbose=False).fit(whole).save(tmp_path / "whole")
    assert tensors(tmp_path / "broken") == tensors(tmp_path / "whole")


@given(
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.floats(allow_nan=False)
    | st.integers(-(2**63), 2**63 - 1)
    | st.booleans()
)
def test_any_value_survives_the_way_to_toml(value):
    written = to_toml({"columns": [value], "relation": {str(value): "."}}, Path())
    read = tomllib.loads(written)
    assert read["columns"] == [value]
    assert list(read["relation"]) == [str(value)]


def test_settings_survive_the_way_to_toml_and_back(tmp_path):
    options = dict.fromkeys(("taxonomy", "min_count"), None) | {
        "config": None,
        "input": tmp_path / 'odd "name" \\ \u2603.csv',
        "kind": "pairs",
        "out": tmp_path / "model",
        "columns": 'left,"a,b",2',
        "relation": ["is like=rel.csv"],
        "symmetric": ["is like"],
        "alpha": ["entity=10", "bias=1e-3"],
        "beta": ["2"],
        "subsample": 1e-4,
        "resample": False,
        "dim": 7,
    }
    settings = gathered(options)
    (tmp_path / "model").mkdir()
    file = tmp_path / "model" / "train.toml"
    file.write_text(to_toml(settings, file.parent), encoding="utf-8")
    again = read_config(file)
    assert again.pop("relation").keys() == settings.pop("relation").keys()
    assert again == settings
    assert settings["columns"] == ["left", "a,b", 2]
    assert settings["alpha"] == {"entity": 10.0, "bias": 1e-3}


def test_counts_and_samples_in_files_give_the_same_bits(words, tmp_path, called):
    given = ("--kind", "pairs", "--taxonomy", "taxonomy.csv", *FAST)
    for name, more in (("usual", ()), ("small", ("--memory", "1kB"))):
        result = called("train", "pairs.csv", *given, *more, "--out", tmp_path / name, cwd=words.folder)
        assert result.returncode == 0, result.stderr
    assert tensors(tmp_path / "small") == tensors(tmp_path / "usual")


def test_a_folder_of_counts_is_trained_on(words, tmp_path, called):
    vbn.Dataset.from_pairs(words.folder / "pairs.csv").to_folder(tmp_path / "counts")
    result = called("train", tmp_path / "counts", "--kind", "folder", *FAST, "--out", tmp_path / "model")
    assert result.returncode == 0, result.stderr
    assert vbn.load(tmp_path / "model").similar("brie", k=1)


@pytest.mark.parametrize("size", ["lots", "0", "-3GiB"])
def test_memory_that_is_no_amount_is_refused_before_reading(words, size, called):
    result = called("train", "absent.csv", "--kind", "pairs", f"--memory={size}", *FAST, "--out", "x", cwd=words.folder)
    assert result.returncode != 0
    assert "not an amount of memory" in result.stderr
