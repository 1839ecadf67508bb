"""An environment that several servers open at once, and in which each of them reads and writes.

    SharedEnvironment.open(blob, consensus)
      members      a number, and the promise that nothing this server needs goes away
      load         the txns shard: newest rollup, and what follows
      join         an entry: the mode, if the environment is new, and a range of row ids
      follow       whatever others append is applied as soon as it is heard of, and before any read that must see it

It is `txn.environment` with other parts in the same places:

    oracle       SharedOracle       the log's end is the clock
    leadership   Frontier           nobody leads; a read looks whether it knows the log's end
    committer    SharedCommitter    admits anew when another server was first
    rids         RidRange           a large range for each server
    upkeep       SharedUpkeep       the log is the steward's
    locks        SessionLocks       beside each server's own row locks: those that all sessions respect
    members      who is alive, and what they hold

The mode is in the log from its first entry on. A server that would lead alone is refused by an environment that is
shared, and the other way round, before it has written anything.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from storage.abc import SeqnoMismatch, StorageError
from storage.consensus import LogFileConsensus, SqliteConsensus
from storage.consensus.watch import Watch, open_watch
from txn.abc import Commit, TxnError
from txn.conflicts import ConflictIndex
from txn.environment import Environment
from txn.group import CommitGroup, commit_of
from txn.lease import LeaseLapsed
from txn.log_entry import Entry, encode
from txn.shared.committer import SharedCommitter
from txn.shared.frontier import Frontier
from txn.shared.group import SharedGroup
from txn.shared.marks import Marks, Told
from txn.shared.members import Members
from txn.shared.oracle import SharedOracle
from txn.shared.row_ids import RANGE, RidRange
from txn.shared.session_locks import SessionLocks
from txn.shared.upkeep import SharedUpkeep
from txn.txns_shard import SHARD, ModeMismatch, Overtaken

_log = logging.getLogger("tidewire.txn")

MODE = "shared"
BEAT_S = 0.5
"""How often it is looked whether a beat is due."""
RETRY_S = 0.2
LOADS_MAX = 5


class Listener(Protocol):
    """Who keeps an image of the data, and hears of the commits of other servers in the order of the log."""

    async def prepare(self, commit: Commit, marks: Marks) -> Any:
        """Reads what applying the commit will need. May raise: the commit is prepared again, and nothing has changed."""

    def apply(self, prepared: Any) -> None:
        """Takes the commit in. The log's state has it already; nobody has been given its timestamp yet."""


class SharedEnvironment(Environment):
    """See the module."""

    members: Members
    rids: RidRange
    frontier: Frontier
    committer: SharedCommitter
    session_locks: SessionLocks

    async def _take_over(self) -> None:
        txns, limits = self.txns, self.limits
        self.upkeep: SharedUpkeep = SharedUpkeep(self)
        self.listener: Listener | None = None
        self.on_told: list[Callable[[Sequence[Told]], None]] = []
        """Called with the NOTIFYs of another server's commit."""
        self._prepared: tuple[Commit | None, Marks, Any] = (None, Marks(), None)
        if isinstance(self.consensus, SqliteConsensus | LogFileConsensus):
            self.consensus.share()
        self.members = Members(self.consensus, self.monotonic_s, self._token, limits.member_lease_s)
        await self._resolve(txns.load)
        self._check_mode()  # before anything is written
        await self._resolve(self.members.join)
        await self._load_again()
        await self._join()
        self.watch: Watch = await open_watch(self.consensus, SHARD)
        committer = self.committer = SharedCommitter(
            txns,
            self.oracle,
            self.conflicts,
            self.rids,
            learnt=self._learnt,
            queue_max=limits.queue_max,
            group_max=limits.group_max,
            loop_append_limit_s=limits.loop_append_limit_s,
            resolve_limit_s=limits.resolve_limit_s,
            monotonic_s=self.monotonic_s,
            sleep=self.sleep,
        )
        committer.moved_now, committer.prepare, committer.rng = self.watch.moved_now, self._prepare, self.rng
        committer.open_transactions = self.transactions.__len__
        committer.waiting = lambda: self.locks.waiting_count
        committer.on_closed.append(self._fenced)
        self.session_locks = SessionLocks(self)
        self.frontier = self.leadership = Frontier(
            self.consensus, txns, self.watch.moved_now, committer.follow, self.monotonic_s
        )
        self.read_ts = self._frontier_read_ts
        self.snapshot_ts = self.oracle.read_ts
        await self.beat()

    async def _load_again(self) -> None:
        """Now that this server is a member, nothing that it has read can go away unread; unless it just does."""
        for _ in range(LOADS_MAX - 1):
            try:
                await self._resolve(self.txns.load)
                return
            except Overtaken:
                continue
        await self._resolve(self.txns.load)

    def _check_mode(self) -> None:
        mode = self.txns.state.mode
        if mode not in ("", MODE):
            raise ModeMismatch(
                f"this environment is led by one server at a time (mode {mode!r}), and this one was started to"
                " share it: start it without --shared"
            )

    async def _join(self) -> None:
        """An entry of this server's own: what it reads and writes comes after it."""
        txns = self.txns
        while True:
            self._check_mode()
            state = txns.state
            self.oracle = SharedOracle(self.clock, state.upper)
            entry = Entry(max(state.epoch, 1), self.oracle.write_ts(), rids=state.rids + RANGE)
            entry.mode = "" if state.mode else MODE
            entry.token = self._token()
            data = encode(entry)
            first = state.rids
            try:
                await self._resolve(lambda: txns.append(entry, data))  # noqa: B023 - awaited in this turn
            except SeqnoMismatch:
                await self._resolve(self._catch_up)
                continue
            break
        txns.epoch = entry.epoch
        self.rids = RidRange(first)
        self.oracle.apply_write(entry.ts)
        # What was written before is unknown to the index, but no snapshot is older.
        self.conflicts = ConflictIndex(keys_max=self.limits.conflict_keys_max, floor=entry.ts)
        self.holds.since = max(self.holds.since, txns.state.since)

    async def _catch_up(self) -> None:
        await self.txns.catch_up(everything=True)

    # --- following ---------------------------------------------------------------------------

    def begin_background(self) -> None:
        super().begin_background()
        loop = asyncio.get_running_loop()
        self._background += [loop.create_task(self._follow()), loop.create_task(self._beats())]

    async def _follow(self) -> None:
        """Keeps this server close to the log's end, so that readers have little to wait for."""
        while True:
            await self.watch.wait(lambda: self.txns.seqno, self.limits.follow_poll_s)
            if self.committer.closed_by is not None:
                return
            if self.watch.moved_now(self.txns.seqno) is False:
                continue
            try:
                await self.frontier.current()
            except (StorageError, TxnError) as error:
                _log.warning("the log cannot be followed and will be tried again: %s", error)
                await self.sleep(RETRY_S)

    async def _prepare(self, entry: Entry) -> None:
        marks = Marks.unpack(entry.marks)
        commit, prepared = None, None
        if entry.writes or entry.register or entry.forget:
            commit = commit_of(entry)
            if self.listener is not None:
                prepared = await self.listener.prepare(commit, marks)
        self._prepared = commit, marks, prepared

    def _learnt(self, entry: Entry) -> None:
        """Another server's entry is in the log's state: images and index first, then (by the committer) the oracle."""
        commit, marks, prepared = self._prepared
        self._prepared = (None, Marks(), None)
        marks.record(self.conflicts, entry.ts)
        if commit is not None:
            if self.listener is not None:
                self.listener.apply(prepared)
            for callback in self.on_commit:
                callback(commit)
        if entry.since > self.holds.since:
            self.holds.recall(entry.since)
        if entry.locks:
            self.session_locks.learnt(entry)
        if marks.told:
            for hear in self.on_told:
                hear(marks.told)

    async def lead(self) -> None:
        """Returns when this server has applied everything that was in the log when it was asked."""
        await asyncio.shield(self.frontier.current())

    def _frontier_read_ts(self) -> int:
        if not self.frontier.is_valid:
            raise LeaseLapsed("others may have committed: look at the log first")
        return self.oracle.read_ts()

    # --- membership --------------------------------------------------------------------------

    async def _beats(self) -> None:
        while True:
            await self.sleep(BEAT_S)
            await self.say_alive()

    async def say_alive(self) -> None:
        """A beat if it is time for one, and what depends on who is alive."""
        if self.members.due:
            try:
                await self.beat()
                await self.session_locks.beat()
            except (StorageError, TxnError) as error:
                _log.warning("this server could not say that it is alive and will try again: %s", error)
        if not self.members.is_valid:
            self.session_locks.lose()  # others may have given them away by now

    async def beat(self) -> None:
        """Tells the others that this server is alive, and what it needs."""
        if not await self.members.renew(self.txns.seqno, self.holds.since):
            await self.lead()  # if the log can still be read
            _log.warning(
                "this server was believed to be dead: it gives up the snapshots that nobody kept for it"
            )
            self.holds.recall(self.txns.state.since)

    async def needs_history(self) -> None:
        """Before shared data is read at an old timestamp: makes sure that it has been kept. Raises what storage raises."""
        if not self.members.is_valid:
            await self.beat()

    async def lease_rids(self) -> None:
        """Another range of row ids."""

        def work(group: CommitGroup) -> int:
            assert isinstance(group, SharedGroup)
            return group.lease_rids(RANGE)

        _, first = await self.call(work)
        assert first is not None
        self.rids.new_block(first, first + RANGE)

    async def tell(self, notifications: Sequence[Told]) -> None:
        """NOTIFYs of a transaction that has written nothing: a commit of their own."""

        def work(group: CommitGroup) -> None:
            assert isinstance(group, SharedGroup)
            group.tell(notifications)

        await self.call(work)

    async def rollup(self) -> None:
        """The state into the log; what every member has read is truncated."""

        async def work() -> None:
            if not await self.txns.rollup(0):
                await self.committer.learn()

        await self.committer.exclusively(work)
        await self.trim()

    async def trim(self) -> None:
        """Truncates what every member has read.

        The table is read after the rollup was written: who is not on it yet will read the log with the rollup in it.
        """
        await self.members.refresh()
        await self.txns.trim(self.members.read_by_all(self.txns.seqno) + 1)

    # --- the end -----------------------------------------------------------------------------

    async def _tidy_up(self) -> None:
        await self.session_locks.leave()
        await self.members.leave()
        if self.members.alone:
            await self.apply_le(self.txns.state.upper - 1)
            await self.upkeep.flush_riders()
            if self.txns.entries_since_rollup > 1:
                await self.rollup()

    async def _disconnect(self) -> None:
        await self.frontier.close()
        await self.watch.close()
        await super()._disconnect()
