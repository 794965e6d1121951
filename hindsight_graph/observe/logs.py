"""Log lines: one per event, ids and numbers only, with the id of the request they belong to; as text or as JSON.

At `debug` every call and every stage of it has a line; at `info` what fell short, at `warning` a breaker's
change. No line holds a text of a memory, a message or a question.
"""

import logging
import re
import sys
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import asdict
from typing import Any, Literal, TextIO

from hindsight_graph.errors import MissingExtraError
from hindsight_graph.observe.events import (
    BreakerChanged,
    ChainAnswered,
    ContradictionsFound,
    Embedded,
    Event,
    LlmAsked,
    RecallAnswered,
    Written,
)

__all__ = ["REQUEST_ID", "LogObserver", "configure_logging", "is_request_id"]

REQUEST_ID: ContextVar[str | None] = ContextVar("hindsight_graph_request_id", default=None)
"""The request being answered: set by the served faces, in every log line."""
LogFormat = Literal["text", "json"]
LOGGER = "hindsight_graph"
_LOG = logging.getLogger(f"{LOGGER}.events")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:\-]{1,64}")
_STANDARD = frozenset({*logging.makeLogRecord({}).__dict__, "message", "asctime", "taskName"})
"""What every record carries; the rest is what a line adds."""


def is_request_id(text: str) -> bool:
    """Whether a caller's request id may be taken over: up to 64 letters, digits and `._:-`."""
    return _REQUEST_ID.fullmatch(text) is not None


class LogObserver:
    """Writes a line per event."""

    def observe(self, event: Event) -> None:
        """Write the event's line, and at debug the lines of its stages."""
        level, message = _headline(event)
        if not _LOG.isEnabledFor(level):
            return
        fields = {name: value for name, value in asdict(event).items() if value not in ("", None, (), {}) and name != "stages"}
        _LOG.log(level, message, extra=_rounded(fields))
        if isinstance(event, RecallAnswered) and _LOG.isEnabledFor(logging.DEBUG):
            for stage in event.stages:
                extra = {"stage": stage.name, "seconds": stage.seconds, "degraded": stage.degraded, **stage.counts}
                _LOG.debug("recall stage", extra=_rounded(extra))


def _headline(event: Event) -> tuple[int, str]:
    """Return the level and the words of an event's line."""
    if isinstance(event, BreakerChanged):
        return logging.WARNING, "breaker changed"
    if isinstance(event, Embedded):
        return logging.DEBUG, "embedded"
    if isinstance(event, ContradictionsFound):
        return logging.WARNING, "contradicting strategies await review"
    if isinstance(event, LlmAsked):
        return (logging.INFO, "llm failed") if event.failed else (logging.DEBUG, "llm answered")
    if isinstance(event, Written):
        return logging.DEBUG, "write failed" if event.failed else "written"
    assert isinstance(event, RecallAnswered | ChainAnswered)
    what = "recall" if isinstance(event, RecallAnswered) else "chain"
    if event.failed:
        return logging.DEBUG, f"{what} failed"
    return (logging.INFO, f"{what} degraded") if event.degraded else (logging.DEBUG, f"{what} answered")


def _rounded(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in fields.items()}


class _WithRequest(logging.Filter):
    """Adds the request's id to each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = REQUEST_ID.get()
        if request is not None:
            record.request_id = request
        return True


class TextFormatter(logging.Formatter):
    """Time, level, logger, message, and what the line adds as name=value."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the standard library's name
        """Return the line without a traceback."""
        added = [f"{name}={value}" for name, value in record.__dict__.items() if name not in _STANDARD]
        return " ".join([super().formatMessage(record), *added])


def configure_logging(
    level: str = "info", form: LogFormat = "text", *, stream: TextIO | None = None, loggers: Iterable[str] = (LOGGER,)
) -> logging.Handler:
    """Send the lines of these loggers to a stream; calling it again replaces what it set before.

    Args:
        level: debug, info, warning or error.
        form: text for people, json for collectors: one object a line.
        stream: stderr when absent.
        loggers: Ours; a server adds its own (`uvicorn`).

    Raises:
        MissingExtraError: JSON without python-json-logger.
    """
    handler = _Ours(stream or sys.stderr)
    handler.setFormatter(_json_formatter() if form == "json" else TextFormatter())
    handler.addFilter(_WithRequest())
    for name in loggers:
        logger = logging.getLogger(name)
        for old in [one for one in logger.handlers if isinstance(one, _Ours)]:
            logger.removeHandler(old)
        logger.addHandler(handler)
        logger.setLevel(level.upper())
    return handler


class _Ours(logging.StreamHandler[TextIO]):
    """A handler that `configure_logging` set, and may replace."""


def _json_formatter() -> logging.Formatter:
    try:
        from pythonjsonlogger.json import JsonFormatter  # noqa: PLC0415 - an optional package
    except ImportError as error:
        raise MissingExtraError(
            "log_format json needs python-json-logger", hint="pip install 'hindsight-graph[server]'"
        ) from error
    return JsonFormatter(
        "%(levelname)s %(name)s %(message)s",
        rename_fields={"levelname": "level", "name": "logger"},
        timestamp="time",
        json_ensure_ascii=False,
    )
