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
        "数据库 服务器 集群 网关 后端 前端 运维 语雀 花生壳 高配 多维表格 延迟 缓存 索引 夜间 访客 选型 仓储 组成部分 "
        "日志 知识 预算 主库 备库 从库 埋点 模组 调用方 服务方 第三方 代理池 线程池 工作流 审批流 数据流 组件库 代码库 "
        "知识库 向量库 "
        "道闸 对账单 一体机 托盘 机械臂 取件码 二维码 后厨 主机 总成 网线 机柜 固件 官网 素材库 词库 题库 图谱 心跳 预发 "
        "灰度环境 令牌 密钥 证书 快照 探针 "
        "看门狗 网段 端口 镜像 容器 流水线 工单池 落地页 详情页 结算页 首页 "
        "单点登录 风控引擎 大模型 智能体 提示词 权重 显存 带宽 吞吐 阈值 分片 副本 主键 外键 约束 存储层 服务层 采集层 "
        "接入层 数据层 应用层"
    ),
    "v": (
        "弃用 改用 离不开 黑屏 掉线 压测 回滚 熔断 限流 扩容 宕机 挂掉 换成 迁到 切到 换到 连着 配错 消失 生产 "
        "交给 转给 报错 卡顿 调用 编写 引起 导致 归 拖垮 拖慢 打满 写满 误报 漏报 超时 常驻 在用 下线 上线 "
        "停用 退役 过期 启动 说了算 接管 接手 主导 部署 爱用 有关 无关 "
        "带队 接入 反馈 偏好 更新 定义 训练 联网 结算 打挂 打垮 跑在 存到 写到 传到 发到 上传到 推送到 写入 同步到 归属 "
        "配置 取决于 "
        "联系 连上 倾向于 偏向 换 停 借 插拔 审批 转码 解码 编码 清 管着 依赖于 强依赖 重启 熔断 降级 报警 告警 找不到 "
        "连不上 打不开 "
        "起不来 跑不起来 用不了 登不上 "
        "收不到 接替 顶替 拆分 沿用 选定 迁移到 切换到"
    ),
    "vn": ("对账"),
    "d": ("别 不再 都 从不 也不 一起 一律 一块"),
    "r": ("这块"),
    "s": ("本地"),
    "p": ("由 比起 相比 相较于 与其"),
    "c": ("由于"),
    "b": ("三维 二维 无人 自研 自建 实时 离线 公共 在线"),
}
"""Words of our field that the dictionary lacks or calls something else, by part of speech."""


_NO_WORDS = (
    "用语",
    "用于是",
    "点卡",
    "由此",
    "台上",
    "组管",
    "没用",
    "前要",
    "屏跑",
    "记笔记",
    "需先",
    "要先",
    "清缓",
    "开长",
    "站用",
    "部用",
    "组用",
)
"""Words of the dictionary that swallow a verb before a name: "我用语雀"."""
_FREQUENT = 60_000
"""Makes 由 and 归 words of their own, not the end of a guessed name."""


_FIRST = {
    **dict.fromkeys("都也就又还才先", "d"),
    **dict.fromkeys("由用在被把将对给跟和与从向", "p"),
    **dict.fromkeys("归是有", "v"),
    **dict.fromkeys("前后", "f"),
    **dict.fromkeys("这那", "r"),
}
"""Words of one character that stand before names, with their part of speech."""


_ACTING = frozenset("v d p a vd ad".split())
_ROWS = 20_000
"""Rows of single characters whose cut is kept; guessing at one takes a third of all the time."""
_LAST = frozenset("由用归被把在将都跑管连要停换更也还很只")


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
        self._words = words
        self._rows: dict[str, tuple[tuple[str, str], ...]] = {}
        self._known: dict[str, int] = words.FREQ
        self._tags: dict[str, str] = tagger.word_tag_tab

    def _tagged(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield what jieba cuts: known words at once, single characters in a row after a look at whether they form a word."""
        alone = ""
        for word in self._words.cut(text, HMM=False):
            if len(word) == 1:
                alone += word
                continue
            yield from self._row(alone)
            alone = ""
            yield word, self._tags.get(word, "n")
        yield from self._row(alone)

    def _row(self, row: str) -> tuple[tuple[str, str], ...]:
        if len(row) < 2:
            return ((row, self._tags.get(row, "n")),) if row else ()
        if row not in self._rows:
            if len(self._rows) >= _ROWS:
                self._rows.clear()
            self._rows[row] = tuple((str(pair.word), str(pair.flag)) for pair in self._tagger.lcut(row))
        return self._rows[row]

    def cut(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the words of Chinese characters with their parts of speech."""
        for word, tag in self._tagged(text):
            if len(word) > 1 and not self._known.get(word):
                yield from self._split(word, tag)
            else:
                yield word, tag

    def _split(self, guess: str, tag: str) -> Iterator[tuple[str, str]]:
        """Yield a guessed word without the verb, adverb or preposition that it swallowed at either end: 喝 + 咖啡, 归 + 血站."""
        rest, of_rest = guess, tag
        if len(guess) > 2 and self._known.get(guess[1:]) and self._tags.get(guess[0]) in _ACTING:
            yield guess[0], self._tags[guess[0]]
            yield guess[1:], self._tags.get(guess[1:], "n")
            return
        if guess[0] in _FIRST:
            size = 2 if guess.startswith("由于") and len(guess) > 2 else 1
            yield guess[:size], "c" if size > 1 else _FIRST[guess[0]]
            rest = guess[size:]
            of_rest = self._tags.get(rest, "n")
        if len(rest) > 1 and rest[-1] in _LAST and not self._known.get(rest):
            yield rest[:-1], self._tags.get(rest[:-1], "n")
            yield rest[-1], _FIRST.get(rest[-1], "v")
        else:
            yield rest, of_rest


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
