"""The options of a sequence, shared by CREATE and ALTER SEQUENCE and by identity columns."""

from __future__ import annotations

from typing import Any

from planner import statements as st
from planner.abc import PlanError
from planner.parse.cursor import Cursor


def sequence_options(c: Cursor, *, parenthesised: bool = False, with_set: bool = False) -> st.SequenceOptions:
    """All options that follow, in any order; with `with_set` (ALTER COLUMN) each but RESTART has SET before it, and
    GENERATED is one of them."""
    found: dict[str, Any] = {}

    def say(field: str, value: Any) -> None:
        if field in found:
            raise PlanError("42601", "conflicting or redundant options", position=position)
        found[field] = value

    if parenthesised:
        c.expect_symbol("(")
    while True:
        position = c.position
        if with_set and not c.accept("set") and not c.next_is("restart"):
            break
        if with_set and c.accept("generated"):
            say("generated", "a" if c.accept("always") else "d" if c.accept("by", "default") else c.fail())
        elif c.accept("as"):
            say("type", c.type_name())
        elif c.accept("increment"):
            c.accept("by")
            say("increment", c.integer())
        elif c.accept("no", "minvalue"):
            say("no_minimum", True)
        elif c.accept("no", "maxvalue"):
            say("no_maximum", True)
        elif c.accept("minvalue"):
            say("minimum", c.integer())
        elif c.accept("maxvalue"):
            say("maximum", c.integer())
        elif c.accept("start"):
            c.accept("with")
            say("start", c.integer())
        elif c.accept("restart"):
            say("restart", True)
            if c.accept("with") or c.symbol_is("-") or c.token.value.isdigit():
                say("restart_with", c.integer())
        elif c.accept("cache"):
            say("cache", c.integer())
        elif c.accept("no", "cycle"):
            say("cycle", False)
        elif c.accept("cycle"):
            say("cycle", True)
        elif c.accept("owned", "by"):
            if c.accept("none"):
                say("owned_by", ())
            else:
                parts = [c.name()]
                while c.accept_symbol("."):
                    parts.append(c.label())
                if len(parts) < 2:
                    raise PlanError(
                        "42601",
                        "invalid OWNED BY option",
                        hint="Specify OWNED BY table.column or OWNED BY NONE.",
                    )
                say("owned_by", tuple(parts))
        elif c.accept("sequence", "name"):
            say("name", c.qualified())
        elif c.accept_one("logged", "unlogged"):
            pass  # pg_dump says it of identity columns; the sequence is what its table is
        elif with_set:
            c.fail()
        else:
            break
    if parenthesised:
        c.expect_symbol(")")
    return st.SequenceOptions(**found)
