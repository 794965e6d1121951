"""A file is a room: modules under 800 lines, functions under 80."""

import ast
from collections.abc import Iterator
from pathlib import Path

MODULE_LINES = 800
FUNCTION_LINES = 80
FOLDERS = ("hindsight_graph", "tests", "bench", "scripts")


def sources(project: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted((project / folder).rglob("*.py"))


def test_every_module_has_fewer_than_800_lines(project: Path) -> None:
    lengths = {str(path.relative_to(project)): len(path.read_text().splitlines()) for path in sources(project)}
    assert "hindsight_graph/errors.py" in lengths
    assert {name: lines for name, lines in lengths.items() if lines >= MODULE_LINES} == {}


def test_every_function_has_fewer_than_80_lines(project: Path) -> None:
    long: dict[str, int] = {}
    for path in sources(project):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines >= FUNCTION_LINES:
                    long[f"{path.relative_to(project)}:{node.lineno} {node.name}"] = lines
    assert long == {}
