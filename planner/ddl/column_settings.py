"""Statistics targets, storage and options of columns: they mean nothing here, but are for columns that exist.

Of an index they are said by number, and only an expression has statistics that its table's columns have not.

    ALTER TABLE t ALTER COLUMN a SET STATISTICS 500
    ALTER INDEX i ALTER COLUMN 2 SET STATISTICS 500        42703, 0A000
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planner import statements as st
from planner.abc import PlanError
from planner.catalog import Index
from planner.ddl import action_words

if TYPE_CHECKING:
    from planner.ddl.alteration import Alteration
    from planner.ddl.scope import Scope

ACTIONS: Final = (
    "set statistics",
    "set storage",
    "set compression",
    "set column options",
    "reset column options",
)


def of_table(on: Alteration, a: st.AlterAction) -> None:
    """Raises 42703, and 0A000 for a number instead of a name."""
    if a.which:
        raise PlanError("0A000", "cannot refer to non-index column by number")
    on.column(a.name)


def of_index(scope: Scope, index: Index, a: st.AlterAction) -> None:
    """Raises 42809 for anything but statistics, 42703 and 0A000 for what is no expression of the index."""
    if a.what != "set statistics":
        raise action_words.refused(index, a)
    if not a.which:
        raise PlanError("42703", f'column "{a.name}" of relation "{index.name}" does not exist')
    number = int(a.which)
    attnums = [*(key.attnum for key in index.keys), *index.include]
    if number > len(attnums):
        raise PlanError("42703", f'column number {number} of relation "{index.name}" does not exist')
    attnum = attnums[number - 1]
    if not attnum:
        return
    table = scope.catalog.table(index.table_oid)
    name = table.columns[table.index_of(attnum)].name
    kind = "included" if number > len(index.keys) else "non-expression"
    raise PlanError(
        "0A000",
        f'cannot alter statistics on {kind} column "{name}" of index "{index.name}"',
        hint="" if kind == "included" else "Alter statistics on table column instead.",
    )
