"""What goes in: named entities, co-occurrence counts, a taxonomy over them, typed relations.

Everything here is immutable, and importing it needs NumPy only.
"""

from vbn.data._counts import Counts
from vbn.data._dataset import Dataset
from vbn.data._relation import Relation
from vbn.data._taxonomy import Taxonomy
from vbn.data._vocabulary import Vocabulary

__all__ = ["Counts", "Dataset", "Relation", "Taxonomy", "Vocabulary"]
