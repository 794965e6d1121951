"""What was learned: reflections, the review queue, one strategy with its evidence, feedback, consolidations."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hindsight_graph.cli.render.marks import BAD, DIM, GOOD, KEY, WARN, bar, details, memory_details, rows
from hindsight_graph.learning.standing import conditions_text
from hindsight_graph.models.learning import Support
from hindsight_graph.models.memory import Memory
from hindsight_graph.pipelines.learn.consolidate import Consolidation
from hindsight_graph.pipelines.learn.feedback import FeedbackReceipt
from hindsight_graph.pipelines.learn.reflect import Reflection
from hindsight_graph.pipelines.learn.review import ReviewItem


def reflection_view(found: Reflection) -> RenderableType:
    """Return the experiences found, what was left out and why, and what followed for strategies."""
    if not found.drafts and not found.left:
        return Text("nothing reusable", DIM)
    table = rows("left", "body")
    for draft in found.drafts:
        experience = draft.experience
        table.add_row(Text(experience.outcome.value, GOOD if experience.outcome == "success" else BAD), Text(draft.summary, KEY))
        table.add_row("", details([experience.action, ", ".join(trigger.value for trigger in draft.triggers)]))
        if experience.lesson:
            table.add_row("", Text(f"lesson: {experience.lesson}"))
    for item in found.left:
        table.add_row(Text("left out", DIM), Text(item.request or "(no request)"))
        table.add_row("", details([item.reason]))
    parts: list[RenderableType] = [table]
    if found.drafts and not found.stored:
        parts.append(Text("nothing was stored: run without --dry-run to keep it", DIM))
    if found.consolidation is not None:
        parts.extend(_followed(found.consolidation))
    return Group(*parts)


def queue_view(waiting: Sequence[ReviewItem]) -> RenderableType:
    """Return what awaits a decision, one strategy under the other."""
    if not waiting:
        return Text("nothing awaits a decision", DIM)
    table = rows("left", "body")
    for item in waiting:
        table.add_row(bar(item.strategy.support.low), Text(item.strategy.guidance, KEY))
        table.add_row("", _figures(item.strategy.support))
        for concern in item.strategy.concerns:
            table.add_row("", Text(f"! {concern.text}", WARN))
        table.add_row("", details([item.memory.status.value, item.memory.id]))
    hint = Text("hindsight-graph review show ID, then approve, edit or reject it", DIM)
    return Group(Text(f"{len(waiting)} await a decision"), table, hint)


def item_view(item: ReviewItem, *, ids: bool = True) -> RenderableType:
    """Return one strategy as a reviewer needs it."""
    strategy, memory = item.strategy, item.memory
    table = rows("left", "body")
    table.add_row(Text("do", DIM), Text(strategy.guidance, KEY))
    table.add_row(Text("when", DIM), Text(conditions_text(strategy.conditions)))
    table.add_row(Text("worked", DIM), _figures(strategy.support))
    for concern in strategy.concerns:
        table.add_row(Text("look", WARN), Text(concern.text, WARN))
    _side(table, "for it", item.supporting, strategy.support.supporting)
    _side(table, "against", item.refuting, strategy.support.refuting)
    for other in item.contradicts:
        table.add_row(Text("opposite", BAD), Text(other.summary))
    state = f"{memory.status.value}; approving it: {item.effect}" if memory.status != "active" else "in use"
    table.add_row(Text("state", DIM), Text(state))
    if ids:
        table.add_row(Text("id", DIM), Text(memory.id))
    return table


def feedback_view(receipt: FeedbackReceipt) -> RenderableType:
    """Return what a task's outcome moved."""
    table = rows("left", "body")
    for item in receipt.items:
        moved = "" if item.weight is None or item.weight_before is None else f"{item.weight_before:.2f} -> {item.weight:.2f}"
        table.add_row(Text(moved or "left alone", KEY if moved else DIM), details([item.memory_id, item.note]))
    return Group(Text(f"task {receipt.task_id}: {receipt.outcome.value}"), table)


def consolidation_view(report: Consolidation) -> RenderableType:
    """Return what a consolidation did, or would do."""
    head = f"{report.experiences} experiences in {len(report.groups)} groups"
    return Group(Text(head + (" (dry run)" if report.dry_run else "")), *_followed(report))


def undone_view(ids: Sequence[str]) -> RenderableType:
    """Return which strategies stand as before."""
    return Group(Text(f"{len(ids)} strategies as before"), *(details([one]) for one in ids))


def _followed(report: Consolidation) -> Iterable[RenderableType]:
    names = {memory.id: memory.summary for memory in report.strategies}
    for title, ids, style in (
        ("proposed for review", report.proposed, KEY),
        ("approved by policy", report.approved, GOOD),
        ("revised", report.revised, ""),
        ("fell with their evidence", report.stale, WARN),
    ):
        for one in ids:
            yield Text(f"{title}: ", style=DIM).append(names.get(one, one), style=style)
    if report.updated:
        yield details([f"{len(report.updated)} strategies counted new evidence"])
    if report.report_id:
        yield details([f"taken back by: hindsight-graph maintain consolidate --undo {report.report_id}"])


def _figures(support: Support) -> Text:
    parts = [f"{support.mean:.0%} when followed (95 %: {support.low:.0%} to {support.high:.0%})"]
    if support.table.otherwise_worked or support.table.otherwise_failed:
        parts.append(f"{support.otherwise:.0%} otherwise")
    parts.append(f"{support.supporting} for, {support.refuting} against")
    if support.uses:
        parts.append(f"helped in {support.helped} of {support.uses} uses")
    return details(parts)


def _side(table: Table, title: str, memories: Sequence[Memory], total: int) -> None:
    for index, memory in enumerate(memories[:5]):
        table.add_row(Text(title if index == 0 else "", DIM), Text(memory.summary))
        table.add_row("", memory_details(memory, ids=False))
    if total > 5:
        table.add_row("", details([f"and {total - 5} more"]))
