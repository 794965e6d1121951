"""Doctor: what works, what is missing, and the command that mends it."""

import sys
from collections.abc import Sequence

from hindsight_graph.embedding.base import Embedder
from hindsight_graph.errors import HindsightGraphError
from hindsight_graph.llm.asking import Asker
from hindsight_graph.models.query import Scope
from hindsight_graph.models.status import Check
from hindsight_graph.stores.base import Store

_NO_LLM = Check(name="llm", ok=True, detail="none is configured: rules do all the work, and nothing is sent anywhere")


class Doctor:
    """Looks at an opened engine's parts."""

    def __init__(self, store: Store, embedder: Embedder, llm: Sequence[Asker | Check] = ()) -> None:
        self._store = store
        self._embedder = embedder
        self._llm = llm

    async def examine(self, scope: Scope) -> tuple[Check, ...]:
        """Return every finding, the good ones too."""
        checks = [Check(name="python", ok=True, detail=sys.version.split()[0])]
        info = await self._store.info()
        checks.append(
            Check(name="store", ok=True, detail=f"{info.kind} at {info.location}, schema {info.schema_version}, {info.engine}")
        )
        checks.extend(await self._store.diagnose())
        checks.append(await self._model_check())
        checks.extend([one if isinstance(one, Check) else await _llm_check(one) for one in self._llm] or [_NO_LLM])
        findings = await self._store.check()
        checks.extend(
            Check(name="integrity", ok=False, detail=text, fix="keep a copy of the data, then report it") for text in findings
        )
        if not findings:
            checks.append(Check(name="integrity", ok=True, detail="tables, indexes and mirrors agree"))
        stats = await self._store.stats(scope)
        counts = f"{stats.memories} memories, {stats.entities} entities, {stats.episodes} episodes"
        checks.append(Check(name="content", ok=True, detail=counts))
        checks.append(
            Check(
                name="vectors",
                ok=stats.without_vector == 0,
                detail=f"{stats.without_vector} memories without a vector",
                fix="`hindsight-graph models switch NAME` makes one for each, by another model" if stats.without_vector else "",
            )
        )
        if info.filling is not None:
            checks.append(
                Check(
                    name="switch",
                    ok=False,
                    detail=f"vectors by {info.filling.name} are being filled",
                    fix=f"`hindsight-graph models switch {info.filling.name}` goes on; `--drop` instead of the name gives it up",
                )
            )
        checks.append(
            Check(
                name="jobs",
                ok=stats.open_jobs == 0,
                detail=f"{stats.open_jobs} unfinished jobs",
                fix="`hindsight-graph worker --once` works on them; `hindsight-graph jobs` lists them" if stats.open_jobs else "",
            )
        )
        return tuple(checks)

    async def ready(self) -> tuple[Check, ...]:
        """Ask each thing that calls depend on whether it is there; cheap, and without where anything lives."""
        try:
            info = await self._store.info()
        except HindsightGraphError as error:
            store = Check(name="store", ok=False, detail=type(error).__name__, fix="hindsight-graph doctor")
            return (store,)
        return (Check(name="store", ok=True, detail=f"{info.kind}, schema {info.schema_version}"), await self._model_check())

    async def _model_check(self) -> Check:
        model = self._embedder.model
        try:
            vector = await self._embedder.embed_query("probe 探针")
            recorded = (await self._store.info()).embedding
        except HindsightGraphError as error:
            return Check(name="embedder", ok=False, detail=error.message, fix=error.hint)
        if recorded is not None and recorded != model:
            detail = (
                f"the store's vectors are of {recorded.name} (preparation {recorded.preparation}), the embedder is {model.name}"
            )
            return Check(name="embedder", ok=False, detail=detail, fix=f"set HINDSIGHT_GRAPH_EMBEDDER to {recorded.name}")
        return Check(name="embedder", ok=True, detail=f"{model.name}, {vector.shape[0]} dimensions")


async def _llm_check(asker: Asker) -> Check:
    """Ask a model for a word: whether its endpoint is there, and counts tokens."""
    try:
        answer = await asker.probe()
    except HindsightGraphError as error:
        return Check(name="llm", ok=False, detail=f"{asker.name}: {error.message}", fix=error.hint or "check llm_base_url")
    counted = (
        f"{answer.prompt_tokens} + {answer.completion_tokens} tokens counted" if answer.prompt_tokens else "counts no tokens"
    )
    return Check(name="llm", ok=True, detail=f"{asker.name} answers; {counted}")
