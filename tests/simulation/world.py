"""A world of processes, clients and misfortune, run from one seed.

    clients     autocommit increments (evaluated at admission), interactive transactions at several
                levels, with locks, refresh, savepoints, range reads; read-only snapshots; new tables;
                most of them read and write one of a row's two columns
    processes   one leader; another takes over when it dies, or while it lives and does not know yet
    misfortune  delays, determinate failures, lost answers, deaths, clocks that jump

Everything that a client was told goes into the history, and the log's archive is the truth.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

import pyarrow as pa

from storage.abc import StorageError
from storage.blob import MemoryBlob
from storage.parts import PartLimits, inline_offload
from storage.shard.log import LogLimits
from tests.simulation.faults import ArchivedConsensus, BlobDoor, ConsensusDoor, Crash, Odds, Process
from tests.simulation.history import COLUMNS, Cell, Op, Truth, check
from tests.simulation.image import Image, value_of
from tests.simulation.loop import simulate
from txn.abc import Commit, CommitUnknown, Group, Isolation, Key, TxnError
from txn.columns import ALL_COLUMNS, THE_ROW, Columns, column
from txn.environment import Environment
from txn.limits import Limits
from txn.locks import LockMode
from txn.transaction import Transaction
from txn.txns_shard import SHARD

SCHEMA = (
    pa.schema([("key", pa.int64()), ("left", pa.int64()), ("right", pa.int64())]).serialize().to_pybytes()
)
TABLES = ("t0", "t1")
KEYS = 6


@dataclass
class Scenario:
    """What a seed makes of a run."""

    seed: int
    clients: int = 5
    ops_per_client: int = 14
    synchronous: bool = True
    odds: Odds = field(default_factory=Odds)
    takeovers: int = 0
    clock_jump_us: int = 0

    @classmethod
    def of(cls, seed: int) -> Scenario:
        rng = random.Random(seed)
        harsh = rng.random()
        return cls(
            seed,
            clients=rng.randint(1, 7),
            synchronous=rng.random() < 0.5,
            odds=Odds(
                delay_mean_s=rng.choice((0.0001, 0.002, 0.02)),
                determinate=rng.choice((0.0, 0.02, 0.1)) * harsh,
                lost=rng.choice((0.0, 0.05, 0.2)) * harsh,
                crash=rng.choice((0.0, 0.005, 0.02)),
            ),
            takeovers=rng.choice((0, 0, 1, 3)),
            clock_jump_us=rng.choice((0, 0, 5_000_000)),
        )


def row_of(name: str) -> tuple[str, int]:
    """The shard and the place of the column that a cell's name stands for."""
    for i, suffix in enumerate(COLUMNS):
        if suffix and name.endswith(suffix):
            return name.removesuffix(suffix), i
    return name, 0


class Server:
    """A process and the environment and image that live in it."""

    def __init__(self, process: Process, env: Environment, image: Image) -> None:
        self.process, self.env, self.image = process, env, image

    @property
    def usable(self) -> bool:
        return self.process.alive and self.env.closed_by is None


class World:
    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.rng = random.Random(scenario.seed)
        self.consensus = ArchivedConsensus()
        self.blob = MemoryBlob()
        self.history: list[Op] = []
        self.servers: list[Server] = []
        self.problems: list[str] = []
        self.now = 0
        self.next_value = 1
        self.admissions = 0
        self.forgets_failed = 0
        self.processes: list[Process] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.done = False

    def tick(self) -> int:
        self.now += 1
        return self.now

    def cell(self, *, shard: str = "", key: int = -1) -> Cell:
        """Some column of some row."""
        shard = shard or self.rng.choice(TABLES)
        return shard + self.rng.choice(COLUMNS), self.rng.randrange(KEYS) if key < 0 else key

    def value(self) -> int:
        self.next_value += 1
        return self.next_value

    # --- processes ---------------------------------------------------------------------------

    async def start(self, odds: Odds) -> Server:
        """A new process takes over; it is tried again until it lives through its own opening."""
        attempts = 0
        while True:
            attempts += 1
            if attempts % 20 == 0:  # even a bad day has its better hours
                odds = Odds(odds.delay_mean_s, odds.determinate / 2, odds.lost / 2, odds.crash / 2)
            process = Process(f"p{len(self.servers)}", random.Random(self.rng.random()), odds)
            self.processes.append(process)
            if self.scenario.clock_jump_us and odds.crash:
                process.clock.error_us = self.rng.randint(0, self.scenario.clock_jump_us)
            opening = asyncio.ensure_future(self._open(process))
            await asyncio.wait([opening, process.dead], return_when=asyncio.FIRST_COMPLETED)
            if opening.done():
                try:
                    server = opening.result()
                except (StorageError, TxnError):
                    process.die()
                    continue
                self.servers.append(server)
                return server
            opening.cancel()

    async def _open(self, process: Process) -> Server:
        env = await Environment.open(
            blob=BlobDoor(self.blob, process),
            consensus=ConsensusDoor(self.consensus, process, synchronous=self.scenario.synchronous),
            clock=process.clock,
            rng=process.rng,
            limits=Limits(
                resolve_limit_s=self.rng.choice((0.05, 5.0)),
                rid_block=16,
                apply_entries=12,
                rollup_entries=self.rng.choice((6, 15)),
                apply_idle_s=0.2,
                pass_s=0.01,
                since_step_s=0.5,
                retention_s=3600.0,
                group_max=self.rng.choice((2, 4096)),
                oracle_window_us=self.rng.choice((1_000, 1_000_000)),
            ),
            background=False,
            offload=inline_offload,
            monotonic_s=asyncio.get_running_loop().time,
            part_limits=PartLimits(inline_bytes_max=self.rng.choice((64, 65536))),
            log_limits=LogLimits(rollup_entries=8),
        )
        image = Image()
        server = Server(process, env, image)

        def learn(commit: Commit) -> None:
            image.learn(commit, env)

        env.on_commit.append(learn)
        await image.hydrate(env)
        return server

    async def background(self, server: Server) -> None:
        while not self.done and server.usable:
            await asyncio.sleep(0.01)
            await server.env.upkeep.work()
            await server.env.upkeep.maintain()

    async def reign(self) -> None:
        """There is always a leader, and now and then one too many."""
        takeovers = self.scenario.takeovers
        while not self.done:
            server = await self.start(self.scenario.odds)
            self.tasks.append(asyncio.ensure_future(self.background(server)))
            patience = self.rng.uniform(0.1, 2.0) if takeovers else 1e9
            while not self.done and server.usable and patience > 0:
                await asyncio.sleep(0.02)
                patience -= 0.02
                if self.scenario.clock_jump_us and self.rng.random() < 0.05:
                    jump = self.scenario.clock_jump_us
                    server.process.clock.error_us += self.rng.randint(-jump, jump)
            if patience <= 0:
                takeovers -= 1  # the old one goes on, not knowing

    # --- clients -----------------------------------------------------------------------------

    async def client(self) -> None:
        for _ in range(self.scenario.ops_per_client):
            await asyncio.sleep(self.rng.expovariate(1 / 0.02))
            while not any(s.usable for s in self.servers):
                await asyncio.sleep(0.01)
            server = self.rng.choice([s for s in self.servers if s.usable])
            kind = self.rng.choice(("increment", "increment", "transfer", "transfer", "read", "phantom"))
            if self.rng.random() < 0.04:
                kind = "create"
            op = Op(len(self.history), kind, server.process.name, begin=self.tick())
            self.history.append(op)
            work = asyncio.ensure_future(getattr(self, f"do_{kind}")(server, op))
            await asyncio.wait([work, server.process.dead], return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                work.cancel()
                op.error = "the process died"
                continue  # unknown: nobody was told anything
            try:
                work.result()
                op.outcome = "ok"
            except CommitUnknown as error:
                op.error = repr(error)
            except (TxnError, StorageError) as error:
                op.outcome, op.error = "failed", repr(error)
            op.end = self.tick()

    async def do_increment(self, server: Server, op: Op) -> None:
        """Autocommit: reads the newest version at admission, so it never conflicts."""
        member = Increment(self, server, op, self.cell())
        server.env.committer.submit(member)
        op.commit_ts = await member.future

    async def do_transfer(self, server: Server, op: Op) -> None:
        """Interactive: reads some keys, writes some of them, with a savepoint in between at times."""
        rng, env = self.rng, server.env
        op.level = rng.choice(list(Isolation))
        txn = env.begin(op.level)
        try:
            keys = rng.choice((2, KEYS))  # at times so few that cells are columns of one row
            cells = rng.sample(
                [(t + c, k) for t in TABLES for c in COLUMNS for k in range(keys)], rng.randint(1, 4)
            )
            writing = cells[: rng.randint(1, len(cells))]
            if rng.random() < 0.5:
                for name, key in writing:
                    if await env.locks.lock(txn, row_of(name)[0], key, LockMode.UPDATE, timeout_s=1.0):
                        txn.refresh()
            for cell in cells:
                self.read(server, txn, op, cell)
                await asyncio.sleep(rng.expovariate(1 / 0.005))
            for cell in writing:
                if rng.random() < 0.2:
                    txn.savepoint("s")
                    before = dict(op.writes)
                    self.write(server, txn, op, cell)
                    txn.rollback_to("s")
                    op.writes = before
                self.write(server, txn, op, cell)
            await self.commit(server, txn, op)
        finally:
            txn.rollback()

    async def do_phantom(self, server: Server, op: Op) -> None:
        """Reads a column of a range, empty or not, and inserts or updates a key in it."""
        txn = server.env.begin(Isolation.SERIALIZABLE)
        try:
            name, low = self.cell()
            high = self.rng.randrange(low, KEYS)
            shard, index = row_of(name)
            txn.reads.range(shard, low, high, THE_ROW | column(1 + index))
            op.ranges.append((name, low, high))
            for key in range(low, high + 1):
                found = server.image.at(shard, key, txn.read_ts)
                op.reads[(name, key)] = found[1][index] if found else None
            await asyncio.sleep(self.rng.expovariate(1 / 0.01))
            self.write(server, txn, op, self.cell(shard=shard, key=self.rng.randint(low, high)))
            await self.commit(server, txn, op)
        finally:
            txn.rollback()

    async def do_read(self, server: Server, op: Op) -> None:
        """A snapshot of several keys over some time, confirmed if there may be another leader."""
        txn = server.env.begin(read_only=True)
        try:
            op.read_ts = txn.read_ts
            for shard in TABLES:
                for key in range(KEYS):
                    found = server.image.at(shard, key, txn.read_ts)
                    for i, c in enumerate(COLUMNS):
                        op.reads[(shard + c, key)] = found[1][i] if found else None
                await asyncio.sleep(self.rng.expovariate(1 / 0.01))
            if len(self.servers) > 1 or self.scenario.takeovers:
                await server.env.confirm_leadership()
            await txn.commit()
        finally:
            txn.rollback()

    async def do_create(self, server: Server, op: Op) -> None:
        """A new table and its first row in one transaction; some tables are dropped again."""
        txn = server.env.begin()
        try:
            shard = f"n{op.id}"
            txn.register(shard, SCHEMA)
            self.write(server, txn, op, (shard, 0))
            await self.commit(server, txn, op)
        finally:
            txn.rollback()
        if self.rng.random() < 0.5:
            try:
                await server.env.forget(shard)
            except (StorageError, TxnError):
                self.forgets_failed += 1  # the row was committed all the same

    def read(self, server: Server, txn: Transaction, op: Op, cell: Cell) -> None:
        (shard, index), key = row_of(cell[0]), cell[1]
        txn.new_statement()
        txn.reads.point(shard, key, THE_ROW | column(1 + index))
        found = server.image.at(shard, key, txn.read_ts)
        op.reads[cell] = found[1][index] if found else None

    def write(self, server: Server, txn: Transaction, op: Op, cell: Cell) -> None:
        (shard, index), key = row_of(cell[0]), cell[1]
        txn.new_statement()
        own = txn.overlay(shard)
        mine = own.by_key.get(key) if own is not None else None
        found = (mine[0], mine[1][1:]) if mine is not None else server.image.at(shard, key, txn.read_ts)
        rid = server.env.rids.next()
        row, columns = self.written(op, shard, key, index, None if found is None else found[1])
        if found:
            txn.delete(shard, key, found[0], columns=columns)
        txn.insert(shard, key, rid, row, columns=columns)

    def written(
        self, op: Op, shard: str, key: Key, index: int, old: tuple[int, int] | None
    ) -> tuple[tuple[int, int, int], Columns]:
        """The row with a new value in a column (a new row: in all), noted in `op`; and the columns that this writes."""
        new = list(old or (0, 0))
        for i in range(len(new)) if old is None else (index,):
            cell = shard + COLUMNS[i], key
            new[i] = self.value()
            replaced = op.writes[cell][0] if cell in op.writes else None if old is None else old[i]
            op.writes[cell] = (replaced, new[i])
        return (key, new[0], new[1]), ALL_COLUMNS if old is None else column(1 + index)

    async def commit(self, server: Server, txn: Transaction, op: Op) -> None:
        op.read_ts = txn.read_ts
        image = server.image

        def apply(group: Group) -> None:
            self.admissions += 1
            op.order = self.admissions
            for shard, buffer in txn.writes.shards.items():
                for rid, row in buffer.inserts.items():
                    image.put(shard, row[0], rid, value_of(row), group.ts)

                    def undo(shard: str = shard, key: int = row[0], rid: int = rid) -> None:
                        image.undo(shard, key, rid)

                    group.undo(undo)

        txn.on_apply = apply
        op.commit_ts = await txn.commit()

    # --- the run -----------------------------------------------------------------------------

    async def run(self) -> list[str]:
        first = await self.start(Odds.none())
        await first.env.register(dict.fromkeys(TABLES, SCHEMA))
        await first.env.close()
        self.servers.clear()
        reign = asyncio.ensure_future(self.reign())
        await asyncio.gather(*(self.client() for _ in range(self.scenario.clients)))
        self.done = True
        reign.cancel()
        for server in self.servers:
            server.process.die()
        await asyncio.sleep(60.0)  # requests still on their way arrive, too late for anybody to hear
        self.scenario.synchronous = True
        judge = await self.start(Odds.none())
        truth = Truth.of(self.consensus.archive[SHARD])
        self.problems += check(self.history, truth)
        await self.compare_image(judge, truth, "after hydration")
        await judge.env.apply_le(judge.env.oracle.read_ts())
        await self.compare_data(judge, truth)
        image = Image()
        await image.hydrate(judge.env)
        await self.compare_image(Server(judge.process, judge.env, image), truth, "after applying")
        await judge.env.close()
        loop = asyncio.get_running_loop()
        for report in loop.reports:  # type: ignore[attr-defined]
            if not isinstance(report.get("exception"), Crash):
                self.problems.append(f"report: {report}")
        return self.problems

    async def compare_data(self, judge: Server, truth: Truth) -> None:
        times = [ts for ts, _ in truth.commits]
        for shard in judge.env.registered():
            data = await judge.env.shard(shard)
            for as_of in {data.upper - 1, *self.rng.sample(times, min(3, len(times)))}:
                if not data.since <= as_of < data.upper:
                    continue
                table = await data.read(as_of)
                rids, keys, *values = (c.to_pylist() for c in table.columns)
                found = dict(zip(rids, zip(keys, zip(*values, strict=True), strict=True), strict=True))
                if len(found) != table.num_rows or found != truth.rows(shard, as_of):
                    self.problems.append(f"data: {shard} at {as_of} is not what the log says")

    async def compare_image(self, server: Server, truth: Truth, when: str) -> None:
        times = [ts for ts, _ in truth.commits]
        since = server.env.holds.since
        for shard in server.env.registered():
            for as_of in {server.env.oracle.read_ts(), *self.rng.sample(times, min(3, len(times)))}:
                if as_of < since:
                    continue
                wanted = truth.rows(shard, as_of)
                for key in range(KEYS):
                    found = server.image.at(shard, key, as_of)
                    expected = next(((r, v) for r, (k, v) in wanted.items() if k == key), None)
                    if found != expected:
                        self.problems.append(
                            f"data: {when}, {shard} {key} at {as_of} is {found} and not {expected}"
                        )


class Increment:
    """A member that is evaluated at admission."""

    def __init__(self, world: World, server: Server, op: Op, cell: Cell) -> None:
        self.world, self.server, self.op, self.cell = world, server, op, cell
        self.future: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def admit(self, group: Group) -> None:
        world, image = self.world, self.server.image
        world.admissions += 1
        self.op.order = world.admissions
        (shard, index), key = row_of(self.cell[0]), self.cell[1]
        found = image.newest(shard, key)
        rid = self.server.env.rids.next()
        self.op.writes.clear()  # of an earlier admission
        row, columns = world.written(self.op, shard, key, index, found[1] if found else None)
        if found:
            group.delete(shard, found[0])
        group.insert(shard, rid, row)
        group.wrote(shard, key, columns)
        image.put(shard, key, rid, value_of(row), group.ts)
        group.undo(lambda: image.undo(shard, key, rid))

    def committed(self, ts: int) -> None:
        if not self.future.done():
            self.future.set_result(ts)

    def failed(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


def run_seed(seed: int) -> tuple[World, list[str]]:
    """One world, from beginning to judgement."""
    world = World(Scenario.of(seed))
    return world, simulate(world.run())
