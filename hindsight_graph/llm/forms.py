"""The forms of answers: JSON schemas in which everything is bounded, and the JSON that is found in a model's words."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

__all__ = ["JsonNotFoundError", "bounded_schema", "find_json", "read_answer"]

M = TypeVar("M", bound=BaseModel)
_SEARCHED = 100_000
"""Characters of an answer that are looked through."""
_OPENINGS = 64
"""Opening braces tried before the search is given up."""
_DROPPED = frozenset({"title", "default", "description"})
"""Keywords that say nothing a model needs, and that some gateways refuse."""


class JsonNotFoundError(ValueError):
    """An answer holds no JSON object of the wanted form; its message tells the model what is wrong."""


def bounded_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model, without references, closed, every property required.

    Raises:
        ValueError: A string or an array in it has no upper bound: a model that loops would fill it for ever.
    """
    whole = model.model_json_schema()
    return cast("dict[str, Any]", _closed(whole, whole.get("$defs", {}), model.__name__))


def _closed(node: Any, definitions: Mapping[str, Any], path: str) -> Any:
    if isinstance(node, list):
        return [_closed(item, definitions, path) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    fields = cast("dict[str, Any]", node)
    if "$ref" in fields:
        return _closed(definitions[str(fields["$ref"]).rsplit("/", 1)[-1]], definitions, path)
    if fields.get("type") == "string" and "enum" not in fields and "const" not in fields and "maxLength" not in fields:
        raise ValueError(f"the string {path} has no maxLength")
    if fields.get("type") == "array" and "maxItems" not in fields:
        raise ValueError(f"the array {path} has no maxItems")
    made: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "properties":
            made[name] = {key: _closed(inner, definitions, f"{path}.{key}") for key, inner in value.items()}
        elif name not in _DROPPED and name != "$defs":
            made[name] = _closed(value, definitions, f"{path}[]" if name == "items" else path)
    if fields.get("type") == "object":
        made["additionalProperties"] = False
        made["required"] = list(fields.get("properties", {}))
    return made


def find_json(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text from its start: bare, fenced, or between other words; thoughts are skipped."""
    searched = text[:_SEARCHED]
    thought = searched.rfind("</think>")
    if thought >= 0:
        searched = searched[thought + len("</think>") :]
    decoder = json.JSONDecoder()
    at = searched.find("{")
    for _ in range(_OPENINGS):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(searched, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict):
                yield cast("dict[str, Any]", value)
        at = searched.find("{", end)


def read_answer(text: str, form: type[M], *, is_cut: bool) -> M:
    """Return the answer in a model's words.

    Raises:
        JsonNotFoundError: There is none; says why, in words that the model can be asked again with.
    """
    if not text.strip():
        raise JsonNotFoundError("the answer was empty")
    faults: list[str] = []
    for value in find_json(text):
        try:
            return form.model_validate(value)
        except ValidationError as error:
            faults.append(_explained(error.errors(include_url=False, include_context=False)))
    if is_cut:
        raise JsonNotFoundError("the answer was cut before its JSON ended; answer more briefly")
    raise JsonNotFoundError(faults[0] if faults else "the answer holds no whole JSON object")


def _explained(errors: Sequence[Mapping[str, Any]]) -> str:
    shown = [f"{'.'.join(map(str, error['loc'])) or 'the object'}: {error['msg']}" for error in errors[:5]]
    return "; ".join(shown)[:500]
