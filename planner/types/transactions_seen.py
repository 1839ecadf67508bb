"""pg_snapshot and txid_snapshot: which transactions are over, as `xmin:xmax:those in progress between them`.

    100:120:105,110      before 100 all are over, from 120 on none is, and of those between 105 and 110 are not

The datum is that text, with each number in one spelling and once: what PostgreSQL shows. There is neither equality nor order.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from typing import Final, NamedTuple

from planner.types.base import WHITESPACE, TextInput, invalid_input
from planner.types.settings import TypeSettings
from planner.types.texts import TextType

_NUMBER: Final = r"[ \t\n\v\f\r]*[+-]?[0-9]+"
_SPELLING: Final = re.compile(rf"({_NUMBER}):({_NUMBER}):((?:{_NUMBER}(?:,{_NUMBER})*,?)?)", re.ASCII)
_DIGITS_MAX: Final = 20
_IN_EPOCH: Final = (1 << 32) - 1
"""No transaction has the number 0 in its epoch."""
_GREATEST: Final = (1 << 64) - 1


class Seen(NamedTuple):
    """A snapshot's parts; `running` in order."""

    low: int
    high: int
    running: list[int]


def parts(text: str) -> Seen:
    """Of a value as it is kept."""
    low, high, running = text.split(":")
    return Seen(int(low), int(high), [int(x) for x in running.split(",") if x])


def is_over(number: int, text: str) -> bool:
    """Whether the snapshot sees what the transaction did."""
    seen = parts(text)
    if number < seen.low:
        return True
    if number >= seen.high:
        return False
    at = bisect_left(seen.running, number)
    return at == len(seen.running) or seen.running[at] != number


def snapshot_in(text: str) -> str:
    """pg_snapshot_in, which is the older type's as well. Raises 22P02."""
    found = _SPELLING.fullmatch(text)
    if found is None:
        raise invalid_input("pg_snapshot", text)
    low, high, *running = (_number(x) for x in (found[1], found[2], *filter(None, found[3].split(","))))
    in_order = all(a <= b for a, b in itertools.pairwise(running))
    if not (
        low & _IN_EPOCH
        and high & _IN_EPOCH
        and low <= high
        and in_order
        and all(low <= x < high for x in running)
    ):
        raise invalid_input("pg_snapshot", text)
    return f"{low}:{high}:{','.join(map(str, dict.fromkeys(running)))}"


def _number(text: str) -> int:
    """As C reads one: a minus sign wraps around, and all beyond is the greatest."""
    digits = text.strip(WHITESPACE).lstrip("+-0") or "0"
    if len(digits) > _DIGITS_MAX or int(digits) > _GREATEST:
        return _GREATEST
    return -int(digits) & _GREATEST if "-" in text else int(digits)


class SnapshotType(TextType):
    """pg_snapshot or its older name."""

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return snapshot_in
