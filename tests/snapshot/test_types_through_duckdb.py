"""Every column type reaches DuckDB as the same value, whether a few rows go as text or many as Arrow."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import planner.types as t
from executor.snapshot import SnapshotStore
from executor.snapshot.pending import TEXT_ROWS_MAX
from planner.abc import Column, Table, TypeRef
from storage.rows import arrow_to_rows

FAR = (1 << 63) - 1
VALUES: dict[str, tuple[TypeRef, list[Any]]] = {
    "bool": (TypeRef(t.BOOL), [True, False]),
    "int2": (TypeRef(t.INT2), [-32768, 32767]),
    "int4": (TypeRef(t.INT4), [-(1 << 31), 0]),
    "int8": (TypeRef(t.INT8), [-(1 << 63), (1 << 63) - 1]),
    "float4": (TypeRef(t.FLOAT4), [0.5, -1.5, float("inf"), float("-inf")]),
    "float8": (TypeRef(t.FLOAT8), [0.1, 1e-300, 1.7976931348623157e308, float("inf"), -0.0]),
    "numeric(38,10)": (
        TypeRef(t.NUMERIC, ((38 << 16) | 10) + 4),
        [Decimal("1234567890123456789012345678.0123456789"), Decimal("-0.0000000001")],
    ),
    "numeric": (TypeRef(t.NUMERIC), ["1.10", "NaN", "-0.000"]),
    "text": (TypeRef(t.TEXT), ["", "it's", "a\\b\n\t", "🙂 é", "$1 ?"]),
    "bytea": (TypeRef(t.BYTEA), [b"", b"\x00\xff'\\"]),
    "date": (TypeRef(t.DATE), [0, -800_000, 2147483647, -2147483647]),
    "time": (TypeRef(t.TIME), [0, 86_399_999_999]),
    "timestamp": (TypeRef(t.TIMESTAMP), [0, -1, FAR, -FAR]),
    "timestamptz": (TypeRef(t.TIMESTAMPTZ), [0, 1_700_000_000_123_456, FAR, -FAR]),
    "interval": (TypeRef(t.INTERVAL), [(1, -2, 3), (0, 0, -1), (-14, 40, 86_400_000_001)]),
    "uuid": (TypeRef(t.UUID), ["00000000-0000-0000-0000-00000000000a"]),
    "jsonb": (TypeRef(t.JSONB), ['{"a": [1, null, "x\'y"]}']),
    "int4[]": (TypeRef(t.INT4_ARRAY), ["{}", "{1,NULL,3}"]),
    "text[]": (TypeRef(t.TEXT_ARRAY), ['{"a,b","q\\"",NULL}']),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
def test_values_come_back(name: str, many: bool) -> None:
    ref, values = VALUES[name]
    rows = [(v,) for v in [*values, None]]
    if many:
        rows *= TEXT_ROWS_MAX + 1

    async def main() -> None:
        store = SnapshotStore(threads=1)
        image = store.create(Table(1, 1, "t", (Column("v", ref, 1),), (), "t1"), 1)
        for rid, row in enumerate(rows):
            image.put(rid, rid, row, 10)
        await store.prepare_read(["t1"], 10)
        text = store.relation_sql("t1", 10, with_rid=True)
        got = store.connection.sql(f"SELECT {t.select_sql('v', ref)} AS v FROM {text} q ORDER BY _rid")
        column = t.to_canonical(got.to_arrow_table().column(0), ref)
        assert arrow_to_rows(pa.table({"v": column})) == rows
        await store.close()

    asyncio.run(main())
