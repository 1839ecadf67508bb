"""The change feed in a query: `SELECT ... FROM tidewire_changes('t', after, upto)`.

DuckDB has every version of every row since the history begins that is kept, with the times at which it came and went:
what happened in (after, upto] are the rows that came then, and those that went. Exactly the committed changes,
therefore, each at the timestamp of its commit; what the asking transaction itself has written is not among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from executor.abc import ExecutionError
from executor.session.permissions import require
from planner.abc import ChangesUse, Query, Table
from storage.abc import Timestamp
from txn.holds import Hold, ReadHolds

if TYPE_CHECKING:
    from executor.session.session import Session


class Feeds:
    """The feeds of one query: their text by slot, and what keeps their history until the query has begun."""

    __slots__ = ("_holds", "_kept", "texts")

    def __init__(self, holds: ReadHolds) -> None:
        self.texts: dict[str, str] = {}
        self._holds = holds
        self._kept: list[Hold] = []

    def keep(self, ts: Timestamp) -> None:
        self._kept.append(self._holds.acquire(ts))

    def release(self) -> None:
        """Idempotent."""
        while self._kept:
            self._holds.release(self._kept.pop())


async def feeds(session: Session, query: Query, ts: Timestamp) -> Feeds:
    """All feeds of a query. Raises as `relation` does, and holds nothing then."""
    made = Feeds(session.executor.env.holds)
    try:
        for use in query.relations:
            if isinstance(use, ChangesUse):
                made.texts[use.slot] = await relation(session, use, ts, made)
    except BaseException:
        made.release()
        raise
    return made


async def relation(session: Session, use: ChangesUse, ts: Timestamp, feeds: Feeds) -> str:
    """The DuckDB text of a feed, as far as `ts` unless it says how far.

    Raises 22023 for a time whose history is gone or has not come, 0A000 for one before the table's rows were
    truncated or rewritten, 42501.
    """
    from executor.session import as_of, relations

    executor, table = session.executor, use.table
    require(session, table, "SELECT")
    upto = ts if use.upto is None else use.upto
    await as_of.readable(session, use.after)
    await as_of.readable(session, upto)
    relations.was_there(session, table, max(use.after, 1))
    if session.catalog.past or max(use.after, 1) < executor.env.since_when(table.shard):
        raise _rewritten(table)
    feeds.keep(use.after)
    await executor.store.prepare_read([table.shard], max(upto, ts))
    text = executor.store.changes_sql(table.shard, use.after, upto)
    if text is None:
        raise _rewritten(table)
    return text


def _rewritten(table: Table) -> ExecutionError:
    return ExecutionError(
        "0A000",
        f'reading the changes of table "{table.name}" over a time at which it was created, truncated, rewritten or'
        " given other columns is not supported",
        table=table.name,
    )
