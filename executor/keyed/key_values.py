"""What keys are made of: cells, or one value for all that SQL calls equal to them.

    key_of(table, primary key of (a numeric, b int))(('1.00', 7)) == ('1', 7)        rows keep 1.00

Rows lie under their keys in memory, in runs and in marks for conflicts, and all of these compare datums. Where equal values
may be different datums, keys have what `types.alike` or their collation (`collated_keys`) makes of them, in all of these places: so whoever makes a
key of a row or of columns asks here. For columns of other types nothing is done, and it costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import pyarrow as pa

from executor.keyed.collated_keys import key_column_form, key_form
from planner import types as t
from planner.abc import Constraint, Table
from storage.abc import Row
from txn.abc import Key

DatumForms = tuple[Callable[[Any], Any] | None, ...]
ColumnForms = tuple[Callable[[pa.Array], pa.Array] | None, ...]


def datum_forms(table: Table, constraint: Constraint) -> DatumForms:
    """For each column of a key what makes its values comparable; (): they are as they are."""
    if not constraint.by_value:
        return ()
    columns = [table.columns[table.index_of(a)] for a in constraint.columns]
    forms = tuple(key_form(c) or t.alike(c.type) for c in columns)
    return forms if any(forms) else ()


def column_forms(table: Table, constraint: Constraint) -> ColumnForms:
    """The same for whole columns."""
    if not constraint.by_value:
        return ()
    columns = [table.columns[table.index_of(a)] for a in constraint.columns]
    forms = tuple(key_column_form(c) or t.alike_column(c.type) for c in columns)
    return forms if any(forms) else ()


def formed(columns: Sequence[pa.Array], forms: ColumnForms) -> list[pa.Array]:
    """A key's columns as they are compared."""
    if not forms:
        return list(columns)
    return [c if form is None else form(c) for c, form in zip(columns, forms, strict=True)]


def picked(positions: Sequence[int], forms: DatumForms = ()) -> Callable[[Row], Key]:
    """From a row to the key of these columns: a value for one, a tuple for several. Nulls stay."""
    if not forms:
        return itemgetter(*positions)
    parts = list(zip(positions, forms, strict=True))
    if len(parts) == 1:
        at, form = parts[0]
        assert form is not None
        return lambda row: None if (v := row[at]) is None else form(v)

    def key(row: Row) -> Key:
        return tuple([v if (v := row[at]) is None or form is None else form(v) for at, form in parts])

    return key


def secondary_key_of(table: Table, constraint: Constraint) -> Callable[[Row], Key | None]:
    """From a row to its key in a unique constraint; None if it has none, for a null is no key (usually)."""
    positions = tuple(table.index_of(a) for a in constraint.columns)
    pick = picked(positions, datum_forms(table, constraint))
    if len(positions) == 1:
        if constraint.nulls_not_distinct:  # a lone null is a key of its own, and None is no key
            return lambda row: (None,) if (k := pick(row)) is None else k
        return pick
    if constraint.nulls_not_distinct:
        return pick

    def key(row: Row) -> Key | None:
        k = pick(row)
        return None if None in k else k

    return key


def primary_key_of(table: Table) -> Callable[[Row], Key] | None:
    """From a row to its primary key; None for a table without one."""
    primary = table.primary_key
    return None if primary is None else picked(table.key_indexes, datum_forms(table, primary))
