"""What is committed speaks of the project alone: no path of one machine, no registry's host."""

import re
import subprocess
from pathlib import Path

import pytest

# Built from pieces, so that this file does not match itself.
FORBIDDEN = re.compile(
    "|".join(
        [
            r"(?<![\w.])/" + r"work/(main|shared)",
            r"(?<![\w.])/" + r"root/",
            r"(?<![\w.])/" + r"tmp/hg",
            r"(?<![\w.])/" + r"home/\w",
            r"pypi" + r"\.org",
            r"python" + r"hosted\.org",
            r"npmjs" + r"\.(org|com)",
            r"repo1?\.maven" + r"\.apache",
            r"deb\." + r"debian\.org",
        ]
    )
)


def committed_text(project: Path) -> dict[str, str]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=project, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    texts: dict[str, str] = {}
    for name in filter(None, listing.stdout.split("\0")):
        path = project / name
        if path.is_file():
            content = path.read_bytes()
            if b"\0" not in content[:8000]:
                texts[name] = content.decode("utf-8")
    return texts


def test_no_committed_file_names_a_machine_path_or_a_registry_host(project: Path) -> None:
    texts = committed_text(project)
    assert "pyproject.toml" in texts
    found = [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if FORBIDDEN.search(line)
    ]
    assert found == []
