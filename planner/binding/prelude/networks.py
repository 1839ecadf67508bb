"""Python functions on inet and cidr, whose values are texts (see `planner.types.networks`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.abc import SqlError
from planner.types.networks import Network, cidr_out, host, inet_out, read, sort_key

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"


def _of(change: Callable[[Network], Network]) -> Callable[[str], str]:
    return lambda text: inet_out(change(read(text)))


def _with_bits(text: str, bits: int, is_cidr: bool) -> str:
    n = read(text)
    if bits == -1:
        bits = n.bits_max
    if not 0 <= bits <= n.bits_max:
        raise SqlError("22023", f"invalid mask length: {bits}")
    made = Network(n.bits_max, bits, n.address)
    return cidr_out(made._replace(address=made.network)) if is_cidr else inet_out(made)


def _network(text: str) -> str:
    n = read(text)
    return cidr_out(n._replace(address=n.network))


def _abbreviated_cidr(text: str) -> str:
    n = read(text)
    if n.bits_max != 32:
        return cidr_out(n)
    octets = n.address.to_bytes(4, "big")[: max((n.bits + 7) // 8, 1)]
    return ".".join(map(str, octets)) + f"/{n.bits}"


def _pairwise(word: str, combine: Callable[[int, int], int]) -> Callable[[str, str], str]:
    def made(a: str, b: str) -> str:
        x, y = read(a), read(b)
        if x.bits_max != y.bits_max:
            raise SqlError("22023", f"cannot {word} inet values of different sizes")
        return inet_out(Network(x.bits_max, max(x.bits, y.bits), combine(x.address, y.address)))

    return made


def _plus(text: str, step: int) -> str:
    n = read(text)
    address = n.address + step
    if not 0 <= address <= n.full:
        raise SqlError("22003", "result is out of range")
    return inet_out(n._replace(address=address))


def _difference(a: str, b: str) -> int:
    x, y = read(a), read(b)
    if x.bits_max != y.bits_max:
        raise SqlError("22023", "cannot subtract inet values of different sizes")
    made = x.address - y.address
    if not -(1 << 63) <= made < 1 << 63:
        raise SqlError("22003", "result is out of range")
    return made


def _within(a: str, b: str, strictly: bool) -> bool:
    """a << b (strictly) or a <<= b."""
    x, y = read(a), read(b)
    if x.bits_max != y.bits_max or x.bits < y.bits or (strictly and x.bits == y.bits):
        return False
    return (x.address & ~y.host_mask) == y.network


def _overlap(a: str, b: str) -> bool:
    return _within(a, b, False) or _within(b, a, False)


def _merged(a: str, b: str) -> str:
    x, y = read(a), read(b)
    if x.bits_max != y.bits_max:
        raise SqlError("22023", "cannot merge addresses from different families")
    same = x.bits_max - (x.address ^ y.address).bit_length()
    made = Network(x.bits_max, min(same, x.bits, y.bits), x.address)
    return cidr_out(made._replace(address=made.network))


FUNCTIONS: list[Entry] = [
    ("tw_in_inet", lambda s: inet_out(read(s)), (_V,), _V),
    ("tw_in_cidr", lambda s: cidr_out(read(s, "cidr")), (_V,), _V),
    ("tw_inet_key", sort_key, (_V,), "BLOB"),
    ("tw_inet_text", lambda s: cidr_out(read(s)), (_V,), _V),
    ("tw_inet_abbrev_cidr", _abbreviated_cidr, (_V,), _V),
    ("tw_inet_host", lambda s: host(read(s)), (_V,), _V),
    ("tw_inet_family", lambda s: 4 if read(s).bits_max == 32 else 6, (_V,), "INTEGER"),
    ("tw_inet_masklen", lambda s: read(s).bits, (_V,), "INTEGER"),
    ("tw_inet_network", _network, (_V,), _V),
    ("tw_inet_broadcast", _of(lambda n: n._replace(address=n.address | n.host_mask)), (_V,), _V),
    ("tw_inet_hostmask", _of(lambda n: Network(n.bits_max, n.bits_max, n.host_mask)), (_V,), _V),
    ("tw_inet_netmask", _of(lambda n: Network(n.bits_max, n.bits_max, n.full ^ n.host_mask)), (_V,), _V),
    ("tw_inet_not", _of(lambda n: n._replace(address=n.full ^ n.address)), (_V,), _V),
    ("tw_inet_and", _pairwise("AND", lambda x, y: x & y), (_V, _V), _V),
    ("tw_inet_or", _pairwise("OR", lambda x, y: x | y), (_V, _V), _V),
    ("tw_inet_plus", _plus, (_V, "BIGINT"), _V),
    ("tw_inet_minus", lambda a, n: _plus(a, -n), (_V, "BIGINT"), _V),
    ("tw_inet_difference", _difference, (_V, _V), "BIGINT"),
    ("tw_inet_set_masklen", lambda a, n: _with_bits(a, n, False), (_V, "INTEGER"), _V),
    ("tw_cidr_set_masklen", lambda a, n: _with_bits(a, n, True), (_V, "INTEGER"), _V),
    ("tw_inet_within", _within, (_V, _V, "BOOLEAN"), "BOOLEAN"),
    ("tw_inet_overlap", _overlap, (_V, _V), "BOOLEAN"),
    ("tw_inet_merge", _merged, (_V, _V), _V),
    ("tw_inet_same_family", lambda a, b: read(a).bits_max == read(b).bits_max, (_V, _V), "BOOLEAN"),
]
