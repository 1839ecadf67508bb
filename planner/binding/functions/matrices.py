"""What arrays' functions do with dimensions: sizes, joining, subscripts and slices of arrays within arrays."""

from __future__ import annotations

from planner import types as t
from planner.abc import PlanError
from planner.binding import ir
from planner.binding.dimensions import depth, first_of, flat, form_of
from planner.binding.emit import Emitter, Frag, Item, as_text_numeric, join, sql
from planner.binding.functions.registry import implements

_INCOMPATIBLE = PlanError(
    "2202E",
    "cannot concatenate incompatible arrays",
    detail="Arrays with differing dimensions are not compatible for concatenation.",
)
_VECTORS = (t.INT2VECTOR, t.OIDVECTOR)


def _from_zero(node: ir.Node) -> bool:
    """Whether an array is, or was until a cast, one of the catalog vectors that count from zero."""
    return node.type.oid in _VECTORS or (isinstance(node, ir.Cast) and node.arg.type.oid in _VECTORS)


def _size(array: Frag, dimension: int) -> Frag:
    return sql("len(", first_of(array, dimension), ")")


def _by_dimension(array: Frag, asked: Frag, made: str) -> Frag:
    """CASE over the dimension asked for; `made` has {n} for the size there."""
    items: list[Item] = ["CASE"]
    for d in range(1, depth(array) + 1):
        size = _size(array, d)
        before, _, after = made.partition("{n}")
        value = sql(before, size, after) if "{n}" in made else sql(made)
        items += [" WHEN ", asked, f" = {d} AND len(", flat(array), ") > 0 THEN ", value]
    return sql(*items, " END")


@implements("array_length(anyarray, int4)")
def _length(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return _by_dimension(args[0], args[1], "CAST({n} AS INTEGER)")


@implements("array_upper(anyarray, int4)")
def _upper(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    if _from_zero(call.args[0]):
        return _by_dimension(args[0], args[1], "CAST({n} - 1 AS INTEGER)")
    return _by_dimension(args[0], args[1], "CAST({n} AS INTEGER)")


@implements("array_lower(anyarray, int4)")
def _lower(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return _by_dimension(args[0], args[1], "0" if _from_zero(call.args[0]) else "1")


@implements("array_ndims(anyarray)")
def _ndims(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("CASE WHEN len(", flat(args[0]), f") > 0 THEN {depth(args[0])} END")


@implements("array_dims(anyarray)")
def _dims(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    if _from_zero(call.args[0]):
        return sql("CASE WHEN len(", args[0], ") > 0 THEN '[0:' || (len(", args[0], ") - 1) || ']' END")
    parts = [sql("'[1:' || ", _size(args[0], d), " || ']'") for d in range(1, depth(args[0]) + 1)]
    return sql("CASE WHEN len(", flat(args[0]), ") > 0 THEN ", join(" || ", parts), " END")


@implements("cardinality(anyarray)")
def _cardinality(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("CAST(len(", flat(args[0]), ") AS INTEGER)")


@implements("unnest(anyarray)")
def _unnest(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return flat(args[0])


@implements("anycompatiblearray || anycompatiblearray", "array_cat(anycompatiblearray, anycompatiblearray)")
def _concatenated(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    a, b = args
    x, y = depth(a), depth(b)
    if isinstance(call.args[0], ir.Lit) and call.args[0].value is None:
        return b
    if isinstance(call.args[1], ir.Lit) and call.args[1].value is None:
        return a
    if abs(x - y) > 1:
        raise _INCOMPATIBLE
    if x == y == 1:
        # NULL is nothing to add; of two NULLs there is nothing left.
        both = sql("list_concat(", a, ", ", b, ")")
        return sql("CASE WHEN ", a, " IS NULL AND ", b, " IS NULL THEN NULL ELSE ", both, " END")
    parts = [f if depth(f) == max(x, y) else sql("[", f, "]") for f in (a, b)]
    made = sql("list_concat(", parts[0], ", ", parts[1], ")")
    sizes = [_inner_size(f, max(x, y)) for f in parts]
    return sql("CASE WHEN ", sizes[0], " <> ", sizes[1], " THEN error('[2202E] cannot concatenate incompatible arrays') ELSE ",
               made, " END", form=form_of(max(x, y)))  # fmt: skip


def _inner_size(frag: Frag, dimensions: int) -> Frag:
    return sql("len(list_extract(", frag, ", 1))")


@implements("array subscript")
def _subscripts(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    array, places = args[0], args[1:]
    if depth(array) != len(places):
        return sql("CAST(NULL AS ", t.duckdb_type(call.type), ")")
    # list_extract counts negative subscripts from the end; PostgreSQL has nothing there.
    found = array.with_form(None)
    for place in places:
        found = sql("CASE WHEN ", place, " > 0 THEN list_extract(", found, ", ", place, ") END")
    return found


@implements("array slice")
def _slices(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    array, bounds = args[0], args[1:]
    dimensions = depth(array)
    if len(bounds) // 2 > dimensions:
        return sql("CAST([] AS ", t.duckdb_type(call.type), ")")

    def cut(frag: Frag, at: int) -> Frag:
        if 2 * at >= len(bounds):
            return frag
        low, high = call.args[1 + 2 * at], call.args[2 + 2 * at]
        first = (
            "1" if isinstance(low, ir.Lit) and low.value is None else sql("greatest(", bounds[2 * at], ", 1)")
        )
        open_end = isinstance(high, ir.Lit) and high.value is None
        last = sql("len(", frag, ")") if open_end else sql("greatest(", bounds[2 * at + 1], ", 0)")
        inner = sql("list_slice(", frag, ", ", first, ", ", last, ")")
        if 2 * (at + 1) >= len(bounds):
            return inner
        name = f"tw_s{at}"
        return sql("list_transform(", inner, f", lambda {name}: ", cut(Frag((name,)), at + 1), ")")

    made = cut(array.with_form(None), 0)
    given = [
        sql(b, " IS NOT NULL")
        for b, n in zip(bounds, call.args[1:], strict=True)
        if not isinstance(n, ir.Lit)
    ]
    if given:
        made = sql("CASE WHEN ", join(" AND ", given), " THEN ", made, " END")
    return made.with_form(array.form)


@implements("generate_subscripts(anyarray, int4)", "generate_subscripts(anyarray, int4, bool)")
def _numbers(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    first = 0 if _from_zero(call.args[0]) else 1
    count = sql("coalesce(", _by_dimension(args[0], args[1], "{n}"), ", 0)")
    made = sql(f"CAST(range({first}, ", count, f" + {first}) AS INTEGER[])")
    return sql("tw_subscripts(", made, ", ", args[2], ")") if len(args) == 3 else made


@implements("array_fill(anyelement, _int4)")
def _filled(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    sizes = call.args[1]
    count = len(sizes.args) if isinstance(sizes, ir.Logic) and sizes.op == "array" else 1
    if isinstance(sizes, ir.Lit) and isinstance(sizes.value, list):
        count = max(len(sizes.value), 1)
    made = as_text_numeric(args[0])
    for d in range(count, 0, -1):
        made = sql("[", made, f" for tw_i{d} in range(list_extract(", args[1], f", {d}))]")
    kind = t.duckdb_type(call.type)
    return sql("CAST(", made, f" AS {kind}{'[]' * (count - 1)})", form=form_of(count))


@implements("array_fill(anyelement, _int4, _int4)")
def _filled_from(_emitter: Emitter, _call: ir.Call, _args: list[Frag]) -> Frag:
    raise PlanError("0A000", "array bounds other than 1 are not supported")
