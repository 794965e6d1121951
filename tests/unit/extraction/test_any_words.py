"""No sentence made of the extractor's own vocabulary makes it fail."""

import random
import re
from pathlib import Path

import hindsight_graph.extraction
from hindsight_graph.extraction.base import Source
from hindsight_graph.extraction.rules import RuleExtractor

FOLDER = Path(hindsight_graph.extraction.__file__).parent


async def test_shuffled_words_of_every_pattern_are_read_without_an_error() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.py")))
    words = sorted(set(re.findall(r"[a-z]{2,14}|[\u4e00-\u9fff]{1,4}", text)))
    names = [
        "Redis",
        "payment service",
        "支付网关",
        "node-4",
        "Marta",
        "to",
        "from",
        "by",
        "and",
        "not",
        "over",
        ",",
        "，",
        "由",
        "从",
    ]
    draw = random.Random(7)
    sources = [
        Source(
            text=" ".join(draw.choice(names if draw.random() < 0.45 else words) for _ in range(draw.randint(1, 14))), name="Ann"
        )
        for _ in range(6000)
    ]
    extracted = await RuleExtractor().extract(sources)
    assert len(extracted) == len(sources)
