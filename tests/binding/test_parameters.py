"""The types that parameters get: stated, from where they stand, or none at all."""

from __future__ import annotations

import pytest

from planner import types as t
from planner.abc import Param, PlanError, Query
from planner.binding import bind
from planner.parse import parse_query
from tests.binding.world import World


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("select $1::int", "int4"),
        ("select $1", "text"),
        ("select $1 + 1", "int4"),
        ("select $1 + 1.5", "numeric"),
        ("select $1 || 'x'", "text"),
        ("select id from emp where id = $1", "int4"),
        ("select id from emp where $1 = pay and name = $2 and hired > $3", "numeric text date"),
        ("select id from emp where id = any($1)", "_int4"),
        ("select id from emp where id in ($1, $2)", "int4 int4"),
        ("select id from emp where id between $1 and $2", "int4 int4"),
        ("select id from emp limit $1 offset $2", "int8 int8"),
        ("select coalesce($1, 1), case when $2 then 'a' else $3 end", "int4 bool text"),
        ("select $1::text, $1", "text"),
        ("select lower($1), substr($1, $2)", "text int4"),
        ("select at + $1 from ev", "interval"),
        ("insert into emp (id, name, pay, hired) values ($1, $2, $3, $4)", "int4 varchar numeric date"),
        ("insert into emp (id, name) select $1, $2", "int4 varchar"),
        ("update emp set pay = $1, notes = $2 where id = $3", "numeric text int4"),
        ("delete from emp where id = $1 and rate > $2", "int4 float8"),
        ("select $1 from emp union select id from emp", "int4"),
        ("values ($1, 1), (2, $2)", "int4 int4"),
        ("select 1 where $1", "bool"),
        ("select array[$1, 2]", "int4"),
        ("select sum($1::int8)", "int8"),
    ],
)
def test_inferred(catalog_only: World, text: str, types: str) -> None:
    plan = catalog_only.plan(text)
    assert " ".join(t.BY_OID[p.oid].typname for p in plan.parameters) == types


@pytest.mark.parametrize(
    ("text", "stated", "types"),
    [
        ("select $1 + 1", (t.INT8,), "int8"),
        ("select id from emp where id = $1", (t.INT8,), "int8"),
        ("select $1", (t.DATE,), "date"),
        ("select $1, $2", (0, t.INT4), "text int4"),
    ],
)
def test_stated_types_win(catalog_only: World, text: str, stated: tuple[int, ...], types: str) -> None:
    plan = catalog_only.plan(text, stated)
    assert " ".join(t.BY_OID[p.oid].typname for p in plan.parameters) == types


@pytest.mark.parametrize(
    ("text", "sqlstate", "message"),
    [
        ("select $1 is null", "42P18", "could not determine data type of parameter $1"),
        ("select $2::int", "42P18", "could not determine data type of parameter $1"),
        ("select $0", "42P02", "there is no parameter $0"),
    ],
)
def test_refused(catalog_only: World, text: str, sqlstate: str, message: str) -> None:
    with pytest.raises(PlanError) as e:
        catalog_only.plan(text)
    assert (e.value.sqlstate, e.value.message) == (sqlstate, message)


@pytest.mark.parametrize(
    ("text", "kinds", "types"),
    [
        ("select abs($1)", ("i4",), "int4"),
        ("update emp set pay = $1 where id = $2", ("num", "i4"), "numeric int4"),
        ("update emp set notes = $1 where id = $2", ("s", "i4"), "text int4"),
        ("update emp set hired = $1 where id = $2", ("s", "i4"), "date int4"),
        ("insert into emp (id, name, pay) values ($1, $2, $3)", ("i4", "s", "i8"), "int4 varchar int8"),
        ("select $1", ("s",), "text"),
        ("select $1 is null", ("s",), "text"),
    ],
)
def test_normalised_literals(catalog_only: World, text: str, kinds: tuple[str, ...], types: str) -> None:
    plan = bind(parse_query(text), catalog_only.context, (), text, kinds)
    assert " ".join(t.BY_OID[p.oid].typname for p in plan.parameters) == types.replace(
        "int4 varchar int8", "int4 varchar int8"
    )


def test_pieces_hold_the_parameters_final_type(catalog_only: World) -> None:
    body = catalog_only.plan("select $1, $1::int4 from emp where $2 = name").body
    assert isinstance(body, Query)
    assert {(p.number, p.type.oid) for p in body.pieces if isinstance(p, Param)} == {(1, t.TEXT), (2, t.TEXT)}


def test_parameters_compare_as_values(catalog_only: World) -> None:
    answer = catalog_only.tidewire(
        "select $1 = 1.50, $2 + $3, upper($4)", ["1.5", "2", "40", "x"], (t.NUMERIC, t.INT4, t.INT8, 0)
    )
    assert answer.rows == (("t", "42", "X"),)
