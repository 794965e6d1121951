"""Extraction: do the rules find the entities and relations that people marked in single sentences?

Each line of the data is one sentence: {"lang", "text", "entities": [name, ...]} or {"lang", "text", "relations": [[source, type,
target], ...]}. Precision, recall and F are micro-averaged over the sentences of a language. Names are compared in lower case
without a leading the, a, an; an entity counts when the name is the same, a relation when all three parts are.

    python -m bench.extraction [--data FOLDER] [--extra FILE]... [--misses] [--json]
"""

import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.common import arguments, print_table
from hindsight_graph.extraction.base import Extraction, Source
from hindsight_graph.extraction.rules import RuleExtractor

Item = tuple[str, ...]
_ARTICLES = ("the ", "a ", "an ")
_SPEED_ROUNDS = 50


@dataclass(frozen=True)
class Sentence:
    """One marked sentence; `task` is `entities` or `relations`."""

    task: str
    language: str
    text: str
    gold: frozenset[Item]


@dataclass
class Score:
    """Counts over sentences."""

    right: int = 0
    found: int = 0
    marked: int = 0
    sentences: int = 0

    def add(self, found: frozenset[Item], gold: frozenset[Item]) -> None:
        """Count one sentence."""
        self.right += len(found & gold)
        self.found += len(found)
        self.marked += len(gold)
        self.sentences += 1

    def figures(self) -> dict[str, float]:
        """Return precision, recall and F, 0..1, and the number of sentences."""
        precision = self.right / self.found if self.found else 0.0
        recall = self.right / self.marked if self.marked else 0.0
        f = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return {"P": round(precision, 3), "R": round(recall, 3), "F": round(f, 3), "sentences": self.sentences}


def norm(name: str) -> str:
    """Return a name as it is compared: lower case, single spaces, without a leading article."""
    folded = " ".join(name.lower().split())
    return next((folded[len(article) :] for article in _ARTICLES if folded.startswith(article)), folded)


def read(path: Path) -> list[Sentence]:
    """Return the sentences of a JSONL file; a line may mark entities, relations, or both."""
    sentences: list[Sentence] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        row: dict[str, Any] = json.loads(line)
        if "entities" in row:
            sentences.append(Sentence("entities", row["lang"], row["text"], frozenset((norm(name),) for name in row["entities"])))
        if "relations" in row:
            gold = frozenset((norm(source), kind.lower(), norm(target)) for source, kind, target in row["relations"])
            sentences.append(Sentence("relations", row["lang"], row["text"], gold))
    return sentences


def found_in(extraction: Extraction, task: str) -> frozenset[Item]:
    """Return what the extractor found, in the form of the gold."""
    if task == "entities":
        return frozenset((norm(mention.name),) for statement in extraction.statements for mention in statement.mentions)
    return frozenset(
        (norm(relation.source), relation.type.value.lower(), norm(relation.target))
        for statement in extraction.statements
        for relation in statement.relations
    )


def measure(sentences: Sequence[Sentence], misses: list[str]) -> dict[str, dict[str, float]]:
    """Return figures by task and language; what was missed or made up is added to `misses`."""
    extractor = RuleExtractor()
    scores: dict[str, Score] = {}
    for sentence in sentences:
        found = found_in(extractor.extract_one(Source(text=sentence.text, keep_all=True)), sentence.task)
        scores.setdefault(f"{sentence.task} {sentence.language}", Score()).add(found, sentence.gold)
        if found != sentence.gold:
            misses.append(f"{sentence.text} | missed {sorted(sentence.gold - found)} | made up {sorted(found - sentence.gold)}")
    return {name: score.figures() for name, score in sorted(scores.items())}


def speed(texts: Iterable[str]) -> float:
    """Return sentences per second of processor time on one core."""
    sources = [Source(text=text) for text in texts]
    extractor = RuleExtractor()
    for source in sources:
        extractor.extract_one(source)
    started = time.process_time()
    for _ in range(_SPEED_ROUNDS):
        for source in sources:
            extractor.extract_one(source)
    return round(_SPEED_ROUNDS * len(sources) / (time.process_time() - started))


def main() -> None:
    """Run the bench from the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--extra", type=Path, action="append", default=[], help="more sentences, JSONL; may be repeated")
    parser.add_argument("--misses", action="store_true", help="print each sentence that is not exactly right")
    options = parser.parse_args()
    folder: Path = options.data / "extraction"
    sets = {"given": [*read(folder / "entities.jsonl"), *read(folder / "relations.jsonl")]}
    sets |= {path.stem: read(path) for path in options.extra}
    misses: list[str] = []
    result: dict[str, Any] = {"bench": "extraction", "extractor": RuleExtractor().name}
    for name, sentences in sets.items():
        result[name] = measure(sentences, misses)
        print_table(name, result[name])
    result["sentences_per_second"] = speed({sentence.text for sentence in sets["given"]})
    print(f"{result['sentences_per_second']:.0f} sentences/s of processor time")
    if options.misses:
        sys.stdout.writelines(f"{miss}\n" for miss in misses)
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
