"""Checks of what reflection found, before it is kept (promise T-05): the slot for checks of your own, and the one of ours.

A check is any object with this shape. Hand it over as `HindsightGraph(checks=[...])`; or let a package name a factory of it in
the entry point group `hindsight_graph.checks`, and name that entry point in the setting `learning.checks`:

    [project.entry-points."hindsight_graph.checks"]
    no-payments = "our_package.checks:NoPayments"
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from hindsight_graph.errors import HindsightGraphError
from hindsight_graph.learning.drafting import Draft
from hindsight_graph.models.episode import Episode

__all__ = ["Checked", "ReflectionCheck", "StandsOnMessages", "checked"]


@runtime_checkable
class ReflectionCheck(Protocol):
    """Says whether an experience that reflection drafted may be kept.

    Checks run in the job that reflects, after the lesson was worded and before anything is written or proposed; one after the
    other, until the first that objects. They may ask a model or another service: the transcript is committed, nobody waits. A
    check that raises fails the job, which is tried again and ends as a dead letter: nothing is kept unchecked.

    Attributes:
        name: Short, without spaces; stands before its reasons in `Reflection.left`.
    """

    @property
    def name(self) -> str:
        """Its name."""
        ...

    async def fault_of(self, draft: Draft, messages: Sequence[Episode]) -> str | None:
        """Return why a draft must not be kept, in one clause; None when nothing speaks against it.

        Args:
            draft: What was found, with its lesson.
            messages: The committed messages it was read off, in order, and no others.
        """
        ...


class Checked(NamedTuple):
    """The drafts that passed every check, and (request, reason) of those that did not."""

    drafts: tuple[Draft, ...]
    left: tuple[tuple[str, str], ...]


class StandsOnMessages:
    """Ours: an experience stands on messages that happened, not on none, and not on what the memory itself told."""

    name = "evidence"

    async def fault_of(self, draft: Draft, messages: Sequence[Episode]) -> str | None:
        """Return what is missing: a message, or one that did not come out of the memory."""
        del draft
        if not messages:
            return "no message stands behind it"
        if all(message.recalled for message in messages):
            return "only what the memory told stands behind it"
        return None


async def checked(checks: Sequence[ReflectionCheck], drafts: Sequence[Draft], episodes: Sequence[Episode]) -> Checked:
    """Return which drafts pass; `episodes` is the transcript that their positions index.

    Raises:
        HindsightGraphError: A check failed; it is named.
    """
    kept: list[Draft] = []
    left: list[tuple[str, str]] = []
    for draft in drafts:
        own = [episodes[position] for position in draft.positions if position < len(episodes)]
        reason = await _objection(checks, draft, own)
        if reason is None:
            kept.append(draft)
        else:
            left.append((draft.experience.goal, reason))
    return Checked(tuple(kept), tuple(left))


async def _objection(checks: Sequence[ReflectionCheck], draft: Draft, own: Sequence[Episode]) -> str | None:
    for check in checks:
        try:
            fault = await check.fault_of(draft, own)
        except Exception as error:
            raise HindsightGraphError(
                f"check {check.name!r} failed on “{draft.summary[:60]}”: {error!r}",
                hint="mend the check or take it out; the messages are kept, and the job can be tried again",
            ) from error
        if fault is not None:
            return f"check {check.name}: {fault}"
    return None
