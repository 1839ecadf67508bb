"""Which leaves of a partitioned table a query reads, as its constants and parameters say."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from executor.session.partitions.pruning import unread
from planner.abc import Query, RelationUse
from planner.catalog import Catalog
from planner.parse.statement import parse_statement
from planner.plan_context import PlanContext
from planner.planner import Planner

TABLES = (
    "CREATE TABLE t (id int, day date, n int) PARTITION BY RANGE (day)",
    *(
        f"CREATE TABLE t{i} PARTITION OF t FOR VALUES FROM ('2024-0{i}-01') TO ('2024-0{i + 1}-01')"
        for i in (1, 2, 3)
    ),
    "CREATE TABLE td PARTITION OF t DEFAULT",
)
READ = [
    ("SELECT * FROM t", "t1 t2 t3 td"),
    ("SELECT * FROM t WHERE day = '2024-02-03'", "t2"),
    ("SELECT * FROM t WHERE day = '2025-02-03'", "td"),
    ("SELECT * FROM t WHERE day >= '2024-02-03'", "t2 t3 td"),
    ("SELECT * FROM t WHERE day < date '2024-02-03' AND n = 3", "t1 t2 td"),
    ("SELECT count(*) FROM t WHERE day IN ('2024-01-03', '2024-03-05')", "t1 t3"),
    ("SELECT count(*) FROM t WHERE day = '2024-01-03' OR n = 1", "t1 t2 t3 td"),
    ("SELECT * FROM t WHERE day = NULL", ""),
    ("UPDATE t SET n = 1 WHERE day = '2024-01-05'", "t1"),
    ("DELETE FROM t WHERE '2024-03-05' = day", "t3"),
]


@pytest.mark.parametrize(("text", "read"), READ, ids=[t for t, _ in READ])
def test_leaves_that_a_query_reads(text: str, read: str) -> None:
    planner, catalog = Planner(), Catalog()
    for table in TABLES:
        context = PlanContext(catalog, ("public",), user="tidewire")
        catalog = planner.bind_ddl(parse_statement(table), context).catalog
    plan, params = planner.plan(text, PlanContext(catalog, ("public",), user="tidewire"))
    body: Any = plan.body
    query = body if isinstance(body, Query) else body.query
    uses = [u for u in query.relations if isinstance(u, RelationUse)]
    session: Any = SimpleNamespace(catalog=catalog)
    left_out = unread(session, uses, params)
    assert " ".join(sorted(u.table.name for u in uses if u.slot not in left_out)) == read
