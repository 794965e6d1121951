"""A batch that only adds: checked and written by one statement, in one exchange with the server instead of four.

Nearly every write is one. What is there already is looked at by the statement itself, before it writes: where something of the
batch is, it writes nothing, and the batch goes the long way (`neo4j.writing`), which knows what to do about it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hindsight_graph.models.entity import Entity
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import EmbeddingModel, WriteBatch
from hindsight_graph.stores.neo4j import vectors
from hindsight_graph.stores.neo4j.connection import Row
from hindsight_graph.stores.neo4j.rows import Properties
from hindsight_graph.stores.neo4j.slots import slots_of
from hindsight_graph.stores.neo4j.write_graph import GraphRows, Known
from hindsight_graph.stores.neo4j.writing import New, distinct, rows_of

STATEMENT = "write/add_batch"


@dataclass(frozen=True, slots=True)
class Addition:
    """What the statement is given, and the things in it, by id."""

    parameters: Mapping[str, Any]
    entities: Mapping[str, Entity]

    def met_meanwhile(self, answer: Row) -> list[Entity]:
        """Return the things that another writer made between the look and the write, which have to be merged still."""
        known = {*answer["met"], *answer["written"]}
        return [entity for key, entity in self.entities.items() if key not in known]


def addition_of(scope: Scope, batch: WriteBatch, dimension: int | None, model: EmbeddingModel | None) -> Addition | None:
    """Return how to add a batch at once; None when it changes something too, or the vectors' dimension is not known yet.

    Raises:
        ModelMismatchError, EmbeddingError: A vector is not as it has to be.
    """
    has_vectors = any(item.vector is not None for item in batch.memories)
    if not _only_adds(batch) or (has_vectors and dimension is None):
        return None
    vectors.check_shapes(batch.memories, dimension)
    graph = GraphRows(scope.tenant, Known())
    entities, _ = graph.sorted_out(batch.entities)
    memories = {item.memory.id: item for item in reversed(batch.memories)}
    episodes, edges = distinct(batch.episodes), distinct(batch.edges)
    new = New(episodes, entities, memories, edges, graph.known.list_edges(edges), batch.jobs)
    expected: Properties = {"name": None, "dimension": None, "preparation": None}
    if model is not None and has_vectors:
        expected = {"name": model.name, "dimension": model.dimension, "preparation": model.preparation}
    absent = [*memories, *(episode.id for episode in episodes)]
    looked_at = {"absent": absent, "model": expected, "slots": slots_of(scope, batch)}
    return Addition({**rows_of(scope, graph, new), **looked_at}, entities)


def _only_adds(batch: WriteBatch) -> bool:
    """Whether all of a batch is new rows, and its edges are those of its own memories."""
    own = {item.memory.id for item in batch.memories}
    changes = (
        batch.memory_patches, batch.entity_patches, batch.finished_jobs, batch.job_changes, batch.keys, batch.sessions,
        batch.audit,
    )  # fmt: skip
    return (
        bool(own)
        and batch.idempotency is None
        and not any(changes)
        and all(edge.owner_id in own for edge in batch.edges)
        and all(entity.canonical_id == entity.id for entity in batch.entities)
    )
