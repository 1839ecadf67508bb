"""Tables that this session itself has still to do with, which no definition may take from under it: 55006.

    a statement that writes to it goes on around this one     its triggers, or functions that it calls, run DDL
    triggers or foreign keys have still to look at its rows   DEFERRED, before COMMIT
    a cursor reads it, SQL's or a function's                  DECLARE ... CURSOR FOR t, OPEN c FOR SELECT ... FROM t
    a loop goes through its rows                              FOR r IN SELECT ... FROM t LOOP
    a query over it calls the function that runs DDL          SELECT f(a) FROM t

ALTER TABLE is refused then, but for what changes names alone, and so are CREATE INDEX, TRUNCATE and DROP. DROP INDEX, which may
give the table another shape here, is no matter of a cursor's.

Others' statements are another matter: of them locks and snapshots take care.

Source: PostgreSQL's `CheckTableNotInUse`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError
from executor.ddl.shape import same_shape
from executor.session.blocks.block import Block
from executor.session.references import events as reference_events
from executor.triggers import firing
from planner import statements as st
from planner.abc import KeyedRead, LockingQuery, Plan, Query, RelationUse, Table
from planner.catalog import Catalog, CatalogChange, Database, Index
from planner.ddl.plan import DdlPlan
from planner.partitioning import descendants

if TYPE_CHECKING:
    from executor.session.session import Session

_NAMES: Final = frozenset(("rename", "rename column", "rename constraint", "set schema"))
"""What ALTER TABLE does beside cursors."""


def refuse(session: Session, block: Block, bound: DdlPlan, statement: object) -> None:
    """Raises 55006 where a definition takes a table from under what this session still has to do with it."""
    if session.executor.slots:
        _refuse_followed(session, bound)
    busy = firing.IN_USE.get() | session.writing
    pending = {oid for d in block.deferred if (oid := _awaited(d)) is not None}
    read = {
        oid for plan in (*_cursors(session), *session.under_way) for oid in _read_by(session.catalog, plan)
    }
    if not (busy or pending or read):
        return
    alters = isinstance(statement, st.AlterTable) and any(a.what not in _NAMES for a in statement.actions)
    for what, table, reshaped in _taken(bound, statement):
        takes = what != "ALTER TABLE" or alters
        if (table.oid in read and takes) or (table.oid in busy and (takes or reshaped)):
            why = "it is being used by active queries in this session"
        elif table.oid in pending and (takes or reshaped):
            why = "it has pending trigger events"
        else:
            continue
        raise ExecutionError("55006", f'cannot {what} "{table.name}" because {why}')


def _refuse_followed(session: Session, bound: DdlPlan) -> None:
    """Raises 55006 for a database whose changes somebody follows just now."""
    active = [s.database_oid for s in session.executor.slots.all() if s.active_pid]
    for change in bound.changes:
        if isinstance(change.old, Database) and change.new is None and change.old.oid in active:
            count = active.count(change.old.oid)
            raise ExecutionError(
                "55006",
                f'database "{change.old.name}" is used by an active logical replication slot',
                detail=f"There {'is' if count == 1 else 'are'} {count} active slot{'s' * (count != 1)}.",
            )


def _taken(bound: DdlPlan, statement: object) -> Iterator[tuple[str, Table, bool]]:
    """What is done to which table, and whether its rows are to be had as they were no more (of an index: that they stay)."""
    for table in bound.truncated:
        yield "TRUNCATE", table, True
    for change in squashed(bound.changes):
        old, new = change.old, change.new
        if isinstance(old, Table):
            if new is None:
                yield "DROP TABLE", old, True
            elif isinstance(new, Table) and (old.shard != new.shard or not same_shape(old, new)):
                yield "ALTER TABLE", old, True
            elif isinstance(statement, st.AlterTable) and (
                old.name == statement.name.name or (isinstance(new, Table) and _lets_go(old, new))
            ):
                # Not what refers to it, which only hears of it; but what is referred to no more, or refers no more: a partition.
                yield "ALTER TABLE", old, False
        elif old is None and isinstance(new, Index) and isinstance(statement, st.CreateIndex):
            yield "CREATE INDEX", bound.catalog.table(new.table_oid), True


def _lets_go(old: Table, new: Table) -> bool:
    kept = {c.oid for c in new.constraints}
    return not set(old.referenced_by) <= set(new.referenced_by) or any(
        c.kind == "f" and c.oid not in kept for c in old.constraints
    )


def squashed(changes: Sequence[CatalogChange]) -> list[CatalogChange]:
    """One change per object."""
    out: dict[int, CatalogChange] = {}
    for change in changes:
        before = out.get(change.oid)
        if before is None:
            out[change.oid] = change
        elif before.old is None and change.new is None:
            del out[change.oid]
        else:
            out[change.oid] = CatalogChange(before.old, change.new)
    return list(out.values())


def _awaited(deferred: Any) -> int | None:
    """The table whose rows something deferred is about."""
    if isinstance(deferred, firing.Deferred):
        return deferred.event.on.holder.oid
    if isinstance(deferred, reference_events.Deferred):
        return deferred.parent_oid if deferred.lost else deferred.child_oid
    return None


def _cursors(session: Session) -> Iterator[Plan]:
    """The queries of cursors that are open; but for those whose rows are held over the end of their transaction."""
    for portal in session.portals.values():
        if portal.from_sql and "held" not in portal.extra:
            yield portal.prepared.plan
    for opened in session.routine_cursors.values():
        for cursor in opened.values():
            yield cursor.plan


def _read_by(catalog: Catalog, plan: Plan) -> list[int]:
    """The tables that a query reads, those below them included."""
    body = plan.body
    if isinstance(body, LockingQuery):
        body = body.query
    if isinstance(body, KeyedRead):
        tables = [body.table]
    elif isinstance(body, Query):
        tables = [use.table for use in body.relations if isinstance(use, RelationUse)]
    else:
        return []
    return [t.oid for table in tables for t in (table, *descendants(catalog, table))]
