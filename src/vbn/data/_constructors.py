"""The ways to make a `Dataset`: one classmethod for each kind of data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vbn.data._columns import Field, read_columns

if TYPE_CHECKING:
    from vbn.data._dataset import Dataset
    from vbn.data._pairs import Parts

_WEIGHTS = ("weight", "weights", "rating", "ratings", "count", "counts", "plays", "value", "n")
INTERACTIONS = (
    Field("users", ("user", "users", "userid", "user_id", "patient", "customer")),
    Field("items", ("item", "items", "itemid", "item_id", "movie", "movieid", "movie_id", "product")),
    Field("weights", _WEIGHTS, number=True, optional=True),
)
PAIRS = (
    Field("left", ("left", "row", "entity", "source", "first", "word")),
    Field("right", ("right", "column", "context", "target", "second")),
    Field("counts", ("count", "counts", "weight", "weights", "value", "n"), number=True, optional=True),
)


class Constructors:
    """Classmethods that build a `Dataset`; mixed into it."""

    @classmethod
    def _build(cls, parts: Parts, kind: str) -> Dataset:
        raise NotImplementedError

    @classmethod
    def from_sequences(
        cls,
        sentences: Any,
        window: int = 5,
        dynamic_window: bool = False,
        min_count: float = 1,
        max_size: int | None = None,
        *,
        column: str | int | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        from vbn.data._sequences import encode_corpus, from_corpus

        return cls._build(
            from_corpus(encode_corpus(sentences), window, dynamic_window, min_count, max_size), "sequences"
        )

    @classmethod
    def from_interactions(
        cls,
        source: Any = None,
        /,
        *positional: Any,
        users: Any = None,
        items: Any = None,
        weights: Any = None,
        min_count: float = 1,
        max_size: int | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        from vbn.data._pairs import read_cells, separate_parts

        given = {"users": users, "items": items, "weights": weights}
        read = read_columns(source, positional, given, INTERACTIONS, header=header, delimiter=delimiter)
        cells = read_cells(read, ("users", "items", "weights"))
        return cls._build(separate_parts(*cells, min_count, max_size), "interactions")

    @classmethod
    def from_pairs(
        cls,
        source: Any = None,
        /,
        *positional: Any,
        left: Any = None,
        right: Any = None,
        counts: Any = None,
        shared: bool = True,
        min_count: float = 0,
        max_size: int | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        from vbn.data._pairs import read_cells, separate_parts, shared_parts

        given = {"left": left, "right": right, "counts": counts}
        read = read_columns(source, positional, given, PAIRS, header=header, delimiter=delimiter)
        cells = read_cells(read, ("left", "right", "counts"))
        build = shared_parts if shared else separate_parts
        return cls._build(build(*cells, min_count, max_size), "pairs")
