"""What a row's key of a unique constraint or index is made of: columns, expressions of them, and the condition of a partial index.

UNIQUE (a, b)                       (a, b), or None where one is null: nulls are not equal
UNIQUE NULLS NOT DISTINCT (a)       (a,), nulls too
UNIQUE (lower(a)) WHERE live        (lower(a),) of the rows that live; None for the others
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from executor.keyed.compile import compile_condition, compile_tuple
from executor.snapshot.runs import NO_COLUMNS
from planner.abc import Table
from planner.keyed_plans import ComputedColumns, PartialColumns
from storage.abc import Row
from txn.abc import Key


def unique_columns(table: Table) -> list[tuple[str, int, tuple[int, ...], bool, bool]]:
    """What decides how a table's rows are found by key."""
    keys = [c for c in table.constraints if c.kind in "pu"]
    return [(c.kind, c.oid, c.columns, c.nulls_not_distinct, c.by_value) for c in keys]


def unique_key(positions: tuple[int, ...], nulls_not_distinct: bool) -> Callable[[Row], Key]:
    """From a row to its secondary key; None if it has none, for a null is no key (usually).

    A position `~i` asks that column i is null: others have no key there. Nor have rows that a partial index's predicate is not true of.
    """
    if isinstance(positions, PartialColumns):
        return _key_of_some(positions)
    if isinstance(positions, ComputedColumns):
        return _key_computed(positions)
    if positions and positions[-1] < 0:
        return _key_where_null(positions[:-1], ~positions[-1])
    pick = itemgetter(*positions)
    if len(positions) == 1:
        if nulls_not_distinct:
            return lambda row: (row[positions[0]],) if row[positions[0]] is None else row[positions[0]]
        return pick
    if nulls_not_distinct:
        return pick

    def key_of(row: Row) -> Key:
        key = pick(row)
        return None if None in key else key

    return key_of


def key_width(positions: tuple[int, ...]) -> int:
    """How many values such a key has; one that is of no column counts as one."""
    asks_null = bool(positions) and positions[-1] < 0 and not isinstance(positions, ComputedColumns)
    return max(len(positions) - asks_null, 1)


def _key_of_some(index: PartialColumns) -> Callable[[Row], Key]:
    made: Callable[[Row], Key] | None = index.compiled
    if made is None:
        passes, key_of = compile_condition(index.predicate), unique_key(tuple(index), False)
        assert passes is not None

        def made(row: Row) -> Key:
            return key_of(row) if passes((), row, None) else None

        index.compiled = made
    return made


def _key_computed(index: ComputedColumns) -> Callable[[Row], Key]:
    made: Callable[[Row], Key] | None = index.compiled
    if made is None:
        key_of = compile_tuple(index.keys)

        def made(row: Row) -> Key:
            key = key_of((), row, None)
            return None if None in key else key[0] if len(key) == 1 else key

        index.compiled = made
    return made


def _key_where_null(positions: tuple[int, ...], column: int) -> Callable[[Row], Key]:
    if not positions:
        return lambda row: NO_COLUMNS if row[column] is None else None
    key_of = unique_key(positions, False)
    return lambda row: key_of(row) if row[column] is None else None
