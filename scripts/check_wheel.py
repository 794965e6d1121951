"""Build the wheel, check what is inside, and with --install run it from a clean environment in an empty folder."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from importlib.metadata import requires, version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 2_000_000
"""Bytes of a wheel at most; more means that something slipped in."""


def build(out: Path) -> Path:
    """Build the wheel into `out` and return its path."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("hindsight_graph-*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = out.glob("hindsight_graph-*.whl")
    return wheel


def faults(wheel: Path) -> list[str]:
    """Return what is wrong with the content of `wheel`; prints the listing."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(archive.namelist())
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
        entries = archive.read(next(name for name in names if name.endswith(".dist-info/entry_points.txt"))).decode()
        for name in names:
            print(f"  {archive.getinfo(name).file_size:>8} {name}")
    found: list[str] = []
    needed = {str(path.relative_to(ROOT).as_posix()) for path in (ROOT / "hindsight_graph").rglob("*.py")}
    found += [f"lacks {name}" for name in sorted((needed | {"hindsight_graph/py.typed"}) - set(names))]
    found += [
        f"holds {name}"
        for name in names
        if not name.startswith(("hindsight_graph/", f"hindsight_graph-{version('hindsight-graph')}.dist-info/"))
        or name.endswith((".pyc", ".db", ".env"))
        or "/tests/" in name
    ]
    if not any(name.endswith("/licenses/LICENSE") for name in names):
        found.append("lacks the licence")
    if "hindsight-graph = hindsight_graph.cli:main" not in entries:
        found.append("lacks the command hindsight-graph")
    extras = {line.removeprefix("Provides-Extra: ") for line in metadata.splitlines() if line.startswith("Provides-Extra: ")}
    found += [f"lacks the extra {name}" for name in sorted({"neo4j", "server", "mcp", "nlp", "embed", "all"} - extras)]
    if wheel.stat().st_size > LARGEST:
        found.append(f"has {wheel.stat().st_size} bytes, more than {LARGEST}")
    return found


def base_lock(out: Path) -> Path:
    """Write the part of requirements.lock that the base dependencies need, with its hashes."""
    blocks: dict[str, list[str]] = {}
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith((" ", "#")):
            name = canonicalize_name(line.split("==")[0])
            blocks.setdefault(name, []).append(line)
            current = blocks[name]
        elif blocks and line.strip().startswith("--hash"):
            current.append(line)  # pyright: ignore[reportPossiblyUnboundVariable]
    wanted = [Requirement(text) for text in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]]
    names = _closure([canonicalize_name(each.name) for each in wanted])
    path = out / "base.lock"
    path.write_text("\n".join(line for name in sorted(names & blocks.keys()) for line in blocks[name]) + "\n")
    return path


def _closure(names: list[str]) -> set[str]:
    """Return `names` and all that they need, as installed here."""
    seen: set[str] = set()
    while names:
        name = names.pop()
        if name in seen:
            continue
        seen.add(name)
        needs = [Requirement(text) for text in requires(name) or []]
        names += [canonicalize_name(each.name) for each in needs if each.marker is None or each.marker.evaluate({"extra": ""})]
    return seen


def try_installed(wheel: Path) -> None:
    """Install `wheel` with the locked base dependencies only, and run it from an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        empty, home, temporary = (place / name for name in ("empty", "home", "temporary"))
        for made in (empty, home, temporary):
            made.mkdir()
        subprocess.run([sys.executable, "-m", "venv", str(place / "venv")], check=True)
        scripts = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
        pip = [str(scripts / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--require-hashes", "--requirement", str(base_lock(place))], check=True)
        subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
        subprocess.run([str(scripts / "python"), "-m", "pip", "check"], check=True)
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HINDSIGHT_GRAPH_"))}
        environ |= dict.fromkeys(("HOME", "USERPROFILE", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), str(home))
        environ |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
        for arguments in (["--version"], ["demo"]):
            began = time.monotonic()
            subprocess.run([str(scripts / "hindsight-graph"), *arguments], cwd=empty, env=environ, check=True)
            print(f"  hindsight-graph {' '.join(arguments)}: {time.monotonic() - began:.1f} s")
        left = sorted(str(path.relative_to(place)) for made in (empty, home, temporary) for path in made.rglob("*"))
        if left:
            raise SystemExit(f"wheel: the demo left {left} behind")


def main() -> None:
    """Build, list, judge; with --install also try it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the wheel")
    parser.add_argument("--install", action="store_true", help="install it into a clean environment and run it")
    options = parser.parse_args()
    wheel = build(options.out.resolve())
    found = faults(wheel)
    for fault in found:
        print(f"wheel: {wheel.name} {fault}", file=sys.stderr)
    if found:
        raise SystemExit(1)
    print(f"wheel: {wheel.name} is complete, {wheel.stat().st_size} bytes")
    if options.install:
        try_installed(wheel)


if __name__ == "__main__":
    main()
