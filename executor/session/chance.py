"""random() after setseed(): the same numbers as PostgreSQL 15's, which a seed between -1 and 1 says.

    SELECT setseed(0.5);  SELECT random();        0.985167717534799908

The generator is xoroshiro128** (Blackman and Vigna), seeded by splitmix64. A session that has said no seed draws DuckDB's numbers and
has none of this.
"""

from __future__ import annotations

import secrets
from typing import Final

from executor.abc import ExecutionError

_MASK: Final = (1 << 64) - 1
_MANTISSA: Final = (1 << 52) - 1


def _turned(x: int, by: int) -> int:
    return ((x << by) | (x >> (64 - by))) & _MASK


class Chance:
    """A generator, from a seed on."""

    __slots__ = ("_a", "_b")

    def __init__(self, seed: int) -> None:
        halves: list[int] = []
        for _ in range(2):
            seed = (seed + 0x9E3779B97F4A7C15) & _MASK
            x = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
            x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
            halves.append(x ^ (x >> 31))
        self._a, self._b = halves

    def number(self) -> float:
        """At least 0, less than 1."""
        a, b = self._a, self._b
        drawn = (_turned(a * 5 & _MASK, 7) * 9) & _MASK
        b ^= a
        self._a = _turned(a, 24) ^ b ^ (b << 16 & _MASK)
        self._b = _turned(b, 37)
        return float((drawn >> 12) * 2.0**-52)


def seeded(seed: float) -> Chance:
    """What setseed() begins. Raises 22023."""
    if not -1 <= seed <= 1:
        shown = f"{seed:g}".replace("nan", "NaN").replace("inf", "Infinity")
        raise ExecutionError("22023", f"setseed parameter {shown} is out of allowed range [-1,1]")
    return Chance(int(float(_MANTISSA) * seed) & _MASK)


def unseeded() -> Chance:
    """For a statement that asks for a number before its own setseed()."""
    return Chance(secrets.randbits(64))


__all__ = ["Chance", "seeded", "unseeded"]
