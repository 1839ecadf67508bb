"""YCSB+T in this process: transactions of 1 or 10 keys through the Python API of `txn/`, beside SlateDB's Python binding.

    each key of a transaction      read, or (every second one) read and written again with its counter one higher
    keys                           of 20,000 rows of 100 bytes; uniform, or zipfian with 0.99
    isolation                      snapshot (repeatable read), serializable
    durable                        acknowledged when the log has it on disk: a log file here, files with a flush every
                                   millisecond there (which it does not fsync); else neither waits (this log is in memory then)

32 transactions are under way at a time, on one event loop. What is refused counts as nothing. At the end every counter that
is looked at must be the number of its acknowledged increments. `txn/` knows no rows: a dictionary of versions stands for the images of the executor.

The curve is the cost of a commit whose snapshot is so many commits old.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import statistics
import tempfile
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import uvloop

from bench.peers import Peer
from bench.workload import NOTED, Curve, Workload, at_least, at_most
from txn import Environment, Group, Isolation, SerializationFailure, Transaction
from txn.write_buffer import WriteBuffer

ROWS = 20_000
PAYLOAD = b"x" * 92
CLIENTS = 32
CHOICES = 20_011
CHECKED = 1_000
"""Keys whose counters are looked at in the end, of those that were written."""
BATCH = 1_000
ZIPF = 0.99
SHARD = "t1"
AGES = (1_000, 10_000, 100_000, 1_000_000)
Version = tuple[int, int, tuple[Any, ...]]
"""Of a row here: its timestamp, row id, and values."""
SLATEDB_AGE_MAX = 10_000
"""Beyond that it takes minutes to get there."""


class Store(ABC):
    """What both sides can do."""

    @abstractmethod
    async def load(self, rows: int) -> None: ...

    @abstractmethod
    async def transact(self, reads: Sequence[int], increments: Sequence[int]) -> bool:
        """Reads all, adds one to the counters of `increments`. False: refused, nothing happened."""

    @abstractmethod
    async def count(self, key: int) -> int:
        """A key's counter."""

    @abstractmethod
    async def close(self) -> None: ...


class TidewireStore(Store):
    """An environment, and the versions of its rows: key -> (timestamp, row id, row), oldest first."""

    KEPT = 16

    def __init__(self, environment: Environment, isolation: Isolation) -> None:
        self.environment, self.isolation = environment, isolation
        self.notes_reads = isolation is not Isolation.REPEATABLE_READ
        self.versions: dict[int, list[Version]] = {}
        self.group_ts = self.oldest = 0
        """The group that is being admitted, and the oldest snapshot that anybody had when it began."""
        self.put_keys: list[int] = []
        """Keys of its new versions."""

    @classmethod
    async def open(
        cls, folder: Path, isolation: str, durable: bool, background: bool = True
    ) -> TidewireStore:
        stores = (folder.as_uri(), f"log:///{folder}/consensus.log")
        blob, consensus = stores if durable else ("memory://", "memory://")
        environment = await Environment.open(blob=blob, consensus=consensus, background=background)
        schema = pa.schema([("key", pa.int64()), ("count", pa.int64()), ("payload", pa.binary())])
        await environment.register({SHARD: schema.serialize().to_pybytes()})
        level = Isolation.REPEATABLE_READ if isolation == "snapshot" else Isolation.STRICT_SERIALIZABLE
        return cls(environment, level)

    async def load(self, rows: int) -> None:
        for first in range(0, rows, BATCH):
            transaction = self.begin(writes=True)
            for key in range(first, min(rows, first + BATCH)):
                self.insert(transaction, key)
            await transaction.commit()

    def begin(self, *, writes: bool) -> Transaction:
        transaction = self.environment.begin(self.isolation)
        if writes:
            transaction.on_apply = partial(self.apply, transaction.writes)
        return transaction

    def get(self, transaction: Transaction, key: int) -> Version:
        """The version that the transaction sees."""
        versions = self.versions[key]
        read_ts, newest = transaction.read_ts, versions[-1]
        if newest[0] <= read_ts:
            return newest
        for version in reversed(versions):
            if version[0] <= read_ts:
                return version
        raise AssertionError(f"no version of {key} at {read_ts}")

    def insert(self, transaction: Transaction, key: int) -> None:
        transaction.insert(SHARD, key, self.environment.rids.next(), (key, 0, PAYLOAD))

    def increment(self, transaction: Transaction, key: int) -> None:
        _, rid, row = self.get(transaction, key)
        transaction.replace(SHARD, key, rid, self.environment.rids.next(), (key, row[1] + 1, PAYLOAD))

    def apply(self, writes: WriteBuffer, group: Group) -> None:
        """A transaction is admitted: its versions are put where who begins after the group finds them."""
        ts, all_versions = group.ts, self.versions
        if ts != self.group_ts:
            self.group_ts, self.oldest, self.put_keys = ts, self.environment.holds.oldest(ts), []
            group.undo(self.undo)
        for key, new in writes.shards[SHARD].by_key.items():
            assert new is not None
            versions = all_versions.get(key)
            if versions is None:
                versions = all_versions[key] = []
            versions.append((ts, *new))
            if len(versions) > self.KEPT:
                while len(versions) > 1 and versions[1][0] <= self.oldest:
                    del versions[0]
            self.put_keys.append(key)

    def undo(self) -> None:
        """The group will not be: the same timestamp may come again."""
        for key in reversed(self.put_keys):
            self.versions[key].pop()
        self.group_ts, self.put_keys = 0, []

    async def transact(self, reads: Sequence[int], increments: Sequence[int]) -> bool:
        transaction = self.begin(writes=bool(increments))
        if self.notes_reads:
            transaction.reads.points(SHARD, (*reads, *increments))
        for key in reads:
            self.get(transaction, key)
        for key in increments:
            self.increment(transaction, key)
        try:
            await transaction.commit()
        except SerializationFailure:
            return False
        return True

    async def count(self, key: int) -> int:
        return int(self.versions[key][-1][2][1])

    async def close(self) -> None:
        self.environment.abandon()
        await self.environment.consensus.close()


class SlateStore(Store):
    """A SlateDB database: keys of 8 bytes, values of a counter and the payload."""

    def __init__(self, db: Any, library: Any, isolation: str, durable: bool) -> None:
        self.db, self.library, self.durable = db, library, durable
        levels = library.IsolationLevel
        self.isolation = levels.SNAPSHOT if isolation == "snapshot" else levels.SERIALIZABLE_SNAPSHOT

    @classmethod
    async def open(cls, folder: Path, isolation: str, durable: bool) -> SlateStore:
        from slatedb import uniffi

        url, path = ("file:///", f"{folder}/ycsbt".lstrip("/")) if durable else ("memory:///", "ycsbt")
        settings = uniffi.Settings.default()
        if durable:
            settings.set("flush_interval", '"1ms"')
        builder = uniffi.DbBuilder(path, uniffi.ObjectStore.resolve(url))
        builder.with_settings(settings)
        return cls(await builder.build(), uniffi, isolation, durable)

    @staticmethod
    def key(number: int) -> bytes:
        return number.to_bytes(8, "big")

    @staticmethod
    def value(count: int) -> bytes:
        return count.to_bytes(8, "big") + PAYLOAD

    async def load(self, rows: int) -> None:
        for first in range(0, rows, BATCH):
            batch = self.library.WriteBatch()
            for number in range(first, min(rows, first + BATCH)):
                batch.put(self.key(number), self.value(0))
            await self.db.write(batch)
        await self.db.flush()

    async def transact(self, reads: Sequence[int], increments: Sequence[int]) -> bool:
        transaction = await self.db.begin(self.isolation)
        try:
            for number in reads:
                assert await transaction.get(self.key(number)) is not None
            for number in increments:
                found = await transaction.get(self.key(number))
                await transaction.put(self.key(number), self.value(int.from_bytes(found[:8], "big") + 1))
            handle = await transaction.commit()
        except self.library.Error.Transaction:
            return False
        if self.durable and handle is not None:
            await handle.await_durable()
        return True

    async def count(self, key: int) -> int:
        return int.from_bytes((await self.db.get(self.key(key)))[:8], "big")

    async def close(self) -> None:
        await self.db.shutdown()


OPEN: dict[str, Any] = {"tidewire": TidewireStore.open, "slatedb": SlateStore.open}


def chooser(distribution: str, rng: random.Random) -> Callable[[int], list[int]]:
    """So many distinct keys. Zipfian ones are scattered over the key space, as YCSB does it."""
    if distribution == "uniform":
        return lambda count: rng.sample(range(ROWS), count)
    weights = list(accumulate(1 / (rank + 1) ** ZIPF for rank in range(ROWS)))
    places = list(range(ROWS))
    random.Random(7).shuffle(places)

    def zipfian(count: int) -> list[int]:
        found: dict[int, None] = {}
        while len(found) < count:
            found[rng.choices(places, cum_weights=weights)[0]] = None
        return list(found)

    return zipfian


def _asked(keys: int, distribution: str) -> list[tuple[list[int], list[int]]]:
    """What transactions read only, and what they increment: every second key of each, of one key every second time."""
    choose = chooser(distribution, random.Random(42))
    choices = [choose(keys) for _ in range(CHOICES)]
    asked = []
    for turn in range(2 * CHOICES):  # an odd number, so that each is asked both ways
        chosen, first = choices[turn % CHOICES], turn % 2
        asked.append((chosen[1 - first :: 2], chosen[first::2]))
    return asked


async def _measured(store: Store, keys: int, distribution: str, seconds: float) -> tuple[float, float]:
    """Transactions per second, and the share of those refused."""
    await store.load(ROWS)
    asked = _asked(keys, distribution)  # beforehand: it is nobody's work that is measured
    refused = turn = 0
    acknowledged: list[Sequence[int]] = []
    end_s = time.perf_counter() + seconds

    async def client() -> None:
        nonlocal refused, turn
        while time.perf_counter() < end_s:
            turn += 1
            reads, half = asked[turn % len(asked)]
            if await store.transact(reads, half):
                acknowledged.append(half)
            else:
                refused += 1
                await asyncio.sleep(0)

    start_s = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    took_s = time.perf_counter() - start_s
    done, increments = len(acknowledged), Counter(chain.from_iterable(acknowledged))
    for key, expected in list(increments.items())[:CHECKED]:
        found = await store.count(key)
        assert found == expected, f"key {key}: {found} increments for {expected} acknowledged"
    return done / took_s, refused / max(1, done + refused)


def _transactions(
    keys: int, distribution: str, isolation: str, durable: bool
) -> Callable[[Peer, float], float]:
    async def measure(peer: Peer, seconds: float, folder: Path) -> float:
        store: Store = await OPEN[peer.name](folder, isolation, durable)
        try:
            rate, refused = await _measured(store, keys, distribution, seconds)
        finally:
            await store.close()
        if refused > 0.005:
            NOTED.lines.append(f"{peer.name}: {refused:.0%} refused")
        return rate

    def run(peer: Peer, seconds: float) -> float:
        folder = Path(tempfile.mkdtemp(prefix="tidewire-bench-ycsbt-"))
        try:
            return float(uvloop.run(measure(peer, seconds, folder)))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return run


# --- the cost of an old snapshot -----------------------------------------------------------------

TRIES = 7


async def _tidewire_ages(folder: Path) -> list[tuple[float, float]]:
    store = await TidewireStore.open(folder, "serializable", durable=False, background=False)
    await store.load(BATCH)
    old = [store.begin(writes=True) for _ in range(TRIES * len(AGES))]
    for number, transaction in enumerate(old):
        if store.notes_reads:
            transaction.reads.points(SHARD, (number,))
        store.increment(transaction, number)
    points, commits = [], 0
    for age in AGES:
        while commits < age:
            waiting = []
            for _ in range(min(BATCH, age - commits)):
                transaction = store.begin(writes=True)
                store.insert(transaction, BATCH + commits)
                waiting.append(asyncio.ensure_future(transaction.commit()))
                commits += 1
            await asyncio.gather(*waiting)
        taken_s = []
        for _ in range(TRIES):
            transaction = old.pop(0)
            start_s = time.perf_counter()
            await transaction.commit()
            taken_s.append(time.perf_counter() - start_s)
        points.append((float(age), statistics.median(taken_s) * 1e6))
    await store.close()
    return points


async def _slatedb_ages(folder: Path) -> list[tuple[float, float]]:
    store = await SlateStore.open(folder, "serializable", durable=False)
    await store.load(BATCH)
    ages = [age for age in AGES if age <= SLATEDB_AGE_MAX]
    old = [await store.db.begin(store.isolation) for _ in range(TRIES * len(ages))]
    for number, transaction in enumerate(old):
        await transaction.get(store.key(number))
        await transaction.put(store.key(number), store.value(1))
    points, commits = [], 0
    for age in ages:
        while commits < age:
            transaction = await store.db.begin(store.isolation)
            await transaction.put(store.key(BATCH + commits), store.value(0))
            await transaction.commit()
            commits += 1
        taken_s = []
        for _ in range(TRIES):
            transaction = old.pop(0)
            start_s = time.perf_counter()
            await transaction.commit()
            taken_s.append(time.perf_counter() - start_s)
        points.append((float(age), statistics.median(taken_s) * 1e6))
    await store.close()
    return points


def _ages(peer: Peer, seconds: float) -> Curve:
    folder = Path(tempfile.mkdtemp(prefix="tidewire-bench-ages-"))
    try:
        points = uvloop.run((_tidewire_ages if peer.name == "tidewire" else _slatedb_ages)(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    growth = points[-1][1] / points[0][1]
    return Curve(growth, "commits since the snapshot", "microseconds for a commit", {"": points})


def workloads() -> list[Workload]:
    found = [
        Workload(
            f"YCSB+T {keys} key{'s' if keys > 1 else ''}, {distribution}, {isolation}, {'durable' if durable else 'not durable'}",
            "tps",
            _transactions(keys, distribution, isolation, durable),
            aims=at_least(10.0, "slatedb"),
            peers=("tidewire", "slatedb"),
            profiled="here",
            quick=(keys, distribution, isolation) == (10, "zipf", "serializable"),
        )
        for durable in (True, False)
        for isolation in ("snapshot", "serializable")
        for distribution in ("uniform", "zipf")
        for keys in (1, 10)
    ]
    found.append(
        Workload(
            "conflict check of a snapshot 1M commits old, over that of one 1,000 old",
            "times",
            _ages,
            aims=at_most(1.5),
            lower_is_better=True,
            peers=("tidewire", "slatedb"),
            profiled="here",
            quick=False,
            rounds=1,
        )
    )
    return found
