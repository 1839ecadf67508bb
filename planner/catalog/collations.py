"""Collations: all that there are order text by its bytes, and differ in name only.

A column keeps the name that it was declared with, for those who ask (`pg_attribute.attcollation`, pg_dump, ORMs
that compare a table with its model). A collation that would order otherwise does not exist here (42704).
"""

from __future__ import annotations

from typing import Final

from planner.abc import Column, Oid
from planner.types.oids import BPCHAR, NAME, TEXT, VARCHAR

DEFAULT: Final = 100
COLLATIONS: Final[dict[str, Oid]] = {"default": DEFAULT, "C": 950, "POSIX": 951, "ucs_basic": 12340}
COLLATED: Final = frozenset((TEXT, VARCHAR, BPCHAR, 1009, 1015, 1014))
"""Types whose columns have the default collation where none is said; `name` has "C"."""


def is_collatable(oid: Oid) -> bool:
    return oid in COLLATED or oid == NAME


def collation_oid(column: Column) -> Oid:
    """`attcollation`; 0 for types without."""
    if not is_collatable(column.type.oid):
        return 0
    return COLLATIONS[column.collation or ("C" if column.type.oid == NAME else "default")]
