"""Arguments of aggregates, and keys of groups, that are another value each time: columns of the rows below the grouping, so that each row has one.

    SELECT corr(random(), x) FROM t

    FROM (SELECT random() AS v0, r1.x AS c0 FROM t AS r1) AS r7       and corr is of r7.v0 and r7.c0

DuckDB's text of an aggregate names an argument as often as its formula does (`corr` asks for NaN, for what is NULL, for squares), and each
time would be another value; a key is asked for by GROUP BY and by what shows it. Under FILTER a row that does not pass draws nothing, as in PostgreSQL: what passes is drawn by rows
below again, if it varies as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner import types as t
from planner.binding import ir, shapes
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Frag, Item, Piece, Ref, Told, join, sql
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder


class DrawnArguments:
    """What the keys and aggregates of one grouping draw, row by row."""

    def __init__(self, queries: QueryBinder, own: set[int]) -> None:
        self._queries = queries
        self._own = own
        self._number = 0
        self._first: DrawnArguments | None = None
        self._drawn: list[Item] = []
        self._kept: dict[Piece, str] = {}

    def __bool__(self) -> bool:
        return bool(self._drawn)

    def held(self, node: ir.Aggregate) -> ir.Aggregate:
        """The aggregate over columns, where an argument or what passes FILTER varies."""
        passed = node.filter
        if passed is not None and self._varies(passed):
            passed = self._passing(passed) if any(map(self._varies, node.args)) else self._column(passed)
            node = replace(node, filter=passed)
        if not any(map(self._varies, (*node.args, *(k.expr for k in node.order)))):
            return node

        def column(x: ir.Node) -> ir.Node:
            if not self._varies(x):
                return x
            return self._column(
                x if passed is None else ir.Logic(x.type, "case", (passed, x, ir.Lit(x.type, None)))
            )

        args = tuple(map(column, node.args))
        known = dict(zip(node.args, args, strict=True))  # ORDER BY in an argument's own words is by its value
        order = [replace(k, expr=known.get(k.expr) or column(k.expr)) for k in node.order]
        return replace(node, args=args, order=tuple(order))

    def key(self, node: ir.Node) -> ir.Node:
        """What GROUP BY is by, a column where it varies."""
        return self._column(node) if self._varies(node) else node

    def _varies(self, node: ir.Node) -> bool:
        return node.type.oid != t.RECORD and shapes.shape(node, self._queries.emitter.shapes).varies

    def _passing(self, node: ir.Node) -> ir.Node:
        """What FILTER asks, drawn before the arguments are."""
        if self._first is None:
            self._first = DrawnArguments(self._queries, self._own)
        made = self._first._column(node)
        self._own = self._own | {made.relation}
        return made

    def _column(self, node: ir.Node) -> ir.Var:
        queries = self._queries
        if not self._number:
            self._number = queries.next_relation()
            queries.declare(self._number, [])
        frag = queries.emitter.frag(node)
        columns = queries.emitter.columns[self._number]
        name = f"v{len(columns)}"
        columns.append(EmittedColumn(name, frag.form))
        self._drawn.append(sql(frag, f" AS {name}"))
        return ir.Var(node.type, self._number, len(columns) - 1)

    def above(self, frag: Frag) -> Frag:
        """A text that names the columns of FROM, seen from above the rows with what was drawn."""
        return Frag([self._moved(p) for p in frag.parts], frag.form)

    def _moved(self, piece: Piece) -> Piece:
        if not isinstance(piece, Ref | Told) or piece.relation not in self._own:
            return piece
        return f"r{self._number}.{self._kept.setdefault(piece, f'c{len(self._kept)}')}"

    def rows(self, source: Frag | None, where: Frag | None) -> Frag:
        """The rows with what was drawn, and with the columns that texts `above` have named."""
        shown = [*self._drawn, *[sql(piece, f" AS {name}") for piece, name in self._kept.items()]]
        listed = join(", ", shown)
        if self._first is not None:
            listed = self._first.above(listed)
            source, where = self._first.rows(source, where), None
        items: list[Item] = ["(SELECT ", listed]
        if source is not None:
            items += [" FROM ", source]
        if where is not None:
            items += [" WHERE ", where]
        return sql(*items, f") AS r{self._number}")


__all__ = ["DrawnArguments"]
