"""Queries within expressions, and tests of all that an array or a query holds, as DuckDB asks them.

x = ANY (array)             list_transform over the array, and its answers folded: true, false or null
x = ANY (SELECT ...)        IN: a semijoin, where the comparison is DuckDB's own; so is ANY (ARRAY (SELECT ...))
x > ALL (SELECT ...)        a fold over the query, three-valued
ARRAY (SELECT ...)          list(...) in the query's order
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.binding import collating, ir, told_rows
from planner.binding.fragments import ARRAY_TEXT, Frag, Ref, join, sql
from planner.binding.numeric_forms import as_text_numeric
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.emit import Emitter

_ROWS: Final = -3
"""The rows of a query whose array is asked about."""
_VOLATILE = re.compile(r"\b(?:error|random|tw_\w+)\(")
"""What DuckDB may take for another value each time it is asked: `error` itself, and what calls it."""


def any_all(emitter: Emitter, node: ir.AnyAll) -> Frag:
    """`x op ANY (array)` with SQL's NULLs, by DuckDB's list functions."""
    from planner.binding.dimensions import as_list, is_text
    from planner.binding.emit import EmittedColumn
    from planner.binding.functions.array_texts import constant_of_any, has_element

    collating.refuse_nondeterministic([node.array], "ANY of an array")
    member = _among_rows(emitter, node)
    if member is not None:
        return member
    text = constant_of_any(node) if emitter.for_duckdb else None
    given_array = emitter.frag(node.array)
    array = as_list(given_array, node.array.type)
    compare_node, outside = node.compare, None
    if isinstance(compare_node, ir.Call) and any(
        isinstance(n, ir.SubQuery) for n in ir.walk(compare_node.args[0])
    ):
        # DuckDB has no subqueries in lambdas: the left side is computed before.
        left = compare_node.args[0]
        outside = emitter.frag(left)
        emitter.aliases[-2], emitter.columns[-2] = "", [EmittedColumn("tw_v", outside.form, whole=True)]
        compare_node = replace(compare_node, args=(ir.Var(left.type, -2, 0), *compare_node.args[1:]))
    element_form = None
    emitter.aliases[-1], emitter.columns[-1] = "", [EmittedColumn("tw_e", element_form, whole=True)]
    compare = emitter.frag(compare_node)
    if outside is None and (listed := _among_constants(emitter, node, array, compare)) is not None:
        return listed
    given = array if outside is None else sql("tw_a")
    results = sql("list_transform(", given, ", lambda tw_e: ", compare, ")")
    # list_bool_or ignores NULLs: true if any is true, else NULL if any is NULL, else false.
    folded = sql("tw_all(" if node.all else "tw_any(", results, ")")
    if text is not None and is_text(given_array):
        return has_element(given_array, text, folded)
    if outside is None:
        return folded
    return sql("(SELECT ", folded, " FROM (SELECT ", outside, " AS tw_v, ", array, " AS tw_a) AS tw_q)")


def _among_constants(emitter: Emitter, node: ir.AnyAll, array: Frag, compare: Frag) -> Frag | None:
    """`x = ANY ($1)` and `x <> ALL ($1)`, where the comparison is DuckDB's own: such a list has thousands of elements in some programs."""
    test = node.compare
    if not emitter.for_duckdb or not isinstance(test, ir.Call) or len(test.args) != 2:
        return None
    if not all(isinstance(n, ir.Lit | ir.Parm | ir.Cast) or _is_steady(n) for n in ir.walk(node.array)):
        return None
    left, element = test.args
    if element != ir.Var(element.type, -1, 0) or ir.varies(left):
        return None
    value, op = emitter.frag(left), "<>" if node.all else "="
    if compare.parts != sql("(", value, f" {op} tw_e)").parts:
        return None
    if id(node) in emitter.asked and not node.all:  # DuckDB joins with a list that is the same for all
        return sql("list_contains(", array, ", ", value, ")")
    among = sql("tw_among(", array, ", ", value, ")")
    return sql("(NOT ", among, ")") if node.all else among


def _is_steady(node: ir.Node) -> bool:
    """Whether it is a query of no outer row that gives the same each time."""
    if not isinstance(node, ir.SubQuery) or node.kind not in ("scalar", "array") or node.outer_from:
        return False
    return not any(isinstance(p, str) and _VOLATILE.search(p) for p in node.query.parts)


def _among_rows(emitter: Emitter, node: ir.AnyAll) -> Frag | None:
    """`x = ANY (ARRAY (SELECT ...))` of a query that is the same for all rows: whether x is among its rows, whose array would be looked
    through for each."""
    from planner.binding.emit import EmittedColumn

    made = node.array
    if not (isinstance(made, ir.SubQuery) and made.kind == "array" and not made.outer_from):
        return None
    if made.form is not None or not emitter.for_duckdb:  # elements are not what the rows have
        return None
    emitter.aliases[_ROWS], emitter.columns[_ROWS] = "tw_m", [EmittedColumn("c0")]

    def of_rows(n: ir.Node) -> ir.Node:
        if isinstance(n, ir.Var) and n.relation == -1:
            return replace(n, relation=_ROWS)
        return ir.replace_children(n, of_rows)

    kind = "all" if node.all else "any"
    test = ir.SubQuery(node.type, kind, made.asked, relation=_ROWS, compare=of_rows(node.compare))
    return _membership(emitter, test, told_rows.within(emitter, made.asked, made.outer), "tw_m")


def subquery(emitter: Emitter, node: ir.SubQuery) -> Frag:
    query: Frag = node.query
    stands = {
        Ref(a.relation, a.column): b for a, b in zip(node.outer_from, node.outer, strict=True) if a != b
    }
    if stands:
        query = told_rows.moved(emitter, query, stands)
    query = told_rows.within(emitter, query, node.outer)
    if node.kind == "scalar":
        return sql("(", query, ")", form=node.form)
    if node.kind == "exists":
        return sql("EXISTS (", query, ")")
    if node.kind == "array":
        value = sql("c0", form=node.form)
        if t.element_of(node.type.oid) == t.NUMERIC and node.form not in (None, ARRAY_TEXT):
            value = as_text_numeric(value)  # as elements of numeric[] are
        rows = sql("list(", value, " ORDER BY tw_n)" if node.numbered else ")")
        if t.element_of(node.type.oid) and node.form == ARRAY_TEXT:
            stacked = sql("(SELECT coalesce(tw_array_stack(", rows, ", true), '{}') FROM (")
            return sql(stacked, query, "))", form=ARRAY_TEXT)
        return sql("(SELECT coalesce(", rows, ", []) FROM (", query, "))")
    assert node.compare is not None
    alias = emitter.aliases[node.relation]
    compare = emitter.frag(node.compare)
    if node.kind == "row":
        query = told_rows.within(emitter, query, [node.compare])
        return sql("(SELECT ", compare, " FROM (", query, f") AS {alias})")
    member = _membership(emitter, node, query, alias)
    if member is not None:
        return member
    query = told_rows.within(emitter, query, [node.compare])
    # Three-valued: true/false if decided, NULL if only NULLs stand in the way.
    fold = "bool_and" if node.kind == "all" else "bool_or"
    empty = "true" if node.kind == "all" else "false"
    nullish = sql("count(*) FILTER (WHERE ", compare, " IS NULL) > 0")
    decided = "false" if node.kind == "all" else "true"
    return sql(
        f"(SELECT CASE WHEN coalesce({fold}(", compare, f"), {empty}) = {decided} THEN {decided} WHEN ",
        nullish, f" THEN NULL ELSE {empty} END FROM (", query, f") AS {alias})",
    )  # fmt: skip


def _membership(emitter: Emitter, node: ir.SubQuery, query: Frag, alias: str) -> Frag | None:
    """`= ANY` and `<> ALL` as IN and NOT IN, where the comparison is DuckDB's own: a semijoin, where a fold
    over the whole subquery would be done for every row."""
    from planner.binding.functions.comparison import equality_sides

    op = {"any": "=", "all": "<>"}.get(node.kind)
    if op is None or node.compare is None:
        return None
    tests: tuple[ir.Node, ...] = (node.compare,)
    word = "IN" if node.kind == "any" else "NOT IN"
    if isinstance(node.compare, ir.Logic) and node.compare.op == ("and" if op == "=" else "or"):
        # Of several columns DuckDB has no IN with a query that looks outward.
        if node.outer_from or not emitter.for_duckdb:
            return None
        tests = node.compare.args
    lefts, rights = [], []
    for test in tests:
        if not isinstance(test, ir.Call) or len(test.args) != 2:
            return None
        left, right = equality_sides(test.op, [emitter.frag(a) for a in test.args])
        if emitter.frag(test).parts != sql("(", left, f" {op} ", right, ")").parts:
            return None
        if any(isinstance(n, ir.Var) and n.relation == node.relation for n in ir.walk(test.args[0])):
            return None
        lefts.append(left)
        rights.append(right)
    # Of a query that looks outward and has volatile calls DuckDB's IN gives NULL for false, even of no rows.
    if node.outer_from and any(isinstance(p, str) and _VOLATILE.search(p) for p in query.parts):
        return None
    row = lefts[0] if len(lefts) == 1 else sql("(", join(", ", lefts), ")")
    return sql("(", row, f" {word} (SELECT ", join(", ", rights), " FROM (", query, f") AS {alias}))")
