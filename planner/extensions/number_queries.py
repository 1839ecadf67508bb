"""query_int: which numbers are in an array, put together by signs (intarray).

    1 & ( 2 | !3 )

A query is kept as PostgreSQL shows it, and read once for many rows: as its numbers and signs in the order in which they are computed, so
that neither reading nor asking goes deeper for what is nested.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from planner.abc import SqlError

SIGNS_MAX: Final = 16
"""That wait for an operand, within one pair of parentheses: as many as PostgreSQL has places for."""
DISTANCE_MAX: Final = 32_768
"""Of a sign from its left operand."""
_DIGITS_MAX: Final = 15
_OCTAL: Final = re.compile("(-?)0([0-7]*)")
_Step: TypeAlias = int | str


class _Shown(NamedTuple):
    text: str
    sign: str
    size: int

    def inside(self) -> str:
        return f"( {self.text} )" if self.sign == "|" else self.text


def query_in(text: str) -> str:
    """The input function. Raises 42601, 54000 and 54001."""
    made: list[_Shown] = []
    for step in _steps(text):
        if isinstance(step, int):
            made.append(_Shown(str(step), "", 1))
            continue
        right = made.pop()
        if step == "!":
            made.append(
                _Shown(f"!( {right.text} )" if right.sign else f"!{right.text}", step, right.size + 1)
            )
            continue
        if right.size + 1 > DISTANCE_MAX:
            raise SqlError("54000", "query_int expression is too complex")
        left = made.pop()
        made.append(_Shown(f"{left.inside()} {step} {right.inside()}", step, left.size + right.size + 1))
    (whole,) = made
    return whole.text


@lru_cache(maxsize=256)
def _steps(text: str) -> Sequence[_Step]:
    """Numbers and signs, each sign behind its operands."""
    steps: list[_Step] = []
    around: list[list[str]] = []
    waiting: list[str] = []
    at, operand = 0, True
    while True:
        while text.startswith(" ", at):
            at += 1
        c = text[at : at + 1]
        if operand and (c == "-" or _is_digit(c)):
            number, at = _number(text, at)
            if around and at == len(text):
                raise _wrong()
            steps.append(number)
            _bound(waiting, steps)
            operand = False
        elif operand and c == "(":
            around.append(waiting)
            waiting, at = [], at + 1
        elif (operand and c == "!") or (not operand and c in ("&", "|")):
            at, operand = at + 1, True
            if waiting and c == "|":
                steps.append(c)
            elif len(waiting) == SIGNS_MAX:
                raise SqlError("54001", "statement too complex")
            else:
                waiting.append(c)
        elif not operand and c == ")" and around:
            at += 1
            steps.extend(reversed(waiting))
            waiting = around.pop()
            _bound(waiting, steps)
        elif not operand and not c and not around:
            steps.extend(reversed(waiting))
            return steps
        else:
            raise _wrong()


def _bound(waiting: list[str], steps: list[_Step]) -> None:
    """What holds more closely than OR has its operands now."""
    while waiting and waiting[-1] != "|":
        steps.append(waiting.pop())


def _is_digit(c: str) -> bool:
    return "0" <= c <= "9" if c else False


def _number(text: str, at: int) -> tuple[int, int]:
    """A number, and where it ends: of eight digits if it begins with zero, as C reads it; a sign alone is zero."""
    end = at + 1
    while _is_digit(text[end : end + 1]):
        end += 1
    said = text[at:end]
    if len(said) > _DIGITS_MAX:
        raise _wrong()
    octal = _OCTAL.match(said)
    if octal is not None:
        value = int(octal[1] + (octal[2] or "0"), 8)
    else:
        value = 0 if said == "-" else int(said)
    if not -(2**31) <= value < 2**31:
        raise _wrong()
    return value, end


def _wrong() -> SqlError:
    return SqlError("42601", "syntax error")


def holds(numbers: Sequence[int], query: str) -> bool:
    """Whether the numbers are what the query asks for."""
    there = set(numbers)
    answers: list[bool] = []
    for step in _steps(query):
        if isinstance(step, int):
            answers.append(step in there)
        elif step == "!":
            answers[-1] = not answers[-1]
        else:
            right = answers.pop()
            answers[-1] = (answers[-1] and right) if step == "&" else (answers[-1] or right)
    return answers[-1]


__all__ = ["holds", "query_in"]
