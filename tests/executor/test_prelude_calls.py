"""The prelude's functions as the keyed engine calls them, against PostgreSQL: every signature, values of all kinds, errors by SQLSTATE.

DuckDB's queries call the same functions; `tests/clients/alike/computed_by_key.sql` asks both doors.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from executor.keyed.compile import compile_expression
from planner import types as t
from planner.abc import Expr, Param, SqlError, TypeRef
from planner.binding import ir
from planner.binding.facts import operators, procs
from planner.binding.keyed import calls as keyed_calls
from tests.postgres import NoPostgres, running_postgres

CASES_MAX = 90
ZONE = "Europe/Berlin"
SETTINGS = t.TypeSettings(time_zone=ZONE)
VALUES: dict[str, list[str]] = {
    "bool": ["true", "false"],
    "int2": ["0", "1", "-7", "32767"],
    "int4": ["0", "1", "2", "-1", "-3", "12", "28", "1999", "2147483647", "-2147483648"],
    "int8": ["0", "2", "-2", "9223372036854775807", "-9223372036854775808"],
    "float8": ["0", "1.5", "-2.5", "59.999999", "1700000000.25", "1e20", "NaN", "Infinity"],
    "numeric": ["0", "1", "-1.5", "2.50", "0.001", "12345678901234567890.123", "NaN", "Infinity"],
    "text": ["", "a", "abc", "Abc x", "straße", "日本", "a,b,,c", ",", "2024-02-29 13:14:15", "{}", "x'y", "\\"],
    "name": ["UTF8", "LATIN1"],
    "bytea": ["\\x", "\\x00ff", "\\x414243"],
    "uuid": ["00000000-0000-0000-0000-000000000001"],
    "date": ["2000-01-01", "1999-12-31", "2024-02-29", "0044-03-15 BC", "infinity", "-infinity"],
    "time": ["00:00", "23:59:59.5", "12:34:56.789012"],
    "timestamp": ["2000-01-31 10:00", "2024-02-29 23:59:59.999999", "1969-12-31 23:59:59.5", "0044-03-15 BC", "infinity", "2024-10-27 02:30"],
    "timestamptz": ["2000-01-31 10:00+00", "2024-02-29 23:59:59+02", "2024-10-27 01:30+00", "2024-03-31 01:00+00", "-infinity"],
    "interval": ["1 month", "-1 day 02:00", "30 days", "1 year 2 mons 03:04:05.678", "0", "-5 years -00:00:01.5"],
    "_text": ["{}", "{a}", "{a,b}", "{b,1}", "{1,-1}", "{NULL,a}", "{o,k}"],
    "json": ['{"a": 1, "b": [1, 2.50, "x"], "a": 3}', "[1,  {\"k\": null}]", '"s"', "null", "12.0", "{}"],
    "jsonb": [
        '{"a": 1, "b": [1, 2.50, "x"], "o": {"k": "v"}}', '[1, {"a": null}, "a", [true]]', '"a"', "null", "12.0", "{}", "[]",
        '{"b": {"1": 2}, "é": "\\u00fc"}',
    ],
}  # fmt: skip
UNITS = [
    "microseconds", "milliseconds", "second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century",
    "millennium", "epoch", "dow", "isodow", "doy", "isoyear", "julian", "timezone", "timezone_hour", "Years", "fortnight",
]  # fmt: skip
FORMATS = ["YYYY-MM-DD HH24:MI:SS.US", "Day, DD Mon", "FM9,999.00", "S999", "DDD IW J", "TZ OF", ""]
WORDS = {"encode": ["hex", "base64", "escape", "z"], "decode": ["hex", "base64", "escape"]}
NOT_ALIKE = re.compile(
    r"age\(timestamp(tz)?\)|now|.*regexp.*|text ~\*? text|substring\(text, text.*|to_date.*|to_timestamp\(text, text\)|to_number.*"
    r"|similar.*|.*\bput\b.*|overlaps.*|convert.*|length\(bytea, name\).*|quote_nullable.*|generate_.*|.*_in\(.*|.*_out\(.*|like_escape.*|\w+d\(float8\)|to_char\(interval, text\)"
)
"""What depends on the clock, has forms to be read (of which each has its own tests), is no call in PostgreSQL, or differs in the last digit
of a sine and in an interval's weekday."""
KNOWN_OTHERWISE = frozenset(("22023", "0A000", "22008"))
"""An error of these may have another of them here: of an infinite moment DuckDB's door, and so this one, says 0A000."""


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection[Any]]:
    try:
        with running_postgres({"fsync": "off"}) as url, psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"SET TimeZone = '{ZONE}'")
            yield connection
    except NoPostgres as e:
        pytest.skip(str(e))


class Session:
    types = SETTINGS

    @staticmethod
    def value_of(name: str) -> str:
        assert name == "time_zone"
        return ZONE


def _result(signature: str) -> int | None:
    """The type that PostgreSQL's catalog says it has."""
    args = keyed_calls.declared(signature)
    if signature.endswith(")"):
        for p in procs().get(signature.partition("(")[0], ()):
            if tuple(p.args) == args and not p.returns_set and p.result in t.BY_NAME:
                return t.BY_NAME[p.result].oid
        return None
    op = signature.split(" ")[1] if len(args) == 2 else signature.split(" ")[0]
    for o in operators().get(op, ()):
        if (o.left, o.right) == (args if len(args) == 2 else ("", args[0])) and o.result in t.BY_NAME:
            return t.BY_NAME[o.result].oid
    return None


ASKED_WITH_NULL = frozenset(("string_to_array(text, text)",))
CASES = [s for s in keyed_calls.signatures() if not NOT_ALIKE.fullmatch(s) and _result(s) is not None]


def _given(signature: str) -> list[tuple[str, ...]]:
    types = keyed_calls.declared(signature)
    name = signature.partition("(")[0]
    pools = [VALUES[x] for x in types]
    if name in ("extract", "date_part", "date_trunc"):
        pools[0] = UNITS
        if len(pools) == 3:
            pools[2] = ["UTC", "America/New_York", "nowhere"]
    elif name == "timezone":
        pools[0] = ["UTC", "America/New_York", "EST", "+02", "nowhere"]
    elif name == "to_char":
        pools[1] = FORMATS
    elif name in WORDS:
        pools[1] = WORDS[name]
    elif name.startswith("make_timestamptz") and len(pools) == 7:
        pools[6] = ["UTC", "America/New_York", "+02"]
    chosen = random.Random(signature)
    if len(pools) > 3:
        return [tuple(chosen.choice(p) for p in pools) for _ in range(CASES_MAX)]
    every = list(itertools.product(*pools))
    return every if len(every) <= CASES_MAX else chosen.sample(every, CASES_MAX)


def _sql(signature: str, values: list[str]) -> str:
    if signature.endswith(")"):
        name = signature.partition("(")[0]
        if name == "extract":
            return f"pg_catalog.extract({values[0]}, {values[1]})"
        return f"{name}({', '.join(values)})"
    words = signature.split(" ")
    return f"{values[0]} {words[1]} {values[1]}" if len(values) == 2 else f"{words[0]} {values[0]}"


def _asked(postgres: psycopg.Connection[Any], expression: str) -> tuple[str, str | None]:
    try:
        row = postgres.execute(f"SELECT ({expression})::text").fetchone()
        assert row is not None
        return "ok", row[0]
    except psycopg.Error as e:
        return "error", e.sqlstate


@pytest.mark.parametrize("signature", CASES)
def test_equal_to_postgresql(postgres: psycopg.Connection[Any], signature: str) -> None:
    refs = [TypeRef(t.BY_NAME[x].oid) for x in keyed_calls.declared(signature)]
    result = _result(signature)
    assert result is not None

    def inner(node: ir.Node) -> Expr:
        assert isinstance(node, ir.Parm)
        return Param(node.number, node.type)

    node = ir.Call(TypeRef(result), signature, tuple(ir.Parm(r, i) for i, r in enumerate(refs, 1)))
    made = keyed_calls.expression(node, inner)
    assert made is not None
    run = compile_expression(made)
    for row in _given(signature):
        literals = [
            f"'{v.replace(chr(39), chr(39) * 2)}'::{x}"
            for v, x in zip(row, keyed_calls.declared(signature), strict=True)
        ]
        kind, wanted = _asked(postgres, _sql(signature, literals))
        datums = tuple(t.input_text(v, r, SETTINGS) for v, r in zip(row, refs, strict=True))
        try:
            value = run(datums, None, Session)
            got = ("ok", None if value is None else t.output_text(value, TypeRef(result), SETTINGS))
        except SqlError as e:
            got = ("error", e.sqlstate)
        if result == t.BOOL and got[1] in ("t", "f"):
            got = ("ok", "true" if got[1] == "t" else "false")
        if got[0] == "error" and got[1] in KNOWN_OTHERWISE and (kind == "ok" or wanted in KNOWN_OTHERWISE):
            wraps = signature.startswith("make_interval")  # in PostgreSQL, where it is too long
            assert kind == "error" or wraps or "infinity" in " ".join(row), (signature, row, got, wanted)
            continue
        assert got == (kind, wanted), (signature, row)
    if refs and signature not in ASKED_WITH_NULL:
        assert run((None,) * len(refs), None, Session) is None
