"""Generated pages are what the generator would write now."""

import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from hindsight_graph.config import all_settings


def pages(project: Path) -> Mapping[str, Callable[[], str]]:
    return cast("Mapping[str, Callable[[], str]]", runpy.run_path(str(project / "scripts" / "generate_docs.py"))["PAGES"])


def test_every_generated_page_is_current(project: Path) -> None:
    stale = [name for name, page in pages(project).items() if (project / "docs" / name).read_text(encoding="utf-8") != page()]
    assert stale == [], "run `make docs`"


def test_every_setting_and_each_of_its_variables_is_documented(project: Path) -> None:
    text = (project / "docs" / "settings.md").read_text(encoding="utf-8")
    for setting in all_settings():
        for name in (setting.name, setting.variable, *setting.short_names):
            assert f"`{name}`" in text
