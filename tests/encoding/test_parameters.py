"""Bind's values: every format and type, and what is said of those that are wrong."""

from __future__ import annotations

import struct

import pytest

from pgwire.encoding import binary_input, binary_output, decode_params
from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.types import output_text
from tests.types.samples import DATUMS, type_of


@pytest.mark.parametrize("name", list(DATUMS))
def test_both_formats_give_the_datum(name: str) -> None:
    ref = type_of(name)
    for datum in DATUMS[name]:
        binary = binary_output(ref)(datum)
        text = output_text(datum, ref).encode()
        assert repr(decode_params((ref, ref), (0, 1), (text, binary))) == repr((datum, datum))
        assert repr(binary_input(ref)(binary)) == repr(datum)


INT4, TEXT, NUMERIC = TypeRef(t.INT4), TypeRef(t.TEXT), TypeRef(t.NUMERIC)


def test_one_format_for_all_or_none() -> None:
    assert decode_params((INT4, INT4), (), (b"1", None)) == (1, None)
    assert decode_params((INT4, INT4), (1,), (b"\0\0\0\1", None)) == (1, None)
    assert decode_params((), (), ()) == ()


@pytest.mark.parametrize(
    ("types", "formats", "values", "sqlstate", "message"),
    [
        ((INT4,), (), (), "08P01", "bind message supplies 0 parameters, but prepared statement requires 1"),
        ((INT4,) * 3, (0, 1), (b"1",) * 3, "08P01", "bind message has 2 parameter formats but 3 parameters"),
        ((INT4,), (7,), (b"1",), "22023", "unsupported format code: 7"),
        ((INT4,), (), (b"x",), "22P02", 'invalid input syntax for type integer: "x"'),
        ((INT4,), (), (b"99999999999",), "22003", 'value "99999999999" is out of range for type integer'),
        ((INT4,), (1,), (b"\0\0",), "08P01", "insufficient data left in message"),
        ((TEXT, INT4), (1,), (b"a", b"\0\0\0\1\0"), "22P03", "incorrect binary data format in bind parameter 2"),
        ((TEXT,), (), (b"a\xffb",), "22021", 'invalid byte sequence for encoding "UTF8": 0xff'),
        ((TEXT,), (1,), (b"a\0b",), "22021", 'invalid byte sequence for encoding "UTF8": 0x00'),
        ((NUMERIC,), (1,), (struct.pack("!HhHHH", 1, 0, 0, 0, 10000),), "22P03", 'invalid digit in external "numeric" value'),
        ((NUMERIC,), (1,), (struct.pack("!HhHH", 0, 0, 0x1234, 0),), "22P03", 'invalid sign in external "numeric" value'),
        ((TypeRef(t.JSONB),), (1,), (b"\2{}",), "XX000", "unsupported jsonb version number 2"),
        ((TypeRef(t.TIME),), (1,), (struct.pack("!q", -1),), "22008", "time out of range"),
        ((TypeRef(t.DATE),), (1,), (struct.pack("!i", 2147483646),), "22008", "date out of range"),
        ((TypeRef(t.INT4_ARRAY),), (1,), (struct.pack("!iiIii", 1, 0, 25, 0, 1),), "42804", None),
        ((TypeRef(t.INT4_ARRAY),), (1,), (struct.pack("!iiIiiii", 2, 0, 23, 1, 1, 1, 1),), "08P01", None),
        ((TypeRef(t.INT4_ARRAY),), (1,), (struct.pack("!iiIii", 1, 0, 23, 2**30, 1),), "22P03", None),
    ],
)  # fmt: skip
def test_wrong_values(
    types: tuple[TypeRef, ...],
    formats: tuple[int, ...],
    values: tuple[bytes, ...],
    sqlstate: str,
    message: str | None,
) -> None:
    with pytest.raises(SqlError) as caught:
        decode_params(types, formats, values)
    assert caught.value.sqlstate == sqlstate
    assert message is None or caught.value.message == message


@pytest.mark.parametrize("name", list(DATUMS))
def test_truncated_binary_is_an_error_or_a_shorter_value(name: str) -> None:
    """No prefix of a value makes a decoder fail in any other way than SqlError."""
    ref = type_of(name)
    for datum in DATUMS[name]:
        data = binary_output(ref)(datum)
        for end in range(min(len(data), 40)):
            try:
                binary_input(ref)(data[:end])
            except SqlError as e:
                assert e.sqlstate in {"08P01", "22P03", "22021", "22P02"}


INT2, INT8 = TypeRef(t.INT2), TypeRef(t.INT8)


@pytest.mark.parametrize(
    "values, expected",
    [
        ((b"1", b"2", b"3"), (1, 2, 3)),
        ((b"0", b"32767", b"9223372036854775807"), (0, 32767, 9223372036854775807)),
        ((b"-1", b" 2 ", b"+3"), (-1, 2, 3)),
        ((b"1", None, b"3"), (1, None, 3)),
        ((b"007", b"00000000002", b"3"), (7, 2, 3)),
    ],
)
def test_many_integers_are_read_as_one_by_one(
    values: tuple[bytes | None, ...], expected: tuple[int | None, ...]
) -> None:
    assert decode_params((INT4, INT2, INT8), (), values) == expected


@pytest.mark.parametrize(
    "values, sqlstate",
    [
        ((b"1", b"32768", b"3"), "22003"),
        ((b"1", b"2", b""), "22P02"),
        ((b"1", b"2", b"x"), "22P02"),
        ((b"1", b"2", "\u0663".encode()), "22P02"),  # a digit of another script
        ((b"1", b"2"), "08P01"),
    ],
)
def test_one_wrong_integer_among_many(values: tuple[bytes, ...], sqlstate: str) -> None:
    with pytest.raises(SqlError) as caught:
        decode_params((INT4, INT2, INT8), (), values)
    assert caught.value.sqlstate == sqlstate
