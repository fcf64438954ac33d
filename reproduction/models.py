"""The models that are compared: VBN, the paper's rivals, and what one would pick today."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any

from reproduction import rivals
from reproduction.domains import Domain
from reproduction.judging import Asking
from reproduction.masking import BOTH, ITEMS, USERS
from vbn import baselines
from vbn.data import Dataset
from vbn.estimators import VBN

Parameters = dict[str, Any]
Fit = Callable[[Dataset, Parameters, int], Any]

PAPER, TODAY, OURS = "The paper's models", "What one would pick today", "This library"
_DISTRIBUTIONS = {"lightfm": "lightfm-next"}  # where packages are called otherwise than what is imported
_NOT_OF_THE_FIT = ("taxonomy", "popularity", "popularity_floor", "popularity_tail", "setting", "weight")
_QUERIES = {USERS: "row", ITEMS: "items", BOTH: "both"}
_BY_ROW, _BY_ROW_PRIOR = Asking("row"), Asking("row", prior=True)
_BY_ITEMS, _BY_ITEMS_PRIOR = Asking("items"), Asking("items", prior=True)

NO_PARAMETER = "VBN, no parameter given"
"""What a report calls `VBN()`."""

DIAL_OF_THE_FIT: Any = "auto"
"""What `as_scorer` gets as popularity for a model that is given none: "auto" is the position that the fit chose."""


def given_nothing() -> Parameters:
    """What `VBN()` is where nothing is given, for the key of a run: another default is another run."""
    return {**VBN().get_params(), "popularity": DIAL_OF_THE_FIT}


@dataclass(frozen=True)
class Model:
    """A model as a reproduction runs it.

    Attributes
    ----------
    key, name : str
        Name of its file of parameters, and what a report calls it.
    group : str
        Heading that it stands under.
    setting : str
        What it is trained on: `USERS`, `ITEMS` or `BOTH`.
    fit : callable
        (data, parameters, seed) -> fitted model; for a model with a `base`: (fitted base, its taxonomy's edges,
        parameters) -> model.
    defaults : dict
        Parameters until a search has found better ones. "taxonomy" is the name of a taxonomy of the domain,
        "popularity", "popularity_floor" and "popularity_tail" the dial, "setting" what to train on in place of
        `setting`, and "weight" the evidence of a basket ("auto", "none" or a number); the rest goes to `fit`.
        "prior_weight" is alpha and beta of entities and categories: the larger, the nearer precisions stay to 1.
    others : tuple of dict
        Further parameters that a search tries before it varies the best of all these.
    asking : Asking
        How its ranks are asked for.
    taxonomy : bool
        Whether it is given the taxonomy.
    any_taxonomy : bool
        Whether all taxonomies with the same ancestors are the same to it, so that a search has none to choose.
    text : bool
        Whether it is given the texts.
    nodes : bool
        Whether it is given the names in the taxonomy, but not its edges: what is retrofitted later needs them.
    dial : bool
        Whether it is judged at every position of the popularity dial.
    dial_from_fit : bool
        Whether the fit itself chooses the position of the dial, and no other is judged.
    base : str
        Key of the model that it changes after training.
    package : str
        What must be installed.
    paper : str
        The paper's name of it, if it is one of the paper's.
    """

    key: str
    name: str
    group: str
    setting: str
    fit: Callable[..., Any]
    defaults: Parameters = field(default_factory=dict)
    others: tuple[Parameters, ...] = ()
    asking: Asking = _BY_ROW
    taxonomy: bool = False
    any_taxonomy: bool = False
    text: bool = False
    nodes: bool = False
    dial: bool = False
    dial_from_fit: bool = False
    base: str = ""
    package: str = ""
    paper: str = ""

    def placed(self, parameters: Parameters) -> Model:
        """The model as trained and asked with these parameters: by users, by the items that they have, or by both."""
        setting = parameters.get("setting", self.setting)
        if setting == self.setting:
            return self
        return replace(self, setting=setting, asking=replace(self.asking, query=_QUERIES[setting]))

    @property
    def rival(self) -> bool:
        """Whether nothing of it is trained by this library's engine."""
        return not self.base.startswith("bsg") and not self.key.startswith(("vbn", "bsg", "ridge"))

    @property
    def bayesian(self) -> bool:
        """Whether it is one of this library's with densities of users: it has a bound and predicts probabilities."""
        return self.dial or self.dial_from_fit

    @property
    def popularity(self) -> Any:
        """What `as_scorer` gets as popularity; where every position is judged, they are added later."""
        return DIAL_OF_THE_FIT if self.dial_from_fit else 0.0

    @property
    def installed(self) -> bool:
        """Whether what it needs is there."""
        return not self.package or importlib.util.find_spec(self.package) is not None

    @property
    def version(self) -> str:
        """Version of the package that it comes from; that of this library is part of every key anyway."""
        return version(_DISTRIBUTIONS.get(self.package, self.package)) if self.package else ""


def of_fit(parameters: Parameters) -> Parameters:
    """Those that training gets."""
    return {name: value for name, value in parameters.items() if name not in _NOT_OF_THE_FIT}


def _bayesian(kind: type[VBN]) -> Fit:
    def fit(data: Dataset, parameters: Parameters, seed: int) -> VBN:
        given = {**parameters}
        prior = dict.fromkeys(("entity", "category"), given.pop("prior_weight"))
        fixed: Parameters = {"alpha": prior, "beta": prior, "favour": None, "company": False}  # as they were searched
        fixed["affinity"] = "auto" if kind is VBN else False  # Bayesian skip-gram is the paper's
        return kind(**{**fixed, **given}, seed=seed, verbose=False).fit(data)

    return fit


def _given_nothing(data: Dataset, parameters: Parameters, seed: int) -> VBN:
    """Train `VBN()`; parameters are empty but for quick runs and for comparisons of one parameter."""
    return VBN(**parameters, seed=seed, verbose=False).fit(data)


def _seeded(kind: Any) -> Fit:
    return lambda data, parameters, seed: kind(**parameters, seed=seed).fit(data)


def _plain(kind: Any) -> Fit:
    return lambda data, parameters, _: kind(**parameters).fit(data)


def _regressed(data: Dataset, parameters: Parameters, seed: int) -> VBN:
    return rivals.ridge_from_content(data, seed, **parameters)


def _retrofitted(base: Any, edges: Any, parameters: Parameters) -> Any:
    return baselines.retrofit(base, edges, **parameters)


_BAYES = {"dim": 50, "epochs": 20, "negatives": 4, "noise_power": 0.75, "prior_weight": 10.0, "popularity": 0.0}
_BY_EITHER = ({**_BAYES, "setting": ITEMS}, {**_BAYES, "setting": BOTH})
_BAYES_ITEMS = {"dim": 50, "epochs": 8, "negatives": 1, "noise_power": 0.75, "prior_weight": 10.0}

ALL = (
    Model(
        key="vbn",
        name="VBN",
        group=OURS,
        setting=USERS,
        fit=_bayesian(VBN),
        defaults=_BAYES,
        others=_BY_EITHER,
        asking=_BY_ROW_PRIOR,
        taxonomy=True,
        dial=True,
    ),
    Model(
        key="vbn-default",
        name=NO_PARAMETER,
        group=OURS,
        setting=USERS,
        fit=_given_nothing,
        asking=_BY_ROW_PRIOR,
        taxonomy=True,
        dial_from_fit=True,
    ),
    Model(
        key="bsg",
        name="VBN without taxonomy (BSG)",
        group=OURS,
        setting=USERS,
        fit=_bayesian(baselines.BayesianSkipGram),
        defaults=_BAYES,
        others=_BY_EITHER,
        dial=True,
    ),
    Model(
        key="vbn-items",
        name="VBN, items x items",
        group=PAPER,
        setting=ITEMS,
        fit=_bayesian(VBN),
        defaults=_BAYES_ITEMS,
        asking=_BY_ITEMS_PRIOR,
        taxonomy=True,
        paper="VBN",
    ),
    Model(
        key="bsg-items",
        name="BSG",
        group=PAPER,
        setting=ITEMS,
        fit=_bayesian(baselines.BayesianSkipGram),
        defaults=_BAYES_ITEMS,
        asking=_BY_ITEMS,
        nodes=True,
        paper="BSG",
    ),
    Model(
        key="bsg-r-items",
        name="BSG-R",
        group=PAPER,
        setting=ITEMS,
        fit=_retrofitted,
        asking=_BY_ITEMS_PRIOR,
        taxonomy=True,
        base="bsg-items",
        paper="BSG-R",
    ),
    Model(
        key="sg",
        name="SG",
        group=PAPER,
        setting=USERS,
        fit=_seeded(baselines.SkipGram),
        defaults={"dim": 50, "epochs": 10, "window": 5},
        asking=_BY_ITEMS,
        nodes=True,
        package="gensim",
        paper="SG",
    ),
    Model(
        key="sg-r",
        name="SG-R",
        group=PAPER,
        setting=USERS,
        fit=_retrofitted,
        asking=_BY_ITEMS_PRIOR,
        taxonomy=True,
        base="sg",
        package="gensim",
        paper="SG-R",
    ),
    Model("popularity", "Popularity", TODAY, USERS, _plain(baselines.Popularity)),
    Model("als", "ALS", TODAY, USERS, _seeded(rivals.ALS), {"dim": 50, "workers": 2}, package="implicit"),
    Model("bpr", "BPR", TODAY, USERS, _seeded(rivals.BPR), {"dim": 50}, package="implicit"),
    Model("itemknn", "ItemKNN", TODAY, USERS, _plain(rivals.ItemKNN), {"neighbours": 100}, package="implicit"),
    Model("ease", "EASE", TODAY, USERS, _plain(baselines.EASE)),
    Model(
        key="lightfm",
        name="LightFM",
        group=TODAY,
        setting=USERS,
        fit=_seeded(rivals.LightFM),
        asking=_BY_ROW_PRIOR,
        taxonomy=True,
        package="lightfm",
    ),
    Model("cmf", "CMF", TODAY, USERS, _seeded(rivals.CMF), asking=_BY_ROW_PRIOR, taxonomy=True, package="cmfrec"),
)
"""In the order of the report; a model stands after its base, so that the base is trained once for both."""

SPECIAL = (
    Model(
        key="resnik",
        name="Ontology alone, Resnik",
        group=TODAY,
        setting=USERS,
        fit=_plain(rivals.OntologyAlone),
        defaults={"measure": "resnik", "match": "average", "frequency": 0.0},
        others=({"measure": "resnik", "match": "average", "frequency": 0.5},),
        asking=_BY_ROW_PRIOR,
        taxonomy=True,
        any_taxonomy=True,
    ),
    Model(
        key="lin",
        name="Ontology alone, Lin",
        group=TODAY,
        setting=USERS,
        fit=_plain(rivals.OntologyAlone),
        defaults={"measure": "lin", "match": "average", "frequency": 0.0},
        others=({"measure": "lin", "match": "average", "frequency": 0.5},),
        asking=_BY_ROW_PRIOR,
        taxonomy=True,
        any_taxonomy=True,
    ),
    Model(
        key="simgic",
        name="Neighbours by the ontology",
        group=TODAY,
        setting=USERS,
        fit=_plain(rivals.OntologyNeighbours),
        defaults={"neighbours": 100},
        taxonomy=True,
        any_taxonomy=True,
    ),
)
"""Of those domains that name them."""

_TOLD = Model(
    key="vbn-text",
    name="VBN, text",
    group=OURS,
    setting=USERS,
    fit=_given_nothing,
    defaults={"content_strength": "auto"},
    asking=_BY_ROW_PRIOR,
    text=True,
    dial_from_fit=True,
    package="wordllama",
)

CONTENT = (
    _TOLD,
    replace(_TOLD, key="vbn-both", name="VBN, taxonomy and text", taxonomy=True),
    replace(_TOLD, key="ridge", name="Ridge from text after the fit", group=TODAY, fit=_regressed, defaults={}),
)
"""Of domains with texts, beside `VBN()`, which has the taxonomy alone."""

BY_KEY = {model.key: model for model in (*ALL, *SPECIAL, *CONTENT)}


def models_of(domain: Domain, models: tuple[Model, ...] = ALL) -> tuple[Model, ...]:
    """Those of some models that a domain is run with, and the domain's own."""
    own = tuple(BY_KEY[key] for key in domain.rivals)
    return (*(model for model in models if domain.paper or not model.paper), *own)


WEIGHTS = (1.0, 10.0, 30.0, 100.0)
"""Values of alpha and beta that `VBN()` is compared with."""


def weighted() -> tuple[tuple[Model, ...], dict[str, Parameters]]:
    """`VBN()` with the precisions' priors fixed, and all of these without the taxonomy, too.

    Returns
    -------
    tuple
        Models, `VBN()` first, and their parameters by key.
    """
    given_none = BY_KEY["vbn-default"]
    models, chosen = [given_none], {given_none.key: Parameters()}
    for weight in WEIGHTS:
        models.append(replace(given_none, key=f"{given_none.key}@{weight:g}", name=f"VBN, weight {weight:g}"))
        prior = {"entity": weight, "category": weight}
        chosen[models[-1].key] = {"alpha": prior, "beta": prior}
    for model in tuple(models):
        bare = replace(model, name=f"{model.name}, {BARE}", taxonomy=False, asking=_BY_ROW, key=f"{model.key}@bare")
        models.append(bare)
        chosen[bare.key] = chosen[model.key]
    return tuple(models), chosen


BARE = "without taxonomy"

TUNED_RIVALS = ("als", "bpr", "itemknn", "ease", "lightfm", "cmf", "resnik", "lin", "simgic")
"""What one would pick today; each is tuned on validation data."""

QUICK = ("vbn", "vbn-default", "bsg", "bsg-items", "bsg-r-items", "popularity", "ease")
"""Of a quick run: what needs no further package."""
