"""What a program is told of itself: where it is, the error that it handles, and what a statement of its was given.

GET DIAGNOSTICS c = PG_CONTEXT      PL/pgSQL function f(integer) line 4 at GET DIAGNOSTICS
                                    SQL statement "SELECT f(1)"
                                    PL/pgSQL function g() line 3 at PERFORM
INTO STRICT that fails              DETAIL:  parameters: a = '1', b = NULL        (`print_strict_params`)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError
from planner.abc import SqlError, TypeRef
from planner.binding.routines.variables import Shape
from planner.statements import plpgsql as pl

if TYPE_CHECKING:
    from executor.procedural.walk import Walk
    from executor.session.session import Session

Given = Sequence[tuple[str, Any, TypeRef]]
"""What a statement was given: names, values and types."""


def stack(walk: Walk) -> str:
    """Where a program is, and those that it runs inside of, with the statements by which they have called."""
    return "\n".join(filter(None, (walk.place(), _around(walk))))


def _around(walk: Walk) -> str:
    """The programs that one runs inside of, with the statements by which they have called."""
    walks = walk.session.walks
    lines = []
    for outer in reversed(walks[: walks.index(walk)]):
        if outer.asked is not None:
            lines.append(outer.shown(*outer.asked))
        lines.append(outer.place())
    return "\n".join(filter(None, lines))


def of_error(error: SqlError, item: str, walk: Walk) -> str:
    """What GET STACKED DIAGNOSTICS asks of an error; its own context ends at the program that handles it."""
    return {
        "returned_sqlstate": error.sqlstate,
        "message_text": error.message,
        "pg_exception_detail": error.detail,
        "pg_exception_hint": error.hint,
        "pg_exception_context": "\n".join(filter(None, (error.context, _around(walk)))),
        "column_name": error.column,
        "constraint_name": error.constraint,
        "pg_datatype_name": error.datatype,
        "table_name": error.table,
        "schema_name": error.schema or (walk.session.schema_name(error.about_oid) if error.about_oid else ""),
    }[item]


def given_to(walk: Walk, text: pl.Text) -> Given:
    """The variables that a statement names, and then the fields of records."""
    planned, kinds = walk.code.plans[text.number], walk.frame.kinds
    places = planned.places if planned is not None else ()
    found = []
    for place in sorted(places, key=lambda p: (isinstance(kinds[p[0]], Shape), p[0])):
        slot, i = place
        kind, name = kinds[slot], walk.code.names[slot]
        if isinstance(kind, Shape):
            name, kind = kind.names[i], kind.types[i]
        if isinstance(kind, TypeRef):
            found.append((name, walk.given((place,))[0], kind))
    return found


def parameters(walk: Walk, given: Callable[[], Given]) -> str:
    """What an INTO STRICT that fails says of what its statement was given; nothing where nobody wants it."""
    said = walk.code.program.prints_strict
    if said is None:
        said = walk.session.settings.switch("plpgsql.print_strict_params", False)
    if not said:
        return ""
    shown = []
    for name, value, ref in given():
        text = walk.text_of(value, ref)
        shown.append(f"{name} = " + ("NULL" if text is None else "'" + text.replace("'", "''") + "'"))
    return f"parameters: {', '.join(shown)}" if shown else ""


def extra(session: Session, check: str) -> str:
    """Whether a construct that is suspect is an error, deserves a warning, or neither: the setting that says so."""
    for setting in ("extra_errors", "extra_warnings"):
        if session.settings.listed(f"plpgsql.{setting}") & {check, "all"}:
            return setting
    return ""


def suspect(session: Session, setting: str, code: str, message: str, detail: str, hint: str) -> None:
    """Raises what is an error, and tells of what deserves a warning."""
    if setting == "extra_errors":
        raise ExecutionError(code, message, detail=detail, hint=hint)
    if setting:
        session.notice("WARNING", code, message, detail, hint)


def uneven(session: Session) -> None:
    """More columns than targets, or fewer. Raises 42804."""
    setting = extra(session, "strict_multi_assignment")
    suspect(
        session,
        setting,
        "42804",
        "number of source and target fields in assignment does not match",
        f"strict_multi_assignment check of {setting} is active.",
        "Make sure the query returns the exact list of columns.",
    )


__all__ = ["Given", "extra", "given_to", "of_error", "parameters", "stack", "suspect", "uneven"]
