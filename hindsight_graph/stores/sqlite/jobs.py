"""Jobs in SQLite: written with a batch, leased, extended, ended, listed. Every function is given its transaction."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hindsight_graph.errors import LeaseLostError, NotFoundError
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import FinishedJob, Job, JobChange, JobState, Page
from hindsight_graph.stores.cursor import decode_cursor, encode_cursor
from hindsight_graph.stores.sqlite.predicates import Where, add_scope
from hindsight_graph.stores.sqlite.rows import Row, dumps, micros, micros_or_none, moment_of, moment_or_none

COLUMNS = (
    "id, kind, payload, state, attempts, max_attempts, created_at, not_before, lease_until, owner, cancel_requested, finished_at,"
    " error, result"
)
"""Columns of a job in the order of `job_of`."""
_OPEN = "state IN ('queued', 'running')"
_CURSOR = "jobs"


def job_of(row: Row) -> Job:
    """Return the job of a row in the order of COLUMNS."""
    (
        id_, kind, payload, state, attempts, max_attempts, created_at, not_before, lease_until, owner, cancel_requested,
        finished_at, error, result,
    ) = row  # fmt: skip
    return Job(
        id=id_, kind=kind, payload=json.loads(payload), state=JobState(state), attempts=attempts, max_attempts=max_attempts,
        created_at=moment_of(created_at), not_before=moment_or_none(not_before), lease_until=moment_or_none(lease_until),
        owner=owner, cancel_requested=bool(cancel_requested), finished_at=moment_or_none(finished_at), error=error,
        result=json.loads(result) if result else {},
    )  # fmt: skip


def insert(connection: sqlite3.Connection, scope: Scope, jobs: Sequence[Job]) -> None:
    """Write jobs whose ids are new."""
    connection.executemany(
        f"INSERT INTO jobs (tenant, agent_id, {COLUMNS}) VALUES (?, ?{', ?' * 14}) ON CONFLICT (tenant, id) DO NOTHING",
        [
            (
                scope.tenant, scope.agent_id, job.id, job.kind, dumps(job.payload, f"payload of job {job.id}"), job.state.value,
                job.attempts, job.max_attempts, micros(job.created_at), micros_or_none(job.not_before),
                micros_or_none(job.lease_until), job.owner, job.cancel_requested, micros_or_none(job.finished_at), job.error,
                _result(job.id, job.result),
            )
            for job in jobs
        ],
    )  # fmt: skip


def _result(job_id: str, result: dict[str, Any]) -> str | None:
    return dumps(result, f"result of job {job_id}") if result else None


def finish(connection: sqlite3.Connection, tenant: str, finished: FinishedJob) -> None:
    """Write the end of a job or of an attempt; raises LeaseLostError when it is not this attempt's to end."""
    found = connection.execute(
        "SELECT state, attempts, cancel_requested FROM jobs WHERE tenant = ? AND id = ?", (tenant, finished.id)
    ).fetchone()
    if found is None:
        raise NotFoundError(f"no job {finished.id}", hint="check the id and the tenant")
    state = finished.outcome(JobState(found[0]), int(found[1]), cancel_requested=bool(found[2]))
    if state is None:
        return
    connection.execute(
        "UPDATE jobs SET state = :state, finished_at = :finished_at, error = :error, result = :result, lease_until = NULL,"
        " not_before = :not_before, attempts = attempts + :own, max_attempts = max_attempts + :spared"
        " WHERE tenant = :tenant AND id = :id",
        {
            "state": state.value,
            "finished_at": micros(finished.finished_at) if state.is_end else None,
            "error": finished.error,
            "result": _result(finished.id, finished.result),
            "not_before": micros_or_none(finished.not_before),
            "own": finished.attempt is None and state.is_end,
            "spared": finished.spared,
            "tenant": tenant,
            "id": finished.id,
        },
    )


def change(connection: sqlite3.Connection, scope: Scope, asked: JobChange) -> None:
    """Cancel a job or queue it again; raises NotFoundError, and ConflictError when its state forbids it."""
    found = get(connection, scope, [asked.id])
    if not found:
        raise NotFoundError(f"no job {asked.id}", hint="check the id and the tenant")
    state = asked.outcome(found[0].state)
    sql = {
        JobState.QUEUED: "UPDATE jobs SET state = 'queued', max_attempts = attempts + :attempts, cancel_requested = 0,"
        " finished_at = NULL",
        JobState.CANCELLED: "UPDATE jobs SET state = 'cancelled', finished_at = :at, not_before = NULL",
        JobState.RUNNING: "UPDATE jobs SET cancel_requested = 1",
    }[state]
    connection.execute(
        f"{sql} WHERE tenant = :tenant AND id = :id",
        {"attempts": asked.attempts, "at": micros(asked.at), "tenant": scope.tenant, "id": asked.id},
    )


@dataclass(frozen=True, slots=True)
class Claim:
    """What a worker asks for; see `Store.claim_jobs`."""

    kinds: tuple[str, ...]
    limit: int
    now: datetime
    lease: timedelta
    owner: str | None
    eager: bool

    @property
    def where(self) -> str:
        """Which jobs can be had."""
        due = (
            "(state = 'queued' AND (not_before IS NULL OR not_before <= :now OR (:eager AND attempts = 0))"
            " OR state = 'running' AND lease_until <= :now)"
        )
        return f"{_OPEN} AND {due}" + (" AND kind IN (SELECT value FROM json_each(:kinds))" if self.kinds else "")

    @property
    def parameters(self) -> dict[str, Any]:
        """What the statements need."""
        return {
            "now": micros(self.now), "until": micros(self.now + self.lease), "kinds": json.dumps(self.kinds),
            "limit": self.limit, "owner": self.owner, "eager": self.eager,
        }  # fmt: skip


def has_claimable(connection: sqlite3.Connection, asked: Claim) -> bool:
    """Whether there is anything to claim: workers ask often, and a reading look costs no write lock."""
    return connection.execute(f"SELECT 1 FROM jobs WHERE {asked.where} LIMIT 1", asked.parameters).fetchone() is not None


def claim(connection: sqlite3.Connection, asked: Claim) -> tuple[tuple[Scope, Job], ...]:
    """Lease jobs, oldest first; what lost its worker for the last time ends here."""
    parameters = asked.parameters
    kinds = " AND kind IN (SELECT value FROM json_each(:kinds))" if asked.kinds else ""
    connection.execute(
        "UPDATE jobs SET state = CASE WHEN cancel_requested THEN 'cancelled' ELSE 'failed' END, lease_until = NULL,"
        " finished_at = :now, error = CASE WHEN cancel_requested THEN error"
        " ELSE 'its worker went away at attempt ' || attempts || ' of ' || max_attempts END"
        f" WHERE state = 'running' AND lease_until <= :now AND (cancel_requested OR attempts >= max_attempts){kinds}",
        parameters,
    )
    numbers = connection.execute(
        f"SELECT num FROM jobs WHERE {asked.where} ORDER BY created_at, id LIMIT :limit", parameters
    ).fetchall()
    claimed: list[tuple[Scope, Job]] = []
    for (number,) in numbers:
        tenant, agent_id, *row = connection.execute(
            "UPDATE jobs SET state = 'running', attempts = attempts + 1, lease_until = :until, not_before = NULL, owner = :owner"
            f" WHERE num = :num RETURNING tenant, agent_id, {COLUMNS}",
            {**parameters, "num": number},
        ).fetchone()
        claimed.append((Scope(tenant=tenant, agent_id=agent_id), job_of(tuple(row))))
    return tuple(claimed)


def heartbeat(connection: sqlite3.Connection, scope: Scope, job_id: str, attempt: int, until: datetime) -> Job:
    """Extend the lease of the running attempt."""
    row = connection.execute(
        "UPDATE jobs SET lease_until = max(lease_until, :until) WHERE tenant = :tenant AND id = :id AND state = 'running'"
        f" AND attempts = :attempt RETURNING {COLUMNS}",
        {"until": micros(until), "tenant": scope.tenant, "id": job_id, "attempt": attempt},
    ).fetchone()
    if row is None:
        raise LeaseLostError(f"attempt {attempt} does not hold job {job_id} any more", hint="what it did is not written")
    return job_of(row)


def _visible(scope: Scope) -> Where:
    where = Where()
    add_scope(where, scope, "r", has_visibility=False)
    return where


def get(connection: sqlite3.Connection, scope: Scope, ids: Sequence[str]) -> tuple[Job, ...]:
    """Return visible jobs in the order asked."""
    where, distinct = _visible(scope), list(dict.fromkeys(ids))
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM jobs r WHERE {where.sql} AND id IN (SELECT value FROM json_each(:ids))",
        {**where.parameters, "ids": json.dumps(distinct)},
    )
    found = {job.id: job for job in map(job_of, rows)}
    return tuple([found[key] for key in distinct if key in found])


def scan(
    connection: sqlite3.Connection,
    scope: Scope,
    states: Sequence[JobState],
    kinds: Sequence[str],
    cursor: str | None,
    limit: int,
) -> Page[Job]:
    """List visible jobs, newest first."""
    where = _visible(scope)
    if states:
        where.add("state IN (SELECT value FROM json_each(:states))", states=json.dumps([state.value for state in states]))
    if kinds:
        where.add("kind IN (SELECT value FROM json_each(:kinds))", kinds=json.dumps(list(kinds)))
    if cursor is not None:
        at, job_id = decode_cursor(cursor, _CURSOR, 2)
        where.add("(created_at, id) < (:at, :after)", at=at, after=job_id)
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM jobs r WHERE {where.sql} ORDER BY created_at DESC, id DESC LIMIT :limit",
        {**where.parameters, "limit": limit + 1},
    ).fetchall()
    jobs = tuple([job_of(row) for row in rows[:limit]])
    following = encode_cursor(_CURSOR, (micros(jobs[-1].created_at), jobs[-1].id)) if len(rows) > limit else None
    return Page[Job](rows=jobs, cursor=following)
