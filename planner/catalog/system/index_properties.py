"""What an access method, an index and a column of one can do: pg_indexam_has_property and its kin.

Answers are those of the indexes that PostgreSQL would have, as everything is that the catalog says of indexes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from planner.abc import Oid, Table
from planner.catalog.objects import Index
from planner.catalog.system.classes import INDEX_METHODS
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.index_columns import index_columns
from planner.catalog.system.relations import relation
from planner.catalog.system.static import static_rows
from planner.types.oids import BOOL, INT4, OID, REGCLASS, TEXT

_METHODS: Final = {
    "can_order": ("btree",),
    "can_unique": ("btree",),
    "can_multi_col": ("btree", "gist", "gin", "brin"),
    "can_exclude": ("btree", "hash", "gist", "spgist"),
    "can_include": ("btree", "gist", "spgist"),
}
_INDEXES: Final = {
    "clusterable": ("btree", "gist"),
    "index_scan": ("btree", "hash", "gist", "spgist"),
    "bitmap_scan": ("btree", "hash", "gist", "spgist", "gin", "brin"),
    "backward_scan": ("btree", "hash"),
}
_ORDERS: Final = ("asc", "desc", "nulls_first", "nulls_last")
_COLUMNS: Final = {
    "orderable": ("btree",),
    "search_array": ("btree",),
    "search_nulls": ("btree", "gist", "spgist", "brin"),
}
_INCLUDED: Final[dict[str, dict[str, bool]]] = {
    "btree": {"orderable": False, "distance_orderable": False, "returnable": True},
    "gist": {"orderable": False},
    "spgist": {"orderable": False, "returnable": True},
}
"""Of columns that are only kept beside the keys; gist and spgist ask for classes of operators, which these have not."""
_GIST_COMPRESS, _GIST_FETCH = 3, 9
_SPGIST_WITHOUT_VALUES: Final = frozenset(("poly_ops",))
"""Classes whose leaves hold something else than the value."""


@lru_cache(maxsize=1)
def _classes() -> dict[Oid, tuple[str, Oid]]:
    """Name and family of PostgreSQL's classes of operators."""
    return {row["oid"]: (row["opcname"], row["opcfamily"]) for row in _rows("pg_opclass")}


@lru_cache(maxsize=1)
def _families_with_distances() -> frozenset[Oid]:
    return frozenset(row["amopfamily"] for row in _rows("pg_amop") if row["amoppurpose"] == "o")


@lru_cache(maxsize=1)
def _procedures() -> frozenset[tuple[Oid, int]]:
    return frozenset((row["amprocfamily"], row["amprocnum"]) for row in _rows("pg_amproc"))


def _rows(name: str) -> list[dict[str, Any]]:
    target = relation("pg_catalog", name)
    assert target is not None
    names = [c.name for c in target.columns]
    return [dict(zip(names, row, strict=True)) for row in static_rows(name)]


@system("pg_indexam_has_property", (OID, TEXT), BOOL)
def _of_method(context: SystemContext, oid: Oid | None, name: str | None) -> bool | None:
    method = next((word for word, known in INDEX_METHODS.items() if known == oid), None)
    able = _METHODS.get((name or "").lower())
    return None if method is None or able is None else method in able


@system("pg_index_has_property", (REGCLASS, TEXT), BOOL)
def _of_index(context: SystemContext, oid: Oid | None, name: str | None) -> bool | None:
    thing = context.catalog.get(oid) if oid is not None else None
    able = _INDEXES.get((name or "").lower())
    return None if not isinstance(thing, Index) or able is None else thing.method in able


@system("pg_index_column_has_property", (REGCLASS, INT4, TEXT), BOOL)
def _of_column(
    context: SystemContext, oid: Oid | None, position: int | None, name: str | None
) -> bool | None:
    thing = context.catalog.get(oid) if oid is not None else None
    if not isinstance(thing, Index) or position is None or name is None:
        return None
    name = name.lower()
    keys = len(thing.keys)
    if not 1 <= position <= keys + len(thing.include):
        return None
    if position > keys:
        return _INCLUDED.get(thing.method, {}).get(name)
    if name == "returnable":
        return _is_returned(context, thing, position)
    if name == "distance_orderable":
        return _class(context, thing, position)[1] in _families_with_distances()
    if name in _ORDERS:
        key = thing.keys[position - 1]
        said = (not key.descending, key.descending, key.nulls_first, not key.nulls_first)
        return thing.method == "btree" and said[_ORDERS.index(name)]
    able = _COLUMNS.get(name)
    return None if able is None else thing.method in able


def _class(context: SystemContext, index: Index, position: int) -> tuple[str, Oid]:
    """The class of operators of a key."""
    table = context.catalog.get(index.table_oid)
    assert isinstance(table, Table)
    return _classes().get(index_columns(context.catalog, table, index)[position - 1].opclass, ("", 0))


def _is_returned(context: SystemContext, index: Index, position: int) -> bool:
    """Whether the index has the value itself, so that no row need be looked at."""
    if index.method == "btree":
        return True
    name, family = _class(context, index, position)
    if index.method == "gist":
        return (family, _GIST_FETCH) in _procedures() or (family, _GIST_COMPRESS) not in _procedures()
    return index.method == "spgist" and name not in _SPGIST_WITHOUT_VALUES
