"""A client that does not speak UTF-8: what it sends and gets, converted where bytes become values and values bytes.

    Query, Parse      decoded with the client's codec                   messages.py
    parameters        text ones, and those that are text in binary too  recoded before they are read
    RowDescription, errors, notices, notifications                      recoded when they leave (`said`)
    DataRow           the same fields as for parameters                 recoded as they are made, so 22P05 is the
                                                                        statement's error
    COPY              text and csv, both ways

What names this room is `TypeSettings.client_encoding`: everything that depends on it is made once for such settings, and
clients that speak UTF-8 come by here only to see that they do.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from typing import Final

from pgwire.encoding.batches import BatchEncoder
from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.types import TypeSettings
from planner.types.encodings import UTF8, Encoding, decoded, encoded, encoding_named

_LENGTH: Final = Struct(">i")
_HEADER: Final = 5
_LTREES: Final = (t.LTREE, t.LQUERY, t.LTXTQUERY)
_TEXTS: Final = frozenset(
    (
        t.TEXT,
        t.VARCHAR,
        t.BPCHAR,
        t.NAME,
        t.CITEXT,
        t.UNKNOWN,
        t.JSON,
        t.JSONB,
        t.JSONPATH,
        t.CSTRING,
        t.VOID,
    )
)
_SAID: Final = {ord("E"): 0, ord("N"): 0, ord("S"): 0, ord("A"): 4}
"""Messages that are text from some byte on."""
_DESCRIPTION: Final = ord("T")
_COLUMN_BYTES: Final = 18

RowEncoder = Callable[..., bytes]


def spoken(settings: TypeSettings, named: str = "") -> Encoding | None:
    """The client's encoding, or that of a name; None for UTF-8."""
    if settings.client_encoding == UTF8 and not named:
        return None
    found = encoding_named(named or settings.client_encoding)
    return None if found is None or found.codec == "utf-8" else found


def is_text(ref: TypeRef, form: int) -> bool:
    """Whether a value's bytes are characters. Raises 0A000 where some of them are, inside of something binary."""
    if form == 0 or ref.oid in _TEXTS or t.labels_of(ref.oid):
        return True
    element = t.element_of(ref.oid)
    inside = [TypeRef(element)] if element else [f for _, f in t.composite_fields(ref.oid) or ()]
    if ref.oid in (t.RECORD, t.TSVECTOR, t.TSQUERY, t.HSTORE, t.XML, *_LTREES) or any(
        is_text(i, 1) for i in inside
    ):
        raise SqlError(
            "0A000",
            f"type {t.format_type(ref)} in binary format is not supported with a client_encoding other than UTF8",
        )
    return False


# --- what comes --------------------------------------------------------------------------------


def recoded_values(
    values: Sequence[bytes | None], types: Sequence[TypeRef], codes: Sequence[int], encoding: Encoding
) -> list[bytes | None]:
    """Bind's values in UTF-8."""
    forms = codes if len(codes) == len(values) else (codes[0] if codes else 0,) * len(values)
    return [
        v if v is None or not is_text(ref, form) else decoded(v, encoding).encode()
        for v, ref, form in zip(values, types, forms, strict=True)
    ]


class CopyTranscoder:
    """Pieces of COPY data, wherever they were cut, as UTF-8."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding.codec)()

    def feed(self, data: bytes, final: bool = False) -> bytes:
        """Raises 22021, 22P05."""
        held = self._decoder.getstate()[0]
        try:
            return self._decoder.decode(data, final).encode()
        except UnicodeDecodeError:
            decoded(held + data, self._encoding)
            raise


# --- what goes ---------------------------------------------------------------------------------


def _message(kind: int, payload: bytes) -> bytes:
    return bytes((kind,)) + _LENGTH.pack(len(payload) + 4) + payload


def _messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data):
        length = _LENGTH.unpack_from(data, at + 1)[0]
        yield data[at], data[at + _HEADER : at + 1 + length]
        at += 1 + length


def said(data: bytes, settings: TypeSettings) -> bytes:
    """Whole messages with what is said in them recoded; rows and COPY data are left, they have been already."""
    encoding = spoken(settings)
    if encoding is None:
        return data
    out = []
    for kind, payload in _messages(data):
        start = _SAID.get(kind)
        if start is not None:
            text = payload[start:].decode()
            payload = payload[:start] + text.encode(encoding.codec, "replace")
        elif kind == _DESCRIPTION:
            payload = _description(payload, encoding)
        out.append(_message(kind, payload))
    return b"".join(out)


def _description(payload: bytes, encoding: Encoding) -> bytes:
    parts, at = [payload[:2]], 2
    while at < len(payload):
        end = payload.index(0, at)
        name = payload[at:end].decode().encode(encoding.codec, "replace")
        parts += [name, payload[end : end + 1 + _COLUMN_BYTES]]
        at = end + 1 + _COLUMN_BYTES
    return b"".join(parts)


def check_names(names: Sequence[str], encoding: Encoding) -> None:
    """Raises 22P05 for a column that cannot be described."""
    for name in names:
        encoded(name, encoding)


class RowTranscoder:
    """DataRow messages with their text fields recoded."""

    def __init__(self, types: Sequence[TypeRef], forms: Sequence[int], encoding: Encoding) -> None:
        """Raises 0A000 (`is_text`)."""
        self._encoding = encoding
        self._texts = [is_text(ref, form) for ref, form in zip(types, forms, strict=True)]

    def rows(self, data: bytes) -> bytes:
        """Raises 22P05."""
        return b"".join(_message(kind, self._row(payload)) for kind, payload in _messages(data))

    def _row(self, payload: bytes) -> bytes:
        parts, at = [payload[:2]], 2
        for is_shown in self._texts:
            length = _LENGTH.unpack_from(payload, at)[0]
            end = at + 4 + max(length, 0)
            if is_shown and length > 0:
                field = encoded(payload[at + 4 : end].decode(), self._encoding)
                parts += [_LENGTH.pack(len(field)), field]
            else:
                parts.append(payload[at:end])
            at = end
        return b"".join(parts)

    def of_rows(self, encode: RowEncoder) -> RowEncoder:
        return lambda rows: self.rows(encode(rows))

    def of_batches(self, encode: BatchEncoder) -> BatchEncoder:
        return lambda batch, rows_each=0: (self.rows(piece) for piece in encode(batch, rows_each))


def copied(data: bytes, encoding: Encoding) -> bytes:
    """CopyData messages of whole lines. Raises 22P05."""
    return b"".join(_message(kind, encoded(p.decode(), encoding)) for kind, p in _messages(data))


def refuse_binary_copy() -> SqlError:
    return SqlError("0A000", "COPY in binary format is not supported with a client_encoding other than UTF8")
