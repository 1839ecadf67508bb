"""Answers, handed to the kernel several at a time, where several clients are at it.

    one by one   A's statement | send | B's statement | send | C's statement | send      each wakes a client that sleeps again by the next
    a bundle     A's statement | B's statement | C's statement | send send send          the first wakes it, the others find it awake

Statements of open transactions take longer than what a client does between two of them, and so do reads that are more than a look-up.
So a client process that has many connections (a pool's, pgbench) goes to sleep after each answer and is woken for the next one, and to wake
a process is the dearest thing about sending. Answers that a turn of the loop has for several connections are kept until
its end, or for `HELD_S`, and are sent one behind the other, before an append keeps the loop.

**Who is alone is not kept waiting.** Where turns keep having one answer, answers go out at once, and it is tried again `REST_S` later.

**Nothing overtakes.** While an answer is held, its connection's `write` is one that sends what is held first (`Io.hold`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from pgwire.abc import Io

HELD_S: Final = 0.0002
"""For so long nothing is held, but for the statement that is under way by then: some eight short ones."""
LONELY_MAX: Final = 4
"""After so many turns in a row with one answer nobody is waited for."""
REST_S: Final = 0.1
SHORT_NS: Final = 20_000
LONG_NS: Final = 200_000
"""A read outside of transactions that took less than the one, or more than the other, is answered at once: a client is still awake, or what
waking it costs is little beside the read."""


class Bundling:
    """See the module. One for a loop, whose thread calls all of it.

    Who has an answer asks whether it `holds`: then the answer goes by `add`, else by the connection's `write`.
    """

    __slots__ = (
        "_call_later", "_call_soon", "_count", "_held", "_lonely", "_monotonic_s", "_scheduled", "_since_s", "holds",
    )  # fmt: skip

    def __init__(
        self,
        call_soon: Callable[..., Any] | None,
        call_later: Callable[..., Any] | None,
        *,
        monotonic_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Both of the loop. None: for who has none, and holds nothing."""
        self._call_soon, self._call_later, self._monotonic_s = call_soon, call_later, monotonic_s
        self.holds = call_soon is not None
        self._held: list[tuple[Io, bytes]] = []
        self._since_s = 0.0  # when the first of them came
        self._count = 0  # of this turn's answers
        self._lonely = 0  # turns in a row that had one
        self._scheduled = False

    def add(self, connection: Io, data: bytes) -> None:
        """An answer, to be sent at the end of this turn of the loop or before."""
        held = self._held
        self._count += 1
        if not held:
            self._since_s = self._monotonic_s()
            if not self._scheduled:
                self._scheduled = True
                assert self._call_soon is not None
                self._call_soon(self._turn)
        held.append((connection, data))
        connection.hold()
        if len(held) > 1 and self._monotonic_s() - self._since_s >= HELD_S:
            self.send()

    def send(self) -> None:
        """Sends what is held."""
        held = self._held
        if held:
            self._held = []
            for connection, data in held:
                connection.say(data)

    def _turn(self) -> None:
        self._scheduled = False
        self.send()
        if self._count > 1:
            self._lonely = 0
        else:
            self._lonely += 1
            if self._lonely >= LONELY_MAX:
                self._lonely, self.holds = 0, False
                assert self._call_later is not None
                self._call_later(REST_S, self._again)
        self._count = 0

    def _again(self) -> None:
        self.holds = True


AT_ONCE: Final = Bundling(None, None)
"""For who has no loop of his own."""

__all__ = ["AT_ONCE", "HELD_S", "LONELY_MAX", "LONG_NS", "REST_S", "SHORT_NS", "Bundling"]
