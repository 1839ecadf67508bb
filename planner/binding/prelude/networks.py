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
        return f"{_words_of_network(n)}/{n.bits}"
    octets = n.address.to_bytes(4, "big")[: max((n.bits + 7) // 8, 1)]
    return ".".join(map(str, octets)) + f"/{n.bits}"


def _words_of_network(n: Network) -> str:
    """An IPv6 network without what follows its last word: 2001:db8. The longest run of zeros is left out, at an end too."""
    if not n.bits:
        return "::"
    octets = n.network.to_bytes(16, "big")
    count = max((n.bits + 15) // 16, 2)
    words = [int.from_bytes(octets[2 * i : 2 * i + 2], "big") for i in range(count)]
    start, length = _zeros(words)
    # As PostgreSQL decides what is an address of IPv4 in one of IPv6.
    of_ipv4 = length != count and start == 0 and (
        length == 6 or (length == 5 and words[5:6] == [0xFFFF]) or (length == 7 and octets[14] != 0 and octets[15] != 1)
    )  # fmt: skip
    said = ""
    for i, word in enumerate(words):
        if start <= i < start + length:
            said += ":" * ((i == start) + (i == count - 1))
        elif of_ipv4 and i > 5:
            said += f"{':' if i == 6 else '.'}{word >> 8}"
            if i != 7 or n.bits > 120:
                said += f".{word & 255}"
        else:
            said += f"{':' if said else ''}{word:x}"
    return said


def _zeros(words: list[int]) -> tuple[int, int]:
    """Where the longest run of zeros begins, and how long it is: the first one of those."""
    best = start = length = 0
    at = 0
    for i, word in enumerate(words):
        if word:
            length = 0
            continue
        if not length:
            start = i
        length += 1
        if length > best:
            at, best = start, length
    return at, best


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
