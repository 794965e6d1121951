"""docs/requirements.md and the tests agree: what is delivered is proved, and no test proves what was never promised."""

import ast
import re
from pathlib import Path

ROW = re.compile(r"^\| ([A-Z]-\d\d) \| (.+) \| (yes|no) \|$")


def promises(project: Path) -> dict[str, bool]:
    rows = [ROW.match(line) for line in (project / "docs" / "requirements.md").read_text().splitlines()]
    return {row.group(1): row.group(3) == "yes" for row in rows if row}


def _is_marker(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.requirement")


def proofs(project: Path) -> dict[str, set[str]]:
    """Requirement id -> the test files that name it."""
    found: dict[str, set[str]] = {}
    for path in sorted((project / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _is_marker(node):
                for argument in node.args:
                    assert isinstance(argument, ast.Constant), f"{path}:{node.lineno}: write the id as a literal"
                    found.setdefault(str(argument.value), set()).add(str(path.relative_to(project)))
    return found


def test_every_row_of_the_table_is_well_formed_and_ids_are_unique(project: Path) -> None:
    lines = (project / "docs" / "requirements.md").read_text().splitlines()
    rows = [line for line in lines if re.match(r"^\| [A-Z]-\d", line)]
    assert [line for line in rows if not ROW.match(line)] == []
    assert len(promises(project)) == len(rows) > 0


def test_every_delivered_promise_has_a_test(project: Path) -> None:
    delivered = {name for name, done in promises(project).items() if done}
    assert sorted(delivered - set(proofs(project))) == []


def test_no_test_names_a_promise_that_does_not_exist(project: Path) -> None:
    known = promises(project)
    assert {name: files for name, files in proofs(project).items() if name not in known} == {}
