"""Python functions on macaddr and macaddr8, whose values are texts (see `planner.types.macaddrs`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.types.macaddrs import lengthened, macaddr8_in, macaddr_in, octets, shortened, shown

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"


def _bytewise(combine: Callable[[int, int], int]) -> Callable[[str, str], str]:
    return lambda a, b: shown(bytes(combine(x, y) for x, y in zip(octets(a), octets(b), strict=True)))


def _manufacturer(text: str) -> str:
    """The first three bytes, the others zero."""
    data = octets(text)
    return shown(data[:3] + bytes(len(data) - 3))


def _universal_local(text: str) -> str:
    """With the bit set by which IPv6 tells an address that is its own (modified EUI-64)."""
    data = octets(text)
    return shown(bytes((data[0] | 0x02,)) + data[1:])


FUNCTIONS: list[Entry] = [
    ("tw_in_macaddr", macaddr_in, (_V,), _V),
    ("tw_in_macaddr8", macaddr8_in, (_V,), _V),
    ("tw_macaddr_and", _bytewise(lambda x, y: x & y), (_V, _V), _V),
    ("tw_macaddr_or", _bytewise(lambda x, y: x | y), (_V, _V), _V),
    ("tw_macaddr_not", lambda a: shown(bytes(x ^ 0xFF for x in octets(a))), (_V,), _V),
    ("tw_macaddr_trunc", _manufacturer, (_V,), _V),
    ("tw_macaddr_longer", lambda a: shown(lengthened(octets(a))), (_V,), _V),
    ("tw_macaddr_shorter", lambda a: shown(shortened(octets(a))), (_V,), _V),
    ("tw_macaddr8_set7bit", _universal_local, (_V,), _V),
]
