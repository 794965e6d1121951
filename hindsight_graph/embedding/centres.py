"""Where a model puts a language: the mean vector of questions and of passages in it.

Multilingual models group texts by language before meaning, so that a question in one language finds everything written in it
before the one memory in another language that answers. What texts of a language share is the mean of their vectors; it is taken
here over everyday sentences that say the same in each language, and differ for questions and passages because their preparation
does. `ranking.crossing` subtracts it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.embedding.base import Embedder

__all__ = ["Centre", "language_centres"]

_QUESTIONS = {
    "en": (
        "What is it?", "Who is responsible for this?", "When does it start?", "Why did it fail?", "Where is it kept?",
        "How does it work?", "Which one should be used?", "What must not be done?", "How long does it take?",
        "How much does it cost?", "What did they decide?", "Is it finished?", "Who wrote the last report?",
        "What has changed since then?", "How often does that happen?", "What do we need for it?",
    ),
    "zh": (
        "这是什么？", "这件事由谁负责？", "什么时候开始？", "为什么失败了？", "放在哪里？", "它是怎么工作的？", "应该用哪一个？",
        "什么不能做？", "需要多长时间？", "要花多少钱？", "他们决定了什么？", "完成了吗？", "上一份报告是谁写的？",
        "从那以后有什么变化？", "这种情况多久发生一次？", "我们需要为此准备什么？",
    ),
}  # fmt: skip
_PASSAGES = {
    "en": (
        "The meeting starts at ten.", "She likes green tea.", "The server was restarted.", "This rule applies to everyone.",
        "The house is near the river.", "The price went up last year.", "He wrote a report about it.",
        "The tool needs an update.",
        "They do not use that method.", "The door must stay closed.", "The result was better than before.",
        "It depends on the weather.", "The team moved to another building in spring.", "The file is larger than 20 megabytes.",
        "The doctor advised her to rest for a week.", "The module reads its settings from a file.",
    ),
    "zh": (
        "会议十点开始。", "她喜欢绿茶。", "服务器被重启了。", "这条规则适用于所有人。", "房子靠近河边。", "去年价格上涨了。",
        "他写了一份关于它的报告。", "这个工具需要更新。", "他们不使用那种方法。", "门必须保持关闭。", "结果比以前更好。",
        "这取决于天气。", "团队春天搬到了另一栋楼。", "这个文件大于 20 兆字节。", "医生建议她休息一周。",
        "该模块从文件中读取设置。",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Centre:
    """Mean vectors of a language, each of shape (dimension,) and shorter than 1."""

    question: NDArray[np.float32]
    passage: NDArray[np.float32]


async def language_centres(embedder: Embedder) -> Mapping[str, Centre]:
    """Return the centres of English and Chinese; none for an embedder that cannot embed many questions at once.

    Those are the embedders without weights, which know spelling and not meaning, and those of callers, whose calls may cost.

    Raises:
        EmbeddingError, MissingExtraError: What the embedder raises.
    """
    questions: Any = getattr(embedder, "embed_queries", None)
    if questions is None:
        return {}
    found: dict[str, Centre] = {}
    for language, sentences in _QUESTIONS.items():
        asked = await questions(sentences)
        told = await embedder.embed_passages(_PASSAGES[language])
        found[language] = Centre(asked.mean(axis=0), told.mean(axis=0))
    return found
