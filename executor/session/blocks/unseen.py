"""What nobody else sees of a commit: temporary tables, and what defines them.

    BEGIN
      CREATE TEMP TABLE latest AS SELECT ... FROM accounts     reads of a snapshot, while others go on changing accounts
    COMMIT                                                     of a table that is this session's alone

A transaction that wrote nothing is serializable at its snapshot and cannot be refused. One whose writes no other session can read
is as well: whoever comes later cannot tell that its tables were not made at the snapshot. So what it read need not hold at its commit;
what it wrote is looked at as ever. Reports and loads do this beside those who write, and would fail for as long as somebody does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from executor.following import CATALOG_SHARD
from executor.session import heard
from planner.abc import Oid
from planner.catalog import CatalogObject, Comment, Counter, Grant, Schema
from planner.catalog.analyses import Analysis

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


def by_all_others(session: Session, block: Block) -> bool:
    """Whether a block that has written wrote to this session's temporary tables alone."""
    if not session.has_temporary and not block.steps:
        return False  # the quick answer of nearly all
    own = session.catalog.find_schema(session.temporary_schema)
    if own is None or heard.told(block.notifications):
        return False
    if any(w.has_rows or w.buffer for w in block.tables.values() if w.table.schema_oid != own.oid):
        return False
    written = (shard for shard, buffer in block.transaction().writes.shards.items() if buffer)
    if not all(shard in block.tables or shard == CATALOG_SHARD for shard in written):
        return False
    defined = [thing for change in block.net_changes() for thing in (change.old, change.new)]
    return all(thing is None or _home(session, thing) in (own.oid, None) for thing in defined)


def _home(session: Session, thing: CatalogObject) -> Oid | None:
    """The schema that a definition is of, or what it says something of; 0: of none; None: it defines nothing, and says only which OIDs are
    taken."""
    if isinstance(thing, Counter):
        return None
    if isinstance(thing, Analysis | Comment | Grant):
        oid = thing.table_oid if isinstance(thing, Analysis) else thing.target
        about = session.catalog.get(oid) or session.executor.catalogs.newest.get(oid)
        return 0 if about is None else _home(session, about)
    return thing.oid if isinstance(thing, Schema) else getattr(thing, "schema_oid", 0)


__all__ = ["by_all_others"]
