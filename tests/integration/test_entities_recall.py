"""Merging and splitting, seen through recall and the public face."""

from collections.abc import Iterable
from typing import Any

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.errors import ConflictError, InputError, NotFoundError
from hindsight_graph.models.result import Answer

QUESTIONS = (
    "What does checkout depend on?",
    "What do we know about the billing API?",
    "支付网关依赖什么？",
    "Who owns the ledger?",
)


def fill(memory: HindsightGraph) -> None:
    def unit(text: str, source: str, relation: str, target: str) -> dict[str, Any]:
        return {"summary": text, "kind": "fact", "entities": [source, target], "relations": [(source, relation, target)]}

    memory.remember_many([
        unit("Checkout depends on the payment gateway.", "Checkout", "DEPENDS_ON", "payment gateway"),
        unit("The billing API depends on the ledger.", "billing API", "DEPENDS_ON", "ledger"),
        unit("支付网关依赖账本数据库。", "支付网关", "DEPENDS_ON", "账本数据库"),
        unit("Ann owns the ledger.", "Ann", "OWNS", "ledger"),
        unit("The ledger uses Postgres.", "ledger", "USES", "Postgres"),
    ])  # fmt: skip


def ranked(answers: Iterable[Answer]) -> list[list[tuple[str, float, tuple[str, ...] | None]]]:
    return [[(hit.id, round(hit.score, 9), hit.path.nodes if hit.path else None) for hit in answer.results] for answer in answers]


@pytest.mark.requirement("G-05")
def test_after_a_merge_and_a_split_every_recall_and_chain_is_what_it_was(memory: HindsightGraph):
    fill(memory)
    names = [entity.name for entity in memory.entities().rows]
    before = ranked(memory.recall(question) for question in QUESTIONS)
    chains = [memory.chain(name, direction="both") for name in names]
    memory.merge_entities("payment gateway", "支付网关", reason="one thing in two languages")
    assert memory.chain("Checkout").paths[0].nodes == ("Checkout", "支付网关", "账本数据库")
    memory.merge_entities("支付网关", "billing API", reason="and the third name of it")
    assert memory.chain("Checkout").paths[0].nodes[:2] == ("Checkout", "billing API")
    assert ranked(memory.recall(question) for question in QUESTIONS) != before
    memory.split_entity("支付网关", reason="not that")
    memory.split_entity("payment gateway", reason="nor that")
    assert ranked(memory.recall(question) for question in QUESTIONS) == before
    assert [memory.chain(name, direction="both") for name in names] == chains


@pytest.mark.requirement("G-05")
def test_names_with_other_numbers_are_remembered_as_two_things(memory: HindsightGraph):
    memory.remember("Room 101 has a projector", entities=["Room 101"])
    memory.remember("Room 102 has a whiteboard", entities=["room-102"])
    assert [entity.name for entity in memory.entities(prefix="room").rows] == ["Room 101", "room-102"]
    with pytest.raises(InputError, match="different numbers: 101 and 102"):
        memory.merge_entities("Room 101", "Room 102", reason="typo")


@pytest.mark.requirement("G-05")
def test_a_merge_is_undone_once(memory: HindsightGraph):
    fill(memory)
    memory.merge_entities("payment gateway", "支付网关", reason="same")
    assert memory.split_entity("Payment Gateway", reason="not the same").is_canonical
    with pytest.raises(ConflictError, match="'payment gateway' is not merged into another entity"):
        memory.split_entity("payment gateway", reason="again")
    with pytest.raises(NotFoundError, match=r"there is no entity 'paiment gateway' \(did you mean payment gateway\?\)"):
        memory.split_entity("paiment gateway", reason="typo")
