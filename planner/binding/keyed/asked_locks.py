"""EXISTS that locks the row it finds, for the rows of the query around it: how graphile-worker takes a job whose queue is free.

    SELECT j.id FROM jobs j WHERE j.ready AND (j.queue IS NULL OR EXISTS (
        SELECT 1 FROM queues q WHERE q.id = j.queue AND q.free FOR UPDATE SKIP LOCKED)) ...

    j.queue IN (SELECT q.id FROM queues q WHERE q.free AND q.id IN (SELECT j.queue FROM jobs j WHERE j.ready) FOR UPDATE SKIP LOCKED)

A part of a statement that locks rows runs before the rest (`planner.binding.locking`), so it may not name columns around it. Where these
come into it by a key of the one table that it locks, the rows that it would be asked for are known before: those of the query around it
for which all else holds that can be asked twice. What PostgreSQL locks is the same, but where its plan ends sooner (LIMIT).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner.abc import Table
from planner.binding.keyed.join_order import unique_keys
from planner.binding.naming import identifier
from planner.binding.scope import Scope

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

_BETWEEN: Final = (exp.And, exp.Or, exp.Not, exp.Paren)
_TWICE: Final = (
    exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Predicate, exp.Connector, exp.Not, exp.Paren, exp.Cast, exp.DataType,
    exp.DataTypeParam, exp.Any, exp.Array, exp.Parameter, exp.Placeholder, exp.CurrentTimestamp, exp.Add, exp.Sub, exp.Neg, exp.Interval, exp.Var,
)  # fmt: skip
"""What may be asked twice: it is the same each time and calls nobody."""
_ALONE: Final = (
    "with_",
    "joins",
    "group",
    "having",
    "distinct",
    "limit",
    "offset",
    "windows",
    "laterals",
    "order",
)


def as_member(queries: QueryBinder, node: exp.Exists, scope: Scope) -> exp.Expression | None:
    """The same as membership in what is locked before; None for what is no such EXISTS."""
    inner = node.this.this if isinstance(node.this, exp.Subquery) else node.this
    if (
        not isinstance(inner, exp.Select)
        or not inner.args.get("locks")
        or any(inner.args.get(k) for k in _ALONE)
    ):
        return None
    source = inner.args.get("from_")
    table = _table(queries, source.this) if source is not None else None
    around = _around(node)
    if table is None or around is None or inner.args.get("where") is None:
        return None
    alias = source.this.args.get("alias")
    name = identifier(alias.this if alias is not None else source.this.this)
    keys = {table.columns[columns[0]].name for _, columns in unique_keys(table) if len(columns) == 1}
    conjuncts = list(_conjuncts(inner.args["where"].this))
    for c in conjuncts:
        for own, other in ((c.this, c.expression), (c.expression, c.this)) if isinstance(c, exp.EQ) else ():
            if not isinstance(own, exp.Column) or identifier(own.this) not in keys:
                continue
            if _qualifier(own) not in ("", name) or not _is_of(other, scope, {x.name for x in table.columns}):
                continue
            asked = around.copy()
            asked.set("expressions", [other.copy()])
            rest = [x.copy() for x in conjuncts if x is not c]
            made = inner.copy()
            made.set("expressions", [own.copy()])
            wanted = exp.In(this=own.copy(), query=exp.Subquery(this=_kept(asked, scope)))
            made.set("where", exp.Where(this=exp.and_(*rest, wanted, copy=False)))
            member = exp.In(this=other.copy(), query=exp.Subquery(this=made))
            return exp.Coalesce(this=exp.Paren(this=member), expressions=[exp.false()])
    return None


def _table(queries: QueryBinder, node: exp.Expression) -> Table | None:
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        return None
    found = queries.ctx.catalog.find_relation(node.name, node.db, queries.search_path)
    return found if isinstance(found, Table) else None


def _around(node: exp.Expression) -> exp.Select | None:
    """The query whose WHERE it is in, as one of rows of tables; None if it is somewhere else, or of other rows."""
    at = node.parent
    while isinstance(at, _BETWEEN):
        at = at.parent
    outer = at.parent if isinstance(at, exp.Where) else None
    if isinstance(outer, exp.Delete | exp.Update):
        if outer.args.get("using") or outer.args.get("from_"):
            return None
        made = exp.select("1").from_(outer.this.copy())
        made.set("where", outer.args["where"].copy())
        return made
    if not isinstance(outer, exp.Select) or outer.args.get("from_") is None:
        return None
    joins = outer.args.get("joins") or []
    items = [outer.args["from_"].this, *(j.this for j in joins)]
    if not all(isinstance(x, exp.Table) and isinstance(x.this, exp.Identifier) for x in items):
        return None
    if not all(
        isinstance(n, _TWICE) for j in joins if j.args.get("on") is not None for n in j.args["on"].walk()
    ):
        return None
    made = exp.Select(expressions=[], from_=outer.args["from_"].copy())
    made.set("joins", [j.copy() for j in joins])
    made.set("where", outer.args["where"].copy())
    return made


def _kept(asked: exp.Select, scope: Scope) -> exp.Select:
    """With those conditions alone that may be asked twice, of rows of its own."""
    kept = [
        c
        for c in _conjuncts(asked.args["where"].this)
        if all(isinstance(n, _TWICE) for n in c.walk()) and _is_of(c, scope, set())
    ]
    asked.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    return asked


def _conjuncts(node: exp.Expression) -> list[exp.Expression]:
    if isinstance(node, exp.Paren):
        return _conjuncts(node.this)
    if isinstance(node, exp.And):
        return [*_conjuncts(node.this), *_conjuncts(node.expression)]
    return [node]


def _is_of(node: exp.Expression, scope: Scope, hidden: set[str]) -> bool:
    """Whether an expression names columns of this scope's own relations alone. `hidden`: those that names mean first."""
    relations, columns = {r.name for r in scope.relations}, {c.name for c in scope.columns}
    if not all(isinstance(n, _TWICE) for n in node.walk()):
        return False
    for c in node.find_all(exp.Column):
        name = identifier(c.this) if isinstance(c.this, exp.Identifier) else ""
        qualifier = _qualifier(c)
        if qualifier not in relations if qualifier else name not in columns or name in hidden:
            return False
    return True


def _qualifier(column: exp.Column) -> str:
    table = column.args.get("table")
    return identifier(table) if table is not None else ""


__all__ = ["as_member"]
