"""An INSERT of rows that are counted, so that they come and are told of in their order: the same as VALUES by themselves.

    INSERT INTO t (a, b) SELECT p0::int, p1::text FROM (VALUES ($1, $2, 0), ($3, $4, 1), ...)
        AS said(p0, p1, n) ORDER BY n RETURNING t.id                                                what ORMs make of a batch
    INSERT INTO t (a, b) VALUES ($1::int, $2::text), ($3::int, $4::text), ... RETURNING t.id        what it says

The rows are in their order already where the last cells count from 0. Only that shape is read: each column of the query once, in its
place, with a cast or without. Names must be such as no word of SQL's own is.

One thing is different. Rows of VALUES in FROM agree on the types of their columns: a parameter without a type gets that of the
others, or text (`agreed`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from planner.types import INT2, INT4, INT8, NUMERIC, TEXT, UNKNOWN

TYPE: Final = r'(?:[A-Za-z_][\w.]*|"[^"]+")(?:\ \w+)*(?:\(\d+(?:,\s*\d+)?\))?(?:\ \w+)*(?:\[\])?'
_NAME: Final = r"[A-Za-z_]+\d+"
_PLAIN: Final = r"(?!(?:current|session)_)[A-Za-z]+_\w+"
_HEAD: Final = re.compile(
    rf"""(?P<into>\s*INSERT\s+INTO\s+ (?:[\w.]|"[^"]+")+ \s* \( (?:[\w\s,]|"[^"]+")+ \)) \s*
        SELECT\s+ (?P<items>{_NAME}(?:::{TYPE})? (?:,\s*{_NAME}(?:::{TYPE})?)*) \s+
        FROM\s*\(\s*VALUES\s*\(\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_ITEM: Final = re.compile(rf"({_NAME})((?:::{TYPE})?)(?:,\s*|\Z)", re.IGNORECASE | re.VERBOSE)
_NAMED: Final = re.compile(
    rf"\s*\)\s*(?:AS\s+)?{_PLAIN}\s*\(((?:{_NAME},\s*)+)({_PLAIN})\)\s*ORDER\s+BY\s+({_PLAIN})", re.IGNORECASE
)
_ORDER: Final = (INT2, INT4, INT8, NUMERIC)
"""Numbers whose common type is the last of them, and which are the same after any cast with or without it."""


class Counted(NamedTuple):
    """Where the first row begins, what INSERT ... VALUES begins with, and the names and casts of its columns."""

    start: int
    into: str
    names: list[str]
    casts: list[str]

    def end(self, text: str, at: int) -> int:
        """Where the query ends, `at` being behind the last row's bracket; -1: it is another one."""
        named = _NAMED.match(text, at)
        if named is None or named[2] != named[3]:
            return -1
        return named.end() if [n.strip() for n in named[1].split(",")[:-1]] == self.names else -1


def read(text: str) -> Counted | None:
    """How the statement begins, if it may be one."""
    head = _HEAD.match(text)
    if head is None:
        return None
    items = _ITEM.findall(head["items"])
    names = [name for name, _ in items]
    if len({name.lower() for name in names}) < len(names):
        return None
    return Counted(head.end(), f"{head['into']} VALUES (", names, [cast for _, cast in items])


def agreed(types: Sequence[int]) -> list[int] | None:
    """What a column's parameters are declared as, 0 for nothing, when its rows have agreed; None: let the binder say."""
    declared = set(types) - {0}
    if UNKNOWN in declared or not (len(declared) <= 1 or declared <= set(_ORDER)):
        return None
    common = max(declared, key=_ORDER.index) if len(declared) > 1 else next(iter(declared), TEXT)
    return [kind or common for kind in types]


__all__ = ["TYPE", "Counted", "agreed", "read"]
