"""OpenTelemetry spans that cost a dictionary look-up until the application itself uses OpenTelemetry.

An application that traces has imported `opentelemetry.trace` to set its tracing up. Where nothing did, nobody would see a span,
so none is made, and the package is not even needed.
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Protocol, cast

__all__ = ["Span", "span"]

TRACER = "hindsight_graph"
_MODULE = "opentelemetry.trace"


class Span(Protocol):
    """What is used of an OpenTelemetry span."""

    def set_attribute(self, key: str, value: str | bool | float) -> None:
        """Note a fact: ids and numbers only."""
        ...


class _NoSpan:
    def set_attribute(self, key: str, value: str | bool | float) -> None:
        del key, value


_NO_SPAN = _NoSpan()


@contextmanager
def span(name: str) -> Generator[Span]:
    """Give a span for the length of a block; errors that leave the block are recorded by type only."""
    trace = cast("Any", sys.modules.get(_MODULE))
    if trace is None:
        yield _NO_SPAN
        return
    with trace.get_tracer(TRACER).start_as_current_span(name, record_exception=False, set_status_on_exception=False) as current:
        try:
            yield current
        except BaseException as error:
            current.set_attribute("error.type", type(error).__name__)
            current.set_status(trace.StatusCode.ERROR)
            raise
