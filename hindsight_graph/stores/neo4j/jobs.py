"""Jobs on Neo4j: written with a batch, leased, extended, ended, listed. A job is held before it is read and changed."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from hindsight_graph.errors import LeaseLostError, NotFoundError
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import FinishedJob, Job, JobChange, JobState, Page
from hindsight_graph.stores.cursor import decode_cursor, encode_cursor
from hindsight_graph.stores.neo4j import rows
from hindsight_graph.stores.neo4j.connection import Connection, Row, Transaction
from hindsight_graph.stores.neo4j.parameters import scope_parameters
from hindsight_graph.stores.neo4j.rows import Properties

_CURSOR = "jobs"


def values_of(scope: Scope, jobs: Sequence[Job]) -> list[Properties]:
    """Return jobs as `write/create_rows` takes them."""
    return [
        {"id": job.id, "properties": rows.job_properties(scope.tenant, scope.agent_id, job)}
        for job in sorted(jobs, key=lambda job: job.id)
    ]


async def finish(transaction: Transaction, tenant: str, finished: FinishedJob) -> None:
    """Write the end of a job or of an attempt; raises LeaseLostError when it is not this attempt's to end."""
    held = await _hold(transaction, tenant, finished.id)
    state = finished.outcome(JobState(held["state"]), held["attempts"], cancel_requested=held["cancel_requested"])
    if state is None:
        return
    await transaction.run(
        "write/finish_job", tenant=tenant, id=finished.id, state=state.value, error=finished.error,
        finished_at=rows.micros(finished.finished_at) if state.is_end else None,
        result=rows.job_result(finished.id, finished.result), not_before=rows.micros_or_none(finished.not_before),
        own=int(finished.attempt is None and state.is_end), spared=int(finished.spared),
    )  # fmt: skip


async def _hold(transaction: Transaction, tenant: str, job_id: str) -> Row:
    found = await transaction.run("write/lock_job", tenant=tenant, id=job_id)
    if not found:
        raise NotFoundError(f"no job {job_id}", hint="check the id and the tenant")
    return found[0]


async def change(transaction: Transaction, scope: Scope, asked: JobChange) -> None:
    """Cancel a job or queue it again; raises NotFoundError, and ConflictError when its state forbids it."""
    if not await transaction.run("read/get_jobs", ids=[asked.id], **scope_parameters(scope)):
        raise NotFoundError(f"no job {asked.id}", hint="check the id and the tenant")
    held = await _hold(transaction, scope.tenant, asked.id)
    state = asked.outcome(JobState(held["state"]))
    properties = {
        JobState.QUEUED: {
            "state": "queued", "max_attempts": held["attempts"] + asked.attempts, "cancel_requested": False, "finished_at": None,
        },
        JobState.CANCELLED: {"state": "cancelled", "finished_at": rows.micros(asked.at), "not_before": None},
        JobState.RUNNING: {"cancel_requested": True},
    }[state]  # fmt: skip
    await transaction.run("write/change_job", tenant=scope.tenant, id=asked.id, properties=properties)


async def claim(
    connection: Connection, kinds: Sequence[str], limit: int, now: datetime, lease: timedelta, owner: str | None, *, eager: bool
) -> tuple[tuple[Scope, Job], ...]:
    """Lease jobs, oldest first; a job that another worker takes meanwhile is left out."""
    moment, until = rows.micros(now), rows.micros(now + lease)
    open_jobs = {"now": moment, "kinds": list(kinds), "limit": limit, "eager": eager}
    abandoned = {"now": moment, "kinds": list(kinds)}
    if not await connection.rows("read/find_open_jobs", **open_jobs):
        return ()

    async def work(transaction: Transaction) -> list[Row]:
        for job in await transaction.run("read/find_abandoned_jobs", **abandoned):
            await _hold(transaction, job["tenant"], job["id"])
            await transaction.run("write/end_abandoned_job", tenant=job["tenant"], id=job["id"], now=moment)
        claimed: list[Row] = []
        for job in await transaction.run("read/find_open_jobs", **open_jobs):
            await _hold(transaction, job["tenant"], job["id"])
            claimed += await transaction.run(
                "write/claim_job", tenant=job["tenant"], id=job["id"], now=moment, until=until, owner=owner, eager=eager
            )
        return claimed

    found = [row["row"] for row in await connection.change(work)]
    return tuple([(Scope(tenant=row["tenant"], agent_id=row.get("agent_id")), rows.job_of(row)) for row in found])


async def heartbeat(connection: Connection, scope: Scope, job_id: str, attempt: int, until: datetime) -> Job:
    """Extend the lease of the running attempt."""

    async def work(transaction: Transaction) -> list[Row]:
        await transaction.run("write/lock_job", tenant=scope.tenant, id=job_id)
        return await transaction.run(
            "write/extend_job", tenant=scope.tenant, id=job_id, attempt=attempt, until=rows.micros(until)
        )

    found = await connection.change(work)
    if not found:
        raise LeaseLostError(f"attempt {attempt} does not hold job {job_id} any more", hint="what it did is not written")
    return rows.job_of(found[0]["row"])


async def get(connection: Connection, scope: Scope, ids: Sequence[str]) -> tuple[Job, ...]:
    """Return visible jobs in the order asked."""
    distinct = list(dict.fromkeys(ids))
    found = {
        row["row"]["id"]: rows.job_of(row["row"])
        for row in await connection.rows("read/get_jobs", ids=distinct, **scope_parameters(scope))
    }
    return tuple([found[key] for key in distinct if key in found])


async def scan(
    connection: Connection, scope: Scope, states: Sequence[JobState], kinds: Sequence[str], cursor: str | None, limit: int
) -> Page[Job]:
    """List visible jobs, newest first."""
    at, after = (None, None) if cursor is None else decode_cursor(cursor, _CURSOR, 2)
    asked = scope_parameters(
        scope, states=[state.value for state in states], kinds=list(kinds), cursor_time=at, cursor_id=after
    )  # fmt: skip
    found = await connection.rows("read/scan_jobs", limit=limit + 1, **asked)
    jobs = tuple([rows.job_of(row["row"]) for row in found[:limit]])
    following = encode_cursor(_CURSOR, (rows.micros(jobs[-1].created_at), jobs[-1].id)) if len(found) > limit else None
    return Page[Job](rows=jobs, cursor=following)
