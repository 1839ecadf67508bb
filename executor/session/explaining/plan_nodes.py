"""EXPLAIN (FORMAT JSON) in PostgreSQL's shape: a tree of nodes under "Plan", by names that tools look for.

    keyed     {"Node Type": "Index Scan", "Index Name": "t_pkey", "Relation Name": "t"}
    terms     {"Node Type": "Bitmap Heap Scan", "Plans": [{"Node Type": "Bitmap Index Scan", "Index Name": "t_doc_idx"}]}
    columnar  {"Node Type": "Custom Scan", "Custom Plan Provider": "DuckDB", "Plans": [{"Node Type": "Seq Scan", ...}]}
    writes    {"Node Type": "ModifyTable", "Operation": "Insert", "Relation Name": "t", "Plans": [...]}

A query that another engine plans is one node with the relations that it reads below; if there is one only, the node
has its name, as PostgreSQL's custom scans of one relation have. Nobody estimates costs, so there are none, as with COSTS OFF.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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
    Query,
    RelationUse,
    Search,
    Sought,
    SystemUse,
    Table,
    UpdateQuery,
    WithWrites,
)

Node = dict[str, Any]

_BITMAPS = {"and": "BitmapAnd", "or": "BitmapOr"}

_OPERATIONS: dict[type[Any], str] = {
    InsertQuery: "Insert",
    UpdateQuery: "Update",
    DeleteQuery: "Delete",
    MergeQuery: "Merge",
}


def plan_node(body: Body, provider: str = "DuckDB") -> Node:
    """The tree of a query or a write; `provider` is who computes what is not keyed."""
    if isinstance(body, KeyedRead):
        made = _index_scan(body.table, body.unique, "Backward" if body.descending else "Forward")
        if body.index:
            del made[
                "Index Name"
            ]  # another index than those of constraints: the plan knows its columns, not its name
        return made
    if isinstance(body, InsertValues):
        return _modify("Insert", body.table, [_node("Result" if len(body.rows) == 1 else "Values Scan")])
    if isinstance(body, KeyedUpdate):
        return _modify("Update", body.table, [_index_scan(body.table)])
    if isinstance(body, KeyedDelete):
        return _modify("Delete", body.table, [_index_scan(body.table)])
    if isinstance(body, Query):
        return _query(body, provider)
    if isinstance(body, LockingQuery):
        return _node("LockRows", Plans=_below([_query(body.query, provider)], "Outer"))
    if isinstance(body, WithWrites):
        made = plan_node(body.body, provider)
        writes = _below([plan_node(w.body, provider) for w in body.as_written()], "InitPlan")
        return made | {"Plans": [*writes, *made.get("Plans", [])]}
    assert isinstance(body, InsertQuery | UpdateQuery | DeleteQuery | MergeQuery), body
    operation = _OPERATIONS[type(body)]
    return _modify(operation, body.table, [_query(body.query, provider)])


def _node(kind: str, **more: Any) -> Node:
    return {"Node Type": kind, "Parallel Aware": False, "Async Capable": False, **more}


def _below(nodes: Iterable[Node], relationship: str) -> list[Node]:
    return [{"Node Type": n["Node Type"], "Parent Relationship": relationship, **_rest(n)} for n in nodes]


def _rest(node: Node) -> Node:
    return {k: v for k, v in node.items() if k != "Node Type"}


def _modify(operation: str, table: Table, plans: list[Node]) -> Node:
    named = {"Relation Name": table.name}
    return _node("ModifyTable") | {"Operation": operation} | named | {"Plans": _below(plans, "Outer")}


def _index_scan(table: Table, unique: int = 0, direction: str = "Forward") -> Node:
    """By the primary key, or by the UNIQUE constraint with that OID."""
    key = next((c for c in table.constraints if c.oid == unique), None) if unique else table.primary_key
    index = {"Index Name": key.name} if key is not None else {}
    return _node("Index Scan") | {"Scan Direction": direction} | index | {"Relation Name": table.name}


def _query(query: Query, provider: str) -> Node:
    scans = [_scan(use) for use in query.relations]
    if not scans:
        return _node("Result")
    one = {"Relation Name": scans[0]["Relation Name"]} if len(scans) == 1 else {}
    custom = _node("Custom Scan") | {"Custom Plan Provider": provider} | one
    return custom | {"Plans": _below(scans, "Member")}


def _scan(use: RelationUse | SystemUse | ChangesUse) -> Node:
    if isinstance(use, SystemUse):
        return _node("Seq Scan") | {"Relation Name": use.name}
    if isinstance(use, RelationUse) and use.terms is not None:
        node = _node("Bitmap Heap Scan") | {"Relation Name": use.table.name}
        return node | {"Plans": _below([_bitmap(use.terms)], "Outer")}
    return _node("Seq Scan") | {"Relation Name": use.table.name}


def _bitmap(search: Search | Sought) -> Node:
    """The rows that conditions lead to: as PostgreSQL has it, of one index, or of several that meet or are put together."""
    if isinstance(search, Sought):
        return _node("Bitmap Index Scan") | {"Index Name": search.index.name}
    return _node(_BITMAPS[search.op]) | {"Plans": _below([_bitmap(part) for part in search.parts], "Member")}


def bitmap_lines(search: Search | Sought, before: str) -> list[str]:
    """The same as lines of text."""
    if isinstance(search, Sought):
        return [f"{before}->  Bitmap Index Scan on {search.index.name}"]
    inner = [line for part in search.parts for line in bitmap_lines(part, before + "      ")]
    return [f"{before}->  {_BITMAPS[search.op]}", *inner]
