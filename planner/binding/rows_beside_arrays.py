"""Whole rows next to values of the type that they are of: rows of a table, and PL/pgSQL's variables of a composite type.

    items || item        array_append(items, item)        item, a row of the variable's fields, is a value of the array's elements' type

A whole row is a record here, of which the type is told (`planner.binding.records`); operators and functions of arrays are found by types.
"""

from __future__ import annotations

from collections.abc import Sequence

from planner import types as t
from planner.binding import ir
from planner.binding.coerce import Coercions
from planner.binding.records import told_type

_RECORDS = (t.RECORD, t.RECORD_ARRAY)


def of_their_type(coercions: Coercions, given: Sequence[ir.Node]) -> list[ir.Node]:
    """The same, rows and arrays of rows as values of their type where another one of these is one already."""
    if not any(g.type.oid in _RECORDS for g in given):
        return list(given)
    known = {_element(g.type.oid) for g in given} - set(_RECORDS)
    made = []
    for g in given:
        told = told_type(g.type)
        beside = told != g.type and _element(told.oid) in known
        made.append(coercions.coerce(g, told, "i") if beside else g)
    return made


def _element(oid: int) -> int:
    return t.element_of(oid) or oid


__all__ = ["of_their_type"]
