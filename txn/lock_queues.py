"""Who holds locks, who waits for whom, and circles of them.

    modes      what excludes what
    a lock     its holders, and a queue of waiters, first come, first served
    circles    A waits for B, who waits for C, who waits for A: found when the last of them is about to wait

`txn.locks` gives and takes the locks; here they are only looked at. An owner waits for conflicting holders, and for every request
ahead of it in the queue: the queue is in order, compatible or not.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Hashable
from typing import Protocol

from txn.abc import Key, Keyspace, TxnError
from txn.lock_names import LockNames

LOCKS_MAX = 4_000_000


class LockMode(enum.IntEnum):
    """The modes in which PostgreSQL locks tables, weakest first; rows it locks in four of them.

    KEY_SHARE       FOR KEY SHARE        ACCESS SHARE             NO_KEY_UPDATE  FOR NO KEY UPDATE  SHARE ROW EXCLUSIVE
    ROW_SHARE                            ROW SHARE                EXCLUSIVE                         EXCLUSIVE
    SHARE           FOR SHARE            ROW EXCLUSIVE            UPDATE         FOR UPDATE         ACCESS EXCLUSIVE
    TABLE_UPDATE                         SHARE UPDATE EXCLUSIVE
    TABLE_SHARE                          SHARE

    Who has one mode and wants another asks for both (`together`).
    """

    KEY_SHARE = 0
    ROW_SHARE = 1
    SHARE = 2
    TABLE_UPDATE = 3
    TABLE_SHARE = 4
    NO_KEY_UPDATE = 5
    EXCLUSIVE = 6
    UPDATE = 7

    def together(self, held: LockMode | None) -> LockMode:
        """The mode of who has one and gets the other."""
        if held is None:
            return self
        weaker, stronger = sorted((self, held))
        if stronger is LockMode.TABLE_SHARE and weaker in (LockMode.SHARE, LockMode.TABLE_UPDATE):
            return LockMode.NO_KEY_UPDATE  # it lets no other write, and writes or defines itself
        return stronger


CONFLICTS: tuple[tuple[bool, ...], ...] = (
    # KEY_SHARE ROW_SHARE SHARE TABLE_UPDATE TABLE_SHARE NO_KEY_UPDATE EXCLUSIVE UPDATE
    (False, False, False, False, False, False, False, True),
    (False, False, False, False, False, False, True, True),
    (False, False, False, False, True, True, True, True),
    (False, False, False, True, True, True, True, True),
    (False, False, True, True, False, True, True, True),
    (False, False, True, True, True, True, True, True),
    (False, True, True, True, True, True, True, True),
    (True, True, True, True, True, True, True, True),
)


def excludes(mode: LockMode, held: LockMode) -> bool:
    """Whether who asks for a mode waits for another who has the other one."""
    return CONFLICTS[mode][held]


class LockLimitExceeded(TxnError):
    """53200: more keys are locked than the configured bound."""


class Timer(Protocol):
    def cancel(self) -> None: ...


class Beyond(Protocol):
    """Waits of parties for locks that are kept elsewhere, which circles may go through."""

    def blockers(self, party: Hashable) -> list[Hashable]:
        """Whom the party waits for there."""

    def spelled(self, party: Hashable, blocker: Hashable) -> str:
        """A line of a deadlock's detail."""


Granted = Callable[[Exception | None], None]


CallLater = Callable[[float, Callable[[], None]], Timer]


LockKey = tuple[Keyspace, Key]


Contains = Callable[[Key], bool]


KeySet = tuple[Hashable, Contains, LockMode, Callable[[Key], Key] | None]
"""Keys that an owner has locked together: which, how, and what they are called by now if their rows have got others."""


class Waiter:
    """A request in a queue. `cancel` through `KeyLocks.cancel`."""

    __slots__ = ("granted", "key", "mode", "owner", "timer")

    def __init__(self, owner: Hashable, key: LockKey, mode: LockMode, granted: Granted) -> None:
        self.owner, self.key, self.mode, self.granted = owner, key, mode, granted
        self.timer: Timer | None = None


NOBODY: deque[Waiter] = deque(maxlen=0)
"""The queue of locks that nobody has waited for yet, which are nearly all."""


class Lock:
    __slots__ = ("holders", "queue")

    def __init__(self) -> None:
        self.holders: dict[Hashable, LockMode] = {}
        self.queue = NOBODY

    def admits(self, owner: Hashable, mode: LockMode) -> bool:
        """Whether no *other* holder conflicts."""
        conflicts = CONFLICTS[mode]
        for holder, held in self.holders.items():  # noqa: SIM110  a generator costs more than the rest
            if conflicts[held] and holder != owner:
                return False
        return True

    def passes(self, mode: LockMode) -> bool:
        """Whether nobody in the queue would have to wait for such a lock: then it need not wait behind them."""
        conflicts = CONFLICTS[mode]
        return not any(conflicts[waiter.mode] for waiter in self.queue)


class LockQueues:
    """All locks and queues of the process."""

    def __init__(self, call_later: CallLater, *, locks_max: int = LOCKS_MAX) -> None:
        self._call_later = call_later
        self.locks_max = locks_max
        self._locks: dict[LockKey, Lock] = {}
        self._held: dict[Hashable, list[tuple[LockKey, LockMode | None]]] = {}  # (key, mode before)
        self._waiting: dict[Hashable, Waiter] = {}
        self._queues: dict[LockKey, Lock] = {}  # those that somebody waits for
        self._parties: dict[Hashable, Waiter] = {}  # the same by party
        self._sets: dict[Keyspace, list[KeySet]] = {}
        self._names = LockNames()
        self._apart: set[Keyspace] = (
            set()
        )  # those in which there are sets or names, and perhaps some in which there were
        self._granted: deque[Waiter] = deque()  # have their lock, have not been told yet
        self._telling = False
        self.describe: Callable[[Keyspace, Key], str] = lambda space, key: f"key {key!r} of {space}"
        """How errors name a key; whoever knows tables and columns says it better."""
        self.beyond: Beyond | None = None
        self.in_turn: frozenset[Keyspace] = frozenset()
        """Spaces in which nobody overtakes those who wait for what he would keep from them."""

    def blockers(self, party: Hashable) -> list[Hashable]:
        """The parties that one waits for; nobody if it does not wait."""
        waiter = self._parties.get(party)
        return [] if waiter is None else [party_of(owner) for owner in self._blockers(waiter)]

    def spelled(self, party: Hashable) -> str:
        """What a waiting party waits for, as a line of a deadlock's detail."""
        waiter = self._parties[party]
        return self._line(waiter, self._blockers(waiter)[0])

    def _blockers(self, waiter: Waiter) -> list[Hashable]:
        """Whom a waiter waits for: conflicting holders, and conflicting requests ahead of it."""
        lock = self._locks[waiter.key]
        conflicts = CONFLICTS[waiter.mode]
        blockers = [o for o, held in lock.holders.items() if conflicts[held] and o != waiter.owner]
        for ahead in lock.queue:
            if ahead is waiter:
                break
            # Any request ahead must be served first: the queue is in order, compatible or not.
            blockers.append(ahead.owner)
        return blockers

    def _may_close_circle(self, newest: Waiter, lock: Lock) -> bool:
        """Whether who has just begun to wait for the lock may have closed a circle. It has not if it came last, and nobody who holds
        the lock waits (all ahead of it wait for those, and for each other), or it holds nothing that others are queued for."""
        if self.beyond is not None or lock.queue[-1] is not newest:
            return True
        party, waiting = party_of(newest.owner), self._parties
        for holder in lock.holders:
            other = party_of(holder)
            if other in waiting:  # which the newest is, too: it may be one of the holders in another name
                break
        else:
            return False
        return any(party_of(holder) == party for lock in self._queues.values() for holder in lock.holders)

    def _ahead_alike(self, party: Hashable) -> set[Hashable]:
        """Who is ahead in the queue that the party waits in, and waits for nobody whom it does not wait for itself: to look
        behind each of them for a cycle would cost the square of the queue, and find nothing new."""
        first = self._parties.get(party)
        if first is None or self.beyond is not None:
            return set()
        lock = self._locks[first.key]
        if len(lock.queue) < 2 or any(party_of(holder) == party for holder in lock.holders):
            return set()  # a holder is waited for by those ahead of it
        alike: set[Hashable] = set()
        for ahead in lock.queue:
            if ahead is first:
                break
            if ahead.mode == first.mode and party_of(ahead.owner) != party:
                alike.add(party_of(ahead.owner))
        return alike

    def _cycle_through(self, party: Hashable) -> list[Hashable]:
        """A cycle of waiting parties through `party`, which comes first; empty if there is none."""
        via: dict[Hashable, Hashable] = {party: party}
        stack = [party]
        alike = self._ahead_alike(party)
        while stack:
            current = stack.pop()
            if current in alike:
                continue
            blockers = self.blockers(current)
            if self.beyond is not None:
                blockers += self.beyond.blockers(current)
            for blocker in blockers:
                if blocker == party:
                    cycle = [current]
                    while cycle[-1] != party:
                        cycle.append(via[cycle[-1]])
                    return cycle[::-1]
                if blocker not in via:
                    via[blocker] = current
                    stack.append(blocker)
        return []

    def _only_queued(self, cycle: list[Hashable]) -> Waiter | None:
        """Who of a cycle waits for no holder, but for requests ahead of it."""
        for party in cycle:
            waiter = self._parties.get(party)
            if waiter is not None and self._locks[waiter.key].admits(waiter.owner, waiter.mode):
                return waiter
        return None

    def _spell(self, cycle: list[Hashable]) -> str:
        """Who waits for what and whom, a line each."""
        lines = []
        for i, party in enumerate(cycle):
            following = cycle[(i + 1) % len(cycle)]
            waiter = self._parties.get(party)
            if waiter is None:
                assert self.beyond is not None
                lines.append(self.beyond.spelled(party, following))
            else:
                blocker = next(b for b in self._blockers(waiter) if party_of(b) == following)
                lines.append(self._line(waiter, blocker))
        return "\n".join(lines)

    def _line(self, waiter: Waiter, blocker: Hashable) -> str:
        space, key = waiter.key
        return f"{_capital(_named(waiter.owner))} waits for {self.describe(space, key)}; blocked by {_named(blocker)}."


def party_of(owner: Hashable) -> Hashable:
    """Who waits and is waited for: what the owner says, or the owner itself."""
    party = getattr(owner, "party", None)
    return owner if party is None else party


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _named(owner: Hashable) -> str:
    """`transaction 7`, or what else an owner with an `id` says that it is."""
    id = getattr(owner, "id", None)
    return f"{getattr(owner, 'kind', 'transaction')} {id}" if isinstance(id, int) else repr(owner)
