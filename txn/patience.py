"""Whether the next append is put off by a turn of the event loop, because others are about to commit, too.

An append on the loop keeps everybody waiting, those in the middle of a transaction included, and costs the same for one commit as
for ten. So first they may go on, for as long as they do:

    turn        A commits   B, C: statements   B commits, C: a statement   C commits   | append of A, B and C
    another?    yes         yes                yes                         no: nobody is left

Nothing is waited for: each turn takes what has arrived, and the first one in which no transaction has had a statement, and nobody
has come to commit, ends it. Whoever waits for a lock, and whose client thinks, does not count then. Where the others never stop, `LIMIT_S` does.

Who commits with every statement is in the middle of nothing, but comes in company all the same: those of the last round were answered
together, and their clients send again one after the other. So where the last round had several members, or several have come by now,
it is put off while more come. Alone, nobody is put off.

With appends of 0.14 ms and eight clients of pgbench's -N, groups have five members instead of one and a half.
"""

from __future__ import annotations

from collections.abc import Callable

LIMIT_S = 0.001
"""For so long a round is put off at most: that of a few appends."""


class Patience:
    """See the module. One round is asked about at a time, once a turn, until the answer is no."""

    __slots__ = ("_last", "_monotonic_s", "_queued", "_seen", "_since_s", "statements")

    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        self._monotonic_s = monotonic_s
        self._since_s: float | None = None
        self._seen = 0
        self._queued = self._last = 0  # members a turn ago, and of the last round
        self.statements = 0
        """How many statements of transactions have begun: counted by whoever runs them."""

    def another_turn(self, others: int, queued: int = 0) -> bool:
        """Whether the round is put off. `others`: open transactions that wait neither to commit nor for a lock; `queued`: who
        waits to commit."""
        more = queued > self._queued and (queued > 1 or self._last > 1)
        self._queued = queued
        if more or others > 0:
            now_s, seen = self._monotonic_s(), self._seen
            self._seen = self.statements
            if self._since_s is None:
                self._since_s = now_s
                return True
            if (more or self._seen != seen) and now_s - self._since_s < LIMIT_S:
                return True
        self._since_s = None
        self._queued, self._last = 0, queued
        return False
