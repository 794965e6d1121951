"""What an answer says of a learned memory beside its words: when a strategy applies, how sure it is, how a task ended."""

from hindsight_graph.learning.quoting import quoted
from hindsight_graph.models.enums import Kind
from hindsight_graph.models.learning import Conditions, Strategy, Support
from hindsight_graph.models.memory import Memory

__all__ = ["conditions_text", "standing_of", "support_text"]


def conditions_text(conditions: Conditions) -> str:
    """Return when a strategy applies, in words: `calling refund, in billing tasks`; `always` where it depends on nothing."""
    parts = [
        *(f"calling {name}" for name in conditions.tools),
        *(f"in {name} tasks" for name in conditions.task_types),
        *(f"about {name}" for name in conditions.entities),
        *(f"after {quoted(error)}" for error in conditions.errors),
    ]
    return ", ".join(parts) or "always"


def support_text(support: Support) -> str:
    """Return how well evidence stands behind a strategy, in words: cases for and against, uses, the mean and its interval."""
    cases = support.supporting + support.refuting
    parts = [f"{support.supporting} of {cases} cases speak for it"] if cases else ["no case yet"]
    if support.uses:
        parts.append(f"worked in {support.helped} of {support.uses} uses")
    parts.append(f"{support.mean:.0%} when followed (95 %: {support.low:.0%} to {support.high:.0%})")
    return ", ".join(parts)


def standing_of(memory: Memory) -> dict[str, str]:
    """Return names and texts for what was learned, in the order they are to be read; nothing for other memories.

    A strategy says `when`, `support`, `version` and, where it is not 0, `priority`; an experience its `outcome`.
    """
    if memory.kind is Kind.EXPERIENCE and memory.outcome is not None:
        return {"outcome": memory.outcome.value}
    if memory.kind is not Kind.STRATEGY:
        return {}
    strategy = Strategy.of(memory.payload)
    told = {} if strategy is None else {"when": conditions_text(strategy.conditions), "support": support_text(strategy.support)}
    told["version"] = str(memory.version)
    return told | ({"priority": str(memory.priority)} if memory.priority else {})
