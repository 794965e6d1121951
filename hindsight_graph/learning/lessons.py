"""Which lessons are worth keeping (promise X-04), and which say the same or the opposite."""

import re
from collections.abc import Iterable

from hindsight_graph.text.language import HAN
from hindsight_graph.text.lazy import LazyPattern
from hindsight_graph.text.sketch import similarity
from hindsight_graph.text.tokens import index_terms

__all__ = ["SAME", "fault_of", "is_negated", "same_lesson", "speaks_of_all"]

SAME = 0.6
"""Two lessons of one polarity whose terms have at least this Jaccard similarity are one lesson. Wordings that differ in one
of five to eight terms reach .6 to .8; lessons about different tools share at most the frame (under .5)."""
_SHORTEST_WORDS, _SHORTEST_HAN = 4, 6
_HAN_CHARACTER = LazyPattern(f"[{HAN}]")
_VAGUE = LazyPattern(
    r"^\W*(?:(?:please |always |you should |we should |next time,? |try to |make sure to |remember to )*"
    r"(?:be (?:more )?(?:careful|cautious|thorough|patient|mindful|precise|attentive)|pay (?:more |close )?attention|take care|"
    r"do (?:it )?better|try (?:again|harder)|double[- ]check(?: (?:everything|things|it|your work))?|"
    r"check (?:everything|things|carefully|twice)|"
    r"think (?:carefully|twice|before acting)|follow (?:the )?(?:best practices|instructions|rules)|avoid (?:mistakes|errors)|"
    r"don'?t make mistakes|handle errors (?:properly|better)|communicate (?:better|clearly)|work carefully)"
    r"(?: (?:next time|in (?:the )?future|when \w+ing|with (?:this|that|it|everything)|always|again))*)\W*$|"
    r"^\W*(?:(?:please|always|you should|we should) )*(?:be (?:more )?(?:careful|cautious|mindful|attentive)|"
    r"pay (?:more |close )?attention|take care) (?:with|about|of|to|on) (?:\w+ ){0,3}\w+\W*$|"
    r"^\W*(?:\w{1,12}(?:时候?|的时候)[，, ]?)?(?:(?:以后|下次|请|要|应该|一定要|务必|必须|需要|多|更加?)*"
    r"(?:注意(?:一下|点|些)?|小心(?:一点|点|些|谨慎)?|仔细(?:一点|点|些|检查)?|认真(?:一点|点|些)?|谨慎(?:一点|点|些)?|"
    r"多加?(?:注意|小心)|做得更好|再试一?次|避免(?:错误|出错)|不要(?:犯错|出错)|遵守规(?:则|范)|加强沟通))\W*$",
    re.IGNORECASE,
)
_ALL = LazyPattern(
    r"\b(?:all|every|any|each|always|never|no(?:ne)?|whenever|everyone|everything|must always)\b|"
    r"所有|一切|每(?:个|次|一)|任何|全部|全都|一律|总是|永远|从不|从来|凡是|都要|都会|都被|一定",
    re.IGNORECASE,
)
_NOT = LazyPattern(
    r"\b(?:not|never|no|don'?t|do not|avoid|without|cannot|can'?t|stop|won'?t|instead of)\b|不要?|别|勿|禁止|避免|无需|没有",
    re.IGNORECASE,
)
_REFUSAL = LazyPattern(r"^\W*(?:no(?:pe)?|not (?:that|so|like that)|不(?:对|是|行)?)\s*[,.!;:，。！；：]+", re.IGNORECASE)
"""The word with which a person begins to correct: it refuses what was done, and negates nothing of what is to be done."""


def fault_of(lesson: str, known: Iterable[str] = ()) -> str | None:
    """Return why a lesson is not worth keeping: `too short`, `vague`, `near-duplicate of …`; None when it is.

    Args:
        lesson: One or two sentences.
        known: Lessons kept already.
    """
    text = " ".join(lesson.split())
    if _VAGUE.search(text):
        return "vague"
    han = len(_HAN_CHARACTER.findall(text))
    if han < _SHORTEST_HAN and len(text.split()) + han < _SHORTEST_WORDS:
        return "too short"
    twin = next((other for other in known if same_lesson(text, other)), None)
    return f"near-duplicate of “{twin}”" if twin is not None else None


def same_lesson(first: str, second: str) -> bool:
    """Whether two lessons say the same: alike in their terms, of one polarity."""
    if is_negated(first) != is_negated(second):
        return False
    return similarity(index_terms(first), index_terms(second)) >= SAME


def is_negated(text: str) -> bool:
    """Whether a lesson tells what not to do."""
    answer = _REFUSAL.match(text)
    return bool(_NOT.search(text[answer.end() :] if answer else text))


def speaks_of_all(text: str) -> bool:
    """Whether a lesson claims to hold without exception: all, every, always, never; 所有, 一律, 总是."""
    return bool(_ALL.search(text))
