"""Which relations a question asks for, and in which direction from the thing it names.

"What does checkout depend on?" asks along DEPENDS_ON from checkout; "what depends on checkout?" against it. The side of the
verb on which the name stands tells which; a passive ("needed by", 被) turns it round. Closed word lists, English and Chinese: a
question without one of these words asks for no relation, and the graph then only associates.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from hindsight_graph.models.enums import Direction, EdgeType, RelationType

__all__ = ["IMPACT", "asked_relations", "asks_attribute"]

R = RelationType

IMPACT: Mapping[EdgeType, Direction] = {
    R.DEPENDS_ON: Direction.IN,
    R.USES: Direction.IN,
    R.CAUSES: Direction.OUT,
    R.PRODUCES: Direction.OUT,
    R.PART_OF: Direction.OUT,
}
"""What is touched when something changes (promise G-03)."""


class _Shape(StrEnum):
    """How the direction is told: by the name's side of the verb, the other way round, or by the words alone."""

    SIDE = "side"
    TURNED = "turned"
    OUT = "out"
    IN = "in"


_TROUBLE = (
    r"(?:breaks?|broken|fail(?:s|ed|ure)?|stop(?:s|ped)?|dies|died|crash(?:es|ed)?|down|outages?|disappear(?:s|ed)?|vanish(?:es|ed)?"
    r"|gone|missing|lost|unavailable|offline|(?:switch|turn|shut)(?:ed|s)? (?:off|down)|dropped|removed?|retired?|deleted?"
    r"|decommission(?:ed)?|deprecated?|changed?|migrated?|upgraded?|replaced?|restart(?:ed)?)"
)
"""What may befall a thing, or be done to it."""
_TROUBLE_ZH = "(?:坏|挂|崩|宕|停|断|没了|消失|故障|失败|出错|出事|出问题|不可用|下线|关掉|关闭|升级|迁移|重启|改)"

_IMPACT_WORDS = re.compile(
    r"\b(?:break|breaks|fail|fails|stop|stops|happen|happens|suffer|suffers|affected|impacted)\b.{0,40}\b(?:if|when|once)\b"
    r"|\b(?:if|when|once)\b.{0,80}\b(?:break|breaks|fail|fails|stop|stops|happen|happens|suffer|affected|impacted)\b"
    rf"|\b(?:if|once|in case|suppose|when(?! (?:did|do|does|is|are|was|were|will|has|had)\b))\b.{{0,60}}\b{_TROUBLE}\b"
    rf"|\b{_TROUBLE}\b.{{0,20}}\b(?:together|along) with\b|\bsuffers? (?:from|under)\b"
    r"|\b(?:retire|remove|delete|replace|migrate|change|upgrade|stop|(?:switch|turn|shut) (?:off|down))\b.{0,60}"
    r"\b(?:warn|notify|inform|alert|tell|test(?:ed)?|adapt(?:ed)?)\b"
    r"|\bimpact of\b|\bblast radius\b|\b(?:is|are|be) (?:affected|impacted) by\b|\bdownstream of\b"
    r"|影响(?:什么|哪|到|谁|了)|受.{0,12}影响|(?:如果|要是|一旦|假如|万一).{0,24}(?:会|坏|挂|受|出|就)"
    r"|波及|连累|殃及|牵连|拖累|拖垮|跟着(?:坏|挂|崩|停|受|出)"
    rf"|{_TROUBLE_ZH}.{{0,16}}(?:通知|告诉|回归|测试|适配).{{0,8}}(?:谁|哪)"
    rf"|{_TROUBLE_ZH}.{{0,8}}(?:的话|之后|以后|时|后).{{0,12}}(?:谁|哪|什么).{{0,8}}(?:坏|挂|崩|停|受|出|用不)"
)

_CAUSE_WORDS = re.compile(
    r"\bwhy\b|\bcauses?\b|\breasons?\b|\borigins?\b|\bculprits?\b|\bblame[ds]?\b"
    r"|\b(?:trouble|problem|failure|error|outage)s?\b.{0,40}\bfrom\b|\b(?:check|look(?:ing)?|inspect|investigat(?:e|ing)|search)\b"
    r"|为什么|为何|原因|根因|起因|源头|病根|祸根|元凶|罪魁|出在|[从去]哪.{0,3}查|查起|检查|排查"
)
_AFFECTS = re.compile(
    r"\b(?:affect|impact)s?\b(?! of)|\b(?:drag|pull|take|bring|knock)(?:s|ing)?\b(?=.{0,60}\b(?:down|along|under)\b)"
    r"|影响到?|波及|连累|殃及|牵连|拖累|拖垮"
)
"""What stands before the name is what acts on it: "what affects X" asks the other way round."""

_LEXICON: tuple[tuple[RelationType, _Shape, str], ...] = (
    (R.DEPENDS_ON, _Shape.OUT, r"\bdependenc(?:y|ies)\b|\bprerequisites?\b|\brequirements?\b|依赖(?:项|关系|链|树|图)|前提|前置"),
    (
        R.DEPENDS_ON,
        _Shape.OUT,
        (
            r"\b(?:behind|beneath|underneath|underlying|below|upstream|stack)\b|背后|底层|上游|底下|下面|下层|往下|技术栈"
            r"|\b(?:down|fail(?:s|ed|ing)?|broken|slow|stuck|errors?|tim(?:es|ed|ing) out|crash(?:es|ed)?)\b.{0,60}"
            r"\b(?:check|look(?:ing)?|inspect|investigat(?:e|ing)|search)\b"
            r"|(?:故障|挂了|坏了|崩了|宕机|出错|报错|超时|变慢).{0,24}查|排查|查起|出在(?:谁|哪|什么)"
            r"|\b(?:has|have|must|should|needs?)\b.{0,40}\bbefore\b|\bbefore\b.{0,60}\b(?:starts?|runs?|works?|boots?)\b"
            r"|之前.{0,12}(?:必须|需要|要|得|先)|先.{0,8}(?:就绪|启动|运行|准备)|[得要须]先|先[得要须有]"
            r"|(?:没有|没了|少了|缺了?|离开)(?:什么|哪|谁)|靠(?:什么|谁|哪|的是)"
            r"|\b(?:takes?|brings?|took|brought|knocks?|drags?|pulls?)\b.{0,40}\b(?:down|along|under)\b"
        ),
    ),
    (R.DEPENDS_ON, _Shape.SIDE, (r"\b(?:built|based|founded|rest(?:s|ing)?|runs?|stand(?:s|ing)?|sit(?:s|ting)?|lean(?:s|ing)?"
                                r"|hang(?:s|ing)?|counts?|calls?) (?:up)?on\b|\bon top of\b|建立在|建在|基于|构建在")),
    (R.DEPENDS_ON, _Shape.IN, r"\bdependents?\b|\bconsumers? of\b|上层|下游|往上"),
    (R.DEPENDS_ON, _Shape.TURNED, r"\b(?:what|components?|services?|systems?|things|parts) supports?\b|支撑|撑[着起]"),
    (R.DEPENDS_ON, _Shape.TURNED, r"\b(?:needed|required|depended (?:up)?on|relied on) by\b|被.{0,8}(?:依赖|需要)"),
    (R.DEPENDS_ON, _Shape.SIDE, (r"\bdepend(?:s|ed|ing|ent)?\b|\brel(?:y|ies|ied) (?:up)?on\b"
                                r"|\bneed(?:s|ed)?\b|\brequir(?:e|es|ed)\b|依赖|需要|依靠|离不开")),
    (R.CAUSES, _Shape.IN, (r"\bwhy\b|\bcauses? of\b|\breasons? (?:for|of|why|that)\b|\broot cause\b"
                          r"|\borigins?\b|\bculprits?\b|\b(?:to|is) blame\b"
                          r"|为什么|为何|怎么会|原因|根因|起因|源头|病根|祸根|元凶|罪魁")),
    (R.CAUSES, _Shape.OUT, r"\b(?:consequences?|effects?|results?) of\b|后果|结果是"),
    (R.CAUSES, _Shape.TURNED, r"\b(?:caused|triggered) by\b|[由被因].{0,8}(?:导致|引起|造成|引发)"),
    (R.CAUSES, _Shape.SIDE, (r"\bcaus(?:e|es|ed)\b|\b(?:lead|leads|led) to\b|\bresult(?:s|ed)? in\b|\btrigger(?:s|ed)?\b"
                            r"|导致|引起|造成|引发")),
    (R.USES, _Shape.TURNED, r"\b(?:used|called) by\b|被.{0,8}(?:使用|调用|采用)"),
    (R.USES, _Shape.SIDE, (r"\bus(?:e|es|ed|ing)\b|\bruns? on\b|\bbuilt (?:on|with)\b|\bpowered by\b"
                          r"|使用|用了|用的|用到|用什么|用哪|采用|调用")),
    (R.FIXES, _Shape.TURNED, r"\b(?:fixed|solved|resolved) by\b|被.{0,8}(?:修复|解决)"),
    (R.FIXES, _Shape.SIDE, r"\bfix(?:es|ed)?\b|\bsolv(?:e|es|ed)\b|\bresolv(?:e|es|ed)\b|\brepair(?:s|ed)?\b|修复|解决"),
    (R.AVOIDS, _Shape.SIDE, r"\bavoid(?:s|ed)?\b|避免|不要用|不用"),
    (R.PREFERS, _Shape.SIDE, r"\bprefer(?:s|red|ence)?\b|\bfavou?rites?\b|偏好|喜欢|偏爱"),
    (R.REPLACES, _Shape.TURNED, r"\b(?:replaced|superseded) (?:by|with)\b|换成|被.{0,8}(?:取代|替代|替换)"),
    (R.REPLACES, _Shape.SIDE, r"\breplac(?:e|es|ed)\b|\bsupersed(?:e|es|ed)\b|取代|替代|替换"),
    (R.PART_OF, _Shape.IN, r"\b(?:parts|components|modules|members) of\b|组成部分|包括哪|包含哪|有哪些组件"),
    (R.PART_OF, _Shape.TURNED, r"\bcontain(?:s|ed)?\b|\bconsists? of\b|\binclud(?:e|es)\b|包含|包括"),
    (R.PART_OF, _Shape.SIDE, r"\bpart of\b|\bbelongs? to\b|属于|的一部分"),
    (R.PRODUCES, _Shape.TURNED, r"\b(?:produced|generated|emitted|created) by\b|由.{0,8}(?:产生|生成)"),
    (R.PRODUCES, _Shape.SIDE, r"\bproduc(?:e|es|ed)\b|\bgenerat(?:e|es|ed)\b|\bemits?\b|产生|生成|输出"),
    (R.PRECEDES, _Shape.OUT, r"\b(?:come|comes|came|happen|happens|happened) after\b|之后(?:是|发生|做)"),
    (R.PRECEDES, _Shape.SIDE, r"\bpreced(?:e|es|ed)\b|\b(?:come|comes|came|happen|happens|happened) before\b|先于"),
    (R.OWNS, _Shape.IN, r"\bowners? of\b|谁的|负责人"),
    (R.OWNS, _Shape.TURNED, r"\b(?:owned|maintained) by\b|由.{0,8}(?:负责|维护)"),
    (R.OWNS, _Shape.SIDE, r"\bowns?\b|\bowned\b|\bmaintains?\b|\bresponsible for\b|\bin charge of\b|拥有|负责|维护"),
    (R.LOCATED_IN, _Shape.OUT, r"\bwhere (?:is|are|was|were|does|do)\b|在哪(?![些个种几])|位置"),
    (R.LOCATED_IN, _Shape.SIDE, r"\b(?:located|hosted|deployed|based|lives?|runs?) (?:in|on|to|at)\b|位于|部署在"),
)  # fmt: skip


_ATTRIBUTE_ASKED = re.compile(
    r"\b(?:which|what)\s+(?:[\w-]+\s+){0,2}?(?:ports?|version|timeout|ttl|url|address|region|zone|host|path|branch|size|limit|quota|"
    r"schedule|interval|budget|cost|price|deadline|date|day|time|colou?r|size|format|encoding|email|number|key|id|name)\b"
    r"(?!\s+(?:service|server|system)s?\b)"
    r"|(?:什么|哪个|哪一个|多少|几号)(?:端口|版本|地址|区域|路径|分支|大小|价格|日期|时间|编码|名字|号)|(?:端口|版本|地址|路径)(?:是|为)?(?:多少|什么|几)"
)
"""Asks for an attribute of a thing: "which port does the broker use?" is no question about what the broker uses."""


@lru_cache(maxsize=1)
def _compiled() -> tuple[tuple[RelationType, _Shape, re.Pattern[str]], ...]:
    return tuple((relation, shape, re.compile(words)) for relation, shape, words in _LEXICON)


def _turned(direction: Direction) -> Direction:
    return Direction.IN if direction is Direction.OUT else Direction.OUT


def _direction(shape: _Shape, name_is_before: bool) -> Direction:
    if shape in (_Shape.OUT, _Shape.IN):
        return Direction(shape.value)
    along = name_is_before == (shape is _Shape.SIDE)
    return Direction.OUT if along else Direction.IN


def asks_attribute(question: str) -> bool:
    """Whether a question asks for an attribute of a thing, so that no walk from it answers."""
    return _ATTRIBUTE_ASKED.search(question.lower()) is not None


def asked_relations(question: str, name_at: int) -> dict[EdgeType, Direction]:
    """Return the relation types a question asks for and their direction from the thing named at `name_at`; empty for none.

    Args:
        question: As asked.
        name_at: Position of the first character of the thing's name in it.
    """
    words = question.lower()
    affecting = _AFFECTS.search(words)
    if affecting is not None and affecting.start() < name_at:
        return {relation: _turned(direction) for relation, direction in IMPACT.items()}
    if _IMPACT_WORDS.search(words) and not _CAUSE_WORDS.search(words):
        return dict(IMPACT)
    asked: dict[EdgeType, Direction] = {}
    attribute_asked = asks_attribute(words)
    for relation, shape, pattern in _compiled():
        if relation in asked or (attribute_asked and relation in (R.USES, R.DEPENDS_ON)):
            continue
        found = pattern.search(words)
        if found is not None:
            asked[relation] = _direction(shape, name_is_before=name_at < found.start())
    if R.CAUSES in asked:
        asked.pop(R.LOCATED_IN, None)  # "where could the cause be" asks for no place
    return asked
