"""Which conditions parameters switch off, and what leads to rows where they are on."""

from __future__ import annotations

import pytest

from planner.abc import KeyedJoin, KeyedRead, Param
from planner.catalog import CatalogChange
from planner.catalog.objects import Index, IndexKey
from planner.keyed_plans import Choices, Whole
from tests.binding.world import Context, World, make_table

T = make_table(1000, "t", "id int4; owner int4; state text; n int4", key="id")


def _choices(where: str, end: str = "ORDER BY n LIMIT 5") -> Choices | None:
    index = Index(1900, T.schema_oid, "by_owner", T.oid, (IndexKey(2),))
    world = World((T,))
    world.context = Context(world.catalog.with_changes([CatalogChange(None, index)]))
    made = world.plan(f"SELECT id FROM t WHERE {where} {end}", prefer_keyed=True).extra.get("choices")
    assert made is None or isinstance(made, Choices)
    return made


@pytest.mark.parametrize(
    "where",
    [
        "($1::int IS NULL OR owner = $1)",
        "(owner = $1 OR $1 IS NULL)",
        "owner = coalesce($1, owner)",
        "coalesce($1, owner) = owner AND n > 3",
        "CASE WHEN $1::int IS NULL THEN n = 1 ELSE owner = $1 END",
        "(state = $2 OR n = 3) AND (NOT ($1::int IS NOT NULL) OR owner = $1)",
    ],
)
def test_where_a_condition_is_on_its_index_leads_to_the_rows(where: str) -> None:
    made = _choices(where)
    assert made is not None and len(made.forms) == 2
    on, off = made.forms
    assert isinstance(on, KeyedRead) and on.index == (1,)
    assert isinstance(off, KeyedJoin) and isinstance(off.steps[0].lookup, Whole)


@pytest.mark.parametrize(
    "where",
    [
        "($1::int IS NULL OR n = $1)",  # which no index has
        "(id = 3 OR owner = $1)",  # which no parameter switches off
        "(random() > $1 OR owner = 3)",
        "($1::int = n OR owner = $1)",
        "owner = $1",
        "(true OR owner = $1)",
    ],
)
def test_what_makes_no_difference_is_no_choice(where: str) -> None:
    assert _choices(where) is None


def test_each_condition_is_a_digit() -> None:
    made = _choices("($1::int IS NULL OR id = $1) AND ($2::int IS NULL OR owner = $2)")
    assert made is not None
    neither, second, first, both = (
        isinstance(f, KeyedRead) and (bool(f.index), f.lookup) for f in made.forms
    )
    assert neither and not neither[0]  # the primary key, and the rest is asked of its row
    assert second and not second[0]
    assert first and first[0]
    assert not both


def test_forms_end() -> None:
    names = " AND ".join(f"(${i}::int IS NULL OR owner = ${i})" for i in range(1, 9))
    made = _choices(names)
    assert made is not None and len(made.forms) == 16
    assert all(isinstance(x.args[0], Param) for x in made.tests if hasattr(x, "args"))
