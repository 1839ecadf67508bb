"""What every COPY FROM is, wherever its rows go: begun in a transaction, which is its own where there was none, and ended with that.

write(batch) ...    finish()   what is still to be done, and the commit         abort()   nothing was

What it does with rows, triggers included, a cancel request ends, and the time limit, which counts from the beginning. While it waits for the client
whoever hands on the bytes hears of these (`on_interrupt`).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NoReturn

import pyarrow as pa

from executor.abc import CopyProgress, ExecutionError, Rows

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


def progress(session: Session, command: str, relation_oid: int, path: str | None) -> CopyProgress:
    """What `pg_stat_progress_copy` has of this session from now on, until it is over."""
    session.copy_progress = made = CopyProgress(command, "FILE" if path else "PIPE", relation_oid)
    return made


def refuse_read_only(session: Session, *, own: bool) -> NoReturn:
    """Raises 25006 for a block that only reads, which goes if it is the COPY's own."""
    if own:
        session.rollback()
    raise ExecutionError("25006", "cannot execute COPY FROM in a read-only transaction")


class Load:
    """The rows of one COPY on their way."""

    def __init__(
        self, session: Session, block: Block, relation_oid: int, *, own: bool, path: str | None = None
    ) -> None:
        self._session, self._block, self._own, self._over = session, block, own, False
        self.progress = progress(session, "COPY FROM", relation_oid, path)
        limit_ms = session.settings.statement_timeout_ms
        self._timer = (
            asyncio.get_running_loop().call_later(limit_ms / 1000, session.timed_out) if limit_ms else None
        )

    async def write(self, batch: pa.RecordBatch) -> None:
        """Takes a batch of the copied columns."""
        await self._session.interruptible(self._take(batch), 0)

    async def _take(self, batch: pa.RecordBatch) -> None:
        raise NotImplementedError

    async def _complete(self) -> None:
        """Everything has come: what is left to do before the commit."""

    def _let_go(self) -> None:
        """Nothing of it will be."""

    async def finish(self) -> Rows:
        """Completes the rows, and commits if the COPY is its own transaction."""
        session = self._session
        try:
            await session.interruptible(self._completed_and_committed(), 0)
        except BaseException:
            self._let_go()
            if self._own:
                session.rollback()
            raise
        finally:
            self._end()
        self._over = True
        return Rows(f"COPY {self.progress.tuples_processed}")

    async def _completed_and_committed(self) -> None:
        await self._complete()
        if self._own:
            await self._session.commit()

    def _end(self) -> None:
        self._session.copy_progress = None
        if self._timer is not None:
            self._timer.cancel()

    def abort(self) -> None:
        """The client failed or went away, or a row did: nothing was added."""
        session = self._session
        self._end()
        self._let_go()
        if not self._over and self._own:
            self._over = True
            if session.block is self._block:
                session.rollback()


__all__ = ["Load", "progress", "refuse_read_only"]
