"""EXPLAIN: which engine answers, what it reads and writes, and at which timestamp.

    QUERY PLAN
    Keyed read on pgbench_accounts (primary key: 1 point)
    Engine: keyed

What could be answered by either engine says so (`Engine For Few Rows`): each execution decides.
FORMAT JSON, XML and YAML have PostgreSQL's shape (`plan_nodes`, `plan_texts`), with the same facts beside the tree.

`EXPLAIN TIMESTAMP` (an option, `EXPLAIN (TIMESTAMP) ...`) adds the timestamp that it would read at.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import Result, Rows, Stream
from executor.session import rules
from executor.session.executed import meant_by
from executor.session.explaining.plan_nodes import bitmap_lines, plan_node
from executor.session.explaining.plan_texts import WRITTEN, Document
from planner import statements as st
from planner.abc import (
    Body,
    ChangesUse,
    DeleteQuery,
    InsertQuery,
    InsertValues,
    KeyedDelete,
    KeyedRead,
    KeyedUpdate,
    LockingQuery,
    MergeQuery,
    Plan,
    Points,
    Query,
    RelationUse,
    UpdateQuery,
    Utility,
    WithWrites,
)
from planner.classify import columns_of
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session


def _keys(lookup: Any) -> str:
    if isinstance(lookup, Points):
        return f"primary key: {len(lookup.keys)} point{'s' if len(lookup.keys) != 1 else ''}"
    return "primary key: range"


def _query_lines(query: Query) -> list[str]:
    lines = []
    for use in query.relations:
        if isinstance(use, RelationUse):
            columns = (
                "all columns"
                if use.columns is None
                else ", ".join(use.table.columns[i].name for i in use.columns) or "no columns"
            )
            what = "key ranges" if use.ranges is not None else "whole table"
            if use.terms is None:
                lines.append(f"  ->  Scan on {use.table.name} ({columns}; {what})")
            else:
                lines.append(f"  ->  Bitmap Heap Scan on {use.table.name} ({columns}; {what})")
                lines += bitmap_lines(use.terms, "        ")
        elif isinstance(use, ChangesUse):
            lines.append(f"  ->  Changes of {use.table.name} after {use.after}")
        else:
            lines.append(f"  ->  System relation {use.schema}.{use.name}")
    return lines


def describe(plan: Plan) -> tuple[str, list[str]]:
    """(engine, lines) of a plan."""
    return ("session", [plan.tag]) if isinstance(plan.body, Utility) else describe_body(plan.body)


def describe_body(body: Body) -> tuple[str, list[str]]:
    """(engine, lines) of a query or a write."""
    if isinstance(body, KeyedRead):
        return "keyed", [f"Keyed read on {body.table.name} ({_keys(body.lookup)})"]
    if isinstance(body, InsertValues):
        return "keyed", [f"Insert on {body.table.name} ({len(body.rows)} rows)"]
    if isinstance(body, KeyedUpdate):
        return "keyed", [f"Update on {body.table.name} ({_keys(body.lookup)})"]
    if isinstance(body, KeyedDelete):
        return "keyed", [f"Delete on {body.table.name} ({_keys(body.lookup)})"]
    if isinstance(body, Query):
        return "columnar", ["Columnar query", *_query_lines(body)]
    if isinstance(body, LockingQuery):
        names = ", ".join(dict.fromkeys(lock.table.name for lock in body.locks)) or "no table"
        return "columnar", [f"Lock rows of {names}", *_query_lines(body.query)]
    if isinstance(body, WithWrites):
        lines = [f"With writes ({len(body.writes)})"]
        for part in (*(w.body for w in body.as_written()), body.body):
            lines += [f"  {line}" for line in describe_body(part)[1]]
        return "columnar", lines
    if isinstance(body, InsertQuery | UpdateQuery | DeleteQuery | MergeQuery):
        verb = type(body).__name__.removesuffix("Query")
        return "columnar", [f"{verb} on {body.table.name}", *_query_lines(body.query)]
    raise AssertionError(body)


def _by_keys(body: Body) -> bool:
    """Whether all that a statement that writes or locks looks for may be found by keys."""
    if isinstance(body, Query):  # of a statement of which other parts write
        return body.by_key is not None
    if isinstance(body, WithWrites):
        return all(_by_keys(part) for part in (*(w.body for w in body.writes), body.body))
    if isinstance(body, LockingQuery) and body.each is not None:
        return False
    return (
        isinstance(body, InsertQuery | UpdateQuery | DeleteQuery | LockingQuery)
        and body.query.by_key is not None
    )


def _otherwise(plan: Plan) -> dict[str, Any]:
    """Which engine it is if what is asked for turns out to be little, or much: each execution decides."""
    if plan.extra.keys() & {"keyed", "by_range", "leafwise", "choices"} or _by_keys(plan.body):
        return {"Engine For Few Rows": "keyed"}
    return {"Engine For Many Rows": "columnar"} if "beyond" in plan.extra else {}


async def run(
    session: Session, plan: Plan, s: st.Explain, params: Sequence[Datum], autocommit: bool
) -> Result:
    inner, params = await meant_by(session, plan.extra["query"], params)
    rules.refuse(inner, "EXPLAIN")
    engine, lines = describe(inner)
    if isinstance(inner.body, Query):
        from executor.distributed.read import engine_of

        if await engine_of(session, session.block, inner, inner.body) is not None:
            engine, lines[0] = "distributed", "Distributed query"
    provider = "Spark" if engine == "distributed" else "DuckDB"
    facts: dict[str, Any] = {"Engine": engine}
    if engine != "distributed":
        facts |= _otherwise(inner)
    measured: dict[str, Any] = {}
    if _said(s.options.get("timestamp")):
        facts["Read Timestamp"] = (
            session.block.read_ts if session.block is not None else session.executor.env.snapshot_ts()
        )
    if s.analyze:
        begun = time.perf_counter()
        result = await session.run_plan(inner, tuple(params), autocommit)
        started_ms = _since_ms(begun)
        rows = 0
        if isinstance(result, Rows):
            rows = len(result.rows)
        elif isinstance(result, Stream):
            async for batch in result.batches:
                rows += batch.num_rows
            result.close()
        lines[0] += f" (actual rows={rows})"
        total_ms = _since_ms(begun)
        if _said(s.options.get("summary", True)):
            facts["Execution Time"] = f"{total_ms:.3f} ms" if s.format == "text" else total_ms
        if _said(s.options.get("timing", True)):
            measured = {"Actual Startup Time": started_ms, "Actual Total Time": total_ms}
        measured |= {"Actual Rows": rows, "Actual Loops": 1}
    if s.format == "text":
        text = [*lines, *(f"{k}: {v}" for k, v in facts.items())]
    else:
        text = [WRITTEN[s.format](_document(inner, provider, measured, facts))]
    columns = plan.columns or columns_of(s)
    assert columns is not None
    return Rows("EXPLAIN", columns, [(line,) for line in text])


def _document(plan: Plan, provider: str, measured: dict[str, Any], facts: dict[str, Any]) -> Document:
    if isinstance(plan.body, Utility):
        return {"Plan": {"Node Type": "Utility Statement"}}
    node = plan_node(plan.body, provider)
    below = {"Plans": node.pop("Plans")} if "Plans" in node else {}
    return {"Plan": node | measured | below, **facts}


def _since_ms(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 3)


def _said(option: Any) -> bool:
    return option is not None and str(option).lower() not in ("false", "off", "0")
