"""Chinese sentences as clauses of noun phrases and other words: what stands between phrases is short enough for patterns.

Each noun phrase becomes one character of a private area, adverbs, particles and times vanish, denials become `~`. A pattern
then reads `N依赖N`, and its groups lead back to the words as written.
"""

import re
from dataclasses import dataclass

from hindsight_graph.extraction import chinese
from hindsight_graph.extraction.findings import Name
from hindsight_graph.extraction.jieba_segmenter import Cut, cut_sentence
from hindsight_graph.extraction.rules_zh import PERSON
from hindsight_graph.models.enums import EntityType
from hindsight_graph.text.lazy import LazyPattern

FIRST = 0xE000
N = "[\ue000-\uf8ff]"
L = f"(?:{N}(?:[、和与及跟&]|以及|还有)+)*{N}"
"""An enumeration of noun phrases."""
DENIAL = "~"

TIME = LazyPattern(
    "每(?:个)?(?:小时|天|周|月|晚|分钟|年|季度|次|日|早)|(?:昨|今|前|明)(?:天|晚|早)?(?:凌晨|早上|上午|"
    "中午|下午|晚上|夜里)?(?=[^天晚早]|$)(?<=[天晚早夜里上午])|"
    "(?:上|下|这|本)(?:个)?(?:周|月|季度|星期)(?:[一二三四五六日天末])?(?!报)|(?:周|"
    "星期)[一二三四五六日天末](?:上午|下午|晚上)?|凌晨|去年|今年|前年|最近|刚刚|刚才|"
    r"早上|上午|中午|下午|晚上|傍晚|周末|平时|工作日(?!志)|目前|现在|如今|当前(?!版本)|后来|近期|年底|月底|月初|"
    r"\d{1,2}月(?:\d{1,2}[日号])?|"
    r"\d{1,2}[点时](?:\d{1,2}分|半)?|[一二三四五六七八九十]+月|半夜|深夜|早就|长期"
)
LEADS = LazyPattern(
    "^(?:听说|据说|我觉得|我认为|我猜|应该是|可能是|大概是|好像|似乎|估计|看来|其实|原来|注意|请注意|"
    "记住|另外|此外|不过|但是|但|而且|并且|同时|"
    "所以|因此|结果|最后|最终|终于|经排查|排查发现|发现|后来发现|怀疑是|怀疑|确认|查明|现已|"
    "[\u4e00-\u9fff]{2,3}(?:说|表示|反映|认为|确认)(?!了算)|总之|目前|然后|"
    "以后|今后|往后|从现在起|从今以后|大家|各位|麻烦|请|务必|记得|一定要|写\\w{1,4}请|这边|那边)+[:：,，]?"
)
_DENIALS = LazyPattern(
    "不要|不得|不能|不可以?|不许|不准(?=[在用使再把对])|不允许|禁止|严禁|请勿|切勿|千万别|别再|别|勿|"
    "不再|不应该?|不宜|从不|从来不|并不|并没有|没有(?=[使采启依调部引用])|没(?=[用使再])|未|尚未|不会|"
    "不想|不愿意?|拒绝|不打算|不用(?=[A-Za-z\ue000-\uf8ff])|不(?=[用使采依喜习爱建推碰允选])"
)
_NOUN = frozenset("t n nr ns nt nz nrt nrfg ng eng l j vn an i name s".split())
_DROPPED = frozenset("d ad y ul uz ug e o zg h k uv ud".split())
_KEPT_ADVERBS = frozenset("先 再 才 才能 才会 也不 只 就 宁愿 宁可 更 不 没 别 无法".split())
_ATTRIBUTES = frozenset("b a j ns s".split())
_VERBAL_NAMES = frozenset(
    "支付 推荐 导出 导入 采购 推送 消费 增长 搜索 识别 审批 审核 监控 调度 存储 发布 备份 采集 查询 验证 "
    "订阅 同步 测试 集成 托管 优化 计划 设计 结算 "
    "清洗 迁移 登录 注册 下单 退款 打包 装配 包装 渲染 训练 推理 标注 翻译 播放 预约 报销 考勤 签到 排班 "
    "排产 质检 巡检 检测 抽数 打印 扫描 拍照 "
    "开放 运营 运维 研发 开发 配送 物流 分拣 分析 统计 报警 告警 收款 还款 放款 授权 鉴权 认证 限流 缓存 "
    "转码 解析 校验 加密 压缩 归档 评审 合并 部署 "
    "接入 管理 处理 计费 计算 通知 投放 渠道 直播 点播 上传 下载 检索 召回 排序 聚合 调用 直连 代理 转发 "
    "解码 编码 预测 补货 收银 接待 导购 售后 维修".split()
)
_NUMBER_NAME = LazyPattern("[一二三四五六七八九十\\d]+号")
_PRONOUN = frozenset("我 我们 咱们 他 她 它 他们 她们 它们 大家 你 你们 您 用户 谁".split())
_QUANTITY = LazyPattern(
    "[一二三四五六七八九十两几百千万半每各同这那该此整多数\\d.]+[个台次条张份套种组块项位名批款只支件根把辆部家所间层座节瓶箱袋颗枚盒盏扇栋粒封册双]|"
    "一些|同一|所有|全部|部分|几乎|某些?"
)


@dataclass(frozen=True, slots=True)
class Clauses:
    """A sentence in short form.

    Attributes:
        text: As written. short: Its short form; a clause ends at a comma.
        spans: For each character of `short`, the characters of `text` that it stands for.
        phrases: The noun phrases, by the order of their characters. cuts: all words.
    """

    text: str
    short: str
    spans: tuple[tuple[int, int], ...]
    phrases: tuple[tuple[int, int], ...]
    cuts: tuple[Cut, ...]
    names: tuple[Name, ...]

    def written(self, start: int, end: int) -> str:
        """Return the words that a stretch of the short form stands for."""
        if start >= end:
            return ""
        return self.text[self.spans[start][0] : self.spans[end - 1][1]].strip(" ,，。\"“”'‘’")

    def clause(self, start: int, end: int) -> str:
        """Return the words of a stretch with the adverbs at its borders, which the short form leaves out."""
        low = self.spans[start - 1][1] if start > 0 else 0
        high = self.spans[end][0] if end < len(self.spans) else len(self.text)
        return self.text[low:high].strip(" ,，。！!；;\"“”'‘’")

    def names_in(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the noun phrases in a stretch of the short form, as characters of the text."""
        return [self.phrases[ord(one) - FIRST] for one in self.short[start:end] if FIRST <= ord(one) <= 0xF8FF]


def read_clauses(text: str) -> Clauses:
    """Return the short form of one sentence."""
    names = chinese.find_names(text)
    latin = [
        (name.start, name.end)
        for name in names
        if (name.text[:1].isascii() and name.text[-1:].isascii())
        or name.type is EntityType.PERSON
        or chinese.COMPANY.match(text, name.start) is not None
    ]
    lead = LEADS.match(text)
    dropped = [match.span() for match in TIME.finditer(text) if not any(s <= match.start() < e for s, e in latin)]
    if lead is not None and lead.end() < len(text):
        dropped.append(lead.span())
    cuts = _joined_names(_with_endings(cut_sentence(text, latin)), names)
    return _shorten(text, cuts, dropped, names)


def _with_endings(cuts: list[Cut]) -> list[Cut]:
    """Join nouns of one character to the word before, whatever the dictionary calls both: 收银 + 页, 采集 + 层."""
    joined: list[Cut] = []
    for cut in cuts:
        before = joined[-1] if joined else None
        if (
            before is not None
            and len(cut.text) == 1
            and cut.text in _ENDINGS
            and before.end == cut.start
            and len(before.text) == 2
            and before.tag in {"n", "v", "vn", "b", "j", "nz", "l"}
            and before.text not in _PREDICATES
            and before.text not in _PRONOUN
        ):
            joined[-1] = Cut(before.text + cut.text, "n", before.start, cut.end)
        else:
            joined.append(cut)
    return joined


def _joined_names(cuts: list[Cut], names: list[Name]) -> list[Cut]:
    """Join the words of a name that the rules found, from the first word boundary that is no verb of its clause on."""
    joined: list[Cut] = []
    at = 0
    ends = {name.end: name for name in names if not name.text[:1].isascii() and name.type is not EntityType.PERSON}
    starts: dict[int, int] = {}
    for end, name in ends.items():
        inner = [cut for cut in cuts if name.start <= cut.start and cut.end <= end]
        first = len(inner)
        while first > 0 and is_nominal(inner[first - 1]):
            first -= 1
        inner = inner[first:]
        while len(inner) > 1 and inner[0].text in _ACTIONS:
            inner.pop(0)
        if len(inner) > 1 and inner[-1].end == end:
            starts[inner[0].start] = end
    while at < len(cuts):
        end = starts.get(cuts[at].start)
        if end is None:
            joined.append(cuts[at])
            at += 1
            continue
        first = cuts[at].start
        text = ""
        while at < len(cuts) and cuts[at].end <= end:
            text += cuts[at].text
            at += 1
        joined.append(Cut(text, "name", first, end))
    return joined


def is_nominal(cut: Cut) -> bool:
    """Whether a word may stand inside a name."""
    if (
        cut.text in _PREDICATES
        or cut.text in _NO_NOUN
        or (_QUANTITY.fullmatch(cut.text) and not _NUMBER_NAME.fullmatch(cut.text))
    ):
        return False
    return (
        cut.tag in _NOUN
        or cut.text in chinese.SUFFIXES
        or cut.tag in {"b", "x", "name", "ad"}
        or cut.text in _VERBAL_NAMES
        or _may_describe(cut)
        or _NUMBER_NAME.fullmatch(cut.text) is not None
    )


def _is_dropped(cut: Cut, dropped: list[tuple[int, int]]) -> bool:
    return any(start <= cut.start and cut.end <= end for start, end in dropped)


def _shorten(text: str, cuts: list[Cut], dropped: list[tuple[int, int]], names: list[Name]) -> Clauses:
    short: list[str] = []
    spans: list[tuple[int, int]] = []
    phrases: list[tuple[int, int]] = []
    at = 0
    while at < len(cuts):
        cut = cuts[at]
        if cut.tag == "a" and at + 1 < len(cuts) and cuts[at + 1].text == "的" and short and short[-1] not in ",的":
            at += 2
            continue
        counted = cut.text == "同" and at + 1 < len(cuts) and cuts[at + 1].tag == "m"
        if counted or _is_dropped(cut, dropped):
            at += 1
            continue
        denial = _DENIALS.match(text, cut.start)
        if denial is not None and (
            cut.text == denial.group() or (denial.end() >= cut.end and cut.tag in {"d", "df", "v", "vn", "zg", "p"})
        ):
            end = max(denial.end(), cut.start + 1)
            short.append(DENIAL)
            spans.append((cut.start, end))
            rest = cut.end - end
            if rest > 0:
                short.extend(text[end : cut.end])
                spans.extend((place, place + 1) for place in range(end, cut.end))
            at += 1
            while at < len(cuts) and cuts[at].end <= end:
                at += 1
            if at < len(cuts) and cuts[at].start < end < cuts[at].end:
                short.extend(text[end : cuts[at].end])
                spans.extend((place, place + 1) for place in range(end, cuts[at].end))
                at += 1
            continue
        after_phrase = bool(short) and FIRST <= ord(short[-1]) <= 0xF8FF
        end = at if after_phrase and cut.tag in {"v", "vn"} and cut.text in _VERBAL_NAMES else _phrase_end(cuts, at, dropped)
        if end > at:
            start = at
            while start < end - 1 and (
                (_QUANTITY.fullmatch(cuts[start].text) and not _NUMBER_NAME.fullmatch(cuts[start].text)) or cuts[start].tag == "q"
            ):
                start += 1
            short.append(chr(FIRST + len(phrases)))
            spans.append((cuts[start].start, cuts[end - 1].end))
            phrases.append((cuts[start].start, cuts[end - 1].end))
            at = end
            continue
        at += 1
        if cut.text in "，,；;：:":
            short.append(",")
            spans.append((cut.start, cut.end))
        elif cut.text in "。.!！\"“”‘’'（）()《》【】 " or (cut.tag in _DROPPED and cut.text not in _KEPT_ADVERBS):
            continue
        else:
            short.extend(cut.text)
            spans.extend((place, place + 1) for place in range(cut.start, cut.end))
    return Clauses(text, "".join(short), tuple(spans), tuple(phrases), tuple(cuts), tuple(names))


def _phrase_end(cuts: list[Cut], at: int, dropped: list[tuple[int, int]]) -> int:
    """Return where the noun phrase that begins at a word ends; `at` when none begins there."""
    first = cuts[at]
    if _is_tool(cuts, at):
        return _phrase_end_from(cuts, at, at + 2, dropped, 2)
    if first.text in _PRONOUN:
        follows = at + 1 < len(cuts) and cuts[at + 1].tag in _NOUN and cuts[at + 1].text not in _PRONOUN
        return at + 2 if follows and first.text == "用户" else at + 1
    return _phrase_end_from(cuts, at, at, dropped, 0)


def _phrase_end_from(cuts: list[Cut], at: int, end: int, dropped: list[tuple[int, int]], nouns: int) -> int:
    """Return where a phrase ends of which the words up to `end` and so many nouns are known."""
    while end < len(cuts) and not _is_dropped(cuts[end], dropped) and not _closes(cuts, at, end, nouns):
        if _counts(cuts, end, nouns):
            nouns += 1
        elif not _goes_along(cuts, at, end, nouns):
            break
        end += 1
    return end if nouns else at


def _is_tool(cuts: list[Cut], at: int) -> bool:
    """Whether a verb opens the name of what does it: 部署 in "部署脚本", 监控 in "监控大屏"."""
    if at + 1 >= len(cuts) or cuts[at].text not in _TOOL_VERBS or cuts[at + 1].text not in _TOOLS:
        return False
    before = cuts[at - 1].text if at else ""
    return at == 0 or before in _PREDICATES or before[-1] in "，,；;。、的由被和与及跟把将"


def _is_word(cut: Cut | None) -> bool:
    """Whether a word is a noun, or a name or number in Latin script."""
    return cut is not None and (cut.tag in _NOUN or (cut.tag in {"name", "x"} and cut.text[:1].isalnum()))


def _closes(cuts: list[Cut], at: int, end: int, nouns: int) -> bool:
    """Whether a word cannot belong to the phrase before it, or cannot begin one."""
    cut, before = cuts[end], cuts[end - 1]
    after = cuts[end + 1] if end + 1 < len(cuts) else None
    if end > at and (cut.start - before.end > 1 or cut.text in _PRONOUN):
        return True
    if cut.text in _NO_NOUN or cut.text in _RELATIONAL:
        return True
    if cut.text in _PART_NOUNS and not nouns and end > 0 and before.text in {"一个", "的", "其中"} and _ends(after):
        return True
    if cut.text in {"核心", "关键", "主要", "重要"} and after is not None and after.text in _RELATIONAL:
        return True
    if cut.text == "统一" and (after is None or not is_nominal(after)):
        return True
    if cut.text in _ACTIONS and cut.tag != "name" and (end == at or _acts(cuts, end)):
        return True
    return bool(nouns) and _parts(cuts, at, end)


def _parts(cuts: list[Cut], at: int, end: int) -> bool:
    """Whether a word after a noun begins something else: a count, the clause's verb, a Chinese name after a Latin one."""
    cut, before = cuts[end], cuts[end - 1]
    after = cuts[end + 1] if end + 1 < len(cuts) else None
    if cut.tag == "m" and _QUANTITY.fullmatch(cut.text) and cut.text[-1] not in _FLOORS:
        return True
    if _is_person(before) and cut.text not in _GROUPS:
        return True
    if at > 0 and cuts[at - 1].text in {"通过", "借助", "经由"} and cut.tag == "v" and len(cut.text) == 2 and _is_word(after):
        return True
    if at > 0 and cuts[at - 1].text in _BY and cut.tag in {"v", "vn", "n"} and _ends_purpose(cut, after):
        return True
    if before.text.isascii() and (
        (cut.tag == "name" and not cut.text.isascii()) or (len(cut.text) == 1 and cut.text not in "类包库端机版卡网层组区站号")
    ):
        return True
    acts = _is_word(after) or (after is not None and after.text in {"了", "过", "着"})
    return cut.tag in {"v", "vn"} and cut.text in _PREDICATES and acts


def _ends(after: Cut | None) -> bool:
    return after is None or after.text[0] in "，,；;。！!"


def _is_person(cut: Cut) -> bool:
    return cut.tag in {"nr", "name"} and PERSON.match(cut.text) is not None and not cut.text.isascii()


def _ends_purpose(cut: Cut, after: Cut | None) -> bool:
    """Whether a word says at a clause's end what something is used for: 训练 in "用 LightGBM 训练的"."""
    return (cut.text in _PURPOSES or cut.tag == "v") and (_ends(after) or (after is not None and after.text[0] in "的了来"))


def _counts(cuts: list[Cut], end: int, nouns: int) -> bool:
    """Whether a word makes a phrase: a noun, a Latin word, a verb that describes what follows or ends a name."""
    cut = cuts[end]
    after = cuts[end + 1] if end + 1 < len(cuts) else None
    if cut.tag in _NOUN or cut.tag == "name" or cut.text in chinese.SUFFIXES:
        if not (cut.text in _STRONG and nouns) and cut.text not in _PREDICATES:
            return True
    elif (cut.tag == "x" and cut.text[:1].isascii() and cut.text[:1].isalnum()) or cut.text in _SIDES:
        return True
    if nouns and _may_describe(cut) and after is not None and after.text in _TOOLS:
        return True
    if not nouns and cut.text in _PREDICATES:
        return False
    if cut.tag in {"v", "vn", "d"} and len(cut.text) == 2 and _ends(after) and end >= 2 and cuts[end - 1].text in _AND:
        return _is_word(cuts[end - 2])  # the last member of an enumeration, whatever the dictionary calls it
    if cut.text in _VERBAL_NAMES or (not nouns and _may_describe(cut)):
        described = after is not None and (_is_word(after) or after.text in "、和与及") and after.text not in _PREDICATES
        return bool(nouns) or described
    return False


def _goes_along(cuts: list[Cut], at: int, end: int, nouns: int) -> bool:
    """Whether a word may stand in a phrase without making one: an attribute, a count before the noun, a floor after it."""
    cut = cuts[end]
    after = cuts[end + 1] if end + 1 < len(cuts) else None
    noun_follows = after is not None and after.tag in _NOUN
    if cut.tag in _ATTRIBUTES and noun_follows and cut.text not in {"快", "慢", "高"} and len(cut.text) <= 2:
        return True
    if _NUMBER_NAME.fullmatch(cut.text):
        return True
    if cut.tag == "m" and len(cut.text) == 1 and after is not None and after.text[:1] in _FLOORS:
        return True
    if nouns:
        trailing = cut.tag == "v" and _may_describe(cut) and after is not None and after.text in _PREDICATES  # "语音导航需要"
        return trailing or (cut.tag == "m" and cut.text[-1] in _FLOORS) or cut.text == "们" or (cut.tag == "q" and noun_follows)
    if after is None:
        return False
    counted = noun_follows or after.tag in {"q", "m", "b"} or after.text in _VERBAL_NAMES
    if (_QUANTITY.fullmatch(cut.text) and counted) or cut.tag == "q" or cut.text in {"一", "同一"}:
        return True
    return end == at and cut.tag == "f" and len(cut.text) == 1 and noun_follows and at > 0 and cuts[at - 1].text[-1] in "在到于"


_ENDINGS = frozenset("页层池库表端屏仓链栈舱箱柜站器机仪")
_FLOORS = "层楼区期段"
_AND = frozenset("和 与 及 、 以及".split())
_BY = frozenset("用 使用 采用 通过 靠 借助 利用".split())
_PURPOSES = frozenset(
    "训练 调度 管理 部署 渲染 打包 编译 构建 开发 实现 标注 采集 同步 传输 净水 供电 定位 喷洒 沟通 登录 存储 监控".split()
)
_GROUPS = frozenset("团队 小组 组 班 部 办公室 工作室 实验室 课题组".split())
_TOOLS = frozenset(
    "系统 平台 服务 模块 引擎 脚本 大屏 看板 流程 任务 流水线 中间件 插件 工具 组件 网关 接口 中心 程序 队列 机器人 "
    "环境 页 页面 主机 后台 证书 组 团队 中台 框架 库 池 软件 机 器 台 端 账号".split()
)
_PART_NOUNS = frozenset("模块 插件 环节 分支 节点 子集 功能 部分 步骤 阶段".split())
_TOOL_VERBS = frozenset(
    "监控 部署 登录 采集 管理 处理 同步 渲染 存储 推送 发布 收集 下载 上传 测试 检索 结算 编译 打包 构建 训练 推理 "
    "标注 调度 审批 排队 审核 支付 配送 导出 导入 备份 运维 运营".split()
)
_SIDES = frozenset("后端 前端 底座 中台 端 上游 下游 后厨 后台 前台".split())
_PREDICATES = frozenset(
    "联系 爱用 倾向于 偏向 带队 取决于 依赖于 强依赖 管着 依赖 使用 采用 调用 需要 要求 导致 引起 引发 造成 触发 解决 "
    "修复 替换 取代 代替 替代 接替 负责 维护 管理 主导 牵头 接手 接管 属于 包含 包括 生产 制造 生成 产出 位于 部署 "
    "安装 存放 放在 运行 常驻 喜欢 偏好 习惯 避免 禁止 放弃 弃用 改用 换成 迁到 消失 有关 无关 组成 基于 来自 离不开 "
    "连着 在用 宕机 挂 归 管 由 没有 选择 选用 引入 接入 连接 通过 完成 结束 所有 偏爱 钟爱 青睐 推崇 讨厌 反感 嫌弃 "
    "停用 禁用 抛弃 排斥 淘汰 拥有 掌管 主管 看管 运营 统筹 主持 打理 照看 带领 领导 跟进 把关 利用 借助 集成 订阅 "
    "消费 读取 访问 请求 查询 对接 恢复 缓解 消除 排除 搞定 拖垮 拖慢 压垮 影响 带来 致使 诱发 驱动 支撑 供电 承载 "
    "坐落 托管 驻扎 搬到 调到 保存 存储 备份到 制作 打印出 导出 输出 产生 进入 流入 接到 送到 发到 传到 变成 成为 "
    "作为 用于 帮助 支持 允许 开始 停止 继续 尝试 打算 准备 决定 计划 建议 才能 变得 显示 提示 提醒 通知 告诉 发现 "
    "认为 觉得 知道 记得 忘记 搭建 编写 失败 断开".split()
)
_NO_NOUN = frozenset(
    "建议 尽量 顺序 底层 后者 前者 自动 批量 一般 远程 有点 难调 主要 同时 直接 根本 基本 整体 手动 定期 单独 全部 "
    "免费 专门 正式 临时 偶尔 继续 重新 代班 是不是 到底 应该 可能 手写 大家 有人 没人 辛苦 收到 自己 本身 一起 共同 "
    "随时 尽量避免 规定 时候 情况 办法 结果 意思 东西 样子 之后 以后 之前 以前 后 前 里 上 下 中 无法".split()
)
_ACTIONS = frozenset(
    "调用 部署 登录 开发 使用 处理 编写 上传 下载 办公 搭建 存放 安装 写 发送 接收 运行 启动 做 管理 传输 同步 读取 "
    "写入 推送 拉取 请求 访问 连接 上班 工作 批量 下发 发布 监控 采集 收集 渲染 存储 重置 执行 重启 清理 更换 调整 "
    "升级 检查 查看 加装 拆除 更新 打开 关闭 开启".split()
)
_AT_END = frozenset("办公 上班 工作 值班 任职 就职".split())
_RELATIONAL = frozenset(
    "核心部件 关键部件 主要部件 原因 根本原因 根因 起因 元凶 罪魁祸首 负责人 维护者 管理员 主管 组长 "
    "组成部分 一部分 部件 组件 子模块 子系统 零件 配件 附件 成员 下线 停用 退役 上线 卡 关系 "
    "前提 基础 替代品 继任者".split()
)


def _may_describe(cut: Cut) -> bool:
    """Whether a verb of two characters may be the first part of a name: 选课 in "选课平台"."""
    return (
        cut.tag in {"v", "vd", "b"}
        and len(cut.text) == 2
        and cut.text not in _PREDICATES
        and (cut.text not in chinese.CUT2 or cut.text in chinese.NOUN_TOO)
        and cut.text[0] not in "会能要可不没被让"
        and cut.text[-1] not in "了过着到成为给在是有去来掉下上"
    )


def _acts(cuts: list[Cut], at: int) -> bool:
    """Whether a verb after a noun is the clause's: before a noun or a preposition, after a Latin name, at the end for some."""
    after = cuts[at + 1] if at + 1 < len(cuts) else None
    if cuts[at - 1].text.isascii() or cuts[at].text in _AT_END:
        return True
    if (after is None or after.tag == "x") and any(cut.text in {"由", "归"} for cut in cuts[:at]):
        return True
    return after is not None and (
        after.tag in {"p", "name"} or after.tag in _NOUN or (after.tag == "x" and after.text[:1].isalnum())
    )


_STRONG = frozenset("调用 生产 替换 部署 维护 管理 有关 消失 缺失 统一 使用".split())
"""Words that the dictionary calls nouns and that after a noun are the clause's verb."""


def span_of(match: re.Match[str], group: str) -> tuple[int, int]:
    """Return where a group stands in the short form."""
    return match.start(group), match.end(group)
