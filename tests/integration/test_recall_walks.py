"""Recall over the graph, through the public face: chains among distractors, directions, trust, pages that stand still."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock

NAMES = ("Alder gateway", "Birch ledger", "Cedar queue", "Dogwood cache", "Elm vault")


def _fact(ref: str, text: str, *relations: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    names = list(dict.fromkeys(name for source, _, target in relations for name in (source, target))) or [
        text.partition(" is ")[0]
    ]
    return {"summary": text, "kind": "fact", "raw_ref": ref, "entities": names, "relations": list(relations), **more}


def _world(memory: HindsightGraph) -> None:
    """Four links among facts about the same things, dependencies in the other direction, and other dependencies."""
    units = [
        _fact(f"link{place}", f"{one} depends on {other}", (one, "DEPENDS_ON", other))
        for place, (one, other) in enumerate(pairwise(NAMES), start=1)
    ]
    for name in NAMES:
        units.append(_fact(f"user of {name}", f"Client of {name} depends on {name}", (f"Client of {name}", "DEPENDS_ON", name)))
        units.append(_fact(f"place of {name}", f"{name} is in Dublin", (name, "LOCATED_IN", "Dublin")))
        units += [_fact(f"{name} {word}", f"{name} is {word} and depends on nobody's mood") for word in ("green", "old", "quick")]
    units += [
        _fact(
            f"noise{number}",
            f"Service {number} depends on store {number}",
            (f"Service {number}", "DEPENDS_ON", f"store {number}"),
        )
        for number in range(300)
    ]
    memory.remember_many(units)


@pytest.mark.requirement("G-04")
@pytest.mark.parametrize(
    "question",
    [
        "What does Alder gateway depend on?",
        "Alder gateway is down. Which things behind it should we check?",
        "Why is Alder gateway not working?",
        "Alder gateway 依赖什么？",
        "Give me an overview of Alder gateway",
    ],
)
def test_a_whole_chain_is_in_the_first_ten_with_its_paths_when_the_question_names_its_head_alone(
    memory: HindsightGraph, question: str
) -> None:
    _world(memory)
    answer = memory.recall(question)
    hits = {hit.evidence[0]: hit for hit in answer.results}
    for place in range(1, 5):
        path = hits[f"link{place}"].path
        assert path is not None
        assert path.nodes == NAMES[: place + 1]
        assert [hop.raw_refs for hop in path.hops] == [(f"link{number}",) for number in range(1, place + 1)]
    assert answer.trace.entities == ("Alder gateway",)


@pytest.mark.requirement("G-03")
def test_what_breaks_if_the_last_changes_goes_against_the_arrows(memory: HindsightGraph) -> None:
    _world(memory)
    hits = {hit.evidence[0]: hit for hit in memory.recall("What breaks if Elm vault changes?").results}
    assert {"link4", "link3", "link2", "link1"} <= set(hits)
    path = hits["link1"].path
    assert path is not None
    assert path.nodes == tuple(reversed(NAMES))
    assert all(hop.against for hop in path.hops)


def test_without_the_graph_no_path_and_no_entity_lifts_a_result(memory: HindsightGraph) -> None:
    _world(memory)
    answer = memory.recall("What does Alder gateway depend on?", graph=False)
    assert all(hit.path is None and hit.components["graph"].contribution == 0 for hit in answer.results)
    assert answer.trace.entities == ()


@pytest.mark.requirement("T-04")
def test_untrusted_rows_leave_the_ranking_as_it_is(memory: HindsightGraph) -> None:
    _world(memory)
    question = "What does Alder gateway depend on?"
    before = [(hit.id, hit.score) for hit in memory.recall(question, top_k=30).results]
    traps = [("Alder gateway", "DEPENDS_ON", f"trap {number}") for number in range(40)]
    memory.remember_many([_fact(trap[2], f"Alder gateway depends on {trap[2]}", trap, origin="web") for trap in traps])
    assert [(hit.id, hit.score) for hit in memory.recall(question, top_k=30).results] == before


@pytest.mark.requirement("R-08")
def test_pages_stand_still_while_time_goes_on(memory: HindsightGraph, clock: ManualClock) -> None:
    _world(memory)
    question = "what depends on the stores"
    whole = [hit.id for hit in memory.recall(question, top_k=40).results]
    paged: list[str] = []
    cursor: str | None = None
    for _ in range(8):
        answer = memory.recall(question, top_k=5, cursor=cursor)
        paged += [hit.id for hit in answer.results]
        cursor = answer.cursor
        clock.advance(timedelta(days=2))
    assert len(set(paged)) == 40
    assert paged == whole
