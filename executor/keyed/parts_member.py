"""A statement of several parts that is its own transaction: evaluated at its own admission, as keyed writes are (`autocommit`).

    execute_now      PartsMember(...) submitted
    admit            walk along the index to the first row that is free and passes  ->  what becomes of it  ->  image and group
    committed        done(Rows)

So those who fetch from one queue at once do not conflict, and none of them begins anew: the members of a group are evaluated one after
another, and each finds what those before it have left. Rows that transactions under way have locked are passed over, or waited for by
the wide door, as the statement says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from executor.abc import Done, ExecutionError, Rows
from executor.keyed.autocommit import ComeAgain, NewestView, WriteTarget
from executor.keyed.in_vain import InVain
from executor.keyed.join import JoinPlan
from executor.keyed.parts import NotAtOnce, Outcome, PartsPlan, WritePart
from executor.snapshot.abc import NoKeyedAnswer
from planner.abc import Plan, Query, Table
from storage.abc import Row, ShardId, Timestamp
from txn.abc import Group, Key, LockNotAvailable
from txn.columns import Columns
from txn.lease import LeaseLapsed
from txn.locks import KeyLocks, LockMode


class PresentView(NewestView):
    """The same for look-ups by indexes, and walks along them."""

    __slots__ = ("_whole", "key_of")

    def __init__(self, table: Table, image: Any) -> None:
        super().__init__(image)
        self._whole = tuple(range(len(table.columns)))
        self.key_of: Callable[[Row], Key] = lambda row: image.key_of(0, row)

    def by_index(
        self, positions: tuple[int, ...], key: Key, ts: Timestamp, rows_max: int
    ) -> list[Row] | None:
        rows: list[Row] | None = self._image.index(positions).find(key, ts, rows_max, self._whole)
        return rows

    def walk(
        self, positions: tuple[int, ...], bounds: Any, ts: Timestamp, descending: bool, _rows_max: int
    ) -> Any:
        return self._image.index(positions).walk(bounds, ts, descending)


class PartsTarget:
    """What all members of one compiled statement share."""

    def __init__(
        self,
        plan: PartsPlan,
        images: dict[ShardId, Any],
        targets: dict[ShardId, WriteTarget],
        locks: KeyLocks,
        current: Callable[[Table], bool],
    ) -> None:
        self.plan = plan
        self.images, self.targets, self.locks, self.current = images, targets, locks, current
        self.views = {t.shard: PresentView(t, images[t.shard]) for t in plan.tables}
        self._in_vain = InVain()

    @property
    def worth_it(self) -> bool:
        """Whether to try: where the last ones have come to nothing the wide door is taken."""
        return not self._in_vain.is_skipped()

    def ended(self, *, well: bool) -> None:
        if well:
            self._in_vain.forget()
        else:
            self._in_vain.led_too_far()


class _Present:
    """What is there at admission (`executor.keyed.parts.Ground`)."""

    __slots__ = ("_member", "_target", "ts")

    def __init__(self, target: PartsTarget, member: PartsMember, ts: Timestamp) -> None:
        self._target, self._member, self.ts = target, member, ts

    def view(self, table: Table, _noted: Columns) -> Any:
        return self._target.views[table.shard]

    def image(self, table: Table) -> Any:
        return self._target.images[table.shard]

    def noted(
        self, join: JoinPlan, query: Query, params: Sequence[Any], columns: Sequence[Columns]
    ) -> Sequence[Columns]:
        return columns

    def take(self, table: Table, key: Key, mode: LockMode, wait: str) -> bool:
        locks = self._target.locks
        if not len(locks) or locks.would_grant(self, table.shard, key, mode):
            return True
        if wait == "wait":
            raise NotAtOnce
        if wait == "nowait":
            raise LockNotAvailable(f'could not obtain lock on row in relation "{table.name}"')
        return False

    def draw(self, draws: Any, params: Sequence[Any], session: Any, rows: Sequence[Row]) -> Sequence[Row]:
        drawn = self._member.drawn.get(draws)
        if drawn is None or len(drawn) != len(rows):
            made: Sequence[Row] = draws.at_once(session, params, rows)
            self._member.drawn[draws] = made
            return made
        return draws.again(rows, drawn)  # type: ignore[no-any-return]


class PartsMember:
    """See `txn.abc.Member`. When the wide door must take over it runs `plan`, and tells `done` itself."""

    __slots__ = ("_outcome", "done", "drawn", "params", "plan", "session", "target")

    def __init__(
        self, target: PartsTarget, params: Sequence[Any], session: Any, done: Done, plan: Plan
    ) -> None:
        self.target, self.params, self.session, self.done, self.plan = target, params, session, done, plan
        self.drawn: dict[Any, Sequence[Row]] = {}
        """What each INSERT of it has drawn, by its `Draws`: admitted once more, it draws no other numbers."""
        self._outcome = Outcome()

    @property
    def party(self) -> int:
        """Whose it is, should that session have lost what it relied on."""
        pid: int = self.session.pid
        return pid

    def admit(self, group: Group) -> None:
        from executor.session.commands import NeedsLease  # which stands on this room

        target = self.target
        if not all(map(target.current, target.plan.tables)):
            raise ComeAgain("a table was altered")
        try:
            outcome = target.plan.run(self.params, self.session, _Present(target, self, group.ts))
        except (NotAtOnce, NoKeyedAnswer, NeedsLease, LeaseLapsed) as reason:
            target.ended(well=isinstance(reason, NeedsLease))
            raise ComeAgain("not here and now") from None
        except ExecutionError as refused:
            if refused.taken is not None and len(target.locks):
                raise ComeAgain("the row that has the key may be about to go") from None
            raise
        target.ended(well=True)
        brought = {
            w.part.table.shard: {change[3] for change in w.changes}
            for w in outcome.written
            if w.part.insert is not None
        }
        for written in outcome.written:
            target.targets[written.part.table.shard].may_write(written.changes, brought)
        for written in outcome.written:
            part: WritePart = written.part
            target.targets[part.table.shard].write(written.changes, group, part.written)
        self._outcome = outcome

    def committed(self, _ts: Timestamp) -> None:
        outcome, targets = self._outcome, self.target.targets
        for written in outcome.written:
            targets[written.part.table.shard].counts.applied(written.changes)
        next(iter(targets.values())).counts.ended_alone()
        self.done(Rows(f"{self.target.plan.tag}{outcome.count}", self.plan.columns, outcome.rows))

    def failed(self, error: Exception) -> None:
        if isinstance(error, ComeAgain):
            self.session.drawn_in_parts.update((draws.said, rows) for draws, rows in self.drawn.items())
            self.session.again(self.plan, self.params, self.done)(error)
        else:
            self.done(error)


__all__ = ["PartsMember", "PartsTarget"]
