"""A state machine that does random things to a store and to a model in plain dictionaries, and compares what they say.

Subclass `StoreMachine`, say how a store on a given folder is made, and run its `TestCase`. The second handle stands for a second
process: it was opened at the start, and must see what the first one writes.
"""

import asyncio
import tempfile
from abc import abstractmethod
from collections.abc import Coroutine, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hindsight_graph.errors import ConflictError
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, RelationType, Status
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.record import EdgePage, EmbeddingModel, EntityPatch, MemoryPatch, WriteBatch
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.program import Program, a_read, ask_together, run_program
from hindsight_graph.testing.builders import NOW, a_memory, a_mention, a_vector, an_edge, an_entity, new

Result = TypeVar("Result")

TENANTS = ("default", "other")
NAMES = ("alpha", "beta", "gamma", "delta")
WORDS = ("red", "green", "blue")
SUMMARIES = tuple(f"statement {number}" for number in range(6))
_HOUR = timedelta(hours=1)


class Model:
    """What one tenant should hold.

    Attributes:
        memories: By id. edges: by id, as stated. canonical: entity id to canonical id. words: terms by memory id.
    """

    def __init__(self) -> None:
        self.memories: dict[str, Memory] = {}
        self.edges: dict[str, Edge] = {}
        self.canonical: dict[str, str] = {}
        self.words: dict[str, tuple[str, ...]] = {}

    def says(self, content_hash: str) -> str | None:
        """Return the memory that keeps others from saying this, if there is one."""
        for memory in self.memories.values():
            if memory.content_hash == content_hash and memory.is_current and memory.status is not Status.REJECTED:
                return memory.id
        return None

    def patch(self, memory_id: str, changes: dict[str, Any]) -> None:
        """Change a memory and the edges it owns."""
        self.memories[memory_id] = self.memories[memory_id].model_copy(update=changes)
        for edge in list(self.edges.values()):
            if edge.owner_id == memory_id:
                self.edges[edge.id] = edge.model_copy(
                    update={name: changes[name] for name in changes if name in Edge.model_fields}
                )

    def admitted(self, view: View) -> set[str]:
        """Return the ids of the memories the view holds."""
        return {memory.id for memory in self.memories.values() if view.holds(memory)}

    def step(self, entity_id: str, view: View) -> set[tuple[str, str, str]]:
        """Return (edge id, source, target) of the edges at a canonical entity, by canonical ids."""
        found: set[tuple[str, str, str]] = set()
        for edge in self.edges.values():
            ends = self.canonical.get(edge.source_id, edge.source_id), self.canonical.get(edge.target_id, edge.target_id)
            if entity_id in ends and view.holds(edge):
                found.add((edge.id, *ends))
        return found


class StoreMachine(RuleBasedStateMachine):
    """Rules and comparisons; see the module's docstring.

    Attributes:
        every_step: Compare everything after each step; else, for stores that answer over a network, one tenant in turn after a
            step, and everything at the end.
    """

    every_step = True

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._folder = tempfile.TemporaryDirectory(prefix="store-machine-")
        self._models = {tenant: Model() for tenant in TENANTS}
        self._count = 0
        self._now = NOW
        self.first: Store
        self.second: Store

    @abstractmethod
    def make_store(self, folder: Path) -> Store:
        """Return a store that is not open, with its data in `folder`."""

    def run_now(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine to its end."""
        return self._runner.run(work)

    def _open(self) -> Store:
        store = self.make_store(Path(self._folder.name))
        self.run_now(store.open())
        return store

    @initialize()
    def open_both(self) -> None:
        """Open both handles on an empty store."""
        self.first, self.second = self._open(), self._open()
        self.run_now(self.first.record_model(EmbeddingModel(name="machine", dimension=8)))

    def teardown(self) -> None:
        """Check once more and leave nothing behind."""
        assert self.run_now(self.first.check()) == ()
        if not self.every_step:
            self._compare_all()
        self.run_now(self.first.close())
        self.run_now(self.second.close())
        self._runner.close()
        self._folder.cleanup()

    def _tick(self) -> None:
        self._now += _HOUR

    @rule(
        tenant=st.sampled_from(TENANTS), ends=st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True),
        summary=st.sampled_from(SUMMARIES), words=st.lists(st.sampled_from(WORDS), max_size=4), trust=st.sampled_from([0.3, 0.9]),
        second=st.booleans(),
    )  # fmt: skip
    def write(self, tenant: str, ends: list[str], summary: str, words: list[str], trust: float, second: bool) -> None:
        """Write a statement, through either handle; the same statement twice is a conflict that leaves nothing."""
        self._tick()
        self._count += 1
        model = self._models[tenant]
        memory = a_memory(f"{self._count:04}", summary=summary, trust=trust, recorded_at=self._now)
        entities = [an_entity(name, tenant=tenant) for name in ends]
        edges = (
            an_edge(entities[0].id, RelationType.DEPENDS_ON, entities[1].id, memory),
            *(a_mention(memory, thing) for thing in entities),
        )  # fmt: skip
        item = new(memory, *words, vector=a_vector(1, self._count % 7))
        batch = WriteBatch(memories=(item,), entities=tuple(entities), edges=edges)
        store = self.second if second else self.first
        if model.says(memory.content_hash):
            with pytest.raises(ConflictError):
                self.run_now(store.write(Scope(tenant=tenant), batch))
            return
        self.run_now(store.write(Scope(tenant=tenant), batch))
        model.memories[memory.id], model.words[memory.id] = memory, tuple(words)
        model.edges.update((edge.id, edge) for edge in edges)
        for entity in entities:
            model.canonical.setdefault(entity.id, entity.id)

    @precondition(lambda self: any(model.memories for model in self._models.values()))
    @rule(
        data=st.data(), second=st.booleans(),
        how=st.sampled_from(["change", "correct", "archive", "reject", "trust", "expire"]),
    )  # fmt: skip
    def patch(self, data: st.DataObject, second: bool, how: str) -> None:
        """Supersede, archive, reject, distrust or expire a memory; one that is no longer current is a conflict."""
        self._tick()
        tenant = data.draw(st.sampled_from([tenant for tenant in TENANTS if self._models[tenant].memories]))
        model = self._models[tenant]
        memory = model.memories[data.draw(st.sampled_from(sorted(model.memories)))]
        superseded = {"status": Status.SUPERSEDED, "is_current": False}
        changes: dict[str, Any] = {
            "change": {**superseded, "valid_to": self._now, "closed_at": self._now, "prior_valid_to": memory.valid_to},
            "correct": {**superseded, "retired_at": self._now},
            "archive": {"status": Status.ARCHIVED},
            "reject": {"status": Status.REJECTED, "is_current": False},
            "trust": {"trust": 0.1},
            "expire": {"expires_at": self._now + _HOUR},
        }[how]
        batch = WriteBatch(memory_patches=(MemoryPatch(id=memory.id, changes=changes),))
        work = (self.second if second else self.first).write(Scope(tenant=tenant), batch)
        if not memory.is_current:
            with pytest.raises(ConflictError):
                self.run_now(work)
            return
        self.run_now(work)
        model.patch(memory.id, changes)

    @rule(tenant=st.sampled_from(TENANTS), pair=st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True))
    def merge_or_split(self, tenant: str, pair: list[str]) -> None:
        """Merge one entity, with all that were merged into it, into another one; or split it off again."""
        model = self._models[tenant]
        one, other = (an_entity(name, tenant=tenant).id for name in pair)
        if one not in model.canonical or other not in model.canonical:
            return
        if model.canonical[one] != one:
            moved = {one: one}
        else:
            into = model.canonical[other]
            moved = {name: into for name, canonical in model.canonical.items() if canonical == one} if into != one else {}
        patches = tuple(EntityPatch(id=name, canonical_id=canonical) for name, canonical in moved.items())
        self.run_now(self.first.write(Scope(tenant=tenant), WriteBatch(entity_patches=patches)))
        model.canonical.update(moved)

    @rule()
    def reopen(self) -> None:
        """Close the first handle and open another one."""
        self.run_now(self.first.close())
        self.first = self._open()

    @invariant()
    def both_handles_say_what_the_model_says(self) -> None:
        """Compare rows, searches and frontier steps, now and as of an hour ago."""
        if self.every_step:
            self._compare_all()
            return
        tenant = TENANTS[self._count % len(TENANTS)]
        self.run_now(self._compare(self.second, Scope(tenant=tenant), self._models[tenant], View(now=self._now)))

    def _compare_all(self) -> None:
        views = (
            View(now=self._now),
            View(now=self._now, as_of=self._now - _HOUR),
            View(now=self._now, known_at=self._now - _HOUR),
        )
        for tenant, model in self._models.items():
            for view in views:
                self.run_now(self._compare(self.second, Scope(tenant=tenant), model, view))
        self.run_now(self._compare(self.first, Scope(), self._models["default"], views[0]))

    async def _compare(self, store: Store, scope: Scope, model: Model, view: View) -> None:
        where = Filter(view=view)
        admitted = model.admitted(view)
        rows = (await store.scan_memories(scope, where, limit=10_000)).rows
        assert {row.id: row for row in rows} == {memory_id: model.memories[memory_id] for memory_id in admitted}
        assert {hit.id for hit in await store.vector_topk(scope, a_vector(1), 10_000, where)} == admitted
        for word in WORDS[:2]:
            counts = {memory_id: model.words[memory_id].count(word) for memory_id in admitted}
            hits = await store.text_topk(scope, [word], 10_000, where)
            assert {hit.id: hit.counts[0] for hit in hits} == {memory_id: count for memory_id, count in counts.items() if count}
            statistics = await store.term_stats(scope, [word], where)
            assert (statistics.documents, statistics.frequencies[word]) == (len(admitted), sum(map(bool, counts.values())))
        for entity_id in [one for one, canonical in model.canonical.items() if one == canonical][:2]:
            page = await store.edges_of(scope, [entity_id], [], Direction.BOTH, 10_000, view)
            found = {(edge.id, edge.source_canonical, edge.target_canonical) for edge in page.edges}
            assert found == model.step(entity_id, view)
            together = await run_program(store, scope, _together(sorted(admitted), entity_id, where))
            assert together == (tuple([model.memories[memory_id] for memory_id in sorted(admitted)]), rows, page)


def _together(
    ids: Sequence[str], entity_id: str, where: Filter
) -> Program[tuple[tuple[Memory, ...], tuple[Memory, ...], EdgePage]]:
    """Read in a program what single reads gave: a store may keep for programs what they read."""
    memories, page, edges = yield from ask_together(
        a_read(Store.get_memories, ids),
        a_read(Store.scan_memories, where, limit=10_000),
        a_read(Store.edges_of, (entity_id,), (), Direction.BOTH, 10_000, where.view),
    )
    return memories.take(), page.take().rows, edges.take()
