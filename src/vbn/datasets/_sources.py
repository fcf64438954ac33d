"""Which public data sets can be downloaded: addresses, checksums and what their owners ask of users."""

from __future__ import annotations

from dataclasses import dataclass

GROUPLENS = "https://files.grouplens.org/datasets/movielens"
NLTK_DATA = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora"

_GROUPLENS_LICENCE = (
    "MovieLens (GroupLens, University of Minnesota): for research; no redistribution and no commercial use without "
    "permission. Cite F. M. Harper and J. A. Konstan, The MovieLens Datasets: History and Context, ACM TiiS 5(4), 2015"
    ". The README in the archive has the full terms."
)
_PRINCETON_LICENCE = (
    "Copyright by Princeton University: use, copying, modification and distribution for any purpose without fee, as "
    "long as the notice in the archive stays with every copy."
)


@dataclass(frozen=True)
class Source:
    """A file that can be downloaded.

    Attributes
    ----------
    base : str
        Address of the folder that the file is in.
    file : str
        Its name, a zip archive.
    checksum : str or None
        Algorithm and digest as published; None where the owner replaces the file from time to time.
    licence : str
        What the owner asks for, shown before the download.
    loader : str
        The name under which `vbn.datasets.load` reads it.
    """

    base: str
    file: str
    checksum: str | None
    licence: str
    loader: str


SOURCES = {
    "ml-1m": Source(GROUPLENS, "ml-1m.zip", "md5:c4d9eecfca2ab87c1945afe126590906", _GROUPLENS_LICENCE, "movielens"),
    "ml-25m": Source(GROUPLENS, "ml-25m.zip", "md5:6b51fb2759a8657d3bfcbfc42b592ada", _GROUPLENS_LICENCE, "movielens"),
    # "latest" is what it says: the file changes, and no checksum is published for good.
    "ml-latest-small": Source(GROUPLENS, "ml-latest-small.zip", None, _GROUPLENS_LICENCE, "movielens"),
    "semcor": Source(NLTK_DATA, "semcor.zip", "md5:46c095f0ab7090132567f87252af724f", _PRINCETON_LICENCE, "semcor"),
    "wordnet": Source(NLTK_DATA, "wordnet.zip", "md5:b3f38606f626e54c6f060548546f71f0", _PRINCETON_LICENCE, "wordnet"),
}
