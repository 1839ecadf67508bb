"""Counters of tables, the ways into them, and databases: bumped where rows are read and written, added up when somebody asks.

    SELECT ... WHERE id = $1    by itself   way.hit_alone()      one scan of the key, one row, one transaction
                                in a block  way.hit()            the same without the transaction
    UPDATE ... WHERE id = $1    in a block  counts.changed()     one scan of the key, one row, one row updated
    whatever takes longer                   way.add(n), counts.wrote(...)

What is executed most bumps one counter, whose bound `__next__` costs a call of C and nothing else; what it stands for is known
beforehand and told apart when it is asked for. All of it is of this process, since it began. As in PostgreSQL a row counts as written when the
statement has written it, whatever becomes of its transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import count
from typing import Any, Final

from planner.abc import Points, Range
from planner.keyed_plans import Either, JoinStep

PRIMARY: Final = ()
"""The way by the primary key."""
WHOLE: Final = None
"""The way that looks at all rows."""


def bumped(counter: count[int]) -> int:
    """How often a counter was bumped. (That it shows where it stands is the one way to see it without moving it.)"""
    return int(repr(counter)[6:-1])


class Way:
    """A way to rows: an index, or none. Named by the positions of its columns or the OID of its constraint (`TableCounts.way`)."""

    __slots__ = ("_counters", "hit", "hit_alone", "last_us", "missed", "missed_alone", "rows", "scans")

    def __init__(self) -> None:
        self.scans = self.rows = 0
        self._counters = tuple(count() for _ in range(4))
        self.hit, self.missed, self.hit_alone, self.missed_alone = (c.__next__ for c in self._counters)
        """A look-up of one key that has found its row, or not; the same that was a transaction by itself."""

    def add(self, rows: int, scans: int = 1) -> None:
        """Scans that have found so many rows together."""
        self.scans += scans
        self.rows += rows

    def totals(self) -> tuple[int, int, int]:
        """(scans, rows, transactions)."""
        hit, missed, hit_alone, missed_alone = map(bumped, self._counters)
        alone = hit_alone + missed_alone
        return self.scans + hit + missed + alone, self.rows + hit + hit_alone, alone


class WholeScan:
    """The way that looks at all rows, as a plan counts it that reads a table whole: whatever it finds, it has looked at all there are."""

    __slots__ = ("_rows", "_way")

    def __init__(self, way: Way, rows: Callable[[], int]) -> None:
        self._way, self._rows = way, rows

    def add(self, rows: int) -> None:
        self._way.add(self._rows())


class TableCounts:
    """What is counted of one table."""

    __slots__ = (
        "_by_way",
        "_counters",
        "analyzed",
        "appended",
        "appended_alone",
        "changed",
        "changed_alone",
        "database_oid",
        "deleted",
        "ended_alone",
        "inserted",
        "removed_alone",
        "since_analyze",
        "since_vacuum",
        "updated",
        "vacuumed",
        "zero",
    )

    def __init__(self) -> None:
        self.inserted = self.updated = self.deleted = 0
        self.database_oid = 0
        """Whose the table is: of a shared one, whoever asked last."""
        self._counters = tuple(count() for _ in range(6))
        (
            self.appended,
            self.appended_alone,
            self.changed,
            self.changed_alone,
            self.removed_alone,
            self.ended_alone,
        ) = (c.__next__ for c in self._counters)
        """One row inserted, updated or deleted by its key, `alone`: as a transaction by itself; and such a one of other rows."""
        self._by_way: dict[Hashable, Way] = {}
        self.vacuumed: tuple[int, int | None] = (0, None)
        """How often VACUUM was told of it, and when it was last."""
        self.analyzed: tuple[int, int | None] = (0, None)
        self.since_vacuum = self.since_analyze = 0
        """The rows inserted and the rows written by then."""
        self.zero: dict[Hashable, Sequence[int]] = {}
        """What everything stood at when it was last reset."""

    def way(self, name: Hashable) -> Way:
        """WHOLE, PRIMARY, the OID of a UNIQUE constraint, or the positions of an index's columns."""
        way = self._by_way.get(name)
        if way is None:
            way = self._by_way[name] = Way()
        return way

    def wrote(self, inserted: int = 0, updated: int = 0, deleted: int = 0) -> None:
        """A statement has written so many rows."""
        self.inserted += inserted
        self.updated += updated
        self.deleted += deleted

    def applied(self, changes: Sequence[Any]) -> None:
        """The same of changes as keyed writes make them (`executor.keyed.write.Change`)."""
        inserted = deleted = 0
        for _, _, old, _, new in changes:
            if old is None:
                inserted += 1
            elif new is None:
                deleted += 1
        self.wrote(inserted, len(changes) - inserted - deleted, deleted)

    def written(self) -> tuple[int, int, int]:
        """(inserted, updated, deleted) since the last reset."""
        found = self._written()
        return _less(found, self.zero.get("written"))  # type: ignore[return-value]

    def ways(self) -> dict[Hashable, tuple[int, int]]:
        """(scans, rows) of each way since the last reset."""
        found = {}
        for name, (scans, rows) in self._ways().items():
            scans, rows = _less((scans, rows), self.zero.get((name,)))
            found[name] = (scans, rows)
        return found

    def ever_written(self) -> tuple[int, int, int]:
        """(inserted, updated, deleted), whatever was reset."""
        return self._written()

    def all_ways(self) -> list[tuple[int, int]]:
        """(scans, rows) of each way, likewise."""
        return list(self._ways().values())

    def fetched(self) -> list[int]:
        """The rows that each index has led to, likewise."""
        return [rows for name, (_, rows) in self._ways().items() if name is not WHOLE]

    def transactions(self) -> int:
        """Statements that were transactions by themselves, ever."""
        _, appended, _, changed, removed, ended = map(bumped, self._counters)
        alone = sum(way.totals()[2] for way in self._by_way.values())
        return appended + changed + removed + ended + alone

    def all_written(self) -> int:
        """Rows written, ever."""
        return sum(self._written())

    def all_inserted(self) -> int:
        return self._written()[0]

    def reset(self) -> None:
        """Everything is counted from here on."""
        self.zero = {(name,): found for name, found in self._ways().items()}
        self.zero["written"] = self._written()
        self.vacuumed, self.analyzed = (0, None), (0, None)
        self.since_vacuum, self.since_analyze = self.all_inserted(), self.all_written()

    def reset_way(self, name: Hashable) -> None:
        self.zero[name,] = self._ways().get(name, (0, 0))

    def _written(self) -> tuple[int, int, int]:
        appended, alone, changed, changed_alone, removed_alone, _ = map(bumped, self._counters)
        return (
            self.inserted + appended + alone,
            self.updated + changed + changed_alone,
            self.deleted + removed_alone,
        )

    def _ways(self) -> dict[Hashable, tuple[int, int]]:
        found: dict[Hashable, tuple[int, int]] = {
            name: way.totals()[:2] for name, way in self._by_way.items()
        }
        _, _, changed, changed_alone, removed_alone, _ = map(bumped, self._counters)
        by_key = changed + changed_alone + removed_alone
        if by_key:
            scans, rows = found.get(PRIMARY, (0, 0))
            found[PRIMARY] = scans + by_key, rows + by_key
        return found


def _less(found: Sequence[int], zero: Sequence[int] | None) -> tuple[int, ...]:
    return tuple(found) if zero is None else tuple(a - b for a, b in zip(found, zero, strict=True))


def way_of_step(step: JoinStep) -> Hashable:
    """The name of the way by which a join finds a table's rows."""
    if isinstance(step.lookup, Points | Range | Either):
        return step.unique or step.index
    return WHOLE


class SessionCounts:
    """The transactions of one session that were not counted with a table."""

    __slots__ = ("_committed", "active_ns", "commit", "database_oid", "rolled_back")

    def __init__(self) -> None:
        self._committed = count()
        self.commit: Callable[[], int] = self._committed.__next__
        self.rolled_back = 0
        self.database_oid = 0
        self.active_ns = 0
        """What statements took that were not over at once."""

    @property
    def committed(self) -> int:
        return bumped(self._committed)


class DatabaseCounts:
    """What sessions that are gone have left, and what befell all of them."""

    __slots__ = (
        "active_ns",
        "committed",
        "deadlocks",
        "rolled_back",
        "session_us",
        "sessions",
        "zero",
        "zero_us",
    )

    def __init__(self) -> None:
        self.committed = self.rolled_back = self.sessions = self.session_us = self.deadlocks = 0
        self.active_ns = 0
        self.zero: dict[str, int] = {}
        self.zero_us: int | None = None
        """What everything stood at when it was last reset, and when that was."""


class Counts:
    """All counters of one process, by the OIDs of what they count."""

    def __init__(self) -> None:
        self._tables: dict[int, TableCounts] = {}
        self._databases: dict[int, DatabaseCounts] = {}

    def table(self, oid: int) -> TableCounts:
        counts = self._tables.get(oid)
        if counts is None:
            counts = self._tables[oid] = TableCounts()
        return counts

    def of_table(self, oid: int) -> TableCounts | None:
        """The same if there are any."""
        return self._tables.get(oid)

    def database(self, oid: int) -> DatabaseCounts:
        counts = self._databases.get(oid)
        if counts is None:
            counts = self._databases[oid] = DatabaseCounts()
        return counts

    def tables(self) -> Sequence[TableCounts]:
        return list(self._tables.values())

    @property
    def many(self) -> int:
        """How many tables are counted."""
        return len(self._tables)

    def keep(self, is_there: Callable[[int], bool]) -> None:
        """Lets go of tables that are gone; the transactions that were counted with them stay."""
        for oid in [oid for oid in self._tables if not is_there(oid)]:
            gone = self._tables.pop(oid)
            self.database(gone.database_oid).committed += gone.transactions()


__all__ = [
    "PRIMARY",
    "WHOLE",
    "Counts",
    "DatabaseCounts",
    "SessionCounts",
    "TableCounts",
    "Way",
    "WholeScan",
    "bumped",
    "way_of_step",
]
