"""to_number: a text read by a number's template, digit for digit.

Each 9, 0 or point of the template takes a digit, the point or nothing from the text; there are no more digits than places.
Signs are taken where the template has them and, as they are hard to place, around the first and behind the last digit.
See NUM_processor in PostgreSQL's formatting.c.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from planner.abc import SqlError
from planner.binding import numerics
from planner.binding.templates.number_formats import Picture, picture

_DATA: Final = frozenset("0123456789.,+-")
_DIGITS: Final = frozenset("0123456789")
_PLACES: Final = frozenset(("9", "0", ".", "D"))


class _Reader:
    """Reads bytes: a place of the template is one of them, what stands between places is a character."""

    def __init__(self, text: str, p: Picture) -> None:
        self.text, self.p = text.encode().decode("latin-1"), p
        self.at = 0
        self.sign = ""
        self.number = ""
        self.point = False
        self.decimals = 0

    def run(self) -> str:
        for key, _ in self.p.nodes:
            if self.ended:
                break
            if not key:
                self._pass()
            elif self._pattern(key):
                self.at += 1
        return self.sign + self.number.removesuffix(".")

    @property
    def ended(self) -> bool:
        return self.at >= len(self.text)

    @property
    def here(self) -> str:
        return self.text[self.at : self.at + 1]

    def _pattern(self, key: str) -> bool:
        """Reads by a pattern; whether the character that it stands at is used up."""
        if key in _PLACES:
            self._place(key)
            return True
        match key:
            case "," | "G":
                return self.here == "," and not (not self.number and "FM" in self.p.flags)
            case "L":
                self._skip(1)
            case "TH":
                self._skip(2)
            case "MI" | "PL" | "SG":
                if self.here and self.here in {"MI": "-", "PL": "+", "SG": "+-"}[key]:
                    self.sign = self.here
                    return True
                self._skip(1)
        return False

    def _pass(self) -> None:
        """Over one character, of however many bytes."""
        self.at += 1
        while "\x80" <= self.here < "\xc0":
            self.at += 1

    def _skip(self, count: int) -> None:
        while count > 0 and not self.ended and self.here not in _DATA:
            self._pass()
            count -= 1

    def _place(self, key: str) -> None:
        flags = self.p.flags
        self.at += self.here == " "
        if not self.sign and key in "90" and not self.number.strip("."):
            self._leading_sign()
        if self.ended:
            return
        taken = False
        if self.here in _DIGITS:
            if self.point and self.decimals == self.p.after:
                return
            self.number += self.here
            self.decimals += self.point
            taken = True
        elif "." in flags and not self.point and self.here == ".":
            self.number += "."
            self.point = taken = True
        if self.sign or not self.number.strip("."):
            return
        if "S" in flags:
            # It stands right behind the last digit, if there.
            following = self.text[self.at + 1 : self.at + 2]
            if taken and following in ("+", "-"):
                self.at += 1
                self.sign = following
        elif not taken and self.here in ("+", "-") and flags & {"MI", "PL", "SG"}:
            self.sign = self.here

    def _leading_sign(self) -> None:
        # An S behind the places does not keep a sign from standing before them.
        if self.here == "-" or (self.here == "<" and "PR" in self.p.flags and "S" not in self.p.flags):
            self.sign = "-"
            self.at += 1
        elif self.here == "+":
            self.sign = "+"
            self.at += 1


def to_number(text: str, template: str) -> str | None:
    """None of an empty template. Raises 42601 for a template that is none, 0A000 for one that only shows, 22003 for a number
    that it has no room for, 22P02 where no number is read."""
    if not template:
        return None
    p = picture(template)
    for only_shown in ("EEEE", "RN"):
        if only_shown in p.flags:
            raise SqlError("0A000", f'"{only_shown}" not supported for input')
    reader = _Reader(text, p)
    read = reader.run()
    if not _DIGITS.intersection(read):
        raise SqlError("22P02", f'invalid input syntax for type numeric: "{read or " "}"')
    value = Decimal(read)
    room = p.before + p.shifted
    if value.copy_abs() >= Decimal(10) ** room:
        limit = f"10^{room}" if room else "1"
        raise SqlError(
            "22003",
            "numeric field overflow",
            detail=f"A field with precision {room + reader.decimals}, scale {reader.decimals} "
            f"must round to an absolute value less than {limit}.",
        )
    if "V" in p.flags:
        value = numerics.multiply(value, numerics.power(Decimal(10), Decimal(-p.shifted)))
    return numerics.text(value)
