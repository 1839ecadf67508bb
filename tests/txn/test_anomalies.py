"""Anomalies, one script each: what every isolation level lets through and what it excludes.

    begin [rc|rr|s|ss] [ro]    read committed, repeatable read, serializable, strict serializable (default)
    get K | scan L H           reads, noted as a point or a range
    set K V | del K            writes
    lock K                     takes the key's lock; `waits` if it cannot, and then later `locked`
    refresh [anew]             the snapshot to the present, if nothing that was read has changed; `anew`: this statement's reads are void
    statement | end            a statement, within the one that runs if there is one, and its end
    savepoint N | rollback N | release N
    commit | abort
    put K V                    an autocommit write

Keys are integers of the shard `t`; every script begins with keys 1 and 2 at 10 and 20.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.golden import run_script_async, scripts
from tests.simulation.image import Image
from tests.txn.clocks import SCHEMA, Stores
from txn.abc import DeadlockDetected, Group, Isolation, SerializationFailure, TxnError
from txn.environment import Environment
from txn.locks import LockMode
from txn.transaction import Transaction

SCRIPTS = scripts(Path(__file__).parent / "anomalies")
LEVELS = {
    "rc": Isolation.READ_COMMITTED,
    "rr": Isolation.REPEATABLE_READ,
    "s": Isolation.SERIALIZABLE,
    "ss": Isolation.STRICT_SERIALIZABLE,
}


class Bench:
    """The least that can be called a database: one shard, an image, transactions."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.image = Image()
        self.transactions: dict[str, Transaction] = {}
        self.notices: list[str] = []
        self.statements: list[AbstractContextManager[None]] = []

    async def run(self, client: str, command: str) -> str:
        name, *args = command.split()
        if name == "begin":
            level = LEVELS[args[0]] if args and args[0] in LEVELS else Isolation.STRICT_SERIALIZABLE
            self.transactions[client] = self.env.begin(level, "ro" in args)
            return ""
        if name == "put":
            txn = self.env.begin()
            self.write(txn, int(args[0]), int(args[1]))
            await self.commit(txn)
            return ""
        txn = self.transactions[client]
        try:
            return await getattr(self, f"do_{name}")(client, txn, *args)
        except SerializationFailure as error:
            # Timestamps are the clock's business; the rest of the detail is promised.
            return f"error {error}\n{error.detail.split(' at ', 1)[0]}"
        except DeadlockDetected as error:
            return f"error {error}\n{error.detail}"

    async def do_get(self, client: str, txn: Transaction, key: str) -> str:
        txn.new_statement()
        txn.reads.point("t", int(key))
        return str(self.value(txn, int(key)))

    async def do_scan(self, client: str, txn: Transaction, low: str, high: str) -> str:
        txn.new_statement()
        txn.reads.range("t", int(low), int(high))
        found = {k: self.value(txn, k) for k in range(int(low), int(high) + 1)}
        return " ".join(f"{k}={v}" for k, v in found.items() if v is not None) or "nothing"

    async def do_set(self, client: str, txn: Transaction, key: str, value: str) -> str:
        txn.new_statement()
        self.write(txn, int(key), int(value))
        return ""

    async def do_del(self, client: str, txn: Transaction, key: str) -> str:
        txn.new_statement()
        self.write(txn, int(key), None)
        return ""

    async def do_lock(self, client: str, txn: Transaction, key: str) -> str:
        def granted(error: Exception | None) -> None:
            self.notices.append(f"{client}: {'locked' if error is None else error}")

        waiter = self.env.locks.acquire(txn, "t", int(key), LockMode.UPDATE, granted)
        return "" if waiter is None else "waits"

    async def do_refresh(self, client: str, txn: Transaction, anew: str = "") -> str:
        return "moved" if txn.refresh(anew=bool(anew)) else "something read has changed"

    async def do_statement(self, client: str, txn: Transaction) -> str:
        around = txn.statement_reads()
        around.__enter__()
        self.statements.append(around)
        return ""

    async def do_end(self, client: str, txn: Transaction) -> str:
        self.statements.pop().__exit__(None, None, None)
        return ""

    async def do_savepoint(self, client: str, txn: Transaction, name: str) -> str:
        txn.savepoint(name)
        return ""

    async def do_rollback(self, client: str, txn: Transaction, name: str) -> str:
        txn.rollback_to(name)
        return ""

    async def do_release(self, client: str, txn: Transaction, name: str) -> str:
        txn.release(name)
        return ""

    async def do_commit(self, client: str, txn: Transaction) -> str:
        await self.commit(txn)
        return "\n".join(["committed", *self.heard()])

    async def do_abort(self, client: str, txn: Transaction) -> str:
        txn.rollback()
        return "\n".join(["aborted", *self.heard()])

    def heard(self) -> list[str]:
        notices, self.notices = self.notices, []
        return notices

    def value(self, txn: Transaction, key: int) -> int | None:
        own = txn.overlay("t")
        if own is not None and key in own.by_key:
            mine = own.by_key[key]
            return None if mine is None else mine[1][1]
        found = self.image.at("t", key, txn.read_ts)
        return None if found is None else found[1]

    def write(self, txn: Transaction, key: int, value: int | None) -> None:
        own = txn.overlay("t")
        rid = None
        if own is not None and key in own.by_key:
            mine = own.by_key[key]
            rid = None if mine is None else mine[0]
        else:
            found = self.image.at("t", key, txn.read_ts)
            rid = None if found is None else found[0]
        if rid is not None:
            txn.delete("t", key, rid)
        if value is not None:
            txn.insert("t", key, self.env.rids.next(), (key, value))

    async def commit(self, txn: Transaction) -> None:
        def apply(group: Group) -> None:
            buffer = txn.overlay("t")
            if buffer is not None:
                for rid, row in buffer.inserts.items():
                    self.image.put("t", row[0], rid, row[1], group.ts)
                for rid in buffer.deletes:
                    self.image.delete_rid("t", rid, group.ts)

        txn.on_apply = apply
        await txn.commit()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_script(script: Path) -> None:
    async def scenario() -> None:
        env = await Stores().open()
        await env.register({"t": SCHEMA})
        bench = Bench(env)
        for command in ("put 1 10", "put 2 20"):
            await bench.run("setup", command)
        await run_script_async(script, bench.run, errors=(TxnError,))
        await env.close()

    asyncio.run(scenario())
