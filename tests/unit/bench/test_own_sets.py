"""The committed sets are what their README says, and their questions can be answered from them."""

from pathlib import Path

import pytest

from bench.common import Collection
from bench.quality.intervals import difference, mean
from bench.quality.own_sets import load_agent, load_versions, load_zh
from bench.quality.tasks import MADE_TASKS, load_task, recall_at


def _sets(half: str) -> list[Collection]:
    return [load_zh(half), load_versions(half), load_agent(half).collection]


def test_every_set_has_the_size_that_its_readme_states():
    assert [(len(made.turns), len(made.questions)) for made in _sets("all")] == [(312, 172), (429, 216), (240, 158)]


def test_every_question_points_at_texts_of_its_own_set():
    for made in _sets("all"):
        refs = {turn.ref for turn in made.turns}
        assert len(refs) == len(made.turns)
        assert all(question.gold and refs.issuperset(question.gold) for question in made.questions)


def test_the_halves_share_no_question_and_make_up_the_whole():
    for whole, tune, report in zip(_sets("all"), _sets("tune"), _sets("report"), strict=True):
        assert {*tune.questions}.isdisjoint(report.questions)
        assert {*tune.questions, *report.questions} == {*whole.questions}


def test_a_version_question_asks_for_the_last_statement_or_for_the_one_that_held_then():
    made = load_versions()
    times = {turn.ref: turn.occurred_at for turn in made.turns}
    for question in made.questions:
        (gold,) = question.gold
        history = sorted((times[ref], ref) for ref in times if ref.startswith(gold.partition(".")[0] + ".") and "n" not in ref)
        held = [ref for moment, ref in history if question.as_of is None or moment <= question.as_of]
        assert held[-1] == gold


def test_composing_the_versions_twice_gives_the_same():
    assert load_versions() == load_versions()


@pytest.mark.parametrize("name", sorted(MADE_TASKS))
def test_tasks_over_committed_sets_need_no_other_data(name: str):
    task = load_task(name, Path("/nowhere"))
    assert len(task.questions) == len(task.parts[0].collection.questions) >= 96


def test_recall_counts_gold_refs_within_the_cut_only():
    assert recall_at(2, ["a", "b", "c"], ("a", "c")) == 0.5


def test_an_interval_holds_its_mean_and_a_paired_difference_cancels_what_both_share():
    assert mean([1.0, 0.0, 1.0, 0.0]).value == 50.0
    assert difference([1.0, 0.0, 1.0], [1.0, 0.0, 1.0]).as_list() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="not to the same questions"):
        difference([1.0], [1.0, 0.0])
