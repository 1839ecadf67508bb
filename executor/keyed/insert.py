"""INSERT VALUES by key: the rows that it makes, and what ON CONFLICT does where one is in the place of another.

    values(params, session)          the rows; they depend on no data, so they are computed before admission
    changes(..., view, ts, rows)     each new one, or what DO UPDATE makes of the one that is there

Rows of one form, each from parameters of its own, are computed by one function (`alike_rows`); many that conflict with nothing are
asked of the view at once (`many_rows`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from executor.abc import ExecutionError
from executor.constraints.rules import TableRules, UniqueRule
from executor.keyed import many_rows
from executor.keyed.alike_rows import forms_of, parameters_per_row
from executor.keyed.compile import (
    Compiled,
    compile_condition,
    compile_row,
    compile_tuple,
    compile_update,
)
from executor.keyed.footprint import columns_at, columns_named
from executor.keyed.write import Change, Changes, PendingKeys, WriteView
from executor.snapshot.abc import TableImage
from planner.abc import Call, Const, Constraint, Expr, InsertValues, OnConflict
from planner.alike_rows import AlikeRows
from storage.abc import Row, Timestamp
from txn.abc import Key
from txn.columns import ALL_COLUMNS
from txn.locks import LockMode

XID_MIN = 3
"""The least number of a transaction: what is below means something else."""


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
        "leaves_alone",
        "lock_mode",
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
        self.lock_mode = LockMode.NO_KEY_UPDATE
        """Of rows that DO UPDATE meets: by what it names, be it as it was."""
        if body.on_conflict is not None:
            said = body.on_conflict.assignments
            assigned = body.on_conflict.assigned if said is None else [i for i, _ in said]
            if not set(rules.identity).isdisjoint(assigned):
                self.lock_mode = LockMode.UPDATE
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
        self.leaves_alone = body.on_conflict is not None and not body.on_conflict.updates
        """ON CONFLICT DO NOTHING."""
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

    def met(
        self, rows: Sequence[Row], view: WriteView, ts: Timestamp, changes: Sequence[Change]
    ) -> list[Key]:
        """The rows that ON CONFLICT DO UPDATE has met, whether it changes them or lets them alone: they are to be locked."""
        changed = [change[0] for change in changes if change[2] is not None]
        return changed + self.let_alone(rows, view, ts, changes)

    def let_alone(
        self, rows: Sequence[Row], view: WriteView, ts: Timestamp, changes: Sequence[Change]
    ) -> list[Key]:
        """The rows that DO UPDATE has met and its condition lets alone. They are locked as those that it changes: what others are about
        to make of them may be another matter."""
        conflict = self._conflict
        if conflict is None or self.leaves_alone or len(changes) >= len(rows):
            return []
        pending, changed = PendingKeys(self.rules, view, ts), {change[0] for change in changes}
        met = [pending.clash(row, conflict.covers) for row in rows]
        there = [clash[1][0] for clash in met if clash is not None and clash[1] is not None]
        return [key for key in there if key not in changed]

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
        if len(rows) > 1:
            rules.foresee(rows)
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
