"""`vbn reproduce words`: similarity, sentence completion, antonyms, examples and ablations on SemCor and WordNet."""

from vbn.evaluation.paper.words._ablations import AblationResult, ablations
from vbn.evaluation.paper.words._antonyms import AntonymResult, antonyms
from vbn.evaluation.paper.words._completion import CompletionResult, completion
from vbn.evaluation.paper.words._corpus import Words
from vbn.evaluation.paper.words._reproduce import reproduce_from, reproduce_words
from vbn.evaluation.paper.words._search import search_words
from vbn.evaluation.paper.words._settings import winners
from vbn.evaluation.paper.words._similarity import SimilarityResult, similarity

__all__ = [
    "AblationResult",
    "AntonymResult",
    "CompletionResult",
    "SimilarityResult",
    "Words",
    "ablations",
    "antonyms",
    "completion",
    "reproduce_from",
    "reproduce_words",
    "search_words",
    "similarity",
    "winners",
]
