"""Relations in Chinese sentences: clause patterns."""

import re
from collections.abc import Iterator, Sequence

from hindsight_graph.extraction.assertion import PLAIN, STATES, Assertion
from hindsight_graph.extraction.chinese import find_names
from hindsight_graph.extraction.constructions_zh import DOWN, MODIFIED, PAIRED, RATHER_PAIR, SPECIAL, THAN, WHY, WITHOUT
from hindsight_graph.extraction.findings import Link, Name
from hindsight_graph.extraction.rules_zh import (
    CLAUSE,
    FALSE_USE,
    FORBIDS,
    HAS_TO,
    JOIN,
    LATIN_CUT,
    LEAD,
    MUST,
    NEEDS_TO,
    NEG_PLACE,
    NEG_TAIL,
    NO_NAME,
    NO_SUBJECT,
    NOT_CHOSEN,
    NOT_JOINED,
    NOUN_AFTER,
    NOUN_OF_LINK,
    NOUN_TAIL,
    OPENS_OBJECT,
    OWN_GROUP,
    PERSON,
    PLACE_BEFORE_BAN,
    PRONOUNS,
    RATHER,
    RIGHT_CUT,
    RIGHT_LEAD,
    SETTING,
    STRONG_CAUSE,
    TAIL,
    TEAM,
    THIRD,
    TRIGGERS,
    TURNED_INTO,
    VALUE_AFTER,
    VOID_TAIL,
    WEAK_CUTS,
    Trigger,
)
from hindsight_graph.models.enums import RelationType as R
from hindsight_graph.text.lazy import LazyPattern

_OPENS_REASON = LazyPattern(r"^(?:因为|由于|因)\s*(?P<cause>.+)$")
_CLOSES_REASON = LazyPattern(r"^(?:所以|因此|因而|于是|从而|进而|故而|导致了?|造成了?|引起了?|才导致)\s*(?P<effect>.+)$")
_GIVES_REASON = LazyPattern(r"^(?:这)?(?:主要)?(?:是)?(?:因为|由于|原因是)\s*(?P<cause>.+)$")
_INSTEAD = LazyPattern(r"^(?:而不是|而非|不是|而不用)(?:使用|用)?\s*(?P<other>.+)$")
_LONGEST_TAIL = 24
_LONGEST_CLAUSE = 120
"""A longer run without a comma is no clause; the patterns' time is bounded by it."""


def find_relations(text: str, actor: str, *, person: bool = False, assertion: Assertion = PLAIN) -> list[Link]:
    """Return the relations that a Chinese sentence states.

    Args:
        text: One sentence.
        actor: Who "我" is, and who an order without a subject is addressed to.
        person: "我们" is the actor too.
        assertion: Which of its parts state nothing.
    """
    return _Reader(actor, person=person).read(text, assertion)


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    """Yield the clauses of a sentence, trimmed, with where they begin."""
    start = 0
    for end, after in [*(match.span() for match in CLAUSE.finditer(text)), (len(text), len(text))]:
        clause = text[start:end]
        if clause.strip():
            yield start + len(clause) - len(clause.lstrip()), clause.strip()
        start = after


def _inside(match: re.Match[str], names: Sequence[Name]) -> bool:
    """Whether a verb is part of a name: 推送 in "石洲推送服务"."""
    return any(name.start < match.start() and match.end() < name.end for name in names)


def _without_tail(left: str) -> str:
    """Return the words before a verb without the adverbs at their end."""
    tail = TAIL.search(left, max(0, len(left) - _LONGEST_TAIL))
    return left[: tail.start()] if tail else left


class _Reader:
    """Reads a sentence clause by clause, remembering the last subject."""

    def __init__(self, actor: str, *, person: bool) -> None:
        self.actor = actor
        self.person = person
        self.subject: tuple[str, ...] = ()
        self.links: dict[tuple[str, R, str], Link] = {}

    def read(self, text: str, assertion: Assertion) -> list[Link]:
        """Return the relations of the sentence, each once, in the order in which they are stated."""
        clauses = list(_clauses(text))
        skip = False
        for index, (start, written) in enumerate(clauses):
            if skip:
                skip = False
                continue
            clause = MUST.sub("务必", written)
            following = MUST.sub("务必", clauses[index + 1][1]) if index + 1 < len(clauses) else ""
            if assertion.veils and assertion.hides(start):
                skip = bool(following) and self._outage(clause, following)
                continue
            past = bool(assertion.veils) and assertion.is_past(start)
            if past and following and not assertion.is_past(clauses[index + 1][0]):
                following = ""  # "以前 X，现在 Y"
            known = set(self.links)
            if following and self._pair(clause, following):
                skip = True
            else:
                self._clause(clause)
            if past:  # and "以前" puts nothing before anything
                gone = STATES | {R.PRECEDES}
                self.links = {key: link for key, link in self.links.items() if key in known or link.type not in gone}
        return list(self.links.values())

    # --- two clauses

    def _pair(self, first: str, second: str) -> bool:
        """State the relations between two clauses. True when both are used up."""
        return self._reason(first, second) or self._comparison(first, second) or self._sequence(first, second)

    def _reason(self, first: str, second: str) -> bool:
        """Read "因为 X，所以 Y", "X，因此 Y", "Y，因为 X", "之所以 Y，是因为 X"."""
        why = WHY.match(f"{first}，{second}")
        if why:
            self._emit(why["cause"], R.CAUSES, why["effect"], "zh:之所以", 0.85)
            return True
        opened = _OPENS_REASON.match(first)
        closed = _CLOSES_REASON.match(second)
        reason = _GIVES_REASON.match(second)
        if opened and not re.search("导致|引起|造成", first):
            effect = closed["effect"] if closed else second
            self._emit(opened["cause"], R.CAUSES, effect, "zh:因为…所以" if closed else "zh:由于", 0.85)
        elif closed:
            verb = re.match(r"导致|造成|引起|才导致", second)
            self._clause(first)
            self._emit(first, R.CAUSES, closed["effect"], "zh:" + (verb.group() if verb else "所以"), 0.8 if verb else 0.7)
        elif reason:
            self._emit(reason["cause"], R.CAUSES, first, "zh:因为", 0.8)
        return bool((opened and not re.search("导致|引起|造成", first)) or closed or reason)

    def _comparison(self, first: str, second: str) -> bool:
        """Read "与其 X，不如 Y", "比起 X，更喜欢 Y", "用 X，而不是 Y"."""
        rather = RATHER_PAIR.match(f"{first}，{second}")
        than = THAN.match(f"{first}，{second}")
        instead = _INSTEAD.match(second)
        if rather:
            self._prefers((self.actor,), rather["more"], rather["less"], "zh:与其…不如")
        elif than:
            self._prefers(self._subjects(than["who"]) or (self.actor,), than["more"], than["less"], "zh:比起")
        elif instead:
            self._clause(first)
            if any(link.type in {R.USES, R.PREFERS} for link in self.links.values()):
                for subject in self.subject:
                    self._add(subject, R.AVOIDS, self._object(instead["other"], R.AVOIDS), "zh:而不是")
        return bool(rather or than or instead)

    def _prefers(self, subjects: tuple[str, ...], more: str, less: str, name: str) -> None:
        for subject in subjects:
            self._add(subject, R.PREFERS, self._object(more, R.PREFERS), name)
            self._add(subject, R.AVOIDS, self._object(less, R.AVOIDS), name)

    def _sequence(self, first: str, second: str) -> bool:
        """Read "一旦 X 宕机，Y 就不可用", "先 X，再 Y" and the like."""
        if self._outage(first, second):
            return True
        for special in PAIRED:
            match = special.pattern.match(f"{first}，{second}")
            if match:
                self._emit(match[special.source], special.relation, match[special.target], f"zh:{special.name}", 0.75)
                return True
        return False

    def _outage(self, first: str, second: str) -> bool:
        """Read "一旦 X 宕机，Y 就不可用" and "如果没有 X，Y 就无法启动": conditions that state what Y depends on."""
        down = DOWN.match(f"{first}，{second}") or WITHOUT.match(f"{first}，{second}")
        if down:
            self._emit(down["who"], R.DEPENDS_ON, down["needed"], "zh:一旦…就", 0.75)
        return down is not None

    # --- one clause

    def _clause(self, clause: str) -> None:
        if len(clause) > _LONGEST_CLAUSE:
            return
        lead = LEAD.match(clause)
        body = clause[lead.end() :] if lead and lead.end() < len(clause) else clause
        characters = frozenset(body)
        for special in SPECIAL:
            relation, name = special.relation, special.name
            match = None if special.needed.isdisjoint(characters) else special.pattern.match(body)
            if match is None or not self._special_fits(relation, name, match, body):
                continue
            if name != "宁愿…也不" and self._is_denied(match, body):
                return
            a, b = match[special.source], match[special.target]
            if name == "宁愿…也不":
                subject = self._subjects(match["a"]) or (self.actor,)
                for who in subject:
                    self._add(who, R.PREFERS, self._object(match["c"], R.PREFERS), f"zh:{name}")
                    self._add(who, R.AVOIDS, self._object(match["b"], R.AVOIDS), f"zh:{name}")
                return
            if name == "因…而2":
                a, b = match["b"], match["a"] + match["c"]
            if name == "在…工作" and match["c"]:
                b = match["b"]
            self._emit(a, relation, b, f"zh:{name}", 0.9)
            return
        unchosen = NOT_CHOSEN.search(body)
        if unchosen:
            for subject in self._who(body[: unchosen.start()], R.AVOIDS, order=True):
                self._add(subject, R.AVOIDS, self._object(unchosen["what"], R.AVOIDS), "zh:不选")
            return
        self._verb(body)

    @staticmethod
    def _is_denied(match: re.Match[str], body: str) -> bool:
        """Whether the words before a construction deny it: "不要 | 在周五部署", "不 | 归小王负责", "不要 | 把 X 换成 Y"."""
        before = OPENS_OBJECT.sub("", body[: min(match.start("a"), match.start("b"))])
        return any(NEG_TAIL.search(left) or VOID_TAIL.search(left) for left in (match["a"], before))

    def _special_fits(self, relation: R, name: str, match: re.Match[str], body: str) -> bool:
        if relation is R.REPLACES and (
            re.match(r"\s*v?\d", match["b"])
            or re.search(r"(?:端口|版本|时间|超时|地址|大小|密码|数量|上限|时长|间隔|名称|名字)\s*$", match["a"])
        ):
            return False
        if name == "让…":
            return not (
                PERSON.match(match["a"].strip())
                or match["a"].strip() in PRONOUNS
                or re.search("[请别先要]|可以|我$|你$", match["a"])
            )
        if name == "用…写":
            return bool(re.match(r"\s*[A-Za-z`]", match["b"])) and len(match["b"]) <= 24
        if name == "由…导致":
            return not match["a"].endswith(("自", "经", "理"))
        if name in {"在…之前", "在…之后"} and re.search("位于|部署|住", match["a"]):
            return False
        if name == "…之前先":
            return len(match["a"]) <= 14 and not re.search("目前|以前|当前|提前", body)
        return not (name == "…之后" and len(match["a"]) > 14) and not re.search("不(?:是|由|被|在)", match["a"][-2:])

    def _verb(self, body: str) -> None:
        """State the relation of the clause's main verb: the first that causes or fixes, else the first of all."""
        found: list[tuple[int, int, re.Match[str], Trigger]] = []
        characters = frozenset(body)
        names: list[Name] | None = None
        for trigger in TRIGGERS:
            if trigger.needed.isdisjoint(characters):
                continue
            matches = [match for match in trigger.pattern.finditer(body) if self._stands(match, body)]
            if matches and names is None:
                names = find_names(body)
            matches = [match for match in matches if not _inside(match, names or ())]
            strong = [match for match in matches if trigger.relation is R.FIXES or STRONG_CAUSE.match(match.group())]
            found.extend((0 if strong else 1, match.start(), match, trigger) for match in strong[:1] or matches[:1])
        if found:
            _, _, match, trigger = min(found, key=lambda one: one[:2])
            self._state(body[: match.start()], body[match.end() :], match.group(), trigger)

    def _stands(self, match: re.Match[str], body: str) -> bool:
        """Whether a verb is one here, and has an object."""
        word, right = match.group(), body[match.end() :]
        if not right.strip(" 的了。") or (word == "用" and self._false_use(body, match.start())):
            return False
        if word in {"维护", "管理", "运营", "运维"}:
            return self._agent(body[: match.start()])
        if word == "连接" and NOUN_OF_LINK.match(right):
            return False
        return not (word == "需要" and NEEDS_TO.match(right))

    def _false_use(self, body: str, at: int) -> bool:
        return (
            any(found.start() <= at < found.end() for found in FALSE_USE.finditer(body, max(0, at - 1), at + 2))
            and body[max(0, at - 1) : at + 1] != "不用"
        )

    def _agent(self, left: str) -> bool:
        bare = _without_tail(left).strip()
        return bool(PERSON.match(bare) or TEAM.search(bare))

    def _state(self, left: str, right: str, verb: str, trigger: Trigger) -> None:
        relation = trigger.relation
        if VALUE_AFTER.match(right) or (relation is R.USES and verb in TURNED_INTO and re.search("[把将]", left)):
            return
        if verb in PLACE_BEFORE_BAN and (SETTING.match(left.strip()) or not re.search(r"[^尽量请\s]", left)):
            left = ""
        if VOID_TAIL.search(left):
            self.subject = self._subjects(VOID_TAIL.sub("", left)) or self.subject
            return
        denial = NEG_TAIL.search(left) or NEG_PLACE.search(left)
        told = denial is not None and FORBIDS.search(denial.group()) is not None
        if denial is not None:
            left = left[: denial.start()]
            left = "" if SETTING.match(left.strip()) else left
        elif relation is R.PRODUCES:
            left = re.sub(r"(?:把|将)[^把将]+$", "", left)
        subjects = self._who(left, relation, order=told or relation in {R.USES, R.PREFERS, R.AVOIDS})
        if not subjects or (trigger.thing and all(PERSON.match(subject) and not subject.isascii() for subject in subjects)):
            return
        if denial is not None:
            self.subject = subjects
            if relation not in {R.USES, R.PREFERS} and not (relation is R.DEPENDS_ON and told):
                return
            relation = R.AVOIDS
        for target in self._objects(right, relation):
            for subject in subjects:
                source, aim = (target, subject) if trigger.reverse else (subject, target)
                self._add(source, relation, aim, f"zh:{verb}")
        rather = RATHER.search(right) if relation in {R.USES, R.PREFERS} else None
        if rather:
            for subject in subjects:
                self._add(subject, R.AVOIDS, self._object(rather.group(1), R.AVOIDS), "zh:而不是")
        self.subject = subjects

    def _who(self, left: str, relation: R, *, order: bool) -> tuple[str, ...]:
        """Return the subjects before a verb; without any the last ones, and for an order whoever is addressed."""
        subjects = self._subjects(left, whole=relation in {R.CAUSES, R.FIXES})
        if subjects == ():
            return self.subject or ((self.actor,) if order else ())
        return subjects or ()

    # --- phrases

    def _subjects(self, left: str, *, whole: bool = False) -> tuple[str, ...] | None:
        """Return the subjects in the words before a verb: empty when there are none, None when they name nothing."""
        bare = _without_tail(left).strip(" “”\"'`、,，")
        lead = LEAD.match(bare)
        if lead:
            bare = bare[lead.end() :]
        bare = RIGHT_LEAD.sub("", bare).strip()
        bare = re.sub(r"(?:的时候|(?<![超延定实及准即同临限计耗工])时)$", "", bare)
        if not bare:
            return ()
        if bare in PRONOUNS:
            return (self._pronoun(bare),)
        if bare in THIRD:
            return self.subject or None
        bare = re.sub(r"^(?:我们的?|我的|她的|他的|你的|它的|公司的?|在)(?=.{2,})", "", bare)
        bare = OWN_GROUP.sub("", bare) if PERSON.match(OWN_GROUP.sub("", bare)) else bare
        ours = re.search(r"^.{2,8}(我们|咱们|我)$", bare)
        if ours:
            return (self._pronoun(ours.group(1)),)
        bare = self._modified(bare) if not whole else bare
        if NO_SUBJECT.match(bare) or len(bare) > 40 or not re.search(r"\w", bare):
            return None
        parts = JOIN.split(bare) if not whole and not NOT_JOINED.search(bare) else [bare]
        parts = [part.strip() for part in parts if part.strip()]
        return tuple(parts) if all(len(part) <= 24 for part in parts) else None

    def _modified(self, phrase: str) -> str:
        """Return the noun of "由 A 维护的 B" after stating what its modifier says."""
        for relation, reverse, pattern in MODIFIED:
            match = pattern.match(phrase)
            if match:
                one, head = match["one"].strip(), match["head"].strip()
                self._add(*((one, relation, head) if reverse else (head, relation, one)), "zh:…的")
                return head
        return phrase

    def _pronoun(self, word: str) -> str:
        return "我们" if PRONOUNS[word] == "we" and not self.person else self.actor

    def _objects(self, right: str, relation: R) -> tuple[str, ...]:
        first = self._object(right, relation)
        if not first:
            return ()
        if relation in {R.CAUSES, R.FIXES} or NOT_JOINED.search(first):
            return (first,)
        return tuple(part.strip() for part in JOIN.split(first) if part.strip())

    def _object(self, right: str, relation: R) -> str:
        text = RIGHT_LEAD.sub("", right.strip(" “”\"'`。.!！"), count=1)
        if relation is R.PRODUCES:
            text = re.sub(r"^[成为到出]\s*", "", text)
        if relation is R.LOCATED_IN:
            text = re.sub(r"的(?:一|两|几|三)(?:台|个|套|组|间|栋).*$", "", text)
        if relation not in {R.CAUSES, R.FIXES}:
            cut = next((cut for cut in RIGHT_CUT.finditer(text) if not NOUN_AFTER.match(text, cut.end())), None)
            if cut and (text[cut.end() :].strip() or text[cut.start() - 1] < "\u2e80" or cut.group().strip() not in WEAK_CUTS):
                text = text[: cut.start()]
        latin = (
            re.match(r"[A-Za-z][\w.+#/-]*(?: [A-Z0-9][\w.]*)* (?P<rest>[^A-Za-z0-9\s]{2,})$", text)
            if relation in {R.USES, R.PREFERS, R.AVOIDS}
            else None
        )
        if latin and (LATIN_CUT.match(latin["rest"]) or not NOUN_TAIL.search(latin["rest"])):
            text = text[: latin.start("rest")]
        text = (
            re.sub(r"(?:的|了|吧|呢|啊|等|上|之上|里|里面|之中)+$", "", text.strip(" “”\"'`。."))
            if relation is not R.CAUSES
            else re.sub(r"(?:的|了|吧|呢|啊)+$", "", text.strip(" “”\"'`。."))
        )
        text = text.strip(" “”\"'`").removesuffix("()")
        if relation is R.PRECEDES or relation is R.CAUSES:
            text = re.sub(r"^开始(?=.{2,})", "", text)
        if text in PRONOUNS:
            return self._pronoun(text)
        return "" if text in THIRD or len(text) > 40 or not re.search(r"\w", text) else text

    def _emit(self, source: str, relation: R, target: str, name: str, confidence: float) -> None:
        whole = relation in {R.CAUSES, R.FIXES, R.PRECEDES}
        sources = self._subjects(source, whole=whole)
        targets = (self._object(target, R.CAUSES if whole else relation),) if whole else self._objects(target, relation)
        targets = tuple(part for item in targets for part in (self._subjects(item, whole=whole) or ()))
        if whole:
            sources = tuple(self._trimmed(one, relation) for one in sources or ())
            targets = tuple(self._trimmed(other, relation) for other in targets)
        for one in sources or ():
            for other in targets:
                self._add(one, relation, other, name, confidence)
        if sources:
            self.subject = sources if relation not in {R.CAUSES, R.PRECEDES} else self.subject

    @staticmethod
    def _trimmed(clause: str, relation: R) -> str:
        """Return a clause without its final 了, and for an order of events without "has to run"."""
        bare = clause.rstrip("了的") or clause
        short = HAS_TO.sub("", bare) if relation is R.PRECEDES else bare
        return short if len(short) >= 2 else bare

    def _add(self, source: str, relation: R, target: str, name: str, confidence: float = 0.9) -> None:
        if source and target and source != target and not any(NO_NAME.search(end) for end in (source, target)):
            self.links.setdefault((source.lower(), relation, target.lower()), Link(source, relation, target, name, confidence))
