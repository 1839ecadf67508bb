"""fuzzystrmatch: how many changes make one text of another, and what English names sound like."""

from __future__ import annotations

from typing import Final

from planner.abc import SqlError

LENGTH_MAX: Final = 255
_CODES: Final = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "01230120022455012623010202", strict=True))


def _checked(a: str, b: str) -> None:
    if len(a) > LENGTH_MAX or len(b) > LENGTH_MAX:
        raise SqlError("22023", f"levenshtein argument exceeds maximum length of {LENGTH_MAX} characters")


def levenshtein(a: str, b: str, insertion: int = 1, deletion: int = 1, substitution: int = 1) -> int:
    """The cost of what makes `b` of `a`. Raises 22023."""
    _checked(a, b)
    before = [j * insertion for j in range(len(b) + 1)]
    for i, x in enumerate(a, 1):
        row = [i * deletion]
        for j, y in enumerate(b, 1):
            row.append(
                min(
                    before[j] + deletion,
                    row[j - 1] + insertion,
                    before[j - 1] + (0 if x == y else substitution),
                )
            )
        before = row
    return before[-1]


def levenshtein_less_equal(a: str, b: str, most: int) -> int:
    """The same, where it is not more than `most`; any greater number else."""
    return levenshtein_costs_less_equal(a, b, 1, 1, 1, most)


def levenshtein_costs_less_equal(
    a: str, b: str, insertion: int, deletion: int, substitution: int, most: int
) -> int:
    cost = levenshtein(a, b, insertion, deletion, substitution)
    return cost if most < 0 or cost <= most else most + 1


def _letters(text: str) -> str:
    return "".join(c for c in text if c.isascii() and c.isalpha()).upper()


def soundex(text: str) -> str:
    """A letter and three digits; empty for a text without letters."""
    start = next((i for i, c in enumerate(text) if c.isascii() and c.isalpha()), None)
    if start is None:
        return ""
    out = text[start].upper()
    previous = text[start].upper()
    for c in text[start + 1 :]:
        if len(out) == 4:
            break
        if not (c.isascii() and c.isalpha()):
            previous = c
            continue
        code = _CODES[c.upper()]
        if code != _CODES.get(previous.upper(), previous) and code != "0":
            out += code
        previous = c
    return out.ljust(4, "0")


def difference(a: str, b: str) -> int:
    """In how many of its four places the soundex of two texts is the same."""
    return sum(x == y for x, y in zip(soundex(a).ljust(4), soundex(b).ljust(4), strict=True))
