"""A compiled regular expression whose matching has an end, and meanwhile does not keep everybody else waiting.

    '^(a|aa)+$' on forty letters      2^40 ways to try: Python's `re` tries them all, and holds the interpreter's lock until it has

So it is `re` that says whether a pattern is well-formed, and `regex`, which means the same by it, that looks for it:

    at once           as every other function, for a moment                       most matches never need more
    beside others     from the beginning, without the interpreter's lock          for some seconds, then 54001
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import regex

from planner.abc import SqlError
from planner.binding.regexps.lengths import ANY, LONGEST
from planner.types.texts import VALUE_BYTES_MAX, too_much

AT_ONCE_S: Final = 0.02
MATCHING_S_MAX: Final = 10.0
"""Seconds of the processor that one text's search may take, as planning may (`planner.patience`)."""


class Pattern:
    """What is asked of patterns of `re`. Each of these raises SqlError 54001."""

    __slots__ = ("_compiled", "_length", "_longest")

    def __init__(
        self, pattern: str | bytes, flags: int, checked: str | bytes | None = None, length: str = ANY
    ) -> None:
        """`checked`: the same without what `re` does not know. `length`: that of a match, where its quantifiers do not say it
        (`planner.binding.regexps.lengths`). Raises what `re.compile` raises."""
        re.compile(pattern if checked is None else checked, flags)
        known = regex.VERSION0 | _FLAGS[flags & _KNOWN]
        self._compiled = regex.compile(pattern, known)
        self._length = length
        self._longest = regex.compile(pattern, known | regex.POSIX) if length == LONGEST else None

    def search(self, text: str | bytes) -> Any:
        """The first match, or None."""
        return self._ended(self._first if self._length else self._compiled.search, text)

    def at_once(self, text: str, seconds: float) -> Any:
        """The first match, or None, while everybody waits. Raises TimeoutError after so long."""
        return (self._first if self._length else self._compiled.search)(text, timeout=seconds)

    def matches(self, text: str, start: int = 0) -> list[Any]:
        """All matches from `start` on."""
        return self._ended(self._all, text, start)  # type: ignore[no-any-return]

    def sub(self, made: Callable[[Any], str], text: str, count: int = 0) -> str:
        """The text with its first `count` matches, or all of them (0), replaced. Raises SqlError 54000 where that is too long."""
        out: list[str] = []
        end = length = 0
        for m in self._ended(self._all, text, 0, count):
            new = made(m)
            out += [text[end : m.start()], new]
            length += m.start() - end + len(new)
            if length > VALUE_BYTES_MAX:
                raise too_much(length - len(new), len(new))
            end = m.end()
        return "".join([*out, text[end:]])

    def _all(self, text: str, start: int, count: int = 0, **limits: Any) -> list[Any]:
        """Where nothing matched the next match is looked for a character later; `regex` looks there for something first."""
        found: list[Any] = []
        while True:
            for m in (self._each if self._length else self._compiled.finditer)(text, start, **limits):
                if found and m.start() == found[-1].start() and found[-1].end() == found[-1].start():
                    start = m.start() + 1
                    break
                found.append(m)
                if len(found) == count:
                    return found
            else:
                return found

    def _each(self, text: str, start: int, **limits: Any) -> Iterator[Any]:
        while (m := self._first(text, start, **limits)) is not None:
            yield m
            start = m.end() + (m.end() == m.start())
            if start > len(text):
                return

    def _first(self, text: str | bytes, start: int = 0, *, timeout: float, **limits: Any) -> Any:
        """The first match: as long, or as short, as one can be there, and within that what each group has of it."""
        until = time.monotonic() + timeout
        if self._longest is not None:
            m = self._longest.search(text, start, timeout=timeout, **limits)
            return m and self._compiled.fullmatch(text, m.start(), m.end(), timeout=timeout, **limits)
        m = self._compiled.search(text, start, timeout=timeout, **limits)
        if m is None:
            return None
        for end in range(m.start(), m.end()):
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            shorter = self._compiled.fullmatch(text, m.start(), end, timeout=left, **limits)
            if shorter is not None:
                return shorter
        return m

    def _ended(self, search: Callable[..., Any], *given: Any) -> Any:
        try:
            return search(*given, timeout=AT_ONCE_S)
        except TimeoutError:
            pass
        try:
            return search(*given, timeout=MATCHING_S_MAX, concurrent=True)
        except TimeoutError:
            raise SqlError(
                "54001",
                "regular expression is too complex",
                detail=f"Matching it takes more than {MATCHING_S_MAX:g} seconds.",
            ) from None


def _alike(flags: int) -> int:
    found = 0
    for name in ("DOTALL", "IGNORECASE", "MULTILINE", "VERBOSE"):
        if flags & getattr(re, name):
            found |= getattr(regex, name)
    return found


_KNOWN: Final = int(re.DOTALL | re.IGNORECASE | re.MULTILINE | re.VERBOSE)
_FLAGS: Final = {flags: _alike(flags) for flags in range(_KNOWN + 1) if flags & _KNOWN == flags}

__all__ = ["Pattern"]
