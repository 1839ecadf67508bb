"""A statement that is not a query runs in the block at hand, or in one of its own that ends with it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


@asynccontextmanager
async def block_at_hand(session: Session, autocommit: bool) -> AsyncGenerator[Block, None]:
    """The session's block, or with `autocommit` one that is committed behind the statement, and undone if it fails. Raises what COMMIT does."""
    alone = session.block is None and autocommit
    block = session.block or session.open_block(implicit=True)
    try:
        yield block
        if alone:
            await session.commit()
    except BaseException:
        if alone:
            session.rollback()
        raise


__all__ = ["block_at_hand"]
