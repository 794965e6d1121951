"""Finding memories of the other language: a second list of candidates, then a comparison that languages do not tilt.

Both happen only for a question in English or Chinese, with an embedder whose language centres are known, and the comparison only
when there are memories of the other language among the candidates: without them a recall is what it was.
"""

from collections.abc import Mapping

import numpy as np

from hindsight_graph.embedding.centres import Centre
from hindsight_graph.pipelines.recall_work import Work
from hindsight_graph.ranking.crossing import across, other_language, towards
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.program import Program, a_read, ask
from hindsight_graph.text.language import detect_language

__all__ = ["compare_across", "find_across"]


def find_across(centres: Mapping[str, Centre], work: Work, width: int) -> Program[None]:
    """Look for candidates in the other language, and take in those that are in it."""
    language = detect_language(work.query.text)
    other = other_language(language)
    if work.vector is None or other is None or other not in centres or language not in centres:
        return
    if work.profile.weights.get("similarity", 0.0) <= 0:
        return
    with work.stage("other language") as note:
        moved = towards(work.vector, centres[language].question, centres[other].passage)
        found = yield from ask(a_read(Store.vector_topk, moved, width, work.where))
        read = yield from ask(a_read(Store.get_memories, [near.id for near in found if near.id not in work.memories]))
        note.counts["candidates"] = work.take(memory for memory in read if memory.language == other)
        crossed = frozenset(memory.id for memory in work.memories.values() if memory.language == other)
        work.crossed = crossed
        work.by_channel["vector"] = work.by_channel.get("vector", frozenset()) | crossed.intersection(near.id for near in found)


def compare_across(centres: Mapping[str, Centre], work: Work) -> Program[None]:
    """Replace the cosines of all candidates by what languages do not tilt, when some are of the other language."""
    if not work.crossed or work.vector is None:
        return
    with work.stage("across languages") as note:
        vectors = yield from ask(a_read(Store.get_vectors, list(work.cosines)))
        ids = [memory_id for memory_id in work.cosines if memory_id in vectors and memory_id in work.memories]
        if not ids:
            return
        measured = across(
            work.vector,
            detect_language(work.query.text),
            {language: centre.question for language, centre in centres.items()},
            np.stack([vectors[memory_id] for memory_id in ids]),
            [work.memories[memory_id].language for memory_id in ids],
            {language: centre.passage for language, centre in centres.items()},
            np.array([work.cosines[memory_id] for memory_id in ids]),
        )
        work.cosines = dict(zip(ids, measured.tolist(), strict=True))
        note.counts["compared"] = len(ids)
