"""Regular expressions that are compiled when they are first used, so that importing a table of them costs nothing."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property


class LazyPattern:
    """A regular expression over text with the methods of `re.Pattern`, compiled at its first use.

    Each method is kept on the instance once it was asked for, so a later call costs what a call on `re.Pattern` costs.

    Args:
        source: The expression. flags: As for `re.compile`.
    """

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags

    @property
    def pattern(self) -> str:
        """The expression as written."""
        return self._source

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        """`re.Pattern.search`."""
        return self._compiled.search

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        """`re.Pattern.match`."""
        return self._compiled.match

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:
        """`re.Pattern.fullmatch`."""
        return self._compiled.fullmatch

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        """`re.Pattern.finditer`."""
        return self._compiled.finditer

    @cached_property
    def findall(self) -> Callable[..., list[str]]:
        """`re.Pattern.findall`."""
        return self._compiled.findall

    @cached_property
    def split(self) -> Callable[..., list[str]]:
        """`re.Pattern.split`."""
        return self._compiled.split

    @cached_property
    def sub(self) -> Callable[..., str]:
        """`re.Pattern.sub`."""
        return self._compiled.sub
