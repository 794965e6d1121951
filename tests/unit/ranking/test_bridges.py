"""What a found text names leads to the texts about it."""

from datetime import UTC, datetime

import pytest

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import MentionRole, StructureType
from hindsight_graph.ranking.bridges import BRIDGE_HOLDERS, Seed, bridges

SUBJECT, TOPIC = MentionRole.SUBJECT, MentionRole.TOPIC


def _mention(memory: str, thing: str, role: MentionRole = TOPIC) -> Edge:
    return Edge(
        id=f"{memory}-{thing}", source_id=memory, target_id=thing, source_canonical=memory, target_canonical=thing,
        type=StructureType.MENTIONS, role=role, owner_id=memory, trust=1.0, recorded_at=datetime(2025, 1, 1, tzinfo=UTC),
    )  # fmt: skip


def _reached(named: list[Edge], others: list[Edge], value: float = 1.0) -> dict[str, float]:
    found = bridges([Seed(value, ("a",))], named, [*named, *others])
    return {memory: reach.value for memory, reach in found.items()}


def test_a_text_about_what_is_named_is_worth_more_than_one_that_names_it_too():
    reached = _reached([_mention("a", "x")], [_mention("b", "x", SUBJECT), _mention("c", "x")])
    assert reached["b"] > reached["c"] > 0


def test_the_way_goes_from_the_found_text_over_the_thing_and_says_so():
    reach = bridges([Seed(1.0, ("a",))], [_mention("a", "x")], [_mention("b", "x", SUBJECT)])["b"]
    assert [(step.origin, step.target) for step in reach.steps] == [("a", "x"), ("x", "b")]


def test_a_thing_that_many_mention_bridges_only_to_what_is_about_it():
    crowd = [_mention(f"m{number}", "x") for number in range(BRIDGE_HOLDERS + 1)]
    assert _reached([_mention("a", "x")], [*crowd, _mention("b", "x", SUBJECT)]).keys() == {"b"}


def test_a_text_that_names_many_things_says_less_about_each():
    few = _reached([_mention("a", "x")], [_mention("b", "x", SUBJECT)])
    many = _reached([_mention("a", thing) for thing in "xyz"], [_mention(f"of {thing}", thing, SUBJECT) for thing in "xyz"])
    assert many["of x"] < few["b"]


def test_a_text_does_not_lead_to_itself_nor_to_more_about_its_own_subject_by_that_alone():
    assert "a" not in _reached([_mention("a", "x")], [_mention("b", "x", SUBJECT)])
    own = bridges([Seed(1.0, ("a",))], [_mention("a", "x", SUBJECT)], [_mention("b", "x", SUBJECT)], cut=["x"])
    assert own == {}


def test_a_better_found_text_hands_over_more():
    strong, weak = (_reached([_mention("a", "x")], [_mention("b", "x", SUBJECT)], value)["b"] for value in (1.0, 0.5))
    assert strong == pytest.approx(2 * weak)
