"""Chinese sentences cut into words with parts of speech, by jieba; Latin names stay whole."""

import threading
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from hindsight_graph.errors import MissingExtraError
from hindsight_graph.text.language import HAN
from hindsight_graph.text.lazy import LazyPattern

if TYPE_CHECKING:
    from jieba.posseg import POSTokenizer

_HAN_RUN = LazyPattern(f"[{HAN}]+")
_LOADING = threading.Lock()
_WORDS = (
    ("中台", "n"), ("弃用", "v"), ("改用", "v"), ("离不开", "v"), ("串单", "n"), ("白屏", "n"), ("黑屏", "v"), ("掉线", "v"),
    ("工单", "n"), ("看板", "n"), ("大屏", "n"), ("小程序", "n"), ("收银台", "n"), ("微服务", "n"), ("网闸", "n"), ("主干", "n"),
    ("灰度", "n"), ("压测", "v"), ("回滚", "v"), ("熔断", "v"), ("限流", "v"), ("扩容", "v"), ("宕机", "v"), ("挂掉", "v"),
    ("告警", "n"), ("风控", "n"), ("对账", "vn"), ("画像", "n"), ("连接池", "n"), ("扫码枪", "n"), ("跳板机", "n"), ("机房", "n"),
    ("不再", "d"), ("换成", "v"), ("迁到", "v"), ("切到", "v"), ("换到", "v"), ("连着", "v"), ("配错", "v"), ("这块", "r"), ("本地", "s"),
    ("消息队列", "n"), ("数据库", "n"), ("服务器", "n"), ("集群", "n"), ("网关", "n"), ("后端", "n"), ("前端", "n"), ("运维", "n"),
    ("消失", "v"), ("生产", "v"), ("都", "d"), ("语雀", "n"), ("花生壳", "n"), ("高配", "n"), ("多维表格", "n"), ("交给", "v"), ("转给", "v"), ("报错", "v"), ("卡顿", "v"),
    ("调用", "v"), ("编写", "v"), ("引起", "v"), ("导致", "v"), ("由", "p"), ("由于", "c"), ("比起", "p"), ("归", "v"), ("拖垮", "v"), ("拖慢", "v"), ("打满", "v"),
    ("写满", "v"), ("误报", "v"), ("漏报", "v"), ("超时", "v"), ("延迟", "n"), ("缓存", "n"), ("索引", "n"), ("常驻", "v"), ("在用", "v"), ("下线", "v"), ("上线", "v"), ("停用", "v"), ("退役", "v"), ("过期", "v"), ("启动", "v"), ("夜间", "n"), ("访客", "n"),
    ("说了算", "v"), ("接管", "v"), ("接手", "v"), ("主导", "v"), ("选型", "n"), ("部署", "v"), ("仓储", "n"), ("组成部分", "n"),
    ("自研", "b"), ("爱用", "v"), ("从不", "d"), ("也不", "d"), ("有关", "v"), ("无关", "v"),
)  # fmt: skip
"""Words of our field that the dictionary lacks or calls something else."""


_NO_WORDS = ("用语", "用于是", "点卡", "由此", "台上")
"""Words of the dictionary that swallow a verb before a name: "我用语雀"."""
_FREQUENT = 60_000
"""Makes 由 and 归 words of their own, not the end of a guessed name."""


_FIRST = {**dict.fromkeys("都也就又还才", "d"), **dict.fromkeys("由用在被把将对给跟和与从向", "p"), **dict.fromkeys("归是有", "v")}
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


@cache
def _tagger() -> "POSTokenizer":
    """Load the dictionary, once per process. jieba's own cache file is not used: anybody may write to where it lies."""
    if not is_installed():
        raise MissingExtraError("cutting Chinese needs jieba", hint="pip install 'hindsight-graph[nlp]'")
    import logging  # noqa: PLC0415

    import jieba  # noqa: PLC0415 - heavy and optional
    import jieba.posseg  # noqa: PLC0415

    jieba.setLogLevel(logging.WARNING)
    words = jieba.Tokenizer()
    words.FREQ, words.total = words.gen_pfdict(words.get_dict_file())
    words.initialized = True
    tagger = jieba.posseg.POSTokenizer(words)
    tagger.initialize()
    for word in _NO_WORDS:
        words.del_word(word)
    for word, tag in _WORDS:
        words.add_word(word, freq=_FREQUENT if len(word) == 1 or word in {"由于", "比起"} else None, tag=tag)
        tagger.word_tag_tab[word] = tag
    return tagger


def cut(text: str, start: int = 0, end: int | None = None) -> list[Cut]:
    """Return the words of a stretch of Chinese characters, in order."""
    with _LOADING:
        tagger = _tagger()
    found: list[Cut] = []
    at = start
    known = tagger.tokenizer.FREQ
    for pair in tagger.lcut(text[start : len(text) if end is None else end]):
        word, tag = pair.word, pair.flag
        if len(word) > 1 and word[0] in _FIRST and not known.get(word):  # a guess that swallowed the verb before a name
            size = 2 if word.startswith("由于") and len(word) > 2 else 1
            found.append(Cut(word[:size], "c" if size > 1 else _FIRST[word[0]], at, at + size))
            word, at = word[size:], at + size
            tag = tagger.word_tag_tab.get(word, "n")
        last = word[-1]
        if len(word) > 1 and last in _LAST and not known.get(word):
            tag = tagger.word_tag_tab.get(word[:-1], "n")
            found.append(Cut(word[:-1], tag, at, at + len(word) - 1))
            found.append(Cut(last, _FIRST[last], at + len(word) - 1, at + len(word)))
        else:
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
