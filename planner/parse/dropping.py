"""The grammar of what takes away: DROP of anything, and TRUNCATE."""

from __future__ import annotations

from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.parse import (
    aggregates,
    casts,
    clauses,
    event_triggers,
    extensions,
    foreign,
    operator_classes,
    operators,
    policies,
    routines,
    rules,
    triggers,
)
from planner.parse.cursor import Cursor
from planner.parse.storage import storage_options

_DROPPED: Final = {
    ("table",): "table",
    ("view",): "view",
    ("index",): "index",
    ("sequence",): "sequence",
    ("schema",): "schema",
    ("type",): "type",
    ("collation",): "collation",
    ("statistics",): "statistics",
    ("text", "search", "configuration"): "text search configuration",
    ("text", "search", "dictionary"): "text search dictionary",
    ("text", "search", "parser"): "text search parser",
    ("text", "search", "template"): "text search template",
    ("domain",): "domain",
    ("role",): "role",
    ("user",): "role",
    ("group",): "role",
    ("database",): "database",
    ("materialized", "view"): "materialized view",
    ("foreign", "table"): "foreign table",
    ("conversion",): "conversion",
    ("language",): "language",
    ("procedural", "language"): "language",
    ("access", "method"): "access method",
    ("foreign", "data", "wrapper"): "foreign-data wrapper",
    ("publication",): "publication",
    ("server",): "server",
    ("subscription",): "subscription",
    ("tablespace",): "tablespace",
}
_BY_FIRST_WORD: Final = {
    first: [(words, kind) for words, kind in _DROPPED.items() if words[0] == first] for first, *_ in _DROPPED
}


def drop(c: Cursor) -> Any:
    at = c.token
    if c.accept("user", "mapping"):
        return foreign.user_mapping(c, "drop")
    kind = next((kind for words, kind in _BY_FIRST_WORD.get(c.word, ()) if c.accept(*words)), "")
    if not kind:
        if c.accept("owned"):
            c.expect("by")
            roles = c.listed(Cursor.role)
            return st.DropOwned(roles, clauses.drop_behaviour(c))
        if c.accept("extension"):
            return extensions.drop(c)
        if word := c.accept_one("function", "procedure", "routine"):
            return routines.drop_functions(c, word)
        if c.accept("aggregate"):
            return aggregates.drop_aggregates(c)
        if c.accept("event", "trigger"):
            return event_triggers.drop(c)
        if c.accept("operator"):
            if of_operators := operator_classes.kind_ahead(c):
                return operator_classes.drop(c, of_operators)
            return operators.drop_operators(c)
        if c.accept("cast"):
            return casts.drop_cast(c)
        if c.accept("trigger"):
            return triggers.drop_trigger(c)
        if c.accept("policy"):
            return policies.drop_policy(c)
        if c.accept("rule"):
            return rules.drop_rule(c)
        if c.word in clauses.REFUSED:
            return _drop_unknown(c, at)
        c.fail()
    concurrently = kind == "index" and c.accept("concurrently")
    exists = c.accept("if", "exists")
    if kind in (
        "role",
        "schema",
        "database",
        "server",
        "foreign-data wrapper",
        "publication",
        "subscription",
    ):
        names = [st.Name(c.role() if kind == "role" else c.name(), "", c.tokens[c.at - 1].start + 1)]
        while kind not in ("database", "subscription") and c.accept_symbol(","):
            names.append(st.Name(c.role() if kind == "role" else c.name(), "", c.tokens[c.at - 1].start + 1))
        found = tuple(names)
    elif kind in ("type", "domain"):
        types = c.listed(Cursor.type_name)
        found = tuple(map(_name_of_type, types))
    else:
        found = c.qualified_list()
    cascade = clauses.drop_behaviour(c)
    if concurrently and len(found) > 1:
        raise PlanError("0A000", "DROP INDEX CONCURRENTLY does not support dropping multiple objects")
    if concurrently and cascade:
        raise PlanError("0A000", "DROP INDEX CONCURRENTLY does not support CASCADE")
    if kind == "database":
        c.accept("with")
        if c.symbol_is("("):
            storage_options(c)
    return st.Drop(kind, found, exists, cascade, concurrently)


def _name_of_type(said: st.TypeName) -> st.Name:
    schema = said.names[-2] if len(said.names) > 1 else ""
    database = said.names[-3] if len(said.names) > 2 else ""
    return st.Name(said.names[-1] + "[]" * said.dimensions, schema, said.position, database)


def _drop_unknown(c: Cursor, at: Any) -> Any:
    """DROP PROCEDURE and the like: none exists, so that with IF EXISTS there is nothing to do."""
    named, word = clauses.named_in_full(c), c.word
    for _ in named.split():
        c.advance()
    exists = c.accept("if", "exists")
    if word in ("rule", "policy"):
        c.name()
        c.expect("on")
        c.qualified()
        c.accept_one("cascade", "restrict")
        c.expect_end()
    if exists:
        if not c.ended:
            c.rest()
        return st.Accepted("DROP " + named)
    c.unsupported("DROP " + named, at)


def truncate(c: Cursor) -> st.Truncate:
    c.accept("table")
    names, only = c.relations()
    restart = c.accept("restart", "identity")
    if not restart:
        c.accept("continue", "identity")
    return st.Truncate(names, restart, clauses.drop_behaviour(c), only)
