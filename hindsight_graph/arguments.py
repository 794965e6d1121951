"""Arguments as callers write them become the types the pipelines take; what is wrong is an InputError that names it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from pydantic import AwareDatetime, BaseModel, TypeAdapter, ValidationError

from hindsight_graph.errors import InputError
from hindsight_graph.models.enums import RelationType
from hindsight_graph.models.write import Unit, relation_type
from hindsight_graph.pipelines.bulk import collector_resting
from hindsight_graph.pipelines.messages import explain

M = TypeVar("M", bound=BaseModel)
E = TypeVar("E", bound=StrEnum)
Moment = datetime | str
"""A point in time: a datetime with a time zone, or ISO 8601 text."""


def validated(model: type[M], **fields: Any) -> M:
    """Return the model; a bad field is an InputError that names it."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise InputError(explain(error)) from error


def listed(values: Iterable[Any] | None, name: str) -> tuple[Any, ...] | None:
    """Return a list argument as a tuple; one text in its place is an InputError."""
    if isinstance(values, str):
        raise InputError(f"{name} takes a list, not one text", hint=f"{name}=[{values!r}]")
    return None if values is None else tuple(values)


def member(vocabulary: type[E], value: str, name: str) -> E:
    """Return the member of a closed vocabulary; raises InputError with the valid ones."""
    try:
        return vocabulary(value)
    except ValueError as error:
        raise InputError(f"unknown {name} {value!r}", hint=f"one of {', '.join(vocabulary)}") from error


def moment(value: Moment | None, name: str) -> datetime | None:
    """Return a moment given as text or datetime; raises InputError for one without a time zone."""
    if value is None:
        return None
    try:
        return TypeAdapter(AwareDatetime).validate_python(value)
    except ValidationError as error:
        raise InputError(
            f"{name}: {explain(error).removeprefix('value: ')}", hint="give a time zone, as in 2026-05-01T10:00:00Z"
        ) from error


def checked_units(units: Iterable[Unit | Mapping[str, Any]]) -> list[Unit]:
    """Return units given as units or as mappings; raises InputError naming the position, from 0, of the first that is wrong."""
    given = list(units)
    checked: list[Unit] = []
    with collector_resting(len(given)):
        for index, unit in enumerate(given):
            if isinstance(unit, Unit):
                checked.append(unit)
                continue
            fields = dict(unit)
            if "text" in fields:
                fields.setdefault("summary", fields.pop("text"))
            try:
                checked.append(Unit.model_validate(fields))
            except ValidationError as error:
                raise InputError(f"unit {index}: {explain(error)}") from error
    return checked


def relation_types(names: Iterable[str] | None) -> tuple[RelationType, ...] | None:
    """Return relation types as people write them; raises InputError."""
    if names is None:
        return None
    try:
        return tuple(RelationType(str(relation_type(name))) for name in listed(names, "relations") or ())
    except ValueError as error:
        raise InputError(str(error)) from error
