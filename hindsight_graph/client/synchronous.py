"""`Client`: `AsyncClient` with blocking calls; each method has the signature and documentation of its asynchronous twin."""

from types import TracebackType
from typing import Any, Self

from hindsight_graph.blocking import BackgroundLoop, blocking
from hindsight_graph.client.asynchronous import LOCAL, AsyncClient, ClientSession


class BlockingClientSession:
    """The working memory of a session in a running service, with blocking calls."""

    def __init__(self, core: ClientSession, loop: BackgroundLoop) -> None:
        self.core = core
        self.loop = loop

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

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
