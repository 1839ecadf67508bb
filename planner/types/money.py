"""money: cents, 64 bits with a sign, shown as in the locale C: `$1,234.56`, `-$0.05`.

What is read may have the sign of the currency, commas between thousands and a sign before or behind; parentheses are a
minus. What is beyond cents is rounded where it is read, half away from zero, and to the even cent where it is computed.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import (
    WHITESPACE,
    SqlType,
    TextInput,
    TextOutput,
    invalid_input,
    value_out_of_range,
)
from planner.types.settings import TypeSettings
from storage.abc import Datum

_MIN, _MAX = -(1 << 63), (1 << 63) - 1
_B: Final = f"[{re.escape(WHITESPACE)}]*"
_WRITTEN: Final = re.compile(
    rf"{_B}\$?{_B}(?P<sign>[-(+]?){_B}\$?{_B}(?P<whole>[0-9,]*)(?:\.(?P<cents>(?:,*[0-9]){{0,2}}),*(?P<rest>[0-9]*))?"
    rf"(?P<tail>[{re.escape(WHITESPACE)})+$-]*)",
    re.ASCII,
)


def money_in(text: str) -> int:
    """Raises 22P02, 22003."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise invalid_input("money", text)
    whole = found["whole"].replace(",", "")
    cents = (found["cents"] or "").replace(",", "")
    size = int(whole + cents or "0")
    if (found["rest"] or "0")[0] >= "5":
        size += 1
    size *= (100, 10, 1)[len(cents)]
    made = -size if (found["sign"] in ("-", "(") and found["sign"]) or "-" in found["tail"] else size
    if not _MIN <= made <= _MAX:
        raise value_out_of_range("money", text)
    return made


def money_out(cents: Datum) -> str:
    return f"{'-' if cents < 0 else ''}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


_TRAPPED: Final = (
    "An invalid floating-point operation was signaled. This probably means an out-of-range result or an invalid operation, "
    "such as division by zero."
)


def _checked(cents: int) -> int:
    if not _MIN <= cents <= _MAX:
        raise SqlError("22003", "money out of range")
    return cents


def added(a: int, b: int) -> int:
    return _checked(a + b)


def subtracted(a: int, b: int) -> int:
    return _checked(a - b)


def multiplied(a: int, by: int) -> int:
    return _checked(a * by)


def _rounded(cents: float) -> int:
    if cents != cents or not float(_MIN) <= cents < -float(_MIN):
        raise SqlError("22003", "money out of range")
    return round(cents)


def scaled(a: int, by: float) -> int:
    """Raises 22003."""
    made = float(a) * by
    if made in (float("inf"), -float("inf")) and by not in (float("inf"), -float("inf")):
        raise SqlError("22003", "value out of range: overflow")
    if made == 0 and a != 0 and by != 0:
        raise SqlError("22003", "value out of range: underflow")
    return _rounded(made)


def _divisor(by: float) -> None:
    if by == 0:
        raise SqlError("22012", "division by zero")


def divided(a: int, by: int) -> int:
    """Cut off to cents. Raises 22012; 22P01 for the least of all by -1, which traps in the processor there."""
    _divisor(by)
    if a == _MIN and by == -1:
        raise SqlError("22P01", "floating-point exception", detail=_TRAPPED)
    size = abs(a) // abs(by)
    return size if (a < 0) == (by < 0) else -size


def unscaled(a: int, by: float) -> int:
    """Raises 22012, 22003."""
    _divisor(by)
    try:
        made = float(a) / by
    except OverflowError:
        raise SqlError("22003", "value out of range: overflow") from None
    if made in (float("inf"), -float("inf")):
        raise SqlError("22003", "value out of range: overflow")
    if made == 0 and a != 0 and by not in (float("inf"), -float("inf")):
        raise SqlError("22003", "value out of range: underflow")
    return _rounded(made)


def ratio(a: int, b: int) -> float:
    """Raises 22012."""
    _divisor(b)
    return float(a) / float(b)


def of_integer(number: int) -> int:
    """Raises 22003."""
    if not _MIN <= number * 100 <= _MAX:
        raise SqlError("22003", "bigint out of range")
    return number * 100


def of_numeric(text: str) -> int:
    """Raises 0A000, 22003."""
    number = Decimal(text)
    if not number.is_finite():
        raise SqlError("0A000", f"cannot convert {'NaN' if number.is_nan() else 'infinity'} to bigint")
    cents = int(number.scaleb(2).to_integral_value(ROUND_HALF_UP))
    if not _MIN <= cents <= _MAX:
        raise SqlError("22003", "bigint out of range")
    return cents


def to_numeric(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


_SMALL: Final = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]  # fmt: skip
_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_THOUSANDS: Final = ("quadrillion", "trillion", "billion", "million", "thousand")


def _said(number: int) -> str:
    """A number below a thousand. "and" is said before one to nineteen only."""
    hundreds, rest = divmod(number, 100)
    tens, ones = divmod(rest, 10)
    below = _SMALL[rest] if rest < 20 else _TENS[tens] + (f" {_SMALL[ones]}" if ones else "")
    if not hundreds:
        return below
    if not rest:
        return f"{_SMALL[hundreds]} hundred"
    joint = " and " if rest < 20 and rest != 0 else " "
    return f"{_SMALL[hundreds]} hundred{joint}{below}"


def in_words(cents: int) -> str:
    """`cash_words`: as one writes it on a cheque."""
    size = abs(cents)
    dollars, rest = divmod(size, 100)
    made = ""
    for i, name in enumerate(_THOUSANDS):
        part = dollars // 1000 ** (5 - i) % 1000
        made += f"{_said(part)} {name} " if part else ""
    made += _said(dollars % 1000) if dollars % 1000 else ""
    made += "" if made else "zero"
    made += f" dollar{'' if dollars == 1 else 's'} and {_said(rest)} cent{'' if rest == 1 else 's'}"
    made = f"minus {made}" if cents < 0 else made
    return made[0].upper() + made[1:]


class MoneyType(SqlType):
    """money."""

    def __init__(self) -> None:
        super().__init__(oids.MONEY, pa.int64(), "BIGINT")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return money_in

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return money_out

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({datum} AS BIGINT)"
