"""Parents that are a partitioned table's rows: which leaf has the one that a row refers to.

    child (a, b) = (1, 7)  ──>  Router of the parent: a = 1 is pk1's  ──>  pk1's own key  ──>  there, locked, and asked for again at COMMIT

A key of a partitioned table has the columns by which rows are dealt out in it, so a key's values lead to the one leaf that can have it:
what is looked for, locked and noted there is as if the leaf had been referred to. Where values of both sides may be equal and yet
different datums each leaf is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from executor.constraints.references import same_datums
from executor.session.references import lookups as reference_lookups
from planner import aims
from planner.abc import Constraint, Table
from planner.partitioning import leaves_of, router

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

Values = tuple[Any, ...]


async def absent(
    session: Session,
    block: Block,
    child: Table,
    parent: Table,
    constraint: Constraint,
    values: Sequence[Values],
    *,
    keep: bool,
) -> list[Values]:
    """As `reference_lookups.absent`, of a partitioned parent."""
    catalog = session.catalog
    if not same_datums(child, parent, constraint):
        missing = list(values)
        for leaf in leaves_of(catalog, parent):
            if missing:
                at = aims.at(catalog, constraint, leaf)
                missing = await reference_lookups.absent(session, block, child, leaf, at, missing, keep=keep)
        return missing
    way = router(catalog, parent)
    places = [parent.index_of(n) for n in constraint.foreign_columns]
    by_leaf: dict[int, list[Values]] = {}
    missing = []
    for found in values:
        row: Any = dict(zip(places, found, strict=True))
        to = way.leaf(row)
        if isinstance(to, Table):
            by_leaf.setdefault(to.oid, []).append(found)
        else:
            missing.append(found)
    for oid, some in by_leaf.items():
        leaf = catalog.table(oid)
        at = aims.at(catalog, constraint, leaf)
        missing += await reference_lookups.absent(session, block, child, leaf, at, some, keep=keep)
    place = {v: i for i, v in enumerate(values)}  # the first that is missing is the one that is told of
    return sorted(missing, key=lambda v: place.get(v, 0))


__all__ = ["absent"]
