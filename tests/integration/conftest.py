"""A memory on a file of its own, with a clock that only tests move, and a deadline that a busy machine does not reach."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.testing.patience import patient_settings


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 5, 1, 9, 0, tzinfo=UTC))


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'memory.db'}"


@pytest.fixture
def memory(store_url: str, clock: ManualClock) -> Iterator[HindsightGraph]:
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as opened:
        yield opened
