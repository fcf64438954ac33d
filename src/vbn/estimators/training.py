"""A fit in progress: it is prepared before the first epoch, and is a model that can be queried after each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vbn._errors import ModelFileError, ParameterError
from vbn.data import Dataset, with_company
from vbn.estimators.checking import Settings
from vbn.estimators.progress import announced
from vbn.estimators.warmup import warm_up
from vbn.model import (
    Affinity,
    Company,
    EpochInfo,
    Network,
    Posterior,
    RelationInfo,
    RunningAverage,
    Side,
    Trained,
    Validation,
    build_network,
    carry,
    check_finite,
    common_places,
    go_on,
    past_of,
    sites_of,
    tempered,
    with_base_rates,
    with_earlier_rates,
)
from vbn.sampling import Sampler
from vbn.storage import State, densities_in, densities_out

_NETWORK, _AVERAGE = "network.", "average."


@dataclass
class Training:
    """Bounds, held-out scores and the posterior of a fit, epoch by epoch.

    `whole` says whether `data` is everything that the model learned from; if not, no counts are kept with the model.
    `dials`, `company` and `affinity` are those of the model that this one goes on from. The network is that of
    `fitted`, which has further rows, one for each column, if the model learns their company.
    """

    data: Dataset
    sampler: Sampler
    network: Network
    validation: Validation | None
    average: RunningAverage | None
    tol: float | None
    whole: bool = True
    dials: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    company: Company | None = None
    affinity: Affinity | None = None
    fitted: Dataset | None = None
    bounds: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    def take(self, info: EpochInfo) -> None:
        """Record the result of an epoch."""
        check_finite(self.network.posterior, info.lower_bound, self.data if self.fitted is None else self.fitted)
        self.bounds.append(info.lower_bound)
        if self.average is not None:
            self.average.add(self.network.posterior)
        if self.validation is not None:
            self.scores.append(self.validation.log_likelihood(self._posterior()))

    @property
    def epochs(self) -> int:
        """Return the number of finished epochs."""
        return len(self.bounds)

    @property
    def kept(self) -> Dataset | None:
        """Return the data that is kept with the model."""
        return self.data if self.whole else None

    @property
    def score(self) -> float | None:
        """Return the latest held-out log-likelihood."""
        return self.scores[-1] if self.scores else None

    @property
    def converged(self) -> bool:
        """Return whether the bound changed by at most `tol` in the last epoch."""
        if self.tol is None or len(self.bounds) < 2:
            return False
        return abs(self.bounds[-1] - self.bounds[-2]) <= self.tol * abs(self.bounds[-1])

    def trained(self, last: bool = False) -> Trained:
        """Return the current model, with densities for all variables without data.

        With `last`, nothing is asked of the training afterwards, and the model takes over the arrays of its average.
        """
        network = replace(self.network, posterior=self._posterior(last))
        network.posterior.settle()
        network = replace(network, relations=with_base_rates(network, self.data.relations, self.whole))
        trained = Trained.from_training(network, self.sampler)
        text = self.data.kind == "sequences"
        trained = replace(trained, dials=self.dials, company=self.company, affinity=self.affinity, of_text=text)
        return trained if self.fitted is None else self._joined(trained)

    def _joined(self, trained: Trained) -> Trained:
        """Return a model of the rows of the data, with what their columns say of them."""
        rows, counts, n = trained.row_side, self.data.counts, len(self.data.rows)
        features = self.data.row_features if rows.features is not None else None
        if features is not None and rows.features is not None:
            features = features.selected([source.name for source in rows.features.sources])
        own = Side(rows.name, self.data.rows, self.data.row_taxonomy, rows.active[:n], rows.unit, features=features)
        found = replace(trained.without_company(own), noise_counts=self.data.noise_counts)
        assert found.company is not None
        u = found.posterior.u
        joined = found.company.joined(u, counts.indptr, counts.indices.astype(np.int64))
        u.mean[...], u.variance[...] = joined.mean, joined.variance
        shares = self._own_shares()
        for block in (found.posterior.v, found.posterior.bias):
            tempered(block, shares)
        return found

    def _own_shares(self) -> np.ndarray:
        """Return which share of the counts of each column is that of the data, and not of company."""
        assert self.fitted is not None
        own, all_of_them = self.data.counts.column_sums(), self.fitted.counts.column_sums()
        return np.divide(own, all_of_them, out=np.ones(len(own)), where=all_of_them > 0)

    def record(self) -> dict[str, object]:
        """Return the history of the fit."""
        return {"lower_bounds": self.bounds, "validation": self.scores, "converged": self.converged}

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return what is needed besides the record to continue to the same bits: tensors and facts."""
        tensors = densities_out(_NETWORK, self.network.posterior)
        if self.average is None:
            return tensors, {"averaged": 0}
        averages = {f"{_AVERAGE}{path}": array for path, array in self.average.arrays().items()}
        return tensors | averages, {"averaged": self.average.seen}

    def go_on_from(self, state: State, record: dict[str, Any]) -> None:
        """Continue after the epochs of a checkpoint with the same data and parameters."""
        own = self.network.posterior
        for path, array in densities_in(_NETWORK, state.tensors, own).items():
            own.arrays()[path][...] = array
        seen = state.facts.get("averaged")
        if type(seen) is not int or seen != (0 if self.average is None else len(record["lower_bounds"])):
            raise ModelFileError(f"averaged={seen!r} in the checkpoint does not match its number of epochs.")
        if self.average is not None:
            self.average.restore(seen, own, densities_in(_AVERAGE, state.tensors, own, natural=True))
        self.bounds, self.scores = list(record["lower_bounds"]), list(record["validation"])
        if len(self.scores) != (0 if self.validation is None else self.epochs):
            raise ModelFileError("the validation scores in the checkpoint do not match its number of epochs.")

    def _posterior(self, last: bool = False) -> Posterior:
        return self.network.posterior if self.average is None else self.average.posterior(last)


def prepare(
    params: Mapping[str, Any],
    settings: Settings,
    data: Dataset,
    validation: Dataset | None,
    earlier: Trained | None,
    whole: bool,
) -> Training:
    """Return a training before its first epoch, from parameters that were checked.

    It starts from the densities of an `earlier` model, if there is one. If `data` is not the `whole` data, they also
    stand for the data that the earlier model learned from.
    """
    dim, seed, dtype = params["dim"], params["seed"], settings.dtype
    if earlier is not None and earlier.posterior.dim != dim:
        raise ParameterError(f"dim={dim} differs from the {earlier.posterior.dim} of the earlier fit.")
    relations = [
        RelationInfo(relation.name, relation.symmetric, prior, rank)
        for relation, prior, rank in zip(data.relations.values(), settings.relation_priors, settings.ranks, strict=True)
    ]
    if earlier is not None:
        relations = with_earlier_rates(relations, earlier.relations)
    past = sites = None
    if earlier is not None and not whole:
        past, sites = past_of(earlier, data), sites_of(earlier, relations)
    fitted = with_company(data) if params["company"] and whole and not data.shared and not data.relations else data
    with announced("preparing kernels (compiling takes about ten seconds, once per install)", params["verbose"]):
        warm_up(dtype, bool(data.relations), data.row_taxonomy is not None or data.column_taxonomy is not None)
    drawn = ("negatives", "noise_power", "subsample", "reject_positives", "relation_weight", "hard_negatives")
    sampler = Sampler(fitted, **{name: params[name] for name in drawn}, seed=seed, dtype=dtype, past=past)
    network = build_network(
        fitted,
        sampler,
        settings.hyperpriors,
        relations,
        dim=dim,
        seed=seed,
        dtype=dtype,
        bias_prior=params["bias_prior"],
        parents=params["parents"],
        apart=params["relation_space"] == "readout",
        sites=sites,
    )
    if earlier is not None:
        places = common_places(earlier.rows, fitted.rows), common_places(earlier.columns, data.columns)
        names = [info.name for info in earlier.relations], [info.name for info in relations]
        carry(earlier.posterior, network.posterior, *places, *names)
        go_on(earlier.posterior, network.posterior, *places)
        if fitted is not data and earlier.company is not None:
            _keep_company(earlier.company, network.posterior, len(data.rows), places[1])
    held = None if validation is None else Validation(validation, data, sampler.noise(), params["negatives"], seed)
    average = RunningAverage(params["average_epochs"]) if params["resample"] and params["average_epochs"] > 1 else None
    dials = {} if earlier is None else earlier.dials  # until others are chosen
    company = None if earlier is None or fitted is not data else earlier.company
    affinity = None if earlier is None else earlier.affinity
    if earlier is not None and affinity is not None:
        affinity = affinity.matched(*common_places(earlier.columns, data.columns), len(data.columns))
    goal = None if fitted is data else fitted
    return Training(data, sampler, network, held, average, params["tol"], whole, dials, company, affinity, goal)


def _keep_company(company: Company, posterior: Posterior, first: int, columns: tuple[np.ndarray, np.ndarray]) -> None:
    """Start the rows of columns, which come from the row `first` on, from what an earlier model knew of them."""
    old, new = columns
    there = old < len(company)
    there[there] = company.known[old[there]]
    posterior.u.mean[first + new[there]] = company.mean[old[there]]
    posterior.u.variance[first + new[there]] = company.variance[old[there]]
