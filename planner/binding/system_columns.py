"""ctid, xmin, cmin, xmax, cmax and tableoid of a table: columns that `*` does not show.

They stand at the end of a relation's columns in such an order that PostgreSQL's attribute numbers, -1 to -6, are also
their places counted from the end; so a negative `ir.Var.column` is a system column. All of them are made of the row's
id (`planner.binding.prelude.places`), which the engine of rows by key does not show: a statement that names one is
DuckDB's.

    xmax, cmin, cmax    0: whoever can read a version sees one that nobody has deleted

In RETURNING they are of the version that the statement has just made, or deleted, and `xmax` says which
(`executor.session.returned`).
"""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.abc import Table, TypeRef
from planner.binding import ir
from planner.binding.emit import EmittedColumn
from planner.binding.scope import Relation, RelationColumn
from planner.inheritance import spreads
from planner.records import replace

_COLUMNS: Final = (
    ("tableoid", t.OID),
    ("cmax", t.CID),
    ("xmax", t.XID),
    ("cmin", t.CID),
    ("xmin", t.XID),
    ("ctid", t.TID),
)
_XMAX: Final = 2
NUMBERS: Final = {name: i - len(_COLUMNS) for i, (name, _) in enumerate(_COLUMNS)}
"""PostgreSQL's attribute numbers of them."""


def columns(table: Table) -> list[RelationColumn]:
    """What comes after the table's own."""
    return [
        RelationColumn(name, TypeRef(oid), table.oid, i - len(_COLUMNS), hidden=True)
        for i, (name, oid) in enumerate(_COLUMNS)
    ]


def emitted(table: Table, *, only: bool = False) -> list[EmittedColumn]:
    """How they are written, of a relation whose text has `_rid` and, of a partitioned table, `_leaf`."""
    written = _of_version(table, "_rid")
    if spreads(table, only):
        written[0] = EmittedColumn("_leaf")
    return written


def returned(table: Table, *, only: bool = False) -> list[EmittedColumn]:
    """How they are written of RETURNING's rows, which may be versions that are no more."""
    written = _of_version(table, "_version")
    written[_XMAX] = EmittedColumn("_ended", around=("tw_xmax(", ")"))
    if spreads(table, only):
        written[0] = EmittedColumn("_leaf")
    return written


def _of_version(table: Table, rid: str) -> list[EmittedColumn]:
    constant = [EmittedColumn(rid, around=("tw_of_row(", f", {value})")) for value in (table.oid, 0, 0, 0)]
    return [
        *constant,
        EmittedColumn(rid, around=("tw_xmin(", ")")),
        EmittedColumn(rid, around=("tw_ctid(", ")")),
    ]


def place(relation: Relation, index: int) -> int:
    """Where an `ir.Var` finds the column: system columns of tables from the end."""
    if relation.table is None or index < len(relation.table.columns):
        return index
    return index - len(relation.columns)


def behind_the_row(node: ir.Node, relation: int, width: int) -> ir.Node:
    """An expression over RETURNING's relation, with `xmax` as one more column after the table's own.

    That is where the keyed engine has it (`planner.abc.InsertValues`): upserts ask whether it is 0. Other system
    columns stay as they are; that engine has none of them.
    """
    if isinstance(node, ir.Var) and node.relation == relation:
        return replace(node, column=width) if node.column == _XMAX - len(_COLUMNS) else node
    return ir.replace_children(node, lambda n: behind_the_row(n, relation, width))
