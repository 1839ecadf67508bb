"""Staying awake between two messages, where a client goes on at once.

    client     think | send                    ... | send
    server           (asleep)  wake up, answer     (asleep)  wake up, answer        a sleep between any two messages
    server           (looks)  answer      (looks)   answer     (looks)              while they come in quick succession

Whoever sleeps gives its core back, on a virtual machine to the host, and to be woken takes as long as many a statement. So for
`STAY_S` after a message the loop asks the kernel again instead of sleeping: every turn schedules the next one, and a turn
that finds nothing costs a microsecond or two. What it saves is half of the wakings of a client that sends one statement after
the other: `pgbench -N` with one client is a quarter faster.

It begins with two messages that follow one another closely, and ends with a pause: so neither a server without work stays awake,
nor one whose clients take their time. And **it is for cores that nobody else wants.** Somebody does if this thread, which is
awake, has to wait for a core: the kernel says how long it has (/proc/thread-self/schedstat). Then the loop sleeps as ever, for a
second, and twice as long each time that it finds it so again: who is woken takes a core from those who compute, and who looks
all the time waits for its turn. With one core there is nobody to wait for. The idea is the kernel's own (cpuidle's haltpoll,
net.core.busy_poll), which ask for root.

While messages keep coming, each costs an addition and a comparison.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, Final

from executor.columnar.parallel import usable_cores

STAY_S: Final = 0.0002
"""A client that does nothing else takes some 50 microseconds for its next statement."""
WORK_S: Final = 0.0001
"""A turn that took so long has done something: an append, an answer."""
ASK_S: Final = 0.005
"""How often the kernel is asked."""
OLD_S: Final = 0.1
"""What it said so long ago says nothing of now."""
WAITED_MAX: Final = 0.1
"""Of the time since then: who waits for more is in the way."""
REST_S, REST_MAX_S = 1.0, 64.0


class Delay:
    """How long this thread has waited for a core since it began, in seconds: a function. Raises OSError where nobody knows."""

    def __init__(self) -> None:
        self._file = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        self()

    def __call__(self) -> float:
        return int(os.pread(self._file, 64, 0).split()[1]) * 1e-9

    def __del__(self) -> None:
        os.close(self._file)


class Wakefulness:
    """See the module. One for a loop, whose thread calls all of it.

    Who hears a message says so: `heard += 1`, and `stir()` unless `awake`.
    """

    __slots__ = (
        "_asked_s",
        "_call_soon",
        "_delay_s",
        "_delayed_s",
        "_last_s",
        "_monotonic_s",
        "_rest_s",
        "_rests_until_s",
        "_seen",
        "_stay_s",
        "awake",
        "heard",
    )

    def __init__(
        self,
        call_soon: Callable[..., Any],
        delay_s: Callable[[], float],
        stay_s: float = STAY_S,
        *,
        monotonic_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`call_soon`: of the loop. `delay_s`: see `Delay`. `stay_s` 0: never."""
        self._call_soon, self._monotonic_s, self._delay_s = call_soon, monotonic_s, delay_s
        self._stay_s = stay_s
        self.awake = stay_s <= 0.0
        """Whether nobody has to be told of a message: turns will see it, or nobody wants to know."""
        self.heard = 0
        self._seen = 0
        self._last_s = 0.0  # of the newest message, as far as is known; awake: of the newest turn
        self._asked_s = self._delayed_s = 0.0  # when the kernel was asked, and what it said
        self._rest_s = REST_S  # of the next rest
        self._rests_until_s = 0.0

    def stir(self) -> None:
        """A message has come while the loop may sleep: the second in quick succession keeps it awake."""
        now_s = self._monotonic_s()
        follows, self._last_s = now_s - self._last_s < self._stay_s, now_s
        if follows and now_s >= self._rests_until_s:
            if now_s - self._asked_s >= ASK_S and self._is_in_the_way(now_s):
                return
            self.awake = True
            self._call_soon(self._turn, now_s)

    def _turn(self, busy_s: float) -> None:
        """`busy_s`: when the loop had something to do last."""
        now_s = self._monotonic_s()
        took_s, self._last_s = now_s - self._last_s, now_s
        if self.heard != self._seen or took_s >= WORK_S:
            self._seen, busy_s = self.heard, now_s
        elif now_s - busy_s >= self._stay_s:
            self.awake = False
            self._last_s = busy_s
            return
        if now_s - self._asked_s >= ASK_S and self._is_in_the_way(now_s):
            self.awake = False
            return
        self._call_soon(self._turn, busy_s)

    def _is_in_the_way(self, now_s: float) -> bool:
        """Whether others want the core: then it is theirs for a while."""
        before_s, self._delayed_s = self._delayed_s, self._delay_s()
        since_s, self._asked_s = now_s - self._asked_s, now_s
        if since_s < OLD_S and self._delayed_s - before_s > WAITED_MAX * since_s:
            self._rests_until_s = now_s + self._rest_s
            self._rest_s = min(2 * self._rest_s, REST_MAX_S)
            return True
        if now_s - self._rests_until_s > 2 * self._rest_s:
            self._rest_s = REST_S
        return False


def stay_awake(call_soon: Callable[..., Any], stay_s: float) -> Wakefulness:
    """For this thread: not at all where there is one core, or nobody knows how long it waits for one."""
    if stay_s <= 0.0 or usable_cores() < 2:
        return ASLEEP
    try:
        return Wakefulness(call_soon, Delay(), stay_s)
    except (OSError, ValueError, IndexError):
        return ASLEEP


def _never(*_: Any) -> float:
    raise AssertionError("nobody stirs what does not sleep")


ASLEEP: Final = Wakefulness(_never, _never, 0.0)
"""For who has no loop of his own."""

__all__ = ["ASLEEP", "STAY_S", "Wakefulness", "stay_awake"]
