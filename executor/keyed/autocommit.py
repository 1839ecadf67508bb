"""One keyed write that is its own transaction: a member of a commit group, and nothing else.

    execute_now      WriteMember(...) submitted                       ~1 µs
    admit            newest versions read, row computed, checked,     ~5 µs
                     image and group written
    committed        done(Rows)                                       ~1 µs

It is evaluated at admission, so it needs no snapshot, no read set and no retry: what it reads is what
the members before it left. Where it cannot run here (a key that an interactive transaction has
locked, a table whose bulk is not read yet, a table that was altered meanwhile) it is refused with
`ComeAgain`, and the session takes the wide door.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Final

from executor.abc import Done, ExecutionError, Rows
from executor.constraints.rules import TableRules, UniqueRule
from executor.keyed.deferred_keys import NOTHING
from executor.keyed.insert import InsertPlan
from executor.keyed.write import Change, UpdatePlan, apply_changes
from executor.keyed.writers import writer_of
from executor.snapshot.abc import NotHydrated, TableImage, TooOldForKeyed
from executor.statistics.counts import PRIMARY
from planner.abc import Plan, ResultColumn
from storage.abc import Row, ShardId, Timestamp
from txn.abc import Group, Key
from txn.columns import Columns
from txn.held_keys import HeldKeys
from txn.locks import KeyLocks, LockMode


class ComeAgain(Exception):
    """Not to be answered here and now: take the wide door."""


class NewestView:
    """The image as admission sees it: newest versions, admitted ones included."""

    __slots__ = ("_image", "_newest")

    def __init__(self, image: TableImage) -> None:
        self._image = image
        self._newest = image.newest

    @property
    def put_off(self) -> frozenset[int]:
        return NOTHING  # the statement's end is the transaction's

    @property
    def unnoted(self) -> NewestView:
        return self

    def get(self, key: Key, _ts: Timestamp) -> tuple[int, Row] | None:
        v = self._newest(key)
        if v is None or v[2] is None:
            return None
        return v[1], v[2]

    def scan(self, *args: Any, **options: Any) -> Any:
        return self._image.scan(*args, **options)

    def find_unique(self, constraint_oid: int, key: Key, ts: Timestamp) -> tuple[Key, int, Row] | None:
        return self._image.find_unique(constraint_oid, key, ts)


NOTHING_BROUGHT: Final[Mapping[ShardId, Collection[Key]]] = {}


class Parent:
    """A table that written rows refer to by its primary key: asked at admission, when the answer is final."""

    __slots__ = ("image", "key", "rules", "single")

    def __init__(self, indexes: tuple[int, ...], image: TableImage, rules: TableRules) -> None:
        self.key = itemgetter(*indexes)
        self.single = len(indexes) == 1
        self.image = image
        self.rules = rules

    def has(self, row: Row) -> bool:
        """Whether the row refers to one that is there, or to nothing."""
        key = self.key(row)
        if key is None if self.single else None in key:
            return True
        newest = self.image.newest(key)
        return newest is not None and newest[2] is not None

    def may_go(self, row: Row, locks: KeyLocks) -> bool:
        """Whether a transaction has locked the row that is referred to as who deletes it does."""
        holders = locks.holders(self.rules.table.shard, self.key(row))
        return any(mode is LockMode.UPDATE for _, mode in holders)


class WriteTarget:
    """What all members of one compiled write share."""

    __slots__ = (
        "by_changes",
        "columns",
        "counts",
        "current",
        "done_one",
        "ended_one",
        "held",
        "image",
        "insert",
        "is_one",
        "locks",
        "next_rid",
        "parents",
        "plan",
        "rules",
        "tags",
        "undone_ts",
        "view",
    )

    def __init__(
        self,
        plan: Any,
        rules: TableRules,
        image: TableImage,
        locks: KeyLocks,
        held: HeldKeys,
        next_rid: Callable[[], int],
        columns: tuple[ResultColumn, ...] | None,
        current: Callable[[TableRules], bool],
        parents: tuple[Parent, ...] = (),
    ) -> None:
        self.plan = plan
        self.insert: InsertPlan | None = plan if isinstance(plan, InsertPlan) else None
        self.rules = rules
        self.image = image
        self.view = NewestView(image)
        self.locks = locks
        self.held = held.spaces
        self.next_rid = next_rid
        self.columns = columns
        self.current = current
        """Whether the table is still defined as it was compiled for, admitted DDL included."""
        self.parents = parents
        self.tags = tuple(f"{plan.tag}{n}" for n in range(10))
        self.done_one = Rows(self.tags[1], columns)
        """The answer that most members give."""
        self.is_one = (
            self.insert is not None and self.insert.one is not None and not parents and not rules.references
        )
        """Members insert a row each, of which nothing is asked but whether its primary key is free."""
        self.undone_ts: Timestamp = 0
        self.counts = rules.counts
        self.by_changes = self.insert is not None and self.insert.body.on_conflict is not None
        """Only the changes tell what becomes of rows: they are counted."""
        self.ended_one = self._ended_one()
        """Bumped when a member has committed that is of one row, and returns nothing."""

    def _ended_one(self) -> Callable[[], int]:
        """What counts the row along with the transaction, if it is known what becomes of it."""
        plan, counts = self.plan, self.counts
        if self.by_changes:
            return counts.ended_alone
        if self.insert is not None:
            return counts.appended_alone
        if not isinstance(plan, UpdatePlan):
            return counts.ended_alone
        if plan.lookup.name == PRIMARY:
            return counts.changed_alone if plan.update is not None else counts.removed_alone
        return partial(self.ended_of, 1)

    def ended_of(self, many: int) -> int:
        """A member has committed that is of so many rows."""
        if self.insert is not None and not self.by_changes:
            self.counts.wrote(inserted=many)
        elif isinstance(self.plan, UpdatePlan):
            self.counts.way(self.plan.lookup.name).add(many)
            if self.plan.update is not None:
                self.counts.wrote(updated=many)
            else:
                self.counts.wrote(deleted=many)
        return self.counts.ended_alone()

    def settled(self, rows: Sequence[Row], changes: Sequence[Change], ts: Timestamp) -> None:
        """Before ON CONFLICT leaves rows that it has met alone. Raises ComeAgain where they may be about to go, or, by the condition of DO
        UPDATE, to become others."""
        insert, rules, shard = self.insert, self.rules, self.rules.table.shard
        assert insert is not None
        if not insert.leaves_alone:
            for place in insert.let_alone(rows, self.view, ts, changes):
                if not self.locks.is_free(shard, place):
                    raise ComeAgain("a key is locked")
            return
        asked: list[UniqueRule | None] = [rule for rule in (None, *rules.uniques) if insert.covers(rule)]
        for row in rows:
            for rule in asked:
                key = rule.key(row) if rule is not None else rules.key(row) if rules.key is not None else None
                if key is not None and writer_of(self.locks, self.image, shard, rule, key) is not None:
                    raise ComeAgain("the row that has the key may be about to go")

    def undo(self) -> None:
        """The group's append failed: its versions go, and the same timestamp may come again."""
        self.image.undo(self.undone_ts)
        self.undone_ts = 0

    def may_write(
        self, changes: Sequence[Change], brought: Mapping[ShardId, Collection[Key]] = NOTHING_BROUGHT
    ) -> None:
        """Raises ComeAgain where a change has to wait for somebody, or for who knows more.

        `brought`: the keys of rows that the same statement inserts into tables, by shard.
        """
        for parent in self.parents:
            if not self.current(parent.rules):
                raise ComeAgain("a referenced table was altered")
            for change in changes:
                row = change[4]
                if row is None:
                    continue
                if not parent.has(row) and parent.key(row) not in brought.get(parent.rules.table.shard, ()):
                    raise ComeAgain("a referenced row is not there")
                if len(self.locks) and parent.may_go(row, self.locks):
                    raise ComeAgain("a referenced row may be about to go")
        if self.held and self._brings_held(changes):
            raise ComeAgain("a key is held")
        locks = self.locks
        if len(locks):
            shard = self.rules.table.shard
            for change in changes:
                key = change[0] if change[2] is not None else change[3]
                if key is not None and not locks.is_free(shard, key):
                    raise ComeAgain("a key is locked")

    def write(self, changes: Sequence[Change], group: Group, written: Columns) -> None:
        """Changes that may be made, into the image and the group. Raises nothing."""
        if self.undone_ts != group.ts:
            self.undone_ts = group.ts
            group.undo(self.undo)
        apply_changes(changes, self.rules, self.image, group, self.next_rid, written)

    def _brings_held(self, changes: Sequence[Change]) -> bool:
        """Whether a transaction that is under way brings one of these keys (`txn.held_keys`)."""
        rules, held = self.rules, self.held
        for old_key, _, old_row, key, row in changes:
            if row is None:
                continue
            moves = rules.key is not None and (old_row is None or key != old_key)
            if moves and key in held.get(rules.key_space, ()):
                return True
            if any(rule.key(row) in held.get(rule.space, ()) for rule in rules.uniques):
                return True
        return False

    def tag(self, count: int) -> str:
        return self.tags[count] if count < 10 else f"{self.plan.tag}{count}"


class WriteMember:
    """See `txn.abc.Member`. Raises NotHydrated, and what the values raise. When the wide door must take over it runs `plan`, and tells `done` itself."""

    __slots__ = ("count", "done", "params", "plan", "returned", "rows", "session", "target")

    def __init__(
        self,
        target: WriteTarget,
        params: Sequence[Any],
        session: Any,
        done: Done,
        plan: Plan,
    ) -> None:
        self.target = target
        self.params = params
        self.session = session
        self.done = done
        self.plan = plan
        # An INSERT's values depend on nothing that is stored: errors in them are raised at once.
        insert = target.insert
        if insert is not None and insert.asks_for(target.image):
            raise NotHydrated(target.rules.table.name)  # before numbers are drawn from sequences
        self.rows = insert.values(params, session) if insert is not None else None
        self.count = 0
        self.returned: list[Row] | None = None

    @property
    def party(self) -> int:
        """Whose it is, should that session have lost what it relied on."""
        pid: int = self.session.pid
        return pid

    def admit(self, group: Group) -> None:
        target = self.target
        if not target.current(target.rules):
            raise ComeAgain("the table was altered")
        if target.is_one:
            self._insert_one(group)
            return
        plan = target.plan
        ts = group.ts
        try:
            if target.insert is not None:
                changes, self.returned, self.count = target.insert.changes(
                    self.params, self.session, target.view, ts, self.rows
                )
            else:
                changes, self.returned, self.count = plan.changes(self.params, self.session, target.view, ts)
        except ExecutionError as refused:
            if refused.taken is not None and len(target.locks):
                raise ComeAgain("the row that has the key may be about to go") from None
            if refused.taken is not None and target.by_changes and target.held:
                raise ComeAgain("the key that ON CONFLICT is about may be on its way") from None
            raise
        if target.by_changes and len(target.locks) and len(changes) < len(self.rows or ()):
            target.settled(self.rows or (), changes, ts)
        if not changes:
            return
        target.may_write(changes)
        target.write(changes, group, plan.written)
        if target.by_changes:
            target.counts.applied(changes)

    def _insert_one(self, group: Group) -> None:
        """`admit` of a row as most INSERTs have it."""
        target, ts = self.target, group.ts
        row: Row = self.rows[0]  # type: ignore[index]
        rules, image = target.rules, target.image
        shard, key = rules.table.shard, None
        if rules.key is not None:
            key = rules.key(row)
            found = image.newest(key)
            if len(target.locks) and not target.locks.is_free(shard, key):
                raise ComeAgain("a key is locked")
            if found is not None and found[2] is not None:
                raise rules.unique_violation(None, key, row)
            if target.held and key in target.held.get(rules.key_space, ()):
                raise ComeAgain("a key is held")
        if target.undone_ts != ts:
            target.undone_ts = ts
            group.undo(target.undo)
        rid = target.next_rid()
        if key is None:
            key = rid
        self.count = 1
        image.put(key, rid, row, ts)
        group.insert_new(shard, key, rid, row)

    def committed(self, ts: Timestamp) -> None:
        target = self.target
        returned = self.returned
        if returned is None and self.count == 1:
            target.ended_one()
            self.done(target.done_one)
            return
        target.ended_of(self.count)
        self.done(Rows(target.tag(self.count), target.columns, returned if returned is not None else ()))

    def failed(self, error: Exception) -> None:
        if isinstance(error, ComeAgain | NotHydrated | TooOldForKeyed):
            if self.rows is not None:
                self.session.drawn = self.target.plan, self.rows
            self.session.again(self.plan, self.params, self.done)(error)
        else:
            self.done(error)
