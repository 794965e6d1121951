"""How much one request may carry: bounded texts, lists, depths, and closed models."""

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from hindsight_graph.models.base import Model, Text, Words

TEXT_BYTES = 32_768
"""Bytes of UTF-8 in one text at most."""
MAX_RESULTS = 50
"""Results of one search at most."""
MAX_ROWS = 200
"""Rows of one page at most."""
MAX_PATHS = 200
"""Paths in one graph answer at most."""
MAX_UNITS = 200
"""Units or messages in one request at most."""
MAX_NAMES = 100
"""Names, tags or relations in one list at most."""
MAX_DEPTH = 16
"""Levels of mappings and lists in a payload at most."""
NAME_LENGTH = 200
"""Characters of a name, an id, a tag at most."""


class Body(Model):
    """What a request may say: unknown fields and numbers that are none are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def example(**fields: Any) -> ConfigDict:
    """Return the configuration of a body with an example for the OpenAPI."""
    return ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, json_schema_extra={"examples": [fields]})


def _short_enough(text: str) -> str:
    size = len(text.encode("utf-8"))
    if size > TEXT_BYTES:
        raise ValueError(f"has {size} bytes in UTF-8, at most {TEXT_BYTES}; send it in parts")
    return text


def _shallow(value: dict[str, Any]) -> dict[str, Any]:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for item in level for inner in _inside(item)]
        if not level:
            return value
    raise ValueError(f"is nested deeper than {MAX_DEPTH} levels; flatten it")


def _inside(value: Any) -> list[Any]:
    inner: list[Any] = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return [item for item in inner if isinstance(item, dict | list)]


LongText = Annotated[Words, Field(max_length=TEXT_BYTES), AfterValidator(_short_enough)]
"""A text of at most 32 kB, with at least one character that is not white space."""
AnyText = Annotated[Text, Field(max_length=TEXT_BYTES), AfterValidator(_short_enough)]
"""A text of at most 32 kB, possibly empty."""
Name = Annotated[Words, Field(max_length=NAME_LENGTH)]
"""A name, an id, a tag: at most 200 characters."""
Reason = Annotated[Text, Field(max_length=500)]
"""Why, for the audit trail: at most 500 characters."""
Payload = Annotated[dict[str, Any], AfterValidator(_shallow)]
"""A JSON mapping of at most 16 levels."""
Token = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
"""A cursor."""
Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]
"""An idempotency key: 1 to 200 visible ASCII characters."""
