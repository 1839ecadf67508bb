"""Riders: what was applied or forgotten waits for the next append, and is retracted in it.

    apply  ---(shard, le_ts, count)--->  tidy     "the `count` oldest commits of the shard, up to le_ts, are applied"
    forget ---(shard, ts, schema)----->  retract  "this exact registration is over"
                                           |
                                           v  copied into the entry that is sealed next; gone when an append,
                                              this process's or another's, has carried them

Nothing of it is urgent and all of it is idempotent in effect, so no append is made for its sake alone unless the log is
quiet (`Upkeep.flush_riders`).
"""

from __future__ import annotations

from storage.abc import ShardId, Timestamp
from txn.log_entry import Entry
from txn.txns_state import TxnsState

Registration = tuple[ShardId, Timestamp, bytes]


class Riders:
    """See the module. False when there are none."""

    __slots__ = ("_retract", "_tidy")

    def __init__(self) -> None:
        self._tidy: dict[ShardId, tuple[Timestamp, int]] = {}
        self._retract: list[Registration] = []

    def __bool__(self) -> bool:
        return bool(self._tidy or self._retract)

    def tidy(self, shard: ShardId, le_ts: Timestamp, count: int) -> None:
        """The `count` oldest commits of `shard` are applied, up to `le_ts`."""
        _, before = self._tidy.get(shard, (0, 0))
        self._tidy[shard] = (le_ts, before + count)

    def retract(self, registration: Registration) -> None:
        """This registration is forgotten, and all its work applied."""
        if registration not in self._retract:
            self._retract.append(registration)

    def board(self, entry: Entry) -> None:
        """Copies them into an entry: more may be queued while its append is under way."""
        if self._tidy:
            entry.tidy = dict(self._tidy)
        if self._retract:
            entry.retract = list(self._retract)

    def settle(self, state: TxnsState) -> None:
        """Where others retract as well: only what the state says is outstanding at this moment stays."""
        for shard, (le_ts, _) in list(self._tidy.items()):
            count = sum(1 for _ in state.outstanding_le(shard, le_ts))
            if count:
                self._tidy[shard] = (le_ts, count)
            else:
                del self._tidy[shard]
        for item in list(self._retract):
            shard, ts, schema = item
            known = state.registered.get(shard)
            if known is None or known.ts != ts or known.schema != schema:
                self._retract.remove(item)

    def carried(self, entry: Entry) -> None:
        """What an entry in the log retracted, ours or another's, is not to be retracted again."""
        for shard, (le_ts, count) in entry.tidy.items():
            ours = self._tidy.get(shard)
            if ours is not None:
                if ours[1] > count and ours[0] > le_ts:
                    self._tidy[shard] = (ours[0], ours[1] - count)
                else:
                    del self._tidy[shard]
        for item in entry.retract:
            if item in self._retract:
                self._retract.remove(item)
