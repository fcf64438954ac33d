"""The ways to make a `Dataset`: one classmethod for each kind of data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from vbn.data.counting import (
    Parts,
    check_flag,
    counted_pairs,
    from_corpus,
    from_entries,
    separate_parts,
    shared_parts,
)
from vbn.data.io.columns import warn_of_lists
from vbn.data.io.folder import read_features, read_folder
from vbn.data.io.inputs import INTERACTIONS, PAIRS, TIME, read_columns
from vbn.data.io.matrix import from_matrix, read_matrix
from vbn.data.io.text import read_baskets, read_corpus
from vbn.data.vocabulary import check_missing
from vbn.data.weighing import check_weighing, weighed

if TYPE_CHECKING:
    from vbn.data.dataset import Dataset

Column = ArrayLike | Iterable[object]
"""A column of data, or the name or number of a column of a table or file."""


class Constructors:
    """Classmethods that build a `Dataset`; mixed into it.

    All of them take data in memory, a pandas, polars or pyarrow table, or the path of a csv, tsv, txt
    or parquet file (also with .gz), and share these options:

    header : bool, optional
        Whether the first line of the file names the columns. By default it does if it holds two usual names ("left",
        "right", "user", "item", ...) or text above a number, and does not if it holds a number or a name of a later
        line. If that does not decide, an error asks you to say.
    delimiter : str, optional
        What separates the fields. By default a comma in .csv (a semicolon or tab if its first line has more of them), a
        tab in .tsv, and in .txt a tab, a comma or white space, depending on the first line. If you give it, files with
        other suffixes (.dat, .data) are read as text too. It may have several characters, such as "::". A .txt file of
        sequences or baskets has one of them a line, and the delimiter separates its tokens or items.
    missing : {"auto", "error", "drop"}, default "auto"
        What to do about rows without a name, or without the time that you asked for: an empty field, None, NaN. By
        default a few of a file (up to 5 %, or three where that is less than half) are left out, with a warning, and
        others are an error. "drop" also drops names of a text file that read NA, N/A, nan, null, None or the like;
        otherwise they are names (Namibia, sodium), with a warning. In sentences they are always words. Not for
        matrices, whose rows and columns have one name each.

    The column of a table or file that holds the counts or weights is the one that you name. If you name only the two
    columns of entities, there is none, and every row counts 1. If you do not name these two either, it is

    - one with a usual name: "count", "weight", "n", "value", "freq", "plays", ...;
    - otherwise, where columns have no names (a file without a header, a frame with numbered columns), the third of
      three if it holds numbers; it is an error if these look like times (all of them 100 million or more);
    - never a column of text, or one named "timestamp", "date", "index", "order_id" or the like; nor one named "rating",
      "stars" or "score", of which a warning says what could be done with it;
    - any other column of numbers is an error that says how to use it and how to leave it out.

    `Dataset.describe` says which columns were read.
    """

    @classmethod
    def _build(cls: Any, parts: Parts, kind: str, reading: Mapping[str, str | None] | None = None) -> Dataset:
        counted = parts.rows, parts.columns, parts.counts
        return cls(*counted, times=parts.times, kind=kind, reading=reading)  # type: ignore[no-any-return]

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
        missing: str = "auto",
    ) -> Dataset:
        """Count tokens that are near each other, such as the words of a sentence.

        Every two tokens of a sentence at a distance of at most `window` count once in each direction,
        after tokens excluded by `min_count` and `max_size` have been removed, as in word2vec.

        Parameters
        ----------
        sentences : iterable of token lists, table or path
            Read once: a generator is fine. A .txt file holds one sentence a line, tokens separated by white
            space or the `delimiter`; in a table or csv file, a column of text is split at white space.
        window : int, default 5
            The largest distance.
        dynamic_window : bool, default False
            Whether a pair at distance d counts ``(window - d + 1) / window``, as it does on average with a window
            of random size, as in word2vec.
        min_count : float, default 1
            Drop tokens that occur less often.
        max_size : int, optional
            Keep only that many tokens, the most frequent ones.
        column : str or int, optional
            The column of a table or file that holds the text; by default "text", or the only one.
        header, delimiter, missing : optional
            How to read a text file, and what to do about missing names: see `Constructors`.

        Examples
        --------
        >>> from vbn.data import Dataset
        >>> Dataset.from_sequences([["to", "be", "or", "not", "to", "be"]], window=2)
        Dataset(sequences: 4 entities, 12 cells, total 18)
        """
        check_flag("dynamic_window", dynamic_window)
        corpus = read_corpus(sentences, column, header, delimiter, missing)
        return cls._build(from_corpus(corpus, window, dynamic_window, min_count, max_size), "sequences")

    @classmethod
    def from_baskets(
        cls,
        source: Any = None,
        /,
        baskets: Column | None = None,
        items: Column | None = None,
        *,
        min_count: float = 1,
        max_size: int | None = None,
        max_basket: int | None = 5000,
        weight: str | float | None = "auto",
        header: bool | None = None,
        delimiter: str | None = None,
        missing: str = "auto",
        split_items: str | None = None,
    ) -> Dataset:
        """Count items that are in one basket together: purchases, a patient's diagnoses.

        Every ordered pair of different items counts for each basket that holds both: 1 in a small basket, less in a
        large one, so that evidence grows with the number of its items, not with its square.

        Parameters
        ----------
        source : iterable of item lists, table or path, optional
            A .txt file holds one basket a line, items separated by white space or the `delimiter`, such as ",".
            A dict of item lists is fine too.
        baskets, items : columns, or their names or numbers in `source`, optional
            For data with one row for each item in a basket: ``from_baskets(table, "order", "product")``, or two columns
            as such, ``from_baskets(orders, products)``.
        min_count : float, default 1
            Drop items that are in fewer baskets.
        max_size : int, optional
            Keep only that many items, the most frequent ones.
        max_basket : int, default 5000
            Of a basket with more different items, count this many, chosen at random (the same in every run, with a
            warning): pairs grow with the square, and a basket that large says little about any of them.
        weight : "auto", float or None, default "auto"
            With how many others an item of a basket counts at most. In a basket of n different items every pair counts
            ``min(1, weight / (n - 1))``. "auto" is 10, about what a window of five words is to text. None counts every
            pair 1: a basket of 500 items then weighs 600 times as much as one of 20.
        header, delimiter, missing : optional
            How to read a text file, and what to do about missing names: see `Constructors`.
        split_items : str, optional
            What separates the items of a cell of a table or file, such as ",", if there are several.

        Examples
        --------
        >>> from vbn.data import Dataset
        >>> Dataset.from_baskets([["tea", "milk"], ["tea", "milk", "rusk"]])
        Dataset(baskets: 3 entities, 6 cells, total 8)
        >>> Dataset.from_baskets([["tea", "milk"], ["tea", "milk", "rusk"]], weight=1)
        Dataset(baskets: 3 entities, 6 cells, total 5)
        """
        entries = read_baskets(source, baskets, items, header, delimiter, missing, split_items)
        return cls._build(from_entries(entries, min_count, max_size, max_basket, weight), "baskets", entries.reading)

    @classmethod
    def from_interactions(
        cls,
        source: Any = None,
        /,
        users: Column | None = None,
        items: Column | None = None,
        weights: Column | None = None,
        *,
        time: Column | None = None,
        min_weight: float | None = None,
        weighted: bool | None = None,
        half_life: float | str | None = None,
        min_count: float = 1,
        max_size: int | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
        missing: str = "auto",
        split_items: str | None = None,
    ) -> Dataset:
        """Count who interacted with what: users in the rows, items in the columns.

        The two are separate namespaces: user "1" and item "1" are different entities.

        Parameters
        ----------
        source : table, path or iterable of (user, item[, weight]) rows, optional
            Leave it out to give the columns themselves: ``from_interactions(users, items[, weights])``.
        users, items, weights : columns, or their names or numbers in `source`, optional
            If you name no column of a table or file, those with usual names ("user", "item", "count", ...) are found,
            otherwise the first two are users and items, and a third one of numbers is the weights if it has no name:
            see `Constructors`. If you name users and items, nothing else is read. Weights of one user and item add up;
            without weights, each row counts 1. A column called rating, stars or score is never taken for weights
            unless you name it: a warning says so.
        time : column, or its name or number in `source`, optional
            When it was: numbers, dates, or texts such as 2024-05-31, 2024-05-31T12:30:00 or 31.05.2024. Each pair keeps
            its latest time, which `vbn.evaluation.hold_out` can go by. Numbers are kept as they are; dates become
            seconds since 1970, in UTC unless they have another zone.
        min_weight : float, optional
            Keep rows whose weight or rating is at least this; each counts 1. The column is `weights`, or one called
            rating, stars, score, weight, ...
        weighted : bool, optional
            Whether rows count their weights. By default they do if there are weights and no `min_weight`.
        half_life : float or str, optional
            Rows count half for every such time that they are older than the latest row, of which `time` says when.
            A number is in the unit of `time`, which is seconds where these are dates; texts such as "30d", "12h",
            "8w" or "2y" are seconds.
        min_count : float, default 1
            Drop items with fewer interactions, and users left without any.
        max_size : int, optional
            Keep only that many items, those with the largest total weight.
        header, delimiter, missing : optional
            How to read a text file, and what to do about missing names: see `Constructors`.
        split_items : str, optional
            What separates the items of a cell, such as ",", if there are several: each counts as on a row of its own.

        Examples
        --------
        >>> from vbn.data import Dataset
        >>> Dataset.from_interactions(["ann", "bob", "ann"], ["Heat", "Heat", "Casino"], [5, 3, 4])
        Dataset(interactions: 2 rows x 2 columns, 3 cells, total 12)
        >>> Dataset.from_interactions({"who": [1, 2], "what": ["a", "b"]}, "who", "what")
        Dataset(interactions: 2 rows x 2 columns, 2 cells, total 2)
        >>> Dataset.from_interactions(["ann", "ann"], ["Heat", "Heat"], time=["1970-01-02", "1970-01-01"]).times
        array([86400.])
        >>> Dataset.from_interactions(["ann", "bob"], ["tea, milk", "tea"], split_items=",")
        Dataset(interactions: 2 rows x 2 columns, 3 cells, total 3)
        >>> liked = {"user": ["ann", "bob", "ann"], "item": ["Heat", "Heat", "Casino"], "stars": [5, 2, 4]}
        >>> Dataset.from_interactions(liked, min_weight=3.5)
        Dataset(interactions: 1 row x 2 columns, 2 cells, total 2)
        """
        check_missing(missing)
        check_weighing(min_weight, weighted, half_life, time is not None)
        weighing = replace(INTERACTIONS[2], sought=min_weight is not None)
        fields = (*INTERACTIONS[:2], weighing, *([] if time is None else [TIME]))
        given = {"users": users, "items": items, "weights": weights, "time": time}
        how: Any = {"header": header, "delimiter": delimiter, "missing": missing, "split_items": split_items}
        read = read_columns(source, (), given, fields, **how)
        warn_of_lists(read, "items")
        read, reading = weighed(read, fields, min_weight, weighted, half_life)
        parts = separate_parts(counted_pairs(read, fields), min_count, max_size)
        return cls._build(parts, "interactions", reading)

    @classmethod
    def from_folder(cls, folder: str | os.PathLike[str]) -> Dataset:
        """Open a data set that `Dataset.to_folder` wrote; its counts are mapped, and may be larger than the memory.

        They are read once, in blocks, to check that every cell has a column that exists and a count above 0.

        Parameters
        ----------
        folder : path
            The folder; it must stay where it is while the data set is in use.

        Raises
        ------
        DataError
            If the folder is not such a data set, or is damaged; the error names the first row at fault.

        Examples
        --------
        >>> import tempfile
        >>> from vbn.data import Dataset
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Dataset.from_pairs(["a", "b"], ["b", "c"]).to_folder(folder)
        Dataset(pairs: 3 entities, 2 cells, total 2)
        """
        parts, kind = read_folder(folder)
        made = cls._build(parts, kind)
        known = [read_features(folder, "row", made.rows), read_features(folder, "column", made.columns)]
        return made if known == [None, None] else made._replaced(row_features=known[0], column_features=known[1])

    @classmethod
    def from_pairs(
        cls,
        source: Any = None,
        /,
        left: Column | None = None,
        right: Column | None = None,
        counts: Column | None = None,
        *,
        shared: bool = True,
        min_count: float = 0,
        max_size: int | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
        missing: str = "auto",
    ) -> Dataset:
        """Take co-occurrence counts as they are: (left, right, count), in that direction only.

        That "b" was seen near "a" does not imply that "a" was seen near "b". If it should, give each pair in both
        directions: ``from_pairs(left + right, right + left, 2 * counts)`` of three lists.

        Parameters
        ----------
        source : table, path, iterable of (left, right[, count]) rows or dict {(left, right): count}, optional
            Leave it out to give the columns themselves: ``from_pairs(left, right[, counts])``.
        left, right, counts : columns, or their names or numbers in `source`, optional
            If you name no column of a table or file, those with usual names ("left", "right", "count", ...) are found,
            otherwise the first two are left and right, and a third one of numbers is the counts if it has no name: see
            `Constructors`. If you name left and right, nothing else is read. Counts of one pair add up; without
            counts, each row counts 1.
        shared : bool, default True
            Whether left and right are the same entities.
        min_count : float, default 0
            Drop entities with a smaller count: the mean of row and column sum where shared, otherwise
            the number of entries of a right entity.
        max_size : int, optional
            Keep only that many entities (on the right, if not shared), those with the largest count.
        header, delimiter, missing : optional
            How to read a text file, and what to do about missing names: see `Constructors`.

        Examples
        --------
        >>> from vbn.data import Dataset
        >>> Dataset.from_pairs(["a", "a"], ["b", "c"], [3, 1])
        Dataset(pairs: 3 entities, 2 cells, total 4)
        >>> left, right, counts = ["a", "a"], ["b", "c"], [3, 1]
        >>> Dataset.from_pairs(left + right, right + left, 2 * counts)
        Dataset(pairs: 3 entities, 4 cells, total 8)
        """
        check_missing(missing)
        check_flag("shared", shared)
        fields, given = PAIRS, {"left": left, "right": right, "counts": counts}
        read = read_columns(source, (), given, fields, header=header, delimiter=delimiter, missing=missing)
        build = shared_parts if shared else separate_parts
        return cls._build(build(counted_pairs(read, fields), min_count, max_size), "pairs", read.reading(fields))

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        rows: Iterable[object] | None = None,
        columns: Iterable[object] | None = None,
        shared: bool | None = None,
        *,
        min_count: float = 0,
        max_size: int | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        """Take a matrix of counts; its entities are reordered by falling count.

        Parameters
        ----------
        matrix : sparse or dense matrix, table or path
            A scipy matrix or array, a NumPy array, a table with one column for each entity, a text or
            parquet file of one (the names of the rows first, those of the columns in the header), or
            an .npz file as `scipy.sparse.save_npz` writes it.
        rows, columns : list of names, optional
            Names of the rows and columns; by default those of the matrix itself, otherwise "0", "1", ...
        shared : bool, optional
            Whether rows and columns are the same entities; by default they are if the matrix is square
            and `columns` is not given or the same as `rows`.
        min_count : float, default 0
            Drop entities with a smaller count, as in `from_pairs`; 0 also keeps those without any.
        max_size : int, optional
            Keep only that many entities (columns, if not shared), those with the largest count.
        header, delimiter : optional
            How to read a text file: see `Constructors`.

        Examples
        --------
        >>> from vbn.data import Dataset
        >>> Dataset.from_matrix([[0, 2], [2, 0]], rows=["salt", "pepper"])
        Dataset(matrix: 2 entities, 2 cells, total 4)
        """
        if shared is not None:
            check_flag("shared", shared)
        read = read_matrix(matrix, header, delimiter)
        return cls._build(from_matrix(read, rows, columns, shared, min_count, max_size), "matrix")
