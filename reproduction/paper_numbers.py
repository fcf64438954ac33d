"""The paper's own figures (Barkan et al., CIKM 2021), to stand beside ours."""

from __future__ import annotations

MODELS = ("VBN", "BSG", "BSG-R", "SG", "SG-R")
DOMAINS = ("movies", "music", "medical", "words")

_INFERENCE: dict[tuple[str, str], tuple[tuple[float, ...], ...]] = {
    ("HR@10%", "full"): (
        (39.4, 63.5, 42.2, 39.2),
        (33.0, 57.1, 37.5, 37.6),
        (33.2, 57.6, 37.9, 37.6),
        (22.7, 46.1, 23.3, 23.6),
        (22.8, 47.2, 23.7, 23.8),
    ),
    ("HR@10%", "rare"): (
        (25.1, 45.7, 28.3, 30.8),
        (13.7, 31.6, 17.3, 20.1),
        (13.8, 32.1, 17.4, 20.6),
        (8.0, 29.6, 15.6, 20.0),
        (8.4, 29.9, 15.7, 20.8),
    ),
    ("MPR", "full"): (
        (79.6, 77.9, 73.9, 74.2),
        (77.1, 73.4, 68.9, 71.1),
        (77.9, 74.2, 69.4, 71.9),
        (75.5, 58.3, 68.8, 64.2),
        (75.7, 58.5, 68.9, 64.5),
    ),
    ("MPR", "rare"): (
        (64.7, 64.5, 68.5, 64.4),
        (61.2, 57.0, 62.0, 60.1),
        (62.1, 57.8, 62.9, 60.9),
        (54.1, 53.9, 56.4, 52.1),
        (59.6, 55.3, 57.6, 54.7),
    ),
}

INFERENCE: dict[tuple[str, str, str, str], float] = {
    (domain, model, figure, part): value
    for (figure, part), lines in _INFERENCE.items()
    for model, line in zip(MODELS, lines, strict=True)
    for domain, value in zip(DOMAINS, line, strict=True)
}
"""Inference tasks: figure by (domain, model, "HR@10%" or "MPR", "full" or "rare")."""

SIMILARITY_SETS = ("MEN", "RW", "SCWS", "SL", "WS", "AVG")

_SIMILARITY: dict[str, tuple[tuple[float, ...], ...]] = {
    "full": (
        (44.7, 30.2, 43.2, 15.6, 38.2, 34.4),
        (38.4, 27.6, 39.6, 14.2, 28.6, 29.7),
        (39.2, 27.2, 41.9, 14.6, 31.5, 30.9),
        (38.3, 23.0, 36.2, 13.6, 27.0, 27.6),
        (38.7, 27.7, 39.0, 13.9, 28.4, 29.5),
    ),
    "rare": (
        (37.7, 27.3, 31.7, 12.9, 42.9, 30.5),
        (27.9, 24.9, 27.4, 11.0, 32.4, 24.7),
        (28.2, 25.3, 28.5, 11.8, 34.0, 25.6),
        (27.2, 24.2, 23.1, 9.2, 22.5, 21.2),
        (27.5, 24.4, 25.6, 10.5, 30.8, 23.8),
    ),
}

SIMILARITY: dict[tuple[str, str, str], float] = {
    (model, name, part): value
    for part, lines in _SIMILARITY.items()
    for model, line in zip(MODELS, lines, strict=True)
    for name, value in zip(SIMILARITY_SETS, line, strict=True)
}
"""Word similarity: Spearman x 100 by (model, set, "full" or "rare")."""

ANTONYMS: dict[tuple[str, str], float] = {
    ("VBN", "HR@0.2%"): 3.8,
    ("VBN", "HR@1%"): 12.4,
    ("VBN", "MPR"): 92.5,
    ("VBN w/o relations", "HR@0.2%"): 2.1,
    ("VBN w/o relations", "HR@1%"): 8.3,
    ("VBN w/o relations", "MPR"): 76.1,
}
"""Antonyms: figure by (model, measure)."""

NEAREST: dict[str, dict[str, tuple[str, ...]]] = {
    "lemma": {
        "VBN": ("theorem", "subspace", "polynomial", "operator"),
        "BSG": ("down", "air", "window", "water"),
        "SG": ("now", "already", "still", "shot"),
    },
    "Zoolander 2": {
        "VBN": ("Zoolander 1", "Tropic Thunder", "The Secret Life of Walter Mitty", "Meet the Fockers"),
        "BSG": ("Bossa Nova", "Escape from NY", "Analyze That", "The Presidio"),
        "SG": ("Manhunter", "The Texas Chainsaw Massacre", "Scream 3", "8MM"),
    },
}
"""The four nearest to a rare entity, by model."""

PERCENTILES: dict[tuple[str, str], dict[str, float]] = {
    ("now", "lemma"): {"VBN": 31.6, "BSG": 37.4, "SG": 98.9},
    ("The Texas Chainsaw Massacre", "Zoolander 2"): {"VBN": 44.2, "BSG": 41.4, "SG": 96.8},
}
"""Percentile rank of a rare entity (second) with respect to the only one it was seen with (first), by model."""

OPPOSITES: dict[str, dict[str, tuple[str, ...]]] = {
    "lowest": {
        "VBN": ("farther", "highest", "misgauged", "landowners", "witnessing"),
        "VBN w/o relations": ("farther", "method", "furthering", "low", "denials"),
    },
}
"""The first five answers for the opposite of a word, by model."""
