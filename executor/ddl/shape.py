"""Whether two definitions of a table mean the same rows under the same keys."""

from __future__ import annotations

from typing import Any

from planner.abc import Table


def same_shape(a: Table, b: Table) -> bool:
    """Whether rows and keys of two definitions are the same."""

    def keys(table: Table) -> Any:
        return [(c.kind, c.columns) for c in table.constraints if c.kind in "pu"]

    return same_columns(a, b) and bool(keys(a) == keys(b))


def same_columns(a: Table, b: Table) -> bool:
    """Whether rows of two definitions are the same."""
    return a.columns is b.columns or (
        len(a.columns) == len(b.columns)
        and all(
            c is d or (c.attnum == d.attnum and c.type == d.type)
            for c, d in zip(a.columns, b.columns, strict=True)
        )
    )


def only_adds(a: Table, b: Table) -> bool:
    """Whether columns of the first definition are where they were in the second one."""
    return [c.attnum for c in a.columns] == [c.attnum for c in b.columns[: len(a.columns)]]
