"""What every test shares: a machine's own settings never reach a test, and Hypothesis is repeatable."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from hindsight_graph.config import SHORT_NAMES, VECTOR_NAMES
from hindsight_graph.testing.patience import PATIENCE_MS

# Derandomised so that a red run can be repeated; no limit on time, since cores are shared.
settings.register_profile("house", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


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
