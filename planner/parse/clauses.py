"""Clauses that many statements end with."""

from __future__ import annotations

from typing import Any

from planner.parse.cursor import Cursor


def storage_options(c: Cursor) -> dict[str, Any]:
    """( name [= value], ... )"""
    options: dict[str, Any] = {}
    c.expect_symbol("(")
    while True:
        name = c.label()
        while c.accept_symbol("."):
            name += "." + c.label()
        value: Any = True
        if c.accept_symbol("="):
            sign = "-" if c.accept_symbol("-") else ""
            value = sign + c.advance().value
        options[name] = value
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return options


def drop_behaviour(c: Cursor) -> bool:
    """[CASCADE | RESTRICT]: whether CASCADE."""
    if c.accept("cascade"):
        return True
    c.accept("restrict")
    return False
