"""ON COMMIT of temporary tables: DROP and DELETE ROWS, done by the block that is about to commit.

Both are definitions like any other: DROP TABLE and TRUNCATE, bound and applied as if the session had said them last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError
from executor.ddl.run import apply, bound_now
from executor.session.blocks.block import Block
from planner import statements as st
from planner.abc import Table
from planner.catalog import Catalog

if TYPE_CHECKING:
    from executor.session.session import Session


def leaves(session: Session, block: Block) -> bool:
    """Whether ON COMMIT of temporary tables asks for anything, now that the block is about to commit."""
    if not session.has_temporary and not block.steps:
        return False
    if session.catalog.find_schema(session.temporary_schema) is None:
        return False
    if any(_leaving(session, block, on_commit) is not None for on_commit in _ON_COMMIT):
        return True
    return any(_others_keys(session.catalog, t) for t in _temporary(session) if t.on_commit == "delete")


async def leave(session: Session, block: Block) -> None:
    """DROP and TRUNCATE as it asks, in the block: a table that has gone with its parent is not emptied. Raises 0A000."""
    if session.catalog.find_schema(session.temporary_schema) is None:
        return
    for emptied in _temporary(session):
        if emptied.on_commit == "delete" and (keeping := _others_keys(session.catalog, emptied)):
            raise ExecutionError(
                "0A000",
                "unsupported ON COMMIT and foreign key combination",
                detail=f'Table "{keeping[0].name}" references "{emptied.name}", but they do not have the same ON COMMIT setting.',
            )
    for on_commit in _ON_COMMIT:
        statement = _leaving(session, block, on_commit)
        if statement is not None:
            await apply(session, block, bound_now(session, statement))


_ON_COMMIT: Final = ("drop", "delete")


def _temporary(session: Session) -> list[Table]:
    schema = session.catalog.find_schema(session.temporary_schema)
    things = session.catalog.inside(schema.oid) if schema is not None else ()
    return [t for t in things if isinstance(t, Table)]


def _leaving(session: Session, block: Block, on_commit: str) -> Any:
    names = tuple(
        st.Name(t.name, session.temporary_schema)
        for t in _temporary(session)
        if t.on_commit == on_commit and (on_commit == "drop" or _has_rows(block, t))
    )
    if not names:
        return None
    return st.Drop("table", names, cascade=True) if on_commit == "drop" else st.Truncate(names, cascade=True)


def _others_keys(catalog: Catalog, emptied: Table) -> list[Table]:
    """The tables that refer to one whose rows go with each transaction, and keep their own."""
    return [t for t in catalog.referring_to(emptied.oid) if t.on_commit != emptied.on_commit]


def _has_rows(block: Block, table: Table) -> bool:
    writes = block.tables.get(table.shard)
    return writes is not None and writes.has_rows
