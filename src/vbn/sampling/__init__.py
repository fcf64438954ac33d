"""The sample of an epoch: the pairs and the noise that the model sees."""

from vbn.sampling.cells import WIDEST, Cells, ColumnBlocks, Packed, Sample, Segment, Segments, packed, turned_block
from vbn.sampling.drawer import CellDrawer, Past, with_negatives
from vbn.sampling.sampler import (
    Sampler,
    keep_probabilities,
    noise_weights,
    relation_counts,
    relation_noise,
    weight_of,
)

__all__ = [
    "WIDEST",
    "CellDrawer",
    "Cells",
    "ColumnBlocks",
    "Packed",
    "Past",
    "Sample",
    "Sampler",
    "Segment",
    "Segments",
    "keep_probabilities",
    "noise_weights",
    "packed",
    "relation_counts",
    "relation_noise",
    "turned_block",
    "weight_of",
    "with_negatives",
]
