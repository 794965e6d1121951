"""What other packages plug in by entry points, by the names that a setting or a caller gives. Loads nothing that is not named."""

from collections.abc import Sequence
from importlib.metadata import entry_points

from hindsight_graph.errors import ConfigError
from hindsight_graph.learning.checks import ReflectionCheck, StandsOnMessages

__all__ = ["CHECKS", "make_checks"]

CHECKS = "hindsight_graph.checks"
"""Entry point group of checks of reflections; each names a factory without arguments."""


def make_checks(names: Sequence[str], given: Sequence[ReflectionCheck] = ()) -> tuple[ReflectionCheck, ...]:
    """Return the checks of an engine: ours first, then those that are named, then those that a caller hands over.

    Raises:
        ConfigError: No installed package has an entry point of that name, it does not load, or it makes no check.
    """
    return (StandsOnMessages(), *(_named(name) for name in names), *given)


def _named(name: str) -> ReflectionCheck:
    found = entry_points(group=CHECKS, name=name)
    if not found:
        known = ", ".join(sorted(point.name for point in entry_points(group=CHECKS))) or "none"
        raise ConfigError(
            f"no check {name!r} is installed", hint=f"`learning.checks` names entry points of {CHECKS}; installed: {known}"
        )
    (point, *_) = found
    try:
        check: object = point.load()()
    except Exception as error:
        raise ConfigError(
            f"check {name!r} ({point.value}) does not load: {error!r}", hint="mend it, or take it out of `learning.checks`"
        ) from error
    if not isinstance(check, ReflectionCheck):
        raise ConfigError(
            f"{point.value} makes a {type(check).__name__}, which is no check",
            hint="see hindsight_graph.learning.checks.ReflectionCheck",
        )
    return check
