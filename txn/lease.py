"""The leader's lease: until when this process may answer reads without asking.

A newer leader's epoch makes an older one's appends fail (`txn.committer`), but a read appends nothing: a
leader that was stalled, and woke after another took over, would answer from its past. So it answers by itself
only for `lease_s` after the log has last shown that it leads, counted from *before* it asked:

    old leader    append  ok                                 lapsed: asks before it answers -> Fenced
                  |------------- lease_s -----------|
    new leader         take-over   |---- waits lease_s ----|  acknowledges, answers

Whatever convinced the old leader was asked before the take-over, so when the wait is over so is its lease. Both
only measure a duration: no two clocks need to agree, only to run at about the same speed (`DRIFT`).

The lease is renewed by every append, by `confirm_leadership`, and by upkeep when nothing else happens. Where
something else makes sure that the old leader is gone (the lock on an embedded data directory), `lease_s` is 0,
nobody waits, and reads do not look.
"""

from __future__ import annotations

from collections.abc import Callable

from txn.abc import SerializationFailure

DRIFT = 0.1
"""By how much, as a share, the clocks of two machines may differ in speed."""


class LeaseLapsed(SerializationFailure):
    """Hardly an answer to a client: `await environment.lead()`, then read. (Trying again does the same.)"""


class Lease:
    """See the module. `lease_s` 0: always valid."""

    __slots__ = ("_monotonic_s", "_until_s", "lease_s")

    def __init__(self, lease_s: float, monotonic_s: Callable[[], float]) -> None:
        self.lease_s = lease_s
        self._monotonic_s = monotonic_s
        self._until_s = float("-inf")

    def renew(self, asked_s: float) -> None:
        """The log, asked at `asked_s`, has shown that this process leads."""
        self._until_s = max(self._until_s, asked_s + self.lease_s)

    def end(self) -> None:
        """This process leads no more."""
        self._until_s = float("-inf")

    @property
    def left_s(self) -> float:
        """How long it is still good."""
        return self._until_s - self._monotonic_s() if self.lease_s else float("inf")

    @property
    def is_valid(self) -> bool:
        return not self.lease_s or self._monotonic_s() < self._until_s

    @property
    def is_held(self) -> bool:
        """Whether a statement that was led at its beginning may still take its timestamp."""
        return self.is_valid

    @property
    def wait_s(self) -> float:
        """How long a new leader waits, so that the old one's lease is over by its own clock."""
        return self.lease_s * (1 + DRIFT)
