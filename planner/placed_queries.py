"""Queries of cursors whose rows say which they are: for WHERE CURRENT OF.

A cursor's query is given columns more for each table whose primary key it does not select, or that has none, behind its own, which FETCH does
not show:

    SELECT a FROM notes ORDER BY b                 a cursor's query over a table without a primary key
    SELECT a, "notes".ctid FROM notes ORDER BY b   what runs: `extra["placed"]` says which columns are whose

    SELECT done FROM jobs FOR UPDATE               of a table whose key it does not select
    SELECT done, "jobs"."id" FROM jobs FOR UPDATE

Rows of groups, of several queries, and of joins that lock nothing are of no one row of a table: those queries stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from planner.abc import Plan, PlanError, Table
from planner.binding.naming import identifier
from planner.lexer import is_sign, quoted, tokenize
from planner.parse.queries import parse_query

if TYPE_CHECKING:
    from planner.plan_context import PlanContext


class Placed(NamedTuple):
    """A table of a cursor's query: which column of a row says where its row is; -1: none, as its key tells. `locked`: FOR UPDATE or its like."""

    table: int
    column: int
    locked: bool
    key: tuple[int, ...] = ()
    """The columns behind the query's own that are the key, where the query has not selected it."""

    @property
    def hidden(self) -> int:
        """How many columns FETCH does not show."""
        return len(self.key) + (self.column >= 0)


def by_place(table: Table) -> bool:
    """Whether WHERE CURRENT OF finds a table's rows by their places, and not by their keys."""
    return table.primary_key is None or bool(table.children)


def with_places(text: str, plan: Plan, ctx: PlanContext) -> tuple[str, tuple[Placed, ...]] | None:
    """The query with its rows' places, and of which tables they are; None: it has no need of them, or no such rows."""
    tree = parse_query(text)
    if plan.columns is None or not isinstance(tree, exp.Select) or not _of_single_rows(tree):
        return None
    found = _tables(tree, ctx)
    locks = tree.args.get("locks") or []
    if not any(by_place(table) or _lacks_key(plan, table) for _, table, _ in found):
        return None
    if len(found) > 1 and not locks:
        return None
    places: list[Placed] = []
    shown: list[str] = []
    for alias, table, called in found:
        of = [[identifier(e) for e in lock.expressions] for lock in locks]
        locked = any(not names or alias in names for names in of)
        at = len(plan.columns) + len(shown)
        if by_place(table):
            places.append(Placed(table.oid, at, locked))
            shown.append(f", {quoted(alias)}.ctid")
        elif _lacks_key(plan, table):
            names = [called.get(i, table.columns[i].name) for i in table.key_indexes]
            places.append(Placed(table.oid, -1, locked, tuple(range(at, at + len(names)))))
            shown += [f", {quoted(alias)}.{quoted(name)}" for name in names]
        else:
            places.append(Placed(table.oid, -1, locked))
    at = _from(text)
    return None if at < 0 else (f"{text[:at].rstrip()}{''.join(shown)} {text[at:]}", tuple(places))


def _lacks_key(plan: Plan, table: Table) -> bool:
    """Whether a query does not select all of a table's primary key."""
    selected = {c.attnum for c in plan.columns or () if c.table_oid == table.oid}
    return table.primary_key is not None and not selected.issuperset(table.primary_key.columns)


def _of_single_rows(tree: exp.Select) -> bool:
    if any(tree.args.get(part) for part in ("group", "having", "distinct", "with_")):
        return False
    return tree.args.get("from_") is not None and not any(e.find(exp.Window) for e in tree.expressions)


def _tables(tree: exp.Select, ctx: PlanContext) -> list[tuple[str, Table, dict[int, str]]]:
    """Of each table in FROM its name there, and the columns that have other names there than its own, by their places."""
    sources = [tree.args["from_"].this, *(join.this for join in tree.args.get("joins") or ())]
    found: list[tuple[str, Table, dict[int, str]]] = []
    for source in sources:
        if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
            continue
        schema = source.args.get("db")
        try:
            table = ctx.catalog.resolve_table(
                identifier(source.this), identifier(schema) if schema is not None else "", ctx.search_path
            )
        except PlanError:
            continue  # a view, or what is nobody's table
        alias = source.args.get("alias")
        columns = alias.args.get("columns") or () if alias is not None else ()
        called = dict(enumerate(map(identifier, columns)))
        found.append((identifier(alias.this) if alias is not None else table.name, table, called))
    return found


def _from(text: str) -> int:
    """Where FROM stands that is the query's own; -1: nowhere."""
    depth, before = 0, ""
    for token in tokenize(text):
        depth += (is_sign(token, "(") or is_sign(token, "[")) - (is_sign(token, ")") or is_sign(token, "]"))
        if token.keyword == "from" and not depth and before != "distinct":
            return token.start
        before = token.keyword
    return -1


__all__ = ["Placed", "by_place", "with_places"]
