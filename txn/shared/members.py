"""Who is there: the servers of an environment, what they still need, and which of them does the chores.

A small log of its own in consensus (`members`) holds one table, rewritten by whoever has something to say:

    number   beat   seqno          hold                 what must be kept for it
      3       17    has read 9041  reads from 1710...   entries of the log after 9041, history from 1710... on
      4        2    has read 9050  reads from 1710...

* **A member is alive while its beat changes.** Nobody compares clocks: each server notes when it last saw the
  beat of another change, by its own clock, and takes it off the table when `lease_s` (and a bit) have passed since.
* **What a live member needs stays**: the log is truncated, and `since` advanced, only below the least of all members.
* **The steward** is the live member with the lowest number. It applies, tidies, rolls up, advances `since`, compacts and
  collects. Two who both believe to be the steward do no harm, for all of that is compare-and-append or idempotent.
* **A member that was taken off** (it was stalled) notices at its next beat. What it needed may be gone: `renew` says so,
  and its owner gives up the snapshots that nobody kept for it.

Numbers only grow: a number is one process's life, and names its temporary schemas and row ids too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgpack

from storage import failpoints
from storage.abc import Consensus, CorruptBlob, FormatTooNew, SeqnoMismatch, ShardId, StorageError, Timestamp
from txn.lease import DRIFT

SHARD: ShardId = "members"
FORMAT = 1
MEMBERS_MAX = 1_000
TRIES_MAX = 100


class TooManyMembers(StorageError):
    """More servers than `MEMBERS_MAX`."""


@dataclass(slots=True)
class Member:
    """A line of the table."""

    beat: int
    seqno: int
    hold: Timestamp


class Members:
    """This process's view of the table. `lease_s`: how long a member is believed to be alive without a beat."""

    def __init__(
        self,
        consensus: Consensus,
        monotonic_s: Callable[[], float],
        tokens: Callable[[], bytes],
        lease_s: float,
    ) -> None:
        self._consensus, self._monotonic_s, self._tokens = consensus, monotonic_s, tokens
        self.lease_s = lease_s
        self.number = 0
        self._beat = 0
        self._renewed_s = float("-inf")
        self._table: dict[int, Member] = {}
        self._last_number = 0
        self._seqno = 0
        self._seen: dict[int, tuple[int, float]] = {}
        """Of each other member: its beat, and when it was first seen."""

    # --- coming and going ----------------------------------------------------------------------

    async def join(self) -> None:
        """Takes a number, and holds everything until the first `renew` says what is needed.

        Raises what storage raises, TooManyMembers.
        """

        def change(table: dict[int, Member]) -> None:
            if len(table) >= MEMBERS_MAX:
                raise TooManyMembers(f"more than {MEMBERS_MAX} servers on one environment")
            self._last_number += 1
            self.number = self._last_number
            table[self.number] = Member(0, 0, 0)

        await self._rewrite(change)

    async def renew(self, seqno: int, hold: Timestamp) -> bool:
        """One beat: this process is alive, has read up to `seqno`, and may be asked about times from `hold` on.

        False: it had been taken off the table. It is on it again now, but what it needed may be gone.
        """
        asked_s = self._monotonic_s()
        self._beat += 1
        kept = True

        def change(table: dict[int, Member]) -> None:
            nonlocal kept
            kept = self.number in table
            table[self.number] = Member(self._beat, seqno, hold)
            for number in self._silent(table, asked_s):
                del table[number]

        await self._rewrite(change)
        self._renewed_s = asked_s
        return kept

    async def refresh(self) -> None:
        """Reads the table."""
        await self._read()

    async def leave(self) -> None:
        """Takes this process off the table."""
        await self._rewrite(lambda table: table.pop(self.number, None))

    def _silent(self, table: dict[int, Member], now_s: float) -> list[int]:
        """The members whose beat has not changed for too long."""
        silent = []
        for number, member in table.items():
            if number == self.number:
                continue
            beat, since_s = self._seen.get(number, (-1, now_s))
            if beat != member.beat:
                self._seen[number] = member.beat, now_s
            elif now_s - since_s > self.lease_s * (1 + DRIFT):
                silent.append(number)
        self._seen = {n: seen for n, seen in self._seen.items() if n in table and n not in silent}
        return silent

    # --- questions -----------------------------------------------------------------------------

    @property
    def is_valid(self) -> bool:
        """Whether it is certain that nobody has taken this process off the table yet."""
        return self._monotonic_s() < self._renewed_s + self.lease_s

    @property
    def due(self) -> bool:
        """Whether it is time for a beat."""
        return self._monotonic_s() >= self._renewed_s + self.lease_s / 4

    @property
    def is_steward(self) -> bool:
        return self.is_valid and self.number == min(self._table, default=0)

    @property
    def alone(self) -> bool:
        """No other member is on the table."""
        return not (self._table.keys() - {self.number})

    @property
    def numbers(self) -> frozenset[int]:
        """Who is on the table."""
        return frozenset(self._table)

    def read_by_all(self, own: int) -> int:
        """Every other member, and this one at `own`, has read the log up to here."""
        return min([own, *(m.seqno for n, m in self._table.items() if n != self.number)])

    def held_by_none(self, own: Timestamp) -> Timestamp:
        """Nobody may be asked about times before this."""
        return min([own, *(m.hold for n, m in self._table.items() if n != self.number)])

    # --- the table in the log ------------------------------------------------------------------

    async def _rewrite(self, change: Callable[[dict[int, Member]], object]) -> None:
        for _ in range(TRIES_MAX):
            await self._read()
            table = dict(self._table)
            change(table)
            rows = {n: (m.beat, m.seqno, m.hold) for n, m in table.items()}
            data = msgpack.packb((FORMAT, self._last_number, rows), use_bin_type=True)
            failpoints.point("members.write.before")
            try:
                seqno = await self._consensus.compare_and_append(SHARD, self._seqno, data, self._tokens())
            except SeqnoMismatch:
                continue
            failpoints.point("members.write.after")
            self._table, self._seqno = table, seqno
            await self._consensus.truncate(SHARD, seqno)
            return
        raise StorageError(f"the table of servers could not be written in {TRIES_MAX} tries")

    async def _read(self) -> None:
        head = await self._consensus.head(SHARD)
        if head is None:
            self._seqno, self._table = 0, {}
            return
        try:
            version, last, rows = msgpack.unpackb(head.data, use_list=False, strict_map_key=False)
        except (ValueError, TypeError, msgpack.UnpackException) as e:
            raise CorruptBlob(SHARD, f"not a table of servers: {e}") from e
        if version > FORMAT:
            raise FormatTooNew(f"the table of servers has format {version}, this server reads up to {FORMAT}")
        self._seqno, self._last_number = head.seqno, last
        self._table = {n: Member(*row) for n, row in rows.items()}
