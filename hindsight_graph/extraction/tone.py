"""How a sentence says it: its kind, whether it denies, how sure it is, how the attempt ended."""

import re
from typing import NamedTuple

from hindsight_graph.extraction.assertion import PLAIN, Assertion, read_assertion
from hindsight_graph.extraction.orders import is_order
from hindsight_graph.models.enums import Kind, Outcome
from hindsight_graph.text.lazy import LazyPattern

SURE, PROBABLE, VAGUE = 0.9, 0.6, 0.5
"""Confidence of a plain statement, of "probably", of "maybe"."""


class Tone(NamedTuple):
    """What the words of a sentence say about its statement."""

    kind: Kind
    negated: bool
    confidence: float
    outcome: Outcome | None
    error_code: str | None


class Cue:
    """Words or phrases that give a reading, in English and in Chinese.

    Args:
        gate: English words of which one must be present before the pattern is tried; patterns are slow, sets are not.
        english: Pattern over lower-case text, or empty.
        chinese: Pattern over the text, or empty.
    """

    def __init__(self, gate: str, english: str, chinese: str) -> None:
        self._gate = frozenset(gate.split())
        self._english = LazyPattern(english) if english else None
        self._chinese = LazyPattern(chinese) if chinese else None

    def found(self, reading: "Reading") -> bool:
        """Whether the cue is in the sentence."""
        if self._english is not None and not self._gate.isdisjoint(reading.words) and self._english.search(reading.lower):
            return True
        return self._chinese is not None and reading.chinese and self._chinese.search(reading.text) is not None


_WORD = LazyPattern(r"[a-z]+(?:'[a-z]+)?")
_NON_ASCII = LazyPattern(r"[^\x00-\x7f]")


class Reading:
    """A sentence prepared for cues: lower case, straight apostrophes, its English words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lower = text.lower().replace("’", "'")
        self.words = frozenset(_WORD.findall(self.lower))
        self.chinese = _NON_ASCII.search(text) is not None


_NOT = (
    "not never no nor neither nobody nothing none nowhere cannot without avoid stop forbidden prohibited disallowed "
    "isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't "
    "couldn't won't wouldn't shouldn't mustn't needn't ain't"
)
_NEGATION = Cue(
    _NOT,
    (
        r"\b(?:not|never|nor|neither|nobody|nothing|none|nowhere|cannot|without|avoid|forbidden|prohibited|disallowed|no "
        r"(?!doubt\b|problem\b|matter\b)\w+)\b|n't\b|\bstop \w+ing\b"
    ),
    (
        r"不(?!过|仅|错|同|断|久|少|但|光|止|管|论|如|禁|妨|愧|得不|只|客气|好意思|了起|一会)|(?<![淹沉埋出])没(?!关系|事|"
        r"问题|准|错|收)|(?<![特级类区个差识分性辨告])别(?![人的处名墅])|(?<![来])[勿未](?![来必免婚])|无法|无需|无须|禁止|"
        r"严禁|切勿|并非|避免|停用|弃用"
    ),
)
_DOUBLE_ENGLISH = LazyPattern(
    r"\b(?:not only|not just|(?:cannot|can't) (?:\w+ ){1,3}without|(?:cannot|can't) (?:avoid|not|help)|why not|whether or not|"
    r"nothing but|(?:don't|do not|never) forget|no choice but|"
    r"can't wait|couldn't (?:\w+ )?(?:be happier|agree more))\b"
)
_DOUBLE_CHINESE = LazyPattern(
    "离不开|不得不|不可或缺|必不可少|不得了|差不多|少不了|忍不住|不见不散|"
    r"(?:不要|别|勿|切勿)忘(?:记|了)?|不再缺|[不无没]能不|不可不|没法不|(.)不\1|有没有"
)
_VAGUE = Cue(
    "sure unsure idea guess might possibly perhaps maybe rumor rumour allegedly uncertain",
    (
        r"\b(?:not (?:quite |really |entirely |100% )?sure|unsure|uncertain|no idea|wild guess|might|possibly|perhaps|"
        r"maybe|rumou?r|allegedly)\b"
    ),
    "也许|或许|说不定|不确定|不太确定|不清楚|据说|听说|疑似|兴许|未必|不一定|记不清",
)
_PROBABLE = Cue(
    "probably presumably think guess believe suppose suspect assume seem seems seemed apparently likely appears appear "
    "could may know afaik iirc supposedly supposed guessing feel unlikely roughly",
    (
        r"\b(?:probably|presumably|(?:i|we) (?:think|guess|believe|suppose|suspect|assume)|seem(?:s|ed)?|apparently|"
        r"(?:un)?likely|appears? to|could be|may (?=[a-z])(?!\d)|as far as i know|afaik|iirc|supposedly|supposed to be|i'm "
        r"guessing|i feel like)\b"
    ),
    "可能|大概|好像|似乎|应该是|估计|大约|看起来|看上去|貌似|我觉得|我认为|我猜|感觉像|恐怕|多半|推测|怀疑",
)
_OPENING = (
    r"\W*(?:(?:but|and|also|so|then|however|still|plus|or|ok|okay|well|again|oh|yes|no|btw|by the way|remember|note|important|"
    r"reminder|warning|from now on|going forward|in general|generally|as a rule|additionally|moreover|furthermore|finally|first|"
    r"instead|otherwise|therefore|hence|yet|though|actually|one more thing|i said|as i said)\b[,:.!]?\s+(?:that )?)*"
    r"(?:please,? )?(?:just )?"
)
"""What may stand before an order without changing it."""
_STRONG = Cue(
    "always never not don't must mustn't forbidden prohibited mandatory required policy cannot only",
    r"\b(?:always|never|do not|don't|must(?: not|n't)?|forbidden|prohibited|mandatory|required|policy|cannot exceed)\b",
    "必须|不要|不得(?!不|了)|禁止|严禁|务必|一定要|只能|不允许|不准|切勿|请勿|别用|别再|只允许",
)
"""Words that command even where the sentence is hedged; a hedged "should" proposes."""
_CONSTRAINT = Cue(
    "always never not don't avoid make ensure only no stop must mustn't have has need needs shall should shouldn't "
    "required forbidden prohibited mandatory allowed may most least more circumstances cannot limited limits policy",
    rf"^{_OPENING}(?:always|never|do not|don't|avoid|make sure|ensure|only (?:use|run|deploy|call)|no \w+ing\b|"
    r"stop \w+ing)\b|\b(?:must(?: not|n't)?|have to|has to|need to|needs to|shall(?: not)?|should(?: not|n't)?|(?:is|"
    r"are|be) (?:required|forbidden|prohibited|"
    r"mandatory|not allowed)|required to|may not|not allowed to|at most|at least|no more than|under no circumstances|"
    r"cannot exceed|limited to|off[- ]limits|policy)\b",
    (
        "必须|不要|不得(?!不|了)|禁止|严禁|务必|一定要|只能|(?<![可功性])不能|不可(?!能|或|思)|不允许|不准|切勿|请勿|应当|"
        "应该(?!是)|最多|至少|不超过|不少于|需要先|别用|别再|只允许|要求"
    ),
)
_PERSONAL_MUST = LazyPattern(
    r"\b(?:i|he|she|they|you|we|it) (?:really |just |always |still |also |'?ve )*(?:have|has|had|need|needed|should|"
    r"must|would) (?:to )?(?:have|be|go|see|get|try|take|admit|say|check out|know|feel|think|catch|visit|come|meet|"
    r"read|watch)\b"
)
_LIKING = r"(?:like|love|enjoy|adore|hate|dislike)"
_PREFERENCE = Cue(
    "prefer prefers preferred preference preferences favorite favourite favorites favourites favor favour favors "
    "favours like likes liked love loves loved enjoy enjoys enjoyed adore adores hate hates hated dislike dislikes "
    "disliked stand fond fan rather passion passionate",
    rf"\b(?:prefers?|preferred|preferences?|favou?rites?|favou?rs?|(?:i|we|he|she|they|you|who|and|also|really|user|"
    rf"users|people|team|kids|both|always|still|just|absolutely|don't|doesn't|didn't|not) {_LIKING}d?|(?<!looks "
    rf")(?<!feels )(?<!sounds )(?<!seems )(?<!just ){_LIKING}s|"
    r"can't stand|fond of|a (?:big |huge )?fan of|would rather|passion(?:ate)?)\b",
    "喜欢|偏好|偏爱|习惯(?:用|使用|于)|更愿意|宁愿|宁可|讨厌|不爱|热爱|最爱|爱用|倾向于?|爱好|钟爱|青睐",
)
_RESULT = Cue(
    "failed fails failing failure succeeded successfully passed completed timed crashed returned exited aborted error "
    "errored errors exception traceback rejected refused denied finished resolved broke fixed down back up",
    r"\b(?:failed|fails|failing|succeeded|successfully|passed (?:all|the|on|with|in|every)|(?:tests?|build|checks?|job|"
    r"pipeline|deploy(?:ment)?|migration) (?:\w+ )?(?:passed|finished|completed|ran)|completed|timed out|crashed|"
    r"returned|exited|aborted|error(?:ed)?|exception|traceback|rejected|refused|"
    r"resolved|broke|is (?:fixed|down|up again|back up))\b",
    (
        "失败|成功|报错|(?:请求|连接|接口|调用|查询|任务|部署|服务|总是|经常|已)超时|超时了|崩溃|已完成|完成了|通过了|抛出|"
        "挂了|恢复了|修复了|解决了"
    ),
)
_PAST = (
    "went|deployed|migrated|upgraded|downgraded|restarted|switched|moved|changed|added|removed|deleted|created|updated|"
    "installed|ran|fixed|merged|released|rolled|reverted|replaced|"
    "configured|built|wrote|sent|bought|sold|started|stopped|finished|tried|tested|met|visited|joined|attended|made|"
    "took|got|gave|called|signed|began|did|opened|closed|enabled|disabled|"
    "increased|reduced|decided|chose|rewrote|refactored|cleaned|found|saw|won|painted|cooked|traveled|travelled|hiked|"
    "played|booked|adopted|applied|enrolled|volunteered|organized|organised|"
    "scheduled|pushed|pulled|reported|filed|reviewed|set|put|left|spent|read|drove|flew|baked|planted|celebrated|"
    "helped|donated|received|passed|picked|learned|learnt|shared|hosted|published|recorded|signed|ordered|ate|watched|"
    "raised|lowered|pinned|bumped"
)
_ACTION = Cue(
    _PAST.replace("|", " ") + " been",
    (
        rf"(?:^|\b(?:i|we|he|she|they|user|team|and|then|'ve|have|has|had|just|also|already|finally|recently|(?:the|our|my|"
        rf"his|her) [a-z]+)|^(?!no\b|set\b)[a-z]+) (?:(?:just|also|already|then|recently|finally|even|actually|once|"
        rf"quickly|both|never) )*(?:{_PAST})\b|(?:^|[,.;] )(?!set\b|put\b|read\b)(?:{_PAST})\b|'ve been\b"
    ),
    (
        r"(?:重启|部署|升级|迁移|执行|创建|删除|修改|更新|安装|切换|回滚|发布|上线|下线|提交|合并|新增|添加|移除|启用|禁用|"
        r"配置|备份|扩容|缩容|改|换|调整|去|买|参加|写|做|跑|看|吃|学|搬|开|设置|关闭|打开|修|参观|旅行|完成)(?:到|成|过|"
        r"好|完|为|去)?了|已(?:经)?(?:重启|部署|升级|迁移|执行|创建|删除|修改|更新|安装|切换|回滚|发布|上线|下线|提交|合并)"
    ),
)
_CODE_GATE = LazyPattern(r"\d|[A-Z]{4}|Error|Exception|BackOff|ErrImagePull|OOMKilled")
_ERROR_CODES = (
    LazyPattern(r"\b(?:ORA|TNS|PLS|SQL|DPI|MSB|NU|AADSTS|KB|RFC)-\d{4,6}\b"),
    LazyPattern(
        r"\bE(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|PIPE|ADDRINUSE|ADDRNOTAVAIL|NOENT|ACCES|PERM|EXIST|HOSTUNREACH|"
        r"NETUNREACH|MFILE|NFILE|NOSPC|NOMEM|BUSY|AGAIN|INVAL|IO|ISDIR|NOTDIR|NOTEMPTY|ROFS|BADF|AI_AGAIN|LIFECYCLE|"
        r"RESOLVE|INTR|DEADLK|NOTFOUND)\b"
    ),
    LazyPattern(
        r"\b(?:HTTP(?:/\d(?:\.\d)?)?|status(?: code)?|returned|response|got an?|"
        r"answers?)\s*[:=]?\s*(?:status\s*)?(?P<http>[45]\d\d)(?!\d)|(?:状态码|返回(?:了)?|"
        r"报)\s*[:：=为是]?\s*(?:HTTP\s*)?(?P<http2>[45]\d\d)(?!\d)",
        re.IGNORECASE,
    ),
    LazyPattern(
        r"\b(?P<http>[45]\d\d) (?:bad gateway|not found|internal server error|service unavailable|gateway time-?out|"
        r"unauthori[sz]ed|forbidden|too many requests|bad request|conflict|errors?\b|responses?\b|错误|问题)",
        re.IGNORECASE,
    ),
    LazyPattern(
        r"(?:(?<![A-Za-z])exit(?:ed)?(?: with)?(?: (?:code|status))|return code|退出码|退出代码)(?: "
        r"of)?\s*[:=：为是]?\s*(?P<exit>[1-9]\d{0,2})\b",
        re.IGNORECASE,
    ),
    LazyPattern(r"\bSQLSTATE\s*[:=\[]?\s*(?P<sql>[0-9A-Z]{5})\b"),
    LazyPattern(
        r"(?:\b(?:error|err)\b|错误)(?: ?(?:code|no|number|码|代码))?\s*[:=#：]?\s*\(?(?P<code>[A-Z]{0,6}[-_]?\d{3,6}|"
        r"0x[0-9A-F]{4,8})\b",
        re.IGNORECASE,
    ),
    LazyPattern(r"\b0x[0-9A-Fa-f]{8}\b"),
    LazyPattern(r"(?<![A-Za-z0-9])(?:E|ERR|TS|CS|PGRST|SIG)-?\d{3,6}(?![A-Za-z0-9])"),
    LazyPattern(r"\b(?:SIG(?:KILL|SEGV|TERM|ABRT|BUS|HUP)|OOMKilled|CrashLoopBackOff|ImagePullBackOff|ErrImagePull)\b"),
    LazyPattern(r"(?<![A-Za-z0-9_])(?:[A-Za-z_]+\.)*[A-Z][A-Za-z]+(?:Error|Exception)(?![A-Za-z0-9_])"),
)
_GENERAL = frozenset(
    "fix fixes fixed resolve resolves resolved solve solves solved means when if whenever cause causes because retry "
    "retries handle handles returns".split()
)
"""Words of statements about an error in general, which tell of no single attempt."""
_TOOL_FAILED = LazyPattern(r"[\s\[{(\"'<]*(?:error|错误|失败|异常|traceback|exception|fatal|panic|failed|failure)", re.IGNORECASE)
_NO_FAILURE = LazyPattern(
    r"\b(?:no|0|zero|without) (?:\w+ )?(?:errors?|failures?|failed|exceptions?)\b|没有(?:报错|错误|异常)|无(?:错误|异常)"
)
_FAILED = LazyPattern(
    r"\b(?:failed|fails|failing|failure|fatal|exception|traceback|timed out|time-?out|refused|denied|crashed|aborted|"
    r"unreachable|not found|broke|is down)\b|\"?error\"?\s*:|\berrors?\b|失败|报错|超时|崩溃|错误|异常|拒绝|挂了"
)
_MENDED = LazyPattern(r"\b(?:is fixed|was fixed|fixed|resolved|works again|recovered)\b|修复了|解决了|恢复了")
_SUCCEEDED = LazyPattern(
    r"\b(?:succeed(?:ed|s)?|success(?:ful(?:ly)?)?|passed|completed|done|finished|works now|exit code 0|http 20\d|200 "
    r"ok)\b|^\s*ok\b|成功|完成|通过"
)
_PARTIAL = LazyPattern(r"\bpartial(?:ly)?\b|\bsome (?:of )?(?:\w+ )?(?:tests? )?(?:failed|fail)\b|部分(?:成功|完成|失败)")


def read_tone(text: str, role: str, assertion: Assertion = PLAIN) -> Tone:
    """Return the tone of one sentence; what a tool says is a result, and one that begins with "Error" a failure."""
    reading = Reading(text)
    tool = role == "tool"
    kind = Kind.RESULT if tool else _kind(reading)
    code = error_code_of(text)
    if code is not None and kind in {Kind.FACT, Kind.ACTION} and _GENERAL.isdisjoint(reading.words):
        kind = Kind.RESULT
    outcome = _outcome(reading, code, tool=tool) if kind is Kind.RESULT else None
    sure = min(_confidence(reading), VAGUE if assertion.doubted else SURE)
    return Tone(kind, assertion.denied or _negated(reading), sure, outcome, code)


def is_negated(text: str) -> bool:
    """Whether the sentence denies or forbids something; "not only", "cannot run without" and 离不开 do not."""
    return _negated(Reading(text)) or read_assertion(text).denied


def _negated(reading: Reading) -> bool:
    if not _NEGATION.found(reading):
        return False
    rest = _DOUBLE_CHINESE.sub(" ", _DOUBLE_ENGLISH.sub(" ", reading.lower))
    return rest == reading.lower or _NEGATION.found(Reading(rest))


def _confidence(reading: Reading) -> float:
    if _VAGUE.found(reading):
        return VAGUE
    return PROBABLE if _PROBABLE.found(reading) else SURE


def _kind(reading: Reading) -> Kind:
    if _PREFERENCE.found(reading):
        return Kind.PREFERENCE
    if is_order(reading.text):
        return Kind.CONSTRAINT
    if _CONSTRAINT.found(reading) and not _PERSONAL_MUST.search(reading.lower) and not _proposes(reading):
        return Kind.CONSTRAINT
    if _RESULT.found(reading):
        return Kind.RESULT
    return Kind.ACTION if _ACTION.found(reading) else Kind.FACT


def _proposes(reading: Reading) -> bool:
    """Whether what sounds like a rule is only a hedged proposal: "Maybe the report should move to a replica"."""
    return _confidence(reading) < SURE and not _STRONG.found(reading)


def error_code_of(text: str) -> str | None:
    """Return the first error signature: `ECONNREFUSED`, `HTTP 502`, `E1234`, `ORA-00942`, `exit code 137`, `KeyError`."""
    if _CODE_GATE.search(text) is None:
        return None
    for pattern in _ERROR_CODES:
        match = pattern.search(text)
        if match is None:
            continue
        groups = {name.rstrip("2"): value for name, value in match.groupdict().items() if value}
        for name, prefix in (("http", "HTTP"), ("exit", "exit code"), ("sql", "SQLSTATE")):
            if name in groups:
                return f"{prefix} {groups[name]}"
        return groups.get("code", match.group())
    return None


def _outcome(reading: Reading, code: str | None, *, tool: bool) -> Outcome | None:
    if _PARTIAL.search(reading.lower):
        return Outcome.PARTIAL
    if tool and _TOOL_FAILED.match(reading.text):
        return Outcome.FAILURE
    if not tool and _MENDED.search(reading.lower):
        return Outcome.SUCCESS
    if code is not None or _FAILED.search(_NO_FAILURE.sub(" ", reading.lower)):
        return Outcome.FAILURE
    return Outcome.SUCCESS if tool or _SUCCEEDED.search(reading.lower) else None
