"""The grammar of publications.

CREATE PUBLICATION name [FOR ALL TABLES | FOR object, ...] [WITH (option [= value], ...)]
ALTER PUBLICATION name ADD | SET | DROP object, ... | SET (option [= value], ...) | OWNER TO role | RENAME TO other

object:  TABLE [ONLY] name [*] [(column, ...)] [WHERE (condition)]    TABLES IN SCHEMA name | CURRENT_SCHEMA

A name without TABLE or TABLES IN SCHEMA is of the kind of the one before it, which is known only when all have been read: what
is wrong with the list is said before what comes behind it is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import END, PUNCTUATION
from planner.parse.cursor import Cursor

_TABLE, _SCHEMA, _SAME = "table", "schema", ""


@dataclass(slots=True)
class _Object:
    """One of the list: `schema` is a bare name, or with `current` CURRENT_SCHEMA; `table` what only a table can be."""

    kind: str
    position: int
    name: st.Name | None = None
    current: bool = False
    table: st.PublicationTable | None = None


def create(c: Cursor) -> st.CreatePublication:
    """After CREATE PUBLICATION."""
    name = c.name()
    everything = False
    tables: tuple[st.PublicationTable, ...] = ()
    schemas: tuple[str | None, ...] = ()
    if c.accept("for"):
        if c.accept("all", "tables"):
            everything = True
        else:
            tables, schemas = _objects(c)
    options = definition(c) if c.accept("with") else ()
    return st.CreatePublication(name, everything, tables, schemas, options)


def alter(c: Cursor) -> st.AlterPublication:
    """After ALTER PUBLICATION."""
    name = c.name()
    if c.accept("rename", "to"):
        return st.AlterPublication(name, "rename", c.name())
    if c.accept("owner", "to"):
        return st.AlterPublication(name, "owner", c.role())
    what = c.accept_one("add", "set", "drop")
    if not what:
        c.fail()
    if what == "set" and c.symbol_is("("):
        return st.AlterPublication(name, "options", options=definition(c))
    tables, schemas = _objects(c)
    return st.AlterPublication(name, what, tables=tables, schemas=schemas)


def definition(c: Cursor) -> tuple[st.PublicationOption, ...]:
    """( name [= value], ... )"""
    found: list[st.PublicationOption] = []
    c.expect_symbol("(")
    while True:
        position = c.position
        name = c.label()
        value: str | None = None
        if c.accept_symbol("="):
            sign = "-" if c.accept_symbol("-") else ""
            if c.token.kind in (END, PUNCTUATION):
                c.fail()
            value = sign + c.advance().value
        found.append(st.PublicationOption(name, value, position))
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return tuple(found)


def _objects(c: Cursor) -> tuple[tuple[st.PublicationTable, ...], tuple[str | None, ...]]:
    """The list as tables and schemas. Raises 42601."""
    listed = c.listed(_object)
    if listed[0].kind == _SAME:
        raise PlanError(
            "42601",
            "invalid publication object list",
            detail="One of TABLE or TABLES IN SCHEMA must be specified before a standalone table or schema name.",
            position=listed[0].position,
        )
    tables: list[st.PublicationTable] = []
    schemas: list[str | None] = []
    kind = _SAME
    for one in listed:
        kind = one.kind or kind
        if kind == _TABLE:
            tables.append(_as_table(one))
        else:
            schemas.append(_as_schema(one))
    return tuple(tables), tuple(schemas)


def _as_table(one: _Object) -> st.PublicationTable:
    if one.table is not None:
        return one.table
    if one.name is None:
        raise PlanError("42601", "invalid table name", position=one.position)
    return st.PublicationTable(one.name)


def _as_schema(one: _Object) -> str | None:
    if one.table is not None:
        if one.table.where is not None:
            message = "WHERE clause not allowed for schema"
        elif one.table.columns:
            message = "column specification not allowed for schema"
        else:
            message = "invalid schema name"
        raise PlanError("42601", message, position=one.position)
    return None if one.name is None else one.name.name


def _object(c: Cursor) -> _Object:
    position = c.position
    if c.accept("tables", "in", "schema"):
        position = c.position
        if c.accept("current_schema"):
            return _Object(_SCHEMA, position, current=True)
        return _Object(_SCHEMA, position, st.Name(c.name(), "", position))
    if c.accept("table"):
        return _Object(_TABLE, position, table=_table(c))
    if c.accept("current_schema"):
        return _Object(_SAME, position, current=True)
    if not c.next_is("only") and not c.is_name():
        c.fail()
    said = _table(c)
    bare = not (said.only or said.columns or said.where is not None or said.name.schema)
    if bare and c.tokens[c.at - 1].value != "*":
        return _Object(_SAME, position, said.name)
    return _Object(_SAME, position, table=said)


def _table(c: Cursor) -> st.PublicationTable:
    name, only = c.relation()
    columns = c.name_list() if c.symbol_is("(") else ()
    where = c.enclosed() if c.accept("where") else None
    return st.PublicationTable(name, only, columns, where)


__all__ = ["alter", "create", "definition"]
