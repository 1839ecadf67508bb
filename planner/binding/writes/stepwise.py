"""Statements that make their rows one by one, because a function looks at the table that they write (`routines.onlookers`).

    INSERT INTO t SELECT a, f(a) FROM s       query   SELECT a AS c0 FROM s                    all rows, before any is written
                                              row     SELECT c0, f(c0) FROM step               for each of them
    UPDATE t SET n = f(m) ... RETURNING g()   query   SELECT _rid, id AS z0, m AS z1 FROM t ...
                                              row     SELECT z0, f(z1) FROM step, written; then RETURNING over that row

What the functions are given is computed beforehand: the statement itself sees the tables as they were when it began, and so do subqueries of
the row's text, which are read before (`executor.session.writing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import Slot, Step, Stepwise, Table, TypeRef
from planner.binding import ir, late_targets
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.expressions import as_column
from planner.binding.routines.onlookers import is_called
from planner.binding.state import BoundQuery, Target
from planner.binding.writes.common_writes import are_alike

if TYPE_CHECKING:
    from planner.binding.writes.written_rows import WrittenRows

STEP: Final = "step"
"""The slot of the row that is to be made into one of the table's."""


def may_step(binder: WrittenRows) -> bool:
    """Whether the statement writes rows of a table itself."""
    return binder.instead is None and not binder.for_rules


def looks(binder: WrittenRows, nodes: Iterable[ir.Node]) -> bool:
    return may_step(binder) and any(is_called(binder.queries, n) for n in nodes)


def is_returned(binder: WrittenRows, returning: Sequence[Target] | None) -> bool:
    """Whether RETURNING looks."""
    return returning is not None and looks(binder, (x.node for x in returning))


@dataclass(slots=True)
class Found:
    """What rows are made of: the columns of a relation that stands for the slot."""

    relation: int = 0
    types: tuple[TypeRef, ...] = ()
    alike: bool = True
    """Whether the keyed engine can take them as they are."""


NOTHING: Final = Found()


def row(
    binder: WrittenRows,
    table: Table,
    nodes: Sequence[ir.Node],
    found: Found = NOTHING,
    where: ir.Node | None = None,
) -> Callable[[], Step]:
    """What makes a row of the table, to be finished when all is bound. `where` is asked of what it is made of."""
    text = sql("SELECT ", join(", ", binder.row_items(table, nodes)), *_of_slot(binder, found, where))
    text = binder.completed(table, nodes, text)
    return lambda: _step(
        binder, text, found, where, [(n, column.type) for n, column in zip(nodes, table.columns, strict=True)]
    )


def test(binder: WrittenRows, found: Found, where: ir.Node | None) -> Callable[[], Step]:
    """The same of a row that is not made anew."""
    text = sql("SELECT true AS found", *_of_slot(binder, found, where))
    return lambda: _step(binder, text, found, where, ())


def _of_slot(binder: WrittenRows, found: Found, where: ir.Node | None) -> Sequence[Item]:
    source: tuple[Item, ...] = (
        (" FROM ", Slot(STEP), f" AS r{found.relation}") if found is not NOTHING else ()
    )
    return source if where is None else (*source, " WHERE ", binder.queries.emitter.frag(where))


def _step(
    binder: WrittenRows,
    text: Frag,
    found: Found,
    where: ir.Node | None,
    row: Sequence[tuple[ir.Node, TypeRef]],
) -> Step:
    query = binder.queries.finished(binder.with_queries(text))
    asked = [
        n for value in (*(n for n, _ in row), *([where] if where is not None else [])) for n in ir.walk(value)
    ]
    # Python's functions begin anew with each value that they have asked for, so whatever else varies would vary on the way.
    if not found.alike or any(
        ir.is_volatile(n) and not (isinstance(n, ir.Call) and n.op == ir.RUN) for n in asked
    ):
        return Step(query, found.types, asks=where is not None)
    offsets = keyed.WithRoutines({found.relation: 0})
    try:
        outputs = tuple(as_column(keyed.expression(n, offsets), n.type, ref) for n, ref in row)
        tested = None if where is None else keyed.expression(where, offsets)
    except keyed.NotKeyed:
        return Step(query, found.types, asks=where is not None)
    return Step(query, found.types, outputs, tested, where is not None)


class Below:
    """What the rows of an UPDATE or DELETE are made of, and what is left to ask of them: columns z0, z1, ... of the query's text."""

    def __init__(self, binder: WrittenRows, relations: set[int], nodes: Sequence[ir.Node]) -> None:
        self._below = late_targets.Below(relations, steady=True)
        for n in nodes:
            self._below.gather(n, whole=False)
        values = self._below.nodes or [ir.Lit(TypeRef(t.BOOL), True)]  # a relation has columns
        queries = binder.queries
        frags = [queries.emitter.frag(n) for n in values]
        self.items = [sql(frag, f" AS z{i}") for i, frag in enumerate(frags)]
        number = queries.next_relation()
        queries.declare(number, [EmittedColumn(f"z{i}", frag.form) for i, frag in enumerate(frags)])
        types = [n.type for n in values]
        self.found = Found(number, tuple(types), are_alike(types, [f.form for f in frags]))

    def of(self, node: ir.Node) -> ir.Node:
        return self._below.seen_from_above(node, self.found.relation)


def in_steps(binder: WrittenRows, bound: BoundQuery, relation: int) -> tuple[BoundQuery, Found]:
    """The query as one whose rows are handed over one by one, as rows of a relation that is known already."""
    types = [c.type for c in bound.columns] if bound.apart is None else bound.apart.types
    if bound.apart is None:
        bound = binder.queries.in_column_forms(bound)
        binder.queries.declare(relation, [EmittedColumn(f"c{i}", f) for i, f in enumerate(bound.forms)])
    return bound, Found(relation, tuple(types), are_alike(types, bound.forms))


def stepwise(steps: Iterable[Callable[[], Step]]) -> Stepwise:
    return Stepwise(tuple(make() for make in steps))


__all__ = ["STEP", "Below", "in_steps", "is_returned", "looks", "may_step", "row", "stepwise", "test"]
