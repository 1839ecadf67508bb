"""Functions that fill up a row: json_populate_record and its kin, hstore's populate_record and `#=`.

Their first argument is a row, which also says what the result is. A table's whole row is to them a value of its row type; what comes of
it obeys the domains of its attributes, and the domain that it was cast to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.binding import ir
from planner.binding.domains import of_attributes
from planner.binding.records import told_type
from planner.binding.routines import inlined as routines
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

FUNCTIONS: Final = frozenset(
    ("populate_record", *(f"{k}_populate_record{s}" for k in ("json", "jsonb") for s in ("", "set")))
)
OPERATOR: Final = "#="


def base_of(queries: QueryBinder, given: ir.Node, position: int) -> ir.Node:
    """The row that is filled up, as a value of its type."""
    rows = told_type(given.type)
    return given if rows == given.type else queries.coercions.coerce(given, rows, "i", position)


def obedient(queries: QueryBinder, made: ir.Node, base: ir.Node) -> ir.Node:
    """The rows, asked what their domains demand."""
    if made.type.oid == t.RECORD:  # of the fields that its base has
        return replace(made, type=base.type)
    one = ir.Lit(made.type, None) if isinstance(made, ir.SetReturning) else made
    one = of_attributes(queries, one)
    if isinstance(base, ir.DomainCheck):
        one = routines.of_domain(queries, one, base.domain)
    if not isinstance(made, ir.SetReturning):
        return one
    return replace(made, asked=one) if isinstance(one, ir.DomainCheck) else made


__all__ = ["FUNCTIONS", "OPERATOR", "base_of", "obedient"]
