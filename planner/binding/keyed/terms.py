"""A read of one table whose rows an index of parts leads to, for the keyed engine: few documents, by what is in them.

    WHERE doc @> $1 AND state = 'open'      terms: doc @> $1      condition: `terms jsonb @>`(doc, $1) and state = 'open'

The keyed engine has words of its own for the conditions that such an index serves (`executor/keyed/containment.py`): of columns, and
of elements whose texts are equal where they are. Conditions of expressions, and what else it has no word for, are DuckDB's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner import types as t
from planner.abc import Call, Const, Expr, KeyedRead, Range, Search, Sought, Table, TypeRef
from planner.binding import ir
from planner.binding.collating import matters
from planner.binding.keyed import arrays as keyed_arrays
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed import searched
from planner.types.facts import FIRST_USER_OID

BOOL = TypeRef(t.BOOL)


def terms_read(
    catalog: Any, table: Table, number: int, where: ir.Node | None, outputs: tuple[Expr, ...], **more: Any
) -> KeyedRead | None:
    """Rows that terms lead to; None: nothing leads there, or what is asked of them is DuckDB's."""
    if (
        where is None
        or type(table) is not Table
        or table.children
        or table.partitioning
        or table.row_security
    ):
        return None
    keys = searched.keys_of(catalog, table)
    if not keys or not table.key_indexes:
        return None
    found: list[Search | Sought] = []
    conditions: list[Expr] = []
    undecided: list[Expr] = []
    try:
        for conjunct in keyed.conjuncts(where):
            search = searched.search_of(conjunct, number, keys)
            if search is not None:
                found.append(search)
                conditions.append(_condition(conjunct, search, number, keys))
            else:
                conditions.append(keyed.expression(conjunct, keyed.WithAnother({number: 0})))
            if search is None or not _is_whole(conjunct, search):
                undecided.append(conditions[-1])
    except keyed.NotKeyed:
        return None
    if not found:
        return None
    terms = found[0] if len(found) == 1 else Search("and", tuple(found))
    return KeyedRead(
        table, Range(()), _all_of(conditions), outputs, terms=terms, undecided=_all_of(undecided), **more
    )


def _all_of(conditions: Sequence[Expr]) -> Expr | None:
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return keyed.in_groups("and", tuple(conditions), BOOL)


def _is_whole(node: ir.Node, search: Search | Sought) -> bool:
    """Whether no part of a condition is left out of what is searched for."""
    if isinstance(search, Sought):
        return not isinstance(node, ir.Logic)
    return (
        isinstance(node, ir.Logic)
        and node.op == search.op
        and len(node.args) == len(search.parts)
        and all(map(_is_whole, node.args, search.parts))
    )


def _condition(node: ir.Node, search: Search | Sought, number: int, keys: Sequence[searched.Key]) -> Expr:
    if isinstance(node, ir.Logic):
        parts: list[Expr] = []
        for a in node.args:
            inner = searched.search_of(a, number, keys)
            parts.append(
                keyed.expression(a, keyed.WithAnother({number: 0}))
                if inner is None
                else _condition(a, inner, number, keys)
            )
        return keyed.in_groups(node.op, tuple(parts), BOOL)
    if not isinstance(search, Sought) or len(search.index.columns) != 1:
        raise keyed.NotKeyed("of another shape")
    tree = next(tree for index, tree, _ in keys if index == search.index)
    if not isinstance(searched.bare(tree), ir.Var) or (isinstance(node, ir.Call) and matters(node)):
        raise keyed.NotKeyed("of an expression")
    column = keyed.expression(searched.over(tree, number), {number: 0})
    return Call(f"terms {search.index.kind} {search.how}", (column, _value(search)), BOOL)


def _value(search: Sought) -> Expr:
    if search.made == "array":
        return keyed_arrays.of_items(search.values, search.type)
    if search.made:
        name, _, said = search.made.partition(" ")
        if not said or int(said) >= FIRST_USER_OID:
            raise keyed.NotKeyed("by a configuration that the session says, or a user's")
        return Call("terms query of", (Const(f"{name} {said}", TypeRef(t.TEXT)), *search.values), search.type)
    return search.values[0]


__all__ = ["terms_read"]
