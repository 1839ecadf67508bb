"""Every table and view is a type too: that of its rows, under its name.

    table 16384  ->  type 16384 + 2^30     its rows        CompositeType, made of the relation when somebody asks
                     type 16384 + 3 * 2^29 arrays of them

Nothing of it is stored: the type's OID is the relation's in a range that no counter will reach, so environments of
any age have such types. Both ranges stay below 2^31, for there are clients that hold OIDs in signed integers.
"""

from __future__ import annotations

import weakref
from typing import Final

from planner.abc import Oid, Table
from planner.catalog.objects import View
from planner.catalog.type_objects import CompositeType

FIRST_ROW_TYPE: Final = 1 << 30
_ARRAYS: Final = 3 << 29
_END: Final = 1 << 31

_made: Final[dict[int, tuple[weakref.ref[Table | View], CompositeType]]] = {}
"""By the identity of a relation's definition, for as long as any catalog, or whoever reads the past, has that definition."""


def row_type_oid(relation: Oid) -> Oid:
    return FIRST_ROW_TYPE + relation


def row_array_oid(relation: Oid) -> Oid:
    return _ARRAYS + relation


def relation_of(type_oid: Oid) -> Oid:
    """The relation whose row type (or arrays of it) this would be; 0 for the OIDs of all other types."""
    if not FIRST_ROW_TYPE <= type_oid < _END:
        return 0
    return type_oid - (_ARRAYS if type_oid >= _ARRAYS else FIRST_ROW_TYPE)


def is_row_array(type_oid: Oid) -> bool:
    return _ARRAYS <= type_oid < _END


def row_type(relation: Table | View) -> CompositeType:
    """The type of a relation's rows: its columns in order, those that are not shown left out."""
    number = id(relation)
    known = _made.get(number)
    if known is not None and known[0]() is relation:
        return known[1]
    columns = relation.visible if isinstance(relation, Table) else relation.columns
    made = CompositeType(
        row_type_oid(relation.oid),
        relation.schema_oid,
        relation.name,
        row_array_oid(relation.oid),
        tuple(columns),
        relation.owner,
    )

    def gone(_: object) -> None:
        _made.pop(number, None)

    _made[number] = weakref.ref(relation, gone), made
    return made
