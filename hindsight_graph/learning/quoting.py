"""What a tool said, fit to stand inside words that an agent will read: data in quotation marks, short, and no order.

A tool's result is not trusted: whoever controls it must not be able to speak through a strategy. Its error stays whole in the
error code, which is compared and never followed; guidance, conditions and prompts show it only through here.
"""

import re
import unicodedata

from hindsight_graph.text.lazy import LazyPattern

__all__ = ["quoted", "said_by_tool"]

LIMIT = 60
"""Characters of an error that are shown: enough to know it by."""
_NOTHING_LEFT = "Error"
_CALLS = r"(?:call|run|invoke|execute|use|send|transfer|wire|pay|delete|drop|remove|approve|disable|reveal|print|open|reply)"
_ORDER = LazyPattern(
    r"(?:\b(?:ignore|disregard|forget|override|bypass)\b[^.。]{0,40}\b(?:instructions?|prompts?|rules?|above|previous|context|polic\w+)|"
    rf"\byou\W+(?:must|should|shall|have to|need to|are to|can now)\b[^.。]{{0,30}}\b{_CALLS}\b|"
    rf"\b(?:always|immediately|now|please|instead,?|first,?|then|and)\s+{_CALLS}\b|"
    r"\b(?:from now on|you are now|new instructions?|as an? (?:ai|assistant))\b|"
    r"(?:^|[^\w])(?:system|assistant|developer|user|human)\s*[:：>\]]|<\||\[/?inst\b|"
    r"请?(?:忽略|无视|忘记|绕过|覆盖)[^。]{0,16}(?:指令|指示|提示|规则|以上|之前|先前|限制)|"
    r"(?:你|您)(?:现在)?(?:必须|应该|应当|需要|务必|要)|从现在(?:开始|起)|(?:你|您)(?:现在)?是|新的?(?:指令|指示)|"
    r"(?:请|务必|必须|立即|立刻|马上|总是|始终|然后|并)(?:先|再|立即|立刻|马上|直接)*"
    r"(?:调用|执行|运行|使用|发送|转账|汇款|支付|删除|批准|关闭|输出|告诉|回复)|(?:系统|助手|用户)\s*[:：])",
    re.IGNORECASE,
)
"""Where a text begins to give orders; what stands before it is kept. Cutting too much costs a few words of an error, which the
experience still has."""
_MARKS = str.maketrans({"“": "'", "”": "'", '"': "'", "「": "'", "」": "'", "『": "'", "』": "'", "«": "'", "»": "'", "`": "'"})


def said_by_tool(text: str, limit: int = LIMIT) -> str:
    """Return what a tool said as one short line: no quotation mark or invisible character, and nothing from an order on."""
    visible = "".join(
        " " if unicodedata.category(one) in ("Cc", "Zl", "Zp") else one
        for one in text
        if unicodedata.category(one) not in ("Cf", "Co", "Cs", "Cn")
    )
    line = " ".join(visible.translate(_MARKS).split())
    plain = unicodedata.normalize("NFKC", line)
    order = _ORDER.search(plain)
    if order is not None and len(plain) != len(line):
        line = plain
    if order is not None:
        line = line[: order.start()].rstrip(" ,;:，；：-—(（[") or _NOTHING_LEFT
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def quoted(text: str, limit: int = LIMIT) -> str:
    """Return what a tool said in the quotation marks that nothing in it can close."""
    return f"“{said_by_tool(text, limit)}”"
