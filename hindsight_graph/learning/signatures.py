"""Error signatures: what stays of an error message when numbers, ids, times and paths are taken out of it."""

import re

from hindsight_graph.text.lazy import LazyPattern

__all__ = ["SIGNATURE_LIMIT", "is_error", "signature"]

SIGNATURE_LIMIT = 120
"""Characters of a signature at most; what tells errors apart stands at the front."""

_ERROR_OPENING = LazyPattern(
    r"^[\s\[(*#>❌✗:-]*(?:(?:[A-Za-z_][\w.]*)?(?:Error|Exception|Failure|Fault)\b|error\b|failed\b|failure\b|fatal\b|"
    r"traceback \(most recent|"
    r"permission denied|timed? ?out|HTTP/?\d?(?:\.\d)? [45]\d\d\b|(?:status(?: code)?|code)?[: ]*[45]\d\d\b\s+\w|"
    r"错误|失败|异常|报错|超时|拒绝访问|权限不足)",
    re.IGNORECASE,
)
_ERROR_FIELD = LazyPattern(
    r"""^\s*\{.*?(?:"(?:error|errors|exception)"\s*:(?!\s*(?:null|""|\[\]|\{\}|false))|"""
    r""""(?:ok|success|succeeded)"\s*:\s*false|"status"\s*:\s*"(?:error|failed|failure)")""",
    re.IGNORECASE | re.DOTALL,
)
_ERROR_TEXT = LazyPattern(r'"(?:message|error|detail|reason)"\s*:\s*"((?:[^"\\]|\\.)*)"', re.IGNORECASE)
_LAST_LINE_OF_TRACE = LazyPattern(r"^Traceback \(most recent call last\)", re.IGNORECASE)
_STATUS = LazyPattern(r"\b(?:HTTP|status|code)\b[ /:=]*(?:\d\.\d )?[1-5]\d\d\b", re.IGNORECASE)
_KEPT = LazyPattern("\x00(i+)\x00")
_REMOVED: tuple[tuple[LazyPattern, str], ...] = (
    (LazyPattern(r"\bhttps?://\S+", re.IGNORECASE), "<url>"),
    (LazyPattern(r"(?<![\w.])(?:[A-Za-z]:\\|~?/)(?:[\w.@-]+[\\/])*[\w.@-]+"), "<path>"),
    (LazyPattern(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE), "<id>"),
    (LazyPattern(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"), "<time>"),
    (LazyPattern(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "<id>"),
    (LazyPattern(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}\b", re.IGNORECASE), "<id>"),
    (LazyPattern(r"\b[A-Za-z]{1,6}[-_#]\d[\w-]*"), "<id>"),
    (LazyPattern(r"(?<![A-Za-z_])[#]?\d+(?:[.,:]\d+)*(?![A-Za-z_])"), "<n>"),
)


def is_error(content: str) -> bool:
    """Whether a tool's result says that the call failed: it opens like an error, or is JSON with an error in it."""
    return bool(_ERROR_OPENING.match(content) or _ERROR_FIELD.match(content[:2_000]))


def signature(content: str) -> str:
    """Return the signature of an error message: one line, at most SIGNATURE_LIMIT characters.

    HTTP status codes stay (they tell errors apart); other numbers, ids, times, paths and addresses become `<n>`, `<id>`,
    `<time>`, `<path>` and `<url>`.
    """
    text = content.strip()[:4_000]
    inside = _ERROR_TEXT.search(text) if text.startswith("{") else None
    if inside is not None:
        text = inside.group(1)
    elif _LAST_LINE_OF_TRACE.match(text):
        text = text.splitlines()[-1]
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match.group(0))
        return f"\x00{'i' * len(kept)}\x00"

    text = _STATUS.sub(keep, " ".join(text.split()))
    for pattern, mark in _REMOVED:
        text = pattern.sub(mark, text)

    def put_back(match: re.Match[str]) -> str:
        return kept[len(match.group(1)) - 1]

    text = _KEPT.sub(put_back, text)
    return text[:SIGNATURE_LIMIT].strip()
