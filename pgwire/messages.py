"""What a client says: the bytes of protocol 3 as Python values, and nothing else.

No socket, no event loop, no session: this module is a function of the bytes that it is given,
so every malformed message that a fuzzer can think of is a unit test of it.

    before a session     int32 length | int32 code | ...          StartupPacket, SslRequest, ...
    in a session         byte type | int32 length | payload       'Q' 'P' 'B' 'D' 'E' 'C' 'H' 'S' ...
                                     \\____ counts itself ____/

An `Inbox` cuts the stream of bytes into messages. It never copies a message that came whole in one
read; a message that came in many pieces is joined once, when its last piece is there. A length
header is judged before anything is kept for it: a client that announces a gigabyte is refused at
its fifth byte.

The message of every prepared query is Bind, and it is nearly always followed by the same bytes:
`EXECUTE_SYNC` or `DESCRIBE_EXECUTE_SYNC`, for the unnamed portal and all its rows. One comparison
recognises them, and four messages are answered as one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct
from struct import error as StructError
from typing import Final

from planner.types.encodings import Encoding, decoded, shown_bytes, utf8_width

QUERY: Final = ord("Q")
PARSE: Final = ord("P")
BIND: Final = ord("B")
DESCRIBE: Final = ord("D")
EXECUTE: Final = ord("E")
CLOSE: Final = ord("C")
FLUSH: Final = ord("H")
SYNC: Final = ord("S")
TERMINATE: Final = ord("X")
FUNCTION_CALL: Final = ord("F")
COPY_DATA: Final = ord("d")
COPY_DONE: Final = ord("c")
COPY_FAIL: Final = ord("f")
PASSWORD: Final = ord("p")

SYNC_BYTES: Final = b"S\x00\x00\x00\x04"
EXECUTE_SYNC: Final = b"E\x00\x00\x00\x09\x00\x00\x00\x00\x00" + SYNC_BYTES
DESCRIBE_EXECUTE_SYNC: Final = b"D\x00\x00\x00\x06P\x00" + EXECUTE_SYNC

HEADER_SIZE_BYTES: Final = 5
STARTUP_LIMIT_BYTES: Final = 10_000
SMALL_LIMIT_BYTES: Final = 10_000
"""Messages that hold no more than a name or two: PostgreSQL has the same limit for them."""
PASSWORD_LIMIT_BYTES: Final = 65_535
DEFAULT_LIMIT_BYTES: Final = 256 * 1024 * 1024

CODE_SSL: Final = (1234 << 16) | 5679
CODE_GSSENC: Final = (1234 << 16) | 5680
CODE_CANCEL: Final = (1234 << 16) | 5678

_large = frozenset({QUERY, PARSE, BIND, COPY_DATA, COPY_FAIL, FUNCTION_CALL})
_small = frozenset({DESCRIBE, EXECUTE, CLOSE, FLUSH, SYNC, TERMINATE, COPY_DONE})
_known = _large | _small | {PASSWORD}

_length_at = Struct(">i").unpack_from
_int32_at = Struct(">i").unpack_from
_uint16_at = Struct(">H").unpack_from
_two_uint16_at = Struct(">HH").unpack_from
_two_uint32_at = Struct(">II").unpack_from


class ProtocolViolation(Exception):
    """The client broke the protocol.

    `fatal`: the place of the next message is not known any more, so the connection must end.
    """

    def __init__(self, message: str, *, sqlstate: str = "08P01", fatal: bool = False) -> None:
        super().__init__(message)
        self.message, self.sqlstate, self.fatal = message, sqlstate, fatal


# --- before a session --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StartupPacket:
    major: int
    minor: int
    parameters: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SslRequest:
    pass


@dataclass(frozen=True, slots=True)
class GssEncRequest:
    pass


@dataclass(frozen=True, slots=True)
class CancelRequest:
    pid: int
    secret: bytes


FirstPacket = StartupPacket | SslRequest | GssEncRequest | CancelRequest


def startup_length(buffer: bytes | bytearray) -> int:
    """How many bytes the first packet has, 0 if that cannot be known yet. Raises ProtocolViolation."""
    if len(buffer) < 4:
        return 0
    length = int(_length_at(buffer, 0)[0])
    if length < 8 or length > STARTUP_LIMIT_BYTES:
        raise ProtocolViolation("invalid length of startup packet", fatal=True)
    return length


def parse_startup(packet: bytes) -> FirstPacket:
    """Reads the whole first packet, its length included. Raises ProtocolViolation (always fatal)."""
    _, code = _two_uint32_at(packet, 0)
    if code in (CODE_SSL, CODE_GSSENC):
        if len(packet) != 8:
            raise ProtocolViolation("invalid length of startup packet", fatal=True)
        return SslRequest() if code == CODE_SSL else GssEncRequest()
    if code == CODE_CANCEL:
        # Keys have 4 bytes in protocol 3.0, and 4 to 256 in 3.2.
        if not 16 <= len(packet) <= 12 + 256:
            raise ProtocolViolation("invalid length of cancel request packet", fatal=True)
        return CancelRequest(_two_uint32_at(packet, 8)[0], packet[12:])
    major, minor = code >> 16, code & 0xFFFF
    if major != 3:
        raise ProtocolViolation(
            f"unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.2",
            sqlstate="0A000",
            fatal=True,
        )
    # name NUL value NUL ... name NUL value NUL NUL
    if packet[-1:] != b"\x00" or len(packet) < 9:
        raise ProtocolViolation("invalid startup packet layout: expected terminator as last byte", fatal=True)
    pieces = packet[8:-1].split(b"\x00")
    if pieces[-1] != b"" or len(pieces) % 2 != 1:
        raise ProtocolViolation("invalid startup packet layout: expected terminator as last byte", fatal=True)
    try:
        words = [piece.decode() for piece in pieces[:-1]]
    except UnicodeDecodeError:
        raise ProtocolViolation(
            'invalid byte sequence for encoding "UTF8" in the startup packet', sqlstate="22021", fatal=True
        ) from None
    return StartupPacket(major, minor, dict(zip(words[0::2], words[1::2], strict=True)))


# --- the stream of messages --------------------------------------------------------------------


class Inbox:
    """Cuts bytes into messages: `feed` what was read, then call `next` until it returns 0.

    After `next` returned a message's type, its payload is `buffer[start:end]`. Bytes are only
    joined when a message spans two reads.
    """

    __slots__ = ("_later", "_later_bytes", "buffer", "end", "limit_bytes", "position", "start")

    def __init__(self, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self.buffer = b""
        self.position = 0  # where the next message begins
        self.start = self.end = 0  # the payload of the message at hand
        self.limit_bytes = limit_bytes
        self._later: list[bytes] = []
        self._later_bytes = 0

    def feed(self, data: bytes) -> None:
        if self.position >= len(self.buffer) and not self._later:
            self.buffer = data
            self.position = 0
        else:
            self._later.append(data)
            self._later_bytes += len(data)

    @property
    def waiting_bytes(self) -> int:
        """What has been read but not yet been taken as messages."""
        return len(self.buffer) - self.position + self._later_bytes

    def widen(self) -> None:
        """Puts what has been read since behind the message at hand, which stays at hand."""
        if self._later_bytes:
            begin = self.start - HEADER_SIZE_BYTES
            self.buffer = b"".join([self.buffer[begin:], *self._later])
            self._later, self._later_bytes = [], 0
            self.start, self.end, self.position = self.start - begin, self.end - begin, self.position - begin

    def next(self) -> int:
        """The type of the next whole message, 0 if there is none yet. Raises ProtocolViolation (fatal)."""
        buffer, position = self.buffer, self.position
        if position == len(buffer) and not self._later_bytes:  # as after most messages
            self.buffer = b""  # an idle connection keeps nothing
            self.position = 0
            return 0
        while True:
            have = len(buffer) - position
            if have >= 5:
                length = _length_at(buffer, position + 1)[0]
                kind = buffer[position]
                if length > SMALL_LIMIT_BYTES or length < 4 or not kind:
                    self._judge(kind, length)
                if have > length:
                    self.start = position + 5
                    self.end = self.position = position + 1 + length
                    return kind
                wanted = length + 1
            else:
                wanted = 5
            if have + self._later_bytes < wanted:
                if have:
                    kind = buffer[position]
                    if kind not in _known:
                        raise ProtocolViolation(f"invalid frontend message type {kind}", fatal=True)
                return 0
            buffer = self.buffer = b"".join([buffer[position:], *self._later])
            position = self.position = 0
            self._later = []
            self._later_bytes = 0

    def _judge(self, kind: int, length: int) -> None:
        if length < 4 or kind not in _known:
            what = "invalid message length" if kind in _known else f"invalid frontend message type {kind}"
            raise ProtocolViolation(what, fatal=True)
        limit = (
            self.limit_bytes
            if kind in _large
            else PASSWORD_LIMIT_BYTES
            if kind == PASSWORD
            else SMALL_LIMIT_BYTES
        )
        if length > limit:
            raise ProtocolViolation(
                f"invalid message length: {length} bytes, the limit is {limit}", fatal=True
            )


# --- payloads ----------------------------------------------------------------------------------

_malformed = (ValueError, IndexError, StructError)


def _refuse(error: Exception) -> ProtocolViolation:
    if isinstance(error, UnicodeDecodeError):
        return invalid_utf8(error)
    if isinstance(error, ValueError):  # no terminator where a string should end
        return ProtocolViolation("invalid string in message")
    return ProtocolViolation("insufficient data left in message")


def invalid_utf8(error: UnicodeDecodeError) -> ProtocolViolation:
    """PostgreSQL's words: it shows the bytes of the character that is none (22021)."""
    data = error.object
    seen = shown_bytes(data[error.start : error.start + utf8_width(data[error.start])])
    return ProtocolViolation(f'invalid byte sequence for encoding "UTF8": {seen}', sqlstate="22021")


def parse_query(payload: bytes, encoding: Encoding | None = None) -> str:
    """Query: the text without its terminator. `encoding`: the client's, if that is not UTF-8."""
    end = payload.find(b"\x00")
    if end != len(payload) - 1 or end < 0:
        raise ProtocolViolation("invalid string in message" if end < 0 else "invalid message format")
    try:
        return payload[:-1].decode() if encoding is None else decoded(payload[:-1], encoding)
    except UnicodeDecodeError as error:
        raise invalid_utf8(error) from None


def parse_parse(payload: bytes, encoding: Encoding | None = None) -> tuple[str, str, tuple[int, ...]]:
    """Parse: (statement name, text, parameter type OIDs)."""
    try:
        name_end = payload.index(0)
        text_end = payload.index(0, name_end + 1)
        name, said = payload[:name_end].decode(), payload[name_end + 1 : text_end]
        text = said.decode() if encoding is None else decoded(said, encoding)
        count = _uint16_at(payload, text_end + 1)[0]
        position = text_end + 3
        if len(payload) != position + 4 * count:
            raise ProtocolViolation("invalid message format")
        if count:
            return name, text, Struct(f">{count}I").unpack_from(payload, position)
    except _malformed as error:
        raise _refuse(error) from None
    return name, text, ()


Bound = tuple[str, str, tuple[int, ...], list[bytes | None], tuple[int, ...]]


def parse_bind(buffer: bytes, start: int, end: int) -> Bound:
    """Bind: (portal, statement, parameter formats, values (None: NULL), result formats).

    About a microsecond for a few parameters: this is half of what a prepared query costs here.
    """
    try:
        portal_end = buffer.index(0, start, end)
        statement_end = buffer.index(0, portal_end + 1, end)
        portal = buffer[start:portal_end].decode() if portal_end > start else ""
        statement = buffer[portal_end + 1 : statement_end].decode()
        # Most clients name no formats of parameters, so two counts follow each other.
        format_count, count = _two_uint16_at(buffer, statement_end + 1)
        position = statement_end + 5
        formats: tuple[int, ...] = ()
        if format_count:
            formats = _uint16s_at(buffer, position - 2, format_count)
            position += 2 * format_count
            count = _uint16_at(buffer, position - 2)[0]
        values: list[bytes | None] = []
        for _ in range(count):
            length = _int32_at(buffer, position)[0]
            position += 4
            if length >= 0:
                after = position + length
                if after > end:
                    raise ProtocolViolation("insufficient data left in message")
                values.append(buffer[position:after])
                position = after
            elif length == -1:
                values.append(None)
            else:
                raise ProtocolViolation("insufficient data left in message")
        count = _uint16_at(buffer, position)[0]
        position += 2
        results: tuple[int, ...] = ()
        if count:
            results = _uint16_at(buffer, position) if count == 1 else _uint16s_at(buffer, position, count)
            position += 2 * count
    except _malformed as error:
        raise _refuse(error) from None
    if position != end:
        raise ProtocolViolation("invalid message format")
    return portal, statement, formats, values, results


def _uint16s_at(buffer: bytes, position: int, count: int) -> tuple[int, ...]:
    return Struct(f">{count}H").unpack_from(buffer, position)


def parse_target(payload: bytes) -> tuple[int, str]:
    """Describe and Close: (ord("S") statement or ord("P") portal, name)."""
    if len(payload) < 2 or payload[-1] != 0 or payload.index(0) != len(payload) - 1:
        raise ProtocolViolation("invalid message format")
    if payload[0] not in b"SP":
        raise ProtocolViolation(f"invalid message subtype {payload[0]}")
    try:
        return payload[0], payload[1:-1].decode()
    except UnicodeDecodeError as error:
        raise invalid_utf8(error) from None


def parse_execute(payload: bytes) -> tuple[str, int]:
    """Execute: (portal, row limit; 0 for all)."""
    try:
        name_end = payload.index(0)
        if len(payload) != name_end + 5:
            raise ProtocolViolation("invalid message format")
        limit = _int32_at(payload, name_end + 1)[0]
        return payload[:name_end].decode(), max(limit, 0)
    except _malformed as error:
        raise _refuse(error) from None


def parse_cstring(payload: bytes) -> str:
    """CopyFail and cleartext passwords."""
    return parse_query(payload)


def parse_sasl_initial(payload: bytes) -> tuple[str, bytes]:
    """SASLInitialResponse: (mechanism, the client's first message)."""
    try:
        name_end = payload.index(0)
        length = _int32_at(payload, name_end + 1)[0]
        data = payload[name_end + 5 :]
        if length == -1 and not data:
            return payload[:name_end].decode(), b""
        if length != len(data):
            raise ProtocolViolation("invalid message format")
        return payload[:name_end].decode(), data
    except _malformed as error:
        raise _refuse(error) from None
