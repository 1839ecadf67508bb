"""Group commit beside other servers: an append wins only if its server has read everything before it.

    round     admit everybody against what is known --append--> accepted   answer admitted and refused
                    ^                                  |
                    |                                  v  another server was first
                    +---- learn what it wrote <---- take all of it back          (again, with growing pauses)

`txn.committer` decides the same for one leader; three things are different here.

* **A lost race is everyday life.** The group's versions are taken out of the images, the others' commits are
  read and applied, their written keys go into the conflict index, and every member is admitted anew: those that
  really conflict are refused then (40001), those that were evaluated at admission are evaluated on the new rows, the
  others never notice. Whoever was queued meanwhile comes along. Some server wins each race, so all of them together
  always make progress; pauses with jitter keep one of them from losing for ever, and after `RACES_MAX` lost races
  its members are told to try again (40001).
* **A refusal speaks of what this server knew.** So does an answer that there was nothing to do. Both are held back until
  an append of this round has proven that this server knew everything, or, if there is nothing to append, until a look at
  the log's end has. A duplicate key that another server has deleted already is never reported.
* **Nothing is handed over early.** A group that may lose its race is not what another transaction should build on: row
  locks are kept until the append is durable. (A writer at admission still shows its keys as in flight.)

On a fast local disk the first try is made on the loop, as with one leader; everything else is a task's.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from storage.abc import (
    Busy,
    CorruptBlob,
    Determinate,
    FormatTooNew,
    Indeterminate,
    SeqnoMismatch,
    StorageError,
)
from txn.abc import CommitFailed, CommitUnknown, Fenced, Member, SerializationFailure, TxnError
from txn.commit_steps import Unwritable
from txn.committer import Committer
from txn.group import NextGroup
from txn.log_entry import Entry
from txn.shared.group import SharedGroup
from txn.txns_shard import Overtaken

RACES_MAX = 200
PAUSE_FIRST_S = 0.0005
PAUSE_MAX_S = 0.02


class LeftBehind(Fenced):
    """This server was away for so long that the log has gone on without it: it must be started again."""


@dataclass(slots=True)
class _Formed:
    """A group, who is in it, and who was refused; `members` are all of them, to form it anew."""

    group: SharedGroup
    members: list[Member]
    admitted: list[Member] = field(default_factory=list)
    refused: list[tuple[Member, Exception]] = field(default_factory=list)


class SharedCommitter(Committer):
    """See the module. `moved_now` and `prepare` are set by the environment before the first round."""

    settles_in_order = False  # another server's commit may come between, and the group in flight begins anew

    moved_now: Callable[[int], bool | None]
    """Whether the log goes on after a seqno; None: that takes a round trip."""
    prepare: Callable[[Entry], Awaitable[None]]
    """Awaited before an entry of another server is applied: reads what applying it will need."""
    rng: random.Random
    races_lost = 0
    races_max = RACES_MAX

    @cached_property
    def outcasts(self) -> dict[Hashable, TxnError]:
        """Parties (sessions) whose commits are refused for good, and why: they relied on locks that others have by now."""
        return {}

    # --- the round ---------------------------------------------------------------------------

    def _round(self) -> None:
        self._scheduled = False
        if self._busy or self.closed_by is not None:
            return
        members = self._in_hand = self._take([])
        if self._slow or not self.shard.consensus.synchronous:
            self._background(lambda: self._through(members))
            return
        try:
            if self._at_once(members):
                self._next()
        except Exception as fault:  # noqa: BLE001 - nobody may wait for an answer for ever
            self._broke_down(fault)
            self._landed()

    def _take(self, again: list[Member]) -> list[Member]:
        """The members of the next group: those of one that lost its race, and whoever waits."""
        n = max(0, self.group_max - len(again))
        if self._one_by_one:
            n = 0 if again else 1
            self._one_by_one -= n
        taken, self._queue = self._queue[:n], self._queue[n:]
        return again + taken

    def _at_once(self, members: list[Member]) -> bool:
        """The first try, in this turn of the loop. False: a task goes on with it."""
        formed = self._form(members)
        self._in_hand = formed.members
        if not formed.group.has_work and not self.riders:
            if self.moved_now(self.shard.seqno) is False:
                self._settle(formed)
                return True
            formed.group.unwind()
            self._background(lambda: self._through(formed.members))
            return False
        try:
            entry, data = self._encoded(formed.group)
        except Unwritable as error:
            self._isolate(formed.group, formed.members, error)
            return True
        self.rounds += 1
        self._sent = True
        begun = self._monotonic_s()
        try:
            self.shard.append_now(entry, data)
        except (SeqnoMismatch, Busy):
            self._sent = False
            formed.group.unwind()  # nobody has seen it: this is still the same turn
            self.races_lost += 1
            self._background(lambda: self._through(formed.members, lost=1))
            return False
        except Exception as error:  # noqa: BLE001 - what consensus does not promise to raise may mean anything
            known = isinstance(error, Determinate | Indeterminate)
            failure = error if known else Indeterminate(f"unexpected: {error!r}")
            self.in_flight_ts = formed.group.ts
            self._background(lambda: self._through(members, begun=(formed, entry, data, failure)))
            return False
        self._measured(self._monotonic_s() - begun)
        self._settle(formed, entry)
        return True

    def _form(self, members: list[Member]) -> _Formed:
        """A group of all members that can be in it. Nobody is answered yet."""
        ts = self.oracle.write_ts()
        formed = _Formed(SharedGroup(ts, self.shard.state, self.conflicts), members)
        outcasts = self.outcasts
        i = 0
        while i < len(members):
            member, mark = members[i], formed.group.mark()
            i += 1
            try:
                if outcasts and (lost := outcasts.get(getattr(member, "party", None))) is not None:
                    raise lost
                member.admit(formed.group)
                formed.admitted.append(member)
                continue
            except NextGroup as error:
                if formed.admitted:
                    later = members[i - 1 :]  # it begins the next group; the order is kept
                    self._queue[:0], members = later, members[: i - 1]
                    formed.members = formed.members[: -len(later)]  # those who were refused stay
                else:
                    formed.refused.append((member, error))  # the first of a group has nobody to wait for
            except Exception as error:  # noqa: BLE001 - whatever it is belongs to that member
                formed.refused.append((member, error))
            formed.group.unwind(mark)
            if formed.group.touched_since(mark):
                # It had written, against the contract: form the group again without it.
                formed.group.unwind()
                formed.group = SharedGroup(ts, self.shard.state, self.conflicts)
                members = formed.admitted + members[i:]
                formed.admitted, i = [], 0
        return formed

    def _seal(self, group: Any) -> Entry:
        self.riders.settle(self.shard.state)
        return super()._seal(group)

    def _settle(self, formed: _Formed, entry: Entry | None = None) -> None:
        """It is certain that this server knew everything: whatever was decided stands."""
        if entry is not None:
            self._published(formed.group, formed.admitted, entry)
        else:
            formed.group.came_to_nothing()
            self._answer(formed.admitted, self.oracle.read_ts())
        self._refuse(formed)

    def _refuse(self, formed: _Formed, instead: Exception | None = None) -> None:
        for member, reason in formed.refused:
            self.refused += 1
            self._fail(member, instead or reason)
        formed.refused.clear()  # which the frames of their tracebacks know

    # --- the task ----------------------------------------------------------------------------

    async def _through(
        self,
        members: list[Member],
        *,
        lost: int = 0,
        begun: tuple[_Formed, Entry, bytes, Exception] | None = None,
    ) -> None:
        """Sees members through to their answers. `begun`: a try that was made on the loop, and what came of it."""
        formed: _Formed | None = None
        waiting = (
            members if begun is None else []
        )  # to be formed into a group, so nothing of them is in the images
        try:
            if begun is None and lost:
                await self.resolve(self._learn, None)
            while True:
                if begun is not None:
                    formed, entry, data, failure = begun
                    begun = None
                else:
                    self._in_hand = self._take(waiting) if lost else waiting
                    waiting = []
                    formed, failure = self._form(self._in_hand), None
                    self._in_hand = formed.members
                    if not formed.group.has_work and not self.riders:
                        if not await self.resolve(self._learn, None):
                            self._settle(formed)
                            return
                        waiting = formed.members
                        continue  # it was decided on what is the past by now
                    entry, data = self._encoded(formed.group)
                    self._sent = True
                    self.rounds += 1
                self.in_flight_ts = formed.group.ts
                if await self._appended(entry, data, failure):
                    self._settle(formed, entry)
                    return
                self._take_back(formed.group)
                lost += 1
                self.races_lost += 1
                if lost > self.races_max:
                    self._give_up(formed, lost)
                    return
                await self._learn_after_loss(formed, entry)
                waiting = formed.members
                if lost > 1:
                    await self._pause(lost)
        except Unwritable as unwritable:
            assert formed is not None
            self._isolate(formed.group, formed.members, unwritable)
        except CommitUnknown as unknown:
            # The versions stay where they are, invisible for ever: nobody may decide without the log.
            self._fail_in_hand(unknown)
            raise
        except TxnError as fatal:
            if formed is not None and not waiting:
                self._take_back(formed.group)
            self._fail_in_hand(fatal)
            raise
        except StorageError as failed:
            if formed is not None and not waiting:
                self._take_back(formed.group)
            reason = CommitFailed(f"the commit failed: {failed}")
            reason.__cause__ = failed
            self._fail_in_hand(reason)
            if isinstance(failed, CorruptBlob | FormatTooNew):
                raise reason from failed  # the log cannot be read: nothing can be decided any more

    async def _appended(self, entry: Entry, data: bytes, failure: Exception | None) -> bool:
        """Whether the entry is in the log; False: its place is another's."""
        try:
            if failure is not None:
                raise failure
            begun = self._monotonic_s()
            await self.shard.append(entry, data)
            self._measured(self._monotonic_s() - begun)
            return True
        except SeqnoMismatch:
            return False
        except Indeterminate as error:
            self._lost_answer = error
            try:
                await self.resolve(lambda: self.shard.append(entry, data), error)
                self._lost_answer = None
                return True
            except SeqnoMismatch:
                return False

    _lost_answer: Exception | None = None

    async def _learn_after_loss(self, formed: _Formed, entry: Entry) -> None:
        lost_answer, self._lost_answer = self._lost_answer, None
        try:
            await self.resolve(self._learn, lost_answer)
        except (Fenced, Overtaken):
            # The place is gone from the log. Without an answer to the append, the rollup knows whose it was.
            if lost_answer is not None and self._truncated(entry, formed.admitted):
                self._in_hand = [member for member, _ in formed.refused]
            raise

    async def _pause(self, lost: int) -> None:
        limit_s = min(PAUSE_MAX_S, max(PAUSE_FIRST_S, self.append_s) * 2 ** min(lost, 6))
        await self._sleep(self.rng.uniform(0, limit_s))

    def _give_up(self, formed: _Formed, lost: int) -> None:
        error = SerializationFailure(
            "could not append to the log, which other servers are writing to",
            detail=f"They were faster {lost} times in a row.",
        )
        self._in_hand = formed.admitted
        self._fail_in_hand(error)
        self._refuse(formed, error)

    # --- following ---------------------------------------------------------------------------

    async def _learn(self) -> bool:  # type: ignore[override]
        """Reads and applies what others appended; whether there was anything."""
        before = self.shard.seqno
        try:
            await self.shard.catch_up(before_entry=self.prepare, on_entry=self._learnt_entry)
        except Overtaken as error:
            raise LeftBehind(
                f"this server was away for too long: {error}; start it again, and it will read the present"
            ) from error
        self._check_epoch()
        return self.shard.seqno != before

    async def follow(self) -> None:
        """Applies what others appended until now. Raises what storage raises; what closes the committer, closed."""
        await self.exclusively(self.learn)

    async def learn(self) -> None:
        """`follow` for who has the log for himself."""
        try:
            await self._learn()
        except TxnError as error:
            self._close(error)
            raise
        except StorageError:
            raise  # tried again by whoever asks next: nothing was applied by half
        except Exception as error:
            self._close(CommitUnknown(f"following the log failed: {error!r}"))
            raise

    async def confirm_leadership(self) -> None:
        """Nobody leads: this is `follow`."""
        await self.follow()
