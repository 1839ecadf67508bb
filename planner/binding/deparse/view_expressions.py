"""Expressions of a view's query: columns with their relations, subqueries, aggregates, windows, CASE by lines.

What `planner.binding.deparse.expressions` knows of expressions over one table, and what only a query has. A relation is called as the
query calls it, or with a number behind (`old_1`) where a query around it has the name already, as PostgreSQL does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp

from planner import types as t
from planner.abc import Oid, TypeRef
from planner.binding import ir
from planner.binding.deparse.expressions import NotWritable, TypeName, Writer, operator_sign
from planner.binding.facts import casts, type_name
from planner.binding.fragments import Frag
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.records import fields_of, told_type
from planner.binding.routines.inlined import ROUTINE
from planner.binding.rows_of_heirs import is_row_of
from planner.binding.scope import Relation, RelationColumn, Scope
from planner.binding.state import BoundQuery
from planner.catalog import Function, quote_identifier
from planner.catalog.row_types import relation_of, row_type_oid
from planner.parse import position as first_position


@dataclass(frozen=True, slots=True)
class Renaming:
    """A relation that has got another name or schema, one of its columns another name, or a column more; or a composite type."""

    oid: Oid
    name: str = ""
    old_column: str = ""
    new_column: str = ""
    added: str = ""

    def relation(self, oid: Oid, name: str) -> str:
        return self.name if oid == self.oid and self.name else name

    def column(self, oid: Oid, name: str) -> str:
        return self.new_column if oid == self.oid and name == self.old_column else name


_ORDERED_SETS: Final = frozenset(("mode", "percentile_cont", "percentile_disc"))
INSIDE: Final = 4
"""Spaces that what is inside of something is moved by."""


def _is_function(node: ir.Cast) -> bool:
    """Whether a cast calls a function: between types, or for a type's modifier."""
    between = casts().get((type_name(node.arg.type.oid), type_name(node.type.oid)))
    return (between is not None and between[1] == "f") or (between is not None and node.type.typmod >= 0)


class ViewBinder(QueryBinder):
    """Remembers the syntax of the subqueries and windows that it binds in expressions."""

    def __init__(self, ctx: Any, text: str, parameters: Parameters) -> None:
        super().__init__(ctx, text, parameters)
        self.routines.expand = False
        self.only_written = True
        self.syntax: dict[int, tuple[Frag, exp.Expression, Scope]] = {}
        self.windows: dict[int, tuple[ir.Window, exp.Window, Scope]] = {}

    def subquery(self, node: exp.Expression, scope: Scope) -> BoundQuery:
        bound = super().subquery(node, scope)
        self.syntax[id(bound.frag)] = (bound.frag, node, scope)
        return bound

    def windowed(self, made: ir.Window, over: exp.Window, scope: Scope) -> None:
        self.windows[id(made)] = (made, over, scope)


def _is_of_outer_join(node: ir.Logic) -> bool:
    """Whether it is a row where there is one, else NULL: what a whole row is on a side that a join fills up."""
    if len(node.args) != 3 or not isinstance(node.args[2], ir.Lit) or node.args[2].value is not None:
        return False
    tests = ir.walk(node.args[0])
    of = {n.relation for n in tests if isinstance(n, ir.Var)}
    return len(of) == 1 and all(
        isinstance(n, ir.Var) or (isinstance(n, ir.Logic) and n.op in ("or", "is not null")) for n in tests
    )


def _columns_compared(compare: ir.Node) -> Iterator[ir.Call]:
    """What a comparison of rows has made of its columns: `a < c OR (a = c AND b < d)`, `a = c AND b = d`; the last one has
    the operator that was said."""
    if isinstance(compare, ir.Call):
        yield compare
    elif isinstance(compare, ir.Logic) and compare.op == "or" and isinstance(compare.args[1], ir.Logic):
        yield from _columns_compared(compare.args[0])
        yield from _columns_compared(compare.args[1].args[1])
    elif isinstance(compare, ir.Logic):
        for part in compare.args:
            yield from _columns_compared(part)


class QueryExpressions(Writer):
    def __init__(self, binder: ViewBinder, text: str, type_name: TypeName, pretty: bool) -> None:
        super().__init__([], text, type_name, pretty)
        self.binder = binder
        self.catalog = binder.ctx.catalog
        self.level = 0
        """How far lines begin from the left."""
        self.by_lines = True
        """Whether CASE begins new ones; not behind RETURN."""
        self.taken: set[str] = {"old", "new"}
        """Names of relations in this query and those around it; rules have these two."""
        self._relations: dict[int, tuple[Relation, str]] = {}
        self.merged: list[tuple[ir.Node, str]] = []
        """Columns that USING has made of two: what they are, and their names."""
        self.renaming: Renaming | None = None
        """What has got another name, if the text is written for that."""
        self.kept_names: dict[int, frozenset[str]] = {}
        """Relations whose columns are listed behind their names, as they were called before."""

    def nested(self, node: exp.Expression, scope: Scope | None, named: bool = True) -> str:
        """A query inside this one. `named`: somebody sees how its columns are called."""
        raise NotImplementedError

    def know(self, relations: Iterable[Relation]) -> None:
        """The relations of a query, which get names that no other has."""
        for r in relations:
            if r.values:  # of USING (...) AS: nothing is called by it
                continue
            self.know(r.parts)
            called = r.called_now or r.name
            if self.renaming is not None and r.table is not None and r.table.name == called:
                called = self.renaming.relation(r.table.oid, called)
            name, count = called, 0
            while name in self.taken:
                count += 1
                name = f"{called}_{count}"
            self.taken.add(name)
            self._relations[r.number] = r, name

    def know_as(self, relation: Relation, name: str) -> None:
        """A relation that is called so whatever else is: new and old, what an INSERT writes."""
        self._relations[relation.number] = relation, name

    def called(self, relation: Relation) -> str:
        return self._relations[relation.number][1]

    def sorted(self, text: str, key: ir.SortKey) -> str:
        text += " DESC" if key.descending else ""
        if key.nulls_first != key.descending:
            text += " NULLS FIRST" if key.nulls_first else " NULLS LAST"
        return text

    def key(self, node: ir.Node) -> str:
        """A key of GROUP BY, ORDER BY, PARTITION BY: what looks like a function's call is in parentheses."""
        text = self.write(node)
        if isinstance(node, ir.Lit) and "::" not in text:  # bare, it would be the number of a column
            return f"{text}::{self.type_name(TypeRef(node.type.oid))}"
        if isinstance(node, ir.Var | ir.Lit):
            return text
        call = isinstance(node, ir.Aggregate | ir.Window) or (
            isinstance(node, ir.Call | ir.SetReturning) and "(" in node.op
        )
        call = call or (isinstance(node, ir.Cast) and _is_function(node))
        return f"({text})" if self.pretty or call else text

    def column_name(self, node: ir.Var) -> str:
        column = self.column(node)
        relation = self._relations[node.relation][0]
        if self.renaming is None or not relation.oid or relation.number in self.kept_names:
            return column.name
        return self.renaming.column(relation.oid, column.name)

    def field_name(self, of: TypeRef, name: str) -> str:
        oid = told_type(of).oid
        return name if self.renaming is None else self.renaming.column(relation_of(oid) or oid, name)

    def column(self, node: ir.Var) -> RelationColumn:
        found = self._relations.get(node.relation)
        if found is None:
            raise NotWritable("a column of an unknown relation")
        return found[0].columns[node.column]

    def top(self, node: ir.Node) -> str:
        return self.write(node) if self._merged_name(node) else super().top(node)

    def _merged_name(self, node: ir.Node) -> str:
        """The name of a column that USING has made of two and that is neither of them."""
        return next((name for made, name in self.merged if made == node), "")

    def write(self, node: ir.Node) -> str:
        if isinstance(node, ir.Var):
            called = self._relations[node.relation][1] if node.relation in self._relations else ""
            return f"{quote_identifier(called)}.{quote_identifier(self.column_name(node))}"
        if merged := self._merged_name(node):
            return quote_identifier(merged)
        if (whole := self.whole_row(node)) is not None:
            return whole
        if isinstance(node, ir.Cast) and (above := self._row_above(node)) is not None:
            return above
        if isinstance(node, ir.SubQuery):
            return self._subquery(node)
        if isinstance(node, ir.Aggregate):
            return self._aggregate(node)
        if isinstance(node, ir.Window):
            return self._window(node)
        if isinstance(node, ir.Argument):
            return self.argument(node)
        if isinstance(node, ir.SetReturning):
            name = node.op.partition("(")[0]
            if name.startswith(ROUTINE):
                return self.routine(name, node.args)
            return (
                f"{self.home(node.op)}{quote_identifier(name)}({', '.join(self.write(a) for a in node.args)})"
            )
        return super().write(node)

    def whole_row(self, node: ir.Node) -> str | None:
        """`t.*`, which is not `ROW(t.a, t.b)`: its fields have names, and it may be of a type; None for anything else."""
        if isinstance(node, ir.Logic) and node.op == "case" and _is_of_outer_join(node):
            node = node.args[1]
        made = node.arg if isinstance(node, ir.Cast) else node
        if not isinstance(made, ir.Logic) or made.op != "row" or not made.args:
            return None
        first = made.args[0]
        if not isinstance(first, ir.Var) or first.relation not in self._relations:
            return None
        relation, name = self._relations[first.relation]
        shown = [i for i, c in enumerate(relation.columns) if not c.hidden]
        given = [a.column for a in made.args if isinstance(a, ir.Var) and a.relation == first.relation]
        if given != shown or len(shown) != len(made.args):
            return None
        if isinstance(node, ir.Cast):  # to the type that it is of
            is_whole = relation.rows_of != 0 and relation_of(node.type.oid) == relation.rows_of
            is_whole = is_whole or node.type.oid == relation.composite
        else:
            fields = fields_of(made.type) or ()
            is_whole = told_type(made.type) != made.type or [f for f, _ in fields] != [
                f"f{i + 1}" for i in range(len(fields))
            ]
        return f"{quote_identifier(name)}.*" if is_whole else None

    def _row_above(self, node: ir.Cast) -> str | None:
        """`(t.*)::parent`, a row as one of the table above (`rows_of_heirs`); None for anything else."""
        row = node.arg
        if not isinstance(row, ir.Logic) or row.op != "row" or not row.args:
            return None
        read = [a for a in row.args if isinstance(a, ir.Var) and a.relation in self._relations]
        if len(read) < len(row.args) or len({a.relation for a in read}) > 1:
            return None
        relation, name = self._relations[read[0].relation]
        fields = [field for field, _ in t.composite_fields(node.type.oid) or ()]
        if fields != [relation.columns[a.column].name for a in read]:
            return None
        if not is_row_of(self.binder.ctx.catalog, row_type_oid(relation.rows_of), node.type.oid):
            return None
        return f"({quote_identifier(name)}.*)::{self.type_name(node.type)}"

    def item(self, node: ir.Node) -> str:
        text = super().item(node)
        if self.whole_row(node) is None:
            return text
        first = next(n for n in ir.walk(node) if isinstance(n, ir.Var))
        relation = self._relations[first.relation][0]
        of = row_type_oid(relation.rows_of) if relation.rows_of else relation.composite or t.RECORD
        return f"{text}::{self.type_name(TypeRef(of))}"

    def argument(self, node: ir.Argument) -> str:
        """A parameter of a function: with the function's name where columns are named too."""
        (frame,) = self.binder.routines.frames
        name = frame.function.inputs[node.column].name
        if not name:
            return f"${node.column + 1}"
        shown = quote_identifier(name)
        return f"{quote_identifier(frame.function.name)}.{shown}" if self._relations else shown

    def is_simple(self, node: ir.Node, parent: ir.Node, left: bool) -> bool:
        if isinstance(node, ir.SubQuery | ir.Aggregate | ir.Window | ir.Argument):
            return True
        return super().is_simple(node, parent, left)

    def _subquery(self, node: ir.SubQuery) -> str:
        kept = self.binder.syntax.get(id(node.query if node.asked is None else node.asked))
        if kept is None:
            raise NotWritable("a subquery")
        _, syntax, scope = kept
        text = self.nested(syntax, scope, named=False)
        if node.kind == "exists":
            return f"(EXISTS ({text}))"
        if node.kind == "array":
            return f"ARRAY({text})"
        if node.kind == "scalar":
            return f"({text})"
        if node.kind not in ("any", "all") or node.compare is None:
            raise NotWritable(f"a subquery of kind {node.kind}")
        left, sign = self._compared(node.compare)
        word = f"{sign} {node.kind.upper()}" if node.kind == "all" or sign != "=" else "IN"
        return f"({left} {word} ({text}))"

    def _compared(self, compare: ir.Node) -> tuple[str, str]:
        """What stands on the left of `IN (SELECT ...)`, and the operator."""
        if isinstance(compare, ir.Call):
            return self.write(compare.args[0]), self.sign(compare.op)
        columns = list(_columns_compared(compare))
        return f"({', '.join(self.write(c.args[0]) for c in columns)})", self.sign(columns[-1].op)

    def _aggregate(self, node: ir.Aggregate) -> str:
        called = node.op.partition("(")[0]
        own = called.startswith(ROUTINE)
        name = self.type_name(TypeRef(int(called.removeprefix(ROUTINE)))) if own else quote_identifier(called)
        if node.op == "grouping":
            return f"GROUPING({', '.join(self.write(a) for a in node.args)})"
        order = ", ".join(self.sorted(self.key(k.expr), k) for k in node.order)
        if node.direct or "within group" in node.op.lower() or name in _ORDERED_SETS:
            direct = ", ".join(self.write(d) for d in node.direct)
            text = f"{name}({direct}) WITHIN GROUP (ORDER BY {order})"
            return text if node.filter is None else f"{text} FILTER (WHERE {self.top(node.filter)})"
        args = self.given(node.op, node.args) or ["*"]
        f = self.catalog.get(int(called.removeprefix(ROUTINE))) if own and self.catalog is not None else None
        if isinstance(f, Function) and f.is_variadic:
            args[-1] = f"VARIADIC {args[-1]}"
        inside = ", ".join(args)
        text = (
            f"{name}({'DISTINCT ' if node.distinct else ''}{inside}{' ORDER BY ' + order if order else ''})"
        )
        return text if node.filter is None else f"{text} FILTER (WHERE {self.top(node.filter)})"

    def _window(self, node: ir.Window) -> str:
        kept = self.binder.windows.get(id(node))
        if kept is None:
            raise NotWritable("a window")
        _, over, scope = kept
        name = over.args.get("alias")
        bare = name is not None and not any(over.args.get(k) for k in ("partition_by", "order", "spec"))
        if name is not None and bare and not self._in_parentheses(name):
            return f"{self.write(node.call)} OVER {quote_identifier(str(name.name))}"
        return f"{self.write(node.call)} OVER {self.window(over, scope)}"

    def _in_parentheses(self, name: exp.Expression) -> bool:
        return self.text[: first_position(name) - 1].rstrip().endswith("(")

    def window(self, over: exp.Window, scope: Scope) -> str:
        """What a window is made of, as OVER and WINDOW have it."""
        bind, parts = self.binder.expressions, []
        keys: Sequence[ir.SortKey] = ()
        name, order, spec = (over.args.get(k) for k in ("alias", "order", "spec"))
        if name is not None:
            parts.append(quote_identifier(str(name.name)))
        partition = [
            self.binder.coercions.settled(bind.bind(p, scope)) for p in over.args.get("partition_by") or ()
        ]
        if partition:
            parts.append("PARTITION BY " + ", ".join(map(self.key, partition)))
        if order is not None:
            keys = bind.sort_keys(order.expressions, scope)
            parts.append("ORDER BY " + ", ".join(self.sorted(self.key(k.expr), k) for k in keys))
        if spec is not None:
            parts.append(self._frame(spec, keys, scope))
        return f"({' '.join(parts)})"

    def _frame(self, spec: exp.WindowSpec, keys: Sequence[ir.SortKey], scope: Scope) -> str:
        ends, bind = [], self.binder.expressions
        for which in ("start", "end"):
            value, side = spec.args.get(which), str(spec.args.get(f"{which}_side") or "").upper()
            if value is None:
                continue
            word = str(value if isinstance(value, str) else value.name).upper()
            if isinstance(value, str | exp.Var):
                ends.append(f"UNBOUNDED {side}" if word == "UNBOUNDED" else "CURRENT ROW")
            else:
                offset = bind.bind(value, scope)
                if len(keys) == 1 and offset.type.oid == t.UNKNOWN:  # of RANGE: what it is, the key says
                    offset = bind.measured(offset, keys[0].expr, 0)
                ends.append(f"{self.top(offset)} {side}")
        exclude = spec.args.get("exclude")
        without = str(exclude.name if isinstance(exclude, exp.Expression) else exclude or "").upper()
        text = f"BETWEEN {ends[0]} AND {ends[1]}" if len(ends) > 1 else ends[0]
        kind = str(spec.args.get("kind") or "range").upper()
        return f"{kind} {text}" + (f" EXCLUDE {without}" if without not in ("", "NO OTHERS") else "")

    def case(self, node: ir.Logic) -> str:
        args, level = node.args, self.level
        pairs = list(zip(args[0::2], args[1::2], strict=False))
        compared = [c.args for c, _ in pairs if isinstance(c, ir.Call) and self._is_compared(c)]
        text, end = (f"\n{' ' * level}CASE", f"\n{' ' * level}END") if self.by_lines else ("CASE", " END")
        self.level = level + INSIDE
        line = "\n" + " " * self.level if self.by_lines else " "
        if len(compared) == len(pairs):
            text += f" {self.top(compared[0][0])}"
            pairs = [(c[1], value) for c, (_, value) in zip(compared, pairs, strict=True)]
        for condition, value in pairs:
            text += f"{line}WHEN {self.write(condition)} THEN {self.write(value)}"
        otherwise = (
            self.write(args[-1]) if len(args) % 2 else f"NULL::{self.type_name(TypeRef(node.type.oid))}"
        )
        self.level = level
        return f"{text}{line}ELSE {otherwise}{end}"

    def _is_compared(self, condition: ir.Call) -> bool:
        """Whether it comes of CASE x WHEN y: an equality that is not in the text."""
        if len(condition.args) != 2 or operator_sign(condition.op) != "=" or not condition.position:
            return False
        return not self.text.startswith("=", condition.position - 1)
