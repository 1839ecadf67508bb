"""SQL without a wire: clients that speak the simple protocol to sessions of one in-process executor.

    async with Server() as server:
        print(await server.run("a", "select 1"))

In golden scripts:

    a: select ...           runs it as client `a`, and prints rows, notices, errors and the tag
    a: select ... &         runs it in the background; what comes at once is printed, else `...`
    a: wait                 the result of what runs in the background
    a: cancel               a cancel request for it
    a: quit                 the client goes away
    restart                 the process dies and another one opens the same environment
    stall                   from now on appends to the log wait
    go                      they go on, and later ones wait no more
    fail                    the one that waits fails: nothing happened
    lose                    the answer of the one that waits is lost, and so is every attempt to find out
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from typing import Any

from executor.abc import PENDING, CopyIn, CopyOut, PlanOutdated, Result, Rows, Stream
from executor.columnar.rows import batch_rows
from executor.executor import Executor
from executor.limits import ExecutorLimits
from executor.session.session import Session
from planner import types as t
from planner.abc import Plan, PlanError, ResultColumn, SqlError
from planner.catalog import user_types
from storage.abc import Datum, Indeterminate, StorageFull
from storage.consensus.memory import MemoryConsensus
from txn.abc import (
    CommitFailed,
    CommitUnknown,
    DeadlockDetected,
    LockNotAvailable,
    NoLongerCommitting,
    SerializationFailure,
    TransactionExpired,
    TxnError,
)
from txn.environment import Environment
from txn.limits import Limits
from txn.shared import LocksLost
from txn.txns_shard import SHARD as TXNS_SHARD

SQLSTATES: list[tuple[type[TxnError], str]] = [
    (SerializationFailure, "40001"),
    (DeadlockDetected, "40P01"),
    (LockNotAvailable, "55P03"),
    (TransactionExpired, "25P04"),
    (CommitUnknown, "08007"),
    (CommitFailed, "58030"),
    (NoLongerCommitting, "57P01"),
    (LocksLost, "57P01"),
]
BLOCKED_S = 0.15
"""A statement that has not answered after so long waits for somebody."""


def sqlstate(error: Exception) -> str:
    if isinstance(error, SqlError):
        return error.sqlstate
    return next((code for kind, code in SQLSTATES if isinstance(error, kind)), type(error).__name__)


def _masked(detail: str) -> str:
    """A detail without what is different each time: timestamps, and the numbers of transactions."""
    return re.sub(r"\b\d{15,}\b", "<ts>", re.sub(r"ransaction \d+", "ransaction N", detail))


class Failed(Exception):
    """A statement's error, as a client gets it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error
        self.sqlstate = sqlstate(error)


class Client:
    """One session and what it has running."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.background: asyncio.Task[str] | None = None

    async def query(self, text: str) -> list[tuple[str, list[tuple[Datum, ...]], tuple[ResultColumn, ...]]]:
        """(tag, rows, columns) of each statement of a query string. Raises Failed."""
        session = self.session
        out = []
        try:
            known = session.plan_simple(text)
            if known is not None and not session.in_implicit:
                with contextlib.suppress(PlanOutdated):
                    return [await self._one(*known[0], True)]
            statements = session.split(text)
            for statement, offset in statements:
                out.append(await self._planned(statement, offset, len(statements) == 1))
            if session.in_implicit:
                await session.end_implicit(commit=True)
        except Exception as error:
            session.statement_failed(error)
            if session.in_implicit:
                await session.end_implicit(commit=False)
            raise Failed(error) from error
        return out

    async def _planned(self, text: str, offset: int, alone: bool) -> Any:
        """As the wire does it: again, if planning lacked a catalog that is there now."""
        session = self.session
        for tries_left in reversed(range(3)):
            try:
                plan, params = session.plan(text, offset=offset)
                return await self._one(plan, params, alone)
            except PlanOutdated:
                if not tries_left:
                    raise
            except PlanError:
                if not tries_left or not session.behind or not await session.caught_up():
                    raise
        raise AssertionError("unreachable")

    async def _one(self, plan: Plan, params: tuple[Datum, ...], alone: bool) -> Any:
        future: asyncio.Future[Rows | Exception] = asyncio.get_running_loop().create_future()

        def answered(answer: Rows | Exception) -> None:
            if not future.done():  # or else its client has gone
                future.set_result(answer)

        result: Result | Any = self.session.execute_now(plan, params, answered, autocommit=alone)
        if result is PENDING:
            answer = await future
            if isinstance(answer, Exception):
                raise answer
            result = answer
        if result is None:
            result = await self.session.execute(plan, params, autocommit=alone)
        return await self._read(result)

    async def by_duckdb(self, text: str) -> list[tuple[Datum, ...]]:
        """What DuckDB answers, whether the keyed engine could or not. Raises what the statement raises."""
        plan, params = self.session.plan(text)
        found = await self.session.execute(plan, params, autocommit=self.session.block is None)
        rows: list[tuple[Datum, ...]] = (await self._read(found))[1]
        return rows

    async def _read(self, result: Any) -> Any:
        if isinstance(result, Rows):
            return result.tag, list(result.rows), result.columns or ()
        if isinstance(result, CopyIn):
            return (await result.finish()).tag, [], ()
        stream = result.stream if isinstance(result, CopyOut) else result
        assert isinstance(stream, Stream)
        rows: list[tuple[Datum, ...]] = []
        try:
            async for batch in stream.batches:
                rows += batch_rows(batch, [c.type for c in stream.columns])
        finally:
            stream.close()
        return f"{stream.tag} {len(rows)}", rows, stream.columns

    async def run(self, text: str) -> str:
        """What a person would see."""
        lines: list[str] = []
        try:
            for tag, rows, columns in await self.query(text):
                for row in rows:
                    shown = [
                        "null" if v is None else t.output_text(v, c.type, self.session.type_settings)
                        for v, c in zip(row, columns, strict=True)
                    ]
                    lines.append("|".join(shown))
                lines.append(tag)
        except Failed as failed:
            error = failed.error
            lines.append(f"ERROR {failed.sqlstate}: {error}")
            for line in getattr(error, "detail", "").splitlines():
                lines.append(f"DETAIL: {_masked(line)}")
        notices = [f"{n.severity}: {n.message}" for n in self.session.notices]
        self.session.notices.clear()
        return "\n".join(notices + lines)

    async def rows(self, text: str) -> list[tuple[Datum, ...]]:
        return (await self.query(text))[-1][1]


class Disk:
    """Faults of the consensus (`storage.consensus.memory.Faults`): appends to the txns shard wait for a word."""

    def __init__(self) -> None:
        self.word: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        self.lost = False

    def say(self, error: Exception | None) -> None:
        word, self.word = self.word, asyncio.get_running_loop().create_future()
        if error is None:
            self.word.set_result(None)  # for whoever comes later, too
        word.set_result(error)

    async def before(self, op: str, shard: str) -> None:
        if op != "compare_and_append" or shard != TXNS_SHARD:
            return
        if self.lost:
            raise Indeterminate("the network is down")
        error = await asyncio.shield(self.word)
        if error is not None:
            self.lost = isinstance(error, Indeterminate)
            raise error

    async def after(self, op: str, shard: str) -> None:
        return None

    def before_now(self, op: str, shard: str) -> None:
        return None

    def after_now(self, op: str, shard: str) -> None:
        return None


class Server:
    """An environment in memory, an executor, and clients by name."""

    open = 0
    """How many there are: of types the process knows those of one environment."""

    def __init__(self, limits: ExecutorLimits | None = None) -> None:
        self.limits = limits or ExecutorLimits()
        self.env: Environment
        self.executor: Executor
        self.clients: dict[str, Client] = {}
        self.disk: Disk | None = None

    async def __aenter__(self) -> Server:
        self.env = await Environment.open(
            blob="memory://", consensus=MemoryConsensus(), limits=Limits(resolve_limit_s=0.1)
        )
        self.executor = await Executor.open(self.env, limits=self.limits)
        Server.open += 1
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.executor.close()
        await self.env.close()
        Server.open -= 1
        if not Server.open:
            user_types.forget_all()

    async def restart(self, *, crash: bool = True) -> None:
        """Another process opens what this one has left behind."""
        blob, consensus = self.env.blob, self.env.consensus
        self.clients.clear()
        if crash:
            self.env.abandon()
        await self.executor.close()
        self.env = await Environment.open(blob=blob, consensus=consensus)
        self.executor = await Executor.open(self.env, limits=self.limits)

    def client(self, name: str = "a") -> Client:
        if name not in self.clients:
            self.clients[name] = Client(self.executor.open_session("tidewire", "tidewire", {}))
        return self.clients[name]

    async def run(self, name: str, text: str) -> str:
        """A line of a golden script."""
        if not name and text == "restart":
            await self.restart()
            return ""
        if not name and text == "stall":
            await self.env.drain()
            for task in self.env._background:  # nobody else may be the one that waits
                task.cancel()
            self.disk = Disk()
            consensus = self.env.consensus
            assert isinstance(consensus, MemoryConsensus)
            consensus.faults, consensus.synchronous = self.disk, False
            self.env.committer._slow = True
            return ""
        if not name:
            assert self.disk is not None, "say `stall` first"
            self.disk.say(
                {"go": None, "fail": StorageFull("no space"), "lose": Indeterminate("no answer")}[text]
            )
            return ""
        client = self.client(name)
        if text == "quit":
            client.session.close()
            del self.clients[name]
            return ""
        if text == "cancel":
            self.executor.cancel(client.session.pid, client.session.secret)
            text = "wait"
        if text == "wait":
            assert client.background is not None, f"{name} has nothing running"
            task, client.background = client.background, None
            return await asyncio.wait_for(task, 240)
        if text.endswith(" &"):
            client.background = asyncio.get_running_loop().create_task(client.run(text[:-2]))
            done, _ = await asyncio.wait([client.background], timeout=BLOCKED_S)
            if not done:
                return "..."
            task, client.background = client.background, None
            return task.result()
        return await client.run(text)


@contextlib.asynccontextmanager
async def served(limits: ExecutorLimits | None = None) -> AsyncIterator[Client]:
    """A server with one client."""
    async with Server(limits) as server:
        yield server.client()
