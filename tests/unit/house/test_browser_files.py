"""What Neo4j Browser takes in is what the statements say now."""

import io
import runpy
import zipfile
from pathlib import Path

import pytest

from hindsight_graph.cypher import load, names


@pytest.mark.requirement("G-06")
def test_the_saved_queries_and_the_guide_are_those_of_the_statements(project: Path) -> None:
    made = runpy.run_path(str(project / "scripts" / "make_browser_files.py"))
    folder = project / "docs" / "browser"
    assert (folder / "queries.zip").read_bytes() == made["queries_zip"](), "run `make docs`"
    assert (folder / "guide.html").read_text(encoding="utf-8") == made["guide"](), "run `make docs`"
    with zipfile.ZipFile(io.BytesIO((folder / "queries.zip").read_bytes())) as packed:
        texts = [packed.read(name).decode() for name in packed.namelist()]
    assert len(texts) == len(names("explore")) >= 15
    assert all(text.startswith("// ") for text in texts)


def test_the_guide_shows_every_statement_that_is_for_people(project: Path) -> None:
    slides = runpy.run_path(str(project / "scripts" / "make_browser_files.py"))["_SLIDES"]
    shown = [f"explore/{name}" for _, group in slides for name in group]
    assert sorted(shown) == sorted(names("explore"))
    assert all(load(name).mode == "read" for name in shown)
