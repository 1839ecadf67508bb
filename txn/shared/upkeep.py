"""Upkeep where several servers share the log: everybody minds his own memory, the steward minds the log.

What `txn.upkeep` does for a leader is split by whose it is. Snapshots and the conflict index are each process's own.
Applying, tidying, rollups, `since`, compaction and garbage are the environment's, and the steward's (`members`):

    rollup     the log is truncated only below what every live member has read
    since      moves only as far as every live member lets go
    tidy       counts what is outstanding when it is sealed: the steward before may have tidied some of it

When the steward dies, the next one takes over as soon as the dead one's lease is over; until then the log just grows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from txn.upkeep import Upkeep

if TYPE_CHECKING:
    from txn.shared.environment import SharedEnvironment


class SharedUpkeep(Upkeep):
    """See the module."""

    env: SharedEnvironment

    def __init__(self, env: SharedEnvironment) -> None:
        super().__init__(env)
        self._quiet_seqno = -1
        self._since_seqno = 0

    async def _pass(self) -> None:
        env = self.env
        read_ts = env.oracle.read_ts()
        env.retention.advance(read_ts)
        since = env.holds.advance(read_ts)
        env.conflicts.collect(min((t.horizon for t in env.transactions), default=read_ts))
        if env.rids.runs_low:
            await env.lease_rids()
        if env.members.is_steward:
            await self._mind_the_log(since)

    async def _mind_the_log(self, since: int) -> None:
        env, limits, state = self.env, self.env.limits, self.env.txns.state
        now_s = env.monotonic_s()
        if env.txns.seqno != self._quiet_seqno:
            self._quiet_seqno, self._quiet_since_s = env.txns.seqno, now_s
        quiet = now_s - self._quiet_since_s >= limits.apply_idle_s
        due = (
            env.txns.entries_since_rollup >= limits.apply_entries
            or state.outstanding_bytes >= limits.apply_bytes
        )
        if state.outstanding and (due or quiet):
            await env.apply_le(env.oracle.read_ts())
        for shard in list(state.leaving):
            await self.finish_forget(shard)
        if quiet or due:
            await self.flush_riders()
            self._quiet_seqno = env.txns.seqno
        if env.txns.rollup_due:
            await env.rollup()
        elif len(env.txns.rollups) > 1:  # somebody had not read far enough to truncate
            await env.trim()
        moved = env.txns.seqno != self._since_seqno or self._buriable(since)
        if now_s - self._since_sent_s >= limits.since_step_s and moved:
            self._since_sent_s = now_s
            await env.members.refresh()
            await self._send_since(env.members.held_by_none(since))
            self._since_seqno = env.txns.seqno

    async def _maintain(self) -> None:
        if self.env.members.is_steward:
            await super()._maintain()
