"""What ANALYZE has found of a table: an object of the catalog, so that it is there after a restart, and as transactional as definitions are.

    Table 16384  <--  Analysis(table_oid=16384, rows=1000.0, columns=(of id, of name, ...))      pg_statistic, pg_stats

No plan depends on it, so nothing is planned anew because of one (`IndexedObjects.analysis_of` is a dictionary that planning never asks).
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.abc import Oid


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """What a column holds. Values are the text of an array, each as its type writes it; "": none of the kind were kept."""

    attnum: int
    inherited: bool
    """Of the table and all that inherit from it, partitions included."""
    null_frac: float
    width: int
    distinct: float
    """How many values there are; below zero: for each row of the table."""
    common: str = ""
    frequencies: tuple[float, ...] = ()
    """Of the values that are `common`, the most frequent first."""
    bounds: str = ""
    """Of as many parts of the other values, all of one size."""
    correlation: float | None = None
    """Of the order of the values with that of the rows."""
    elements: str = ""
    element_frequencies: tuple[float, ...] = ()
    """Of the most common elements of arrays and text vectors, in their order; behind them the least and the greatest, of arrays that of NULL, too."""
    element_counts: tuple[float, ...] = ()
    """How many different elements arrays have: the bounds of parts, and the average."""


@dataclass(frozen=True, slots=True)
class TogetherStatistics:
    """What several columns hold together, as the text of PostgreSQL's types for it; "": it was not asked for, or there is nothing."""

    statistics_oid: Oid
    inherited: bool
    distinct: str = ""
    dependencies: str = ""


@dataclass(frozen=True, slots=True)
class Analysis:
    oid: Oid
    table_oid: Oid
    rows: float
    columns: tuple[ColumnStatistics, ...] = ()
    together: tuple[TogetherStatistics, ...] = ()


__all__ = ["Analysis", "ColumnStatistics", "TogetherStatistics"]
