"""What goes in: named entities, co-occurrence counts, a taxonomy over them, typed relations.

Everything here is immutable, and importing it needs NumPy only.
"""

from vbn.data._archives import UNREADABLE
from vbn.data._columns import Columns, as_table, read_columns, speaking_as
from vbn.data._compressed import fault_of_rows
from vbn.data._counts import CELLS_AT_ONCE, Counts
from vbn.data._csv import open_sheet
from vbn.data._cycles import closing_edges
from vbn.data._dag import by_row, heights, one_cycle
from vbn.data._dataset import Dataset
from vbn.data._edges import cycle_text, shares_of_parents
from vbn.data._fields import COUNTS, Field, plain_name
from vbn.data._files import TEXT, File, find_file, open_binary, read_lines, reading
from vbn.data._folders import write_about
from vbn.data._mapped import MappedArray, by_file, opened
from vbn.data._names import as_name
from vbn.data._pairs import pair_columns
from vbn.data._ranges import Runner, ranges_by_cells, ranges_by_load
from vbn.data._relation import Relation
from vbn.data._sequences import check_sentence, read_corpus, read_sentences
from vbn.data._sizes import bytes_of
from vbn.data._tables import read_parquet
from vbn.data._taxonomy import Taxonomy
from vbn.data._types import BoolArray, FloatArray
from vbn.data._vocabulary import Vocabulary, known_ids
from vbn.data._windows import from_corpus
from vbn.data._wording import amount

__all__ = [
    "CELLS_AT_ONCE",
    "COUNTS",
    "TEXT",
    "UNREADABLE",
    "BoolArray",
    "Columns",
    "Counts",
    "Dataset",
    "Field",
    "File",
    "FloatArray",
    "MappedArray",
    "Relation",
    "Runner",
    "Taxonomy",
    "Vocabulary",
    "amount",
    "as_name",
    "as_table",
    "by_file",
    "by_row",
    "bytes_of",
    "check_sentence",
    "closing_edges",
    "cycle_text",
    "fault_of_rows",
    "find_file",
    "from_corpus",
    "heights",
    "known_ids",
    "one_cycle",
    "open_binary",
    "open_sheet",
    "opened",
    "pair_columns",
    "plain_name",
    "ranges_by_cells",
    "ranges_by_load",
    "read_columns",
    "read_corpus",
    "read_lines",
    "read_parquet",
    "read_sentences",
    "reading",
    "shares_of_parents",
    "speaking_as",
    "write_about",
]
