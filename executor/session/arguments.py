"""Expressions that stand alone: arguments of EXECUTE, times of AS OF. Each is a query of its own.

An argument for a parameter of type record brings its fields along, and they have to be those of the row that the
parameter meets in the statement.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError, Rows
from planner import statements as st
from planner import types as t
from planner.abc import PlanError, SqlError, TypeRef
from planner.binding.facts import type_name
from planner.binding.records import comparable_shapes, fields_of
from planner.binding.resolve import castable, see_casts
from planner.catalog.system.definitions import type_name as shown_type
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session

_STRING = re.compile(r"'(?:[^']|'')*'")
"""A string that is read as whatever is wanted."""
_NUMBER: Final = re.compile(r"-?\d{1,18}")
_DECIMAL: Final = re.compile(r"-?\d{1,18}(\.\d{1,18})?")
_MOMENT: Final = re.compile(r"'\d[^']*'")
"""What says a moment by itself: others are words, of which some mean the present."""
_INTEGERS: Final = {t.INT2: 1 << 15, t.INT4: 1 << 31, t.INT8: 1 << 63}
_NUMBERS: Final = frozenset((t.NUMERIC, t.FLOAT8))
_READ: Final = frozenset((*_INTEGERS, *_NUMBERS, t.TEXT, t.VARCHAR, t.BOOL, t.UUID, t.JSONB))
_MOMENTS: Final = frozenset((t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ))


async def arguments(
    session: Session, name: str, given: Sequence[st.Sql], wanted: Sequence[TypeRef], told: Sequence[TypeRef]
) -> tuple[Datum, ...]:
    """The values of EXECUTE's arguments as the prepared statement's parameters. `told`: their types as clients are told them, which
    may be domains over those that are wanted. Raises 42601, 42804, and what domains' conditions raise."""
    expect_count(name, given, wanted)
    values: list[Datum] = []
    for number, (argument, ref, said) in enumerate(zip(given, wanted, told, strict=False), 1):
        if ref.oid == t.RECORD:
            values.append(await _record(session, argument, ref, number))
        elif said.oid != ref.oid:
            values.append(await _assigned(session, argument, ref, number, said))
        else:
            values.append(await _assigned(session, argument, ref, number))
    return tuple(values)


def expect_count(name: str, given: Sequence[st.Sql], wanted: Sequence[TypeRef]) -> None:
    """Raises 42601 unless there are as many arguments as parameters. Who has no parameters looks at no arguments, as in PostgreSQL."""
    if wanted and len(given) != len(wanted):
        raise ExecutionError(
            "42601",
            f'wrong number of parameters for prepared statement "{name}"',
            detail=f"Expected {len(wanted)} parameters but got {len(given)}.",
        )


def _read(session: Session, text: str, ref: TypeRef) -> Datum:
    """The value of a constant, by its type's input function, as a parameter of the protocol has it. Raises ValueError for what has to be
    asked for, SqlError for what does not fit."""
    oid = ref.oid
    if oid in _INTEGERS and _NUMBER.fullmatch(text):
        number = int(text)
        if -_INTEGERS[oid] <= number < _INTEGERS[oid]:
            return number
    elif oid in _NUMBERS and _DECIMAL.fullmatch(text):
        unsigned = text.lstrip("-")  # the minus is an operator, and no numeric is -0
        return t.input_text(text if unsigned.strip("0.") else unsigned, ref, session.type_settings)
    elif (oid in _READ and _STRING.fullmatch(text)) or (oid in _MOMENTS and _MOMENT.fullmatch(text)):
        return t.input_text(text[1:-1].replace("''", "'"), ref, session.type_settings)
    raise ValueError


async def _assigned(
    session: Session, argument: st.Sql, ref: TypeRef, number: int, domain: TypeRef | None = None
) -> Datum:
    """The value as an assignment to the parameter's type, or a domain over it. Raises 42804 where that is none."""
    if domain is None:
        if argument.text.lower() == "null":
            return None
        with contextlib.suppress(ValueError, SqlError):  # asked for, which finds the error's place
            return _read(session, argument.text, ref)
    if not _STRING.fullmatch(argument.text):
        kind = _type_of(session, argument)
        see_casts(session.context().catalog.casts)
        if not castable(type_name(kind.oid), type_name(ref.oid), "a") and argument.text.lower() != "null":
            raise PlanError(
                "42804",
                f"parameter ${number} of type {t.format_type(kind)} cannot be coerced to the expected type "
                f"{t.format_type(ref)}",
                hint="You will need to rewrite or cast the expression.",
                position=argument.offset + 1,
            )
    kind_said = shown_type(session.catalog, domain, ()) if domain is not None else _name_of(ref)
    value = await _only_value(session, f"{_placed('SELECT (', argument)})::{kind_said}")
    # A parameter has no modifier, and numeric(p,s) is held otherwise than numeric.
    return t.numeric.decimal_out(value) if isinstance(value, Decimal) else value


def _name_of(ref: TypeRef) -> str:
    """A type's name in a cast: bit in quotes is of any length, without it is one bit."""
    return '"bit"' if ref.oid == t.BIT and ref.typmod < 0 else t.format_type(ref)


def _placed(head: str, argument: st.Sql) -> str:
    """The argument where it stands in the statement, so that positions are the statement's."""
    return " " * (argument.offset - len(head)) + head + argument.text


def _type_of(session: Session, argument: st.Sql) -> TypeRef:
    text = _placed("SELECT ", argument)
    plan, _ = session.executor.planner.plan(text, session.context(), normalise=False)
    assert plan.columns is not None
    return plan.columns[0].type


async def evaluate(session: Session, text: str, ref: TypeRef) -> Datum:
    """The value of an expression as a `ref`."""
    return await _only_value(session, f"SELECT CAST({text} AS {_name_of(ref)})")


async def evaluate_in_place(session: Session, said: st.Sql, ref: TypeRef) -> Datum:
    """The value of an expression of the statement as a `ref`; errors point into the statement."""
    return await _only_value(session, f"{_placed('SELECT CAST((', said)}) AS {_name_of(ref)})")


async def _record(session: Session, argument: st.Sql, ref: TypeRef, number: int) -> Datum:
    """A record as its text. Raises 42804 for anything else and for other fields, 0A000 for a string."""
    kind = _type_of(session, argument)
    value = await _only_value(session, _placed("SELECT ", argument))
    position = argument.offset + 1
    if kind.oid == t.RECORD:
        comparable_shapes(fields_of(kind) or (), fields_of(ref) or ())
    elif value is not None and kind.oid == t.TEXT:
        raise PlanError("0A000", "input of anonymous composite types is not implemented", position=position)
    elif value is not None:
        raise PlanError(
            "42804",
            f"parameter ${number} of type {t.format_type(kind)} cannot be coerced to the expected type record",
            hint="You will need to rewrite or cast the expression.",
            position=position,
        )
    return value


async def _only_value(session: Session, text: str) -> Datum:
    plan, params = session.executor.planner.plan(text, session.context(), normalise=False)
    result = await session.run_plan(plan, params, session.block is None)
    assert isinstance(result, Rows)
    return result.rows[0][0]
