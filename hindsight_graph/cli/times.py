"""Times as people type them, and as they are shown: the local zone, unless said otherwise."""

from datetime import datetime

from hindsight_graph.errors import InputError

TIME_HELP = "ISO 8601; without a zone it is local time, a date is its first moment."


def parse_time(text: str | None, option: str) -> datetime | None:
    """Return the moment that `text` names, aware; None for None.

    Raises:
        InputError: Not ISO 8601; names the option and the value.
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            f"{option} {text!r} is not an ISO 8601 time", hint="as 2026-05-01, 2026-05-01T10:30 or 2026-05-01T10:30:00+08:00"
        ) from None
    try:
        return moment.astimezone()
    except (ValueError, OverflowError, OSError):
        raise InputError(f"{option} {text!r} is out of range", hint="years 1 to 9999") from None


def show_time(moment: datetime) -> str:
    """Return a moment in local time, to the minute."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def show_date(moment: datetime) -> str:
    """Return the local day of a moment."""
    return f"{moment.astimezone():%Y-%m-%d}"
