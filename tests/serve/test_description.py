"""The service against its own description: whatever is asked, no failure of the server, and answers as described."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi")
schemathesis = pytest.importorskip("schemathesis")
from schemathesis import GenerationMode  # noqa: E402
from schemathesis.specs.openapi.checks import positive_data_acceptance  # noqa: E402

from tests.serve.conftest import ODD  # noqa: E402
from vbn.serve import Settings, create_app  # noqa: E402
from vbn.serve.access import PREFIX  # noqa: E402
from vbn.serve.api import ROUTERS  # noqa: E402

OPERATIONS = sorted(
    (method, PREFIX + route.path.replace(":path", ""))
    for router in ROUTERS
    for route in router.routes
    for method in route.methods
)
WITHOUT_QUESTIONS = tuple(f"{PREFIX}/{name}" for name in ("guide", "health", "map", "map/about", "metrics", "ready"))
NAMES = ["tea", "milk", "ann", "drink", "cider", "new", *ODD]


@pytest.fixture(scope="module", params=["goods", "shop"])
def described(request):
    app = create_app(request.getfixturevalue(request.param), Settings(watch=0, hosts=("testserver",)))
    ready = app.state.vbn.ready
    ready.set()
    ready.clear = lambda: None  # the application is started and ended with every request here
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)


def known(case, names):
    """The same request with names of the model: drawn ones are hardly ever known, and end in a 404."""
    if isinstance(case.query, dict):
        named = {key: names[0] for key in ("entity", "item", "user") if key in case.query}
        case.query = {**case.query, **named}
        if "relation" in case.query:
            case.query["relation"] = "goes with"
    if isinstance(case.body, dict):
        lists = dict.fromkeys(("entities", "users", "contexts", "candidates"), names)
        fields = {"pairs": [names], "parents": names[:1], **lists}
        case.body = {key: fields.get(key, value) if value else value for key, value in case.body.items()}
    return case


def test_the_description_is_of_all_operations(described):
    found = sorted((one.ok().method.upper(), one.ok().path) for one in described.get_all_operations())
    assert found == OPERATIONS


def asked(case):
    # what no description can say, such as entities or a user but not both, is refused with 400
    found = case.call()
    if found.status_code != 413:  # a body that is too large is refused unread
        case.validate_response(found, excluded_checks=[positive_data_acceptance])
    return found


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_fitting_questions_are_answered_as_described(described, method, path):
    two = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True)
    cases = described[path][method].as_strategy(generation_mode=GenerationMode.POSITIVE)

    @settings(suppress_health_check=list(HealthCheck))
    @given(case=cases, names=st.none() | two)
    def check(case, names):
        found = asked(case if names is None else known(case, names))
        assert found.status_code != 422

    check()


@pytest.mark.parametrize(("method", "path"), [one for one in OPERATIONS if one[1] not in WITHOUT_QUESTIONS])
def test_wrong_questions_are_refused_as_described(described, method, path):
    cases = described[path][method].as_strategy(generation_mode=GenerationMode.NEGATIVE)

    @settings(suppress_health_check=list(HealthCheck))
    @given(case=cases)
    def check(case):
        asked(case)

    check()
