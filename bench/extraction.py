"""Extraction: does an extractor find the entities and relations that people marked in single sentences?

Each line of the data is one sentence: {"lang", "text", "entities": [name, ...]} or {"lang", "text", "relations": [[source, type,
target], ...]}. Precision, recall and F are micro-averaged over the sentences of a language. Names are compared in lower case
without a leading the, a, an; "I" and 我 are the user, whom the extractor names; an entity counts when the name is the same, a
relation when all three parts are. Beside the given sentences, `bench/data/extraction` is measured: `dev` was tuned on, the
sets named `held out` only measure: what is missed there is never printed, not even with `--misses`.

    python -m bench.extraction [--extractor auto|rules|spacy] [--data FOLDER] [--extra FILE]... [--misses] [--json]
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.common import arguments, print_table
from hindsight_graph.extraction.base import Extraction, Extractor, Source
from hindsight_graph.extraction.spacy_extractor import SpacyExtractor
from hindsight_graph.readers import make_extractor

Item = tuple[str, ...]
_ARTICLES = ("the ", "a ", "an ")
_SPEED_ROUNDS = 20
_HELD_OUT = "held out"
_SPEAKERS = {"i": "user", "me": "user", "我": "用户"}
_SETS = {
    "dev": ("dev.jsonl", "entities.jsonl", "relations.jsonl"),
    "dev, memories": ("dev_memories.jsonl",),
    "held out": ("held_out.jsonl",),
    "held out, memories": ("held_out_memories.jsonl",),
}
OWN = Path(__file__).parent / "data" / "extraction"


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
    bare = next((folded[len(article) :] for article in _ARTICLES if folded.startswith(article)), folded)
    return _SPEAKERS.get(bare, bare)


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


def extract_all(extractor: Extractor, sources: Sequence[Source]) -> tuple[Extraction, ...]:
    """Return the extractions of many sources, read at once as a write of many statements does."""
    if isinstance(extractor, SpacyExtractor):
        return extractor.extract_all(sources)  # without the thread, so that processor time is all there is
    return asyncio.run(extractor.extract(sources))


def measure(extractor: Extractor, sentences: Sequence[Sentence], misses: list[str]) -> dict[str, dict[str, float]]:
    """Return figures by task and language; what was missed or made up is added to `misses`."""
    scores: dict[str, Score] = {}
    extractions = extract_all(extractor, [Source(text=sentence.text, keep_all=True) for sentence in sentences])
    for sentence, extraction in zip(sentences, extractions, strict=True):
        found = found_in(extraction, sentence.task)
        scores.setdefault(f"{sentence.task} {sentence.language}", Score()).add(found, sentence.gold)
        if found != sentence.gold:
            misses.append(f"{sentence.text} | missed {sorted(sentence.gold - found)} | made up {sorted(found - sentence.gold)}")
    return {name: score.figures() for name, score in sorted(scores.items())}


def speed(extractor: Extractor, texts: Iterable[str]) -> float:
    """Return sentences per second of processor time on one core, 64 at once."""
    sources = [Source(text=text) for text in sorted(texts)] * _SPEED_ROUNDS
    extract_all(extractor, sources[:64])
    started = time.process_time()
    for start in range(0, len(sources), 64):
        extract_all(extractor, sources[start : start + 64])
    return round(len(sources) / (time.process_time() - started))


def main() -> None:
    """Run the bench from the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--extra", type=Path, action="append", default=[], help="more sentences, JSONL; may be repeated")
    parser.add_argument("--extractor", choices=("auto", "rules", "spacy"), default="auto")
    parser.add_argument("--misses", action="store_true", help="print each tuned-on sentence that is not exactly right")
    options = parser.parse_args()
    folder: Path = options.data / "extraction"
    extractor = make_extractor(options.extractor)
    sets = {"given": [*read(folder / "entities.jsonl"), *read(folder / "relations.jsonl")]}
    sets |= {name: [item for path in paths for item in read(OWN / path)] for name, paths in _SETS.items()}
    sets |= {path.stem: read(path) for path in options.extra}
    misses: list[str] = []
    result: dict[str, Any] = {"bench": "extraction", "extractor": extractor.name}
    for name, sentences in sets.items():
        result[name] = measure(extractor, sentences, [] if name.startswith(_HELD_OUT) else misses)
        print_table(name, result[name])
    for language in ("en", "zh"):
        rate = speed(extractor, {sentence.text for sentence in sets["dev"] if sentence.language == language})
        result[f"sentences_per_second_{language}"] = rate
        print(f"{language}: {rate:.0f} sentences/s of processor time")
    if options.misses:
        sys.stdout.writelines(f"{miss}\n" for miss in misses)
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
