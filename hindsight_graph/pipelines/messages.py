"""Messages as people have them - our own form, OpenAI chat form - to `Message`."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from hindsight_graph.errors import InputError
from hindsight_graph.models.base import is_visible
from hindsight_graph.models.episode import Message, ToolCall
from hindsight_graph.text.recalled import is_memory_tool

_IGNORED = frozenset({"refusal", "audio", "annotations", "function_call"})
"""Keys of the OpenAI form that carry nothing for a memory when empty."""


def explain(error: ValidationError) -> str:
    """Return the first finding of a validation in one line: where, and what."""
    finding = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in finding["loc"]) or "value"
    text = finding["msg"].removeprefix("Value error, ")
    given = finding.get("input")
    shown = f" (got {str(given)[:60]!r})" if isinstance(given, str | int | float | bool) else ""
    return f"{place}: {text}{shown}"


def parse_messages(raw: Iterable[Message | Mapping[str, Any]]) -> tuple[Message, ...]:
    """Return the messages; tool results without a name get it from the call they answer, those of our own tools are `recalled`.

    Raises:
        InputError: A message is malformed; names its position from 0, the field and what is wrong. Nothing was written.
    """
    given: Any = raw
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError("messages must be a list of messages", hint='[{"role": "user", "content": "..."}]')
    messages: list[Message] = []
    tools: dict[str, str] = {}
    for index, item in enumerate(raw):
        message = item if isinstance(item, Message) else _parse(index, item)
        for call in message.tool_calls:
            if call.id:
                tools[call.id] = call.name
        if message.role == "tool" and message.name is None and message.tool_call_id in tools:
            message = message.model_copy(update={"name": tools[message.tool_call_id]})
        if message.role == "tool" and is_memory_tool(message.name):
            message = message.model_copy(update={"recalled": True})
        messages.append(message)
    return tuple(messages)


def _parse(index: int, item: object) -> Message:
    if not isinstance(item, Mapping):
        raise InputError(f"message {index} is {type(item).__name__}, not a mapping", hint='{"role": "user", "content": "..."}')
    fields = _text_keys(item)  # pyright: ignore[reportUnknownArgumentType]
    for key in _IGNORED & fields.keys():
        if not fields[key]:
            del fields[key]
    try:
        if "content" in fields:
            fields["content"] = _content(fields["content"])
        if fields.get("tool_calls"):
            fields["tool_calls"] = tuple(_tool_call(call) for call in fields["tool_calls"])
        else:
            fields.pop("tool_calls", None)
        message = Message.model_validate(fields)
    except ValidationError as error:
        raise InputError(f"message {index}: {explain(error)}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"message {index}: {error}") from error
    if not is_visible(message.content) and not message.tool_calls:
        raise InputError(f"message {index} has neither content nor tool calls", hint="leave it out, or give it words")
    return message


def _content(value: object) -> str:
    """Return the words of `content`: text, None, or the OpenAI list of parts."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        texts: list[str] = []
        for part in value:  # pyright: ignore[reportUnknownVariableType]
            if not isinstance(part, Mapping) or part.get("type") not in ("text", "input_text", "output_text"):  # pyright: ignore[reportUnknownMemberType]
                kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportUnknownArgumentType]
                raise ValueError(f"content part {kind!r} is not text; hand it over as a raw_ref with a media_type")
            texts.append(str(part["text"]))  # pyright: ignore[reportUnknownArgumentType]
        return "\n".join(texts)
    raise ValueError(f"content is {type(value).__name__}, not text")


def _tool_call(value: object) -> ToolCall:
    """Return a call from our form or from OpenAI's {"id", "type", "function": {"name", "arguments"}}."""
    if isinstance(value, ToolCall):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"a tool call is {type(value).__name__}, not a mapping")
    given = _text_keys(value)  # pyright: ignore[reportUnknownArgumentType]
    function = _text_keys(given["function"]) if isinstance(given.get("function"), Mapping) else given
    if "name" not in function:
        raise ValueError("a tool call has no name")
    arguments = function.get("arguments", "")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    return ToolCall.model_validate({"id": given.get("id"), "name": function["name"], "arguments": text})


def _text_keys(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): item for key, item in value.items()}


def describe_call(call: ToolCall, limit: int) -> str:
    """Return `Called get_order(order_id=17)` in at most `limit` characters; values that do not fit leave their names."""
    try:
        arguments: object = json.loads(call.arguments) if call.arguments.strip() else {}
    except ValueError:
        arguments = {"text": call.arguments}
    pairs = _text_keys(arguments) if isinstance(arguments, dict) else {"value": arguments}  # pyright: ignore[reportUnknownArgumentType]
    shown = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in pairs.items())
    for inside in (shown, ", ".join(pairs), f"{len(pairs)} arguments"):
        text = " ".join(f"Called {call.name}({inside})".split())
        if len(text) <= limit:
            return text
    return f"Called {call.name}"[:limit]
