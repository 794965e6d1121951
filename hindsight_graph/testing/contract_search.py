"""Searching: filters first, then the nearest vectors and the best keyword candidates, exactly."""
# ruff: noqa: ANN201, D102 - a test's name is its sentence, and it returns nothing

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from hindsight_graph.errors import EmbeddingError, ModelMismatchError
from hindsight_graph.models.enums import Kind, Origin, Outcome, RelationType, Status
from hindsight_graph.models.memory import Memory, Slot
from hindsight_graph.models.query import Filter, Scope
from hindsight_graph.models.record import EntityPatch, NewMemory, WriteBatch
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import (
    NOW,
    a_memory,
    a_mention,
    a_statement,
    a_vector,
    a_view,
    an_entity,
    new,
    together,
)

HERE = Scope()
ALL = Filter(view=a_view())

CONDITIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "ids": ({}, {"ids": ("m-fit", "m-none")}),
    "root_id": ({"root_id": "m-root"}, {"root_id": "m-root"}),
    "kinds": ({"kind": Kind.RESULT}, {"kinds": (Kind.RESULT, Kind.STRATEGY)}),
    "tags": ({"tags": ("a", "b", "c")}, {"tags": ("c", "a")}),
    "agent_ids": ({"agent_id": "x"}, {"agent_ids": ("x", "y")}),
    "session_id": ({"session_id": "s"}, {"session_id": "s"}),
    "since": ({"valid_from": NOW - timedelta(hours=1)}, {"since": NOW - timedelta(hours=1)}),
    "until": ({"valid_from": NOW - timedelta(days=9)}, {"until": NOW - timedelta(days=8)}),
    "task_type": ({"task_type": "refund"}, {"task_type": "refund"}),
    "outcome": ({"outcome": Outcome.FAILURE}, {"outcome": Outcome.FAILURE}),
    "tool": ({"tools": ("psql", "curl")}, {"tool": "curl"}),
    "error_code": ({"error_code": "E42"}, {"error_code": "E42"}),
    "media_type": ({"media_type": "image/png"}, {"media_type": "image/png"}),
    "origins": ({"origin": Origin.WEB}, {"origins": (Origin.WEB, Origin.TOOL)}),
    "content_hashes": ({"content_hash": "feed"}, {"content_hashes": ("feed", "beef")}),
    "bands": ({"bands": (3, 4)}, {"bands": (4, 5)}),
    "slot": ({"slot": Slot(subject="the Staging-Postgres", attribute="port", value="1")}, {"slot": ("staging postgres", "port")}),
    "places": ({"session_id": "s", "sequence": 2}, {"places": (("s", 1), ("s", 2))}),
    "several": (
        {"kind": Kind.RESULT, "tags": ("a",), "tools": ("psql",)},
        {"kinds": (Kind.RESULT,), "tags": ("a",), "tool": "psql"},
    ),
}


def near_misses(field: str) -> list[Memory]:
    """Return memories that miss the condition closely."""
    before = {"recorded_at": NOW - timedelta(days=2), "valid_from": NOW - timedelta(days=2)}
    return [
        a_memory("miss", **before),
        a_memory("miss tag", tags=("a", "b"), tools=("x",), bands=(7,), **before),
        a_memory("miss place", session_id="s" if field != "session_id" else "t", sequence=3, agent_id="z", **before),
        a_memory(
            "miss slot", slot=Slot(subject="staging postgres", attribute="host", value="1"), outcome=Outcome.SUCCESS, **before
        ),
        a_memory("miss kind", kind=Kind.ACTION if field != "several" else Kind.RESULT, media_type="image/jpeg", **before),
    ]


class SearchContract:
    """Tests of `vector_topk`, `text_topk`, `term_stats` and the filters they share with `scan_memories`."""

    @pytest.mark.parametrize("field", list(CONDITIONS))
    async def test_each_filter_narrows_every_search(self, store: Store, field: str):
        values, conditions = CONDITIONS[field]
        before = {"recorded_at": NOW - timedelta(days=2), "valid_from": NOW - timedelta(days=2)}
        rows = [a_memory("fit", **(before | values)), *near_misses(field)]
        await store.write(HERE, WriteBatch(memories=tuple(new(row, "word", vector=a_vector(1)) for row in rows)))
        where = Filter(view=a_view(), **conditions)
        assert [row.id for row in (await store.scan_memories(HERE, where)).rows] == ["m-fit"]
        assert [hit.id for hit in await store.vector_topk(HERE, a_vector(1), 9, where)] == ["m-fit"]
        assert [hit.id for hit in await store.text_topk(HERE, ["word"], 9, where)] == ["m-fit"]
        assert (await store.term_stats(HERE, ["word"], where)).documents == 1

    async def test_the_entity_filter_follows_merges(self, store: Store):
        await store.write(
            HERE,
            together(
                a_statement("Checkout", RelationType.USES, "PSP"), a_statement("payment service", RelationType.USES, "Postgres")
            ),
        )
        psp, service = an_entity("PSP").id, an_entity("payment service").id

        async def mentioning(*ids: str) -> set[str]:
            return {row.id for row in (await store.scan_memories(HERE, Filter(view=a_view(), entity_ids=ids))).rows}

        first, second = "m-Checkout-USES-PSP", "m-payment service-USES-Postgres"
        assert await mentioning(psp) == {first}
        assert await mentioning(psp, service) == {first, second}
        await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id=psp, canonical_id=service),)))
        assert await mentioning(service) == {first, second}
        assert await mentioning(psp) == set()
        await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id=psp, canonical_id=psp),)))
        assert await mentioning(service) == {second}
        memory = a_memory("late")
        await store.write(HERE, WriteBatch(memories=(new(memory),)))
        await store.write(HERE, WriteBatch(edges=(a_mention(memory, an_entity("PSP")),)))
        assert await mentioning(psp) == {first, "m-late"}

    async def test_the_nearest_vectors_come_first_and_ties_by_id(self, store: Store):
        angles = {"c": 0.2, "a": 0.1, "b": 0.1, "far": 3.0, "d": 0.3}
        rows = [
            new(a_memory(name), vector=a_vector(float(np.cos(angle)), float(np.sin(angle)))) for name, angle in angles.items()
        ]  # fmt: skip
        await store.write(HERE, WriteBatch(memories=(*rows, new(a_memory("without")))))
        hits = await store.vector_topk(HERE, a_vector(1), 9, ALL)
        assert [hit.id for hit in hits] == ["m-a", "m-b", "m-c", "m-d", "m-far"]
        assert [hit.score for hit in hits] == pytest.approx([np.cos(angle) for angle in (0.1, 0.1, 0.2, 0.3, 3.0)], abs=1e-6)
        assert [hit.id for hit in await store.vector_topk(HERE, a_vector(1), 1, ALL)] == ["m-a"]
        assert await store.vector_topk(HERE, a_vector(1), 0, ALL) == ()

    async def test_filters_apply_before_the_top_k(self, store: Store):
        rows = [new(a_memory(f"near {n}"), vector=a_vector(1)) for n in range(20)]
        rows += [new(a_memory(f"far {n}", tags=("t",)), vector=a_vector(1, 5)) for n in range(3)]
        await store.write(HERE, WriteBatch(memories=tuple(rows)))
        hits = await store.vector_topk(HERE, a_vector(1), 3, Filter(view=a_view(), tags=("t",)))
        assert [hit.id for hit in hits] == ["m-far 0", "m-far 1", "m-far 2"]

    async def test_a_query_vector_that_cannot_be_compared_is_refused(self, store: Store):
        await store.write(HERE, WriteBatch(memories=(new(a_memory("1"), vector=a_vector(1)),)))
        with pytest.raises(ModelMismatchError, match="dimension 8"):
            await store.vector_topk(HERE, a_vector(1, dimension=9), 1, ALL)
        for bad in (0.0, float("nan")):
            with pytest.raises(EmbeddingError, match="zero or not finite"):
                await store.vector_topk(HERE, a_vector(1) * np.float32(bad), 1, ALL)

    async def test_keyword_candidates_carry_counts_in_the_querys_order(self, store: Store):
        await store.write(
            HERE,
            WriteBatch(memories=(
                new(a_memory("both"), "redis", "cache", "redis", "down"), new(a_memory("one"), "cache", "full"),
                new(a_memory("none"), "other"), new(a_memory("empty")),
            )),
        )  # fmt: skip
        hits = await store.text_topk(HERE, ["cache", "unknown", "redis", "cache"], 9, ALL)
        assert [(hit.id, hit.counts, hit.length) for hit in hits] == [("m-both", (1, 0, 2, 1), 4), ("m-one", (1, 0, 0, 1), 2)]
        assert await store.text_topk(HERE, ["unknown"], 9, ALL) == ()
        assert await store.text_topk(HERE, [], 9, ALL) == ()

    async def test_rare_terms_outweigh_common_ones(self, store: Store):
        rows = [new(a_memory(f"common {n}"), "the", "service") for n in range(9)]
        await store.write(HERE, WriteBatch(memories=(*rows, new(a_memory("rare"), "postgres"))))
        hits = await store.text_topk(HERE, ["service", "postgres"], 3, ALL)
        assert [hit.id for hit in hits] == ["m-rare", "m-common 0", "m-common 1"]

    async def test_term_statistics_count_admitted_rows_only(self, store: Store):
        word = ("word", "word", "x")
        rows: tuple[NewMemory, ...] = (
            new(a_memory("1"), *word), new(a_memory("2"), "word"), new(a_memory("3"), "x", "y"), new(a_memory("4")),
            new(a_memory("untrusted", trust=0.2), *word * 9), new(a_memory("archived", status=Status.ARCHIVED), *word),
            new(a_memory("private", agent_id="b", visibility="private"), *word),
        )  # fmt: skip
        await store.write(HERE, WriteBatch(memories=rows))
        await store.write(Scope(tenant="other"), WriteBatch(memories=tuple(new(a_memory(f"o{n}"), *word) for n in range(9))))
        where = Filter(view=a_view(min_trust=0.5))
        stats = await store.term_stats(Scope(agent_id="a"), ["word", "y", "word", "none"], where)
        assert stats.documents == 4
        assert stats.average_length == pytest.approx(6 / 4)
        assert stats.frequencies == {"word": 2, "y": 1, "none": 0}
        empty = await store.term_stats(Scope(tenant="third"), ["word"], where)
        assert (empty.documents, empty.average_length, empty.frequencies) == (0, 0.0, {"word": 0})

    async def test_untrusted_rows_and_other_tenants_leave_the_trusted_answer_as_it_was(self, store: Store):
        rows = [new(a_memory(str(n)), "word", *("filler",) * n, vector=a_vector(1, n)) for n in range(4)]
        await store.write(HERE, WriteBatch(memories=tuple(rows)))
        where = Filter(view=a_view(min_trust=0.5))

        async def answers() -> tuple[Any, ...]:
            return (
                await store.text_topk(HERE, ["word", "filler"], 3, where),
                await store.vector_topk(HERE, a_vector(1), 3, where),
                await store.term_stats(HERE, ["word", "filler"], where),
            )

        before = await answers()
        flood = [new(a_memory(f"bad {n}", trust=0.2), "word", "word", vector=a_vector(1)) for n in range(30)]
        await store.write(HERE, WriteBatch(memories=tuple(flood)))
        await store.write(Scope(tenant="other"), WriteBatch(memories=tuple(rows)))
        assert await answers() == before

    async def test_searches_keep_up_with_many_small_writes(self, store: Store):
        for number in range(40):
            row = new(a_memory(f"{number:02}"), "word", f"w{number}", vector=a_vector(1, number))
            await store.write(HERE, WriteBatch(memories=(row,)))
            (hit,) = await store.text_topk(HERE, [f"w{number}"], 5, ALL)
            assert hit.id == f"m-{number:02}"
            assert len(await store.vector_topk(HERE, a_vector(1), 99, ALL)) == number + 1
        assert (await store.term_stats(HERE, ["word"], ALL)).frequencies == {"word": 40}
