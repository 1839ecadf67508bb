"""CREATE and ALTER STATISTICS.

CREATE STATISTICS [IF NOT EXISTS] name [(kind, ...)] ON column | f(...) | (expression), ... FROM table
"""

from __future__ import annotations

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import PUNCTUATION
from planner.parse.cursor import Cursor


def create_statistics(c: Cursor) -> st.CreateStatistics:
    """After CREATE STATISTICS."""
    exists = c.accept("if", "not", "exists")
    name = c.qualified()
    kinds: tuple[str, ...] = ()
    if c.accept_symbol("("):
        kinds = c.listed(Cursor.name)
        c.expect_symbol(")")
    c.expect("on")
    elements = c.listed(_element)
    c.expect("from")
    if not c.is_name():
        if c.symbol_is("("):
            raise _no_relation()
        c.fail()
    table = c.qualified()
    if not c.ended:
        raise _no_relation()
    return st.CreateStatistics(name, kinds, elements, table, exists)


def _no_relation() -> PlanError:
    return PlanError("0A000", "CREATE STATISTICS only supports relation names in the FROM clause")


def _element(c: Cursor) -> str | st.Sql:
    """A column's name, or an expression."""
    if c.symbol_is("("):
        return c.enclosed()
    after = c.ahead()
    if after.kind == PUNCTUATION and after.value in ("(", "."):
        return c.call()
    return c.name()


def alter_statistics(c: Cursor) -> st.AlterStatistics:
    """After ALTER STATISTICS."""
    exists = c.accept("if", "exists")
    name = c.qualified()
    if c.accept("set", "statistics"):
        return st.AlterStatistics(name, "set statistics", target=c.integer(), if_exists=exists)
    if exists:
        c.fail()
    if c.accept("rename", "to"):
        return st.AlterStatistics(name, "rename", c.name())
    if c.accept("owner", "to"):
        return st.AlterStatistics(name, "owner", c.role())
    c.expect("set", "schema")
    return st.AlterStatistics(name, "set schema", c.name())
