"""The keyed engine's scalar functions against PostgreSQL itself, value by value and error by error.

Every function in the registry that takes types of the table below is called with all combinations of
interesting values, and so is PostgreSQL; results are compared as text, errors by SQLSTATE.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from executor.keyed.compile import OPERANDS_MAX, NotCompilable, compile_expression
from executor.keyed.registry import LAX, STRICT
from planner import types as t
from planner.abc import Call, Const, Param, SqlError, TypeRef
from planner.binding.offered import every_signature
from tests.postgres import NoPostgres, running_postgres

VALUES: dict[str, list[str]] = {
    "bool": ["true", "false"],
    "int2": ["0", "1", "-1", "7", "-7", "32767", "-32768"],
    "int4": ["0", "1", "-3", "7", "2147483647", "-2147483648"],
    "int8": ["0", "2", "-2", "9", "9223372036854775807", "-9223372036854775808"],
    "float4": ["0", "-0", "1.5", "-2.25", "3.4e38", "1e-45", "Infinity", "NaN"],
    "float8": ["0", "-0", "1.5", "-2.5", "0.1", "1e308", "-1e308", "5e-324", "Infinity", "-Infinity", "NaN"],
    "numeric": ["0", "1", "-1.5", "2.50", "0.001", "3", "7", "12345678901234567890.123", "-0.00", "NaN", "Infinity"],
    "text": ["", "a", "abc", "Abc ", " x", "straße", "日本"],
    "varchar": ["", "ab", "b "],
    "bpchar": ["a", "a ", "b"],
    "name": ["a", "b"],
    "bytea": ["\\x", "\\x00ff", "\\x41"],
    "date": ["2000-01-01", "1999-12-31", "2024-02-29", "infinity"],
    "time": ["00:00", "23:59:59.5"],
    "timestamp": ["2000-01-31 10:00", "2024-02-29 23:59:59.999999", "-infinity"],
    "timestamptz": ["2000-01-31 10:00+00", "2024-02-29 23:59:59+02"],
    "interval": ["1 month", "-1 day 02:00", "30 days", "1 year 2 mons", "0"],
    "uuid": ["00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "oid": ["0", "1", "4294967295"],
}  # fmt: skip
FUNCTION = re.compile(r"(\w+)\((.*)\)\Z")
COMBINATIONS_MAX = 160
SETTINGS = t.TypeSettings()


def signature(name: str) -> tuple[str, list[str]] | None:
    """(SQL with {0} {1}, argument types) of a registered name; None if PostgreSQL has no such spelling."""
    function = FUNCTION.match(name)
    if function is not None:
        types = function[2].split(", ") if function[2] else []
        if function[1] in ("position", "trim"):
            return None
        return f"{function[1]}({', '.join(f'{{{i}}}' for i in range(len(types)))})", types
    parts = name.split(" ")
    if len(parts) == 2:
        return f"{parts[0]} {{0}}", [parts[1]]
    if len(parts) > 2 and parts[0] in VALUES and parts[-1] in VALUES:
        return f"{{0}} {' '.join(parts[1:-1])} {{1}}", [parts[0], parts[-1]]
    return None


def cases() -> Iterator[tuple[str, str, list[str]]]:
    """Not those of extensions, which this PostgreSQL has none of (`tests/clients/alike/members_of_extensions.sql`)."""
    ours = {*every_signature(), "gen_random_uuid()"}
    for name in sorted({*STRICT, *LAX} - ours):
        found = signature(name)
        if found is not None and not name.startswith("catalog ") and all(x in VALUES for x in found[1]):
            yield name, found[0], found[1]


class Session:
    types = SETTINGS


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection[Any]]:
    try:
        with running_postgres() as url, psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            yield connection
    except NoPostgres as e:
        pytest.skip(str(e))


def ask(postgres: psycopg.Connection[Any], expressions: list[str]) -> list[tuple[str, str | None]]:
    """Per expression ("ok", text) or ("error", SQLSTATE), and the result's type first."""
    answers = []
    for e in expressions:
        try:
            row = postgres.execute(
                f"SELECT pg_typeof(x)::oid::text, x::text FROM (SELECT {e} AS x) s"
            ).fetchone()
            assert row is not None
            answers.append((row[0], row[1]))
        except psycopg.Error as error:
            answers.append(("error", error.sqlstate))
    return answers


def literal(text: str, type_name: str) -> str:
    quoted = text.replace("'", "''")
    return f"'{quoted}'::{type_name}"


@pytest.mark.parametrize(
    ("name", "sql", "types"), list(cases()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_equal_to_postgresql(
    postgres: psycopg.Connection[Any], name: str, sql: str, types: list[str]
) -> None:
    rows = list(itertools.product(*(VALUES[x] for x in types)))
    step = max(1, len(rows) // COMBINATIONS_MAX)
    rows = rows[::step]
    refs = [TypeRef(t.BY_NAME[x].oid) for x in types]
    answers = ask(postgres, [sql.format(*map(literal, row, types)) for row in rows])
    if all(a == ("error", "42883") or a == ("error", "42725") for a in answers):
        pytest.skip(f"PostgreSQL has no {name} under exactly these types")
    result_oid = next((int(kind) for kind, _ in answers if kind != "error"), t.TEXT)
    params = tuple(Param(i + 1, ref) for i, ref in enumerate(refs))
    run = compile_expression(Call(name, params, TypeRef(result_oid)))
    for row, (kind, wanted) in zip(rows, answers, strict=True):
        datums = tuple(t.input_text(v, ref, SETTINGS) for v, ref in zip(row, refs, strict=True))
        try:
            value = run(datums, None, Session)
            got = None if value is None else t.output_text(value, TypeRef(result_oid), SETTINGS)
        except SqlError as error:
            assert (kind, wanted) == ("error", error.sqlstate), f"{name}{row}: {error}"
            continue
        if result_oid == t.BOOL and got in ("t", "f"):
            got = "true" if got == "t" else "false"
        if got is not None and wanted is not None and result_oid in (t.BPCHAR,):
            got, wanted = got.rstrip(" "), wanted.rstrip(" ")
        assert (kind != "error", got) == (True, wanted), f"{name}{row}"
    for i in range(len(refs)):
        if name in STRICT:
            datums = tuple(
                None if j == i else t.input_text(VALUES[x][0], ref, SETTINGS)
                for j, (x, ref) in enumerate(zip(types, refs, strict=True))
            )
            assert run(datums, None, Session) is None, f"{name} is not strict"


CASTS = [
    *itertools.product(("int2", "int4", "int8", "float4", "float8", "numeric"), repeat=2),
    ("bool", "int4"), ("int4", "bool"), ("bool", "text"), ("int4", "text"), ("float8", "text"), ("numeric", "text"),
    ("date", "timestamp"), ("date", "timestamptz"), ("timestamp", "date"), ("timestamptz", "timestamp"),
    ("timestamp", "timestamptz"), ("timestamptz", "date"), ("timestamp", "time"), ("date", "text"), ("interval", "text"),
    ("uuid", "text"), ("bpchar", "text"),
    ("int8", "numeric(5,2)"), ("numeric", "numeric(4,1)"), ("float8", "numeric(6,3)"), ("text", "varchar(2)"),
    ("text", "char(3)"), ("text", "int4"), ("text", "bool"), ("timestamp", "timestamp(0)"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "target"), CASTS)
def test_casts_equal_to_postgresql(postgres: psycopg.Connection[Any], source: str, target: str) -> None:
    base = (
        target.split("(")[0].replace("char", "bpchar") if target.startswith("char") else target.split("(")[0]
    )
    modifiers = tuple(int(x) for x in target.split("(")[1].rstrip(")").split(",")) if "(" in target else ()
    ref = (
        t.resolve_name({"bpchar": "char"}.get(base, base), modifiers)
        if modifiers
        else TypeRef(t.BY_NAME[base].oid)
    )
    from_ref = TypeRef(t.BY_NAME[source].oid)
    values = VALUES[source] + (["12", " 5 ", "yes", "nope", "99999999999"] if source == "text" else [])
    if ref.oid == t.NUMERIC and ref.typmod >= 0:
        # A column of numeric(p, s) is a decimal in Arrow, which has no NaN: 0A000 here.
        values = [v for v in values if v != "NaN"]
    answers = ask(postgres, [f"CAST({literal(v, source)} AS {target})" for v in values])
    run = compile_expression(Call("cast", (Param(1, from_ref),), ref))
    for value, (kind, wanted) in zip(values, answers, strict=True):
        datum = t.input_text(value, from_ref, SETTINGS)
        try:
            cast = run((datum,), None, Session)
            got = None if cast is None else t.output_text(cast, ref, SETTINGS)
        except SqlError as error:
            assert (kind, wanted) == ("error", error.sqlstate), f"{source} {value!r} to {target}: {error}"
            continue
        if ref.oid == t.BOOL:
            got = {"t": "true", "f": "false"}[got or ""]
        if ref.oid == t.BPCHAR:
            wanted = (wanted or "").ljust(3)
        assert (kind != "error", got) == (True, wanted), f"{source} {value!r} to {target}"


BOOLS = ["true", "false", "null"]


def run_bool(op: str, *values: str) -> object:
    consts = {"true": True, "false": False, "null": None}
    args = tuple(Const(consts[v], TypeRef(t.BOOL)) for v in values)
    return compile_expression(Call(op, args, TypeRef(t.BOOL)))((), None, Session)


@pytest.mark.parametrize(("a", "b"), list(itertools.product(BOOLS, BOOLS)))
def test_three_valued_logic(postgres: psycopg.Connection[Any], a: str, b: str) -> None:
    row = postgres.execute(f"SELECT {a} AND {b}, {a} OR {b}, NOT {a}").fetchone()
    assert (run_bool("and", a, b), run_bool("or", a, b), run_bool("not", a)) == row


def test_and_does_not_evaluate_what_it_need_not() -> None:
    i4 = TypeRef(t.INT4)
    fails = Call(
        "int4 = int4", (Call("int4 / int4", (Param(1, i4), Param(2, i4)), i4), Param(1, i4)), TypeRef(t.BOOL)
    )
    guard = Call("int4 <> int4", (Param(2, i4), Const(0, i4)), TypeRef(t.BOOL))
    both = compile_expression(Call("and", (guard, fails), TypeRef(t.BOOL)))
    assert both((1, 0), None, Session) is False
    with pytest.raises(SqlError, match="division by zero"):
        compile_expression(Call("and", (fails, guard), TypeRef(t.BOOL)))((1, 0), None, Session)


def test_case_and_coalesce_are_lazy() -> None:
    i4 = TypeRef(t.INT4)
    fails = Call("int4 / int4", (Const(1, i4), Const(0, i4)), i4)
    one = Const(1, i4)
    assert compile_expression(Call("coalesce", (one, fails), i4))((), None, Session) == 1
    yes = Const(True, TypeRef(t.BOOL))
    assert compile_expression(Call("case", (yes, one, fails), i4))((), None, Session) == 1


def test_what_is_outside_the_set_is_refused_not_guessed() -> None:
    with pytest.raises(NotCompilable):
        compile_expression(Call("no_such_function(int4)", (Const(1, TypeRef(t.INT4)),), TypeRef(t.INT4)))


@pytest.mark.parametrize("word", ["and", "or"])
def test_of_many_operands_no_text_is_written(word: str) -> None:
    """Each is within the last: of 30,000 that is gigabytes."""
    yes = Param(1, TypeRef(t.BOOL))
    most = compile_expression(Call(word, (yes,) * OPERANDS_MAX, TypeRef(t.BOOL)))
    assert [most((value,), (), None) for value in (True, False, None)] == [True, False, None]
    with pytest.raises(NotCompilable, match=f"{OPERANDS_MAX + 1} operands of {word}"):
        compile_expression(Call(word, (yes,) * (OPERANDS_MAX + 1), TypeRef(t.BOOL)))


@pytest.mark.parametrize("seed", range(3))
def test_like_is_postgresqls(postgres: psycopg.Connection[Any], seed: int) -> None:
    """Also where a pattern ends with the escape character: that is an error only if the match comes to it."""
    rng = random.Random(seed)
    for _ in range(200):
        text = "".join(rng.choice("ab\\%_\nß") for _ in range(rng.randrange(8)))
        pattern = "".join(rng.choice("aab%%_\\ß\n") for _ in range(rng.randrange(7)))
        wanted: Any
        try:
            row = postgres.execute("SELECT %s::text LIKE %s::text", (text, pattern)).fetchone()
            assert row is not None
            wanted = row[0]
        except psycopg.Error as error:
            wanted = error.sqlstate
        found: Any
        try:
            found = STRICT["text ~~ text"](text, pattern)
        except SqlError as error:
            found = error.sqlstate
        assert found == wanted, (text, pattern)


def test_functions_of_the_same_text_are_compiled_once() -> None:
    one, other = (compile_expression(Const(value, TypeRef(t.TEXT))) for value in ("a", "b"))
    assert (one((), None, None), other((), None, None)) == ("a", "b")
    assert one.__code__ is other.__code__  # type: ignore[attr-defined]
