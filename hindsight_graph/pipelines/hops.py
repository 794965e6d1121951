"""Stored edges and paths as callers read them: names instead of ids, and for each hop the memory that states it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from hindsight_graph.models.base import trusted
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import Caption, StoredPath
from hindsight_graph.models.result import GraphPath, Hop
from hindsight_graph.stores.base import Store


@dataclass(frozen=True)
class Legend:
    """What the ids on some paths stand for.

    Attributes:
        names: Node id to the canonical entity's name, or to a memory's summary.
        owners: Memory id to what the memory is called that states an edge.
    """

    names: Mapping[str, str]
    owners: Mapping[str, Caption]

    def path(self, stored: StoredPath) -> GraphPath:
        """Return the path with names and sources; its score is the product of its hops' scores."""
        hops = tuple([self.hop(edge, node) for node, edge in zip(stored.nodes, stored.edges, strict=False)])
        return trusted(GraphPath, {
            "nodes": tuple([self.names.get(node, node) for node in stored.nodes]), "node_ids": stored.nodes, "hops": hops,
            "score": prod([hop.score for hop in hops]), "closes_cycle": stored.closes_cycle,
        })  # fmt: skip

    def hop(self, edge: Edge, walked_from: str) -> Hop:
        """Return one edge as walked from that node; score = trust x confidence of the edge."""
        owner = self.owners.get(edge.owner_id)
        return trusted(Hop, {
            "source": self.names.get(edge.source_canonical, edge.source_canonical), "relation": edge.type,
            "target": self.names.get(edge.target_canonical, edge.target_canonical), "memory_id": edge.owner_id,
            "summary": owner.summary if owner else "", "raw_refs": owner.raw_refs if owner else (),
            "confidence": edge.confidence, "trust": edge.trust, "valid_from": edge.valid_from, "valid_to": edge.valid_to,
            "score": edge_score(edge), "against": edge.source_canonical != walked_from,
        })  # fmt: skip


def edge_score(edge: Edge) -> float:
    """Trust x confidence, 0..1."""
    return edge.trust * edge.confidence


async def read_legend(store: Store, scope: Scope, nodes: Iterable[str], edges: Iterable[Edge]) -> Legend:
    """Look up what these nodes and the owners of these edges are."""
    wanted = list(dict.fromkeys(nodes))
    names = {entity.id: entity.name for entity in await store.get_entities(scope, wanted)}
    owners = {edge.owner_id for edge in edges}
    others = [node for node in wanted if node not in names]
    memories = await store.captions(scope, sorted(owners.union(others)))
    names |= {node: memories[node].summary for node in others if node in memories}
    return Legend(names, memories)


async def describe_paths(store: Store, scope: Scope, paths: Sequence[StoredPath]) -> tuple[GraphPath, ...]:
    """Return stored paths with names, sources and scores, in the same order."""
    if not paths:
        return ()
    nodes = (node for path in paths for node in path.nodes)
    legend = await read_legend(store, scope, nodes, (edge for path in paths for edge in path.edges))
    return tuple(legend.path(path) for path in paths)
