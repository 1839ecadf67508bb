"""The grammar of everything that is defined and is no table: indexes, views, sequences, schemas, types,
databases, and of ALTER, DROP and TRUNCATE over all of them.
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
    constraints,
    event_triggers,
    extensions,
    foreign,
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
)
from planner.parse.cursor import Cursor
from planner.parse.errors import syntax_error
from planner.parse.exclusions import index_element
from planner.parse.first_settings import first_settings
from planner.parse.sequences import sequence_options
from planner.parse.storage import storage_options

_REFUSED: Final = frozenset(
    ("conversion", "foreign", "tablespace",
     "language", "access", "transform", "assertion")
)  # fmt: skip


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
    if word in _REFUSED:
        c.unsupported("CREATE " + clauses.named_in_full(c), at)
    if not (temporary or unlogged or replace) and c.accept("operator"):
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
        return _type(c)
    if c.accept("collation"):
        return collations.create_collation(c)
    if c.accept("statistics"):
        return statistics.create_statistics(c)
    if c.accept("text", "search"):
        return text_search.create(c, at)
    if c.accept("domain"):
        return _domain(c)
    if c.accept("role") or c.accept("group"):
        return st.CreateRole(c.role(), privileges.role_options(c))
    if c.accept("user"):
        return st.CreateRole(c.role(), privileges.role_options(c), login=True)
    if c.accept("database"):
        return st.CreateDatabase(c.name(), _database_options(c))
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
    c.expect_symbol("(")
    elements = [index_element(c)]
    while c.accept_symbol(","):
        elements.append(index_element(c))
    c.expect_symbol(")")
    include = c.name_list() if c.accept("include") else ()
    not_distinct = False
    if c.accept("nulls", "not", "distinct"):
        not_distinct = True
    else:
        c.accept("nulls", "distinct")
    options = storage_options(c, method) if c.accept("with") else {}
    if c.accept("tablespace"):
        c.name()
    where = c.rest() if c.accept("where") else None
    return st.CreateIndex(
        name,
        table,
        tuple(elements),
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


# --- schemas, types, domains ----------------------------------------------------------------------------


def _type(c: Cursor) -> Any:
    at = c.token
    name = c.qualified()
    if c.accept("as", "enum"):
        c.expect_symbol("(")
        labels: list[str] = []
        if not c.symbol_is(")"):
            labels.append(c.string())
            while c.accept_symbol(","):
                labels.append(c.string())
        c.expect_symbol(")")
        return st.CreateEnum(name, tuple(labels))
    if c.accept("as", "range"):
        return _range(c, name)
    if c.accept("as"):
        c.expect_symbol("(")
        columns: list[st.ColumnDef] = []
        while not c.symbol_is(")"):
            position = c.position
            column = c.name()
            columns.append(_attribute(c, column, position))
            if not c.accept_symbol(","):
                break
        c.expect_symbol(")")
        return st.CreateComposite(name, tuple(columns))
    c.unsupported("CREATE TYPE of a base type", at)


_RANGE_OPTIONS: Final = ("subtype_opclass", "collation", "canonical", "subtype_diff", "multirange_type_name")


def _range(c: Cursor, name: st.Name) -> st.CreateRange:
    c.expect_symbol("(")
    subtype = None
    said: dict[str, st.Name] = {}
    while True:
        position = c.position
        option = c.label()
        if option != "subtype" and option not in _RANGE_OPTIONS:
            raise PlanError("42601", f'type attribute "{option}" not recognized')
        if option in said or (option == "subtype" and subtype is not None):
            raise PlanError("42601", "conflicting or redundant options", position=position)
        c.expect_symbol("=")
        if option == "subtype":
            subtype = c.type_name()
        else:
            said[option] = c.qualified()
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return st.CreateRange(name, subtype, tuple(said.items()))


def _domain(c: Cursor) -> st.CreateDomain:
    name = c.qualified()
    c.accept("as")
    type_name = c.type_name()
    default: st.Sql | None = None
    not_null = False
    collation = ""
    checks: list[st.ConstraintDef] = []
    while not c.ended:
        position = c.position
        label = c.name() if c.accept("constraint") else ""
        if c.accept("collate"):
            collation = c.collation()
        elif c.accept("default"):
            default = c.balanced("not", "null", "check", "constraint", "collate", "default")
        elif c.accept("not", "null"):
            not_null = True
        elif c.accept("null"):
            pass
        elif c.accept("check"):
            checks.append(st.ConstraintDef("c", label, expression=c.parenthesised(), position=position))
        else:
            c.fail()
    return st.CreateDomain(name, type_name, default, not_null, tuple(checks), collation)


def alter_type(c: Cursor) -> Any:
    name = c.qualified()
    if c.accept("add", "value"):
        exists = c.accept("if", "not", "exists")
        label = c.string()
        before = c.string() if c.accept("before") else None
        after = c.string() if before is None and c.accept("after") else None
        return st.AlterEnum(name, label, exists, before, after)
    if c.accept("rename", "value"):
        old = c.string()
        c.expect("to")
        return st.AlterEnum(name, old, rename_to=c.string())
    return _alter_named(c, "type", name)


def alter_domain(c: Cursor) -> Any:
    name = c.qualified()
    position = c.position
    if c.accept("set", "default"):
        return _named("domain", name, st.AlterAction("set default", expression=c.rest(), position=position))
    if c.accept("drop", "default"):
        return _named("domain", name, st.AlterAction("drop default", position=position))
    if c.accept("set", "not", "null"):
        return _named("domain", name, st.AlterAction("set not null", position=position))
    if c.accept("drop", "not", "null"):
        return _named("domain", name, st.AlterAction("drop not null", position=position))
    if c.accept("add"):
        return _named(
            "domain",
            name,
            st.AlterAction("add constraint", constraint=constraints.table_constraint(c), position=position),
        )
    if c.accept("drop", "constraint"):
        exists = c.accept("if", "exists")
        label = c.name()
        cascade = clauses.drop_behaviour(c)
        return _named(
            "domain",
            name,
            st.AlterAction("drop constraint", label, exists=exists, cascade=cascade, position=position),
        )
    if c.accept("validate", "constraint"):
        return _named("domain", name, st.AlterAction("validate constraint", c.name(), position=position))
    if c.accept("rename", "constraint"):
        label = c.name()
        c.expect("to")
        action = st.AlterAction("rename constraint", label, new_name=c.name(), position=position)
        return _named("domain", name, action)
    return _alter_named(c, "domain", name)


def _named(kind: str, name: st.Name, action: st.AlterAction) -> st.AlterNamed:
    return st.AlterNamed(kind, name, (action,))


def _alter_named(c: Cursor, kind: str, name: st.Name) -> st.AlterNamed:
    position = c.position
    if c.accept("rename", "to"):
        return _named(kind, name, st.AlterAction("rename", new_name=c.name(), position=position))
    if c.accept("owner", "to"):
        return _named(kind, name, st.AlterAction("owner", c.role(), position=position))
    if c.accept("set", "schema"):
        return _named(kind, name, st.AlterAction("set schema", c.name(), position=position))
    if kind == "type" and c.word in ("add", "drop", "alter", "rename"):
        return _attributes(c, name)
    c.fail()


def _attribute(c: Cursor, name: str, position: int) -> st.ColumnDef:
    """Of a composite type, from its type on."""
    type_name = c.type_name()
    at = c.position
    collation = c.collation() if c.accept("collate") else ""
    return st.ColumnDef(name, type_name, collation=collation, collation_position=at, position=position)


def _attributes(c: Cursor, name: st.Name) -> st.AlterNamed:
    """ADD, DROP, ALTER and RENAME ATTRIBUTE of a composite type."""
    actions: list[st.AlterAction] = []
    while True:
        position = c.position
        if not actions and c.accept("rename", "attribute"):
            old = c.name()
            c.expect("to")
            action = st.AlterAction("rename column", old, new_name=c.name(), position=position)
            cascade = clauses.drop_behaviour(c)
            return st.AlterNamed("type", name, (dataclasses.replace(action, cascade=cascade),))
        elif c.accept("add", "attribute"):
            column = c.name()
            said = _attribute(c, column, position)
            actions.append(st.AlterAction("add column", column=said, position=position))
        elif c.accept("drop", "attribute"):
            exists = c.accept("if", "exists")
            actions.append(st.AlterAction("drop column", c.name(), exists=exists, position=position))
        elif c.accept("alter", "attribute"):
            column = c.name()
            c.accept("set", "data")
            c.expect("type")
            actions.append(st.AlterAction("set type", column, type=c.type_name(), position=position))
        else:
            c.fail()
        actions[-1] = dataclasses.replace(actions[-1], cascade=clauses.drop_behaviour(c))
        if not c.accept_symbol(","):
            return st.AlterNamed("type", name, tuple(actions))


# --- databases ------------------------------------------------------------------------------------------


def _database_options(c: Cursor) -> dict[str, Any]:
    options: dict[str, Any] = {}
    c.accept("with")
    while not c.ended:
        name = c.label()
        if name == "connection":
            name += " " + c.label()
        c.accept_symbol("=")
        options[name] = c.integer() if c.token.kind == INTEGER or c.symbol_is("-") else c.advance().value
    return options


def alter_database(c: Cursor) -> Any:
    name = st.Name(c.name())
    position = c.position
    if c.accept("rename", "to"):
        return _named("database", name, st.AlterAction("rename", new_name=c.name(), position=position))
    if c.accept("owner", "to"):
        return _named("database", name, st.AlterAction("owner", c.role(), position=position))
    if c.next_is("set", "tablespace"):
        c.unsupported("ALTER DATABASE ... SET TABLESPACE")
    if c.word in ("set", "reset"):
        return first_settings(c, st.AlterSettings("ALTER DATABASE", database=name.name))
    _database_options(c)
    return _named("database", name, st.AlterAction("ignore", position=position))


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
        return alter_type(c)
    if c.accept("collation"):
        return collations.alter_collation(c)
    if c.accept("statistics"):
        return statistics.alter_statistics(c)
    if c.accept("text", "search"):
        return text_search.alter(c, at)
    if c.accept("domain"):
        return alter_domain(c)
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
        return operators.alter_operator(c)
    if c.accept("trigger"):
        return triggers.alter_trigger(c)
    if c.accept("policy"):
        return policies.alter_policy(c)
    if c.accept("rule"):
        return rules.alter_rule(c)
    if c.accept("system"):
        c.unsupported("ALTER SYSTEM", at)
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
    if c.word in _REFUSED:
        c.unsupported("ALTER " + clauses.named_in_full(c), at)
    c.fail()


# --- DROP, TRUNCATE ---------------------------------------------------------------------------------------

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


def drop(c: Cursor) -> Any:
    at = c.token
    if c.accept("user", "mapping"):
        return foreign.user_mapping(c, "drop")
    kind = next((kind for words, kind in _DROPPED.items() if c.accept(*words)), "")
    if not kind:
        if c.accept("owned"):
            c.expect("by")
            roles = privileges.role_names(c)
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
            return operators.drop_operators(c)
        if c.accept("cast"):
            return casts.drop_cast(c)
        if c.accept("trigger"):
            return triggers.drop_trigger(c)
        if c.accept("policy"):
            return policies.drop_policy(c)
        if c.accept("rule"):
            return rules.drop_rule(c)
        if c.word in _REFUSED:
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
    else:
        found = c.qualified_list()
    cascade = clauses.drop_behaviour(c)
    if kind == "database":
        c.accept("with")
        if c.symbol_is("("):
            storage_options(c)
    return st.Drop(kind, found, exists, cascade, concurrently)


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
    names: list[st.Name] = []
    only: set[int] = set()
    while True:
        name, alone = c.relation()
        if alone:
            only.add(len(names))
        names.append(name)
        if not c.accept_symbol(","):
            break
    restart = c.accept("restart", "identity")
    if not restart:
        c.accept("continue", "identity")
    return st.Truncate(tuple(names), restart, clauses.drop_behaviour(c), frozenset(only))
