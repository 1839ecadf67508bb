"""FunctionCall: a function by its OID, without SQL. libpq's PQfn and the "fastpath" of drivers send it.

    F | function OID | formats | arguments | format of the result      ->  V | the value, or -1 for NULL

It is a statement like any other, `SELECT pg_catalog.f($1, ...)`, planned and executed as such, so what the function is
given and gives back is what it is in SQL. Pipelined work before it is committed with it, and ReadyForQuery follows
whatever becomes of it.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from time import time_ns
from typing import TYPE_CHECKING, Final, NamedTuple

from executor.abc import Rows, aborted
from pgwire import replies
from pgwire.abc import Step
from pgwire.messages import ProtocolViolation
from pgwire.shapes import decode_parameters, shape_of
from planner.abc import SqlError
from planner.catalog.system.static import static_columns
from planner.lexer import quoted

if TYPE_CHECKING:
    from pgwire.session import Conversation

_DATA_ROW_HEADER_SIZE: Final = 7


class FunctionCall(NamedTuple):
    """What the message says. `formats` as Bind has them: none, one for all, or one for each."""

    oid: int
    formats: tuple[int, ...]
    arguments: list[bytes | None]
    result_format: int


class _Function(NamedTuple):
    name: str
    arguments: tuple[int, ...]
    callable: bool


def parse(payload: bytes) -> FunctionCall:
    """Raises ProtocolViolation for a message that does not say what it should."""
    try:
        oid, count = struct.unpack_from("!IH", payload)
        formats = struct.unpack_from(f"!{count}H", payload, 6)
        at = 6 + 2 * count
        (count,) = struct.unpack_from("!H", payload, at)
        at += 2
        arguments: list[bytes | None] = []
        for _ in range(count):
            (size,) = struct.unpack_from("!i", payload, at)
            at += 4
            if size < -1 or at + size > len(payload):
                raise ProtocolViolation("invalid argument size in function call message")
            arguments.append(None if size < 0 else payload[at : at + size])
            at += max(size, 0)
        (result_format,) = struct.unpack_from("!H", payload, at)
        if at + 2 != len(payload):
            raise ProtocolViolation("invalid message format")
    except struct.error:
        raise ProtocolViolation("insufficient data left in message") from None
    if len(formats) > 1 and len(formats) != len(arguments):
        raise ProtocolViolation(
            f"function call message contains {len(formats)} argument formats but {len(arguments)} arguments"
        )
    return FunctionCall(oid, formats, arguments, result_format)


@lru_cache(maxsize=1)
def _functions() -> dict[int, _Function]:
    names = ("oid", "proname", "proargtypes", "prokind", "proretset")
    return {
        oid: _Function(name, tuple(types), kind == "f" and not many)
        for oid, name, types, kind, many in static_columns("pg_proc", names)
    }


def _function(call: FunctionCall) -> _Function:
    """Raises 42883, 0A000, and a violation where the arguments are not as many as the function takes."""
    found = _functions().get(call.oid)
    if found is None:
        raise SqlError("42883", f"function with OID {call.oid} does not exist")
    if not found.callable:
        raise SqlError("0A000", f'cannot call function "{found.name}" via fastpath interface')
    if len(found.arguments) != len(call.arguments):
        raise ProtocolViolation(
            f"function call message contains {len(call.arguments)} arguments"
            f" but function requires {len(found.arguments)}"
        )
    return found


def function_call(conversation: Conversation) -> Step:
    inbox = conversation.inbox
    return _answer(conversation, inbox.buffer[inbox.start : inbox.end])


async def _answer(conversation: Conversation, payload: bytes) -> None:
    session = conversation.session
    try:
        if session.transaction_status == b"E":
            raise aborted()
        value = await _value(conversation, parse(payload))
        if session.in_implicit:
            await session.end_implicit(commit=True)
        conversation.out.append(replies.message(b"V", value))
    except Exception as error:  # noqa: BLE001  `errors` has the table
        conversation.fail(error)
        if session.in_implicit:
            await session.end_implicit(commit=False)
    conversation.after_statement()
    conversation.ready()


async def _value(conversation: Conversation, call: FunctionCall) -> bytes:
    """The result as DataRow has a value: its length (-1 for NULL), its bytes."""
    session = conversation.session
    function = _function(call)
    marks = ", ".join(f"${i + 1}" for i in range(len(call.arguments)))
    text = f"SELECT pg_catalog.{quoted(function.name)}({marks})"
    session.statement_text, session.statement_began_ns = f'<FASTPATH> "{function.name}"', time_ns()
    prepared = session.prepare("", text, function.arguments)
    settings = session.type_settings
    params = decode_parameters(
        prepared, call.formats, call.arguments, settings, input_now_us=session.input_now_us
    )
    plan = prepared.plan
    result = await session.execute(plan, params, autocommit=not session.in_implicit)
    shape = shape_of(plan, (call.result_format,), settings)
    if isinstance(result, Rows):
        return shape.encode_rows(result.rows)[_DATA_ROW_HEADER_SIZE:]
    rows = b""
    try:
        async for batch in result.batches:  # type: ignore[union-attr]
            rows += b"".join(shape.encode_batch(batch))
    finally:
        result.close()  # type: ignore[union-attr]
    return rows[_DATA_ROW_HEADER_SIZE:]
