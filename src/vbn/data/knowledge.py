"""What is known of the entities of a `Dataset` before training: taxonomies, catalogues, features, texts, relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from vbn._errors import REMEDY, DataError, ParameterError, RelationError, TaxonomyError
from vbn.data.catalogue import labels_by_id, of_levels, read_catalogue
from vbn.data.counting import check_flag
from vbn.data.features import Features, Source, read_source
from vbn.data.io.content import read_numbers, read_texts
from vbn.data.merge import united
from vbn.data.relation import Relation, read_relation
from vbn.data.taxonomy import Taxonomy, settled_cycles
from vbn.data.texts import encode_texts, text_encoder
from vbn.data.vocabulary import Vocabulary, check_missing

if TYPE_CHECKING:
    from vbn.data.dataset import Dataset


class Knowledge:
    """Methods that return a `Dataset` with prior knowledge; mixed into it."""

    _rows: Vocabulary
    _columns: Vocabulary
    _row_taxonomy: Taxonomy | None
    _column_taxonomy: Taxonomy | None
    _row_features: Features | None
    _column_features: Features | None
    _relations: dict[str, Relation]
    _replaced: Callable[..., Dataset]

    @property
    def shared(self) -> bool:
        """Whether rows and columns are the same entities."""
        return self._rows is self._columns

    def with_taxonomy(
        self,
        edges: Any,
        side: str | None = None,
        *,
        child: str | int | None = None,
        parent: str | int | None = None,
        weight: str | int | None = None,
        break_cycles: str = "auto",
        header: bool | None = None,
        delimiter: str | None = None,
        missing: str = "auto",
        replace: bool = False,
    ) -> Dataset:
        """Return this data set with a taxonomy, united with an earlier one of that side.

        Nodes that are not among the entities yet are appended to them, with count 0. A child that has parents in both
        taxonomies has all of them: each alike if they weigh the same in both, otherwise by their shares in each.

        Parameters
        ----------
        edges : dict, iterable of rows, table, path or Taxonomy
            ``{child: [parents]}``, ``{child: {parent: weight}}`` or ``{child: parent}``; or rows
            (child, parent[, weight]); or a table or file with such columns.
        side : {"row", "column"}, optional
            Whose taxonomy it is, where rows and columns differ; by default that of the columns.
        child, parent, weight : str or int, optional
            Names or numbers of the columns of a table or file; by default those of these names, else
            the first two or three. If you name child and parent, no weights are looked for.
        break_cycles : {"auto", "error", "drop"}, default "auto"
            Whether a cycle is an error, or the edges are dropped that close a cycle with edges before them in the
            input. A warning names them, and ``taxonomy.dropped`` lists them all. By default edges of a file are
            dropped, and a cycle in edges from memory is an error.
        header, delimiter, missing : optional
            How to read a text file, and what to do about children without a name, as in the constructors. Rows without
            a parent, often those of the roots, are always left out.
        replace : bool, default False
            Whether this taxonomy takes the place of an earlier one; its nodes stay among the entities.

        Raises
        ------
        TaxonomyError
            For a cycle that is not to be broken (also one that the two taxonomies have together, or a node that is its
            own parent), or a weight that is not positive.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["poodle"], ["barks"])
        >>> data.with_taxonomy([("poodle", "dog", 2), ("poodle", "pet", 1)]).taxonomy
        Taxonomy(2 edges, 2 categories, depth 1)
        >>> data.with_taxonomy({"poodle": ["dog"]}).with_taxonomy({"dog": ["animal"]}).taxonomy
        Taxonomy(2 edges, 2 categories, depth 2)
        """
        check_flag("replace", replace)
        if side not in (None, "row", "column"):
            raise ParameterError(f'side must be "row" or "column", got {side!r}')
        on_rows = side == "row" and not self.shared
        taxonomy = Taxonomy.from_edges(
            edges,
            self._rows if on_rows else self._columns,
            child=child,
            parent=parent,
            weight=weight,
            break_cycles=break_cycles,
            header=header,
            delimiter=delimiter,
            missing=missing,
        )
        earlier = self._row_taxonomy if on_rows else self._column_taxonomy
        if earlier is not None and not replace:
            taxonomy = self._united(earlier, taxonomy, settled_cycles(break_cycles, edges))
        return self._with(taxonomy, on_rows)

    @staticmethod
    def _united(earlier: Taxonomy, later: Taxonomy, break_cycles: str) -> Taxonomy:
        try:
            both = united(earlier, later, later.vocabulary, break_cycles)
        except TaxonomyError as error:
            message = f"with the taxonomy that the data already has, {error.template}"
            raise TaxonomyError(message, remedies=error.remedies) from None
        assert both is not None
        return both

    def _with(self, taxonomy: Taxonomy, on_rows: bool) -> Dataset:
        """Return this data set with a taxonomy over a vocabulary that continues that of a side."""
        if on_rows:
            return self._replaced(taxonomy.vocabulary, self._columns, row_taxonomy=taxonomy)
        rows = taxonomy.vocabulary if self.shared else self._rows
        return self._replaced(rows, taxonomy.vocabulary, column_taxonomy=taxonomy)

    def with_catalogue(
        self,
        source: Any,
        id: str | int | None = None,  # noqa: A002 - what people call such a column
        levels: Iterable[Any] | str | int | None = None,
        split: str | None = None,
        label: str | int | None = None,
        *,
        prefix: bool = False,
        side: str | None = None,
        break_cycles: str = "auto",
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        """Return this data set with the categories and the titles of a catalogue: one row an item.

        Categories become a taxonomy, united with an earlier one; titles become labels, which are shown beside the ids
        and found where a name is asked for. Items that are not in the data yet are appended, with count 0.

        Parameters
        ----------
        source : table or path
            A table, or a csv, tsv, txt or parquet file with a header.
        id : str or int, optional
            Name or number of the column of the items' names; by default the one that holds most of them.
        levels : list of str or int, optional
            The columns of categories, general first: ``["genres", "directors"]`` puts directors below genres, and items
            below directors. An empty cell is stepped over. A list of lists puts several such chains side by side:
            ``[["department", "kind"], ["colour"]]``. By default the columns of short texts that repeat: one is put
            below another if its values go with one value of that one each, otherwise they stand side by side, with
            a warning. `describe` shows what was found.
        split : str, optional
            What separates several values in a cell. By default "|" if there is one, else ";" or "," where the parts are
            values of other cells too. Lists in the cells of a table need none.
        label : str or int, optional
            The column to show beside the ids; by default one called title, label or name.
        prefix : bool, default False
            Whether categories are named after their column, as "genre:Drama": keeps apart a genre, a director and an
            item of the same name. Otherwise they are one entity, with a warning; `describe` lists them.
        side : {"row", "column"}, optional
            Whose catalogue it is, where rows and columns differ; by default that of the columns.
        break_cycles : {"auto", "error", "drop"}, default "auto"
            As in `with_taxonomy`.
        header, delimiter : optional
            How to read a text file, as in the constructors; a header is expected.

        Examples
        --------
        >>> import vbn
        >>> films = {"item": ["m1", "m2"], "genres": ["Crime|Drama", "Crime"], "title": ["Heat", "Casino"]}
        >>> data = vbn.Dataset.from_interactions(["ann", "bob"], ["m1", "m2"]).with_catalogue(films, levels=["genres"])
        >>> data.taxonomy.parents("m1")
        [('Crime', 0.5), ('Drama', 0.5)]
        >>> data.columns.id("Casino") == data.columns.id("m2")
        True
        """
        if side not in (None, "row", "column"):
            raise ParameterError(f'side must be "row" or "column", got {side!r}')
        on_rows = side == "row" and not self.shared
        names = self._rows if on_rows else self._columns
        found = read_catalogue(
            source,
            names,
            id=id,
            levels=levels,
            split=split,
            label=label,
            prefix=prefix,
            header=header,
            delimiter=delimiter,
        )
        earlier = self._row_taxonomy if on_rows else self._column_taxonomy
        full = names.extend(found.items)
        full = full.labelled(labels_by_id(found.labels, full)) if found.labels else full
        edges: Any = found.edges() or {}
        cycles = settled_cycles(break_cycles, source)
        try:
            taxonomy = Taxonomy.from_edges(edges, full, break_cycles=cycles).marked(found.ambiguous, found.levels)
            taxonomy = taxonomy if earlier is None else self._united(earlier, taxonomy, cycles)
        except TaxonomyError as error:
            raise of_levels(error) from None
        return self._with(taxonomy, on_rows) if taxonomy.n_edges else self._over(full, on_rows)

    def _over(self, names: Vocabulary, on_rows: bool) -> Dataset:
        """Return this data set over a vocabulary that continues that of a side."""
        return self._replaced(names if on_rows or self.shared else None, None if on_rows else names)

    def with_features(
        self,
        features: Any,
        ids: Any = None,
        side: str = "column",
        name: str = "features",
        *,
        id: str | int | None = None,  # noqa: A002 - as the column is called
        columns: Any = None,
        missing: str = "error",
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        """Return this data set with features of its entities: numbers that a model predicts prior means from.

        They stand beside what the taxonomy says. Entities without features are fine; categories of the taxonomy may
        have some too, if it is there already. Call it again with another `name` for a further source.

        Parameters
        ----------
        features : array (n, F), dict {id: vector}, table or path
            Numbers: one row for each of `ids`, or for each entity in the order of the vocabulary. Or a table with a
            column of ids, and columns of numbers or one of vectors. Or the path of a csv, tsv, txt or parquet file with
            such columns, of a .npy file (mapped, never read as a whole; the ids are in `ids`, or one a line in
            NAME.ids.txt beside NAME.npy), or of a .npz file with `ids` beside the numbers.
        ids : list, optional
            The entity of each row of an array; or, for a .npy file, the path of a text file with one a line. Unknown
            ones are left out with a warning.
        side : {"row", "column"}, default "column"
            Whose features they are, where rows and columns differ.
        name : str, default "features"
            Name of this source.
        id : str or int, optional
            Name or number of the column of a table or file that holds the ids; by default one with a usual name, or
            the only one that does not hold numbers.
        columns : list of str or int, optional
            The columns of numbers; by default all others. Each is scaled to the same variance, while the dimensions of
            vectors and arrays share one scale.
        missing : {"error", "drop"}, default "error"
            Whether a missing or infinite number is an error, or its row is left out.
        header, delimiter : optional
            How to read a text file, as in the constructors.

        Raises
        ------
        DataError
            If a number is missing or infinite, lengths do not fit, a column is not numeric, an entity has two rows, no
            id is known, or the name is taken.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["tea", "milk"], ["milk", "tea"])
        >>> data.with_features({"tea": [1.0, 0.5], "milk": [0.0, 1.5]}, name="taste").column_features
        Features(taste: 2 columns for 2 of 2 entities)
        >>> table = {"item": ["tea", "milk"], "price": [2.5, 1.2], "year": [2020, 2024]}
        >>> data.with_features(table, id="item").column_features.sources[0].columns
        ('price', 'year')
        """
        check_missing(missing)
        options: dict[str, Any] = {"missing": missing, "header": header, "delimiter": delimiter}
        names = self._named(side)
        read = read_numbers(features, ids, id, columns, names=names.names, **options)
        return self._with_source(read_source(read.values, read.ids, names, name, read.columns), side)

    def with_text(
        self,
        texts: Any,
        id: str | int | None = None,  # noqa: A002 - as the column is called
        text: Any = None,
        encoder: Any = None,
        side: str | None = None,
        name: str = "text",
        *,
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        """Return this data set with what texts say of its entities, as features.

        An encoder turns each text into a vector; see `with_features` for what becomes of these. Entities without a
        text, or with an empty one, have no features. Vectors are kept in a cache, the folder VBN_CACHE or `vbn` in the
        user's cache folder, and found again by what the text says; set VBN_CACHE to nothing to do without.

        Parameters
        ----------
        texts : dict {id: text}, table or path
            A text for each entity, or a table or a csv, tsv, txt or parquet file with columns of ids and texts.
        id : str or int, optional
            Name or number of the column that holds the ids; by default one with a usual name.
        text : str, int or list, optional
            The column of texts, or several that are joined; by default one with a usual name, or the only other one.
        encoder : optional
            Anything with ``encode(list of texts)``, as sentence-transformers and model2vec have, or a function from a
            list of texts to an array (whose result is not cached). By default a small encoder that needs no network
            and no graphics card, of the extra ``text``.
        side : {"row", "column"}, optional
            Whose texts they are, where rows and columns differ; by default those of the columns.
        name : str, default "text"
            Name of this source.
        header, delimiter : optional
            How to read a text file, as in the constructors.

        Raises
        ------
        MissingExtraError
            If no encoder is given and the extra ``text`` is not installed.
        DataError
            If no id is known, an entity has two texts, all texts are empty, or the name is taken.

        Examples
        --------
        >>> import vbn
        >>> def lengths(texts):
        ...     return [[len(text), text.count(" ")] for text in texts]
        >>> data = vbn.Dataset.from_pairs(["tea", "milk"], ["milk", "tea"])
        >>> data.with_text({"tea": "leaves in hot water", "milk": ""}, encoder=lengths).column_features
        Features(text: 2 columns for 1 of 2 entities)
        """
        side = "column" if side is None else side
        names = self._named(side)
        self._refuse_taken(name, side)
        read = read_texts(texts, id, text, header=header, delimiter=delimiter)
        chosen = text_encoder(encoder)
        vectors, ids = encode_texts(read, names, chosen)
        return self._with_source(read_source(vectors, ids, names, name, encoder=chosen.name), side)

    def _named(self, side: str) -> Vocabulary:
        if side not in ("row", "column"):
            raise ParameterError(f'side must be "row" or "column", got {side!r}')
        return self._rows if side == "row" else self._columns

    def _features_of(self, side: str) -> Features | None:
        return self._row_features if side == "row" else self._column_features

    def _refuse_taken(self, name: str, side: str) -> None:
        earlier = self._features_of(side)
        if earlier is not None and name in earlier.widths:
            raise DataError(
                f"there are features {name!r} already; give this source another {REMEDY}", remedies=[("name",)]
            )

    def _with_source(self, source: Source, side: str) -> Dataset:
        self._refuse_taken(source.name, side)
        earlier = self._features_of(side)
        made = Features(self._named(side), (source,)) if earlier is None else earlier.with_source(source)
        on_rows = side == "row" and not self.shared
        return self._replaced(row_features=made) if on_rows else self._replaced(column_features=made)

    def with_relation(
        self,
        name: str,
        pairs: Any,
        symmetric: bool = False,
        missing: str = "auto",
        *,
        left: str | int | None = None,
        right: str | int | None = None,
        weight: str | int | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        """Return this data set with a relation, in place of an earlier one of that name.

        A relation leads from rows to columns. Where these are different entities, as with users and items, it leads
        from users to items; relations among items need data whose rows and columns are the same (`from_baskets`,
        `from_pairs`).

        Parameters
        ----------
        name : str
            Name of the relation.
        pairs : iterable of rows, table or path
            (left, right[, weight]); left entities are rows, right ones are columns.
        symmetric : bool, default False
            Whether each pair holds in both directions.
        missing : {"auto", "error", "drop", "skip"}, default "auto"
            What to do about pairs without a name ("drop" and "skip" leave them out, "auto" a few of a file) and about
            pairs with an unknown entity ("skip" leaves them out).
        left, right, weight : str or int, optional
            Names or numbers of the columns of a table or file; by default those of these names, else
            the first two or three. If you name left and right, no weights are looked for.
        header, delimiter : optional
            How to read a text file, as in the constructors.

        Raises
        ------
        RelationError
            For unknown entities, no pairs at all, or weights that are negative or not finite.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["hot", "cold"], ["tea", "tea"])
        >>> data.with_relation("antonym", [("hot", "cold")], symmetric=True).relations
        {'antonym': Relation('antonym', 2 pairs, symmetric)}
        """
        check_flag("symmetric", symmetric)
        if not isinstance(name, str) or not name:
            raise RelationError(f"a relation needs a name, not {name!r}")
        fields, entities = {"left": left, "right": right, "weight": weight}, (self._rows, self._columns)
        relation = read_relation(name, pairs, entities, symmetric, missing, fields, header=header, delimiter=delimiter)
        return self._replaced(relations={**self._relations, name: relation})
