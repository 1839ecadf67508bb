"""Real processes on a real disk, killed in the middle of anything, again and again."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from pathlib import Path

import pytest

from txn import Environment

ROOT = Path(__file__).parents[2]


def _kill_one(folder: Path, first_key: int, lines: int) -> list[int]:
    """Lets a writer acknowledge some keys, kills it, and returns all that it acknowledged."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.txn.writer_process", str(folder), str(first_key)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdout is not None
        acknowledged = [int(next(writer.stdout)) for _ in range(lines)]
        writer.kill()
        rest = writer.stdout.read()
    complete = rest[: rest.rfind("\n") + 1]
    return acknowledged + [int(line) for line in complete.split()]


async def _keys(folder: Path) -> tuple[list[int], list[int]]:
    """What is there, told by the data shards after applying, in both tables."""
    env = await Environment.open(blob=f"file://{folder}/blob", consensus=f"sqlite:///{folder}/consensus.db")
    ts = env.oracle.read_ts()
    found = []
    for shard in ("a", "b"):
        await env.make_physical(shard, ts)
        table = await (await env.shard(shard)).read(ts)
        assert len(set(table.column("_rid").to_pylist())) == table.num_rows
        found.append(sorted(table.column("key").to_pylist()))
    await env.close()
    return found[0], found[1]


def _rounds(folder: Path, count: int) -> None:
    (folder / "blob").mkdir()
    rng = random.Random(count)
    acknowledged: set[int] = set()
    for i in range(count):
        told = _kill_one(folder, i * 1_000_000, rng.randrange(1, 150))
        assert not acknowledged & set(told)
        acknowledged |= set(told)
        if i % 2 == 0:
            continue  # the next process finds it as it was left
        a, b = asyncio.run(_keys(folder))
        assert a == b, "both tables or none"
        assert len(set(a)) == len(a), "once each"
        assert acknowledged <= set(a), "what was acknowledged is there"
        # At most the few that were on their way when the process died are there without a word.
        assert len(set(a) - acknowledged) <= 4 * (i + 1)


def test_killed_writers_lose_nothing_and_leave_nothing_half_done(tmp_path: Path) -> None:
    _rounds(tmp_path, 4)


@pytest.mark.soak
def test_many_killed_writers(tmp_path: Path) -> None:
    _rounds(tmp_path, 60)
