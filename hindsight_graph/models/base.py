"""What every model shares: frozen, closed, aware times, clean text."""

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict

SUMMARY_LIMIT = 200
"""Characters in a summary at most (promise M-03)."""
TEXT_LIMIT = 1_000_000
"""Characters in one message or document at most; longer input is refused, never cut."""


class Model(BaseModel):
    """A frozen value without I/O; unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


M = TypeVar("M", bound=BaseModel)
_NOTHING_SET: set[str] = set()
_new_instance = object.__new__
_set_values: Callable[[BaseModel, dict[str, Any]], None] = BaseModel.__dict__["__dict__"].__set__
_set_names: Callable[[BaseModel, set[str]], None] = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra: Callable[[BaseModel, None], None] = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private: Callable[[BaseModel, None], None] = BaseModel.__dict__["__pydantic_private__"].__set__


def trusted(model: type[M], fields: dict[str, Any]) -> M:
    """Return a model of fields that are known to be right, without validation: for rows read back and values just computed.

    About ten times as fast as `model_construct`, which matters where thousands are made at once. Every field must be given.
    """
    made = _new_instance(model)
    _set_values(made, fields)
    _set_names(made, _NOTHING_SET)
    _set_extra(made, None)
    _set_private(made, None)
    return made


def to_utc(moment: datetime) -> datetime:
    """Return `moment` in UTC; raises ValueError when its year is not 1 to 9999 there."""
    if moment.tzinfo is UTC:
        return moment
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{moment.isoformat()} is outside the years 1 to 9999 in UTC") from error


_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def first_unstorable(text: str) -> tuple[int, str] | None:
    """Return position and name of the first character no store keeps: NUL, other controls, lone surrogates.

    Tab, line feed and carriage return are text.
    """
    found = _UNSTORABLE.search(text)
    if found is None:
        return None
    kind = "lone surrogate" if "\ud800" <= found[0] <= "\udfff" else "control character"
    return found.start(), f"{kind} U+{ord(found[0]):04X}"


def check_text(text: str) -> str:
    """Return `text` normalised to NFC; raises ValueError when it holds a character that cannot be stored."""
    if text.isascii() and text.isprintable():
        return text
    found = first_unstorable(text)
    if found is not None:
        raise ValueError(f"{found[1]} at position {found[0]}; remove it and try again")
    return unicodedata.normalize("NFC", text)


_UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
"""Unicode categories of what leaves no mark: controls, format characters (zero-width ones, soft hyphen), spaces."""


def is_visible(text: str) -> bool:
    """Tell whether `text` has a character that a person can see; one that this Python's Unicode does not know yet counts."""
    return any(unicodedata.category(character) not in _UNSEEN for character in text)


def _clean(value: object) -> object:
    if isinstance(value, bytes):
        raise ValueError("is bytes; decode it to text first")
    return check_text(value) if isinstance(value, str) else value


def _words(value: object) -> object:
    if not isinstance(value, str):
        return _clean(value)
    text = value.strip()
    if text.isascii() and text.isprintable() and text:  # most are: what `check_text` finds out, without the call
        return text
    if not text:
        raise ValueError("is empty; give it at least one character that is not white space")
    checked = check_text(text)
    if not is_visible(checked):
        first = f"U+{ord(checked[0]):04X}"
        raise ValueError(f"shows nothing (only invisible characters such as {first}); give it one that can be read")
    return checked


Text = Annotated[str, BeforeValidator(_clean)]
"""Any storable text, possibly empty."""
Words = Annotated[str, BeforeValidator(_words)]
"""Storable text with at least one visible character; outer white space is removed."""
UtcDatetime = Annotated[AwareDatetime, AfterValidator(to_utc)]
"""A moment with a time zone, kept in UTC; naive ones are refused."""
