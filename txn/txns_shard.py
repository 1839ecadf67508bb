"""The txns shard: the one log that everything is committed to.

A pure state machine (`txns_state`) and a thin loop of I/O around it. The log is a shard of consensus
named `txns`; whoever holds a `TxnsShard` has read it up to `seqno` and knows the state there.

    consensus   [rollup][entry][entry][entry] ... [entry]      truncated below the rollup
                                            ^ seqno
    append      compare-and-append at seqno + 1, with an idempotency token

**Appending.** An append wins only at the position its writer expects, so whoever appends knows all
that came before. Losing (SeqnoMismatch) means that another process moved the log: `catch_up`
reads what it wrote. If that carries a newer **epoch**, the other has taken over, and this process is
`Fenced`, definitely: its append did not happen and none of its later ones will.

**Tokens.** An append whose answer was lost is sent again with the same token. At its own position that
gives the same answer as the first time; any other entry in that position means that it never happened.
If the position has been truncated meanwhile, by a new leader's rollup, the state in that rollup says
how far each writer had come (`happened`).

**Rollups.** Every `rollup_entries` entries the state is appended as an entry of its own (in a blob if it
is large), and what lies before is truncated. Opening reads the rollup and what follows: a
million commits later that is as quick as after ten.
"""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import msgpack

from storage import failpoints
from storage.abc import (
    Blob,
    Consensus,
    CorruptBlob,
    Indeterminate,
    SeqnoMismatch,
    ShardId,
    StorageError,
    Timestamp,
)
from storage.consensus.append_process import AppendProcess
from txn.abc import Fenced, TxnError
from txn.log_entry import Entry, Rollup, decode, encode, encode_rollup
from txn.txns_state import InvalidEntry, TxnsState

SHARD: ShardId = "txns"
ROLLUP_ENTRIES = 4096
ROLLUP_INLINE_MAX_BYTES = 256 * 1024
SCAN_PAGE = 2000


class ModeMismatch(TxnError):
    """The environment was made for one leader or for several servers, and is opened for the other."""


class Overtaken(TxnError):
    """Others have truncated entries that this process has not read: it has to open the environment again."""


class TxnsShard:
    """A handle on the log: the state up to `seqno`, and appends after it.

    `tokens` gives the idempotency tokens, unique among all writers that ever were.
    """

    def __init__(
        self,
        consensus: Consensus,
        blob: Blob,
        tokens: Callable[[], bytes],
        *,
        rollup_entries: int = ROLLUP_ENTRIES,
    ) -> None:
        self.consensus = consensus
        self.blob = blob
        self.tokens = tokens
        self.rollup_entries = rollup_entries
        self.state = TxnsState()
        self.seqno = 0
        self.epoch = 0  # this writer's; the state's may be newer
        self.entries_since_rollup = 0
        self.rollup_blob: str | None = None
        self.rollups: list[tuple[int, str | None]] = []
        """(seqno, blob) of the rollups that are in the log, as far as this handle has seen."""
        self._beyond: TxnsState | None = None  # what a rollup says beyond entries that are gone

    # --- reading -----------------------------------------------------------------------------

    async def load(self) -> None:
        """Reads the log from its newest rollup to its end. Raises what storage raises."""
        self.state, self.seqno, self.entries_since_rollup, self.rollups = TxnsState(), 0, 0, []
        await self.catch_up(everything=True)

    async def catch_up(
        self,
        *,
        everything: bool = False,
        on_entry: Callable[[Entry], None] | None = None,
        before_entry: Callable[[Entry], Awaitable[None]] | None = None,
    ) -> list[Entry]:
        """Reads and applies what others appended after `seqno`; returns those entries.

        With `everything` it returns nothing (opening). `on_entry` is called after each was applied,
        `before_entry` is awaited before: should it raise, the entry is as if it had not been read.
        """
        learnt: list[Entry] = []
        while True:
            page = await self.consensus.scan(SHARD, self.seqno + 1, SCAN_PAGE)
            for item in page:
                if self.seqno and item.seqno != self.seqno + 1:
                    await self._overtaken(item.seqno, item.data)
                decoded = decode(item.data, f"txns entry {item.seqno}")
                if isinstance(decoded, Rollup):
                    if self.seqno == 0:
                        self.state = await self._restored(decoded)
                    self.rollup_blob = decoded.key
                    self.rollups.append((item.seqno, decoded.key))
                    self.entries_since_rollup = 0
                else:
                    if self.seqno == 0 and item.seqno != 1:
                        raise InvalidEntry(f"the log begins with entry {item.seqno}, which is no rollup")
                    if before_entry is not None:
                        await before_entry(decoded)
                    self.state.apply(decoded)
                    self.entries_since_rollup += 1
                    if not everything:
                        learnt.append(decoded)
                        if on_entry is not None:
                            on_entry(decoded)
                self.seqno = item.seqno
            if len(page) < SCAN_PAGE:
                return learnt

    async def _overtaken(self, seqno: int, data: bytes) -> NoReturn:
        """A rollup by another process let it truncate what we have not read yet: remember what it says."""
        decoded = decode(data, f"txns entry {seqno}")
        if not isinstance(decoded, Rollup):
            raise InvalidEntry(f"entries {self.seqno + 1} to {seqno - 1} are missing")
        self._beyond = await self._restored(decoded)
        if decoded.epoch > self.epoch:
            raise Fenced(f"epoch {self.epoch} was fenced by epoch {decoded.epoch}")
        raise Overtaken(
            f"this process has read up to entry {self.seqno} and others have truncated up to {seqno}"
        )

    def happened(self, token: bytes) -> bool | None:
        """Whether the append with `token` is in the log, as far as it has been read; None: cannot be known."""
        return (self._beyond or self.state).heard(token)

    async def _restored(self, rollup: Rollup) -> TxnsState:
        plain = rollup.state
        if plain is None:
            if rollup.key is None:
                raise InvalidEntry("a rollup has neither a state nor a blob")
            data = await self.blob.get(rollup.key)
            if zlib.crc32(data) != rollup.checksum:
                raise CorruptBlob(rollup.key, "checksum mismatch")
            try:
                plain = msgpack.unpackb(data, use_list=False, strict_map_key=False)
            except (ValueError, msgpack.UnpackException) as e:
                raise CorruptBlob(rollup.key, f"not msgpack: {e}") from e
        return TxnsState.from_plain(plain)

    # --- appending ---------------------------------------------------------------------------

    def append_now(self, entry: Entry, data: bytes) -> None:
        """One append on the caller's turn of the loop. Raises SeqnoMismatch, Determinate, Indeterminate."""
        _passes(entry, "before")
        seqno = self.consensus.append_now(SHARD, self.seqno, data, entry.token)
        _passes(entry, "after")
        self._appended(entry, seqno)

    def append_beside(
        self, process: AppendProcess, entry: Entry, data: bytes, done: Callable[[StorageError | None], None]
    ) -> None:
        """One append that `process` makes; `done` is called in a later turn, with the error if there was one."""
        expected = self.seqno

        def answered(outcome: int | StorageError) -> None:
            _passes(entry, "after")
            if isinstance(outcome, StorageError):
                done(outcome)
                return
            try:
                if self.seqno != expected:
                    raise AssertionError("two appends of one process were under way at once")
                self._appended(entry, outcome)
            except Exception as fault:  # noqa: BLE001 - whoever waits for the append must hear of it
                done(Indeterminate(f"unexpected: {fault!r}"))
                return
            done(None)

        _passes(entry, "before")
        process.append(SHARD, expected, data, entry.token, answered)
        failpoints.point("txns.append.sent")

    async def append(self, entry: Entry, data: bytes) -> None:
        """One append. Raises SeqnoMismatch, Determinate, Indeterminate (then ask again: same token)."""
        expected = self.seqno
        _passes(entry, "before")
        seqno = await self.consensus.compare_and_append(SHARD, expected, data, entry.token)
        _passes(entry, "after")
        if self.seqno != expected:
            raise AssertionError("two appends of one process were under way at once")
        self._appended(entry, seqno)

    def _appended(self, entry: Entry, seqno: int) -> None:
        # The pair to the reader's assertion: the log is gapless, and what we wrote is what we apply.
        if seqno != self.seqno + 1:
            raise AssertionError(f"appended at {seqno} after {self.seqno}")
        self.state.apply(entry)
        self.seqno = seqno
        self.entries_since_rollup += 1

    @property
    def rollup_due(self) -> bool:
        return self.entries_since_rollup >= self.rollup_entries

    async def rollup(self, keep_from: int | None = None) -> bool:
        """Writes the state into the log and truncates what lies before it.

        `keep_from`: entries from this seqno on have not been read by every server; then the log is truncated only
        up to the newest rollup at or before it. Nobody else of this process may be appending meanwhile. Returns False when another process
        moved the log first: then there is no harm, and the next round tries again. An indeterminate
        append raises, and the caller has to `catch_up` before anything else is appended.
        """
        packed = msgpack.packb(self.state.to_plain(), use_bin_type=True)
        key, checksum, state = None, 0, None
        if len(packed) > ROLLUP_INLINE_MAX_BYTES:
            key = f"{SHARD}/rollup/{self.epoch:08d}-{self.seqno + 1:012d}-{self.tokens().hex()}"
            checksum = zlib.crc32(packed)
            await self.blob.put(key, packed)
        else:
            state = self.state.to_plain()
        data = encode_rollup(Rollup(self.epoch, state, key, checksum))
        failpoints.point("txns.rollup.before")
        try:
            seqno = await self.consensus.compare_and_append(SHARD, self.seqno, data, self.tokens())
        except SeqnoMismatch:
            if key is not None:
                await self.blob.delete(key)
            return False
        self.seqno = seqno
        self.entries_since_rollup = 0
        self.rollup_blob = key
        self.rollups.append((seqno, key))
        failpoints.point("txns.rollup.untruncated")
        await self.trim(seqno if keep_from is None else keep_from)
        failpoints.point("txns.rollup.after")
        return True

    async def trim(self, keep_from: int) -> None:
        """Truncates what lies before the newest rollup at or before `keep_from`."""
        older = [r for r in self.rollups if r[0] <= keep_from]
        if not older:
            return
        kept = older.pop()
        await self.consensus.truncate(SHARD, kept[0])
        for rollup in older:
            if rollup[1] is not None:
                await self.blob.delete(rollup[1])
            self.rollups.remove(rollup)

    # --- taking over -------------------------------------------------------------------------

    async def take_over(self, start: Callable[[TxnsState], Entry], retry: Retry) -> Entry:
        """Becomes the leader: appends an entry of the next epoch, which fences all older ones.

        `start` makes that entry (reservation, row ids) for the state found. Indeterminate answers are
        resolved with `retry`.
        """
        while True:
            entry = start(self.state)
            entry.epoch = self.state.epoch + 1
            entry.token = self.tokens()
            data = encode(entry)
            failpoints.point("txns.takeover.before")
            try:
                await retry(lambda: self.append(entry, data))  # noqa: B023 - awaited in this turn
            except SeqnoMismatch:
                await self.catch_up(everything=True)
                continue
            failpoints.point("txns.takeover.after")
            self.epoch = entry.epoch
            return entry

    # --- questions ---------------------------------------------------------------------------

    def read_cache(self) -> ReadCache:
        """What readers of the physical data shards need to know."""
        return ReadCache(self.state)


def _passes(entry: Entry, when: str) -> None:
    """The fail points of an append, by what is in it."""
    if not failpoints.armed:
        return
    for what in ("register", "forget", "tidy", "retract", "bury", "since", "leases", "reserve", "rids"):
        if getattr(entry, what):
            failpoints.point(f"txns.{what}.{when}")
    if any(len(part) > 3 for parts in entry.writes.values() for part in parts):
        failpoints.point(f"txns.staged.{when}")
    failpoints.point(f"txns.append.{when}")


Retry = Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]]


class ReadCache:
    """How far a data shard must be applied before it may be read at a timestamp."""

    __slots__ = ("_state",)

    def __init__(self, state: TxnsState) -> None:
        self._state = state

    @property
    def upper(self) -> Timestamp:
        """Reads below it are definite."""
        return self._state.upper

    def last_write(self, shard: ShardId) -> Timestamp:
        """The shard's latest write; nothing between it and `upper`. 0: never written."""
        return self._state.last_write.get(shard, 0)

    def to_data_inclusive(self, shard: ShardId, as_of: Timestamp) -> Timestamp | None:
        """The commit that must be applied to `shard` before it is read as of `as_of`; None: all are.

        Between that commit and `as_of` there is no write, so the shard's upper may then be advanced to
        `as_of + 1`. Raises ValueError for a time that has not come yet.
        """
        return self._state.data_ts(shard, as_of)
