"""The tools that change something: memory_write, memory_update, memory_forget."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from hindsight_graph.api.mcp.arguments import DEFAULT_TOKENS, Forget, Update, Write
from hindsight_graph.api.mcp.render import Data, Reply, Row, assemble, fit, memory_row, plural, quoted
from hindsight_graph.api.mcp.working import write_working
from hindsight_graph.errors import InputError
from hindsight_graph.models.enums import Origin

if TYPE_CHECKING:
    from hindsight_graph.engine import AsyncHindsightGraph
    from hindsight_graph.models.result import Receipt


async def write(memory: "AsyncHindsightGraph", given: Write) -> Reply:
    """Remember a statement, or change the session's working memory."""
    if given.kind == "working":
        return await write_working(memory, given)
    receipt = await memory.remember(
        given.content,
        kind=given.kind,
        entities=given.entities,
        relations=given.relations,
        confidence=given.confidence,
        tags=given.tags,
        session_id=given.session_id,
        raw_ref=given.raw_ref,
        occurred_at=given.occurred_at,
        ttl_days=given.ttl_days,
        origin=Origin.AGENT,
        pending=given.kind == "strategy",
        idempotency_key=given.idempotency_key,
    )
    return written(receipt)


def written(receipt: "Receipt") -> Reply:
    """Return what became of each piece that was written."""
    rows: list[Row] = []
    status = {memory.id: memory.status.value for memory in receipt.memories}
    for item in receipt.items:
        data: Data = {"action": item.action.value, "text": item.text}
        named: dict[str, Any] = {"id": item.memory_id, "reason": item.reason, "replaces": item.replaces}
        data |= {name: value for name, value in named.items() if value}
        if status.get(item.memory_id or "") == "pending":
            data["status"] = "pending"
        parts = [f"id {item.memory_id}"] if item.memory_id else []
        parts += [item.reason] if item.reason else []
        parts += [f"replaces {item.replaces}"] if item.replaces else []
        parts += ["pending: a person has to approve it before it is recalled"] if "status" in data else []
        rows.append(Row(f"- {item.action.value}: {quoted(item.text)} [{quoted('; '.join(parts))}]", data))
    shown = rows[: fit(rows, DEFAULT_TOKENS)]
    words_met = Counter(item.action.value for item in receipt.items)
    counts = {word: words_met[word] for word in ("kept", "merged", "superseded", "dropped")}
    head = ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "nothing to keep"
    more: Data = {"status": _status(counts), "ids": [memory.id for memory in receipt.memories][: max(len(shown), 1)]}
    words: list[str] = []
    if len(shown) < len(rows):
        more["not_shown"] = len(rows) - len(shown)
        words.append(f"and {len(rows) - len(shown)} more; memory_list shows them")
    if receipt.job_id is not None:
        more["job_id"] = receipt.job_id
        words.append(f"job {receipt.job_id} goes on with it; memory_status tells")
    if receipt.notes:
        more["notes"] = list(receipt.notes)
        words += [f"note: {quoted(note)}" for note in receipt.notes]
    return assemble(head, shown, "items", Row("\n".join(words), more))


def _status(counts: dict[str, int]) -> str:
    met = [word for word, count in counts.items() if count]
    return met[0] if len(met) == 1 else "mixed" if met else "nothing"


async def update(memory: "AsyncHindsightGraph", given: Update) -> Reply:
    """Give a memory a new version, or another confidence."""
    if given.content is None and given.confidence is None:
        raise InputError("memory_update needs content or confidence", hint="to take a memory out of recall, use memory_forget")
    new = await memory.update(given.id, given.content, confidence=given.confidence, reason=given.reason)
    row = memory_row(new)
    replaces = {} if new.id == given.id else {"replaces": given.id}
    head = f"new version {new.version}, {given.id} is superseded" if replaces else "confidence changed"
    return Reply(f"{head}\n{row.line}", {"status": "superseded" if replaces else "updated", **replaces, "memory": row.data})


async def forget(memory: "AsyncHindsightGraph", given: Forget) -> Reply:
    """Archive memories."""
    archived = await memory.forget(given.ids, reason=given.reason)
    rows = [Row(f"- {item.id} {quoted(item.summary)}", {"id": item.id, "summary": item.summary}) for item in archived]
    shown = rows[: fit(rows, DEFAULT_TOKENS)]
    head = f"archived {plural(len(rows), 'memory', 'memories')}: kept, but recalled only with include_history"
    return assemble(head, shown, "archived", count=len(rows))
