"""What RAISE says, and which handler takes an error."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from executor.abc import ExecutionError
from planner.abc import SqlError
from planner.parse.plpgsql import conditions
from planner.statements.plpgsql import Handler, Raise

_NEVER_TAKEN: Final = ("40001", "57P", "08", "25P0")
"""What cannot be undone for certain: a conflict with another transaction, the end of the session."""
_NEVER_BY_OTHERS: Final = ("P0004", "57014")
"""A failed assertion, and that the statement was told to stop: handlers take these by their names alone."""
ROUTINE: Final = "exec_stmt_raise"
"""By this clients tell what a program says from what the server says."""


def takes(handler: Handler, error: SqlError) -> bool:
    code = error.sqlstate
    if code.startswith(_NEVER_TAKEN):
        return False
    if not handler.sqlstates:
        return code not in _NEVER_BY_OTHERS
    return code in handler.sqlstates or f"{code[:2]}000" in handler.sqlstates


def code_of(said: str) -> str:
    """The SQLSTATE of ERRCODE's value. Raises 42704."""
    if re.fullmatch("[0-9A-Z]{5}", said):
        return said
    known = conditions().get(said.lower())
    if known is None:
        raise ExecutionError("42704", f'unrecognized exception condition "{said}"')
    return min(known)


def filled(template: str, values: Sequence[str | None]) -> str:
    left = iter(values)

    def one(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value = next(left)
        return "<NULL>" if value is None else value

    return re.sub("%%|%", one, template)


def said(step: Raise, values: Sequence[str | None], options: Mapping[str, str | None]) -> tuple[ExecutionError, bool]:  # fmt: skip
    """The error that RAISE makes, and whether it names a condition. Raises 22004, 42601, 42704."""
    for name, value in options.items():
        if value is None:
            raise ExecutionError("22004", "RAISE statement option cannot be null")
        if name == "message" and step.template is not None:
            raise ExecutionError("42601", "RAISE option already specified: MESSAGE")
        if name == "errcode" and step.condition:
            raise ExecutionError("42601", "RAISE option already specified: ERRCODE")
    told = {name: str(value) for name, value in options.items()}
    sqlstate, shown = step.sqlstate or "P0001", step.condition
    if "errcode" in told:
        shown = told["errcode"]
        sqlstate = code_of(shown)
    text = told.get("message")
    if text is None:
        text = filled(step.template, values) if step.template is not None else shown or sqlstate
    error = ExecutionError(
        sqlstate,
        text,
        detail=told.get("detail", ""),
        hint=told.get("hint", ""),
        table=told.get("table", ""),
        column=told.get("column", ""),
        constraint=told.get("constraint", ""),
        datatype=told.get("datatype", ""),
    )
    error.schema = told.get("schema", "")
    error.routine = ROUTINE
    return error, bool(shown)


__all__ = ["code_of", "said", "takes"]
