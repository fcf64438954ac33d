"""Texts of new entities as features, by the encoders that the texts of training went through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from vbn._errors import REMEDY, DataError
from vbn.data import same_encoder
from vbn.inference.newcomers import NewEntity
from vbn.model import Trained


def text_sources(trained: Trained, side: str) -> dict[str, str]:
    """Return the sources of a side that were made of texts, and the names of their encoders."""
    features = trained.side(side).features
    sources = () if features is None else features.sources
    return {source.name: source.encoder for source in sources if source.encoder is not None}


def with_encoded_texts(
    trained: Trained, new: Sequence[NewEntity], side: str, encoder: object = None
) -> list[NewEntity]:
    """Return new entities with their texts as features; an empty text says nothing."""
    known, found = text_sources(trained, side), [dict(entity.features) for entity in new]
    asked: dict[str, dict[int, str]] = {}
    for at, entity in enumerate(new):
        for given, text in entity.texts.items():
            source = _source(known, given, entity.name)
            if source in found[at] or "" in found[at]:
                raise DataError(f"{entity.name!r} comes with features and with a text; give one of the two.")
            asked.setdefault(source, {})[at] = text
    for source, texts in asked.items():
        own = same_encoder(known[source], encoder.get(source) if isinstance(encoder, Mapping) else encoder, source)
        there = {at: text for at, text in texts.items() if text.strip()}
        vectors = own.fresh(list(there.values())) if there else ()
        for at, vector in zip(there, vectors, strict=True):
            found[at][source] = np.asarray(vector, dtype=np.float64)
    return [replace(entity, features=features, texts={}) for entity, features in zip(new, found, strict=True)]


def _source(known: Mapping[str, str], given: str, name: str) -> str:
    """Return the source that a text is for; one that is given without a source is for the only one."""
    if not known:
        raise DataError(
            f"{name!r} comes with a text, but the model was trained without texts; add it without, or train again with "
            f"{REMEDY}.",
            remedies=[("", "Dataset.with_text")],
        )
    source = given or (next(iter(known)) if len(known) == 1 else "")
    if source not in known:
        told = f"for {source!r}" if source else "for no source"
        raise DataError(f"{name!r} comes with a text {told}; give texts by source: {', '.join(map(repr, known))}.")
    return source
