"""The grammar of types that users define: enums, composite types, ranges and domains, and of what ALTER says of them."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.keywords import COLUMN_NAME
from planner.lexer import QUOTED, STRING, WORD
from planner.parse import (
    clauses,
    constraints,
)
from planner.parse.cursor import Cursor


def named(kind: str, name: st.Name, action: st.AlterAction) -> st.AlterNamed:
    """One action of ALTER over something with a name that is no relation."""
    return st.AlterNamed(kind, name, (action,))


def create_type(c: Cursor) -> Any:
    """After CREATE TYPE."""
    at = c.token
    name = c.qualified()
    if c.accept("as", "enum"):
        c.expect_symbol("(")
        labels: tuple[str, ...] = ()
        if not c.symbol_is(")"):
            labels = c.listed(Cursor.string)
        c.expect_symbol(")")
        return st.CreateEnum(name, labels)
    if c.accept("as", "range"):
        return _range(c, name)
    if c.accept("as"):
        c.expect_symbol("(")
        columns: list[st.ColumnDef] = []
        while not c.symbol_is(")"):
            position = c.position
            column = c.name()
            columns.append(_attribute(c, column, position))
            if not c.accept_symbol(","):
                break
        c.expect_symbol(")")
        return st.CreateComposite(name, tuple(columns))
    if c.symbol_is("("):
        _refuse_elements(c)
    c.expect_end()
    c.unsupported("CREATE TYPE of a base type", at)


def _refuse_elements(c: Cursor) -> None:
    """`(input = f, output = g, passedbyvalue)`. Raises 42601 for what is no such list."""
    c.expect_symbol("(")
    while True:
        c.label()
        if c.accept_symbol("="):
            if c.token.kind in (WORD, QUOTED):
                c.type_name()
            elif c.token.kind == STRING:
                c.advance()
            else:
                c.number()
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")


_RANGE_OPTIONS: Final = ("subtype_opclass", "collation", "canonical", "subtype_diff", "multirange_type_name")


def _range(c: Cursor, name: st.Name) -> st.CreateRange:
    c.expect_symbol("(")
    subtype = None
    said: dict[str, st.Name] = {}
    while True:
        position = c.position
        option = c.label()
        if option != "subtype" and option not in _RANGE_OPTIONS:
            raise PlanError("42601", f'type attribute "{option}" not recognized')
        if option in said or (option == "subtype" and subtype is not None):
            raise PlanError("42601", "conflicting or redundant options", position=position)
        c.expect_symbol("=")
        if option == "subtype":
            subtype = c.type_name()
        elif (
            c.token.kind == WORD and c.token.keyword in COLUMN_NAME
        ):  # a type's word of the grammar: int, varchar
            said[option] = st.Name(" ".join(c.type_name().names), "pg_catalog")
        else:
            said[option] = c.qualified()
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return st.CreateRange(name, subtype, tuple(said.items()))


def create_domain(c: Cursor) -> st.CreateDomain:
    """After CREATE DOMAIN."""
    name = c.qualified()
    c.accept("as")
    type_name = c.type_name()
    default: st.Sql | None = None
    not_null, nullable = False, False
    collation = ""
    checks: list[st.ConstraintDef] = []
    while not c.ended:
        position = c.position
        label = c.name() if c.accept("constraint") else ""
        if c.accept("collate"):
            collation = c.collation()
        elif c.accept("default"):
            default = c.expression(narrow=True)
        elif c.accept("not", "null"):
            not_null = True
        elif c.accept("null"):
            nullable = True
        elif c.accept("check"):
            checks.append(st.ConstraintDef("c", label, expression=c.enclosed(), position=position))
        else:
            c.fail()
        if not_null and nullable:
            raise PlanError("42601", "conflicting NULL/NOT NULL constraints")
    return st.CreateDomain(name, type_name, default, not_null, tuple(checks), collation)


def alter_type(c: Cursor) -> Any:
    name = c.qualified()
    if c.accept("add", "value"):
        exists = c.accept("if", "not", "exists")
        label = c.string()
        before = c.string() if c.accept("before") else None
        after = c.string() if before is None and c.accept("after") else None
        return st.AlterEnum(name, label, exists, before, after)
    if c.accept("rename", "value"):
        old = c.string()
        c.expect("to")
        return st.AlterEnum(name, old, rename_to=c.string())
    return _alter_named(c, "type", name)


def alter_domain(c: Cursor) -> Any:
    name = c.qualified()
    position = c.position
    if c.accept("set", "default"):
        return named(
            "domain", name, st.AlterAction("set default", expression=c.expression(), position=position)
        )
    if c.accept("drop", "default"):
        return named("domain", name, st.AlterAction("drop default", position=position))
    if c.accept("set", "not", "null"):
        return named("domain", name, st.AlterAction("set not null", position=position))
    if c.accept("drop", "not", "null"):
        return named("domain", name, st.AlterAction("drop not null", position=position))
    if c.accept("add"):
        return named(
            "domain",
            name,
            st.AlterAction("add constraint", constraint=constraints.table_constraint(c), position=position),
        )
    if c.accept("drop", "constraint"):
        exists = c.accept("if", "exists")
        label = c.name()
        cascade = clauses.drop_behaviour(c)
        return named(
            "domain",
            name,
            st.AlterAction("drop constraint", label, exists=exists, cascade=cascade, position=position),
        )
    if c.accept("validate", "constraint"):
        return named("domain", name, st.AlterAction("validate constraint", c.name(), position=position))
    if c.accept("rename", "constraint"):
        label = c.name()
        c.expect("to")
        action = st.AlterAction("rename constraint", label, new_name=c.name(), position=position)
        return named("domain", name, action)
    return _alter_named(c, "domain", name)


def _alter_named(c: Cursor, kind: str, name: st.Name) -> st.AlterNamed:
    position = c.position
    if c.accept("rename", "to"):
        return named(kind, name, st.AlterAction("rename", new_name=c.name(), position=position))
    if c.accept("owner", "to"):
        return named(kind, name, st.AlterAction("owner", c.role(), position=position))
    if c.accept("set", "schema"):
        return named(kind, name, st.AlterAction("set schema", c.name(), position=position))
    if kind == "type" and c.word in ("add", "drop", "alter", "rename"):
        return _attributes(c, name)
    c.fail()


def _attribute(c: Cursor, name: str, position: int) -> st.ColumnDef:
    """Of a composite type, from its type on."""
    type_name = c.type_name()
    at = c.position
    collation = c.collation() if c.accept("collate") else ""
    return st.ColumnDef(name, type_name, collation=collation, collation_position=at, position=position)


def _attributes(c: Cursor, name: st.Name) -> st.AlterNamed:
    """ADD, DROP, ALTER and RENAME ATTRIBUTE of a composite type."""
    actions: list[st.AlterAction] = []
    while True:
        position = c.position
        if not actions and c.accept("rename", "attribute"):
            old = c.name()
            c.expect("to")
            action = st.AlterAction("rename column", old, new_name=c.name(), position=position)
            cascade = clauses.drop_behaviour(c)
            return st.AlterNamed("type", name, (dataclasses.replace(action, cascade=cascade),))
        elif c.accept("add", "attribute"):
            column = c.name()
            said = _attribute(c, column, position)
            actions.append(st.AlterAction("add column", column=said, position=position))
        elif c.accept("drop", "attribute"):
            exists = c.accept("if", "exists")
            actions.append(st.AlterAction("drop column", c.name(), exists=exists, position=position))
        elif c.accept("alter", "attribute"):
            column = c.name()
            c.accept("set", "data")
            c.expect("type")
            actions.append(st.AlterAction("set type", column, type=c.type_name(), position=position))
        else:
            c.fail()
        actions[-1] = dataclasses.replace(actions[-1], cascade=clauses.drop_behaviour(c))
        if not c.accept_symbol(","):
            return st.AlterNamed("type", name, tuple(actions))
