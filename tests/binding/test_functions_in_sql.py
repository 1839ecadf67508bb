"""Functions in SQL by who evaluates them: an expression is known to everybody, a query of a body to DuckDB alone."""

from __future__ import annotations

import pytest

from planner.abc import PlanError, Query, TypeRef
from planner.binding.spark.emitter import SparkEmitter
from planner.binding.statements import bind_statement
from planner.catalog import Catalog, CatalogChange, Function, Parameter
from planner.parse import parse_query
from planner.plan_context import PlanContext
from planner.types import INT4, INT8

BODIES = {
    "twice": "select a * 2",
    "doubled": "select a + a",
    "above": "select count(*) from (values (1)) v(x) where x > a",
}


def world() -> PlanContext:
    made = [
        Function(20_000 + i, 2200, name, (Parameter("a", TypeRef(INT4)),), TypeRef(result), False, body)
        for i, ((name, body), result) in enumerate(zip(BODIES.items(), (INT4, INT4, INT8), strict=True))
    ]
    return PlanContext(Catalog().with_changes([CatalogChange(None, f) for f in made]))


@pytest.mark.parametrize(
    "query", ["select doubled(abs(x)) from (values (1)) v(x)", "select above(3)", "select * from above(3)"]
)
def test_spark_takes_expressions_alone(query: str) -> None:
    here = bind_statement(parse_query(query), world(), (), query, None, False)
    assert isinstance(here.body, Query)
    with pytest.raises(PlanError) as caught:
        bind_statement(parse_query(query), world(), (), query, None, False, SparkEmitter())
    assert caught.value.sqlstate == "0A000"
    assert isinstance(
        bind_statement(parse_query("select twice(3)"), world(), (), query, None, False, SparkEmitter()).body,
        Query,
    )
