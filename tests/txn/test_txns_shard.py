"""The txns shard, as its users speak to it: golden scripts over `TxnsHandle`.

open [lead]                 a handle of this client; with lead, the next epoch
register TS SHARD...        forget TS SHARD...
commit TS SHARD+KEY SHARD-RID ...      insertions get row ids 1, 2, 3, ... in the order they are said
apply TS | tidy | compact TS | rollup | refresh
state                       everything that the log says
data SHARD [AS_OF]          rows of the data shard itself, and its frontiers
cache SHARD AS_OF           how far a reader has to wait
log                         seqnos in the log, and its truncation
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from storage.abc import StorageError
from storage.parts import inline_offload
from tests.golden import run_script, scripts
from tests.txn.clocks import SCHEMA, WIDER, Stores
from txn.abc import TxnError
from txn.handle import TxnsHandle
from txn.txns_shard import SHARD

SCRIPTS = scripts(Path(__file__).parent / "scripts")


class Interpreter:
    def __init__(self) -> None:
        self.stores = Stores()
        self.handles: dict[str, TxnsHandle] = {}
        self.rid = 0

    async def run(self, client: str, command: str) -> str:
        name, *args = command.split()
        if name == "open":
            self.handles[client] = await TxnsHandle.open(
                blob=self.stores.blob,
                consensus=self.stores.consensus,
                clock=self.stores.clock,
                rng=random.Random(len(self.handles)),
                lead="lead" in args,
                offload=inline_offload,
            )
            return f"epoch={self.handles[client].log.epoch} upper={self.handles[client].upper}"
        handle = self.handles[client]
        result = await getattr(self, f"do_{name}")(handle, *args)
        return result if isinstance(result, str) else f"upper={handle.upper}"

    async def do_register(self, handle: TxnsHandle, ts: str, *shards: str) -> None:
        await handle.register(
            int(ts), {s.removesuffix("*"): WIDER if s.endswith("*") else SCHEMA for s in shards}
        )

    async def do_forget(self, handle: TxnsHandle, ts: str, *shards: str) -> None:
        await handle.forget(int(ts), list(shards))

    async def do_commit(self, handle: TxnsHandle, ts: str, *writes: str) -> None:
        txn = handle.begin()
        for write in writes:
            match = re.fullmatch(r"(\w+)([+-])(\d+)(\*?)", write)
            assert match, write
            shard, sign, number = match[1], match[2], int(match[3])
            if sign == "+":
                self.rid += 1
                row = (number, f"v{number}", number) if match[4] else (number, f"v{number}")
                txn.insert(shard, self.rid, row)
            else:
                txn.delete(shard, number)
        await handle.commit_at(int(ts), txn)

    async def do_apply(self, handle: TxnsHandle, ts: str) -> str:
        await handle.apply_le(int(ts))
        return "applied"

    async def do_tidy(self, handle: TxnsHandle) -> str:
        await handle.tidy()
        return await self.do_state(handle)

    async def do_compact(self, handle: TxnsHandle, ts: str) -> str:
        return f"since={await handle.compact_to(int(ts))}"

    async def do_rollup(self, handle: TxnsHandle) -> str:
        return "rolled up" if await handle.rollup() else "another was first"

    async def do_refresh(self, handle: TxnsHandle) -> None:
        await handle.refresh()

    async def do_state(self, handle: TxnsHandle) -> str:
        s = handle.state
        lines = [f"upper={s.upper} since={s.since} epoch={s.epoch}"]
        for shard, r in sorted(s.registered.items()):
            gone = f" forgotten at {r.forget_ts}" if r.forget_ts is not None else ""
            outstanding = " ".join(str(ts) for ts, _ in s.outstanding.get(shard, ()))
            lines.append(
                f"{shard}: registered at {r.ts}{gone}, last write {s.last_write.get(shard, 0)}, outstanding [{outstanding}]"
            )
        return "\n".join(lines)

    async def do_data(self, handle: TxnsHandle, shard: str, as_of: str = "") -> str:
        data = await handle.shard(shard)
        await data.refresh()
        at = int(as_of) if as_of else data.upper - 1
        if data.upper == 0:
            return "since=0 upper=0"
        table = await data.read(at)
        rows = sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))
        return "\n".join([f"since={data.since} upper={data.upper}", *map(str, rows)])

    async def do_cache(self, handle: TxnsHandle, shard: str, as_of: str) -> str:
        wait = handle.read_cache().to_data_inclusive(shard, int(as_of))
        return "all applied" if wait is None else f"wait for {wait}"

    async def do_log(self, handle: TxnsHandle) -> str:
        entries = await self.stores.consensus.scan(SHARD, 1)
        return f"entries {entries[0].seqno} to {entries[-1].seqno}"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_script(script: Path) -> None:
    run_script(script, Interpreter().run, errors=(TxnError, StorageError, ValueError))
