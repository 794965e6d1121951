"""An agent that does not repeat its mistake. It needs no LLM, no key and no server.

    python examples/agent_loop.py

Against a running service (`hindsight-graph serve`):

    python examples/agent_loop.py --url http://127.0.0.1:8712

The agent is a function with a rule in it, where yours has a model. What it does around each task is what yours would do:
`before` gives it a prompt with what is known, `after` writes down how it went.
"""

import argparse
import tempfile
from pathlib import Path

from hindsight_graph import HindsightGraph
from hindsight_graph.client import AgentMemory, Client

ORDERS = {"1042": "shipped", "1043": "paid"}
LESSON = "Check the order status with get_order before calling refund."


def refund(order: str) -> str:
    """A tool: refunds an order, unless it was shipped."""
    return f"Error: order {order} is {ORDERS[order]}, it cannot be refunded" if ORDERS[order] == "shipped" else "refunded"


def act(order: str, prompt: str) -> tuple[str, list[dict[str, str]]]:
    """Stand in for a model: it looks before it refunds only where its prompt says so."""
    calls: list[dict[str, str]] = []
    if LESSON in prompt:
        calls.append({"role": "tool", "name": "get_order", "content": ORDERS[order]})
        if ORDERS[order] == "shipped":
            calls.append({"role": "assistant", "content": f"Order {order} was shipped. I offered a return label instead."})
            return "success", calls
    answer = refund(order)
    calls.append({"role": "tool", "name": "refund", "content": answer})
    return ("failure" if answer.startswith("Error") else "success"), calls


def run(memory: AgentMemory) -> None:
    """Do the same task twice."""
    for attempt in (1, 2):
        task = "Refund order 1042 for the customer"
        context = memory.before(task, goal="the customer is content", tools=["get_order", "refund"])
        print(f"attempt {attempt}\n{context.text}")
        outcome, calls = act("1042", context.prompt)
        print(f"outcome: {outcome}\n")
        memory.after(
            task,
            outcome,
            action=", ".join(call["name"] for call in calls if "name" in call),
            lesson=LESSON if outcome == "failure" else "",
            tools=["refund"],
            messages=[{"role": "user", "content": task}, *calls],
        )


def main() -> None:
    """Run against a service, or an engine in this process."""
    options = argparse.ArgumentParser(description="An agent that does not repeat its mistake.")
    options.add_argument("--url", help="a running service; without it an engine in this process, on a file that is removed")
    options.add_argument("--api-key", help="its key")
    chosen = options.parse_args()
    if chosen.url:
        with Client(chosen.url, api_key=chosen.api_key) as client:
            run(AgentMemory(client))
        return
    with tempfile.TemporaryDirectory() as folder, HindsightGraph(f"sqlite:///{Path(folder) / 'memory.db'}") as memory:
        run(AgentMemory(memory))


if __name__ == "__main__":
    main()
