"""`client.jobs`: the durable jobs of a running service, which its own workers do."""

from collections.abc import Iterable
from urllib.parse import quote

from hindsight_graph.client.asking import Asker
from hindsight_graph.models.record import Job, JobState, Page

__all__ = ["ClientJobs"]


class ClientJobs(Asker):
    """Durable jobs: look at, cancel, try again; see `hindsight_graph.pipelines.jobs.Jobs`."""

    async def get(self, job_id: str) -> Job:
        """Return a job; raises NotFoundError."""
        return await self._ask(Job, "GET", _path(job_id))

    async def list(
        self,
        *,
        states: Iterable[JobState | str] | None = None,
        kinds: Iterable[str] | None = None,
        cursor: str | None = None,
        limit: int = 100,
    ) -> Page[Job]:
        """List jobs, newest first; the dead letters are those in state `failed`."""
        asked = {
            "states": None if states is None else list(states),
            "kinds": None if kinds is None else list(kinds),
            "cursor": cursor,
            "limit": limit,
        }
        return await self._ask(Page[Job], "GET", "/v1/jobs", query=asked)

    async def cancel(self, job_id: str, *, reason: str = "") -> Job:
        """End a queued job; ask the worker of a running one to stop."""
        return await self._ask(Job, "POST", f"{_path(job_id)}/cancel", body={"reason": reason}, repeatable=False)

    async def retry(self, job_id: str, *, reason: str = "") -> Job:
        """Queue a failed or cancelled job again."""
        return await self._ask(Job, "POST", f"{_path(job_id)}/retry", body={"reason": reason}, repeatable=False)

    async def wait(self, job_id: str, *, every: float = 0.1) -> Job:
        """Return a job once it has ended, looking every so many seconds."""
        while not (job := await self.get(job_id)).state.is_end:
            await self._sender.pause(every)
        return job


def _path(job_id: str) -> str:
    return f"/v1/jobs/{quote(job_id, safe='')}"
