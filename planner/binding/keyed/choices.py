"""Conditions that parameters may switch off: what applications ask where a user has left some fields of a form empty.

    WHERE ($1 IS NULL OR status = $2) AND ($3 IS NULL OR owner = $4) ORDER BY id LIMIT 20
    WHERE status = coalesce($1, status)

        $1 IS NULL, $3 IS NULL      ORDER BY alone: along the primary key
        $1 IS NULL                  owner = $4: an index leads to the rows
        neither                     both: as if there had never been an OR

Whether `$1` is null is known before any row is looked at. So the keyed form of such a query is made for each answer, of those conditions
that could lead to rows, and an execution takes the one of its parameters (`executor.session.choices`). What DuckDB is asked stays one query.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from planner import types as t
from planner.binding import ir
from planner.binding.keyed import expressions as keyed
from planner.keyed_plans import Choices, Expr, KeyedJoin, KeyedRead
from planner.records import replace
from planner.relations import Table, TypeRef

if TYPE_CHECKING:
    from planner.binding.scope import FromStep
    from planner.binding.state import Parts
    from planner.catalog import Catalog

CHOICES_MAX: Final = 4
"""The forms of a query are twice as many for each."""
_BOOL: Final = TypeRef(t.BOOL)
_Form = KeyedRead | KeyedJoin | None


class _Choice(NamedTuple):
    """What a condition comes to."""

    test: Expr
    if_true: ir.Node | None
    """None: nothing is asked."""
    otherwise: ir.Node


def choices(
    catalog: Catalog, parts: Parts, steps: Sequence[FromStep], form: Callable[[Parts], _Form]
) -> Choices | None:
    """The forms of a query by what its parameters say; None where that makes no difference. `form`: the keyed one of a query."""
    conjuncts = keyed.conjuncts(parts.asked_of_rows)
    if not any(isinstance(n, ir.Parm) for c in conjuncts for n in ir.walk(c)):
        return None
    keys = {
        (s.relation.number, column)
        for s in steps
        if type(s.relation.table) is Table
        for column in _key_columns(catalog, s.relation.table)
    }
    found: dict[int, _Choice] = {}
    for i, c in enumerate(conjuncts):
        choice = _choice(c) if len(found) < CHOICES_MAX else None
        if choice is not None and not _columns(choice.otherwise).isdisjoint(keys):
            found[i] = choice
    if not found:
        return None
    forms: list[_Form] = []
    for answers in itertools.product((False, True), repeat=len(found)):
        said = dict(zip(found, answers, strict=True))
        asked = [
            c if i not in said else found[i].if_true if said[i] else found[i].otherwise
            for i, c in enumerate(conjuncts)
        ]
        where = ir.all_of([c for c in asked if c is not None])
        forms.append(form(parts.asking_of_rows(where)))
    if all(f is None for f in forms):
        return None
    return Choices(tuple(choice.test for choice in found.values()), tuple(forms))


def _columns(node: ir.Node) -> set[tuple[int, int]]:
    return {(n.relation, n.column) for n in ir.walk(node) if isinstance(n, ir.Var)}


def _key_columns(catalog: Catalog, table: Table) -> set[int]:
    """The columns that a table's keys and indexes have in them."""
    attnums = {a for c in table.constraints if c.kind in "pu" for a in c.columns}
    attnums |= {key.attnum for index in catalog.indexes_of(table.oid) for key in index.keys if key.attnum}
    return {table.index_of(a) for a in attnums}


def _choice(node: ir.Node) -> _Choice | None:
    """A condition of which parameters alone say what it comes to."""
    if isinstance(node, ir.Logic) and node.op == "or":
        said = tuple(a for a in node.args if _is_said(a))
        rest = tuple(a for a in node.args if not _is_said(a))
        if not said or not rest:
            return None
        return _made(_either(said), None, _either(rest))
    if isinstance(node, ir.Logic) and node.op == "case" and len(node.args) == 3 and _is_said(node.args[0]):
        return _made(node.args[0], node.args[1], node.args[2])
    if not isinstance(node, ir.Call) or len(node.args) != 2 or node.op.count(" ") != 2:
        return None
    for i, side in enumerate(node.args):
        if not isinstance(side, ir.Logic) or side.op != "coalesce" or not _is_said(side.args[0]):
            continue
        first, *others = side.args
        left = others[0] if len(others) == 1 else replace(side, args=tuple(others))
        without, with_it = (
            replace(node, args=tuple(x if j == i else a for j, a in enumerate(node.args)))
            for x in (left, first)
        )
        return _made(ir.Logic(_BOOL, "is null", (first,)), without, with_it)
    return None


def _made(test: ir.Node, if_true: ir.Node | None, otherwise: ir.Node) -> _Choice | None:
    try:
        return _Choice(keyed.expression(test, {}), if_true, otherwise)
    except keyed.NotKeyed:
        return None


def _either(nodes: tuple[ir.Node, ...]) -> ir.Node:
    return nodes[0] if len(nodes) == 1 else ir.Logic(_BOOL, "or", nodes)


def _is_said(node: ir.Node) -> bool:
    """Whether it is made of parameters, and of nothing else that somebody would have to look at."""
    found = list(ir.walk(node))
    if any(isinstance(n, ir.Var | ir.SubQuery) for n in found) or ir.varies(node):
        return False
    return any(isinstance(n, ir.Parm) for n in found)


__all__ = ["choices"]
