"""Bridges: from what was found to what it names.

A question about two things rarely names the second: "who directed the film that X starred in" finds the passage about X, and that
passage names the film. So each of the best texts hands part of its value over what it mentions: to texts that are *about* such a
thing (it is their subject or title), and less to others that mention it too, where few do. A thing that everybody mentions says
nothing; a text that names many things says little about each (the fan effect: Anderson 1983).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import MentionRole
from hindsight_graph.ranking.expansion import Reach, Step, better, damping

__all__ = ["ABOUT_SHARE", "BRIDGE_HOLDERS", "SHARED_SHARE", "Seed", "bridges"]

ABOUT_SHARE = 1.0
"""Of a text's value, what reaches the only text about a thing that it names."""
SHARED_SHARE = 1.0
"""The same for a text that only mentions the thing too, before rarity."""
BRIDGE_HOLDERS = 20
"""Memories that mention a thing at most, for it to bridge between them; of more, only those that are about it."""


@dataclass(frozen=True, slots=True)
class Seed:
    """One text that was found: its value, 0..1, and the memories it became."""

    value: float
    memories: tuple[str, ...]


def bridges(
    seeds: Sequence[Seed], mentioned: Iterable[Edge], mentioning: Iterable[Edge], cut: Iterable[str] = ()
) -> dict[str, Reach]:
    """Return the best way to every memory that a seed leads to, by memory id; a seed does not lead to itself.

    Args:
        seeds: The texts to start from.
        mentioned: MENTIONS edges of the seeds' memories.
        mentioning: MENTIONS edges of the things they mention.
        cut: Things of which not all edges were read.
    """
    named: dict[str, list[Edge]] = {}
    for edge in mentioned:
        named.setdefault(edge.source_canonical, []).append(edge)
    holders: dict[str, list[Edge]] = {}
    for edge in mentioning:
        holders.setdefault(edge.target_canonical, []).append(edge)
    hubs = set(cut) | {thing for thing, edges in holders.items() if len(edges) > BRIDGE_HOLDERS}
    found: dict[str, Reach] = {}
    for seed in seeds:
        own = set(seed.memories)
        first: dict[str, Edge] = {}
        for memory in seed.memories:
            for edge in named.get(memory, ()):
                first.setdefault(edge.target_canonical, edge)
        about, shared = _ends(first, holders, hubs, own)
        for ends, share in ((about, ABOUT_SHARE), (shared, SHARED_SHARE)):
            spread = seed.value * share * damping(len(ends) if ends is about else _total(shared))
            for memory, (weight, there, back) in ends.items():
                _keep(found, spread * weight, there, back, memory)
    return found


Ends = dict[str, tuple[float, Edge, Edge]]


def _ends(first: Mapping[str, Edge], holders: Mapping[str, Sequence[Edge]], hubs: set[str], own: set[str]) -> tuple[Ends, Ends]:
    """Return what a text leads to: texts about a thing that it names, and texts that share a rare thing, with their weights."""
    about: Ends = {}
    shared: Ends = {}
    for thing, there in sorted(first.items()):
        edges = [edge for edge in holders.get(thing, ()) if edge.owner_id not in own]
        rarity = 1.0 / log2(1 + len(edges) + 1)
        for back in edges:
            if back.role is MentionRole.SUBJECT and there.role is not MentionRole.SUBJECT:
                about.setdefault(back.owner_id, (1.0, there, back))
            if thing not in hubs and rarity > shared.get(back.owner_id, (0.0,))[0]:
                shared[back.owner_id] = (rarity, there, back)
    return about, shared


def _total(ends: Ends) -> int:
    return max(1, round(sum(weight for weight, _, _ in ends.values())))


def _keep(found: dict[str, Reach], carried: float, there: Edge, back: Edge, memory: str) -> None:
    weakest = min(there.confidence * there.trust, back.confidence * back.trust)
    known = found.get(memory)
    start, thing = there.source_canonical, there.target_canonical
    if known is not None and known.start == start and known.steps[0].target == thing:
        carried += known.carried  # about a thing and sharing it: both count
    reach = Reach(carried, weakest, start, (Step(there, start, thing), Step(back, thing, memory)))
    if better(reach, known):
        found[memory] = reach
