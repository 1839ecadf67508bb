"""What the server says: every backend message of protocol 3 as bytes.

The counterpart of `messages`, as pure as that: functions from values to bytes. What never changes
is a constant, made once; tags repeat, so their messages are remembered.

    byte type | int32 length (counts itself, not the type) | payload
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from struct import Struct
from typing import Final

from planner.abc import ResultColumn, TypeRef
from planner.types.facts import BUILTIN_TYPES, BY_OID, FIRST_USER_OID
from planner.types.oids import RECORD, RECORD_ARRAY

_head = Struct(">ci").pack
_int16 = Struct(">h").pack
_uint16 = Struct(">H").pack
_int32 = Struct(">i").pack
_uint32 = Struct(">I").pack
_column_tail = Struct(">IhIhih").pack

TEXT: Final = 0
BINARY: Final = 1


def message(kind: bytes, payload: bytes = b"") -> bytes:
    return _head(kind, len(payload) + 4) + payload


PARSE_COMPLETE: Final = message(b"1")
BIND_COMPLETE: Final = message(b"2")
CLOSE_COMPLETE: Final = message(b"3")
NO_DATA: Final = message(b"n")
PORTAL_SUSPENDED: Final = message(b"s")
EMPTY_QUERY: Final = message(b"I")
COPY_DONE: Final = message(b"c")
READY: Final = {status: message(b"Z", status) for status in (b"I", b"T", b"E")}

AUTHENTICATION_OK: Final = message(b"R", _int32(0))
AUTHENTICATION_CLEARTEXT: Final = message(b"R", _int32(3))


def authentication_md5(salt: bytes) -> bytes:
    return message(b"R", _int32(5) + salt)


SSL_YES: Final = b"S"
SSL_NO: Final = b"N"

FIXED_SIZES: Final[dict[int, int]] = {fact.oid: fact.typlen for fact in BUILTIN_TYPES if fact.typlen != -1}
"""`pg_type.typlen` where it is not -1, by OID."""


def _size(oid: int) -> int:
    """A type's length as pg_type has it. An enum's is that of the OID of its label."""
    size = FIXED_SIZES.get(oid)
    if size is None:
        made = BY_OID.get(oid) if oid >= FIRST_USER_OID else None
        size = made.typlen if made is not None else -1
    return size


_TAG_CACHE_LIMIT: Final = 10_000
_complete: dict[str, bytes] = {}


def command_complete(tag: str) -> bytes:
    known = _complete.get(tag)
    if known is None:
        known = message(b"C", tag.encode() + b"\x00")
        if len(_complete) < _TAG_CACHE_LIMIT:
            _complete[tag] = known
    return known


ENDED: Final[dict[tuple[str, bytes], bytes]] = {}
"""CommandComplete and ReadyForQuery by tag and status, as `ended` has made them: to be looked up without a call."""


def ended(tag: str, status: bytes) -> bytes:
    """CommandComplete and ReadyForQuery."""
    known = ENDED.get((tag, status))
    if known is None:
        known = command_complete(tag) + READY[status]
        if len(ENDED) < _TAG_CACHE_LIMIT:
            ENDED[tag, status] = known
    return known


def row_description(columns: Sequence[ResultColumn], formats: Sequence[int] = ()) -> bytes:
    """`formats` as in Bind: none (all text), one for all, or one per column."""
    pieces = [_uint16(len(columns))]
    for i, column in enumerate(columns):
        code = formats[i] if len(formats) > 1 else formats[0] if formats else TEXT
        kind = column.type
        typmod = (
            -1 if kind.oid in (RECORD, RECORD_ARRAY) else kind.typmod
        )  # a record's says what fields it has
        pieces.append(column.name.encode() + b"\x00")
        pieces.append(_column_tail(column.table_oid, column.attnum, kind.oid, _size(kind.oid), typmod, code))
    return message(b"T", b"".join(pieces))


def parameter_description(types: Sequence[TypeRef]) -> bytes:
    return message(b"t", _uint16(len(types)) + b"".join([_uint32(t.oid) for t in types]))


def parameter_status(name: str, value: str) -> bytes:
    return message(b"S", name.encode() + b"\x00" + value.encode() + b"\x00")


@lru_cache(maxsize=64)
def parameter_statuses(parameters: tuple[tuple[str, str], ...]) -> bytes:
    """What a session is told when it begins, which is the same for all that begin alike."""
    return b"".join([parameter_status(name, value) for name, value in parameters])


def backend_key_data(pid: int, secret: bytes) -> bytes:
    return message(b"K", _uint32(pid) + secret)


def negotiate_protocol_version(minor: int, unknown_options: Sequence[str]) -> bytes:
    """The newest minor version served, and the `_pq_.` options of the start-up that are not known."""
    payload = _int32((3 << 16) | minor) + _int32(len(unknown_options))
    return message(b"v", payload + b"".join([option.encode() + b"\x00" for option in unknown_options]))


def authentication_sasl(mechanisms: Iterable[str]) -> bytes:
    names = b"".join([name.encode() + b"\x00" for name in mechanisms])
    return message(b"R", _int32(10) + names + b"\x00")


def authentication_sasl_continue(data: bytes) -> bytes:
    return message(b"R", _int32(11) + data)


def authentication_sasl_final(data: bytes) -> bytes:
    return message(b"R", _int32(12) + data)


def fields(kind: bytes, pairs: Iterable[tuple[str, str]]) -> bytes:
    """ErrorResponse (`E`) and NoticeResponse (`N`): fields by their letters; empty ones are left out, but for the message."""
    pieces = [
        letter.encode() + value.replace("\x00", "").encode("utf-8", "replace") + b"\x00"
        for letter, value in pairs
        if value or letter == "M"
    ]
    return message(kind, b"".join(pieces) + b"\x00")


def copy_in_response(columns: int, code: int) -> bytes:
    return message(b"G", _copy_shape(columns, code))


def copy_out_response(columns: int, code: int) -> bytes:
    return message(b"H", _copy_shape(columns, code))


def _copy_shape(columns: int, code: int) -> bytes:
    return bytes([code]) + _uint16(columns) + _int16(code) * columns


def copy_data(data: bytes) -> bytes:
    return message(b"d", data)


def notification(pid: int, channel: str, payload: str) -> bytes:
    return message(b"A", _uint32(pid) + channel.encode() + b"\x00" + payload.encode() + b"\x00")
