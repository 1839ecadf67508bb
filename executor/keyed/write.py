"""INSERT VALUES, UPDATE and DELETE by primary key: what they change, and how a change is admitted.

A keyed write is two steps that share nothing but a list of **changes**:

    changes(params, session, view, ts)    reads, computes, checks constraints; writes nothing
    apply(changes, image, group)          versions into the image, rows into the group

An autocommit statement does both at its own admission, where `view` is the image at the group's
timestamp: it sees what the members before it in the group wrote, so a hot row takes one increment
after another without a retry. In a transaction block the first step runs at once against the
transaction's own view, the second when it commits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from executor.abc import ExecutionError
from executor.constraints.rules import TableRules, UniqueRule
from executor.keyed import deferred_keys, many_rows
from executor.keyed.alike_rows import forms_of, parameters_per_row
from executor.keyed.compile import (
    Compiled,
    compile_condition,
    compile_row,
    compile_tuple,
    compile_update,
)
from executor.keyed.footprint import columns_at, columns_named
from executor.keyed.read import Hit, KeyedView, LookupPlan
from executor.snapshot.abc import TableImage
from planner.abc import Call, Const, Constraint, Expr, InsertValues, KeyedDelete, KeyedUpdate, OnConflict
from planner.alike_rows import AlikeRows
from storage.abc import Row, Timestamp
from txn.abc import Group, Key
from txn.columns import ALL_COLUMNS, Columns
from txn.locks import LockMode

XID_MIN = 3
"""The least number of a transaction: what is below means something else."""

Change = tuple[Key | None, int, Row | None, Key | None, Row | None]
"""(old key, old rid, old row, new key, new row): an insert has no old row, a delete no new one.

The new key of a table without a primary key is None: its row id, not handed out yet."""

Changes = tuple[list[Change], list[Row] | None, int]
"""The changes, the rows of RETURNING, and the count for the tag."""


class WriteView(KeyedView, Protocol):
    """What writes look at."""

    @property
    def unnoted(self) -> WriteView:
        """The same where nothing is noted as read: that a new key is free is asked again at admission."""

    @property
    def put_off(self) -> frozenset[int]:
        """The unique constraints that are not looked at before the transaction ends (`executor.keyed.deferred_keys`)."""


class InsertPlan:
    """A compiled InsertValues."""

    __slots__ = (
        "_conflict",
        "_rows",
        "_sequences",
        "_tells_which",
        "_which",
        "_width",
        "body",
        "decide",
        "one",
        "returning",
        "rules",
        "single",
        "tag",
        "written",
    )

    def __init__(self, body: InsertValues, rules: TableRules) -> None:
        self.body = body
        self.written = ALL_COLUMNS
        """The columns of existing rows that DO UPDATE writes."""
        if body.on_conflict is not None and body.on_conflict.assignments is not None:
            self.written = columns_at(body.table, (i for i, _ in body.on_conflict.assignments))
        self.rules = rules
        self.tag = "INSERT 0 "
        types = [c.type for c in body.table.columns]
        self._width = parameters_per_row(body.rows)
        """If it is not 0, a form's function computes each row from so many parameters."""
        self._rows: list[Compiled] = [compile_row(r, types) for r in forms_of(body.rows, self._width)]
        self._which = body.rows.which if isinstance(body.rows, AlikeRows) else b""
        self._sequences = sequences_of(body.rows)
        self.returning = compile_tuple(body.returning) if body.returning is not None else None
        self._tells_which = len(types) in columns_named(body.returning or ())
        """Whether RETURNING names `xmax`, which tells inserted rows from updated ones."""
        self._conflict = _ConflictAction(body, rules) if body.on_conflict is not None else None
        plain = self._conflict is None and not self._sequences and not rules.uniques
        self.single = self._rows[0] if len(body.rows) == 1 and plain else None
        """What makes the row, where there is one and its primary key is all that may be taken."""
        self.one = self.single if self.returning is None else None
        """The same where nothing is said of it."""
        self.decide: Callable[[int, Row, Row], Row | None] | None = None
        """DO UPDATE by other means: (row id, existing row, EXCLUDED) to the new row; None leaves it alone."""

    def covers(self, rule: UniqueRule | None) -> bool:
        """Whether ON CONFLICT is about this constraint (None: the primary key)."""
        return self._conflict is not None and self._conflict.covers(rule)

    def asks_for(self, image: TableImage) -> bool:
        """Whether it draws numbers from sequences, and looks for keys among rows that are still being read.

        Such a statement waits first: begun anew, it would draw others.
        """
        if not self._sequences or image.hydrated_now():
            return False
        return self.rules.key is not None or bool(self.rules.uniques)

    def values(self, params: Sequence[Any], session: Any) -> list[Row]:
        """The rows to insert; they depend on no data. Raises what constraints of a row raise."""
        check = self.rules.check if self._conflict is None else self.rules.check_proposed
        if self.one is not None:
            row = self.one(params, None, session)
            check(row, session)
            return [row]
        for oid, count in self._sequences:
            session.reserve_values(oid, count)
        rows = []
        if self._width:
            rows = self._computed(params, session)
            for row in rows:
                check(row, session)
            return rows
        for compiled in self._rows:
            row = compiled(params, None, session)
            check(row, session)
            rows.append(row)
        return rows

    def unchecked(self, params: Sequence[Any], session: Any) -> list[Row]:
        """The rows as they are before triggers have seen them, which may put right what a constraint would refuse."""
        for oid, count in self._sequences:
            session.reserve_values(oid, count)
        if not self._width:
            return [compiled(params, None, session) for compiled in self._rows]
        return self._computed(params, session)

    def _computed(self, params: Sequence[Any], session: Any) -> list[Row]:
        """Rows that are alike, each from parameters of its own."""
        width = self._width
        places = range(0, width * len(self.body.rows), width)
        if not self._which:
            compiled = self._rows[0]
            return [compiled(params[at : at + width], None, session) for at in places]
        rows = map(self._rows.__getitem__, self._which)
        return [row(params[at : at + width], None, session) for row, at in zip(rows, places, strict=True)]

    def existing(self, row: Row, view: WriteView, ts: Timestamp) -> tuple[Key, int, Row] | None:
        """The row that ON CONFLICT finds in the place of this one. Raises 23505 for any other key that is taken."""
        pending, conflict = PendingKeys(self.rules, view, ts), self._conflict
        clash = pending.clash(row, conflict.covers) if conflict is not None else None
        if clash is not None:
            return clash[1]
        if (clash := pending.clash(row)) is not None:
            rule = clash[0]
            raise self.rules.unique_violation(
                rule.constraint if rule is not None else None, pending.key_of(rule, row), row
            )
        return None

    def updated(self, params: Sequence[Any], old: Row, row: Row, session: Any) -> Row | None:
        """What DO UPDATE makes of an existing row; None where its condition lets it alone."""
        conflict = self._conflict
        assert conflict is not None and conflict.assign is not None
        both = old + row
        if conflict.condition is not None and not conflict.condition(params, both, session):
            return None
        new: Row = conflict.assign(params, both, session)
        return new

    def returned(self, params: Sequence[Any], row: Row, session: Any, replaced: int) -> Row | None:
        """What RETURNING says of a row that was written; None where there is none."""
        return None if self.returning is None else self._returned(params, row, session, replaced)

    def keys(self, params: Sequence[Any], session: Any) -> list[Key]:
        """The keys that the statement may lock."""
        key = self.rules.key
        return [key(r) for r in self.values(params, session)] if key is not None else []

    def changes(
        self,
        params: Sequence[Any],
        session: Any,
        view: WriteView,
        ts: Timestamp,
        rows: Sequence[Row] | None = None,
    ) -> Changes:
        if rows is None:
            rows = self.values(params, session)
        rules = self.rules
        row_key = rules.key
        if len(rows) == 1 and self._conflict is None and not rules.uniques:
            row, key = rows[0], None
            if row_key is not None:
                key = row_key(row)
                if view.get(key, ts) is not None:
                    raise rules.unique_violation(None, key, row)
            returned = [self._returned(params, row, session, 0)] if self.returning is not None else None
            return [(None, 0, None, key, row)], returned, 1
        return self._many(params, session, view, ts, rows)

    def _many(
        self, params: Sequence[Any], session: Any, view: WriteView, ts: Timestamp, rows: Sequence[Row]
    ) -> Changes:
        rules, conflict = self.rules, self._conflict
        if conflict is None and self.returning is None:
            fresh = many_rows.plainly_new(rows, rules, view, ts)
            if fresh is not None:
                return fresh, None, len(fresh)
        changes: list[Change] = []
        returned: list[Row] | None = [] if self.returning is not None else None
        pending = PendingKeys(rules, view, ts)
        count = 0
        for row in rows:
            # What ON CONFLICT is about is looked at first: a row that has another key taken as well is no error.
            clash = pending.clash(row, conflict.covers) if conflict is not None else None
            replaced = 0
            if clash is None and (clash := pending.clash(row)) is not None:
                rule = clash[0]
                raise rules.unique_violation(
                    rule.constraint if rule else None, pending.key_of(rule, row), row
                )
            if clash is not None:
                assert conflict is not None
                rule, existing = clash
                if conflict.assign is None and self.decide is None:
                    continue
                if existing is None:
                    raise twice_updated()
                key, rid, old = existing
                both = old + row
                if self.decide is not None:
                    decided = self.decide(rid, old, row)
                    if decided is None:
                        continue
                    new = decided
                else:
                    assert conflict.assign is not None
                    if conflict.condition is not None and not conflict.condition(params, both, session):
                        continue
                    rules.check_met(old, session)
                    new = conflict.assign(params, both, session)
                rules.check_stays(new)
                rules.check_changed(new, session)
                new_key = rules.key(new) if rules.key is not None else None
                pending.replace(key, old, new)
                changes.append((key, rid, old, new_key, new))
                row, replaced = new, rid
            else:
                if conflict is not None and rules.guards:
                    rules.check_inserted(row, session)
                pending.add(row)
                changes.append((None, 0, None, rules.key(row) if rules.key is not None else None, row))
            count += 1
            if returned is not None:
                returned.append(self._returned(params, row, session, replaced))
        return changes, returned, count

    def _returned(self, params: Sequence[Any], row: Row, session: Any, replaced: int) -> Row:
        """What RETURNING says of a row. `replaced`: the row id of the version that it replaces, 0 if it is new."""
        assert self.returning is not None
        if self._tells_which:
            row = (*row, XID_MIN + replaced % (2**32 - XID_MIN) if replaced else 0)
        returned: Row = self.returning(params, row, session)
        return returned


def twice_updated() -> ExecutionError:
    """Of ON CONFLICT DO UPDATE, which meets a row that its own statement has brought."""
    return ExecutionError(
        "21000",
        "ON CONFLICT DO UPDATE command cannot affect row a second time",
        hint="Ensure that no rows proposed for insertion within the same command have "
        "duplicate constrained values.",
    )


def sequences_of(rows: Sequence[tuple[Expr, ...]]) -> tuple[tuple[int, int], ...]:
    """(sequence, how many of its values) that rows take, where one row takes several or there are several rows."""
    counts: Counter[int] = Counter()

    def count(e: Expr) -> None:
        if isinstance(e, Call):
            if e.op == "nextval" and isinstance(e.args[0], Const):
                counts[e.args[0].value] += 1
            for a in e.args:
                count(a)

    times = len(rows) if isinstance(rows, AlikeRows) else 1
    for row in rows[:1] if isinstance(rows, AlikeRows) else rows:
        for cell in row:
            count(cell)
    return tuple((oid, n * times) for oid, n in counts.items() if n * times > 1 or len(counts) > 1)


class _ConflictAction:
    """ON CONFLICT: which constraints it covers, and the row that an update makes."""

    __slots__ = ("_constraint", "assign", "condition")

    def __init__(self, body: InsertValues, rules: TableRules) -> None:
        action: OnConflict = body.on_conflict  # type: ignore[assignment]
        self._constraint: Constraint | None = action.constraint
        types = [c.type for c in body.table.columns]
        self.assign: Compiled | None = None
        if action.assignments is not None:
            self.assign = compile_update(len(types), action.assignments, types)
        self.condition = compile_condition(action.condition)

    def covers(self, rule: UniqueRule | None) -> bool:
        if self._constraint is None:
            return True
        if rule is None:
            return self._constraint.kind == "p"
        return self._constraint.oid == rule.constraint.oid


def _whichever(rule: UniqueRule | None) -> bool:
    return True


class PendingKeys:
    """Unique keys as this statement leaves them: the view, with what it has changed so far on top."""

    __slots__ = ("_added", "_gone", "_put_off", "_rules", "_ts", "_view")

    def __init__(self, rules: TableRules, view: WriteView, ts: Timestamp) -> None:
        self._rules, self._view, self._ts = rules, view, ts
        self._put_off = view.put_off if rules.deferrable else deferred_keys.NOTHING
        self._added: set[tuple[int, Key]] = set()
        self._gone: set[tuple[int, Key]] = set()

    def key_of(self, rule: UniqueRule | None, row: Row) -> Key:
        if rule is not None:
            return rule.key(row)
        assert self._rules.key is not None
        return self._rules.key(row)

    def clash(
        self, row: Row, covers: Callable[[UniqueRule | None], bool] = _whichever
    ) -> tuple[UniqueRule | None, tuple[Key, int, Row] | None] | None:
        """The first unique constraint that the row would violate (None: the primary key) and the row
        it would violate it against (None: one that this statement itself wrote). `covers`: of these constraints."""
        rules = self._rules
        if rules.key is not None and covers(None):
            key = rules.key(row)
            if (0, key) in self._added:
                return None, None
            if (0, key) not in self._gone:
                hit = self._view.get(key, self._ts)
                if hit is not None:
                    return None, (key, hit[0], hit[1])
        for rule in rules.uniques:
            k = rule.key(row) if covers(rule) else None
            if k is None or rule.constraint.oid in self._put_off:
                continue
            mark = (rule.constraint.oid, k)
            if mark in self._added:
                return rule, None
            if mark not in self._gone:
                found = self._view.find_unique(rule.constraint.oid, k, self._ts)
                if found is not None:
                    return rule, found
        return None

    def add(self, row: Row) -> None:
        rules = self._rules
        if rules.key is not None:
            self._added.add((0, rules.key(row)))
        for rule in rules.uniques:
            k = rule.key(row)
            if k is not None:
                self._added.add((rule.constraint.oid, k))

    def remove(self, key: Key | None, row: Row) -> None:
        rules = self._rules
        if rules.key is not None:
            self._added.discard((0, key))
            self._gone.add((0, key))
        for rule in rules.uniques:
            k = rule.key(row)
            if k is not None:
                self._added.discard((rule.constraint.oid, k))
                self._gone.add((rule.constraint.oid, k))

    def replace(self, key: Key | None, old: Row, new: Row) -> None:
        """An updated row: raises 23505 if its new keys are taken."""
        self.remove(key, old)
        self.take(new)

    def take(self, new: Row) -> None:
        """A row's keys become taken. Raises 23505 if they are."""
        clash = self.clash(new)
        if clash is not None:
            rule = clash[0]
            raise self._rules.unique_violation(
                rule.constraint if rule is not None else None, self.key_of(rule, new), new
            )
        self.add(new)


class UpdatePlan:
    """A compiled KeyedUpdate or KeyedDelete."""

    __slots__ = (
        "body", "condition", "keys_change", "lock_mode", "lookup", "returning", "rules", "tag", "update", "written",
    )  # fmt: skip

    def __init__(self, body: KeyedUpdate | KeyedDelete, rules: TableRules) -> None:
        self.body = body
        self.rules = rules
        self.lookup = LookupPlan(body.table, body.lookup, index=body.index or None)
        self.condition = compile_condition(body.condition)
        self.returning = compile_tuple(body.returning) if body.returning is not None else None
        self.update: Compiled | None = None
        self.keys_change = False
        self.written: Columns = ALL_COLUMNS
        if isinstance(body, KeyedUpdate):
            self.written = columns_at(body.table, (i for i, _ in body.assignments))
            self.tag = "UPDATE "
            types = [c.type for c in body.table.columns]
            self.update = compile_update(len(types), body.assignments, types)
            unique = set(rules.key_indexes)
            for rule in rules.uniques:
                unique.update(body.table.index_of(a) for a in rule.constraint.columns)
            self.keys_change = not unique.isdisjoint(i for i, _ in body.assignments)
        else:
            self.tag = "DELETE "
        stays = self.update is not None and not self.keys_change
        self.lock_mode = LockMode.NO_KEY_UPDATE if stays else LockMode.UPDATE
        """Of the rows that it writes."""

    @property
    def is_of_one_key(self) -> bool:
        """Whether it is of one row at most, found by its primary key, which stays under its keys."""
        found = self.lookup.single and not self.lookup.index
        return found and self.update is not None and not self.keys_change

    def changes(
        self,
        params: Sequence[Any],
        session: Any,
        view: WriteView,
        ts: Timestamp,
        found: Sequence[Hit] | None = None,
    ) -> Changes:
        """`found`: the rows that the lookup finds, where somebody has looked and noted it."""
        condition, update, returning, rules = self.condition, self.update, self.returning, self.rules
        changes: list[Change] = []
        returned: list[Row] | None = [] if returning is not None else None
        pending = PendingKeys(rules, view.unnoted, ts) if self.keys_change else None
        hits: Any = found
        if hits is not None:
            pass
        elif self.lookup.single and not self.lookup.index:
            key = self.lookup.points[0](params, session)  # type: ignore[index]
            hit = view.get(key, ts) if key is not None else None
            hits = ((key, hit[0], hit[1]),) if hit is not None else ()
        else:
            hits = self.lookup.hits(params, session, view, ts)
        for key, rid, row in hits:
            if condition is not None and not condition(params, row, session):
                continue
            if update is None:
                changes.append((key, rid, row, None, None))
                if returning is not None:
                    returned.append(returning(params, row, session))  # type: ignore[union-attr]
                continue
            new = update(params, row, session)
            rules.check(new, session)
            new_key = key
            if pending is not None:
                if not rules.deferrable:
                    pending.replace(key, row, new)
                new_key = rules.key(new) if rules.key is not None else key
            changes.append((key, rid, row, new_key, new))
            if returning is not None:
                returned.append(returning(params, new, session))  # type: ignore[union-attr]
        if pending is not None and rules.deferrable:
            changes = deferred_keys.moved(pending, changes)
        return changes, returned, len(changes)

    def unchecked(
        self, params: Sequence[Any], session: Any, view: WriteView, ts: Timestamp
    ) -> list[tuple[Key, int, Row, Row | None]]:
        """(key, row id, row, what it is to become) of the rows that the statement is of, before triggers have seen them."""
        condition, update = self.condition, self.update
        return [
            (key, rid, row, update(params, row, session) if update is not None else None)
            for key, rid, row in self.lookup.hits(params, session, view, ts)
            if condition is None or condition(params, row, session)
        ]

    def returned(self, params: Sequence[Any], row: Row, session: Any) -> Row | None:
        """What RETURNING says of a row that was written; None where there is none."""
        made: Row | None = None if self.returning is None else self.returning(params, row, session)
        return made


WritePlan = InsertPlan | UpdatePlan


def kept_columns(rule: UniqueRule, key: Key, other: Row | None, written: Columns) -> Columns:
    """What is written of the row under a unique key: only some columns if the row's other version has that key as well."""
    return written if other is not None and rule.key(other) == key else ALL_COLUMNS


def apply_changes(
    changes: Sequence[Change],
    rules: TableRules,
    image: TableImage,
    group: Group,
    next_rid: Callable[[], int],
    written: Columns = ALL_COLUMNS,
) -> None:
    """Puts changes into the image and the group, all at the group's timestamp. Raises nothing.

    `written`: the columns that differ in rows that stay under their key.
    """
    if len(changes) >= many_rows.MANY and many_rows.only_new(changes):
        many_rows.take_new(changes, rules, image, group, next_rid)
        return
    ts, shard = group.ts, rules.table.shard
    put, remove, wrote = image.put, image.remove, group.wrote
    uniques, references = rules.uniques, rules.references
    for old_key, old_rid, old_row, new_key, new_row in changes:
        if old_row is not None:
            group.delete(shard, old_rid)
            if new_row is None or new_key != old_key:
                wrote(shard, old_key)
                remove(old_key, old_rid, ts)
            else:
                wrote(shard, old_key, written)
            for rule in uniques:
                if (k := rule.key(old_row)) is not None:
                    wrote(rule.space, k, kept_columns(rule, k, new_row, written))
        if new_row is not None:
            rid = next_rid()
            if new_key is None:
                new_key = rid
            group.insert(shard, rid, new_row)
            put(new_key, rid, new_row, ts)
            if new_key != old_key or old_row is None:
                wrote(shard, new_key)
            for rule in uniques:
                if (k := rule.key(new_row)) is not None:
                    wrote(rule.space, k, kept_columns(rule, k, old_row, written))
            for reference in references:
                if (k := reference.key(new_row)) is not None:
                    wrote(reference.space, k)
