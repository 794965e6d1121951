"""Chinese sentences cut into words with parts of speech, by jieba; Latin names stay whole."""

import threading
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from hindsight_graph.errors import MissingExtraError
from hindsight_graph.text.language import HAN
from hindsight_graph.text.lazy import LazyPattern

_HAN_RUN = LazyPattern(f"[{HAN}]+")
_LOADING = threading.Lock()
_WORDS = {
    "n": (
        "中台 串单 白屏 工单 看板 大屏 小程序 收银台 微服务 网闸 主干 灰度 告警 风控 画像 连接池 扫码枪 跳板机 机房 消息队列 "
        "数据库 服务器 集群 网关 后端 前端 运维 语雀 花生壳 高配 多维表格 延迟 缓存 索引 夜间 访客 选型 仓储 组成部分"
    ),
    "v": (
        "弃用 改用 离不开 黑屏 掉线 压测 回滚 熔断 限流 扩容 宕机 挂掉 换成 迁到 切到 换到 连着 配错 消失 生产 "
        "交给 转给 报错 卡顿 调用 编写 引起 导致 归 拖垮 拖慢 打满 写满 误报 漏报 超时 常驻 在用 下线 上线 "
        "停用 退役 过期 启动 说了算 接管 接手 主导 部署 爱用 有关 无关"
    ),
    "vn": ("对账"),
    "d": ("不再 都 从不 也不"),
    "r": ("这块"),
    "s": ("本地"),
    "p": ("由 比起"),
    "c": ("由于"),
    "b": ("自研"),
}
"""Words of our field that the dictionary lacks or calls something else, by part of speech."""


_NO_WORDS = ("用语", "用于是", "点卡", "由此", "台上")
"""Words of the dictionary that swallow a verb before a name: "我用语雀"."""
_FREQUENT = 60_000
"""Makes 由 and 归 words of their own, not the end of a guessed name."""


_FIRST = {
    **dict.fromkeys("都也就又还才", "d"),
    **dict.fromkeys("由用在被把将对给跟和与从向", "p"),
    **dict.fromkeys("归是有", "v"),
}
"""Words of one character that stand before names, with their part of speech."""


_LAST = frozenset("由用归被把在将都")


class Cut(NamedTuple):
    """A word: characters [start, end) of the sentence, and its part of speech (n, v, d, p …; jieba's own tags)."""

    text: str
    tag: str
    start: int
    end: int


def is_installed() -> bool:
    """Whether jieba is installed; does not import it."""
    return find_spec("jieba") is not None


class _Tagger:
    """jieba's dictionary with our words in it. Its own cache file is not used: anybody may write to where it lies."""

    def __init__(self) -> None:
        if not is_installed():
            raise MissingExtraError("cutting Chinese needs jieba", hint="pip install 'hindsight-graph[nlp]'")
        jieba: Any = import_module("jieba")
        posseg: Any = import_module("jieba.posseg")
        words: Any = jieba.Tokenizer()
        words.FREQ, words.total = words.gen_pfdict(words.get_dict_file())
        words.initialized = True
        tagger: Any = posseg.POSTokenizer(words)
        for word in _NO_WORDS:
            words.del_word(word)
        for tag, some in _WORDS.items():
            for word in some.split():
                words.add_word(word, freq=_FREQUENT if len(word) == 1 or word in {"由于", "比起"} else None, tag=tag)
                tagger.word_tag_tab[word] = tag
        self._tagger = tagger
        self._known: dict[str, int] = words.FREQ
        self._tags: dict[str, str] = tagger.word_tag_tab

    def cut(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the words of Chinese characters with their parts of speech."""
        for pair in self._tagger.lcut(text):
            word, tag = str(pair.word), str(pair.flag)
            if len(word) > 1 and word[0] in _FIRST and not self._known.get(word):  # a guess that swallowed the verb before a name
                size = 2 if word.startswith("由于") and len(word) > 2 else 1
                yield word[:size], "c" if size > 1 else _FIRST[word[0]]
                word = word[size:]
                tag = self._tags.get(word, "n")
            if len(word) > 1 and word[-1] in _LAST and not self._known.get(word):
                yield word[:-1], self._tags.get(word[:-1], "n")
                yield word[-1], _FIRST[word[-1]]
            else:
                yield word, tag


@cache
def _tagger() -> _Tagger:
    """Load the dictionary, once per process."""
    return _Tagger()


def cut(text: str, start: int = 0, end: int | None = None) -> list[Cut]:
    """Return the words of a stretch of Chinese characters, in order."""
    with _LOADING:
        tagger = _tagger()
    found: list[Cut] = []
    at = start
    for word, tag in tagger.cut(text[start : len(text) if end is None else end]):
        found.append(Cut(word, tag, at, at + len(word)))
        at += len(word)
    return found


def cut_sentence(text: str, whole: list[tuple[int, int]]) -> list[Cut]:
    """Return the words of a sentence: names that are not to be cut, Chinese words, and every other character but spaces alone."""
    found: list[Cut] = []
    at = 0
    for start, end in [*sorted(whole), (len(text), len(text))]:
        if start < at:
            continue
        for run in _RUN.finditer(text, at, start):
            if _HAN_RUN.match(run.group()):
                found.extend(cut(text, run.start(), run.end()))
            else:
                found.append(Cut(run.group(), "x", run.start(), run.end()))
        if end > start:
            found.append(Cut(text[start:end], "name", start, end))
        at = end
    return found


_RUN = LazyPattern(rf"[{HAN}]+|[A-Za-z0-9_.+#%-]+|[^\s{HAN}]")
