"""Any model that fastembed knows, by its name; its weights come from fastembed's own sources and stay in our cache folder."""

import difflib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hindsight_graph.embedding.base import Matrix, Tell, unit_rows
from hindsight_graph.embedding.prefixed import PrefixedEmbedder
from hindsight_graph.errors import EmbeddingError, MissingExtraError
from hindsight_graph.models.record import EmbeddingModel

__all__ = ["INSTALL", "SCHEME", "FastembedEmbedder", "known_models"]

SCHEME = "fastembed:"
INSTALL = "pip install 'hindsight-graph[embed]'"

PREFIXES = {
    "e5": ("query: ", "passage: "),
    "nomic-embed-text": ("search_query: ", "search_document: "),
    "bge-small-en": ("Represent this sentence for searching relevant passages: ", ""),
    "bge-base-en": ("Represent this sentence for searching relevant passages: ", ""),
    "bge-large-en": ("Represent this sentence for searching relevant passages: ", ""),
    "snowflake-arctic-embed": ("Represent this sentence for searching relevant passages: ", ""),
    "mxbai-embed": ("Represent this sentence for searching relevant passages: ", ""),
}
"""What the makers of a model say goes before a question and before a passage (their model cards), by a part of its name."""


def known_models() -> tuple[dict[str, Any], ...]:
    """Return what fastembed says about each model it knows: `model`, `dim`, `license`, `size_in_GB`, `description`.

    Raises:
        MissingExtraError: fastembed is not installed.
    """
    return tuple(sorted(_library().TextEmbedding.list_supported_models(), key=lambda known: known["model"].lower()))


def _library() -> Any:
    if find_spec("fastembed") is None:
        raise MissingExtraError("models by name need fastembed", hint=INSTALL)
    from loguru import logger  # noqa: PLC0415 - fastembed's; its lines would stand beside ours, which say the same

    logger.disable("fastembed")
    import fastembed  # noqa: PLC0415 - heavy and optional

    return fastembed


class FastembedEmbedder(PrefixedEmbedder[Any]):
    """A model of fastembed, on one thread for each batch.

    Args:
        name: As fastembed has it, `BAAI/bge-small-en-v1.5`.
        folder: Where fastembed keeps weights. offline: never download; only what is there is used.
        tell: Told when weights are downloaded.
        dimension: If it is known already; fastembed is asked otherwise.

    Raises:
        EmbeddingError: fastembed knows no such model. MissingExtraError: It is not installed.
    """

    def __init__(self, name: str, folder: Path, tell: Tell, *, offline: bool = False, dimension: int | None = None) -> None:
        if find_spec("fastembed") is None:
            raise MissingExtraError(f"{SCHEME}{name} needs fastembed", hint=INSTALL)
        prefixes = next((both for part, both in PREFIXES.items() if part in name.lower()), ("", ""))
        super().__init__(EmbeddingModel(name=SCHEME + name, dimension=dimension or _dimension(name)), *prefixes)
        self._name = name
        self._folder = folder
        self._offline = offline
        self._tell = tell

    def _embed(self, texts: Sequence[str]) -> Matrix:
        try:
            rows = list(self._ready().embed(list(texts), batch_size=len(texts)))
        except (RuntimeError, ValueError) as error:
            raise EmbeddingError(f"{self._model.name} failed: {error}") from error
        return unit_rows(np.array(rows, dtype=np.float32))

    def _load(self) -> Any:
        make = _library().TextEmbedding
        self._folder.mkdir(parents=True, exist_ok=True)
        fixed: dict[str, Any] = {"cache_dir": str(self._folder), "threads": 1, "providers": ["CPUExecutionProvider"]}
        try:
            return make(self._name, local_files_only=True, **fixed)
        except Exception as error:
            if self._offline:
                raise EmbeddingError(
                    f"the weights of {self._name} are not in {self._folder}, and embedding.offline forbids to download them",
                    hint="copy fastembed's folder there from a machine that has it, or unset HINDSIGHT_GRAPH_EMBEDDING_OFFLINE",
                ) from error
        self._tell(f"the weights of {self._name} are downloaded to {self._folder}; once")
        try:
            return make(self._name, **fixed)
        except Exception as error:
            raise EmbeddingError(
                f"the weights of {self._name} could not be downloaded: {error}",
                hint="is there a way to the internet? copy the folder from elsewhere, or set HINDSIGHT_GRAPH_EMBEDDER=e5",
            ) from error


def _dimension(name: str) -> int:
    known = {one["model"].lower(): one for one in known_models()}
    found = known.get(name.lower())
    if found is None:
        near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.0)
        nearest = f"; the nearest is {SCHEME}{known[near[0]]['model']}" if near else ""
        raise EmbeddingError(f"fastembed knows no model {name!r}", hint=f"hindsight-graph models list --all{nearest}")
    return int(found["dim"])
