"""How many columns PostgreSQL's relations, indexes and foreign keys may have (54011).

Nothing here would break beyond them; but what is dumped has to be restorable there.
"""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError

COLUMNS_MAX: Final = 1_600
KEYS_MAX: Final = 32


def refuse_columns(count: int) -> None:
    """Of a relation or a composite type. Columns that were dropped count."""
    if count > COLUMNS_MAX:
        raise PlanError("54011", f"tables can have at most {COLUMNS_MAX} columns")


def refuse_index_columns(count: int) -> None:
    """Of an index, those of INCLUDE among them."""
    if count > KEYS_MAX:
        raise PlanError("54011", f"cannot use more than {KEYS_MAX} columns in an index")


def refuse_foreign_key_columns(count: int) -> None:
    if count > KEYS_MAX:
        raise PlanError("54011", f"cannot have more than {KEYS_MAX} keys in a foreign key")
