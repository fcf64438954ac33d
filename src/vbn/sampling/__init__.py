"""The sample of an epoch: which pairs and which noise the model sees."""

from __future__ import annotations

from vbn.sampling.blocks import ColumnBlocks, Segment, Segments, segment_of, turned_block
from vbn.sampling.cells import Cells, Sample
from vbn.sampling.drawer import CellDrawer
from vbn.sampling.noise import noise_weights
from vbn.sampling.past import Past
from vbn.sampling.sampler import Sampler, keep_probabilities, relation_counts, relation_noise, weight_of

__all__ = [
    "CellDrawer",
    "Cells",
    "ColumnBlocks",
    "Past",
    "Sample",
    "Sampler",
    "Segment",
    "Segments",
    "keep_probabilities",
    "noise_weights",
    "relation_counts",
    "relation_noise",
    "segment_of",
    "turned_block",
    "weight_of",
]
