"""The steps that every round of the committer is made of, whichever way its append goes.

    admit      one timestamp, one group of all members that can be in it
    seal       its entry, with what rides along, and the bytes of that
    publish    the append is durable: visible from now on; everybody is answered
    take back  the append did not happen: nothing of the group is left

`txn.committer` says when which of them is taken, and what follows from a failed append.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from storage.abc import (
    InvalidDatum,
    Timestamp,
)
from storage.consensus.append_process import AppendProcess
from txn.abc import (
    AnswerFailed,
    CommitFailed,
    Fenced,
    Member,
    TxnError,
)
from txn.commit_queue import QUEUE_MAX, CommitQueue
from txn.conflicts import ConflictIndex
from txn.group import CommitGroup, NextGroup
from txn.lease import Lease
from txn.log_entry import Entry, encode
from txn.oracle import LeasedOracle
from txn.patience import Patience
from txn.resolve import RESOLVE_LIMIT_S, resolve
from txn.riders import Riders
from txn.rids import RidAllocator
from txn.txns_shard import TxnsShard
from txn.txns_state import InvalidEntry

T = TypeVar("T")

GROUP_MAX = 4_096
LOOP_APPEND_LIMIT_S = 0.0015
BESIDE_APPEND_LIMIT_S = 0.0005

OnEntry = Callable[[Entry], None]


class Unwritable(Exception):
    """A group that no bytes can be made of: some member's rows cannot be written. The cause says why."""


class CommitSteps(CommitQueue):
    """`monotonic_s` measures appends; `sleep` waits between retries (a simulation has its own). `learnt` is
    called with each entry that another process appended, after it was applied to the state.
    """

    def __init__(
        self,
        shard: TxnsShard,
        oracle: LeasedOracle,
        conflicts: ConflictIndex,
        rids: RidAllocator,
        *,
        learnt: OnEntry | None = None,
        queue_max: int = QUEUE_MAX,
        group_max: int = GROUP_MAX,
        loop_append_limit_s: float = LOOP_APPEND_LIMIT_S,
        beside_append_limit_s: float = BESIDE_APPEND_LIMIT_S,
        resolve_limit_s: float = RESOLVE_LIMIT_S,
        monotonic_s: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        lease: Lease | None = None,
    ) -> None:
        super().__init__(queue_max=queue_max)
        self.lease = lease or Lease(0.0, monotonic_s)
        self.shard = shard
        self.oracle = oracle
        self.conflicts = conflicts
        self.rids = rids
        self.learnt = learnt
        self.group_max = group_max
        self.loop_append_limit_s, self.resolve_limit_s = loop_append_limit_s, resolve_limit_s
        self.beside_append_limit_s = beside_append_limit_s
        self._monotonic_s, self._sleep = monotonic_s, sleep
        self._one_by_one = 0
        self._in_hand: list[Member] = []
        """Taken from the queue, and still to be answered: by the round, or whatever happens to it."""
        self._sent = False
        """Whether what is in hand may be in the log."""
        self.unwound = 0
        """How many groups were taken back after they had been in flight."""
        self.riders = Riders()
        self.append_s = 0.0  # recent average
        self._slow = not shard.consensus.synchronous
        self.beside: AppendProcess | None = None
        """Where the consensus has one: a process that makes appends while the loop goes on."""
        self.open_transactions: Callable[[], int] = int
        """How many transactions are open, those of a group included: set by the environment."""
        self.waiting: Callable[[], int] = int
        """How many of them wait for a lock: likewise."""
        self.patience = Patience(monotonic_s)
        self.rounds = self.appended_bytes = 0
        """Appends, and what they have brought to the log."""
        self.members = 0
        self.refused = 0

    def _answer_refused(self, refused: list[tuple[Member, Exception]]) -> None:
        """Answers who is not in a group that is under way by now: locks of theirs go to others, who may find what the
        group has written, and must find it in flight. While it is, nobody is told: who hears that a key is taken looks for the row.

        Empties the list: an error's traceback knows the frame that had it, whose members would all wait for the cycle collector.
        """
        if self.in_flight_ts and refused:
            later, unwound = refused.copy(), self.unwound
            self.landing().add_done_callback(lambda _: self._answer_later(later, unwound))
            refused.clear()
            return
        for member, reason in refused:
            self.refused += 1
            self._fail(member, reason)
        refused.clear()

    def _answer_later(self, refused: list[tuple[Member, Exception]], unwound: int) -> None:
        """What they were refused for has landed; or it came to nothing, and they are looked at again."""
        if self.unwound == unwound or self.closed_by is not None:
            self._answer_refused(refused)
            return
        self._queue[:0] = [member for member, _ in refused]
        refused.clear()
        self._next()

    def _admit(
        self, members: list[Member]
    ) -> tuple[CommitGroup, list[Member], list[tuple[Member, Exception]]]:
        """One group of all members that can be in it, and the others with their errors, to be answered after it is sent."""
        group = CommitGroup(self.oracle.write_ts(), self.shard.state, self.conflicts)
        admitted: list[Member] = []
        refused: list[tuple[Member, Exception]] = []
        i = 0
        while i < len(members):
            member = members[i]
            mark = group.mark()
            i += 1
            try:
                member.admit(group)
                admitted.append(member)
                continue
            except NextGroup as error:
                if admitted:
                    self._queue[:0] = members[i - 1 :]  # it begins the next group; the order is kept
                    members = members[: i - 1]
                else:
                    refused.append((member, error))  # the first of a group has nobody to wait for
            except Exception as error:  # noqa: BLE001 - whatever it is belongs to that member
                refused.append((member, error))
            group.unwind(mark)
            if group.touched_since(mark):
                # It had written, against the contract: form the group again without it.
                group.unwind()
                group = CommitGroup(group.ts, self.shard.state, self.conflicts)
                members = admitted + members[i:]
                admitted, i = [], 0
        return group, admitted, refused

    def _encoded(self, group: CommitGroup) -> tuple[Entry, bytes]:
        """The group's entry and its bytes. Raises Unwritable when it is a member's fault.

        TxnError and InvalidEntry are a fault of ours, found before it could become durable: nothing may go on then.
        """
        try:
            entry = self._seal(group)
            return entry, encode(entry)
        except (TxnError, InvalidEntry):
            self._take_back(group)
            raise
        except Exception as error:
            raise Unwritable from error

    def _seal(self, group: CommitGroup) -> Entry:
        entry = group.seal(self.shard.epoch)
        self.riders.board(entry)
        reserve = self.oracle.due(entry.ts)
        if reserve is not None:
            entry.reserve = reserve
        rids = self.rids.due()
        if rids is not None:
            entry.rids = rids
        entry.token = self.shard.tokens()
        self.shard.state.check(entry)
        return entry

    def _published(self, group: CommitGroup, admitted: list[Member], entry: Entry) -> None:
        """The append is durable: it becomes visible, then everybody hears of it."""
        if not entry.is_plain:
            if entry.tidy or entry.retract:
                self.riders.carried(entry)
            if entry.reserve:
                self.oracle.extended(entry.reserve)
            if entry.rids:
                self.rids.leased(entry.rids)
        assert entry.ts < self.oracle.reserved, "a timestamp beyond the durable reservation"
        self.oracle.apply_write(entry.ts)
        self._answer(admitted, group.ts)

    def _answer(self, admitted: list[Member], ts: Timestamp) -> None:
        self._in_hand, self._sent = [], False
        self.members += len(admitted)
        for member in admitted:
            try:
                member.committed(ts)
            except Exception as error:  # noqa: BLE001 - must not keep the others from their answer
                self._report(member, error)
                failed = AnswerFailed(f"the transaction was committed, but answering it failed: {error!r}")
                failed.__cause__ = error
                self._fail(member, failed)  # whoever waits for it waits for one of the two

    def _measured(self, seconds: float) -> None:
        self.append_s += (seconds - self.append_s) * 0.05
        # Leaving the loop's turn costs a hand-over, so come back only well below the limit.
        limit = self.loop_append_limit_s
        if not self.shard.consensus.synchronous:
            self._slow = True
        elif self._slow:
            self._slow = self.append_s > limit / 2
        else:
            self._slow = self.append_s > limit

    def _take_back(self, group: CommitGroup) -> None:
        """The append did not happen: nothing of the group is left, and who read from it will hear so."""
        self._sent = False
        group.unwind()
        self.unwound += 1
        # It was in flight: who now gets a lock of its members' must not take it into a snapshot, for it will never be durable.
        self.in_flight_ts = 0

    def _unwritable(self, error: Unwritable) -> Exception:
        """What a member hears of rows that cannot be written."""
        cause = error.__cause__
        if isinstance(cause, InvalidDatum):
            return cause
        assert isinstance(cause, Exception)
        self._defect("a transaction could not be written", cause)
        failed = CommitFailed(f"the commit failed: {cause!r}")
        failed.__cause__ = cause
        return failed

    def _fail_in_hand(self, error: Exception) -> None:
        members, self._in_hand = self._in_hand, []
        for member in members:
            self._fail(member, error)

    async def _learn(self) -> None:
        """Reads what others appended; the newer epoch of another leader raises Fenced."""
        await self.shard.catch_up(on_entry=self._learnt_entry)
        self._check_epoch()

    def _learnt_entry(self, entry: Entry) -> None:
        self.riders.carried(entry)
        # Their clock may be ahead of ours: never below what they have made readable.
        self.oracle.extended(entry.reserve)
        if entry.ts:
            self.oracle.extended(entry.ts + 1)
            if self.learnt is not None:
                self.learnt(entry)
            self.oracle.apply_write(entry.ts)

    def _check_epoch(self) -> None:
        if self.shard.state.epoch > self.shard.epoch:
            raise Fenced(
                f"epoch {self.shard.epoch} was fenced by epoch {self.shard.state.epoch}: another server leads"
            )

    async def resolve(self, attempt: Callable[[], Awaitable[T]], lost: Exception | None) -> T:
        """`txn.resolve.resolve` under this committer's limit and clock."""
        return await resolve(attempt, lost, self.resolve_limit_s, self._monotonic_s, self._sleep)

    def _close(self, error: TxnError) -> None:
        self.lease.end()
        super()._close(error)
