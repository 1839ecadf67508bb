"""Two ways to say one thing: a row's field as a call, a call on a row as its field.

    p.full_name        where people has no such column      full_name(p)
    (f(x)).full_name   where its type has no such field     full_name(f(x))
    id(p)              where no function takes a row        p.id

The way that was written is tried first, and its error is what is told if the other way leads nowhere either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError
from planner.binding import ir
from planner.binding.offered import procs_named
from planner.binding.records import called_fields, field_of
from planner.binding.routines import resolution as routine_resolution
from planner.binding.scope import Scope

if TYPE_CHECKING:
    from planner.binding.column_names import NameBinder


def bound(value: ir.Node) -> exp.Expression:
    """In a tree, what has been bound already: binding it again for the other way would double with each dot."""
    made = exp.Placeholder()
    made.meta["bound"] = value
    return made


def as_call(names: NameBinder, name: str, row: ir.Node, scope: Scope, missing: PlanError) -> ir.Node:
    """The function `name` of the row. Raises `missing` where there is none."""
    queries = names.queries
    known = routine_resolution.known(queries, name, "")
    if not any(f.inputs for f in known) and not procs_named(name, queries.offered("")):
        raise missing
    call = exp.Anonymous(this=exp.Identifier(this=name, quoted=True), expressions=[bound(row)])
    call.meta["start"] = missing.position - 1
    try:
        return names.call(call, scope)
    except PlanError as e:
        if e.position == missing.position and e.sqlstate in ("42883", "42725"):
            raise missing from None
        raise


def field(name: str, given: ir.Node, position: int) -> ir.Node | None:
    """The field `name` of a row; None where it has none."""
    names = [called for called, _ in t.composite_fields(given.type.oid) or ()]
    if name not in (names or called_fields(given.type)):
        return None
    return field_of(given, name, position)
