"""The tools that only read: memory_search, memory_list, memory_chain, memory_summarize, memory_status."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from hindsight_graph.api.mcp.arguments import Chain, List, Search, Status, Summarize
from hindsight_graph.api.mcp.render import (
    FRAME_TOKENS,
    Data,
    Reply,
    Row,
    assemble,
    compact,
    conflict_row,
    fit,
    hit_row,
    memory_row,
    moment,
    notices,
    number,
    path_text,
    plural,
    quoted,
)
from hindsight_graph.api.mcp.working import read_working
from hindsight_graph.llm.base import RAW_KEY
from hindsight_graph.models.enums import Status as Standing

if TYPE_CHECKING:
    from hindsight_graph.engine import AsyncHindsightGraph
    from hindsight_graph.models.record import Job
    from hindsight_graph.models.result import Chains, GraphPath

P = TypeVar("P")
_PAST = (Standing.ACTIVE, Standing.STALE, Standing.SUPERSEDED, Standing.EXPIRED, Standing.ARCHIVED)
_PATHS = 100
"""Paths asked for, of which those are shown that fit."""


def filters(given: Search | List, kinds: tuple[str, ...] | None) -> dict[str, Any]:
    """Return the filters by the engine's names."""
    return {
        "kinds": kinds,
        "entities": given.entities,
        "tags": given.tags,
        "session_id": given.session_id,
        "since": given.since,
        "until": given.until,
        "task_type": given.task_type,
        "outcome": given.outcome,
        "tool": given.tool,
        "error_code": given.error_code,
        "as_of": given.as_of,
        "statuses": _PAST if given.include_history else None,
        "cursor": given.cursor,
    }


async def page(
    ask: Callable[[int], Awaitable[P]], rows_of: Callable[[P], list[Row]], size: int, max_tokens: int
) -> tuple[P, list[Row]]:
    """Return a page and its rows, as large as the budget allows; its cursor goes on right after them."""
    while True:
        found = await ask(size)
        rows = rows_of(found)
        fitting = fit(rows, max_tokens)
        if fitting >= len(rows):
            return found, rows
        size = fitting


async def search(memory: "AsyncHindsightGraph", given: Search) -> Reply:
    """Find memories for a question, or read the session's working memory."""
    kinds = given.kinds
    working: Reply | None = None
    if kinds is not None and "working" in kinds:
        kinds = tuple(kind for kind in kinds if kind != "working") or None
        working = await read_working(memory, given.session_id, given.max_tokens if kinds is None else given.max_tokens // 2)
        if kinds is None:
            return working
    budget = given.max_tokens if working is None else given.max_tokens // 2
    asked = filters(given, kinds)
    answer, rows = await page(
        lambda size: memory.recall(given.query, top_k=size, token_budget=budget, **asked),
        lambda found: [hit_row(hit, explain=given.explain) for hit in found.results],
        given.top_k,
        budget,
    )
    said = notices(degraded=answer.degraded, reasons=answer.reasons, truncated=answer.truncated, cursor=answer.cursor)
    conflicts = [conflict_row(conflict) for conflict in answer.conflicts]
    more: Data = {"conflicts": [row.data for row in conflicts]} if conflicts else {}
    more |= working.data if working is not None else {}
    head = (
        f"{plural(len(rows), 'memory', 'memories')}, best first" if rows else "no memory found; try other words or fewer filters"
    )
    lines = Row("\n".join(row.line for row in conflicts), more)
    others = [lines, said] if working is None else [lines, said, Row(working.text)]
    return assemble(head, rows, "results", *others, degraded=answer.degraded)


async def list_(memory: "AsyncHindsightGraph", given: List) -> Reply:
    """List memories, newest first."""
    asked = filters(given, given.kinds)
    found, rows = await page(
        lambda size: memory.list(limit=size, **asked),
        lambda page: [memory_row(row) for row in page.rows],
        given.limit,
        given.max_tokens,
    )
    head = f"{plural(len(rows), 'memory', 'memories')}, newest first" if rows else "no memory fits these filters"
    return assemble(head, rows, "memories", notices(truncated=found.cursor is not None, cursor=found.cursor))


async def chain(memory: "AsyncHindsightGraph", given: Chain) -> Reply:
    """Follow relations; the memory that states a hop is told once, however many paths share it."""
    chains = await memory.chain(
        given.start,
        end=given.end,
        direction=given.direction,
        relations=given.relations,
        max_hops=given.max_hops,
        limit=_PATHS,
        as_of=given.as_of,
    )
    hops: dict[tuple[str, ...], Row] = {}
    rows: list[Row] = []
    for path in chains.paths:
        fresh = {key: row for key, row in _hops(path).items() if key not in hops}
        places = list(dict.fromkeys((*hops, *fresh)))
        row = _path_row(path, places)
        if rows and fit((*rows, row, *hops.values(), *fresh.values()), given.max_tokens) < len(rows) + 1 + len(places):
            break
        rows.append(row)
        hops |= fresh
    cut = len(rows) < len(chains.paths)
    stated = [Row(f"[{at}] {row.line}", row.data) for at, row in enumerate(hops.values())]
    also = _also(chains, len(chains.paths) - len(rows))
    lines = [f"[n] is the memory that states the hop:\n{chr(10).join(row.line for row in stated)}"] if stated else []
    head = f"{plural(len(rows), 'path')} from {quoted(chains.start)}" + (f" to {quoted(chains.end)}" if chains.end else "")
    head = head if rows else f"no path leads {'against' if given.direction == 'in' else 'on'} from {quoted(chains.start)}"
    said: Data = {"hops": [row.data for row in stated]} if stated else {}
    return assemble(head, rows, "paths", Row("\n".join(lines), said), also, start=chains.start, truncated=chains.truncated or cut)


def _key(path: "GraphPath", at: int) -> tuple[str, ...]:
    hop = path.hops[at]
    return hop.source, hop.relation.value, hop.target, hop.memory_id


def _hops(path: "GraphPath") -> dict[tuple[str, ...], Row]:
    rows: dict[tuple[str, ...], Row] = {}
    for at, hop in enumerate(path.hops):
        data: Data = {
            "source": hop.source,
            "relation": hop.relation.value,
            "target": hop.target,
            "memory_id": hop.memory_id,
            "summary": hop.summary,
            "score": number(hop.score),
        }
        if hop.valid_from is not None:
            data["valid_from"] = moment(hop.valid_from)
        if hop.valid_to is not None:
            data["valid_to"] = moment(hop.valid_to)
        if hop.raw_refs:
            data["evidence"] = list(hop.raw_refs[:3])
        since = f", from {data['valid_from']}" if "valid_from" in data else ""
        until = f" to {data['valid_to']}" if "valid_to" in data else ""
        refs = f", evidence {quoted(', '.join(data['evidence']))}" if "evidence" in data else ""
        line = f"{quoted(hop.summary)} [id {hop.memory_id}, score {data['score']:g}{since}{until}{refs}]"
        rows[_key(path, at)] = Row(line, data)
    return rows


def _path_row(path: "GraphPath", places: list[tuple[str, ...]]) -> Row:
    indexes = [places.index(_key(path, at)) for at in range(len(path.hops))]
    cycle = ", closes a cycle" if path.closes_cycle else ""
    text = path_text(path)
    line = f"- {path_text(path, quoted)} (score {number(path.score):g}, by {''.join(f'[{at}]' for at in indexes)}{cycle})"
    data: Data = {"path": text, "nodes": list(path.nodes), "hops": indexes, "score": number(path.score)}
    return Row(line, data | ({"closes_cycle": True} if path.closes_cycle else {}))


def _also(chains: "Chains", left: int) -> Row:
    lines = [f"cycle: {quoted(' → '.join(cycle))}" for cycle in chains.cycles]
    lines += [f"note: {quoted(note)}" for note in chains.notes]
    if left or chains.truncated:
        lines.append("there are more paths: name an end or relations, lower max_hops, or raise max_tokens")
    data: Data = {}
    if chains.end is not None:
        data["end"] = chains.end
    if chains.cycles:
        data["cycles"] = [list(cycle) for cycle in chains.cycles]
    if chains.notes:
        data["notes"] = list(chains.notes)
    return Row("\n".join(lines), data)


async def summarize(memory: "AsyncHindsightGraph", given: Summarize) -> Reply:
    """Sum up a time window, a session or a thing, in sentences that were written, each with its sources."""
    found = await memory.summarize(
        since=given.since,
        until=given.until,
        session_id=given.session_id,
        entity=given.entity,
        max_tokens=given.max_tokens - FRAME_TOKENS,
    )
    rows: list[Row] = []
    for sentence in found.sentences:
        data: Data = {"text": sentence.text, "timestamp": moment(sentence.at), "memory_ids": list(sentence.memory_ids)}
        if sentence.raw_refs:
            data["evidence"] = list(sentence.raw_refs)
        refs = f"; evidence {quoted(', '.join(sentence.raw_refs))}" if sentence.raw_refs else ""
        line = f"- ({data['timestamp']}) {quoted(sentence.text)} [id {', '.join(sentence.memory_ids)}{refs}]"
        rows.append(Row(line, data))
    shown = rows[: fit(rows, given.max_tokens)]
    head = (
        f"summary of {plural(found.memories, 'memory', 'memories')} in {plural(len(shown), 'sentence')}, oldest first"
        if rows
        else "nothing was remembered there"
    )
    about: Data = {"memories": found.memories, "entities": list(found.entities)}
    words = [f"mostly about: {quoted(', '.join(found.entities))}"] if found.entities else []
    words += ["left out: what is less central; narrow the window or raise max_tokens"] if found.truncated else []
    return assemble(head, shown, "sentences", Row("\n".join(words), about), truncated=found.truncated or len(shown) < len(rows))


async def status(memory: "AsyncHindsightGraph", given: Status) -> Reply:
    """Say how a job stands, or what the memory holds."""
    if given.job_id is not None:
        return _job(await memory.jobs.get(given.job_id))
    now = await memory.status()
    stats = now.stats
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(stats.memories_by_kind.items()))
    data = {
        "version": now.version,
        "store": now.store.kind,
        "tenant": now.tenant,
        "memories": stats.memories,
        "memories_by_kind": stats.memories_by_kind,
        "memories_by_status": stats.memories_by_status,
        "entities": stats.entities,
        "relations": stats.edges,
        "episodes": stats.episodes,
        "sessions": stats.sessions,
        "open_jobs": stats.open_jobs,
        "embedder": now.embedder.name,
        "extractor": now.extractor,
    } | ({"agent_id": now.agent_id} if now.agent_id else {})
    lines = [
        f"hindsight-graph {now.version} on {now.store.kind}, tenant {now.tenant}"
        + (f", agent {now.agent_id}" if now.agent_id else ""),
        f"{plural(stats.memories, 'memory', 'memories')}" + (f" ({kinds})" if kinds else ""),
        f"{plural(stats.entities, 'entity', 'entities')}, {plural(stats.edges, 'relation')}, {plural(stats.episodes, 'episode')}",
        f"{plural(stats.sessions, 'session')}, {plural(stats.open_jobs, 'open job')}",
        f"embedder {now.embedder.name}, extractor {now.extractor}",
    ]
    return Reply("\n".join(lines), data)


def _job(job: "Job") -> Reply:
    data: Data = {"job_id": job.id, "kind": job.kind, "state": job.state.value, "attempts": job.attempts}
    data |= {"finished_at": moment(job.finished_at)} if job.finished_at else {}
    data |= {"error": job.error} if job.error else {}
    shown = {name: value for name, value in job.result.items() if name != RAW_KEY}
    data |= {"result": shown} if shown else {}
    result = f"\nresult: {quoted(compact(shown))}" if shown else ""
    error = f"\nlast error: {quoted(job.error)}" if job.error else ""
    return Reply(f"job {job.id} ({job.kind}) is {job.state.value} after {plural(job.attempts, 'attempt')}{error}{result}", data)
