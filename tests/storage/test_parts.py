"""Parts: what is written is read, and what is not what was written is named and refused."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from storage import parts as partlib
from storage.abc import CorruptBlob, FormatTooNew, InvalidDatum, Part, Row
from storage.blob import LocalBlob, MemoryBlob
from storage.parts import PartLimits, PartStore, inline_deletes, inline_inserts, inline_offload
from storage.rows import INTERVAL, pack, pack_deletes, pack_inserts, rows_to_arrow
from tests.storage.world import AB, World, contents


def store(blob: MemoryBlob | LocalBlob | None = None, **limits: int) -> PartStore:
    return PartStore(
        blob or MemoryBlob(),
        random.Random(1),
        writer="w",
        offload=inline_offload,
        limits=PartLimits(**limits),
    )


def table(rids: range, **columns: pa.Array) -> pa.Table:
    columns = columns or {"a": pa.array([r * 2 for r in rids], pa.int64())}
    fields = [partlib.RID_FIELD, *[pa.field(n, c.type) for n, c in columns.items()]]
    return pa.Table.from_arrays([pa.array(rids, pa.int64()), *columns.values()], schema=pa.schema(fields))


def test_a_part_says_what_is_in_it_and_can_be_moved_in_time() -> None:
    async def main() -> None:
        parts = store()
        part = await parts.write("t1", "+", table(range(100, 200)))
        assert (part.kind, part.row_count, part.rid_min, part.rid_max) == ("+", 100, 100, 199)
        assert part.key is not None and part.key.startswith("t1/w/") and part.key.endswith(".parquet")
        assert not part.has_ts
        assert part.at(77).ts == part.at(77).newest_ts == 77
        assert (await parts.read(part.at(77))).equals(await parts.read(part))

    asyncio.run(main())


def test_small_is_inline_and_large_is_parquet() -> None:
    async def main() -> None:
        parts = store(inline_bytes_max=500)
        assert (await parts.stage("t1", "+", table(range(5)))).data is not None
        assert (await parts.stage("t1", "+", table(range(500)))).key is not None
        assert (await parts.stage("t1", "-", table(range(5)).select(["_rid"]))).data is not None

    asyncio.run(main())


def test_parts_are_plain_parquet_that_other_tools_read(tmp_path: Path) -> None:
    async def main() -> None:
        blob = LocalBlob(tmp_path)
        rows = [(1, Decimal("1.50"), (1, 2, 3), [1, None]), (2, None, None, None)]
        schema = pa.schema(
            [("i", pa.int64()), ("d", pa.decimal128(10, 2)), ("v", INTERVAL), ("l", pa.list_(pa.int32()))]
        )
        body = rows_to_arrow(rows, schema)
        part = await store(blob, row_group_rows=1).write(
            "t1", "+", body.add_column(0, partlib.RID_FIELD, pa.array([7, 8]))
        )
        assert part.key is not None
        path = blob.path(part.key)
        assert duckdb.sql(f"SELECT _rid, i, d, v.days, l FROM '{path}' ORDER BY _rid").fetchall() == [
            (7, 1, Decimal("1.50"), 2, [1, None]),
            (8, 2, None, None, None),
        ]
        file = pq.ParquetFile(path)
        assert file.num_row_groups == 2
        assert file.schema_arrow.names[0] == "_rid"
        statistics = file.metadata.row_group(1).column(0).statistics
        assert (statistics.min, statistics.max) == (8, 8)

    asyncio.run(main())


ALL_SORTS = pa.schema(
    [("i", pa.int64()), ("d", pa.decimal128(10, 2)), ("v", INTERVAL), ("l", pa.list_(pa.int32()))]
)
ROWS: list[Row] = [
    (1, Decimal("1.50"), (1, 2, 3), [1, None]),
    (2, None, None, None),
    (3, Decimal(7), None, []),
]


@pytest.mark.parametrize("has_ts", [True, False])
@pytest.mark.parametrize("schema", [ALL_SORTS, pa.schema([])], ids=["all sorts", "no columns"])
def test_the_bytes_of_many_commits_are_the_table_of_their_rows(has_ts: bool, schema: pa.Schema) -> None:
    pieces = [(5, ROWS[:2]), (6, ROWS[2:])] if has_ts else [(5, ROWS)]
    updates = [(10 * ts + i, ts, row[: len(schema)]) for ts, rows in pieces for i, row in enumerate(rows)]
    for kind in "+-":
        packed = []
        for ts, _ in pieces:
            of_ts = [(rid, row) for rid, at, row in updates if at == ts]
            packed.append((ts, pack_inserts(of_ts) if kind == "+" else pack_deletes(rid for rid, _ in of_ts)))
        found = partlib.pieces_table("txns", kind, packed, schema, has_ts)
        assert found.equals(partlib.inline_table(partlib.merged_inline(kind, updates, has_ts), schema))
        assert found.num_rows == 3 and ("_ts" in found.schema.names) == has_ts


@pytest.mark.parametrize(
    "data",
    [
        pack([[1, 2], [2, 3]]),
        pack([[1, 2, "x"], [2, 3]]),
        pack([[1, "x", "x"]]),
        pack([[None, 2, "x"]]),
        pack([1, 2]),
        pack([["1", 2, "x"]]),
        b"\xc1",
    ],
    ids=["narrow", "ragged", "another type", "no id", "no rows", "a text for an id", "no msgpack"],
)
def test_bytes_that_are_no_rows_of_their_schema_are_corrupt(data: bytes) -> None:
    schema = pa.schema([("a", pa.int64()), ("b", pa.string())])
    with pytest.raises(CorruptBlob):
        partlib.pieces_table("txns", "+", [(5, pack_inserts([(1, (1, "x"))])), (6, data)], schema, True)


TOP = (1 << 63) - 1
_RANDOM = random.Random(5)
NUMBERS: dict[str, tuple[list[int | None], bool]] = {
    "serial": (list(range(7, 10_007)), True),
    "downwards, by steps": (list(range(0, -90_000, -9)), True),
    "with gaps and nulls": ([None if i % 5 == 0 else 3 * i + i % 100 for i in range(10_000)], True),
    "over the end of the range": ([TOP - 3 + i if i < 4 else -TOP - 1 + i for i in range(10_000)], True),
    "one": ([TOP], False),
    "nothing but nulls": ([None] * 5_000, False),
    "from end to end": ([TOP, -TOP - 1, 0, 1, -1] * 1_000, False),
    "without order": ([_RANDOM.randrange(-TOP, TOP) for _ in range(9_000)], False),
    "without order in the end": ([*range(9_000), *(_RANDOM.randrange(TOP) for _ in range(5_000))], False),
    "without order in the middle": (
        [*range(5_000), *(_RANDOM.randrange(-TOP, TOP) for _ in range(9_000)), *range(5_000)],
        True,
    ),
}


@pytest.mark.parametrize("numbers", NUMBERS)
def test_numbers_that_go_by_steps_are_written_as_differences(numbers: str, tmp_path: Path) -> None:
    """Which way is chosen is a matter of size and time: either way they are what they were, for whoever reads Parquet."""
    values, by_steps = NUMBERS[numbers]
    column = pa.chunked_array([pa.array(values[:11], pa.int64()), pa.array(values[11:], pa.int64())])
    rids = pa.array(range(len(values)), pa.int64())
    narrow = column.combine_chunks().cast(pa.int32(), safe=False)
    schema = pa.schema([partlib.RID_FIELD, pa.field("n", pa.int64()), pa.field("narrow", pa.int32())])
    rows = pa.table([rids, column, narrow], schema=schema)

    async def main() -> None:
        parts = store(LocalBlob(tmp_path))
        # What comes later in a stream has no say, and is written as what came first.
        part = await parts.write_stream("t1", "+", [rows.slice(0, 0), rows, rows.slice(0, 3)], schema)
        assert part.key is not None
        path = str(tmp_path / part.key)
        group = pq.read_metadata(path).row_group(0)
        assert ["DELTA_BINARY_PACKED" in group.column(i).encodings for i in range(3)] == [
            True,
            by_steps,
            False,
        ]
        back = await parts.read(part)
        assert back["n"].to_pylist() == [*values, *values[:3]]
        assert back["narrow"].to_pylist() == [*narrow.to_pylist(), *narrow.to_pylist()[:3]]
        found = duckdb.sql(f"SELECT n FROM read_parquet('{path}')").fetchall()
        assert [n for (n,) in found] == [*values, *values[:3]]

    asyncio.run(main())


COUNT = 6_000
_NULLS = [i % 7 == 3 for i in range(COUNT)]


def _some(kind: pa.DataType, low: int, high: int) -> pa.Array:
    numbers = [_RANDOM.randrange(low, high) for _ in range(COUNT)]
    return pa.array(numbers, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)


SPLIT: dict[str, pa.Array] = {
    "smallint": pa.array([_RANDOM.randrange(-(1 << 15), 1 << 15) for _ in range(COUNT)], pa.int16()),
    "integer": pa.array([_RANDOM.randrange(-(1 << 31), 1 << 31) for _ in range(COUNT)], pa.int32()),
    "bigint": pa.array([_RANDOM.randrange(-TOP, TOP) for _ in range(COUNT)], pa.int64()),
    "real": pa.array(
        [_RANDOM.random() for _ in range(COUNT - 3)] + [float("inf"), -0.0, -1e-44], pa.float32()
    ),
    "double": pa.array([_RANDOM.random() for _ in range(COUNT - 3)] + [float("-inf"), -0.0, 5e-324]),
    "date": _some(pa.date32(), -700_000, 100_000),
    "time": _some(pa.time64("us"), 0, 86_400_000_000),
    "timestamp": _some(pa.timestamp("us"), -60_000_000_000_000_000, 60_000_000_000_000_000),
    "timestamptz": _some(pa.timestamp("us", "UTC"), -60_000_000_000_000_000, 60_000_000_000_000_000),
    "numeric(5,2)": pa.array(
        [Decimal(_RANDOM.randrange(-99_999, 99_999)) / 100 for _ in range(COUNT)], pa.decimal128(5, 2)
    ),
    "numeric(18,3)": pa.array(
        [Decimal(_RANDOM.randrange(-(10**18), 10**18)).scaleb(-3) for _ in range(COUNT)], pa.decimal128(18, 3)
    ),
}
WHOLE: dict[str, pa.Array] = {
    "numeric(19,3)": pa.array([Decimal(_RANDOM.randrange(-(10**18), 10**18)).scaleb(-3) for _ in range(COUNT)], pa.decimal128(19, 3)),
    "boolean": pa.array([i % 3 == 0 for i in range(COUNT)]),
    "lists": pa.array([[i, None, _RANDOM.randrange(TOP)] for i in range(COUNT)], pa.list_(pa.int64())),
}  # fmt: skip


@pytest.mark.parametrize("name", [*SPLIT, *WHOLE])
@pytest.mark.parametrize("nulls", [False, True], ids=["all there", "nulls"])
def test_numbers_are_split_into_their_bytes(name: str, nulls: bool, tmp_path: Path) -> None:
    """Whoever reads Parquet finds what was written, smallest and largest by the statistics too."""
    column = (SPLIT | WHOLE)[name]
    if nulls:
        column = pc.if_else(pa.array(_NULLS), pa.scalar(None, column.type), column)
    # A column of another type has the path that Parquet gives to an element of the first.
    named = {"n": column, "n.list.element": pa.array(["x"] * COUNT), "n.b": column}

    async def main() -> None:
        parts = store(LocalBlob(tmp_path))
        part = await parts.write("t1", "+", table(range(COUNT), **named))
        assert part.key is not None
        path = str(tmp_path / part.key)
        group = pq.read_metadata(path).row_group(0)
        assert ("BYTE_STREAM_SPLIT" in group.column(1).encodings) == (name in SPLIT)
        back = await parts.read(part)
        assert back.column("n").combine_chunks().equals(column)
        assert back.column("n.b").combine_chunks().equals(column)
        found = duckdb.sql(f"SELECT n FROM read_parquet('{path}')").to_arrow_table().column("n")
        assert found.cast(column.type).combine_chunks().equals(column)
        if name != "lists":
            seen = group.column(1).statistics
            ends = pc.min_max(column).as_py()
            assert (seen.min, seen.max) == (ends["min"], ends["max"])

    asyncio.run(main())


@pytest.mark.parametrize(
    ("different", "dictionary"), [(1, True), (1_000, True), (COUNT, False)], ids=["one", "many", "all"]
)
def test_texts_that_come_again_have_a_dictionary(different: int, dictionary: bool, tmp_path: Path) -> None:
    texts = pa.array([None if i % 50 == 0 else f"text {_RANDOM.randrange(different)}" for i in range(COUNT)])
    if different == COUNT:
        texts = pa.array([f"text {i}" for i in range(COUNT)])

    async def main() -> None:
        parts = store(LocalBlob(tmp_path))
        part = await parts.write("t1", "+", table(range(COUNT), c=texts, b=texts.cast(pa.binary())))
        assert part.key is not None
        path = str(tmp_path / part.key)
        group = pq.read_metadata(path).row_group(0)
        assert [group.column(i).has_dictionary_page for i in (1, 2)] == [dictionary] * 2
        back = await parts.read(part)
        assert back.column("c").combine_chunks().equals(texts)
        assert back.column("b").combine_chunks().equals(texts.cast(pa.binary()))

    asyncio.run(main())


def test_a_part_of_nothing_or_without_row_ids_is_no_part() -> None:
    async def main() -> None:
        with pytest.raises(InvalidDatum):
            await store().write("t1", "+", table(range(0)))
        with pytest.raises(InvalidDatum):
            await store().write("t1", "+", pa.table({"a": [1]}))

    asyncio.run(main())


def truncated(data: bytes) -> bytes | None:
    return data[:-10]


def flipped(data: bytes) -> bytes | None:
    return data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :]


def emptied(data: bytes) -> bytes | None:
    return b""


def gone(data: bytes) -> bytes | None:
    return None


def swapped(data: bytes) -> bytes | None:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"_rid": [1]}), sink)
    other: bytes = sink.getvalue().to_pybytes()
    return other


@pytest.mark.parametrize("damage", [truncated, flipped, emptied, gone, swapped])
@pytest.mark.parametrize("where", ["memory", "file"])
def test_a_damaged_part_is_named_and_never_read(damage: object, where: str, tmp_path: Path) -> None:
    async def main() -> None:
        assert callable(damage)
        blob = MemoryBlob() if where == "memory" else LocalBlob(tmp_path)
        parts = store(blob)
        part = await parts.write("t1", "+", table(range(1000)))
        assert part.key is not None
        bad = damage(await blob.get(part.key))
        if bad is None:
            await blob.delete(part.key)
        else:
            await blob.put(part.key, bad)
        with pytest.raises(CorruptBlob) as e:
            await parts.read(part)
        assert e.value.key == part.key and part.key in str(e.value)

    asyncio.run(main())


def test_a_part_whose_description_lies_is_corrupt() -> None:
    """The checksum is right, the count is not: two parts were mixed up."""

    async def main() -> None:
        parts = store()
        part = await parts.write("t1", "+", table(range(1000)))
        with pytest.raises(CorruptBlob, match="1000 rows instead of 999"):
            await parts.read(replace(part, row_count=999))

    asyncio.run(main())


def test_a_part_of_a_newer_format_is_told_from_a_damaged_one(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        parts = store()
        with monkeypatch.context() as patch:
            patch.setattr(partlib, "PARQUET_FORMAT", b"99")
            part = await parts.write("t1", "+", table(range(3)))
        with pytest.raises(FormatTooNew, match="99"):
            await parts.read(part)

    asyncio.run(main())


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x93\x01", b"\xa3abc", b"\x05", b"\x91\xc0", b"\x91\xa1x"])
@pytest.mark.parametrize("kind", ["+", "-"])
@pytest.mark.parametrize("has_ts", [False, True])
def test_a_damaged_inline_part_is_corrupt(kind: str, data: bytes, has_ts: bool) -> None:
    part = Part(kind, 1, len(data), 5, has_ts, data=data, schema_version=1)
    with pytest.raises(CorruptBlob):
        partlib.inline_table(part, AB)


def test_compaction_stops_at_a_damaged_part_and_leaves_all_as_it_was() -> None:
    from storage.compaction import Compactor
    from storage.compaction_jobs import CompactionLimits

    async def main() -> None:
        world = World(part_limits=PartLimits(inline_bytes_max=10))
        shard = await world.open(schema=AB)
        for i in range(4):
            await shard.append([inline_inserts([(i, (i, "x" * 30))], i)], i, i + 1)
        key = shard.state.parts[2][1].key
        assert key is not None
        good = await world.blob.get(key)
        await world.blob.put(key, good[:-1])
        before = shard.state
        with pytest.raises(CorruptBlob, match=key):
            await Compactor(shard, limits=CompactionLimits(fanout=4)).run()
        assert shard.state == before
        with pytest.raises(CorruptBlob, match=key):
            await shard.read(3)
        await world.blob.put(key, good)
        assert len(await contents(shard, 3)) == 4

    asyncio.run(main())


@pytest.mark.parametrize(
    "part",
    [
        inline_inserts([(5, (1, "x")), (3, (2, None))], 9),
        inline_deletes([9, 4], 9),
        partlib.timed_inserts([(5, 7, (1, "x")), (3, 6, (2, None))], 1),
        partlib.timed_deletes([(9, 2), (4, 1)]),
    ],
    ids=["inserts", "deletes", "timed inserts", "timed deletes"],
)
def test_inline_parts_as_tables_and_their_descriptions(part: Part) -> None:
    found = partlib.inline_table(part, AB)
    assert found.num_rows == part.row_count == 2
    rids = found.column("_rid").to_pylist()
    assert (min(rids), max(rids)) == (part.rid_min, part.rid_max)
    if part.has_ts:
        times = found.column("_ts").to_pylist()
        assert (min(times), max(times)) == (part.ts, part.newest_ts)
    assert partlib.part_from_list(partlib.part_to_list(part)) == part
