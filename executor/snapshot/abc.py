"""What the engines see of the snapshot store.

    newest versions   dict by key, in memory      put/remove at admission, pruned after a flush
    keyed runs        sorted, immutable           bulk of a keyed table, found by binary search
    DuckDB table      columns, _rid, _from, _to   every version in [since, upper); columnar reads

A keyed read looks at the versions, then at the runs. A columnar read at `ts` first flushes what was
committed at or before `ts` to DuckDB. A read at a timestamp older than what versions and runs
still hold raises `TooOldForKeyed` and is answered by DuckDB, which has every version.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from planner.abc import Table
from storage.abc import Row, ShardId, Timestamp
from txn.abc import Key


class NoKeyedAnswer(Exception):
    """The keyed engine has no answer here and now; whoever can wait, or DuckDB, has one."""


class TooFarToLook(NoKeyedAnswer):
    """The first rows of a range that are asked for are not among its first ones: DuckDB finds them sooner."""


class TooOldForKeyed(NoKeyedAnswer):
    """The row versions in memory no longer reach back to this timestamp."""

    made: Sequence[Row] | None = None
    """The rows of an INSERT that met it, which have drawn their numbers."""


class NotHydrated(NoKeyedAnswer):
    """The table's bulk is still being read from its parts: await `hydrated()` and come again."""

    made: Sequence[Row] | None = None
    """As in `TooOldForKeyed`."""


class TableImage(Protocol):
    """One table in the snapshot store. Synchronous methods never block and never await."""

    table: Table
    last_write_ts: Timestamp

    def get(self, key: Key, ts: Timestamp) -> tuple[int, Row] | None:
        """(rid, row) visible at ts. Raises TooOldForKeyed, NotHydrated. A few microseconds."""

    def get_to_change(self, key: Key, ts: Timestamp) -> tuple[int, Row] | None:
        """`get` of a row that the caller is about to change."""

    def get_to_bring(self, key: Key, ts: Timestamp) -> tuple[int, Row] | None:
        """`get` of a key under which the caller is about to bring a row, if there is none."""

    def newest(self, key: Key) -> tuple[Timestamp, int, Row | None] | None:
        """(ts, rid, row or None if deleted) of the newest version, admitted ones included."""

    def first_taken(
        self,
        brought: Mapping[Key, tuple[int, Row] | None],
        deletes: Collection[int],
        gone: Container[int],
        seen: Mapping[Key, tuple[Timestamp | None, Any]],
    ) -> Key | None:
        """The first of these keys under which there is a row, admitted ones included, that is not among the deleted ones."""

    def scan(
        self,
        low: Key | None,
        high: Key | None,
        ts: Timestamp,
        *,
        low_inclusive: bool = True,
        high_inclusive: bool = True,
        descending: bool = False,
        at_once: bool = False,
    ) -> Iterator[tuple[Key, int, Row]]:
        """Visible rows in key order. A tuple shorter than the key is a prefix bound."""

    def find_unique(self, constraint_oid: int, key: Key, ts: Timestamp) -> tuple[Key, int, Row] | None:
        """By a secondary unique key: (primary key or rid, rid, row)."""

    def index(self, positions: tuple[int, ...]) -> Any:
        """The rows by the values of these columns, whose keys may repeat: `executor.snapshot.indexes.TableIndex`."""

    def put(self, key: Key, rid: int, row: Row, ts: Timestamp) -> None:
        """A new version at `ts` (the group's), replacing whatever was visible. Constraints were checked."""

    def put_each(
        self, keys: Collection[Key], rids: Sequence[int], rows: Sequence[Row], ts: Timestamp
    ) -> None:
        """`put` of many, of as many keys."""

    def remove(self, key: Key, rid: int, ts: Timestamp) -> None: ...

    def put_bulk(self, rows: pa.Table, ts: Timestamp) -> None:
        """Many new rows with `_rid` and the columns in canonical Arrow types; keys were checked."""

    def remove_bulk(self, rids: pa.Array, ts: Timestamp) -> None:
        """Many rows deleted by `_rid`."""

    def undo(self, ts: Timestamp) -> None:
        """Takes out all versions at `ts`: the group's append failed."""

    def conflicting_keys(self, rows: pa.Table, ts: Timestamp) -> Sequence[tuple[int, Key]]:
        """(constraint oid, key) of rows in a bulk insert whose unique keys exist at ts or twice in it."""

    def hydrated_now(self) -> bool: ...

    async def hydrated(self) -> None: ...


class SnapshotStore(Protocol):
    """All images and the DuckDB database behind them."""

    def image(self, shard: ShardId) -> TableImage:
        """Raises KeyError for an unknown shard."""

    def create(self, table: Table, ts: Timestamp) -> TableImage:
        """An empty image for a table created at `ts`."""

    def alter(self, table: Table, ts: Timestamp) -> None:
        """The table's definition changed without its rows changing (names, constraints, defaults)."""

    def drop(self, shard: ShardId, ts: Timestamp) -> None:
        """Dropped at `ts`: kept until no read hold is below it."""

    async def prepare_read(self, shards: Sequence[ShardId], ts: Timestamp) -> None:
        """Hydrates, and flushes to DuckDB all that was committed at or before ts."""

    def relation_sql(
        self, shard: ShardId, ts: Timestamp, columns: Sequence[int] | None = None, with_rid: bool = False
    ) -> str:
        """A parenthesised DuckDB subquery of the rows visible at ts; after `prepare_read`.

        Leaves the time filter out where every row is known to be visible.
        """

    def set_since(self, since: Timestamp) -> None:
        """No read hold is below `since` any more: older versions may go."""

    async def close(self) -> None: ...
