"""A storage world in memory, deterministic: what the room's tests are played in."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

import pyarrow as pa

from storage.abc import Determinate, Indeterminate, ShardId
from storage.blob import MemoryBlob
from storage.consensus import MemoryConsensus
from storage.parts import PartLimits, inline_offload
from storage.shard import LogLimits, Shard

AB = pa.schema([("a", pa.int64()), ("b", pa.string())])


class ManualClock:
    """Time passes when a test says so."""

    def __init__(self, us: int = 1_000_000_000_000_000) -> None:
        self.us = us

    def now_us(self) -> int:
        return self.us


class Crash(BaseException):
    """The process is gone: nothing after this line runs in it."""


class Script:
    """Faults by the count of calls: `plan[n]` is what happens at the n-th hook."""

    def __init__(self, plan: dict[int, BaseException] | None = None) -> None:
        self.plan = plan or {}
        self.calls = 0
        self.log: list[str] = []

    def _step(self, what: str) -> None:
        self.calls += 1
        self.log.append(what)
        error = self.plan.get(self.calls)
        if error is not None:
            raise error

    async def before(self, op: str, shard: ShardId) -> None:
        await asyncio.sleep(0)
        self._step(f"before {op}")

    async def after(self, op: str, shard: ShardId) -> None:
        await asyncio.sleep(0)
        self._step(f"after {op}")

    def before_now(self, op: str, shard: ShardId) -> None:
        self._step(f"before {op}")

    def after_now(self, op: str, shard: ShardId) -> None:
        self._step(f"after {op}")


def lost() -> Indeterminate:
    return Indeterminate("the answer was lost")


def refused() -> Determinate:
    return Determinate("no connection")


@dataclass(slots=True)
class World:
    """One consensus and one blob store; each `open` is another process's handle."""

    clock: ManualClock = field(default_factory=ManualClock)
    consensus: MemoryConsensus = field(default_factory=MemoryConsensus)
    blob: MemoryBlob = field(default_factory=MemoryBlob)
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    part_limits: PartLimits = field(default_factory=PartLimits)
    log_limits: LogLimits = field(default_factory=LogLimits)

    def __post_init__(self) -> None:
        self.blob.clock = self.clock

    def fail(self, script: Script | None) -> None:
        self.consensus.faults = script
        self.blob.faults = script

    async def open(self, shard: ShardId = "s", schema: pa.Schema | None = None) -> Shard:
        return await Shard.open(
            shard,
            blob=self.blob,
            consensus=self.consensus,
            clock=self.clock,
            rng=self.rng,
            schema=schema,
            offload=inline_offload,
            part_limits=self.part_limits,
            log_limits=self.log_limits,
        )


async def contents(shard: Shard, as_of: int) -> dict[int, tuple[object, ...]]:
    """The shard as of a time, as {rid: row}; a row id met twice is a failure."""
    found: dict[int, tuple[object, ...]] = {}
    for row in (await shard.read(as_of)).to_pylist():
        rid = row.pop("_rid")
        assert rid not in found, f"row {rid} is there twice"
        found[rid] = tuple(row.values())
    return found
