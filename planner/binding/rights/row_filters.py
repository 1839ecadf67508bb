"""WHERE of a published table as CREATE PUBLICATION looks at it: a condition that a subscriber's side could compute from the row alone.

PostgreSQL takes columns, constants and what it has itself, as far as that is immutable; it looks at the bound tree from above
and names the first thing that is something else, where that begins.

    WHERE (a > random())          random(): a mutable function
    WHERE (status = 'open')       status: of a user's type
    WHERE (a IN (SELECT ...))     a subquery, which begins with a
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from sqlglot import exp

from planner.abc import Oid, PlanError, Table
from planner.binding import ir
from planner.binding.clauses import ROW_FILTERS, refuse_sets
from planner.binding.collating import key
from planner.binding.facts import type_name
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.writes.clauses import RowBinder
from planner.catalog.collations import COLLATIONS
from planner.catalog.objects import FIRST_USER_OID
from planner.catalog.system.static import static_columns
from planner.errors import NotImmutable
from planner.parse import parse_expression
from planner.parse import position as first_position
from planner.records import replace
from planner.types import BPCHAR, TEXT, VARCHAR
from planner.types.of_extensions import EXTENSION_OF

_OPERATORS: Final = "User-defined operators are not allowed."
_FUNCTIONS: Final = "User-defined or built-in mutable functions are not allowed."
_TYPES: Final = "User-defined types are not allowed."
_COLLATIONS: Final = "User-defined collations are not allowed."
_SYSTEM: Final = "System columns are not allowed."
_OTHERS: Final = (
    "Only columns, constants, built-in operators, built-in data types, built-in collations, and immutable built-in functions are "
    "allowed."
)
_OWN_OPERATOR: Final = re.compile(r"\S+:\d+ any\Z|any \S+:\d+ any\Z")
_VALUE: Final = re.compile(
    r"(current_(catalog|date|role|time|timestamp|user)|localtime|localtimestamp|session_user|user)\b",
    re.IGNORECASE,
)
"""What is grammar, no function."""
_TEXTS: Final = frozenset((TEXT, VARCHAR, BPCHAR))
_SIMPLE: Final = (ir.Lit, ir.Var, ir.Call, ir.Cast, ir.Collated, ir.Logic, ir.AnyAll)


def check(ctx: Any, table: Table, text: str, offset: int) -> None:
    """Binds a condition over a table's rows. Raises what binding raises, and 0A000 for what may not be in it.

    Positions are those of the statement, in which the condition begins at `offset`.
    """
    padded = " " * offset + text
    queries = QueryBinder(
        replace(ctx, trusted=True, partition=None, clause=ROW_FILTERS), padded, Parameters((), None)
    )
    queries.routines.expand = False
    rows = RowBinder(queries)
    relation = rows.relation(table, table.name, "new", of_table=True)
    scope = rows.plain_scope(relation)
    scope.clause = "WHERE"
    tree = parse_expression(padded)
    try:
        node = queries.expressions.boolean(tree, scope, "PUBLICATION WHERE")
    except NotImmutable as e:
        is_value = _VALUE.match(padded, max(e.position - 1, 0)) is not None
        raise _refused(_OTHERS if is_value else _FUNCTIONS, e.position) from None
    refuse_sets(node, "WHERE")
    for inner in ir.walk(node):
        if isinstance(inner, ir.Aggregate):
            raise PlanError("42803", "aggregate functions are not allowed in WHERE", position=inner.position)
        if isinstance(inner, ir.Window):
            raise PlanError("42P20", "window functions are not allowed in WHERE")
    for inner in _from_above(node):
        detail = _wrong(inner, table)
        if detail:
            raise _refused(detail, _beginning(inner))
    _refuse_collations(queries, tree)


def columns(ctx: Any, table: Table, text: str) -> frozenset[int]:
    """The numbers of the columns that a condition names."""
    from planner.binding.deparse.expressions import bound_expression

    node, _ = bound_expression(ctx, table, text)
    return frozenset(
        table.columns[n.column].attnum for n in ir.walk(node) if isinstance(n, ir.Var) and n.column >= 0
    )


def _refused(detail: str, position: int) -> PlanError:
    return PlanError("0A000", "invalid publication WHERE expression", detail=detail, position=position)


def _from_above(node: ir.Node) -> Iterator[ir.Node]:
    yield node
    for child in ir.children(node):
        yield from _from_above(child)


def _is_users(oid: Oid) -> bool:
    return oid >= FIRST_USER_OID or oid in EXTENSION_OF


def _wrong(node: ir.Node, table: Table) -> str:
    """What is wrong with a node itself; empty: nothing."""
    if not isinstance(node, _SIMPLE):
        return _OTHERS
    if isinstance(node, ir.Var) and node.column < 0:
        return _SYSTEM
    if isinstance(node, ir.Call) and _OWN_OPERATOR.match(node.op):
        return _OPERATORS
    if _is_users(node.type.oid):
        return _TYPES
    if isinstance(node, ir.Call) and (node.volatile or ":" in node.op or node.op in _unsteady_operators()):
        return _FUNCTIONS
    if isinstance(node, ir.Cast) and not isinstance(node.arg, ir.Lit):
        return _wrong_cast(node.arg.type.oid, node.type.oid)
    if isinstance(node, ir.Var):
        collation = table.columns[node.column].collation
        if collation and collation not in COLLATIONS:
            return _COLLATIONS
    return ""


def _wrong_cast(source: Oid, target: Oid) -> str:
    if source == target:  # to a modifier
        return ""
    steady = _casts().get((source, target))
    if steady is None:  # by way of its text
        return _OTHERS if target not in _TEXTS or source not in _TEXTS else ""
    return "" if steady else _FUNCTIONS


@lru_cache(maxsize=1)
def _steady() -> frozenset[Oid]:
    return frozenset(oid for oid, kind in static_columns("pg_proc", ["oid", "provolatile"]) if kind == "i")


@lru_cache(maxsize=1)
def _casts() -> dict[tuple[Oid, Oid], bool]:
    """PostgreSQL's casts that are a function, or nothing at all, and whether they always have one answer."""
    listed = static_columns("pg_cast", ["castsource", "casttarget", "castfunc", "castmethod"])
    return {(s, d): not f or f in _steady() for s, d, f, method in listed if method != "i"}


@lru_cache(maxsize=1)
def _unsteady_operators() -> frozenset[str]:
    """The operators of two arguments whose function is not immutable."""
    listed = static_columns("pg_operator", ["oprname", "oprleft", "oprright", "oprcode"])
    return frozenset(
        f"{type_name(left)} {name} {type_name(right)}"
        for name, left, right, code in listed
        if left and right and code not in _steady()
    )


def _beginning(node: ir.Node) -> int:
    """Where a node begins: a function call at its name, anything else with what is leftmost in it."""
    found = [p for n in _from_above(node) if (p := getattr(n, "position", 0))]
    return min(found, default=0)


def _refuse_collations(queries: QueryBinder, tree: exp.Expression) -> None:
    """COLLATE leaves no mark in the tree where it orders by bytes."""
    for said in tree.find_all(exp.Collate):
        found = key(said, queries.ctx.catalog, queries.search_path)
        if found and found not in COLLATIONS:
            over = said.find_ancestor(exp.Binary, exp.Func) or said
            raise _refused(_COLLATIONS, first_position(over))


__all__ = ["check", "columns"]
