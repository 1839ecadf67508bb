"""PostgreSQL's binary format of records: how many fields, then each field's type, length and value.

    (a,NULL) of (text, int4)   ->   2 | 25, 1, "a" | 23, -1

A composite value is kept as its text, and so is an anonymous record whose fields' types the planner knows: they are in
its modifier, which other types' values do without here.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Final

from pgwire.encoding.binary_ranges import truncated
from planner import types as t
from planner.abc import SqlError, TypeRef
from storage.abc import Datum

_I4: Final = struct.Struct("!i")
_FIELD: Final = struct.Struct("!Ii")
Send = Callable[[Datum], bytes]
Receive = Callable[[bytes], Datum]


def shape_of(ref: TypeRef) -> TypeRef:
    """A field's or an element's type as its codec is made for it."""
    return ref if ref.oid in (t.RECORD, t.RECORD_ARRAY) else TypeRef(ref.oid)


def reader(ref: TypeRef) -> Callable[[str], Datum]:
    """From the text of a field or an element to its value. Texts of anonymous records are values, though nobody may say one."""
    if ref.oid == t.RECORD:
        return str
    return t.text_input(TypeRef(t.array_of(t.TEXT)) if ref.oid == t.RECORD_ARRAY else ref)


def record_out(refs: Sequence[TypeRef], declared: Sequence[int], sends: Sequence[Send]) -> Send:
    """The send function of records with fields of these types. `declared`: as they are told, if not as such."""
    readers = [reader(ref) for ref in refs]
    oids = declared or [t.TEXT if ref.oid == t.UNKNOWN else ref.oid for ref in refs]

    def encode(text: Datum) -> bytes:
        out = [_I4.pack(len(refs))]
        items = t.split_record(text) if refs else []
        if len(items) != len(
            refs
        ):  # a value from before ALTER TYPE: a cursor's, opened in the same transaction
            raise SqlError(
                "0A000",
                "binary output of a composite type is not supported in the transaction that alters it",
            )
        for item, oid, read, send in zip(items, oids, readers, sends, strict=True):
            if item is None:
                out.append(_FIELD.pack(oid, -1))
            else:
                data = send(read(item))
                out += [_FIELD.pack(oid, len(data)), data]
        return b"".join(out)

    return encode


def record_in(refs: Sequence[TypeRef], declared: Sequence[int], receives: Sequence[Receive]) -> Receive:
    """The receive function of a composite type. Raises 08P01, 42804."""
    wanted = declared or [ref.oid for ref in refs]
    writers = [t.text_output(ref) for ref in refs]

    def decode(data: bytes) -> str:
        if len(data) < 4:
            raise truncated()
        (count,) = _I4.unpack_from(data)
        if count != len(refs):
            raise SqlError("42804", f"wrong number of columns: {count}, expected {len(refs)}")
        at = 4
        items: list[str | None] = []
        for i, (expected, receive, show) in enumerate(zip(wanted, receives, writers, strict=True), 1):
            if at + 8 > len(data):
                raise truncated()
            oid, size = _FIELD.unpack_from(data, at)
            at += 8
            if oid != expected:
                raise SqlError(
                    "42804",
                    f"binary data has type {oid} ({t.format_type(TypeRef(oid))}) instead of expected {expected} "
                    f"({t.format_type(TypeRef(expected))}) in record column {i}",
                )
            if size == -1:
                items.append(None)
                continue
            if size < 0 or at + size > len(data):
                raise truncated()
            items.append(show(receive(data[at : at + size])))
            at += size
        return t.join_record(items)

    return decode
