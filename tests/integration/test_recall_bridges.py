"""Recall through the public face: second hops, and what holds now."""

from datetime import UTC, datetime, timedelta

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock

START = datetime(2024, 3, 1, tzinfo=UTC)


def _library(memory: HindsightGraph) -> None:
    passages = {
        "Harbour of Glass": "Harbour of Glass is a novel of 1931. The novel was written by Odile Verhaegen.",
        "Odile Verhaegen": "She grew up on a barge and later kept bees near Ghent.",
        "Glass harp": "A glass harp is an instrument of upright wine glasses. It is played with wet fingers.",
        "Harbour seal": "The harbour seal is found along coasts. It eats fish.",
    }
    fillers = {f"Pier {number}": f"Pier {number} is a quay. It was opened in {1900 + number}." for number in range(40)}
    memory.retain(
        [{"role": "document", "name": name, "content": text, "raw_ref": name} for name, text in {**passages, **fillers}.items()],
        origin="operator",
    )


@pytest.mark.requirement("G-04")
def test_a_document_about_what_the_best_one_names_comes_next_with_its_path(memory: HindsightGraph):
    _library(memory)
    question = "Where did the author of the novel Harbour of Glass spend her childhood?"
    found = {graph: [hit.evidence[0] for hit in memory.recall(question, graph=graph).results] for graph in (True, False)}
    assert found[True][0] == "Harbour of Glass"
    assert "Odile Verhaegen" in list(dict.fromkeys(found[True]))[:2]
    assert "Odile Verhaegen" not in list(dict.fromkeys(found[False]))[:2]
    hit = next(hit for hit in memory.recall(question).results if hit.evidence[0] == "Odile Verhaegen")
    assert hit.path is not None
    assert hit.path.nodes[1] == "Odile Verhaegen"


def test_with_words_and_vectors_weighing_nothing_a_bridge_carries_nothing(memory: HindsightGraph):
    _library(memory)
    answer = memory.recall("Who wrote Harbour of Glass?", weights={"keyword": 0, "similarity": 0})
    assert answer.results
    assert not answer.degraded


def test_what_is_reached_stays_behind_the_text_that_led_to_it(memory: HindsightGraph):
    _library(memory)
    answer = memory.recall("Where did the author of the novel Harbour of Glass spend her childhood?", weights={"graph": 50})
    scores = {hit.evidence[0]: hit.score for hit in reversed(answer.results)}
    assert scores["Odile Verhaegen"] < scores["Harbour of Glass"]


def test_the_last_of_several_wordings_of_a_fact_comes_first_and_says_why(memory: HindsightGraph, clock: ManualClock):
    texts = (
        "The relay listens on port 7402.",
        "Since the firewall change the relay answers on port 5561.",
        "Heads up, the relay now uses port 9027.",
        "Somebody joked about the relay again.",
    )
    memory.remember_many([{"summary": text, "occurred_at": START + timedelta(days=30 * at)} for at, text in enumerate(texts)])
    clock.advance(timedelta(days=1))
    first = memory.recall("On which port does the relay listen?").results[0]
    assert first.memory.summary == texts[2]
    assert first.components["current"].raw >= 1
    then = memory.recall("On which port does the relay listen?", as_of=START + timedelta(days=45)).results[0]
    assert then.memory.summary == texts[1]
    before = memory.recall("On which port did the relay listen before?").results[0]
    assert before.components["current"].contribution == 0
