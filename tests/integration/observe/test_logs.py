"""Log lines: every stage is there at debug, and no line ever holds what was remembered or asked."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.errors import HindsightGraphError
from hindsight_graph.observe.logs import configure_logging
from hindsight_graph.settings import Settings

SECRET = "hunter2-zanzibar"
PATIENT = Settings.model_validate({"recall": {"deadline_ms": 60_000}, "chain": {"deadline_ms": 60_000}})


@pytest.fixture
def everything() -> Iterator[io.StringIO]:
    """All that any logger of this process says, at debug."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s %(__dict__)s", validate=False))
    handler.format = lambda record: f"{record.getMessage()} {record.__dict__}"  # type: ignore[method-assign]
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    ours = configure_logging("debug", "text", stream=stream)
    try:
        yield stream
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        logging.getLogger("hindsight_graph").removeHandler(ours)


@pytest.mark.requirement("T-07")
async def test_no_line_holds_what_was_said_or_asked(store_url: str, everything: io.StringIO) -> None:
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=PATIENT) as memory:
        kept = await memory.remember(
            f"The password of {SECRET} is {SECRET}.", tags=[SECRET], relations=[f"{SECRET} USES {SECRET}x"]
        )
        await memory.retain([{"role": "user", "content": f"{SECRET} depends on the {SECRET} vault."}], session_id=SECRET)
        await memory.recall(f"What is {SECRET}?", top_k=1)
        await memory.recall(SECRET, entities=[f"no such {SECRET}"])
        await memory.chain(SECRET)
        await memory.update(kept.memories[0].id, f"The password of {SECRET} is now {SECRET}.", reason=SECRET)
        await memory.session(SECRET).append(f"turn about {SECRET}")
        for wrong in (
            memory.chain(f"nobody {SECRET}"),
            memory.remember("x", kind=SECRET),
            memory.recall(SECRET, profile=SECRET),
            memory.recall(SECRET, cursor=SECRET),
            memory.recall(SECRET, deadline_ms=0),
        ):
            with pytest.raises(HindsightGraphError):
                await wrong
        await memory.recall(f"degraded {SECRET}", deadline_ms=1)
    said = everything.getvalue()
    assert "recall answered" in said
    assert "write failed" not in said
    assert "recall failed" in said
    assert "hunter2" not in said
    assert "zanzibar" not in said


@pytest.mark.requirement("T-07")
async def test_at_debug_every_stage_of_a_recall_has_a_line_with_its_numbers(store_url: str) -> None:
    stream = io.StringIO()
    configure_logging("debug", "json", stream=stream)
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=PATIENT) as memory:
        await memory.remember("The ferry is late.")
        answer = await memory.recall("ferry")
    configure_logging()
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    stages = [line for line in lines if line["message"] == "recall stage"]
    assert [line["stage"] for line in stages] == [stage.name for stage in answer.trace.stages]
    keyword = next(line for line in stages if line["stage"] == "keyword")
    assert keyword["candidates"] == 1
    assert keyword["seconds"] > 0
    done = next(line for line in lines if line["message"] == "recall answered")
    assert done["memory_ids"] == [answer.results[0].id]
    assert {"time", "level", "logger"} <= set(done)


async def test_at_info_an_ordinary_call_says_nothing(store_url: str) -> None:
    stream = io.StringIO()
    configure_logging("info", "text", stream=stream)
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=PATIENT) as memory:
        await memory.remember("The ferry is late.")
        await memory.recall("ferry")
        await memory.recall("boat", deadline_ms=1)
    configure_logging()
    assert [line.split("hindsight_graph.events: ")[1].split(" ")[:2] for line in stream.getvalue().splitlines()] == [
        ["recall", "degraded"]
    ]
