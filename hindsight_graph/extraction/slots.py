"""Single-valued attributes that a sentence states: subject, attribute, value."""

import re

from hindsight_graph.models.memory import Slot
from hindsight_graph.text.lazy import LazyPattern

_ATTRIBUTE = (
    r"(?:(?:default|current|main|primary|max(?:imum)?|min(?:imum)?|new|latest|total|home|work|favou?rite|preferred|"
    r"next|public|private|internal|external|base|admin|read|write|connect(?:ion)?|request|idle|session|due|start|end|"
    r"release|deploy(?:ment)?|memory|cpu|heap|birth|phone|email|zip|log|api|retry|batch|page|pool|file|disk|rate|time|"
    r"error|contact)\s+)?"
    r"(?:port|version|host(?:name)?|address|url|uri|endpoint|region|zone|path|branch|name|username|nickname|password|"
    r"email|timeout|ttl|limit|quota|size|capacity|interval|frequency|schedule|budget|cost|price|deadline|date|day|time|"
    r"owner|maintainer|lead|manager|status|state|level|mode|language|timezone|"
    r"color|colour|age|birthday|job|title|role|salary|phone|number|number of \w+|count|id|priority|threshold|"
    r"concurrency|replicas?|replica count|replication factor|heap|memory|cpu|bucket|database|framework|editor|ide|"
    r"hometown|city|country|location|food|book|movie|song|band|animal|sport|hobby|season|retention|encoding|charset|"
    r"license|"
    r"protocol|image|tag|environment|domain|namespace|cluster|codename|nationality|major|tool|shell|browser|os|"
    r"operating system|weight|height|duration|length|speed|rate|password policy|engine|driver|format|model)"
)
_VALUE = r"(?P<value>[^,;，；。]{1,60}?)"
_END = (
    r"(?=\s*(?:[.!,;，；。]?\s*$|[,;，；。]\s|\s+(?:instead|now|since|because|as of|from now on|and|but|so|until|for now|"
    r"at the moment)\b))"
)
_SUBJECT = r"(?P<subject>[^,;:，；：。!?]{1,60}?)"
_BE = r"(?:is|are|'s|has been|became|remains|=|:)"
_OPEN = (
    r"^(?:(?:note that|please note|fyi|remember(?: that)?|currently|now|actually|today|so|and|also|well|from now on|as of "
    r"\w+|btw|update|ok(?:ay)?|i think|i believe|it seems|maybe|probably|perhaps)[,:]?\s+)*(?:(?:the|a|an)\s+)?"
)
_I = re.IGNORECASE
_ATTRIBUTE_WORDS = frozenset(
    re.findall(
        r"[a-z]{2,}",
        re.sub(
            r"\\[a-z]|\(\?:", " ", _ATTRIBUTE.replace("host(?:name)?", "host|hostname").replace("replicas?", "replica|replicas")
        ),
    )
)
_ATTRIBUTE_BE = LazyPattern(rf"\b{_ATTRIBUTE}(?: (?:is|are)\b| ?[=:])", _I)

_ENGLISH: tuple[tuple[str, LazyPattern, LazyPattern], ...] = (
    (
        "Y changed to",
        LazyPattern(r"ed (?:from .* )?to |moved to|set to", _I),
        LazyPattern(
            rf"{_OPEN}{_SUBJECT}(?:['’]s)? (?P<attribute>{_ATTRIBUTE}) (?:is now|was|has been|were|is being|got|has)? "
            rf"?(?:now )?(?:changed|moved|set|raised|lowered|increased|reduced|switched|bumped|updated|renamed|"
            rf"extended|shifted|postponed)(?: from [^,;]{{1,30}}?)? to {_VALUE}{_END}",
            _I,
        ),
    ),
    (
        "the Y of X is",
        LazyPattern(r" (?:of|for|on) .*(?: (?:is|are|was|were|has|became|remains) |[=:])", _I),
        LazyPattern(
            rf"{_OPEN}(?P<attribute>{_ATTRIBUTE}) (?:of|for|on) (?:the )?{_SUBJECT} {_BE} (?:now |currently |"
            rf"set to |still )*{_VALUE}{_END}",
            _I,
        ),
    ),
    (
        "X's Y is",
        LazyPattern(r"['’]s? ", _I),
        LazyPattern(
            rf"{_OPEN}{_SUBJECT}(?:['’]s|(?<=s)['’]) (?P<attribute>{_ATTRIBUTE}) {_BE} (?:now |currently |set to |"
            rf"still )*{_VALUE}{_END}",
            _I,
        ),
    ),
    (
        "my Y is",
        LazyPattern(r"\b(?:my|our) ", _I),
        LazyPattern(
            rf"^(?:\w+, )?(?P<subject>my|our) (?P<attribute>{_ATTRIBUTE}) {_BE} (?:now |currently |still )*{_VALUE}{_END}", _I
        ),
    ),
    (
        "runs on port",
        LazyPattern(r" port (?:number )?\d", _I),
        LazyPattern(
            rf"{_OPEN}{_SUBJECT} (?:now |currently |still |also )?(?:runs?|listens?|is running|is listening|is exposed|"
            rf"is available|is reachable|is served|answers|serves|is|lives|binds|uses?|moved|was moved|switched|is now|"
            rf"has moved)(?: now)? (?:on |at |to |from )?(?:tcp |udp |the )?(?P<attribute>port)(?: number)? "
            rf"(?P<value>\d{{2,5}})\b",
            _I,
        ),
    ),
    (
        "version",
        LazyPattern(r" version v?\d", _I),
        LazyPattern(
            rf"{_OPEN}{_SUBJECT} (?:now |currently |still )?(?:runs?|is|uses|is running|is at|is on|is pinned (?:to|"
            rf"at))(?: now)?(?: on| at)? (?P<attribute>version) (?P<value>v?\d[\w.+-]*)",
            _I,
        ),
    ),
    (
        "upgraded to",
        LazyPattern(r"(?:grade|date|bump|pin)\w* .*to (?:version )?v?\d", _I),
        LazyPattern(
            r"^(?:(?:we|i|they|he|she|[A-Z]\w+)(?:'ve| have| has)? (?:just |already )?)?(?:upgraded|updated|bumped|"
            r"downgraded|upgrade|pinned) (?:the )?(?P<subject>[A-Za-z][\w .-]{1,40}?)(?: from v?[\d.]\S*)? to "
            r"(?:version )?(?P<value>v?\d+(?:\.\d+)*[\w-]*)\b",
            _I,
        ),
    ),
    (
        "was upgraded to",
        LazyPattern(r"(?:grade|date|bump|pin)\w* .*to (?:version )?v?\d", _I),
        LazyPattern(
            rf"{_OPEN}{_SUBJECT} (?:was|has been|is|got) (?:upgraded|updated|bumped|downgraded|pinned)(?: from "
            rf"v?[\d.]\S*)? to (?:version )?(?P<value>v?\d+(?:\.\d+)*[\w-]*)\b",
            _I,
        ),
    ),
    (
        "assignment",
        LazyPattern(r"=", _I),
        LazyPattern(
            r"(?:^|[\s`(\"'])(?P<subject>(?:[A-Za-z_][\w.-]*_[\w.-]*|[A-Z][A-Z0-9]{2,}|[a-z]\w*(?:[.-]\w+)+|(?<=set "
            r")[A-Za-z]\w*))\s?=\s?[\"']?(?P<value>[^\s,;\"'`)]{1,60})"
        ),
    ),
    (
        "set X to",
        LazyPattern(r"\bset .* to ", _I),
        LazyPattern(
            r"^(?:\w+, )?(?:please )?(?:(?:we|i|they) )?set (?:the )?`?(?P<subject>[A-Za-z][\w.-]*_[\w.-]*|"
            r"[A-Z][A-Z0-9_]{2,}|[a-z]+[A-Z]\w*)`? to `?(?P<value>[^\s,;`]{1,60}?)`?" + _END,
            _I,
        ),
    ),
    (
        "X is",
        LazyPattern(r"_\w+`? (?:is|defaults|equals|must|should) ", _I),
        LazyPattern(
            r"(?:^|\s)`?(?P<subject>[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)`? (?:is|defaults to|equals|must be|should "
            r"be) (?:set to |now )?(?P<value>[\w./:%-]{1,40})" + _END
        ),
    ),
    (
        "lives in",
        LazyPattern(r" in [A-Z]"),
        LazyPattern(
            rf"{_OPEN}{_SUBJECT} (?:now |currently |still )?(?:lives?|is based|resides?|is located|am based|is "
            rf"headquartered)(?: now)? in (?P<value>[A-Z][^,;.]{{1,40}}?){_END}",
            re.IGNORECASE,
        ),
    ),
    (
        "attribute noun",
        _ATTRIBUTE_BE,
        LazyPattern(
            rf"{_OPEN}(?P<subject>[^,;:，；：。!?]{{1,40}}?) (?P<attribute>{_ATTRIBUTE}) (?:is|are|=|:)(?: "
            rf"now| currently| set to| still)* {_VALUE}{_END}",
            _I,
        ),
    ),
)

_ZH_ATTRIBUTE = (
    r"(?:默认|当前|最大|最小|主|对外|内部|公网|内网|管理|监听|超时|重试|连接|请求|部署|发布|上线|截止|开始|结束|回调|"
    r"访问|登录|数据库|日志|备份|技术|总|平均|批次|线程池|连接池|缓存|过期|保留)?"
    r"(?:端口号?|版本号?|主机名?|地址|域名|路径|分支|名字|名称|姓名|用户名|密码|邮箱|超时时间|超时|有效期|上限|下限|"
    r"限额|配额|大小|容量|间隔|频率|周期|预算|成本|价格|截止日期|期限|日期|时间|日|负责人|维护者|状态|级别|等级|模式|"
    r"语言|时区|颜色|年龄|生日|职位|职务|工资|电话|手机号?|数量|个数|编号|优先级|阈值|并发数?|副本数|"
    r"内存|仓库|框架|编辑器|家乡|城市|位置|所在地|爱好|字符集|编码|协议|镜像|标签|环境|命名空间|集群|代号|国籍|专业|"
    r"浏览器|操作系统|保留时间|保留期|网段|网址|链接|IP|ip)"
)
_ZH_BE = (
    r"(?:现在|目前|已经|已|仍然|仍|还)?(?:是|为|改为|改成|改到|换成|设为|设成|设置为|设置成|变成|变为|定为|定在|调整为|"
    r"调整到|调到|升到|提高到|降到|＝|=|：|:)(?:了)?"
)
_ZH_VALUE = r"(?P<value>[^,，;；。!！?？]{1,40})"
_ZH_SUBJECT = r"(?P<subject>(?!把|将)[^,，;；。!！?？:：]{1,30}?)"
_ZH_OPEN = r"^(?:请?注意|记住|目前|现在|另外|今天起?|从今天起|好像|可能|大概|我们|公司)?[,，：:]?\s*(?:的)?"
_ZH_ATTRIBUTE_BE = LazyPattern(rf"(?:{_ZH_ATTRIBUTE}|[A-Za-z0-9_])\s*(?:从[^,，]{{1,20}}?)?{_ZH_BE}")
_CHINESE: tuple[tuple[str, LazyPattern, LazyPattern], ...] = (
    (
        "把 X 的 Y 改成",
        _ZH_ATTRIBUTE_BE,
        LazyPattern(
            rf"^(?:.{{0,8}}?)(?:把|将)\s*{_ZH_SUBJECT}\s*(?:的|里的|中的)\s*(?P<attribute>[A-Za-z_][\w.-]*|"
            rf"{_ZH_ATTRIBUTE})\s*(?:从[^,，]{{1,20}}?)?{_ZH_BE}\s*{_ZH_VALUE}"
        ),
    ),
    (
        "X 的 Y 是",
        _ZH_ATTRIBUTE_BE,
        LazyPattern(rf"{_ZH_OPEN}{_ZH_SUBJECT}\s*的\s*(?P<attribute>{_ZH_ATTRIBUTE})\s*{_ZH_BE}\s*{_ZH_VALUE}"),
    ),
    (
        "X Y 是",
        _ZH_ATTRIBUTE_BE,
        LazyPattern(rf"{_ZH_OPEN}{_ZH_SUBJECT}\s*(?P<attribute>{_ZH_ATTRIBUTE})\s*{_ZH_BE}\s*{_ZH_VALUE}"),
    ),
    (
        "端口",
        LazyPattern("端口"),
        LazyPattern(
            rf"{_ZH_OPEN}{_ZH_SUBJECT}\s*(?:现在|目前|改)?(?:运行在|监听在?|跑在|使用|用|在|开放|暴露|"
            rf"的)?\s*(?P<value>\d{{2,5}})\s*(?P<attribute>端口)"
        ),
    ),
    (
        "端口 N",
        LazyPattern("端口"),
        LazyPattern(
            rf"{_ZH_OPEN}{_ZH_SUBJECT}\s*(?:现在|目前|改)?(?:运行在|监听在?|跑在|使用|用|在|开放|"
            rf"暴露)?\s*(?P<attribute>端口)\s*(?P<value>\d{{2,5}})"
        ),
    ),
    (
        "升级到",
        LazyPattern("[升降更]"),
        LazyPattern(
            r"^(?:.{0,6}?)(?:把|将)?\s*(?P<subject>[A-Za-z][\w .-]{0,30}?)\s*(?:已经|"
            r"已)?(?:从\s*v?[\d.]+\S*?\s*)?(?:升级|升|降级|降|更新)(?:到|至|为)(?:了)?\s*(?P<value>v?\d+(?:\.\d+)*)"
        ),
    ),
    (
        "X 叫",
        LazyPattern("叫|名为"),
        LazyPattern(rf"^{_ZH_SUBJECT}\s*(?:的(?:名字|名称))?(?:叫做?|名叫|名为)\s*(?P<value>[^,，;；。!！?？了]{{1,20}})"),
    ),
    (
        "住在",
        LazyPattern("[住居位搬]"),
        LazyPattern(rf"^{_ZH_SUBJECT}(?:现在|目前)?(?:住在|居住在|定居在|位于|搬到了?)\s*{_ZH_VALUE}"),
    ),
    (
        "assignment",
        LazyPattern("="),
        LazyPattern(
            r"(?<![A-Za-z0-9_])(?P<subject>[A-Za-z_][\w-]*(?:[_.][\w-]+)*|"
            r"[A-Z][A-Z0-9_]+)\s?=\s?(?P<value>[A-Za-z0-9_./:%-]{1,60})",
            re.ASCII,
        ),
    ),
)
_NAMED = frozenset({"Y changed to", "the Y of X is", "X's Y is", "my Y is", "attribute noun"})
"""The patterns that need an attribute's name."""
# Each row: its name, a cheap pattern that must be found first, the pattern itself.
_DEFAULT_ATTRIBUTE = {
    "upgraded to": "version",
    "was upgraded to": "version",
    "assignment": "value",
    "set X to": "value",
    "X is": "value",
    "lives in": "location",
    "升级到": "版本",
    "X 叫": "名称",
    "住在": "位置",
}
_ROW = LazyPattern(
    rf"[^:,]{{1,40}}: (?P<subject>[^,]{{1,60}}), (?P<attribute>{_ATTRIBUTE}|{_ZH_ATTRIBUTE}): (?P<value>[^,]{{1,60}})", _I
)
_ENGLISH_GATE = LazyPattern(
    r"[=:]|['’]s |\b(?:is|are|was|were|been|will|became|remains|runs?|listens?|serves|served|answers|lives?|resides?|"
    r"binds|uses?|moved|changed|set|raised|lowered|increased|reduced|switched|bump(?:ed)?|updated?|renamed|upgraded?|"
    r"downgraded|pin(?:ned)?|am|must|should|defaults|equals)\b"
)
_CHINESE_GATE = LazyPattern(r"[是为到成叫在搬=＝:：在]|端口")
_NO_SUBJECT = frozenset(
    "it this that he she they there what which who one the a an and but so if when my our his her their your its other "
    "first last same next every each any some no i we you 它 他 她 这 那 其 该 此 这个 那个 新 旧 老 的 我 我们 默认 "
    "当前 最大".split()
)
_BAD_VALUE = LazyPattern(
    r"^(?:changed|moved|raised|set|not|also|both|either|neither|usually|often|sometimes|mostly|normally|typically|between|"
    r"probably|likely|maybe|perhaps|possibly|expected|supposed|going|formerly|previously|once|n['’]t|never|no longer|too|very|"
    r"so|really|quite|wrong|unknown|unclear|important|"
    r"broken|the same|different|a|an|what|how|why|where|due|because|like|about|out|up|down|in use|required|needed|"
    r"missing|不|没|什么|多少|哪|谁|错|怎么|否)\b|^(?:不|没|什么|多少|哪|谁)",
    re.IGNORECASE,
)
_ARTICLE = LazyPattern(r"^(?:the|a|an)\s+", re.IGNORECASE)
_FORMER = LazyPattern(
    r"\b(?:formerly|previously|used to be|at first|back then|at (?:the|that) time|in the past)\b|"
    r"以前|曾经|之前|从前|过去|原先|原来|先前|此前|当时|那时|当年|[早]先(?!级)",
    re.IGNORECASE,
)
"""Words of sentences that tell of an earlier value, or of two."""
_OLD = frozenset("former previous old earlier original prior past last initial next planned future proposed ex 旧 老 原".split())
"""Adjectives that make an attribute another one: "the old port"."""
_SETTING = (
    r"(?:staging|production|prod|dev|development|tests?|testing|qa|uat|pre-?prod|canary|sandbox|ci|local(?:host|ly)?|demo|"
    r"weekends|weekdays|peak hours|the night|\w+ (?:environment|region|cluster|mode|namespace|profile))"
)
_QUALIFIED = LazyPattern(
    rf"(?P<value>.+?)\s+(?P<qualifier>(?:in|on|for|at|during|under|within|when|while|with|inside)\s+(?:the |our )?{_SETTING})",
    _I,
)
_QUALIFIED_NUMBER = LazyPattern(
    r"(?P<value>\d\S*(?: [A-Za-z%]+)?)\s+(?P<qualifier>(?:in|on|for|at|during|under|within|when|while|with|inside|per) .+)", _I
)
_BRACKETED = LazyPattern(r"(?P<value>.+?)\s*[(（](?P<qualifier>[^()（）]*)[)）]")
_NO_QUALIFIER = frozenset("date day time deadline schedule birthday location address title job book song movie band role".split())
"""Attributes whose values have prepositions of their own."""
_NO_SETTING = frozenset("default tcp udp utc gmt http https approx approximately 默认".split())
"""What brackets after a value may say without making the subject another one."""
_UNTIL = LazyPattern(r"\b(?:until|till|up to|formerly|previously|before|was|were)\b|直到|之前|以前|曾|截至", _I)
_GENERIC_SPEAKERS = frozenset({"user", "assistant", "用户", "助手"})
_OWNERS = {"my": "'s ", "我的": "的"}
_IN_FILE = LazyPattern(
    r"\b(?:in|inside)\s+(?:the\s+)?`?([\w./-]+\.(?:ya?ml|json|toml|ini|cfg|conf|env|properties|py|sh)|\.env)\b"
)


def find_slot(text: str, language: str, speaker: str) -> Slot | None:
    """Return the single-valued attribute that a sentence states, if it states one.

    Args:
        text: One sentence that is no question and does not deny.
        language: `en`, `zh`, `mixed` or `other`.
        speaker: Who "my", "I" and "我" are.
    """
    if _FORMER.search(text) is not None:
        return None
    tables = (_CHINESE, _ENGLISH) if language == "zh" else (_ENGLISH, _CHINESE) if language == "mixed" else (_ENGLISH,)
    for table in tables:
        if not (_ENGLISH_GATE if table is _ENGLISH else _CHINESE_GATE).search(text):
            continue
        named = table is _CHINESE or not _ATTRIBUTE_WORDS.isdisjoint(re.findall(r"[a-z]+", text.lower()))
        for name, gate, pattern in table:
            if not named and name in _NAMED:
                continue
            match = pattern.search(text) if gate.search(text) else None
            slot = _slot(name, match, text, speaker) if match else None
            if slot is not None:
                return slot
    return None


def _slot(name: str, match: re.Match[str], text: str, speaker: str) -> Slot | None:
    groups = match.groupdict()
    subject = _ARTICLE.sub("", (groups["subject"] or "").strip(" `\"'“”"))
    value = _ARTICLE.sub("", groups["value"].strip(" `\"'“”.。了"))
    attribute = (groups.get("attribute") or _DEFAULT_ATTRIBUTE.get(name, "")).strip().lower()
    if subject.lower() in {"my", "i", "i'm", "our", "we", "我", "我们"} and name in {
        "my Y is",
        "lives in",
        "X 的 Y 是",
        "X 叫",
        "住在",
        "X Y 是",
    }:
        subject = speaker
    else:
        subject = _owned(subject, speaker)
    if not subject or not value or not attribute or subject.lower() in _NO_SUBJECT or _BAD_VALUE.match(value):
        return None
    if subject.lower().split()[-1] in _OLD or attribute.split()[0] in _OLD:
        return None
    subject, value = _qualified(subject, attribute, value)
    if not value or len(subject.split()) > 8 or len(value.split()) > 8:
        return None
    if name == "assignment":
        holder = _IN_FILE.search(text)
        if holder:
            subject, attribute = holder.group(1), subject
    return Slot(subject=subject, attribute=attribute, value=value)


def _owned(subject: str, speaker: str) -> str:
    """Return the subject with "my" resolved to a speaker whose name is known; "our", "his" and "her" stay."""
    word = next((word for word in _OWNERS if subject.lower().startswith(word)), "")
    rest = subject[len(word) :].lstrip()
    if not word or not rest or speaker in _GENERIC_SPEAKERS or (word == "my" and subject[2:3] != " "):
        return subject[:1].lower() + subject[1:] if subject.startswith(("Our ", "My ", "His ", "Her ", "Their ")) else subject
    return f"{speaker}{_OWNERS[word]}{rest}"


def _qualified(subject: str, attribute: str, value: str) -> tuple[str, str]:
    """Return subject and value with a qualifier moved to the subject, as it makes another one: "60 s in staging".

    The value is empty when the qualifier says that it no longer holds.
    """
    bracketed = _BRACKETED.fullmatch(value)
    if bracketed is not None:
        if _UNTIL.search(bracketed["qualifier"]):
            return subject, ""
        if attribute.rsplit(maxsplit=1)[-1] in _NO_QUALIFIER or bracketed["qualifier"].lower() in _NO_SETTING:
            return subject, bracketed["value"]
        wide = "（" in value
        return f"{subject}（{bracketed['qualifier']}）" if wide else f"{subject} ({bracketed['qualifier']})", bracketed["value"]
    if attribute.rsplit(maxsplit=1)[-1] in _NO_QUALIFIER:
        found = _QUALIFIED.fullmatch(value)
    else:
        found = _QUALIFIED.fullmatch(value) or _QUALIFIED_NUMBER.fullmatch(value)
    return (f"{subject} {found['qualifier']}", found["value"]) if found else (subject, value)


def row_slot(text: str) -> Slot | None:
    """Return the slot of a table row `name: subject, attribute: value`, when its second column is an attribute."""
    match = _ROW.fullmatch(text)
    return Slot(subject=match["subject"], attribute=match["attribute"].lower(), value=match["value"]) if match else None
