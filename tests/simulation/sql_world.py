"""A world whose clients speak SQL: real sessions of real executors, on the simulated loop, with the misfortunes of `faults`.

    clients     blocks at one isolation level, or each at its own: keyed statements and queries of the whole table, upserts,
                rows locked FOR UPDATE, savepoints that are rolled back, updates of all rows that go the way of millions;
                in some worlds advisory locks around the blocks, in some what applications put around a few rows (`shapes`)
    servers     one that leads, and a new one when it dies; or several on one log, some of which are stalled now and then
    threads     there are none: what DuckDB and the sorter are asked is done in one piece, some drawn time later

What the clients did and were told is a history of list appends as `tests.histories` records it from servers, and the same
checker judges it. Afterwards two servers without misfortune read all lists, from the log and then from what was applied of it.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field, replace

from executor.abc import ExecutionError
from executor.executor import Executor
from executor.limits import ExecutorLimits
from storage.abc import StorageError
from storage.blob import MemoryBlob
from storage.parts import PartLimits, inline_offload
from tests.executor.shared import Follower
from tests.executor.sql import Client, Failed, sqlstate
from tests.histories.checker import EXCLUDED, check
from tests.histories.history import Append, History, Key, Read, Txn, Value
from tests.simulation import shapes
from tests.simulation.advisory import LOST, Held, held_at_once, take
from tests.simulation.faults import ArchivedConsensus, BlobDoor, ConsensusDoor, Crash, Odds, Process
from tests.simulation.loop import SimLoop, simulate
from txn.abc import TxnError
from txn.environment import Environment
from txn.limits import Limits
from txn.shared import SharedEnvironment

ROWS = 4
LEVELS = tuple(EXCLUDED)
INDEXED = (
    "ALTER TABLE lists ADD COLUMN g int GENERATED ALWAYS AS (k % 2) STORED",
    "CREATE INDEX ON lists (g)",
)
"""For worlds with `shapes`."""
REFUSED = ("40001", "40P01", "55P03", "25P04")
"""SQLSTATEs of those who lost a race; they are sure that nothing happened."""


@dataclass
class SqlScenario:
    """What a seed makes of a run. `level` is empty where each transaction has its own."""

    seed: int
    level: str = "strict serializable"
    servers: int = 1
    clients: int = 4
    transactions: int = 12
    synchronous: bool = True
    odds: Odds = field(default_factory=Odds)
    thread_mean_s: float = 0.001
    guarded: float = 0.0
    """How many of the blocks take an advisory lock first, of 1."""
    stalls: int = 0
    shaped: float = 0.0
    """How many of the operations are of `shapes`, of 1."""

    @classmethod
    def of(cls, seed: int) -> SqlScenario:
        rng = random.Random(f"sql {seed}")
        harsh = rng.random()
        return cls(
            seed,
            level=rng.choice(("strict serializable", *LEVELS, "")),
            servers=rng.choice((1, 1, 2)),
            clients=rng.randint(2, 6),
            synchronous=rng.random() < 0.5,
            odds=Odds(
                delay_mean_s=rng.choice((0.0001, 0.002)),
                determinate=rng.choice((0.0, 0.02)) * harsh,
                lost=rng.choice((0.0, 0.05)) * harsh,
                crash=rng.choice((0.0, 0.002)),
            ),
            thread_mean_s=rng.choice((0.0, 0.001, 0.02)),
        )

    @classmethod
    def guarded_of(cls, seed: int) -> SqlScenario:
        """The same with advisory locks, and with servers that are stalled."""
        rng = random.Random(f"guarded {seed}")
        return replace(cls.of(seed), guarded=rng.choice((0.5, 0.9)), stalls=rng.choice((0, 2, 4)))

    @classmethod
    def shaped_of(cls, seed: int) -> SqlScenario:
        """The same with queries in queries, writes that look rows up, and queues."""
        rng = random.Random(f"shaped {seed}")
        return replace(cls.of(seed), shaped=rng.choice((0.4, 0.8)))


@dataclass(eq=False)
class SqlServer:
    process: Process
    env: Environment
    executor: Executor

    @property
    def usable(self) -> bool:
        return self.process.alive and self.env.closed_by is None

    def client(self) -> Client:
        kind = Follower if isinstance(self.env, SharedEnvironment) else Client
        return kind(self.executor.open_session("tidewire", "tidewire", {}))


class SqlWorld:
    def __init__(self, scenario: SqlScenario) -> None:
        self.scenario = scenario
        self.rng = random.Random(scenario.seed)
        self.consensus = ArchivedConsensus()
        self.blob = MemoryBlob()
        self.servers: list[SqlServer] = []
        self.txns: list[Txn] = []
        self.held: list[Held] = []
        self.claims: list[shapes.Claim] = []
        self.rows = ROWS
        self.now = self.next_value = 0
        self.done = False
        self.tasks: list[asyncio.Task[None]] = []

    def tick(self) -> float:
        self.now += 1
        return float(self.now)

    # --- servers -----------------------------------------------------------------------------

    async def start(self, odds: Odds) -> SqlServer:
        """A new process; it is tried again until it lives through its own opening."""
        while True:
            process = Process(f"p{len(self.servers)}", random.Random(self.rng.random()), odds)
            opening = asyncio.ensure_future(self.open(process))
            await asyncio.wait([opening, process.dead], return_when=asyncio.FIRST_COMPLETED)
            if opening.done():
                try:
                    self.servers.append(opening.result())
                except (StorageError, TxnError):
                    process.die()
                else:
                    return self.servers[-1]
            opening.cancel()
            odds = Odds(odds.delay_mean_s, odds.determinate / 2, odds.lost / 2, odds.crash / 2)

    async def open(self, process: Process) -> SqlServer:
        shared = self.scenario.servers > 1
        env = await (SharedEnvironment if shared else Environment).open(
            blob=BlobDoor(self.blob, process),
            consensus=ConsensusDoor(self.consensus, process, synchronous=self.scenario.synchronous),
            clock=process.clock,
            rng=process.rng,
            limits=Limits(
                resolve_limit_s=self.rng.choice((0.05, 5.0)),
                apply_entries=12,
                rollup_entries=self.rng.choice((6, 15)),
                apply_idle_s=0.2,
                pass_s=0.01,
                member_lease_s=1.0,
            ),
            background=False,
            offload=inline_offload,
            monotonic_s=asyncio.get_running_loop().time,
            part_limits=PartLimits(inline_bytes_max=64),
        )
        limits = ExecutorLimits(stage_rows=ROWS, bulk_chunk_rows=2)
        return SqlServer(process, env, await Executor.open(env, limits=limits))

    async def background(self, server: SqlServer) -> None:
        env = server.env
        while not self.done and server.usable:
            await asyncio.sleep(0.01)
            if isinstance(env, SharedEnvironment):
                try:
                    if env.members.due:
                        await env.beat()
                    await env.lead()
                except (StorageError, TxnError):
                    continue  # tried again, or the committer is closed and this server is replaced
            await env.upkeep.work()
            await env.upkeep.maintain()

    async def reign(self) -> None:
        """There are always as many servers as there should be, and where there are several one is stalled now and then."""
        stalls = self.scenario.stalls if self.scenario.servers > 1 else 0
        while not self.done:
            if stalls and self.rng.random() < 0.1:
                stalls -= 1
                self.rng.choice(self.servers).process.stall(self.rng.choice((0.1, 0.5, 3.0)))
            if sum(s.usable for s in self.servers) < self.scenario.servers:
                server = await self.start(self.scenario.odds)
                self.tasks.append(asyncio.ensure_future(self.background(server)))
            await asyncio.sleep(0.02)

    # --- clients -----------------------------------------------------------------------------

    async def client(self) -> None:
        server: SqlServer | None = None
        for _ in range(self.scenario.transactions):
            await asyncio.sleep(self.rng.expovariate(1 / 0.01))
            while server is None or not server.usable:
                usable = [s for s in self.servers if s.usable]
                server = self.rng.choice(usable) if usable else None
                if server is None:
                    await asyncio.sleep(0.01)
                    continue
                client = server.client()
            attempt = Attempt(self, client, Txn(len(self.txns), []))
            self.txns.append(attempt.txn)
            attempt.txn.began_s = self.tick()
            work = asyncio.ensure_future(attempt.run())
            await asyncio.wait([work, server.process.dead], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
            else:
                work.cancel()
                attempt.gave_up("the process died")
            attempt.txn.ended_s = self.tick()
            if attempt.session_over:
                server = None

    # --- the run -----------------------------------------------------------------------------

    async def run(self) -> list[str]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimLoop)
        mean_s = self.scenario.thread_mean_s
        loop.work_s = lambda: self.rng.expovariate(1 / mean_s) if mean_s else 0.0
        first = (await self.start(Odds.none())).client()
        await first.query("CREATE TABLE lists (k int PRIMARY KEY, v text NOT NULL, w text NOT NULL)")
        await first.query(f"INSERT INTO lists SELECT k, '', '' FROM generate_series(0, {ROWS - 1}) g(k)")
        if self.scenario.shaped:
            for statement in (*shapes.TABLES, *INDEXED):
                await first.query(statement)
        self.servers[0].process.odds = self.scenario.odds
        self.tasks.append(asyncio.ensure_future(self.background(self.servers[0])))
        reign = asyncio.ensure_future(self.reign())
        await asyncio.gather(*(self.client() for _ in range(self.scenario.clients)))
        self.done = True
        await reign
        for task in self.tasks:  # those of the dead wait for ever
            task.cancel()
        for server in self.servers:
            server.process.die()
        await asyncio.sleep(60.0)  # requests still on their way arrive, too late for anybody to hear
        broken: list[str] = []
        for _ in range(2):
            broken += await self.read_all()
        problems = broken + [
            str(a) for a in check(History(self.txns), self.scenario.level or "read committed")
        ]
        problems += [t.error for t in self.txns if t.error.startswith("unexpected")]
        problems += held_at_once(self.held)
        reports = [
            r
            for r in loop.reports
            if not isinstance(r.get("exception"), Crash | StorageError | TxnError)
            and not r["message"].startswith("Task was destroyed")  # a dead process's, which waits for ever
        ]
        return problems + [f"report: {r}" for r in reports]

    async def read_all(self) -> list[str]:
        """A server that nothing happens to reads all lists by both engines; when it ends it has applied the log."""
        server = await self.start(Odds.none())
        client = server.client()
        for query in (
            "SELECT k, v, w FROM lists WHERE k = {}",
            "SELECT k, v, w FROM lists WHERE length(v) + k >= {}",
        ):
            txn = Txn(len(self.txns), [], began_s=self.tick())
            seen = {row for k in range(ROWS) for row in await client.rows(query.format(k))}
            txn.operations += [
                Read(int(str(k)) + n * ROWS, listed(r))
                for k, *rest in sorted(seen)
                for n, r in enumerate(rest)
            ]
            txn.ended_s = self.tick()
            self.txns.append(txn)
        broken: list[str] = []
        if self.scenario.shaped:
            serializable = self.scenario.level in ("serializable", "strict serializable")
            broken = await shapes.broken(self.claims, client, serializable=serializable)
        await server.executor.close()
        await server.env.close()
        return broken

    async def close(self) -> None:
        """What a process leaves to its machine when it dies, given back."""
        for server in self.servers:
            await server.executor.store.close()


def listed(text: object) -> tuple[Value, ...]:
    return tuple(int(x) for x in str(text).split(",") if x)


class Attempt:
    """One transaction of a client, as it goes."""

    def __init__(self, world: SqlWorld, client: Client, txn: Txn) -> None:
        self.world, self.client, self.txn, self.rng = world, client, txn, world.rng
        self.undone: list[Append] = []
        self.committing = self.session_over = False

    async def run(self) -> None:
        level = self.world.scenario.level or self.rng.choice(LEVELS)
        alone = self.rng.random() < 0.3
        try:
            await self.client.query(f"SET default_transaction_isolation = '{level}'")
            if alone:
                self.committing = True
                if self.world.scenario.shaped and self.rng.random() < self.world.scenario.shaped:
                    await shapes.operation(self)
                else:
                    await self.rng.choice((self.append, self.read, self.read_all, self.append_all))()
            else:
                await self.client.query("BEGIN")
                held = await self.guard()
                for _ in range(self.rng.randint(2, 4)):
                    await self.operation()
                    await asyncio.sleep(self.rng.expovariate(1 / 0.003))
                self.committing = True
                if held is not None:
                    held.until = self.world.tick()
                await self.client.query("COMMIT")
        except (Failed, ExecutionError, TxnError, StorageError) as failed:
            error = failed.error if isinstance(failed, Failed) else failed
            if sqlstate(error) in REFUSED:
                self.txn.outcome, self.txn.error = "fail", repr(error)
            elif isinstance(error, TxnError | StorageError):
                self.gave_up(repr(error))
            elif self.world.scenario.guarded and sqlstate(error) in LOST:
                self.gave_up(repr(error))
                self.session_over = True
            else:
                self.txn.outcome, self.txn.error = "unknown", f"unexpected {sqlstate(error)}: {error}"
            self.client.session.rollback()  # what ROLLBACK does, whatever else is out of order
        # What was rolled back to a savepoint is as if another had written it and failed.
        if self.undone:
            extra = Txn(len(self.world.txns), list(self.undone), "fail", self.txn.began_s, self.world.tick())
            self.world.txns.append(extra)

    def gave_up(self, error: str) -> None:
        """Without its COMMIT being sent, a block cannot have happened."""
        self.txn.outcome, self.txn.error = "unknown" if self.committing else "fail", error

    async def guard(self) -> Held | None:
        """In worlds where that is done: an advisory lock around the block."""
        guarded = self.world.scenario.guarded
        if not guarded or self.rng.random() >= guarded:
            return None
        lock, shared = await take(self.client.session, self.rng)
        self.world.held.append(Held(self.txn, lock, shared, self.world.tick()))
        return self.world.held[-1]

    async def operation(self) -> None:
        shaped = self.world.scenario.shaped
        if shaped and self.rng.random() < shaped:
            await shapes.operation(self)
            return
        kinds = [
            self.append,
            self.append,
            self.read,
            self.read,
            self.lock,
            self.read_all,
            self.savepoint,
            self.append_all,
        ]
        await self.rng.choice(kinds)()

    @staticmethod
    def listed(text: object) -> tuple[Value, ...]:
        return listed(text)

    def value(self) -> Value:
        self.world.next_value += 1
        return self.world.next_value

    def place(self) -> tuple[Key, str, int]:
        """A list, and the column and the row that it is in."""
        key = self.rng.randrange(2 * ROWS)
        return key, "vw"[key // ROWS], key % ROWS

    async def append(self) -> None:
        key, column, k = self.place()
        value = self.value()
        self.txn.operations.append(Append(key, value))
        if self.rng.random() < 0.3:
            await self.client.query(
                f"INSERT INTO lists VALUES ({k}, '', '') ON CONFLICT (k) DO UPDATE SET {column} = lists.{column} || '{value},'"
            )
        else:
            await self.client.query(f"UPDATE lists SET {column} = {column} || '{value},' WHERE k = {k}")

    async def append_all(self) -> None:
        """The column of every row: a bulk write, as far as the executor of this world is concerned."""
        column, value = self.rng.randrange(2), self.value()
        self.txn.operations += [Append(column * ROWS + k, value) for k in range(ROWS)]
        name = "vw"[column]
        await self.client.query(f"UPDATE lists SET {name} = {name} || '{value},'")

    async def read(self, suffix: str = "") -> None:
        key, column, k = self.place()
        read = Read(key)
        self.txn.operations.append(read)
        [(text,)] = await self.client.rows(f"SELECT {column} FROM lists WHERE k = {k}{suffix}")
        read.seen = listed(text)

    async def lock(self) -> None:
        await self.read(" FOR UPDATE")

    async def read_all(self) -> None:
        """By the other engine."""
        column = self.rng.randrange(2)
        reads = [Read(column * ROWS + k) for k in range(ROWS)]
        self.txn.operations += reads
        for k, text in await self.client.rows(
            f"SELECT k, {'vw'[column]} FROM lists WHERE length(v) + length(w) >= 0"
        ):
            reads[int(str(k))].seen = listed(text)

    async def savepoint(self) -> None:
        """Something is written that is taken back."""
        before = list(self.txn.operations)
        await self.client.query("SAVEPOINT s")
        await self.rng.choice((self.append, self.append_all))()
        if self.world.scenario.shaped:
            await self.rng.choice((shapes.append_to_one, shapes.append_by_index, shapes.append_from_another))(
                self
            )
        self.undone += [o for o in self.txn.operations if isinstance(o, Append) and o not in before]
        self.txn.operations = before
        await self.client.query("ROLLBACK TO s")


def run_sql_seed(seed: int) -> tuple[SqlWorld, list[str]]:
    """One world, from beginning to judgement."""
    return _run(SqlScenario.of(seed))


def run_guarded_seed(seed: int) -> tuple[SqlWorld, list[str]]:
    """One with advisory locks."""
    return _run(SqlScenario.guarded_of(seed))


def run_shaped_seed(seed: int) -> tuple[SqlWorld, list[str]]:
    """One with `shapes`."""
    return _run(SqlScenario.shaped_of(seed))


def _run(scenario: SqlScenario) -> tuple[SqlWorld, list[str]]:
    world = SqlWorld(scenario)
    try:
        return world, simulate(world.run(), turns_max=400_000)
    finally:
        simulate(world.close())


__all__ = ["SqlScenario", "SqlWorld", "run_guarded_seed", "run_shaped_seed", "run_sql_seed"]
