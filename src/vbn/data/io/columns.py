"""Columns: which one of a table or file holds what, and their values as codes and numbers.

A column is found by name, by number, by a usual name or by its place. A column of numbers is never dropped in silence:
what may be counts is read, or the user is asked to name it.
"""

from __future__ import annotations

import difflib
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from vbn._errors import REMEDY, DataError, VBNWarning, caller_level
from vbn.data.counts import BoolArray, FloatArray
from vbn.data.io.numbers import NotANumberError, as_numbers, as_times
from vbn.data.vocabulary import Coded, Encoder, Where, encode, item_number, left_out, settle, shown

INDEX = frozenset({"", "index", "level_0", "unnamed:_0", "__index_level_0__"})  # how tables write their row numbers
TIMES = frozenset(("time", "times", "timestamp", "timestamps", "ts", "unixtime", "unix_time", "event_time"))
TIMES |= {"date", "dates", "datetime", "day", "month", "year", "created", "created_at", "updated_at"}
TIMES |= {"datum", "bestelldatum", "kaufdatum", "zeit", "zeitstempel", "jahr", "monat"}
_NUMBERS = ("n", "freq", "frequency", "cnt", "num", "number")
AMOUNTS = ("total", "amount", "quantity", "qty", "times_seen", "occurrences", "strength", "anzahl", "menge")
"""Usual names of a column of amounts, such as how many were bought."""
_PRODUCTS = ("products", "product_id", "productid", "article", "article_id", "sku", "asin", "isbn")
_ARTIKEL = (
    "artikel",
    "artikelnummer",
    "artikelnr",
    "artikel_nr",
    "artikel_id",
    "produkt",
    "produktnummer",
    "produkt_id",
)
_WORKS = ("movie", "movieid", "movie_id", "track", "song", "book", "book_id")
_CODES = (
    "icd",
    "icd9",
    "icd10",
    "icd_code",
    "icd9_code",
    "icd10_code",
    "diagnosis",
    "diagnosis_code",
    "code",
    "diagnose",
    "diagnoses",
    "diagnosis_codes",
    "icd_codes",
    "codes",
)
ITEMS = ("item", "items", "itemid", "item_id", *_WORKS, "product", *_PRODUCTS, *_ARTIKEL, *_CODES, "column")
"""Usual names of a column of items."""
COUNTS = ("count", "counts", "weight", "weights", "value", "values", *_NUMBERS, *AMOUNTS)
"""Usual names of a column of counts."""
_IDS, _ORDERS = ("id", "ids", "no", "nr", "key", "uuid"), ("order", "orderid", "invoice", "session", "basket")
RATINGS = frozenset(("rating", "ratings", "stars", "star", "score", "scores", "bewertung", "bewertungen", "sterne"))
"""Last words of the names of columns that say how much somebody liked something, not how much a row weighs."""
_UNIT = re.compile(r"(?<=\S)\s*(\([^()]*\)|\[[^][]*\])$")  # at the end of a column's name
COMMENTS = "remove lines of comments, such as by grep -v '^#'"
_MARKS = ("|", ";", ",")  # what may separate several names in a cell
_LOOKED_AT, _OFTEN = 10_000, 0.5  # names among which lists are looked for, and the share of them from which on they are
_AGES = frozenset(("age", "alter"))
_SIZES = _AGES | {"height", "bmi", "groesse", "größe"}  # of people
_PRICES = frozenset(("price", "prices", "cost", "preis", "einzelpreis", "betrag"))


@dataclass(frozen=True)
class Field:
    """One column that a constructor reads."""

    key: str  # what the constructor calls it
    aliases: tuple[str, ...]  # column names that mean it, in lower case
    number: bool = False
    optional: bool = False
    time: bool = False  # a number, or a date
    by_position: bool = False  # an optional column that may also be found by its place, whatever its name
    doubt: bool = False  # whether ratings are left out unless they are asked for, with a warning
    sought: bool = False  # an optional column that must be there, because a parameter needs it
    gaps: bool = False  # whether rows without a name here say nothing and are left out, as roots of a taxonomy


@dataclass(frozen=True)
class Header:
    """The columns of a table or file before they are read."""

    names: Sequence[str]
    source: str  # what they are of, for messages
    named: bool  # False if the names are just numbers
    is_number: Callable[[int], bool]  # whether a column holds numbers


class Picked(NamedTuple):
    """Where the column of each field is, and the field whose column was guessed from its place."""

    places: dict[str, int]
    guessed: str | None
    ratings: int | None = None  # a column of ratings, or of people's weights, that was left out
    found: frozenset[str] = frozenset()  # fields whose columns were not named by the user


def plain_name(name: str) -> str:
    """Return the name of a column in the form that is compared with usual names, without a unit.

    Examples
    --------
    >>> plain_name("Item-ID"), plain_name("Kunden Nr."), plain_name("Menge (Stk.)"), plain_name("price [EUR]")
    ('item_id', 'kunden_nr', 'menge', 'price')
    """
    bare = _UNIT.sub("", name.strip().lower())
    return (bare.rstrip(". ") or bare).replace(" ", "_").replace("-", "_")


def pick(header: Header, chosen: Mapping[str, str | int], fields: Sequence[Field]) -> Picked:
    """Return the position of the column of each field (optional ones only if they are there).

    A field that is not in `chosen` is found by one of its usual names; required ones that are still missing take the
    first columns left. If all required ones were given, no other is looked for.
    """
    found = {key: position_of(value, header, key) for key, value in chosen.items()}
    if all(item.key in chosen for item in fields if not item.optional):
        _seek(header, found, fields)
        return Picked(found, None, found=frozenset(found.keys() - chosen.keys()))
    for item in fields:
        if item.key not in found:
            position = _by_alias(item, header, found)
            if position is not None:
                found[item.key] = position
    placed = _place_required(found, header, fields)
    found = {item.key: found[item.key] for item in fields if item.key in found}  # as remedies name them
    _seek(header, found, fields)
    guessed = ratings = None
    for item in fields:
        if item.optional and item.key not in found:
            position = _by_place(item, header, found, placed)
            if position is not None:
                found[item.key], guessed = position, item.key
            elif item.doubt:
                ratings = next(iter(_rated(header, found)), in_kilograms(header))
    return Picked(found, guessed, ratings, frozenset(found.keys() - chosen.keys()))


def is_rating(name: str) -> bool:
    """Return whether a column is called like one of ratings."""
    return plain_name(name).rpartition("_")[2] in RATINGS


def _is_price(name: str) -> bool:
    """Return whether a column is called like one of prices, or of ages, which are no counts either."""
    return plain_name(name).rpartition("_")[2] in _PRICES | _AGES


def in_kilograms(header: Header) -> int | None:
    """Return the column of weights that stands beside ages or heights, and so is of people, not of rows."""
    plain = [plain_name(name) for name in header.names]
    return plain.index("weight") if "weight" in plain and _SIZES.intersection(plain) else None


def _is_id(name: str) -> bool:
    """Return whether a column is called like one of ids, which are no counts even if they are numbers."""
    return plain_name(name).rpartition("_")[2] in _IDS or plain_name(name) in _ORDERS


def _rated(header: Header, found: Mapping[str, int]) -> list[int]:
    """Return the columns of numbers left that are called like ratings."""
    names = enumerate(header.names if header.named else ())
    left = [at for at, name in names if at not in found.values() and is_rating(name)]
    return [at for at in left if header.is_number(at)]


def _seek(header: Header, found: dict[str, int], fields: Sequence[Field]) -> None:
    """Find the columns that a parameter needs: one of ratings, one with a usual name, or the only one left."""
    for item in fields:
        if not item.sought or item.key in found:
            continue
        numbers = [at for at in _likely(header, found) if header.is_number(at)]
        rated = _rated(header, found)
        place = rated[0] if len(rated) == 1 else _by_alias(item, header, found)
        if place is None and len(numbers) == 1:
            place = numbers[0]
        if place is None:
            raise DataError(
                f"which column of {header.source} holds the {item.key}? Name it with {REMEDY}; the columns are "
                f"{_listed(header.names)}",
                remedies=[(item.key,)],
            )
        found[item.key] = place


def _place_required(found: dict[str, int], header: Header, fields: Sequence[Field]) -> bool:
    """Give required fields the first columns left, those that are named like an index or a time last."""
    placed = False
    for item in fields:
        if item.key in found or item.optional:
            continue
        left = [number for number in range(len(header.names)) if number not in found.values()]
        if not left:
            raise DataError(
                f"{header.source} has no column for {item.key}: its columns are {_listed(header.names)} "
                f"({COMMENTS if header.names[0].startswith('#') else 'is the delimiter right?'})"
            )
        found[item.key], placed = (_likely(header, found) or left)[0], True
    return placed


def _likely(header: Header, found: Mapping[str, int]) -> list[int]:
    """Return the columns left that are not named like an index, a time, a rating or a price."""
    names = enumerate(map(plain_name, header.names))
    left = [(number, name) for number, name in names if number not in found.values()]
    left = [(number, name) for number, name in left if name not in INDEX | TIMES]
    left = [(number, name) for number, name in left if not (header.named and (is_rating(name) or _is_price(name)))]
    return [number for number, _ in left if number != in_kilograms(header)]


def _by_place(item: Field, header: Header, found: Mapping[str, int], placed: bool) -> int | None:
    """Return the column of an optional field that no column is named for, if there is no doubt."""
    left = _likely(header, found)
    if item.by_position and placed and left:
        return left[0] if header.is_number(left[0]) else None
    left = [at for at in left if header.is_number(at) and not (header.named and _is_id(header.names[at]))]
    if not left:
        return None
    if not header.named and len(header.names) == len(found) + 1:
        return left[0]
    named = {key: header.names[at] if header.named else at for key, at in found.items()}
    used = {**named, item.key: header.names[left[0]] if header.named else left[0]}
    message = (
        f"{header.source} has numbers in {'column' if len(left) == 1 else 'columns'} "
        f"{_listed([header.names[number] for number in left])}: are they {item.key.removesuffix('s')}s? Pass {REMEDY} "
        f"to use them, or {REMEDY} to leave them out"
    )
    remedies: list[tuple[str, object]] = [("columns", used), ("columns", named)]
    if item.doubt and item.key == "weights":
        message += f"; if they are ratings, {REMEDY} keeps the high ones"
        remedies.append(("min_weight", 3.5))
    raise DataError(message, remedies=remedies)


def warn_of_lists(read: Columns, key: str) -> None:
    """Say that the cells of a column of names seem to hold several names each, which are read as one."""
    names = read.labels[key].names[:_LOOKED_AT]
    mark = next((mark for mark in _MARKS if read.titles and not read.mark and _lists(names, mark)), None)
    if mark is None:
        return
    example = shown(next(name for name in names if mark in name))
    warning = VBNWarning(
        f"column {read.titles[key]!r} of {read.source} seems to hold several names in a cell, such as {example}, and "
        f"each cell is read as one name; pass {REMEDY} to take them apart",
        remedies=[("split_items", mark)],
    )
    warnings.warn(warning, stacklevel=caller_level())


def _lists(names: Sequence[str], mark: str) -> bool:
    """Return whether a mark stands between names.

    These are cells of their own too, or they come again, and not always in the same place of a cell.
    """
    cells = [[part.strip() for part in name.split(mark)] for name in names]
    whole, marked = {*names}, [parts for parts in cells if len(parts) > 1]
    known = sum(whole.issuperset(filter(None, parts)) for parts in marked)
    if known > 1 and known >= _OFTEN * len(marked):
        return True
    seen: dict[str, set[bool]] = {}
    again = Counter(part for parts in cells for part in dict.fromkeys(parts))
    for parts in cells:
        for place, part in enumerate(parts):
            if part and again[part] > 1:
                seen.setdefault(part, set()).add(place == 0)
    moved = sum(len(places) > 1 for places in seen.values())
    return len(marked) >= _OFTEN * len(cells) > 0 and len(again) < len(cells) and moved >= _OFTEN * max(len(seen), 1)


@contextmanager
def naming_columns(header: Header, picked: Picked, fields: Sequence[Field]) -> Iterator[None]:
    """Let an error about a value that is not a number say how to leave the column out, unless the user named it."""
    try:
        yield
    except NotANumberError as error:
        optional = [item.key for item in fields if item.optional and item.key in picked.found]
        if not optional:
            raise DataError(str(error)) from None
        named = {key: header.names[at] if header.named else at for key, at in picked.places.items()}
        kept = {key: value for key, value in named.items() if key not in optional}
        message = f"{error}; pass {REMEDY} to leave this column out"
        raise DataError(message, remedies=[("columns", kept)]) from None


def refuse_times(numbers: Mapping[str, FloatArray], header: Header, picked: Picked) -> None:
    """Refuse numbers that were taken for counts because of their place, but seem to be seconds since 1970."""
    if picked.guessed is None or not (numbers[picked.guessed] >= 1e8).all():
        return
    others = {key: header.names[at] if header.named else at for key, at in picked.places.items()}
    number = picked.places[picked.guessed]
    raise DataError(
        f"the numbers in column {header.names[number]!r} of {header.source} look like times, not like "
        f"{picked.guessed}; pass {REMEDY} if they are, or {REMEDY} to leave them out",
        remedies=[("columns", dict(others)), ("columns", {k: at for k, at in others.items() if k != picked.guessed})],
    )


def position_of(value: str | int, header: Header, key: str) -> int:
    """Return the place of a column that was given by name or number."""
    available, source = header.names, header.source
    if isinstance(value, int):
        if not 0 <= value < len(available):
            raise DataError(
                f"{key}: {source} has no column number {value}; it has {len(available)}, numbered from 0: "
                + _listed(available)
            )
        return value
    if value in available:
        return _only(value, header)
    close = difflib.get_close_matches(value.lower(), [name.lower() for name in available], n=1)
    match = next((name for name in available if close and name.lower() == close[0]), None)
    hint = f" Did you mean {match!r}?" if match else ""
    raise DataError(f"{key}: {source} has no column {value!r}; its columns are {_listed(available)}.{hint}")


def _by_alias(item: Field, header: Header, found: Mapping[str, int]) -> int | None:
    plain = [plain_name(name) for name in header.names]
    meant = [alias for alias in item.aliases if alias in plain and plain.index(alias) not in found.values()]
    if item.doubt and (kilograms := in_kilograms(header)) is not None:
        meant = [alias for alias in meant if plain.index(alias) != kilograms]
    if not meant:
        return None
    if item.optional and len(meant) > 1:
        raise DataError(
            f"{header.source} has several columns that may be {item.key}: {_listed(meant)}; name one with {REMEDY}",
            remedies=[(item.key,)],
        )
    return _only(header.names[plain.index(meant[0])], header)


def _only(name: str, header: Header) -> int:
    """Return the position of a column, which must be the only one of its name."""
    names = list(header.names)
    if names.count(name) > 1:
        raise DataError(
            f"{header.source} has {names.count(name)} columns named {name!r}; rename them, or choose one by its number"
        )
    return names.index(name)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:20]) + (", ..." if len(names) > 20 else "")


@dataclass
class Columns:
    """Columns as read: names as codes, numbers as float64, and where each row is."""

    labels: dict[str, Coded] = field(default_factory=dict)
    numbers: dict[str, FloatArray] = field(default_factory=dict)
    where: Where = item_number
    titles: dict[str, str] = field(default_factory=dict)  # what the columns of a table or file are called
    source: str = ""  # the table or file
    file: str = ""  # the same, if it is a text file
    dropped: int = 0  # rows that were left out
    mark: str = ""  # what the items of a cell were taken apart by

    def __len__(self) -> int:
        return len(next(iter(self.labels.values())))

    def read(self, item: Field, values: object, what: str = "") -> None:
        """Add the values of a field; `what` is what messages call the column."""
        if item.time:
            self.numbers[item.key] = as_times(values, what or item.key, self.where)
        elif item.number:
            self.numbers[item.key] = as_numbers(values, what or item.key, self.where)
        else:
            self.labels[item.key] = encode(values, what or item.key, self.where)

    def check_lengths(self) -> None:
        """Refuse columns of different lengths."""
        columns: dict[str, Sized] = {**self.labels, **self.numbers}
        lengths = {key: len(column) for key, column in columns.items()}
        if len(set(lengths.values())) > 1:
            sizes = ", ".join(f"{key} has {length:,}" for key, length in lengths.items())
            raise DataError(f"the columns differ in length: {sizes} entries; each row needs one of each")

    def reading(self, fields: Sequence[Field]) -> dict[str, str | None] | None:
        """Return which column of a table or file was read for each field."""
        if not self.titles:
            return None
        split = {"items": f"items (split at {self.mark!r})"} if self.mark else {}
        return {split.get(item.key, item.key): self.titles.get(item.key) for item in fields}

    def without_gaps(self, missing: str | None, fields: Sequence[Field]) -> Columns:
        """Return the rows that have all their names, and their time if there are times.

        See `settle` for `missing`; "few" leaves out a few rows, with a warning, and is otherwise the same as "error".
        """
        gaps = {item.key for item in fields if item.gaps}
        if missing == "few":
            return self._without_few(gaps).without_gaps("error", fields)
        there, where, link = np.ones(len(self), dtype=bool), self.where, ", " if self.file else " of "
        for key, column in self.labels.items():
            title = self._title(key)
            text = f"{title} of {self.file}" if self.file else ""

            def at(row: int, title: str = title) -> str:
                return f"{where(row)}{link}{title}"

            there &= settle(column, missing, at, text, key in gaps)
        if missing == "drop":
            for wrong in self._gaps().values():
                there &= ~wrong
        return self if there.all() else self.only(there)

    def _gaps(self) -> dict[str, BoolArray]:
        """Return which rows lack a number, by field, if any does; a time that is infinite is none."""
        numbers = self.numbers.items()
        lacking = {key: ~np.isfinite(values) if key == "time" else np.isnan(values) for key, values in numbers}
        return {key: wrong for key, wrong in lacking.items() if key == "time" or wrong.any()}

    def _title(self, key: str) -> str:
        return f"column {self.titles[key]!r}" if key in self.titles else key

    def _without_few(self, gaps: Set[str]) -> Columns:
        """Return the rows without the few that lack a name, a time or a number, of which a warning tells."""
        unnamed = {key: column.codes < 0 for key, column in self.labels.items() if key not in gaps}
        wrong = unnamed | self._gaps()

        def at(row: int) -> str:
            title = self._title(next(key for key, there in wrong.items() if there[row]))
            return f"{self.where(row)}, {title}" if self.file else f"{self.where(row)} of {title} of {self.source}"

        lacks = " or a ".join(["name", *(key.removesuffix("s") for key in wrong if key not in unnamed)])
        gone = left_out(np.logical_or.reduce([*wrong.values()]), at, lacks=lacks)
        return self.only(~gone) if gone.any() else self

    def split(self, key: str, mark: str) -> Columns:
        """Return the rows with one for each name in a cell of a column, as if each had been on a row of its own."""
        column, where, encoder = self.labels[key], self.where, Encoder()
        cells = [[part for piece in name.split(mark) if (part := piece.strip())] or [""] for name in column.names]
        cells.append([""])  # of code -1
        encoder.extend([part for parts in cells for part in parts], item_number)
        parts, sizes = encoder.result(), np.array([len(parts) for parts in cells])
        rows = np.repeat(np.arange(len(column)), sizes[column.codes])
        begun = np.searchsorted(rows, rows)  # where the names of each row begin
        codes = parts.codes[(np.cumsum(sizes) - sizes)[column.codes[rows]] + np.arange(len(rows)) - begun]
        others = {other: replace(coded, codes=coded.codes[rows]) for other, coded in self.labels.items()}
        return replace(
            self,
            labels={**others, key: Coded(parts.names, codes, parts.fault)},
            numbers={other: numbers[rows] for other, numbers in self.numbers.items()},
            where=lambda row: where(int(rows[row])),
            mark=mark,
        )

    def only(self, kept: BoolArray) -> Columns:
        """Return some of the rows."""
        rows, where = np.flatnonzero(kept), self.where
        return replace(
            self,
            dropped=self.dropped + len(self) - len(rows),
            labels={key: column.only(kept) for key, column in self.labels.items()},
            numbers={key: column[kept] for key, column in self.numbers.items()},
            where=lambda row: where(int(rows[row])),
        )
