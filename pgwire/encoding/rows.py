"""Keyed results: rows of datums -> DataRow messages, in about a microsecond a row.

    'D' | int32 length | int16 columns | int32 size, bytes | int32 size, bytes | ...

The loop is written out for the columns at hand, as source text, and compiled once: no dispatch on
types per value, no call where an expression will do. Lengths and message heads of ordinary sizes are looked up
in tables of ready bytes.

Where all columns are text, as nearly always, the rows are put together as `str` with a character for a byte, and become
bytes in one go at the end (Latin-1 is that mapping): Python prints and joins text more than twice as fast as bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from pgwire.encoding.binary import binary_output
from planner import types as t
from planner.abc import ResultColumn, SqlError, TypeRef
from planner.types import DEFAULT_SETTINGS, TypeSettings, text_output
from storage.abc import Datum

RowEncoder = Callable[[Iterable[Sequence[Datum]]], bytes]

NULL_FIELD: Final = b"\xff\xff\xff\xff"
TABLE_SIZE: Final = 512
FIELDS_MAX: Final = 1664
"""PostgreSQL's MaxTupleAttributeNumber: more result columns are an error there too."""

ROW_BYTES_MAX: Final = (1 << 30) - 2
"""PostgreSQL's MaxAllocSize, less a byte: what is longer is made in no buffer of its own."""

_LENGTHS: Final = [struct.pack("!i", n) for n in range(TABLE_SIZE)]
_UTF8: Final = frozenset(
    (t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.CITEXT, t.UUID, t.JSON, t.JSONB, t.UNKNOWN, t.CHAR, t.TIMETZ)
)
_OTHERWISE_IN_BINARY: Final = frozenset((t.UUID, t.JSONB, t.TIMETZ, t.CHAR))
_PRINTED: Final = frozenset((t.INT2, t.INT4, t.INT8, t.OID, t.XID, t.CID, t.XID8))
_FIXED_BINARY: Final = {
    t.INT2: "!ih",
    t.INT4: "!ii",
    t.INT8: "!iq",
    t.FLOAT4: "!if",
    t.FLOAT8: "!id",
    t.OID: "!iI",
}


def long_length(n: int) -> bytes:
    """What is before a value of many bytes. Raises 54000."""
    refuse_length(n)
    return struct.pack("!i", n)


def long_head(n: int, count: int) -> bytes:
    """What is before a long row. Raises 54000."""
    refuse_length(n)
    return b"D" + struct.pack("!ih", n + 6, count)


def refuse_length(n: int) -> None:
    """Raises 54000 if a row, or a value in it, is of more bytes than anybody is sent at once."""
    if n > ROW_BYTES_MAX:
        raise SqlError(
            "54000",
            "out of memory",
            detail=f"A row with {n} bytes is more than the {ROW_BYTES_MAX} that may be sent at once.",
        )


def formats_for(formats: Sequence[int], count: int) -> tuple[int, ...]:
    """Bind's result formats, one per column. Raises 08P01 for a wrong count."""
    if len(formats) == count:
        out = tuple(formats)
    elif len(formats) <= 1:
        out = (formats[0] if formats else 0,) * count
    else:
        raise SqlError(
            "08P01", f"bind message has {len(formats)} result formats but query has {count} columns"
        )
    for form in out:
        if form not in (0, 1):
            raise SqlError("22023", f"unsupported format code: {form}")
    return out


def _field_source(
    i: int, ref: TypeRef, form: int, settings: TypeSettings, names: dict[str, Any]
) -> list[str]:
    """Statements that set f{i} from v{i} (not None)."""
    if form == 1 and ref.oid in _FIXED_BINARY:
        packer = struct.Struct(_FIXED_BINARY[ref.oid])
        names[f"pack{i}"] = packer.pack
        return [f"f{i} = pack{i}({packer.size - 4}, v{i})"]
    if form == 0 and ref.oid == t.BOOL:
        return [f"f{i} = b'\\0\\0\\0\\1t' if v{i} else b'\\0\\0\\0\\1f'"]
    if form == 0 and ref.oid in _PRINTED:
        value = f"str(v{i}).encode()"
    elif ref.oid in _UTF8 and (form == 0 or ref.oid not in _OTHERWISE_IN_BINARY):
        value = f"v{i}.encode()"
    elif form == 0:
        names[f"show{i}"] = text_output(ref, settings)
        value = f"show{i}(v{i}).encode()"
    else:
        names[f"send{i}"] = binary_output(ref)
        value = f"send{i}(v{i})"
    return [f"b = {value}", "n = len(b)", f"f{i} = (LENGTHS[n] if n < {TABLE_SIZE} else length(n)) + b"]


def _text_source(i: int, ref: TypeRef, settings: TypeSettings, names: dict[str, Any]) -> list[str]:
    """Statements that set f{i} from v{i} (not None): the field's bytes as characters."""
    if ref.oid == t.BOOL:
        return [f"f{i} = '\\0\\0\\0\\1t' if v{i} else '\\0\\0\\0\\1f'"]
    if ref.oid in _PRINTED:
        return [f"b = f'{{v{i}}}'", f"f{i} = LENGTHS[len(b)] + b"]
    if ref.oid in _UTF8:
        lines = [f"b = v{i} if v{i}.isascii() else utf8(v{i})"]
    else:
        names[f"show{i}"] = text_output(ref, settings)
        lines = [f"b = show{i}(v{i})", "if not b.isascii(): b = utf8(b)"]
    return [*lines, "n = len(b)", f"f{i} = (LENGTHS[n] if n < {TABLE_SIZE} else length(n)) + b"]


def _text_rows_source(count: int, fields: Sequence[list[str]]) -> str:
    targets = ", ".join(f"v{i}" for i in range(count))
    lines = ["def encode(rows):", "    out = []", "    append = out.append", f"    for {targets}, in rows:"]
    for i, statements in enumerate(fields):
        lines += [f"        if v{i} is None:", f"            f{i} = NULL", "        else:"]
        lines += ["            " + s for s in statements]
    body = "f'" + "".join(f"{{f{i}}}" for i in range(count)) + "'" if count > 1 else "f0"
    lines += [
        f"        body = {body}",
        "        n = len(body)",
        f"        append((HEADS[n] if n < {TABLE_SIZE} else head(n)) + body)",
        "    return (out[0] if len(out) == 1 else ''.join(out)).encode('latin-1')",
    ]
    return "\n".join(lines)


def _utf8(text: str) -> str:
    """The characters whose codes are the bytes of the text."""
    return text.encode().decode("latin-1")


def _text_encoder(refs: tuple[TypeRef, ...], settings: TypeSettings) -> RowEncoder:
    count = len(refs)
    names: dict[str, Any] = {
        "NULL": NULL_FIELD.decode("latin-1"),
        "LENGTHS": [n.decode("latin-1") for n in _LENGTHS],
        "HEADS": [n.decode("latin-1") for n in _heads(count)],
        "head": lambda n: long_head(n, count).decode("latin-1"),
        "length": lambda n: long_length(n).decode("latin-1"),
        "utf8": _utf8,
    }
    fields = [_text_source(i, ref, settings, names) for i, ref in enumerate(refs)]
    exec(compile(_text_rows_source(count, fields), "<text row encoder>", "exec"), names)
    encoder: RowEncoder = names["encode"]
    return encoder


def _source(count: int, fields: Sequence[list[str]]) -> str:
    lines = ["def encode(rows):", "    out = []", "    append = out.append"]
    if count == 0:
        lines += ["    for _ in rows:", "        append(HEADS[0])", "    return b''.join(out)"]
        return "\n".join(lines)
    targets = ", ".join(f"v{i}" for i in range(count))
    lines.append(f"    for {targets}, in rows:" if count == 1 else f"    for {targets} in rows:")
    for i, statements in enumerate(fields):
        lines += [f"        if v{i} is None:", f"            f{i} = NULL", "        else:"]
        lines += ["            " + s for s in statements]
    body = " + ".join(f"f{i}" for i in range(count)) if count <= 4 else None
    joined = body or "b''.join((" + ", ".join(f"f{i}" for i in range(count)) + "))"
    lines += [
        f"        body = {joined}",
        "        n = len(body)",
        f"        append((HEADS[n] if n < {TABLE_SIZE} else head(n)) + body)",
        "    return out[0] if len(out) == 1 else b''.join(out)",
    ]
    return "\n".join(lines)


@lru_cache(maxsize=256)
def _heads(count: int) -> list[bytes]:
    return [b"D" + struct.pack("!ih", n + 6, count) for n in range(TABLE_SIZE)]


@lru_cache(maxsize=4096)
def _encoder(refs: tuple[TypeRef, ...], formats: tuple[int, ...], settings: TypeSettings) -> RowEncoder:
    count = len(refs)
    if count and not any(formats):
        return _text_encoder(refs, settings)
    names: dict[str, Any] = {
        "NULL": NULL_FIELD,
        "LENGTHS": _LENGTHS,
        "HEADS": _heads(count),
        "head": lambda n: long_head(n, count),
        "length": long_length,
    }
    fields = [_field_source(i, refs[i], formats[i], settings, names) for i in range(count)]
    exec(compile(_source(count, fields), "<row encoder>", "exec"), names)
    encoder: RowEncoder = names["encode"]
    return encoder


def row_encoder(
    columns: Sequence[ResultColumn], formats: Sequence[int] = (), settings: TypeSettings = DEFAULT_SETTINGS
) -> RowEncoder:
    """A function from rows to their DataRow messages, in one bytes object.

    Resolve once per (columns, formats, settings) and keep it: the look-up costs as much as a row.
    """
    if len(columns) > FIELDS_MAX:
        raise SqlError("54011", f"target lists can have at most {FIELDS_MAX} entries")
    return _encoder(tuple(c.type for c in columns), formats_for(formats, len(columns)), settings)
