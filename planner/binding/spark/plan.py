"""A plan's SELECT once more, for Spark: bound from its own text, kept beside the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.abc import (
    Param,
    Plan,
    PlanError,
    Query,
    RelationUse,
    ResultColumn,
    SessionValue,
    Slot,
    StatementKind,
)
from planner.binding.spark.emitter import SparkEmitter, finished
from planner.binding.spark.values import refused
from planner.listed_parameters import stated
from planner.parse import parse_query

_KEY = "spark"


@dataclass(frozen=True, slots=True)
class SparkQuery:
    """Spark SQL with holes for relations and values; `functions` are Python's, by their names in `prelude`."""

    pieces: tuple[str | Slot | Param | SessionValue, ...]
    relations: tuple[RelationUse, ...]
    functions: frozenset[str]
    columns: tuple[ResultColumn, ...]


def spark_query(plan: Plan, ctx: Any) -> SparkQuery:
    """The plan's query as Spark answers it, from the plan's cache. Raises PlanError 0A000, naming what it does not answer."""
    known = plan.extra.get(_KEY)
    if known is None:
        try:
            known = _bound(plan, ctx)
        except PlanError as e:
            known = e
        plan.extra[_KEY] = known
    if isinstance(known, PlanError):
        raise known
    assert isinstance(known, SparkQuery)
    return known


def _bound(plan: Plan, ctx: Any) -> SparkQuery:
    from planner.binding.statements import bind_statement

    if "lists" in plan.extra:
        raise refused("a list of any length")
    tree = parse_query(plan.text)
    emitter = SparkEmitter()
    made = bind_statement(tree, ctx, stated(plan), plan.text, None, prefer_keyed=False, emitter=emitter)
    if made.kind is not StatementKind.READ or not isinstance(made.body, Query):
        raise refused("a statement that writes or locks")
    if made.body.volatile:
        raise refused("a volatile function")
    relations = tuple(r for r in made.body.relations if isinstance(r, RelationUse))
    if len(relations) != len(made.body.relations):
        raise refused("a system relation")
    if any(r.with_rid for r in relations):
        raise refused("a system column")
    pieces, functions = finished(made.body.pieces)
    assert made.columns is not None
    return SparkQuery(pieces, relations, functions, made.columns)
