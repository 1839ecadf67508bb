"""COPY's formats: the same tables, errors and files as PostgreSQL makes, however the bytes are cut."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from decimal import Decimal

import psycopg
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.abc import CopyOptions
from pgwire.encoding import copy_decoder, copy_encoder, copy_lines
from planner.abc import ResultColumn, SqlError
from planner.types import TypeSettings, from_datums, output_text, to_datums
from tests.types.samples import DATUMS, type_of

Rows = list[tuple[object, ...]]


def columns_of(names: Iterable[str]) -> tuple[ResultColumn, ...]:
    return tuple(ResultColumn(chr(97 + i), type_of(name)) for i, name in enumerate(names))


def csv(**options: object) -> CopyOptions:
    return CopyOptions(**{"format": "csv", "delimiter": ",", "null": "", **options})  # type: ignore[arg-type]


def decode(
    columns: tuple[ResultColumn, ...],
    data: bytes,
    options: CopyOptions,
    cuts: Iterable[int] = (),
    block_bytes: int = copy_lines.BLOCK_BYTES,
) -> Rows:
    decoder = copy_decoder(columns, options, TypeSettings(), "t")
    decoder._block_bytes = block_bytes  # type: ignore[attr-defined]
    batches = []
    ends = [0, *sorted(cuts), len(data)]
    for start, end in itertools.pairwise(ends):
        batches += decoder.feed(data[start:end])
    batches += decoder.finish()
    rows: Rows = []
    for batch in batches:
        lists = [to_datums(array, c.type) for array, c in zip(batch.columns, columns, strict=True)]
        rows += zip(*lists, strict=True) if lists else [()] * batch.num_rows
    assert decoder.row_count == len(rows)
    return rows


def encode(columns: tuple[ResultColumn, ...], rows: Rows, options: CopyOptions, zone: str = "UTC") -> bytes:
    encoder = copy_encoder(columns, options, TypeSettings(time_zone=zone))
    arrays = [from_datums([row[i] for row in rows], c.type) for i, c in enumerate(columns)]
    batch = pa.RecordBatch.from_arrays(arrays, names=[c.name for c in columns])
    return b"".join([encoder.begin(), *encoder.encode(batch), encoder.end()])


def load(postgres: psycopg.Connection, types: list[str], data: bytes, options: str) -> Rows | tuple[str, ...]:
    """What PostgreSQL makes of the same bytes: rows in text, or the error."""
    postgres.execute("drop table if exists t")
    postgres.execute(f"create table t ({', '.join(f'{chr(97 + i)} {n}' for i, n in enumerate(types))})")
    try:
        with postgres.cursor().copy(f"copy t from stdin with ({options})") as copy:
            copy.write(data)
    except psycopg.Error as e:
        return e.diag.sqlstate or "", e.diag.message_primary or "", e.diag.context or ""
    result = postgres.pgconn.exec_(b"select * from t")
    return [
        tuple(None if (v := result.get_value(r, c)) is None else v.decode() for c in range(result.nfields))
        for r in range(result.ntuples)
    ]


def ours(types: list[str], data: bytes, options: CopyOptions) -> Rows | tuple[str, ...]:
    columns = columns_of(types)
    try:
        rows = decode(columns, data, options)
    except SqlError as e:
        return e.sqlstate, e.message, e.context
    return [
        tuple(None if v is None else output_text(v, c.type) for v, c in zip(row, columns, strict=True))
        for row in rows
    ]


IIT = ["int4", "int4", "text"]
TEXT_INPUTS: list[tuple[list[str], bytes]] = [
    (IIT, b"1\t2\tabc\n3\t\\N\t\\N\n"),
    (IIT, b"1\t2\tabc\n3\t4\tlast without newline"),
    (IIT, b"1\t2\ta\\tb\\\\c\\nd\n"),
    (IIT, b"1\t2\ta\\\nb\n3\t4\tc\n"),
    (IIT, b"1\t2\ta\\\tb\n"),
    (IIT, b"1\t2\t\\x41\\101\\q\\.\n"),
    (IIT, b"1\t2\ta\\Nb\n"),
    (IIT, b"1\t2\tabc\n\\.\n3\t4\tafter\n"),
    (IIT, b"1\t2\tabc\r\n3\t4\td\r\n"),
    (IIT, b"1\t2\tabc\r3\t4\td\r"),
    (IIT, b"1\t2\tabc\n3\t4\td\re\n"),
    (IIT, b"1\t2\tabc\r\n3\t4\td\n"),
    (IIT, b"1\t2\n"),
    (IIT, b"1\t2\ta\tb\n"),
    (IIT, b"\n"),
    (IIT, b""),
    (IIT, b"1\t2\tabc\n1\tx\tabc\n"),
    (IIT, b"1\t2\tabc\n1\t\tabc\n"),
    (IIT, b"1\t0x10\tabc\n"),
    (IIT, b" 1\t+2 \tabc\n"),
    (IIT, b"1\t99999999999\tabc\n"),
    (IIT, b"1\t2\t" + b"x" * 150 + b"\n1\t" + b"y" * 150 + b"\tz\n"),
    (IIT, b"1\t2\ta\xffb\n"),
    (IIT, b"1\t2\t\\xff\n"),
    (["text"], b"\n\nabc\n\\N\n"),
    (["text"], b"\\.x\n"),
    (["float8"], b"1e400\n"),
    (["float8"], b"1e-400\n"),
    (["float8"], b"nan\n-inf\n0\n1e-5\n"),
    (["numeric(3,2)"], b"1.005\n9.99\n"),
    (["numeric(3,2)"], b"10\n"),
    (["numeric"], b"1.10\n1e2\n"),
    (["date"], b"2020-01-02\n0001-01-01\nJan 8 1999\ninfinity\n"),
    (["date"], b"2020-02-30\n"),
    (["timestamp"], b"2020-01-02 03:04:05.5\n2020-01-02\n2020-01-02T03:04:05\n"),
    (["timestamp"], b"2020-01-02 03\n"),
    (["timestamp(0)"], b"2020-01-02 03:04:05.5\n"),
    (["timestamptz"], b"2020-01-02 03:04:05+02\n2020-01-02 03:04:05\n2020-01-02 03:04:05.25-08:00\n"),
    (["bool"], b"t\nfalse\nYES\n0\n"),
    (["bool"], b"maybe\n"),
    (["char(3)", "varchar(3)"], b"a\tb\n\xc3\xa4\xc3\xb6\xc3\xbc\tabc\n"),
    (["char(3)"], b"abcd\n"),
    (["varchar(3)"], b"abc  \n"),
    (["uuid"], b"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11\na0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\n"),
    (["bytea"], b"\\\\x0102\nabc\n"),
    (["json", "jsonb"], b'{"a": 1}\t{"b":1, "a":[1,2]}\n'),
    (["jsonb"], b"{a}\n"),
    (["int4[]", "text[]"], b'{1,NULL}\t{"a b",c}\n'),
    (["interval", "time"], b"1 day 02:03\t04:05:06.7\n"),
]  # fmt: skip


@pytest.mark.postgres
@pytest.mark.parametrize(("types", "data"), TEXT_INPUTS)
def test_text_in(postgres: psycopg.Connection, types: list[str], data: bytes) -> None:
    postgres.execute("set timezone = 'UTC'; set datestyle = 'ISO, MDY'")
    assert ours(types, data, CopyOptions()) == load(postgres, types, data, "format text")


CSV_INPUTS: list[tuple[list[str], bytes]] = [
    (IIT, b"1,2,abc\n3,,\n"),
    (IIT, b'1,2,"a,b"\n3,4,"line\nbreak"\n5,6,"say ""hi"""\n'),
    (IIT, b'1,2,""\n3,4,\n'),
    (IIT, b'1,"2",abc\n'),
    (IIT, b'1,"",abc\n'),
    (IIT, b'1,2,a"b,c"d\n'),
    (IIT, b'1,2,"abc"def\n'),
    (IIT, b'1,2,"abc\n'),
    (IIT, b"1,2,abc\r\n3,4,d\r\n"),
    (IIT, b"1,2\n"),
    (IIT, b"1,2,3,4\n"),
    (IIT, b"1,2,a\\tb\\\n"),
    (IIT, b"1,2,abc\n\\.\n9,9,z\n"),
    (IIT, b'1,2,"a\nb"\nx,2,c\n'),
    (["text"], b'\n""\n" "\nabc\n'),
    (["text", "text"], b'"""",""""""\n" a"," b "\n'),
]


@pytest.mark.postgres
@pytest.mark.parametrize(("types", "data"), CSV_INPUTS)
def test_csv_in(postgres: psycopg.Connection, types: list[str], data: bytes) -> None:
    assert ours(types, data, csv()) == load(postgres, types, data, "format csv")


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("options", "sql", "data"),
    [
        (csv(header=True), "format csv, header", b"x,y,z\n1,2,abc\n"),
        (csv(header="match"), "format csv, header match", b"a,b,c\n1,2,abc\n"),
        (csv(header="match"), "format csv, header match", b"a,x,c\n1,2,abc\n"),
        (csv(header="match"), "format csv, header match", b"a,b\n1,2,abc\n"),
        (csv(delimiter=";", quote="'"), "format csv, delimiter ';', quote ''''", b"1;2;'a;b'\n"),
        (csv(escape="\\"), "format csv, escape '\\'", b'1,2,"a\\"b\\\\c"\n3,4,"x\ny\\""\n'),
        (csv(null="NULL"), "format csv, null 'NULL'", b'1,NULL,NULL\n2,3,"NULL"\n4,5,\n'),
        (csv(force_not_null=("c",)), "format csv, force_not_null (c)", b"1,2,\n"),
        (csv(force_null=("c",)), "format csv, force_null (c)", b'1,2,""\n3,4,"x"\n'),
        (CopyOptions(delimiter="|", null="?"), "delimiter '|', null '?'", b"1|?|a\\|b\n2|3|?\n"),
        (CopyOptions(null=""), "null ''", b"1\t\t\n2\t3\t\\N\n"),
        (CopyOptions(header=True), "header", b"x\ty\tz\n1\t2\tabc\n"),
    ],
)
def test_options_in(postgres: psycopg.Connection, options: CopyOptions, sql: str, data: bytes) -> None:
    assert ours(IIT, data, options) == load(postgres, IIT, data, sql)


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("options", "sql"),
    [
        (CopyOptions(), "format text"),
        (CopyOptions(delimiter=",", null="nil", header=True), "delimiter ',', null 'nil', header"),
        (csv(), "format csv"),
        (csv(header=True, force_quote="*"), "format csv, header, force_quote *"),
        (csv(null="NULL", quote="'", escape="\\", delimiter=";"), "format csv, null 'NULL', quote '''', escape '\\', delimiter ';'"),
        (CopyOptions(format="binary"), "format binary"),
    ],
)  # fmt: skip
def test_out_is_the_file_that_postgres_writes(
    postgres: psycopg.Connection, options: CopyOptions, sql: str
) -> None:
    postgres.execute("set timezone = 'America/New_York'; set datestyle = 'ISO, MDY'")
    for name in DATUMS:
        column = columns_of([name, "int4"])
        postgres.execute("drop table if exists t")
        postgres.execute(f"create table t (a {name}, b int4)")
        rows: Rows = [(d, i) for i, d in enumerate([*DATUMS[name], None])]
        with postgres.cursor().copy("copy t from stdin") as copy:
            copy.write(encode(column, rows, CopyOptions(), "America/New_York"))
        with postgres.cursor().copy(f"copy t to stdout with ({sql})") as copy:
            theirs = b"".join(bytes(piece) for piece in copy)
        assert encode(column, rows, options, "America/New_York") == theirs, name


ALL_OPTIONS = [
    CopyOptions(),
    csv(),
    csv(force_quote="*", header=True),
    CopyOptions(format="binary"),
    CopyOptions(delimiter="|"),
]


@pytest.mark.parametrize("options", ALL_OPTIONS, ids=["text", "csv", "csv quoted", "binary", "bars"])
@pytest.mark.parametrize("name", list(DATUMS))
def test_what_goes_out_comes_back_in(name: str, options: CopyOptions) -> None:
    columns = columns_of([name, "int4"])
    rows: Rows = [(d, i) for i, d in enumerate([*DATUMS[name], None])]
    data = encode(columns, rows, options)
    assert repr(decode(columns, data, options)) == repr(rows)
    rng = random.Random(7)
    for _ in range(3):
        cuts = [rng.randrange(len(data)) for _ in range(5)]
        assert repr(decode(columns, data, options, cuts, block_bytes=rng.choice([1, 16, 64]))) == repr(rows)


texts = st.none() | st.text(st.sampled_from('ab\t\n\r\\N.,"; é'), max_size=6)


@given(
    rows=st.lists(st.tuples(texts, texts, st.none() | st.integers(-5, 5)), min_size=1, max_size=6),
    options=st.sampled_from(ALL_OPTIONS),
    data=st.data(),
)
def test_awkward_texts_survive_any_cut(rows: Rows, options: CopyOptions, data: st.DataObject) -> None:
    columns = columns_of(["text", "text", "int4"])
    encoded = encode(columns, rows, options)
    cuts = data.draw(st.lists(st.integers(0, len(encoded)), max_size=4))
    assert (
        decode(columns, encoded, options, cuts, block_bytes=data.draw(st.sampled_from([1, 8, 1000]))) == rows
    )


def test_rows_that_do_not_convert_can_be_ignored() -> None:
    columns = columns_of(["int4", "text"])
    options = CopyOptions(on_error="ignore")
    decoder = copy_decoder(columns, options, TypeSettings(), "t")
    batches = decoder.feed(b"1\ta\nx\tb\n3\tc\n") + decoder.finish()
    assert [batch.column(0).to_pylist() for batch in batches] == [[1, 3]]
    assert (decoder.row_count, decoder.ignored_count) == (2, 1)


def test_line_numbers_count_across_blocks_fast_and_exact() -> None:
    lines = [b"%d\tabc\n" % i for i in range(1000)]
    lines[700] = b"x\tabc\n"
    with pytest.raises(SqlError) as caught:
        decode(
            columns_of(["int4", "text"]), b"".join(lines), CopyOptions(), range(0, 5000, 37), block_bytes=100
        )
    assert caught.value.context == 'COPY t, line 701, column a: "x"'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"nonsense of any length", "COPY file signature not recognized"),
        (b"PGCOPY\n\xff\r\n\0" + b"\0\1\0\0" + b"\0" * 4, "invalid COPY file header (WITH OIDS)"),
        (b"PGCOPY\n\xff\r\n\0" + b"\0" * 8 + b"\0\2", "row field count is 2, expected 1"),
        (b"PGCOPY\n\xff\r\n\0" + b"\0" * 8 + b"\0\1\0\0\0\4\0\0", "unexpected EOF in COPY data"),
        (b"PGCOPY\n\xff\r\n\0" + b"\0" * 8 + b"\xff\xff\0", "received copy data after EOF marker"),
        (b"PGCOPY\n\xff\r\n\0" + b"\0" * 8 + b"\0\1\xff\xff\xff\xfe", "invalid field size"),
    ],
)
def test_malformed_binary(data: bytes, message: str) -> None:
    with pytest.raises(SqlError) as caught:
        decode(columns_of(["int4"]), data, CopyOptions(format="binary"))
    assert (caught.value.sqlstate, caught.value.message) == ("22P04", message)


def test_a_stretch_of_fixed_rows_with_one_null_inside() -> None:
    columns = columns_of(["int4", "timestamp", "float8"])
    rows: Rows = [(i, i * 10**6, i / 2) for i in range(50)]
    rows[20] = (None, 2**63 - 1, None)
    options = CopyOptions(format="binary")
    assert decode(columns, encode(columns, rows, options), options) == rows


@pytest.mark.parametrize("options", [CopyOptions(), csv(), CopyOptions(format="binary")])
def test_rows_without_columns(options: CopyOptions) -> None:
    encoder = copy_encoder((), options)
    batch = pa.RecordBatch.from_struct_array(pa.array([{}] * 3, pa.struct([])))
    data = b"".join([encoder.begin(), *encoder.encode(batch), encoder.end()])
    assert decode((), data, options) == [(), (), ()]


def test_one_bad_field_among_many_binary_rows() -> None:
    columns = columns_of(["int4", "text", "numeric(5,2)"])
    options = CopyOptions(format="binary")
    rows: Rows = [(i, f"n{i}", Decimal(i).scaleb(-2)) for i in range(40)]
    data = encode(columns, rows, options)
    assert decode(columns, data, options) == rows
    with pytest.raises(SqlError) as caught:
        decode(columns, data.replace(b"n30", b"n\xff0"), options)
    assert caught.value.sqlstate == "22021"
    assert caught.value.context == "COPY t, line 31, column b"


@pytest.mark.parametrize(
    ("options", "sqlstate"),
    [
        (CopyOptions(format="xml"), "22023"),
        (CopyOptions(delimiter="ab"), "0A000"),
        (CopyOptions(delimiter="ä"), "0A000"),
        (CopyOptions(delimiter="\n"), "22023"),
        (CopyOptions(delimiter="a"), "22023"),
        (CopyOptions(null="a\nb"), "22023"),
        (CopyOptions(delimiter="|", null="a|b"), "0A000"),
        (csv(quote="ab"), "0A000"),
        (csv(quote=","), "22023"),
        (csv(escape=""), "0A000"),
        (csv(null='a"b'), "0A000"),
    ],
)
def test_options_that_cannot_be(options: CopyOptions, sqlstate: str) -> None:
    for make in (copy_decoder, copy_encoder):
        with pytest.raises(SqlError) as caught:
            make(columns_of(["int4"]), options)
        assert caught.value.sqlstate == sqlstate


@pytest.mark.parametrize("options", [CopyOptions(), csv()], ids=["text", "csv"])
def test_a_row_of_many_blocks_is_not_looked_through_for_each_of_them(
    options: CopyOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoder = copy_decoder(columns_of(["text"]), options, TypeSettings(), "t")
    decoder._block_bytes = 100  # type: ignore[attr-defined]
    looked_at: list[int] = []
    look = decoder.last_row_end  # type: ignore[attr-defined]

    def looks(data: bytes) -> int:
        looked_at.append(len(data))
        return look(data)

    monkeypatch.setattr(decoder, "last_row_end", looks)
    batches = [b for _ in range(1000) for b in decoder.feed(b"x" * 100)]
    assert batches == [] and sum(looked_at) < 4 * 100_000
    batches = [*decoder.feed(b"\n" + b"y\n" * 70_000), *decoder.finish()]
    values = [v for b in batches for v in b.column(0).to_pylist()]
    assert values == ["x" * 100_000] + ["y"] * 70_000
