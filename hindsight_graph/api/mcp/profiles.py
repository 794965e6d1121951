"""The tools of the name profiles: other names and words over the same verbs (promise A-08)."""

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from hindsight_graph.api.mcp import arguments
from hindsight_graph.api.mcp.arguments import (
    DEFAULT_TOKENS,
    MAX_TOP_K,
    Arguments,
    Content,
    Cursor,
    Id,
    OutcomeName,
    Reason,
    Share,
    Tags,
    TokenCount,
    Word,
)
from hindsight_graph.api.mcp.reading import page, search
from hindsight_graph.api.mcp.render import Reply, Row, assemble, notices, number, plural, quoted
from hindsight_graph.api.mcp.working import apply, read_working, told
from hindsight_graph.api.mcp.writing import update, written
from hindsight_graph.errors import InputError
from hindsight_graph.models.base import is_visible
from hindsight_graph.models.enums import Kind, Origin, Outcome

if TYPE_CHECKING:
    from hindsight_graph.engine import AsyncHindsightGraph
    from hindsight_graph.models.experience import ExperienceHit

_LEARNED = (Kind.EXPERIENCE, Kind.STRATEGY)
_STORY = Annotated[str, Field(min_length=1, max_length=4_000)]


class StoreMemory(Arguments):
    """Arguments of store_memory."""

    context: _STORY = Field(description="The situation: what was asked for, and what mattered.")
    action: _STORY = Field(description="What was done.")
    outcome: OutcomeName = Field(description="How it ended.")
    lesson: Annotated[str, Field(max_length=1_000)] = Field(default="", description="What to do next time, in one sentence.")
    tags: Tags = Field(default=(), description="Labels to filter by later.")
    task_type: Word | None = Field(default=None, description="Type of the task.")
    tools: Tags = Field(default=(), description="Tools that were used.")
    error_code: Word | None = Field(default=None, description="Of the failure.")


class RetrieveMemory(Arguments):
    """Arguments of retrieve_memory."""

    query: Annotated[str, Field(min_length=1, max_length=4_000)] = Field(description="The task, in your own words.")
    top_k: Annotated[int, Field(ge=1, le=MAX_TOP_K)] = Field(default=5, description="Results at most.")
    tags: Tags | None = Field(default=None, description="Carries all of these.")
    task_type: Word | None = Field(default=None, description="Of this type of task.")
    outcome: OutcomeName | None = Field(default=None, description="How the task ended.")
    max_tokens: TokenCount = Field(default=DEFAULT_TOKENS, description="Size of the answer.")
    cursor: Cursor | None = Field(default=None, description="From the answer before, with the same arguments: goes on there.")


class ListMemories(Arguments):
    """Arguments of list_memories."""

    tags: Tags | None = Field(default=None, description="Carries all of these.")
    outcome: OutcomeName | None = Field(default=None, description="How the task ended.")
    limit: Annotated[int, Field(ge=1, le=MAX_TOP_K)] = Field(default=20, description="Experiences at most.")
    max_tokens: TokenCount = Field(default=DEFAULT_TOKENS, description="Size of the answer.")
    cursor: Cursor | None = Field(default=None, description="From the answer before, with the same arguments: goes on there.")


async def store_memory(memory: "AsyncHindsightGraph", given: StoreMemory) -> Reply:
    """Keep an experience as told."""
    receipt = await memory.learning.record(**given.model_dump(), origin=Origin.AGENT)
    (kept,) = receipt.memories
    word = receipt.items[0].action.value
    return Reply(f"{word}: id {kept.id}\n{quoted(kept.summary)}", {"id": kept.id, "status": word})


def _experience_row(hit: "ExperienceHit") -> Row:
    data = hit.model_dump(mode="json", exclude_none=True)
    data["weight"] = number(hit.weight)
    parts = [f"id {hit.id}"]
    if hit.score is not None:
        data["score"] = number(hit.score)
        parts.append(f"score {data['score']:g}")
    parts.append(f"weight {data['weight']:g}")
    parts += [f"tags {', '.join(hit.tags)}"] if hit.tags else []
    story = [f"{name}: {quoted(text)}" for name, text in (("context", hit.context), ("action", hit.action)) if text]
    ended = f" ({hit.outcome})" if hit.outcome else ""
    details = "; ".join((*story, quoted("; ".join(parts))))
    return Row(f"-{ended} {quoted(hit.lesson)} [{details}]", data)


async def retrieve_memory(memory: "AsyncHindsightGraph", given: RetrieveMemory) -> Reply:
    """Find experiences and strategies for a task."""
    from hindsight_graph.models.experience import ExperienceHit  # noqa: PLC0415 - reads the engine's models

    answer, rows = await page(
        lambda size: memory.recall(
            given.query,
            top_k=size,
            token_budget=given.max_tokens,
            kinds=_LEARNED,
            tags=given.tags,
            task_type=given.task_type,
            outcome=given.outcome,
            cursor=given.cursor,
        ),
        lambda found: [_experience_row(ExperienceHit.of(hit.memory, hit.score)) for hit in found.results],
        given.top_k,
        given.max_tokens,
    )
    said = notices(degraded=answer.degraded, reasons=answer.reasons, truncated=answer.truncated, cursor=answer.cursor)
    head = f"{plural(len(rows), 'experience')}, best first" if rows else "no experience fits this task yet"
    return assemble(head, rows, "results", said, degraded=answer.degraded)


async def list_memories(memory: "AsyncHindsightGraph", given: ListMemories) -> Reply:
    """List experiences and strategies."""
    from hindsight_graph.models.experience import ExperienceHit  # noqa: PLC0415 - reads the engine's models

    found, rows = await page(
        lambda size: memory.list(kinds=_LEARNED, tags=given.tags, outcome=given.outcome, limit=size, cursor=given.cursor),
        lambda page: [_experience_row(ExperienceHit.of(row)) for row in page.rows],
        given.limit,
        given.max_tokens,
    )
    head = f"{plural(len(rows), 'experience')}, newest first" if rows else "no experience fits these filters"
    return assemble(head, rows, "memories", notices(truncated=found.cursor is not None, cursor=found.cursor))


Layer = Annotated[Literal["working", "episodic", "semantic"], BeforeValidator(arguments.lower)]
_KINDS: dict[str, tuple[Kind, ...]] = {
    "episodic": (Kind.EXPERIENCE, Kind.ACTION, Kind.RESULT),
    "semantic": (Kind.STRATEGY, Kind.FACT, Kind.PREFERENCE, Kind.CONSTRAINT),
}


def _status_word(value: object) -> object:
    words = {
        "failed": "failure",
        "fail": "failure",
        "error": "failure",
        "succeeded": "success",
        "ok": "success",
        "done": "success",
    }
    text = arguments.lower(value)
    return words.get(text, text) if isinstance(text, str) else text


class Metadata(BaseModel):
    """What `metadata` may hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True, defer_build=True)

    session_id: Word = Field(default="default", description="Whose working memory.")
    task_type: Word | None = Field(default=None, description="Type of the task.")
    status: Annotated[Literal["success", "failure", "partial"], BeforeValidator(_status_word)] | None = Field(
        default=None, description="success, failure (or failed), partial."
    )
    tools_used: Tags | None = Field(default=None, description="Tools; a query takes one.")
    timestamp: Annotated[str, Field(max_length=85)] | None = Field(
        default=None, description="When; in a query a day, or from/to."
    )
    error_code: Word | None = Field(default=None, description="Of the failure.")
    tags: Tags | None = Field(default=None, description="Labels.")
    confidence: Share | None = Field(default=None, description="How sure you are.")


def _as_object(value: object) -> object:
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            raise ValueError('is no JSON object; as {"task_type": "refund", "status": "failed"}') from None
    return value


GivenMetadata = Annotated[Metadata, BeforeValidator(_as_object)]


def _range(value: object) -> object:
    given: object = value
    if isinstance(given, dict):
        ends = cast("dict[str, object]", given)
        first = ends.get("start") or ends.get("from") or ends.get("since") or ""
        last = ends.get("end") or ends.get("to") or ends.get("until") or ""
        return f"{first}/{last}"
    if isinstance(given, list | tuple):
        return "/".join("" if end is None else str(end) for end in cast("list[object]", given))
    return given


TimeRange = Annotated[str, BeforeValidator(_range), Field(max_length=85), WithJsonSchema({"type": "string", "maxLength": 85})]


class LayerWrite(Arguments):
    """Arguments of memory_write in the profile `layers`."""

    memory_type: Layer = Field(description="Which layer.")
    content: Content = Field(description="What to keep; for working also `goal: …`, `step: …`, `constraint: …`, `end session`.")
    metadata: GivenMetadata | None = Field(default=None, description="What is known about it.")


class LayerQuery(Arguments):
    """Arguments of memory_query."""

    memory_type: Layer = Field(description="Which layer.")
    query_text: Annotated[str, Field(max_length=4_000)] = Field(default="", description="The question; working needs none.")
    time_range: TimeRange | None = Field(
        default=None, description="2026-05-01/2026-05-08, either end may be left out, or one day."
    )
    top_k: Annotated[int, Field(ge=1, le=MAX_TOP_K)] = Field(default=5, description="Results at most.")
    metadata: GivenMetadata | None = Field(default=None, description="Filters.")
    max_tokens: TokenCount = Field(default=DEFAULT_TOKENS, description="Size of the answer.")
    cursor: Cursor | None = Field(default=None, description="From the answer before, with the same arguments: goes on there.")


class LayerUpdate(Arguments):
    """Arguments of memory_update in the profile `layers`."""

    content: Annotated[str, Field(min_length=1, max_length=4_000)] = Field(description="What holds now.")
    id: Id | None = Field(default=None, description="The memory's id; left out for the working layer.")
    metadata: GivenMetadata | None = Field(default=None, description="session_id for working; confidence.")
    reason: Reason = Field(default="", description="Why; kept in the audit trail.")


async def layer_write(memory: "AsyncHindsightGraph", given: LayerWrite) -> Reply:
    """Write to a layer; what is semantic waits for a person."""
    about = given.metadata or Metadata()
    at = _when(about.timestamp)
    if given.memory_type == "working":
        return await told(memory, await apply(memory.session(about.session_id), given.content, at))
    semantic = given.memory_type == "semantic"
    receipt = await memory.remember(
        given.content,
        kind=Kind.STRATEGY if semantic else Kind.EXPERIENCE,
        confidence=about.confidence,
        tags=about.tags or (),
        session_id=about.session_id if "session_id" in about.model_fields_set else None,
        occurred_at=at,
        task_type=about.task_type,
        outcome=Outcome(about.status) if about.status else None,
        tools=about.tools_used or (),
        error_code=about.error_code,
        origin=Origin.AGENT,
        pending=semantic,
    )
    return written(receipt)


async def layer_query(memory: "AsyncHindsightGraph", given: LayerQuery) -> Reply:
    """Search a layer, or read the session's working memory."""
    about = given.metadata or Metadata()
    if given.memory_type == "working":
        return await read_working(memory, about.session_id, given.max_tokens)
    if not is_visible(given.query_text):
        raise InputError(f"query_text is required for the layer {given.memory_type}", hint="ask in your own words")
    tools = about.tools_used or ()
    if len(tools) > 1:
        raise InputError(f"tools_used names {len(tools)} tools, a query takes one", hint=f"ask for {tools[0]!r} alone")
    since, until = _interval(given.time_range if given.time_range is not None else about.timestamp)
    asked: dict[str, Any] = {
        "query": given.query_text,
        "top_k": given.top_k,
        "kinds": [kind.value for kind in _KINDS[given.memory_type]],
        "session_id": about.session_id if "session_id" in about.model_fields_set else None,
        "task_type": about.task_type,
        "outcome": about.status,
        "tool": tools[0] if tools else None,
        "error_code": about.error_code,
        "tags": about.tags,
        "max_tokens": given.max_tokens,
        "cursor": given.cursor,
    }
    found = arguments.parse(arguments.Search, asked).model_copy(update={"since": since, "until": until})
    return await search(memory, found)


async def layer_update(memory: "AsyncHindsightGraph", given: LayerUpdate) -> Reply:
    """Refresh the session's working memory, or give a memory a new version."""
    about = given.metadata or Metadata()
    if given.id is None:
        return await told(memory, await apply(memory.session(about.session_id), given.content))
    wanted = {"id": given.id, "content": given.content, "confidence": about.confidence, "reason": given.reason}
    return await update(memory, arguments.parse(arguments.Update, wanted))


def _when(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return arguments.moment(text)
    except ValueError as error:
        raise InputError(f"metadata.timestamp {error}") from error


def _interval(text: str | None) -> tuple[datetime | None, datetime | None]:
    """Return the ends of a range: `from/to`, either of which may be left out, or a day."""
    if text is None or not text.strip("/ "):
        return None, None
    try:
        first, slash, last = text.partition("/")
        begin = arguments.moment(first) if first.strip() else None
        if slash:
            return begin, arguments.moment(last) if last.strip() else None
    except ValueError as error:
        raise InputError(f"time_range {error}", hint="as 2026-05-01/2026-05-08 or 2026-05-01") from error
    return begin, begin + timedelta(days=1) if begin is not None else None
