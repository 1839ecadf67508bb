"""Statements of several parts that are all look-ups, as one function: what takes a job from a queue, and what is done with it.

    WITH next AS (SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
    UPDATE jobs j SET state = 'active' FROM next WHERE j.id = next.id RETURNING j.*

    part w0    look-ups, or a walk along an index      rows that are free: locked, or as good as locked
    the last   look-ups that w0's rows are handed to   the rows that are to be written
    RETURNING  the rows written, handed to it          the answer

A part is what `executor.session.few_rows` would find and `executor.session.writing` would do with it, without a table of Arrow or a
turn of the loop in between. It writes nothing: it says what is to be changed, for whoever asks. So one and the same statement is
evaluated in a block (`executor.session.blocks.at_once`) and, outside of blocks, at its own admission (`executor.keyed.parts_member`). No part
sees what another writes, as in PostgreSQL, for nothing is written before all of them have been asked.

Everything that is not so simple (triggers, foreign keys that are touched, partitions, policies, two parts that write one table) is the
wide door's; so is whatever turns out to be much.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, Protocol

from executor.constraints.references import statement_concerns, update_concerns
from executor.constraints.rules import TableRules
from executor.keyed.compile import NotCompilable
from executor.keyed.footprint import columns_at
from executor.keyed.insert import InsertPlan
from executor.keyed.join import JoinPlan
from executor.keyed.key_values import datum_forms, picked
from executor.keyed.write import Change, PendingKeys
from executor.snapshot.abc import NoKeyedAnswer
from planner import triggers
from planner.abc import (
    DeleteQuery,
    InsertQuery,
    InsertValues,
    KeyedDelete,
    LockingQuery,
    Points,
    Query,
    RelationUse,
    RowLock,
    Table,
    UpdateQuery,
    WithWrites,
)
from storage.abc import Row, ShardId, Timestamp
from txn.abc import Key
from txn.columns import ALL_COLUMNS, Columns
from txn.locks import LockMode

LOCK_MODES: Final = {
    "key share": LockMode.KEY_SHARE,
    "share": LockMode.SHARE,
    "no key update": LockMode.NO_KEY_UPDATE,
    "update": LockMode.UPDATE,
}
_NO_KEYS: Final = Points(())


Fires = Callable[[Table, int, Collection[int]], bool]
"""(table, event, columns that an UPDATE sets) -> whether a statement may fire any trigger."""


class NotAtOnce(Exception):
    """Not to be answered here and now: the wide door has the answer, and nothing has been written."""


class Ground(Protocol):
    """What a statement's parts stand on."""

    ts: Timestamp

    def view(self, table: Table, noted: Columns) -> Any:
        """The rows of a table that the statement sees (`executor.keyed.lookup.KeyedView`, with `walk`, `by_index` and `key_of`).

        `noted`: what it depends on of the rows that it finds.
        """

    def image(self, table: Table) -> Any: ...

    def noted(
        self, join: JoinPlan, query: Query, params: Sequence[Any], columns: Sequence[Columns]
    ) -> Sequence[Columns]:
        """What views note of tables, of which some are read whole: they need not where what the query asks of the rows is noted."""

    def take(self, table: Table, key: Key, mode: LockMode, wait: str) -> bool:
        """Whether the row is free, and locked from now on. Raises NotAtOnce where it has to be waited for.

        `wait`: as a locking clause has it, or "look", which locks nothing.
        """

    def draw(self, draws: Any, params: Sequence[Any], session: Any, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows of an INSERT with what each of them draws. Raises NeedsLease."""


class Written:
    """What one part is to change."""

    __slots__ = ("changes", "part")

    def __init__(self, part: WritePart, changes: Sequence[Change]) -> None:
        self.part, self.changes = part, changes


class Outcome:
    """What a statement comes to."""

    __slots__ = ("count", "locked", "rows", "written")

    def __init__(self) -> None:
        self.rows: Sequence[Row] = ()
        self.count = 0
        self.written: list[Written] = []
        self.locked: list[tuple[ShardId, Key]] = []
        """The rows that SKIP LOCKED has got: they alone were read of what it looked at."""


Handed = Mapping[str, Sequence[Row]]


class LockPart:
    """SELECT ... FOR UPDATE and its kin."""

    def __init__(self, body: LockingQuery) -> None:
        self.join = _join(body.query)
        self.noted = self.join.noted(body.query)
        if body.derived or len(body.locks) != 1 or body.each is not None:
            raise NotCompilable("rows of several tables")
        lock = body.locks[0]
        _plain(lock.table)
        if lock.leaf_keys is not None or not lock.table.key_indexes:
            raise NotCompilable("keys of rows")
        self.table, self.lock = lock.table, lock
        self.mode = LOCK_MODES[lock.strength]
        self.query = body.query
        self._width, self._limited = body.width, body.limited
        self._key_of = _key_of(lock)

    def run(
        self, params: Sequence[Any], session: Any, ground: Ground, handed: Handed, outcome: Outcome
    ) -> Sequence[Row]:
        """The rows that it got, without what names them."""
        join, first = self.join, self.join.first
        table, mode, wait = self.table, self.mode, self.lock.wait
        key_of, width = self._key_of, self._width
        rows: Sequence[Row] | None = None
        if first is None or not first.before:
            try:
                rows = _found(join, self.query, self.noted, params, session, ground, handed, {})
            except NoKeyedAnswer:
                if first is None:
                    raise
        if rows is None:
            assert first is not None
            free = (lambda key: ground.take(table, key, mode, "look")) if first.skips else None
            if not join.applies(params, session):
                raise NotAtOnce
            rows = join.first_rows(params, session, ground.view(table, self.noted[0]), ground.ts, 0, free)
            if rows is None:
                raise NotAtOnce
        if not rows:
            return rows
        wanted, skip = len(rows), 0
        if self._limited:
            limit, skip = rows[0][width : width + 2]
            wanted = limit + skip
        kept: list[Row] = []
        for row in rows:
            if len(kept) >= wanted:
                break
            key = key_of(row)
            if ground.take(table, key, mode, wait):
                kept.append(row[:width])
                if wait == "skip":
                    outcome.locked.append((table.shard, key))
        return kept[skip:]


class WritePart:
    """INSERT, UPDATE or DELETE of rows that look-ups make or find."""

    def __init__(
        self,
        body: InsertQuery | UpdateQuery | DeleteQuery,
        rules_of: Callable[[Table], TableRules],
        fires: Fires,
    ) -> None:
        table = body.table
        _plain(table)
        assert type(table) is Table
        self.table = table
        self.rules = rules = rules_of(table)
        keyless = rules.key is None and not isinstance(body, InsertQuery)
        if keyless or rules.wide_checks or rules.asks or rules.deferrable or table.on_commit:
            raise NotCompilable("what is asked of its rows")
        self.query = body.query
        self.join = _join(body.query)
        self.noted = self.join.noted(body.query)
        self.insert: InsertPlan | None = None
        self.draws: Any = None
        self.written: Columns = ALL_COLUMNS
        self.keys_change = False
        """Whether an UPDATE may give rows other keys in unique indexes: a job that is taken leaves one over those that wait."""
        self.mode = LockMode.UPDATE
        self._updates = isinstance(body, UpdateQuery)
        if isinstance(body, InsertQuery):
            if body.on_conflict is not None or fires(table, triggers.INSERT, ()):
                raise NotCompilable("ON CONFLICT, triggers")
            made = InsertValues(table, (), None, None)
            self.insert = InsertPlan(made, rules)
            self.refers, takes = statement_concerns(made)
            self.tag = "INSERT 0 "
        elif isinstance(body, UpdateQuery):
            if body.joined or fires(table, triggers.UPDATE, body.assigned):
                raise NotCompilable("what RETURNING names, triggers")
            if not {*rules.key_indexes, *rules.identity}.isdisjoint(body.assigned):
                raise NotCompilable("keys by which rows are known are changed")
            unique = {table.index_of(a) for rule in rules.uniques for a in rule.constraint.columns}
            self.keys_change = not unique.isdisjoint(body.assigned)
            self.refers, takes = update_concerns(table, body.assigned)
            self.written = columns_at(table, body.assigned)
            self.mode, self.tag = LockMode.NO_KEY_UPDATE, "UPDATE "
        else:
            if body.joined or fires(table, triggers.DELETE, ()):
                raise NotCompilable("what RETURNING names, triggers")
            self.refers, takes = statement_concerns(KeyedDelete(table, _NO_KEYS, None, None))
            self.tag = "DELETE "
        if takes or (self.refers and self.insert is None):
            raise NotCompilable("foreign keys")
        self.returning = _join(body.returning) if body.returning is not None else None
        if self.returning is not None and self.returning.tables:
            raise NotCompilable("RETURNING asks other tables")

    def changes(
        self, params: Sequence[Any], session: Any, ground: Ground, handed: Handed
    ) -> tuple[list[Change], Sequence[Row] | None, int]:
        """What is to be changed, what RETURNING says, and how many rows are written. Raises what constraints raise."""
        rules = self.rules
        seen: dict[ShardId, dict[int, Row]] = {}
        rows = _found(self.join, self.query, self.noted, params, session, ground, handed, seen)
        if len(rows) >= session.executor.limits.stage_rows:
            raise NotAtOnce  # so many are written as parts
        changes: list[Change] = []
        if self.insert is not None:
            if self.draws is not None and rows:
                rows = ground.draw(self.draws, params, session, rows)
            for row in rows:
                rules.check(row, session)
            view = ground.view(self.table, 0).unnoted
            changes, _, _ = self.insert.changes(params, session, view, ground.ts, rows)
        elif rows:
            key_of, updates = rules.key, self._updates
            assert key_of is not None
            known, done = seen[self.table.shard], set()
            pending = None
            if self.keys_change:
                pending = PendingKeys(rules, ground.view(self.table, 0).unnoted, ground.ts)
            for found in rows:
                rid = found[0]
                if rid in done:
                    continue
                done.add(rid)
                old = known[rid]
                key = key_of(old)
                if updates:
                    new = found[1:]
                    rules.check(new, session)
                    if pending is not None:
                        pending.replace(key, old, new)
                    changes.append((key, rid, old, key, new))
                else:
                    changes.append((key, rid, old, None, None))
        if self.returning is None:
            return changes, None, len(changes)
        shown = [c[4] if c[4] is not None else c[2] for c in changes]
        slot = "old" if self.tag == "DELETE " else "new"
        shown_too = {**handed, slot: shown}
        returned = _found(self.returning, None, (), params, session, ground, shown_too, {})  # type: ignore[arg-type]
        return changes, returned, len(changes)


class PartsPlan:
    """A compiled statement. Raises NotCompilable where it is not so simple."""

    def __init__(
        self,
        body: Any,
        rules_of: Callable[[Table], TableRules],
        draws_of: Callable[[Sequence[tuple[int, Any]]], Any],
        fires: Fires,
    ) -> None:
        parts = body.in_turn() if isinstance(body, WithWrites) else [("", body)]
        self.parts: list[tuple[str, LockPart | WritePart | JoinPlan]] = []
        self.queries: list[Query] = []
        """What is read, for whoever notes that."""
        written: set[ShardId] = set()
        for slot, part in parts:
            made: LockPart | WritePart | JoinPlan
            if isinstance(part, LockingQuery):
                made = LockPart(part)
                self.queries.append(part.query)
            elif isinstance(part, InsertQuery | UpdateQuery | DeleteQuery):
                made = WritePart(part, rules_of, fires)
                self.queries.append(part.query)
                if part.query.by_key.drawn:  # type: ignore[union-attr]
                    made.draws = draws_of(part.query.by_key.drawn)  # type: ignore[union-attr]
                if made.table.shard in written:
                    raise NotCompilable("two parts write one table")
                written.add(made.table.shard)
            elif isinstance(part, Query):
                made = _join(part)
                self.queries.append(part)
            else:
                raise NotCompilable("MERGE")
            self.parts.append((slot, made))
        self.writes = bool(written)
        tables: dict[ShardId, Table] = {}
        for _, one in self.parts:
            join = one if isinstance(one, JoinPlan) else one.join
            own = [] if isinstance(one, JoinPlan) else [one.table]
            for table in (*join.tables, *own):
                _plain(table)
                tables[table.shard] = table
        self.tables = tuple(tables.values())
        if any(not isinstance(use, RelationUse) for q in self.queries for use in q.relations):
            raise NotCompilable("what is read besides tables")
        main = next(part for slot, part in self.parts if not slot)
        self.tag = main.tag if isinstance(main, WritePart) else "SELECT "

    def run(self, params: Sequence[Any], session: Any, ground: Ground) -> Outcome:
        """What the statement comes to. Raises NotAtOnce, NoKeyedAnswer, NeedsLease, and what the statement raises."""
        outcome = Outcome()
        handed: dict[str, Sequence[Row]] = {}
        for (slot, part), query in zip(self.parts, self.queries, strict=True):
            rows: Sequence[Row] | None
            if isinstance(part, LockPart):
                rows = part.run(params, session, ground, handed, outcome)
                count = len(rows)
            elif isinstance(part, WritePart):
                changes, rows, count = part.changes(params, session, ground, handed)
                if changes:
                    outcome.written.append(Written(part, changes))
            else:
                rows = _found(part, query, part.footprints, params, session, ground, handed, {})
                count = len(rows)
            if slot and rows is not None:
                handed[slot] = rows
            elif not slot:
                outcome.rows, outcome.count = rows or (), count
        return outcome


def _join(query: Query) -> JoinPlan:
    if query.by_key is None:
        raise NotCompilable("no keys lead to its rows")
    return JoinPlan(query.by_key)


def _plain(table: Table) -> None:
    """Raises NotCompilable for what is not just a table."""
    if type(table) is not Table or table.partitioning is not None or table.children:
        raise NotCompilable("its rows are others' too")


def _found(
    join: JoinPlan,
    query: Query | None,
    noted: Sequence[Columns],
    params: Sequence[Any],
    session: Any,
    ground: Ground,
    handed: Handed,
    seen: dict[ShardId, dict[int, Row]],
) -> Sequence[Row]:
    if not join.applies(params, session):
        raise NotAtOnce  # DuckDB says what is wrong with LIMIT
    if join.whole and query is not None:
        noted = ground.noted(join, query, params, noted)
    views = [ground.view(x, columns) for x, columns in zip(join.tables, noted, strict=True)]
    images = [ground.image(x) for x in join.tables]
    given = {x.slot: [row[: len(x.types)] for row in handed[x.slot]] for x in join.handed}
    return join.run(params, session, views, images, ground.ts, given, seen)


def _key_of(lock: RowLock) -> Callable[[Row], Key]:
    table = lock.table
    primary = table.primary_key
    assert primary is not None
    first = lock.column + 1
    return picked(range(first, first + len(table.key_indexes)), datum_forms(table, primary))


__all__ = ["LockPart", "NotAtOnce", "Outcome", "PartsPlan", "WritePart"]
