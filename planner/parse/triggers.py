"""The grammar of triggers.

    CREATE [OR REPLACE] [CONSTRAINT] TRIGGER name
        BEFORE | AFTER | INSTEAD OF  INSERT | DELETE | TRUNCATE | UPDATE [OF a, b]  OR ...
        ON t [FROM other] [[NOT] DEFERRABLE] [INITIALLY IMMEDIATE | DEFERRED]
        [REFERENCING OLD | NEW TABLE [AS] name ...]
        [FOR [EACH] ROW | STATEMENT] [WHEN (condition)]
        EXECUTE FUNCTION | PROCEDURE f('a', 1, b)

What a constraint trigger cannot be is no grammar of its own in PostgreSQL either: AFTER, and FOR EACH ROW.
"""

from __future__ import annotations

from planner import statements as st
from planner import triggers
from planner.abc import PlanError
from planner.lexer import DECIMAL, INTEGER, STRING, Token
from planner.parse import clauses, constraints
from planner.parse.cursor import Cursor


def create_trigger(c: Cursor, replace: bool, at: Token, *, constraint: bool) -> st.CreateTrigger:
    """After CREATE [OR REPLACE] [CONSTRAINT] TRIGGER."""
    name = c.name()
    when = "after"
    if constraint:
        c.expect("after")
    elif c.accept("instead", "of"):
        when = "instead of"
    else:
        when = c.accept_one("before", "after") or c.fail()
    bits, columns = _events(c)
    c.expect("on")
    table = c.qualified()
    foreign = c.qualified() if constraint and c.accept("from") else None
    said: dict[str, bool] = {}
    if constraint:
        position, said = constraints.attributes(c)
        for word, shown in (("not_valid", "NOT VALID"), ("no_inherit", "NO INHERIT")):
            if said.get(word):
                message = f"TRIGGER constraints cannot be marked {shown}"
                raise PlanError("0A000", message, position=position)
    transition = () if constraint else _referencing(c)
    if constraint:
        c.expect("for")
        c.accept("each")
        c.expect("row")
        bits |= triggers.ROW
    elif c.accept("for"):
        c.accept("each")
        if (c.accept_one("row", "statement") or c.fail()) == "row":
            bits |= triggers.ROW
    condition = c.enclosed() if c.accept("when") else None
    c.expect("execute")
    if not c.accept_one("function", "procedure"):
        c.fail()
    function = c.qualified()
    c.expect_symbol("(")
    arguments: tuple[str, ...] = ()
    if not c.symbol_is(")"):
        arguments = c.listed(_argument)
    c.expect_symbol(")")
    if replace and constraint:
        raise PlanError("0A000", "CREATE OR REPLACE CONSTRAINT TRIGGER is not supported")
    return st.CreateTrigger(
        name,
        table,
        when,
        bits,
        function,
        arguments,
        columns,
        condition,
        transition,
        replace,
        constraint,
        foreign,
        said.get("deferrable", False),
        said.get("initially_deferred", False),
    )


def _events(c: Cursor) -> tuple[int, tuple[str, ...]]:
    bits = 0
    columns: tuple[str, ...] = ()
    twice = False
    while True:
        word = c.accept_one("insert", "delete", "update", "truncate") or c.fail()
        bit = triggers.EVENTS[word.upper()]
        twice = twice or bool(bits & bit)
        bits |= bit
        if word == "update" and c.accept("of"):
            columns = c.listed(Cursor.name)
        if twice:
            near = c.text[c.token.start : c.token.end]
            message = f'duplicate trigger events specified at or near "{near}"'
            raise PlanError("42601", message, position=c.position)
        if not c.accept("or"):
            return bits, columns


def _referencing(c: Cursor) -> tuple[st.TransitionTable, ...]:
    if not c.accept("referencing"):
        return ()
    found: list[st.TransitionTable] = []
    while word := c.accept_one("old", "new"):
        kind = c.accept_one("table", "row") or c.fail()
        c.accept("as")
        found.append(st.TransitionTable(c.name(), word == "new", kind == "table"))
    if not found:
        c.fail()
    return tuple(found)


def _argument(c: Cursor) -> str:
    """A number as it is written, a string, or any word."""
    if c.token.kind in (INTEGER, DECIMAL, STRING):
        return c.advance().value
    return c.label()


def drop_trigger(c: Cursor) -> st.DropTrigger:
    """After DROP TRIGGER."""
    exists = c.accept("if", "exists")
    name = c.name()
    c.expect("on")
    return st.DropTrigger(name, c.qualified(), exists, clauses.drop_behaviour(c))


def alter_trigger(c: Cursor) -> st.RenameTrigger:
    """After ALTER TRIGGER."""
    name = c.name()
    c.expect("on")
    table = c.qualified()
    if c.next_is("depends") or c.next_is("no", "depends"):
        c.unsupported("ALTER TRIGGER ... DEPENDS ON EXTENSION")
    c.expect("rename", "to")
    return st.RenameTrigger(name, table, c.name())
