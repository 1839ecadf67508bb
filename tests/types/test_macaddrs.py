"""macaddr and macaddr8: spellings, and the bytes that the binary format has."""

from __future__ import annotations

import pytest

from pgwire.encoding.binary import binary_input, binary_output
from planner.abc import SqlError, TypeRef
from planner.types import MACADDR, MACADDR8, input_text


@pytest.mark.parametrize(
    "text",
    [
        "08:00:2b:01:02:03",
        "08-00-2B-01-02-03",
        "08002b:010203",
        "08002b-010203",
        "0800.2b01.0203",
        "0800-2b01-0203",
        "08002b010203",
        " 8:0:2b:1:2:3 ",
    ],
)
def test_six_bytes_have_one_form(text: str) -> None:
    assert input_text(text, TypeRef(MACADDR)) == "08:00:2b:01:02:03"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("08:00:2b:01:02:03:04:05", "08:00:2b:01:02:03:04:05"),
        ("08002b01:02030405", "08:00:2b:01:02:03:04:05"),
        (" 0800.2b01.0203 ", "08:00:2b:ff:fe:01:02:03"),
    ],
)
def test_eight_bytes_have_one_form(text: str, shown: str) -> None:
    assert input_text(text, TypeRef(MACADDR8)) == shown


@pytest.mark.parametrize(
    ("text", "oid", "sqlstate"),
    [
        ("0800:2b01:0203", MACADDR, "22P02"),
        ("not even close", MACADDR, "22P02"),
        ("108:00:2a:01:02:04", MACADDR, "22003"),
        ("08:00-2b:01:02:03:04:05", MACADDR8, "22P02"),
        ("08:00:2b:01:02:03:04", MACADDR8, "22P02"),
        ("08:00:2b:01:02:03:04:05:06", MACADDR8, "22P02"),
    ],
)
def test_what_is_no_address_is_refused(text: str, oid: int, sqlstate: str) -> None:
    with pytest.raises(SqlError) as raised:
        input_text(text, TypeRef(oid))
    assert raised.value.sqlstate == sqlstate


@pytest.mark.parametrize(
    ("oid", "text", "data"),
    [
        (MACADDR, "08:00:2b:01:02:03", "08002b010203"),
        (MACADDR8, "08:00:2b:01:02:03:04:05", "08002b0102030405"),
    ],
)
def test_binary_there_and_back(oid: int, text: str, data: str) -> None:
    assert binary_output(TypeRef(oid))(text) == bytes.fromhex(data)
    assert binary_input(TypeRef(oid))(bytes.fromhex(data)) == text


def test_eight_bytes_are_made_of_six_in_binary_too() -> None:
    assert binary_input(TypeRef(MACADDR8))(bytes.fromhex("08002b010203")) == "08:00:2b:ff:fe:01:02:03"
    with pytest.raises(SqlError):
        binary_input(TypeRef(MACADDR))(bytes(5))
    with pytest.raises(SqlError):
        binary_input(TypeRef(MACADDR))(bytes(7))
