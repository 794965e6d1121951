"""Relations in Chinese sentences that were cut into words: clause patterns over noun phrases."""

import re

from hindsight_graph.extraction.assertion import PLAIN, STATES, Assertion
from hindsight_graph.extraction.chinese import SURNAMES
from hindsight_graph.extraction.chinese_clauses import LEADS, TIME, Clauses, read_clauses
from hindsight_graph.extraction.chinese_patterns import CLAUSES, PAIRS, Pattern
from hindsight_graph.extraction.findings import Link
from hindsight_graph.extraction.rules_zh import PERSON, PRONOUNS, TEAM, THIRD
from hindsight_graph.extraction.tokens_en import shape_of
from hindsight_graph.models.enums import EntityType
from hindsight_graph.models.enums import RelationType as R
from hindsight_graph.text.lazy import LazyPattern

_JOIN = LazyPattern(r"\s*(?:、|以及|还有|和|与|及|跟|&)\s*")
_OPENING = LazyPattern(
    "^(?:这次|那次|上次|本次|这个|那个|该|这|那|该|此|一条|一个|一次|一些|部分|所有|全部|每次|有(?!人)|是|的|了|都|也|就|又|"
    "会|被|因为|由于|因|其实|可能|大概|应该|好像|主要|已经|由|"
    "我们|他们|请|要|需要|必须|等|只有|昨晚的?|昨天的?|今天的?|今早的?|上周的?|最近的?)+(?=.{2})"
)
_CLOSING = LazyPattern(
    "(?:了|的|吧|呢|啊|等|着|之后|以后|后|的时候|这件事|这个问题|才|就|也|都|又|便|会|终于|立刻|所|主要|"
    "而|可能|直接|经常|总|已经|再次|又|必须|需要|应该|要|得|只能)+$"
)
_QUANTITY = LazyPattern("^(?:[一二三四五六七八九十两几\\d]+[个台次条张份套种组块项位名批款支件根把辆部家所间])+(?=.{2})")
_PATH = LazyPattern(r"(?P<path>[\w.~-]*/[\w./-]+)\s*(?:这个|的)?(?:目录|文件夹|路径)(?:下|里)?")
_OLD = LazyPattern("^旧的?(?=[\u4e00-\u9fff]{2,}$)")
_LABELLED = LazyPattern("[\u4e00-\u9fff]{2,4} ?(?P<name>[A-Z]+-?\\d+\\w*)")
_TAIL_COUNT = LazyPattern(
    "(?:[一二三四五六七八九十两几\\d]+(?:个|大|种|类|部分|块)*(?:模块|部分|组件|系统|服务|环节|子系统|部件|步骤)?)$"
)
_DENIED = LazyPattern("(?:不是|并非|不|没|没有|未|~|没能|并没)$")
_SAYS_ITSELF = LazyPattern(r"~|\(\?:没有\|离开")
"""Patterns that hold a denial themselves, of which none is looked for before their ends."""
_LATIN_NAME = LazyPattern("[A-Z]")
_BODY = LazyPattern(
    "[\u4e00-\u9fff]+(?:科|处|室|院|校|局|厅|所|社|店|厂|站|行|车间|中心|银行|学校|医院|物业|后勤|"
    "驿站|商家|外包|供应商)$|^(?:物业|财务|法务|人事|行政|后勤|运维|研发|产品|测试|市场|销售)$"
)
_PLACE_TAIL = LazyPattern("(?:目录|文件夹)?(?:里面|上面|下面|里|上|内|中|下|旁边|旁)?$")
_LONGEST_LEAD = 2
"""Characters before a verb without a subject: "底层调用 X"."""
_ADVISES = LazyPattern("建议|尽量|推荐|最好|务必|^请|切记|千万")
_WHO_DID = LazyPattern(
    f"^(?:[{SURNAMES}](?:师傅|工|总|老师|姐|哥)|"
    f"[小老阿][\u4e00-\u9fff](?=[换重升清调关打更加改删回拔修补])|运维|同事|团队|大家|他|她|我)(?=.{{2}})"
)
_ASKING = LazyPattern("甲方|乙方|客户|用户|老板|领导|产品经理|上级|会议|需求")
"""Who asks for something does not depend on it."""
_STARTS = LazyPattern("才能?(?:启动|运行|上线|编译)(?:,|$)")
"""What needs something in order to start is no person, though its Latin name may look like one."""
_FAILING = LazyPattern("被|失败|报错|超时|返回|异常|拒绝|不上$|不通|~")
"""After a use these say that it was tried: the result of a tool, no habit."""
_ORDERS_USE = LazyPattern("用(?!户|于)|选|挑|装|引入|接入")
"""A clause without a subject that says "查询 X" or "连接 X" tells what was done; only these verbs ask for a use."""
_ADVICE = LazyPattern("(?:建议|推荐|提议)(?:先|改|统一|都)?(?:使用|采用|用)")
_OF_IT = frozenset("接口 服务 能力 平台 数据 功能 SDK API".split())
"""What stands for the thing that has it: "调用了 DeepL 的接口" uses DeepL."""
_MEANS = LazyPattern("(?:用|使用|通过|借助|利用|采用|靠|拿)$")
_ORIGIN = LazyPattern("[从由]$")
VALUE = LazyPattern(r"v?\d[\d.:]*\w?")
_TROUBLE_OBJECT = LazyPattern("问题|故障|报错|错误|告警|异常|延迟|超时|崩溃|宕机|卡顿|损失|事故|投诉|噪音|漏洞")


def find_relations(text: str, actor: str, *, person: bool = False, assertion: Assertion = PLAIN) -> tuple[list[Link], Clauses]:
    """Return the relations that a Chinese sentence states, and the sentence in short form.

    Args:
        text: One sentence.
        actor: Who "我" is, and who an order without a subject is addressed to.
        person: "我们" is the actor too.
        assertion: Which of its parts state nothing.
    """
    clauses = read_clauses(text)
    return _Reader(clauses, actor, person=person, assertion=assertion).read(), clauses


class _Reader:
    """Reads the clauses of one sentence."""

    def __init__(self, clauses: Clauses, actor: str, *, person: bool, assertion: Assertion) -> None:
        self.clauses = clauses
        self.actor = actor
        self.person = person
        self.assertion = assertion
        self.subject: tuple[str, ...] = ()
        self.people = {cut.text for cut in clauses.cuts if cut.tag in {"nr", "nrfg"} and 2 <= len(cut.text) <= 3}
        self.links: dict[tuple[str, R, str], Link] = {}

    def read(self) -> list[Link]:
        """Return the relations, each once, in the order of the sentence."""
        short = self.clauses.short
        used = self._pairs(short)
        start = 0
        for end in [*(match.start() for match in re.finditer(",", short)), len(short)]:
            if end > start and not any(low < end and start < high for low, high in used):
                self._clause(start, end)
            elif end > start:
                self._remember_subject(start, end)
            start = end + 1
        return list(self.links.values())

    def _at(self, place: int) -> int:
        spans = self.clauses.spans
        return spans[min(place, len(spans) - 1)][0] if spans else 0

    def _pairs(self, short: str) -> list[tuple[int, int]]:
        used: list[tuple[int, int]] = []
        for pattern in PAIRS:
            match = pattern.regex.search(short)
            if match is None or any(low < match.end() and match.start() < high for low, high in used):
                continue
            hidden = self.assertion.veils and self.assertion.hides(self._at(match.start("a")))
            if hidden and pattern.type is not R.DEPENDS_ON:
                continue
            if self._denied(match) or not self._state(pattern, match):
                continue
            used.append(match.span())
        return used

    def _clause(self, start: int, end: int) -> None:
        at = self._at(start)
        if self.assertion.veils and self.assertion.hides(at):
            self._remember_subject(start, end)
            return
        known = set(self.links)
        clause = self.clauses.short[start:end]
        for pattern in CLAUSES:
            match = pattern.regex.search(clause)
            if match is None or self._denied(match):
                continue
            if (
                match.groupdict().get("a") is None
                and match.start() > _LONGEST_LEAD
                and not (pattern.order and _ADVISES.search(clause[: match.end()]))
            ):
                continue
            moved = _Moved(match, start)
            if self._state(pattern, moved):
                self._further(pattern, clause, match, start)
                break
        else:
            self._remember_subject(start, end)
        if self.assertion.veils and self.assertion.is_past(at):
            gone = STATES | {R.PRECEDES}
            self.links = {key: link for key, link in self.links.items() if key in known or link.type not in gone}

    def _further(self, pattern: Pattern, clause: str, match: re.Match[str], start: int) -> None:
        """Read what a clause says after its first relation: "用 A 而不是 B"."""
        rest = clause[match.end() :]
        instead = re.match(
            "[^\ue000-\uf8ff]{0,4}(?:而不是|而非|不是|而不用|不用|代替|取代)(?:使用|用)?(?P<less>[\ue000-\uf8ff])", rest
        )
        if instead is None or pattern.type not in {R.USES, R.PREFERS}:
            return
        kind = R.REPLACES if "代" in instead.group() else R.AVOIDS
        low = start + match.end() + instead.start("less")
        for other in self._names(low, low + 1):
            for subject in self.subject or (self.actor,):
                if kind is R.AVOIDS:
                    self._add(subject, kind, other, "而不是", 0.85)

    def _denied(self, match: "re.Match[str] | _Moved") -> bool:
        """Whether a word before the verb denies it, where the pattern does not say so itself."""
        text = match.string
        for group in ("a", "b"):
            if group in match.groupdict() and match[group]:
                place = match.span(group)
                if _DENIED.search(text[: place[0]]) and place[0] > 0 and not _SAYS_ITSELF.search(match.re.pattern):
                    return True
                if (
                    _DENIED.search(match[group])
                    and match.end(group) < match.end()
                    and text[match.end(group) : match.end(group) + 1] != ","
                ):
                    return True
                if re.search("不是|并非", match[group]):
                    return True
        return False

    def _state(self, pattern: Pattern, match: "re.Match[str] | _Moved") -> bool:
        if self._tells_otherwise(pattern, match):
            return False
        targets = self._targets(pattern, match)
        if pattern.type is R.FIXES:
            return self._link(pattern, [_WHO_DID.sub("", source) for source in self._events(*match.span("a"))], targets)
        sources = self._sources(pattern, match)
        if not self._link(pattern, sources, targets):
            return False
        if match.groupdict().get("less"):
            for other in self._names(*match.span("less")):
                for source in sources:
                    self._add(source, R.AVOIDS, other, pattern.name, pattern.confidence)
        if not pattern.whole:
            self.subject = tuple(targets if pattern.name in _OBJECT_FIRST else sources)
        return True

    def _targets(self, pattern: Pattern, match: "re.Match[str] | _Moved") -> list[str]:
        low, high = match.span("b")
        if pattern.name == "…的":
            return self._names(low, high) and self._names(low, low + 1)
        if pattern.name == "…后…坏":
            return self._events(low, match.end("c"))
        if pattern.name == "…因…而":
            return [self.clauses.written(low, high) + self.clauses.written(*match.span("c"))]
        if pattern.name == "宁愿…也不":
            return [self._trim(self.clauses.written(low, high))]
        targets = self._events(low, high) if pattern.whole else self._names(low, high)
        if pattern.name in {"…后…消失", "…,…就消失"} and "~" in self.clauses.short[high : match.end()]:
            return [target + self._after_denial(high) for target in targets]
        return targets

    def _sources(self, pattern: Pattern, match: "re.Match[str] | _Moved") -> list[str]:
        if match.groupdict().get("a") is not None:
            low, high = match.span("a")
            sources = self._events(low, high) if pattern.whole else self._names(low, high)
            if pattern.type is R.USES and _ADVICE.search(match.string):  # a thing for which somebody is told to use another
                return [] if any(self._is_person(source) for source in sources) else [self.actor]
            return sources
        told = pattern.order and _ADVISES.search(match.string) is not None
        if pattern.name == "使用" and not self.subject and not told and not _ORDERS_USE.search(match.string):
            return []
        return [self.actor] if told else list(self.subject) or ([self.actor] if pattern.order else [])

    def _link(self, pattern: Pattern, sources: list[str], targets: list[str]) -> bool:
        if not sources or not targets or not self._fits(pattern, sources, targets):
            return False
        for source in sources:
            for target in targets:
                self._add(source, pattern.type, target, pattern.name, pattern.confidence)
        return True

    def _tells_otherwise(self, pattern: Pattern, match: "re.Match[str] | _Moved") -> bool:
        """Whether the words around a match take it back: a use that failed, "用 Terraform 管理资源", "从客服部调到运营部"."""
        if pattern.name == "使用" and _FAILING.search(self.clauses.short[match.end() : self._clause_end(match.end())]):
            return True
        if match.groupdict().get("a") is None:
            return False
        before = self.clauses.short[max(0, match.start("a") - 2) : match.start("a")]
        if pattern.needs == "agent" or pattern.name == "把…存到":
            return _MEANS.search(before) is not None
        return pattern.type is R.LOCATED_IN and _ORIGIN.search(before) is not None

    def _clause_end(self, place: int) -> int:
        end = self.clauses.short.find(",", place)
        return len(self.clauses.short) if end < 0 else end

    def _after_denial(self, place: int) -> str:
        """Return the trouble that is denied: 黑屏 in "摄像头不再黑屏"."""
        short = self.clauses.short
        start = short.find("~", place)
        end = next((at for at in range(start, len(short)) if short[at] == ","), len(short))
        return _CLOSING.sub("", self.clauses.written(start + 1, end)) if 0 <= start < end else ""

    def _fits(self, pattern: Pattern, sources: list[str], targets: list[str]) -> bool:
        if pattern.name == "需要" and any(self._asks(source) for source in sources):
            return False
        if pattern.needs == "agent" and not all(self._is_agent(source) for source in sources):
            return False
        if pattern.name in {"由…负责", "负责人是"} and not all(self._is_agent(source) for source in sources):
            return False
        if pattern.type is R.REPLACES and any(VALUE.fullmatch(one) for one in (*sources, *targets)):
            return False
        if pattern.type is R.FIXES and not any(len(target) > 1 for target in targets):
            return False
        if pattern.type is R.PRODUCES and any(self._is_person(source) for source in sources) and pattern.name == "生成":
            return False
        if pattern.type is R.PART_OF and pattern.name == "属于" and all(self._is_agent(target) for target in targets):
            return all(self._is_agent(source) for source in sources) or self._turn(sources, targets)
        return True

    def _turn(self, sources: list[str], targets: list[str]) -> bool:
        """A thing that belongs to a team is owned by it; the relation is stated here, the other way round."""
        for source in sources:
            for target in targets:
                self._add(target, R.OWNS, source, "属于", 0.85)
        self.subject = tuple(sources)
        return False

    def _asks(self, name: str) -> bool:
        """Whether who needs something is a person or asks for it: what starts and what is known software does not."""
        if name.isascii() and (_STARTS.search(self.clauses.short) or _is_program(name)):
            return False
        return self._is_person(name) or _ASKING.search(name) is not None

    def _is_person(self, name: str) -> bool:
        return name in {self.actor, "我们", "我", "用户"} or PERSON.match(name) is not None

    def _is_agent(self, name: str) -> bool:
        return (
            self._is_person(name)
            or name in self.people
            or TEAM.search(name) is not None
            or _BODY.search(name) is not None
            or (name.isascii() and name.split(" ", maxsplit=1)[0].istitle() and all(map(_LATIN_NAME.match, name.split(" "))))
        )

    # --- ends

    def _names(self, low: int, high: int) -> list[str]:
        """Return the phrases in a stretch: the members of an enumeration, each without what only describes it."""
        short = self.clauses.short[low:high]
        found: list[str] = []
        at = low
        for part in re.split("[、和与及跟&]|以及|还有", short):
            end = at + len(part)
            if part:
                written = self._of(at, end)
                found.extend(self._who(written))
            at = end + 1 if at + len(part) < high and short[end - low : end - low + 2] not in {"以及", "还有"} else end + 2
        return [name for name in found if name]

    def _of(self, low: int, high: int) -> str:
        """Return "B" of "A 的 B" where B names a thing by itself, else the whole phrase."""
        short = self.clauses.short[low:high]
        owned = short.rfind("的")
        if owned > 0 and owned + 1 < len(short):
            last = self.clauses.written(low + owned + 1, high)
            if PERSON.match(last) and not last.isascii():
                return last
            before = self.clauses.written(low, low + owned)
            if last in _OF_IT and before.isascii():
                return before
            if len(last) >= 3 or not all("\u4e00" <= one <= "\u9fff" for one in last):
                return last
            first = self.clauses.written(low, low + owned)
            return last if first in PRONOUNS or PERSON.match(first) else self.clauses.written(low, high)
        return self.clauses.written(low, high)

    def _who(self, written: str) -> list[str]:
        name = self._trim(written)
        if name in PRONOUNS:
            return ["我们" if PRONOUNS[name] == "we" and not self.person else self.actor]
        if name in THIRD or name in {"她", "他", "它", "他们", "谁"}:
            return list(self.subject[:1]) if name != "谁" else []
        return [name] if name and len(name) <= 24 else []

    @staticmethod
    def _trim(written: str) -> str:
        path = _PATH.fullmatch(written)
        name = path["path"] if path is not None else _QUANTITY.sub("", written.strip(" ,，。、\"'“”`"))
        labelled = _LABELLED.fullmatch(name)
        name = labelled["name"] if labelled is not None else name
        return _OLD.sub("", name.removesuffix("()").strip())

    def _events(self, low: int, high: int) -> list[str]:
        written = self.clauses.clause(low, high)
        lead = LEADS.match(written)
        written = written[lead.end() :] if lead is not None and lead.end() < len(written) - 1 else written
        time = TIME.match(written)
        written = written[time.end() :] if time is not None and time.end() < len(written) - 1 else written
        text = _CLOSING.sub("", _QUANTITY.sub("", _OPENING.sub("", written)))
        text = _QUANTITY.sub("", text).strip(" ,，。、“”\"'")
        if text in THIRD or text in PRONOUNS or len(text) < 2 or len(text) > 40:
            return []
        return [text]

    def _remember_subject(self, start: int, end: int) -> None:
        """Keep the phrase a clause opens with, for the next clause without a subject."""
        short = self.clauses.short[start:end]
        opening = re.match("(?:[\ue000-\uf8ff](?:[、和与及跟])?)+", short)
        if opening is not None and end - start > 1:
            names = self._names(start, start + opening.end())
            self.subject = tuple(name for name in names if name != "问题") or self.subject

    def _add(self, source: str, relation: R, target: str, name: str, confidence: float) -> None:
        if source and target and source != target:
            self.links.setdefault(
                (source.lower(), relation, target.lower()), Link(source, relation, target, f"zh-seg:{name}", confidence)
            )


def _is_program(name: str) -> bool:
    """Whether a Latin name is, or begins with, a program that everybody knows: "Kafka Streams"."""
    return EntityType.SOFTWARE in {shape_of(name), shape_of(name.split(" ", maxsplit=1)[0])}


_OBJECT_FIRST = frozenset(
    "由…负责 是…在负责 被…使用 由…生成 被…取代 由…组成 负责人是 包含 被…依赖 用…取代 把…换成 从…到 换成".split()
)
"""Patterns whose object is what the sentence goes on about."""


class _Moved:
    """A match in a clause, told in places of the whole short form."""

    def __init__(self, match: re.Match[str], by: int) -> None:
        self._match = match
        self._by = by
        self.string = match.string
        self.re = match.re

    def groupdict(self) -> dict[str, str | None]:
        """Return the named groups."""
        return self._match.groupdict()

    def __getitem__(self, group: str) -> str:
        """Return the text of a group."""
        return self._match[group]

    def span(self, group: str) -> tuple[int, int]:
        """Return where a group stands in the whole short form."""
        low, high = self._match.span(group)
        return low + self._by, high + self._by

    def start(self, group: str | int = 0) -> int:
        """Return where a group begins in the whole short form."""
        return self._match.start(group) + self._by

    def end(self, group: str | int = 0) -> int:
        """Return where a group ends in the whole short form."""
        return self._match.end(group) + self._by
