"""What a write did."""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.text import Text

from hindsight_graph.cli.render.marks import DIM, GOOD, WARN, details, rows
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.result import Action, Receipt, ReceiptItem

SHOWN = 60
"""Items listed; the rest is counted, and `--json` has them all."""
_LABELS = {Action.SUPERSEDED: "new value"}
"""What people read instead of the vocabulary's word: the line shows the new value, not the one that it superseded."""
_STYLES = {Action.KEPT: GOOD, Action.MERGED: "cyan", Action.SUPERSEDED: WARN, Action.DROPPED: DIM}


def receipt_view(receipt: Receipt, shown: int = SHOWN) -> RenderableType:
    """Return the counts, then each item with its fate and reason."""
    more = len(receipt.items) - shown
    rest = [Text(f"… {more} more; --json lists all", DIM)] if more > 0 else []
    return Group(counts(receipt), items_view(receipt, receipt.items[:shown]), *rest)


def items_view(receipt: Receipt, items: Iterable[ReceiptItem], *, ids: bool = True) -> RenderableType:
    """Return some items of a receipt, each with its fate, the memory it became, and why."""
    memories = {memory.id: memory for memory in receipt.memories}
    table = rows("left", "body")
    for item in items:
        memory = None if item.action is Action.DROPPED else memories.get(item.memory_id or "")
        body = Text(item.text if memory is None else memory.summary, DIM if item.action is Action.DROPPED else "")
        table.add_row(Text(_LABELS.get(item.action, item.action.value), _STYLES[item.action]), body)
        below = _below(item, memory, ids)
        if below:
            table.add_row("", below)
    return table


def counts(receipt: Receipt) -> Text:
    """Return how many statements of how many messages met which fate, on one line."""
    line = Text()
    for action in Action:
        number = receipt.count(action)
        if number:
            line.append(", " if line else "").append(f"{number} {_LABELS.get(action, action.value)}", _STYLES[action])
    total = len(receipt.items)
    messages = len(receipt.episode_ids)
    source = f"{messages} message{'' if messages == 1 else 's'}"
    if not line:
        return line.append(f"nothing was extracted from {source}", DIM)
    return Text(f"{total} statement{'' if total == 1 else 's'} from {source}: ", DIM).append_text(line)


def _below(item: ReceiptItem, memory: Memory | None, ids: bool) -> Text:
    if memory is None:
        return details([item.reason])
    relations = "; ".join(f"{relation.source} {relation.type} {relation.target}" for relation in memory.relations)
    reason = "" if item.reason == memory.kind.value else item.reason
    if not ids:
        return details(
            [
                memory.kind.value,
                relations,
                reason.replace(memory.id, memory.raw_refs[0] if memory.raw_refs else "the same memory"),
            ]
        )
    replaces = f"replaces {item.replaces}" if item.replaces else ""
    return details([memory.kind.value, relations, reason, replaces, "" if memory.id in reason else memory.id])
