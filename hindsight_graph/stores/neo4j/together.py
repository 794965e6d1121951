"""Reads of one step that are answered by one statement: an exchange costs more than what is in most of them.

On the machine of the bench an exchange that finds nothing takes 2 ms of the server's time and 1.5 of ours.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.record import EmbeddingModel, ScoredId, Vector
from hindsight_graph.stores.neo4j import rows
from hindsight_graph.stores.neo4j.connection import Connection
from hindsight_graph.stores.neo4j.graph import EdgesRead
from hindsight_graph.stores.neo4j.parameters import scope_parameters
from hindsight_graph.stores.neo4j.search import nearest, scored
from hindsight_graph.stores.neo4j.vectors import EMBEDDING, check_query
from hindsight_graph.stores.program import Read

EDGES, MEMORIES, NEAREST = "edges_of", "get_memories", "vector_topk"


def together(reads: Sequence[Read[Any]]) -> list[list[int]]:
    """Return which reads of a step one statement can answer, by their places; every place is in one group."""
    groups: dict[object, list[int]] = {}
    for place, read in enumerate(reads):
        key: object = place
        if read.name == EDGES and not read.named:
            key = (EDGES, read.arguments[-1])
        elif read.name == MEMORIES or _measures(read):
            key = MEMORIES
        groups.setdefault(key, []).append(place)
    return [part for group in groups.values() for part in _paired(reads, group)]


def _measures(read: Read[Any]) -> bool:
    """Whether a read asks for the cosines of certain memories, all of them."""
    if read.name != NEAREST or read.named:
        return False
    _, count, where = cast("tuple[Vector, int, Filter]", read.arguments)
    return where.ids is not None and count >= len(where.ids) and where == Filter(view=where.view, ids=where.ids)


def _paired(reads: Sequence[Read[Any]], group: list[int]) -> list[list[int]]:
    """Return a group, or its places one by one where it is not one read of memories and one of cosines."""
    is_pair = sorted(reads[place].name for place in group) == [MEMORIES, NEAREST]
    return [group] if is_pair or reads[group[0]].name == EDGES else [[place] for place in group]


def edges_reads(reads: Sequence[Read[Any]]) -> tuple[list[EdgesRead], View]:
    """Return what a group of reads of edges asks."""
    return [EdgesRead(*read.arguments[:-1]) for read in reads], reads[0].arguments[-1]


async def memories_and_cosines(
    connection: Connection, scope: Scope, reads: Sequence[Read[Any]], dimension: int | None, model: EmbeddingModel | None
) -> tuple[Any, ...]:
    """Answer a read of memories and one of cosines together; see `Store.get_memories` and `Store.vector_topk`."""
    given = {read.name: read for read in reads}
    vector, _, where = cast("tuple[Vector, int, Filter]", given[NEAREST].arguments)
    wanted = list(dict.fromkeys(cast("Sequence[str]", given[MEMORIES].arguments[0])))
    measured = dict.fromkeys(where.ids or ())
    fields = frozenset(wanted)
    asked = [[key, key in fields, key in measured] for key in dict.fromkeys((*wanted, *measured))]
    parameters = {
        "asked": asked, "embedding": EMBEDDING, "vector": check_query(vector, dimension), **scope_parameters(scope, where.view),
    }  # fmt: skip
    packed = await nearest(connection, "read/get_measured", model, parameters)
    memories: Mapping[str, Memory] = {key: rows.memory_of(row) for key, row, _ in packed if row is not None}
    near = sorted(((key, cosine) for key, _, cosine in packed if cosine is not None), key=lambda pair: (-pair[1], pair[0]))
    values: dict[str, tuple[Memory, ...] | tuple[ScoredId, ...]] = {
        MEMORIES: tuple([memories[key] for key in wanted if key in memories]),
        NEAREST: scored(near),
    }
    return tuple([values[read.name] for read in reads])
