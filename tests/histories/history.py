"""What clients did and what they were told: the only evidence a checker may use.

A history is a list of transactions. Each has operations on lists that are only ever appended to,
values that no other operation appends, the time at which the client sent the first byte, the time at
which it had its answer, and what the answer was:

    ok        acknowledged: it must have happened
    fail      definitely not: no trace of it may ever be seen
    unknown   the connection broke, or the server said that it does not know: either

Appending to lists is what makes isolation visible: a read of a list tells the order of all the
writes before it. (The idea: Kingsbury and Alvaro, "Elle: inferring isolation anomalies from
experimental observations", VLDB 2020.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Key = int
Value = int
Outcome = Literal["ok", "fail", "unknown"]


@dataclass(slots=True)
class Append:
    key: Key
    value: Value


@dataclass(slots=True)
class Read:
    """`seen` is the whole list, own appends of the transaction included; None: never answered."""

    key: Key
    seen: tuple[Value, ...] | None = None


@dataclass(slots=True)
class Txn:
    """One transaction as its client saw it. Times are of one monotonic clock, in seconds."""

    id: int
    operations: list[Append | Read]
    outcome: Outcome = "ok"
    began_s: float = 0.0
    ended_s: float = 0.0
    error: str = ""

    def appends(self) -> list[Append]:
        return [o for o in self.operations if isinstance(o, Append)]

    def reads(self) -> list[Read]:
        return [o for o in self.operations if isinstance(o, Read) and o.seen is not None]


@dataclass(slots=True)
class History:
    txns: list[Txn] = field(default_factory=list)
