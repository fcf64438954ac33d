"""The ways to make a `Dataset`: one classmethod for each kind of data."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vbn.data._columns import read_columns
from vbn.data._missing import check_missing

if TYPE_CHECKING:
    from vbn.data._dataset import Dataset
    from vbn.data._pairs import Parts


class Constructors(ABC):
    """Classmethods that build a `Dataset`; mixed into it.

    All of them take data in memory, a pandas, polars or pyarrow table, or the path of a csv, tsv, txt
    or parquet file (also with .gz), and share these options:

    header : bool, optional
        Whether the first line of the file names the columns. If not given: yes if it holds two usual
        names ("left", "right", "user", "item", ...) or text above a number; no if it holds a number or a
        name that comes again further down. If neither, you are asked.
    delimiter : str, optional
        What separates the fields; by default a comma in .csv (a semicolon if its first line has one and no
        comma), a tab in .tsv, and in .txt whichever of tab, comma and white space the first line has. With it, files
        of other names (.dat, .data) are read as text, too; it may have several characters, as "::". A .txt file of
        sequences or baskets has one of them a line, and the delimiter separates its tokens or items.
    missing : {"error", "drop"}, default "error"
        What to do about rows without a name: an empty field, None, NaN. Fields of a text file that read NA, N/A, nan,
        null, None or the like are dropped, too; with "error" they are names (of Namibia, of sodium), with a warning.
        Sentences are the exception: there they are words. Not for matrices, whose rows and columns have one name each.

    Which column of a table or file holds the counts or weights: the one that you name. If you name the two columns of
    entities only, none does, and every row counts 1. If you do not name these two either:

    - one with a usual name: "count", "weight", "rating", "n", "value", "freq", "plays", ...;
    - else, where the columns have no names (a file without a header, a frame with numbered columns), the third of
      three if it holds numbers, but not if these look like times (all of them 100 million or more): that is an error;
    - columns of text, and those named "timestamp", "date", "index" or the like, never are;
    - any other column of numbers is an error that tells how to use it and how to leave it out.

    `Dataset.describe` says which columns were read.
    """

    @classmethod
    @abstractmethod
    def _build(cls, parts: Parts, kind: str, reading: Mapping[str, str | None] | None = None) -> Dataset:
        """Put the parts that a constructor has read together."""

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
        missing: str = "error",
    ) -> Dataset:
        """Count tokens that stand near each other, such as the words of a sentence.

        Every two tokens of a sentence at a distance of at most `window` count once in each direction,
        after tokens excluded by `min_count` and `max_size` have been taken out, as in word2vec.

        Parameters
        ----------
        sentences : iterable of token lists, table or path
            Read once, so a generator will do. A .txt file holds one sentence a line, tokens separated by white
            space or the `delimiter`; in a table or csv file, a column of text is split at white space.
        window : int, default 5
            The largest distance.
        dynamic_window : bool, default False
            Whether a pair at distance d counts ``(window - d + 1) / window``, which is what a window
            of random size, as in word2vec, comes to on average.
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
        from vbn.data._pairs import check_flag
        from vbn.data._sequences import read_corpus
        from vbn.data._windows import from_corpus

        check_flag("dynamic_window", dynamic_window)
        corpus = read_corpus(sentences, column, header, delimiter, missing)
        return cls._build(from_corpus(corpus, window, dynamic_window, min_count, max_size), "sequences")

    @classmethod
    def from_baskets(
        cls,
        source: Any = None,
        /,
        *positional: Any,
        baskets: Any = None,
        items: Any = None,
        min_count: float = 1,
        max_size: int | None = None,
        max_basket: int | None = 5000,
        header: bool | None = None,
        delimiter: str | None = None,
        missing: str = "error",
    ) -> Dataset:
        """Count items that are in one basket together: purchases, a patient's diagnoses.

        Every ordered pair of different items counts once for each basket that holds both.

        Parameters
        ----------
        source : iterable of item lists, table or path, optional
            A .txt file holds one basket a line, items separated by white space or the `delimiter`, such as ",".
            A dict of item lists will do, too.
        baskets, items : columns, or their names or numbers in `source`, optional
            For data with one row for each item in a basket. May be given by position.
        min_count : float, default 1
            Drop items that are in fewer baskets.
        max_size : int, optional
            Keep only that many items, the most frequent ones.
        max_basket : int, default 5000
            Of a basket with more different items, count this many, taken at random (the same in every run, with a
            warning): pairs grow with the square, and a basket that large says little about any of them.
        header, delimiter, missing : optional
            How to read a text file, and what to do about missing names: see `Constructors`.

        Examples
        --------
        >>> from vbn.data import Dataset
        >>> Dataset.from_baskets([["tea", "milk"], ["tea", "milk", "rusk"]])
        Dataset(baskets: 3 entities, 6 cells, total 8)
        """
        from vbn.data._baskets import from_entries, read_baskets

        given = {"baskets": baskets, "items": items}
        entries = read_baskets(source, positional, given, header, delimiter, missing)
        return cls._build(from_entries(entries, min_count, max_size, max_basket), "baskets", entries.reading)

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
        missing: str = "error",
    ) -> Dataset:
        """Count who interacted with what: users in the rows, items in the columns.

        The two are separate namespaces: user "1" and item "1" are different entities.

        Parameters
        ----------
        source : table, path or iterable of (user, item[, weight]) rows, optional
            Without it, `users` and `items` are the columns themselves.
        users, items, weights : columns, or their names or numbers in `source`, optional
            May be given by position. In a table or file of which you name neither, columns with usual names
            ("user", "item", "rating", ...) are found by themselves, else the first two are users and items, and a
            third one of numbers is the weights if it has no name: see `Constructors`. Name users and items, and
            nothing else is read. Weights of one user and item add up; without weights, each row counts 1.
        min_count : float, default 1
            Drop items with fewer interactions; users left without any go, too.
        max_size : int, optional
            Keep only that many items, those of the largest total weight.
        header, delimiter, missing : optional
            How to read a text file, and what to do about missing names: see `Constructors`.

        Examples
        --------
        >>> from vbn.data import Dataset
        >>> Dataset.from_interactions(["ann", "bob", "ann"], ["Heat", "Heat", "Casino"], [5, 3, 4])
        Dataset(interactions: 2 rows x 2 columns, 3 cells, total 12)
        >>> Dataset.from_interactions({"who": [1, 2], "what": ["a", "b"]}, "who", "what")
        Dataset(interactions: 2 rows x 2 columns, 2 cells, total 2)
        """
        from vbn.data._pairs import INTERACTIONS, read_cells, separate_parts

        check_missing(missing)
        given = {"users": users, "items": items, "weights": weights}
        fields = INTERACTIONS
        read = read_columns(source, positional, given, fields, header=header, delimiter=delimiter, missing=missing)
        cells = read_cells(read, ("users", "items", "weights"))
        return cls._build(separate_parts(*cells, min_count, max_size), "interactions", read.reading(fields))

    @classmethod
    def from_folder(cls, folder: str | os.PathLike[str]) -> Dataset:
        """Open a data set that `Dataset.to_folder` wrote: counts are mapped and may exceed the memory.

        They are read through once, in blocks, to check that every cell has a column that exists and a count above 0.

        Parameters
        ----------
        folder : path
            The folder; it must stay where it is while the data set is in use.

        Raises
        ------
        DataError
            Where the folder is no such data set, or is damaged; the first row at fault is named.

        Examples
        --------
        >>> import tempfile
        >>> from vbn.data import Dataset
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Dataset.from_pairs(["a", "b"], ["b", "c"]).to_folder(folder)
        Dataset(pairs: 3 entities, 2 cells, total 2)
        """
        from vbn.data._folders import read_folder

        parts, kind = read_folder(folder)
        return cls._build(parts, kind)

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
        missing: str = "error",
    ) -> Dataset:
        """Take co-occurrence counts as such: (left, right, count), in that direction only.

        That "b" was seen near "a" does not say that "a" was seen near "b". If it should, give each pair both ways
        round: ``from_pairs(left + right, right + left, 2 * counts)`` of three lists.

        Parameters
        ----------
        source : table, path, iterable of (left, right[, count]) rows or dict {(left, right): count}, optional
            Without it, `left` and `right` are the columns themselves.
        left, right, counts : columns, or their names or numbers in `source`, optional
            May be given by position. In a table or file of which you name neither, columns with usual names
            ("left", "right", "count", ...) are found by themselves, else the first two are left and right, and a
            third one of numbers is the counts if it has no name: see `Constructors`. Name left and right, and nothing
            else is read. Counts of one pair add up; without counts, each row counts 1.
        shared : bool, default True
            Whether left and right are the same entities.
        min_count : float, default 0
            Drop entities with a smaller count: the mean of row and column sum where shared, otherwise
            the number of entries of a right entity.
        max_size : int, optional
            Keep only that many entities (on the right, if not shared), those of the largest count.
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
        from vbn.data._pairs import PAIRS, check_flag, read_cells, separate_parts, shared_parts

        check_missing(missing)
        check_flag("shared", shared)
        given = {"left": left, "right": right, "counts": counts}
        read = read_columns(source, positional, given, PAIRS, header=header, delimiter=delimiter, missing=missing)
        cells = read_cells(read, ("left", "right", "counts"))
        build = shared_parts if shared else separate_parts
        return cls._build(build(*cells, min_count, max_size), "pairs", read.reading(PAIRS))

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        rows: Any = None,
        columns: Any = None,
        shared: bool | None = None,
        *,
        min_count: float = 0,
        max_size: int | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        """Take a matrix of counts; its entities are ordered anew, by falling count.

        Parameters
        ----------
        matrix : sparse or dense matrix, table or path
            A scipy matrix or array, a NumPy array, a table with one column for each entity, a text or
            parquet file of one (the names of the rows first, those of the columns in the header), or
            an .npz file as `scipy.sparse.save_npz` writes it.
        rows, columns : list of names, optional
            Names of the rows and columns; by default those that come with the matrix, else "0", "1", ...
        shared : bool, optional
            Whether rows and columns are the same entities; by default they are if the matrix is square
            and `columns` is not given or the same as `rows`.
        min_count : float, default 0
            Drop entities with a smaller count, as in `from_pairs`; 0 keeps those without any, too.
        max_size : int, optional
            Keep only that many entities (columns, if not shared), those of the largest count.
        header, delimiter : optional
            How to read a text file: see `Constructors`.

        Examples
        --------
        >>> from vbn.data import Dataset
        >>> Dataset.from_matrix([[0, 2], [2, 0]], rows=["salt", "pepper"])
        Dataset(matrix: 2 entities, 2 cells, total 4)
        """
        from vbn.data._matrix import from_matrix, read_matrix
        from vbn.data._pairs import check_flag

        if shared is not None:
            check_flag("shared", shared)
        read = read_matrix(matrix, header, delimiter)
        return cls._build(from_matrix(read, rows, columns, shared, min_count, max_size), "matrix")
