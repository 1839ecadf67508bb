"""What ANALYZE has found of columns (`planner.catalog.analyses`): pg_statistic, which superusers read, and pg_stats, where everybody finds what
is said of the columns that he may read, unless policies hide rows of theirs from him.

pg_statistic has five slots of one kind each, in this order: common values (1), bounds of the others (2), correlation (3), common
elements (4), how many elements there are (5).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from planner.abc import Column, Oid, Table
from planner.catalog import policies, rights
from planner.catalog.analyses import ColumnStatistics
from planner.catalog.collations import collation_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_columns
from planner.types import element_of, oids
from storage.abc import Datum

_SLOTS: Final = 5


def _found(context: SystemContext) -> Iterator[tuple[Table, Column, ColumnStatistics]]:
    catalog = context.catalog
    for table in catalog.objects(Table):
        analysis = catalog.analysis_of(table.oid)
        if analysis is None:
            continue
        columns = {c.attnum: c for c in table.columns}
        for found in analysis.columns:
            yield table, columns[found.attnum], found


def pg_statistic(context: SystemContext) -> Rows:
    make = RowMaker("pg_statistic")
    rows = []
    for table, column, found in _found(context):
        slots: dict[str, Datum] = {}
        for number, (kind, sign, numbers, values) in enumerate(_slots(found), 1):
            oid = element_of(column.type.oid) if kind > 3 else 0
            slots[f"stakind{number}"] = kind
            slots[f"staop{number}"] = _operator(sign, oid or column.type.oid)
            slots[f"stacoll{number}"] = collation_oid(column)
            slots[f"stanumbers{number}"] = list(numbers) or None
            slots[f"stavalues{number}"] = values or None
        rows.append(
            make(
                starelid=table.oid,
                staattnum=found.attnum,
                stainherit=found.inherited,
                stanullfrac=found.null_frac,
                stawidth=found.width,
                stadistinct=found.distinct,
                **slots,
            )
        )
    return rows


def _slots(found: ColumnStatistics) -> Iterator[tuple[int, str, tuple[float, ...], str]]:
    """(kind, the operator by which it was found, numbers, values)"""
    if found.common:
        yield 1, "=", found.frequencies, found.common
    if found.bounds:
        yield 2, "<", (), found.bounds
    if found.correlation is not None:
        yield 3, "<", (found.correlation,), ""
    if found.elements:
        yield 4, "=", found.element_frequencies, found.elements
    if found.element_counts:
        yield 5, "=", found.element_counts, ""


@cache
def _operators() -> dict[tuple[str, Oid], Oid]:
    known = static_columns("pg_operator", ("oid", "oprname", "oprleft", "oprright"))
    return {(str(name), int(left)): int(oid) for oid, name, left, right in known if left == right}


def _operator(sign: str, oid: Oid) -> Oid:
    """PostgreSQL's own operator between two values of a type; 0: it has none that is listed."""
    known = _operators()
    for one in (oid, oids.ANYARRAY if element_of(oid) else oids.TEXT):
        if (sign, one) in known:
            return known[sign, one]
    return 0


def pg_stats(context: SystemContext) -> Rows:
    make = RowMaker("pg_stats")
    catalog, user = context.catalog, context.user
    return [
        make(
            schemaname=catalog.schema_of(table.schema_oid).name,
            tablename=table.name,
            attname=column.name,
            inherited=found.inherited,
            null_frac=found.null_frac,
            avg_width=found.width,
            n_distinct=found.distinct,
            most_common_vals=found.common or None,
            most_common_freqs=list(found.frequencies) or None,
            histogram_bounds=found.bounds or None,
            correlation=found.correlation,
            most_common_elems=found.elements or None,
            most_common_elem_freqs=list(found.element_frequencies) or None,
            elem_count_histogram=list(found.element_counts) or None,
        )
        for table, column, found in _found(context)
        if rights.holds(catalog, user, table, "select", column.attnum)
        and not policies.restricts(catalog, table, user)
    ]


__all__ = ["pg_statistic", "pg_stats"]
