"""Which definitions name a column of a relation: not all that say its name do, for other relations have columns of that name too.

    CREATE VIEW v AS SELECT t.a, u.b FROM t, u     names t.a and u.b, though u has an a and t a b

A text is bound to find out. One that cannot be bound by itself (a body of several statements) names what it says.
"""

from __future__ import annotations

from sqlglot import exp

from planner.abc import Column, Policy, Rule, Table
from planner.catalog import View
from planner.catalog.catalog import Catalog
from planner.catalog.row_types import row_type_oid
from planner.catalog.stored_queries import StoredQuery, stored_queries_over
from planner.catalog.system import written
from planner.lexer import QUOTED, WORD, tokenize
from planner.parse import parse_query


def queries(catalog: Catalog, table: Table, column: Column) -> list[StoredQuery]:
    """The views, materialized views and functions."""
    over = stored_queries_over(catalog, table.oid, row_type_oid(table.oid))
    return [kept for kept in over if in_query(catalog, kept, table, column)]


def in_query(catalog: Catalog, kept: StoredQuery, table: Table, column: Column) -> bool:
    """A whole row names no column, though it is made of all of them."""
    said = mentions(kept.query, column.name)
    known = None
    if table.oid in kept.depends:  # not through a function that returns such rows
        known = written.query_names(catalog, kept, table.oid, column.attnum)
    return said if known is None else known and (said or _is_meant(catalog, kept, table, column))


def _is_meant(catalog: Catalog, kept: StoredQuery, table: Table, column: Column) -> bool:
    """Whether a column may be meant without its name: by an alias's, or by NATURAL beside one of another relation."""
    place = next(i for i, c in enumerate(table.visible) if c.attnum == column.attnum)
    listed = [a.args.get("columns") or () for a in parse_query(kept.query).find_all(exp.TableAlias)]
    named = {names[place].name for names in listed if len(names) > place}
    if named:
        said = [token.value for token in tokenize(kept.query)]
        return any(said.count(name) > 1 for name in named)  # once where the alias has it
    if not mentions(kept.query, "natural"):
        return False
    others = (catalog.get(oid) for oid in kept.depends if oid != table.oid)
    return any(c.name == column.name for x in others if isinstance(x, Table | View) for c in x.columns)


def in_rule(catalog: Catalog, holder: Table | View, rule: Rule, of: Table | View, column: Column) -> bool:
    """Among what a rule reads and writes, and what it names of NEW and OLD."""
    known = written.rule_names(catalog, holder, rule, of.oid, column.attnum)
    if known is None:
        return any(
            token.value == column.name
            for text in (rule.condition, *rule.actions)
            if text
            for token in tokenize(text)
        )
    return known


def in_policy(catalog: Catalog, holder: Table, policy: Policy, of: Table, column: Column) -> bool:
    """Whether one of a policy's conditions names a column, of its own table or of one that it reads."""
    texts = [text for text in (policy.using, policy.check) if text]
    if all(token.value != column.name for text in texts for token in tokenize(text)):
        return False
    known = [written.policy_names(catalog, holder, text, policy, of.oid, column.attnum) for text in texts]
    return any(found is None or found for found in known)


def mentions(query: str, name: str) -> bool:
    """Whether a query's text uses this name, or `*`, which uses them all."""
    tokens = tokenize(query)
    for i, token in enumerate(tokens):
        if token.kind in (WORD, QUOTED) and token.value == name:
            return True
        if token.value == "*" and (i == 0 or tokens[i - 1].value in ("select", "all", ",", ".", "distinct")):
            return True
    return False


__all__ = ["in_policy", "in_query", "in_rule", "mentions", "queries"]
