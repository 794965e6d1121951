"""The JSON Schema of a tool's arguments in the form every client takes: one plain object, no `$ref`, no unions, no titles."""

from typing import Any, cast

from hindsight_graph.api.mcp.arguments import Arguments

_LEFT_OUT = frozenset({"title", "minLength"})
"""What only costs tokens; an empty text is still refused."""


def input_schema(model: type[Arguments]) -> dict[str, Any]:
    """Return the schema: what is required first, what is optional as a plain type, definitions where they are used."""
    schema = model.model_json_schema()
    definitions: dict[str, Any] = schema.pop("$defs", {})
    flat = cast("dict[str, Any]", _flat(schema, definitions))
    flat.pop("description", None)
    required: list[str] = flat.get("required", [])
    properties: dict[str, Any] = flat.pop("properties")
    first = {name: properties[name] for name in required}
    return {**flat, "properties": {**first, **properties}}


def _flat(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_flat(item, definitions) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    given = cast("dict[str, Any]", node)
    if "$ref" in given:
        target = definitions[str(given["$ref"]).rpartition("/")[2]]
        return _flat({**target, **{key: value for key, value in given.items() if key != "$ref"}}, definitions)
    if "anyOf" in given:
        (only,) = [option for option in given["anyOf"] if option != {"type": "null"}]
        rest = {key: value for key, value in given.items() if key not in ("anyOf", "default")}
        return _flat({**only, **rest}, definitions)
    plain: dict[str, Any] = {}
    for key, value in given.items():
        if key == "properties":
            plain[key] = {name: _flat(item, definitions) for name, item in cast("dict[str, Any]", value).items()}
        elif key not in _LEFT_OUT and not (key == "default" and value in (None, [], "")):
            plain[key] = _flat(value, definitions)
    return plain
