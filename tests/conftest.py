"""What every test shares: a machine's own settings never reach a test, Hypothesis is repeatable, a server has one worker."""

import hashlib
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer  # pyright: ignore[reportMissingTypeStubs]
from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs]

from hindsight_graph.config import SHORT_NAMES, VECTOR_NAMES
from hindsight_graph.embedding.e5.folder import NAME, ensure
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests that may have to make the embedding model first the time for it."""
    for item in items:
        if "model_folder" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Remove our variables and give each test an empty home, so that defaults are defaults and no real store is touched."""
    for name in tuple(os.environ):
        if (name.startswith("HINDSIGHT_GRAPH_") and name != "HINDSIGHT_GRAPH_DATA") or name in (*SHORT_NAMES, *VECTOR_NAMES):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "USERPROFILE", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("HINDSIGHT_GRAPH_EMBEDDER", "hashing")  # tests of other embedders name theirs
    monkeypatch.setenv("HINDSIGHT_GRAPH_EXTRACTOR", "rules")  # tests about language tools name them
    for name in ("RECALL", "CHAIN"):  # a busy machine is no reason to fail; tests about time set their own
        monkeypatch.setenv(f"HINDSIGHT_GRAPH_{name}_DEADLINE_MS", str(PATIENCE_MS))


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder of the project."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def model_folder(request: pytest.FixtureRequest, project: Path) -> Path:
    """A folder with multilingual-e5-small in it, made once for the code that makes it; workers and later runs share it."""
    cache = request.config.cache
    assert cache is not None
    digest = hashlib.sha256()
    for name in ("weights", "encoder", "tokenizer", "folder"):
        digest.update((project / "hindsight_graph" / "embedding" / "e5" / f"{name}.py").read_bytes())
    folder = Path(cache.mkdir("embedding_models")) / digest.hexdigest()[:16]
    ensure(folder / NAME, lambda _: None)
    return folder
