"""Files that another program wrote become parts: their rows are numbered by where they stand."""

from __future__ import annotations

import asyncio
import io
import random
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from storage import gc
from storage.abc import CorruptBlob, Part
from storage.blob import MemoryBlob, open_blob
from storage.compaction import Compactor
from storage.compaction_jobs import CompactionLimits
from storage.consensus import open_consensus
from storage.parts import decode_parquet
from storage.rows import FIELD_ID
from storage.shard import Shard

SCHEMA = pa.schema(
    [
        pa.field("k", pa.int64(), metadata={FIELD_ID: b"1"}),
        pa.field("name", pa.string(), metadata={FIELD_ID: b"2"}),
    ]
)


class Clock:
    def __init__(self) -> None:
        self.us = 10**15

    def now_us(self) -> int:
        return self.us


def staged(keys: list[int], first_rid: int, key: str, ts: int = 5) -> tuple[Part, bytes]:
    """A file as another program writes it, and its description."""
    table = pa.table([pa.array(keys, pa.int64()), pa.array([f"n{k}" for k in keys])], schema=SCHEMA)
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=2)
    data = sink.getvalue()
    return (
        Part(
            "+",
            len(keys),
            len(data),
            ts,
            key=key,
            checksum=zlib.crc32(data),
            rid_min=first_rid,
            rid_max=first_rid + len(keys) - 1,
        ),
        data,
    )


def test_rows_are_numbered_in_the_order_of_the_file() -> None:
    part, data = staged([7, 8, 9], 100, "staging/x/a.parquet")
    assert decode_parquet(part, data).column("_rid").to_pylist() == [100, 101, 102]
    assert decode_parquet(part, data, ["k"]).column_names == ["k"]


def test_a_range_of_row_ids_that_does_not_fit_the_rows_is_corrupt() -> None:
    part, data = staged([7, 8, 9], 100, "staging/x/a.parquet")
    wrong = Part("+", 3, part.size_bytes, 5, key=part.key, checksum=part.checksum, rid_min=100, rid_max=110)
    with pytest.raises(CorruptBlob, match="numbered 100 to 110"):
        decode_parquet(wrong, data)


def test_reading_deleting_and_compacting_go_by_these_numbers() -> None:
    async def run() -> None:
        blob = await open_blob("memory://")
        shard = await Shard.open(
            "t1",
            blob=blob,
            consensus=await open_consensus("memory://"),
            clock=Clock(),
            rng=random.Random(1),
            schema=SCHEMA,
        )
        for n in range(4):
            part, data = staged([10 * n + i for i in range(5)], 100 + 5 * n, f"staging/x/{n}.parquet", 5 + n)
            await blob.put(part.key or "", data)
            await shard.append([part], shard.upper, 6 + n)
        rids = pa.table({"_rid": pa.array([101, 118], pa.int64())})
        await shard.append([await shard.parts.write("t1", "-", rids, 20)], shard.upper, 21)
        expected = sorted([10 * n + i for n in range(4) for i in range(5)])
        assert sorted((await shard.read(19)).column("k").to_pylist()) == expected
        left = [k for k in expected if k not in (1, 33)]
        assert sorted((await shard.read(20)).column("k").to_pylist()) == left
        before = {row["k"]: row["_rid"] for row in (await shard.read(20)).to_pylist()}
        await shard.allow_since(20)
        compactor = Compactor(shard, limits=CompactionLimits(fanout=2))
        await compactor.run(10)
        assert all(p.key is None or not p.key.startswith("staging/") for _, p in shard.state.parts)
        after = {row["k"]: row["_rid"] for row in (await shard.read(20)).to_pylist()}
        assert after == before, "row ids stay what they were"

    asyncio.run(run())


def test_what_nobody_named_in_time_is_deleted() -> None:
    async def run() -> None:
        clock = Clock()
        blob = MemoryBlob(clock=clock)
        await blob.put("staging/a/old.parquet", b"1")
        await blob.put("staging/a/named.parquet", b"2")
        await blob.put("t1/w/part.parquet", b"3")
        clock.us += gc.GcLimits().orphan_age_us + 1
        await blob.put("staging/b/young.parquet", b"4")

        async def named() -> set[str]:
            return {"staging/a/named.parquet"}

        assert await gc.collect_staged(blob, clock, named) == 1
        left = [b.key async for b in blob.list("")]
        assert left == ["staging/a/named.parquet", "staging/b/young.parquet", "t1/w/part.parquet"]

    asyncio.run(run())


def test_a_file_that_another_program_wrote_is_made_durable(tmp_path: Path) -> None:
    async def run() -> None:
        blob = await open_blob(tmp_path.as_uri())
        (tmp_path / "staging" / "x").mkdir(parents=True)
        (tmp_path / "staging" / "x" / "a.parquet").write_bytes(b"1")
        await blob.settle("staging/x/a.parquet")
        with pytest.raises(CorruptBlob):
            await blob.settle("staging/x/b.parquet")

    asyncio.run(run())
