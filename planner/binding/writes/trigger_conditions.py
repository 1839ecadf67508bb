"""WHEN of triggers: a condition over the row as it was and as it is to be, bound for whichever engine can compute it.

WHEN (old.price IS DISTINCT FROM new.price)

Call("is distinct", (Col 3, Col 3 + width))                         the keyed engine's: over the row `old + new`
SELECT (r1.price IS DISTINCT FROM r2.price) FROM old r1, new r2      DuckDB's, over two relations of a row each
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp

from planner.abc import Expr, PlanError, Query, Slot, SqlError, Table, TypeRef
from planner.binding import ir
from planner.binding.clauses import refuse_sets
from planner.binding.deparse.expressions import NotWritable, Writer
from planner.binding.fragments import sql
from planner.binding.keyed import expressions as keyed
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.state import Parts, Target
from planner.binding.writes.clauses import RowBinder
from planner.catalog import View, quote_identifier
from planner.parse import parse_expression
from planner.parse import position as first_position
from planner.triggers import DELETE, INSERT, ROW

CLAUSE: Final = "trigger WHEN conditions"


@dataclass(frozen=True, slots=True)
class BoundCondition:
    """A condition's tree, and the numbers of the relations that it is over."""

    table: Table
    node: ir.Node
    old: int
    new: int
    rows: RowBinder
    tree: exp.Expression

    def place(self, relation: int) -> int:
        """Where the condition first names one of the two rows."""
        name = "old" if relation == self.old else "new"
        places = [
            first_position(c)
            for c in self.tree.find_all(exp.Column)
            if str(c.args["table"].this if c.args.get("table") else "").lower() == name
        ]
        return min(places, default=0)


@dataclass(frozen=True, slots=True)
class Condition:
    """`expression` is over the row `old + new`; where it is None `query` asks the slots "old" and "new", which have a row each."""

    expression: Expr | None
    query: Query | None


def rows_of(holder: Table | View) -> Table:
    """What a relation's rows are to its triggers: a table of its columns."""
    if isinstance(holder, Table):
        return holder
    return Table(holder.oid, holder.schema_oid, holder.name, holder.columns, (), "")


def bind(ctx: Any, table: Table, text: str, *, expand: bool = True) -> BoundCondition:
    """Raises what binding an expression raises; positions are those of the text."""
    queries = QueryBinder(ctx, text, Parameters((), None))
    queries.routines.expand = expand
    rows = RowBinder(queries)
    old = rows.relation(table, "old", "old", of_table=False)
    new = rows.relation(table, "new", "new", of_table=False)
    scope = rows.plain_scope(old, new)
    scope.clause = CLAUSE
    tree = parse_expression(text)
    node = queries.expressions.boolean(tree, scope, "WHEN")
    refuse_sets(node, CLAUSE)
    for inner in ir.walk(node):
        if isinstance(inner, ir.Aggregate):
            message = f"aggregate functions are not allowed in {CLAUSE}"
            raise PlanError("42803", message, position=inner.position)
    return BoundCondition(table, node, old.number, new.number, rows, tree)


def refuse(bound: BoundCondition, bits: int, *, before: bool) -> None:
    """What PostgreSQL does not let a condition look at. Raises 42P17, 0A000."""
    for node in ir.walk(bound.node):
        if not isinstance(node, ir.Var) or node.relation not in (bound.old, bound.new):
            continue
        at = bound.place(node.relation)
        if not bits & ROW:
            message = "statement trigger's WHEN condition cannot reference column values"
            raise PlanError("42P17", message, position=at)
        if node.relation == bound.old:
            if bits & INSERT:
                message = "INSERT trigger's WHEN condition cannot reference OLD values"
                raise PlanError("42P17", message, position=at)
            continue
        if bits & DELETE:
            message = "DELETE trigger's WHEN condition cannot reference NEW values"
            raise PlanError("42P17", message, position=at)
        if not before:
            continue
        if not 0 <= node.column < len(bound.table.columns):
            message = "BEFORE trigger's WHEN condition cannot reference NEW system columns"
            raise PlanError("0A000", message, position=at)
        column = bound.table.columns[node.column]
        if column.generated:
            whole = [p for p in _whole_rows(bound.tree) if not at or p == at]
            raise PlanError(
                "42P17",
                "BEFORE trigger's WHEN condition cannot reference NEW generated columns",
                detail="A whole-row reference is used and the table contains generated columns."
                if whole
                else f'Column "{column.name}" is a generated column.',
                position=whole[0] if whole else at,
            )


def _whole_rows(tree: exp.Expression) -> list[int]:
    """Where NEW stands as a whole: NEW, NEW.*."""
    return [
        first_position(c)
        for c in tree.find_all(exp.Column)
        if (c.name == "new" and not c.table) or (isinstance(c.this, exp.Star) and c.table == "new")
    ]


def planned(ctx: Any, table: Table, text: str, *, prefer_keyed: bool = True) -> Condition:
    """The condition as whoever fires the trigger asks it. Raises what binding raises."""
    bound = bind(ctx, table, text)
    try:
        if not prefer_keyed:
            raise keyed.NotKeyed("not wanted")
        expression = keyed.expression(bound.node, {bound.old: 0, bound.new: len(table.columns)})
        return Condition(expression, None)
    except keyed.NotKeyed:
        pass
    queries = bound.rows.queries
    source = sql(Slot("old"), f" AS r{bound.old}, ", Slot("new"), f" AS r{bound.new}")
    target = Target("when", bound.node)
    written = queries.written(Parts(source, None, [target]), queries.new_scope(None), True)
    return Condition(None, queries.finished(written.frag))


def shown(ctx: Any, table: Table, text: str, type_name: Callable[[TypeRef], str], pretty: bool) -> str:
    """As pg_get_triggerdef has it. Raises `deparse.NotWritable`."""
    try:
        bound = bind(ctx, table, text, expand=False)
    except SqlError as e:
        raise NotWritable(text) from e
    writer = _Writer(bound, text, type_name, pretty)
    writer.catalog = ctx.catalog
    return writer.write(bound.node)


class _Writer(Writer):
    """Columns say which row they are of."""

    def __init__(
        self, bound: BoundCondition, text: str, type_name: Callable[[TypeRef], str], pretty: bool
    ) -> None:
        super().__init__([c.name for c in bound.table.columns], text, type_name, pretty)
        self._sides = {bound.old: "old", bound.new: "new"}
        self._whole = [i for i, c in enumerate(bound.table.columns) if not c.hidden]

    def write(self, node: ir.Node) -> str:
        if isinstance(node, ir.Var):
            if node.column >= len(self.names):
                raise NotWritable("a system column")
            return f"{self._sides[node.relation]}.{quote_identifier(self.names[node.column])}"
        if isinstance(node, ir.Logic) and node.op == "row":
            for relation, side in self._sides.items():
                if [(a.relation, a.column) for a in node.args if isinstance(a, ir.Var)] == [
                    (relation, i) for i in self._whole
                ]:
                    return f"{side}.*"
        return super().write(node)
