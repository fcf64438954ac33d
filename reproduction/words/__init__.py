"""The paper's experiments on words: similarity, sentence completion, antonyms and ablations on SemCor and WordNet."""

from reproduction.words.corpus import Words
from reproduction.words.reproduce import reproduce_from, reproduce_words
from reproduction.words.search import search_words
from reproduction.words.settings import winners

__all__ = ["Words", "reproduce_from", "reproduce_words", "search_words", "winners"]
