"""What the engine says about itself."""

from hindsight_graph.models.base import Model
from hindsight_graph.models.record import EmbeddingModel, StoreInfo, StoreStats


class Check(Model):
    """One finding of `doctor`.

    Attributes:
        name: What was looked at. ok: whether it is as it should be.
        detail: What was found. fix: The command or step that mends it; empty when all is well.
    """

    name: str
    ok: bool
    detail: str
    fix: str = ""


class EngineStatus(Model):
    """What a memory holds and what it runs on."""

    version: str
    store: StoreInfo
    stats: StoreStats
    embedder: EmbeddingModel
    extractor: str
    tenant: str
    agent_id: str | None = None
