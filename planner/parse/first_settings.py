"""What ALTER ROLE and ALTER DATABASE say of the settings that sessions begin with, functions of those that they run under, and
ALTER SYSTEM of all sessions': SET as a session says it, and RESET."""

from __future__ import annotations

import dataclasses

from planner import statements as st
from planner.parse import utility
from planner.parse.cursor import Cursor


def first_settings(c: Cursor, said: st.AlterSettings) -> st.AlterSettings:
    """The rest of the statement, from SET or RESET on."""
    if c.accept("reset"):
        if c.accept("all"):
            return said
        if c.accept("time", "zone"):
            return dataclasses.replace(said, name="timezone")
        return dataclasses.replace(said, name=utility.variable_name(c))
    c.expect("set")
    if c.word in ("role", "session"):  # whom a session acts as is not a setting among others here
        c.unsupported(f"{said.tag} ... SET {c.word.upper()}")
    at = c.at
    if not c.next_is("time", "zone"):
        name = utility.variable_name(c)
        if c.accept("from", "current"):
            return dataclasses.replace(said, name=name, from_current=True)
        c.at = at
    made = utility.set_(c)
    if not isinstance(made, st.SetVariable):
        c.at = at
        c.fail()
    return dataclasses.replace(said, name=made.name, values=made.values)


def alter_system(c: Cursor) -> st.AlterSystem:
    """The rest of ALTER SYSTEM: names and their values alone, none of the words that SET has for some of them."""
    if c.accept("reset"):
        return st.AlterSystem() if c.accept("all") else st.AlterSystem(utility.variable_name(c))
    c.expect("set")
    name = utility.variable_name(c)
    return st.AlterSystem(name, utility.values_assigned(c))
