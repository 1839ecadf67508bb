"""DataRow messages: the same bytes from rows of datums and from Arrow batches, for every type."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence

import psycopg
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgwire.encoding import batch_encoder, batches, page_encoder, row_encoder, rows
from planner import types as t
from planner.abc import ResultColumn, SqlError, TypeRef
from planner.types import TypeSettings, from_datums, output_text
from tests.types.samples import DATUMS, type_of

ZONES = ["UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]


def columns_of(*refs: TypeRef) -> tuple[ResultColumn, ...]:
    return tuple(ResultColumn(f"c{i}", ref) for i, ref in enumerate(refs))


def batch_of(columns: Sequence[ResultColumn], rows: Sequence[Sequence[object]]) -> pa.RecordBatch:
    arrays = [from_datums([row[i] for row in rows], c.type) for i, c in enumerate(columns)]
    return pa.RecordBatch.from_arrays(arrays, names=[c.name for c in columns])


def messages(data: bytes) -> list[list[bytes | None]]:
    """Reads DataRow messages back, by the book."""
    out, at = [], 0
    while at < len(data):
        kind, size, count = struct.unpack_from("!cih", data, at)
        assert kind == b"D"
        end, at = at + 1 + size, at + 7
        row: list[bytes | None] = []
        for _ in range(count):
            (length,) = struct.unpack_from("!i", data, at)
            at += 4
            row.append(None if length < 0 else data[at : at + length])
            at += max(length, 0)
        assert at == end
        out.append(row)
    return out


@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize("name", list(DATUMS))
def test_batches_are_encoded_like_rows(name: str, form: int) -> None:
    columns = columns_of(type_of(name))
    for datums in (DATUMS[name], [None, *DATUMS[name], None], [None], []):
        rows = [(datum,) for datum in datums]
        expected = row_encoder(columns, (form,))(rows)
        batch = batch_of(columns, rows)
        assert b"".join(batch_encoder(columns, (form,))(batch)) == expected
        for start in range(len(rows)):  # slices have offsets of their own in Arrow's buffers
            piece = b"".join(batch_encoder(columns, (form,))(batch.slice(start, 2)))
            assert piece == row_encoder(columns, (form,))(rows[start : start + 2])


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("style", ["ISO, MDY", "SQL, DMY", "Postgres, MDY", "German, YMD"])
def test_settings_apply_to_batches_too(zone: str, style: str) -> None:
    settings = TypeSettings(
        date_style=style,
        time_zone=zone,
        interval_style="sql_standard",
        bytea_output="escape",
        extra_float_digits=0,
    )
    names = ["date", "timestamp", "timestamptz", "interval", "bytea", "float8", "timestamptz[]"]
    columns = columns_of(*(type_of(n) for n in names))
    rows = list(itertools.zip_longest(*(DATUMS[n] for n in names)))
    assert b"".join(batch_encoder(columns, (), settings)(batch_of(columns, rows))) == row_encoder(
        columns, (), settings
    )(rows)


def test_a_mixed_row_by_hand() -> None:
    columns = columns_of(TypeRef(t.INT4), TypeRef(t.TEXT), TypeRef(t.BOOL))
    text = b"D\0\0\0\x17\0\3" + b"\0\0\0\2" + b"42" + b"\0\0\0\2" + "é".encode() + b"\0\0\0\1f"
    assert row_encoder(columns)([(42, "é", False)]) == text
    binary = b"D\0\0\0\x17\0\3" + b"\0\0\0\4\0\0\0\x2a" + b"\xff\xff\xff\xff" + b"\0\0\0\1\1"
    assert row_encoder(columns, (1,))([(42, None, True)]) == binary
    mixed = b"D\0\0\0\x17\0\3" + b"\0\0\0\4\0\0\0\x2a" + b"\xff\xff\xff\xff" + b"\0\0\0\1t"
    assert row_encoder(columns, (1, 0, 0))([(42, None, True)]) == mixed


def test_rows_without_columns() -> None:
    assert row_encoder(())([(), ()]) == b"D\0\0\0\6\0\0" * 2
    batch = pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))
    assert b"".join(batch_encoder(())(batch)) == b"D\0\0\0\6\0\0" * 2


@pytest.mark.parametrize(("formats", "sqlstate"), [((0, 1), "08P01"), ((2,), "22023")])
def test_formats_that_do_not_fit(formats: tuple[int, ...], sqlstate: str) -> None:
    for make in (row_encoder, batch_encoder):
        with pytest.raises(SqlError) as caught:
            make(columns_of(*[TypeRef(t.INT4)] * 3), formats)
        assert caught.value.sqlstate == sqlstate


@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize("name", list(DATUMS))
def test_a_page_is_its_rows_and_says_where_each_begins(name: str, form: int) -> None:
    columns = columns_of(type_of(name), TypeRef(t.INT4))
    rows = [(datum, i) for i, datum in enumerate([None, *DATUMS[name], None])]
    arrays = batch_of(columns, rows).slice(1).columns
    data, places = page_encoder(columns, (form,))(arrays)
    one_by_one = [row_encoder(columns, (form,))([row]) for row in rows[1:]]
    assert [data[a:b] for a, b in itertools.pairwise(places)] == one_by_one


def test_chunks_are_bounded_and_end_with_a_message() -> None:
    columns = columns_of(TypeRef(t.INT4), TypeRef(t.TEXT))
    rows = [(i, "x" * (i % 1000)) for i in range(5000)]
    chunks = list(batch_encoder(columns)(batch_of(columns, rows)))
    assert len(chunks) > 5
    assert max(map(len, chunks)) <= batches.CHUNK_BYTES
    assert sum(len(messages(chunk)) for chunk in chunks) == 5000
    assert b"".join(chunks) == row_encoder(columns)(rows)


def test_a_row_larger_than_a_chunk() -> None:
    columns = columns_of(TypeRef(t.TEXT))
    rows = [("a",), ("b" * (batches.CHUNK_BYTES * 3),), ("c",)]
    chunks = list(batch_encoder(columns)(batch_of(columns, rows)))
    assert b"".join(chunks) == row_encoder(columns)(rows)
    assert all(messages(chunk) for chunk in chunks)


values = {
    "int4": st.integers(-(2**31), 2**31 - 1),
    "float8": st.floats(allow_nan=False),
    "float4": st.floats(allow_nan=False, width=32),
    "numeric(15,4)": st.decimals(-(10**11) + 1, 10**11 - 1, places=4),
    "numeric(30,8)": st.decimals(-(10**22) + 1, 10**22 - 1, places=8),
    "text": st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
    "bytea": st.binary(),
    "date": st.integers(-2_440_588, 2_145_031_948),
    "time": st.integers(0, 86_400_000_000),
    "timestamp": st.integers(-210_866_803_200_000_000, 2**63 - 2),
    "timestamptz": st.integers(-210_866_803_200_000_000, 2**63 - 2),
    "uuid": st.uuids().map(str),
}
rows_of_all = st.lists(st.tuples(*(st.none() | strategy for strategy in values.values())), max_size=8)


@given(rows=rows_of_all, zone=st.sampled_from(ZONES), formats=st.sampled_from([(0,), (1,), (0, 1) * 6]))
def test_any_rows_are_encoded_alike(
    rows: list[tuple[object, ...]], zone: str, formats: tuple[int, ...]
) -> None:
    columns = columns_of(*(type_of(name) for name in values))
    rows = [
        tuple(abs(v) if v == 0 and not isinstance(v, float | str | bytes) else v for v in row) for row in rows
    ]  # type: ignore[arg-type]
    settings = TypeSettings(time_zone=zone)
    encoded = b"".join(batch_encoder(columns, formats, settings)(batch_of(columns, rows)))
    assert encoded == row_encoder(columns, formats, settings)(rows)


@pytest.mark.postgres
@pytest.mark.parametrize("form", [0, 1])
def test_batches_are_what_postgres_sends(postgres: psycopg.Connection, form: int) -> None:
    settings = TypeSettings(time_zone="America/New_York")
    postgres.execute("set timezone = 'America/New_York'")
    for name, datums in DATUMS.items():
        ref = type_of(name)
        columns = columns_of(ref)
        rows = [(d,) for d in datums]
        sent = messages(b"".join(batch_encoder(columns, (form,), settings)(batch_of(columns, rows))))
        for (datum,), (mine,) in zip(rows, sent, strict=True):
            text = output_text(datum, ref, settings).encode()
            result = postgres.pgconn.exec_params(f"select $1::{name}".encode(), [text], result_format=form)
            assert result.get_value(0, 0) == mine, (name, datum)


@pytest.mark.parametrize("form", [0, 1])
def test_rows_longer_than_a_message(form: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL's buffers end at a gigabyte (54000); behind two, no length would say how long the row is."""
    monkeypatch.setattr(rows, "ROW_BYTES_MAX", 5_000)
    columns = [ResultColumn("a", TypeRef(t.TEXT)), ResultColumn("b", TypeRef(t.TEXT))]
    encode = row_encoder(columns, [form])
    assert len(encode([("x" * 2_000, "y" * 2_900)])) == 4_900 + 15
    for row in (("x" * 5_001, ""), ("x" * 2_500, "y" * 2_600)):
        with pytest.raises(SqlError) as error:
            encode([row])
        assert error.value.sqlstate == "54000"
