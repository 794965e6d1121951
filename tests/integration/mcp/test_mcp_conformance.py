"""The protocol's own conformance suite against our server: what fits runs, what does not is listed with the reason.

Needs npm; without it these tests skip with the install line, except where `CI=true`: there they fail. The stable suite needs
Node 22 (it imports `globSync`), so a Node of that age comes along as a package where the machine's own is older.
"""

import asyncio
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hindsight_graph.api.mcp.arguments import Arguments
from hindsight_graph.api.mcp.http import mcp_app
from hindsight_graph.api.mcp.render import Reply
from hindsight_graph.api.mcp.table import PROFILES, Profile, ToolEntry
from hindsight_graph.errors import InputError
from tests.integration.mcp.connect import opened, served

STABLE, NEXT = "0.1.16", "0.2.0-alpha.12"
"""Versions of the suite: the stable one ends with the revision 2025-11-25, the other one knows 2026-07-28."""
SUITES = {"2025-11-25": STABLE, "2026-07-28": NEXT}
FITS = {
    "2025-11-25": (
        "server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-error", "dns-rebinding-protection",
    ),
    "2026-07-28": (
        "tools-list", "tools-call-simple-text", "tools-call-error", "http-header-validation", "dns-rebinding-protection",
        "input-required-result-unsupported-methods",
    ),
}  # fmt: skip
"""Scenarios that pass."""

_MEDIA = "our tools answer in words and JSON; there is no image, sound or resource to return"
_ASKING = "tools ask nothing back in the middle of a call: a stateless server has no way to, and no tool needs it"
_RESOURCES = "memories are tools' answers, not resources; resources are not announced"
_PROMPTS = "there are no prompts, and none are announced"
_STREAM = "answers are plain JSON without event streams"
_TASKS = "long work is a durable job of ours that memory_status tells about; the extension is not announced"
DOES_NOT_FIT: Mapping[str, str] = {
    "logging-set-level": "logs go to the operator, not to clients; the capability is deprecated and not announced",
    "completion-complete": "there is nothing to complete: no prompts and no resource templates",
    "tools-call-image": _MEDIA,
    "tools-call-audio": _MEDIA,
    "tools-call-embedded-resource": _MEDIA,
    "tools-call-mixed-content": _MEDIA,
    "tools-call-with-logging": _STREAM,
    "tools-call-with-progress": _STREAM,
    "tools-call-sampling": _ASKING,
    "tools-call-elicitation": _ASKING,
    "elicitation-sep1034-defaults": _ASKING,
    "elicitation-sep1330-enums": _ASKING,
    "json-schema-2020-12": "asks for a tool with $defs and $ref; ours are flat on purpose, since not every client resolves them",
    "server-sse-polling": _STREAM,
    "server-sse-multiple-streams": _STREAM,
    "server-session-lifecycle": "the server is stateless: it opens no session, so none can be resumed or ended",
    "server-stateless": "passes but for 4 checks that call diagnostic tools of the suite (test_missing_capability and others)",
    "caching": "tools/list passes; the scenario also lists prompts and resources, which are not served",
    "http-custom-header-server-validation": "no tool maps an argument to a header, so there is nothing to validate",
    "sep-2164-resource-not-found": _RESOURCES,
    **dict.fromkeys(("resources-list", "resources-read-text", "resources-read-binary"), _RESOURCES),
    **dict.fromkeys(("resources-templates-read", "resources-subscribe", "resources-unsubscribe"), _RESOURCES),
    **dict.fromkeys(("prompts-list", "prompts-get-simple", "prompts-get-with-args"), _PROMPTS),
    **dict.fromkeys(("prompts-get-embedded-resource", "prompts-get-with-image"), _PROMPTS),
}
"""Scenario to the reason why it cannot apply to this server."""
FAMILIES = {
    "input-required-result-": _ASKING,
    "tasks-": _TASKS,
    "sep-2640-skills-": "skills are another extension; it is not announced",
}
"""The same for whole families of scenarios, by the beginning of their name."""


class Nothing(Arguments):
    """No arguments."""


async def _simple(_: object, __: Nothing) -> Reply:
    return Reply("This is a simple text response for testing.", {})


async def _failing(_: object, __: Nothing) -> Reply:
    raise InputError("This tool intentionally returns an error for testing")


FIXTURES = Profile(
    "conformance",
    "The tools whose names the suite calls, behind the same server.",
    (
        *PROFILES["default"].tools,
        ToolEntry("test_simple_text", "Simple text", "Answers with a text.", Nothing, _simple),
        ToolEntry("test_error_handling", "Error", "Answers with an error.", Nothing, _failing),
    ),
)


def stop(reason: str) -> None:
    """Skip, or fail where everything has to run."""
    said = f"{reason}; install them with: apt-get install nodejs npm"
    (pytest.fail if os.environ.get("CI", "").lower() in {"true", "1"} else pytest.skip)(said)


@pytest.fixture(scope="session")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[str, ...]]:
    """Revision -> the command of the suite that knows it."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        stop("the conformance suite needs node and npm")
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    node = f"node-{platform.system().lower()}-{machine}"
    wanted = [f"suite-{revision}@npm:@modelcontextprotocol/conformance@{version}" for revision, version in SUITES.items()]
    folder = tmp_path_factory.mktemp("conformance")
    done = subprocess.run(
        [str(npm), "install", "--no-fund", "--no-audit", "--silent", "--prefix", str(folder), f"{node}@22", *wanted],
        capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    if done.returncode != 0:
        stop(f"npm could not install the conformance suite ({done.stderr.strip()[:200]})")
    modules = folder / "node_modules"
    program = str(modules / node / "bin" / "node")
    return {revision: (program, str(modules / f"suite-{revision}" / "dist" / "index.js")) for revision in SUITES}


async def run(*command: str) -> str:
    """Run a command and return what it printed."""
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    printed, _ = await process.communicate()
    return printed.decode("utf-8", "replace")


@pytest.mark.requirement("A-02")
@pytest.mark.timeout(300)
@pytest.mark.xdist_group("conformance")
@pytest.mark.parametrize("revision", SUITES)
async def test_the_scenarios_that_fit_pass(
    revision: str, suites: Mapping[str, tuple[str, ...]], store_path: Path, tmp_path: Path
) -> None:
    failed: dict[str, list[dict[str, Any]]] = {}

    async def play(url: str, scenario: str) -> None:
        out = tmp_path / scenario
        asked = ("server", "--url", f"{url}/mcp", "--scenario", scenario, "--spec-version", revision, "-o", str(out))
        printed = await run(*suites[revision], *asked)
        found = [json.loads(path.read_text()) for path in out.rglob("checks.json")]
        assert len(found) == 1, printed[-2000:]
        assert any(check["status"] == "SUCCESS" for check in found[0]), printed[-2000:]
        if bad := [check for check in found[0] if check["status"] == "FAILURE"]:
            failed[scenario] = bad

    async with opened(store_path) as memory, served(mcp_app(memory, profile=FIXTURES)) as url:
        await asyncio.gather(*(play(url, scenario) for scenario in FITS[revision]))
    assert failed == {}


@pytest.mark.timeout(300)
@pytest.mark.xdist_group("conformance")
@pytest.mark.parametrize("revision", SUITES)
async def test_every_scenario_of_the_suite_runs_or_has_a_reason_not_to(
    revision: str, suites: Mapping[str, tuple[str, ...]]
) -> None:
    printed = await run(*suites[revision], "list")
    section = printed.partition("Server scenarios")[2].partition("Client scenarios")[0]
    named = {line.strip().removeprefix("- ").split()[0] for line in section.splitlines() if line.strip().startswith("- ")}
    assert len(named) > 20, printed[:2000]
    families = {name for name in named if any(name.startswith(family) for family in FAMILIES)}
    assert sorted(named - set(FITS[revision]) - set(DOES_NOT_FIT) - families - {*FITS["2025-11-25"]}) == []
    assert sorted(set(FITS[revision]) & set(DOES_NOT_FIT)) == []
