"""ctid, xmin, cmin, xmax, cmax and tableoid of a table: columns that `*` does not show.

They stand at the end of a relation's columns in such an order that PostgreSQL's attribute numbers, -1 to -6, are also
their places counted from the end; so a negative `ir.Var.column` is a system column. All of them are made of the row's
id (`planner.binding.prelude_places`), which the engine of rows by key does not show: a statement that names one is
DuckDB's.

    xmax, cmin, cmax    0: whoever can read a version sees one that nobody has deleted
"""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.abc import PlanError, Table, TypeRef
from planner.binding.emit import EmittedColumn
from planner.binding.scope import Relation, RelationColumn

_COLUMNS: Final = (
    ("tableoid", t.OID),
    ("cmax", t.CID),
    ("xmax", t.XID),
    ("cmin", t.CID),
    ("xmin", t.XID),
    ("ctid", t.TID),
)
NAMES: Final = frozenset(name for name, _ in _COLUMNS)


def columns(table: Table) -> list[RelationColumn]:
    """What comes after the table's own."""
    return [
        RelationColumn(name, TypeRef(oid), table.oid, i - len(_COLUMNS), hidden=True)
        for i, (name, oid) in enumerate(_COLUMNS)
    ]


def emitted(table: Table) -> list[EmittedColumn]:
    """How they are written, of a relation whose text has `_rid`."""
    of_row = [table.oid, 0, 0, 0]
    constant = [EmittedColumn("_rid", around=("tw_of_row(", f", {value})")) for value in of_row]
    return [
        *constant,
        EmittedColumn("_rid", around=("tw_xmin(", ")")),
        EmittedColumn("_rid", around=("tw_ctid(", ")")),
    ]


def place(relation: Relation, index: int) -> int:
    """Where an `ir.Var` finds the column: system columns of tables from the end."""
    if relation.table is None or index < len(relation.table.columns):
        return index
    return index - len(relation.columns)


def refuse(name: str, clause: str, position: int) -> None:
    """For a name that no column has. Raises 0A000 where PostgreSQL has a system column."""
    if clause == "RETURNING" and name in NAMES:
        raise PlanError("0A000", f"system column {name} in RETURNING is not supported", position=position)
