"""CREATE and ALTER COLLATION.

CREATE COLLATION name (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = false)
CREATE COLLATION name FROM "sv-x-icu"
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import STRING
from planner.parse.cursor import Cursor

_OPTIONS: Final = ("locale", "lc_collate", "lc_ctype", "provider", "deterministic", "version")


def create_collation(c: Cursor) -> st.CreateCollation:
    """After CREATE COLLATION."""
    exists = c.accept("if", "not", "exists")
    name = c.qualified()
    if c.accept("from"):
        return st.CreateCollation(name, (), c.qualified(), exists)
    c.expect_symbol("(")
    said: list[tuple[str, str, int]] = []
    source: st.Name | None = None
    while True:
        position = c.position
        option = c.label()
        if option == "from" and source is None:
            c.expect_symbol("=")
            source = c.qualified()
            if not c.accept_symbol(","):
                break
            continue
        if option not in _OPTIONS:
            raise PlanError("42601", f'collation attribute "{option}" not recognized', position=position)
        if any(option == known for known, _, _ in said):
            raise PlanError("42601", "conflicting or redundant options", position=position)
        c.expect_symbol("=")
        said.append((option, c.string() if c.token.kind == STRING else c.label(), position))
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    if source is not None and said:
        raise PlanError(
            "42601",
            "conflicting or redundant options",
            detail="FROM cannot be specified together with any other options.",
        )
    return st.CreateCollation(name, tuple(said), source, exists)


def alter_collation(c: Cursor) -> st.AlterCollation:
    """After ALTER COLLATION."""
    name = c.qualified()
    if c.accept("rename", "to"):
        return st.AlterCollation(name, "rename", c.name())
    if c.accept("owner", "to"):
        return st.AlterCollation(name, "owner", c.role())
    if c.accept("set", "schema"):
        return st.AlterCollation(name, "set schema", c.name())
    c.expect("refresh", "version")
    return st.AlterCollation(name, "refresh version")
