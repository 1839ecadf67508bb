"""What the literals of a text are read as, where it depends on the session that reads them.

    SET datestyle = 'SQL, DMY';
    CREATE VIEW v AS SELECT * FROM t WHERE day > '3.4.2021'      the third of April, for every reader of v
    SET timezone = 'Asia/Tokyo';
    CREATE TABLE t (at timestamptz DEFAULT '2020-01-01')         midnight in Tokyo, wherever the row comes from

Only binding knows which literals are dates: here it is `day` that says so. So the text is bound once, and each
literal that is read on the way is noted with its place (`Coercions.noting`). Those that other sessions would read
otherwise are told, with words that all sessions read alike.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Final

from planner import types as t
from planner.abc import SqlError, Table, TypeRef
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.routines.bodies import statements_in, statements_of
from planner.binding.routines.inlined import validate
from planner.binding.scope import Scope
from planner.binding.writes.clauses import RowBinder
from planner.binding.writes.dml import DmlBinder
from planner.catalog import Function
from planner.parse import parse_expression, parse_query
from planner.types import TypeSettings

_Readings = list[tuple[int, TypeRef, str]]
"""Literals that were read: where they are, as which type, and their words."""
_OTHERS: Final = (
    TypeSettings(),
    TypeSettings(date_style="SQL, DMY", time_zone="Asia/Tokyo", interval_style="sql_standard"),
    TypeSettings(date_style="ISO, YMD", time_zone="America/New_York"),
)
"""Sessions whose orders of dates, time zones and signs of intervals differ: who reads alike in all, does so anywhere."""


def of_expression(ctx: Any, text: str, table: Table | None, whole: TypeRef | None) -> dict[int, str]:
    """By place in an expression over a table's columns, or over none: literals to be said otherwise. Raises SqlError."""
    queries = QueryBinder(ctx, text, Parameters((), None))
    noted = _noted(queries, text)
    binder = DmlBinder(queries)
    scope = Scope(None, 0, clause="DEFAULT expressions")
    if table is not None:
        scope = binder.scope_of(binder.relation(table, table.name, of_table=False))
    node = binder.stored_expression(text, scope)
    if whole is not None:
        queries.coercions.try_coerce(node, whole, "a")
    return _unlike(noted, ctx.settings)


def of_condition(ctx: Any, text: str, table: Table) -> dict[int, str]:
    """The same of a trigger's WHEN, over OLD and NEW. Raises SqlError."""
    queries = QueryBinder(ctx, text, Parameters((), None))
    noted = _noted(queries, text)
    rows = RowBinder(queries)
    old, new = (rows.relation(table, name, name, of_table=False) for name in ("old", "new"))
    queries.expressions.boolean(parse_expression(text), rows.plain_scope(old, new), "WHEN")
    return _unlike(noted, ctx.settings)


def of_body(ctx: Any, f: Function) -> dict[int, str]:
    """The same of a function's body of the standard's form. Raises SqlError."""
    text = statements_of(f)  # its places are those of the body
    queries = QueryBinder(ctx, text, Parameters((), None))
    noted = _noted(queries, text)
    validate(queries, f)
    return _unlike(noted, ctx.settings)


def of_statements(ctx: Any, f: Function) -> dict[int, str]:
    """The same of a body that runs: of what is bound when it is written out, which is all but what has no words there. Raises SqlError."""
    from planner.binding.deparse.expressions import NotWritable  # which stand on this room
    from planner.binding.deparse.routine_text import written
    from planner.binding.deparse.view_expressions import ViewBinder

    ctx, said = dataclasses.replace(ctx, search_path=f.search_path), dict[int, str]()
    for text in statements_in(statements_of(f)):
        queries = ViewBinder(ctx, text, Parameters((), None))
        noted = _noted(queries, text)
        with contextlib.suppress(NotWritable):
            written(queries, f, text, t.format_type, lambda _, name: name)
        said |= _unlike(noted, ctx.settings)
    return said


def of_query(ctx: Any, text: str) -> dict[int, str]:
    """The same of a query. Raises SqlError."""
    queries = QueryBinder(ctx, text, Parameters((), None))
    noted = _noted(queries, text)
    queries.subquery(parse_query(text), queries.new_scope(None))
    return _unlike(noted, ctx.settings)


def of_literal(ctx: Any, text: str, start: int, ref: TypeRef) -> dict[int, str]:
    """The same of one literal, whose type is known. Raises SqlError.

    '1' is a minute as an `interval minute` and a second as an interval, so the fields count, too.
    """
    fit = t.coercion(ref, True) if ref.oid == t.INTERVAL and ref.typmod >= 0 else None
    if fit is None:
        return _unlike([(start + 1, TypeRef(ref.oid), text)], ctx.settings)
    value = fit(t.input_text(text, ref, ctx.settings))
    return {start: t.output_text(value, TypeRef(ref.oid), _plain(ctx.settings))}


def _noted(queries: QueryBinder, text: str) -> _Readings:
    """Where what is read will be noted: not what other texts say, those of views, policies and functions on the way."""
    found: _Readings = []

    def note(position: int, ref: TypeRef, said: str) -> None:
        if queries.text == text:
            found.append((position, ref, said))

    queries.coercions.noting = note
    return found


def _unlike(noted: _Readings, settings: TypeSettings) -> dict[int, str]:
    said: dict[int, str] = {}
    plain = _plain(settings)
    for position, ref, text in noted:
        value = t.input_text(text, ref, settings)
        if not _alike(text, ref, value):
            shown = t.output_text(value, ref, plain)
            if _alike(shown, ref, value):
                said[position - 1] = shown
    return said


def _plain(settings: TypeSettings) -> TypeSettings:
    return dataclasses.replace(settings, date_style="ISO, MDY", interval_style="postgres")


def _alike(text: str, ref: TypeRef, value: Any) -> bool:
    try:
        return all(t.input_text(text, ref, other) == value for other in _OTHERS)
    except SqlError:
        return False
