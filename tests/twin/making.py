"""Random problems with a start, as the twin's own tests take them."""

from tests.twin import twin


def make(seed, content=False, **options):
    """A random problem and start; rows and columns are the same set for even seeds."""
    problem = twin.random_problem(seed, shared=seed % 2 == 0, **options)
    if content:
        problem = twin.with_random_features(problem, seed)
    return problem, twin.random_state(problem, seed)


def held(problem, state):
    return twin.optimal_xi(problem, state), twin.optimal_zeta(problem, state)
