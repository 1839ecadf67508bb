"""The grammar of everything that is defined and is no table: indexes, views, sequences, schemas, types,
databases, and of ALTER over all of them. Types are in `user_types`, DROP and TRUNCATE in `dropping`.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import INTEGER, WORD, Token, quoted, tokenize
from planner.parse import (
    aggregates,
    alterations,
    casts,
    clauses,
    collations,
    event_triggers,
    extensions,
    foreign,
    operator_classes,
    operators,
    policies,
    privileges,
    publications,
    routines,
    rules,
    schemas,
    statistics,
    subscriptions,
    tables,
    text_search,
    triggers,
    user_types,
)
from planner.parse.cursor import Cursor
from planner.parse.errors import syntax_error
from planner.parse.exclusions import index_element
from planner.parse.first_settings import alter_system, first_settings
from planner.parse.maintenance import on_or_off
from planner.parse.sequences import sequence_options
from planner.parse.storage import storage_options


def create(c: Cursor) -> Any:
    """After CREATE."""
    replace = c.accept("or", "replace")
    at = c.token
    scope = c.accept_one("global", "local")
    temporary = bool(c.accept_one("temporary", "temp"))
    if scope and not temporary:
        c.fail()
    unlogged = c.accept("unlogged")
    c.accept("trusted")
    c.accept("procedural")
    if not (temporary or unlogged):
        if c.accept("language"):
            return extensions.create_language(c, replace, at)
        if c.accept("trigger"):
            return triggers.create_trigger(c, replace, at, constraint=False)
        if c.accept("constraint", "trigger"):
            return triggers.create_trigger(c, replace, at, constraint=True)
        if not replace and c.accept("event", "trigger"):
            return event_triggers.create(c)
        if not replace and c.accept("policy"):
            return policies.create_policy(c)
        if c.accept("rule"):
            return rules.create_rule(c, replace)
    if not (temporary or unlogged or replace):
        if c.accept("foreign", "data", "wrapper"):
            return foreign.create_wrapper(c)
        if c.accept("foreign", "table"):
            return tables.create_foreign_table(c)
        if c.accept("server"):
            return foreign.create_server(c)
        if c.accept("user", "mapping"):
            return foreign.user_mapping(c, "create")
    word = c.word
    if word in clauses.REFUSED:
        c.unsupported("CREATE " + clauses.named_in_full(c), at)
    if not (temporary or unlogged or replace) and c.accept("operator"):
        if kind := operator_classes.kind_ahead(c):
            return operator_classes.create(c, kind)
        return operators.create_operator(c)
    if not (temporary or unlogged or replace) and c.accept("cast"):
        return casts.create_cast(c)
    if not (temporary or unlogged) and c.accept("function"):
        return routines.create_function(c, replace, at)
    if not (temporary or unlogged) and c.accept("aggregate"):
        return aggregates.create_aggregate(c, replace, at)
    if not (temporary or unlogged) and c.accept("procedure"):
        return routines.create_function(c, replace, at, "procedure")
    if c.accept("recursive"):
        c.expect("view")
        return _recursive(_view(c, replace, temporary), at, c.text)
    if c.accept("view"):
        return _view(c, replace, temporary)
    if replace:
        c.fail()
    if c.accept("table"):
        return tables.create_table(c, temporary, unlogged)
    if c.accept("sequence"):
        exists = c.accept("if", "not", "exists")
        return st.CreateSequence(c.qualified(), sequence_options(c), exists, temporary, unlogged)
    if temporary or unlogged:
        c.fail()
    if c.accept("materialized", "view"):
        return tables.create_materialized_view(c)
    if c.accept("unique", "index"):
        return _index(c, unique=True)
    if c.accept("index"):
        return _index(c, unique=False)
    if c.accept("schema"):
        return schemas.schema(c, create)
    if c.accept("type"):
        return user_types.create_type(c)
    if c.accept("collation"):
        return collations.create_collation(c)
    if (default := c.accept("default", "conversion")) or c.accept("conversion"):
        return _conversion(c, default)
    if c.accept("statistics"):
        return statistics.create_statistics(c)
    if c.accept("text", "search"):
        return text_search.create(c, at)
    if c.accept("domain"):
        return user_types.create_domain(c)
    if c.accept("role") or c.accept("group"):
        return st.CreateRole(c.role(), privileges.role_options(c))
    if c.accept("user"):
        return st.CreateRole(c.role(), privileges.role_options(c), login=True)
    if c.accept("database"):
        return st.CreateDatabase(c.name(), _database_options(c, _OF_NEW_DATABASES))
    if c.accept("publication"):
        return publications.create(c)
    if c.accept("subscription"):
        return subscriptions.create(c)
    if c.accept("extension"):
        return extensions.create(c)
    c.fail()


# --- indexes, views ---------------------------------------------------------------------------------


def _index(c: Cursor, unique: bool) -> st.CreateIndex:
    concurrently = c.accept("concurrently")
    exists = c.accept("if", "not", "exists")
    position = c.position
    name = "" if c.next_is("on") else c.name()
    if exists and not name:
        c.fail()
    c.expect("on")
    table, only = c.relation()
    method = c.name() if c.accept("using") else "btree"
    elements = c.bracketed(index_element)
    include = c.name_list() if c.accept("include") else ()
    not_distinct = False
    if c.accept("nulls", "not", "distinct"):
        not_distinct = True
    else:
        c.accept("nulls", "distinct")
    options = storage_options(c, method) if c.accept("with") else {}
    if c.accept("tablespace"):
        clauses.tablespace(c)
    where = c.expression() if c.accept("where") else None
    return st.CreateIndex(
        name,
        table,
        elements,
        unique,
        exists,
        concurrently,
        method,
        where,
        include,
        not_distinct,
        position,
        tuple(options.items()),
        only,
    )


def _recursive(said: st.CreateView, at: Token, text: str) -> st.CreateView:
    """CREATE RECURSIVE VIEW v (a) AS query: a view of WITH RECURSIVE v (a) AS (query) SELECT a FROM v."""
    if not said.columns:
        raise syntax_error(next(t for t in tokenize(text) if t.keyword == "as"), text)
    if said.check_option:
        raise PlanError("0A000", "WITH CHECK OPTION not supported on recursive views", position=at.start + 1)
    name, columns = quoted(said.name.name), ", ".join(map(quoted, said.columns))
    head = f"WITH RECURSIVE {name} ({columns}) AS ("
    query = f"{head}{said.query.text}) SELECT {columns} FROM {name}"
    return dataclasses.replace(said, query=st.Sql(query, max(said.query.offset - len(head), 0)))


def _view(c: Cursor, replace: bool, temporary: bool) -> st.CreateView:
    name = c.qualified()
    columns = c.name_list() if c.symbol_is("(") else ()
    options = storage_options(c, "view") if c.accept("with") else {}
    c.expect("as")
    c.refuse_writes()
    last = len(c.tokens) - 1
    words = [t.value if t.kind == WORD else "" for t in c.tokens[max(c.at, last - 4) : last]]
    check = ""
    for tail in (
        ["with", "cascaded", "check", "option"],
        ["with", "local", "check", "option"],
        ["with", "check", "option"],
    ):
        if words[-len(tail) :] == tail:
            check, last = "local" if "local" in tail else "cascaded", last - len(tail)
            break
    if last <= c.at:
        c.fail()
    query = c.slice(c.at, last)
    c.at = len(c.tokens) - 1
    return st.CreateView(name, query, columns, replace, temporary, check, tuple(options.items()))


# --- conversions ------------------------------------------------------------------------------------------


def _conversion(c: Cursor, default: bool) -> st.CreateConversion:
    name = c.qualified()
    c.expect("for")
    source = c.string()
    c.expect("to")
    target = c.string()
    c.expect("from")
    return st.CreateConversion(name, source, target, c.qualified(), default)


def _altered_conversion(c: Cursor) -> st.AlterConversion:
    name = c.qualified()
    if c.accept("rename", "to"):
        return st.AlterConversion(name, "rename", c.name())
    if c.accept("owner", "to"):
        return st.AlterConversion(name, "owner", c.role())
    c.expect("set")
    c.expect("schema")
    return st.AlterConversion(name, "set schema", c.name())


# --- databases ------------------------------------------------------------------------------------------


_OF_ALTERED_DATABASES: Final = frozenset(
    ("is_template", "allow_connections", "connection limit", "tablespace")
)
_OF_NEW_DATABASES: Final = _OF_ALTERED_DATABASES | {
    *("owner", "template", "encoding", "locale", "lc_collate", "lc_ctype", "icu_locale", "locale_provider"),
    *("oid", "strategy", "collation_version", "location"),
}


def _database_options(c: Cursor, known: frozenset[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    places: dict[str, int] = {}
    c.accept("with")
    while not c.ended:
        position = c.position
        name = c.label()
        if name == "connection":
            name += " " + c.label()
        elif name == "connection_limit":
            name = "connection limit"
        if name not in known:
            raise PlanError("42601", f'option "{name}" not recognized', position=position)
        if name in options:
            raise PlanError("42601", "conflicting or redundant options", position=position)
        places[name] = position
        c.accept_symbol("=")
        if c.ended:
            c.fail()
        said = c.integer() if c.token.kind == INTEGER or c.symbol_is("-") else c.advance().value
        options[name] = _database_option(name, said)
    if "tablespace" in options and known is _OF_ALTERED_DATABASES and len(options) > 1:
        raise PlanError(
            "42601",
            'option "tablespace" cannot be specified with other options',
            position=places["tablespace"],
        )
    return options


def _database_option(name: str, said: Any) -> Any:
    if name == "connection limit":
        if said == "default":
            return -1
        if not isinstance(said, int):
            raise PlanError("42601", "connection_limit requires an integer value")
        if said < -1:
            raise PlanError("22023", f"invalid connection limit: {said}")
    if name in ("is_template", "allow_connections"):
        if said == "default":
            return name == "allow_connections"
        return on_or_off(name, said)
    return said


def alter_database(c: Cursor) -> Any:
    name = st.Name(c.name())
    position = c.position
    if c.accept("rename", "to"):
        return user_types.named(
            "database", name, st.AlterAction("rename", new_name=c.name(), position=position)
        )
    if c.accept("owner", "to"):
        return user_types.named("database", name, st.AlterAction("owner", c.role(), position=position))
    if c.accept("set", "tablespace"):
        clauses.tablespace(c)
        return user_types.named("database", name, st.AlterAction("ignore", position=position))
    if c.accept("refresh", "collation", "version"):
        return user_types.named("database", name, st.AlterAction("refresh", position=position))
    if c.word in ("set", "reset"):
        return first_settings(c, st.AlterSettings("ALTER DATABASE", database=name.name))
    options = tuple(_database_options(c, _OF_ALTERED_DATABASES).items())
    return user_types.named(
        "database", name, st.AlterAction("set options", options=options, position=position)
    )


def alter(c: Cursor) -> Any:
    """After ALTER."""
    at = c.token
    if c.accept("foreign", "data", "wrapper"):
        return foreign.alter_wrapper(c)
    if c.accept("foreign", "table"):
        return alterations.alter_relation(c, "foreign table")
    if c.accept("server"):
        return foreign.alter_server(c)
    if c.accept("user", "mapping"):
        return foreign.user_mapping(c, "alter")
    if word := c.accept_one("table", "view", "index"):
        return alterations.alter_relation(c, word)
    if c.accept("materialized", "view"):
        return alterations.alter_relation(c, "materialized view")
    if c.accept("sequence"):
        exists = c.accept("if", "exists")
        at_name = c.at
        name = c.qualified()
        if c.word in ("rename", "set") or c.next_is("owner", "to"):
            c.at = at_name
            made = alterations.alter_relation(c, "sequence")
            return st.AlterTable("sequence", made.name, made.actions, exists)
        return st.AlterSequence(name, sequence_options(c), exists)
    if c.accept("schema"):
        schema = c.name()
        if c.accept("rename", "to"):
            return st.AlterSchema(schema, new_name=c.name())
        c.expect("owner", "to")
        return st.AlterSchema(schema, owner=c.role())
    if c.accept("type"):
        return user_types.alter_type(c)
    if c.accept("collation"):
        return collations.alter_collation(c)
    if c.accept("conversion"):
        return _altered_conversion(c)
    if c.accept("statistics"):
        return statistics.alter_statistics(c)
    if c.accept("text", "search"):
        return text_search.alter(c, at)
    if c.accept("domain"):
        return user_types.alter_domain(c)
    if c.accept_one("role", "user", "group"):
        return privileges.alter_role(c)
    if c.accept("database"):
        return alter_database(c)
    if c.accept("default", "privileges"):
        return privileges.alter_default_privileges(c)
    if word := c.accept_one("function", "procedure", "routine"):
        return routines.alter_function(c, word)
    if c.accept("aggregate"):
        return aggregates.alter_aggregate(c)
    if c.accept("event", "trigger"):
        return event_triggers.alter(c)
    if c.accept("operator"):
        if kind := operator_classes.kind_ahead(c):
            return operator_classes.alter(c, kind)
        return operators.alter_operator(c)
    if c.accept("trigger"):
        return triggers.alter_trigger(c)
    if c.accept("policy"):
        return policies.alter_policy(c)
    if c.accept("rule"):
        return rules.alter_rule(c)
    if c.accept("system"):
        return alter_system(c)
    if c.accept("publication"):
        return publications.alter(c)
    if c.accept("subscription"):
        return subscriptions.alter(c)
    if c.accept("extension"):
        return extensions.alter(c)
    if c.accept("large", "object"):
        number = c.integer()
        c.expect("owner")
        c.expect("to")
        return st.AlterLargeObject(number, c.role())
    if c.word in clauses.REFUSED:
        c.unsupported("ALTER " + clauses.named_in_full(c), at)
    c.fail()
