"""to_char of numbers: PostgreSQL's numeric template patterns.

A template is read twice. First as a whole (`Picture`): how many digits stand before and after the point, from where on
zeros are shown, where the sign goes. Then node by node, laying the number's digits into its places:

    to_char(-4.2, 'FM990.99S')      nodes  9 9 0 . 9 9 S     number  4.20, three places before the point, sign behind
                                    out    4.2-

What a place shows depends on how far the number has got: blanks before it begins, its digits, nothing where FM drops
zeros at its end. See NUMDesc_prepare and NUM_processor in PostgreSQL's formatting.c.

Which digit goes where depends on the number's shape alone: how many digits it has, its sign, and where FM ends it. So the
digits are laid out once for a shape (`_arranged`), as places in a number, and numbers of that shape are cut up and joined:

    FM999,990.00    1234.50, 9876.10 (four digits before the point)    number[0:1]  ","  number[1:7]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Final

from planner.abc import SqlError
from planner.binding.numerics import text as numeric_text
from planner.binding.numerics import unit

_EXACT: Final = Context(prec=200_000, Emax=999_999_999, Emin=-999_999_999)
_KEYS: Final = (
    "EEEE", "FM", "MI", "PL", "PR", "RN", "SG", "SP", "TH", ",", ".", "0", "9", "B", "C", "D", "G", "L", "S", "V",
)  # fmt: skip
_DIGITS: Final = frozenset(("9", "0", ".", "D"))
_STANDS_FOR: Final = 0xE000
"""The character that stands for a number's first digit while its shape is laid out; others follow it."""
_LENGTH_MAX: Final = 4_096
_NUMERALS: Final = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


@dataclass(slots=True)
class Picture:
    """What a template says as a whole. `nodes` are (pattern, text as written); a literal has no pattern."""

    nodes: list[tuple[str, str]] = field(default_factory=list)
    before: int = 0  # places before the point
    after: int = 0
    shifted: int = 0  # digits after V
    zero_start: int = 0  # the first place before the point that shows zeros, from 1; 0: none
    zero_end: int = 0
    sign_after: int = -1  # how many places before the point stood before a leading S
    flags: set[str] = field(default_factory=set)
    arranges: bool = (
        True  # whether numbers of one shape are laid out alike, and no character is taken for a place
    )


def ordinal(n: int, suffix: str) -> str:
    """`st`, `nd`, `rd` or `th`, in capitals for TH."""
    if not suffix:
        return ""
    word = "th" if 10 <= abs(n) % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(abs(n) % 10, "th")
    return word.upper() if suffix == "TH" else word


def _nodes(template: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    upper = (
        template.upper() if template.isascii() else "".join(c.upper() if c.isascii() else c for c in template)
    )
    i = 0
    while i < len(template):
        key = next((k for k in _KEYS if upper.startswith(k, i)), None)
        if key is not None:
            out.append((key, template[i : i + len(key)]))
            i += len(key)
        elif template[i] == '"':
            i += 1
            while i < len(template) and template[i] != '"':
                i += template[i] == "\\" and i + 1 < len(template)
                out.append(("", template[i]))
                i += 1
            i += 1
        else:
            i += template.startswith('\\"', i)
            out.append(("", template[i]))
            i += 1
    return out


def _syntax(message: str, detail: str = "") -> SqlError:
    return SqlError("42601", message, detail=detail)


@lru_cache(maxsize=512)
def picture(template: str) -> Picture:
    """Raises 42601 for patterns that do not go together."""
    p = Picture(_nodes(template))
    flags = p.flags
    for key, _ in p.nodes:
        if not key:
            continue
        if "EEEE" in flags:
            raise _syntax(
                'cannot use "EEEE" twice' if key == "EEEE" else '"EEEE" must be the last pattern used'
            )
        if key in ("9", "0"):
            _place(p, key)
        elif key in (".", "D"):
            if "." in flags:
                raise _syntax("multiple decimal points")
            if "V" in flags:
                raise _syntax('cannot use "V" and decimal point together')
            flags.add(".")
        else:
            _sign_or_mode(p, key)
    p.zero_start -= p.zero_start > 0
    p.arranges = "TH" not in flags and max(template, default="") < chr(_STANDS_FOR)
    return p


def _place(p: Picture, key: str) -> None:
    if "PR" in p.flags:
        raise _syntax(f'"{key}" must be ahead of "PR"')
    if key == "9" and "V" in p.flags:
        p.shifted += 1
        return
    if key == "0" and not p.flags & {"0", "."}:
        p.flags.add("0")
        p.zero_start = p.before + 1
    if "." in p.flags:
        p.after += 1
    else:
        p.before += 1
    if key == "0":
        p.zero_end = p.before + p.after


def _sign_or_mode(p: Picture, key: str) -> None:
    flags = p.flags
    match key:
        case "S":
            if "S" in flags:
                raise _syntax('cannot use "S" twice')
            if flags & {"PL", "MI", "PR"}:
                raise _syntax('cannot use "S" and "PL"/"MI"/"SG"/"PR" together')
            flags.add("S")
            if "." not in flags:
                p.sign_after = p.before
        case "MI" | "PL" | "SG":
            if "S" in flags:
                raise _syntax(f'cannot use "S" and "{key}" together')
            flags.update(("MI", "PL") if key == "SG" else (key,))
        case "PR":
            if flags & {"S", "PL", "MI"}:
                raise _syntax('cannot use "PR" and "S"/"PL"/"MI"/"SG" together')
            flags.add(key)
        case "V":
            if "." in flags:
                raise _syntax('cannot use "V" and decimal point together')
            flags.add(key)
        case "EEEE":
            if flags & {"B", "FM", "S", "PR", "MI", "PL", "RN", "V"}:
                raise _syntax(
                    '"EEEE" is incompatible with other formats',
                    '"EEEE" may only be used together with digit and decimal point patterns.',
                )
            flags.add(key)
        case _:
            flags.add(key)


def _roman_numeral(value: Decimal, rounding: str, floats: bool) -> str:
    """15 signs of what has no numeral. A numeric has to be an integer of 32 bits, a float may be anything."""
    if floats and not (value.is_finite() and abs(value) < 1 << 31):
        return "#" * 15
    if not value.is_finite():
        raise SqlError("0A000", f"cannot convert {'NaN' if value.is_nan() else 'infinity'} to integer")
    n = int(value.to_integral_value(rounding))
    if not -(1 << 31) <= n < 1 << 31:
        raise SqlError("22003", "integer out of range")
    if not 1 <= n <= 3999:
        return "#" * 15
    out = ""
    for worth, letters in _NUMERALS:
        out += letters * (n // worth)
        n %= worth
    return out


def _in_roman(p: Picture, numeral: str) -> str:
    """The numeral among the template's own characters; a place for digits shows nothing beside it."""
    full = "FM" not in p.flags
    out: list[str] = []
    for key, written in p.nodes:
        if not key:
            out.append(written)
        elif key == "RN":
            shown = numeral.lower() if written == "rn" else numeral
            out.append(shown.rjust(15) if full else shown)
        elif key in (",", "G") and full:
            out.append(" ")
    return "".join(out)


def number_text(value: str, template: str) -> str:
    """to_char(numeric, template). Raises 42601 and, for what is no number where one is needed, 22P02."""
    return _text(Decimal(value), template, 0, ROUND_HALF_UP)


def float_text(value: float, template: str, digits_max: int) -> str:
    """to_char of a float that has `digits_max` digits worth showing; rounded as C does it."""
    return _text(Decimal(value), template, digits_max, ROUND_HALF_EVEN)


def _text(number: Decimal, template: str, digits_max: int, rounding: str) -> str:
    p = picture(template)
    if "EEEE" in p.flags:
        return _scientific(number, p, rounding)
    if "RN" in p.flags:
        return _in_roman(p, _roman_numeral(number, rounding, bool(digits_max)))
    before, after = p.before + p.shifted, p.after
    finite = number.is_finite()
    if finite and p.shifted:
        number = _EXACT.scaleb(number, p.shifted)
    if digits_max:
        whole = _rounded(number, 0, rounding) if finite else number
        after = min(after, max(digits_max - len(numeric_text(whole.copy_abs())), 0))
    shown = f"{_rounded(number, after, rounding):f}" if finite else numeric_text(number)
    negative = shown[0] == "-"
    if negative:
        shown = shown[1:]
        negative = bool(digits_max) or bool(shown.strip("0."))  # a numeric has no -0
    point = shown.find(".")
    length = point if point >= 0 else len(shown)
    fits = length <= before
    if not fits:
        shown, point = "#" * before + "." + "#" * after, before
    last = _last_relevant(p, shown, point, max(before - length, 0))
    if not (finite and fits and p.arranges) or len(shown) > _LENGTH_MAX:
        return _Layout(p, shown, negative, before, after, max(before - length, 0), last).run()
    pieces = _arranged(template, length, len(shown), shown[0] == "0", negative, after, last)
    return "".join([shown[piece] if type(piece) is slice else piece for piece in pieces])


def _rounded(number: Decimal, places: int, rounding: str) -> Decimal:
    return number.quantize(unit(places), rounding, context=_EXACT)


def _last_relevant(p: Picture, shown: str, point: int, blanks: int) -> int | None:
    """Where FM ends what is shown after the point; the point itself if only zeros follow. None: everything is."""
    if point < 0 or "FM" not in p.flags or "." not in p.flags:
        return None
    last = max(len(shown.rstrip("0")) - 1, point)
    if p.zero_end > blanks:
        last = max(last, min(len(shown) - 1, p.zero_end - blanks))
    return last


@lru_cache(maxsize=4_096)
def _arranged(
    template: str, whole: int, length: int, zero: bool, negative: bool, after: int, last: int | None
) -> tuple[str | slice, ...]:
    """A text for numbers of one shape, made of characters and of parts of the number.

    `whole`, `length`: digits before the point, and characters at all. `zero`: whether the first digit is 0.
    """
    p = picture(template)
    before = p.before + p.shifted
    number = "".join("." if i == whole else chr(_STANDS_FOR + i) for i in range(length))
    if zero:
        number = "0" + number[1:]
    laid = _Layout(p, number, negative, before, after, max(before - whole, 0), last).run()
    pieces: list[str | slice] = []
    for c in laid:
        at = ord(c) - _STANDS_FOR
        end = pieces[-1] if pieces else None
        if at < 0:
            pieces[-1:] = [end + c] if type(end) is str else [*pieces[-1:], c]
        elif type(end) is slice and end.stop == at:
            pieces[-1] = slice(end.start, at + 1)
        else:
            pieces.append(slice(at, at + 1))
    return tuple(pieces)


def _scientific(number: Decimal, p: Picture, rounding: str) -> str:
    if not number.is_finite():
        return f" {'#' * p.before}.{'#' * (p.after + 4)}"
    exponent = number.adjusted() if number else 0
    mantissa = _rounded(_EXACT.scaleb(number, -exponent), p.after, rounding)
    if (
        abs(mantissa) >= 10 and rounding == ROUND_HALF_EVEN
    ):  # PostgreSQL leaves it to C to do this, for floats
        exponent, mantissa = exponent + 1, _rounded(_EXACT.scaleb(mantissa, -1), p.after, rounding)
    return f"{'' if mantissa.is_signed() else ' '}{mantissa:f}e{exponent:+03d}"


class _Layout:
    """A number's digits laid into the places of a picture."""

    def __init__(
        self, p: Picture, number: str, negative: bool, before: int, after: int, blanks: int, last: int | None
    ) -> None:
        self.p, self.number, self.negative, self.after, self.blanks = p, number, negative, after, blanks
        flags = p.flags
        self.fill = "FM" not in flags
        self.brackets = "PR" in flags and (negative or self.fill)
        self.sign_leads = p.sign_after >= 0 and before != p.sign_after
        if flags & {"PL", "MI"}:
            self.signed = "MI" in flags
        else:
            self.signed = not negative and not self.fill and "S" not in flags
        self.at = 0  # in the number
        self.place = 0
        self.begun = self.ended = False
        self.out: list[str] = []
        self.count = before + after - 1 + (not self.signed and blanks == 0)
        self.last = last

    def run(self) -> str:
        for key, written in self.p.nodes:
            if self.ended:
                break
            if not key:
                self.out.append(written)
            elif key in _DIGITS:
                self._digit(key)
            else:
                self._mark(key, written)
        return "".join(self.out)

    def _mark(self, key: str, written: str) -> None:
        blank = " " if self.fill else ""
        match key:
            case "," | "G":
                self.out.append("," if self.begun else blank)
            case "L":
                self.out.append(" ")
            case "MI":
                self.out.append("-" if self.negative else blank)
            case "PL":
                self.out.append(blank if self.negative else "+")
            case "SG":
                self.out.append("-" if self.negative else "+")
            case "TH":
                if self.number[0] != "#" and not self.negative and "." not in self.p.flags:
                    if not self.number.isdigit():
                        raise SqlError("22P02", f'"{self.number}" is not a number')
                    self.out.append(ordinal(int(self.number[-2:]), written))

    def _leading_zero(self) -> bool:
        """Whether the digit that comes is the 0 before a point, which `9.9` leaves out."""
        return "0" not in self.p.flags and self.at == 0 and self.number[0] == "0" and self.after > 0

    def _digit(self, key: str) -> None:
        p, zeros = self.p, "0" in self.p.flags
        self.begun = False
        ends_at_point = self.last is not None and self.number[self.last] == "."
        started = self.place >= self.blanks or (zeros and p.zero_start == self.place)
        if not self.signed and started and (not self._leading_zero() or ends_at_point):
            self._sign()
        if self.place < self.blanks:
            if zeros and p.zero_start <= self.place:
                self.out.append("0")
                self.begun = True
            elif self.fill:
                self.out.append(" ")
        else:
            self._figure(key, ends_at_point)
        if self.ended:
            return
        end = self.count + (self.blanks > 0) + ("." in p.flags)
        if self.last is not None and self.last == self.at:
            end = self.place
        if self.place + 1 == end:
            if self.signed and self.brackets:
                self.out.append(">" if self.negative else " ")
            elif "S" in p.flags and not self.sign_leads:
                self.out.append("-" if self.negative else "+")
        self.place += 1

    def _sign(self) -> None:
        if "S" in self.p.flags:
            if self.sign_leads:
                self.out.append("-" if self.negative else "+")
                self.signed = True
            return
        if self.brackets:
            self.out.append("<" if self.negative else " ")
        elif self.negative:
            self.out.append("-")
        elif self.fill:
            self.out.append(" ")
        self.signed = True

    def _figure(self, key: str, ends_at_point: bool) -> None:
        if self.at >= len(self.number):
            self.ended = True  # PostgreSQL writes the string's end here, and nothing after that is seen
            return
        figure = self.number[self.at]
        if figure == ".":
            self.out.append(".")
        elif self.last is not None and self.at > self.last and key != "0":
            pass
        elif self._leading_zero():
            if self.fill:
                self.out.append(" ")
            elif ends_at_point:
                self.out.append("0")
        else:
            self.out.append(figure)
            self.begun = True
        self.at += 1
