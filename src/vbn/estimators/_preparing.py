"""All that a fit needs before its first epoch: sampler, network, held-out pairs, average."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vbn._errors import ParameterError
from vbn.data import Dataset
from vbn.estimators._training import Training
from vbn.estimators._warmup import warm_up
from vbn.estimators.checking import Settings
from vbn.estimators.progress import announced
from vbn.model import (
    RelationInfo,
    RunningAverage,
    Trained,
    Validation,
    build_network,
    carry,
    common_places,
    past_of,
    sites_of,
)
from vbn.sampling import Sampler


def prepare(
    params: Mapping[str, Any],
    settings: Settings,
    data: Dataset,
    validation: Dataset | None,
    earlier: Trained | None,
    whole: bool,
) -> Training:
    """Return a training that has not begun, from parameters that were checked.

    It starts from the densities of an `earlier` model, if there is one; if `data` is not the `whole` data, these also
    stand for what the earlier model learned from.
    """
    dim, seed, dtype = params["dim"], params["seed"], settings.dtype
    if earlier is not None and earlier.posterior.dim != dim:
        raise ParameterError(f"dim={dim} differs from the {earlier.posterior.dim} of the earlier fit.")
    relations = [
        RelationInfo(relation.name, relation.symmetric, prior, rank)
        for relation, prior, rank in zip(data.relations.values(), settings.relation_priors, settings.ranks, strict=True)
    ]
    past = sites = None
    if earlier is not None and not whole:
        past, sites = past_of(earlier, data), sites_of(earlier, relations)
    with announced(
        "getting kernels ready (once after an install they are compiled: about half a minute)", params["verbose"]
    ):
        warm_up(dtype, bool(data.relations))
    sampler = Sampler(
        data,
        negatives=params["negatives"],
        noise_power=params["noise_power"],
        subsample=params["subsample"],
        reject_positives=params["reject_positives"],
        seed=seed,
        dtype=dtype,
        relation_weight=params["relation_weight"],
        hard_negatives=params["hard_negatives"],
        past=past,
    )
    network = build_network(
        data,
        sampler,
        settings.hyperpriors,
        relations,
        dim=dim,
        seed=seed,
        dtype=dtype,
        bias_prior=params["bias_prior"],
        apart=params["relation_space"] == "readout",
        sites=sites,
    )
    if earlier is not None:
        places = common_places(earlier.rows, data.rows), common_places(earlier.columns, data.columns)
        names = [info.name for info in earlier.relations], [info.name for info in relations]
        carry(earlier.posterior, network.posterior, *places, *names)
    held = None if validation is None else Validation(validation, data, sampler.noise(), params["negatives"], seed)
    average = RunningAverage(params["average_epochs"]) if params["resample"] and params["average_epochs"] > 1 else None
    return Training(data, sampler, network, held, average, params["tol"], whole)
