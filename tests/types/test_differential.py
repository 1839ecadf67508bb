"""The types against PostgreSQL itself: the same text, error and binary form for every spelling."""

from __future__ import annotations

import psycopg
import pytest

from pgwire.encoding import binary_input, binary_output
from planner.abc import SqlError
from planner.types import TypeRef, TypeSettings, format_type, input_text, output_text
from tests.types.samples import DATES, DATUMS, INTERVALS, SPELLINGS, STAMPS, TIMES, type_of

pytestmark = pytest.mark.postgres

Answer = tuple[object, ...]
PRIMARY, DETAIL, HINT, STATE = b"MDHC"


def ask(postgres: psycopg.Connection, type_name: str, text: str) -> Answer:
    """(text, binary) of the value, or (SQLSTATE, message, detail, hint) of the error."""
    query = f"select ($1::text)::{type_name}".encode()
    shown = postgres.pgconn.exec_params(query, [text.encode()])
    if shown.status != psycopg.pq.ExecStatus.TUPLES_OK:
        return tuple((shown.error_field(f) or b"").decode() for f in (STATE, PRIMARY, DETAIL, HINT))
    sent = postgres.pgconn.exec_params(query, [text.encode()], result_format=1)
    return (shown.get_value(0, 0) or b"").decode(), sent.get_value(0, 0)


def answer(ref: TypeRef, text: str, settings: TypeSettings) -> Answer:
    try:
        datum = input_text(text, ref, settings)
    except SqlError as e:
        return e.sqlstate, e.message, e.detail, e.hint
    data = binary_output(ref)(datum)
    if output_text(datum, ref, settings) != "NaN":
        assert binary_input(ref)(data) == datum, "what is sent in binary reads back as the same datum"
    return output_text(datum, ref, settings), data


def compare(postgres: psycopg.Connection, type_name: str, texts: list[str], settings: TypeSettings) -> None:
    ref = type_of(type_name)
    theirs = {text: ask(postgres, type_name, text) for text in texts}
    ours = {text: answer(ref, text, settings) for text in texts}
    assert ours == theirs


def configure(postgres: psycopg.Connection, settings: TypeSettings) -> None:
    postgres.execute(f"set timezone = '{settings.time_zone}'")
    postgres.execute(f"set datestyle = '{settings.date_style}'")
    postgres.execute(f"set intervalstyle = '{settings.interval_style}'")
    postgres.execute(f"set extra_float_digits = {settings.extra_float_digits}")
    postgres.execute(f"set bytea_output = '{settings.bytea_output}'")


@pytest.mark.parametrize("type_name", list(SPELLINGS))
def test_input_and_output(postgres: psycopg.Connection, type_name: str) -> None:
    configure(postgres, TypeSettings())
    compare(postgres, type_name, SPELLINGS[type_name], TypeSettings())


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
@pytest.mark.parametrize("style", ["ISO", "SQL", "Postgres", "German"])
@pytest.mark.parametrize("order", ["MDY", "DMY", "YMD"])
def test_dates_and_times_in_every_style(
    postgres: psycopg.Connection, zone: str, style: str, order: str
) -> None:
    settings = TypeSettings(date_style=f"{style}, {order}", time_zone=zone)
    configure(postgres, settings)
    compare(postgres, "date", DATES, settings)
    compare(postgres, "timestamp", STAMPS, settings)
    compare(postgres, "timestamptz", STAMPS, settings)
    compare(postgres, "timestamp(2)", ["1999-01-08 04:05:06.125", "2001-01-08 04:05:06.125"], settings)
    if zone == "UTC" and style == "ISO":
        compare(postgres, "time", TIMES, settings)
        compare(postgres, "timetz", TIMES, settings)


@pytest.mark.parametrize("style", ["postgres", "postgres_verbose", "sql_standard", "iso_8601"])
def test_intervals_in_every_style(postgres: psycopg.Connection, style: str) -> None:
    settings = TypeSettings(interval_style=style)
    configure(postgres, settings)
    compare(postgres, "interval", INTERVALS, settings)


@pytest.mark.parametrize("digits", [-3, 0, 1, 3])
def test_extra_float_digits(postgres: psycopg.Connection, digits: int) -> None:
    settings = TypeSettings(extra_float_digits=digits)
    configure(postgres, settings)
    for type_name in ("float4", "float8"):
        compare(
            postgres, type_name, ["0.1", "1e15", "123456.789", "1e-7", "-0", "nan", "inf", "1e20"], settings
        )


def test_bytea_in_escape_format(postgres: psycopg.Connection) -> None:
    settings = TypeSettings(bytea_output="escape")
    configure(postgres, settings)
    compare(postgres, "bytea", ["abc", "\\x00ff5c41", "\\\\"], settings)


@pytest.mark.parametrize("type_name", list(DATUMS))
def test_every_sample_is_a_value_of_postgres(postgres: psycopg.Connection, type_name: str) -> None:
    """Our text of a datum, read and shown by PostgreSQL, is our text; and so in binary."""
    settings = TypeSettings(time_zone="America/New_York")
    configure(postgres, settings)
    ref = type_of(type_name)
    for datum in DATUMS[type_name]:
        text = output_text(datum, ref, settings)
        assert ask(postgres, type_name, text) == (text, binary_output(ref)(datum))


@pytest.mark.parametrize(
    "type_name",
    [
        "int4",
        "int8",
        "bool",
        "text",
        "varchar",
        "varchar(10)",
        "bpchar",
        "char(3)",
        "char",
        "numeric",
        "numeric(10)",
        "numeric(10,2)",
        "numeric(5,-2)",
        "timestamp",
        "timestamptz",
        "timestamp(3)",
        "timestamptz(0)",
        "time",
        "time(2)",
        "timetz",
        "timetz(1)",
        "interval",
        "interval(3)",
        "date",
        "bytea",
        "uuid",
        "json",
        "jsonb",
        "float4",
        "float8",
        "real",
        "oid",
        "name",
        "int4[]",
        "text[]",
        "varchar(4)[]",
        "numeric(4,2)[]",
        "timestamp(3)[]",
        "regclass",
        "xid",
        "inet",
        "point",
        "int4range",
        "money",
    ],
)
def test_names_and_modifiers(postgres: psycopg.Connection, type_name: str) -> None:
    postgres.execute("drop table if exists named")
    postgres.execute(f"create table named (c {type_name})")
    row = postgres.execute(
        "select atttypid::int, atttypmod, format_type(atttypid, atttypmod) from pg_attribute"
        " where attrelid = 'named'::regclass and attnum = 1"
    ).fetchone()
    ref = type_of(type_name)
    assert (ref.oid, ref.typmod, format_type(ref)) == row


@pytest.mark.parametrize(
    "fields", ["year", "year to month", "day to hour", "day to second", "minute to second"]
)
def test_interval_fields(postgres: psycopg.Connection, fields: str) -> None:
    configure(postgres, TypeSettings())
    compare_names = f"interval {fields}"
    ref = type_of(compare_names)
    row = postgres.execute(f"select format_type(1186, {ref.typmod})").fetchone()
    assert row == (format_type(ref),)
    for text in ("1", "1-2", "1 year 2 mons 3 days 04:05:06.789", "1:2", "-3 days -4 hours", "2:03"):
        row = postgres.execute(
            f"select (interval '{text}' {fields})::text"
        ).fetchone()  # the input function's typmod
        assert row == (output_text(input_text(text, ref), ref),), text
