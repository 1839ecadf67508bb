"""What one transaction costs the server's interpreter, counted instead of timed.

    bytes of a client --> Connection --> Session --> group commit on a log in memory --> bytes of the answer
          a transport that is none                   no socket, no disk, no other process

On a machine that others use, CPU time says little: the same code took 200 and 500 microseconds within a minute. The
number of bytecodes that are executed and of Python functions that are called is the same every time, so a change shows to
the percent. It says nothing of what C functions do, sockets and disks among them: `bench` measures those.

    python -m bench.micro_commit [N | B | I | S] [clients]      # pgbench -N or TPC-B, prepared, one branch; one INSERT, one look-up by itself
"""

from __future__ import annotations

import asyncio
import random
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import CodeType, FrameType
from typing import Any

from executor.executor import Executor
from pgwire.connection import Connection
from pgwire.server import Server
from txn.environment import Environment
from txn.limits import Limits

TRANSACTIONS = 200
LISTED = 40
ACCOUNTS = 100_000
TELLERS = 10

_SETUP = (
    "create table pgbench_branches (bid int primary key, bbalance int, filler char(88))",
    "create table pgbench_tellers (tid int primary key, bid int, tbalance int, filler char(84))",
    "create table pgbench_accounts (aid int primary key, bid int, abalance int, filler char(84))",
    "create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))",
    "create table bench_insert (a int, b bigint, c text)",
    "insert into pgbench_branches values (1, 0, '')",
    f"insert into pgbench_tellers select i, 1, 0, '' from generate_series(1, {TELLERS}) i",
    f"insert into pgbench_accounts select i, 1, 0, '' from generate_series(1, {ACCOUNTS}) i",
)
_BEGIN, _END = "BEGIN", "END"
_ACCOUNT = "UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2"
_BALANCE = "SELECT abalance FROM pgbench_accounts WHERE aid = $1"
_TELLER = "UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2"
_BRANCH = "UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2"
_HISTORY = (
    "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)"
)
_ROW = "INSERT INTO bench_insert (a, b, c) VALUES ($1, 17, 'a few words')"
SCRIPTS = {
    "N": (_BEGIN, _ACCOUNT, _BALANCE, _HISTORY, _END),
    "B": (_BEGIN, _ACCOUNT, _BALANCE, _TELLER, _BRANCH, _HISTORY, _END),
    "I": (_ROW,),
    "S": (_BALANCE,),
}


class _Transport(asyncio.Transport):
    """Keeps what is written until ReadyForQuery, and tells whoever waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.said = b""
        self.answered: asyncio.Future[bytes] | None = None

    def write(self, data: Any) -> None:
        self.said += data
        if self.said[-6:-1] == b"Z\0\0\0\5" and self.answered is not None and not self.answered.done():
            self.answered.set_result(self.said)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None: ...

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 1) if name == "peername" else default

    def close(self) -> None: ...


class Client:
    """One prepared session, as libpq would speak for it."""

    def __init__(self, server: Server, script: tuple[str, ...], seed: int) -> None:
        self._script, self._random = script, random.Random(seed)
        self._transport = _Transport()
        self._connection = Connection(server)
        self._connection.connection_made(self._transport)

    async def ask(self, data: bytes) -> None:
        self._transport.said = b""
        answered = self._transport.answered = asyncio.get_running_loop().create_future()
        self._connection.data_received(data)
        if b"SERROR" in await answered:
            raise AssertionError(self._transport.said)

    async def start(self) -> None:
        packet = struct.pack("!i", 196608) + b"user\0tidewire\0database\0tidewire\0\0"
        await self.ask(struct.pack("!i", len(packet) + 4) + packet)
        for i, text in enumerate(self._script):
            await self.ask(_message(b"P", f"s{i}\0{text}\0\0\0".encode()) + _message(b"S"))

    async def query(self, text: str) -> None:
        await self.ask(_message(b"Q", text.encode() + b"\0"))

    async def transaction(self) -> None:
        pick = self._random.randint
        aid, delta, tid = pick(1, ACCOUNTS), pick(-5000, 5000), pick(1, TELLERS)
        values = {
            _ACCOUNT: (delta, aid), _BALANCE: (aid,), _TELLER: (delta, tid), _BRANCH: (delta, 1),
            _HISTORY: (tid, 1, aid, delta), _ROW: (aid,),
        }  # fmt: skip
        for i, text in enumerate(self._script):
            await self.ask(_bound(f"s{i}", values.get(text, ())))


def _message(kind: bytes, payload: bytes = b"") -> bytes:
    return kind + struct.pack("!i", len(payload) + 4) + payload


def _bound(name: str, values: tuple[int, ...]) -> bytes:
    fields = [str(value).encode() for value in values]
    body = b"\0" + name.encode() + b"\0\0\0" + struct.pack("!h", len(fields))
    body += b"".join(struct.pack("!i", len(field)) + field for field in fields) + b"\0\0"
    rest = _message(b"D", b"P\0") + _message(b"E", b"\0\0\0\0\0") + _message(b"S")
    return _message(b"B", body) + rest


class Count:
    """Bytecodes and calls, of everything but this file and what asyncio does for it."""

    def __init__(self) -> None:
        self.bytecodes: Counter[CodeType] = Counter()
        self.calls: Counter[CodeType] = Counter()

    def begin(self, frame: FrameType, event: str, arg: Any) -> Any:
        path = frame.f_code.co_filename
        if path == __file__ or "/asyncio/" in path or path.endswith("/random.py"):
            return None
        self.calls[frame.f_code] += 1
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "opcode":
            self.bytecodes[frame.f_code] += 1
        return self._step


@asynccontextmanager
async def in_memory() -> AsyncIterator[Executor]:
    """An executor whose log, parts and scratch go with it."""
    env = await Environment.open(blob="memory://", consensus="memory://", limits=Limits())
    with tempfile.TemporaryDirectory() as scratch:
        executor = await Executor.open(env, scratch=scratch)
        yield executor
        await executor.close()
        await env.close()


def tell_functions(
    bytecodes: Counter[CodeType], calls: Counter[CodeType], times: int, *, width: int = 20
) -> None:
    """The functions with the most bytecodes: these and its calls, each time."""
    for code, count in bytecodes.most_common(LISTED):
        where = "/".join(code.co_filename.split("/")[-3:])
        print(f"{count / times:{width}.1f} {calls[code] / times:7.2f}   {where}:{code.co_name}")


async def measure(script: str, client_count: int) -> None:
    async with in_memory() as executor:
        server = Server(executor)
        server.loop = asyncio.get_running_loop()
        first = Client(server, (), 0)
        await first.start()
        for text in _SETUP:
            await first.query(text)
        clients = [Client(server, SCRIPTS[script], seed) for seed in range(client_count)]
        for client in clients:
            await client.start()

        async def run() -> None:
            async def some(client: Client) -> None:
                for _ in range(TRANSACTIONS // client_count):
                    await client.transaction()

            await asyncio.gather(*map(some, clients))

        await run()
        began_s = time.process_time()
        await run()
        cpu_s = time.process_time() - began_s
        count = Count()
        sys.settrace(count.begin)
        await run()
        sys.settrace(None)
        done = TRANSACTIONS // client_count * client_count
        print(
            f"{script}, {client_count} clients: {sum(count.bytecodes.values()) / done:,.0f} bytecodes and"
            f" {sum(count.calls.values()) / done:.0f} calls a transaction; {cpu_s / done * 1e6:.0f} microseconds of CPU, driver and all"
        )
        tell_functions(count.bytecodes, count.calls, done, width=9)


if __name__ == "__main__":
    given = sys.argv[1:]
    asyncio.run(measure(given[0] if given else "N", int(given[1]) if len(given) > 1 else 8))
