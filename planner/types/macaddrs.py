"""macaddr and macaddr8: six or eight bytes, kept as PostgreSQL shows them (`08:00:2b:01:02:03`).

Two digits a byte, in lower case, in one place each: so equal addresses are equal texts, and the texts' order is
the addresses'. Nothing needs a key of its own.
"""

from __future__ import annotations

import re
from typing import Final

from planner.abc import SqlError
from planner.errors import BytesLeftOver
from planner.types import oids
from planner.types.base import WHITESPACE, TextInput, invalid_input
from planner.types.settings import TypeSettings
from planner.types.texts import TextType

_SHORT_BYTES: Final = 6
_LONG_BYTES: Final = 8
_MIDDLE: Final = b"\xff\xfe"
"""What stands between a manufacturer's three bytes and a device's in an address of eight that was one of six."""

_ANY: Final = r"\s*(?:0[xX])?([0-9a-fA-F]++)"
_PAIR: Final = r"\s*([0-9a-fA-F]{1,2}+)"
_SPELLINGS: Final = [
    re.compile(spelling + r"\s*", re.ASCII)
    for spelling in (
        ":".join([_ANY] * 6),
        "-".join([_ANY] * 6),
        _PAIR * 3 + ":" + _PAIR * 3,
        _PAIR * 3 + "-" + _PAIR * 3,
        r"\.".join([_PAIR * 2] * 3),
        "-".join([_PAIR * 2] * 3),
        _PAIR * 6,
    )
]
_DIGITS: Final = frozenset("0123456789abcdefABCDEF")
_SPACERS: Final = ":-."


def shown(data: bytes) -> str:
    return data.hex(":")


def octets(text: str) -> bytes:
    """The bytes of a value as it is kept."""
    return bytes.fromhex(text.replace(":", ""))


def macaddr_in(text: str) -> str:
    """An address of six bytes in any of the seven spellings. Raises 22P02, and 22003 for a byte beyond 255."""
    for spelling in _SPELLINGS:
        match = spelling.fullmatch(text)
        if match is not None:
            numbers = [int(g, 16) for g in match.groups()]
            if max(numbers) > 0xFF:
                raise SqlError("22003", f'invalid octet value in "macaddr" value: "{text}"')
            return shown(bytes(numbers))
    raise invalid_input("macaddr", text)


def macaddr8_in(text: str) -> str:
    """Pairs of digits with one kind of spacer anywhere between them; six bytes get FF:FE put in. Raises 22P02."""
    rest = text.strip(WHITESPACE)
    data = bytearray()
    spacer = ""
    at = 0
    while at < len(rest):
        pair = rest[at : at + 2]
        if len(pair) < 2 or not _DIGITS.issuperset(pair) or len(data) == _LONG_BYTES:
            raise invalid_input("macaddr8", text)
        data.append(int(pair, 16))
        at += 2
        if rest[at : at + 1] and rest[at] in _SPACERS:
            if spacer and spacer != rest[at]:
                raise invalid_input("macaddr8", text)
            spacer = rest[at]
            at += 1
    if len(data) == _SHORT_BYTES:
        return shown(lengthened(bytes(data)))
    if len(data) != _LONG_BYTES:
        raise invalid_input("macaddr8", text)
    return shown(bytes(data))


def lengthened(data: bytes) -> bytes:
    """An address of six bytes as one of eight."""
    return data[:3] + _MIDDLE + data[3:]


def shortened(data: bytes) -> bytes:
    """An address of eight bytes as one of six. Raises 22003 where it has not been one."""
    if data[3:5] != _MIDDLE:
        raise SqlError(
            "22003",
            "macaddr8 data out of range to convert to macaddr",
            hint="Only addresses that have FF and FE as values in the 4th and 5th bytes from the left, for example "
            "xx:xx:xx:ff:fe:xx:xx:xx, are eligible to be converted from macaddr8 to macaddr.",
        )
    return data[:3] + data[5:]


def from_binary(data: bytes, size: int) -> str:
    """macaddr_recv and macaddr8_recv, which takes six bytes too. Raises 08P01, 22P03."""
    if size == _LONG_BYTES and len(data) == _SHORT_BYTES:
        return shown(lengthened(data))
    if len(data) < size:
        raise SqlError("08P01", "insufficient data left in message")
    if len(data) > size:
        raise BytesLeftOver()
    return shown(data)


class MacaddrType(TextType):
    """macaddr or macaddr8."""

    def __init__(self, oid: int) -> None:
        super().__init__(oid)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return macaddr_in if self.oid == oids.MACADDR else macaddr8_in
