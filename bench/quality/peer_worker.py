"""Ask one peer: runs in the peers' own environment, so it imports nothing of ours.

    python peer_worker.py NAME < request.json > answer.json

Request: {"documents": [[ref, text], ...], "questions": [text, ...], "limit": 60}. Answer: {"ranked": [[ref, ...], ...],
"milliseconds": [...], "write_s": seconds}. Every peer is used by its public face with its defaults.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

Documents = Sequence[Sequence[str]]
Ask = Callable[[str, int], list[str]]


def bm25s_over(documents: Documents, _folder: Path) -> Ask:
    """Return plain BM25 with the library's own tokeniser, its English stop list and default k1, b."""
    import bm25s

    index = bm25s.BM25()
    index.index(bm25s.tokenize([text for _, text in documents], stopwords="en", show_progress=False), show_progress=False)

    def ask(question: str, limit: int) -> list[str]:
        terms = bm25s.tokenize([question], stopwords="en", show_progress=False)
        found, scores = index.retrieve(terms, k=min(limit, len(documents)), show_progress=False)
        return [documents[at][0] for at, score in zip(found[0], scores[0], strict=True) if score > 0]

    return ask


def dory_over(documents: Documents, folder: Path) -> Ask:
    """Return dory-memory: what its `query` activates, the most active first."""
    from dory import DoryMemory, activation, store

    memory = DoryMemory(db_path=folder / "dory.db")
    refs = {memory.observe(text): ref for ref, text in documents}
    graph = memory._graph

    def ask(question: str, limit: int) -> list[str]:
        seeds = activation.find_seeds(question, graph)
        active = dict(activation.spread(seeds[:8], graph)) if seeds else {}
        words = activation._fts_query(question, n=6)
        for node in store.search_fts(words, graph.path, limit=50) if words else ():
            active.setdefault(node, 0.0)
        return [refs[node] for node in sorted(active, key=lambda node: -active[node]) if node in refs][:limit]

    return ask


def agentrecall_over(documents: Documents, folder: Path) -> Ask:
    """Return agentrecall-db: its core, keywords in SQLite; its semantic extra wants weights from a hub."""
    from agentrecall import Memory

    memory = Memory(folder / "agentrecall.db")
    for ref, text in documents:
        memory.add(text, metadata={"ref": ref})
    return lambda question, limit: [hit.metadata["ref"] for hit in memory.search(question, k=limit)]


def geny_over(documents: Documents, folder: Path) -> Ask:
    """Return geny-memory-adaptor: BM25, its own static vectors and its graph."""
    from geny_memory_adaptor import SynapseMemory

    memory = SynapseMemory.open(str(folder / "geny.db"))
    for ref, text in documents:
        memory.index(ref, text)
    return lambda question, limit: [hit.id for hit in memory.search(question, top_k=limit)]


PEERS: dict[str, Callable[[Documents, Path], Ask]] = {
    "bm25s": bm25s_over,
    "dory-memory": dory_over,
    "agentrecall-db": agentrecall_over,
    "geny-memory-adaptor": geny_over,
}


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        ask = PEERS[sys.argv[1]](request["documents"], Path(folder))
        wrote = time.perf_counter() - began
        ranked, spent = [], []
        for question in request["questions"]:
            began = time.perf_counter()
            ranked.append(ask(question, request["limit"]))
            spent.append((time.perf_counter() - began) * 1000)
    json.dump({"ranked": ranked, "milliseconds": spent, "write_s": wrote}, sys.stdout)


if __name__ == "__main__":
    main()
