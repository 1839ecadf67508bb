"""Lists of parameters as one: which texts have any, and what is made of what is given for them."""

from __future__ import annotations

import pytest

from planner import types as t
from planner.abc import KeyedUpdate, Plan, PlanError, Points, TypeRef
from planner.listed_parameters import LISTED, Shorter, element_oid, is_list, shorter, stated
from tests.planner.world import World


@pytest.fixture
def world() -> World:
    w = World()
    w.run(
        "",
        "create table t (k int primary key, v bigint, s smallint, n varchar(9), x text, u uuid, m numeric)",
    )
    w.run("", "create index on t (v)")
    return w


def made(text: str, *types: int) -> Shorter:
    found = shorter(text, types)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "short", "lists"),
    [
        ("select 1 from t where k in ($1, $2)", "select 1 from t where k IN ($1)", ((0, 2),)),
        ("select 1 from t where a = $1 and k IN( $2,$3 , $4 ) and b = $5", "select 1 from t where a = $1 and k IN ($2) and b = $3", ((1, 4),)),
        ("select $4 from t where k in ($1,$2) and x not in ($5, $6, $7) limit $3", "select $3 from t where k IN ($1) and x not IN ($4) limit $2", ((0, 2), (4, 7))),
        ("select 1 from t where x in ($3, $4) and k in ($1, $2)", "select 1 from t where x IN ($2) and k IN ($1)", ((0, 2), (2, 4))),
        ("select '$3', \"$3\" /* $3 */ -- $3\n from t where k in ($1, $2)", "select '$3', \"$3\" /* $3 */ -- $3\n from t where k IN ($1)", ((0, 2),)),
        ("/* a */ update t set v = $3 where k in ($1::int, $2::int)", "/* a */ update t set v = $2 where k IN ($1)", ((0, 2),)),
        ("select 1 from t where x in ($1::character varying, $2::character varying)", "select 1 from t where x IN ($1)", ((0, 2),)),
        ("select 'in ($5, $6)' from t where k in ($1, $2)", "select 'in ($5, $6)' from t where k IN ($1)", ((0, 2),)),
        ("select 1 from t where k in ($1, $2) and v in ($4, $3)", "select 1 from t where k IN ($1) and v in ($3, $2)", ((0, 2),)),
    ],
)  # fmt: skip
def test_a_list_is_one_parameter(text: str, short: str, lists: tuple[tuple[int, int], ...]) -> None:
    found = made(text)
    assert (found.text, found.listing.lists) == (short, lists)
    assert sum(map(is_list, found.types)) == len(lists)


@pytest.mark.parametrize(
    "text",
    [
        "select 1 from t where k in ($1)",
        "select 1 from t where k in ($1, 2)",
        "select 1 from t where k in ($1, $2) or v in ($1, $2)",
        "select 1 from t where k in ($1, $2) or v = $2",
        "select 1 from t where k in ($1, $2) or v in ($2, $3)",
        "select 1 from t where k in ($1, $3)",
        "select 1 from t where k in ($2, $1)",
        "select 1 from t where k in ($1, $1)",
        "select 1 from t where k in ($01, $02)",
        "select 1 from t where k in ($99998, $99999, $100000)",
        "select 1 from t where k in ($1, $2) and v = $99999999999999999999",
        "select E'\\'' from t where k in ($1, $2)",
        "select $$in$$ from t where k in ($1, $2)",
        "select a$3 from t where k in ($1, $2)",
        "select 1 /* a /* b */ ' */ from t where k in ($1, $2) -- '",
        "select 1 from t where k in ($1::int, $2::bigint)",
        "select 1 from t where n in ($1::varchar(3), $2::varchar(3))",
        "select 1 from t where m in ($1::numeric, $2::numeric)",
        "insert into t values (1) on conflict (k) where k in ($1, $2) do nothing",
        "create view v as select 1 from t where k in ($1, $2)",
        "explain select 1 from t where k in ($1, $2)",
    ],
)
def test_in_doubt_there_is_none(text: str) -> None:
    assert shorter(text, ()) is None


@pytest.mark.parametrize(
    ("types", "element"),
    [
        ((), 0),
        ((0, 0), 0),
        ((t.UNKNOWN, t.UNKNOWN), 0),
        ((t.INT4,), None),
        ((t.INT4, t.INT4), t.INT4),
        ((t.INT2, t.INT4), t.INT4),
        ((t.INT8, t.INT2), t.INT8),
        ((t.VARCHAR, t.TEXT), t.TEXT),
        ((t.UUID, t.UUID), t.UUID),
        ((t.INT4, t.TEXT), None),
        ((t.NUMERIC, t.NUMERIC), None),
    ],
)
def test_elements_are_of_one_kind(types: tuple[int, ...], element: int | None) -> None:
    found = shorter("select 1 from t where k in ($1, $2)", types)
    assert (found and element_oid(found.types[0])) == element


def test_what_is_given_becomes_what_is_planned() -> None:
    listing = made("select $1 from t where k in ($2, $3) and x = $4 and n in ($5, $6, $7)").listing
    given = ("a", 1, None, "b", 'c"', "", "NULL")
    assert listing.folded(given) == ("a", "{1,NULL}", "b", '{"c\\"","","NULL"}')


def planned(world: World, short: Shorter) -> Plan:
    return world.planner.plan(short.text, world.context(), short.types, normalise=False)[0]


@pytest.mark.parametrize(
    ("text", "types", "array", "told"),
    [
        ("select 1 from t where k in ($1, $2)", (), t.INT4, (t.INT4, t.INT4)),
        ("select 1 from t where v in ($1, $2)", (), t.INT8, (t.INT8, t.INT8)),
        ("select 1 from t where v in ($1, $2)", (t.INT2, t.INT4), t.INT8, (t.INT2, t.INT4)),
        ("select 1 from t where s in ($1, $2)", (), t.INT4, (t.INT2, t.INT2)),
        ("select 1 from t where s in ($1::int, $2::int)", (t.INT2, 0), t.INT4, (t.INT2, t.INT4)),
        ("select 1 from t where n in ($1, $2)", (), t.TEXT, (t.VARCHAR, t.VARCHAR)),
        ("select 1 from t where x in ($1, $2)", (t.VARCHAR, t.VARCHAR), t.TEXT, (t.VARCHAR, t.VARCHAR)),
        ("select 1 from t where u in ($1, $2)", (), t.UUID, (t.UUID, t.UUID)),
    ],
)
def test_a_list_is_an_array_beside_what_it_is_compared_with(
    world: World, text: str, types: tuple[int, ...], array: int, told: tuple[int, ...]
) -> None:
    short = made(text, *types)
    plan = planned(world, short)
    assert plan.parameters == (TypeRef(t.array_of(array)),)
    assert [ref.oid for ref in short.listing.told(plan)] == list(told)
    assert stated(plan) == list(short.types)


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("select 1 from t where m in ($1, $2)", ()),
        ("select 1 from t where k in ($1, $2)", (t.INT8, t.INT8)),
        ("select 1 from t where k in ($1, $2)", (t.TEXT, t.TEXT)),
        ("select 1 from t where 5 in ($1, $2)", ()),
        ("select $3 in ($1, $2)", ()),
        ("select position('a' in ($1, $2))", ()),
    ],
)
def test_what_has_no_such_arrays_is_planned_with_each(
    world: World, text: str, types: tuple[int, ...]
) -> None:
    with pytest.raises(PlanError):
        planned(world, made(text, *types))


def test_only_a_short_list_is_the_keys_of_what_is_written(world: World) -> None:
    bodies = []
    for count in (2, 1001):
        text = f"update t set x = '' where k in ({', '.join(f'${i}' for i in range(1, count + 1))})"
        bodies.append(planned(world, made(text)).body)
    assert isinstance(bodies[0], KeyedUpdate) and isinstance(bodies[0].lookup, Points)
    assert not isinstance(bodies[1], KeyedUpdate)


def test_a_plan_says_which_of_its_parameters_are_lists(world: World) -> None:
    plan = planned(world, made("select $3 from t where k in ($1, $2) and v = $3"))
    assert list(plan.extra[LISTED]) == [1]
