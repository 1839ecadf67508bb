"""The functions of information_schema that take rows: a column's type and modifier, or those underneath its domain.

    information_schema._pg_truetypid(a.*, t.*)     CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE a.atttypid END

`a` is of pg_attribute, `t` of pg_type. The others of that family are `planner.catalog.system.information_measures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.records import called_fields, items_of
from planner.catalog.system.relations import relation

if TYPE_CHECKING:
    from planner.binding.calls import CallBinder

_FIELDS: Final = {
    "_pg_truetypid": ("atttypid", "typbasetype"),
    "_pg_truetypmod": ("atttypmod", "typtypmod"),
}
"""Of the column, and of its type where that is a domain."""


def true_type(binder: CallBinder, name: str, given: Sequence[ir.Node], position: int) -> ir.Node | None:
    """A call of one of these; None for anything else."""
    if name not in _FIELDS or len(given) != 2:
        return None
    column, kind = (_row_of(x, of) for x, of in zip(given, ("pg_attribute", "pg_type"), strict=True))
    if column is None or kind is None:
        return None
    own, underneath = _FIELDS[name]
    is_domain = binder.infix("=", kind["typtype"], ir.Lit(TypeRef(t.UNKNOWN), "d"), position)
    return ir.Logic(column[own].type, "case", (is_domain, kind[underneath], column[own]))


def _row_of(record: ir.Node, name: str) -> dict[str, ir.Node] | None:
    """The fields of a whole row of a system relation; None where it is none of that."""
    expected = relation("pg_catalog", name)
    assert expected is not None
    called = called_fields(record.type)
    items = items_of(record) if called == tuple(c.name for c in expected.columns) else None
    return dict(zip(called, items, strict=True)) if items is not None else None
