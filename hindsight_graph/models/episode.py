"""Episodes: what was said or done, verbatim. The only evidence."""

from typing import Any

from pydantic import Field, field_validator

from hindsight_graph.models.base import TEXT_LIMIT, Model, Text, UtcDatetime, Words
from hindsight_graph.models.enums import Origin


class ToolCall(Model):
    """One call of a tool inside a message, in the OpenAI message form flattened.

    Attributes:
        id: The caller's id of this call; a result names it as `tool_call_id`.
        name: The tool.
        arguments: As sent: JSON text.
    """

    id: str | None = None
    name: Words
    arguments: Text = ""


class Message(Model):
    """One message of a conversation, as a caller hands it over.

    Attributes:
        role: `user`, `assistant`, `tool`, `system`, `document`, or another word of the caller's.
        name: Who spoke, or the tool's name.
        content: The words; may be empty only when there are tool calls.
        occurred_at: When; the time of the call when absent.
        raw_ref: The caller's name for this message, returned as evidence.
        recalled: True for text that came out of this memory: kept as evidence, never extracted from.
    """

    role: Words = "user"
    name: Words | None = None
    content: Text = Field(default="", max_length=TEXT_LIMIT)
    occurred_at: UtcDatetime | None = None
    raw_ref: Words | None = None
    session_id: Words | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    media_type: Words | None = None
    recalled: bool = False


class Episode(Model):
    """A committed message: immutable except for erasure.

    Attributes:
        id: UUIDv7.
        sequence: Order inside its session, from 0.
        occurred_at: Event time; recorded_at: record time.
        content_hash: Hex SHA-256 of role, name, content, tool calls, raw_ref, session and occurred_at.
        payload: Anything else the caller attached; JSON.
    """

    id: str
    agent_id: str | None = None
    session_id: str | None = None
    sequence: int = 0
    role: str
    name: str | None = None
    content: Text
    occurred_at: UtcDatetime
    recorded_at: UtcDatetime
    raw_ref: str | None = None
    origin: Origin
    trust: float = Field(ge=0, le=1)
    media_type: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    recalled: bool = False
    content_hash: str
    payload: dict[str, Any] = {}

    @field_validator("tool_calls", mode="before")
    @classmethod
    def _list_is_fine(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
