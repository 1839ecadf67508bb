"""UNION and its kin, VALUES: queries made of queries, and of rows that are written out."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial
from typing import Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, Query, ResultColumn, TypeRef
from planner.binding import collating, ir
from planner.binding.clauses import refuse_sets
from planner.binding.comparable import comparable, needs_key, refuse_unequal, refuse_unordered
from planner.binding.dimensions import as_text
from planner.binding.fragments import ARRAY_TEXT, Form, Frag, Item, join, sql
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.selects import BoundSelect
from planner.binding.numeric_forms import as_text_numeric, column_form
from planner.binding.output_keys import no_aggregate, of_values, order_key, refuse_unknown, similar_in_sides
from planner.binding.scope import FromStep, Relation, RelationColumn, Scope, StarColumn
from planner.binding.state import COLUMNS_MAX, BoundQuery, Parts, Target
from planner.binding.writing import QueryWriter
from planner.catalog.collations import nondeterministic
from planner.parse import position as first_position
from planner.records import replace

UNITED: Final = -10
"""The rows of several queries, as a relation of the keyed engine's."""
VALUES_MAX: Final = 100
"""Rows of VALUES that the keyed engine makes one by one."""


class CompoundBinder(QueryWriter):
    """Binds UNION, INTERSECT, EXCEPT and VALUES."""

    def in_column_forms(self, bound: BoundQuery) -> BoundQuery:
        """The query with its columns as a table has them: a part of a statement, which may be the keyed engine's one time and DuckDB's
        another."""
        refs = [c.type for c in bound.columns]
        forms = [column_form(r) for r in refs]
        if forms == list(bound.forms):
            return bound
        return replace(bound, frag=self.cast_columns(bound, refs, forms), forms=forms)

    def cast_columns(self, bound: BoundQuery, refs: Sequence[TypeRef], forms: Sequence[Form]) -> Frag:
        """The query with its columns in other types and forms."""
        if all(
            a.type == b and f == g for a, b, f, g in zip(bound.columns, refs, bound.forms, forms, strict=True)
        ):
            return sql("(", bound.frag, ")")
        number = self.anonymous_relation(bound)
        items: list[Item] = []
        for i, (c, ref, form) in enumerate(zip(bound.columns, refs, forms, strict=True)):
            node = (
                self.coercions.coerce(ir.Var(c.type, number, i), ref, "i")
                if c.type != ref
                else ir.Var(c.type, number, i)
            )
            frag = self.emitter.frag(node)
            if ref.oid == t.NUMERIC and form is None:
                frag = as_text_numeric(frag)
            elif form == ARRAY_TEXT:
                frag = as_text(frag, ref)
            elif form is not None and frag.form != form:
                frag = sql("CAST(", frag, f" AS DECIMAL({form[0]},{form[1]}))")
            items.append(sql(frag, f" AS c{i}"))
        return sql("(SELECT ", join(", ", items), " FROM (", bound.frag, f") AS r{number})")

    def set_operation(
        self,
        node: exp.SetOperation,
        scope: Scope,
        prefix: Frag | None,
        top: bool,
    ) -> BoundQuery:
        word = type(node).__name__.upper()
        sides = [node.this, node.expression]
        marker = [None] * COLUMNS_MAX
        first = [self.nested(s, scope, marker) for s in sides]
        if len(first[0].columns) != len(first[1].columns):
            raise PlanError(
                "42601",
                f"each {word} query must have the same number of columns",
                position=first_position(sides[1]),
            )
        refs: list[TypeRef] = []
        for i, (a, b) in enumerate(zip(first[0].columns, first[1].columns, strict=True)):
            if a.type.oid == b.type.oid == t.UNKNOWN:
                refs.append(TypeRef(t.TEXT))  # whatever is wanted of the whole
                continue
            nodes = [ir.Var(a.type, 0, i), ir.Var(b.type, 0, i)]
            if t.UNKNOWN in (a.type.oid, b.type.oid):
                known = a.type if b.type.oid == t.UNKNOWN else b.type
                fields = known.oid in (t.RECORD, t.RECORD_ARRAY)  # which its modifier says
                refs.append(known if fields else TypeRef(known.oid))
                continue
            # Where they stand is for errors, which columns of one type have none of.
            places = [0, 0] if a.type.oid == b.type.oid else [_place(s, i) for s in sides]
            _, ref = self.expressions.to_common(nodes, word, places)
            refs.append(ref)
        bounds = []
        for side, one in zip(sides, first, strict=True):
            if any(c.type.oid == t.UNKNOWN for c in one.columns):
                one = self.nested(side, scope, refs)
            bounds.append(one)
            scope.outer += one.outer
        x, y = bounds
        forms: list[Form] = []
        for ref, f, g in zip(refs, x.forms, y.forms, strict=True):
            same = ref.oid == t.NUMERIC and f is not None and g is not None and f[1] == g[1]
            joint = (max(f[0], g[0]), f[1]) if same and f is not None and g is not None else None
            is_array = t.element_of(ref.oid) and ref.oid != t.RECORD_ARRAY
            forms.append(
                joint if ref.oid == t.NUMERIC else (f if f == g else ARRAY_TEXT) if is_array else None
            )
        all_rows = not node.args.get("distinct", True)
        operands = [self.cast_columns(x, refs, forms), self.cast_columns(y, refs, forms)]
        frag = sql(operands[0], f" {word}{' ALL' if all_rows else ''} ", operands[1])
        ones, others = (
            collating.said(self.expressions, side, bound.columns)
            for side, bound in zip(sides, bounds, strict=True)
        )
        united_all = all_rows and word == "UNION"
        if not united_all:
            written = sides[0].expressions if isinstance(sides[0], exp.Select) else ()
            for i, ref in enumerate(refs):
                refuse_unequal(ref, first_position(written[i]) if i < len(written) else 0)
        columns = [
            ResultColumn(c.name, r, collation=collating.united(a, b, may_be_none=united_all))
            for c, a, b, r in zip(x.columns, ones, others, refs, strict=True)
        ]
        bound = BoundQuery(frag, columns, forms)
        by_key = self.united_by_key(bounds, refs, distinct=not all_rows) if word == "UNION" else None
        if not united_all and any(c.collation in nondeterministic for c in columns):
            raise PlanError("0A000", f"{word} with nondeterministic collations is not supported")
        by_value = any(needs_key(Frag((), f), r) for f, r in zip(forms, refs, strict=True))
        if by_value and word != "UNION":
            bound = BoundQuery(self._by_keys(word, all_rows, operands, refs, forms), columns, forms)
        elif by_value and not all_rows:
            bound = BoundQuery(self._united_rows(operands, refs, forms), columns, forms)
        bound.by_key = by_key
        bound.sides = (x, y)
        bound.effects = tuple(sorted({*x.effects, *y.effects}))
        return self.ordered(bound, node, scope, prefix, top)

    def _by_keys(
        self, word: str, all_rows: bool, sides: Sequence[Frag], refs: Sequence[TypeRef], forms: Sequence[Form]
    ) -> Frag:
        """INTERSECT and EXCEPT of values that are equal without being the same text: rows are counted by key.

        The n-th row of a key on the left stays in INTERSECT ALL while n is at most the right side's count, in EXCEPT
        ALL from there on; without ALL only the first one is asked for.
        """
        keys = [
            sql(comparable(Frag((f"c{i}",), f), r), f" AS k{i}")
            for i, (r, f) in enumerate(zip(refs, forms, strict=True))
        ]
        names = [f"k{i}" for i in range(len(refs))]
        columns = ", ".join(f"c{i}" for i in range(len(refs)))
        left = sql(
            "SELECT *, row_number() OVER (PARTITION BY ", ", ".join(names), ") AS tw_n FROM (SELECT *, ", join(", ", keys),
            " FROM ", sides[0], ")",
        )  # fmt: skip
        right = sql(
            f"SELECT {', '.join(names)}, count(*) AS tw_c FROM (SELECT ", join(", ", keys), " FROM ", sides[1],
            f") GROUP BY {', '.join(names)}",
        )  # fmt: skip
        same = " AND ".join(f"a.{n} IS NOT DISTINCT FROM b.{n}" for n in names)
        if word == "INTERSECT":
            test = "tw_n <= tw_c" if all_rows else "tw_n = 1 AND tw_c IS NOT NULL"
        else:
            test = "tw_n > coalesce(tw_c, 0)" if all_rows else "tw_n = 1 AND tw_c IS NULL"
        return sql(
            f"SELECT {columns} FROM (", left, ") AS a LEFT JOIN (", right, f") AS b ON {same} WHERE {test}"
        )

    def _united_rows(self, sides: Sequence[Frag], refs: Sequence[TypeRef], forms: Sequence[Form]) -> Frag:
        """UNION of such values: of equal ones the left side's is shown, as PostgreSQL does.

        The sides are numbered because DuckDB reads them in parallel: whose row comes first would be chance.
        """
        keys = [
            comparable(Frag((f"d.c{i}",), f), r) for i, (r, f) in enumerate(zip(refs, forms, strict=True))
        ]
        columns = ", ".join(f"c{i}" for i in range(len(refs)))
        return sql(
            "SELECT DISTINCT ON (", join(", ", keys), f") {columns} FROM (SELECT *, 0 AS tw_side FROM ", sides[0],
            " UNION ALL SELECT *, 1 AS tw_side FROM ", sides[1], ") AS d ORDER BY tw_side",
        )  # fmt: skip

    def ordered(
        self, bound: BoundQuery, node: exp.Expression, scope: Scope, prefix: Frag | None, top: bool
    ) -> BoundQuery:
        """ORDER BY, LIMIT and OFFSET over a whole query: keys are its columns, of VALUES expressions over them too."""
        order = node.args.get("order")
        over_values = of_values(node)
        number = self.anonymous_relation(bound)
        known = [RelationColumn(c.name, c.type, collation=c.collation) for c in bound.columns]
        targets = [
            Target(c.name, made.value(number, i), None, c.table_oid, c.attnum)
            for i, (c, made) in enumerate(zip(bound.columns, known, strict=True))
        ]
        parts = Parts(sql("(", bound.frag, f") AS r{number}"), None, targets, prefix=prefix)
        over = self.new_scope(scope.parent)
        relation = Relation(number, "*VALUES*" if over_values else "", known)
        over.relations = [relation]
        if over_values:
            over.ctes = scope.ctes
            over.columns = [StarColumn(c.name, c.value(number, i), c) for i, c in enumerate(known)]
        if order is not None:
            for o in order.expressions:
                hint = partial(similar_in_sides, bound)
                key = order_key(self, o, targets, over if over_values else None, "ORDER BY", hint)
                if key is None:
                    refuse_unknown(o, targets, hint)
                    raise PlanError(
                        "0A000",
                        "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
                        detail="Only result column names can be used, not expressions or functions.",
                        hint="Add the expression/function to every SELECT, or move the UNION into a FROM clause.",
                        position=first_position(o),
                    )
                if over_values:
                    refuse_sets(no_aggregate(key.expr, "ORDER BY of VALUES"), "ORDER BY of VALUES")
                    refuse_unordered(key.expr.type, first_position(o))
                parts.order.append(key)
        self.limits(node, parts, scope)
        over.outer += scope.outer
        if not (top or prefix or parts.order or parts.limit or parts.offset):
            return bound
        by_key = None
        if bound.by_key is not None:
            around = tuple({(v.relation, v.column): v for v in scope.outer}.values())
            by_key = self.kept(parts, (FromStep(relation, (), False, (bound.by_key,), around, around),))
        made = self.written(parts, over, top)
        made.by_key, made.effects = by_key, bound.effects
        return made

    def kept(self, parts: Parts, steps: Sequence[FromStep], *, walked: bool = False) -> BoundSelect | None:
        """A SELECT for the keyed engine. `walked`: which walks along its table's rows."""
        self._selects += 1
        if not self.keeps_selects:
            return None
        return BoundSelect(self.ctx.catalog, parts, steps, self._selects, walked=walked)

    def also_by_key(self, query: Query, parts: Parts, steps: Sequence[FromStep]) -> Query:
        """A query of a statement that writes, with the same for the keyed engine if that can be."""
        select = self.kept(parts, steps)
        with contextlib.suppress(keyed.NotKeyed):
            return replace(query, by_key=select.plan()) if select is not None else query
        return query

    def united_by_key(
        self, sides: Sequence[BoundQuery], refs: Sequence[TypeRef], *, distinct: bool
    ) -> BoundSelect | None:
        """The sides' rows one after the other, in the types that they have in common."""
        around = tuple({(v.relation, v.column): v for b in sides for v in b.outer}.values())
        queries = []
        for b in sides:
            if b.by_key is None:
                return None
            own, wanted = [c.type for c in b.columns], list(refs)
            queries.append(b.by_key if own == wanted else self.over((b.by_key,), own, wanted, around, False))
        made = [q for q in queries if q is not None]
        if len(made) < len(sides) or any(c.collation for b in sides for c in b.columns):
            return None
        return self.over(tuple(made), refs, refs, around, distinct)

    def over(
        self, queries: tuple[BoundSelect, ...], own: Sequence[TypeRef], wanted: Sequence[TypeRef],
        around: tuple[ir.Var, ...], distinct: bool,
    ) -> BoundSelect | None:  # fmt: skip
        columns = [ir.Var(ref, UNITED, i) for i, ref in enumerate(own)]
        nodes = [
            c
            if c.type == ref
            else ir.Cast(ref, c)
            if c.type.oid == ref.oid
            else self.coercions.coerce(c, ref, "i")
            for c, ref in zip(columns, wanted, strict=True)
        ]
        relation = Relation(UNITED, "", [RelationColumn("", ref) for ref in own])
        parts = Parts(None, None, [Target("", n) for n in nodes], distinct=distinct)
        return self.kept(parts, (FromStep(relation, (), False, queries, around, around),))

    def values(
        self,
        node: exp.Values,
        scope: Scope,
        expected: Sequence[TypeRef | None] | None,
        prefix: Frag | None,
        top: bool,
    ) -> BoundQuery:
        scope.clause = "VALUES"
        rows = [
            [self.expressions.bind(e, scope) for e in (r.expressions if isinstance(r, exp.Tuple) else [r])]
            for r in node.expressions
        ]
        for item in (x for row in rows for x in row):
            refuse_sets(item, "VALUES")
        width = len(rows[0])
        if any(len(r) != width for r in rows):
            odd = next(r for r, bound in zip(node.expressions, rows, strict=True) if len(bound) != width)
            raise PlanError("42601", "VALUES lists must all be the same length", position=first_position(odd))
        columns, forms = [], []
        texts: list[list[Frag]] = [[] for _ in rows]
        nodes: list[list[ir.Node]] = [[] for _ in rows]
        for i in range(width):
            column = [r[i] for r in rows]
            wanted = expected[i] if expected is not None and i < len(expected) else None
            if wanted is not None and all(n.type.oid == t.UNKNOWN for n in column):
                made, ref = [self.coercions.coerce(n, wanted, "i") for n in column], wanted
            else:
                made, ref = self.expressions.to_common(column, "VALUES", [0] * len(column))
            frags, form = self.emitter.unified(made, ref)
            columns.append(ResultColumn(f"column{i + 1}", ref, collation=collating.carried(*made)))
            forms.append(form)
            for row, f, kept, n in zip(texts, frags, nodes, made, strict=True):
                row.append(f)
                kept.append(n)
        body = join(", ", [sql("(", join(", ", row), ")") for row in texts])
        number = self.next_relation()
        names = ", ".join(f"c{i}" for i in range(width))
        frag = sql("SELECT * FROM (VALUES ", body, f") AS r{number}({names})")
        scope.clause = ""
        bound = BoundQuery(frag, columns, forms)
        if len(rows) <= VALUES_MAX:
            bound.by_key = self._values_by_key(nodes, [c.type for c in columns], scope)
        return self.ordered(bound, node, scope, prefix, top)

    def _values_by_key(
        self, rows: Sequence[Sequence[ir.Node]], refs: Sequence[TypeRef], scope: Scope
    ) -> BoundSelect | None:
        if any(n.type.oid != ref.oid for row in rows for n, ref in zip(row, refs, strict=True)):
            return None
        cast = [
            [n if n.type == ref else ir.Cast(ref, n) for n, ref in zip(row, refs, strict=True)]
            for row in rows
        ]
        made = [self.kept(Parts(None, None, [Target("", n) for n in row]), ()) for row in cast]
        around = tuple({(v.relation, v.column): v for v in scope.outer}.values())
        return self.over(tuple(m for m in made if m is not None), refs, refs, around, False)


def _place(node: exp.Expression, i: int) -> int:
    """Where the i-th column of a query stands; of a chain of hundreds only the first one is looked through."""
    while isinstance(node, exp.SetOperation | exp.Subquery):
        node = node.this
    if not isinstance(node, exp.Select):
        return 0
    written = node.expressions
    starred = any(isinstance(e, exp.Star) or isinstance(getattr(e, "this", None), exp.Star) for e in written)
    return first_position(written[i] if i < len(written) and not starred else node)
