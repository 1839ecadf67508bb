"""Python functions on bit strings, whose values are their digits (see `planner.types.bits`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from planner.abc import SqlError, TypeRef
from planner.binding.prelude.text import overlaid
from planner.types.bits import bits_in

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V, _N, _I8 = "VARCHAR", "INTEGER", "BIGINT"
_WORDS = {"&": "AND", "|": "OR", "#": "XOR"}


def _pairwise(op: str, a: str, b: str) -> str:
    if len(a) != len(b):
        raise SqlError("22026", f"cannot {_WORDS[op]} bit strings of different sizes")
    if not a:
        return ""
    x, y = int(a, 2), int(b, 2)
    return f"{x & y if op == '&' else x | y if op == '|' else x ^ y:0{len(a)}b}"


def _folded(op: str, items: Sequence[str | None]) -> str | None:
    given = [i for i in items if i is not None]
    return reduce(lambda a, b: _pairwise(op, a, b), given) if given else None


def _shifted(bits: str, places: int) -> str:
    """To the left; negative: to the right."""
    n = len(bits)
    if places >= 0:
        return (bits[places:] + "0" * min(places, n))[:n]
    return ("0" * min(-places, n) + bits)[:n]


def _of_int(value: int, width: int, length: int) -> str:
    """The low bits of a number, its sign going on to the left."""
    digits = f"{value & ((1 << width) - 1):0{width}b}"
    return digits[-length:] if length <= width else digits.rjust(length, digits[0])


def _to_int(bits: str, width: int) -> int:
    if len(bits) > width:
        raise SqlError("22003", f"{'integer' if width == 32 else 'bigint'} out of range")
    value = int(bits, 2) if bits else 0
    return value - (1 << width) if len(bits) == width and bits[0] == "1" else value


def _fit(bits: str, length: int, varying: bool, explicit: bool) -> str:
    from planner import types as t

    made = t.coercion(TypeRef(t.VARBIT if varying else t.BIT, length), explicit)
    return bits if made is None else str(made(bits))


def _differing(a: str, b: str) -> int:
    """hamming_distance. Raises 22000."""
    _same_length(a, b)
    return (int(a or "0", 2) ^ int(b or "0", 2)).bit_count()


def _jaccard(a: str, b: str) -> float:
    """jaccard_distance. Raises 22000."""
    _same_length(a, b)
    x, y = int(a or "0", 2), int(b or "0", 2)
    shared = (x & y).bit_count()
    return 1.0 if not shared else 1 - shared / (x | y).bit_count()


def _same_length(a: str, b: str) -> None:
    if len(a) != len(b):
        raise SqlError("22000", f"different bit lengths {len(a)} and {len(b)}")


def _substring(bits: str, start: int, count: int) -> str:
    if count < 0 and count != -1:
        raise SqlError("22011", "negative substring length not allowed")
    first = max(start, 1)
    last = len(bits) if count == -1 else min(start + count - 1, len(bits))
    return bits[first - 1 : last] if last >= first else ""


def _index(bits: str, n: int) -> None:
    if not 0 <= n < len(bits):
        raise SqlError("2202E", f"bit index {n} out of valid range (0..{len(bits) - 1})")


def _get(bits: str, n: int) -> int:
    _index(bits, n)
    return int(bits[n])


def _set(bits: str, n: int, value: int) -> str:
    _index(bits, n)
    if value not in (0, 1):
        raise SqlError("22023", "new bit must be 0 or 1")
    return f"{bits[:n]}{value}{bits[n + 1 :]}"


FUNCTIONS: list[Entry] = [
    ("tw_bits_hamming", lambda a, b: float(_differing(a, b)), (_V, _V), "DOUBLE"),
    ("tw_bits_jaccard", _jaccard, (_V, _V), "DOUBLE"),
    ("tw_in_bits", bits_in, (_V,), _V),
    ("tw_bits_pairwise", _pairwise, (_V, _V, _V), _V),
    ("tw_bits_folded", _folded, (_V, "VARCHAR[]"), _V),
    ("tw_bits_not", lambda b: b.translate({48: "1", 49: "0"}), (_V,), _V),
    ("tw_bits_shifted", _shifted, (_V, _N), _V),
    ("tw_bits_shifted_right", lambda bits, places: _shifted(bits, -places), (_V, _N), _V),
    ("tw_bits_of_int", _of_int, (_I8, _N, _N), _V),
    ("tw_bits_to_int", _to_int, (_V, _N), _I8),
    ("tw_bits_fit", _fit, (_V, _N, "BOOLEAN", "BOOLEAN"), _V),
    ("tw_bits_substring", _substring, (_V, _N, _N), _V),
    ("tw_bits_overlaid", overlaid, (_V, _V, _N, _N), _V),
    ("tw_bits_get", _get, (_V, _N), _N),
    ("tw_bits_set", _set, (_V, _N, _N), _V),
]
