"""Readers hold the past: times at their `since` and later, and the blobs of the states they may hold.

A **leased** reader must renew; when its process dies, so does its hold, at the lease's end. A
**critical** one is a promise kept across restarts, for whoever keeps own durable progress. Both are
entries in the shard's state, so every process honours them.
"""

from __future__ import annotations

from storage.abc import LeaseExpired, ShardId, Timestamp
from storage.shard import machine
from storage.shard.log import ShardLog


class LeasedReader:
    """Made by `Shard.lease`. Renew well within `lease_us`."""

    def __init__(self, log: ShardLog, reader: str, lease_us: int) -> None:
        assert lease_us > 0, "a lease lasts"
        self._log, self.reader, self.lease_us = log, reader, lease_us

    @property
    def shard(self) -> ShardId:
        return self._log.shard

    @property
    def since(self) -> Timestamp:
        """The least time that this reader can still read. Raises LeaseExpired."""
        lease = self._log.state.leased.get(self.reader)
        if lease is None or lease.expires_us <= self._log.clock.now_us():
            raise LeaseExpired(f"shard {self.shard}: reader {self.reader} did not renew in time")
        return lease.since

    async def take(self, since: Timestamp | None) -> None:
        await self._log.commit(machine.TakeLease(self.reader, self._expires_us(), since))

    async def renew(self, since: Timestamp | None = None) -> None:
        """Lasts from now on; moves up to `since` if given; gives up states older than the newest known.

        Raises LeaseExpired if it came too late and somebody has noticed, SinceViolation for going back.
        """
        await self._log.commit(machine.TakeLease(self.reader, self._expires_us(), since, renew=True))

    async def release(self) -> None:
        await self._log.commit(machine.Release(self.reader))

    def _expires_us(self) -> int:
        return self._log.clock.now_us() + self.lease_us


class CriticalReader:
    """Made by `Shard.hold`."""

    def __init__(self, log: ShardLog, reader: str) -> None:
        self._log, self.reader = log, reader

    @property
    def since(self) -> Timestamp:
        return self._log.state.critical[self.reader]

    async def take(self, since: Timestamp | None) -> None:
        await self._log.commit(machine.Hold(self.reader, since))

    async def downgrade(self, since: Timestamp) -> None:
        """Gives up times below `since`. Raises SinceViolation for going back."""
        await self._log.commit(machine.Hold(self.reader, since))

    async def release(self) -> None:
        await self._log.commit(machine.Unhold(self.reader))
