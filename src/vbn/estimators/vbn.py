"""`VBN`: parameters, and the fit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn._parameters import RENAMED, kept_with_model
from vbn.data import Dataset, bytes_of
from vbn.engines import Engine, make_engine
from vbn.estimators.answers import Answers
from vbn.estimators.automatic import choices, reach, resolved
from vbn.estimators.base import registered, warn_of_old_name
from vbn.estimators.checking import Settings, check_parameters, need_callbacks, need_datasets, need_flag
from vbn.estimators.checkpoint import Checkpoints, fingerprints, read_checkpoint
from vbn.estimators.dialling import choose_dials
from vbn.estimators.progress import Interrupt, Progress, announced
from vbn.estimators.queries import by_side, hinting
from vbn.estimators.strengths import LEAST, choose_strengths
from vbn.estimators.training import Training, prepare
from vbn.inference import comparable, forget
from vbn.model import AUTO, CONTENT_STRENGTH, Affinity, EpochInfo, Trained, continued, dial_words, train, without_rows
from vbn.storage import Forgotten, write_folder

_ASKED = "what held-out cold entities chose"
Callback = Callable[["VBN", EpochInfo], Any]


@registered
class VBN(Answers):
    """Entity embeddings as probability densities, with a taxonomy as prior and typed relations.

    Parameters
    ----------
    dim : int, default 50
        Dimension of the embeddings (the paper's t).
    epochs : int or "auto", default "auto"
        How often every density is updated. "auto": 30 for a hundred thousand cells, fewer for more (10 to 40).
    negatives : float or "auto", default "auto"
        Noise pairs for each observed pair (the paper's n). "auto": 4 for users x items, 2 for words and pairs, 1 for
        baskets.
    noise_power : float or "auto", default "auto"
        Noise is drawn in proportion to count ** noise_power. 0 makes the model rank by probability (popular entities
        first), 1 by association (rare ones first). "auto": 0.75.
    subsample : float or "auto", optional, default "auto"
        word2vec's threshold for frequent entities, such as 1e-4; None uses all counts. "auto": for words in text 1e-4,
        or the frequency of a word that occurs a hundred times if that is more; None for all else.
    reject_positives : bool or "auto", default "auto"
        Whether noise that hits an observed pair is drawn again. "auto": yes, unless more than a quarter of the draws
        would hit one (words in text, items in baskets); users x items are mostly sparser.
    relation_rank : int or dict, default 10
        Rank of the matrix of each relation (t_k), or {relation: rank}; `dim` where `relation_prior` is not 0.
    relation_weight : float or dict, default 1.0
        How much a pair of a relation counts beside a co-occurrence, or {relation: weight}. A few hundred pairs against
        millions of co-occurrences deserve more than 1.
    relation_prior : float, "auto" or dict, default "auto"
        Where the score of a relation starts from, or {relation: value}. 0: from nothing, as in the paper. c: from
        c^2 u.v, which takes entities that occur together to be related until the pairs say otherwise; x_m and y_m have
        the prior mean c e_m, and the rank is `dim`. "auto": 5 in the readout space, whose vectors have length 1, and 0
        in the joint space.
    relation_space : {"joint", "readout"}, default "readout"
        What the score u^T X Y^T v of a relation is about. "readout": vectors of unit length read out of the densities,
        pulled towards their parents' means (as `vectors(readout="smoothed")`). Relations are learned apart from the
        densities, the bound does not count them, and probabilities are among all columns. This generalises much better
        to unseen pairs. "joint": the entities' densities, which learn from relations too, as in the paper.
    hard_negatives : float, default 0.0
        Share of a relation's noise drawn among the entities that the relation reaches at all. 0: uniform, as in the
        paper, which mostly teaches *what* has antonyms; 0.5 also teaches *which* one.
    alpha, beta : float, dict or "auto", default "auto"
        Shape and rate of the Gamma prior of all precisions, or by kind: {"entity": 10.0, "category": 1.0, "bias": 1.0,
        "relation": 1.0}. alpha / beta is what precisions are expected to be, and the larger both, the nearer they stay
        to it. "auto": entities of which there is little evidence stay near 1, and the paper's 1 and 1 are approached
        where there is much; categories stay near 1, biases and relations have 1 and 1. If only one of the two is
        given, the other is 1. ``alpha=1, beta=1`` is the paper's model.
    parents : {"blend", "mixture"}, default "blend"
        What several parents are to an entity. "blend": its prior mean is their weighted mean, as in the paper.
        "mixture": one of them explains it, and the data say which one; the weights are the probabilities before any
        data. Better where an entity truly belongs to one of its parents, worse where it is a bit of each.
    bias_prior : {"taxonomy", "common", "zero"}, default "taxonomy"
        What the biases are pulled towards. "taxonomy": the biases of the parents, so an entity without data is taken
        to be as popular as its siblings; without a taxonomy, a learned common mean, as "common" always does. "zero": 0,
        as in the paper, where an entity without data is taken to be far more popular than most.
    cold_precision : {"siblings", "mean_field", "prior"}, default "siblings"
        How tightly an entity without data is tied to its parents. "siblings": as tightly as the trained children of the
        same parents are, above all those with little data, and the parents' own uncertainty is added. "prior": equally
        for all, as given by the prior of precisions. "mean_field": the less certain the parents, the less tightly, as
        the paper's updates have it.
    content_strength : float, dict or "auto", default 0.25
        How far features of entities (`Dataset.with_features`) may move them from their parents, or {source: value}: the
        variance of what they add to a prior mean in each dimension, before training; an entity's own is about 1. 0 does
        not use them. "auto": before the fit, some entities with features lose their pairs, and the strength that ranks
        them best in short fits is taken, which takes about as long as the fit. It is held, not learned: the bound would
        choose too little.
    company : {"auto", True, False}, default "auto"
        Whether rows (users, patients) also learn from what occurs together: every column then has a density as a row
        too, and a row is the mean of what its own pairs say and of what its columns say. "auto" does so where rows are
        short. It needs rows and columns that are different entities, and no relations.
    affinity : {"auto", True, False}, default "auto"
        Whether `recommend` also ranks by which items occur together: each column has weights on the 64 columns that
        tell most of it, by ridge regression over all rows. It finds particular pairs that densities of a few dozen
        dimensions cannot tell apart; a column without data gets what others get on average. "auto" does so where rows
        and columns are different entities. Probabilities and intervals are those of the densities alone, and so is a
        ranking with a number as dial.
    favour : {"all", "balanced", "rare"}, optional, default "all"
        At the end of a fit, a few pairs are held out from a copy of the model, and the position of the popularity dial
        that ranks them best is kept as ``recommend(popularity="auto")``: best for all targets, for rare ones, or for
        both alike. It also lifts the long tail, the least frequent fifth of what was seen: for all targets as far as
        they hardly lose by it. All three are kept; this says which one is used. None chooses none and saves the time,
        about a fifth of the fit.
    resample : bool, default True
        Draw a new sample in each epoch. False: one fixed sample, on which the bound never falls.
    average_epochs : int, default 5
        Average the posterior over about this many epochs (natural parameters), which cancels out the noise of their
        samples; 1 takes that of the last epoch. Without resampling there is nothing to average.
    tol : float, optional
        Stop when the bound changes by less than this share of itself.
    warm_start : bool, default False
        Let `fit` start from the densities of the last fit.
    dtype : {"float32", "float64"}, default "float32"
        Type of the stored densities; sums are in float64 anyway.
    engine : "threads", "ray" or an engine, default "threads"
        Where the updates run: on this machine, or on a Ray cluster (extra ``ray``), with the same result to the bit.
        "ray" uses the cluster that RAY_ADDRESS names, or one that runs on this machine, or else starts one here for the
        time of the fit; ``vbn.engines.RayEngine(address=..., workers=...)`` says more.
    memory : str or int, optional
        How much memory the cells of a sample may take, such as "8GiB"; beyond that they are kept in temporary files (in
        the folder that TMPDIR names) and read back block by block. The result is the same to the bit. For counts that
        are larger than the memory see `Dataset.to_folder`.
    checkpoint : path, optional
        A folder to which the state of a fit is written every `checkpoint_every` epochs, at its end and on Ctrl-C;
        `fit(data, resume_from=folder)` goes on from there to the same bits. It can be loaded as a model, too.
    checkpoint_every : int, default 5
        Number of epochs between two checkpoints.
    seed : int, default 0
        Same seed, same data, same machine: the same bits, for any number of threads.
    n_threads : int, optional
        Number of threads; all cores by default.
    verbose : bool, default True
        Whether to show progress on standard error.
    average : int, optional
        The old name of `average_epochs`; it will go in the next version.

    Attributes
    ----------
    trained_ : Trained
        The fitted state: vocabularies, taxonomies and the posterior.
    data_ : Dataset or None
        The data that the model has learned from; None if it was saved without its counts.
    settings_ : dict
        The parameters of the last fit with what "auto" stood for, and the chosen positions of the popularity dial.
    lower_bounds_ : ndarray of float64
        The bound after each epoch; `lower_bound_` is the last one.
    validation_ : ndarray of float64
        Mean held-out log predictive probability after each epoch, if validation data was given.
    n_iter_ : int
        Epochs done.
    converged_ : bool
        Whether `tol` was met.
    interrupted_ : bool
        Whether Ctrl-C ended the fit early.

    Examples
    --------
    >>> import vbn
    >>> text = [["a", "dog", "barks"], ["a", "cat", "purrs"], ["the", "poodle", "barks"]] * 5
    >>> data = vbn.Dataset.from_sequences(text).with_taxonomy({"poodle": ["dog"], "dog": ["animal"], "cat": ["animal"]})
    >>> model = vbn.VBN(dim=4, epochs=5, verbose=False).fit(data)
    >>> model.posterior("dog").mean.shape
    (4,)
    """

    _renamed = RENAMED
    _forgotten: tuple[Forgotten, ...] = ()  # entities that must not be in a folder that this model is saved to

    def __init__(
        self,
        dim: int = 50,
        epochs: int | str = "auto",
        negatives: float | str = "auto",
        noise_power: float | str = "auto",
        subsample: float | str | None = "auto",
        reject_positives: bool | str = "auto",
        relation_rank: int | dict[str, int] = 10,
        relation_weight: float | dict[str, float] = 1.0,
        relation_prior: float | str | dict[str, float | str] = "auto",
        relation_space: str = "readout",
        hard_negatives: float = 0.0,
        alpha: float | str | dict[str, float | str] = "auto",
        beta: float | str | dict[str, float | str] = "auto",
        parents: str = "blend",
        bias_prior: str = "taxonomy",
        cold_precision: str = "siblings",
        content_strength: float | str | dict[str, float | str] = 0.25,
        company: bool | str = "auto",
        affinity: bool | str = "auto",
        favour: str | None = "all",
        resample: bool = True,
        average_epochs: int = 5,
        tol: float | None = None,
        warm_start: bool = False,
        dtype: str = "float32",
        engine: str | Engine = "threads",
        memory: str | int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: int = 5,
        seed: int = 0,
        n_threads: int | None = None,
        verbose: bool = True,
        average: int | None = None,
    ) -> None:
        self.dim = dim
        self.epochs = epochs
        self.negatives = negatives
        self.noise_power = noise_power
        self.subsample = subsample
        self.reject_positives = reject_positives
        self.relation_rank = relation_rank
        self.relation_weight = relation_weight
        self.relation_prior = relation_prior
        self.relation_space = relation_space
        self.hard_negatives = hard_negatives
        self.alpha = alpha
        self.beta = beta
        self.parents = parents
        self.bias_prior = bias_prior
        self.cold_precision = cold_precision
        self.content_strength = content_strength
        self.company = company
        self.affinity = affinity
        self.favour = favour
        self.resample = resample
        self.average_epochs = average_epochs
        self.tol = tol
        self.warm_start = warm_start
        self.dtype = dtype
        self.engine = engine
        self.memory = memory
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.seed = seed
        self.n_threads = n_threads
        self.verbose = verbose
        if average is not None:
            warn_of_old_name("average", "average_epochs")
            self.average_epochs = average

    def fit(
        self,
        data: Dataset,
        validation: Dataset | None = None,
        callbacks: Iterable[Callback] = (),
        resume_from: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Learn the densities.

        Parameters
        ----------
        data
            Counts, with a taxonomy and relations if there are any.
        validation
            Held-out counts; their log-likelihood is recorded after each epoch.
        callbacks
            Each is called as callback(model, epoch) after every epoch, when the model can be queried; `epoch` has the
            fields epoch, lower_bound, cells, seconds and validation. A true answer ends the fit.
        resume_from
            A checkpoint of a fit to the same data with the same parameters (except `epochs`, `tol`, `n_threads` and
            others that do not change the numbers): goes on after its last epoch, to the same bits as a fit that was
            never interrupted.
        """
        need_datasets("fit", data, validation)
        earlier = self._trained if self.warm_start and resume_from is None else None
        self._fit(data, validation, need_callbacks(callbacks), earlier, resume_from)
        self._position = None  # what was observed before is not among this data
        return self

    def partial_fit(
        self,
        data: Dataset,
        validation: Dataset | None = None,
        callbacks: Iterable[Callback] = (),
        resume_from: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Add data to what was learned: a warm-started fit on the merged counts.

        A model that was saved without its counts can go on too: its posterior becomes the prior of the new data, while
        categories and precisions keep learning from old and new entities. That is an approximation, good if the earlier
        data was the larger part; the model then keeps no counts of the new data either. Its bound omits a constant.
        Vectors stay comparable: the fit starts from the present ones, and is turned back where it has drifted.

        Parameters
        ----------
        data
            New counts; may have new entities, taxonomy edges and relations.
        validation, callbacks, resume_from
            As in `fit`; a checkpoint is resumed by the model that it began with.

        Examples
        --------
        >>> import tempfile, vbn
        >>> first = vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [20, 20])
        >>> folder = vbn.VBN(dim=2, epochs=5, verbose=False).fit(first).save(tempfile.mkdtemp(), counts=False)
        >>> model = vbn.load(folder).partial_fit(vbn.Dataset.from_pairs(["wolf"], ["barks"], [3]))
        >>> model.posterior("wolf").dim
        2
        """
        need_datasets("partial_fit", data, validation)
        if self._trained is None:
            return self.fit(data, validation, callbacks, resume_from)
        if self._trained.left_out is not None:
            raise DataError(
                "this model was saved without its rows, which the earlier data belongs to; fit it to all data again, "
                "or save it with {remedy}.",
                remedies=[("rows", True)],
            )
        whole = self._data is not None
        earlier = self._trained
        data = continued(earlier, data) if self._data is None else self._data.merge(data)
        self._fit(data, validation, need_callbacks(callbacks), earlier, resume_from, whole)
        self._trained = comparable(self.trained_, earlier)
        return self

    def save(self, folder: str | os.PathLike[str], counts: bool = True, rows: bool = True) -> Path:
        """Write the model to a folder: tensors, config.json and a model card. Replaces a model that is there.

        At every moment the folder holds the old model or the new one, even if the process is killed. Saving the same
        model twice gives the same bytes.

        Parameters
        ----------
        folder
            Where to write; created if it does not exist.
        counts
            Whether to keep the counts too, so that `partial_fit` after loading uses all of them. Without them the
            folder is smaller and reveals no single pairs, and the posterior stands in for the old counts.
        rows
            Whether to keep the rows, where they are other entities than the columns. Without them the folder tells
            nothing of users or patients: no name, no density, no counts. `recommend` for a list of items, `similar`
            among items, `add` and `export` work as before; `recommend(user=...)` and `partial_fit` need the rows.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        ModelFileError
            If it cannot be written; a model that was there is unchanged.
        """
        need_flag("rows", rows)
        trained = self.trained_ if rows else self._without_rows()
        self._check_for_saving()
        record = {
            "lower_bounds": self.lower_bounds_.tolist(),
            "validation": self.validation_.tolist(),
            "converged": self.converged_,
            "settings": kept_with_model(self._used),
        }
        if self.inputs_:
            record["inputs"] = dict(self.inputs_)
        if self._position is not None:
            record |= self._position.record()
        params, kept = kept_with_model(self.get_params()), bool(counts and rows)
        about = type(self).__name__, params, record
        return write_folder(folder, trained, self.data_, *about, counts=kept, forgotten=self._forgotten)

    @hinting(by_side)
    def forget(self, entity: Any, side: str = "column") -> Self:
        """Forget an entity, such as a user who asked for it: its density, counts, label, features, edges and name.

        Other densities stay as they are, with what they have learned from it, until the next fit, which does not see
        it any more. `save` removes it from all files of a folder: pairs that were held out, the map, and a checkpoint,
        which is removed as a whole. Files outside of the folder are yours.

        Parameters
        ----------
        entity
            Its name, or a list of names.
        side
            "row" or "column", where the two differ. Where a name is on both sides, forget it on each.

        Raises
        ------
        UnknownEntityError
            For a name that the model does not know; nothing has been forgotten then.
        DataError
            If nothing that was seen would be left.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_interactions(["ann", "ann", "ben"], ["tea", "milk", "tea"])
        >>> model = vbn.VBN(dim=2, epochs=3, verbose=False).fit(data)
        >>> model.forget("ann", side="row").trained_.rows.names
        ('ben',)
        """
        trained, many = self.trained_, isinstance(entity, list | tuple | set | frozenset)
        names = list(entity) if many else [entity]
        self._trained, self._data, gone = forget(trained, self.data_, names, side)
        where = "both" if trained.shared else side
        self._forgotten = (*self._forgotten, *((where, name) for name in gone))
        return self

    def _without_rows(self) -> Trained:
        if self.trained_.shared:
            raise ParameterError(
                "rows and columns are the same entities in this model, so it has no rows to leave out; omit {remedy}.",
                remedies=[("rows", False)],
            )
        return without_rows(self.trained_)

    def describe(self) -> str:
        """Return in words what the model is made of and what its fit chose, with the reasons.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_interactions(["ann", "ann", "ben"], ["tea", "milk", "tea"])
        >>> print(vbn.VBN(verbose=False).fit(data).describe())  # doctest: +ELLIPSIS
        VBN of 2 rows and 2 columns in 50 dimensions
          negatives    4  users x items: a row has few pairs, ...
        """
        trained = self.trained_
        shape = f"{len(trained.rows):,} rows and {len(trained.columns):,} columns"
        lines = [f"{type(self).__name__} of {shape} in {trained.posterior.dim} dimensions"]
        reasons = {} if self.data_ is None else choices(self.get_params(), self.data_)
        for name in ("negatives", "noise_power", "subsample", "epochs", "company", "affinity"):
            reason = reasons[name].reason if name in reasons else "as given"
            lines.append(f"  {name:<11}  {self._used[name]}  {reason}")
        for kind in ("alpha", "beta"):
            if getattr(self, kind) == "auto":
                least, most = (f"{strength:.3g}" for strength in np.quantile(trained.posterior.v.gamma.alpha, [0, 1]))
                lines.append(f"  {kind:<11}  {least} to {most}  the less evidence there is of an entity, the more")
        lines += [f"  content      {each}" for each in self._strengths_told()]
        for favour, position in trained.dials.items():
            lines.append(f"  popularity   {dial_words(*position)}  what held-out pairs chose, favour {favour!r}")
        return "\n".join(lines)

    def _strengths_told(self) -> list[str]:
        """Return the strength of each source of features with the reason."""
        trained, given, told = self.trained_, self.content_strength, []
        used = self._used["content_strength"]
        for name, strength in ((dict(used) if isinstance(used, dict) else {}) | trained.sources).items():
            reason = "as given"
            if (given.get(name) if isinstance(given, dict) else given) == AUTO:
                few = strength == CONTENT_STRENGTH and trained.featured(name) < LEAST
                reason = f"the default: too few entities with features to ask ({LEAST} are enough)" if few else _ASKED
            told.append(f"{strength:g}  strength of the features {name!r}, {reason}")
        return told

    def explore(self, height: int = 720) -> Any:
        """Show the explorer in a notebook: search, neighbours, taxonomy, map, "what if" and recommendations.

        A small server runs in this process, on this machine's own address only, until `stop` of what is returned is
        called or the process ends. On a JupyterHub the page comes through jupyter-server-proxy. From a terminal:
        ``vbn serve FOLDER``. Needs pip install 'vbn[serve]'.

        Parameters
        ----------
        height
            Height of the frame, in pixels.

        Returns
        -------
        Explorer
            Has the address as `url`, the `token` that it asks for, and `link`, which opens the page with it.
        """
        return import_module("vbn.serve").Explorer(self, height)  # a room above this one, so not imported by name

    def _fit(
        self,
        data: Dataset,
        validation: Dataset | None,
        callbacks: tuple[Callback, ...],
        earlier: Trained | None,
        resume_from: str | os.PathLike[str] | None = None,
        whole: bool = True,
    ) -> Self:
        params, kind = self.get_params(), type(self).__name__
        settings = check_parameters(params, data.relations, data.sources)
        params = resolved(params, data)
        params, settings = self._with_strengths(params, settings, data, earlier)
        marks = {}
        if self.checkpoint is not None or resume_from is not None:
            marks = fingerprints(data, validation, None if whole else earlier)
        reached = None if resume_from is None else read_checkpoint(resume_from, kind, params, marks)
        checkpoints = None if self.checkpoint is None else Checkpoints(kind, params, marks)
        with Interrupt() as interrupt:
            training = prepare(params, settings, data, validation, earlier, whole)
            if interrupt.requested:  # there is nothing yet that could be kept
                raise KeyboardInterrupt
            if reached is not None:
                training.go_on_from(*reached)
            self._run(training, params, callbacks, checkpoints, interrupt)
            del training  # its densities, and their average: the model has its own
            self._choose_dials(params, settings, interrupt)
            self._learn_affinity(params, interrupt)
        return self

    def _with_strengths(
        self, params: dict[str, Any], settings: Settings, data: Dataset, earlier: Trained | None
    ) -> tuple[dict[str, Any], Settings]:
        """Return parameters with the strengths of features that held-out cold entities choose, if these are asked."""
        given = params["content_strength"]
        if AUTO not in (given.values() if isinstance(given, dict) else [given]):
            return params, settings
        engine = make_engine(self.engine, self.n_threads)
        try:
            with announced("choosing the strength of features on held-out entities", self.verbose):
                chosen = choose_strengths(params, settings, data, earlier, engine)
        finally:
            engine.close()
        self.content_trials_ = chosen.trials
        hyperpriors = replace(settings.hyperpriors, content=chosen.strengths)
        return {**params, "content_strength": chosen.strengths}, replace(settings, hyperpriors=hyperpriors)

    def _choose_dials(self, params: dict[str, Any], settings: Settings, interrupt: Interrupt) -> None:
        """Let held-out pairs choose the popularity dial, unless nobody wants it or Ctrl-C ended the fit."""
        data = self._data
        if self.favour is None or interrupt.requested or data is None or self._trained is None:
            return
        engine = make_engine(self.engine, self.n_threads)
        try:
            with announced("choosing the popularity dial on held-out pairs", self.verbose):
                dials = choose_dials(params, settings, data, self._trained, engine)
        finally:
            engine.close()
        self._trained = replace(self._trained, dials=dials)

    def _learn_affinity(self, params: dict[str, Any], interrupt: Interrupt) -> None:
        """Learn which columns go together, unless Ctrl-C ended the fit; without counts, what was known before stays."""
        data, trained = self._data, self._trained
        if data is None or trained is None or interrupt.requested:
            return
        learned = None
        if params["affinity"] and not data.shared:
            engine = make_engine(self.engine, self.n_threads)
            try:
                with announced("learning what occurs together", self.verbose):
                    learned = Affinity.learned(data.counts, engine, int(params["seed"]))
            finally:
                engine.close()
        self._trained = replace(trained, affinity=learned)

    def _run(
        self,
        training: Training,
        params: dict[str, Any],
        callbacks: tuple[Callback, ...],
        checkpoints: Checkpoints | None,
        interrupt: Interrupt,
    ) -> None:
        before, wanted = dict(self.__dict__), int(params["epochs"])
        self._settings = params
        engine = make_engine(self.engine, self.n_threads)
        epochs = train(
            training.network,
            training.sampler,
            engine,
            epochs=0 if training.converged else wanted - training.epochs,
            resample=self.resample,
            first_epoch=training.epochs,
            memory=None if self.memory is None else bytes_of(self.memory),
            reach=reach(training.data),
        )
        try:
            with Progress(wanted, self.verbose, training.epochs) as progress:
                for info in epochs:
                    training.take(info)
                    epoch = replace(info, validation=training.score)
                    progress.show(training.epochs, epoch)
                    told, interrupted = self._told_to_stop(training, epoch, callbacks), interrupt.requested
                    ends = told or interrupted or training.converged
                    if checkpoints is not None and (ends or checkpoints.due(training.epochs, wanted)):
                        checkpoints.write(training)
                    if interrupted:
                        progress.say(f"interrupted after {training.epochs} of {wanted} epochs, which are kept")
                    if ends:
                        break
            self._take(training, last=True)
            self.interrupted_ = interrupt.requested
        except BaseException:  # nothing is half done: a failed fit leaves the model as it was
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        finally:
            engine.close()

    def _told_to_stop(self, training: Training, epoch: EpochInfo, callbacks: tuple[Callback, ...]) -> bool:
        """Show the model to the callbacks; all are called, whatever the first one returns."""
        if not callbacks:
            return False
        self._take(training)
        return any([bool(callback(self, epoch)) for callback in callbacks])  # noqa: C419

    def _take(self, training: Training, last: bool = False) -> None:
        """Become the model that a training has reached, which is over if it is the `last` one."""
        self._restore(training.trained(last), training.kept, training.record())

    def _check_for_saving(self) -> None:
        for params in (self.get_params(), self._used):
            check_parameters(params, [relation.name for relation in self.trained_.relations])

    def _restore(self, trained: Trained, data: Dataset | None, record: dict[str, Any]) -> None:
        self._trained, self._data = trained, data
        if not self._settings:  # read from a file
            self._settings = {**self.get_params(), **kept_with_model(record.get("settings", {}))}
        self.lower_bounds_ = np.array(record["lower_bounds"], dtype=np.float64)
        self.lower_bound_ = float(self.lower_bounds_[-1])
        self.validation_ = np.array(record["validation"], dtype=np.float64)
        self.n_iter_ = len(self.lower_bounds_)
        self.converged_ = bool(record["converged"])
        self.inputs_ = {str(file): str(digest) for file, digest in dict(record.get("inputs", {})).items()}
        self.interrupted_ = False
