"""One task in words for a model: what was asked for, each call and what came of it, what was different when it worked."""

from hindsight_graph.learning.quoting import quoted
from hindsight_graph.models.learning import Experience, Step

__all__ = ["contrast"]

_STEPS = 30
"""Calls that are told: the first half and the last half of them, when there are more."""
_ARGUMENTS = 6
_ERROR = 120


def contrast(experience: Experience) -> str:
    """Return the task in a few lines; arguments by name, with short values, and errors as their signatures."""
    steps = experience.steps
    lines = [_line(number, step) for number, step in enumerate(steps, start=1)]
    if len(lines) > _STEPS:
        lines = [*lines[: _STEPS // 2], f"… {len(lines) - _STEPS} more calls …", *lines[-_STEPS // 2 :]]
    told = [f"task: {experience.goal or '(not stated)'}"]
    if experience.task_type:
        told.append(f"task type: {experience.task_type}")
    told += ["calls:", *(lines or ["(none)"]), f"outcome: {experience.outcome.value}"]
    if experience.repair:
        told.append(f"different when it worked: {experience.repair}")
    return "\n".join(told)


def _line(number: int, step: Step) -> str:
    given = ", ".join(f"{name}={value[:40]}" for name, value in list(step.arguments.items())[:_ARGUMENTS])
    came = "worked" if step.ok else f"failed: {quoted(step.error, _ERROR) if step.error else 'no reason given'}"
    return f"{number}. {step.tool}({given}) {came}"
