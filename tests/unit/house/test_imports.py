"""Importing is cheap and reads nothing: heavy and optional packages wait until they are used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = [
    "fastapi", "fastembed", "jieba", "mcp", "neo4j", "networkx", "numpy", "onnx", "onnxruntime", "openai", "spacy", "uvicorn",
]  # fmt: skip

REPORT = f"""
import sys
print(sorted(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)
"""

HELP = f"""
import sys
sys.argv = ["hindsight-graph", "--help"]
from hindsight_graph.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
{REPORT}
"""

EVERY_MODULE = """
import importlib, pkgutil, sys, hindsight_graph
for module in pkgutil.walk_packages(hindsight_graph.__path__, "hindsight_graph."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
assert "hindsight_graph.config" in sys.modules
"""


def run(code: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **variables}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_importing_the_package_loads_no_heavy_package(tmp_path: Path) -> None:
    assert run(f"import hindsight_graph\n{REPORT}", tmp_path).stderr == "[]\n"


@pytest.mark.requirement("A-05")
def test_asking_the_command_for_help_loads_no_heavy_package(tmp_path: Path) -> None:
    done = run(HELP, tmp_path)
    assert "recall" in done.stdout
    assert done.stderr == "[]\n"


def test_importing_any_module_reads_no_settings(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"HINDSIGHT_GRAPH_UNKNOWN=1\n")
    (tmp_path / "hindsight-graph.toml").write_text("this is not TOML")
    run(EVERY_MODULE, tmp_path, HINDSIGHT_GRAPH_UNKNOWN="1")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".env", "hindsight-graph.toml"]
