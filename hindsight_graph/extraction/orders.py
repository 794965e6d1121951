"""Orders that hold from now on: "以后请用 pnpm", "from now on, please use pnpm". They say what is wanted, not who uses what."""

from collections.abc import Iterable

from hindsight_graph.extraction.findings import Link
from hindsight_graph.extraction.smalltalk import is_standing_request
from hindsight_graph.models.enums import RelationType
from hindsight_graph.text.lazy import LazyPattern

__all__ = ["is_order", "wanted"]

_NOW_ON = "以后|今后|往后|日后|从今以后|从今往后|从今起|从现在起|从现在开始|接下来"
_CHINESE = LazyPattern(
    rf"\W*(?:请|麻烦|拜托|烦请|劳驾|你|您|你们|大家)*(?:{_NOW_ON})[，,]?(?:请|麻烦|拜托|烦请|劳驾|你|您|你们|大家|也|都|就|一律|统一|一直|始终|"
    r"总是|默认|尽量|优先|记得|记住|只|全部|全|再)*\s*(?:使用|采用|改用|换成|用(?!户|电|量|途|力|法|例|人|水|工|品|心|意)|选择?|以|按)"
)
_NOW_ON_EN = r"(?:from now on|from here on(?: out)?|going forward|in (?:the )?future|henceforth|from today(?: on)?)"
_VERB = (
    r"(?:use|switch to|go with|stick (?:to|with)|answer|reply|respond|write|speak|format|name|call|run|put|keep|prefer|choose)\b"
)
_ENGLISH = LazyPattern(
    rf"\W*(?:{_NOW_ON_EN}[,:]? (?:please,? |kindly )?(?:just |only |always )?{_VERB}|"
    rf"(?:please,? |kindly )?(?:just |only )?{_VERB}.*\b{_NOW_ON_EN}\b)"
)
_LATIN_HEAD = LazyPattern(r"(?P<name>[A-Za-z][A-Za-z0-9_.+#/\-]*)\s*[\u4e00-\u9fff].*")


def is_order(text: str) -> bool:
    """Whether a sentence asks that something be done so from now on; what has the form of a question counts too."""
    return _CHINESE.match(text) is not None or _ENGLISH.match(text.lower()) is not None or is_standing_request(text)


def wanted(links: Iterable[Link], actor: str) -> list[Link]:
    """Return the relations of an order: what it says is used, whoever orders it prefers."""
    found: list[Link] = []
    for link in links:
        if link.type is not RelationType.USES:
            found.append(link)
            continue
        head = _LATIN_HEAD.fullmatch(link.target)
        target = head["name"] if head else link.target
        found.append(link._replace(source=actor, type=RelationType.PREFERS, target=target))
    return found
