"""The calls around a task: the question, the prompt with one place for the memory, and the example that needs no LLM."""

import subprocess
import sys
from pathlib import Path

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.client import SYSTEM_PROMPT, AgentMemory, system_prompt, task_query
from hindsight_graph.errors import InputError


@pytest.mark.requirement("A-07")
def test_the_question_is_built_from_task_goal_and_tools() -> None:
    assert task_query("Refund  order 1042", "content customer", ["refund", "get_order"]) == (
        "Refund order 1042\ncontent customer\nrefund\nget_order"
    )
    with pytest.raises(InputError):
        task_query("  ")


@pytest.mark.requirement("A-07")
def test_the_prompt_has_one_place_for_the_memory_and_nothing_in_it_moves_that_place() -> None:
    context = "<memory_context>\n- **fact**: a line with {memory_context} in it\n</memory_context>"
    filled = system_prompt(context)
    assert filled.count("<memory_context>") == filled.count("</memory_context>") == 1
    assert filled.startswith("You have a memory")
    assert context in filled
    with pytest.raises(InputError, match="2 places"):
        system_prompt(context, SYSTEM_PROMPT + "{memory_context}")
    with pytest.raises(InputError, match="not inside its tags"):
        system_prompt("no tags")


@pytest.mark.requirement("A-07")
def test_at_most_five_strategies_three_experiences_and_five_statements_are_fetched(memory: HindsightGraph) -> None:
    for number in range(8):
        for kind in ("strategy", "experience", "fact"):
            receipt = memory.remember(
                f"Refund {kind} number {number}: look at ledger page {number} first", kind=kind, entities=[f"page {number}"]
            )
            if kind == "strategy":
                memory.learning.approve(receipt.memories[0].id, reviewer="ann")
    found = AgentMemory(memory, max_tokens=4_000).before("Refund an order", tools=["refund"])
    assert [len(part.results) for part in (found.strategies, found.experiences, found.statements)] == [5, 3, 5]
    lines = [line.split("**")[1] for line in found.text.splitlines() if line.startswith("- **")]
    assert lines == ["strategy"] * 5 + ["experience"] * 3 + ["fact"] * 5


@pytest.mark.requirement("A-07")
def test_a_lesson_is_kept_with_its_context_and_a_task_without_anything_to_say_is_refused(memory: HindsightGraph) -> None:
    agent = AgentMemory(memory, agent_id="worker")
    receipt = agent.after(
        "Refund order 1042", "failure", action="called refund", lesson="Check the order status first.", tools=["refund"]
    )
    (kept,) = receipt.memories
    assert (kept.kind, kept.outcome, kept.tools, kept.agent_id) == ("experience", "failure", ("refund",), "worker")
    assert kept.payload["experience"]["context"] == "Refund order 1042"
    assert [hit.id for hit in agent.before("Another refund").experiences.results] == [kept.id]
    with pytest.raises(InputError, match="nothing to write"):
        agent.after("Refund order 1042", "success")
    with pytest.raises(InputError, match="unknown outcome"):
        agent.after("Refund order 1042", "fine", lesson="x")


@pytest.mark.requirement("A-07")
@pytest.mark.requirement("X-03")
def test_after_a_failed_task_the_memory_looks_back_by_itself_and_the_next_task_sees_it(memory: HindsightGraph) -> None:
    agent = AgentMemory(memory, agent_id="worker")
    messages = [
        {"role": "user", "content": "Refund order 1042"},
        {"role": "tool", "name": "process_refund", "content": "Error: order status was not checked"},
    ]
    receipt = agent.after("Refund order 1042", "failure", messages=messages, task_type="refund")
    assert receipt.job_id is not None
    (hit,) = agent.before("Refund order 77", tools=["process_refund"]).experiences.results
    assert (hit.memory.outcome, hit.memory.task_type, hit.memory.agent_id) == ("failure", "refund", "worker")
    assert "process_refund: Error: order status was not checked" in hit.summary
    kept = agent.after("Say hello", "success", messages=[{"role": "user", "content": "hello there"}], reflect=False)
    assert kept.job_id is None


@pytest.mark.requirement("A-07")
def test_what_was_tried_in_tasks_of_this_sort_stands_in_the_prompt_and_nothing_of_other_sorts(memory: HindsightGraph) -> None:
    agent = AgentMemory(memory, agent_id="worker", max_tokens=2_000)

    def tried(task: str, sort: str, *calls: tuple[str, str]) -> None:
        said = [{"role": "tool", "name": tool, "content": content} for tool, content in calls]
        failed = calls[-1][1].startswith("Error")
        messages = [{"role": "user", "content": task}, *said]
        agent.after(task, "failure" if failed else "partial", messages=messages, task_type=sort)

    tried("Refund order 1042", "refund", ("process_refund", "Error: refused"))
    tried("Refund order 1043", "refund", ("get_order", "delivered"), ("process_refund", "refunded"))
    tried("Ship parcel 5", "shipment", ("book_shipment", "Error: no address"))
    context = agent.before("Refund order 1044", tools=["process_refund"], task_type="refund")
    lines = [line for line in context.text.splitlines() if line.startswith("- **tried**")]
    assert lines == [
        "- **tried**: process_refund after get_order: worked 1 of 1",
        "- **tried**: process_refund: failed 1 of 1",
    ]
    assert [item.text for item in context.precedents] == [line.removeprefix("- **tried**: ") for line in lines]
    assert "- **tried**" in context.prompt
    other = agent.before("Ship parcel 6", tools=["book_shipment"])
    assert [item.tool for item in other.precedents] == ["book_shipment"]
    assert agent.before("Water the plants", task_type="garden").precedents == ()


@pytest.mark.requirement("A-07")
@pytest.mark.requirement("X-09")
def test_what_a_task_followed_gains_or_loses_weight_once(memory: HindsightGraph) -> None:
    agent = AgentMemory(memory)
    agent.after("Refund order 1042", "failure", action="called refund", lesson="Check the order status first.", tools=["refund"])
    context = agent.before("Refund order 1043", tools=["refund"])
    (used,) = context.ids
    before = memory.get(used).weight
    for _ in range(2):
        agent.after("Refund order 1043", "success", used=context.ids, task_id="refund-1043")
    after = memory.get(used).weight
    assert after > before
    agent.after("Refund order 1043", "success", used=context.ids, task_id="refund-1043")
    assert memory.get(used).weight == after


@pytest.mark.requirement("A-07")
def test_the_example_runs_without_an_llm_and_does_not_repeat_its_mistake(project: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, project / "examples" / "agent_loop.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    outcomes = [line for line in done.stdout.splitlines() if line.startswith("outcome")]
    assert outcomes == ["outcome: failure", "outcome: success"]
    assert "Check the order status with get_order before calling refund." in done.stdout.partition("attempt 2")[2]
