"""Bodies of requests and answers, with their limits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

LONGEST_NAME, MOST_ANSWERS, MOST_QUERIES, MOST_NAMES = 500, 1000, 256, 1000
LONGEST_TEXT, MOST_FEATURES, MOST_SOURCES = 100_000, 20_000, 100
MOST_USERS, MOST_OF_A_BATCH = 1000, 100_000
_LARGEST = 2**53 - 1  # whole numbers are taken as names up to this one, which every reader of JSON keeps
_SMALLEST = -_LARGEST


def _as_text(value: Any) -> Any:
    """Return a whole number as text, as names are in Python too."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    if not _SMALLEST <= value <= _LARGEST:
        raise ValueError(f"a name given as a number must lie between {_SMALLEST} and {_LARGEST}; write it as text")
    return str(value)


Key = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
"""A name as the key of an object, which is text in JSON."""
_TEXT = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
Name = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_NAME),
    BeforeValidator(_as_text),
    WithJsonSchema({"anyOf": [_TEXT, {"type": "integer", "minimum": _SMALLEST, "maximum": _LARGEST}]}),
]
"""A name, which may be given as a whole number."""
Weight = Annotated[float, Field(gt=0, le=1e12, allow_inf_nan=False)]
Side = Literal["row", "column"]
Measure = Literal["cosine", "mean", "context"]
Role = Literal["entity", "category"]
Pool = Literal["entities", "categories"]
Readout = Literal["auto", "entity", "both", "smoothed"]
Count = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
Offset = Annotated[int, Field(ge=0, le=10_000_000)]
K = Annotated[int, Field(ge=1, le=MOST_ANSWERS)]
Dial = Annotated[float, Field(ge=-100, le=100, allow_inf_nan=False)]
Score = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Floor = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Vector = Annotated[
    list[Annotated[float, Field(ge=-1e30, le=1e30, allow_inf_nan=False)]], Field(max_length=MOST_FEATURES)
]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]


class Asked(BaseModel):
    """The body of a request; unknown fields are an error."""

    model_config = ConfigDict(extra="forbid")


class Answered(BaseModel):
    """The body of an answer, with the model that it comes from."""

    model: str = Field(description="Identifies the model that answered, as the header `vbn-model` does.")


class Pairs(Asked):
    """Pairs to predict."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"pairs": [["gouda", "cheese"], ["gouda", "beagle"]]}]})

    pairs: Annotated[list[tuple[Name, Name]], Field(min_length=1, max_length=MOST_QUERIES)]
    relation: Name | None = None


class Wanted(Asked):
    """What to recommend from: some entities, a user, or several users at once."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"entities": ["cheese", "wine"], "k": 3}]})

    entities: Annotated[list[Name] | dict[Key, Weight] | None, Field(max_length=MOST_NAMES)] = None
    user: Name | Annotated[list[Name], Field(min_length=1, max_length=MOST_USERS)] | None = None
    skip_unknown: bool = Field(False, description="Of several users, leave out the unknown ones, and list them.")
    k: K = 10
    query: Literal["fold_in", "average", "both"] = "fold_in"
    popularity: Dial | Literal["auto"] = "auto"
    popularity_floor: Floor = 0.0
    favour: Literal["all", "balanced", "rare"] | None = None
    rank_by: Literal["probability", "mean", "lower"] = "probability"
    exclude_seen: bool = True
    candidates: Annotated[list[Name] | None, Field(max_length=100_000)] = None

    @model_validator(mode="after")
    def _not_too_many(self) -> Wanted:
        if isinstance(self.user, list) and len(self.user) * self.k > MOST_OF_A_BATCH:
            raise ValueError(
                f"asks for more than {MOST_OF_A_BATCH:,} answers: send fewer users at once, or a smaller k"
            )
        return self


class New(Asked):
    """An entity that is not in the model."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "kashkaval", "parents": ["cheese"], "contexts": {"salty": 1}}]}
    )

    name: Name
    parents: Annotated[list[Name] | dict[Key, Weight], Field(max_length=100)] = []
    contexts: Annotated[list[Name] | dict[Key, Weight], Field(max_length=MOST_NAMES)] = []
    features: Vector | Annotated[dict[Key, Vector], Field(max_length=MOST_SOURCES)] | None = None
    text: Text | Annotated[dict[Key, Text], Field(max_length=MOST_SOURCES)] | None = None
    side: Side = "column"
    k: K = 10
    save: bool = False


class Answer(BaseModel):
    """An entry of a ranked list; `category` says that it is a parent without data of its own."""

    entity: str
    label: str | None = Field(None, description="What people call it, such as a title.")
    score: float
    std: float
    count: float
    category: bool


class Answers(Answered):
    """A ranked list, and what its scores are."""

    measure: str
    answers: list[Answer]


class OfUser(BaseModel):
    """The ranked list of one of several users."""

    user: str
    answers: list[Answer]


class Batch(Answered):
    """A ranked list for each of several users, in their order, and the users that were left out as unknown."""

    measure: str
    users: list[OfUser]
    unknown: list[str]


class RelatedAnswer(Answer):
    """An entry that a relation leads to."""

    known: bool | None = Field(description="Whether training was given the pair; null if the model does not know.")


class RelatedAnswers(Answered):
    """Where a relation leads, and what the scores are."""

    measure: str
    answers: list[RelatedAnswer]


class Entity(BaseModel):
    """A name as the search box shows it."""

    name: str
    label: str | None = None
    side: Side
    count: float
    category: bool


class Entities(Answered):
    """A page of the names that were found, and the offset of the next one; if `near`, names that are spelt alike."""

    entities: list[Entity]
    next_offset: int | None
    near: bool = False


class Prediction(BaseModel):
    """Probability of a pair."""

    left: str
    right: str
    left_label: str | None = None
    right_label: str | None = None
    p: float
    std: float


class Predictions(Answered):
    """One prediction for each pair."""

    predictions: list[Prediction]


class Relative(BaseModel):
    """A neighbour in the taxonomy."""

    name: str
    label: str | None = None
    weight: float
    count: float


class Family(BaseModel):
    """The place of an entity in the taxonomy; long lists are cut, but their lengths are those of the whole lists."""

    parents: list[Relative]
    siblings: list[Relative]
    children: list[Relative]
    n_siblings: int
    n_children: int


class Explained(Answered):
    """Why an entity is where it is."""

    explanation: dict[str, Any]
    family: Family


class SenseRow(BaseModel):
    """A sense: its weight, count and contexts among all occurrences, or its probability in one."""

    sense: str
    weight: float | None = None
    count: float | None = None
    contexts: list[str] | None = None
    probability: float | None = None


class SenseTable(Answered):
    """The senses of an entity, the most likely first."""

    senses: list[SenseRow]


class Finding(BaseModel):
    """Something in the taxonomy to look at; the meaning of `score` depends on `kind`."""

    kind: Literal["contradicted", "nearer", "scattered", "level", "both"]
    entity: str
    parent: str | None
    suggestion: str | None
    score: float
    evidence: str
    suggestions: list[str]


class Audited(Answered):
    """What the data says against the taxonomy: the first findings of each kind, and how many there are of each."""

    edges: int
    counts: dict[str, int]
    findings: list[Finding]


class Suggested(BaseModel):
    """A category that may be the parent, and the log Bayes factor against the present one, which it would replace."""

    entity: str
    score: float
    instead_of: str | None
    children: int


class Suggestions(Answered):
    """Possible parents, the best first."""

    suggestions: list[Suggested]


class Imagined(Answered):
    """A new entity as it would be."""

    similar: Answers
    std: float
    prior_share: float
    place: tuple[float, float] | None
    saved: bool


class Health(Answered):
    """Whether all is well.

    `version` counts the models that this server has had; `root` is the version of the last one that was loaded, which
    the present one may have grown from by added entities. `categories` says how many of the `entities` are parents
    without data of their own. `features` are the sources of features of the columns, with
    their numbers of columns, and `texts` those of them that this server can make of a text.
    """

    status: Literal["ok"]
    version: int
    root: int
    entities: int
    categories: int
    rows: int
    shared: bool
    dim: int
    relations: list[str]
    taxonomy: bool
    features: dict[str, int]
    texts: list[str]
    counts: bool
    writable: bool
    problem: str


class Ready(Answered):
    """That questions are answered without delay, and by the how manieth model of this server."""

    status: Literal["ready"]
    version: int


class MapField(BaseModel):
    """A column of the map: as many numbers as there are places."""

    name: str
    type: str = Field(description="As numpy names it, such as <f4.")


class MapAbout(Answered):
    """What the bytes of the map are: one field after the other."""

    places: int
    fields: list[MapField]
    branches: list[str]
    labels: list[str | None] = Field(description="What people call the branches.")
    method: str
    final: bool = Field(description="False while a better layout is being computed.")
    rare: float = Field(description="Entities that were seen at most this often are called rare.")


class Problem(BaseModel):
    """What was wrong with a request, and what to do about it (RFC 9457)."""

    type: str = Field(description="Names the kind of problem; it stays the same when the words change.")
    title: str
    status: int
    detail: str
    remedy: str | None = None
    closest: list[str] = Field([], description="Known names that may have been meant.")
