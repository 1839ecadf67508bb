"""A prepared read that comes as it came before: from bytes to bytes, with nothing in between.

    B length | portal NUL statement NUL formats count | length value ... | result formats | (D) E S
               \\________ the same every time ________/                    \\___ the same every time __/

A client executes a prepared statement with other values, and everything else in the same bytes. So what stands around the values
is compared instead of read, and what was found out for it the first time (`extended.bind`) is kept with the statement: what decodes
the values, what reads the rows (`executor.session.readers`), what encodes them.

It answers wholly or not at all. Whatever is not as it was (an open block, a portal, a notice to be sent, a message in two pieces, NULL,
an error) is left to the handlers, which begin with the same bytes; a read that was begun has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from time import time_ns
from typing import TYPE_CHECKING, Any, Final

from executor.abc import Prepared
from pgwire import messages, replies
from pgwire.encoding.parameters import Values, parameter_input, params_decoder
from pgwire.pages import encoded
from pgwire.shapes import Shape

if TYPE_CHECKING:
    from pgwire.session import Conversation
    from planner.abc import TypeRef
    from planner.types import TypeSettings

Express = Callable[[bytes], "bytes | None"]
"""The bytes of a client, from Bind to Sync -> all of the answer, or None: not as usual."""

_int32_at = Struct(">i").unpack_from
_ENDS: Final = [replies.command_complete(f"SELECT {n}") + replies.READY[b"I"] for n in range(1001)]
"""CommandComplete and ReadyForQuery after so many rows."""


def answered(conversation: Conversation, data: bytes) -> bool:
    """Answers what was read, if it is one statement as usual; False: nothing has happened."""
    session = conversation.session
    if (
        session.transaction_status != b"I"  # first, for statements of blocks never come this way
        or session.portals
        or session.notices
        or session.heard
        or session.parameter_changes
        or session.silence_limited
        or not conversation.undisturbed
    ):
        return False
    name_end = data.find(b"\x00", messages.HEADER_SIZE_BYTES + 1)
    prepared = session.statements.get(data[messages.HEADER_SIZE_BYTES + 1 : name_end].decode("latin-1"))
    if prepared is None or not prepared.express:
        return False
    reply = prepared.express(data)
    if reply is None:
        return False
    conversation.io.write(reply)
    return True


def learn(
    conversation: Conversation, prepared: Prepared, shape: Shape, bound: messages.Bound, *, described: bool
) -> None:
    """After a statement was bound and executed in one: keeps how, if it is a read that may come again."""
    session, plan = conversation.session, prepared.plan
    reader = session.reader(plan)
    prepared.express = False
    if reader is None or conversation.encoding is not None or not prepared.name.isascii():
        return
    _, name, codes, values, formats = bound
    settings = session.type_settings
    head = b"\x00" + name.encode() + b"\x00" + _counted(codes) + len(values).to_bytes(2, "big")
    after = messages.DESCRIBE_EXECUTE_SYNC if described else messages.EXECUTE_SYNC
    tail = _counted(formats) + after
    fields = _fields(head, tail, len(after), len(values))
    decode = _decoder(tuple(plan.parameters), codes, settings)
    encode_rows = shape.encode_rows
    bind_complete = shape.bound if described else replies.BIND_COMPLETE
    text = prepared.text

    def express(data: bytes) -> bytes | None:
        if session.type_settings is not settings or prepared.plan is not plan:
            prepared.express = None  # learned again, with what there is now
            return None
        found = fields(data)
        if found is None:
            return None
        began_ns = time_ns()
        try:
            rows = reader(decode(found))
            if rows is None:
                prepared.express = None  # the catalog may be another one: it is learned again
                return None
            body = (encode_rows(rows) if type(rows) is tuple else encoded(shape, rows)) if rows else b""
        except Exception:  # noqa: BLE001  whatever it is: the handlers will meet it again, and report it
            return None
        session.statement_text, session.statement_began_ns = text, began_ns
        count = len(rows)
        end = _ENDS[count] if count < len(_ENDS) else _end(count)
        return bind_complete + body + end

    prepared.express = express


def _decoder(
    types: tuple[TypeRef, ...], codes: tuple[int, ...], settings: TypeSettings
) -> Callable[[Values], tuple[Any, ...]]:
    """Of a Bind with these formats, which has been read once, so they fit."""
    if len(types) != 1:
        return params_decoder(types, codes, settings)
    read = parameter_input(types[0], codes[0] if codes else 0, settings)
    return lambda values: (read(values[0]),)  # type: ignore[arg-type]  # NULL is not for here


def _counted(formats: tuple[int, ...]) -> bytes:
    return len(formats).to_bytes(2, "big") + b"".join([f.to_bytes(2, "big") for f in formats])


def _end(count: int) -> bytes:
    return replies.command_complete(f"SELECT {count}") + replies.READY[b"I"]


def _fields(
    head: bytes, tail: bytes, after_size: int, count: int
) -> Callable[[bytes], list[bytes] | tuple[bytes, ...] | None]:
    """What finds the values between head and tail; None: they are not all there, or are not what is there."""
    first = messages.HEADER_SIZE_BYTES + len(head)
    begin = messages.HEADER_SIZE_BYTES
    tail_size = len(tail)
    extra = 1 + after_size

    def framed(data: bytes) -> bool:
        return (
            data.startswith(head, begin)
            and data.endswith(tail)
            and _int32_at(data, 1)[0] == len(data) - extra
        )

    def none(data: bytes) -> tuple[bytes, ...] | None:
        return () if framed(data) and len(data) == first + tail_size else None

    def one(data: bytes) -> tuple[bytes, ...] | None:
        if not (data.startswith(head, begin) and data.endswith(tail)):
            return None
        size = len(data)
        value = data[first + 4 : size - tail_size]
        if _int32_at(data, first)[0] != len(value) or _int32_at(data, 1)[0] != size - extra:
            return None
        return (value,)

    alike: dict[int, tuple[Struct, tuple[int, ...]]] = {}

    def many(data: bytes) -> list[bytes] | tuple[bytes, ...] | None:
        if not framed(data):
            return None
        end = len(data) - tail_size
        size, rest = divmod(end - first, count)
        if not rest and 4 <= size <= 20:  # all values are of one size, perhaps: read at once
            known = alike.get(size)
            if known is None:
                known = alike[size] = Struct(">" + f"i{size - 4}s" * count), (size - 4,) * count
            both = known[0].unpack_from(data, first)
            if both[::2] == known[1]:
                return both[1::2]
        values: list[bytes] = []
        at = first
        while at < end:
            length: int = _int32_at(data, at)[0]
            if length < 0:
                return None
            values.append(data[at + 4 : at + 4 + length])
            at += 4 + length
        return values if at == end and len(values) == count else None

    return one if count == 1 else many if count else none


__all__ = ["answered", "learn"]
