"""Keyed statements at a timestamp that row versions in memory no longer reach: DuckDB has every version.

The rows that a lookup can concern are fetched from DuckDB as of the timestamp into a small dictionary with
the face of an image, and the same compiled statement runs over it. They are good for that timestamp alone: who locks rows may
have its snapshot moved to their newest versions, which are to be fetched then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from executor.columnar.rows import batch_rows
from executor.keyed.collated_keys import sort_keys
from executor.keyed.key_values import primary_key_of
from executor.keyed.lookup import LookupPlan
from executor.snapshot.abc import TooOldForKeyed
from planner import types as t
from planner.abc import Column, Table, TypeRef
from planner.catalog.collations import nondeterministic
from planner.catalog.names import quote_identifier
from storage.abc import Row, Timestamp
from txn.abc import Key

if TYPE_CHECKING:
    from executor.executor import Executor

KEYS_MAX = 10_000


def _in_keys(column: Column) -> str:
    """DuckDB's text for what keys hold of a column."""
    name = quote_identifier(column.name)
    if column.collation in nondeterministic:
        return sort_keys(name, column)
    return f"lower({name})" if column.type.oid == t.CITEXT else name


class HistoricalView:
    """Rows of one table as of one timestamp, by key. Raises TooOldForKeyed where another one is asked for."""

    __slots__ = ("_rows", "ts")

    def __init__(self, rows: dict[Key, tuple[int, Row]], ts: Timestamp) -> None:
        self._rows, self.ts = rows, ts

    @classmethod
    async def load(
        cls,
        executor: Executor,
        table: Table,
        lookups: Sequence[LookupPlan],
        params: Sequence[Any],
        session: Any,
        ts: Timestamp,
        relation: str = "",
    ) -> HistoricalView:
        """Fetches what the lookups ask for (all rows if it cannot be told).

        `relation`: where from, if not from the image as it is (a table altered by the block itself).
        """
        columns = [table.columns[i] for i in table.key_indexes]
        tests: list[str] = []
        for lookup in lookups:
            if lookup.points is None or lookup.unique or lookup.index or len(columns) == 0:
                tests = []
                break
            keys = lookup.asked_keys(params, session)
            if len(keys) > KEYS_MAX:
                tests = []
                break
            for key in keys:
                parts = (key,) if len(columns) == 1 else key
                tests.append(
                    "("
                    + " AND ".join(
                        f"{_in_keys(c)} = {t.literal_sql(v, c.type)}"
                        for c, v in zip(columns, parts, strict=True)
                    )
                    + ")"
                )
        cells = [t.select_sql('"' + c.name.replace('"', '""') + '"', c.type) for c in table.columns]
        await executor.store.prepare_read([table.shard], ts)
        relation = relation or executor.store.relation_sql(table.shard, ts, None, True, seen_as=table)
        where = f" WHERE {' OR '.join(tests)}" if tests else ""
        found = await executor.columnar.table(f"SELECT _rid, {', '.join(cells)} FROM {relation} x{where}")
        key_of = primary_key_of(table)
        rows: dict[Key, tuple[int, Row]] = {}
        types = [TypeRef(t.INT8), *(c.type for c in table.columns)]
        for batch in found.to_batches():
            for row in batch_rows(batch, types):
                rid, values = row[0], row[1:]
                rows[key_of(values) if key_of is not None else rid] = (rid, values)
        return cls(rows, ts)

    def get(self, key: Key, ts: Timestamp) -> tuple[int, Row] | None:
        if ts != self.ts:
            raise TooOldForKeyed
        return self._rows.get(key)

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
        from executor.keyed.spans import between

        if ts != self.ts:
            raise TooOldForKeyed
        keys = between(sorted(self._rows), low, high, low_inclusive, high_inclusive)
        return iter([(k, *self._rows[k]) for k in (reversed(keys) if descending else keys)])

    def find_unique(self, constraint_oid: int, key: Key, ts: Timestamp) -> tuple[Key, int, Row] | None:
        raise AssertionError("uniqueness is checked on the newest rows, never on history")
