"""`HindsightGraph`: the engine with blocking calls; each method has the signature and documentation of its asynchronous twin."""

from copy import copy
from types import TracebackType
from typing import Any, Self

from hindsight_graph.blocking import BackgroundLoop, Twin, blocking
from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.pipelines.jobs import Jobs
from hindsight_graph.pipelines.keys import Keys
from hindsight_graph.pipelines.learn.learning import Learning
from hindsight_graph.pipelines.reembed import Vectors
from hindsight_graph.pipelines.session import SessionHandle
from hindsight_graph.settings import Settings


class BlockingSession(Twin[SessionHandle]):
    """The working memory of a session, with blocking calls; see `SessionHandle`."""

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.core.session_id

    state = blocking(SessionHandle.state)
    markdown = blocking(SessionHandle.markdown)
    goal = blocking(SessionHandle.goal)
    constraint = blocking(SessionHandle.constraint)
    step = blocking(SessionHandle.step)
    append = blocking(SessionHandle.append)
    extend = blocking(SessionHandle.extend)
    compress = blocking(SessionHandle.compress)
    end = blocking(SessionHandle.end)


class BlockingJobs(Twin[Jobs]):
    """Durable jobs, with blocking calls; see `hindsight_graph.pipelines.jobs.Jobs`."""

    enqueue = blocking(Jobs.enqueue)
    get = blocking(Jobs.get)
    list = blocking(Jobs.list)
    cancel = blocking(Jobs.cancel)
    retry = blocking(Jobs.retry)
    work = blocking(Jobs.work)
    wait = blocking(Jobs.wait)


class BlockingVectors(Twin[Vectors]):
    """The store's vectors, with blocking calls; see `hindsight_graph.pipelines.reembed.Vectors`."""

    switch = blocking(Vectors.switch)
    drop = blocking(Vectors.drop)


class BlockingKeys(Twin[Keys]):
    """API keys, with blocking calls; see `hindsight_graph.pipelines.keys.Keys`."""

    create = blocking(Keys.create)
    list = blocking(Keys.list)
    revoke = blocking(Keys.revoke)
    any_made = blocking(Keys.any_made)
    verify = blocking(Keys.verify)


class BlockingLearning(Twin[Learning]):
    """Looking back, with blocking calls; see `hindsight_graph.pipelines.learn.learning.Learning`."""

    reflect = blocking(Learning.reflect)
    reflection = blocking(Learning.reflection)
    reflect_on = blocking(Learning.reflect_on)
    settle = blocking(Learning.settle)
    confirm = blocking(Learning.confirm)
    record = blocking(Learning.record)
    consolidate = blocking(Learning.consolidate)
    undo = blocking(Learning.undo)
    decay = blocking(Learning.decay)
    check = blocking(Learning.check)
    queue = blocking(Learning.queue)
    show = blocking(Learning.show)
    approve = blocking(Learning.approve)
    reject = blocking(Learning.reject)
    edit = blocking(Learning.edit)
    retire = blocking(Learning.retire)
    feedback = blocking(Learning.feedback)


class HindsightGraph:
    """A memory for agents, with blocking calls; takes the arguments of `AsyncHindsightGraph`.

    It is open when made; use it as `with HindsightGraph("sqlite:///memory.db") as memory:`, or call `close`. Threads may share
    it.
    """

    def __init__(self, store_url: str | None = None, *, resume: bool = True, **options: Any) -> None:
        self.core = AsyncHindsightGraph(store_url, **options)
        self.loop = BackgroundLoop()
        try:
            self.loop.run(self.core.open(resume=resume))
        except BaseException:
            self.loop.close()
            raise

    def acting_for(self, *, tenant: str | None = None, agent_id: str | None = None) -> Self:
        """Return the same open engine acting for another tenant and agent; only the original is to be closed."""
        twin = copy(self)
        twin.core = self.core.acting_for(tenant=tenant, agent_id=agent_id)
        return twin

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.core.settings

    @property
    def learning(self) -> BlockingLearning:
        """Looking back: reflect, consolidate, review, feed back."""
        return BlockingLearning(self.core.learning, self.loop)

    @property
    def jobs(self) -> BlockingJobs:
        """Durable jobs: put in, look at, cancel, try again, work on."""
        return BlockingJobs(self.core.jobs, self.loop)

    @property
    def vectors(self) -> BlockingVectors:
        """The store's vectors: change the embedding model of all of them."""
        return BlockingVectors(self.core.vectors, self.loop)

    @property
    def keys(self) -> BlockingKeys:
        """API keys of this tenant and agent: make, list, revoke; and whose key is shown."""
        return BlockingKeys(self.core.keys, self.loop)

    def close(self) -> None:
        """Release the store and the loop; safe to call twice."""
        if not self.loop.is_closed:
            self.loop.run(self.core.close())
            self.loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def session(self, session_id: str, *, agent_id: str | None = None) -> BlockingSession:
        """Return the working memory of a session; what leaves its window, and its end, go through `retain`."""
        return BlockingSession(self.core.session(session_id, agent_id=agent_id), self.loop)

    remember = blocking(AsyncHindsightGraph.remember)
    remember_many = blocking(AsyncHindsightGraph.remember_many)
    retain = blocking(AsyncHindsightGraph.retain)
    resume = blocking(AsyncHindsightGraph.resume)
    recall = blocking(AsyncHindsightGraph.recall)
    expect = blocking(AsyncHindsightGraph.expect)
    chain = blocking(AsyncHindsightGraph.chain)
    impact = blocking(AsyncHindsightGraph.impact)
    causes = blocking(AsyncHindsightGraph.causes)
    paths = blocking(AsyncHindsightGraph.paths)
    neighbours = blocking(AsyncHindsightGraph.neighbours)
    cycles = blocking(AsyncHindsightGraph.cycles)
    update = blocking(AsyncHindsightGraph.update)
    history = blocking(AsyncHindsightGraph.history)
    revert = blocking(AsyncHindsightGraph.revert)
    forget = blocking(AsyncHindsightGraph.forget)
    get = blocking(AsyncHindsightGraph.get)
    episode = blocking(AsyncHindsightGraph.episode)
    list = blocking(AsyncHindsightGraph.list)
    sessions = blocking(AsyncHindsightGraph.sessions)
    entities = blocking(AsyncHindsightGraph.entities)
    entity = blocking(AsyncHindsightGraph.entity)
    merge_entities = blocking(AsyncHindsightGraph.merge_entities)
    split_entity = blocking(AsyncHindsightGraph.split_entity)
    summarize = blocking(AsyncHindsightGraph.summarize)
    status = blocking(AsyncHindsightGraph.status)
    totals = blocking(AsyncHindsightGraph.totals)
    doctor = blocking(AsyncHindsightGraph.doctor)
    ready = blocking(AsyncHindsightGraph.ready)
    warm = blocking(AsyncHindsightGraph.warm)
