"""A relation is in another schema: the queries that are kept as texts name it there.

    SELECT t.a FROM t JOIN old.t AS u ON ...      ->      SELECT t.a FROM new.t JOIN new.t AS u ON ...

They are written out anew (`planner.ddl.dependencies.renamed_in_queries`); in what there are no words for, the names are replaced. Names of relations are where a query reads from, and before columns with a schema (`old.t.a`). What a query calls `t.a` goes
on to mean the same, for a relation is called by its own name wherever it is. A WITH query of the same name would
be taken for it, so that is refused.
"""

from __future__ import annotations

from sqlglot import exp

from planner.abc import PlanError
from planner.catalog import Function, Relation, quote_identifier
from planner.catalog.stored_queries import StoredQuery, stored_queries_of
from planner.ddl.dependencies.renamed_in_queries import Renaming, all_anew
from planner.ddl.scope import Scope
from planner.parse import parse_query


def follow(scope: Scope, moved: Relation, old: str, new: str) -> None:
    """Before the relation moves. Raises 0A000 for a text in which nobody can say what is meant."""
    schema = scope.catalog.schema(new).oid
    reading = [k for k in stored_queries_of(scope.catalog, moved.oid) if not k.remembers(moved.oid)]
    for kept, text in all_anew(scope, reading, Renaming(moved.oid), moved, schema):
        scope.replace(kept.holder, kept.reworded(text or _requalified(scope, kept, moved, old, new)))


def _requalified(scope: Scope, kept: StoredQuery, moved: Relation, old: str, new: str) -> str:
    if isinstance(kept.holder, Function):
        raise _refusal(kept)
    tree = parse_query(kept.query)
    if any(cte.alias == moved.name for cte in tree.find_all(exp.CTE)):
        raise _refusal(kept)
    edits: list[tuple[int, int, str]] = []
    for node in tree.find_all(exp.Table, exp.Column):
        named, schema = (
            (node.args.get("table") if isinstance(node, exp.Column) else node.this),
            node.args.get("db"),
        )
        if not isinstance(named, exp.Identifier) or named.this != moved.name:
            continue
        if schema is not None:
            if schema.name == old:
                edits.append((*_place(schema, kept), quote_identifier(new)))
        elif isinstance(node, exp.Table):
            found = scope.catalog.resolve_relation(moved.name, "", kept.search_path, 0)
            if found.oid == moved.oid:
                start, _ = _place(named, kept)
                edits.append((start, start, f"{quote_identifier(new)}."))
    text = kept.query
    for start, end, made in sorted(set(edits), reverse=True):
        text = text[:start] + made + text[end:]
    return text


def _place(node: exp.Expression, kept: StoredQuery) -> tuple[int, int]:
    """Where an identifier stands in the text."""
    start, end = node.meta.get("start"), node.meta.get("end")
    if start is None or end is None:
        raise _refusal(kept)
    return start, end + 1


def _refusal(kept: StoredQuery) -> PlanError:
    return PlanError("0A000", f"moving a relation that {kept.name} uses to another schema is not supported")


__all__ = ["follow"]
