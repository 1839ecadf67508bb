"""UPDATE and DELETE by primary key, and what every keyed write shares: changes, and how a change is admitted.

A keyed write is two steps that share nothing but a list of **changes**:

    changes(params, session, view, ts)    reads, computes, checks constraints; writes nothing
    apply(changes, image, group)          versions into the image, rows into the group

An autocommit statement does both at its own admission, where `view` is the image at the group's
timestamp: it sees what the members before it in the group wrote, so a hot row takes one increment
after another without a retry. In a transaction block the first step runs at once against the
transaction's own view, the second when it commits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from executor.constraints.rules import TableRules, UniqueRule
from executor.keyed import deferred_keys, many_rows
from executor.keyed.compile import (
    Compiled,
    compile_condition,
    compile_tuple,
    compile_update,
)
from executor.keyed.footprint import columns_at
from executor.keyed.lookup import Hit, KeyedView, LookupPlan
from executor.snapshot.abc import TableImage
from planner.abc import KeyedDelete, KeyedUpdate
from storage.abc import Row, Timestamp
from txn.abc import Group, Key
from txn.columns import ALL_COLUMNS, Columns
from txn.locks import LockMode

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
        "body", "condition", "keys_change", "lock_mode", "lookup", "may_move", "returning", "rules", "tag", "update", "written",
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
        self.lock_mode = LockMode.UPDATE if self.update is None else LockMode.NO_KEY_UPDATE
        """Of the rows that it writes, if it does not give them other keys."""
        self.may_move = isinstance(body, KeyedUpdate) and not set(rules.identity).isdisjoint(
            i for i, _ in body.assignments
        )
        """Whether it may."""

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
