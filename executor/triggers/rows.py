"""Writes that go row by row, because some trigger is asked before each: what it answers is what is written.
Functions that CHECKs call are asked so, too: volatile ones see the rows before theirs.

    row -> BEFORE ROW -> generated columns -> NOT NULL, CHECK -> keys -> the block's buffer -> AFTER ROW is queued

Each row is in the buffer before the next one's triggers fire, so their functions see it. All rows that exist already are locked before
the first trigger fires: where the snapshot moves by that, the statement begins anew, and no function has been called in vain.
A row that its own trigger has changed meanwhile is 27000, as in PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError
from executor.constraints.rules import LATE, TableRules
from executor.keyed import deferred_keys
from executor.keyed.footprint import columns_at
from executor.keyed.insert import InsertPlan, twice_updated
from executor.keyed.write import Change, PendingKeys
from executor.session import new_keys, row_security
from executor.session.blocks import keyed
from executor.triggers.firing import Statement
from planner import triggers
from planner.abc import Table
from storage.abc import Row
from txn.abc import SerializationFailure
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.partitions.leaving import Leaving
    from executor.session.session import Session

Found = tuple[Any, int, Row, Row | None]
"""(key, row id, row, what it is to become or None for DELETE)."""
Decide = Callable[[tuple[Any, int, Row], Row], Awaitable[Row | None]]
"""What DO UPDATE makes of (existing row, EXCLUDED); None: it leaves it alone."""
Written = tuple[Change, int]
"""A change, and the row id that its new row got (of DELETE: the old one's)."""


class RowWriter:
    """One statement's rows on their way into one table."""

    def __init__(self, session: Session, block: Block, fired: Statement) -> None:
        self._session, self._block, self._fired = session, block, fired
        self._table: Table = fired.on.rows
        self._rules: TableRules = session.rules(self._table)
        self._own: set[int] = set()
        """Row ids that this statement has written."""
        generates = any(c.generated for c in self._table.columns)
        self._steady = fired.asks == "s" and not fired.changes_rows and not generates
        """Whether CHECKs' functions see no row of this statement, and are asked of what it says."""

    # --- INSERT ----------------------------------------------------------------------------

    async def insert(
        self,
        rows: Sequence[Row],
        plan: InsertPlan,
        decide: Decide | None,
        base: Any = None,
        *,
        began: int = 0,
    ) -> list[Written]:
        """`decide` None: DO NOTHING, or no ON CONFLICT at all. `base` replaces the image (history). `began`: as of `bulk.insert`."""
        block, rules, fired = self._block, self._rules, self._fired
        conflict = plan.body.on_conflict
        done: list[Written] = []
        first = began or self._session.executor.env.rids.next()
        but = "" if conflict is None else LATE
        asked = await self._ask(rows, but)
        for proposed in rows:
            before = await fired.before_row(triggers.INSERT, None, proposed)
            if before is None:
                continue
            row = await self._checked(
                before,
                row_security.INSERTED,
                rules.check if conflict is None else rules.check_proposed,
                asked=asked,
                but=but,
            )
            change: Change = (None, 0, None, rules.key(row) if rules.key is not None else None, row)
            there = await self._existing(change, row, plan, base)
            if there is None:
                if conflict is not None:
                    await self._check_inserted(row)
                done.append(self._apply(change, ()))
                await fired.wrote(triggers.INSERT, None, row)
                continue
            if decide is None:
                continue
            if there[1] in self._own or (there[1] > first and self._is_own(there[1])):  # or by its triggers
                raise twice_updated()
            with block.looking(begins=False):
                new = await decide(there, row)
                if new is not None:
                    assert conflict is not None
                    said = conflict.assignments
                    assigned = conflict.assigned if said is None else [i for i, _ in said]
                    done += await self.update([(*there, new)], assigned, locked=True)
        return done

    async def _existing(
        self, change: Change, row: Row, plan: InsertPlan, base: Any
    ) -> tuple[Any, int, Row] | None:
        """The row in whose place this one comes; None: there is none, and its keys are held. Raises 23505."""
        session, block = self._session, self._block
        evades = plan.body.on_conflict is not None
        while True:
            if evades:
                await new_keys.met(session, block, self._table, plan, (row,))
            view = block.view(self._table, base=base, record=evades)
            view.writes.evades |= evades
            try:
                there = plan.existing(row, view, block.read_ts)
                if there is not None:
                    before = block.read_ts
                    await self._lock([there[0]], plan.lock_mode)
                    if block.read_ts == before:
                        new_keys.spare(session, block.transaction(), view.writes, (row,))
                        return there
                elif await new_keys.held(session, block, view.writes, (change,), view.put_off, evades=evades):
                    return None
            except ExecutionError as refused:
                if not await new_keys.came_free(session, block, view.writes, refused):
                    raise

    # --- UPDATE and DELETE -----------------------------------------------------------------

    async def update(
        self,
        found: Sequence[Found],
        assigned: Collection[int],
        *,
        locked: bool = False,
        leaving: Leaving | None = None,
    ) -> list[Written]:
        """`locked`: nobody else can write these rows. `leaving`: who takes rows that are another partition's now.

        Raises SnapshotMoved before any trigger has fired.
        """
        rules, fired = self._rules, self._fired
        if not locked:
            wanted = [(f[0], rules.lock_mode(f[2], f[3])) for f in found if f[3] is not None]
            if leaving is not None or (fired.changes_rows and not set(rules.identity).isdisjoint(assigned)):
                # There is who is yet to be asked what the row is to be.
                wanted = [(key, LockMode.UPDATE) for key, _ in wanted]
            for mode, rows in groupby(wanted, key=itemgetter(1)):  # in their order, as others lock them
                await self._lock([key for key, _ in rows], mode, anew=True)
            await fired.begin(triggers.UPDATE, assigned)
        done: list[Written] = []
        late: list[Change] = []
        asked = await self._ask([f[3] for f in found if f[3] is not None])
        for key, rid, old, proposed in found:
            assert proposed is not None
            own = self._is_own(rid)
            before = await fired.before_row(triggers.UPDATE, old, proposed)
            if before is None:
                continue
            self._refuse_touched(rid, own, "updated")
            self._refuse_newer(key)
            moved = await leaving.moved(before) if leaving is not None else None
            if leaving is not None and moved is not None:
                for gone, _ in await self.delete([(key, rid, old, None)], locked=True):
                    leaving.goes(gone, moved)
                continue
            new = await self._checked(before, row_security.UPDATED, asked=asked)
            new_key = rules.key(new) if rules.key is not None else key
            if rules.lock_mode(old, new) is LockMode.UPDATE:
                await self._lock([key], LockMode.UPDATE)
            change: Change = (key, rid, old, new_key if rules.key is not None else None, new)
            if rules.deferrable and self._moves_keys(old, new):
                late.append(change)
                continue
            if self._moves_keys(old, new):
                await self._hold_keys([change])
            done.append(self._apply(change, self._differing(old, new, assigned)))
            await fired.wrote(triggers.UPDATE, old, new)
        if late:
            for change in await self._hold_keys(late):
                done.append(self._apply(change, range(len(self._table.columns))))
                await fired.wrote(triggers.UPDATE, change[2], change[4])
        return done

    async def delete(self, found: Sequence[Found], *, locked: bool = False) -> list[Written]:
        """As `update`. Only `locked` rows are those of a statement whose BEFORE STATEMENT triggers have fired."""
        fired = self._fired
        if not locked:
            await self._lock([f[0] for f in found], LockMode.UPDATE, anew=True)
            await fired.begin(triggers.DELETE)
        done: list[Written] = []
        for key, rid, old, _ in found:
            own = self._is_own(rid)
            if await fired.before_row(triggers.DELETE, old, None) is None:
                continue
            self._refuse_touched(rid, own, "deleted")
            self._refuse_newer(key)
            done.append(self._apply((key, rid, old, None, None), ()))
            await fired.wrote(triggers.DELETE, old, None)
        return done

    # --- a row -----------------------------------------------------------------------------

    async def _checked(
        self,
        row: Row,
        kind: str,
        check: Callable[[Row, Session], None] | None = None,
        *,
        asked: bool = False,
        but: str = "",
    ) -> Row:
        """The row with its generated columns, which no policy and no constraint refuses. `asked`: see `_ask`.

        `but`: a kind of constraints that is not asked yet.
        """
        from executor.session import row_checks
        from executor.session.copying import staging

        session, block = self._session, self._block
        made = await self._fired.on.completed(session, block, row)
        await row_security.check_rows(session, block, self._table, kind, [made])
        (check or self._rules.check)(made, session)
        if self._rules.wide_checks and not asked:
            written = staging.written_rows(self._table, [made])
            await row_checks.check_wide(session, block, self._table, written, but=but)
        return made

    async def _check_inserted(self, row: Row) -> None:
        """What views and indexes ask of a row in whose place ON CONFLICT has found no other."""
        from executor.session import row_checks
        from executor.session.copying import staging

        self._rules.check_inserted(row, self._session)
        if self._rules.wide_checks:
            written = staging.written_rows(self._table, [row])
            await row_checks.check_wide(self._session, self._block, self._table, written, only=LATE)

    async def _ask(self, rows: Sequence[Row], but: str = "") -> bool:
        """CHECKs of several rows before any of them is written, where their functions see none. Whether they were asked."""
        from executor.session import row_checks
        from executor.session.copying import staging

        if not self._steady or len(rows) < 2:
            return False
        written = staging.written_rows(self._table, rows)
        await row_checks.check_wide(self._session, self._block, self._table, written, but=but)
        return True

    def _apply(self, change: Change, columns: Collection[int]) -> Written:
        """Into the block's buffer. `columns`: those that differ, of a row that stays."""
        executor = self._session.executor
        rid = executor.env.rids.next()
        written = columns_at(self._table, columns)
        writes = self._block.writes(self._table)
        if change[2] is None or change[4] is None:
            writes.apply([change], lambda: rid)
        else:
            writes.apply([change], lambda: rid, written)
        if change[4] is None:
            return change, change[1]
        self._own.add(rid)
        return change, rid

    def _differing(self, old: Row, new: Row, assigned: Collection[int]) -> set[int]:
        return set(assigned) | {i for i in range(len(new)) if old[i] is not new[i] and old[i] != new[i]}

    def _moves_keys(self, old: Row, new: Row) -> bool:
        rules = self._rules
        if rules.key is not None and rules.key(old) != rules.key(new):
            return True
        return any(rule.key(old) != rule.key(new) for rule in rules.uniques)

    async def _hold_keys(self, changes: list[Change]) -> list[Change]:
        """Rows that get other keys, in the order of application, once nobody else is about to bring these. Raises 23505."""
        session, block, rules = self._session, self._block, self._rules
        while True:
            view = block.view(self._table, record=False)
            pending = PendingKeys(rules, view, block.read_ts)
            try:
                if rules.deferrable:
                    moved = deferred_keys.moved(pending, changes)
                else:
                    moved = changes
                    for key, _, old, _, new in changes:
                        assert old is not None and new is not None
                        pending.replace(key, old, new)
                await new_keys.held(session, block, view.writes, moved, view.put_off)
                return moved
            except ExecutionError as refused:
                if not await new_keys.came_free(session, block, view.writes, refused):
                    raise

    async def _lock(self, keys: Sequence[Any], mode: LockMode, *, anew: bool = False) -> None:
        """Waits for the keys' locks. `anew`: raises SnapshotMoved if the snapshot has moved by that."""
        block = self._block
        txn = block.transaction()
        before = txn.read_ts
        while True:
            try:
                keyed.lock_keys(self._session, txn, self._table, keys, mode, anew=anew)
                break
            except keyed.WouldBlock as blocked:
                await keyed.wait_for(self._session, block, blocked, writing=self._table)
        if anew and (txn.read_ts != before or block.newer_than_found(self._table.shard, keys)):
            raise keyed.SnapshotMoved

    def _refuse_newer(self, key: Any) -> None:
        """A row that another server has changed, whom no lock here keeps away, since it was found: functions have moved the
        snapshot on, so nobody would notice later. Raises SerializationFailure."""
        if self._block.newer_than_found(self._table.shard, (key,)):
            raise SerializationFailure("could not serialize access due to concurrent update")

    def _is_own(self, rid: int) -> bool:
        writes = self._block.tables.get(self._table.shard)
        return writes is not None and rid in writes.buffer.inserts

    def _refuse_touched(self, rid: int, own: bool, verb: str) -> None:
        """A row that a trigger has changed since it was found."""
        writes = self._block.tables.get(self._table.shard)
        if writes is None:
            return
        buffer = writes.buffer
        gone = rid not in buffer.inserts if own else rid in buffer.deletes
        if gone or (writes.bulk_deleted and rid in writes.deleted_rids()):
            raise ExecutionError(
                "27000",
                f"tuple to be {verb} was already modified by an operation triggered by the current command",
                hint="Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.",
            )


__all__ = ["Found", "RowWriter", "Written"]
