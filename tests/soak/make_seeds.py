"""Write the inputs that fuzzing starts from: small files as the readers want them.

    python -m tests.soak.make_seeds

What `python -m tests.soak.fuzz` finds on top, inputs that reach further lines, lies beside them under hashes as names.
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import scipy.sparse

import vbn
from reproduction.results import Cell, DomainResult, Picture, Row, Series, Table, Texts, Verdicts
from reproduction.tests.datasets import test_medical, test_music, test_semcor, test_similarity_sets
from tests.datasets import test_movielens, test_phenotypes, test_wordnet
from tests.soak.readers import SEEDS, _checkpoint, _model, _state_file, packed
from tests.storage.making import tensor_file
from vbn.cli import checksum
from vbn.data import encoded

PAIRS = 'left,right,count\na,b,1\nb,c,2.5\n"with, comma",ü,1e3\n'


def seeds() -> dict[str, dict[str, bytes]]:
    """By reader and name."""
    model = _model()
    dat = {"ratings.dat": test_movielens.RATINGS, "movies.dat": test_movielens.MOVIES}
    table = {"ratings.csv": test_movielens.CSV_RATINGS, "movies.csv": test_movielens.CSV_MOVIES}
    imdb = {
        "links.csv": "movieId,imdbId,tmdbId\n10,0113277,949\n20,0113828,\n",
        "title.crew.tsv": "tconst\tdirectors\twriters\ntt0113277\tnm0000520,nm7\tnm1\ntt0113828\t\\N\t\\N\n",
        "name.basics.tsv": "nconst\tprimaryName\tbirthYear\nnm0000520\tMichael Mann\t1943\n",
    }
    return {
        "pairs": {"plain": PAIRS.encode(), "quoted": b'left,right\n"x\ny","z"""\n'},
        "pairs-gz": {"plain": gzip.compress(PAIRS.encode(), mtime=0)},
        "interactions": {"plain": b"user\titem\trating\nu1\ti1\t5\nu1\ti2\t3.5\nu2\ti1\t1\n"},
        "baskets": {"plain": b"bread butter jam\nbread milk\n\nmilk\n"},
        "sequences": {"plain": "to be or not to be\nthat is\r\nthe question\u2028ü\n".encode()},
        "taxonomy": {"plain": b"child,parent\na,b\nb,c\na,d\n", "weighted": b"child,parent,weight\na,b,2\na,c,1\n"},
        "catalogue": {
            "plain": b"item,genres,title\n1,Crime|Drama,Heat\n2,Crime,Casino\n3,,\n4,Drama,New\n",
            "semicolons": '\ufeffitem;kind;title;price\r\n1.0;tea;"a; b";3,50\r\n2.0;tea;\u00fc;\r\n'.encode(),
        },
        "relation": {"plain": b"left,right\na,b\nc,d\n"},
        "texts": {
            "plain": 'item,text\na,a hot drink\nb,\nü,"with, comma"\n'.encode(),
            "wide": b"id,title,n,description\na,T,1,what it is\nc,U,2,\n",
        },
        **_content(),
        "names": {"plain": "a\nwith space\nü\n".encode()},
        "settings": {
            "plain": b'input = "shop.csv"\nkind = "baskets"\ndim = 20\nepochs = 5\n[relation]\nopposite = "o.csv"\n'
        },
        "model-config": {"plain": (model / "config.json").read_bytes()},
        "model-tensors": {"plain": tensor_file(model).read_bytes()},
        "movielens": {"dat": packed(dat), "csv": packed(table), "imdb": packed(table | imdb)},
        "music": {"first": packed(test_music.FILES)},
        "medical": {"first": packed(test_medical.FILES)},
        "semcor": {
            "sgml": packed({"brown1/tagfiles/br-a01": test_semcor.SGML}),
            "xml": packed({"brown1/tagfiles/br-a01.xml": test_semcor.XML}),
        },
        "similarity": {"published": packed(test_similarity_sets.PUBLISHED)},
        "phenotypes": {"plain": packed(test_phenotypes.FILES)},
        "wordnet": {"plain": packed(test_wordnet.FILES)},
        "wordnet-tar": {"plain": _tar(test_wordnet.FILES), "gz": gzip.compress(_tar(test_wordnet.FILES), mtime=0)},
        "wordnet-zip": {"plain": _zip(test_wordnet.FILES), "packed": _zip(test_wordnet.FILES, zipfile.ZIP_DEFLATED)},
        "semcor-zip": {"plain": _zip({"semcor/brown1/tagfiles/br-a01.xml": test_semcor.XML})},
        **_tables(),
        **_of_models(model),
        **_of_reports(),
        "download": {"plain": _zip({"ml/movies.dat": "1::Heat (1995)::Action\n", "ml/README": "mind the licence\n"})},
        "bundled": {"small": packed(_small_bundle())},
    }


def _content() -> dict[str, dict[str, bytes]]:
    """Features in all their forms, and vectors in the cache."""
    columns = {"item": ["a", "ü", "c"], "price": [1.0, 2.5, 0.0], "year": [2020, 2021, 2019]}
    vectors = {"item": ["a", "b"], "embedding": [[1.0, 2.0], [3.0, 5.0]]}
    arrays = {"ids": np.array(["a", "b", "ü"]), "values": np.arange(6.0).reshape(3, 2) ** 2}
    stream = io.BytesIO()
    np.save(stream, np.array([[1, 2], [3, 5], [4, 4], [0, 1]], dtype=np.float32))
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setenv("VBN_CACHE", place)
        encoded(["one", "two", "three"], lambda texts: np.array([[len(t)] for t in texts], dtype=np.float32), "soak")
        folder = Path(place) / "text" / "soak"
        kept = {f"text/soak/one.{path.name.partition('.')[2]}": path.read_bytes() for path in sorted(folder.iterdir())}
    return {
        "features": {
            "plain": "item,price,year\na,1,2020\nü,2.5,2021\nc,1e-3,2019\n".encode(),
            "semicolons": b"id;x\na;1\nb;2\n",
        },
        "features-parquet": {"plain": _parquet(columns), "vectors": _parquet(vectors)},
        "features-npy": {"plain": stream.getvalue()},
        "features-npz": {"plain": packed(_arrays(arrays))},
        "vectors": {"plain": packed(kept)},
    }


def _tables() -> dict[str, dict[str, bytes]]:
    """Counts in forms other than text."""
    counts = scipy.sparse.coo_array(([2.0, 1.0], ([0, 1], [1, 2])), shape=(3, 3))
    forms = {form: _npz(counts.asformat(form)) for form in ("coo", "csr", "csc", "bsr", "dia")}
    columns = {"left": ["a", "b"], "right": ["b", "ü"], "count": [1.0, 2.5]}
    wide = {"name": ["a", "b"], "x": [1, 0], "y": [0.5, 2.0]}
    interactions = vbn.Dataset.from_interactions(["ann", "bob", "ann"], ["x", "x", "y"])
    return {
        "folder": {
            "shared": _folder(vbn.Dataset.from_pairs(["a", "b", "ü"], ["b", "c", "a"], [1, 2, 3])),
            "two-sides": _folder(interactions),
        },
        "matrix": {"plain": b"name,x,y\na,1,0\nb,0.5,2\n"},
        "matrix-npz": {form: packed(_members(content)) for form, content in forms.items()},
        "matrix-archive": {"csr": forms["csr"]},
        "matrix-parquet": {"plain": _parquet(wide)},
        "pairs-parquet": {"plain": _parquet(columns), "packed": _parquet(columns, compression="gzip")},
        "held-out": {
            "plain": b"user,item,rating\na,b,1\nb,c,4.5\n",
            "similarity": b"Word 1,Word 2,Human (mean)\ntiger,cat,7.35\n",
        },
        "labelled": {"plain": "left,right,label\nplain,ünï,1\n<b>,plain,0\nnobody,plain,1\n".encode()},
        "added": {"plain": b"name,parent,weight\nnew,plain,2\nnew,<b>,1\n", "two": b"name,parent\nx,<b>\ny,plain\n"},
        "events": {"plain": b"left,right,count\nplain,<b>,2\n<b>,unknown,1\n"},
        "journal": {
            "plain": b'{"journal":"j","after":0}\n{"number":1,"events":[["plain","<b>",1.5],["<b>","comma,",2]]}\n',
            "later": b'{"journal":"j","after":3}\n{"number":4,"events":[["plain","unknown",1]]}\n',
        },
    }


def _of_models(model: Path) -> dict[str, dict[str, bytes]]:
    """What lies beside a model, and what a fit goes on from."""
    stamp = f'checksum = "{checksum(model)}"\nadded = 2\n'
    return {
        "checkpoint-config": {"plain": (_checkpoint() / "config.json").read_bytes()},
        "checkpoint-state": {"plain": _state_file(_checkpoint()).read_bytes()},
        "train-toml": {
            "plain": f'# settings\n{stamp}input = "shop.csv"\n[relation]\nopposite = "o.csv"\n'.encode(),
            "no-line-end": f"# settings\n{stamp}".rstrip().encode(),
            "no-blanks": (stamp.replace(" ", "") + '[relation]\nopposite = "o.csv"\n').encode(),
        },
    }


def _of_reports() -> dict[str, dict[str, bytes]]:
    """What a reproduction reads back."""
    about = {"date": "2026-11-17", "commit": "unknown", "machine": "one", "versions": {"vbn": "0.1"}}
    table = Table("Figures", ("MPR",), (Row("VBN", (Cell(93.0, 0.1),)),), best=("high",))
    verdicts = Verdicts("Against", ("MPR",), ("ALS",), (((0.1, -0.2, 0.4),),), about=("what",), remarks=(("so",),))
    picture = Picture("p", "Title", "", "x", "y", (Series("VBN", (0.0, 1.0), (1.0, 2.0)),))
    words = Texts("Words", ("a",), (("b",),))
    shown = {"tables": (table,), "verdicts": (verdicts,), "texts": (words,), "pictures": (picture,)}
    result = DomainResult("movies", "Movies", **shown, notes=("note",), facts={"seconds": 1})
    report = {"about": about, "claims": [], "domains": [result.to_dict()]}
    record = {"facts.json": np.frombuffer(b'{"MPR": 92.2}', np.uint8), "ranks": np.arange(4.0)}
    toml = "[parameters]\ndim = 50\nepochs = 20\n[search]\ntrials = 8\n[also.rare]\ndim = 50\nepochs = 10\n"
    return {
        "report": {"plain": json.dumps(report).encode()},
        "cache": {"plain": packed(_arrays(record))},
        "winners": {"plain": toml.encode()},
    }


def _tar(files: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"dict/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return stream.getvalue()


def _zip(files: dict[str, str], compression: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text, compression)
    return stream.getvalue()


def _npz(matrix: Any) -> bytes:
    stream = io.BytesIO()
    scipy.sparse.save_npz(stream, matrix, compressed=False)
    return stream.getvalue()


def _members(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def _arrays(arrays: dict[str, np.ndarray]) -> dict[str, bytes]:
    """As numpy puts them into an archive."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return _members(stream.getvalue())


def _parquet(columns: dict[str, list[Any]], compression: str = "none") -> bytes:
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), stream, compression=compression)
    return stream.getvalue()


def _folder(data: vbn.Dataset) -> bytes:
    with tempfile.TemporaryDirectory() as place:
        data.to_folder(Path(place) / "data")
        return packed({path.name: path.read_bytes() for path in sorted((Path(place) / "data").iterdir())})


def _small_bundle() -> dict[str, bytes]:
    """The bundled file with few words: cat 2, dog 2, pet 1 times, and animal, which only the taxonomy knows."""
    names = [b"cat", b"dog", b"pet", b"animal"]
    triangle = {"row_lengths": [2, 1, 0, 0], "gaps": [1, 1, 1], "counts": [2, 1, 1]}
    arrays: dict[str, Any] = {
        "names": np.frombuffer(b"".join(names), np.uint8),
        "name_lengths": [len(name) for name in names],
        "train_frequency": [2, 2, 1, 0],
        **{f"{part}_{key}": values for part in ("train", "heldout") for key, values in triangle.items()},
        "taxonomy": [[0, 1], [3, 3]],
        "antonym": [[0], [1]],
        "part_of": [[2], [0]],
    }
    return _arrays({key: np.asarray(values, np.uint8) for key, values in arrays.items()})


def main() -> None:
    for reader, inputs in seeds().items():
        (SEEDS / reader).mkdir(parents=True, exist_ok=True)
        for name, content in inputs.items():
            (SEEDS / reader / name).write_bytes(content)


if __name__ == "__main__":
    main()
