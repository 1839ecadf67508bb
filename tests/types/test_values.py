"""What the types promise without a PostgreSQL at hand: round trips, errors, DuckDB, names."""

from __future__ import annotations

import json
import math
from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgwire.encoding import binary_input
from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.types import TypeSettings, from_datums, input_text, literal_sql, output_text, to_datums
from planner.types.calendar_days import civil_from_days, days_from_civil
from planner.types.timezones import offset_at, offset_of_local, offsets_at, session_zone
from tests.types.samples import DATES, DATUMS, INTERVALS, TIMES, type_of

ALL = [(name, datum) for name, datums in DATUMS.items() for datum in datums]


@pytest.mark.parametrize("name", list(DATUMS))
def test_text_round_trip(name: str) -> None:
    ref = type_of(name)
    for datum in DATUMS[name]:
        back = input_text(output_text(datum, ref), ref)
        assert back == datum or (back != back and datum != datum)


@pytest.mark.parametrize("style", ["ISO, MDY", "SQL, DMY", "Postgres, MDY", "German, DMY"])
@pytest.mark.parametrize("name", ["date", "timestamp"])
def test_dates_read_back_in_the_style_they_were_shown_in(name: str, style: str) -> None:
    ref, how = type_of(name), TypeSettings(date_style=style)
    for datum in DATUMS[name]:
        assert input_text(output_text(datum, ref, how), ref, how) == datum


@pytest.mark.parametrize("name", list(DATUMS))
def test_arrow_columns_keep_datums(name: str) -> None:
    ref = type_of(name)
    datums = [None, *DATUMS[name], None]
    column = from_datums(datums, ref)
    assert column.type == t.arrow_type(ref)
    assert repr(to_datums(column, ref)) == repr(datums)
    assert repr(to_datums(column.slice(1, 2), ref)) == repr(datums[1:3])


@pytest.mark.parametrize("name", list(DATUMS))
def test_literals_pass_through_duckdb(name: str) -> None:
    """literal -> table column -> select_sql -> canonical Arrow gives the same datum."""
    ref = type_of(name)
    connection = duckdb.connect()
    connection.execute(f"create table held (c {t.duckdb_type(ref)})")
    for datum in [*DATUMS[name], None]:
        connection.execute("delete from held")
        connection.execute(f"insert into held values ({literal_sql(datum, ref)})")
        for expr in ("c", "(SELECT c)"):  # a name, and an expression that should be evaluated once
            table = connection.sql(f"select {t.select_sql(expr, ref)} as c from held").to_arrow_table()
            column = t.to_canonical(table.column("c"), ref)
            assert column.type == t.arrow_type(ref)
            assert repr(to_datums(column, ref)) == repr([datum])


@pytest.mark.parametrize("name", list(DATUMS))
def test_canonical_columns_are_stored(name: str) -> None:
    """canonical Arrow -> store_sql -> table column -> select_sql -> canonical Arrow."""
    ref = type_of(name)
    datums = [*DATUMS[name], None]
    connection = duckdb.connect()
    connection.execute(f"create table held (c {t.duckdb_type(ref)})")
    incoming = pa.table({"c": from_datums(datums, ref)})
    connection.register("incoming", incoming)
    connection.execute(f"insert into held select {t.store_sql('c', ref)} from incoming")
    table = connection.sql(f"select {t.select_sql('c', ref)} as c from held order by rowid").to_arrow_table()
    assert repr(to_datums(t.to_canonical(table.column("c"), ref), ref)) == repr(datums)


@pytest.mark.parametrize(
    ("name", "text", "sqlstate", "message"),
    [
        ("int4", "x", "22P02", 'invalid input syntax for type integer: "x"'),
        ("int2", "70000", "22003", 'value "70000" is out of range for type smallint'),
        ("float8", "1e999", "22003", '"1e999" is out of range for type double precision'),
        ("numeric(3,1)", "123", "22003", "numeric field overflow"),
        ("varchar(2)", "abc", "22001", "value too long for type character varying(2)"),
        ("char(2)", "abc", "22001", "value too long for type character(2)"),
        ("date", "2020-02-30", "22008", 'date/time field value out of range: "2020-02-30"'),
        ("date", "hello", "22007", 'invalid input syntax for type date: "hello"'),
        ("timestamp", "294276-12-31 00:00:00", "22008", 'timestamp out of range: "294276-12-31 00:00:00"'),
        ("numeric(3,1)", "NaN", "0A000", "NaN in a column of type numeric(3,1) is not supported"),
        ("pg_node_tree", "{}", "0A000", "cannot accept a value of type pg_node_tree"),
    ],
)
def test_errors(name: str, text: str, sqlstate: str, message: str) -> None:
    with pytest.raises(SqlError) as caught:
        input_text(text, type_of(name))
    assert (caught.value.sqlstate, caught.value.message) == (sqlstate, message)


def test_large_xid8_in_binary() -> None:
    assert binary_input(type_of("xid8"))(b"\x7f" + b"\xff" * 7) == 2**63 - 1
    assert binary_input(type_of("xid8"))(b"\xff" * 8) == 2**64 - 1


def test_what_is_not_read_as_text_is_not_read_in_binary() -> None:
    with pytest.raises(SqlError, match="cannot accept a value of type pg_node_tree"):
        binary_input(type_of("pg_node_tree"))(b"10")


@pytest.mark.parametrize("name", ["json", "jsonb"])
def test_json_nested_beyond_reason(name: str) -> None:
    with pytest.raises(SqlError) as caught:
        input_text("[" * 100_000 + "]" * 100_000, type_of(name))
    assert caught.value.sqlstate == "54001"


def test_assignment_and_explicit_casts_to_a_length() -> None:
    ref = type_of("varchar(3)")
    explicit, assignment = t.coercion(ref, True), t.coercion(ref, False)
    assert explicit is not None and assignment is not None
    assert explicit("abcdef") == "abc"
    assert assignment("abc   ") == "abc"
    with pytest.raises(SqlError, match="value too long"):
        assignment("abcd")
    pad = t.coercion(type_of("char(4)"))
    assert pad is not None and pad("ab") == "ab  "
    round_ = t.coercion(type_of("numeric(4,1)"))
    assert round_ is not None and str(round_(Decimal("-0.04"))) == "0.0"


@pytest.mark.parametrize("name", ["nosuch", "int5", "foo[]"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(SqlError) as caught:
        t.resolve_name(name)
    assert caught.value.sqlstate == "42704"


def test_types_known_by_name_only() -> None:
    ref = t.resolve_name("pg_ndistinct")
    assert t.format_type(ref) == "pg_ndistinct"
    with pytest.raises(SqlError) as caught:
        t.check_storable(ref)
    assert caught.value.sqlstate == "0A000"
    with pytest.raises(SqlError) as caught:
        t.check_storable(TypeRef(t.RECORD))
    assert caught.value.sqlstate == "42P16"


@pytest.mark.parametrize(
    ("text", "name", "volatile"),
    [
        ("now", "timestamptz", True),
        ("Tomorrow 04:00", "timestamp", True),
        ("now", "text", False),
        ("2020-01-01", "date", False),
    ],
)
def test_inputs_that_mean_something_else_tomorrow(text: str, name: str, volatile: bool) -> None:
    assert t.is_volatile_input(text, type_of(name)) is volatile


def test_now_and_today_come_from_the_settings() -> None:
    how = TypeSettings(now_us=1_600_000_000_000_000, time_zone="America/New_York")
    assert input_text("now", TypeRef(t.TIMESTAMPTZ), how) == 1_600_000_000_000_000
    assert output_text(input_text("today", TypeRef(t.DATE), how), TypeRef(t.DATE)) == "2020-09-13"
    assert (
        output_text(input_text("tomorrow", TypeRef(t.TIMESTAMP), how), TypeRef(t.TIMESTAMP))
        == "2020-09-14 00:00:00"
    )


def test_regclass_by_name_where_the_session_knows_names() -> None:
    how = TypeSettings(reg_output=lambda oid, value: f"rel{value}", reg_input=lambda oid, text: len(text))
    ref = TypeRef(t.REGCLASS)
    assert output_text(7, ref, how) == "rel7"
    assert output_text(0, ref, how) == "-"
    assert input_text("abc", ref, how) == 3
    assert input_text("42", ref, how) == 42


# --- properties


INPUTS = sorted({*DATUMS, "regclass", "xid8", "int2vector", "interval(3)", "timestamp(2)", "numeric(50,3)"})
soup = st.text(st.sampled_from("0123456789:-+/. eEtTzZPYMDHS{}[]\",'\\xnaifdyb\u0660\u00e9"), max_size=20)
words = st.lists(
    st.sampled_from([*DATES, *TIMES, *INTERVALS, "9" * 5000, "1" * 30, "9" * 400 + ":1"]), max_size=2
)


@settings(deadline=None, max_examples=300)
@given(name=st.sampled_from(INPUTS), text=soup | words.map(" ".join) | st.text(max_size=5))
def test_any_text_is_a_value_or_a_sql_error(name: str, text: str) -> None:
    ref = type_of(name)
    try:
        datum = input_text(text, ref)
    except SqlError as e:
        assert len(e.sqlstate) == 5
        return
    shown = output_text(datum, ref)
    assert output_text(input_text(shown, ref), ref) == shown


@settings(deadline=None, max_examples=300)
@given(name=st.sampled_from(INPUTS), data=st.binary(max_size=40))
def test_any_bytes_are_a_value_or_a_sql_error(name: str, data: bytes) -> None:
    try:
        binary_input(type_of(name))(data)
    except SqlError as e:
        assert len(e.sqlstate) == 5


@given(st.floats(allow_nan=False))
def test_float8_reads_back(value: float) -> None:
    text = output_text(value, TypeRef(t.FLOAT8))
    assert input_text(text, TypeRef(t.FLOAT8)) == value
    assert math.copysign(1, input_text(text, TypeRef(t.FLOAT8))) == math.copysign(1, value)


@given(st.floats(allow_nan=False, width=32))
def test_float4_reads_back(value: float) -> None:
    assert input_text(output_text(value, TypeRef(t.FLOAT4)), TypeRef(t.FLOAT4)) == value


@given(st.integers(-2_440_588, 2_145_031_948))
def test_calendar_is_a_bijection(days: int) -> None:
    year, month, day = civil_from_days(days)
    assert days_from_civil(year, month, day) == days
    assert 1 <= month <= 12 and 1 <= day <= 31


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1), st.integers(-(2**53), 2**53))
@pytest.mark.parametrize("style", ["postgres", "postgres_verbose", "iso_8601"])
def test_intervals_read_back(style: str, months: int, days: int, micros: int) -> None:
    how, ref = TypeSettings(interval_style=style), TypeRef(t.INTERVAL)
    datum = (months, days, micros)
    if style == "postgres_verbose":
        # mixed signs need "ago" to be exact
        datum = (abs(months) % 2**31, abs(days) % 2**31, abs(micros))
    assert input_text(output_text(datum, ref, how), ref, how) == datum


@given(
    st.lists(
        st.one_of(st.none(), st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])))
    )
)
def test_text_arrays_read_back(items: list[str | None]) -> None:
    ref = TypeRef(t.TEXT_ARRAY)
    datum = t.array_datum(items, t.TEXT_ARRAY)
    assert input_text(output_text(datum, ref), ref) == datum
    assert t.array_items(datum, t.TEXT_ARRAY) == items


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_jsonb_is_canonical_and_stable(value: object) -> None:
    ref = TypeRef(t.JSONB)
    once = input_text(json.dumps(value), ref)
    assert input_text(once, ref) == once
    assert json.loads(once) == value
    assert input_text(json.dumps(value, indent=3, ensure_ascii=False), ref) == once


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(
        ["UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "+03:30"]
    ),
    st.lists(st.integers(-(10**16), 10**16), min_size=1, max_size=20),
)
def test_offsets_of_a_column_are_those_of_its_values(zone_name: str, micros: list[int]) -> None:
    zone = session_zone(zone_name)
    assert offsets_at(np.array(micros, np.int64), zone).tolist() == [offset_at(m, zone) for m in micros]


@given(st.integers(-(2 * 10**15), 4 * 10**15))
def test_local_times_find_their_offset(micros: int) -> None:
    zone = session_zone("America/New_York")
    east = offset_at(micros, zone)
    assert offset_of_local(micros + east * 1_000_000, zone) in (east, east - 3600)
