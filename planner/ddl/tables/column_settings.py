"""Statistics targets, storage, compression and options of columns: they mean nothing here, but are for columns that exist.

All are kept and told: dumps say them again, and tables that are made LIKE another one or inherit take
the storage over.

Of an index they are said by number, and only an expression has statistics that its table's columns have not.

    ALTER TABLE t ALTER COLUMN a SET STATISTICS 500
    ALTER INDEX i ALTER COLUMN 2 SET STATISTICS 500        42703, 0A000
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planner import statements as st
from planner.abc import Column, PlanError
from planner.catalog import Index
from planner.catalog.system.attributes import storage_of
from planner.catalog.system.definitions import type_name
from planner.ddl.tables import action_words
from planner.parse.storage import kept
from planner.records import replace

if TYPE_CHECKING:
    from planner.ddl.scope import Scope
    from planner.ddl.tables.alteration import Alteration

_STORAGE: Final = {"plain": "p", "main": "m", "external": "e", "extended": "x"}
_COMPRESSION: Final = {"pglz": "p", "lz4": "l", "default": ""}
_TARGET_MAX: Final = 10000

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
    column = on.column(a.name)
    if a.what == "set statistics":
        on.put(column, replace(column, statistics=_target(on.scope, int(a.options[0][1]))))
    elif a.what == "set storage":
        on.put(column, replace(column, storage=_storage(on.scope, column, str(a.options[0][1]))))
    elif a.what == "set compression":
        found = compression(on.scope, column, str(a.options[0][1]))
        on.put(column, replace(column, compression=found))
    else:
        settings = kept(column.settings, a.options, reset=a.what == "reset column options")
        on.put(column, replace(column, settings=settings))


def storage_word(column: Column) -> str:
    return next(word for word, letter in _STORAGE.items() if letter == storage_of(column)).upper()


def _target(scope: Scope, target: int) -> int:
    """Raises 22023."""
    if target < -1:
        raise PlanError("22023", f"statistics target {target} is too low")
    if target > _TARGET_MAX:
        scope.notice(f"lowering statistics target to {_TARGET_MAX}", "22023", severity="WARNING")
    return min(target, _TARGET_MAX)


def _storage(scope: Scope, column: Column, said: str) -> str:
    """Raises 22023 for no kind of storage, 0A000 for one that the type has not."""
    letter = _STORAGE.get(said.lower())
    if letter is None:
        raise PlanError("22023", f'invalid storage type "{said}"')
    if letter != "p" and storage_of(replace(column, storage="")) == "p":
        shown = type_name(scope.catalog, column.declared, scope.search_path)
        raise PlanError("0A000", f"column data type {shown} can only have storage PLAIN")
    return letter


def compression(scope: Scope, column: Column, said: str) -> str:
    """Raises 0A000 for a type whose values are too short, 22023 for no method."""
    if storage_of(replace(column, storage="")) == "p":
        shown = type_name(scope.catalog, column.declared, scope.search_path)
        raise PlanError("0A000", f"column data type {shown} does not support compression")
    letter = _COMPRESSION.get(said)
    if letter is None:
        raise PlanError("22023", f'invalid compression method "{said}"')
    return letter


def compression_word(letter: str) -> str:
    return next(word for word, known in _COMPRESSION.items() if known == letter)


def of_index(scope: Scope, index: Index, a: st.AlterAction) -> None:
    """Raises 42809 for anything but statistics, 42703 and 0A000 for what is no expression of the index."""
    if a.what != "set statistics":
        raise action_words.refused(index, a, action_words.index_kind(scope.catalog, index))
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
