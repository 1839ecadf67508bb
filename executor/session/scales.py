"""Numerics that are given to a statement: where DuckDB computes with them, it is planned for their digits.

    SELECT sum(price * $1) FROM t     $1 = '1.19': as with the literal 1.19, a DECIMAL; of texts it would take thirty times as long

There is a plan for each number of digits behind the point. A numeric without any would be as good a parameter, and none of them
says more of its type than the first plan, so what clients were told stays true.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner import listed_parameters
from planner import types as t
from planner.abc import Plan
from planner.binding.parameters import of_scale
from planner.normalise import SCALED_DIGITS, SCALES
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session

_SCALE_MAX: Final = len(SCALES)


def planned(session: Session, plan: Plan, params: Sequence[Datum]) -> Plan | None:
    """The statement's plan for the digits that its numerics have; None where there is no better one than the one at hand."""
    if len(params) != len(plan.parameters):  # of a part of the statement, which is given more
        return None
    if "procedure" in plan.extra:  # what CALL asks is no query by itself
        return None
    stated, found = list[int](), False
    for ref, said, value in zip(plan.parameters, listed_parameters.stated(plan), params, strict=True):
        scale = _scale(value) if ref.oid == t.NUMERIC and ref.typmod < 0 else -1
        found = found or scale >= 0
        stated.append(of_scale(scale) if scale >= 0 else said)
    if not found or t.RECORD in stated:
        return None
    made, _ = session.plan(plan.text, stated)
    mine, other = (p.columns and [c.type for c in p.columns] for p in (plan, made))
    return made if mine == other and type(made.body) is type(plan.body) else None


def _scale(value: Datum) -> int:
    """Digits behind the point; -1: too many, or of no number."""
    if not isinstance(value, str):
        return -1
    whole, _, fraction = value.lstrip("-").partition(".")
    short = len(whole) + len(fraction) <= SCALED_DIGITS and len(fraction) <= _SCALE_MAX
    return len(fraction) if short and whole.isdigit() else -1


__all__ = ["planned"]
