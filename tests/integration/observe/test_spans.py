"""Spans: none and no import where nobody traces; one tree per call where somebody does."""

import subprocess
import sys
from pathlib import Path

CALLS = """
import asyncio
from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.errors import NotFoundError
from hindsight_graph.settings import Settings

async def calls():
    settings = Settings.model_validate({"recall": {"deadline_ms": 60_000}})
    async with AsyncHindsightGraph("sqlite:///memory.db", embedder="hashing", settings=settings) as memory:
        await memory.remember("The ferry depends on the slipway.", relations=["ferry DEPENDS_ON slipway"])
        await memory.recall("ferry")
        try:
            await memory.chain("nobody")
        except NotFoundError:
            pass

"""

QUIET = (
    CALLS
    + """
import sys
asyncio.run(calls())
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""
)

TRACED = (
    CALLS
    + """
from contextlib import contextmanager
from opentelemetry import trace

class Span(trace.NonRecordingSpan):
    def __init__(self, name, parent):
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self.name, self.parent = name, parent
    def set_attribute(self, key, value):
        if key != "hindsight_graph.degraded":
            print(f"{self.name} {key}={value}")

class Tracer(trace.NoOpTracer):
    @contextmanager
    def start_as_current_span(self, name, *arguments, **named):
        parent = getattr(trace.get_current_span(), "name", "-")
        print(f"{parent} > {name}")
        with trace.use_span(Span(name, parent), record_exception=False, set_status_on_exception=False) as span:
            yield span

class Provider(trace.NoOpTracerProvider):
    def get_tracer(self, *arguments, **named):
        return Tracer()

trace.set_tracer_provider(Provider())
asyncio.run(calls())
"""
)


def run(code: str, folder: Path) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_where_nobody_traces_the_package_is_not_even_imported(tmp_path: Path) -> None:
    assert run(QUIET, tmp_path) == ["[]"]


def test_where_somebody_traces_each_call_is_a_span_with_its_stages_inside(tmp_path: Path) -> None:
    lines = run(TRACED, tmp_path)
    assert "- > hindsight_graph.remember" in lines
    assert "hindsight_graph.remember hindsight_graph.memories=1" in lines
    assert "hindsight_graph.remember > hindsight_graph.embed_passages" in lines
    assert "- > hindsight_graph.recall" in lines
    assert "hindsight_graph.recall > hindsight_graph.recall.plan" in lines
    assert "hindsight_graph.recall.embed > hindsight_graph.embed_question" in lines
    assert "hindsight_graph.recall hindsight_graph.results=1" in lines
    assert "hindsight_graph.chain error.type=NotFoundError" in lines
