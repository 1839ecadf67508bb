"""Group commit: one append for everybody who is ready.

The committer owns all appends of the process. Members queue; a round takes the whole queue as one
group, gives it one timestamp, admits each member in order, makes one append, and answers all:

    turn of the event loop      |  round, at the end of the turn                     |
    submit submit submit        |  write_ts  admit admit admit  seal  APPEND  answer |  next turn

Nothing waits for a tick or a timer: what arrived during one append is the next group. While others are in the middle of
transactions, and go on with them, a round is put off by some turns of the loop (`txn.patience`), for the append would keep them. Where an append is fast (a local disk that syncs in 0.2 ms) it is made right there on
the loop: no task, no future, no other thread, a few microseconds a member over the append itself.
That is best as long as everybody waits for it. If others are in the middle of transactions, their statements
fill the time, if there is enough of it: then a process beside the loop makes the append (`storage.consensus.append_process`),
and the next group fills up meanwhile. To hand over and to be woken costs CPU on both sides, about as much as an append to the
log file, so it begins at `beside_append_limit_s`: with appends of 0.1 to 0.2 ms pgbench's -N took 550 to 780 microseconds
of CPU a transaction on the loop, and 770 to 980 beside it. Where appends are slow, the same, or an asynchronous call, keeps
the loop free for reads. The recent latency of appends (an average that forgets) says what is slow.

**Hand-over.** While an append is under way, its group is *admitted*: decided, unless the append fails. Whoever
queues for a row that it wrote need not wait for the disk: locks are let go when the group is sealed
(`group.on_sealed`), and the next transaction may read at `in_flight_ts`, a snapshot that is complete but not
durable yet. It answers nobody with what it read there until `settled`, its own commit comes in a later
group, and if the append should fail (`unwound` counts that) it is refused as if it had read a phantom.

**Failures.** After an append that failed

    determinately     (disk full)            undo, everybody gets CommitFailed; the next group tries anew
    by a lost race    (SeqnoMismatch)        undo, catch up; newer epoch: Fenced, for good. Otherwise
                                             admit everybody again against what was learnt, at a higher ts
    indeterminately   (the answer was lost)  ask again with the same token, with backoff; the group and
                                             all later ones wait. Unresolved after `resolve_limit_s`:
                                             CommitUnknown for that group, NoLongerCommitting for all who
                                             were not in it, and this committer is closed for good

After a committer was closed the environment must be opened again, which reads from the log what really happened.
The queue, and who has the log when, are in `txn.commit_queue`; what rides along, in `txn.riders`.

Sketch: a one-row INSERT costs 0.1 (submit) + 2 (admit, in the executor) + 0.4 (pack) + 0.1 (answer)
microseconds a member; a round costs about 15 and the append.
"""

from __future__ import annotations

from storage.abc import (
    CorruptBlob,
    Determinate,
    FormatTooNew,
    Indeterminate,
    SeqnoMismatch,
    StorageError,
)
from storage.consensus.append_process import AppendProcess
from txn.abc import (
    CommitFailed,
    CommitUnknown,
    Fenced,
    Member,
    NoLongerCommitting,
    TxnError,
)
from txn.commit_steps import CommitSteps, Unwritable
from txn.group import CommitGroup
from txn.log_entry import Entry
from txn.transaction import Transaction
from txn.txns_shard import Overtaken

RACES_MAX = 1_000


class Committer(CommitSteps):
    """See the module. All methods are called on the event loop's thread."""

    # --- the round ---------------------------------------------------------------------------

    def _round(self) -> None:
        self._scheduled = False
        if self._busy or self.closed_by is not None:
            return
        members = self._queue
        if len(members) > self.group_max or self._one_by_one:
            n = 1 if self._one_by_one else self.group_max
            self._one_by_one = max(0, self._one_by_one - 1)
            self._queue = members[n:]
            members = members[:n]
        else:
            self._queue = []
        self._in_hand = members
        try:
            self._commit(members)
        except Exception as fault:  # noqa: BLE001 - nobody may wait for an answer for ever
            self._broke_down(fault)
            self._landed()

    def _commit(self, members: list[Member]) -> None:
        """One round of these members, as far as it gets in this turn of the loop."""
        group, admitted, refused = self._admit(members)
        self._in_hand = admitted
        try:
            self._send(group, admitted)
        except Exception:
            self._answer_refused(refused)
            raise
        self._answer_refused(refused)

    def _send(self, group: CommitGroup, admitted: list[Member]) -> None:
        """The append, or its beginning."""
        if not group.has_work and not self.riders:
            group.came_to_nothing()
            if self.lease.is_valid:
                self._answer(admitted, self.oracle.read_ts())
                self._next()
            else:  # that nothing was to be done is an answer, too
                self._background(lambda: self._confirm(admitted))
            return
        try:
            entry, data = self._encoded(group)
        except Unwritable as error:
            self._isolate(group, admitted, error)
            return
        self.rounds += 1
        self.appended_bytes += len(data)
        self._sent = True
        beside = self.beside
        if beside is not None and (self._slow or self._others(admitted)) and beside.takes(len(data)):
            self.in_flight_ts = group.ts
            self._busy = True
            begun = self._monotonic_s()
            self.shard.append_beside(
                beside,
                entry,
                data,
                lambda error: self._came_back(beside, group, admitted, entry, data, begun, error),
            )
            self._hand_over(group)
            return
        if self._slow:
            self.in_flight_ts = group.ts
            self._background(lambda: self._finish(group, admitted, entry, data, None))
            self._hand_over(group)
            return
        begun = self._monotonic_s()
        try:
            self.shard.append_now(entry, data)
        except Exception as error:  # noqa: BLE001 - what consensus does not promise to raise may mean anything
            known = isinstance(error, Determinate | Indeterminate)
            failure = error if known else Indeterminate(f"unexpected: {error!r}")
            self.in_flight_ts = group.ts
            self._background(lambda: self._finish(group, admitted, entry, data, failure))
            return
        self._measured(self._monotonic_s() - begun)
        self.lease.renew(begun)
        self._published(group, admitted, entry)
        self._next()

    def _hand_over(self, group: CommitGroup) -> None:
        """The append has begun. Who cannot be told so early hears of it with everybody else."""
        try:
            group.sealed()
        except Exception as fault:  # noqa: BLE001 - the append is under way all the same
            self._defect("handing over early raised", fault)

    def _put_off(self) -> bool:
        """An append on the loop keeps those who are in the middle of a transaction: they go on first (`txn.patience`)."""
        if self._busy or self._slow or self.append_s > self.beside_append_limit_s:
            return self.patience.another_turn(0)
        open_count, queue = self.open_transactions(), self._queue
        others = open_count - _transactions(queue) - self.waiting() if open_count else 0
        return self.patience.another_turn(others, len(queue))

    def _others(self, admitted: list[Member]) -> bool:
        """Whether clients in the middle of a transaction have use for the loop while an append is under way, and time for it."""
        if self.append_s <= self.beside_append_limit_s:
            return False
        return self.open_transactions() > _transactions(admitted)

    def _came_back(
        self,
        beside: AppendProcess,
        group: CommitGroup,
        admitted: list[Member],
        entry: Entry,
        data: bytes,
        begun: float,
        error: StorageError | None,
    ) -> None:
        """The append beside the loop has ended: as at the end of `_commit`, or a task sees to what went wrong."""
        if self._in_hand is not admitted:
            return  # they have been told already that nobody knows
        if error is not None:
            self._background(lambda: self._finish(group, admitted, entry, data, error))
            return
        try:
            self._measured(beside.took_s)
            self.lease.renew(begun)
            self._published(group, admitted, entry)
        except Exception as fault:  # noqa: BLE001 - nobody may wait for an answer for ever
            self._broke_down(fault)
        self._landed()

    def _isolate(self, group: CommitGroup, members: list[Member], error: Unwritable) -> None:
        """A row cannot be written: find whose it is by committing each of the group alone."""
        self._take_back(group)
        if len(members) == 1:
            self.refused += 1
            self._fail_in_hand(self._unwritable(error))
        else:
            self._in_hand = []
            self._queue[:0] = members
            self._one_by_one = len(members)
        self._next()

    # --- faults of our own -------------------------------------------------------------------

    def _broke_down(self, fault: Exception) -> None:
        """Nothing goes on as if nothing was. Definite for whoever is in hand, unless the log may have it."""
        error: TxnError
        if self._sent:
            error = CommitUnknown(f"the committer failed: {fault!r}")
        else:
            error = CommitFailed(f"the commit failed, and the committer with it: {fault!r}")
        error.__cause__ = fault
        in_hand = set(map(id, self._in_hand))
        self._queue = [member for member in self._queue if id(member) not in in_hand]
        self._fail_in_hand(error)
        self._close(error)
        self._defect("the committer failed", fault)

    # --- slow appends and failures -----------------------------------------------------------

    async def _confirm(self, admitted: list[Member]) -> None:
        """Answers members that had nothing to write, once it is sure that nobody else leads."""
        asked = self._monotonic_s()
        try:
            await self.resolve(self._learn, None)
        except StorageError as error:
            self._fail_in_hand(CommitFailed(f"the log cannot be read: {error}"))
            return
        except TxnError as error:
            # They have written nothing, so nothing is unknown.
            unsent = NoLongerCommitting(f"the log cannot be read: {error}")
            self._fail_in_hand(unsent if isinstance(error, CommitUnknown) else error)
            raise
        self.lease.renew(asked)
        self._answer(admitted, self.oracle.read_ts())

    async def _finish(
        self,
        group: CommitGroup,
        admitted: list[Member],
        entry: Entry,
        data: bytes,
        failure: Exception | None,
    ) -> None:
        """Sees one group through to its answers. `failure` is what the append on the loop gave, if it was made."""
        try:
            for _ in range(RACES_MAX):
                lost: Exception | None = None
                try:
                    if failure is not None:
                        raise failure
                    begun = self._monotonic_s()
                    await self.shard.append(entry, data)
                    self._measured(self._monotonic_s() - begun)
                    self.lease.renew(begun)
                    break
                except SeqnoMismatch:
                    pass
                except Indeterminate as error:
                    lost = error
                    try:
                        await self.resolve(lambda: self.shard.append(entry, data), lost)  # noqa: B023
                        break
                    except SeqnoMismatch:
                        pass
                # The position is another's. Ours did not happen, unless an answer was lost and it has been
                # truncated since: then the rollup knows. Undo first: images take commits in order of time.
                self._take_back(group)
                try:
                    await self.resolve(self._learn, lost)
                except (Fenced, Overtaken):
                    if lost is not None:
                        self._truncated(entry, admitted)
                    raise
                group, admitted, refused = self._admit(admitted)
                self._in_hand = admitted
                if not group.has_work and not self.riders:
                    group.came_to_nothing()
                    self._answer(admitted, self.oracle.read_ts())
                    self._answer_refused(refused)
                    return
                self.in_flight_ts = group.ts
                self._answer_refused(refused)
                entry, data = self._encoded(group)
                self._sent, failure = True, None
            else:
                raise Determinate(f"lost the race for the log {RACES_MAX} times")
        except Unwritable as unwritable:
            self._isolate(group, admitted, unwritable)
            return
        except CommitUnknown as unknown:
            # The versions stay where they are, invisible for ever: nobody may decide without the log.
            self._fail_in_hand(unknown)
            raise
        except TxnError as fatal:  # Fenced, above all
            self._take_back(group)
            self._fail_in_hand(fatal)
            raise
        except Determinate as failed:
            self._take_back(group)
            reason = CommitFailed(f"the commit failed: {failed}")
            reason.__cause__ = failed
            self._fail_in_hand(reason)
            if isinstance(failed, CorruptBlob | FormatTooNew):
                raise reason from failed  # the log cannot be read: nothing can be decided any more
            return
        self._published(group, admitted, entry)

    def _truncated(self, entry: Entry, admitted: list[Member]) -> bool:
        """An append without an answer whose position is gone: tells the members, if that can be known.

        True: they have been answered. False: it did not happen, and they are to hear why.
        """
        happened = self.shard.happened(entry.token)
        if happened:
            self._answer(admitted, entry.ts)
        elif happened is None:
            self._fail_in_hand(CommitUnknown("the log does not reach back to the append any more"))
        return happened is not False

    async def confirm_leadership(self) -> None:
        """Reads the log's end: raises Fenced (and closes) if another process has taken over."""

        async def work() -> None:
            asked = self._monotonic_s()
            try:
                await self._learn()
                self.lease.renew(asked)
            except Fenced as fenced:
                self._close(fenced)
                raise

        await self.exclusively(work)


def _transactions(members: list[Member]) -> int:
    return sum(1 for member in members if type(member) is Transaction)
