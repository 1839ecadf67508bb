"""Tables whose rows may be too long for a page: PostgreSQL keeps long values of these elsewhere, with an index of their own.

Nothing is kept so here; but whether a table has an index to rebuild is told of it (`REINDEX TABLE`).
"""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.abc import Column, Table
from planner.types.numeric import precision_scale

_THRESHOLD: Final = 2_032
"""Bytes of a row, beyond which its values are made shorter."""
_HEADER: Final = 24
_BYTES_OF_A_CHARACTER: Final = 4


def may_be_long(table: Table) -> bool:
    """Whether a row may be longer than what fits four times on a page, and has a value that can be kept elsewhere."""
    sizes = [_size(c) for c in table.visible]
    if not any(_of_any_length(c) and c.storage != "p" for c in table.visible):
        return False
    return None in sizes or _HEADER + sum(s or 0 for s in sizes) > _THRESHOLD


def _of_any_length(column: Column) -> bool:
    fact = t.BY_OID.get(t.base_of(column.type).oid)
    return fact is None or fact.typlen < 0


def _size(column: Column) -> int | None:
    """The most bytes that a value can have; None: any number."""
    ref = t.base_of(column.type)
    fact = t.BY_OID.get(ref.oid)
    if fact is not None and fact.typlen > 0:
        return fact.typlen
    if ref.typmod < 0:
        return None
    if ref.oid in (t.VARCHAR, t.BPCHAR):
        return (ref.typmod - 4) * _BYTES_OF_A_CHARACTER + 4
    if ref.oid == t.NUMERIC and (ps := precision_scale(ref.typmod)) is not None:
        return 8 + 2 * ((ps[0] + 6) // 4 + 1)
    if ref.oid in (t.BIT, t.VARBIT):
        return (ref.typmod + 7) // 8 + 8
    return None


__all__ = ["may_be_long"]
