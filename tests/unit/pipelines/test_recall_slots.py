"""How much of a question a stated slot accounts for."""

import pytest

from hindsight_graph.models.memory import Slot
from hindsight_graph.pipelines.recall_slots import asks_about_self, slot_share
from hindsight_graph.text.tokens import query_terms

LEDGER = Slot(subject="staging ledger", attribute="port", value="5433")
CHINESE = Slot(subject="暂存账本", attribute="端口", value="5433")
MINE = Slot(subject="user", attribute="time zone", value="Lisbon")


@pytest.mark.requirement("R-02")
@pytest.mark.parametrize(
    ("slot", "question", "share"),
    [
        (LEDGER, "What is the port of the staging ledger?", 1.0),
        (LEDGER, "Which port does the staging ledger use?", 3 / 4),
        (LEDGER, "What is the host of the staging ledger?", 0.0),
        (LEDGER, "What is the port of the ledger?", 0.0),
        (Slot(subject="ledger", attribute="port", value="1"), "What is the port of the staging ledger?", 2 / 3),
        (CHINESE, "暂存账本的端口是多少？", 1.0),
        (CHINESE, "暂存账本的地址是多少？", 0.0),
        (CHINESE, "账本的端口是多少？", 0.0),
        (MINE, "What is my time zone?", 1.0),
        (MINE, "What is the time zone of Porto?", 0.0),
        (Slot(subject="用户", attribute="时区", value="里斯本"), "我的时区是什么？", 1.0),
        (None, "What is the port of the staging ledger?", 0.0),
    ],
)
def test_a_slot_counts_when_the_question_names_its_subject_and_attribute(slot: Slot | None, question: str, share: float):
    found = slot_share(slot, frozenset(query_terms(question)), about_self=asks_about_self(question))
    assert found == pytest.approx(share)
