"""Whether two definitions of a table mean the same rows under the same keys."""

from __future__ import annotations

from typing import Any

from planner.abc import Table


def same_shape(a: Table, b: Table) -> bool:
    """Whether rows and keys of two definitions are the same."""

    def shape(table: Table) -> Any:
        return (
            [(c.attnum, c.type) for c in table.columns],
            [(c.kind, c.columns) for c in table.constraints if c.kind in "pu"],
        )

    return bool(shape(a) == shape(b))
