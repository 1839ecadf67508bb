"""The grammar of event triggers.

CREATE EVENT TRIGGER name ON ddl_command_end [WHEN TAG IN ('CREATE TABLE', ...)] EXECUTE FUNCTION f()
ALTER EVENT TRIGGER name ENABLE | DISABLE | ENABLE REPLICA | ENABLE ALWAYS | OWNER TO role | RENAME TO other
"""

from __future__ import annotations

from planner import statements as st
from planner.parse import clauses
from planner.parse.cursor import Cursor


def create(c: Cursor) -> st.CreateEventTrigger:
    """After CREATE EVENT TRIGGER."""
    name = c.name()
    c.expect("on")
    event = c.label()
    filters: list[tuple[str, tuple[str, ...]]] = []
    if c.accept("when"):
        while True:
            variable = c.name()
            c.expect("in")
            values = c.bracketed(Cursor.string)
            filters.append((variable, values))
            if not c.accept("and"):
                break
    c.expect("execute")
    if not c.accept_one("function", "procedure"):
        c.fail()
    function = c.qualified()
    c.expect_symbol("(")
    c.expect_symbol(")")
    return st.CreateEventTrigger(name, event, function, tuple(filters))


def alter(c: Cursor) -> st.AlterEventTrigger:
    """After ALTER EVENT TRIGGER."""
    name = c.name()
    if c.accept("rename", "to"):
        return st.AlterEventTrigger(name, "rename", c.name())
    if c.accept("owner", "to"):
        return st.AlterEventTrigger(name, "owner", c.role())
    if c.accept("disable"):
        return st.AlterEventTrigger(name, "enabled", "D")
    c.expect("enable")
    word = c.accept_one("replica", "always")
    return st.AlterEventTrigger(name, "enabled", {"": "O", "replica": "R", "always": "A"}[word])


def drop(c: Cursor) -> st.DropEventTrigger:
    """After DROP EVENT TRIGGER."""
    exists = c.accept("if", "exists")
    return st.DropEventTrigger(c.name(), exists, clauses.drop_behaviour(c))


__all__ = ["alter", "create", "drop"]
