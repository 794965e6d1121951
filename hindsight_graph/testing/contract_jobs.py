"""The contract's part about jobs and API keys: leases, attempts, ends, cancel and retry, and what a tenant may see."""
# ruff: noqa: ANN201, D102, S106 - a test's name is its sentence, and it returns nothing

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from hindsight_graph.errors import ConflictError, CursorError, LeaseLostError, NotFoundError
from hindsight_graph.models.access import ApiKey, KeyScope
from hindsight_graph.models.query import DEFAULT_LEASE, Scope, SystemScope
from hindsight_graph.models.record import FinishedJob, Job, JobAction, JobChange, JobState, WriteBatch
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import NOW, a_memory, new

HERE, ELSEWHERE = Scope(), Scope(tenant="elsewhere")
SECOND = timedelta(seconds=1)


def a_job(name: str, /, **fields: Any) -> Job:
    """Return a job with that id."""
    values: dict[str, Any] = {"id": name, "kind": "k", "payload": {}, "created_at": NOW}
    return Job(**(values | fields))


def a_key(name: str, /, **fields: Any) -> ApiKey:
    """Return an API key with that id."""
    values: dict[str, Any] = {
        "id": name, "secret_hash": f"hash of {name}", "name": f"key {name}", "tenant": "default",
        "scopes": frozenset({KeyScope.READ, KeyScope.WRITE}), "created_at": NOW,
    }  # fmt: skip
    return ApiKey(**(values | fields))


async def put(store: Store, *jobs: Job, scope: Scope = HERE) -> None:
    """Write jobs."""
    await store.write(scope, WriteBatch(jobs=jobs))


async def claim(store: Store, at: timedelta = timedelta(), *kinds: str, **options: Any) -> list[Job]:
    """Claim up to ten jobs that long after NOW."""
    claimed = await store.claim_jobs(SystemScope(), kinds, 10, NOW + at, DEFAULT_LEASE, **options)
    return [job for _, job in claimed]


async def end(store: Store, name: str, state: JobState = JobState.DONE, **fields: Any) -> None:
    """Write the end of a job."""
    values: dict[str, Any] = {"id": name, "state": state, "finished_at": NOW}
    finished = FinishedJob(**(values | fields))
    await store.write(HERE, WriteBatch(finished_jobs=(finished,)))


async def change(store: Store, name: str, action: JobAction, scope: Scope = HERE, **fields: Any) -> None:
    """Cancel a job or try it again."""
    await store.write(scope, WriteBatch(job_changes=(JobChange(id=name, action=action, at=NOW, **fields),)))


async def get(store: Store, name: str, scope: Scope = HERE) -> Job:
    """Return one job."""
    return (await store.get_jobs(scope, [name]))[0]


class JobContract:
    """Tests of `claim_jobs`, `heartbeat`, `get_jobs`, `scan_jobs`, `find_key`, `list_keys` and their parts of `write`."""

    async def test_a_job_is_read_back_as_it_was_written(self, store: Store):
        whole = a_job(
            "j", payload={"n": 1, "名": "汉"}, state=JobState.FAILED, attempts=3, max_attempts=3, not_before=NOW + SECOND,
            lease_until=NOW, owner="w", cancel_requested=True, finished_at=NOW, error="no", result={"ids": ["a"]},
        )  # fmt: skip
        await put(store, whole)
        await put(store, whole.model_copy(update={"error": "written twice"}))
        assert await store.get_jobs(HERE, ["none", "j", "j"]) == (whole,)

    async def test_only_the_attempt_that_holds_a_job_can_end_it(self, store: Store):
        await put(store, a_job("j"))
        assert [job.attempts for job in await claim(store, owner="a")] == [1]
        (taken_over,) = await claim(store, DEFAULT_LEASE, owner="b")
        assert (taken_over.attempts, taken_over.owner) == (2, "b")
        row = new(a_memory("late"))
        late = FinishedJob(id="j", state=JobState.DONE, finished_at=NOW, attempt=1)
        with pytest.raises(LeaseLostError, match="attempt 1 does not hold job j any more: it is running, at attempt 2"):
            await store.write(HERE, WriteBatch(memories=(row,), finished_jobs=(late,)))
        assert (await store.stats(HERE)).memories == 0
        await end(store, "j", attempt=2, result={"n": 7})
        await end(store, "j", attempt=2, result={"n": 8})
        done = await get(store, "j")
        assert (done.state, done.result, done.lease_until, done.finished_at) == (JobState.DONE, {"n": 7}, None, NOW)
        with pytest.raises(LeaseLostError, match="is done"):
            await end(store, "j", JobState.FAILED, attempt=2)

    async def test_an_end_without_an_attempt_ends_the_leases_of_others(self, store: Store):
        await put(store, a_job("j"))
        await claim(store)
        await end(store, "j")
        with pytest.raises(LeaseLostError, match="it is done, at attempt 2"):
            await end(store, "j", attempt=1)

    async def test_a_heartbeat_extends_the_lease_of_the_attempt_that_holds_it(self, store: Store):
        await put(store, a_job("j"))
        await claim(store)
        beaten = await store.heartbeat(HERE, "j", 1, NOW + 3 * DEFAULT_LEASE)
        assert (beaten.lease_until, beaten.cancel_requested) == (NOW + 3 * DEFAULT_LEASE, False)
        assert (await store.heartbeat(HERE, "j", 1, NOW)).lease_until == NOW + 3 * DEFAULT_LEASE
        assert await claim(store, 3 * DEFAULT_LEASE - SECOND) == []
        assert len(await claim(store, 3 * DEFAULT_LEASE)) == 1
        for scope, name, attempt in ((HERE, "j", 1), (ELSEWHERE, "j", 2), (HERE, "none", 1)):
            with pytest.raises(LeaseLostError, match=f"attempt {attempt} does not hold job {name}"):
                await store.heartbeat(scope, name, attempt, NOW)

    async def test_a_job_waits_until_it_is_due(self, store: Store):
        await put(store, a_job("j", not_before=NOW + SECOND))
        assert await claim(store) == []
        (job,) = await claim(store, SECOND)
        assert job.not_before is None
        await end(store, "j", JobState.QUEUED, attempt=1, not_before=NOW + 5 * SECOND, error="again")
        waiting = await get(store, "j")
        assert (waiting.state, waiting.error, waiting.finished_at) == (JobState.QUEUED, "again", None)
        assert await claim(store, 4 * SECOND) == []
        assert await claim(store, 4 * SECOND, eager=True) == []
        assert [job.attempts for job in await claim(store, 5 * SECOND)] == [2]

    async def test_an_eager_worker_takes_what_was_never_tried(self, store: Store):
        await put(store, a_job("j", not_before=NOW + SECOND))
        assert [job.id for job in await claim(store, eager=True)] == ["j"]

    async def test_jobs_are_claimed_oldest_first_and_by_kind(self, store: Store):
        await put(store, a_job("new"), a_job("old", created_at=NOW - SECOND), a_job("other", kind="o"), scope=ELSEWHERE)
        claimed = await store.claim_jobs(SystemScope(), ["k"], 1, NOW, DEFAULT_LEASE)
        assert [(scope, job.id) for scope, job in claimed] == [(ELSEWHERE, "old")]
        assert [job.id for job in await claim(store, SECOND)] == ["new", "other"]

    async def test_a_job_that_loses_its_worker_at_the_last_attempt_is_given_up(self, store: Store):
        await put(store, a_job("j", max_attempts=2), a_job("next", created_at=NOW + 9 * DEFAULT_LEASE))
        await claim(store)
        await claim(store, DEFAULT_LEASE)
        assert [job.id for job in await claim(store, 3 * DEFAULT_LEASE)] == ["next"]
        dead = await get(store, "j")
        assert (dead.state, dead.error) == (JobState.FAILED, "its worker went away at attempt 2 of 2")
        assert (dead.finished_at, dead.lease_until) == (NOW + 3 * DEFAULT_LEASE, None)

    async def test_an_attempt_that_is_spared_does_not_count_towards_the_last(self, store: Store):
        await put(store, a_job("j", max_attempts=1))
        await claim(store)
        await end(store, "j", JobState.QUEUED, attempt=1, spared=True)
        (job,) = await claim(store)
        assert (job.attempts, job.max_attempts) == (2, 2)

    async def test_a_queued_job_is_cancelled_at_once(self, store: Store):
        await put(store, a_job("j", not_before=NOW + SECOND))
        await change(store, "j", JobAction.CANCEL)
        job = await get(store, "j")
        assert (job.state, job.finished_at, job.not_before) == (JobState.CANCELLED, NOW, None)
        assert await claim(store, SECOND) == []
        with pytest.raises(ConflictError, match="job j is cancelled already"):
            await change(store, "j", JobAction.CANCEL)

    async def test_a_running_job_is_asked_to_stop_and_does_not_come_back(self, store: Store):
        await put(store, a_job("failing"), a_job("dying"))
        await claim(store)
        for name in ("failing", "dying"):
            await change(store, name, JobAction.CANCEL)
            assert (await get(store, name)).state is JobState.RUNNING
            assert (await store.heartbeat(HERE, name, 1, NOW)).cancel_requested
        await end(store, "failing", JobState.QUEUED, attempt=1)
        assert await claim(store, DEFAULT_LEASE) == []
        assert [(await get(store, name)).state for name in ("failing", "dying")] == [JobState.CANCELLED] * 2

    async def test_a_given_up_or_cancelled_job_can_be_tried_again(self, store: Store):
        await put(store, a_job("dead", max_attempts=1), a_job("cancelled"), a_job("waiting", not_before=NOW + SECOND))
        await claim(store)
        await end(store, "dead", JobState.FAILED, attempt=1, error="no")
        await change(store, "cancelled", JobAction.CANCEL)
        await end(store, "cancelled", JobState.CANCELLED, attempt=1)
        for name in ("dead", "cancelled"):
            await change(store, name, JobAction.RETRY, attempts=3)
            job = await get(store, name)
            assert (job.state, job.attempts, job.max_attempts, job.finished_at) == (JobState.QUEUED, 1, 4, None)
            assert not job.cancel_requested
        assert {job.attempts for job in await claim(store)} == {2}
        with pytest.raises(ConflictError, match="job waiting is queued"):
            await change(store, "waiting", JobAction.RETRY)

    async def test_jobs_are_listed_newest_first_by_pages_states_and_kinds(self, store: Store):
        at = [a_job(f"j{number}", created_at=NOW + number * SECOND) for number in range(4)]
        await put(store, *at, a_job("twin", created_at=NOW + 3 * SECOND, kind="other"))
        await end(store, "j1")
        page = await store.scan_jobs(HERE, limit=2)
        assert [job.id for job in page.rows] == ["twin", "j3"]
        rest = await store.scan_jobs(HERE, cursor=page.cursor)
        assert ([job.id for job in rest.rows], rest.cursor) == (["j2", "j1", "j0"], None)
        done = await store.scan_jobs(HERE, states=[JobState.DONE], kinds=["k"])
        assert [job.id for job in done.rows] == ["j1"]
        assert [job.id for job in (await store.scan_jobs(HERE, kinds=["other"])).rows] == ["twin"]
        with pytest.raises(CursorError):
            await store.scan_jobs(HERE, cursor="nonsense")

    async def test_a_tenant_and_an_agent_see_their_own_jobs_only(self, store: Store):
        await put(store, a_job("mine"), scope=Scope(agent_id="a"))
        await put(store, a_job("ours"))
        await put(store, a_job("theirs"), scope=ELSEWHERE)
        seen: Sequence[tuple[Scope, list[str]]] = (
            (HERE, ["mine", "ours"]), (Scope(agent_id="a"), ["mine", "ours"]), (Scope(agent_id="b"), ["ours"]),
            (ELSEWHERE, ["theirs"]),
        )  # fmt: skip
        for scope, names in seen:
            assert [job.id for job in await store.get_jobs(scope, ["mine", "ours", "theirs"])] == names
            assert sorted(job.id for job in (await store.scan_jobs(scope)).rows) == names
        for scope, name in ((HERE, "theirs"), (Scope(agent_id="b"), "mine"), (HERE, "none")):
            with pytest.raises(NotFoundError, match=f"no job {name}"):
                await change(store, name, JobAction.CANCEL, scope)

    async def test_a_key_is_found_by_its_id_and_listed_in_its_tenant(self, store: Store):
        mine = a_key("one", agent_id="a", expires_at=NOW + SECOND)
        theirs = a_key("two", tenant="elsewhere", scopes=frozenset({KeyScope.ADMIN}), created_at=NOW + SECOND)
        await store.write(HERE, WriteBatch(keys=(mine,)))
        await store.write(ELSEWHERE, WriteBatch(keys=(theirs,)))
        assert await store.find_key(SystemScope(), "one") == mine
        assert await store.find_key(SystemScope(), "none") is None
        assert await store.list_keys(HERE) == (mine,)
        assert await store.list_keys(ELSEWHERE) == (theirs,)
        assert await store.list_keys(SystemScope()) == (mine, theirs)
        assert await store.list_keys(SystemScope(), limit=1) == (mine,)

    async def test_a_key_can_only_be_revoked_and_only_once(self, store: Store):
        key = a_key("one")
        await store.write(HERE, WriteBatch(keys=(key,)))
        await store.write(HERE, WriteBatch(keys=(key.model_copy(update={"revoked_at": NOW, "name": "another"}),)))
        await store.write(HERE, WriteBatch(keys=(key.model_copy(update={"revoked_at": NOW + SECOND}),)))
        await store.write(HERE, WriteBatch(keys=(key,)))
        assert await store.find_key(SystemScope(), "one") == key.model_copy(update={"revoked_at": NOW})

    async def test_a_key_is_written_in_its_own_tenant_and_its_id_is_taken_once(self, store: Store):
        key = a_key("one")
        await store.write(HERE, WriteBatch(keys=(key,)))
        with pytest.raises(ConflictError, match="is of tenant 'elsewhere'"):
            await store.write(HERE, WriteBatch(keys=(a_key("two", tenant="elsewhere"),)))
        for other, scope in ((a_key("one", tenant="elsewhere"), ELSEWHERE), (a_key("one", secret_hash="x"), HERE)):
            with pytest.raises(ConflictError, match="there is another key one"):
                await store.write(scope, WriteBatch(keys=(other,)))
        assert await store.list_keys(SystemScope()) == (key,)
