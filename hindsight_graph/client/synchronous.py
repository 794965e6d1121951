"""`Client`: `AsyncClient` with blocking calls; each method has the signature and documentation of its asynchronous twin."""

from copy import copy
from types import TracebackType
from typing import Any, Self

from hindsight_graph.blocking import BackgroundLoop, Twin, blocking
from hindsight_graph.client.asynchronous import LOCAL, AsyncClient, ClientSession
from hindsight_graph.client.jobs import ClientJobs
from hindsight_graph.client.learning import ClientLearning


class BlockingClientSession(Twin[ClientSession]):
    """The working memory of a session in a running service, with blocking calls."""

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.core.session_id

    state = blocking(ClientSession.state)
    markdown = blocking(ClientSession.markdown)
    goal = blocking(ClientSession.goal)
    constraint = blocking(ClientSession.constraint)
    step = blocking(ClientSession.step)
    append = blocking(ClientSession.append)
    extend = blocking(ClientSession.extend)
    end = blocking(ClientSession.end)


class BlockingClientJobs(Twin[ClientJobs]):
    """The durable jobs of a running service, with blocking calls."""

    get = blocking(ClientJobs.get)
    list = blocking(ClientJobs.list)
    cancel = blocking(ClientJobs.cancel)
    retry = blocking(ClientJobs.retry)
    wait = blocking(ClientJobs.wait)


class BlockingClientLearning(Twin[ClientLearning]):
    """Looking back in a running service, with blocking calls."""

    reflect = blocking(ClientLearning.reflect)
    reflection = blocking(ClientLearning.reflection)
    settle = blocking(ClientLearning.settle)
    confirm = blocking(ClientLearning.confirm)
    record = blocking(ClientLearning.record)
    feedback = blocking(ClientLearning.feedback)
    consolidate = blocking(ClientLearning.consolidate)
    undo = blocking(ClientLearning.undo)
    queue = blocking(ClientLearning.queue)
    show = blocking(ClientLearning.show)
    approve = blocking(ClientLearning.approve)
    edit = blocking(ClientLearning.edit)
    reject = blocking(ClientLearning.reject)
    retire = blocking(ClientLearning.retire)


class Client:
    """A memory in a running service, with blocking calls; takes the arguments of `AsyncClient`. Threads may share it."""

    def __init__(self, base_url: str = LOCAL, **options: Any) -> None:
        self.core = AsyncClient(base_url, **options)
        self.loop = BackgroundLoop()

    def close(self) -> None:
        """Close the connections; safe to call twice."""
        if not self.loop.is_closed:
            self.loop.run(self.core.close())
            self.loop.close()

    def acting_for(self, *, agent_id: str | None = None) -> Self:
        """Return the same client on behalf of another agent; only the original is to be closed."""
        twin = copy(self)
        twin.core = self.core.acting_for(agent_id=agent_id)
        return twin

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def learning(self) -> BlockingClientLearning:
        """Looking back: reflect, record, feed back, and the review of what was learned."""
        return BlockingClientLearning(self.core.learning, self.loop)

    @property
    def jobs(self) -> BlockingClientJobs:
        """Durable jobs: look at, cancel, try again."""
        return BlockingClientJobs(self.core.jobs, self.loop)

    def session(self, session_id: str, *, agent_id: str | None = None) -> BlockingClientSession:
        """Return the working memory of a session."""
        return BlockingClientSession(self.core.session(session_id, agent_id=agent_id), self.loop)

    remember = blocking(AsyncClient.remember)
    remember_many = blocking(AsyncClient.remember_many)
    retain = blocking(AsyncClient.retain)
    recall = blocking(AsyncClient.recall)
    chain = blocking(AsyncClient.chain)
    impact = blocking(AsyncClient.impact)
    causes = blocking(AsyncClient.causes)
    paths = blocking(AsyncClient.paths)
    cycles = blocking(AsyncClient.cycles)
    neighbours = blocking(AsyncClient.neighbours)
    update = blocking(AsyncClient.update)
    history = blocking(AsyncClient.history)
    revert = blocking(AsyncClient.revert)
    forget = blocking(AsyncClient.forget)
    get = blocking(AsyncClient.get)
    episode = blocking(AsyncClient.episode)
    list = blocking(AsyncClient.list)
    entities = blocking(AsyncClient.entities)
    entity = blocking(AsyncClient.entity)
    merge_entities = blocking(AsyncClient.merge_entities)
    split_entity = blocking(AsyncClient.split_entity)
    summarize = blocking(AsyncClient.summarize)
    status = blocking(AsyncClient.status)
