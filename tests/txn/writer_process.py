"""A process that commits to SQLite until it is killed: `python -m tests.txn.writer_process DIR FIRST_KEY`.

Each commit writes one key to two tables; when it is acknowledged the key is printed.
"""

from __future__ import annotations

import asyncio
import sys

from tests.txn.clocks import SCHEMA
from txn import Environment, Limits
from txn.abc import Group


class Write:
    def __init__(self, env: Environment, key: int, done: asyncio.Semaphore) -> None:
        self.env, self.key, self.done = env, key, done

    def admit(self, group: Group) -> None:
        for shard in ("a", "b"):
            group.insert(shard, self.env.rids.next(), (self.key, "x" * 50))

    def committed(self, ts: int) -> None:
        sys.stdout.write(f"{self.key}\n")
        sys.stdout.flush()
        self.done.release()

    def failed(self, error: Exception) -> None:
        raise error


async def main(folder: str, key: int) -> None:
    env = await Environment.open(
        blob=f"file://{folder}/blob",
        consensus=f"sqlite:///{folder}/consensus.db",
        # Everything happens often: applying, rolling up, truncating.
        limits=Limits(apply_entries=20, rollup_entries=20, pass_s=0.01, apply_idle_s=0.05),
    )
    await env.register({"a": SCHEMA, "b": SCHEMA})
    waiting = asyncio.Semaphore(4)
    while True:
        await waiting.acquire()
        env.committer.submit(Write(env, key, waiting))
        key += 1


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
