"""All blocks of a problem by name, and sweeps over them."""

from functools import partial

import numpy as np

from tests.twin import content, updates
from tests.twin.bound import bound


def blocks(problem):
    """Every block update of a problem: name -> function(state), in the order of Algorithm 2, leaves first."""
    everything = {}
    for name in ("u", "v"):
        everything[name] = partial(updates.update_entities, problem, name=name)
        for node in reversed(problem.taxonomy(name).parents_first):
            if problem.active.categories(name)[node]:
                everything[f"h_{name}:{node}"] = partial(updates.update_h, problem, name=name, node=node)
        if problem.rho is not None:
            everything[f"a_{name}"] = partial(content.content_of_part, problem, name=name)
    for k, relation in enumerate(problem.relations):
        for m in range(relation.rank):
            everything[f"x:{k}:{m}"] = partial(updates.update_x, problem, k=k, m=m)
        for m in range(relation.rank):
            everything[f"y:{k}:{m}"] = partial(updates.update_y, problem, k=k, m=m)
        everything[f"shift_r:{k}"] = partial(updates.shift_r, problem, k=k)
        everything[f"r:{k}"] = partial(updates.update_r, problem, k=k)
        everything[f"centre_r:{k}"] = partial(updates.update_r_centre, problem, k=k)
    everything["bias"] = partial(updates.update_bias, problem)
    for node in reversed(problem.col_taxonomy.parents_first):
        if problem.bias_categories[node]:
            everything[f"g:{node}"] = partial(updates.update_g, problem, node=node)
    if problem.rho is not None:
        everything["a_bias"] = partial(content.content_of_biases, problem)
    if problem.mixture:
        for name in ("u",) if problem.shared else ("u", "v"):
            everything[f"chosen_{name}"] = partial(updates.update_chosen, problem, name=name)
    everything["centre_bias"] = partial(updates.update_bias_centre, problem)
    for name in ("u", "v"):
        everything[f"tau_{name}"] = partial(updates.update_tau_entities, problem, name=name)
        everything[f"tau_h_{name}"] = partial(updates.update_tau_categories, problem, name=name)
    everything["tau_bias"] = partial(updates.update_tau_bias, problem)
    everything["tau_g"] = partial(updates.update_tau_g, problem)
    for k in range(len(problem.relations)):
        everything[f"tau_x:{k}"] = partial(updates.update_tau_x, problem, k=k)
        everything[f"tau_y:{k}"] = partial(updates.update_tau_y, problem, k=k)
        everything[f"tau_r:{k}"] = partial(updates.update_tau_r, problem, k=k)
    return everything


def sweep(problem, state):
    """Every block once."""
    for update in blocks(problem).values():
        update(state)


def fit(problem, state, sweeps=200, tolerance=1e-8):
    """Sweep until the bound rises by less than `tolerance` (relative); returns the bounds."""
    bounds = [bound(problem, state)]
    for _ in range(sweeps):
        sweep(problem, state)
        bounds.append(bound(problem, state))
        if bounds[-1] - bounds[-2] < tolerance * abs(bounds[-1]):
            break
    return np.array(bounds)
