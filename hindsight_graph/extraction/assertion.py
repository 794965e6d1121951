"""What a sentence says without asserting it: what it denies, doubts, supposes, or tells of the past."""

from typing import NamedTuple

from hindsight_graph.models.enums import RelationType as R
from hindsight_graph.text.lazy import LazyPattern

STATES = frozenset({R.USES, R.DEPENDS_ON, R.OWNS, R.PART_OF, R.LOCATED_IN, R.PREFERS, R.AVOIDS})
"""Relations that hold for a time; a past one holds no more. The others are events, and an event of the past has happened."""


class Veil(NamedTuple):
    """Characters [start, end) of a sentence that state nothing, or in a `past` one no state of today."""

    start: int
    end: int
    past: bool = False


class Assertion(NamedTuple):
    """How a sentence stands to what it says.

    Attributes:
        veils: Its parts that state nothing, in order.
        denied: It says that something is not so.
        doubted: It says that something may not be so.
    """

    veils: tuple[Veil, ...] = ()
    denied: bool = False
    doubted: bool = False

    def hides(self, at: int) -> bool:
        """Whether the character at `at` stands in a part that states nothing."""
        return any(veil.start <= at < veil.end for veil in self.veils if not veil.past)

    def is_past(self, at: int) -> bool:
        """Whether the character at `at` stands in a part that tells of the past."""
        return any(veil.start <= at < veil.end for veil in self.veils if veil.past)


PLAIN = Assertion()
_BORDER = LazyPattern(
    r"[;；。]+\s*|(?:,\s*|\s)(?=but\b)|,\s*(?=(?:so|now|instead|however|and (?:now|so)|yet)\b)|\s[—–]\s|"
    r"[,，]\s*(?=但|不过|然而|可是|现在|目前|如今|其实|实际上|后来|所以|而是|改用)"
)
_WORD = LazyPattern("[a-z]+")
_ENGLISH_GATE = frozenset(
    "if unless suppose supposing assuming imagine provided wish wishes wished doubt doubts doubted doubtful wonder wonders "
    "wondering unclear unlikely uncertain unsure questionable debatable sure certain clear convinced know untrue false wrong "
    "incorrect mistaken myth lie nonsense mistake true right correct case evidence proof sign indication reason nobody one none "
    "think thinks thought believe believes mean expect say says said claim claims claimed meant wrongly falsely mistakenly "
    "incorrectly could would should might ought d had have were used formerly previously originally initially once former until "
    "almost nearly past then years time".split()
)
"""Words of which an English sentence must have one before the patterns are worth trying."""
_CHINESE_GATE = LazyPattern(
    "如果|假[如设使的]|倘若|要是|要不|万一|除非|若|的话|只要|[本原]来|[们我他她你它]本|早[知该先]|差点|险些|原[本先]|错|不[对成属正是实认觉相太"
    "能很大确清知敢一见]|有误|误[解以]|谣|并[非不没]|[没未]|认为|存疑|说不准|绝非|一旦|[设试]想|是否|怀疑|[以之先此从]前|曾|过去|当年"
)
_CLAIM = (
    r"(?:claim|idea|belief|rumou?r|assumption|statement|notion|view|opinion|impression|report|assertion|suggestion|theory|"
    r"thought)s?"
)
_FALSE = r"(?:not (?:\w+ )?(?:true|right|correct|the case)|untrue|false|wrong|incorrect|mistaken|a (?:myth|lie|mistake)|nonsense)"
_DENIES = LazyPattern(
    rf"\b(?:it|that)(?:['’]s| is| was)(?: \w+)? {_FALSE} that\b|\b(?:it|that) (?:isn['’]t|wasn['’]t) (?:true|right|correct|the "
    rf"case) that\b|\b(?:the|this|that|any|his|her|their) {_CLAIM}\b.*\b(?:is|was|are|were) {_FALSE}\b"
    rf"|\b(?:the|this|that|any|his|her|their) {_CLAIM}\b.*\b(?:isn['’]t|wasn['’]t) (?:true|right|correct)\b"
    rf"|^that\b.*\b(?:is|was) {_FALSE}\W*$|\b(?:wrongly|falsely|mistakenly|incorrectly) (?:think|believe|claim|assume|say|said|"
    r"state|report|thought)\w*\b|\b(?:is|are|was|were) (?:wrong|mistaken) (?:that|to (?:think|say|believe|claim))\b"
    r"|\b(?:no|little) (?:evidence|proof|sign|indication|reason to (?:think|believe))\b"
    r"|\b(?:nobody|no one|none of us) (?:says?|said|claim(?:s|ed)?|thinks?|believes?)\b"
    r"|\b(?:do|does|did)(?:n['’]t| not) (?:think|believe|suppose|mean|say|claim|expect)\b|\bnever (?:said|claimed|meant)\b"
)
_DOUBTS = LazyPattern(
    r"(?<!no )(?<!without )\b(?:doubts?|doubted|doubtful|wonders?|wondering) (?:that|whether|if|\w+)\b"
    r"|\b(?:not|n['’]t) (?:\w+ )?(?:sure|certain|clear|convinced)\b(?: (?:that|whether|if)\b| \w)"
    r"|\b(?:not|n['’]t) know (?:that|whether|if)\b"
    r"|\b(?:unclear|uncertain|unsure|questionable|debatable) (?:that|whether|if)\b|\b(?:it|that) is (?:very )?unlikely that\b"
)
_IDLE_IF = (
    r"possible|needed|necessary|any\b|anything|not\b|so\b|applicable|required|available|you (?:can|like|want|prefer|wish|don|"
    r"must|need to know)|i (?:remember|recall|understand|am not|'m not|may)|we (?:may|remember)|memory serves|ever\b|only\b"
)
_SUPPOSES = LazyPattern(
    rf"(?<!even )(?<!as )(?<!see )(?<!check )(?<!tell )(?<!know )(?<!ask )(?<!asked )(?<!test )(?<!verify )\bif "
    rf"(?!{_IDLE_IF})"
    r"|^\W*(?:and |or |but )?(?:unless|suppose|supposing|assuming|imagine|in case|provided|should \w+ \w+|were \w+ to|"
    r"had (?:we|i|you|they|he|she|it|the|[A-Z]\w+))\b|\bwish(?:es|ed)? (?:that )?(?:we|i|you|they|he|she|it|the)\b"
    r"|\b(?:could|would|should|might|ought to|['’]d)(?:n['’]t| not| never)?(?: \w+ly| also| just)? ?(?:have|['’]ve) "
    r"(?:\w+ly |also |just )?(?:\w+(?:ed|en)|been|had|run|built|kept|sent|made|put|set|left|lost|found|held|told|got|led|read)\b"
    r"|\b(?:almost|nearly) (?!all\b|every|always|never|any|no\b)\w+ed\b|\bas if\b|\bin case\b"
)
_PAST = LazyPattern(
    r"(?<!is )(?<!are )(?<!was )(?<!be )(?<!been )(?<!were )(?<!get )(?<!got )\b(?:used to|did use to) (?!\w+ing\b)"
    r"|(?<!\bthe )(?<!\ba )(?<!\bour )(?<!\bas )\b(?:formerly|previously) (?:\w+ed|ran|led|had|was|were|held|built|kept)\b"
    r"|(?<=[a-z] )once (?:used|owned|belonged|relied|depended|lived|maintained|managed|preferred|ran|led|was|were|had)\b"
    r"|\b(?:was|were|had) (?:formerly|previously|once|originally|initially)\b"
    r"|\b(?:in the past|back then|at one time|at that time|years ago)\b|^(?:formerly|previously|originally),? "
    r"|\bformer\b.* (?:was|were)\b|\bwould (?:\w+ly )?(?:depend|rely|need|require|use|own|belong|live|run|be)\b"
    r"|\b(?:was|were|\w+ed|ran|led|held|had|lay|stood|lived|kept)\b.* until (?:\d{4}|last|recently|yesterday|the end|then|he|she|"
    r"it|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter)\b"
)
_ZH_FALSE = LazyPattern(
    r"(?:是|完全|纯属|并|就|都|根本)*(?:错的|错误的|错了|假的|不对的?|不成立|不属实|误解|谣言|不正确|不是真的|不实|有误)(?:了|吧)?$"
    r"|(?:错误地|误)以?(?:认为|为|说)"
)
_ZH_DENIES_FIRST = LazyPattern("^(?:我|我们|他|她|其实|实际上|这)?(?:并不是|并非|不是|绝非)(?!由|在|用|不)")
_ZH_DENIES = LazyPattern("(?:不|没|从未|并不|并没有|没有)(?:认为|觉得|相信|听说|说过)|没有(?:证据|迹象|理由)")
_ZH_DOUBTS = LazyPattern(
    "不(?:太|能|是很|大)?(?:确定|清楚|知道|敢肯定|敢说)|未必|不一定|不见得|尚未确认|怀疑(?:.{0,12})是否|说不准|存疑"
)
_ZH_SUPPOSES = LazyPattern(
    "^(?:而|但|那|那么|而且|不过)?(?:如果|假如|假设|假使|倘若|要是|万一|除非|若(?!干)|只要|早知道|要不是|一旦|设想|试想)|的话$|是否|"
    "本来(?:就)?(?:可以|能|想|要|应该|打算|会)|(?:们|我|他|她|你|它|^)本(?:可以|可|该|能|应)|差点(?:儿)?|险些|原本(?:想|打算|要|可以|应该)|"
    "早该|要不然|(?:才|应)该早"
)
_ZH_HELD = "(?:是|由|归|负责|使用|用|依赖|管理|维护|叫|住|在|属于|一直|都|任|担任|主导|喜欢)"
_ZH_PAST = LazyPattern(
    "(?:以前|曾经|从前|原先|早先|此前|先前|当年)(?!的?(?:版本|经验|记录|数据))|(?:^|[，的])过去|过去(?:是|由|用|负责|一直)|"
    f"(?<=.)曾{_ZH_HELD}|(?:^|，)之前(?!先|必须|需要|要|应)|之前{_ZH_HELD}|原来{_ZH_HELD}"
)
_ZH_EVENT = LazyPattern("在[^，]{1,20}(?:之前|以前)|(?:上线|发布|部署|启动|执行|开始|结束|运行|合并|升级)(?:之前|以前)")


def read_assertion(text: str) -> Assertion:
    """Return which parts of one sentence assert nothing, and whether it denies or doubts. Linear in the text.

    A part reaches from one strong border to the next: a semicolon, "but", "so", 但, 现在. "If X, Y" hides both halves.
    """
    english = not _ENGLISH_GATE.isdisjoint(_WORD.findall(text.lower()))
    chinese = not text.isascii() and _CHINESE_GATE.search(text) is not None
    if not english and not chinese:
        return PLAIN
    veils: list[Veil] = []
    denied = doubted = False
    start = 0
    ends = [(match.start(), match.end()) for match in _BORDER.finditer(text)]
    for end, after in [*ends, (len(text), len(text))]:
        part = text[start:end].strip().rstrip(".。!！")
        if part:
            found = [_english(part)] if english else []
            found += [_chinese(part)] if chinese else []
            denies, doubts, supposes = (any(answers) for answers in zip(*found, strict=True))
            denied, doubted = denied or denies, doubted or doubts
            if denies or doubts or supposes:
                veils.append(Veil(start, end))
            elif (english and _PAST.search(part)) or (chinese and _ZH_PAST.search(part) and not _ZH_EVENT.search(part)):
                veils.append(Veil(start, end, past=True))
        start = after
    return Assertion(tuple(veils), denied, doubted) if veils else PLAIN


def _english(part: str) -> tuple[bool, bool, bool]:
    lower = part[:1].lower() + part[1:]
    return _DENIES.search(lower) is not None, _DOUBTS.search(lower) is not None, _SUPPOSES.search(lower) is not None


def _chinese(part: str) -> tuple[bool, bool, bool]:
    clauses = part.replace(",", "，").split("，")
    denies = bool(_ZH_DENIES_FIRST.search(clauses[0])) or any(
        _ZH_FALSE.search(clause) or _ZH_DENIES.search(clause) for clause in clauses
    )
    doubts = any(_ZH_DOUBTS.search(clause) for clause in clauses)
    supposes = any(_ZH_SUPPOSES.search(clause) for clause in clauses)
    return denies, doubts, supposes
