"""What the views and functions of statistics are told: sums over the counters (`counts`), with what the store and the log know.

    pg_stat_all_tables      counts of the table  +  rows and old versions in its image
    pg_stat_database        counts of its tables +  of its sessions, those that are gone included
    pg_stat_wal             the committer's appends

Names are the columns'. What nobody counts here is left out, and is zero there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from executor.statistics.counts import PRIMARY, WHOLE, TableCounts
from planner.abc import Oid, Table
from planner.catalog.catalog import Catalog
from planner.catalog.objects import Index
from storage.abc import Datum, ShardId

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.session.session import Session

TABLES_KEPT_MAX = 10_000
"""Counters of more tables than these are kept of those alone that are still there."""
PENDING_COUNTED = 200
"""Of a table with so many changes that have not reached DuckDB its rows are counted once in"""
COUNTED_US = 1_000_000
_SHARED = frozenset(("wal", "bgwriter", "archiver", "recovery_prefetch"))


class Reported:
    """See `planner.catalog.system.context.Statistics`."""

    def __init__(self, executor: Executor) -> None:
        self._executor, self._counts = executor, executor.plans.counts
        self._counted: dict[ShardId, tuple[int, int]] = {}
        """When the rows of a table were counted last, and how many there were."""
        self._shared_zero: dict[str, tuple[dict[str, int], int]] = {}
        """By what is shared: what it stood at when it was last reset, and when that was."""

    # --- tables and indexes ------------------------------------------------------------------

    def table(self, table: Table) -> dict[str, Datum]:
        found: dict[str, Datum] = {}
        image = self._executor.store.find(table.shard)
        if image is not None:
            found["n_live_tup"], found["n_dead_tup"] = image.counted_rows()
        counts = self._counts.of_table(table.oid)
        if counts is None:
            return found
        found["n_tup_ins"], found["n_tup_upd"], found["n_tup_del"] = counts.written()
        ways = counts.ways()
        found["seq_scan"], found["seq_tup_read"] = ways.pop(WHOLE, (0, 0))
        found["idx_scan"] = sum(scans for scans, _ in ways.values())
        found["idx_tup_fetch"] = sum(rows for _, rows in ways.values())
        found["n_mod_since_analyze"] = counts.all_written() - counts.since_analyze
        found["n_ins_since_vacuum"] = counts.all_inserted() - counts.since_vacuum
        found["vacuum_count"], found["last_vacuum"] = counts.vacuumed
        found["analyze_count"], found["last_analyze"] = counts.analyzed
        return found

    def live_rows(self, table: Table) -> int | None:
        """None: the table was not read since the server has started."""
        image = self._executor.store.find(table.shard)
        if image is None or image.cold is not None:
            return None
        if len(image.pending) < PENDING_COUNTED:
            return image.counted_rows()[0]
        now_us, known = self._executor.env.clock.now_us(), self._counted.get(table.shard)
        if known is None or now_us - known[0] > COUNTED_US:
            if len(self._counted) >= TABLES_KEPT_MAX:
                self._counted.clear()
            known = self._counted[table.shard] = now_us, image.counted_rows()[0]
        return known[1]

    def index(self, table: Table, index: Index) -> dict[str, Datum]:
        counts = self._counts.of_table(table.oid)
        if counts is None:
            return {}
        ways = counts.ways()
        found = [ways.get(name, (0, 0)) for name in _names(table, index)]
        rows = sum(rows for _, rows in found)
        return {"idx_scan": sum(n for n, _ in found), "idx_tup_read": rows, "idx_tup_fetch": rows}

    def maintained(self, table: Table, *, vacuumed: bool, analyzed: bool) -> None:
        """VACUUM or ANALYZE has been told of a table."""
        counts, now_us = self._counts.table(table.oid), self._executor.env.clock.now_us()
        if vacuumed:
            counts.vacuumed = counts.vacuumed[0] + 1, now_us
            counts.since_vacuum = counts.all_inserted()
        if analyzed:
            counts.analyzed = counts.analyzed[0] + 1, now_us
            counts.since_analyze = counts.all_written()

    # --- databases and sessions --------------------------------------------------------------

    def database(self, oid: Oid) -> dict[str, Datum]:
        if not oid:
            return {}  # the system's own relations that all databases share
        counts = self._counts.database(oid)
        found: dict[str, Datum] = {
            name: value - counts.zero.get(name, 0) for name, value in self._database(oid).items()
        }
        for name in ("session_time", "active_time"):
            found[name] = round(found[name] / 1_000, 3)
        found["numbackends"] = sum(1 for _ in self._sessions(oid))
        found["stats_reset"] = counts.zero_us
        return found

    def _database(self, oid: Oid) -> dict[str, int]:
        """Ever, times in microseconds."""
        counts, now_us = self._counts.database(oid), self._executor.env.clock.now_us()
        sessions, tables = list(self._sessions(oid)), self._of_database(oid)
        ways = [way for table in tables for way in table.all_ways()]
        written = [table.ever_written() for table in tables]
        return {
            "xact_commit": counts.committed
            + sum(s.counts.committed for s in sessions)
            + sum(t.transactions() for t in tables),
            "xact_rollback": counts.rolled_back + sum(s.counts.rolled_back for s in sessions),
            "tup_returned": sum(rows for _, rows in ways),
            "tup_fetched": sum(rows for table in tables for rows in table.fetched()),
            "tup_inserted": sum(w[0] for w in written),
            "tup_updated": sum(w[1] for w in written),
            "tup_deleted": sum(w[2] for w in written),
            "deadlocks": counts.deadlocks,
            "sessions": counts.sessions,
            "session_time": counts.session_us + sum(now_us - s.began_us for s in sessions),
            "active_time": (counts.active_ns + sum(s.counts.active_ns for s in sessions)) // 1_000,
        }

    def _sessions(self, oid: Oid) -> Iterable[Session]:
        return (s for s in self._executor.sessions.values() if s.counts.database_oid == oid)

    def _of_database(self, oid: Oid) -> list[TableCounts]:
        return [t for t in self._counts.tables() if t.database_oid == oid]

    def began(self, session: Session) -> None:
        counts = session.counts
        counts.database_oid = session.catalog.database_oid
        self._counts.database(counts.database_oid).sessions += 1
        if self._counts.many > TABLES_KEPT_MAX:
            there = self._executor.catalog.get
            self._counts.keep(lambda oid: there(oid) is not None)

    def ended(self, session: Session) -> None:
        """What it has counted stays with its database."""
        counts = self._counts.database(session.counts.database_oid)
        counts.committed += session.counts.committed
        counts.rolled_back += session.counts.rolled_back
        counts.active_ns += session.counts.active_ns
        counts.session_us += self._executor.env.clock.now_us() - session.began_us

    # --- what all databases share ------------------------------------------------------------

    def shared(self, name: str) -> dict[str, Datum]:
        """`name`: what is behind `pg_stat_`."""
        zero, at_us = self._shared_zero.get(name, ({}, self._executor.started_us))
        found: dict[str, Datum] = {k: v - zero.get(k, 0) for k, v in self._shared(name).items()}
        if "wal_bytes" in found:
            found["wal_bytes"] = str(found["wal_bytes"])
        return {**found, "stats_reset": at_us}

    def _shared(self, name: str) -> dict[str, int]:
        if name != "wal":
            return {}
        committer = self._executor.env.committer
        return {
            "wal_records": committer.rounds,
            "wal_bytes": committer.appended_bytes,
            "wal_write": committer.rounds,
            "wal_sync": committer.rounds,
        }

    # --- statements (`statements`) -----------------------------------------------------------

    def statements(self, catalog: Catalog, asking: str, *, with_text: bool) -> list[dict[str, Datum]]:
        return self._executor.statements.rows(catalog, asking, with_text=with_text)

    def statements_info(self) -> dict[str, int]:
        return self._executor.statements.info()

    def reset_statements(self, user: Oid, database: Oid, number: int) -> None:
        self._executor.statements.reset(user, database, number)

    # --- from here on ------------------------------------------------------------------------

    def reset(self, database: Oid) -> None:
        """pg_stat_reset(): everything of a database."""
        for table in self._of_database(database):
            table.reset()
        counts = self._counts.database(database)
        counts.zero, counts.zero_us = self._database(database), self._executor.env.clock.now_us()

    def reset_shared(self, name: str) -> bool:
        """pg_stat_reset_shared(); False: there is nothing of that name."""
        if name not in _SHARED:
            return False
        self._shared_zero[name] = self._shared(name), self._executor.env.clock.now_us()
        return True

    def reset_table(self, table: Table, index: Index | None = None) -> None:
        """pg_stat_reset_single_table_counters()."""
        counts = self._counts.of_table(table.oid)
        if counts is None:
            return
        database = self._counts.database(counts.database_oid)
        database.zero_us = self._executor.env.clock.now_us()
        if index is None:
            counts.reset()
            return
        for name in _names(table, index):
            counts.reset_way(name)


def _names(table: Table, index: Index) -> list[Hashable]:
    """Under which an index is counted as a way. Of two indexes of the same columns nobody knows which was asked."""
    if index.primary:
        return [PRIMARY]
    place = {c.attnum: i for i, c in enumerate(table.columns)}
    names: list[Hashable] = [index.constraint_oid] if index.constraint_oid else []
    if all(k.attnum in place for k in index.keys):
        names.append(tuple(place[k.attnum] for k in index.keys))
    return names


__all__ = ["Reported"]
