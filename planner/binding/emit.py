"""Typed trees become DuckDB SQL, cut into pieces where the executor puts relations and values.

Every node's text is atomic: it can stand next to any operator without parentheses of the reader's making.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from planner import types as t
from planner.abc import Param, PlanError, SessionValue, TypeRef
from planner.binding import collating, ir, shapes
from planner.binding.comparable import (
    comparable,
    keyed_extreme,
    padded_extreme,
    plain_extreme,
    refuse_unordered,
)
from planner.binding.fragments import ARRAY_TEXT, Form, Frag, Item, Ref, Verbatim, join, quote_text, sql
from planner.binding.in_turn import ands, in_turn
from planner.binding.keyed.pairs_listed import in_groups, listed
from planner.binding.keyed.selects import row_of
from planner.binding.known_conditions import decided
from planner.binding.numeric_forms import as_text_numeric, column_form, literal_form, to_form
from planner.binding.records import null_test


@dataclass(slots=True)
class EmittedColumn:
    """How a relation's column is written (`sql` follows the relation's alias and a dot) and its numeric form."""

    sql: str
    form: Form = None
    whole: bool = False  # `sql` is the complete expression
    around: tuple[str, str] | None = None  # what is written before and after


Implementation = Callable[["Emitter", ir.Call, list[Frag]], Frag]


_LITERAL = re.compile(
    r"[( ]*(?:'(?:[^']|'')*'|[+-]?[\d.][\w.+-]*|NULL|true|false|CAST\((?:'(?:[^']|'')*'|[+-]?[\w.]+) AS [\w ]+(?:\([\d, ]*\))?\))[) ]*",
    re.IGNORECASE,
)

_REPEATABLE = ir.Var | ir.Lit | ir.Parm | ir.Call | ir.Cast | ir.Collated
"""What may be written out as often as one likes: it has no names of its own."""
_LEAVES = frozenset((ir.Var, ir.Argument, ir.Lit, ir.Parm, ir.Session))
"""Nodes with nothing below them that are the same value each time."""
_SHORT_MAX = 8
_ALIKE = (
    t.INT2, t.INT4, t.INT8, t.OID, t.TEXT, t.VARCHAR, t.NAME, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.UUID,
)  # fmt: skip
"""Types whose values are equal in DuckDB where their bytes are, so that it may look them up by hash."""


def _is_short(node: ir.Node) -> bool:
    """Whether it may be written out twice, and is the same both times."""
    nodes = ir.walk(node)
    return len(nodes) <= _SHORT_MAX and all(
        isinstance(n, _REPEATABLE) and not (isinstance(n, ir.Call) and n.volatile) for n in nodes
    )


def _conjuncts(node: ir.Node) -> Iterator[ir.Node]:
    if isinstance(node, ir.Logic) and node.op == "and":
        for a in node.args:
            yield from _conjuncts(a)
    else:
        yield node


@dataclass(slots=True)
class Emitter:
    """Writes trees. `aliases` and `columns` say how relations and their columns are called."""

    aliases: dict[int, str] = field(default_factory=dict)
    columns: dict[int, list[EmittedColumn]] = field(default_factory=dict)
    for_duckdb: ClassVar[bool] = True
    """Whether functions of DuckDB's own may be called that no other engine has (`functions.registry.natively`)."""
    aggregating: int = 0
    """How many aggregates are being written around what is written now."""
    varying: bool | None = None
    """Whether anything varies in the tree that is being written; None: none is."""
    lets: int = 0
    """How many values around what is written now have been given a name (`once`)."""
    shapes: dict[int, shapes.Shape] = field(default_factory=dict)
    """What is known of trees (`shapes`)."""
    unlike: dict[int, dict[int, str]] = field(default_factory=dict)
    """By relation: columns that may have equal values that are not the same, and what these differ in (`told_rows`)."""
    told: dict[int, set[int]] = field(default_factory=dict)
    """Those of them whose values somebody has to tell apart."""
    marked: int = 0
    """How many columns stand between marks (`unasked`)."""
    marks: dict[int, Ref] = field(default_factory=dict)
    """By mark: the column that the text between becomes."""

    asked: frozenset[int] = frozenset()
    """The conditions of the WHERE that is being written, by id: false and NULL are one to it."""
    apart: frozenset[int] = frozenset()
    """The ANDs, by id, whose sides stay apart (`in_turn`)."""

    def takes_queries_of_functions(self, position: int) -> None:
        """Asked before the body of a function in SQL becomes a subquery: an engine that may answer it otherwise raises."""

    # --- expressions -------------------------------------------------------------------------

    def frag(self, node: ir.Node) -> Frag:
        """The text of a tree, in which what varies is asked for once, and what is long is written once."""
        if type(node) in _LEAVES:
            return self.plain(node)
        deep = shapes.is_deep(node, self.shapes)
        if self.varying is False and not deep:
            return self.plain(node)
        from planner.binding import once

        outermost = self.varying is None
        if outermost:
            self.varying = shapes.shape(node, self.shapes).varies
        try:
            made = once.written(self, node) if deep or self.varying else None
            return self.plain(node) if made is None else made
        finally:
            if outermost:
                self.varying = None

    def where(self, node: ir.Node) -> Frag:
        """A condition that rows pass only if it is true."""
        before = self.asked
        self.asked = frozenset(id(n) for n in _conjuncts(node) if isinstance(n, ir.AnyAll))
        try:
            return self.on(node)
        finally:
            self.asked = before

    def on(self, node: ir.Node) -> Frag:
        """A condition whose parts DuckDB is to see each by itself, that of a join or as WHERE has it."""
        before = self.apart
        self.apart = frozenset(map(id, ands(node)))
        try:
            return self.frag(node)
        finally:
            self.apart = before

    def plain(self, node: ir.Node) -> Frag:
        """The text of a node, around what `frag` writes of its subexpressions."""
        if isinstance(node, ir.Var | ir.Argument):
            column = self.columns[node.relation][node.column]
            if column.whole:
                return Frag((column.sql,), column.form)
            if column.around is not None:
                return Frag((column.around[0], Ref(node.relation, node.column), column.around[1]))
            return Frag((Ref(node.relation, node.column),), column.form)
        if isinstance(node, ir.Lit):
            return self.literal(node)
        if isinstance(node, ir.Parm):
            if node.type.oid == t.RECORD:
                from planner.binding.functions.value_texts import record_value

                return record_value(Frag((Param(node.number, TypeRef(t.TEXT)),)), node.type)
            return Frag((Param(node.number, node.type),), column_form(node.type))
        if isinstance(node, ir.Session):
            return Frag((SessionValue(node.name, node.type),))
        if isinstance(node, ir.Call):
            return self.call(node)
        if isinstance(node, ir.Cast):
            from planner.binding.functions.conversions import convert

            return convert(self.frag(node.arg), node.arg.type, node.type, node.explicit)
        if isinstance(node, ir.Logic):
            return self.logic(node)
        if isinstance(node, ir.Collated):
            return self.frag(node.arg)
        if isinstance(node, ir.DomainCheck):
            from planner.binding.domains import emitted

            return emitted(self, node)
        if isinstance(node, ir.AnyAll):
            return self.any_all(node)
        if isinstance(node, ir.SubQuery):
            row = row_of(node)
            return self.subquery(node) if row is node else self.frag(row)
        if isinstance(node, ir.Let):
            from planner.binding.routines.values import let

            return let(self, node)
        if isinstance(node, ir.Aggregate):
            return self.aggregate(node)
        if isinstance(node, ir.Window):
            return self.window(node)
        if isinstance(node, ir.SetReturning):
            return sql("unnest(", self.set_returning_list(node), ")", form=self.set_returning_form(node))
        raise AssertionError(f"no text for {type(node).__name__}")

    def literal(self, node: ir.Lit) -> Frag:
        ref = node.type
        if node.value is None:
            if ref.oid in (t.RECORD, t.RECORD_ARRAY):
                return Frag(("NULL",))
            return Frag((f"CAST(NULL AS {self.duck(ref)})",), column_form(ref))
        oid = ref.oid
        if oid == t.UNKNOWN:
            return Frag((quote_text(node.value),))
        if oid == t.NUMERIC and ref.typmod < 0:
            form = literal_form(node.value)
            if form is not None:
                return Frag((f"CAST('{node.value}' AS DECIMAL({form[0]},{form[1]}))",), form)
            return Frag((quote_text(node.value),))
        if oid == t.INT4:
            return Frag((str(node.value) if node.value >= 0 else f"CAST('{node.value}' AS INTEGER)",))
        if oid in (t.TEXT, t.VARCHAR, t.BPCHAR, t.CITEXT, t.NAME, t.JSON, t.JSONB, t.UUID):
            return Frag((quote_text(node.value),))
        if oid == t.BOOL:
            return Frag(("true" if node.value else "false",))
        return Frag((t.literal_sql(node.value, ref),), column_form(ref))

    def duck(self, ref: TypeRef) -> str:
        if ref.oid in (t.UNKNOWN, t.CSTRING):
            return "VARCHAR"
        if ref.oid == t.VOID:
            return "VARCHAR"
        return t.duckdb_type(ref)

    def call(self, node: ir.Call) -> Frag:
        from planner.binding.functions.registry import implementation

        if (
            node.op.startswith("routine ") or ":" in node.op
        ):  # whoever writes the query down again has no use for this text
            return sql("NULL")
        made = implementation(node.op)
        if made is None:
            raise PlanError("0A000", f"{display_signature(node.op)} is not supported", position=node.position)
        if collating.matters(node):
            return collating.done(
                node, self.arguments(node.op, node.args), lambda args: made(self, node, list(args))
            )
        return made(self, node, self.arguments(node.op, node.args))

    def arguments(self, op: str, args: Sequence[ir.Node]) -> list[Frag]:
        """A function's arguments: arrays as lists, unless the function asks for their shapes."""
        from planner.binding.dimensions import ONE_DIMENSIONAL, SHAPED, as_list, single

        frags = [self.frag(a) for a in args]
        if op in SHAPED or op.startswith("#"):  # what is named after a user's type takes whole values
            return frags
        if op in ONE_DIMENSIONAL:
            return [single(f) if f.form == ARRAY_TEXT else f for f in frags]
        return [as_list(f, a.type) if f.form == ARRAY_TEXT else f for f, a in zip(frags, args, strict=True)]

    # --- what is grammar ---------------------------------------------------------------------

    def logic(self, node: ir.Logic) -> Frag:
        if node.op in ("case", "coalesce", "and", "or"):
            left = decided(node)
            if isinstance(left, ir.Lit):  # no bare number, which would be that of an output to ORDER BY
                made = self.literal(left)
                return made if made.form else sql("CAST(", made, f" AS {self.duck(left.type)})")
            if not isinstance(left, ir.Logic):
                return self.frag(left)
            node = left
        op, args = node.op, node.args
        if op in ("and", "or") and id(node) not in self.apart and (turns := in_turn(self, node)) is not None:
            return turns
        if op in ("and", "or"):
            frags = [self.frag(a) for a in args]
            if op == "or":
                among = self._among(args, frags) or listed(args, self.frag, lambda n: n.type.oid in _ALIKE)
                if among is not None:
                    return among
                frags = in_groups(frags)
            return sql("(", join(f" {op.upper()} ", frags), ")")
        if op == "not":
            return sql("(NOT ", self.frag(args[0]), ")")
        if op.startswith("is ") and len(args) == 1:
            frag = self.frag(args[0])
            if op == "is present":  # whether there is a value, whatever its fields
                return sql("(", frag, " IS NOT NULL)")
            if op in ("is unknown", "is not unknown"):
                op = op.replace("unknown", "null")
            if args[0].type.oid == t.RECORD and (of_fields := null_test(op, row_of(args[0]))) is not None:
                return self.frag(of_fields)
            if op in ("is null", "is not null") and t.composite_fields(args[0].type.oid) is not None:
                return sql(f"tw_record_{'present' if op == 'is not null' else 'absent'}(", frag, ")")
            return sql("(", frag, f" {op.upper()})")
        if op == "coalesce":
            frags, form = self.unified(args, node.type)
            *before, last = args
            if before and isinstance(last, ir.Call | ir.Cast | ir.Logic) and all(map(_is_short, before)):
                # Of coalesce DuckDB computes beforehand what is in it twice (an argument of a macro), needed or not; of CASE it does not.
                whens = [sql(" WHEN ", f, " IS NOT NULL THEN ", f) for f in frags[:-1]]
                return sql("(CASE", *whens, " ELSE ", frags[-1], " END)", form=form)
            return sql("coalesce(", join(", ", frags), ")", form=form)
        if op == "case":
            values = list(args[1::2]) + ([args[-1]] if len(args) % 2 else [])
            frags, form = self.unified(values, node.type)
            items: list[Item] = ["(CASE"]
            for i in range(len(args) // 2):
                items += [" WHEN ", self.frag(args[2 * i]), " THEN ", frags[i]]
            if len(args) % 2:
                items += [" ELSE ", frags[-1]]
            return sql(*items, " END)", form=form)
        if op in ("greatest", "least"):
            by_language = collating.matters(node)
            frags, form = self.unified(args, node.type)
            if by_language:
                return collating.extreme_of(node, frags)
            if node.type.oid == t.NUMERIC and form is None:
                return sql(f"tw_num_{op}([", join(", ", frags), "])")
            if node.type.oid == t.BPCHAR:
                return padded_extreme(op, frags)
            by_key = keyed_extreme(op, frags, node.type)
            return by_key or plain_extreme(op, frags).with_form(form)
        if op == "array":
            return self._array(node)
        if op == "row":
            return self._record(node)
        raise AssertionError(op)

    def _among(self, args: Sequence[ir.Node], frags: Sequence[Frag]) -> Frag | None:
        """`a = 1 OR a = 2` as `a IN (1, 2)`: what `a` is, is computed once. None where it is not that."""
        first = args[0]
        if not isinstance(first, ir.Call) or len(first.args) != 2 or ir.varies(first):
            return None
        left = first.args[0]
        if left.type.oid not in _ALIKE or not all(isinstance(n, _REPEATABLE) for n in ir.walk(left)):
            return None
        value, found = self.frag(left), []
        for arg, frag in zip(args, frags, strict=True):
            if not isinstance(arg, ir.Call) or arg.op != first.op or arg.args[0] != left:
                return None
            if not isinstance(arg.args[1], ir.Lit | ir.Parm):
                return None
            among = self.frag(arg.args[1])
            if among.form is not None or frag != sql("(", value, " = ", among, ")"):
                return None  # equality takes more than DuckDB's own
            found.append(among)
        return sql("(", value, " IN (", join(", ", found), "))")

    def _array(self, node: ir.Logic) -> Frag:
        from planner.binding.dimensions import list_type

        element = TypeRef(t.element_of(node.type.oid), node.type.typmod)
        if node.args and any(t.element_of(a.type.oid) for a in node.args):
            return self._matrix(node)
        frags, _ = self.unified(node.args, TypeRef(element.oid), exact=True)
        if element.oid == t.RECORD:
            known = bool(frags) or node.type.typmod >= 0  # of no elements DuckDB takes what stands beside it
            return sql("[", join(", ", frags), "]") if known else sql("CAST([] AS VARCHAR[])")
        return sql("CAST([", join(", ", frags), f"] AS {list_type(self, node.type)})")

    def _matrix(self, node: ir.Logic) -> Frag:
        """ARRAY of arrays: one dimension more, when the inner ones are of one size (2202E)."""
        from planner.binding.dimensions import as_text

        odd = "multidimensional arrays must have array expressions with matching dimensions"
        if not all(t.element_of(a.type.oid) for a in node.args):
            raise PlanError("2202E", odd)
        texts = [as_text(self.frag(a), a.type) for a in node.args]
        return sql("tw_array_stack(CAST([", join(", ", texts), "] AS VARCHAR[]), false)", form=ARRAY_TEXT)

    def _record(self, node: ir.Logic) -> Frag:
        """A row as a struct with the fields of its type; numerics in it are texts."""
        collating.refuse_nondeterministic(node.args, "a row of values")
        from planner.binding.records import fields_of

        fields = fields_of(node.type) or tuple((f"f{i + 1}", a.type) for i, a in enumerate(node.args))
        items = [
            sql(
                quote_text(n),
                ": ",
                self.in_record(a),
            )
            for (n, _), a in zip(fields, node.args, strict=True)
        ]
        return sql("{", join(", ", items), "}") if items else sql("{'f0': NULL}")

    def in_record(self, node: ir.Node) -> Frag:
        """A record's field: numerics and arrays are texts there."""
        from planner.binding.dimensions import as_text

        frag = self.frag(node)
        return as_text_numeric(frag) if node.type.oid == t.NUMERIC else as_text(frag, node.type)

    def unified(
        self, nodes: Sequence[ir.Node], ref: TypeRef, *, exact: bool = False
    ) -> tuple[list[Frag], Form]:
        """Fragments of one type in one form: numerics of different scales become texts."""
        frags = [self.frag(n) for n in nodes]
        if ref.oid != t.NUMERIC:
            shapes = {
                f.form
                for f, n in zip(frags, nodes, strict=True)
                if not (isinstance(n, ir.Lit) and n.value is None)
            }
            if len(shapes) > 1 or ARRAY_TEXT in shapes:
                from planner.binding.dimensions import as_text

                return [as_text(f, ref) for f in frags], ARRAY_TEXT
            if t.element_of(ref.oid):  # lists: what is NULL has the type of the others
                nothing = Frag(("NULL",))
                frags = [
                    nothing if isinstance(n, ir.Lit) and n.value is None and shapes else f
                    for f, n in zip(frags, nodes, strict=True)
                ]
            nothing_known = ARRAY_TEXT if t.element_of(ref.oid) and ref.oid != t.RECORD_ARRAY else None
            return frags, shapes.pop() if shapes else nothing_known
        if exact and ref.typmod < 0:
            return [as_text_numeric(f) for f in frags], None
        forms = {
            f.form
            for f, n in zip(frags, nodes, strict=True)
            if not (isinstance(n, ir.Lit) and n.value is None)
        }
        if not forms or None in forms or len({f[1] for f in forms if f is not None}) != 1:
            return [as_text_numeric(f) for f in frags], None
        scale = next(f[1] for f in forms if f is not None)
        precision = max(f[0] for f in forms if f is not None)
        form = (precision, scale)
        return [to_form(f, form) for f in frags], form

    def any_all(self, node: ir.AnyAll) -> Frag:
        from planner.binding.emitted_queries import any_all

        return any_all(self, node)

    def written(self, ref: Ref) -> str | Verbatim:
        """How a column is written in the end."""
        return f"{self.aliases[ref.relation]}.{self.columns[ref.relation][ref.column].sql}"

    def subquery(self, node: ir.SubQuery) -> Frag:
        from planner.binding.emitted_queries import subquery

        return subquery(self, node)

    # --- functions that return sets ------------------------------------------------------------

    def set_returning_list(self, node: ir.SetReturning) -> Frag:
        """The rows of a set-returning function as a list."""
        from planner.binding.functions.registry import implementation

        if node.op.startswith("routine "):
            return sql("[NULL]")
        made = implementation(node.op)
        if made is None:
            raise PlanError("0A000", f"{display_signature(node.op)} is not supported")
        rows = made(self, ir.Call(node.type, node.op, node.args), self.arguments(node.op, node.args))
        if node.asked is None:
            return rows
        from planner.binding.domains import emitted_rows

        return emitted_rows(self, node.asked, rows)

    def set_returning_form(self, node: ir.SetReturning) -> Form:
        return None

    # --- aggregates and windows ----------------------------------------------------------------

    def aggregate(self, node: ir.Aggregate, over: Frag | None = None) -> Frag:
        from planner.binding.functions.aggregates import aggregate

        self.aggregating += 1
        try:
            return aggregate(self, node, over)
        finally:
            self.aggregating -= 1

    def window(self, node: ir.Window) -> Frag:
        from planner.binding.functions.windows import window

        return window(self, node)

    def firsts(self, keys: Sequence[ir.Node]) -> Frag:
        """The keys of DISTINCT ON."""
        return join(", ", [self._no_number(self.sort_key(n), n) for n in keys])

    def _no_number(self, key: Frag, node: ir.Node) -> Frag:
        """A constant orders nothing, but a bare number would be the number of an output to DuckDB, and other literals it refuses.
        So it is with what a parameter says."""
        if isinstance(node, ir.Parm):
            return sql("(", key, " IS NULL)")
        return sql("(1 + 0)") if key.text is not None and _LITERAL.fullmatch(key.text) else key

    def order(self, keys: Sequence[ir.SortKey], ranged: bool = False) -> Frag:
        """`ranged`: a frame is as far from the key as an offset says, so the key is a value of its type."""
        items = []
        for k in keys:
            refuse_unordered(k.expr.type)
            key = self.sort_key(k.expr)
            bare = self._no_number(key, k.expr)
            key = sql("coalesce(", key, ", ", key, ")") if ranged and bare is not key else bare
            items.append(
                sql(
                    key,
                    " DESC" if k.descending else " ASC",
                    " NULLS FIRST" if k.nulls_first else " NULLS LAST",
                )
            )
        return join(", ", items)

    def sort_key(self, node: ir.Node) -> Frag:
        """An expression by which DuckDB sorts, groups and tells apart as PostgreSQL does."""
        by_language = collating.sort_key(self.frag(node), node)
        if by_language is not None:
            return by_language
        if node.type.oid == t.BPCHAR:
            return sql("rtrim(", self.frag(node), ", ' ')")
        if node.type.oid == t.RECORD:
            from planner.binding.records import items_of

            parts = items_of(node)
            if parts:  # in the form of a record's fields, for the other record may have no other
                keys = [
                    comparable(self.in_record(p), p.type)
                    if p.type.oid == t.NUMERIC or t.element_of(p.type.oid)
                    else self.sort_key(p)
                    for p in parts
                ]
                return sql("row(", join(", ", keys), ")")
        return comparable(self.frag(node), node.type)


def display_signature(op: str) -> str:
    """`lower(text)` -> function lower(text); `int4 + int4` -> operator integer + integer."""
    if op.endswith(")"):
        name, _, args = op[:-1].partition("(")
        shown = ", ".join(display_type(a) for a in args.split(", ") if a)
        return f"function {name}({shown})"
    words = [display_type(w) if w.isidentifier() else w for w in op.split(" ")]
    return "operator " + " ".join(words)


def display_type(name: str) -> str:
    from planner.binding.facts import types_by_name

    found = types_by_name().get(name)
    if found is None:
        return name
    try:
        return t.type_in_words(found.oid)
    except PlanError:
        return name
