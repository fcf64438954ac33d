"""Data sets: the bundled one, a simulated shop, and readers for the files of MovieLens and WordNet."""

from vbn.datasets.bundled import Bundled, HeldOut, load_bundled, open_bundled, read_bundled
from vbn.datasets.downloads import download, unpack
from vbn.datasets.interactions import Interactions
from vbn.datasets.loading import load
from vbn.datasets.movielens import Movie, Movies, load_movielens
from vbn.datasets.shop import write_shop
from vbn.datasets.word_relations import (
    WordRelations,
    WordTaxonomy,
    antonym_pairs,
    break_cycles,
    load_wordnet,
    meronym_pairs,
    wordnet_taxonomy,
)
from vbn.datasets.wordnet import PARTS, Synset, SynsetId, WordNet

__all__ = [
    "PARTS",
    "Bundled",
    "HeldOut",
    "Interactions",
    "Movie",
    "Movies",
    "Synset",
    "SynsetId",
    "WordNet",
    "WordRelations",
    "WordTaxonomy",
    "antonym_pairs",
    "break_cycles",
    "download",
    "load",
    "load_bundled",
    "load_movielens",
    "load_wordnet",
    "meronym_pairs",
    "open_bundled",
    "read_bundled",
    "unpack",
    "wordnet_taxonomy",
    "write_shop",
]
