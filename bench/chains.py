"""Chains: is what a thing depends on, one to four links away, found by a question that names the thing alone?

A hundred invented chains A -> B -> C -> D -> E lie among other memories. Each thing on a chain has five more facts, one of them a
dependency in the other direction. A link counts when its fact is in the top 10 of `recall`; from the second link on it must
come with its path, whose hops are the chain's facts in order. `chain` counts as exact when it returns that one path and nothing
else. `units` hands relations over; `text` gives the same sentences to the extractor.

`--forms` asks otherwise: by questions that were written down beforehand (bench/data/chains/forms.tsv), about what lies behind the
first thing (`down`), and about what the last one carries (`up`, where the links count from that end). The word lists of
`ranking/intent.py` were widened for `tune`, `held` was written together with it, `fresh` after the lists were done.

    python -m bench.chains [--mode units|text|both] [--extractor rules|spacy] [--chains 100] [--others 10000] [--misses] [--json]
                           [--forms tune|held|fresh]
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.chain_world import DependencyChain, Fact, World, make_world
from bench.common import print_table
from hindsight_graph import HindsightGraph
from hindsight_graph.models.result import Answer, Hit
from hindsight_graph.testing.patience import patient_settings

TOP_K = 10
LINKS = 4
FORMS = Path(__file__).parent / "data" / "chains" / "forms.tsv"
ASKED_PER_FORM = 3


def unit_of(fact: Fact, mode: str) -> dict[str, Any]:
    """Return what is handed to `remember_many`."""
    unit: dict[str, Any] = {"summary": fact.text, "raw_ref": fact.ref}
    if mode == "units":
        unit |= {"kind": "fact", "entities": list(fact.entities), "relations": list(fact.relations)}
    return unit


def has_path(hit: Hit, links: Sequence[Fact], link: int) -> bool:
    """Whether the hit's path runs over the chain's own facts, in order, up to this one."""
    if hit.path is None:
        return False
    wanted = [fact.ref for fact in links[:link]]
    return [hop.raw_refs[0] if hop.raw_refs else "" for hop in hit.path.hops] == wanted


def places(answer: Answer) -> dict[str, Hit]:
    """Return the hits by the first evidence of each."""
    found: dict[str, Hit] = {}
    for hit in answer.results:
        if hit.evidence:
            found.setdefault(hit.evidence[0], hit)
    return found


class Form(NamedTuple):
    """A way to ask: `direction` is `down` (what lies behind the first thing) or `up` (what the last one carries)."""

    part: str
    direction: str
    language: str
    pattern: str


def load_forms(part: str) -> list[Form]:
    """Return the committed questions of a part: `tune`, `held`, `fresh`."""
    every = [Form(*line.split("\t")) for line in FORMS.read_text(encoding="utf-8").splitlines()]
    return [form for form in every if form.part == part]


def measure_forms(memory: HindsightGraph, world: World, forms: Sequence[Form]) -> dict[str, dict[str, float]]:
    """Ask each form about `ASKED_PER_FORM` chains; returns links in the top 10 with their paths, in percent, by direction."""
    found: dict[str, Counter[int]] = {}
    for number, form in enumerate(forms):
        chains = [chain for chain in world.chains if chain.language == form.language]
        row = found.setdefault(f"{form.direction} {form.language}", Counter())
        for turn in range(ASKED_PER_FORM):
            chain = chains[(number + turn * 7) % len(chains)]
            is_down = form.direction == "down"
            links = chain.links if is_down else chain.links[::-1]
            hits = places(memory.recall(form.pattern.format(a=chain.nodes[0 if is_down else -1]), top_k=TOP_K))
            row[0] += 1
            for link, fact in enumerate(links, start=1):
                hit = hits.get(fact.ref)
                row[link] += hit is not None and (link == 1 or has_path(hit, links, link))
    return {
        name: {f"link{link}": round(100 * row[link] / row[0], 1) for link in range(1, LINKS + 1)} | {"asked": row[0]}
        for name, row in found.items()
    }


class Run:
    """One mode over one world: figures and misses."""

    def __init__(self, memory: HindsightGraph, world: World) -> None:
        self.memory = memory
        self.world = world
        self.found: Counter[int] = Counter()
        self.with_path: Counter[int] = Counter()
        self.exact = 0
        self.degraded = 0
        self.recall_ms: list[float] = []
        self.chain_ms: list[float] = []
        self.misses: list[str] = []
        self.ids: dict[str, str] = {}
        self.by_question: dict[str, list[int]] = {}
        self.result: dict[str, Any] = {}
        self.by_form: dict[str, dict[str, float]] = {}

    def remember(self, mode: str) -> float:
        """Write everything; returns memories per second."""
        started = time.perf_counter()
        receipt = self.memory.remember_many([unit_of(fact, mode) for fact in self.world.facts])
        seconds = time.perf_counter() - started
        for memory in receipt.memories:
            for ref in memory.raw_refs[:1]:
                self.ids.setdefault(ref, memory.id)
        return len(self.world.facts) / seconds

    def ask(self, chain: DependencyChain) -> None:
        """Ask about the first thing of one chain, and follow the chain."""
        started = time.perf_counter()
        answer = self.memory.recall(chain.question, top_k=TOP_K)
        self.recall_ms.append(1000 * (time.perf_counter() - started))
        if answer.degraded:
            self.degraded += 1
            self.misses.append(f"degraded answer to {chain.question!r}: {'; '.join(answer.reasons)}")
        hits = places(answer)
        self.by_question.setdefault(chain.pattern, []).append(sum(fact.ref in hits for fact in chain.links))
        for link, fact in enumerate(chain.links, start=1):
            hit = hits.get(fact.ref)
            if hit is None:
                self.misses.append(
                    f"{fact.ref} ({chain.language}) not in the top {TOP_K} for {chain.question!r}: {self._cause(fact, chain)}"
                )
                continue
            self.found[link] += 1
            if has_path(hit, chain.links, link):
                self.with_path[link] += 1
            elif link > 1:
                shown = "no path" if hit.path is None else " -> ".join(hit.path.nodes)
                self.misses.append(f"{fact.ref} ({chain.language}) without its path: {shown}")
        started = time.perf_counter()
        chains = self.memory.chain(chain.nodes[0], relations=["DEPENDS_ON"], max_hops=LINKS)
        self.chain_ms.append(1000 * (time.perf_counter() - started))
        refs = [[hop.raw_refs[0] for hop in path.hops if hop.raw_refs] for path in chains.paths]
        names = [path.nodes for path in chains.paths]
        if refs == [[fact.ref for fact in chain.links]] and names == [chain.nodes] and not chains.truncated:
            self.exact += 1
        else:
            self.misses.append(f"chain of {chain.nodes[0]!r} ({chain.language}): {names}")

    def _cause(self, fact: Fact, chain: DependencyChain) -> str:
        identity = self.ids.get(fact.ref)
        if identity is None:
            return "not kept"
        relations = self.memory.get(identity).relations
        if not relations:
            return f"no relation was extracted from {fact.text!r}"
        expected = self.memory.expect(identity, chain.question, top_k=TOP_K)
        return f"{expected.verdict}, rank {expected.rank}: {expected.explanation}"

    def shares_by_question(self) -> dict[str, dict[str, float]]:
        """Return for each way to ask the share of all links that were found, in percent, and how often it was asked."""
        return {
            pattern: {"links": round(100 * sum(found) / (LINKS * len(found)), 1), "asked": len(found)}
            for pattern, found in self.by_question.items()
        }

    def figures(self, rate: float) -> dict[str, Any]:
        """Return everything measured; shares in percent."""
        total = len(self.world.chains)
        shares = {f"link{link}": round(100 * self.found[link] / total, 1) for link in range(1, LINKS + 1)}
        shares |= {f"link{link}_path": round(100 * self.with_path[link] / total, 1) for link in range(1, LINKS + 1)}
        return shares | {
            "chain_exact": round(100 * self.exact / total, 1),
            "degraded": self.degraded,
            "recall_p50_ms": round(statistics.median(self.recall_ms), 1),
            "recall_max_ms": round(max(self.recall_ms), 1),
            "chain_p50_ms": round(statistics.median(self.chain_ms), 1),
            "chain_max_ms": round(max(self.chain_ms), 1),
            "written_per_s": round(rate),
        }


def measure(mode: str, world: World, folder: Path, extractor: str, forms: str = "") -> Run:
    """Fill a store in `folder` and ask every chain's question, or the forms of a part; figures are on the run."""
    settings = patient_settings() if forms else None  # how forms are answered is asked here, not how fast
    with HindsightGraph(
        f"sqlite:///{folder / f'chains-{mode}.db'}", embedder="hashing", extractor=extractor, settings=settings
    ) as memory:
        run = Run(memory, world)
        rate = run.remember(mode)
        if forms:
            run.by_form = measure_forms(memory, world, load_forms(forms))
            return run
        for chain in world.chains:
            run.ask(chain)
        run.result = run.figures(rate)
        return run


def main() -> None:
    """Run the bench from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=("units", "text", "both"), default="both")
    parser.add_argument("--extractor", choices=("rules", "spacy"), default="rules", help="reads the sentences of `text`")
    parser.add_argument("--chains", type=int, default=100)
    parser.add_argument("--others", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--forms", choices=("tune", "held", "fresh"), default="", help="ask the committed questions of this part")
    parser.add_argument("--misses", action="store_true", help="print each miss with its cause")
    parser.add_argument("--json", action="store_true", help="print one JSON line last")
    options = parser.parse_args()
    world = make_world(options.chains, options.others, options.seed)
    modes = ("units", "text") if options.mode == "both" else (options.mode,)
    results: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for mode in modes:
            run = measure(mode, world, Path(folder), options.extractor, options.forms)
            results[mode] = run.result or dict(run.by_form)
            if options.forms:
                print_table(f"{mode}, forms {options.forms}", run.by_form)
            if options.misses:
                sys.stdout.writelines(f"{mode}: {miss}\n" for miss in run.misses)
                print_table(f"{mode}, by question", run.shares_by_question())
    if options.json:
        print(json.dumps({"bench": "chains", "chains": options.chains, "memories": len(world.facts), **results}))
    elif not options.forms:
        print_table(f"{options.chains} chains, {len(world.facts)} memories", results)


if __name__ == "__main__":
    main()
