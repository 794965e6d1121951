"""Summaries: sentences that were written, chosen, each with its sources."""

from hindsight_graph.models.base import Model, UtcDatetime


class SummarySentence(Model):
    """One sentence of a summary, as a memory states it, in that memory's language.

    Attributes:
        at: Event time of the first memory that states it.
        memory_ids: Memories that state it, the first one first. raw_refs, episode_ids: their evidence, each once. Five of each
            at most.
    """

    text: str
    at: UtcDatetime
    language: str
    memory_ids: tuple[str, ...]
    raw_refs: tuple[str, ...] = ()
    episode_ids: tuple[str, ...] = ()


class Summary(Model):
    """What was remembered in a time window, in a session or about a thing (promise L-04).

    Attributes:
        sentences: Oldest first.
        since, until, session_id, entity: What was asked for; `entity` as resolved.
        entities: Names mentioned most, most first.
        memories: How many memories were considered.
        tokens: Estimated tokens of the sentences with their date and source.
        truncated: Not every considered memory's sentence is there, or there were more memories than are considered.
    """

    sentences: tuple[SummarySentence, ...]
    since: UtcDatetime | None = None
    until: UtcDatetime | None = None
    session_id: str | None = None
    entity: str | None = None
    entities: tuple[str, ...] = ()
    memories: int = 0
    tokens: int = 0
    truncated: bool = False
