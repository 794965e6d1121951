"""What each tool takes: flat, bounded, typed - and lenient, since language models fill it in.

A number, a boolean or a list may arrive as text, one name stands for a list of one, and an empty optional argument counts as
left out. An unknown name is an error that says which there are: dropped silently, it would look as if it had been obeyed.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema, model_validator

from hindsight_graph.errors import InputError

A = TypeVar("A", bound="Arguments")

MAX_TOP_K = 50
"""Results of one answer at most."""
DEFAULT_TOKENS, MAX_TOKENS = 2_000, 8_000
"""Estimated tokens of one answer, when the call does not say and at most."""
MEND = "mend this and call again; nothing was done"
"""What to do about a wrong argument when the error says nothing better."""
CONTENT_LIMIT = 32_000
"""Characters of a written text at most."""


class Arguments(BaseModel):
    """Arguments of one tool."""

    # Built when first used: a server lists the tools of one profile and need not build those of the others.
    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _empty_is_left_out(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        given = cast("dict[str, object]", values)
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        return {name: value for name, value in given.items() if name not in optional or value not in (None, "", [], {})}


def as_list(value: object, *, commas: bool) -> object:
    """Return a text that holds a JSON list, or several words between commas where those are asked for, as a list."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.startswith("["):
        try:
            return json.loads(text)
        except ValueError:
            return [text]
    parts = text.split(",") if commas else [text]
    return [part.strip() for part in parts if part.strip()]


def _one_or_many(value: object) -> object:
    """Names may hold a comma, so a text is one name, or a JSON list."""
    return as_list(value, commas=False)


def _words_or_list(value: object) -> object:
    """Words without commas: a text may list several of them."""
    return as_list(value, commas=True)


def lower(value: object) -> object:
    """Return a text in lower case, anything else as it is."""
    return value.strip().lower() if isinstance(value, str) else value


def moment(value: object) -> datetime:
    """Return the moment a text names; UTC where it has no zone. Raises ValueError."""
    if not isinstance(value, str):
        raise ValueError("is no text; write a time as 2026-05-01 or 2026-05-01T10:30:00Z")
    try:
        found = datetime.fromisoformat(value.strip())
    except ValueError:
        raise ValueError(f"{value!r} is not an ISO 8601 time, as 2026-05-01 or 2026-05-01T10:30:00Z") from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


Word = Annotated[str, Field(min_length=1, max_length=200)]
Name = Annotated[str, Field(min_length=1, max_length=300)]
Id = Annotated[str, Field(min_length=1, max_length=100)]
Names = Annotated[tuple[Name, ...], Field(max_length=50), BeforeValidator(_one_or_many)]
Tags = Annotated[tuple[Word, ...], Field(max_length=50), BeforeValidator(_words_or_list)]
Ids = Annotated[tuple[Id, ...], Field(min_length=1, max_length=100), BeforeValidator(_words_or_list)]
Relations = Annotated[tuple[Annotated[str, Field(max_length=700)], ...], Field(max_length=50), BeforeValidator(_one_or_many)]
RelationNames = Annotated[tuple[Word, ...], Field(max_length=13), BeforeValidator(_words_or_list)]
Moment = Annotated[datetime, BeforeValidator(moment), WithJsonSchema({"type": "string", "maxLength": 40})]
Content = Annotated[str, Field(min_length=1, max_length=CONTENT_LIMIT)]
Reason = Annotated[str, Field(max_length=500)]
Cursor = Annotated[str, Field(max_length=500)]
Share = Annotated[float, Field(ge=0, le=1)]
TokenCount = Annotated[int, Field(ge=200, le=MAX_TOKENS)]

KindName = Annotated[
    Literal["fact", "preference", "action", "result", "constraint", "experience", "strategy"], BeforeValidator(lower)
]
KindOrWorking = Annotated[
    Literal["fact", "preference", "action", "result", "constraint", "experience", "strategy", "working"], BeforeValidator(lower)
]
KindNames = Annotated[tuple[KindName, ...], Field(max_length=8), BeforeValidator(_words_or_list)]
KindsOrWorking = Annotated[tuple[KindOrWorking, ...], Field(max_length=8), BeforeValidator(_words_or_list)]
OutcomeName = Annotated[Literal["success", "failure", "partial"], BeforeValidator(lower)]
DirectionName = Annotated[Literal["out", "in", "both"], BeforeValidator(lower)]

_TIME = "ISO 8601, UTC when no zone is given"


class Write(Arguments):
    """Arguments of memory_write."""

    content: Content = Field(
        description="One plain statement, with names and numbers, in the language it was said in. Longer text is split into"
        " statements. For kind working: a turn of the session, or `goal: …`, `step: …`, `done`, `constraint: …`, `end session`."
    )
    kind: KindOrWorking | None = Field(
        default=None, description="What it is; found from the text when left out. working = this session's scratchpad."
    )
    entities: Names | None = Field(default=None, description="Things it is about; found from the text when left out.")
    relations: Relations | None = Field(
        default=None,
        description="As `A DEPENDS_ON B`. Types: DEPENDS_ON, CAUSES, FIXES, USES, AVOIDS, PREFERS, REPLACES, PART_OF, PRODUCES,"
        " PRECEDES, OWNS, LOCATED_IN, RELATED_TO.",
    )
    confidence: Share | None = Field(default=None, description="How sure you are.")
    tags: Tags = Field(default=(), description="Labels to filter by later.")
    session_id: Word | None = Field(default=None, description="The session it belongs to; needed for kind working.")
    raw_ref: Name | None = Field(default=None, description="Where it was said: a message id, file, URL. Returned as evidence.")
    occurred_at: Moment | None = Field(default=None, description=f"When it happened or began to hold. {_TIME}; now if absent.")
    ttl_days: Annotated[float, Field(ge=0, le=36_500)] | None = Field(
        default=None, description="Days until it expires; 0 = never. By kind when left out."
    )
    idempotency_key: Name | None = Field(default=None, description="Repeating a call with the same key writes once.")


class _Filters(Arguments):
    """The filters that search and list share."""

    entities: Names | None = Field(default=None, description="Mentions one of these.")
    tags: Tags | None = Field(default=None, description="Carries all of these.")
    session_id: Word | None = Field(default=None, description="Of this session.")
    since: Moment | None = Field(default=None, description=f"Happened at or after. {_TIME}.")
    until: Moment | None = Field(default=None, description="Happened before.")
    task_type: Word | None = Field(default=None, description="Of this type of task.")
    outcome: OutcomeName | None = Field(default=None, description="How the task ended.")
    tool: Word | None = Field(default=None, description="In which this tool was used.")
    error_code: Word | None = Field(default=None, description="With this error code.")
    as_of: Moment | None = Field(default=None, description="What was true at that time.")
    include_history: bool = Field(default=False, description="Also superseded, expired and archived memories.")
    max_tokens: TokenCount = Field(default=DEFAULT_TOKENS, description="Size of the answer.")
    cursor: Cursor | None = Field(default=None, description="From the answer before, with the same arguments: goes on there.")


class Search(_Filters):
    """Arguments of memory_search."""

    query: Annotated[str, Field(min_length=1, max_length=4_000)] = Field(
        description="A question or a description of the task, in any language."
    )
    top_k: Annotated[int, Field(ge=1, le=MAX_TOP_K)] = Field(default=10, description="Results at most.")
    kinds: KindsOrWorking | None = Field(
        default=None, description="Only these. working = the session's scratchpad (needs session_id)."
    )
    explain: bool = Field(default=False, description="Adds every part of each score.")


class List(_Filters):
    """Arguments of memory_list."""

    kinds: KindNames | None = Field(default=None, description="Only these.")
    limit: Annotated[int, Field(ge=1, le=MAX_TOP_K)] = Field(default=20, description="Memories at most.")


class Chain(Arguments):
    """Arguments of memory_chain."""

    start: Name = Field(description="A thing by name, or a memory by id.")
    end: Name | None = Field(default=None, description="Only paths that end there.")
    direction: DirectionName = Field(
        default="out", description="out: what it depends on, uses, causes …; in: what depends on it; both."
    )
    relations: RelationNames | None = Field(default=None, description="Only these types, e.g. DEPENDS_ON; all when left out.")
    max_hops: Annotated[int, Field(ge=1, le=6)] = Field(default=4, description="Length of a path at most.")
    as_of: Moment | None = Field(default=None, description="As it was at that time.")
    max_tokens: TokenCount = Field(default=DEFAULT_TOKENS, description="Size of the answer.")


class Update(Arguments):
    """Arguments of memory_update."""

    id: Id = Field(description="The memory's id, from an answer of this server.")
    content: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="What holds now, one statement. Left out: only the confidence changes."
    )
    confidence: Share | None = Field(default=None, description="How sure you are.")
    reason: Reason = Field(default="", description="Why; kept in the audit trail.")


class Forget(Arguments):
    """Arguments of memory_forget."""

    ids: Ids = Field(description="Ids of memories, from answers of this server.")
    reason: Reason = Field(default="", description="Why; kept in the audit trail.")


class Summarize(Arguments):
    """Arguments of memory_summarize."""

    since: Moment | None = Field(default=None, description=f"From then on. {_TIME}.")
    until: Moment | None = Field(default=None, description="Before then.")
    session_id: Word | None = Field(default=None, description="Of this session.")
    entity: Name | None = Field(default=None, description="About this thing.")
    max_tokens: TokenCount = Field(default=500, description="Size of the summary.")


class Status(Arguments):
    """Arguments of memory_status."""

    job_id: Id | None = Field(default=None, description="A job of yours; left out: the memory as a whole.")


def parse(model: type[A], given: Mapping[str, Any]) -> A:
    """Return the arguments of a call.

    Raises:
        InputError: Names every argument that is unknown, missing or wrong, and those there are.
    """
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        findings = error.errors(include_url=False, include_context=False)
        unknown = [str(finding["loc"][0]) for finding in findings if _is_unknown(finding)]
        lines = [_unknown(name, model) for name in unknown]
        lines += [_finding(finding) for finding in findings if not _is_unknown(finding)]
        names = sorted(model.model_fields, key=lambda name: not model.model_fields[name].is_required())
        hint = f"arguments are {', '.join(names)}" if unknown else MEND
        raise InputError("; ".join(lines), hint=hint) from error


def _is_unknown(finding: Mapping[str, Any]) -> bool:
    return finding["type"] == "extra_forbidden" and len(finding["loc"]) == 1


def _unknown(name: str, model: type[Arguments]) -> str:
    near = get_close_matches(name, model.model_fields, n=1)
    return f"unknown argument {name!r}" + (f" (did you mean {near[0]!r}?)" if near else "")


def _finding(finding: Mapping[str, Any]) -> str:
    place = ".".join(str(part) for part in finding["loc"]) or "arguments"
    if finding["type"] == "missing":
        return f"{place} is required"
    if finding["type"] == "extra_forbidden":
        return f"{place} is not known"
    text = str(finding["msg"]).removeprefix("Value error, ")
    given = finding.get("input")
    shown = f" (got {str(given)[:60]!r})" if isinstance(given, str | int | float | bool) else ""
    return f"{place}: {text[:1].lower()}{text[1:]}{shown}"
