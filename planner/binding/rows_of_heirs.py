"""A row of a table that inherits from another one is a row of that one as well, with as many of its columns as that has.

    capitals(id, name, of)  INHERITS  places(id, name)

    c::places       places_of(c)       INSERT INTO t (place) SELECT c FROM capitals c        each is  ROW(c.id, c.name)

Columns are found by name, for a child may have them in another order. Partitions are such tables, too. Source: PostgreSQL's
`ConvertRowtypeExpr`, which any context may put in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner import types as t
from planner.abc import Oid, TypeRef
from planner.binding import ir
from planner.binding.records import each_field, row_of, told_type, where_present
from planner.catalog.row_types import is_row_array, relation_of
from planner.inheritance import descends
from planner.relations import Table

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog


def is_row_of(catalog: Catalog, given: Oid, target: Oid) -> bool:
    """Whether a row of a relation is one of another type as well: of a table above, or of the type that its table was made of."""
    below = relation_of(given)
    if not below or is_row_array(given) or is_row_array(target):
        return False
    table, above = catalog.get(below), relation_of(target)
    if isinstance(table, Table) and table.of_type == target:
        return True
    return bool(above) and descends(catalog, below, above)


def as_row_above(node: ir.Node, target: TypeRef, catalog: Catalog, position: int) -> ir.Node | None:
    """A row, or a value of its type, as one of another type that it is of, too; None where it is not."""
    fields = t.composite_fields(target.oid)
    if fields is None or not is_row_of(catalog, told_type(node.type).oid, target.oid):
        return None
    found = dict(each_field(node, position) or ())
    if isinstance(node, ir.Logic) and node.op == "row":
        found = dict(zip(found, node.args, strict=True))
    row = ir.Cast(target, row_of(tuple(found[name] for name, _ in fields)), True, position)
    if isinstance(node, ir.Logic) and node.op == "row":
        return row
    return where_present(node, row)
