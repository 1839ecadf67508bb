"""The functions of the extension pg_stat_statements, which its views are made of (`VIEWS`).

What is counted comes from the server (`SystemContext.statistics`); blocks, plans, compiled code and the log are at zero.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from planner.abc import Oid, SqlError
from planner.binding.facts import type_oid
from planner.catalog import rights
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.extensions import facts
from planner.types.oids import BOOL, FLOAT8, INT8, NUMERIC, OID, RECORD, VOID
from storage.abc import Datum

NAME: Final = "pg_stat_statements"
VIEWS: Final = {
    "pg_stat_statements_info": "SELECT * FROM {schema}.pg_stat_statements_info()",
    "pg_stat_statements": "SELECT * FROM {schema}.pg_stat_statements(true)",
}
"""What CREATE EXTENSION makes besides: the queries of its views."""
_ZERO: Final[dict[int, Datum]] = {INT8: 0, FLOAT8: 0.0, NUMERIC: "0"}


def _columns(function: str) -> tuple[tuple[str, Oid], ...]:
    """What a function returns, of the extension's facts."""
    out = next(row[8] for row in facts("procs") if row[:2] == [NAME, function])
    return tuple((name, type_oid(of)) for name, _, of in (c.partition(":") for c in out.split(",")))


_COUNTED: Final = _columns(NAME)


@system(NAME, (BOOL,), RECORD, columns=_COUNTED)
def _statements(context: SystemContext, with_text: bool | None) -> list[dict[str, Datum]]:
    if with_text is None or context.statistics is None:
        return []
    zero = {name: _ZERO.get(of) for name, of in _COUNTED}
    said = context.statistics.statements(context.catalog, context.user, with_text=with_text)
    return [{**zero, **row} for row in said]


@system("pg_stat_statements_info", (), RECORD, columns=_columns("pg_stat_statements_info"))
def _info(context: SystemContext) -> list[dict[str, Any]]:
    if context.statistics is None:
        return []
    said = context.statistics.statements_info()
    at = datetime.fromtimestamp(said["stats_reset"] / 1_000_000, UTC)  # in a struct DuckDB wants its own
    return [{**said, "stats_reset": at}]


@system("pg_stat_statements_reset", (OID, OID, INT8), VOID, optional=3)
def _reset(
    context: SystemContext, user: Oid | None = 0, database: Oid | None = 0, number: int | None = 0
) -> str | None:
    if not rights.is_superuser(context.catalog, context.user):
        raise SqlError("42501", "permission denied for function pg_stat_statements_reset")
    if user is None or database is None or number is None:
        return None
    if context.statistics is not None:
        context.statistics.reset_statements(user, database, number)
    return ""


__all__ = ["NAME", "VIEWS"]
