"""inet and cidr: an address with the number of its network's bits.

The datum is PostgreSQL's own text (`10.1.0.0/16`, `::1`), which is the same for equal values; an inet of full
length shows no bits, a cidr always does. Computing goes through `Network`, three numbers:

    10.1.2.3/16  ->  Network(bits_max=32, bits=16, address=0x0a010203)

Order is PostgreSQL's: IPv4 before IPv6, then the network's bits, then fewer bits, then the host's. `sort_key` gives
bytes in that order.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Final, NamedTuple

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import TextInput, invalid_input
from planner.types.settings import TypeSettings
from planner.types.texts import TextType

_V4_BITS: Final = 32
_V6_BITS: Final = 128
_V4: Final = re.compile(r"(\d{1,10}(?:\.\d{1,10}){0,3})(?:/(\d{1,10}))?")
_V6: Final = re.compile(r"([0-9A-Fa-f:]+(?:\d+\.\d+\.\d+\.\d+)?)(?:/(\d{1,10}))?")


class Network(NamedTuple):
    bits_max: int  # 32 or 128
    bits: int
    address: int

    @property
    def host_mask(self) -> int:
        return (1 << (self.bits_max - self.bits)) - 1

    @property
    def full(self) -> int:
        return (1 << self.bits_max) - 1

    @property
    def network(self) -> int:
        return self.address & ~self.host_mask


@lru_cache(maxsize=4096)
def read(text: str, kind: str = "inet") -> Network:
    """An address in PostgreSQL's syntax. Raises 22P02."""
    found = _read_v6(text) if ":" in text else _read_v4(text, kind)
    if found is None:
        raise invalid_input(kind, text)
    if kind == "cidr" and found.address & found.host_mask:
        raise SqlError(
            "22P02", f'invalid cidr value: "{text}"', detail="Value has bits set to right of mask."
        )
    return found


def _read_v4(text: str, kind: str) -> Network | None:
    match = _V4.fullmatch(text)
    if match is None:
        return None
    octets = [int(o) for o in match[1].split(".")]
    if any(o > 255 for o in octets):
        return None
    if match[2] is not None:
        bits = int(match[2])
    elif len(octets) == 4:
        bits = _V4_BITS
    elif kind == "inet":
        return None
    else:
        bits = max(_class_bits(octets[0]), len(octets) * 8)
    if bits > _V4_BITS or (len(octets) < 4 and bits > len(octets) * 8 and kind == "inet"):
        return None
    address = int.from_bytes(bytes(octets + [0] * (4 - len(octets))), "big")
    return Network(_V4_BITS, bits, address)


def _class_bits(first: int) -> int:
    """The network's bits by the old classes of addresses, where a cidr names none."""
    if first >= 240:
        return 32
    if first >= 224:
        return 8
    if first >= 192:
        return 24
    return 16 if first >= 128 else 8


def _read_v6(text: str) -> Network | None:
    match = _V6.fullmatch(text)
    if match is None:
        return None
    bits = _V6_BITS if match[2] is None else int(match[2])
    if bits > _V6_BITS:
        return None
    try:
        return Network(_V6_BITS, bits, int(ipaddress.IPv6Address(match[1])))
    except ValueError:
        return None


def host(n: Network) -> str:
    """The address alone."""
    if n.bits_max == _V4_BITS:
        return str(ipaddress.IPv4Address(n.address))
    high, low = n.address >> 32, n.address & 0xFFFFFFFF
    if (high == 0 and low >> 16) or high == 0xFFFF:
        return f"{'::ffff:' if high else '::'}{ipaddress.IPv4Address(low)}"
    return str(ipaddress.IPv6Address(n.address))


def inet_out(n: Network) -> str:
    return host(n) if n.bits == n.bits_max else f"{host(n)}/{n.bits}"


def cidr_out(n: Network) -> str:
    return f"{host(n)}/{n.bits}"


def sort_key(text: str) -> bytes:
    n = read(text)
    size = n.bits_max // 8
    return (
        bytes((size,)) + n.network.to_bytes(size, "big") + bytes((n.bits,)) + n.address.to_bytes(size, "big")
    )


_FAMILY_V4: Final = 2
_FAMILY_V6: Final = 3


def to_binary(text: str, is_cidr: bool) -> bytes:
    """inet_send: family, bits, is_cidr, length, address."""
    n = read(text)
    size = n.bits_max // 8
    family = _FAMILY_V4 if size == 4 else _FAMILY_V6
    return bytes((family, n.bits, is_cidr, size)) + n.address.to_bytes(size, "big")


def from_binary(data: bytes, is_cidr: bool) -> str:
    """inet_recv. Raises 22P03."""
    kind = "cidr" if is_cidr else "inet"
    size = {_FAMILY_V4: 4, _FAMILY_V6: 16}.get(data[0] if data else -1, 0)
    if not size:
        raise SqlError("22P03", f'invalid address family in external "{kind}" value')
    if len(data) != size + 4 or data[3] != size:
        raise SqlError("22P03", f'invalid length in external "{kind}" value')
    if data[1] > size * 8:
        raise SqlError("22P03", f'invalid bits in external "{kind}" value')
    n = Network(size * 8, data[1], int.from_bytes(data[4:], "big"))
    if is_cidr and n.address & n.host_mask:
        raise SqlError(
            "22P03", f'invalid external "{kind}" value', detail="Value has bits set to right of mask."
        )
    return cidr_out(n) if is_cidr else inet_out(n)


class NetworkType(TextType):
    def __init__(self, oid: int) -> None:
        super().__init__(oid)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        if self.oid == oids.CIDR:
            return lambda text: cidr_out(read(text, "cidr"))
        return lambda text: inet_out(read(text))
