"""The grammar of classes and families of operators.

CREATE OPERATOR CLASS c DEFAULT FOR TYPE t USING btree FAMILY f AS OPERATOR 1 <, ..., FUNCTION 1 cmp(t, t)
ALTER OPERATOR FAMILY f USING btree ADD OPERATOR 1 < (int4, int2), FUNCTION 1 btint42cmp(int4, int2)
ALTER OPERATOR FAMILY f USING btree DROP OPERATOR 1 (int4, int2)
"""

from __future__ import annotations

from planner import statements as st
from planner.parse import clauses, operators, routines
from planner.parse.cursor import Cursor
from planner.statements.operator_classes import CLASS, FAMILY


def kind_ahead(c: Cursor) -> str:
    """CLASS or FAMILY, if that is what comes after OPERATOR (an operator's name is none of these words)."""
    word = c.accept_one("class", "family")
    return f"operator {word}" if word else ""


def signature(c: Cursor, kind: str) -> st.ClassSignature:
    """`name USING method`."""
    name = c.qualified()
    c.expect("using")
    return st.ClassSignature(kind, name, c.name())


def create(c: Cursor, kind: str) -> st.CreateOperatorClass | st.CreateOperatorFamily:
    """After CREATE OPERATOR CLASS or FAMILY."""
    if kind == FAMILY:
        said = signature(c, kind)
        return st.CreateOperatorFamily(said.name, said.method)
    name = c.qualified()
    default = c.accept("default")
    c.expect("for")
    c.expect("type")
    of = c.type_name()
    c.expect("using")
    method = c.name()
    family = c.qualified() if c.accept("family") else None
    c.expect("as")
    return st.CreateOperatorClass(name, of, method, c.listed(_item), default, family)


def _item(c: Cursor) -> st.ClassItem:
    if c.accept("storage"):
        return st.ClassItem("storage", types=(c.type_name(),))
    if c.accept("operator"):
        number = c.integer()
        if c.symbol_is("("):
            c.fail()
        name = operators.operator_name(c)
        operands = _operands(c) if c.symbol_is("(") else None
        said = st.OperatorSignature(name, *(operands or (None, None)))
        sort_family = None
        if c.accept("for") and not c.accept("search"):
            c.expect("order")
            c.expect("by")
            sort_family = c.qualified()
        c.accept("recheck")
        return st.ClassItem("operator", number, said, sort_family=sort_family)
    c.expect("function")
    number = c.integer()
    types = c.bracketed(Cursor.type_name) if c.symbol_is("(") else ()
    return st.ClassItem("function", number, function=routines.signature(c), types=types)


def _operands(c: Cursor) -> tuple[st.TypeName | None, st.TypeName | None]:
    c.expect_symbol("(")
    left = None if c.accept("none") else c.type_name()
    if not c.symbol_is(","):
        return operators.lone_operand(c)
    c.expect_symbol(",")
    right = None if c.accept("none") else c.type_name()
    c.expect_symbol(")")
    return left, right


def alter(c: Cursor, kind: str) -> st.AlterClass | st.AlterOperatorFamily:
    """After ALTER OPERATOR CLASS or FAMILY."""
    said = signature(c, kind)
    if c.accept("rename", "to"):
        return st.AlterClass(said, "rename", c.name())
    if c.accept("owner", "to"):
        return st.AlterClass(said, "owner", c.role())
    if c.accept("set", "schema"):
        return st.AlterClass(said, "set schema", c.name())
    if kind == CLASS:
        c.fail()
    if c.accept("add"):
        return st.AlterOperatorFamily(said, c.listed(_item))
    c.expect("drop")
    found = c.listed(_dropped)
    return st.AlterOperatorFamily(said, found, drop=True)


def _dropped(c: Cursor) -> st.ClassItem:
    what = c.accept_one("operator", "function")
    if not what:
        c.fail()
    number = c.integer()
    return st.ClassItem(what, number, types=c.bracketed(Cursor.type_name))


def drop(c: Cursor, kind: str) -> st.DropClass:
    """After DROP OPERATOR CLASS or FAMILY."""
    exists = c.accept("if", "exists")
    return st.DropClass(signature(c, kind), exists, clauses.drop_behaviour(c))


__all__ = ["alter", "create", "drop", "kind_ahead", "signature"]
