"""A store in which tests state relations one by one, and the pipelines over it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from hindsight_graph.clock import ManualClock
from hindsight_graph.ids import IdGenerator
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import EntityType, Kind, MentionRole, RelationType, Visibility
from hindsight_graph.models.memory import Memory, Mention, Relation
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import MemoryPatch, NewMemory, WriteBatch
from hindsight_graph.pipelines.chain import Chain
from hindsight_graph.pipelines.entities import Entities
from hindsight_graph.stores.sqlite import SqliteStore

MAY = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)


class Graph:
    """States relations, as retain does after extraction."""

    def __init__(self, store: SqliteStore, clock: ManualClock) -> None:
        self.store = store
        self.clock = clock
        self.ids = IdGenerator(clock)
        self.scope = Scope()
        self.entities = Entities(store, clock, self.ids)
        self.chain = Chain(store, self.entities, clock, trust_floor=0.5)

    async def name(self, *names: str, kind: EntityType = EntityType.OTHER) -> dict[str, Entity]:
        """Make or find entities."""
        resolved = await self.entities.resolve(self.scope, dict.fromkeys(names, kind))
        await self.store.write(self.scope, WriteBatch(entities=resolved.new, entity_patches=resolved.patches))
        return dict(resolved.by_name)

    async def state(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        trust: float = 0.9,
        confidence: float = 1.0,
        valid_from: datetime = MAY,
        valid_to: datetime | None = None,
        agent_id: str | None = None,
        visibility: Visibility = Visibility.SHARED,
        raw_ref: str = "",
    ) -> Memory:
        """Write a memory that states one relation; its summary is the three words."""
        found = await self.name(source, target)
        identity, kind, now = self.ids.new(), RelationType(relation), self.clock.now()
        memory = Memory(
            id=identity,
            root_id=identity,
            kind=Kind.FACT,
            summary=f"{source} {relation} {target}",
            mentions=(
                Mention(name=source, role=MentionRole.SUBJECT, entity_id=found[source].id),
                Mention(name=target, role=MentionRole.OBJECT, entity_id=found[target].id),
            ),
            relations=(Relation(source=source, type=kind, target=target, confidence=confidence),),
            raw_refs=(raw_ref or f"ref:{source}>{target}",),
            trust=trust,
            confidence=confidence,
            agent_id=agent_id,
            visibility=visibility,
            valid_from=valid_from,
            valid_to=valid_to,
            recorded_at=now,
            content_hash=sha256(identity.encode()).hexdigest(),
        )
        edge = Edge(
            id=self.ids.new(),
            source_id=found[source].id,
            target_id=found[target].id,
            source_canonical=found[source].canonical_id,
            target_canonical=found[target].canonical_id,
            type=kind,
            owner_id=identity,
            agent_id=agent_id,
            visibility=visibility,
            trust=trust,
            confidence=confidence,
            valid_from=valid_from,
            valid_to=valid_to,
            recorded_at=now,
        )
        await self.store.write(self.scope, WriteBatch(memories=(NewMemory(memory=memory),), edges=(edge,)))
        return memory

    async def state_all(self, *lines: str) -> list[Memory]:
        """State lines of the form "A DEPENDS_ON B"; names are single words here."""
        return [await self.state(*line.split()) for line in lines]

    async def change(self, memory: Memory, **changes: object) -> None:
        """Patch a memory, and with it its edges."""
        await self.store.write(self.scope, WriteBatch(memory_patches=(MemoryPatch(id=memory.id, changes=changes),)))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(MAY)


@pytest.fixture(scope="session")
def graph_type() -> type[Graph]:
    """For tests that make many stores."""
    return Graph


@pytest.fixture
async def graph(clock: ManualClock) -> AsyncIterator[Graph]:
    store = SqliteStore(":memory:")
    await store.open()
    yield Graph(store, clock)
    await store.close()
