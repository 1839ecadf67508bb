"""Advisory locks in worlds of sessions: blocks that take one before they write, and who held which one when.

    T1   BEGIN   lock 1 ======================= COMMIT          what is between the lock's being granted and the
    T2   BEGIN        lock 1 ..............       ======= COMMIT COMMIT's being sent is the block's alone

A session cannot know that its locks have been given away, because its server was silent for too long; it may even believe that
it still holds one. What it cannot do is commit. So the promise is about blocks that wrote something and committed: no two of
them held one lock at once, unless both shared it. Functions in queries wait on threads, which simulated worlds do not have;
the session's locks are asked directly.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from tests.histories.history import Append, Txn

if TYPE_CHECKING:
    from executor.session.session import Session

LOCKS = 2
WAIT_S = 5.0
LOST = ("57P01", "57014", "08007", "58030")
"""SQLSTATEs of those whose locks were given away or could not be asked for; their session is over."""


@dataclass(eq=False)
class Held:
    """One block's lock. Times are the world's ticks; `until` is when COMMIT was sent."""

    txn: Txn
    lock: int
    shared: bool
    since: float
    until: float = 0.0

    @property
    def counts(self) -> bool:
        """Whether the block wrote and committed."""
        return self.txn.outcome == "ok" and any(isinstance(o, Append) for o in self.txn.operations)

    def excludes(self, other: Held) -> bool:
        return self.lock == other.lock and not (self.shared and other.shared)


async def take(session: Session, rng: random.Random) -> tuple[int, bool]:
    """Takes a lock until the end of the session's block; (which one, whether shared). Raises what waiting raises."""
    advisory, pid = session.executor.advisory, session.pid
    lock, shared = rng.randrange(LOCKS), rng.random() < 0.3

    async def ask() -> None:
        asked = advisory.lock(pid, (session.database, lock, None), shared=shared, transaction=True)
        if inspect.isawaitable(asked):
            await asked

    await advisory.until_granted(pid, WAIT_S, ask)
    return lock, shared


def held_at_once(all_held: Sequence[Held]) -> list[str]:
    """Every two that held one lock at once, in words."""
    return [
        f"T{a.txn.id} and T{b.txn.id} held advisory lock {a.lock} at once"
        for a, b in combinations((h for h in all_held if h.counts), 2)
        if a.excludes(b) and a.since < b.until and b.since < a.until
    ]


__all__ = ["LOST", "Held", "held_at_once", "take"]
