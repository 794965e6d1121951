"""How a sentence says it: its kind, whether it denies, how sure it is, how the attempt ended."""

import re

from hindsight_graph.models.enums import Kind, Outcome

_NEGATION = re.compile(
    r"\b(?:not|never|no longer|neither|nor|nobody|nothing|none|nowhere|cannot|without|avoid|stop|forbidden|prohibited|disallowed)\b|n['’]t\b"
    r"|\bno\s+(?:\w+\s+){0,2}\w+|不(?!过|仅|错|同|断|久|少|但|光|止|管|论|如|禁|妨|愧|得不|只|已|一定是|客气|好意思)|没(?!关系|事|问题|准|错)|(?<![特级类区个差识分性辨告])别(?![人的处名])|"
    r"[勿未](?![来必免婚知])|无法|无需|无须|禁止|严禁|切勿|从不|并非|尚未|不得不(?=不)",
    re.IGNORECASE,
)
_DOUBLE = re.compile(
    r"\b(?:not only|no doubt|cannot (?:\w+ ){1,3}without|can['’]t (?:\w+ ){1,3}without|no problem|not just|why not|whether or not|nothing but|could not agree more|don['’]t forget to|never forget to|can['’]t wait)\b"
    r"|离不开|不得不|不可或缺|必不可少|不得了|不一会|差不多|少不了|忍不住|不见不散|不要忘记|别忘了",
    re.IGNORECASE,
)
_HEDGES = (
    (0.5, re.compile(r"\b(?:not sure|unsure|no idea|wild guess|might|possibly|perhaps|maybe|rumou?r|allegedly)\b|也许|或许|说不定|不确定|不太确定|不清楚|据说|听说|疑似|兴许|未必", re.IGNORECASE)),
    (0.6, re.compile(r"\b(?:probably|presumably|i (?:think|guess|believe|suppose|suspect|assume)|we (?:think|guess|believe|suspect|assume)|seems?|seemed|apparently|likely|appears? to|could be|may (?!\d)(?=[a-z])|as far as i know|afaik|iirc|supposedly|supposed to be|my guess|i'm guessing)\b|可能|大概|好像|似乎|应该是|估计|大约|看起来|看上去|貌似|我觉得|我认为|我猜|感觉像|恐怕|多半|推测|怀疑", re.IGNORECASE)),
)
_SURE = 0.9

_CONSTRAINT = re.compile(
    r"^\W*(?:please\s+)?(?:always|never|do not|don['’]t|avoid|make sure|ensure|only use|no\s+\w+ing\b|stop\s+\w+ing)\b|\b(?:must(?: not|n['’]t)?|have to|has to|need to|needs to be|shall(?: not)?|should(?: not|n['’]t)?|is required|are required|"
    r"required to|is (?:forbidden|prohibited|mandatory|not allowed)|are (?:forbidden|prohibited|mandatory|not allowed)|may not|not allowed to|at most|at least|no more than|under no circumstances|cannot exceed|limited to|is off[- ]limits|policy)\b"
    r"|必须|不要|不得(?!不|了)|禁止|严禁|务必|一定要|只能|不能|不可以?(?!能|或缺|思议)|不允许|不准|切勿|请勿|应当|最多|至少|不超过|不少于|需要先|别用|别再|须|要求",
    re.IGNORECASE,
)
_PERSONAL_MUST = re.compile(r"\b(?:i|he|she|they|you|we) (?:really |just |always |still |also )*(?:have|has|had|need|needed|should|must|would) (?:to )?(?:have|be|go|see|get|try|take|admit|say|check out|know|feel|think|catch)\b", re.IGNORECASE)
_PREFERENCE = re.compile(
    r"\b(?:prefers?|preferred|preference|favou?rites?|favou?rs?|likes?(?=\s+(?!to be\b|this\b|that\b|it\b|a\b|an\b|the\b)\w)|(?:i|we|he|she|they|who|and|also|really|user|always|dis)\s*(?:like|love|enjoy|adore|hate)d?\b|loves?|enjoys?|hates?|dislikes?|can['’]t stand|fond of|"
    r"a fan of|into|would rather|am used to|passion(?:ate)?)\b|喜欢|偏好|偏爱|习惯(?:用|使用|于)|更愿意|宁愿|讨厌|不爱|热爱|最爱|爱用|倾向于?|爱好",
    re.IGNORECASE,
)
_LIKES = re.compile(r"\b(?:looks?|looked|feels?|felt|sounds?|seems?|just|is|was|are|were|something|stuff|things?|it['’]s) like\b|\binto (?:the|a|an|it|this|that)\b", re.IGNORECASE)
_RESULT = re.compile(
    r"\b(?:failed|fails|failing|succeeded|successfully|passed|completed|timed out|crashed|returned|exited|aborted|error(?:ed)?|exception|traceback|rejected|refused|denied|finished|resolved|"
    r"broke|is (?:fixed|down|up again|back))\b|失败|成功|报错|超时|崩溃|完成|通过了|异常|挂了|恢复了|修复了|解决了",
    re.IGNORECASE,
)
_PAST = (
    "went|deployed|migrated|upgraded|downgraded|restarted|switched|moved|changed|added|removed|deleted|created|updated|installed|ran|fixed|merged|released|rolled|reverted|replaced|"
    "configured|built|wrote|sent|bought|sold|started|stopped|finished|tried|tested|met|visited|joined|attended|made|took|got|gave|called|signed|began|did|opened|closed|enabled|disabled|"
    "increased|reduced|decided|chose|rewrote|refactored|cleaned|found|saw|won|painted|cooked|traveled|travelled|hiked|ran|played|booked|adopted|applied|enrolled|volunteered|organized|organised|"
    "scheduled|pushed|pulled|reported|filed|reviewed|set|put|left|spent|read|drove|flew|baked|planted|celebrated|helped|donated|received|passed|picked|learned|learnt|shared|hosted"
)
_ACTION = re.compile(
    rf"(?:^|\b(?:i|we|he|she|they|user|team|and|then|[A-Z][a-z]+))\s+(?:(?:just|also|already|then|recently|finally|have|has|had|'ve|even|actually|once|quickly|both)\s+)*(?:{_PAST})\b|['’]ve (?:just |already |recently )?(?:{_PAST}|been)\b",
    re.IGNORECASE,
)
_ACTION_PASSIVE = re.compile(r"\b(?:was|were|has been|have been|got|been) (?:deployed|migrated|upgraded|restarted|switched|moved|changed|added|removed|deleted|created|updated|installed|merged|released|rolled back|reverted|replaced|renamed|enabled|disabled|raised|lowered)\b", re.IGNORECASE)
_ZH_ACTION = re.compile(r"(?:重启|部署|升级|迁移|执行|创建|删除|修改|更新|安装|切换|回滚|发布|上线|下线|提交|合并|新增|添加|移除|启用|禁用|配置|备份|扩容|缩容|改成|换成|调整|去|买|参加|写|做|跑|看|吃|学|搬|开)(?:到|成|过|好|完)?了|已(?:经)?(?:重启|部署|升级|迁移|执行|创建|删除|修改|更新|安装|切换|回滚|发布|上线|下线|提交|合并)")

_ERROR_CODES = (
    re.compile(r"\bORA-\d{5}\b|\bTNS-\d{5}\b"),
    re.compile(r"\bE(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|PIPE|ADDRINUSE|ADDRNOTAVAIL|NOENT|ACCES|PERM|EXIST|HOSTUNREACH|NETUNREACH|MFILE|NFILE|NOSPC|NOMEM|BUSY|AGAIN|INVAL|IO|ISDIR|NOTDIR|NOTEMPTY|ROFS|BADF|AI_AGAIN|LIFECYCLE|RESOLVE|INTR|DEADLK)\b|\bENOTFOUND\b"),
    re.compile(r"\b(?:HTTP(?:/\d(?:\.\d)?)?|status(?:\s+code)?|状态码|返回|got an?|returned|response)\s*[:=]?\s*(?P<http>[45]\d\d)\b", re.IGNORECASE),
    re.compile(r"\b(?P<http>[45]\d\d)\s+(?:bad gateway|not found|internal server error|service unavailable|gateway time-?out|unauthori[sz]ed|forbidden|too many requests|bad request|conflict|errors?\b|错误)", re.IGNORECASE),
    re.compile(r"(?<![A-Za-z])(?:exit(?:ed)?(?:\s+with)?(?:\s+(?:code|status))|return code|退出码|退出代码)(?:\s+of)?\s*[:=为是]?\s*(?P<exit>[1-9]\d{0,2})\b", re.IGNORECASE),
    re.compile(r"\bSQLSTATE\s*[:=\[]?\s*(?P<sql>[0-9A-Z]{5})\b"),
    re.compile(r"\b(?:error|err|错误)(?:\s*(?:code|no|number|码|代码))?\s*[:=#]?\s*\(?(?P<code>[A-Z]{0,6}[-_]?\d{3,6}|0x[0-9A-Fa-f]{4,8})\b", re.IGNORECASE),
    re.compile(r"\b0x[0-9A-Fa-f]{8}\b"),
    re.compile(r"\b[A-Z]{1,5}-?\d{4,6}\b(?=.{0,40}(?:error|fail|错误|失败))|(?:error|fail\w*|错误|失败).{0,40}?\b(?P<late>[A-Z]{1,5}-?\d{4,6})\b", re.IGNORECASE | re.DOTALL),
    re.compile(r"(?<![A-Za-z0-9])E\d{3,6}(?![A-Za-z0-9])"),
    re.compile(r"\b(?P<sig>SIG(?:KILL|SEGV|TERM|ABRT|BUS|HUP)|OOMKilled|CrashLoopBackOff|ImagePullBackOff|ErrImagePull)\b"),
    re.compile(r"\b(?P<exc>(?:[A-Za-z_]+\.)*[A-Z][A-Za-z]+(?:Error|Exception))\b"),
)
_FAILED = re.compile(
    r"^\s*(?:[\[{(\"']*\s*)?(?:error|err|fatal|failure|failed|exception|traceback|panic|错误|失败|异常)|\b(?:failed|fails|failure|fatal|exception|traceback|timed out|time-?out|refused|denied|crashed|aborted|unreachable|not found|broke|is down|\"?error\"?\s*:)"
    r"|失败|报错|超时|崩溃|错误|异常|拒绝|挂了",
    re.IGNORECASE,
)
_TOOL_FAILED = re.compile(r"^[\s\[{(\"'<]*(?:error|错误|失败|异常|traceback|exception|fatal|panic)", re.IGNORECASE)
_NO_FAILURE = re.compile(r"\b(?:no|0|zero|without)\s+(?:\w+\s+)?(?:errors?|failures?|failed|exceptions?)\b|\b0 failed\b|没有(?:报错|错误|异常)|无(?:错误|异常)", re.IGNORECASE)
_SUCCEEDED = re.compile(
    r"\b(?:succeed(?:ed|s)?|success(?:ful(?:ly)?)?|passed|completed|done|finished|resolved|fixed|works (?:now|again)|exit code 0|HTTP 20\d|200 OK|\"?ok\"?\s*[:=]\s*true|recovered)\b|^\s*ok\b|成功|完成|通过|修复了|解决了|恢复",
    re.IGNORECASE,
)
_PARTIAL = re.compile(r"\bpartial(?:ly)?\b|\bsome (?:of )?(?:\w+ )?(?:failed|tests fail)|部分(?:成功|完成|失败)", re.IGNORECASE)


def is_negated(text: str) -> bool:
    """Whether the sentence denies or forbids something ("離不開", "not only" and the like do not)."""
    if _NEGATION.search(text) is None:
        return False
    return _DOUBLE.search(text) is None or _NEGATION.search(_DOUBLE.sub(" ", text)) is not None


def certainty(text: str) -> float:
    """Return the confidence that the words allow: 0.9 for a plain statement, 0.6 "probably", 0.5 "maybe"."""
    for value, pattern in _HEDGES:
        if pattern.search(text):
            return value
    return _SURE


def kind_of(text: str, role: str) -> Kind:
    """Return the kind of a sentence; what a tool says is a result."""
    if role == "tool":
        return Kind.RESULT
    if _PREFERENCE.search(text) and _PREFERENCE.search(_LIKES.sub(" ", text)):
        return Kind.PREFERENCE
    if _CONSTRAINT.search(text) and not _PERSONAL_MUST.search(text):
        return Kind.CONSTRAINT
    if _RESULT.search(text):
        return Kind.RESULT
    if _ACTION.search(text) or _ACTION_PASSIVE.search(text) or _ZH_ACTION.search(text):
        return Kind.ACTION
    return Kind.FACT


def error_code_of(text: str) -> str | None:
    """Return the first error signature in `text`: `ECONNREFUSED`, `HTTP 502`, `E1234`, `ORA-00942`, `exit code 137`, `KeyError`."""
    for pattern in _ERROR_CODES:
        match = pattern.search(text)
        if match is None:
            continue
        groups = {name: value for name, value in match.groupdict().items() if value}
        if "http" in groups:
            return f"HTTP {groups['http']}"
        if "exit" in groups:
            return f"exit code {groups['exit']}"
        if "sql" in groups:
            return f"SQLSTATE {groups['sql']}"
        return next(iter(groups.values()), match.group())
    return None


def outcome_of(text: str, *, tool: bool) -> Outcome | None:
    """Return how the attempt ended that `text` tells of; tool content that begins with "Error" is a failure."""
    if _PARTIAL.search(text):
        return Outcome.PARTIAL
    if tool and _TOOL_FAILED.match(text):
        return Outcome.FAILURE
    plain = _NO_FAILURE.sub(" ", text)
    if _FAILED.search(plain) or (tool and error_code_of(plain)):
        return Outcome.FAILURE
    return Outcome.SUCCESS if tool or _SUCCEEDED.search(text) else None
