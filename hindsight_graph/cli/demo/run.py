"""Retain the story with the real engine, ask it questions, and show what comes back. Nothing is scripted but the questions."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from hindsight_graph.cli.call import say, to_json
from hindsight_graph.cli.demo.lesson import lessons
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
    settings = Settings(store_url=url, embedder="hashing", extractor="rules")
    with HindsightGraph(settings=settings, clock=ManualClock(now)) as memory:
        receipt = memory.retain(story(now - STORY_NOW))
        if as_json:
            print(to_json({"receipt": receipt, **{name: answer for name, _, answer, _ in _answers(memory, now)}}))
            return
        ids = keep is not None
        say(*_receipt(receipt, ids=ids))
        for _, command, _, view in _answers(memory, now, ids=ids):
            say(*_chapter(command), view)
        say(*_next(keep))


def _answers(memory: HindsightGraph, now: datetime, *, ids: bool = True) -> Iterator[tuple[str, str, object, RenderableType]]:
    """Ask each question; yield its name, the command that asks it, the answer, and how it is shown.

    Ids are shown only where they can be used: in a store that is kept.
    """
    answer = memory.recall(QUESTION, top_k=3)
    yield "recall", f'recall "{QUESTION}" --top-k 3 --explain', answer, answer_view(answer, explain=True, ids=ids)
    chains = memory.chain(START, relations=["DEPENDS_ON"])
    yield "chain", f"chain {START} --relation DEPENDS_ON", chains, chains_view(chains, ids=ids)
    causes = memory.causes(EFFECT)
    yield "causes", f'causes "{EFFECT}"', causes, chains_view(causes, ids=ids)
    impact = memory.impact(RISK)
    yield "impact", f"impact {RISK}", impact, chains_view(impact, ids=ids)
    chinese = memory.recall(CHINESE, top_k=2)
    yield "chinese", f'recall "{CHINESE}" --top-k 2', chinese, answer_view(chinese, ids=ids)
    current = memory.recall(CHANGED, top_k=1)
    yield "current", f'recall "{CHANGED}" --top-k 1', current, answer_view(current, ids=ids)
    if current.results:
        found = current.results[0].memory.id
        versions = memory.history(found)
        yield "history", f"history {found if ids else 'ID'}", versions, history_view(versions, ids=ids)
    yield from lessons(memory, now, ids=ids)


def _receipt(receipt: Receipt, *, ids: bool) -> Iterator[RenderableType]:
    total = len(receipt.episode_ids)
    yield Text(f"Three weeks of a small team and its agent: {total} messages, tool calls and results.", KEY)
    yield from _chapter("retain story.jsonl")
    chosen: list[ReceiptItem] = []
    for action, number in _EXAMPLES.items():
        chosen += [item for item in receipt.items if item.action is action][:number]
    yield counts(receipt)
    yield items_view(receipt, chosen, ids=ids)
    left = len(receipt.items) - len(chosen)
    if left > 0:
        yield Text(f"… and {left} more", DIM)


def _chapter(command: str) -> Iterator[RenderableType]:
    yield ""
    yield Text.assemble(("$ hindsight-graph ", DIM), (command, KEY))


def _next(keep: str | None) -> Iterator[RenderableType]:
    yield ""
    yield Text("Try next", KEY)
    if keep is None:
        yield Text("hindsight-graph demo --keep story.db     the same, kept to be explored")
    else:
        yield Text(f'hindsight-graph recall "what replaced Redis?" --store {keep}')
        yield Text(f"hindsight-graph list --store {keep}")
    yield Text('hindsight-graph remember "Checkout depends on the payment service"')
    yield Text("hindsight-graph retain FILE              JSON or JSONL messages, Markdown, text")
    yield Text("hindsight-graph --help")


def _new_store(path: str) -> str:
    if Path(path).expanduser().exists():
        raise InputError(f"{path} exists", hint="name a new file; the demo writes over nothing")
    return file_url(path)
