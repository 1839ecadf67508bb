"""Joins that are look-ups: each table's rows are found by a key that the rows before them and the parameters make up.

    SELECT c.name, o.total FROM orders o JOIN customers c ON c.id = o.customer WHERE o.id = $1

        orders     points ($1)              one row
        customers  points (o.customer)      one row for each

What an application asks most besides single rows. DuckDB has the right answer, after milliseconds; here the order of the
look-ups is found out once (inner joins in whatever order their keys allow, then LEFT JOINs, each from what its ON says), and
the executor walks it where it turns out to be short. Everything that WHERE and the inner ONs ask is one pool of conjuncts:
those that make keys are used up, any other is asked as soon as all that it names is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from planner import types as t
from planner.abc import Const, JoinStep, KeyedJoin, Lookup, Range, Table, TypeRef
from planner.binding import ir, keyed
from planner.binding.index_reads import folded, indexed_prefixes, plain_order
from planner.binding.scope import FromStep
from planner.catalog import Catalog

if TYPE_CHECKING:
    from planner.binding.state import Parts

TABLES_MAX: Final = 8
"""More tables are joined by DuckDB."""


class _Way(NamedTuple):
    """How the rows of a table are found; the lower the rank, the fewer are to be expected."""

    rank: int
    lookup: Lookup
    unique: int
    positions: tuple[int, ...]
    """Of an index's columns, if it is one."""
    rest: Sequence[ir.Node]
    """What was asked and is not in the key."""


def keyed_join(catalog: Catalog, steps: Sequence[FromStep], parts: Parts) -> KeyedJoin | None:
    """The look-ups that answer a SELECT from these tables; None if keys do not lead from one to the next."""
    tables = [s.relation.table for s in steps]
    if not 2 <= len(steps) <= TABLES_MAX or any(x is None or x.oid in catalog.columnar for x in tables):
        return None
    targets, where = [x.node for x in parts.targets], parts.where
    if parts.grouped:
        if parts.folded is None or parts.limit is not None:
            return None
        targets, where = parts.folded
    pool = [c for n in (where, *(n for s in steps if not s.outer for n in s.on)) for c in keyed.conjuncts(n)]
    if any(_is_volatile(n) for n in (*pool, *(n for s in steps for n in s.on))):
        return None
    try:
        order = _Order(catalog, pool)
        order.place(list(steps))
        if parts.grouped:
            made = folded(targets, order.offsets, Const(1, TypeRef(t.INT4)))
            if made is None:
                return None
            return KeyedJoin(tuple(order.made), made.outputs, folds=made.folds, after=made.after)
        outputs = tuple(keyed.expression(n, order.offsets) for n in targets)
        limit = keyed.expression(parts.limit, {}) if parts.limit is not None else None
    except keyed.NotKeyed:
        return None
    sort = plain_order(parts.order, order.offsets)
    return KeyedJoin(tuple(order.made), outputs, limit, order=sort) if outputs and sort is not None else None


def joined_steps(
    left: tuple[FromStep, ...], right: tuple[FromStep, ...], side: str, on: tuple[ir.Node, ...]
) -> tuple[FromStep, ...]:
    """A join as steps one after another; none if it is not one of these."""
    if not left or not right or side not in ("", "LEFT") or (side == "LEFT" and len(right) > 1):
        return ()
    last = right[-1]
    if side == "LEFT":
        return (*left, FromStep(last.relation, on, outer=True))
    if last.outer:  # what the inner ON asks is asked of the pool; any inner step may bring it there
        first = right[0]
        return (*left, FromStep(first.relation, (*first.on, *on)), *right[1:])
    return (*left, *right[:-1], FromStep(last.relation, (*last.on, *on)))


def _is_volatile(node: ir.Node) -> bool:
    return any(isinstance(n, ir.Call) and n.volatile for n in ir.walk(node))


def _named(node: ir.Node) -> set[int]:
    """The relations that an expression looks at."""
    return {n.relation for n in ir.walk(node) if isinstance(n, ir.Var)}


class _Order:
    """The steps so far, and what is left to be asked."""

    def __init__(self, catalog: Catalog, pool: list[ir.Node]) -> None:
        self._catalog = catalog
        self._pool = pool
        self.offsets: dict[int, int] = {}
        """Relation number -> where its columns begin in the joined row."""
        self._width = 0
        self.made: list[JoinStep] = []

    def place(self, waiting: list[FromStep]) -> None:
        """Raises NotKeyed if some table cannot be reached, or something asked cannot be computed."""
        while waiting:
            best: tuple[_Way, FromStep] | None = None
            for step in waiting:
                if step.outer:
                    continue
                way = self._way(step, self._ready(step.relation.number))
                if way is not None and (best is None or way.rank < best[0].rank):
                    best = way, step
            if best is None:
                best = self._outer(waiting)
            if best is None:
                raise keyed.NotKeyed("no key leads to a table")
            waiting.remove(best[1])
            self._add(*best)
        if self._pool:
            raise keyed.NotKeyed("asked of no table")

    def _ready(self, number: int) -> list[ir.Node]:
        """What can be asked once relation `number` is there."""
        there = {*self.offsets, number}
        return [c for c in self._pool if _named(c) <= there]

    def _outer(self, waiting: Iterable[FromStep]) -> tuple[_Way, FromStep] | None:
        """The first LEFT JOIN whose ON looks at nothing that is yet to come."""
        if not self.made:
            return None
        for step in waiting:
            asked = [c for n in step.on for c in keyed.conjuncts(n)]
            there = {*self.offsets, step.relation.number}
            if step.outer and all(_named(c) <= there for c in asked):
                way = self._way(step, asked)
                if way is not None:
                    return way, step
        return None

    def _add(self, way: _Way, step: FromStep) -> None:
        table, number = step.relation.table, step.relation.number
        assert table is not None
        self.offsets[number] = self._width
        self._width += len(table.columns)
        condition, passes = keyed.condition(way.rest, self.offsets), None
        there = set(self.offsets)
        ready = [c for c in self._pool if _named(c) <= there]
        if step.outer:
            passes = keyed.condition(ready, self.offsets)
        gone = {id(c) for c in ready}
        self._pool = [c for c in self._pool if id(c) not in gone]
        self.made.append(
            JoinStep(table, way.lookup, condition, way.unique, way.positions, step.outer, passes)
        )

    def _way(self, step: FromStep, asked: list[ir.Node]) -> _Way | None:
        table, number = step.relation.table, step.relation.number
        assert table is not None
        if not asked:
            return None
        where = asked[0] if len(asked) == 1 else ir.Logic(TypeRef(t.BOOL), "and", tuple(asked))
        single = self._points(table, number, where)
        if single is not None:
            return single
        by_index = self._by_index(table, number, where)
        by_range = self._by_range(table, number, where)
        if by_index is None or by_range is None:
            return by_index or by_range
        assert isinstance(by_range.lookup, Range)
        return by_index if len(by_index.positions) > len(by_range.lookup.prefix) else by_range

    def _points(self, table: Table, number: int, where: ir.Node) -> _Way | None:
        """One key of the primary key or of a UNIQUE constraint, or several of the first table."""
        several: _Way | None = None
        for oid, key in unique_keys(table):
            try:
                points, rest = keyed.find_points(table, number, where, key, self.offsets)
            except keyed.NotKeyed:
                continue
            if len(points.keys) == 1:
                return _Way(0, points, oid, (), rest)
            if not self.made and several is None:
                several = _Way(1, points, oid, (), rest)
        return several

    def _by_index(self, table: Table, number: int, where: ir.Node) -> _Way | None:
        if not table.key_indexes:
            return None
        for positions in indexed_prefixes(self._catalog, table):
            try:
                points, rest = keyed.find_points(table, number, where, positions, self.offsets)
            except keyed.NotKeyed:
                continue
            if len(points.keys) == 1:
                return _Way(2, points, 0, positions, rest)
        return None

    def _by_range(self, table: Table, number: int, where: ir.Node) -> _Way | None:
        try:
            found, rest = keyed.find_range(table, number, where, self.offsets)
        except keyed.NotKeyed:
            return None
        if found.prefix:
            return _Way(3, found, 0, (), rest)
        if self.made or found.low is None or found.high is None:
            return None
        return _Way(4, found, 0, (), rest)


def unique_keys(table: Table) -> Iterable[tuple[int, tuple[int, ...]]]:
    """(oid of the constraint, 0 for the primary key; where its columns are) of the keys that name one row at most."""
    if table.key_indexes:
        yield 0, tuple(table.key_indexes)
    for c in table.constraints:
        if (
            c.kind == "u" and not c.nulls_not_distinct and not c.deferrable
        ):  # that one may be broken for a while
            yield c.oid, tuple(table.index_of(a) for a in c.columns)


__all__ = ["joined_steps", "keyed_join", "unique_keys"]
