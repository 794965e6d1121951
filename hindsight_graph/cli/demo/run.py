"""Retain the story with the real engine, ask it questions, and show what comes back. Nothing is scripted but the questions."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

from hindsight_graph.cli.call import stdout, to_json
from hindsight_graph.cli.render.chains import chains_view
from hindsight_graph.cli.render.hits import answer_view
from hindsight_graph.cli.render.marks import DIM, KEY
from hindsight_graph.cli.render.memories import history_view
from hindsight_graph.cli.render.receipts import counts, items_view
from hindsight_graph.clock import ManualClock, SystemClock
from hindsight_graph.errors import InputError
from hindsight_graph.models.result import Action, Receipt, ReceiptItem
from hindsight_graph.settings import Settings, file_url
from hindsight_graph.sync import HindsightGraph

STORY_NOW = datetime(2026, 5, 24, 12, tzinfo=UTC)
"""When the story's questions are asked: three and a half hours after its last message."""
QUESTION = "What caused the checkout outage?"
START = "Checkout"
EFFECT = "checkout outage"
RISK = "node-4"
CHINESE = "退款服务依赖什么？"
CHANGED = "Which port does the staging ledger use?"
"""The question whose answer changed during the story."""
_EXAMPLES = {Action.KEPT: 5, Action.MERGED: 3, Action.SUPERSEDED: 3, Action.DROPPED: 4}
"""How many items of each fate the human output shows."""


def story(shift: timedelta = timedelta()) -> tuple[dict[str, Any], ...]:
    """Return the messages of the story, moved in time by `shift`."""
    lines = files(__package__ or "").joinpath("story.jsonl").read_text(encoding="utf-8").splitlines()
    messages = [json.loads(line) for line in lines]
    return tuple({**message, "occurred_at": datetime.fromisoformat(message["occurred_at"]) + shift} for message in messages)


def run_demo(keep: str | None = None, *, as_json: bool = False) -> None:
    """Run the whole demo and print it.

    Args:
        keep: A path for the store. Then the story is told as if it ended now, so that nothing in it has expired when it is
            explored. Without it the store lives in memory, at the story's own dates.
        as_json: Print one JSON object with every answer instead.

    Raises:
        InputError: `keep` exists.
    """
    now = STORY_NOW if keep is None else SystemClock().now()
    url = "sqlite:///:memory:" if keep is None else _new_store(keep)
    settings = Settings(store_url=url, embedder="hashing")
    with HindsightGraph(settings=settings, clock=ManualClock(now)) as memory:
        receipt = memory.retain(story(now - STORY_NOW))
        if as_json:
            print(to_json({"receipt": receipt, **{name: answer for name, _, answer, _ in _answers(memory)}}))
            return
        console = stdout()
        _tell_receipt(console, receipt)
        for _, command, answer, view in _answers(memory):
            _chapter(console, command)
            console.print(view)
            del answer
        _tell_next(console, keep)


def _answers(memory: HindsightGraph) -> Iterator[tuple[str, str, object, RenderableType]]:
    """Ask each question; yield its name, the command that asks it, the answer, and how it is shown."""
    answer = memory.recall(QUESTION, top_k=3)
    yield "recall", f'recall "{QUESTION}" --top-k 3 --explain', answer, answer_view(answer, explain=True)
    chains = memory.chain(START, relations=["DEPENDS_ON"])
    yield "chain", f'chain "{START}" --relation DEPENDS_ON', chains, chains_view(chains)
    causes = memory.causes(EFFECT)
    yield "causes", f'causes "{EFFECT}"', causes, chains_view(causes)
    impact = memory.impact(RISK)
    yield "impact", f'impact "{RISK}"', impact, chains_view(impact)
    chinese = memory.recall(CHINESE, top_k=2)
    yield "chinese", f'recall "{CHINESE}" --top-k 2', chinese, answer_view(chinese)
    current = memory.recall(CHANGED, top_k=1)
    yield "current", f'recall "{CHANGED}" --top-k 1', current, answer_view(current)
    if current.results:
        found = current.results[0].memory.id
        versions = memory.history(found)
        yield "history", f"history {found}", versions, history_view(versions)


def _tell_receipt(console: Console, receipt: Receipt) -> None:
    total = len(receipt.episode_ids)
    console.print(Text(f"Three weeks of a small team and its agent: {total} messages, tool calls and results.", KEY))
    _chapter(console, "retain story.jsonl")
    chosen: list[ReceiptItem] = []
    for action, number in _EXAMPLES.items():
        chosen += [item for item in receipt.items if item.action is action][:number]
    console.print(counts(receipt))
    console.print(items_view(receipt, chosen))
    left = len(receipt.items) - len(chosen)
    if left > 0:
        console.print(Text(f"… and {left} more", DIM))


def _chapter(console: Console, command: str) -> None:
    console.print()
    console.print(Text.assemble(("$ hindsight-graph ", DIM), (command, KEY)))


def _tell_next(console: Console, keep: str | None) -> None:
    console.print()
    console.print(Text("Try next", KEY))
    if keep is None:
        console.print("hindsight-graph demo --keep story.db    # the same, kept, so that you can ask it your own questions")
    else:
        console.print(f'hindsight-graph recall "what replaced Redis?" --store {keep}')
        console.print(f"hindsight-graph list --store {keep}")
    console.print('hindsight-graph remember "Checkout depends on the payment service"')
    console.print("hindsight-graph retain FILE             # JSON or JSONL messages, Markdown, text")
    console.print("hindsight-graph --help")


def _new_store(path: str) -> str:
    if Path(path).expanduser().exists():
        raise InputError(f"{path} exists", hint="name a new file; the demo writes over nothing")
    return file_url(path)
