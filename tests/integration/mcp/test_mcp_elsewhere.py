"""`hindsight-graph mcp` before a running service (HINDSIGHT_API_URL): the same tools, the service's memory, keys and words."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.integration.mcp.answers import ask, refused
from tests.integration.mcp.connect import COMMAND


@contextmanager
def service(folder: Path) -> Generator[str]:
    """Run the service on a store of its own; yields where it is."""
    command = [COMMAND, "serve", "--port", "0", "--store", f"sqlite:///{folder / 'memory.db'}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=PIPE, text=True)
    try:
        assert process.stderr is not None
        log = ""
        while "Memory service ready" not in log:
            log += process.stderr.readline()
        found = re.search(r"Server started on port (\d+)", log)
        assert found is not None
        yield f"http://127.0.0.1:{found[1]}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


def new_key(folder: Path) -> str:
    """Make a key that may read; returns its token."""
    command = [COMMAND, "keys", "create", "agent", "--scope", "read", "--store", f"sqlite:///{folder / 'memory.db'}", "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["token"]


def before(url: str, *words: str, key: str = "") -> StdioServerParameters:
    """Return what a client starts to reach the service."""
    environ = {**os.environ, "HINDSIGHT_API_URL": url, "HINDSIGHT_API_KEY": key}
    return StdioServerParameters(
        command=COMMAND, args=["mcp", *words], env={name: text for name, text in environ.items() if text}
    )


@pytest.mark.requirement("O-03", "A-02")
async def test_what_one_agent_writes_through_a_service_another_finds_there(tmp_path: Path) -> None:
    with service(tmp_path) as url:
        async with Client(before(url), mode="legacy") as client:
            assert len((await client.list_tools()).tools) == 10
            written = await ask(client, "memory_write", content="The ledger runs on port 5433.")
        async with Client(before(url + "/mcp")) as client:
            found = await ask(client, "memory_search", query="which port does the ledger run on?")
            assert [hit["id"] for hit in found.data["results"]] == written.data["ids"]
            missing = await refused(client, "memory_update", id="01890000-0000-7000-8000-000000000000", content="x y")
            assert "no memory" in missing.text
            assert "colour" in (await refused(client, "memory_search", query="ledger", colour="red")).text


@pytest.mark.requirement("O-03", "T-02")
async def test_the_service_asks_for_its_key_and_the_tool_says_which_variable_carries_it(tmp_path: Path) -> None:
    token = new_key(tmp_path)
    with service(tmp_path) as url:
        async with Client(before(url, key="hg_wrong")) as client:
            said = (await refused(client, "memory_search", query="ledger")).text
            assert "refuses the key (401)" in said
            assert "HINDSIGHT_API_KEY" in said
        async with Client(before(url, key=token)) as client:
            assert (await ask(client, "memory_search", query="ledger")).data["results"] == []
            said = (await refused(client, "memory_write", content="The ledger runs on port 5433.")).text
            assert "scope write" in said


@pytest.mark.requirement("O-03")
async def test_a_service_that_is_not_there_is_told_by_the_tool_and_found_once_it_runs(tmp_path: Path) -> None:
    async with Client(before("http://127.0.0.1:9")) as client:
        said = (await refused(client, "memory_status")).text
        assert "no answer from http://127.0.0.1:9/mcp" in said
        assert "hindsight-graph serve" in said


@pytest.mark.requirement("O-03")
async def test_options_that_the_service_decides_on_are_refused_rather_than_ignored() -> None:
    async with Client(before("http://127.0.0.1:9", "--agent", "a1")) as client:
        said = (await refused(client, "memory_status")).text
        assert "drop --store, --agent and --tenant" in said
