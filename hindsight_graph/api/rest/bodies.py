"""What requests may say: closed, bounded models, with the names of the engine's arguments."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from hindsight_graph.api.rest.bounds import (
    MAX_NAMES,
    MAX_PATHS,
    MAX_RESULTS,
    MAX_ROWS,
    MAX_UNITS,
    AnyText,
    Body,
    LongText,
    Name,
    Payload,
    Reason,
    Token,
    example,
)
from hindsight_graph.models.base import UtcDatetime
from hindsight_graph.models.enums import Direction, Kind, Origin, Outcome, Status, UpdateMode, Visibility
from hindsight_graph.models.memory import Slot
from hindsight_graph.models.query import MAX_HOPS, Order
from hindsight_graph.models.record import JobState
from hindsight_graph.models.session import GOAL_LIMIT, LINE_LIMIT, STEP_LIMIT
from hindsight_graph.models.write import GivenRelation, RelationName

Names = Annotated[tuple[Name, ...], Field(max_length=MAX_NAMES)]
"""A list of names."""
Relations = Annotated[
    tuple[GivenRelation, ...],
    Field(max_length=MAX_NAMES),
    WithJsonSchema(
        {
            "type": "array",
            "maxItems": MAX_NAMES,
            "items": {
                "anyOf": [
                    {"type": "string", "maxLength": 500, "examples": ["Redis DEPENDS_ON Postgres"]},
                    {"$ref": "#/components/schemas/Relation"},
                ]
            },
        }
    ),
]
"""Relations, each an object, or text `A DEPENDS_ON B`."""


class WriteMemory(Body):
    """One statement to remember; only the text is required.

    Attributes:
        text: The statement. Longer than 200 characters it is split, each part a memory.
        entities, relations: Given ones (even empty lists) switch extraction off.
        occurred_at: When it happened or began to hold; now when absent. valid_to: when it ended.
        context: A little text around it that is indexed with it but not part of the statement.
        ttl_days: 0 means for ever; absent means the default of its kind.
    """

    model_config = example(
        text="checkout depends on payment since May", relations=["checkout DEPENDS_ON payment"], tags=["architecture"]
    )

    text: LongText
    kind: Kind | None = None
    entities: Names | None = None
    relations: Relations | None = None
    raw_ref: Name | None = None
    occurred_at: UtcDatetime | None = None
    valid_to: UtcDatetime | None = None
    session_id: Name | None = None
    tags: Names = ()
    agent_id: Name | None = None
    visibility: Visibility | None = None
    origin: Origin = Origin.USER
    confidence: float | None = Field(default=None, ge=0, le=1)
    importance: float = Field(default=1.0, gt=0, le=10)
    priority: int = Field(default=0, ge=-1_000_000, le=1_000_000)
    ttl_days: float | None = Field(default=None, ge=0, le=36_500)
    media_type: Name | None = None
    task_type: Name | None = None
    outcome: Outcome | None = None
    tools: Names = ()
    error_code: Name | None = None
    slot: Slot | None = None
    payload: Payload = {}
    context: Annotated[AnyText, Field(max_length=1_000)] = ""


class WriteMemories(Body):
    """Statements to remember, in order, in one transaction."""

    model_config = example(
        memories=[{"text": "The staging database runs on port 5433."}, {"text": "Lea owns the payment service."}]
    )

    memories: tuple[WriteMemory, ...] = Field(min_length=1, max_length=MAX_UNITS)
    agent_id: Name | None = None


class GivenToolCall(Body):
    """One call of a tool inside a message."""

    id: Name | None = None
    name: Name
    arguments: AnyText | Payload = ""


class OpenAiFunction(Body):
    """The function of a call, as chat APIs have it."""

    name: Name
    arguments: AnyText = ""


class OpenAiToolCall(Body):
    """One call of a tool, as chat APIs have it."""

    id: Name | None = None
    type: Literal["function"] = "function"
    function: OpenAiFunction


class TextPart(Body):
    """One part of a content, as chat APIs have it; only text is taken."""

    type: Literal["text", "input_text", "output_text"] = "text"
    text: AnyText


class GivenMessage(Body):
    """One message, in our own form or that of chat APIs.

    Attributes:
        recalled: It came out of this memory; it is kept, and never learned from.
        refusal, audio, function_call, annotations: Taken when empty, as chat APIs send them.
    """

    role: Name = "user"
    name: Name | None = None
    content: AnyText | Annotated[tuple[TextPart, ...], Field(max_length=MAX_NAMES)] | None = None
    occurred_at: UtcDatetime | None = None
    raw_ref: Name | None = None
    session_id: Name | None = None
    tool_calls: Annotated[tuple[GivenToolCall | OpenAiToolCall, ...], Field(max_length=MAX_NAMES)] | None = None
    tool_call_id: Name | None = None
    media_type: Name | None = None
    recalled: bool = False
    refusal: None = None
    audio: None = None
    function_call: None = None
    annotations: Annotated[list[Any], Field(max_length=0)] | None = None

    def words(self) -> dict[str, Any]:
        """Return it as the engine takes it."""
        fields = self.model_dump(include=set(GivenMessage.model_fields), exclude_unset=True)
        if isinstance(self.content, tuple):
            fields["content"] = "\n".join(part.text for part in self.content)
        return fields


class RetainConversation(Body):
    """A conversation to keep; with `defer` its extraction becomes a job, answered 202."""

    model_config = example(messages=[{"role": "user", "content": "We moved checkout to Postgres 16."}], session_id="s-17")

    messages: tuple[GivenMessage, ...] = Field(min_length=1, max_length=MAX_UNITS)
    session_id: Name | None = None
    agent_id: Name | None = None
    origin: Origin | None = None
    defer: bool = False


class RetainEpisode(GivenMessage):
    """One message or document to keep."""

    model_config = example(role="document", content="Checkout talks to payment over gRPC.", raw_ref="wiki/checkout")

    agent_id: Name | None = None
    origin: Origin | None = None
    defer: bool = False


class Search(Body):
    """A question; every condition must hold, an absent one is no condition.

    Attributes:
        query: The question, in any language.
        top_k: Results of one page; the configured number (10) when absent.
        profile: A scoring profile, a preset, or one of each joined by `+`. weights: overrides of its weights, by name.
        kinds, entities, statuses: One of these. tags: all of these.
        since, until: Event time in [since, until). as_of: as it was then. known_at: as it was known then.
        token_budget: Estimated tokens of all results together, at most.
        cursor: `cursor` of the page before; every other field as it was then.
    """

    model_config = example(query="what does checkout depend on?", top_k=5)

    query: LongText
    top_k: int | None = Field(default=None, ge=1, le=MAX_RESULTS)
    graph: bool = True
    profile: Name | None = None
    weights: dict[Name, float] | None = Field(default=None, max_length=MAX_NAMES)
    kinds: tuple[Kind, ...] | None = Field(default=None, min_length=1, max_length=MAX_NAMES)
    entities: Names | None = Field(default=None, min_length=1)
    tags: Names | None = Field(default=None, min_length=1)
    agent_id: Name | None = None
    session_id: Name | None = None
    since: UtcDatetime | None = None
    until: UtcDatetime | None = None
    task_type: Name | None = None
    outcome: Outcome | None = None
    tool: Name | None = None
    error_code: Name | None = None
    media_type: Name | None = None
    statuses: tuple[Status, ...] | None = Field(default=None, min_length=1, max_length=MAX_NAMES)
    as_of: UtcDatetime | None = None
    known_at: UtcDatetime | None = None
    token_budget: int | None = Field(default=None, ge=1, le=100_000)
    cursor: Token | None = None


def _moment(value: object) -> object:
    """Take the blank that a `+` of a time zone becomes in a query string for the `+` it was."""
    return value.replace(" ", "+") if isinstance(value, str) and value.count(" ") == 1 and "T" in value else value


QueryMoment = Annotated[UtcDatetime, BeforeValidator(_moment)]
"""A moment in a query string."""


class ListMemories(Body):
    """Which memories, newest first unless asked otherwise."""

    kinds: list[Kind] | None = Field(default=None, max_length=MAX_NAMES)
    statuses: list[Status] | None = Field(default=None, max_length=MAX_NAMES)
    entities: list[Name] | None = Field(default=None, max_length=MAX_NAMES)
    tags: list[Name] | None = Field(default=None, max_length=MAX_NAMES)
    agent_id: Name | None = None
    session_id: Name | None = None
    since: QueryMoment | None = None
    until: QueryMoment | None = None
    task_type: Name | None = None
    outcome: Outcome | None = None
    tool: Name | None = None
    error_code: Name | None = None
    media_type: Name | None = None
    as_of: QueryMoment | None = None
    known_at: QueryMoment | None = None
    order: Order = Order.RECORDED_NEWEST
    cursor: Token | None = None
    limit: int = Field(default=50, ge=1, le=MAX_ROWS)


class OneAgent(Body):
    """On whose behalf."""

    agent_id: Name | None = None


class UpdateMemory(Body):
    """A new version (`text`), an end (`invalidate`), or another confidence.

    Attributes:
        mode: `change`: the world changed, the old version was true until `occurred_at`. `correct`: it was never true.
    """

    model_config = example(text="checkout depends on billing", reason="payment was split")

    text: LongText | None = None
    mode: UpdateMode = UpdateMode.CHANGE
    confidence: float | None = Field(default=None, ge=0, le=1)
    invalidate: bool = False
    occurred_at: UtcDatetime | None = None
    reason: Reason = ""
    agent_id: Name | None = None


class RevertMemory(Body):
    """Brings an earlier version back, as a new one."""

    model_config = example(reason="the change was wrong")

    mode: UpdateMode = UpdateMode.CORRECT
    reason: Reason = ""
    agent_id: Name | None = None


class ForgetMemories(Body):
    """Archives memories: kept, not recalled unless asked for."""

    model_config = example(ids=["0198f0c2-7a3e-7c41-9d1e-2f6b8a90c111"], reason="no longer needed")

    ids: tuple[Name, ...] = Field(min_length=1, max_length=MAX_UNITS)
    reason: Reason = ""
    agent_id: Name | None = None


class ForgetOne(Body):
    """Why one memory is archived."""

    reason: Reason = ""
    agent_id: Name | None = None


class GraphBounds(Body):
    """How far a graph question goes, and at what time it is asked."""

    max_hops: int | None = Field(default=None, ge=1, le=MAX_HOPS)
    limit: int = Field(default=50, ge=1, le=MAX_PATHS)
    agent_id: Name | None = None
    as_of: QueryMoment | None = None
    known_at: QueryMoment | None = None


class AskChain(GraphBounds):
    """Follow relations from a thing: what it depends on (`out`), what depends on it (`in`), or how it leads to `end`."""

    start: Annotated[Name, Field(examples=["checkout"])]
    end: Name | None = None
    direction: Direction = Direction.OUT
    relations: list[RelationName] | None = Field(default=None, max_length=MAX_NAMES)


class AskAbout(GraphBounds):
    """A question about one thing, by name, alias or id."""

    name: Annotated[Name, Field(examples=["payment"])]


class AskPaths(GraphBounds):
    """What connects two things, whichever way the arrows point."""

    first: Annotated[Name, Field(examples=["checkout"])]
    second: Annotated[Name, Field(examples=["Redis"])]
    relations: list[RelationName] | None = Field(default=None, max_length=MAX_NAMES)


class AskCycles(Body):
    """Which relations go round."""

    relations: list[RelationName] | None = Field(default=None, max_length=MAX_NAMES)
    agent_id: Name | None = None


class AskNeighbours(Body):
    """How many relations at a thing."""

    limit: int = Field(default=50, ge=1, le=MAX_ROWS)
    agent_id: Name | None = None


class ListEntities(Body):
    """Which entities, by name."""

    prefix: Annotated[str, Field(max_length=200)] = ""
    agent_id: Name | None = None
    cursor: Token | None = None
    limit: int = Field(default=100, ge=1, le=MAX_ROWS)


class MergeEntities(Body):
    """Make `source` stand for `target`; `force` where their names or types speak against it."""

    model_config = example(source="postgres", target="PostgreSQL", reason="the same database")

    source: Name
    target: Name
    reason: Reason = ""
    force: bool = False
    agent_id: Name | None = None


class SplitEntity(Body):
    """Undo a merge: the entity stands for itself again."""

    model_config = example(name="postgres", reason="they were two after all")

    name: Name
    reason: Reason = ""
    agent_id: Name | None = None


class PutSession(Body):
    """What a session is for and where it stands; an absent field stays as it is.

    Attributes:
        constraints: Added to those there are.
        current_step: The step that now begins; the one before counts as finished. An empty text only finishes it.
    """

    model_config = example(goal="Migrate checkout to Postgres 16", current_step="Copy the tables")

    goal: Annotated[AnyText, Field(max_length=GOAL_LIMIT)] | None = None
    constraints: tuple[Annotated[LongText, Field(max_length=LINE_LIMIT)], ...] = Field(default=(), max_length=30)
    current_step: Annotated[AnyText, Field(max_length=STEP_LIMIT)] | None = None
    agent_id: Name | None = None


class AppendMessages(Body):
    """Interactions of a session, in order."""

    model_config = example(messages=[{"role": "tool", "name": "psql", "content": "COPY 1042"}])

    messages: tuple[GivenMessage, ...] = Field(min_length=1, max_length=50)
    agent_id: Name | None = None


class EndSession(Body):
    """Ends a session; with `extract` what its window holds goes to long-term memory first.

    `reflect` looks back on the session, or does not; the policy decides when it is absent.
    """

    model_config = example(extract=True)

    extract: bool = True
    reflect: bool | None = None
    agent_id: Name | None = None


class AskMarkdown(Body):
    """How large the text may be."""

    token_budget: int | None = Field(default=None, ge=50, le=8_000)
    agent_id: Name | None = None


class Summarize(Body):
    """What to sum up: a time window, a session, a thing; all of them must hold, and one must be given."""

    model_config = example(since="2026-05-01T00:00:00Z", until="2026-05-08T00:00:00Z", max_tokens=200)

    since: UtcDatetime | None = None
    until: UtcDatetime | None = None
    session_id: Name | None = None
    entity: Name | None = None
    max_tokens: int | None = Field(default=None, ge=1, le=8_000)
    agent_id: Name | None = None


class ListJobs(Body):
    """Which jobs."""

    states: list[JobState] | None = Field(default=None, max_length=MAX_NAMES)
    kinds: list[Name] | None = Field(default=None, max_length=MAX_NAMES)
    agent_id: Name | None = None
    cursor: Token | None = None
    limit: int = Field(default=100, ge=1, le=MAX_ROWS)


class ChangeJob(Body):
    """Why a job is cancelled or tried again."""

    model_config = example(reason="asked for by the owner")

    reason: Reason = ""
    agent_id: Name | None = None


def given(body: Body, *leave_out: str) -> dict[str, Any]:
    """Return the fields a request gave, as the engine's arguments."""
    return {name: getattr(body, name) for name in body.model_fields_set if name not in leave_out}
