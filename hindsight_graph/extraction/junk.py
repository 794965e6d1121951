"""What looks like a name and is none: pronouns, bare numbers, table marks. As things they would link everything to everything."""

from hindsight_graph.text.lazy import LazyPattern

__all__ = ["is_code", "is_junk"]

_PRONOUNS = frozenset(
    "it its they them their this that these those he him his she her hers who whom which what one ones something anything "
    "everything nothing someone anyone everyone nobody somebody anybody everybody both each either neither here there none all "
    "some any it's that's there's he's she's they're let's "
    "它 它们 他 他们 她 她们 这 那 这个 那个 这些 那些 这里 那里 这边 那边 这样 那样 此 其 其中 其它 其他 该 "
    "自己 谁 某人 什么 哪个 对方 大家 前者 后者 两者 二者 彼此 上述 以上 以下 如下 本身 "
    "total subtotal sum n/a null nil true false yes no ok todo tbd 合计 总计 小计 无 是 否 空".split()
)
_NUMBER = LazyPattern(
    r"[~≈<>=+\-−]{0,2}[$€£¥]?\d[\d,]*\s?(?:%|‰|[kKmMgGtTbB]{1,2}|ms|s|h|d|x|px|[个次台条天年月日号时分秒元万亿])?"
)
_MARKS = LazyPattern(r"[\W_]*")
_POINTING = LazyPattern(r"[于的和与及在由从]?(?:上述|上面|下面|以下|如下|前述)\w*")
_CODE = LazyPattern(
    r"(?:async )?def \w+\(|class \w+[(:]|return\b.*[()\[\]{}]|import [\w.]+$|from [\w.]+ import |(?:const|let|var) \w+ ?=|"
    r"(?:export )?function\b.*\(|#include|>>> |for \w+ in .*:$|(?:elif|else|try|except)\b.*:$|@\w+\(|[\w.]+\([^()]*\);?$|.*[{}]$"
)
"""Lines of program text outside a fence."""


def is_junk(name: str, *, numbers: bool = True) -> bool:
    """Whether a found name is a pronoun, a number (with a point it may be a version or an address), or marks alone."""
    text = name.strip()
    if text.lower().replace("’", "'") in _PRONOUNS or _MARKS.fullmatch(text):
        return True
    return (numbers and _NUMBER.fullmatch(text) is not None) or _POINTING.fullmatch(text) is not None


def is_code(text: str) -> bool:
    """Whether a line is program text: what it names are variables, not things."""
    return _CODE.match(text) is not None
