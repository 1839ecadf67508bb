"""Aggregates: PostgreSQL's result types, display scales, ORDER BY, FILTER, DISTINCT and WITHIN GROUP.

`sum(int4)` is a bigint, `sum(int8)` a numeric, `avg` a numeric whose scale depends on the value: sums
are taken in DECIMAL or HUGEINT, and the one division happens after the aggregation, as is where numerics are texts (`exact_sums`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import collating, ir
from planner.binding.comparable import comparable, needs_key
from planner.binding.dimensions import as_text
from planner.binding.emit import Emitter, display_signature
from planner.binding.fragments import ARRAY_TEXT, DECIMAL_DIGITS_MAX, Form, Frag, Item, join, sql
from planner.binding.functions.exact_sums import text_sum
from planner.binding.numeric_forms import as_text_numeric
from planner.binding.routines import own_aggregates
from planner.binding.routines.inlined import ROUTINE
from planner.records import replace

_PAIRS = frozenset(
    ("arg_min", "arg_max", "corr", "covar_pop", "covar_samp", *(f"regr_{of}" for of in ("avgx", "avgy", "count", "intercept", "r2", "slope", "sxx", "sxy", "syy")))
)  # fmt: skip
"""What has two arguments of each row; elsewhere the second is a constant."""

Write = Callable[[Frag], Frag]
"""Puts ORDER BY, DISTINCT, FILTER and OVER around `name(args`: see `Around`."""


class Around:
    """The clauses of one call, to be written round each DuckDB aggregate that it becomes."""

    def __init__(self, emitter: Emitter, node: ir.Aggregate, over: Frag | None) -> None:
        self.emitter, self.node, self.over = emitter, node, over
        self.filter = emitter.frag(node.filter) if node.filter is not None else None
        asked = (*node.args, *(k.expr for k in node.order))
        self.lazy = self.filter is not None and any(
            isinstance(n, ir.Call | ir.Cast) for a in asked for n in ir.walk(a)
        )

    def guarded(self, arg: Item) -> Item:
        """DuckDB computes arguments before it filters: what would fail there must not be asked."""
        return sql("CASE WHEN ", self.filter, " THEN ", arg, " END") if self.lazy and self.filter else arg

    def ordering(self, keys: Sequence[ir.SortKey] | None = None) -> Frag | None:
        """The text of the call's ORDER BY, or of other keys."""
        keys = self.node.order if keys is None else keys
        if self.lazy and self.node.filter is not None:
            test = self.node.filter
            keys = [replace(k, expr=ir.Logic(k.expr.type, "case", (test, k.expr))) for k in keys]
        return self.emitter.order(keys) if keys else None

    def call(
        self,
        name: str,
        args: Sequence[Item],
        *,
        order: Frag | None = None,
        distinct: bool = True,
        guard: bool = True,
        filtered: Frag | None = None,
    ) -> Frag:
        """`order`: its ORDER BY. `filtered`: a condition beside the FILTER."""
        by_value = (
            name == "list" and self.node.distinct and distinct and self.node.args[0].type.oid == t.NUMERIC
        )
        items: list[Item] = ["tw_num_distinct(list(" if by_value else f"{name}("]
        if self.node.distinct and distinct and not by_value:
            items.append("DISTINCT ")
        if guard:
            args = [
                a if a == "*" or (i and name not in _PAIRS) else self.guarded(a) for i, a in enumerate(args)
            ]
        items.append(join(", ", list(args)))
        if order is not None:
            items += [" ORDER BY ", order]
        items.append(")")
        test = self.filter
        if filtered is not None:
            test = filtered if test is None else sql("(", test, " AND ", self.guarded(filtered), ")")
        if test is not None:
            items += [" FILTER (WHERE ", test, ")"]
        if self.over is not None:
            items += [" OVER (", self.over, ")"]
        if by_value:
            items.append(")")  # texts of one value may differ: 1.5 and 1.50
        return sql(*items)

    def values(self, value: Frag, *, filtered: Frag | None = None) -> Frag:
        """The list of what a call collects, in its order; DISTINCT keeps one of what compares equal."""
        node = self.node
        if not node.distinct:
            return self.call("list", [value], order=self.ordering(), filtered=filtered)
        # PostgreSQL finds distinct values by sorting: by ORDER BY first, then by the arguments left over.
        given = [a for a in node.args if not isinstance(a, ir.Lit)] or list(node.args)
        said = [k.expr for k in node.order]
        order = self.ordering([*node.order, *(ir.SortKey(a) for a in given if a not in said)])
        keys = join(", ", [sql(f"k{i} := ", self.emitter.sort_key(a)) for i, a in enumerate(given)])
        pair = sql("{'k': struct_pack(", keys, "), 'v': ", value, "}")
        pairs = self.call("list", [pair], order=order, distinct=False, filtered=filtered)
        return sql("tw_distinct_sorted(", pairs, ")")


Maker = Callable[[Around, list[Frag]], Frag]
_TABLE: dict[str, Maker] = {}


@lru_cache(maxsize=1)
def _table() -> dict[str, Maker]:
    """All of them, those of other rooms included."""
    import_module("planner.binding.functions.hypothetical")
    import_module("planner.binding.functions.percentiles")
    import_module("planner.binding.functions.spreads")
    return _TABLE


def aggregate(emitter: Emitter, node: ir.Aggregate, over: Frag | None) -> Frag:
    maker = _table().get(node.op)
    if maker is None and node.op.startswith(ROUTINE):
        return own_aggregates.emitted(Around(emitter, node, over))
    if maker is None:
        shown = display_signature(node.op).replace("function ", "aggregate ", 1)
        raise PlanError("0A000", f"{shown} is not supported", position=node.position)
    around, args = Around(emitter, node, over), [emitter.frag(a) for a in node.args]
    if collating.matters(node):
        return around.call(*collating.extreme(node, args[0]), distinct=False)
    return maker(around, args)


def signatures() -> list[str]:
    return sorted(_table())


def aggregates(*names: str) -> Callable[[Maker], Maker]:
    def decorate(made: Maker) -> Maker:
        for n in names:
            assert n not in _TABLE, n
            _TABLE[n] = made
        return made

    return decorate


@aggregates("count()")
def _count_rows(around: Around, args: list[Frag]) -> Frag:
    return around.call("count", ["*"])


@aggregates("count(any)")
def _count(around: Around, args: list[Frag]) -> Frag:
    arg = around.node.args[0]
    value = comparable(args[0], arg.type, collating.told_apart(arg)) if around.node.distinct else args[0]
    if isinstance(arg, ir.Logic) and arg.op == "row":
        return around.call("count", [value if around.node.distinct else sql("1")])
    return around.call("count", [value])


@aggregates("sum(int2)", "sum(int4)")
def _sum_small(around: Around, args: list[Frag]) -> Frag:
    return sql("CAST(", around.call("sum", args), " AS BIGINT)")


@aggregates("sum(int8)")
def _sum_big(around: Around, args: list[Frag]) -> Frag:
    form = (DECIMAL_DIGITS_MAX, 0)
    return sql("CAST(", around.call("sum", args), " AS DECIMAL(38,0))", form=form)


@aggregates("sum(money)")
def _sum_money(around: Around, args: list[Frag]) -> Frag:
    return sql("tw_money_sum(CAST(", around.call("sum", args), " AS VARCHAR))")


@aggregates("sum(interval)")
def _sum_interval(around: Around, args: list[Frag]) -> Frag:
    def total(part: str) -> Frag:
        if not around.node.distinct:
            return around.call("sum", [sql(f"{part}(", args[0], ")")])
        # Distinct are the intervals, not their months, days and microseconds.
        values = around.call("list", args)
        return sql("list_sum(list_transform(", values, f", lambda tw_x: {part}(tw_x)))")

    months, days, micros = (total(part) for part in ("tw_months", "tw_days", "tw_micros"))
    return sql(
        "(to_months(CAST(", months, " AS INTEGER)) + to_days(CAST(", days, " AS INTEGER)) + to_microseconds(CAST(", micros, " AS BIGINT)))"
    )  # fmt: skip


def _numeric_sum(around: Around, x: Frag) -> Frag:
    if x.form is not None:
        return around.call("sum", [x]).with_form((DECIMAL_DIGITS_MAX, x.form[1]))
    return text_sum(around, x)


@aggregates("sum(numeric)")
def _sum_numeric(around: Around, args: list[Frag]) -> Frag:
    return _numeric_sum(around, _one_scale(around, args[0]))


def _one_scale(around: Around, x: Frag) -> Frag:
    """A CASE over decimals of several scales, in the widest of them."""
    node = around.node.args[0]
    if x.form is not None or not isinstance(node, ir.Logic) or node.op not in ("case", "coalesce"):
        return x
    values = (
        [*node.args[1::2], *([node.args[-1]] if len(node.args) % 2 else [])]
        if node.op == "case"
        else list(node.args)
    )
    frags = [around.emitter.frag(v) for v in values]
    forms: list[Form] = [
        f.form for f, v in zip(frags, values, strict=True) if not (isinstance(v, ir.Lit) and v.value is None)
    ]
    if not forms or None in forms:
        return x
    known = [f for f in forms if f is not None]
    scale = max(f[1] for f in known)
    whole = max(f[0] - f[1] for f in known)
    if whole + scale > DECIMAL_DIGITS_MAX:
        return x
    form = (whole + scale, scale)
    cast = [sql("CAST(", f, f" AS DECIMAL({form[0]},{form[1]}))") for f in frags]
    if node.op == "coalesce":
        return sql("coalesce(", join(", ", cast), ")", form=form)
    items: list[Item] = ["(CASE"]
    for i in range(len(node.args) // 2):
        items += [" WHEN ", around.emitter.frag(node.args[2 * i]), " THEN ", cast[i]]
    if len(node.args) % 2:
        items += [" ELSE ", cast[-1]]
    return sql(*items, " END)", form=form)


@aggregates("avg(int2)", "avg(int4)", "avg(int8)")
def _avg_int(around: Around, args: list[Frag]) -> Frag:
    total = sql("CAST(", around.call("sum", args), " AS VARCHAR)")
    return sql("tw_num_avg(", total, ", ", around.call("count", args), ")")


@aggregates("avg(numeric)")
def _avg_numeric(around: Around, args: list[Frag]) -> Frag:
    total = _numeric_sum(around, _one_scale(around, args[0]))
    counted = comparable(args[0], around.node.args[0].type) if around.node.distinct else args[0]
    return sql("tw_num_avg(", as_text_numeric(total), ", ", around.call("count", [counted]), ")")


@aggregates("avg(interval)")
def _avg_interval(around: Around, args: list[Frag]) -> Frag:
    return sql(
        "tw_interval_div(", _sum_interval(around, args), ", CAST(", around.call("count", args), " AS DOUBLE))"
    )


def _of_list(function: str) -> Maker:
    """A Python function of all that is there."""

    def made(around: Around, args: list[Frag]) -> Frag:
        whole = around.call("list", args)
        return sql(f"{function}(list_filter(", whole, ", lambda tw_x: tw_x IS NOT NULL))")

    return made


def _extreme(kind: str) -> Maker:
    def made(around: Around, args: list[Frag]) -> Frag:
        x, ref = args[0], around.node.args[0].type
        if ref.oid == t.BPCHAR or needs_key(x, ref):
            # Also of one width char(n) are ordered by what stands before their blanks: a tab is less than one.
            key = comparable(x, TypeRef(t.BPCHAR) if ref.oid == t.BPCHAR else ref)
            return around.call(f"arg_{kind}", [x, key], distinct=False).with_form(x.form)
        if t.element_of(ref.oid) and any(isinstance(n, ir.SubQuery) for n in ir.walk(around.node.args[0])):
            return around.call(f"arg_{kind}", [x, x], distinct=False).with_form(
                x.form
            )  # DuckDB copies a list's expression, and no query's
        return around.call(kind, [x], distinct=False).with_form(x.form)

    return made


for _signature, _made in (("sum(vector)", "tw_vector_summed"), ("avg(vector)", "tw_vector_averaged")):
    aggregates(_signature)(_of_list(_made))


for _kind in ("min", "max"):
    for _type in [
        "int2",
        "int4",
        "int8",
        "float4",
        "float8",
        "numeric",
        "text",
        "bpchar",
        "citext",
        "date",
        "time",
        "timetz",
        "timestamp",
        "timestamptz",
        "interval",
        "oid",
        "tid",
        "pg_lsn",
        "money",
        "anyarray",
        "anyenum",
        "inet",
        "xid8",
    ]:
        aggregates(f"{_kind}({_type})")(_extreme(_kind))


@aggregates("bool_and(bool)", "every(bool)")
def _bool_and(around: Around, args: list[Frag]) -> Frag:
    return around.call("bool_and", args)


@aggregates("bool_or(bool)")
def _bool_or(around: Around, args: list[Frag]) -> Frag:
    return around.call("bool_or", args)


def plain(name: str) -> Maker:
    """DuckDB's aggregate of this name is PostgreSQL's."""
    return lambda around, args: around.call(name, args)


for _name in ("bit_and", "bit_or", "bit_xor"):
    for _type in ("int2", "int4", "int8"):
        aggregates(f"{_name}({_type})")(plain(_name))


@aggregates("string_agg(text, text)")
def _string_agg(around: Around, args: list[Frag]) -> Frag:
    x, separator = args
    node = around.node
    if isinstance(node.args[1], ir.Lit) and not node.distinct:
        if around.over is not None and node.order:
            raise PlanError("0A000", "ORDER BY in a window's string_agg is not supported")
        constant = separator if node.args[1].value is not None else sql("''")
        return around.call("string_agg", [x, constant], order=around.ordering())
    # Each value brings its own separator; the first one's is not used.
    pairs = around.values(
        sql("{'v': ", x, ", 's': coalesce(", separator, ", '')}"), filtered=sql(x, " IS NOT NULL")
    )
    return sql("tw_string_agg(", pairs, ")")


@aggregates("string_agg(bytea, bytea)")
def _bytes_agg(around: Around, args: list[Frag]) -> Frag:
    x, separator = (sql("hex(", a, ")") for a in args)
    pairs = around.values(
        sql("{'v': ", x, ", 's': coalesce(", separator, ", '')}"), filtered=sql(args[0], " IS NOT NULL")
    )
    return sql("unhex(tw_string_agg(", pairs, "))")


@aggregates("xmlagg(xml)")
def _xml_agg(around: Around, args: list[Frag]) -> Frag:
    return sql("tw_xml_concat(", around.values(args[0], filtered=sql(args[0], " IS NOT NULL")), ")")


@aggregates("array_agg(anyarray)")
def _matrix_agg(around: Around, args: list[Frag]) -> Frag:
    """Arrays of one size become an array with a dimension more."""
    texts = as_text(args[0], around.node.args[0].type)
    return sql("tw_array_stack(", around.values(texts), ", true)", form=ARRAY_TEXT)


@aggregates("array_agg(anynonarray)")
def _array_agg(around: Around, args: list[Frag]) -> Frag:
    return around.values(as_text_numeric(args[0]) if around.node.args[0].type.oid == t.NUMERIC else args[0])


@aggregates("range_agg(anyrange)", "range_agg(anymultirange)")
def _range_agg(around: Around, args: list[Frag]) -> Frag:
    return sql("tw_range_agg(", str(around.node.type.oid), ", ", around.call("list", args), ")")


@aggregates("range_intersect_agg(anyrange)", "range_intersect_agg(anymultirange)")
def _range_intersect_agg(around: Around, args: list[Frag]) -> Frag:
    return sql("tw_range_intersect_agg(", str(around.node.type.oid), ", ", around.call("list", args), ")")


def _bits(op: str) -> Maker:
    def made(around: Around, args: list[Frag]) -> Frag:
        return sql(f"tw_bits_folded('{op}', ", around.call("list", args), ")")

    return made


for _name, _op in (("bit_and", "&"), ("bit_or", "|"), ("bit_xor", "#")):
    _TABLE[f"{_name}(bit)"] = _bits(_op)


@aggregates("mode(anyelement)")
def _mode(around: Around, args: list[Frag]) -> Frag:
    value, node = args[0], around.node.args[0]
    if not any(isinstance(n, ir.Var) for n in ir.walk(node)):
        # DuckDB would order by a constant, and takes what it orders by for an argument.
        return around.call("any_value", [value], distinct=False).with_form(value.form)

    # Of those that are there equally often the first in order: DuckDB takes the first that it meets.
    def found(name: str, x: Frag) -> Frag:
        return around.call(name, [x], order=around.ordering(), distinct=False)

    if not needs_key(value, node.type):
        return found("mode", value).with_form(value.form)
    key = comparable(value, node.type)
    place = sql("list_position(", found("list", key), ", ", found("mode", key), ")")
    return sql(found("list", value), "[", place, "]").with_form(value.form)


# --- json ------------------------------------------------------------------------------------------


def _json_agg(around: Around, args: list[Frag], binary: bool) -> Frag:
    from planner.binding.functions.json import value_json

    node = around.node
    value = value_json(args[0], node.args[0], around.emitter)
    made = around.values(sql("coalesce(", value, ", 'null')"))
    if binary:
        return sql("tw_jsonb(tw_json_array(", made, "))")
    kind = node.args[0].type.oid
    parts = kind == t.RECORD or t.element_of(kind) or t.composite_fields(kind) is not None
    return sql("tw_json_rows(" if parts else "tw_json_array(", made, ")")


aggregates("json_agg(anyelement)")(lambda a, x: _json_agg(a, x, False))
aggregates("jsonb_agg(anyelement)")(lambda a, x: _json_agg(a, x, True))


def _json_object_agg(around: Around, args: list[Frag], binary: bool) -> Frag:
    from planner.binding.functions.json import key_json, value_json

    key = key_json(args[0], around.node.args[0].type)
    value = value_json(args[1], around.node.args[1], around.emitter)
    made = around.values(sql("{'k': ", key, ", 'v': coalesce(", value, ", 'null')}"))
    return sql("tw_jsonb_object(" if binary else "tw_json_object(", made, ")")


aggregates("json_object_agg(any, any)")(lambda a, x: _json_object_agg(a, x, False))
aggregates("jsonb_object_agg(any, any)")(lambda a, x: _json_object_agg(a, x, True))
