"""What excludes text whose equal values may differ, and keys over what has no order: there are none.

Keys of rows, and what refers to them, are made of one form for all texts that a nondeterministic collation calls equal
(`executor.keyed.collated_keys`); exclusion constraints compare what is written.
"""

from __future__ import annotations

from collections.abc import Iterable

from planner import types
from planner.abc import Column, PlanError, TypeRef
from planner.catalog.collations import nondeterministic, shown
from planner.catalog.system.operator_choice import has_default_class
from planner.types.orders import UNORDERED


def refuse_keys(columns: Iterable[Column], what: str) -> None:
    """Raises 0A000 for keys over columns whose equal values may differ."""
    for column in columns:
        if column.collation in nondeterministic:
            raise PlanError(
                "0A000",
                f'{what} over column "{column.name}" with the nondeterministic collation "{shown(column.collation)}" '
                "are not supported",
            )


def refuse_unordered(kind: TypeRef, method: str = "btree") -> None:
    """Raises 42704 for a key of a type that has no order, where the index's method has no class for it either."""
    if kind.oid in (*UNORDERED, types.UNKNOWN) and not has_default_class(method, kind.oid):
        raise no_default_class(kind, method)


def no_default_class(kind: TypeRef, method: str) -> PlanError:
    return PlanError(
        "42704",
        f'data type {types.format_type(TypeRef(kind.oid))} has no default operator class for access method "{method}"',
        hint="You must specify an operator class for the index or define a default operator class for the data type.",
    )
