"""What every test shares: a machine's own settings never reach a test, Hypothesis is repeatable, a server has one worker."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer  # pyright: ignore[reportMissingTypeStubs]
from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs]

from hindsight_graph.config import SHORT_NAMES, VECTOR_NAMES
from hindsight_graph.testing.patience import PATIENCE_MS

# Derandomised so that a red run can be repeated; no limit on time, since cores are shared.
settings.register_profile("house", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


_SERVER = re.compile(r"\[(reused|5\.26\.\d+|20\d\d\.\d+\.\d+)\b[^\[]*\]$")


class _OneWorkerForEachServer(LoadScopeScheduling):
    """Tests whose parameters begin with the version of a Neo4j server go to one worker; the others to whoever is free.

    The mark `xdist_group` does nothing under pytest 9.2: xdist 3.8 writes the group into an attribute that is no longer read.
    """

    def _split_scope(self, nodeid: str) -> str:
        found = _SERVER.search(nodeid)
        return found[1] if found else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Say which test goes to which worker."""
    return _OneWorkerForEachServer(config, log)


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Remove our variables and give each test an empty home, so that defaults are defaults and no real store is touched."""
    for name in tuple(os.environ):
        if (name.startswith("HINDSIGHT_GRAPH_") and name != "HINDSIGHT_GRAPH_DATA") or name in (*SHORT_NAMES, *VECTOR_NAMES):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "USERPROFILE", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    for name in ("RECALL", "CHAIN"):  # a busy machine is no reason to fail; tests about time set their own
        monkeypatch.setenv(f"HINDSIGHT_GRAPH_{name}_DEADLINE_MS", str(PATIENCE_MS))


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder of the project."""
    return Path(__file__).resolve().parent.parent
