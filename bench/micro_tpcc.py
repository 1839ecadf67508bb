"""What each statement of TPC-C costs the server's interpreter, counted instead of timed (`bench.micro_commit` says why).

this process    the server, its log in memory; counts bytecodes from one message to the next
a child         one psycopg client: loads a warehouse, runs the mix to warm up, then once more to be counted

python -m bench.micro_tpcc [transactions] [part of a statement's text, to list its functions]
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import psycopg
import uvloop

from bench.micro_commit import Count, in_memory, tell_functions
from bench.tpcc import schema
from bench.tpcc.transactions import MIX, UnusedItem
from pgwire.connection import Connection
from pgwire.server import Server, WireLimits

TRANSACTIONS = 300


class _Elsewhere(Count):
    """Nor of this file."""

    def begin(self, frame: FrameType, event: str, arg: Any) -> Any:
        return None if frame.f_code.co_filename == __file__ else super().begin(frame, event, arg)


class _Statements:
    """Counts by statement: whatever happens between two messages belongs to the first."""

    def __init__(self) -> None:
        self._count = _Elsewhere()
        self._session: Any = None
        self.counting = False
        self.times: Counter[str] = Counter()
        self.bytecodes: defaultdict[str, Counter[CodeType]] = defaultdict(Counter)
        self.calls: defaultdict[str, Counter[CodeType]] = defaultdict(Counter)

    def listen(self, connection: Any, take: Callable[[bytes], None]) -> Callable[[bytes], None]:
        """`take` of a connection, with the count of what came before put down."""

        def counted(data: bytes) -> None:
            self.put_down()
            self._session = connection.session
            take(data)

        return counted

    def begin(self) -> None:
        self.counting = True
        sys.settrace(self._count.begin)

    def put_down(self) -> None:
        sys.settrace(None)
        if self.counting and self._session is not None:
            text = self._session.statement_text
            self.times[text] += 1
            self.bytecodes[text].update(self._count.bytecodes)
            self.calls[text].update(self._count.calls)
        self._count.bytecodes.clear()
        self._count.calls.clear()
        if self.counting:
            sys.settrace(self._count.begin)

    def end(self) -> None:
        self.put_down()
        self.counting = False
        sys.settrace(None)

    def tell(self, transactions: int, part: str) -> None:
        sums = Counter({text: sum(codes.values()) for text, codes in self.bytecodes.items()})
        whole, many = sum(sums.values()), sum(self.times.values())
        print(f"{whole / transactions:,.0f} bytecodes a transaction of {many / transactions:.1f} statements")
        for text, bytecodes in sums.most_common():
            n = self.times[text]
            print(
                f"{100 * bytecodes / whole:5.1f} % {n:6d} times {bytecodes / n:9,.0f} bytecodes"
                f" {sum(self.calls[text].values()) / n:6,.0f} calls   {text[:90]}"
            )
            if part and part in text:
                tell_functions(self.bytecodes[text], self.calls[text], n)


async def measure(transactions: int, part: str) -> None:
    statements, listen = _Statements(), Connection._listen
    Connection._listen = lambda self, take: listen(self, statements.listen(self, take))  # type: ignore[method-assign]
    async with in_memory() as executor:
        server = Server(executor, limits=WireLimits(stay_awake_s=0.0))
        host, port = await server.listen("127.0.0.1", 0)
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.micro_tpcc", "client", host, str(port), str(transactions)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert child.stdin is not None and child.stdout is not None
        try:
            assert await child.stdout.readline() == b"warm\n", "the client has failed"
            statements.begin()
            child.stdin.write(b"\n")
            assert await child.stdout.readline() == b"done\n", "the client has failed"
            statements.end()
        finally:
            child.stdin.close()
            await child.wait()
        statements.tell(transactions, part)


def client(host: str, port: str, transactions: int) -> None:
    """The child: says when it is warm, waits for a line, and says when it is done."""
    dsn = f"host={host} port={port} user=tidewire dbname=tidewire"
    with psycopg.connect(dsn, autocommit=True) as connection:
        schema.load(connection, 1)
        rng = random.Random(5)
        works, weights = list(MIX), list(MIX.values())
        for said in ("warm", "done"):
            for _ in range(transactions):
                (work,) = rng.choices(works, weights)
                try:
                    with connection.transaction():
                        work(connection, random.Random(rng.getrandbits(32)), 1, 1)
                except UnusedItem:
                    pass
            print(said, flush=True)
            sys.stdin.readline()


if __name__ == "__main__":
    given = sys.argv[1:]
    if given[:1] == ["client"]:
        client(given[1], given[2], int(given[3]))
    else:
        uvloop.run(measure(int(given[0]) if given else TRANSACTIONS, given[1] if len(given) > 1 else ""))
