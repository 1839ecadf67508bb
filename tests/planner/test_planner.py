"""The planner's door: what is cached under which key, and when a plan is made anew."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from planner import repeated_rows
from planner.abc import InsertValues, KeyedRead, KeyedUpdate, Plan, PlanError, Query, StatementKind, Utility
from planner.binding import bind
from planner.parse.queries import parse_query
from planner.plan_context import PlanContext
from planner.planner import Planner
from planner.types import TypeSettings
from tests.planner.world import World


@pytest.fixture
def world() -> World:
    w = World()
    w.run("", "create table t (k int primary key, v int, s text, d date)")
    w.run("", "create schema other")
    w.run("", "create table other.t (k int primary key, w int)")
    return w


def test_the_same_statement_with_other_constants_finds_its_plan(world: World) -> None:
    planner, ctx = world.planner, world.context()
    assert planner.lookup("select v from t where k = 1", ctx) is None
    plan, params = planner.plan("select v from t where k = 1", ctx)
    assert isinstance(plan.body, KeyedRead)
    assert params == (1,)
    assert planner.lookup("select v from t where k = 2147483647;", ctx) == (plan, (2147483647,))
    assert planner.lookup("select v from t where k = -7", ctx) == (plan, (-7,))


@pytest.mark.parametrize(
    ("text", "again", "one_plan"),
    [
        ("update u set v = 3 where fk = 5 and v > 50", "update u set v = 4 where fk = 6 and v > 51", True),
        ("delete from u where fk = 5 and v > 50", "delete from u where fk = 6 and v > 51", True),
        ("insert into t select k, 1 from u where fk = 5", "insert into t select k, 2 from u where fk = 6", True),
        (
            "select k from u where v = 3 and exists (select 1 from t where t.k = u.v) order by fk limit 5",
            "select k from u where v = 4 and exists (select 1 from t where t.k = u.v) order by fk limit 5",
            True,
        ),
        ("select k from u where s in ('a', 'b') order by fk limit 5", "select k from u where s in ('c', 'd') order by fk limit 5", True),
        ("select k from u where s like 'a%b%' order by fk limit 5", "select k from u where s like 'c%d%' order by fk limit 5", True),
        ("select k from u where s ~ 'a.b' order by fk limit 5", "select k from u where s ~ 'c.d' order by fk limit 5", False),
        ("select k from u where n > 1.5 order by fk limit 5", "select k from u where n > 2.5 order by fk limit 5", True),
        ("select k from u where n > 1.5 order by fk limit 5", "select k from u where n > 2.55 order by fk limit 5", False),
        ("select k from u where fk = 5 and n * 1.5 > 3", "select k from u where fk = 6 and n * 9.9 > 4", True),
        ("select exists (select 1 from u where fk = 5 and v = 3)", "select exists (select 1 from u where fk = 6 and v = 4)", True),
        ("select exists (select 1 from u where v = 3)", "select exists (select 1 from u where v = 4)", False),
        ("select v + 1 as a, v + 1 as b, count(*) from u where s > 'a' group by a, rollup (b)", "select v + 1 as a, v + 2 as b, count(*) from u where s > 'a' group by a, rollup (b)", False),
        ("select k from u where 1 = 0", "select k from u where 1 = 1", False),
        ("select 2147483647 + 1 from u where v = 1", "select 2 + 2 from u where v = 1", False),
        ("select count(*) from u where v > 5", "select count(*) from u where v > 6", True),
        ("select v % 5, count(*) from u where s >= 'a' group by 1", "select v % 6, count(*) from u where s >= 'b' group by 1", True),
        ("select v % 5, count(*) from u group by v % 5", "select v % 6, count(*) from u group by v % 6", False),
        ("select k from u where v in (1, 2)", "select k from u where v in (3, 4)", True),
        ("select k from u where v = '1'", "select k from u where v = '2'", True),
        ("select k from u where fk in (1, 2)", "select k from u where fk in (3, 4, 5, 6, 7)", True),
        ("select k from u where k in (1, 2) and s in ('a', 'b')", "select k from u where k in (3, 4, 5) and s IN ( 'c','d' , 'e' )", True),
        ("update u set v = 3 where k in (1, 2)", "update u set v = 4 where k in (3, 4, 5)", True),
        ("delete from u where k not in (1, 2) and fk in (4, 5)", "delete from u where k not in (1, 2, 3) and fk in (6, 7, 8)", True),
        ("select k from u where fk in (1, 2)", "select k from u where fk in (3, 4, 5000000000)", False),
        ("select k from u where fk = 1 and m in (1, 2)", "select k from u where fk = 2 and m in (3, 4, 5)", False),
        ("select k from u where fk = 1 and s in ('a', 'b')", "select k from u where fk = 2 and s in ('c', 4)", False),
        ("select count(*) from u where v in (1, 2)", "select count(*) from u where v in (3, 4, 5)", False),
        ("select count(*) from u where n > 5", "select count(*) from u where n > 66", False),
        ("select count(*) from u where m > 5", "select count(*) from u where m > 66", False),
        ("select count(*) from u where s like 'a%b'", "select count(*) from u where s like 'b%c'", True),
        ("select count(*) from u where s like 'a%b' escape '!'", "select count(*) from u where s like 'b%c' escape '!'", True),
        ("select count(*) from u where s ~ 'a' and 'a' like 'a%'", "select count(*) from u where s ~ 'a' and 'a' like 'b%'", False),
        ("select count(*) from u where v > 5 limit 2", "select count(*) from u where v > 5 limit 3", True),
        ("select v from u where s >= 'a' order by 1 limit 2 offset 3", "select v from u where s >= 'b' order by 1 limit 4 offset 5", True),
        ("select count(*) from u where at > now() - interval '1 day'", "select count(*) from u where at > now() - interval '2 months'", True),
        ("select count(*) from u where at > '2024-01-01'::timestamptz", "select count(*) from u where at > '2025-01-01'::timestamptz", True),
        ("select count(*) from u where at > date '2024-01-01'", "select count(*) from u where at > date '2025-01-01'", True),
        ("select count(*) from u where at > '2024-01-01'::date + 5", "select count(*) from u where at > '2025-01-01'::date + 5", False),
        ("select count(*) from u where at > '2024-01-01'::timestamp(0)", "select count(*) from u where at > '2025-01-01'::timestamp(0)", False),
        ("select at + interval '1 day', count(*) from u where v > 5 group by at + interval '1 day'", "select at + interval '2 days', count(*) from u where v > 5 group by at + interval '2 days'", False),
        ("select now() + interval '1 day'", "select now() + interval '2 days'", True),
        ("select date 'today'", "select date 'yesterday'", False),
        ("select count(*) from w where v > 5", "select count(*) from w where v > 6", False),
        ("select count(*) from x where v > 5", "select count(*) from x where v > 6", False),
        ("select 17 + 1, lower('A')", "select 18 + 2, lower('B')", True),
        ("select '5'::int", "select '6'::int", True),
        ("select 17 / 3", "select 18 / 0", True),
        ("select 1.5 + 2", "select 2.5 + 2", False),
        ("select pg_advisory_xact_lock(7)", "select pg_advisory_xact_lock(8)", True),
        ("select set_config('a.b', 'c', false)", "select set_config('a.b', 'd', false)", True),
        ("select pg_notify('a', 'b')", "select pg_notify('a', 'c')", True),
        ("update u set v = 3 where v > 50", "update u set v = 3 where v > 51", False),
    ],
)  # fmt: skip
def test_literals_are_taken_out_where_they_tell_the_planner_nothing(
    world: World, text: str, again: str, one_plan: bool
) -> None:
    world.run(
        "",
        "create table u (k int primary key, fk int, v int, s text, n numeric, m numeric(12,2), at timestamptz)",
    )
    world.run("", "create index on u (fk)")
    world.run("", "create table w (k int primary key, v int, state text)")
    world.run("", "create index on w (v) where state = 'new'")
    world.run("", "create table x (v int) partition by range (v)")
    world.run("", "create table x1 partition of x for values from (0) to (100)")
    planner, ctx = world.planner, world.context()
    plan, _ = planner.plan(text, ctx)
    found = planner.lookup(again, ctx)
    assert (found is not None) == one_plan
    assert found is None or found[0] is plan


@pytest.mark.parametrize(
    ("texts", "one_plan"),
    [
        ("select k from u where j->>'a' = '{}'", True),
        ("select k from u where j->>'it''s' = '{}' and s > 'x{}'", True),
        ("select k from u where s ~ '^a' and v > {} limit {}", False),
        ("select k from u where lower(s) = substr('abc', 2) and v > {}", True),
        ("select coalesce(max(v), 7), 'a' from u where v between {} and {}", True),
        ("select k from u where s || 'a = $i' > 'b' and v = {}", False),
        ("select v + 7 from u where 5 - 3 = v and v > {}", False),
    ],
)
def test_literals_that_are_only_compared_are_taken_out_beside_others_that_stay(
    world: World, texts: str, one_plan: bool
) -> None:
    """The first of them is planned as it stands; that its literals change, the second shows, and the third is served by its plan."""
    world.run("", "create table u (k int primary key, v int, s text, j jsonb)")
    planner, ctx = world.planner, world.context()
    for i in (11, 22):
        planner.plan(texts.format(i, i), ctx)
    plan = planner.plan(texts.format(22, 22), ctx)[0]
    found = planner.lookup(texts.format(33, 33), ctx)
    assert (found is not None) == one_plan
    assert found is None or found[0] is plan


def test_literals_that_stay_are_other_plans(world: World) -> None:
    world.run("", "create table u (k int primary key, j jsonb)")
    planner, ctx = world.planner, world.context()
    text = "select k from u where j->>'{}' = '{}'"
    for key, value in (("a", 1), ("a", 2), ("b", 3)):
        planner.plan(text.format(key, value), ctx)
    a, b = (planner.lookup(text.format(key, 9), ctx) for key in "ab")
    assert a is not None and b is not None
    assert a[0] is not b[0]
    assert planner.lookup(text.format("c", 9), ctx) is None


def test_what_could_not_be_planned_is_no_reason_to_plan_it_exactly_later(world: World) -> None:
    planner, ctx = world.planner, world.context()
    with pytest.raises(PlanError):
        planner.plan("select v from u where k = 1", ctx)
    world.run("", "create table u (k int primary key, v int)")
    ctx = world.context()
    planner.plan("select v from u where k = 2", ctx)
    assert planner.lookup("select v from u where k = 3", ctx) is not None


def test_another_kind_of_literal_is_another_plan(world: World) -> None:
    planner, ctx = world.planner, world.context()
    planner.plan("select v from t where k = 1", ctx)
    assert planner.lookup("select v from t where k = 99999999999", ctx) is None
    assert planner.lookup("select v from t where k = '1'", ctx) is None


def test_literals_arrive_as_datums_of_the_parameters_types(world: World) -> None:
    plan, params = world.planner.plan("insert into t values (1, -2, 'it''s', '2020-01-02')", world.context())
    assert isinstance(plan.body, InsertValues)
    assert params == (1, -2, "it's", 18263)
    found = world.planner.lookup("insert into t values (3, 4, '', '1970-01-01')", world.context())
    assert found == (plan, (3, 4, "", 0))


def test_a_literal_that_does_not_fit_is_refused_at_its_place(world: World) -> None:
    planner, ctx = world.planner, world.context()
    planner.plan("insert into t values (1, 2, '', '2020-01-01')", ctx)
    assert planner.lookup("insert into t values (1, 2, '', 'soon')", ctx) is None
    with pytest.raises(PlanError) as caught:
        planner.plan("insert into t values (1, 2, '', 'soon')", ctx)
    assert (caught.value.sqlstate, caught.value.position) == ("22007", 33)


def test_queries_whose_rows_keys_lead_to_take_any_literals(world: World) -> None:
    world.run("", "create index on t (v)")
    planner, ctx = world.planner, world.context()
    plan, params = planner.plan("select count(*), max(s) from t where v = 5 and s like 'a%'", ctx)
    assert isinstance(plan.body, Query) and params == (5, "a%")
    assert planner.lookup("select count(*), max(s) from t where v = 6 and s like 'b%'", ctx) == (
        plan,
        (6, "b%"),
    )
    joined, _ = planner.plan("select a.k from t a join t b on b.v = a.k where a.k = 1", ctx)
    assert planner.lookup("select a.k from t a join t b on b.v = a.k where a.k = 2", ctx) == (joined, (2,))
    _, params = planner.plan("select count(*) from t where v = 5 and v * 1.5 > 2.5", ctx)
    assert params == (5, Decimal("1.5"), Decimal("2.5"))
    assert planner.lookup("select count(*) from t where v = 5 and v * 1.5 > 3.5", ctx) is not None
    assert planner.lookup("select count(*) from t where v = 5 and v * 1.5 > 3.25", ctx) is None, (
        "another scale"
    )
    _, params = planner.plan("select count(*) from t where v = 5 and v * 1.5 > 12345678901234567890.5", ctx)
    assert params == (), "a long numeric stays in its place"


def test_array_alone_is_no_type(world: World) -> None:
    with pytest.raises(PlanError) as caught:
        world.planner.plan("select 1::array", world.context())
    assert caught.value.sqlstate == "42601"


def test_columnar_plans_that_reckon_with_numerics_keep_their_literals(world: World) -> None:
    planner, ctx = world.planner, world.context()
    plan, params = planner.plan("select count(*) from t where v * 2.5 > 5", ctx)
    assert isinstance(plan.body, Query)
    assert params == ()
    assert planner.lookup("select count(*) from t where v * 2.5 > 5", ctx) == (plan, ())
    assert planner.lookup("select count(*) from t where v * 2.5 > 6", ctx) is None


def test_a_new_catalog_makes_plans_anew(world: World) -> None:
    planner = world.planner
    old, _ = planner.plan("select v from t where k = 1", world.context())
    begin, _ = planner.plan("begin", world.context())
    world.run("", "alter table t rename column v to vv")
    assert planner.lookup("select v from t where k = 1", world.context()) is None
    with pytest.raises(PlanError) as caught:
        planner.plan("select v from t where k = 1", world.context())
    assert (caught.value.sqlstate, caught.value.position) == ("42703", 8)
    assert old.catalog_version < world.catalog.version
    assert begin.tag == "BEGIN"


def test_a_semicolon_is_no_part_of_the_statement(world: World) -> None:
    planner, ctx = world.planner, world.context()
    for text in ("begin", "select count(*) from t where v > 1.5"):
        plan, _ = planner.plan(text, ctx)
        for behind in (";", " ; ", " \n;"):
            assert planner.lookup(f"{text}{behind}".rstrip(" "), ctx) == (plan, ())
        assert planner.lookup(f"{text};;", ctx) is None
    assert planner.lookup("select count(*) from t where v > 1.6;", ctx) is None


def test_what_somebody_has_prepared_is_found_by_who_says_it_plainly(world: World) -> None:
    planner, ctx = world.planner, world.context()
    prepared, _ = planner.plan("begin", ctx, normalise=False)
    assert planner.lookup("begin", ctx) is None
    assert planner.plan("begin", ctx) == (prepared, ())
    assert planner.lookup("begin", ctx) == (prepared, ())


def test_what_has_parameters_is_not_found_by_who_has_no_values(world: World) -> None:
    planner, ctx = world.planner, world.context()
    prepared, _ = planner.plan("select v from t where k = $1", ctx, normalise=False)
    assert planner.plan("select v from t where k = $1", ctx) == (prepared, ())
    assert planner.lookup("select v from t where k = $1", ctx) is None


def test_search_paths_do_not_share_plans(world: World) -> None:
    planner = world.planner
    here, _ = planner.plan("select k from t where k = 1", world.context())
    there, _ = planner.plan("select k from t where k = 1", PlanContext(world.catalog, ("other",)))
    assert isinstance(here.body, KeyedRead)
    assert isinstance(there.body, KeyedRead)
    assert here.body.table.oid != there.body.table.oid
    again = planner.lookup("select k from t where k = 2", PlanContext(world.catalog, ("other",)))
    assert again is not None
    assert again[0] is there


def test_settings_that_change_meaning_do_not_share_plans(world: World) -> None:
    planner = world.planner
    planner.plan("select '1/2/2020'::date", world.context())
    german = PlanContext(world.catalog, world.search_path, settings=TypeSettings(date_style="German"))
    assert planner.lookup("select '1/2/2020'::date", german) is None


def test_the_cache_is_bounded(world: World) -> None:
    planner = Planner(plans_max=10)
    for i in range(100):
        planner.plan(f"select k as a{i} from t", world.context())
    assert planner.lookup("select k as a99 from t", world.context()) is not None
    assert planner.lookup("select k as a0 from t", world.context()) is None
    assert len(planner.partition(world.context())) <= 10


def test_parameters_of_the_extended_protocol(world: World) -> None:
    plan, params = world.planner.plan(
        "update t set v = v + $1 where k = $2", world.context(), normalise=False
    )
    assert isinstance(plan.body, KeyedUpdate)
    assert params == ()
    assert [p.oid for p in plan.parameters] == [23, 23]
    again, _ = world.planner.plan("update t set v = v + $1 where k = $2", world.context(), normalise=False)
    assert again is plan
    stated, _ = world.planner.plan(
        "update t set v = v + $1 where k = $2", world.context(), parameter_types=(20, 0), normalise=False
    )
    assert stated is not plan
    assert [p.oid for p in stated.parameters] == [20, 23]


INNER = [
    ("explain select v from t where k = 1", "EXPLAIN", ["QUERY PLAN"]),
    ("declare c cursor for select v from t", "DECLARE CURSOR", None),
    ("copy (select v, k from t) to stdout", "COPY", None),
    ("select k, v from t as of timestamp '2020-01-01'", "SELECT", ["k", "v"]),
    ("prepare p (int) as select v from t where k = $1", "PREPARE", None),
]


@pytest.mark.parametrize(("text", "tag", "columns"), INNER)
def test_the_query_inside_a_statement_is_planned_with_it(
    world: World, text: str, tag: str, columns: list[str] | None
) -> None:
    plan, _ = world.planner.plan(text, world.context())
    assert isinstance(plan.body, Utility)
    assert plan.tag == tag
    assert plan.extra["query"].columns is not None
    assert (None if plan.columns is None else [c.name for c in plan.columns]) == columns


POSITIONS = [
    ("explain select nope from t", 16),
    ("declare c cursor for select nope from t", 29),
    ("copy (select nope from t) to stdout", 14),
    ("prepare p as select 1, nope from t", 24),
    ("select nope from t as of timestamp '2020-01-01'", 8),
]


@pytest.mark.parametrize(("text", "position"), POSITIONS)
def test_errors_inside_point_into_the_whole(world: World, text: str, position: int) -> None:
    with pytest.raises(PlanError) as caught:
        world.planner.plan(text, world.context())
    assert (caught.value.sqlstate, caught.value.position) == ("42703", position)


KINDS = [
    ("select 1", StatementKind.READ, "SELECT"),
    ("insert into t values (1)", StatementKind.WRITE, "INSERT"),
    ("delete from t", StatementKind.READ_THEN_WRITE, "DELETE"),
    ("create table x (a int)", StatementKind.DDL, "CREATE TABLE"),
    ("drop view if exists x", StatementKind.DDL, "DROP VIEW"),
    ("truncate t", StatementKind.DDL, "TRUNCATE TABLE"),
    ("copy t from stdin", StatementKind.WRITE, "COPY"),
    ("start transaction", StatementKind.SESSION, "START TRANSACTION"),
    ("move c", StatementKind.SESSION, "MOVE"),
    ("vacuum", StatementKind.SESSION, "VACUUM"),
    ("show search_path", StatementKind.SESSION, "SHOW"),
    ("discard all", StatementKind.SESSION, "DISCARD ALL"),
]


@pytest.mark.parametrize(("text", "kind", "tag"), KINDS)
def test_every_statement_has_its_kind_and_tag(world: World, text: str, kind: StatementKind, tag: str) -> None:
    plan, _ = world.planner.plan(text, world.context())
    assert (plan.kind, plan.tag) == (kind, tag)


# --- one row again and again ------------------------------------------------------------------------


def _whole(world: World, text: str, types: tuple[int, ...]) -> Plan:
    """The plan that the parser and the binder make of the whole text."""
    ctx = world.context()
    return bind(parse_query(text), ctx, types, text)


_ROWS = {
    "numbered rows": ("insert into t (k, v) values ($1,$2),($3,$4),($5,$6),($7,$8)", ()),
    "their types are stated": ("insert into t (k, s) values ($1,$2),($3,$4),($5,$6),($7,$8)", (20, 25) * 4),
    "one column": ("INSERT INTO T(k) VALUES ( $1), ( $2), ( $3), ( $4) ", ()),
    "all columns": ("insert into other.t values ($1,$2),($3,$4),($5,$6),($7,$8) ", ()),
    "casts": ("insert into t (k, d) values " + ",".join(["($1::int,$2::date)"] * 5), ()),
    "told of": ("insert into t (k, v) values ($1,$2),($3,$4),($5,$6),($7,$8) returning k, v as x", ()),
    "a conflict": ("insert into t (k, v) values ($1,$2),($3,$4),($5,$6),($7,$8) on conflict (k) do update set v = excluded.v returning t.*;", ()),
    "a type of words": ("insert into t (k, v) values " + ",".join(["($1,$2::numeric(9, 2))"] * 4), ()),
    "nulls": ("insert into t (k, s) values ($1,$2),($3,$4),($5,$6),($7,$8)", (20, 25, 20, 0, 20, 25, 21, 0)),
    "quoted names": ('insert into "t" ("s", "k") values ($1,$2),($3,$4),($5,$6),($7,$8)', (1043, 23) * 4),
}  # fmt: skip


@pytest.mark.parametrize("name", _ROWS)
def test_rows_alike_have_the_plan_of_the_whole(world: World, name: str) -> None:
    text, types = _ROWS[name]
    numbers = iter(range(1, 100))
    text = re.sub(r"\$\d+", lambda _: f"${next(numbers)}", text)
    assert repeated_rows.first_row(text) is not None
    plan, _ = world.planner.plan(text, world.context(), types, normalise=False)
    whole = _whole(world, text, types)
    assert isinstance(plan.body, InsertValues)
    told = replace(plan.body, rows=tuple(plan.body.rows))
    assert (told, plan.parameters, plan.columns) == (whole.body, whole.parameters, whole.columns)
    assert (plan.kind, plan.tag, plan.text, plan.extra) == (whole.kind, whole.tag, text, whole.extra)


@pytest.mark.parametrize(
    "text",
    [
        "insert into t (k, v) values ($1,$2),($3,$4)",  # few
        "insert into t (k, v) values ($1,$2),($3,$4),($6,$5),($7,$8)",
        "insert into t (k, v) values ($1,$2),($1,$2),($1,$2),($1,$2)",
        "insert into t (k, v) values ($1,$2),($3,$4),($5,$6),($7)",
        "insert into t (k, v) values ($1,1),($2,2),($3,3),($4,4)",
        "insert into t (k, v) values ($1,1),($2,1),($3,1),($4,1)",
        "insert into t (k, s) values ($1,'),('),($2,'),('),($3,'),('),($4,'),(')",
        "insert into t (k, v) values ($1,$2::int),($3,$4),($5,$6::int),($7,$8)",
        "insert into t (k) values ($1),($2),($3),($4) returning k + 1",
        "insert into t (k) values ($1),($2),($3),($4) on conflict (k) do update set v = $5",
        "insert into t (k) values ($1),($2),($3),($4) select",
        *[
            f"insert into t (k, v) {rest}"
            for rest in (
                "select p0, p1 from (values ($1,$2,0),($3,$4,1),($5,$6,2),($7,$8,3)) as said(p0, p1, in_order) order by in_order",
                "select p1, p0 from (values ($1,$2,0),($3,$4,1),($5,$6,2),($7,$8,3)) as a_b(p0, p1, n_o) order by n_o",
                "select p0, p1 from (values ($1,$2,0),($3,$4,1),($5,$6,2),($7,$8,3)) as a_b(p0, p1, n_o) order by p0",
                "select p0, p1 from (values ($1,$2,0),($3,$4,1),($5,$6,2),($7,$8,3)) as a_b(p0, p1, n_o) order by n_o desc",
                "select p0, p1 from (values ($1,$2,0),($3,$4,1),($5,$6,3),($7,$8,2)) as a_b(p0, p1, n_o) order by n_o",
                "select p0, p1 from (values ($1,$2,1),($3,$4,2),($5,$6,3),($7,$8,4)) as a_b(p0, p1, n_o) order by n_o",
                "select p0 from (values ($1,$2,0),($3,$4,1),($5,$6,2),($7,$8,3)) as a_b(p0, p1, n_o) order by n_o",
                "select p0, p0 from (values ($1,$2,0),($3,$4,1),($5,$6,2),($7,$8,3)) as a_b(p0, p0, n_o) order by n_o",
                "select p0, p1 from (values ($1,$2,0),($3,$4,1),($5,$6,2),($7,$8,3)) as a_b(p0, p1, n_o)",
                "select p0 + 1, p1 from (values ($1,$2,0),($3,$4,1),($5,$6,2),($7,$8,3)) as a_b(p0, p1, n_o) order by n_o",
            )
        ],
        "insert into t (k) values ($1),($2),($3),($4) -- $5",
        "with x as (select 1) insert into t (k) values ($1),($2),($3),($4)",
        "values ($1),($2),($3),($4)",
    ],
)
def test_other_rows_are_planned_as_they_are(text: str) -> None:
    assert repeated_rows.first_row(text) is None


_COUNTED = (
    "insert into t (k, v, d) {select} from (values "
    + ", ".join(f"($1{{own}}, $2, $3::date, {i})" for i in range(5))
    + ") as imp_sen(p0, p1, p2, sen_counter) order by sen_counter{end}"
)


@pytest.mark.parametrize("own", ["", "::bigint"])
@pytest.mark.parametrize("select", ["select p0::int, p1::INTEGER, p2::date", "select p0, p1::int, p2"])
@pytest.mark.parametrize("types", [(), (23, 23, 0) * 5, (23, 21, 0) * 2 + (23, 0, 1082) + (20, 23, 0) * 2])
@pytest.mark.parametrize("end", ["", " returning t.k, t.d as day;"])
def test_rows_that_are_counted_are_planned_as_values(
    world: World, own: str, select: str, types: tuple[int, ...], end: str
) -> None:
    numbers = iter(range(1, 100))
    counted = _COUNTED.format(own=own, select=select, end=end)
    text = re.sub(r"\$\d+", lambda _: f"${next(numbers)}", counted)
    said = repeated_rows.first_row(text)
    assert said is not None
    if select.endswith("p2") and not own and not types:
        with pytest.raises(PlanError, match='column "k" is of type integer but expression is of type text'):
            world.planner.plan(text, world.context(), types, normalise=False)
        return
    plan, _ = world.planner.plan(text, world.context(), types, normalise=False)
    whole = _whole(world, text, types)
    assert isinstance(plan.body, InsertValues)
    assert len(plan.body.rows) == 5
    assert (plan.parameters, plan.columns, plan.tag) == (whole.parameters, whole.columns, whole.tag)


def test_rows_alike_of_other_types_are_of_several_forms(world: World) -> None:
    text = "insert into t (k, v) values ($1,$2),($3,$4),($5,$6),($7,$8)"
    types = (23, 23) * 3 + (20, 21)
    plan, _ = world.planner.plan(text, world.context(), types, normalise=False)
    assert tuple(p.oid for p in plan.parameters) == types
    assert isinstance(plan.body, InsertValues)
    assert replace(plan.body, rows=tuple(plan.body.rows)) == _whole(world, text, types).body


def test_a_long_text_of_rows_is_not_read_twice_in_a_row(world: World) -> None:
    text = "insert into t (k, v) values " + ", ".join(f"(${i}, ${i + 1})" for i in range(1, 20_000, 2))
    ctx = world.context()
    plan, _ = world.planner.plan(text, ctx, (), normalise=False)
    assert world.planner.plan(text, ctx, (), normalise=False)[0] is plan
    longer = text + ", ($20001, $20002)"
    assert len(world.planner.plan(longer, ctx, (), normalise=False)[0].parameters) == 20_002
    typed, _ = world.planner.plan(longer, ctx, (20, 23) * 10_001, normalise=False)
    assert [p.oid for p in typed.parameters[:2]] == [20, 23]


@pytest.mark.parametrize(
    "text",
    [
        "insert into t (k, nix) values ($1,$2),($3,$4),($5,$6),($7,$8)",
        "insert into t (k) values ($1,$2),($3,$4),($5,$6),($7,$8)",
        "insert into t (k, v) values ($1,$2::nix),($3,$4::nix),($5,$6::nix),($7,$8::nix)",
        "insert into nix values ($1,$2),($3,$4),($5,$6),($7,$8)",
    ],
)
def test_errors_of_rows_alike_are_those_of_the_whole(world: World, text: str) -> None:
    with pytest.raises(PlanError) as expected:
        _whole(world, text, ())
    with pytest.raises(PlanError) as caught:
        world.planner.plan(text, world.context(), (), normalise=False)
    assert str(caught.value) == str(expected.value)
    assert (caught.value.sqlstate, caught.value.position) == (
        expected.value.sqlstate,
        expected.value.position,
    )
