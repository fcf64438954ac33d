"""What goes in: named entities, co-occurrence counts, a taxonomy over them, typed relations.

Everything here is immutable, and importing it needs NumPy only.
"""

from vbn.data.catalogue import find_columns
from vbn.data.company import columns_are_rows, has_short_rows, is_mapped, with_company
from vbn.data.counting import count_pairs, from_corpus
from vbn.data.counts import Counts, Runner, fault_of_rows, ranges_by_cells, ranges_by_load
from vbn.data.dataset import Dataset
from vbn.data.describe import amount, bytes_of, counted
from vbn.data.events import Events, Triple, read_events
from vbn.data.features import ROWS_AT_ONCE, Features, Source, Sources
from vbn.data.graph import by_row, closing_edges, heights, one_cycle
from vbn.data.io.archives import check_archive
from vbn.data.io.columns import AMOUNTS, COUNTS, RATINGS, Columns, Field, plain_name
from vbn.data.io.content import read_numbers, read_texts
from vbn.data.io.files import TEXT, UNREADABLE, File, find_file, open_binary, open_sheet, read_lines, reading
from vbn.data.io.folder import MappedArray, by_file, opened, write_about
from vbn.data.io.inputs import (
    INTERACTIONS,
    as_table,
    column_names,
    likely_pair,
    pair_columns,
    read_columns,
    read_parquet,
    speaking_as,
    table_kind,
    text_kind,
)
from vbn.data.io.text import check_sentence, encode_corpus, number_file, read_corpus, read_sentences
from vbn.data.labels import Labels
from vbn.data.merge import thinned
from vbn.data.relation import Relation
from vbn.data.subset import some_edges, some_features, some_names, without_entities
from vbn.data.taxonomy import Taxonomy, cycle_text, shares_of_parents
from vbn.data.texts import OFFLINE, same_encoder
from vbn.data.vector_cache import encoded
from vbn.data.vocabulary import Vocabulary, as_name, known_ids
from vbn.data.weighing import faded

__all__ = [
    "AMOUNTS",
    "COUNTS",
    "INTERACTIONS",
    "OFFLINE",
    "RATINGS",
    "ROWS_AT_ONCE",
    "TEXT",
    "UNREADABLE",
    "Columns",
    "Counts",
    "Dataset",
    "Events",
    "Features",
    "Field",
    "File",
    "Labels",
    "MappedArray",
    "Relation",
    "Runner",
    "Source",
    "Sources",
    "Taxonomy",
    "Triple",
    "Vocabulary",
    "amount",
    "as_name",
    "as_table",
    "by_file",
    "by_row",
    "bytes_of",
    "check_archive",
    "check_sentence",
    "closing_edges",
    "column_names",
    "columns_are_rows",
    "count_pairs",
    "counted",
    "cycle_text",
    "encode_corpus",
    "encoded",
    "faded",
    "fault_of_rows",
    "find_columns",
    "find_file",
    "from_corpus",
    "has_short_rows",
    "heights",
    "is_mapped",
    "known_ids",
    "likely_pair",
    "number_file",
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
    "read_events",
    "read_lines",
    "read_numbers",
    "read_parquet",
    "read_sentences",
    "read_texts",
    "reading",
    "same_encoder",
    "shares_of_parents",
    "some_edges",
    "some_features",
    "some_names",
    "speaking_as",
    "table_kind",
    "text_kind",
    "thinned",
    "with_company",
    "without_entities",
    "write_about",
]
