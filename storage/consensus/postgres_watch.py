"""Hearing of appends to a log in PostgreSQL: LISTEN, beside the connections that append.

What is heard are hints (`watch.py`): while the connection is lost nothing is, and whoever waits looks when his time is up.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

import psycopg

from storage.abc import ShardId, StorageError
from storage.consensus.postgres import CHANNEL, PostgresConsensus
from storage.consensus.watch import Seqno

_log = logging.getLogger("tidewire.storage")

RECONNECT_S = 0.5


class PostgresWatch:
    """LISTENs on a connection of its own, and connects again when it is lost."""

    def __init__(self, consensus: PostgresConsensus, shard: ShardId) -> None:
        self._consensus, self._shard = consensus, shard
        consensus.announced.add(shard)
        self._heard = 0
        self._changed = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._listen())

    def moved_now(self, seqno: int) -> bool | None:
        return None

    async def wait(self, seqno: Seqno, timeout_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self._heard <= seqno():
                    self._changed.clear()
                    await self._changed.wait()

    async def _listen(self) -> None:
        while True:
            try:
                connection = await self._consensus.connect()
                try:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    async for notification in connection.notifies():
                        shard, _, seqno = notification.payload.rpartition(" ")
                        if shard == self._shard:
                            self._heard = max(self._heard, int(seqno))
                            self._changed.set()
                finally:
                    await connection.close()
            except (psycopg.Error, StorageError, OSError) as error:
                _log.warning("listening to the consensus was interrupted: %s", error)
            await asyncio.sleep(RECONNECT_S)

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
