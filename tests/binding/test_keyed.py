"""Which statements the keyed engine gets, and which go to DuckDB."""

from __future__ import annotations

import pytest

from executor.keyed.compile import compile_expression
from planner import types as t
from planner.abc import (
    Call,
    Col,
    Const,
    Expr,
    InsertValues,
    KeyedDelete,
    KeyedRead,
    KeyedUpdate,
    Param,
    Points,
    Query,
    Range,
    TypeRef,
)
from planner.binding.keyed import closed_set
from tests.binding.world import World, make_table

PGBENCH = (
    make_table(1000, "pgbench_accounts", "aid int4; bid int4; abalance int4; filler char(84)", key="aid"),
    make_table(1010, "pgbench_branches", "bid int4; bbalance int4; filler char(88)", key="bid"),
    make_table(1020, "pgbench_tellers", "tid int4; bid int4; tbalance int4; filler char(84)", key="tid"),
    make_table(
        1030, "pgbench_history", "tid int4; bid int4; aid int4; delta int4; mtime timestamp; filler char(22)"
    ),
)


def shown(e: Expr | None) -> str:
    """An expression on one line: `(c2 + $1)`."""
    if e is None:
        return "-"
    if isinstance(e, Const):
        return repr(e.value)
    if isinstance(e, Param):
        return f"${e.number}"
    if isinstance(e, Col):
        return f"c{e.index}"
    return f"{e.op}[{', '.join(map(shown, e.args))}]"


def lookup(found: Points | Range) -> str:
    if isinstance(found, Points):
        return " ".join("(" + ", ".join(map(shown, k)) + ")" for k in found.keys)
    low = ("[" if found.low_inclusive else "(") + shown(found.low)
    high = shown(found.high) + ("]" if found.high_inclusive else ")")
    return f"prefix({', '.join(map(shown, found.prefix))}) {low}..{high}"


@pytest.fixture(scope="module")
def bench() -> World:
    return World(PGBENCH)


@pytest.mark.parametrize(
    ("text", "kind", "parameters"),
    [
        ("SELECT abalance FROM pgbench_accounts WHERE aid = $1", KeyedRead, "int4"),
        ("UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2", KeyedUpdate, "int4 int4"),
        ("UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2", KeyedUpdate, "int4 int4"),
        ("UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2", KeyedUpdate, "int4 int4"),
        (
            "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)",
            InsertValues,
            "int4 int4 int4 int4",
        ),
        ("SELECT count(*) FROM pgbench_branches", Query, ""),
    ],
)
def test_pgbench(bench: World, text: str, kind: type, parameters: str) -> None:
    plan = bench.plan(text, prefer_keyed=True)
    assert type(plan.body) is kind
    assert " ".join(t.BY_OID[p.oid].typname for p in plan.parameters) == parameters


@pytest.mark.parametrize(
    ("where", "found", "rest"),
    [
        ("a = 1 and b = 'x'", "(1, 'x')", "-"),
        ("b = $1 and 1 = a", "(1, $1)", "-"),
        ("a = 1 and b in ('x', 'y')", "(1, 'x') (1, 'y')", "-"),
        ("(a, b) = (1, 'x')", "(1, 'x')", "-"),
        ("(a, b) in ((1, 'x'), (2, 'y'))", "(1, 'x') (2, 'y')", "-"),
        ("a = 1 and b = 'x' and v > 3", "(1, 'x')", "int4 > int4[c2, 3]"),
        ("a = 1 and a = 2 and b = 'x'", "(1, 'x')", "int4 = int4[c0, 2]"),
        ("a = $1::int8 and b = 'x'", "(cast int8 int8[$1], 'x')", "-"),
    ],
)
def test_points(catalog_only: World, where: str, found: str, rest: str) -> None:
    body = catalog_only.plan(f"select v from pair where {where}", prefer_keyed=True).body
    assert isinstance(body, KeyedRead)
    assert lookup(body.lookup).replace("cast int8 int8[$1]", "$1") == found.replace(
        "cast int8 int8[$1]", "$1"
    )
    assert shown(body.condition) == rest


@pytest.mark.parametrize(
    ("tail", "found", "descending"),
    [
        ("where a = 1 order by b limit 5", "prefix(1) [-..-]", False),
        ("where a = 1 and b > 'c' order by b desc limit 5", "prefix(1) ('c'..-]", True),
        ("where a >= 1 and a < 9 order by a, b limit 1", "prefix() [1..9)", False),
        ("order by a desc, b desc limit $1", "prefix() [-..-]", True),
    ],
)
def test_ranges(catalog_only: World, tail: str, found: str, descending: bool) -> None:
    body = catalog_only.plan(f"select * from pair {tail}", prefer_keyed=True).body
    assert isinstance(body, KeyedRead)
    assert lookup(body.lookup) == found
    assert body.ordered
    assert body.descending is descending


@pytest.mark.parametrize(
    "text",
    [
        "select * from pair",
        "select * from pair where a = 1",
        "select * from pair where a = 1 or b = 'x'",
        "select * from pair where a = 1.0 and b = 'x'",
        "select count(*) from pair where a = 1 and b = 'x'",
        "select distinct v from pair where a = 1 and b = 'x'",
        "select v from pair where a = 1 and b = (select 'x')",
        "select string_to_array(b, 'x')::text::point from pair where a = 1 and b = 'x'",
        "select * from pair order by a, b desc limit 1",
        "select * from pair order by b limit 1",
        "select * from pair where a = 1 and b in ('x', 'y') order by v",
        "select * from pair where a = 1 and b = 'x' offset 1",
        "select v from pair, dept where a = 1 and b = 'x'",
    ],
)
def test_left_to_duckdb(catalog_only: World, text: str) -> None:
    assert isinstance(catalog_only.plan(text, prefer_keyed=True).body, Query)


def test_without_preference_a_keyed_statement_is_a_query(catalog_only: World) -> None:
    assert isinstance(catalog_only.plan("select v from pair where a = 1 and b = 'x'").body, Query)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("insert into defaults (id) values (1)", "1 | 7 | text || text['x', 'y'] | None | int4 * int4[7, 2]"),
        (
            "insert into defaults (n, id) values ($1, 2)",
            "2 | $1 | text || text['x', 'y'] | None | int4 * int4[$1, 2]",
        ),
        ("insert into defaults values (1, default, 't', 'u')", "1 | 7 | 't' | 'u' | int4 * int4[7, 2]"),
        (
            "insert into defaults default values",
            "None | 7 | text || text['x', 'y'] | None | int4 * int4[7, 2]",
        ),
    ],
)
def test_insert_rows(catalog_only: World, text: str, rows: str) -> None:
    body = catalog_only.plan(text, prefer_keyed=True).body
    assert isinstance(body, InsertValues)
    assert "; ".join(" | ".join(map(shown, r)) for r in body.rows) == rows


def test_on_conflict_names_the_old_row_and_excluded(catalog_only: World) -> None:
    text = "insert into defaults (id) values (1) on conflict (id) do update set t = defaults.t || excluded.t where excluded.n > 1 returning id"
    body = catalog_only.plan(text, prefer_keyed=True).body
    assert isinstance(body, InsertValues)
    conflict = body.on_conflict
    assert conflict is not None
    assert conflict.constraint is not None
    assert conflict.constraint.kind == "p"
    assert conflict.assignments is not None
    assert next((i, shown(e)) for i, e in conflict.assignments) == (2, "text || text[c2, c7]")
    assert shown(conflict.condition) == "int4 > int4[c6, 1]"


def test_update_computes_generated_columns(catalog_only: World) -> None:
    body = catalog_only.plan(
        "update defaults set n = n + 1 where id = $1 returning g", prefer_keyed=True
    ).body
    assert isinstance(body, KeyedUpdate)
    assert [(i, shown(e)) for i, e in body.assignments] == [
        (1, "int4 + int4[c1, 1]"),
        (4, "int4 * int4[int4 + int4[c1, 1], 2]"),
    ]


def test_delete(catalog_only: World) -> None:
    body = catalog_only.plan("delete from pair where a = 1 and b = 'x' returning v", prefer_keyed=True).body
    assert isinstance(body, KeyedDelete)
    assert lookup(body.lookup) == "(1, 'x')"


def test_the_engine_can_compile_the_whole_closed_set() -> None:
    """Nothing is promised to the keyed engine that it refuses."""
    for op in sorted(closed_set.KEYED_OPS):
        names = (
            op[op.index("(") + 1 : -1].split(", ")
            if op.endswith(")")
            else [w for w in op.split(" ") if w in t.BY_NAME]
        )
        args = tuple(Col(i, TypeRef(t.BY_NAME[n].oid)) for i, n in enumerate(names) if n)
        compile_expression(Call(op, args, args[0].type if args else TypeRef(t.UUID)))
