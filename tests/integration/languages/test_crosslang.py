"""A question in one language finds memories in the other, and what is found in its own language stays what it was."""

from pathlib import Path
from typing import Any

import pytest

from bench.crosslang import Plain, measure, shares
from hindsight_graph import HindsightGraph
from hindsight_graph.embedding.e5.embedder import E5Embedder
from hindsight_graph.embedding.e5.folder import NAME
from hindsight_graph.testing.patience import patient_settings


def _silent(line: str) -> None:
    del line


@pytest.fixture(scope="module")
def embedder(model_folder: Path) -> E5Embedder:
    return E5Embedder(model_folder / NAME, _silent)


@pytest.mark.requirement("R-04")
def test_answers_are_among_the_first_five_in_every_direction(embedder: E5Embedder):
    found = {direction: figures["recall@5"] for direction, figures in shares(measure(embedder, "report")).items()}
    assert found["en>zh"] >= 0.85
    assert found["zh>en"] >= 0.85
    assert found["en>en"] >= 0.93
    assert found["zh>zh"] >= 0.93


@pytest.mark.requirement("R-04")
def test_in_a_store_of_one_language_nothing_changes(embedder: E5Embedder, tmp_path: Path):
    texts = ("Checkout depends on the gateway.", "Lena prefers tea.", "The backup runs at two.", "Tom repairs bicycles.")
    rankings: list[list[Any]] = []
    for number, used in enumerate((Plain(embedder), embedder)):
        with HindsightGraph(f"sqlite:///{tmp_path / f'{number}.db'}", embedder=used, settings=patient_settings()) as memory:
            memory.remember_many([{"text": text} for text in texts])
            answer = memory.recall("When is the backup made?")
            rankings.append([(hit.memory.summary, round(hit.components["similarity"].raw, 6)) for hit in answer.results])
    assert rankings[0] == rankings[1]
    assert rankings[0][0][0] == "The backup runs at two."


@pytest.mark.requirement("R-04")
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("谁喜欢喝茶？", "Lena prefers tea."),
        ("What must be done before a deployment?", "部署前必须备份数据库。"),
        ("checkout 服务依赖什么？", "Checkout depends on the gateway."),
    ],
)
def test_english_chinese_and_mixed_questions_find_either_language(
    embedder: E5Embedder, tmp_path: Path, question: str, first: str
):
    with HindsightGraph(f"sqlite:///{tmp_path / 'm.db'}", embedder=embedder, settings=patient_settings()) as memory:
        texts = (
            "Checkout depends on the gateway.",
            "Lena prefers tea.",
            "部署前必须备份数据库。",
            "汤姆修理自行车。",
            "会议在三楼。",
        )
        memory.remember_many([{"text": text, "kind": "fact"} for text in texts])
        answer = memory.recall(question)
    assert answer.results[0].memory.summary == first
    assert "other language" in [stage.name for stage in answer.trace.stages]
