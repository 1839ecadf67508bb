"""The order of look-ups: which table's rows are found next, and by what, given the rows that are at hand.

    pool      c.id = o.customer, o.id = $1, o.total > 5           what WHERE and the inner ONs ask
    orders    points ($1)           rank 0     uses up o.id = $1, then asks o.total > 5
    customers points (o.customer)   rank 0     uses up c.id = o.customer

Of the tables that could be next the one with the best way is taken (one row at most before some, a key before a range). A conjunct
that makes a key is used up, any other is asked as soon as all that it names is there. What there is no way to is outside of what
the keyed engine does (`NotKeyed`), unless the table is small enough to be read whole.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planner.abc import (
    Expr,
    Handed,
    JoinStep,
    KeyedJoin,
    Lookup,
    Points,
    Produced,
    Range,
    Table,
)
from planner.binding import ir
from planner.binding.keyed import calls as keyed_calls
from planner.binding.keyed import catalog as keyed_catalog
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed import index_expressions, key_conditions, walked_joins, whole_tables
from planner.binding.keyed.endings import WINDOWS
from planner.binding.keyed.index_reads import index_range, keys_asked_of
from planner.binding.keyed.narrowing import PUSHED, equalities
from planner.binding.keyed.selects import narrowed_alike, recursed
from planner.binding.scope import FromStep
from planner.catalog import Catalog
from planner.catalog.system.found import KNOWN
from planner.keyed_plans import Either, Iterated, Recursed, Spread, SystemRows, Way, Whole
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.state import Parts
TABLES_MAX: Final = 8
"""More relations are joined by DuckDB."""
ALTERNATIVES_MAX: Final = 16
"""More of an OR are looked through by DuckDB."""
BY_INDEX: Final = 2
BY_RANGE: Final = 4
"""Ranks of ways to rows by a key of an index or a part of the primary key, and by ranges."""
SPREAD: Final = -12
"""What functions among the targets return, as a relation."""


class RankedWay(NamedTuple):
    """How the rows of a table are found; the lower the rank, the fewer are to be expected."""

    rank: int
    lookup: Lookup | Either | Whole | Produced | Recursed | Iterated | Handed | SystemRows | Spread
    unique: int
    positions: tuple[int, ...]
    """Of an index's columns, if it is one."""
    rest: Sequence[ir.Node]
    """What was asked and is not in the key."""


def named_relations(*nodes: ir.Node) -> set[int]:
    """The relations that expressions look at."""
    found = [n for node in nodes for n in ir.walk(node)]
    own = {n.relation for n in found if isinstance(n, ir.SubQuery)}
    return {n.relation for n in found if isinstance(n, ir.Var)} - own - keyed.ELEMENT.keys()


class Order:
    """The steps so far, and what is left to be asked."""

    def __init__(
        self,
        catalog: Catalog,
        pool: list[ir.Node],
        given: Mapping[int, int],
        width: int,
        *,
        walked: bool = False,
    ) -> None:
        self._catalog, self._walked = catalog, walked
        self._pool = pool
        self.offsets = keyed.WithQueries(given)
        """Relation number -> where its columns begin in the joined row."""
        self._width = width
        self.made: list[JoinStep] = []
        self.first: tuple[RankedWay, FromStep] | None = None
        self._names: dict[int, tuple[ir.Node, set[int]]] = {}
        self._ways: dict[tuple[Any, ...], tuple[RankedWay | None, list[ir.Node]]] = {}

    def place(self, waiting: list[FromStep], first: FromStep | None = None) -> Expr | None:
        """What is asked before the first look-up. Raises NotKeyed if some table cannot be reached, or something asked
        cannot be computed. `first`: the table to begin with, by an index or a range."""
        before = [c for c in self._pool if self._named(c) <= set(self.offsets)] if not waiting else []
        condition = key_conditions.condition(before, self.offsets)
        if not waiting:
            self._pool = [c for c in self._pool if c not in before]
        while waiting:
            best: tuple[RankedWay, FromStep] | None = None
            for step in waiting if first is None else [first]:
                if step.outer:
                    continue
                way = self._way_again(step, self._ready(step.relation.number))
                if way is not None and (best is None or way.rank < best[0].rank):
                    best = way, step
                    if not way.rank:
                        break
            if best is None:
                best = self._outer(waiting) if first is None else None
            if best is None:
                raise keyed.NotKeyed("no key leads to a table")
            if first is not None and not BY_INDEX <= best[0].rank <= BY_RANGE:
                raise keyed.NotKeyed("no index to begin with")
            waiting.remove(best[1])
            if not self.made:
                self.first = best
            self._add(*best)
            first = None
        if self._pool:
            raise keyed.NotKeyed("asked of no table")
        return condition

    def begin(self, along: walked_joins.Walked) -> None:
        """Places a table whose rows are walked along. Raises NotKeyed."""
        index = along.walk.index
        self._add(
            RankedWay(0, along.walk.within, 0, index, self._ready(along.step.relation.number)), along.step
        )

    def spread(self, parts: Parts) -> Parts:
        """The parts with columns in place of functions that return rows, side by side wherever they are in the targets: what is
        computed of them is, of each row that they make. Raises NotKeyed where something is asked of these rows."""
        lists = dict.fromkeys(
            n for x in parts.targets for n in ir.walk(x.node) if isinstance(n, ir.SetReturning)
        )
        if not lists:
            return parts
        if parts.order or parts.limit or parts.offset or parts.distinct or parts.distinct_on or parts.below:
            raise keyed.NotKeyed("what is asked of rows that functions make")
        if any(map(keyed_calls.is_wide, lists)):
            raise keyed.NotKeyed("records among the targets")
        values = tuple(keyed_catalog.listed(n, lambda x: keyed.expression(x, self.offsets)) for n in lists)
        self.offsets[SPREAD] = self._width
        self._width += len(values)
        self.made.append(JoinStep(None, Spread(values), len(values)))
        columns = {n: ir.Var(n.type, SPREAD, i) for i, n in enumerate(lists)}

        def in_columns(node: ir.Node) -> ir.Node:
            if isinstance(node, ir.SetReturning):
                return columns[node]
            return ir.replace_children(node, in_columns)

        return replace(parts, targets=[replace(x, node=in_columns(x.node)) for x in parts.targets])

    def with_windows(self) -> keyed.WithQueries:
        """The offsets, with what windows come to behind all columns."""
        return keyed.WithQueries({**self.offsets, WINDOWS: self._width})

    def _ready(self, number: int) -> list[ir.Node]:
        """What can be asked once relation `number` is there."""
        there = {*self.offsets, number}
        return [c for c in self._pool if self._named(c) <= there]

    def _named(self, node: ir.Node) -> set[int]:
        """`named_relations` of one of the pool, found out once."""
        known = self._names.get(id(node))
        if known is None:  # with the node, whose id is its own for as long
            known = self._names[id(node)] = node, named_relations(node)
        return known[1]

    def _outer(self, waiting: Iterable[FromStep]) -> tuple[RankedWay, FromStep] | None:
        """The first LEFT JOIN whose ON looks at nothing that is yet to come."""
        if not self.made:
            return None
        for step in waiting:
            asked = [c for n in (*step.guards, *step.on) for c in keyed.conjuncts(n)]
            there = {*self.offsets, step.relation.number}
            if step.outer and all(self._named(c) <= there for c in asked):
                way = self._way(step, asked)
                if way is not None:
                    return way, step
        return None

    def _add(self, way: RankedWay, step: FromStep) -> None:
        table, number = step.relation.table, step.relation.number
        width = len(step.relation.columns)
        if table is not None and not step.handed:
            width = len(table.columns) + step.rid
        self.offsets[number] = self._width
        self._width += width
        condition, passes = key_conditions.condition(way.rest, self.offsets), None
        there = set(self.offsets)
        ready = [c for c in self._pool if self._named(c) <= there]
        if step.outer:
            passes = key_conditions.condition(ready, self.offsets)
        gone = {id(c) for c in ready}
        self._pool = [c for c in self._pool if id(c) not in gone]
        self.made.append(
            JoinStep(
                None if step.handed else table,
                way.lookup,
                width,
                condition,
                way.unique,
                way.positions,
                step.outer,
                passes,
                step.rid,
            )
        )

    def _way_again(self, step: FromStep, asked: list[ir.Node]) -> RankedWay | None:
        """The way to a table's rows, which other tables change only in that more can be asked of them once they are there."""
        if step.relation.table is None or step.handed or step.system is not None or step.spread:
            return self._way(step, asked)
        key = (step.relation.number, bool(self.offsets), *map(id, asked))
        known = self._ways.get(key)
        if known is None:
            known = self._ways[key] = self._way(step, asked), asked
        return known[0]

    def _way(self, step: FromStep, asked: list[ir.Node]) -> RankedWay | None:
        table, number = step.relation.table, step.relation.number
        if step.handed:
            types = tuple(c.type for c in step.relation.columns)
            return RankedWay(1, Handed(step.handed, types), 0, (), asked)
        if step.system is not None:
            return self._of_system(step, step.system, asked)
        if step.spread:
            if not named_relations(*step.spread) <= set(self.offsets):
                return None
            values = tuple(
                keyed_catalog.listed(n, lambda x: keyed.expression(x, self.offsets)) for n in step.spread
            )
            wide = keyed_calls.is_wide(step.spread[0])
            return RankedWay(2, Spread(values, step.numbered, wide), 0, (), asked)
        if table is None:
            return self._produced(step, asked)
        everything = self._everything(table, number, asked)
        where = ir.all_of(asked)
        if where is None:
            return everything
        single = self._points(table, number, where)
        if single is not None:
            return single
        by_index = self._by_index(table, number, where)
        by_range = self._by_range(table, number, where)
        if by_index is None or by_range is None:
            one = by_index or by_range
            if one is None or (isinstance(one.lookup, Range) and not one.lookup.prefix):
                return self._either(table, number, asked) or one or everything
            return one
        assert isinstance(by_range.lookup, Range)
        pinned = by_index.positions
        if isinstance(by_index.lookup, Range):
            pinned = pinned[:-1]
        return by_index if len(pinned) > len(by_range.lookup.prefix) else by_range

    def _everything(self, table: Table, number: int, asked: list[ir.Node]) -> RankedWay | None:
        """All rows: rather of a table of which something is asked, for these lead to few of the others'."""
        if self._walked:
            return RankedWay(9, Range(()), 0, (), asked)
        found = whole_tables.whole(table, number, asked, self.offsets)
        return None if found is None else RankedWay(9 if asked else 10, found[0], 0, (), found[1])

    def _produced(self, step: FromStep, asked: list[ir.Node]) -> RankedWay | None:
        """The rows of queries, once what they name is there."""
        if step.iterated:
            return RankedWay(1, Iterated(step.iterated), 0, (), asked)
        if step.recursion is not None:
            return RankedWay(1, recursed(step.recursion), 0, (), asked)
        if not step.made_of or not named_relations(*step.given_as) <= set(self.offsets):
            return None
        made_of, given_as = step.made_of, step.given_as
        queries: tuple[KeyedJoin, ...] | None = None
        with contextlib.suppress(keyed.NotKeyed):
            queries = tuple(q.plan(step.given, within=True) for q in made_of)
        rank = 1 if queries is None or not whole_tables.read_whole(queries) else 8
        if queries is None or rank == 8:
            wanted = equalities(asked, step.relation.number, self.offsets)
            fewer = narrowed_alike(made_of, step.relation.number, wanted)
            if fewer is None and queries is None:  # yet: it may be once other tables are there
                return None
            if fewer is not None:
                outer = (*step.given, *(ir.Var(x.value.type, PUSHED, i) for i, x in enumerate(fewer[1])))
                with contextlib.suppress(keyed.NotKeyed):
                    queries = tuple(q.plan(outer, within=True) for q in fewer[0])
                    made_of, given_as, rank = fewer[0], (*given_as, *(x.value for x in fewer[1])), 1
        if queries is None:
            return None
        given = tuple(keyed.expression(n, self.offsets) for n in given_as)
        return RankedWay(rank, Produced(made_of[0].number, queries, given), 0, (), asked)

    def _of_system(self, step: FromStep, name: tuple[str, str], asked: list[ir.Node]) -> RankedWay:
        """A system relation's rows, by a column that few have the same value in if one is asked for, by another, or all: rather
        those of a relation of whose names something is asked (`relname LIKE $1`), for these lead to few of the others'."""
        number = step.relation.number
        known = len(step.relation.own_names) + KNOWN
        if any(column >= known for column in step.relation.used):
            raise keyed.NotKeyed("where a row stands among all is known to DuckDB's scan alone")
        read = {n.column for c in asked for n in ir.walk(c) if isinstance(n, ir.Var) and n.relation == number}
        named = any(step.relation.columns[column].name in keyed_catalog.NARROW for column in read)
        best = RankedWay(7 if named else 8, keyed_catalog.rows_of(name), 0, (), asked)
        for c in asked:
            with contextlib.suppress(keyed.NotKeyed):
                found = self._values(c, number)
                if found is None:
                    continue
                column, keys, listed = found
                narrow = step.relation.columns[column].name in keyed_catalog.NARROW
                rank = (1 if narrow else 5) + (len(keys) != 1)
                if rank < best.rank:
                    rest = [x for x in asked if x is not c]
                    best = RankedWay(rank, keyed_catalog.rows_of(name, column, keys, listed), 0, (), rest)
        return best

    def _values(self, node: ir.Node, number: int) -> tuple[int, tuple[Expr, ...], Expr | None] | None:
        """(column, the values that it must have one of, or an array of them), if that is what is asked. Raises NotKeyed."""
        if isinstance(node, ir.AnyAll) and not node.all:
            said = keyed_catalog.member(node)
            column = None if said is None else keyed_catalog.column_of(said, number)
            if column is None or not named_relations(node.array) <= set(self.offsets):
                return None
            listed = keyed_catalog.elements(node.array, lambda n: keyed.expression(n, self.offsets))
            return None if listed is None else (column, (), listed)
        options = node.args if isinstance(node, ir.Logic) and node.op == "or" else (node,)
        keys: list[Expr] = []
        columns: set[int] = set()
        for option in options:
            found = keyed_catalog.equality(option, number)
            if found is None or not named_relations(found[1]) <= set(self.offsets):
                return None
            columns.add(found[0])
            keys.append(keyed.expression(found[1], self.offsets))
        return (columns.pop(), tuple(keys), None) if len(columns) == 1 else None

    def _points(self, table: Table, number: int, where: ir.Node) -> RankedWay | None:
        """One key of the primary key or of a UNIQUE constraint, or several."""
        several: RankedWay | None = None
        asked = key_conditions.mentioned(where, number)
        for oid, key in unique_keys(table):
            if not asked.issuperset(key):
                continue
            for points, rest in self._found(table, number, where, key):
                if len(points.keys) == 1:
                    return RankedWay(0, points, oid, (), rest)
                if several is None:
                    several = RankedWay(1, points, oid, (), rest)
        return several

    def _found(
        self, table: Table, number: int, where: ir.Node, key: tuple[int, ...]
    ) -> Iterator[tuple[Points, Sequence[ir.Node]]]:
        """Keys that are asked for; several of them, where they are made of no row: of the first table, or a subquery's."""
        with contextlib.suppress(keyed.NotKeyed):
            points, rest = key_conditions.find_points(table, number, where, key, self.offsets)
            if len(points.keys) == 1 or not self.offsets:
                yield points, rest
        if not self.offsets:
            with contextlib.suppress(keyed.NotKeyed):
                yield key_conditions.find_listed(table, number, where, key, self.offsets)
        with contextlib.suppress(keyed.NotKeyed):
            yield key_conditions.find_members(number, where, key, self.offsets)

    def _by_index(self, table: Table, number: int, where: ir.Node) -> RankedWay | None:
        if not table.key_indexes:
            return None
        found = index_range(self._catalog, table, number, where, self.offsets)
        pinned = len(found[0].prefix) if found is not None else 0
        for positions in keys_asked_of(self._catalog, table, number, where):
            if found is not None and pinned >= len(positions):
                break  # of the rows of such a key the range has some
            for points, rest in self._found(table, number, where, positions):
                return RankedWay(2, points, 0, positions, rest)
        for computed in index_expressions.computed_prefixes(self._catalog, table):
            if found is not None and pinned >= len(computed):
                break
            asked, as_it_was = index_expressions.in_columns(computed, number, where)
            if asked is not None:
                for points, rest in self._found(table, number, asked, computed):
                    return RankedWay(2, points, 0, computed, as_it_was(rest))
        if found is None or (self.offsets and not pinned):
            return None
        within, rest, positions = found
        return RankedWay(3 if within.prefix else 4, within, 0, positions, rest)

    def _either(self, table: Table, number: int, asked: list[ir.Node]) -> RankedWay | None:
        """By the alternatives of an OR, where keys lead to the rows of each. The whole of it is asked of the rows, too."""
        if table.partitioning is not None or not table.key_indexes:
            return None
        for c in asked:
            if not isinstance(c, ir.Logic) or c.op != "or" or len(c.args) > ALTERNATIVES_MAX:
                continue
            found = [self._points(table, number, a) or self._by_index(table, number, a) for a in c.args]
            ways = [
                Way(w.lookup, w.unique, w.positions)
                for w in found
                if w is not None and isinstance(w.lookup, Points | Range)
            ]
            if len(ways) == len(found):
                return RankedWay(4, Either(tuple(ways)), 0, (), asked)
        return None

    def _by_range(self, table: Table, number: int, where: ir.Node) -> RankedWay | None:
        if not table.key_indexes or table.key_indexes[0] not in key_conditions.mentioned(where, number):
            return None
        try:
            found, rest = key_conditions.find_range(table, number, where, self.offsets)
        except keyed.NotKeyed:
            return None
        if found.prefix:
            return RankedWay(BY_INDEX, found, 0, (), rest)
        if self.offsets or found.low is None or found.high is None:
            return None
        return RankedWay(4, found, 0, (), rest)


def unique_keys(table: Table) -> Iterable[tuple[int, tuple[int, ...]]]:
    """(oid of the constraint, 0 for the primary key; where its columns are) of the keys that name one row at most."""
    if table.key_indexes:
        yield 0, tuple(table.key_indexes)
    for c in table.constraints:
        if (
            c.kind == "u" and not c.nulls_not_distinct and not c.deferrable
        ):  # that one may be broken for a while
            yield c.oid, tuple(table.index_of(a) for a in c.columns)
