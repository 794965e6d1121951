"""How what was learned is said: one sentence per rule, experience and outcome, in English or Chinese."""

from collections.abc import Mapping, Sequence
from typing import Literal

from hindsight_graph.learning.quoting import quoted
from hindsight_graph.models.base import SUMMARY_LIMIT
from hindsight_graph.models.enums import Outcome
from hindsight_graph.models.learning import Rule, RuleKind, Step
from hindsight_graph.text.language import detect_language

__all__ = ["Tongue", "action_line", "experience_summary", "guidance", "repair_line", "tongue_of"]

Tongue = Literal["en", "zh"]

_GUIDANCE: Mapping[Tongue, Mapping[RuleKind, str]] = {
    "en": {
        RuleKind.PRECONDITION: "Before {tool}, call {other}.",
        RuleKind.ARGUMENT: "Call {tool} with {other}.",
        RuleKind.ALTERNATIVE: "Use {other} instead of {tool}.",
    },
    "zh": {
        RuleKind.PRECONDITION: "调用 {tool} 之前，先调用 {other}。",
        RuleKind.ARGUMENT: "调用 {tool} 时带上 {other}。",
        RuleKind.ALTERNATIVE: "用 {other}，不要用 {tool}。",
    },
}
_OTHERWISE: Mapping[Tongue, str] = {"en": " Otherwise: {error}", "zh": "否则：{error}"}
_OUTCOMES: Mapping[Tongue, Mapping[Outcome, str]] = {
    "en": {Outcome.SUCCESS: "worked", Outcome.FAILURE: "failed", Outcome.PARTIAL: "worked in part"},
    "zh": {Outcome.SUCCESS: "成功", Outcome.FAILURE: "失败", Outcome.PARTIAL: "部分成功"},
}


def tongue_of(*texts: str) -> Tongue:
    """Return the language to write in: that of the first text which tells."""
    for text in texts:
        language = detect_language(text)
        if language != "other":
            return "zh" if language in ("zh", "mixed") else "en"
    return "en"


def guidance(rule: Rule, tongue: Tongue) -> str:
    """Return what a rule tells to do; a lesson in words is its own guidance. The error it avoids stands in quotation marks."""
    if rule.kind is RuleKind.LESSON:
        return rule.text
    other = f"{rule.other}={rule.value}" if rule.value else rule.other
    said = _GUIDANCE[tongue][rule.kind].format(tool=rule.tool, other=other)
    return said + (_OTHERWISE[tongue].format(error=quoted(rule.error)) if rule.error else "")


def action_line(steps: Sequence[Step]) -> str:
    """Return what was done in one line: `get_order ✓ → refund ✗ → refund ✓`; repeats are counted, long ones lose the middle."""
    parts: list[str] = []
    counts: list[int] = []
    for step in steps:
        part = f"{step.tool} {'✓' if step.ok else '✗'}"
        if parts and parts[-1] == part:
            counts[-1] += 1
        else:
            parts.append(part)
            counts.append(1)
    shown = [part if count == 1 else f"{part}×{count}" for part, count in zip(parts, counts, strict=True)]
    if len(shown) > 8:
        shown = [*shown[:4], f"… {len(shown) - 8} …", *shown[-4:]]
    return " → ".join(shown)


def repair_line(between: Sequence[str], added: Sequence[str], changed: Mapping[str, str], instead: str, tongue: Tongue) -> str:
    """Return what was different when it worked, or an empty text when nothing was."""
    parts: list[str] = []
    if between:
        parts.append(("called " if tongue == "en" else "先调用 ") + ", ".join(between))
    if added:
        parts.append(("gave " if tongue == "en" else "带上 ") + ", ".join(added))
    if changed:
        named = ", ".join(f"{name}={value}" for name, value in changed.items())
        parts.append(("changed " if tongue == "en" else "改为 ") + named)
    if instead:
        parts.append(("used " if tongue == "en" else "改用 ") + instead + (" instead" if tongue == "en" else ""))
    return "; ".join(parts) if tongue == "en" else "；".join(parts)


def experience_summary(goal: str, outcome: Outcome, detail: str, tongue: Tongue) -> str:
    """Return the one line under which an experience is recalled, at most SUMMARY_LIMIT characters; the goal gives way first."""
    colon = ": " if tongue == "en" else "："
    verdict = _OUTCOMES[tongue][outcome] + (colon + detail if detail else "")
    verdict = _clip(verdict, SUMMARY_LIMIT)
    room = SUMMARY_LIMIT - len(verdict) - 4
    subject = _clip(" ".join(goal.split()).rstrip(".。!！"), room) if room >= 16 else ""
    return f"“{subject}” {verdict}" if subject else verdict


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
