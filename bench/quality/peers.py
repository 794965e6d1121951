"""The peers' own environment: hashed packages in a folder of their own, made once."""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

__all__ = ["PEER_LIMIT_S", "make_peers", "python_of_peers"]

PEER_LIMIT_S = 300
"""Seconds for one peer and one store."""
_HERE = Path(__file__).resolve().parent
_FOLDER = _HERE.parent.parent / ".venv-peers"
_WANTED = _HERE / "requirements.txt"


def python_of_peers() -> Path:
    """Return the environment's Python."""
    return _FOLDER / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def make_peers() -> str:
    """Make the environment where it is not what the requirements say; returns why it could not be made, or nothing."""
    stamp = _FOLDER / ".requirements"
    wanted = hashlib.sha256(_WANTED.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return ""
    venv.EnvBuilder(clear=True, with_pip=True).create(_FOLDER)
    install = [str(python_of_peers()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    done = subprocess.run([*install, "--requirement", str(_WANTED)], capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no word from pip"])[-1][:120]
    stamp.write_text(wanted, encoding="utf-8")
    return ""
