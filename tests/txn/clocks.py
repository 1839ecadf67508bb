"""A clock that tests set, and stores that they can reach into."""

from __future__ import annotations

import random
import time

import pyarrow as pa

from storage.blob import MemoryBlob
from storage.consensus import MemoryConsensus
from txn.environment import Environment
from txn.limits import Limits

SCHEMA = pa.schema([("key", pa.int64()), ("value", pa.string())]).serialize().to_pybytes()
WIDER = (
    pa.schema([("key", pa.int64()), ("value", pa.string()), ("more", pa.int64())]).serialize().to_pybytes()
)


class SetClock:
    """Stands still until it is set; microseconds."""

    def __init__(self, now_us: int = 1) -> None:
        self.now = now_us

    def now_us(self) -> int:
        return self.now


class Stores:
    """One environment's consensus and blob, which outlive the processes that open them."""

    def __init__(self, *, synchronous: bool = True) -> None:
        self.clock = SetClock(1_000)
        self.passed_s = 0.0  # besides what has really passed, by the clock that nobody sets
        self.blob = MemoryBlob(clock=self.clock)
        self.consensus = MemoryConsensus(synchronous=synchronous)

    async def open(self, seed: int = 0, limits: Limits | None = None) -> Environment:
        return await Environment.open(
            blob=self.blob,
            consensus=self.consensus,
            clock=self.clock,
            rng=random.Random(seed),
            limits=limits,
            background=False,
            monotonic_s=lambda: time.perf_counter() + self.passed_s,
        )
