"""Which embedder a name means here: settings and what is installed become an embedder."""

import logging
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from hindsight_graph.embedding import fastembed, openai
from hindsight_graph.embedding.base import Embedder, load
from hindsight_graph.embedding.disk import DiskCache, DiskCachedEmbedder
from hindsight_graph.embedding.e5 import folder as e5
from hindsight_graph.embedding.e5.embedder import E5Embedder
from hindsight_graph.embedding.hashing import DIMENSION, HashingEmbedder
from hindsight_graph.embedding.late import LateEmbedder
from hindsight_graph.errors import ConfigError, EmbeddingError, MissingExtraError
from hindsight_graph.models.embedding import ModelEntry
from hindsight_graph.models.record import EmbeddingModel
from hindsight_graph.settings import APP, Settings

__all__ = ["Embedders", "make_embedder"]

_LOG = logging.getLogger(__name__)
_HASHING = "hashing"
_NO_ENDPOINT = "set HINDSIGHT_GRAPH_EMBEDDING_BASE_URL"
_HINT = "auto, hashing, e5, fastembed:MODEL or openai:MODEL"


def make_embedder(settings: Settings, name: str | None = None) -> Embedder:
    """Return the embedder a name means, the configured one when absent; what is not `hashing` is decided at opening.

    Raises:
        ConfigError: The name is none.
    """
    name = settings.embedder if name is None else name
    embedders = Embedders(settings)
    embedders.check_name(name)
    if name.partition("-")[0] == _HASHING:
        return embedders.hashing(name)
    return LateEmbedder(lambda recorded: embedders.decide(name, recorded))


class Embedders:
    """Makes embedders by their names.

    Args:
        settings: Which, and where weights live.
        tell: Told what takes long; a line on stderr when absent, or a log line where those are JSON.
    """

    def __init__(self, settings: Settings, tell: Callable[[str], None] | None = None) -> None:
        self._settings = settings
        self._tell = tell or (_log if settings.log_format == "json" else _say)

    @property
    def folder(self) -> Path:
        """Where weights and the cache live."""
        given = self._settings.embedding.folder
        return user_cache_path(APP) / "models" if given is None else Path(given).expanduser()

    @property
    def e5_folder(self) -> Path:
        """Where multilingual-e5-small lives."""
        return self.folder / e5.NAME

    @property
    def fastembed_folder(self) -> Path:
        """Where fastembed keeps weights."""
        return self.folder / "fastembed"

    def check_name(self, name: str) -> None:
        """Raise ConfigError unless the name is one that `make` understands."""
        scheme, _, rest = name.partition(":")
        plain = name in {"auto", "e5", e5.NAME, _HASHING} or _hashing_dimension(name) is not None
        if not plain and not (f"{scheme}:" in {fastembed.SCHEME, openai.SCHEME} and rest.strip()):
            raise ConfigError(f"unknown embedder {name!r}", hint=_HINT)

    def hashing(self, name: str) -> HashingEmbedder:
        """Return the hashing embedder of a name like `hashing-384`."""
        return HashingEmbedder(_hashing_dimension(name) or DIMENSION)

    async def decide(self, name: str, recorded: EmbeddingModel | None, *, cached: bool = True) -> Embedder:
        """Return the embedder for a store: the one named, or for `auto` the recorded one, or the best installed one.

        Args:
            name: As `check_name` takes it.
            recorded: The store's model record.
            cached: With the cache of vectors on disk.

        Raises:
            EmbeddingError, MissingExtraError: It cannot be made here; says what would help.
        """
        if name == "auto":
            name = self.best() if recorded is None else recorded.name
        made = await self.make(name, recorded)
        return self._cached(made) if cached else made

    def best(self) -> str:
        """Return what `auto` takes for a new store: e5 when it is here or can be made, else `hashing`."""
        return e5.NAME if self.missing_for_e5() is None else _HASHING

    def missing_for_e5(self) -> str | None:
        """Return the package that keeps e5 from working here; None when nothing does."""
        for package in ("onnxruntime", "tokenizers"):
            if find_spec(package) is None:
                return package
        if e5.is_finished(self.e5_folder):
            return None
        return e5.missing_package()

    async def make(self, name: str, recorded: EmbeddingModel | None = None) -> Embedder:
        """Return the embedder of a name.

        Args:
            name: As `check_name` takes it, but `auto`.
            recorded: The store's record: it saves asking for the dimension.
        """
        dimension = recorded.dimension if recorded is not None and recorded.name == name else None
        if _hashing_dimension(name) is not None:
            return self.hashing(name)
        if name in {"e5", e5.NAME}:
            missing = self.missing_for_e5()
            if missing is not None:
                raise MissingExtraError(f"{e5.NAME} needs {missing}, which is not installed", hint=e5.install_hint())
            return E5Embedder(self.e5_folder, self._tell)
        if name.startswith(fastembed.SCHEME):
            given = self._settings.embedding
            model = name.removeprefix(fastembed.SCHEME)
            return fastembed.FastembedEmbedder(
                model, self.fastembed_folder, self._tell, offline=given.offline, dimension=dimension
            )
        if name.startswith(openai.SCHEME):
            remote = self._remote(name.removeprefix(openai.SCHEME), dimension)
            await remote.probe()
            return remote
        raise EmbeddingError(
            f"the store's vectors are of {name}, which no setting names", hint="pass that embedder to the engine, as `embedder=`"
        )

    async def install(self, name: str, recorded: EmbeddingModel | None, *, anew: bool = False) -> EmbeddingModel:
        """Make a model ready: its weights are made or downloaded, and read once.

        Args:
            name: As `check_name` takes it.
            recorded: The store's model record, for `auto`.
            anew: Remove the folder of e5 first; a running process keeps what it has read.

        Raises:
            EmbeddingError, MissingExtraError: It cannot be made ready here.
        """
        self.check_name(name)
        if anew:
            e5.remove(self.e5_folder)
        made = await self.decide(name, recorded, cached=False)
        await load(made)
        return made.model

    def entries(self, recorded: EmbeddingModel | None, *, everything: bool = False) -> tuple[ModelEntry, ...]:
        """Return the models there are, as an operator sees them; `everything` adds those that fastembed knows by name."""
        best = self.best()
        found = [self._hashing_entry(), self._e5_entry()]
        configured = self._settings.embedder
        if configured.startswith(openai.SCHEME) or everything:
            found.append(self._remote_entry(configured if configured.startswith(openai.SCHEME) else f"{openai.SCHEME}MODEL"))
        known = fastembed.known_models() if everything else ()
        found += [self._fastembed_entry(one["model"], one) for one in known]
        for name in {configured, recorded.name if recorded else _HASHING} - {entry.name for entry in found}:
            if name.startswith(fastembed.SCHEME):
                found.append(self._fastembed_entry(name.removeprefix(fastembed.SCHEME), {}))
        used = None if recorded is None else recorded.name
        names = {used, f"{_HASHING}" if used == f"{_HASHING}-{DIMENSION}" else used}
        return tuple(
            entry.model_copy(update={"is_default": entry.name == best, "is_used": entry.name in names}) for entry in found
        )

    def _hashing_entry(self) -> ModelEntry:
        about = "spelling, not meaning; any language; nothing to install"
        return ModelEntry(name=_HASHING, dimension=DIMENSION, about=about, licence="Apache-2.0, as this project", state="ready")

    def _e5_entry(self) -> ModelEntry:
        about = "meaning, in a hundred languages; the quality default"
        entry = ModelEntry(name=e5.NAME, dimension=e5.DIMENSION, about=about, licence="MIT", state="ready")
        missing = self.missing_for_e5()
        if missing is not None:
            return entry.model_copy(update={"state": "missing", "detail": f"{missing} is missing: {e5.install_hint()}"})
        if e5.is_finished(self.e5_folder):
            return entry
        state = "unfinished" if self.e5_folder.exists() else "not made yet"
        detail = f"{state}; made at the first use, or now: hindsight-graph models install {e5.NAME}"
        return entry.model_copy(update={"state": "installable", "detail": detail})

    def _remote_entry(self, name: str) -> ModelEntry:
        given = self._settings.embedding
        url = given.base_url or self._settings.llm_base_url
        if url is None:
            return ModelEntry(name=name, about="any OpenAI-compatible endpoint", state="missing", detail=_NO_ENDPOINT)
        return ModelEntry(name=name, about=f"at {url}", state="ready")

    def _fastembed_entry(self, model: str, known: Mapping[str, Any]) -> ModelEntry:
        entry = ModelEntry(
            name=fastembed.SCHEME + model,
            dimension=known.get("dim"),
            about=str(known.get("description", "")).split(", Prefixes", maxsplit=1)[0],
            licence=str(known.get("license", "")),
            state="installable",
            detail=f"downloaded at the first use ({known['size_in_GB']} GB)" if known.get("size_in_GB") else "",
        )
        if find_spec("fastembed") is None:
            return entry.model_copy(update={"state": "missing", "detail": f"fastembed is missing: {fastembed.INSTALL}"})
        return entry

    def _remote(self, name: str, dimension: int | None) -> openai.OpenAIEmbedder:
        given = self._settings.embedding
        url = given.base_url or self._settings.llm_base_url
        key = given.api_key or (None if given.base_url else self._settings.llm_api_key)
        if given.offline:
            raise ConfigError(
                f"embedding.offline forbids to ask for {openai.SCHEME}{name}", hint="unset HINDSIGHT_GRAPH_EMBEDDING_OFFLINE"
            )
        if url is None:
            raise ConfigError(f"{openai.SCHEME}{name} names no endpoint", hint=_NO_ENDPOINT)
        secret = None if key is None else key.get_secret_value()
        return openai.OpenAIEmbedder(name, url, secret, dimension=dimension, timeout_s=given.timeout_s)

    def _cached(self, embedder: Embedder) -> Embedder:
        megabytes = self._settings.embedding.cache_mb
        if megabytes == 0 or isinstance(embedder, HashingEmbedder):
            return embedder
        return DiskCachedEmbedder(embedder, DiskCache(self.folder / "vectors.db", megabytes * 1024 * 1024))


def _hashing_dimension(name: str) -> int | None:
    word, _, number = name.partition("-")
    if word != _HASHING or (number and not number.isdecimal()):
        return None
    return int(number) if number else DIMENSION


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _log(text: str) -> None:
    _LOG.info("%s", text)
