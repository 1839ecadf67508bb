"""GROUP BY: the lower storey of a grouped query, and what of a query may stand above it.

Above the grouping there are grouped expressions, aggregates, and columns that the grouping decides because
it has the whole primary key of their table; any other column is 42803.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir, told_rows
from planner.binding.collating import standing_for, told_apart
from planner.binding.collations_met import sorted_by
from planner.binding.comparable import comparable, needs_key, refuse_unequal
from planner.binding.drawn_arguments import DrawnArguments
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.scope import Scope

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

SETS_MAX = 4096
"""Grouping sets of one query (54001), as in PostgreSQL."""
Key = Callable[[exp.Expression], ir.Node]


def grouping_sets(group: exp.Group, key: Key) -> list[tuple[ir.Node, ...]]:
    """GROUP BY as a list of grouping sets: one for a plain list, their product for ROLLUP, CUBE and SETS."""
    factors: list[list[tuple[ir.Node, ...]]] = [
        _sets(e, key) if isinstance(e, exp.Rollup | exp.Cube | exp.GroupingSets) else [(key(e),)]
        for e in _flat(group.expressions)
    ]
    for kind in ("rollup", "cube", "grouping_sets"):
        for clause in group.args.get(kind) or ():
            factors.append(_sets(clause, key))
    out: list[tuple[ir.Node, ...]] = [()]
    for f in factors:
        if len(out) * len(f) > SETS_MAX:
            raise PlanError("54001", f"too many grouping sets present (maximum {SETS_MAX})")
        out = [a + b for a in out for b in f]
    sets = [tuple(dict.fromkeys(s)) for s in out]
    if group.args.get("all") is False:  # GROUP BY DISTINCT: of sets that are alike the first one
        sets = list({frozenset(s): s for s in reversed(sets)}.values())[::-1]
    return sets


def _flat(items: list[exp.Expression]) -> list[exp.Expression]:
    out: list[exp.Expression] = []
    for i in items:
        if isinstance(i, exp.Tuple):
            out += _flat(i.expressions)
        else:
            out.append(i)
    return out


def _group(node: exp.Expression, key: Key) -> tuple[ir.Node, ...]:
    if isinstance(node, exp.Tuple):
        return tuple(key(e) for e in node.expressions)
    return (key(node),)


def _sets(clause: exp.Expression, key: Key) -> list[tuple[ir.Node, ...]]:
    if isinstance(clause, exp.Rollup):
        parts = [_group(e, key) for e in clause.expressions]
        return [tuple(n for p in parts[:i] for n in p) for i in range(len(parts), -1, -1)]
    if isinstance(clause, exp.Cube):
        parts = [_group(e, key) for e in clause.expressions]
        if len(parts) > 12:
            raise PlanError("54001", "CUBE is limited to 12 elements")
        return [
            tuple(n for p in chosen for n in p)
            for size in range(len(parts), -1, -1)
            for chosen in itertools.combinations(parts, size)
        ]
    if isinstance(clause, exp.GroupingSets):
        out: list[tuple[ir.Node, ...]] = []
        for e in clause.expressions:
            out += (
                _sets(e, key) if isinstance(e, exp.Rollup | exp.Cube | exp.GroupingSets) else [_group(e, key)]
            )
        return out
    raise PlanError("0A000", f"{type(clause).__name__} in GROUP BY is not supported")


def _around(scope: Scope) -> frozenset[int]:
    """The relations of the queries that this one is in."""
    found: set[int] = set()
    at = scope.parent
    while at is not None:
        found |= {r.number for r in at.relations}
        at = at.parent
    return frozenset(found)


class Grouping:
    """The lower storey: its keys and aggregates, collected while the upper expressions are lifted."""

    def __init__(self, queries: QueryBinder, scope: Scope, sets: list[tuple[ir.Node, ...]] | None) -> None:
        self.queries = queries
        self.scope = scope
        self.sets = sets
        self.number = queries.next_relation()
        self.keys: list[ir.Node] = list(dict.fromkeys(n for s in sets or () for n in s))
        self._own = {r.number for r in scope.relations}
        self._around = _around(scope)
        self._drawn = DrawnArguments(queries, self._own)
        self._key_values = {k: self._drawn.key(k) for k in self.keys}
        """The keys, and in the place of those that vary what each row has drawn: they are shown as well as grouped by."""
        queries.declare(self.number, [])
        self._columns: list[EmittedColumn] = queries.emitter.columns[self.number]
        self._items: list[Item] = []
        self.of: list[ir.Node | None] = []
        """What each column of its relation is."""
        self._key_columns: dict[ir.Node, int] = {}
        self._aggregate_columns: dict[tuple[ir.Aggregate, frozenset[int]], int] = {}
        for i, k in enumerate(self.keys):
            self._key(i, k)

    def _key(self, i: int, node: ir.Node) -> None:
        refuse_unequal(node.type, getattr(node, "position", 0))
        frag = self.queries.emitter.frag(self._key_values[node])
        # A constant is NULL in the sets without it, so what is shown is what is grouped by.
        shown = self._grouped(node) if isinstance(node, ir.Lit) else frag
        sorted_by((node,))
        by = told_apart(node)
        if needs_key(frag, node.type, by):
            # Grouped by something that stands for the value: show one of the values. Of rows around the query, whose
            # aggregate that would be, there is one value.
            read = [n for n in ir.walk(self._key_values[node]) if isinstance(n, ir.Var)]
            around = bool(read) and all(n.relation in self._around for n in read)
            shown = frag if around else sql("any_value(", frag, ")")
            if self.sets is not None and len(self.sets) > 1:
                key = self._grouped(node)
                shown = sql("CASE WHEN grouping(", key, ") = 0 THEN ", shown, " END")
        self._items.append(sql(shown, f" AS k{i}"))
        self._columns.append(EmittedColumn(f"k{i}", frag.form))
        self._key_columns[node] = len(self._columns) - 1
        self.of.append(node)

    def lift(self, node: ir.Node) -> ir.Node:
        """The expression above the grouping. Raises 42803."""
        at = self._key_columns.get(node)
        if at is not None:
            return standing_for(node, ir.Var(node.type, self.number, at))
        if isinstance(node, ir.Aggregate) and node.scope == self.scope.number:
            return self._aggregate(node)
        if isinstance(node, ir.Var) and node.relation in self._own:
            return self._dependent(node)
        if isinstance(node, ir.SubQuery):
            for outer in node.outer:
                if (
                    isinstance(outer, ir.Var)
                    and outer.relation in self._own
                    and outer not in self._key_columns
                ):
                    self._dependent(outer, within="subquery uses ungrouped column {} from outer query")
        return ir.replace_children(node, self.lift)

    def _aggregate(self, node: ir.Aggregate) -> ir.Node:
        if node.op == "grouping":
            return self._grouping_call(node)
        self._check_direct(node)
        told = (node, frozenset(ir.draws(node)))  # of what is drawn two that look alike are two
        at = self._aggregate_columns.get(told, -1)
        if at < 0:
            frag = self.queries.emitter.aggregate(self._drawn.held(node))
            at = len(self._columns)
            self._items.append(sql(frag, f" AS a{at}"))
            self._columns.append(EmittedColumn(f"a{at}", frag.form))
            self._aggregate_columns[told] = at
            self.of.append(node)
        return standing_for(node, ir.Var(node.type, self.number, at))

    def _check_direct(self, node: ir.Aggregate) -> None:
        """What an ordered-set aggregate is told once for a group. Raises 42803 for what varies in it."""
        always = set(self.keys).intersection(*(self.sets or ()))
        for d in node.direct:
            if not any(isinstance(n, ir.Var) and n.relation in self._own for n in ir.walk(d)):
                continue
            if not all(n in always for n in ir.walk(d) if n in self.keys):
                raise PlanError(
                    "0A000",
                    "direct arguments that not every grouping set has are not supported",
                    position=node.position,
                )
            if d in self.keys:
                continue
            try:
                self.lift(d)
            except PlanError as e:
                e.detail = "Direct arguments of an ordered-set aggregate must use only grouped columns."
                raise

    def _grouping_call(self, node: ir.Aggregate) -> ir.Node:
        for a in node.args:
            if a not in self.keys:
                raise PlanError(
                    "42803",
                    "arguments to GROUPING must be grouping expressions of the associated query level",
                    position=min(
                        (p for n in ir.walk(a) if (p := getattr(n, "position", 0))), default=node.position
                    ),
                )
        args = [self._grouped(a) for a in node.args]
        at = len(self._columns)
        self._items.append(sql("CAST(grouping(", join(", ", args), f") AS INTEGER) AS g{at}"))
        # Of no rows the group of them all has no number where the query looks outward.
        around = ("coalesce(", f", {2 ** len(args) - 1})") if self.scope.parent is not None else None
        self._columns.append(EmittedColumn(f"g{at}", around=around))
        self.of.append(None)
        return ir.Var(TypeRef(t.INT4), self.number, at)

    def _dependent(self, node: ir.Var, within: str = "") -> ir.Node:
        """A column that the keys determine. Raises 42803, in the words of `within` where a subquery names it."""
        relation = next(r for r in self.scope.relations if r.number == node.relation)
        table = relation.table
        key = table.key_indexes if table is not None else ()
        always = set(self.keys).intersection(*(self.sets or ()))
        grouped = {k.column for k in always if isinstance(k, ir.Var) and k.relation == node.relation}
        if key and set(key) <= grouped and self.sets:
            assert table is not None and table.primary_key is not None
            self.queries.keys_used.add(table.primary_key.oid)
            i = len(self._columns)
            frag = self.queries.emitter.frag(node)
            self._items.append(sql("any_value(", frag, f") AS d{i}"))
            self._columns.append(EmittedColumn(f"d{i}", frag.form))
            self._key_columns[node] = i
            self.of.append(node)
            return ir.Var(node.type, self.number, i)
        name = relation.columns[node.column].name
        shown = f"{relation.name}.{name}" if relation.name else name
        words = within or "column {} must appear in the GROUP BY clause or be used in an aggregate function"
        raise PlanError("42803", words.format(f'"{shown}"'), position=node.position)

    def _kept_without_rows(self) -> list[Item]:
        """A column more, for the group of all rows that a query which looks outward has where it finds none. DuckDB joins such
        groups to the outer rows, and drops an outer row without one where all columns would be NULL: UNION, DISTINCT and
        WITH around it would miss the row. To a value in an expression it is NULL in any case."""
        looks_outward = bool(self.scope.outer or self.queries.routines.frames)
        everything = self.sets is None or any(not s for s in self.sets)
        return ["1 AS tw_kept"] if looks_outward and everything and not self.scope.single else []

    def written(self, source: Frag | None, where: ir.Node | None) -> Frag:
        emit = self.queries.emitter
        if self.sets is None and not self._items:
            # HAVING alone makes one group of all rows, whatever these are: PostgreSQL does not read them either.
            return sql(f"(SELECT 1 AS one) AS r{self.number}")
        shown = join(", ", [*(self._items or ["1 AS one"]), *self._kept_without_rows()])
        texts = {k: self._grouped(k) for k in self.keys} if self.sets is not None else {}
        asked = emit.where(where) if where is not None else None
        if self._drawn:
            shown, texts = self._drawn.above(shown), {k: self._drawn.above(x) for k, x in texts.items()}
            source, asked = self._drawn.rows(source, asked), None
        items: list[Item] = ["(SELECT ", shown]
        if source is not None:
            items += [" FROM ", source]
        if asked is not None:
            items += [" WHERE ", asked]
        if self.sets is not None:
            if len(self.sets) == 1:
                keys = [texts[k] for k in self.sets[0]]
                items += [" GROUP BY ", join(", ", keys)] if keys else [" GROUP BY ()"]
            else:
                sets = [sql("(", join(", ", [texts[k] for k in s]), ")") for s in self.sets]
                items += [" GROUP BY GROUPING SETS (", join(", ", sets), ")"]
        made = sql(*items, f") AS r{self.number}")
        return told_rows.marked(emit, self.number, [None if n is None else n.type for n in self.of], made)

    def _grouped(self, node: ir.Node) -> Frag:
        frag = self.queries.emitter.frag(self._key_values.get(node, node))
        if isinstance(node, ir.Lit):  # of which there is one: whatever it is grouped by
            return sql("CAST(", frag, " AS ", self.queries.emitter.duck(node.type), ")")
        return comparable(frag, node.type, told_apart(node))
