"""The smallest snapshot store that can stand behind transactions: versions of keys in a dict.

    (shard, key) -> [(ts, rid, value or None), ...]       in order of ts, then of admission

A value is what a row has beside its key: one datum, or the tuple of several.
It is hydrated as the real one is: the data shard's rows, then the log's outstanding commits above them.
"""

from __future__ import annotations

from typing import Any

from storage.abc import Row, Timestamp
from txn.abc import Commit
from txn.environment import Environment

Version = tuple[Timestamp, int, Any]


def value_of(row: Row) -> Any:
    return row[1] if len(row) == 2 else tuple(row[1:])


class Image:
    def __init__(self) -> None:
        self.versions: dict[tuple[str, int], list[Version]] = {}
        self.keys_by_rid: dict[tuple[str, int], int] = {}

    async def hydrate(self, env: Environment) -> None:
        for shard in env.registered():
            await self.hydrate_shard(env, shard)

    async def hydrate_shard(self, env: Environment, shard: str) -> None:
        outstanding = env.outstanding(shard)
        data = await env.shard(shard)
        applied = data.upper
        if data.schema is not None and applied:
            values: dict[int, tuple[int, Any]] = {}
            deleted_at: dict[int, int] = {}
            events: list[tuple[int, int, int]] = []  # (ts, order inside it, rid)
            for part in await data.snapshot(applied - 1):
                for rid, ts, row in await data.fetch_rows(part):
                    if part.kind == "+":
                        values[rid] = (row[0], value_of(row))
                        events.append((ts, 0, rid))
                    else:
                        deleted_at[rid] = ts
                        events.append((ts, 2, rid))
            # Of several rows of a key inserted at one time, that which stayed came last.
            ordered = sorted((ts, 1 if o == 0 and deleted_at.get(r) != ts else o, r) for ts, o, r in events)
            for ts, order, rid in ordered:
                if order < 2:
                    key, value = values[rid]
                    self.put(shard, key, rid, value, ts)
                else:
                    self.delete_rid(shard, rid, ts)
        for ts, writes in outstanding:
            if ts >= applied:
                for rid, row in writes.inserts:
                    self.put(shard, row[0], rid, value_of(row), ts)
                for rid in writes.deletes:
                    self.delete_rid(shard, rid, ts)

    def put(self, shard: str, key: int, rid: int, value: Any, ts: Timestamp) -> None:
        self.versions.setdefault((shard, key), []).append((ts, rid, value))
        self.keys_by_rid[(shard, rid)] = key

    def delete_rid(self, shard: str, rid: int, ts: Timestamp) -> None:
        """A row went. If its key has a newer row, that one replaced it and nothing is to be done."""
        key = self.keys_by_rid[(shard, rid)]
        versions = self.versions[(shard, key)]
        if versions[-1][1] == rid:
            versions.append((ts, rid, None))

    def undo(self, shard: str, key: int, rid: int) -> None:
        versions = self.versions[(shard, key)]
        self.versions[(shard, key)] = [v for v in versions if v[1] != rid or v[2] is None]

    def undo_delete(self, shard: str, key: int, rid: int) -> None:
        versions = self.versions[(shard, key)]
        self.versions[(shard, key)] = [v for v in versions if v[1] != rid or v[2] is not None]

    def at(self, shard: str, key: int, ts: Timestamp) -> tuple[int, Any] | None:
        """(rid, value) visible at ts."""
        for version_ts, rid, value in reversed(self.versions.get((shard, key), [])):
            if version_ts <= ts:
                return None if value is None else (rid, value)
        return None

    def newest(self, shard: str, key: int) -> tuple[int, Any] | None:
        return self.at(shard, key, (1 << 64) - 1)

    def learn(self, commit: Commit, env: Environment | None = None) -> None:
        """A commit of another process; perhaps one that the data shard had when this image was read from it.

        `env`: whose conflict index is to be told, if the commit's marks do not.
        """
        for shard, writes in commit.writes.items():
            for rid, row in writes.inserts:
                if (shard, rid) in self.keys_by_rid:
                    continue
                self.put(shard, row[0], rid, value_of(row), commit.ts)
                if env is not None:
                    env.conflicts.record(shard, row[0], commit.ts)
            for rid in writes.deletes:
                key = self.keys_by_rid[(shard, rid)]
                self.delete_rid(shard, rid, commit.ts)
                if env is not None:
                    env.conflicts.record(shard, key, commit.ts)
