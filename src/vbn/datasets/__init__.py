"""Data sets: the bundled one, a simulated shop, and readers for the official files of public ones."""

from vbn.datasets._bundled import Bundled, HeldOut, load_bundled
from vbn.datasets._download import download
from vbn.datasets._interactions import Interactions
from vbn.datasets._load import load
from vbn.datasets._medical import Diagnoses, load_medical
from vbn.datasets._movielens import Movie, Movies, load_movielens
from vbn.datasets._music import Music, load_music
from vbn.datasets._semcor import Corpus, load_semcor
from vbn.datasets._shop import write_shop
from vbn.datasets._similarity import SimilaritySet, load_similarity
from vbn.datasets._wordnet import WordNet
from vbn.datasets._wordnet_lines import Synset
from vbn.datasets._wordnet_relations import WordRelations, antonym_pairs, load_wordnet, meronym_pairs
from vbn.datasets._wordnet_taxonomy import WordTaxonomy, wordnet_taxonomy

__all__ = [
    "Bundled",
    "Corpus",
    "Diagnoses",
    "HeldOut",
    "Interactions",
    "Movie",
    "Movies",
    "Music",
    "SimilaritySet",
    "Synset",
    "WordNet",
    "WordRelations",
    "WordTaxonomy",
    "antonym_pairs",
    "download",
    "load",
    "load_bundled",
    "load_medical",
    "load_movielens",
    "load_music",
    "load_semcor",
    "load_similarity",
    "load_wordnet",
    "meronym_pairs",
    "wordnet_taxonomy",
    "write_shop",
]
