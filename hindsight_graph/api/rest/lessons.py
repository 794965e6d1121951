"""What requests about learning may say: experiences, reflections, decisions, feedback."""

from typing import Annotated

from pydantic import Field

from hindsight_graph.api.rest.bodies import GivenMessage, Names, QueryMoment
from hindsight_graph.api.rest.bounds import MAX_NAMES, MAX_ROWS, MAX_UNITS, AnyText, Body, LongText, Name, Reason, Token, example
from hindsight_graph.models.base import SUMMARY_LIMIT, UtcDatetime, Words
from hindsight_graph.models.enums import Origin, Outcome, Status

_TASK = [
    {"role": "user", "content": "Refund order 17"},
    {"role": "assistant", "tool_calls": [{"id": "c1", "name": "process_refund", "arguments": {"order": 17}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "Error: status of order 17 not checked"},
    {"role": "assistant", "content": "I could not refund it."},
]


class WriteExperience(Body):
    """What was tried and how it ended.

    Attributes:
        context: The situation, and what was asked for. action: what was done; may be empty where there is a lesson.
        lesson: What to do next time, in one sentence.
    """

    model_config = example(
        context="refund of order 1042",
        action="called process_refund at once",
        outcome="failure",
        lesson="Check the order status before a refund.",
        tools=["process_refund"],
        task_type="refund",
    )

    context: LongText
    action: AnyText = ""
    outcome: Outcome
    lesson: AnyText = ""
    tags: Names = ()
    tools: Names = ()
    task_type: Name | None = None
    error_code: Name | None = None
    session_id: Name | None = None
    occurred_at: UtcDatetime | None = None
    origin: Origin = Origin.USER
    agent_id: Name | None = None


class ListExperiences(Body):
    """Which experiences, newest first."""

    tags: list[Name] | None = Field(default=None, max_length=MAX_NAMES)
    agent_id: Name | None = None
    session_id: Name | None = None
    since: QueryMoment | None = None
    until: QueryMoment | None = None
    task_type: Name | None = None
    outcome: Outcome | None = None
    tool: Name | None = None
    error_code: Name | None = None
    cursor: Token | None = None
    limit: int = Field(default=50, ge=1, le=MAX_ROWS)


class Transcript(Body):
    """The messages of one or more tasks, tool calls and results included."""

    messages: tuple[GivenMessage, ...] = Field(min_length=1, max_length=MAX_UNITS)
    session_id: Name | None = None
    task_type: Name | None = None
    agent_id: Name | None = None


class StartReflection(Transcript):
    """Looks back on a transcript.

    Attributes:
        store: Keep what is found; otherwise it is only proposed, and `confirm` keeps it.
        asked: False lets the policy skip routine successes.
    """

    model_config = example(messages=_TASK, session_id="s1", task_type="refund")

    store: bool = True
    asked: bool = True


class ConfirmReflection(Body):
    """Which of the proposed experiences to keep, by position from 0; all when absent."""

    model_config = example(keep=[0])

    keep: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(max_length=MAX_UNITS)] | None = None
    agent_id: Name | None = None


class PlainReflect(Transcript):
    """The messages of a task. `wait` asks for what was found in the answer; without `extract_experience` they are only kept."""

    model_config = example(messages=_TASK, extract_experience=True, wait=True)

    extract_experience: bool = True
    wait: bool = False


class ListStrategies(Body):
    """Which strategies, newest first; the approved, the pending and the stale ones unless `statuses` says otherwise."""

    statuses: list[Status] | None = Field(default=None, max_length=MAX_NAMES)
    agent_id: Name | None = None
    task_type: Name | None = None
    tool: Name | None = None
    cursor: Token | None = None
    limit: int = Field(default=50, ge=1, le=MAX_ROWS)


class Decision(Body):
    """A reviewer's decision; both words go into the audit trail, beside the key it was made with."""

    model_config = example(reviewer="ann", reason="seen in all four cases")

    reviewer: Annotated[AnyText, Field(max_length=200)] = ""
    reason: Reason = ""
    agent_id: Name | None = None


class EditStrategy(Decision):
    """A decision for other words."""

    model_config = example(guidance="Check the status of the order before any refund.", reviewer="ann", reason="clearer")

    guidance: Annotated[Words, Field(max_length=SUMMARY_LIMIT)]


class GiveFeedback(Body):
    """How a task ended that used memories.

    Attributes:
        task_id: The same report again answers as the first time, so it is the key that makes a repeat safe.
        importance: Of the task: weights move in proportion to it.
    """

    model_config = example(ids=["0198c0de-0000-7000-8000-000000000001"], outcome="success", task_id="task-17")

    ids: tuple[Name, ...] = Field(min_length=1, max_length=MAX_UNITS)
    outcome: Outcome
    task_id: Name | None = None
    importance: float = Field(default=1.0, gt=0, le=10)
    agent_id: Name | None = None


class StartConsolidation(Body):
    """Weighs every experience anew; with `dry_run` only says what would be done."""

    model_config = example(dry_run=True)

    dry_run: bool = False
    agent_id: Name | None = None


class UndoConsolidation(Body):
    """On whose behalf a consolidation is taken back."""

    model_config = example(agent_id="a1")

    agent_id: Name | None = None
