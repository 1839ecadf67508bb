"""Calls inside of calls: DuckDB's text grows with their number, not with a power of their depth."""

from __future__ import annotations

import duckdb
import pytest

from planner import types as t
from planner.abc import PlanError, Query, TypeRef
from planner.binding import growth, ir, shapes
from planner.parse.queries import parse_query
from tests.binding.world import World

DEEP = 40
NESTED = [
    ("i", "({} % 7)"),
    ("i", "mod({}, 7)"),
    ("i", "nullif({}, 9)"),
    ("i", "(case {} when 5 then 6 when 7 then 8 else 9 end)"),
    ("i", "(({} in (1, 2, 3))::int)"),
    ("i", "(select {} % 7)"),
    ("i", "{}::int2::int8::int4"),
    ("f", "sqrt(abs({}))"),
    ("f", "({} + 1)"),
    ("n", "({} / 3)"),
    ("n", "round({}, 3)"),
    ("i::text", "split_part({}, 'b', 1)"),
    ("i::text", "repeat({}, 1)"),
    ("i::text", "replace({}, 'a', 'b')"),
    ("(i = 1)", "({} between false and true)"),
    ("(i = 1)", "({} in (false, true, null))"),
    ("(i = 1)", "({} = any (array[true, false]))"),
    ("(i = 1)", "(case {} when true then false else true end)"),
    ("timestamptz '2020-02-03 04:05:06+00'", "({} at time zone 'UTC' at time zone 'UTC')"),
]


@pytest.mark.parametrize(("column", "call"), NESTED, ids=[call for _, call in NESTED])
def test_grows_with_the_number_of_calls(column: str, call: str, company: World) -> None:
    def nested(depth: int) -> str:
        made = column
        for _ in range(depth):
            made = call.format(made)
        return f"SELECT {made} AS made FROM nums ORDER BY i, b, s, n, f"

    def length(depth: int) -> int:
        query = company.plan(nested(depth)).body
        assert isinstance(query, Query)
        text = "".join(p if isinstance(p, str) else "x" for p in query.pieces)
        return growth.appearances(text, ())[""]

    assert length(DEEP) - length(DEEP - 10) < 10 * 5_000
    depth = (
        10 if " between " in call else DEEP
    )  # PostgreSQL has BETWEEN's operand twice, and runs out of memory at forty
    mine, theirs = company.tidewire(nested(depth)), company.postgres(nested(depth))
    assert mine.same(theirs), (mine, theirs)


def test_what_is_short_is_written_as_before(company: World) -> None:
    query = company.plan("SELECT (i % 7) % 5, sqrt(abs(f)), nullif(i, 3) FROM nums WHERE i % 3 = 1").body
    assert isinstance(query, Query)
    assert not any("lambda" in p for p in query.pieces if isinstance(p, str))


def test_too_long() -> None:
    deep = shapes.Shape(ir.Lit(TypeRef(t.INT4), 1), 100, False, False)
    growth.within_limits(["nullif(x, 1)"], [deep])
    with pytest.raises(PlanError) as refused:
        growth.within_limits(["nullif(" * 30 + "x" + ", 1)" * 30], [deep])
    assert refused.value.sqlstate == "54001"


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("f(a) + a", 2),
        ("g('a', \"a\", b.a)", 0),
        ("nullif(a, 1)", 2),
        ("nullif(nullif(a, 1), 2)", 4),
        ("tw_sqrt(a)", 2),
        ("tw_sqrt(tw_sqrt(a))", 4),
        ("(a IN (1, 2, 3))", 3),
        ("((a IN (1, 2, 3)) IN (1, 2))", 6),
        ("(a IN (SELECT x FROM t))", 1),
        ("(a BETWEEN 1 AND 2)", 2),
        ("list_transform([a], lambda x: x + 1)[1]", 1),
        ("list_transform([1], lambda x: x + a)[1]", 2),
    ],
)
def test_names_are_counted_as_duckdb_will_read_them(text: str, times: int) -> None:
    assert growth.appearances(text, ("a",))["a"] == times


def test_what_is_a_macro_of_duckdb() -> None:
    """Those that name an argument several times, and that texts of ours call, are known."""
    rows = duckdb.connect().execute(
        "SELECT function_name, len(parameters) FROM duckdb_functions() WHERE function_type = 'macro' OR function_name = 'list_contains'"
    )
    macros = {(str(name), int(n)) for name, n in rows.fetchall()}
    assert {(name, len(p)) for name, (p, _) in growth.OF_DUCKDB.items()} <= macros


def test_arrays_inside_of_one_another() -> None:
    for call in ("array[{}]", "array[abs({})]"):
        deep = call.split("{}")
        with pytest.raises(PlanError) as refused:
            parse_query(f"select {deep[0] * 100}1{deep[1] * 100}")
        assert refused.value.sqlstate == "54001"
    parse_query("select " + ", ".join(["array[array[1], array[x[1]]]"] * 50))


def test_one_tree_in_many_places() -> None:
    flag = TypeRef(t.BOOL)
    node: ir.Node = ir.Var(flag, 0, 0)
    for _ in range(DEEP):
        node = ir.Logic(flag, "and", (node, node))
    assert ir.is_tangled(node)
    assert len(ir.walk(node)) == DEEP + 1
    wide = ir.Logic(flag, "and", tuple(ir.Var(flag, 0, i) for i in range(20_000)))
    assert not ir.is_tangled(wide)


def test_rows_inside_of_one_another(company: World) -> None:
    """A record's text doubles the quotes of the records in it: PostgreSQL is out of memory at thirty."""
    text = f"SELECT {'ROW(' * 12}1{')' * 12}"
    assert company.tidewire(text) == company.postgres(text)
    with pytest.raises(PlanError) as refused:
        company.plan(f"SELECT {'ROW(' * 100}1{')' * 100}")
    assert refused.value.sqlstate == "54001"


def test_many_computed_columns_beside_each_other(company: World) -> None:
    """DuckDB's planner takes minutes for a hundred of them."""

    def computed(many: int) -> str:
        return ", ".join(f"LATERAL (SELECT x + {i} AS c{i}) AS l{i}" for i in range(many))

    text = f"SELECT c19, count(*) FROM (SELECT 1 AS x) s, {computed(20)} GROUP BY c19"
    assert company.tidewire(text) == company.postgres(text)
    with pytest.raises(PlanError) as refused:
        company.plan(f"SELECT 1 FROM (SELECT 1 AS x) s, {computed(51)}")
    assert refused.value.sqlstate == "54001"
