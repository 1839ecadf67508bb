"""What may pass a barrier: conditions that tell nothing of rows that somebody is not shown.

    SELECT ... FROM (SELECT * FROM t AS r1 WHERE <policies> [here] LIMIT all) AS r1 WHERE id = $1 AND f(secret)

Behind a barrier (`planner.binding.rights.row_security`) DuckDB would read whatever the policies read. What compares a column with a
value, by an operator that PostgreSQL calls leakproof, can neither fail nor call anybody: it is asked below the barrier as
well, where it leads to row groups. It stays where it was, too, so nothing hangs on what an outer join makes of it.

A barrier's text is made when FROM is bound, before anybody knows WHERE: it has a hole (`Hole`), filled when it is finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.binding import ir
from planner.binding.collating import matters
from planner.binding.fragments import Frag, Hole, Item, sql
from planner.binding.keyed.expressions import ELEMENT, conjuncts
from planner.binding.scope import Relation

if TYPE_CHECKING:
    from planner.binding.state import QueryState

_COMPARE: Final = ("=", "<>", "<", "<=", ">", ">=")
_LEAKPROOF: Final = frozenset(
    (
        t.INT2, t.INT4, t.INT8, t.OID, t.TEXT, t.VARCHAR, t.NAME, t.BOOL, t.BYTEA, t.DATE, t.TIME, t.TIMESTAMP, t.TIMESTAMPTZ,
        t.UUID, t.FLOAT4, t.FLOAT8,
    )
)  # fmt: skip
"""Whose comparisons are leakproof (`pg_proc.proleakproof`), and are DuckDB's own here. Those of numeric are not."""
_SAME: Final = frozenset((t.TEXT, t.VARCHAR))


def hole(queries: QueryState, number: int) -> Hole:
    """Where the conditions go that pass the barrier around relation `number`."""
    queries.barriers[number] = []
    return Hole(number)


def let_through(queries: QueryState, relations: Iterable[Relation], *conditions: ir.Node | None) -> None:
    """Asks of these relations' rows, below their barriers, what may be asked there of what a clause asks of the rows above."""
    if not queries.barriers:
        return
    for r in relations:
        found = queries.barriers.get(r.number)
        if found is None:
            continue
        for c in (c for node in conditions for c in conjuncts(node)):
            if _passes(c, r):
                found.append(queries.emitter.frag(c))


def filled(queries: QueryState, frag: Frag) -> Frag:
    """The text with its holes filled."""
    if not queries.barriers:
        return frag
    items: list[Item] = []
    for p in frag.parts:
        if isinstance(p, Hole):
            for condition in queries.barriers[p.relation]:
                items += [" AND (", condition, ")"]
        else:
            items.append(p)
    return sql(*items, form=frag.form)


def _passes(node: ir.Node, relation: Relation) -> bool:
    """Of a row that an outer join fills with nulls nothing may be asked that is true of nulls: the row that it stands for would be
    taken for one that is not there."""
    if isinstance(node, ir.Logic) and node.op in ("and", "or", "not"):
        return all(_passes(a, relation) for a in node.args)
    if isinstance(node, ir.Logic) and node.op in ("is null", "is not null"):
        return not relation.nullable and _is_column(node.args[0], relation)
    if isinstance(node, ir.AnyAll):
        if relation.nullable or not _is_value(node.array):
            return False
        return _compares(node.compare, relation, lambda n: isinstance(n, ir.Var) and n.relation in ELEMENT)
    return _compares(node, relation, _is_value)


def _compares(node: ir.Node, relation: Relation, is_value: Callable[[ir.Node], bool]) -> bool:
    if not isinstance(node, ir.Call) or len(node.args) != 2 or matters(node):
        return False
    words = node.op.split(" ")
    if len(words) != 3 or words[1] not in _COMPARE or any(a.type.oid not in _LEAKPROOF for a in node.args):
        return False
    a, b = node.args
    return (_is_column(a, relation) and is_value(b)) or (_is_column(b, relation) and is_value(a))


def _is_column(node: ir.Node, relation: Relation) -> bool:
    """A column as it is, or as the text that a varchar is anyway."""
    if isinstance(node, ir.Cast) and node.type.typmod < 0 and {node.type.oid, node.arg.type.oid} <= _SAME:
        node = node.arg
    return isinstance(node, ir.Var) and node.relation == relation.number and node.column >= 0


def _is_value(node: ir.Node) -> bool:
    """The same for all rows: made of constants, parameters and what the session knows."""
    parts = (ir.Lit, ir.Parm, ir.Session, ir.Cast, ir.Call, ir.Logic)
    return all(isinstance(n, parts) and not ir.is_volatile(n) for n in ir.walk(node))


__all__ = ["filled", "hole", "let_through"]
