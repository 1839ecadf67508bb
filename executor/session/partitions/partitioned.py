"""Writing to a partitioned table: each row to its leaf, as if the statement had been of the leaf.

    INSERT   rows of the table's shape ── key columns ── Router ──> rows of each leaf, in its shape ──> bulk.insert
    UPDATE   (_rid, new row, _leaf)   stays in its leaf  ──> bulk_changes.update
                                      moves to another   ──> bulk_changes.delete there, bulk.insert here
    DELETE   (_rid, _leaf)            ──> bulk_changes.delete
    RETURNING                         what the leaves have written, in the table's shape again, in the order of the rows

Row ids are unique in an environment, so FROM's and USING's columns still find their rows. Statement triggers are the named table's,
row triggers the leaves'. The statement has a savepoint around it (`writing`): if one leaf's rows are newer than its snapshot,
what others have been given is undone, and it begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from executor.abc import ExecutionError
from executor.columnar.rows import batch_rows, canonical_array
from executor.constraints.rules import tell_row
from executor.keyed.write import Change
from executor.session import bulk, bulk_changes, queries, restricted
from executor.session.blocks.block import Block
from executor.session.copying import staging
from executor.session.locks import definition_locks
from executor.session.partitions import leaving
from executor.session.partitions.placing import leaf_of
from executor.session.partitions.rows_of_leaves import of_leaf, set_by
from executor.session.references import at_work as references
from executor.session.returned import Written, versions
from executor.triggers import firing, triggered
from planner import dealing, triggers
from planner import types as t
from planner.abc import Constraint, DeleteQuery, MergeQuery, OnConflict, SqlError, Table, UpdateQuery
from planner.catalog.foreign_objects import unreachable
from planner.inheritance import spreads
from planner.partitioning import Router, deciding, router
from planner.relations import VIEW_CHECK, GuardedTable
from storage.abc import Datum, Row
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.session import Session

LEAF = "_leaf"
Piece = tuple[Table, np.ndarray[Any, Any]]
"""A leaf, and which of the rows are its."""


def homes_of(
    body: UpdateQuery | DeleteQuery | MergeQuery, found: pa.Table
) -> tuple[pa.Table, pa.ChunkedArray | None]:
    """What a statement's query has found, and the leaf of each row where the table has some."""
    if not spreads(body.table, body.only):
        return found, None
    return found.drop_columns([LEAF]), found.column(LEAF)


def dealt(session: Session, table: Table, rows: pa.Table, first: int = 0) -> list[Piece]:
    """Rows by leaves. `first`: the column in which they begin. Raises 23514, 55000."""
    way = router(session.catalog, table)
    places = sorted(way.all_places())
    if not rows.num_rows:
        return []
    types = [table.columns[i].type for i in places]
    _of_this_part(session, table, rows, first)
    keys = [canonical_array(rows.column(i + first), ref) for i, ref in zip(places, types, strict=True)]
    columns = dict(zip(places, keys, strict=True))
    found, which = dealing.leaves(way, columns)
    if lost := [n for n, to in enumerate(found) if isinstance(to, Router)]:
        at = int(np.flatnonzero(np.isin(which, lost))[0])
        datums = [t.to_datums(key.slice(at, 1), ref)[0] for key, ref in zip(keys, types, strict=True)]
        row = dict(zip(places, datums, strict=True))
        leaf_of(session, way, row, told=not restricted.restricts(session, table))  # says which, and why
    first_of = {int(n): int(at) for n, at in zip(*np.unique(which, return_index=True), strict=True)}
    in_order = sorted(first_of, key=first_of.__getitem__)
    for to in (found[n] for n in in_order):
        if isinstance(to, Table) and to.foreign is not None:
            raise unreachable(session.catalog, to)
    return [(to, np.flatnonzero(which == n)) for n in in_order if isinstance(to := found[n], Table)]


async def in_turn(
    session: Session, table: Table, rows: pa.Table | None, homes: pa.ChunkedArray | None = None
) -> bool:
    """While somebody defines tables anew: waits for those who do so with a leaf that full rows come to, or that others are in
    (`homes`). Whether it has waited: the leaves may be others by now. Raises DeadlockDetected, LockNotAvailable."""
    if not session.executor.defining:
        return False
    oids = set() if homes is None else set(homes.unique().to_pylist())
    if table.partitioning is not None and rows is not None:
        oids.update(leaf.oid for leaf, _ in dealt(session, table, rows))
    return await definition_locks.behind_of(session, *oids)


def _of_this_part(session: Session, table: Table, rows: pa.Table, first: int) -> None:
    """Raises 23514, of the table that is named, where it is a partition itself and a row is another's."""
    if table.partition is None:
        return
    types = [c.type for c in table.columns]
    at = dealing.first_outside(table, lambda i: canonical_array(rows.column(i + first), types[i]))
    if at is not None:
        row = rows.slice(at, 1).select(range(first, first + len(types)))
        session.rules(table).check(batch_rows(row, types)[0], session)


def _in_order(pieces: list[Piece]) -> list[Piece]:
    """The same as stretches of rows that follow each other."""
    which = np.empty(sum(len(at) for _, at in pieces), np.int64)
    for n, (_, at) in enumerate(pieces):
        which[at] = n
    ends = np.flatnonzero(np.diff(which)) + 1
    return [(pieces[int(which[run[0]])][0], run) for run in np.split(np.arange(len(which)), ends) if len(run)]


_forms: dict[tuple[int, int, int], tuple[Table, GuardedTable]] = {}
"""By view, table and leaf: the form of the table, and the leaf's. One for all statements, so that its rules are compiled once."""
_FORMS_MAX: Final = 1_024


def _written_as(table: Table, leaf: Table, *, moved: bool = False) -> Table:
    """The leaf as it is written through the table: with what views and policies ask of the table's rows.

    `moved`: rows are inserted that an UPDATE has brought, of which is asked what it is asked of.
    """
    if leaf.oid == table.oid:  # a parent's own rows
        return table
    if not isinstance(table, GuardedTable):
        return leaf
    form: Table = leaf
    if asked := tuple(c for c in table.constraints if c.kind == VIEW_CHECK):
        key = table.view_oid, table.oid, leaf.oid
        known = _forms.get(key)
        view = table.form or table
        if known is None or known[0] is not view or known[1].base is not leaf:
            if len(_forms) >= _FORMS_MAX:
                _forms.clear()
            said = {f.name: getattr(leaf, f.name) for f in fields(Table)}
            said["constraints"] = (*leaf.constraints, *asked)
            known = _forms[key] = view, GuardedTable(**said, base=leaf, view_oid=table.view_oid)
        form = known[1]
    checks = table.row_checks
    if checks is None:
        return form
    said = {f.name: getattr(form, f.name) for f in fields(Table)}
    return GuardedTable(
        **said,
        base=leaf,
        view_oid=table.view_oid if form is not leaf else 0,
        form=form,
        row_checks=replace(checks, inserted=checks.updated) if moved else checks,
        through=table,
    )


@contextmanager
def _through(
    block: Block, table: Table, leaf: Table, fired: firing.Statement | None, event: int | None = None
) -> Iterator[None]:
    """While rows of a statement go to a leaf that it has not named: no statement triggers of the leaf fire, and those of the
    table that is named may have all rows shown. `event`: as for `firing.Statement.above`."""
    above = fired.above(block, table, leaf, event) if fired is not None else None
    around, block.routed = block.routed, {**block.routed, leaf.oid: above}
    try:
        yield
    finally:
        block.routed = around


@contextmanager
def postponing(block: Block, *tables: Table) -> Iterator[list[Any]]:
    """While a statement writes to leaves, or tables in several steps: foreign keys are looked at when it has written all (`heed`)."""
    around, block.postponed = (block.postponed, block.stepped), []
    block.stepped = frozenset(table.oid for table in tables)
    try:
        yield block.postponed
    finally:
        block.postponed, block.stepped = around


async def heed(session: Session, block: Block, postponed: Sequence[tuple[Table, Any]]) -> None:
    """What foreign keys say of what was written meanwhile. Raises as `references.enforce`."""
    for leaf, written in postponed:
        if isinstance(written, pa.Table):
            await references.after_bulk(session, block, leaf, written)
        else:
            await references.enforce(session, block, leaf, written)


@contextmanager
def _told_as(table: Table, leaf: Table) -> Iterator[None]:
    """Errors about a row of a child or a partition tell what the table that was named has of it."""
    try:
        yield
    except SqlError as error:
        told = error.told.relation_oid if error.told is not None and error.row is not None else 0
        if leaf.oid != table.oid and told == leaf.oid:
            assert error.row is not None
            places = {c.name: i for i, c in enumerate(leaf.columns)}
            row = tuple(error.row[places[c.name]] if c.name in places else None for c in table.columns)
            tell_row(error, table, row)
        raise


def _shown(table: Table, leaf: Table, written: pa.Table) -> pa.Table:
    """What a leaf has written, as rows of the table."""
    by_name = {c.name: f"c{c.attnum}" for c in leaf.columns}
    beside = written.column_names[len(leaf.columns) :]
    many = written.num_rows
    cells = [
        written.column(by_name[c.name])
        if c.name in by_name
        else pa.chunked_array([pa.nulls(many, t.arrow_type(c.type))])  # of a parent's own unique index
        for c in table.columns
    ]
    names = [*(f"c{c.attnum}" for c in table.columns), *beside]
    rows = pa.table([*cells, *(written.column(name) for name in beside)], names=names)
    return rows.append_column(LEAF, pa.array(np.full(rows.num_rows, leaf.oid, np.int64)))


class _Made:
    """What a statement has written, leaf by leaf, and of which of the rows that it found."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rows: list[pa.Table] = []
        self._order: list[np.ndarray[Any, Any]] = []
        self._count = 0

    def add(self, leaf: Table, at: np.ndarray[Any, Any], written: pa.Table, count: int) -> None:
        self._rows.append(_shown(self._table, leaf, written))
        self._order.append(at)
        self._count += count

    def count(self, count: int) -> None:
        """Of rows that nobody wants to see."""
        self._count += count

    def together(self) -> Written:
        """RETURNING's rows of all leaves, in the order in which the statement found them."""
        if not self._rows:
            none = staging.written_rows(self._table, ())
            none = versions(none, none.column("_rid"), False)
            return none.append_column(LEAF, pa.array([], pa.int64())), self._count
        rows = pa.concat_tables(self._rows)
        at = np.concatenate(self._order)
        if len(at) != rows.num_rows:  # some were left alone
            return rows, self._count
        return rows.take(pa.array(np.argsort(at, kind="stable"))), self._count


async def insert(
    session: Session,
    block: Block,
    table: Table,
    rows: pa.Table,
    on_conflict: OnConflict | None,
    params: Sequence[Datum] = (),
    given: Mapping[str, queries.Given] | None = None,
    *,
    began: int = 0,
) -> Written:
    """As `bulk.insert`."""
    fired = bulk.inserting(session, block, table, on_conflict)
    columns = triggered.assigned(table, on_conflict)
    updates = on_conflict is not None and on_conflict.updates
    if fired is not None:
        await fired.begin(triggers.INSERT)
        if updates:
            await fired.begin(triggers.UPDATE, columns)
    made = _Made(table)
    pieces = dealt(session, table, rows)
    if any(
        firing.asked(session, leaf) or any(x.bits & triggers.ROW for x in leaf.triggers) for leaf, _ in pieces
    ):
        pieces = _in_order(pieces)  # triggers fire for one row after the other
    began = began or session.executor.env.rids.next()
    with postponing(block) as postponed:
        for leaf, at in pieces:
            part = await of_leaf(session, block, table, leaf, rows.take(pa.array(at)))
            conflict = _conflict(table, leaf, on_conflict)
            with _through(block, table, leaf, fired), _told_as(table, leaf):
                target = _written_as(table, leaf)
                written, count = await bulk.insert(
                    session, block, target, part, conflict, params, given, began=began
                )
            made.add(leaf, at, written, count)
    await heed(session, block, postponed)
    if fired is not None:
        if updates:
            await fired.end(triggers.UPDATE)
        await fired.end(triggers.INSERT)
    return made.together()


def _conflict(table: Table, leaf: Table, said: OnConflict | None) -> OnConflict | None:
    """ON CONFLICT in the leaf's words."""
    if said is None:
        return None
    constraint: Constraint | None = None
    if said.constraint is not None:
        constraint = _part_of(table, leaf, said.constraint)
        if constraint is None:
            raise ExecutionError(
                "0A000", f'ON CONFLICT is not supported where partition "{leaf.name}" lacks its index'
            )
    if said.updates and [c.name for c in table.columns] != [c.name for c in leaf.columns]:
        sets = said.assigned if said.assignments is None else tuple(i for i, _ in said.assignments)
        return OnConflict(constraint, None, assigned=set_by(table, leaf, sets), above=(table, said))
    return replace(said, constraint=constraint)


def _part_of(table: Table, leaf: Table, constraint: Constraint) -> Constraint | None:
    """The leaf's key that is a part of the table's."""
    names = {c.attnum: c.name for c in table.columns}
    mine = {c.attnum: c.name for c in leaf.columns}
    wanted = [names[n] for n in constraint.columns]
    return next(
        (c for c in leaf.constraints if c.kind in "pu" and [mine[n] for n in c.columns] == wanted), None
    )


async def update(
    session: Session, block: Block, body: UpdateQuery, rows: pa.Table, homes: pa.ChunkedArray
) -> Written:
    """As `bulk_changes.update`; rows whose key says so move."""
    table = body.table
    fired = firing.statement(session, block, table, triggers.UPDATE, body.assigned)
    if fired is not None:
        await fired.begin(triggers.UPDATE, body.assigned)
    first = _first_places(rows.column(0))
    if len(first) < rows.num_rows:  # a join found some of them more than once
        rows, homes = rows.take(pa.array(first)), homes.take(pa.array(first))
    made = _Made(table)
    decides = table.partitioning is not None and not deciding(session.catalog, table).isdisjoint(
        body.assigned
    )
    moved: list[np.ndarray[Any, Any]] = []
    old = np.asarray(homes.to_numpy(), np.int64)
    target = old.copy()
    sources = {oid: session.catalog.table(oid) for oid in dict.fromkeys(old.tolist())}
    asked: dict[int, leaving.Leaving] = {}
    dealt_out: list[Piece] = []
    if table.partitioning is not None:  # triggers may set its key, whatever the statement sets
        for oid, leaf in sources.items():
            with _through(block, table, leaf, fired, triggers.UPDATE):
                if leaving.decides(session, block, leaf, set_by(table, leaf, body.assigned)):
                    asked[oid] = leaving.Leaving(session, block, table, leaf)
    if decides:
        known = np.flatnonzero(~np.isin(old, list(asked)))
        dealt_out = [(leaf, known[at]) for leaf, at in dealt(session, table, rows.take(pa.array(known)), 1)]
    for leaf, at in dealt_out:
        target[at] = leaf.oid
    left: list[tuple[Table, Sequence[Change]]] = []
    with postponing(block) as postponed:
        for oid, leaf in sources.items():
            at = np.flatnonzero((old == oid) & (target == oid))
            if len(at):
                part = await of_leaf(session, block, table, leaf, rows.take(pa.array(at)), 1)
                assigned = set_by(table, leaf, body.assigned)
                goes = asked.get(oid)
                with _through(block, table, leaf, fired, triggers.UPDATE), _told_as(table, leaf):
                    mine = replace(body, table=_written_as(table, leaf), assigned=assigned)
                    written, count = await bulk_changes.update(session, block, mine, part, goes)
                if goes is not None:
                    at = at[~np.isin(part.column(0).to_numpy(), goes.rids)]
                    left.append((leaf, goes.changes))
                made.add(leaf, at, written, count)
            gone = np.flatnonzero((old == oid) & (target != oid))
            if len(gone):
                before = len(postponed)
                with _through(block, table, leaf, fired, triggers.UPDATE):
                    part = rows.select([0]).take(pa.array(gone))
                    deleted, count = await bulk_changes.delete(
                        session, block, DeleteQuery(leaf, body.query), part
                    )
                if count < len(
                    gone
                ):  # a trigger has kept the others where they are: they are not updated at all
                    gone = gone[np.isin(part.column(0).to_numpy(), deleted.column("_rid").to_numpy())]
                left += postponed[before:]
                del postponed[before:]
                moved.append(gone)
        away = np.concatenate(moved) if moved else np.empty(0, np.int64)
        moving = [(leaf, np.intersect1d(among, away)) for leaf, among in dealt_out]
        arrivals = [(leaf, at, rows.take(pa.array(at))) for leaf, at in moving if len(at)]
        for goes in asked.values():
            for leaf, part in goes.pieces():
                at = np.flatnonzero(np.isin(rows.column(0).to_numpy(), part.column(0).to_numpy()))
                arrivals.append((leaf, at, part))
        arrived: dict[int, Row] = {}
        for leaf, at, part in arrivals:
            new = (await of_leaf(session, block, table, leaf, part, 1)).remove_column(0)
            with _through(block, table, leaf, fired, triggers.UPDATE), _told_as(table, leaf):
                target_form = _written_as(table, leaf, moved=True)
                written, count = await bulk.insert(session, block, target_form, new, None)
            if written.num_rows == len(at):  # FROM's columns are known by the row that was found
                written = written.set_column(written.column_names.index("_rid"), "_rid", part.column(0))
            made.add(leaf, at, written, count)
            if left and leaf.referenced_by:
                arrived.update(_arrived(table, leaf, written, part))
    await heed(session, block, postponed)
    for leaf, changes in left:
        await references.moved(session, block, table, leaf, changes, _changed(table, leaf, changes, arrived))
    if fired is not None:
        await fired.end(triggers.UPDATE)
    return made.together()


def _arrived(table: Table, leaf: Table, written: pa.Table, found: pa.Table) -> dict[int, Row]:
    """What rows that moved have become, as rows of the table, by the ids that they had. Raises 0A000."""
    if written.num_rows != found.num_rows:
        raise ExecutionError(
            "0A000", "rows that are referred to and that a trigger keeps from moving are not supported"
        )
    shown = _shown(table, leaf, written)
    rows = batch_rows(shown.select(range(len(table.columns))), [c.type for c in table.columns])
    return dict(zip(found.column(0).to_pylist(), rows, strict=True))


def _changed(table: Table, leaf: Table, left: Sequence[Change], arrived: Mapping[int, Row]) -> list[Change]:
    """What a leaf's rows were and have become elsewhere, as changes of the table's rows."""
    places = {c.name: i for i, c in enumerate(leaf.columns)}
    order = [places.get(c.name) for c in table.columns]
    return [
        (None, rid, tuple(None if i is None else old[i] for i in order), None, arrived.get(rid))
        for _, rid, old, _, _ in left
        if old is not None
    ]


def _first_places(rids: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """Where each row id comes first, in order."""
    _, first = np.unique(rids.to_numpy(), return_index=True)
    return np.sort(first)


async def delete(
    session: Session, block: Block, body: DeleteQuery, rows: pa.Table, homes: pa.ChunkedArray
) -> Written:
    """As `bulk_changes.delete`."""
    table = body.table
    fired = firing.statement(session, block, table, triggers.DELETE)
    if fired is not None:
        await fired.begin(triggers.DELETE)
    made = _Made(table)
    with postponing(block) as postponed:
        for leaf, at in _by_home(session, homes):
            part = rows.select([0]).take(pa.array(at))
            with _through(block, table, leaf, fired, triggers.DELETE):
                written, count = await bulk_changes.delete(session, block, replace(body, table=leaf), part)
            if body.returning is not None:
                made.add(leaf, at, written, count)
            else:
                made.count(count)
    await heed(session, block, postponed)
    if fired is not None:
        await fired.end(triggers.DELETE)
    return made.together()


def _by_home(session: Session, homes: pa.ChunkedArray) -> list[Piece]:
    ids = np.asarray(homes.to_numpy(), np.int64)
    return [(session.catalog.table(oid), np.flatnonzero(ids == oid)) for oid in dict.fromkeys(ids.tolist())]


async def lock_rids(
    session: Session,
    block: Block,
    rids: pa.ChunkedArray,
    homes: pa.ChunkedArray,
    mode: LockMode = LockMode.UPDATE,
) -> None:
    """As `bulk_changes.lock_rids`."""
    for leaf, at in _by_home(session, homes):
        await bulk.hydrated(block, leaf)
        await bulk_changes.lock_rids(session, block, leaf, rids.take(pa.array(at)), mode)


def not_gone(
    session: Session, found: pa.Table, homes: pa.ChunkedArray, still: Callable[[Table, pa.Table], pa.Table]
) -> tuple[pa.Table, pa.ChunkedArray]:
    """Rows that no earlier part of the statement has written."""
    kept: set[int] = set()
    for leaf, at in _by_home(session, homes):
        kept.update(still(leaf, found.take(pa.array(at))).column(0).to_pylist())
    mask = pc.is_in(found.column(0), value_set=pa.array(sorted(kept), pa.int64()))
    return found.filter(mask), homes.filter(mask)


__all__ = [
    "dealt", "delete", "heed", "homes_of", "insert", "lock_rids", "not_gone", "postponing", "update",
]  # fmt: skip
