"""What the trigger functions of extensions do: moddatetime, insert_username, triggered_change_notification.

    BEFORE UPDATE ... moddatetime(changed)             the row with the transaction's time in `changed`
    BEFORE INSERT OR UPDATE ... insert_username(by)    the row with the user's name in `by`
    AFTER ... triggered_change_notification()          NOTIFY tcn, '"docs",U,"id"=''7'''

Rules and words are those of PostgreSQL's contrib modules of the same names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError
from executor.session import commands
from planner import triggers
from planner import types as t
from planner.abc import Column, Table, TypeRef
from planner.extensions.trigger_functions import CHANGE_NOTIFICATION, MODDATETIME
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from executor.session.session import Session
    from executor.triggers.firing import Event

_MOMENTS: Final = (t.TIMESTAMP, t.TIMESTAMPTZ)
_LETTERS: Final = {triggers.INSERT: "I", triggers.UPDATE: "U", triggers.DELETE: "D"}


def fired(session: Session, event: Event) -> Row | None:
    """The row that goes on. Raises XX000, 09000 and 39P01, as the modules do."""
    if event.trigger.function == CHANGE_NOTIFICATION:
        _notified(session, event)
        return None
    if event.trigger.function == MODDATETIME:
        return _with_time(session, event)
    return _with_user(session, event)


def _before_row(event: Event, name: str, allowed: int) -> None:
    """Raises XX000 for a trigger that is of another kind."""
    bits = event.trigger.bits
    for wrong, words in (
        (not bits & triggers.ROW, "must be fired for row"),
        (not bits & triggers.BEFORE, "must be fired before event"),
        (event.event == triggers.INSERT and not allowed & triggers.INSERT, "cannot process INSERT events"),
        (event.event == triggers.DELETE, "cannot process DELETE events"),
    ):
        if wrong:
            raise ExecutionError("XX000", f"{name}: {words}")


def _column(event: Event, expected: str, types: Sequence[int], shown: str) -> int:
    """Where the one column is that the trigger names."""
    relation, arguments = event.on.holder.name, event.trigger.arguments
    if len(arguments) != 1:
        raise ExecutionError("XX000", expected)
    (name,) = arguments
    columns = event.on.rows.columns
    at = next((i for i, c in enumerate(columns) if c.name == name and not c.hidden), None)
    if at is None:
        raise ExecutionError("09000", f'"{relation}" has no attribute "{name}"')
    if columns[at].type.oid not in types:
        raise ExecutionError("09000", f'attribute "{name}" of "{relation}" must be type {shown}')
    return at


def _with(row: Row | None, at: int, value: Datum) -> Row:
    assert row is not None
    return (*row[:at], value, *row[at + 1 :])


def _with_time(session: Session, event: Event) -> Row:
    _before_row(event, "moddatetime", triggers.UPDATE)
    expected = f"moddatetime ({event.on.holder.name}): A single argument was expected"
    at = _column(event, expected, _MOMENTS, "TIMESTAMP or TIMESTAMPTZ")
    kind = TypeRef(event.on.rows.columns[at].type.oid)
    settings = dataclasses.replace(session.type_settings, now_us=session.transaction_began_us())
    return _with(event.new, at, t.text_input(kind, settings)("now"))


def _with_user(session: Session, event: Event) -> Row:
    _before_row(event, "insert_username", triggers.INSERT | triggers.UPDATE)
    expected = f"insert_username ({event.on.holder.name}): one argument was expected"
    at = _column(event, expected, (t.TEXT,), "TEXT")
    return _with(event.new, at, session.user)


def _notified(session: Session, event: Event) -> None:
    name, trigger, holder = "triggered_change_notification", event.trigger, event.on.holder
    key = _primary_key(holder) if isinstance(holder, Table) else ()
    for wrong, words in (
        (trigger.bits & (triggers.BEFORE | triggers.INSTEAD), "must be called after the change"),
        (not trigger.bits & triggers.ROW, "must be called for each row"),
        (len(trigger.arguments) > 1, "must not be called with more than one parameter"),
        (not key, "must be called on a table with a primary key"),
    ):
        if wrong:
            raise ExecutionError("39P01", f"{name}: {words}")
    row = event.new if event.event == triggers.INSERT else event.old
    assert row is not None
    said = [_quoted(holder.name, '"'), _LETTERS[event.event]]
    for at, column in key:
        shown = t.text_output(column.type, session.type_settings)(row[at])
        said.append(f"{_quoted(column.name, chr(34))}={_quoted(shown, chr(39))}")
    commands.notify(session, trigger.arguments[0] if trigger.arguments else "tcn", ",".join(said))


def _primary_key(table: Table) -> list[tuple[int, Column]]:
    """The columns of the primary key with their places in a row, in the key's order."""
    numbers = next((c.columns for c in table.constraints if c.kind == "p"), ())
    places = {c.attnum: i for i, c in enumerate(table.columns)}
    return [(places[n], table.columns[places[n]]) for n in numbers]


def _quoted(text: str, sign: str) -> str:
    return sign + text.replace(sign, sign * 2) + sign


__all__ = ["fired"]
