"""Leaves of a partitioned table that a query does not read, as its parameters say (`planner.binding.partitioned`).

    SELECT ... FROM orders WHERE day >= $1        the leaves below $1 are neither made ready nor read, nor noted as read

A literal is a parameter too, for plans are kept without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.abc import Const, PartUse, RelationUse
from planner.partitioning import router
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session


def unread(session: Session, uses: Sequence[RelationUse], params: Sequence[Datum]) -> frozenset[str]:
    """The slots of leaves that have no row which the query could want."""
    found: set[str] = set()
    wanted: dict[int, set[int]] = {}
    for use in uses:
        part = use.part
        if part is None or not part.asked:
            continue
        leaves = wanted.get(id(part))
        if leaves is None:
            leaves = wanted[id(part)] = _wanted(session, part, params)
        if use.table.oid not in leaves:
            found.add(use.slot)
    return frozenset(found)


def _wanted(session: Session, part: PartUse, params: Sequence[Datum]) -> set[int]:
    asked = [
        (place, how, [v.value if isinstance(v, Const) else params[v.number - 1] for v in values])
        for place, how, values in part.asked
    ]
    return router(session.catalog, part.table).wanted(asked)


__all__ = ["unread"]
