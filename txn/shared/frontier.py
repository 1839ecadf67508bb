"""The frontier: is what this server knows the end of the log?

Every read of a shared environment asks once, when its statement begins. Whatever was acknowledged before, by any
server, is in the log by then; so a look at the log's end that begins after the statement did, and finds nothing new
(or finds it, and applies it), makes this server's newest timestamp good enough for it.

    where a look is a few microseconds (SQLite)      made on the spot; only if it finds something, the statement waits
    where it is a round trip (PostgreSQL)            one look for all who came during the last one

    statement 1 2 3    4 5 6 7 8       9
              |        |               |
    look      [--- 1 --][-- 2..8 -----][-- 9 ...        each statement's look begins after it

Between looks the server follows by being told (`storage.consensus.watch`), so there is seldom much to catch up with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from storage.abc import Consensus
from txn.lease import Lease
from txn.txns_shard import SHARD, TxnsShard


class Frontier(Lease):
    """A lease that is good for as long as it takes to ask. See the module."""

    __slots__ = ("_check", "_consensus", "_moved_now", "_next", "_task", "_txns", "looks")

    def __init__(
        self,
        consensus: Consensus,
        txns: TxnsShard,
        moved_now: Callable[[int], bool | None],
        follow: Callable[[], Awaitable[None]],
        monotonic_s: Callable[[], float],
    ) -> None:
        super().__init__(0.0, monotonic_s)
        self._consensus, self._txns, self._moved_now = consensus, txns, moved_now
        self._check = follow
        self._next: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self.looks = 0

    @property
    def is_valid(self) -> bool:
        """Whether a statement that begins at this very moment may take its timestamp."""
        return self._moved_now(self._txns.seqno) is False

    @property
    def is_held(self) -> bool:
        return True

    def current(self) -> asyncio.Future[None]:
        """Done when this server has applied all that was in the log at some moment after this call.

        Fails with what storage raises, and with what closed the committer.
        """
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
            if self._task is None:
                self._task = asyncio.get_running_loop().create_task(self._run())
        return self._next

    async def _run(self) -> None:
        try:
            while self._next is not None:
                waiting, self._next = self._next, None
                try:
                    await self._look()
                except Exception as error:  # noqa: BLE001 - whoever waits is told
                    if not waiting.done():
                        waiting.set_exception(error)
                        waiting.exception()  # they may all be gone
                except BaseException:
                    waiting.cancel()
                    raise
                else:
                    if not waiting.done():
                        waiting.set_result(None)
        finally:
            self._task = None

    async def _look(self) -> None:
        self.looks += 1
        if await self._consensus.scan(SHARD, self._txns.seqno + 1, 1):
            await self._check()

    async def close(self) -> None:
        """Whoever waits is cancelled."""
        task = self._task
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if self._next is not None:
            self._next.cancel()
