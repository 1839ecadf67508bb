"""PostgreSQL's binary format, datum by datum.

Everything is big-endian. Times count from 2000-01-01, not 1970. A numeric is a list of base-10000
digits with the weight of the first:

    12345.678   ->   ndigits 3, weight 1, sign +, dscale 3, digits [1, 2345, 6780]

`binary_output` and `binary_input` hand out one closure per type; the caller adds or has read the
four-byte length.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

from pgwire.encoding.binary_ranges import range_in, range_out, truncated
from pgwire.encoding.binary_records import reader, record_in, record_out, shape_of
from pgwire.encoding.binary_snapshots import snapshot_in, snapshot_out
from pgwire.encoding.binary_times import (
    date_in,
    date_out,
    interval_in,
    interval_out,
    stamp_in,
    stamp_out,
    time_in,
    timetz_in,
    timetz_out,
)
from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.binding.records import fields_of
from planner.errors import BytesLeftOver
from planner.extensions import hstores, ltree_patterns, ltrees
from planner.geometry.binary import from_binary as geometry_in
from planner.geometry.binary import to_binary as geometry_out
from planner.geometry.texts import OF_DATUM, SHOW
from planner.textsearch import queries, vectors
from planner.types import embeddings, log_places, macaddrs, networks, numeric, xmls
from planner.types.array_values import DIMENSIONS_MAX, EMPTY, ArrayValue
from planner.types.array_values import parse as parse_array
from planner.types.array_values import write as write_array
from planner.types.arrays import ArrayType, VectorType
from planner.types.declared import forget_with_types
from planner.types.geometry import GEOMETRIC
from planner.types.integers import UnsignedType
from planner.types.ranges import RangeType
from planner.types.texts import UnreadType, number_of_byte, shown_byte
from storage.abc import Datum

BinaryOutput = Callable[[Datum], bytes]
BinaryInput = Callable[[bytes], Datum]

NUMERIC_NEGATIVE, NUMERIC_NAN, NUMERIC_INF, NUMERIC_NEG_INF = 0x4000, 0xC000, 0xD000, 0xF000

_I2, _I4, _I8 = struct.Struct("!h"), struct.Struct("!i"), struct.Struct("!q")
_U4, _U8 = struct.Struct("!I"), struct.Struct("!Q")
_F4, _F8 = struct.Struct("!f"), struct.Struct("!d")
_NUMERIC = struct.Struct("!HhHH")
_ARRAY = struct.Struct("!iiI")


FORMS: Final[dict[BinaryInput, str]] = {}
"""What reads a value as a field of a struct does -> the field, for whoever has several of them to unpack."""


def decode_utf8(data: bytes) -> str:
    """22021 for bytes that are not UTF-8, or hold the NUL that text cannot."""
    try:
        text = str(data, "utf-8")
    except UnicodeDecodeError as e:
        bad = bytes(data[e.start : max(e.end, min(len(data), e.start + _utf8_length(data[e.start])))])
        shown = " ".join(f"0x{b:02x}" for b in bad)
        raise SqlError("22021", f'invalid byte sequence for encoding "UTF8": {shown}') from None
    if "\x00" in text:
        raise SqlError("22021", 'invalid byte sequence for encoding "UTF8": 0x00')
    return text


def _utf8_length(first: int) -> int:
    if first & 0xE0 == 0xC0:
        return 2
    if first & 0xF0 == 0xE0:
        return 3
    return 4 if first & 0xF8 == 0xF0 else 1


@cache
def _fixed(form: struct.Struct) -> tuple[BinaryOutput, BinaryInput]:
    size, unpack = form.size, form.unpack

    def read(data: bytes) -> Datum:
        if len(data) != size:
            raise truncated() if len(data) < size else BytesLeftOver()
        return unpack(data)[0]

    FORMS[read] = form.format[1:]
    return form.pack, read


# --- numeric


def numeric_to_binary(text: str) -> bytes:
    """From numeric's text form, any precision."""
    if text[-1] in "Ny":
        sign = {"NaN": NUMERIC_NAN, "Infinity": NUMERIC_INF, "-Infinity": NUMERIC_NEG_INF}[text]
        return _NUMERIC.pack(0, 0, sign, 0 if text == "NaN" else 32)
    negative = text[0] == "-"
    whole, _, part = (text[1:] if negative else text).partition(".")
    whole = whole.lstrip("0")
    padded = whole.rjust((len(whole) + 3) // 4 * 4, "0") + part.ljust((len(part) + 3) // 4 * 4, "0")
    digits = [int(padded[i : i + 4]) for i in range(0, len(padded), 4)]
    weight = (len(whole) + 3) // 4 - 1
    first, end = 0, len(digits)
    while first < end and not digits[first]:
        first += 1
    while end > first and not digits[end - 1]:
        end -= 1
    digits = digits[first:end]
    weight = weight - first if digits else 0
    head = _NUMERIC.pack(len(digits), weight, NUMERIC_NEGATIVE if negative and digits else 0, len(part))
    return head + struct.pack(f"!{len(digits)}H", *digits)


def numeric_from_binary(data: bytes) -> str:
    if len(data) < 8:
        raise truncated()
    count, weight, sign, dscale = _NUMERIC.unpack_from(data)
    if len(data) != 8 + 2 * count:
        raise truncated() if len(data) < 8 + 2 * count else BytesLeftOver()
    if sign in (NUMERIC_NAN, NUMERIC_INF, NUMERIC_NEG_INF):
        return {NUMERIC_NAN: "NaN", NUMERIC_INF: "Infinity", NUMERIC_NEG_INF: "-Infinity"}[sign]
    if sign not in (0, NUMERIC_NEGATIVE):
        raise SqlError("22P03", 'invalid sign in external "numeric" value')
    if dscale & ~0x3FFF:
        raise SqlError("22P03", 'invalid scale in external "numeric" value')
    digits = struct.unpack_from(f"!{count}H", data, 8)
    if any(d > 9999 for d in digits):
        raise SqlError("22P03", 'invalid digit in external "numeric" value')
    text = "".join([f"{d:04d}" for d in digits])
    point = (weight + 1) * 4
    if weight * 4 > numeric.WEIGHT_MAX:
        raise numeric.overflow()
    if point <= 0:
        whole, part = "0", "0" * -point + text
    else:
        whole, part = text[:point].ljust(point, "0").lstrip("0") or "0", text[point:]
    part = part[:dscale].ljust(dscale, "0")
    out = f"{whole}.{part}" if dscale else whole
    return "-" + out if sign and out.strip("0.") else out


def _decimal_to_binary(value: Datum) -> bytes:
    return numeric_to_binary(numeric.decimal_out(value))


def _text_out(text: Datum) -> bytes:
    return bytes(text.encode())


def _byte_out(shown: Datum) -> bytes:
    return bytes((number_of_byte(shown) & 0xFF,))


def _byte_in(data: bytes) -> str:
    """ "char" is always one byte, whatever it is: 0 is the empty one."""
    if len(data) != 1:
        raise BytesLeftOver() if data else truncated()
    return shown_byte(data[0])


def _bool_out(value: Datum) -> bytes:
    return b"\x01" if value else b"\x00"


def _bool_in(data: bytes) -> bool:
    if len(data) != 1:
        raise BytesLeftOver() if data else truncated()
    return data[0] != 0


def _place_out(place: int) -> bytes:
    return place.to_bytes(6, "big")


def _place_in(data: bytes) -> int:
    if len(data) != 6:
        raise BytesLeftOver()
    return int.from_bytes(data, "big")


def _log_place_in(data: bytes) -> int:
    if len(data) != _U8.size:
        raise truncated() if len(data) < _U8.size else BytesLeftOver()
    return log_places.from_binary(data)


def _uuid_out(text: Datum) -> bytes:
    return bytes.fromhex(text.replace("-", ""))


def _uuid_in(data: bytes) -> str:
    if len(data) != 16:
        raise truncated() if len(data) < 16 else BytesLeftOver()
    h = bytes(data).hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def _jsonb_out(text: Datum) -> bytes:
    return b"\x01" + bytes(text.encode())


def _versioned_in(oid: int) -> BinaryInput:
    """jsonb and jsonpath: a version number, and the text."""

    def read(data: bytes) -> str:
        if not data:
            raise truncated()
        if data[0] != 1:
            name = t.format_type(TypeRef(oid))
            raise SqlError("XX000", f"unsupported {name} version number {data[0]}")
        return str(t.input_text(decode_utf8(data[1:]), TypeRef(oid)))

    return read


def _bits_out(bits: Datum) -> bytes:
    size = (len(bits) + 7) // 8
    return _I4.pack(len(bits)) + int(bits.ljust(size * 8, "0") or "0", 2).to_bytes(size, "big")


def _bits_in(data: bytes) -> str:
    if len(data) < 4:
        raise truncated()
    (count,) = _I4.unpack_from(data)
    if count < 0 or (count + 7) // 8 != len(data) - 4:
        raise SqlError("22P03", "invalid length in external bit string")
    return "".join([f"{b:08b}" for b in data[4:]])[:count]


def _void_out(value: Datum) -> bytes:
    return b""


def _array_out(element: TypeRef, write: BinaryOutput) -> BinaryOutput:
    pack = _I4.pack
    read = reader(TypeRef(element.oid))

    def encode(text: Datum) -> bytes:
        value = parse_array(text)
        if not value.items:
            return _ARRAY.pack(0, 0, element.oid)
        out = [_ARRAY.pack(len(value.dims), 1 if None in value.items else 0, element.oid)]
        out += [pack(size) + pack(low) for size, low in zip(value.dims, value.lows, strict=True)]
        for item in value.items:
            if item is None:
                out.append(b"\xff\xff\xff\xff")
            else:
                data = write(read(item))
                out.append(pack(len(data)))
                out.append(data)
        return b"".join(out)

    return encode


def _vector_out(element: TypeRef, write: BinaryOutput) -> BinaryOutput:
    pack = _I4.pack

    def encode(items: Datum) -> bytes:
        out = [_ARRAY.pack(1, 0, element.oid), pack(len(items)), pack(0)]
        for item in items:
            data = write(item)
            out += [pack(len(data)), data]
        return b"".join(out)

    return encode


def _array_in(element: TypeRef, read: BinaryInput) -> BinaryInput:
    show = t.text_output(element)

    def decode(data: bytes) -> str:
        value = _array_parts(data, element.oid, read)
        items = [None if item is None else show(item) for item in value.items]
        return write_array(ArrayValue(value.dims, value.lows, items))

    return decode


def _vector_in(element: TypeRef, read: BinaryInput) -> BinaryInput:
    return lambda data: list(_array_parts(data, element.oid, read).items)


def _array_parts(data: bytes, element_oid: int, read: BinaryInput) -> ArrayValue:
    """The shape, and the elements as datums."""
    if len(data) < 12:
        raise truncated()
    dimensions, flags, oid = _ARRAY.unpack_from(data)
    if not 0 <= dimensions <= DIMENSIONS_MAX:
        raise SqlError("22P03", f"invalid number of dimensions: {dimensions}")
    if flags not in (0, 1):
        raise SqlError("22P03", "invalid array flags")
    if oid != element_oid:
        raise SqlError(
            "42804",
            f"binary data has array element type {oid} ({t.format_type(TypeRef(oid))})"
            f" instead of expected {element_oid} ({t.format_type(TypeRef(element_oid))})",
        )
    at = 12 + 8 * dimensions
    if len(data) < at:
        raise truncated()
    bounds = struct.unpack_from(f"!{2 * dimensions}i", data, 12)
    dims, lows = bounds[::2], bounds[1::2]
    count = 1 if dimensions else 0
    for size in dims:
        count *= size
        if size < 0 or count * 4 > len(data):
            raise BytesLeftOver()
    if not count:
        return EMPTY
    out: list[Datum] = []
    for _ in range(count):
        if at + 4 > len(data):
            raise truncated()
        (size,) = _I4.unpack_from(data, at)
        at += 4
        if size == -1:
            out.append(None)
            continue
        if size < 0 or at + size > len(data):
            raise truncated()
        out.append(read(data[at : at + size]))
        at += size
    if at != len(data):
        raise BytesLeftOver()
    return ArrayValue(tuple(dims), tuple(lows), out)


def _geometry(oid: int) -> tuple[BinaryOutput, BinaryInput]:
    kind = t.BY_OID[oid].typname
    show = SHOW[kind]
    return lambda v: geometry_out(kind, OF_DATUM[kind](v)), lambda data: show(geometry_in(kind, data))


_CODECS: Final[dict[int, tuple[BinaryOutput, BinaryInput]]] = {
    t.BOOL: (_bool_out, _bool_in),
    t.INT2: _fixed(_I2),
    t.INT4: _fixed(_I4),
    t.INT8: _fixed(_I8),
    t.FLOAT4: _fixed(_F4),
    t.FLOAT8: _fixed(_F8),
    t.XID8: _fixed(_U8),
    t.PG_SNAPSHOT: (snapshot_out, snapshot_in),
    t.TXID_SNAPSHOT: (snapshot_out, snapshot_in),
    t.BYTEA: (bytes, bytes),
    t.CHAR: (_byte_out, _byte_in),
    t.DATE: (date_out, date_in),
    t.TIME: (_I8.pack, time_in),
    t.TIMETZ: (timetz_out, timetz_in),
    t.TIMESTAMP: (stamp_out, stamp_in),
    t.TIMESTAMPTZ: (stamp_out, stamp_in),
    t.INTERVAL: (interval_out, interval_in),
    t.UUID: (_uuid_out, _uuid_in),
    t.TID: (_place_out, _place_in),
    t.MONEY: _fixed(_I8),
    t.XML: (lambda v: xmls.xml_out(v).encode(), xmls.from_binary),
    t.PG_LSN: (log_places.to_binary, _log_place_in),
    t.JSONB: (_jsonb_out, _versioned_in(t.JSONB)),
    t.JSONPATH: (_jsonb_out, _versioned_in(t.JSONPATH)),
    t.VECTOR: (embeddings.to_binary, embeddings.from_binary),
    t.HSTORE: (hstores.to_binary, hstores.from_binary),
    t.LTREE: (ltrees.to_binary, ltrees.from_binary("ltree", ltrees.ltree_in)),
    t.LQUERY: (ltrees.to_binary, ltrees.from_binary("lquery", ltree_patterns.lquery_in)),
    t.LTXTQUERY: (ltrees.to_binary, ltrees.from_binary("ltxtquery", ltree_patterns.ltxtquery_in)),
    t.TSVECTOR: (vectors.to_binary, vectors.from_binary),
    t.TSQUERY: (queries.to_binary, queries.from_binary),
    t.INET: (lambda v: networks.to_binary(v, False), lambda data: networks.from_binary(data, False)),
    t.CIDR: (lambda v: networks.to_binary(v, True), lambda data: networks.from_binary(data, True)),
    t.MACADDR: (macaddrs.octets, lambda data: macaddrs.from_binary(data, 6)),
    t.MACADDR8: (macaddrs.octets, lambda data: macaddrs.from_binary(data, 8)),
    **{oid: _geometry(oid) for oid in GEOMETRIC},
    t.BIT: (_bits_out, _bits_in),
    t.VARBIT: (_bits_out, _bits_in),
    t.VOID: (_void_out, decode_utf8),
    t.NUMERIC: (numeric_to_binary, numeric_from_binary),
}
_READ_AS_TEXT: Final = frozenset((t.JSON, t.NAME, t.BPCHAR, t.VARCHAR))


@lru_cache(maxsize=2048)
def _codec(ref: TypeRef) -> tuple[BinaryOutput, BinaryInput]:
    family = t.sql_type(ref.oid)
    write: BinaryOutput
    if isinstance(family, ArrayType | VectorType):
        element = TypeRef(family.element.oid, ref.typmod)
        if isinstance(family, VectorType):
            send, read = _codec(element)
            return _vector_out(element, send), _vector_in(element, read)
        plain = binary_output(shape_of(element))
        return _array_out(element, plain), _array_in(element, binary_input(element))
    fields = t.composite_fields(ref.oid) or (fields_of(ref) if ref.oid == t.RECORD else None)
    if fields is not None:
        refs = [shape_of(f) for _, f in fields]
        declared = t.composite_declared(ref.oid)
        write = record_out(refs, declared, [binary_output(f) for f in refs])
        if ref.oid == t.RECORD:
            parse = t.text_input(ref)
            return write, lambda data: parse("")  # which refuses: such records are never input
        return write, record_in(refs, declared, [binary_input(f) for f in refs])
    if isinstance(family, RangeType):
        send_bound, receive_bound = _codec(TypeRef(family.kind.subtype.oid))
        return range_out(family, send_bound), range_in(family, receive_bound)
    if ref.oid == t.NUMERIC:
        fit = family.coercion(ref.typmod, False)
        write = _decimal_to_binary if numeric.is_decimal(ref.typmod) else numeric_to_binary
        return write, numeric_from_binary if fit is None else lambda data: fit(numeric_from_binary(data))
    if ref.oid in _READ_AS_TEXT or t.labels_of(ref.oid) is not None or isinstance(family, UnreadType):
        parse = t.text_input(ref)
        return _text_out, lambda data: parse(decode_utf8(data))
    write, read = _CODECS.get(ref.oid) or (
        _fixed(_U4) if isinstance(family, UnsignedType) else (_text_out, decode_utf8)
    )
    fit = family.coercion(ref.typmod, False)
    return write, read if fit is None else lambda data: fit(read(data))


forget_with_types(_codec.cache_clear)


def binary_output(ref: TypeRef) -> BinaryOutput:
    """The send function of a type, resolved; of a composite type for as long as it has these fields.

    ALTER TYPE gives a type in use other fields, and prepared statements that were written out before go on.
    """
    if t.composite_fields(ref.oid) is not None:

        def send(value: Datum) -> bytes:
            return _codec(ref)[0](value)

        return send
    return _codec(ref)[0]


def binary_input(ref: TypeRef) -> BinaryInput:
    """The receive function of a type, resolved as the send function is. Raises 08P01, 22P03, 22021 and the type's own errors."""
    if t.composite_fields(ref.oid) is not None:

        def receive(data: bytes) -> Datum:
            return _codec(ref)[1](data)

        return receive
    return _codec(ref)[1]
