"""What arrays' functions do with shapes: sizes, bounds, joining, subscripts, slices, searching.

Every implementation here is `shaped`: it takes arrays as lists (one dimension, from one), where it can stay with DuckDB,
and as texts, which may be of any shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.comparable import comparable
from planner.binding.dimensions import (
    SHAPED,
    VECTORS,
    array_key,
    as_list,
    as_text,
    element_ref,
    is_exact,
    is_text,
    single,
    stored_items,
    with_items,
)
from planner.binding.emit import Emitter, Implementation
from planner.binding.evaluation import has_query
from planner.binding.fragments import ARRAY_TEXT, Frag, join, sql
from planner.binding.functions.array_texts import element_at
from planner.binding.functions.registry import implements, register
from planner.binding.functions.value_texts import stored_text, stored_value
from planner.binding.numeric_forms import as_text_numeric


def _shaped(*signatures: str) -> Callable[[Implementation], Implementation]:
    SHAPED.update(signatures)
    return implements(*signatures)


def _from_zero(node: ir.Node) -> bool:
    """Whether an array is, or was until a cast, one of the catalog vectors that count from zero."""
    return node.type.oid in VECTORS or (isinstance(node, ir.Cast) and node.arg.type.oid in VECTORS)


def _of_list(array: Frag, asked: Frag, made: Frag) -> Frag:
    """What is asked of a list's one dimension; NULL for other dimensions and without elements."""
    return sql("CASE WHEN ", asked, " = 1 AND len(", array, ") > 0 THEN ", made, " END")


@_shaped("array_length(anyarray, int4)")
def _length(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    if is_text(args[0]):
        return sql("tw_array_length(", args[0], ", ", args[1], ")")
    return _of_list(args[0], args[1], sql("CAST(len(", args[0], ") AS INTEGER)"))


@_shaped("array_upper(anyarray, int4)")
def _upper(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    if is_text(args[0]):
        return sql("tw_array_upper(", args[0], ", ", args[1], ")")
    return _of_list(
        args[0],
        args[1],
        sql("CAST(len(", args[0], ") - ", str(int(_from_zero(call.args[0]))), " AS INTEGER)"),
    )


@_shaped("array_lower(anyarray, int4)")
def _lower(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    if is_text(args[0]):
        return sql("tw_array_lower(", args[0], ", ", args[1], ")")
    return _of_list(args[0], args[1], sql("0" if _from_zero(call.args[0]) else "1"))


@_shaped("array_ndims(anyarray)")
def _ndims(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    if is_text(args[0]):
        return sql("tw_array_ndims(", args[0], ")")
    return sql("CASE WHEN len(", args[0], ") > 0 THEN 1 END")


@_shaped("array_dims(anyarray)")
def _dims(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    if is_text(args[0]):
        return sql("tw_array_dims(", args[0], ")")
    first = 0 if _from_zero(call.args[0]) else 1
    last = sql("(len(", args[0], f") - 1 + {first})")
    return sql("CASE WHEN len(", args[0], f") > 0 THEN '[{first}:' || ", last, " || ']' END")


@_shaped("json_object(_text)", "jsonb_object(_text)")
def _json_object(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    items = sql("tw_array_pairs(", args[0], ")") if is_text(args[0]) else args[0]
    return _jsonb_too(call, sql("tw_json_pairs(", items, ")"))


@_shaped("json_object(_text, _text)", "jsonb_object(_text, _text)")
def _json_object_of_two(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    keys, values = (single(a) if is_text(a) else a for a in args)
    return _jsonb_too(call, sql("tw_json_zip(", keys, ", ", values, ")"))


def _jsonb_too(call: ir.Call, made: Frag) -> Frag:
    return sql("tw_jsonb(", made, ")") if call.type.oid == t.JSONB else made


@implements("cardinality(anyarray)")
def _cardinality(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("CAST(len(", args[0], ") AS INTEGER)")


@implements("unnest(anyarray)")
def _unnest(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return args[0]


# --- joining --------------------------------------------------------------------------------------


@_shaped("anycompatiblearray || anycompatiblearray", "array_cat(anycompatiblearray, anycompatiblearray)")
def _concatenated(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    a, b = args
    if is_text(a) or is_text(b):
        a, b = as_text(a, call.type), as_text(b, call.type)
        return sql("tw_array_joined([", a, ", ", b, "])", form=ARRAY_TEXT)
    # NULL is nothing to add; of two NULLs there is nothing left.
    both = sql("list_concat(", a, ", ", b, ")")
    return sql("CASE WHEN ", a, " IS NULL AND ", b, " IS NULL THEN NULL ELSE ", both, " END")


def _extended(array: Frag, item: Frag, ref: TypeRef, word: str) -> Frag:
    if is_text(array):
        cell = stored_text(item, element_ref(ref))
        return sql(
            f"tw_array_{word}(coalesce(", array, ", '{}'), CAST([", cell, "] AS VARCHAR[]))", form=ARRAY_TEXT
        )
    listed = sql("coalesce(", array, ", [])")
    return (
        sql("list_append(", listed, ", ", item, ")")
        if word == "append"
        else sql("list_prepend(", item, ", ", listed, ")")
    )


@_shaped("array_append(anycompatiblearray, anycompatible)", "anycompatiblearray || anycompatible")
def _append(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return _extended(args[0], _as_element(emitter, args[1], call), call.type, "append")


@_shaped("array_prepend(anycompatible, anycompatiblearray)", "anycompatible || anycompatiblearray")
def _prepend(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return _extended(args[1], _as_element(emitter, args[0], call), call.type, "prepend")


def _as_element(_emitter: Emitter, item: Frag, call: ir.Call) -> Frag:
    return as_text_numeric(item) if t.element_of(call.type.oid) == t.NUMERIC else item


# --- subscripts -------------------------------------------------------------------------------------


@_shaped("array subscript")
def _subscripts(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    array, places = args[0], args[1:]
    if is_text(array):
        found = sql("tw_array_at(", array, ", CAST([", join(", ", places), "] AS INTEGER[]))")
        if len(places) == 1:
            found = element_at(array, call.args[0], call.args[1], found)
        return stored_value(found, call.type if call.type.oid == t.RECORD else TypeRef(call.type.oid))
    if len(places) != 1:
        return sql("CAST(NULL AS ", t.duckdb_type(TypeRef(call.type.oid)), ")")
    # list_extract counts negative subscripts from the end; PostgreSQL has nothing there.
    return sql("CASE WHEN ", places[0], " > 0 THEN list_extract(", array, ", ", places[0], ") END")


def _bounds(nodes: Sequence[ir.Node], bounds: Sequence[Frag]) -> tuple[Frag, list[Frag]]:
    """The bounds as a list (NULL: not given), and tests that those given are not NULL."""
    given = [not (isinstance(n, ir.Lit) and n.type.oid == t.UNKNOWN) for n in nodes]
    cells = [b if g else sql("NULL") for b, g in zip(bounds, given, strict=True)]
    tests = [
        sql(b, " IS NOT NULL")
        for b, g, n in zip(bounds, given, nodes, strict=True)
        if g and not (isinstance(n, ir.Lit) and n.value is not None)
    ]
    return sql("CAST([", join(", ", cells), "] AS INTEGER[])"), tests


@_shaped("array slice")
def _slices(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    listed, tests = _bounds(call.args[1:], args[1:])
    made = sql("tw_array_cut(", as_text(args[0], call.type), ", ", listed, ")")
    if tests:
        made = sql("CASE WHEN ", join(" AND ", tests), " THEN ", made, " END")
    return made.with_form(ARRAY_TEXT)


@_shaped("array put")
def _put(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    """UPDATE ... SET a[i] = x: the array, the element, the subscripts."""
    array = sql("coalesce(", as_text(args[0], call.type), ", '{}')")
    cell = stored_text(args[1], element_ref(call.type))
    places = sql("CAST([", join(", ", args[2:]), "] AS INTEGER[])")
    return sql("tw_array_put(", array, ", ", places, ", CAST([", cell, "] AS VARCHAR[]))", form=ARRAY_TEXT)


@_shaped("array put slice")
def _put_slice(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    """UPDATE ... SET a[i:j] = x; NULL assigns nothing."""
    array = sql("coalesce(", as_text(args[0], call.type), ", '{}')")
    source = as_text(args[1], call.type)
    listed, tests = _bounds(call.args[2:], args[2:])
    made = sql("tw_array_put_slice(", array, ", ", listed, ", ", source, ")")
    if tests:
        null = "error('[22004] array subscript in assignment must not be null')"
        made = sql("CASE WHEN ", join(" AND ", tests), " THEN ", made, f" ELSE {null} END")
    return sql(
        "CASE WHEN ",
        source,
        " IS NULL THEN ",
        as_text(args[0], call.type),
        " ELSE ",
        made,
        " END",
        form=ARRAY_TEXT,
    )


@_shaped("generate_subscripts(anyarray, int4)", "generate_subscripts(anyarray, int4, bool)")
def _numbers(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    if is_text(args[0]):
        low = sql("tw_array_lower(", args[0], ", ", args[1], ")")
        count = sql("coalesce(tw_array_length(", args[0], ", ", args[1], "), 0)")
        made = sql("CAST(range(coalesce(", low, ", 0), ", count, " + coalesce(", low, ", 0)) AS INTEGER[])")
    else:
        first = 0 if _from_zero(call.args[0]) else 1
        count = sql("coalesce(", _of_list(args[0], args[1], sql("len(", args[0], ")")), ", 0)")
        made = sql(f"CAST(range({first}, ", count, f" + {first}) AS INTEGER[])")
    return sql("tw_subscripts(", made, ", ", args[2], ")") if len(args) == 3 else made


@_shaped("array_fill(anyelement, _int4)", "array_fill(anyelement, _int4, _int4)")
def _filled(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    cell = sql(
        "CAST([", stored_text(_as_element(emitter, args[0], call), element_ref(call.type)), "] AS VARCHAR[])"
    )
    sizes = [as_list(_one_dimension(a, "sizes"), TypeRef(t.INT4_ARRAY)) for a in args[1:]]
    null = PlanError("22004", "dimension array or low bound array cannot be null")
    if any(isinstance(n, ir.Lit) and n.value is None for n in call.args[1:]):
        raise null
    name = "tw_array_fill(" if len(sizes) == 1 else "tw_array_fill_from("
    return sql(name, cell, ", ", join(", ", sizes), ")", form=ARRAY_TEXT)


@_shaped("trim_array(anyarray, int4)")
def _trimmed(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_array_trim(", as_text(args[0], call.type), ", ", args[1], ")", form=ARRAY_TEXT)


# --- searching ----------------------------------------------------------------------------------------


def _same(item: str, wanted: Frag, element: TypeRef) -> Frag:
    return sql(comparable(Frag((item,)), element), " IS NOT DISTINCT FROM ", comparable(wanted, element))


def _places(emitter: Emitter, call: ir.Call, args: list[Frag], start: Frag | None = None) -> Frag:
    """The subscripts of the elements that are the one looked for."""
    array, ref = args[0], call.args[0].type
    source = sql("tw_array_searchable(", array, ")", form=ARRAY_TEXT) if is_text(array) else array
    items = as_list(source, ref)
    offset: Frag = sql("tw_array_searched(", array, ")") if is_text(array) else sql("0")
    wanted = _wanted(args[1], ref)
    test = _same("list_extract(tw_a, tw_i)", wanted, element_ref(ref))
    begin = sql("1") if start is None else sql("greatest(", start, " - ", offset, ", 1)")
    found = sql("list_filter(range(", begin, ", len(tw_a) + 1), lambda tw_i: ", test, ")")
    # The array is said once: it may be a long expression.
    inner = sql("list_transform(", found, ", lambda tw_i: CAST(tw_i + ", offset, " AS INTEGER))")
    return sql(
        "list_transform([", items, "], lambda tw_a: CASE WHEN tw_a IS NOT NULL THEN ", inner, " END)[1]"
    )


def _queries_aside(make: Implementation) -> Implementation:
    """Of functions that name what they are given for each element: DuckDB's lambdas take no queries, whose values are columns beside them."""

    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        asked = [i for i, a in enumerate(args) if has_query(a)]
        if not asked:
            return make(emitter, call, args)
        named = [Frag((f"tw_given{i}",), a.form) if i in asked else a for i, a in enumerate(args)]
        values = join(", ", [sql(args[i], f" AS tw_given{i}") for i in asked])
        body = make(emitter, call, named)
        return sql("(SELECT ", body, " FROM (SELECT ", values, ") AS tw_given)", form=body.form)

    return made


def _wanted(item: Frag, ref: TypeRef) -> Frag:
    return as_text_numeric(item) if t.element_of(ref.oid) == t.NUMERIC else item


@_shaped("array_positions(anycompatiblearray, anycompatible)")
@_queries_aside
def _positions(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return _places(emitter, call, args)


@_shaped("array_position(anycompatiblearray, anycompatible)")
@_queries_aside
def _position(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("list_extract(", _places(emitter, call, args), ", 1)")


@_shaped("array_position(anycompatiblearray, anycompatible, int4)")
@_queries_aside
def _position_from(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("list_extract(", _places(emitter, call, args, args[2]), ", 1)")


@_shaped("array_remove(anycompatiblearray, anycompatible)")
@_queries_aside
def _removed(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    array, ref = args[0], call.type
    element = element_ref(ref)
    source = sql("tw_array_flat(", array, ")", form=ARRAY_TEXT) if is_text(array) else array
    kept = sql(
        "list_filter(",
        as_list(source, ref),
        ", lambda tw_y: NOT (",
        _same("tw_y", _wanted(args[1], ref), element),
        "))",
    )
    if not is_text(array):
        return kept
    return sql("tw_array_kept(", array, ", ", stored_items(kept, element), ")", form=ARRAY_TEXT)


@_shaped("array_replace(anycompatiblearray, anycompatible, anycompatible)")
@_queries_aside
def _replaced(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    array, ref = args[0], call.type
    element = element_ref(ref)
    old, new = _wanted(args[1], ref), _wanted(args[2], ref)
    items = sql(
        "list_transform(",
        as_list(array, ref),
        ", lambda tw_y: CASE WHEN ",
        _same("tw_y", old, element),
        " THEN ",
        new,
        " ELSE tw_y END)",
    )
    return with_items(array, stored_items(items, element)) if is_text(array) else items


@_shaped("width_bucket(anycompatible, anycompatiblearray)")
def _bucket(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    """How many of the thresholds are not above the operand. Raises 22004."""
    ref = call.args[1].type
    element, operand = element_ref(ref), _wanted(args[0], ref)
    bounds = as_list(_one_dimension(args[1], "thresholds"), ref)
    reached = sql(comparable(Frag(("tw_y",)), element), " <= ", comparable(operand, element))
    count = sql("CAST(len(list_filter(", bounds, ", lambda tw_y: ", reached, ")) AS INTEGER)")
    void = sql("list_count(", bounds, ") < len(", bounds, ")")
    refusal = "error('[22004] thresholds array must not contain NULLs')"
    return sql(
        "CASE WHEN ",
        args[0],
        " IS NOT NULL THEN CASE WHEN ",
        void,
        f" THEN {refusal} ELSE ",
        count,
        " END END",
    )


def _one_dimension(array: Frag, role: str) -> Frag:
    """An array that may have one dimension only; of a list this is known. Raises 2202E."""
    if not is_text(array):
        return array
    return sql("tw_array_one_dimension(", array, f", '{role}')", form=ARRAY_TEXT)


def _containment(op: str, made: str) -> None:
    """Elements are told apart as they compare: 1.5 is in {1.50}."""

    def contains(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        ref = call.args[0].type
        inner = comparable(Frag(("tw_y",)), element_ref(ref))
        items = [
            f if inner.text == "tw_y" else sql("list_transform(", f, ", lambda tw_y: ", inner, ")")
            for f in args
        ]
        if made.startswith("<"):
            items.reverse()
        found = sql(f"{made.lstrip('<')}(", items[0], ", ", items[1], ")")
        if op == "&&":
            return found
        # A NULL equals no element, so it is in no array.
        whole, part = items
        void = sql("list_count(", part, ") < len(", part, ") AND ", whole, " IS NOT NULL")
        return sql("CASE WHEN ", void, " THEN false ELSE ", found, " END")

    register(f"anyarray {op} anyarray", contains)


_containment("@>", "list_has_all")
_containment("<@", "<list_has_all")
_containment("&&", "list_has_any")


# --- comparing ---------------------------------------------------------------------------------------


_ORDERING: Final = ("<", "<=", ">", ">=")


def _by_labels(ref: TypeRef) -> bool:
    """Whether elements are of an enum, whose order is not that of its labels' letters."""
    return t.labels_of(t.element_of(ref.oid)) is not None


def _compared(op: str) -> Implementation:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        (a, b), ref = args, call.args[0].type
        if (
            ref.oid == t.RECORD_ARRAY
            or t.element_of(ref.oid) == 0
            or not (is_text(a) or is_text(b) or not is_exact(ref) or (op in _ORDERING and _by_labels(ref)))
        ):
            return sql("(", a, f" {op} ", b, ")")
        if is_exact(ref) and op not in _ORDERING:
            return sql("(", as_text(a, ref), f" {op} ", as_text(b, ref), ")")
        x, y = array_key(a, ref), array_key(b, ref)
        if op.startswith("IS"):
            x, y = (sql("CASE WHEN ", f, " IS NOT NULL THEN ", k, " END") for f, k in ((a, x), (b, y)))
            return sql("(", x, f" {op} ", y, ")")
        return sql("CASE WHEN ", a, " IS NOT NULL AND ", b, " IS NOT NULL THEN (", x, f" {op} ", y, ") END")

    return made


for _op in ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
    SHAPED.add(f"anyarray {_op.lower()} anyarray")
    register(f"anyarray {_op.lower()} anyarray", _compared(_op))
