"""The grammar of policies.

CREATE POLICY name ON t [AS PERMISSIVE | RESTRICTIVE] [FOR ALL | SELECT | INSERT | UPDATE | DELETE]
    [TO role, ...] [USING (condition)] [WITH CHECK (condition)]
ALTER POLICY name ON t RENAME TO other | [TO role, ...] [USING (condition)] [WITH CHECK (condition)]
DROP POLICY [IF EXISTS] name ON t [CASCADE | RESTRICT]
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner.abc import PlanError
from planner.parse import clauses
from planner.parse.cursor import Cursor

_COMMANDS: Final = {"all": "*", "select": "r", "insert": "a", "update": "w", "delete": "d"}


def create_policy(c: Cursor) -> st.CreatePolicy:
    """After CREATE POLICY. Raises 42601 for conditions that the command does not ask."""
    name = c.name()
    c.expect("on")
    table = c.qualified()
    permissive = True
    if c.accept("as"):
        at = c.token
        word = c.name().lower()
        if word not in ("permissive", "restrictive"):
            raise PlanError(
                "42601",
                f'unrecognized row security option "{word}"',
                hint="Only PERMISSIVE or RESTRICTIVE policies are supported currently.",
                position=at.start + 1,
            )
        permissive = word == "permissive"
    command = _COMMANDS[c.accept_one(*_COMMANDS) or c.fail()] if c.accept("for") else "*"
    roles = c.listed(Cursor.role) if c.accept("to") else ("public",)
    using, check = _conditions(c)
    return st.CreatePolicy(name, table, permissive, command, roles, using, check)


def _conditions(c: Cursor) -> tuple[st.Sql | None, st.Sql | None]:
    using = c.enclosed() if c.accept("using") else None
    check = c.enclosed() if c.accept("with", "check") else None
    return using, check


def alter_policy(c: Cursor) -> st.AlterPolicy | st.RenamePolicy:
    """After ALTER POLICY."""
    name = c.name()
    c.expect("on")
    table = c.qualified()
    if c.accept("rename"):
        c.expect("to")
        return st.RenamePolicy(name, table, c.name())
    roles = c.listed(Cursor.role) if c.accept("to") else None
    return st.AlterPolicy(name, table, roles, *_conditions(c))


def drop_policy(c: Cursor) -> st.DropPolicy:
    """After DROP POLICY."""
    exists = c.accept("if", "exists")
    name = c.name()
    c.expect("on")
    return st.DropPolicy(name, c.qualified(), exists, clauses.drop_behaviour(c))
