"""Chains as a tree: paths that begin alike share their beginning, and each step names the memory that states it."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from hindsight_graph.cli.render.marks import DIM, KEY, WARN, details, sources
from hindsight_graph.cli.times import show_date
from hindsight_graph.models.result import Chains, GraphPath, Hop


def chains_view(chains: Chains, nothing: str = "no path", *, ids: bool = True) -> RenderableType:
    """Return the tree, cycles and whether a bound cut the search.

    Args:
        chains: What to show.
        nothing: What to say when there is no path.
        ids: Show the id of the memory that states each step.
    """
    return Group(*_parts(chains, nothing, ids))


def _parts(chains: Chains, nothing: str, ids: bool) -> Iterator[RenderableType]:
    if not chains.paths:
        yield Text(nothing, DIM)
    for root in dict.fromkeys(path.nodes[0] for path in chains.paths):
        yield _tree(root, [path for path in chains.paths if path.nodes[0] == root], ids)
    for cycle in chains.cycles:
        yield Text(f"cycle: {' -> '.join(cycle)}", WARN)
    if chains.truncated:
        yield Text("a bound cut the search: there may be more paths (--max-hops, --limit)", WARN)


def _tree(root: str, paths: list[GraphPath], ids: bool) -> Tree:
    tree = Tree(Text(root, KEY), guide_style=DIM)
    branches: dict[tuple[object, ...], Tree] = {}
    for path in paths:
        branch, key = tree, ()
        for index, (hop, name) in enumerate(zip(path.hops, path.nodes[1:], strict=True)):
            key = (*key, hop.relation, hop.against, path.node_ids[index + 1], hop.memory_id)
            if key not in branches:
                closes = path.closes_cycle and index == len(path.hops) - 1
                branches[key] = branch.add(Group(_step(hop, name, closes), _source(hop, ids)))
            branch = branches[key]
    return tree


def _step(hop: Hop, name: str, closes: bool) -> Text:
    arrow = f"<-{hop.relation}- " if hop.against else f"-{hop.relation}-> "
    line = Text.assemble((arrow, "cyan"), (name, KEY))
    return line.append("  (closes a cycle)", WARN) if closes else line


def _source(hop: Hop, ids: bool) -> Text:
    when = show_date(hop.valid_from) if hop.valid_from else ""
    said = Text(f"“{hop.summary}”" if hop.summary else "")
    return said.append("\n" if said else "").append_text(details([when, sources(hop.raw_refs), hop.memory_id if ids else ""]))
