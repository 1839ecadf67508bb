"""What an expression or a query stands on: relations by name, relations by constant, types.

    SELECT nextval('s'), c::color FROM t JOIN v ...   ->   t, v, s, color

PostgreSQL turns the literal in `nextval('s')` into a regclass constant when it parses, and records the sequence as
something that the view or default needs; text that becomes a name only when it runs (`nextval('s'::text)`)
is recorded nowhere. So it is here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlglot import exp

from planner import statements as st
from planner.abc import Oid, Plan, PlanError, Table
from planner.binding import collating
from planner.binding.naming import function_name
from planner.binding.range_constructors import constructed_type
from planner.catalog import (
    Catalog,
    Function,
    Relation,
    Sequence,
    UserType,
    View,
    quote_qualified,
)
from planner.catalog.collations import made
from planner.catalog.constants import BY_REGCLASS, with_constants
from planner.catalog.names import split_name
from planner.catalog.system.relations import relations
from planner.catalog.text_search import (
    CONFIGURATION,
    DICTIONARY,
    TAKE_CONFIGURATION,
    TAKE_DICTIONARY,
    Kind,
    is_own,
)
from planner.catalog.text_search import found as found_of_text_search
from planner.catalog.uses import HAS_QUERY, HAS_TEXT
from planner.ddl.scope import Scope
from planner.lexer import QUOTED, WORD, Token, tokenize
from planner.parse import parse_expression
from planner.records import replace
from planner.relations import TransitionTable
from planner.remembered import NamedRelation

_OF_CAST: Final = {"regconfig": CONFIGURATION, "regdictionary": DICTIONARY}


def needs_of_query(scope: Scope, tree: exp.Expression) -> tuple[Oid, ...]:
    """Everything that a view with this query needs, by OID, in order."""
    found = {r.oid for r in _relations(scope, tree)}
    return tuple(sorted(found | _constants(scope, tree) | _types(scope, tree)))


def needs_of_plan(scope: Scope, tree: exp.Expression, plan: Plan) -> tuple[Oid, ...]:
    """The same, with what only binding it has shown: functions that it calls, keys that its groups are of."""
    bound = {*plan.extra.get("functions", ()), *plan.extra.get("keys", ())}
    return tuple(sorted({*needs_of_query(scope, tree), *bound}))


def needs_of_expression(scope: Scope, text: str) -> set[Oid]:
    """What a default or a CHECK needs beside the columns of its own table."""
    try:
        tree = parse_expression(text)
    except PlanError:
        return set()
    return _constants(scope, tree) | _types(scope, tree)


def _relations(scope: Scope, tree: exp.Expression) -> list[Table | View | Sequence]:
    """The relations in FROM, the query's own CTEs apart."""
    local = {cte.alias for cte in tree.find_all(exp.CTE)}
    found: list[Table | View | Sequence] = []
    for node in tree.find_all(exp.Table):
        if not isinstance(node.this, exp.Identifier) or (not node.db and node.name in local):
            continue
        relation = scope.find(st.Name(node.name, node.db))
        if not node.db and isinstance(
            scope.catalog.find_relation(node.name, "", scope.search_path), TransitionTable
        ):
            raise PlanError("0A000", f'definitions over the transition table "{node.name}" are not supported')
        if isinstance(relation, Table | View | Sequence):
            found.append(relation)
    return found


def names_of_query(scope: Scope, tree: exp.Expression) -> tuple[NamedRelation, ...]:
    """What the names of relations in a query stand for, in FROM and as the types of rows."""
    local = {cte.alias for cte in tree.find_all(exp.CTE)}
    said = [
        (node.db, node.name)
        for node in tree.find_all(exp.Table)
        if isinstance(node.this, exp.Identifier) and (node.db or node.name not in local)
    ]
    for cast in tree.find_all(exp.Cast):
        if words := _type_words(cast):
            said.append((words[-2] if len(words) > 1 else "", words[-1]))
    found = {}
    for schema, name in dict.fromkeys(said):
        relation = scope.find(st.Name(name, schema))
        if isinstance(relation, Table | View | Sequence):
            found[schema, name] = relation.oid
    return tuple(NamedRelation(schema, name, oid) for (schema, name), oid in found.items())


def _constants(scope: Scope, tree: exp.Expression) -> set[Oid]:
    """Relations named by literals that are regclass constants."""
    names: list[str] = []
    for node in tree.walk():
        if isinstance(node, exp.Anonymous) and str(node.this).lower() in BY_REGCLASS and node.expressions:
            argument = node.expressions[0]
            if isinstance(argument, exp.Literal) and argument.is_string:
                names.append(argument.this)
        elif (
            isinstance(node, exp.Cast)
            and isinstance(node.this, exp.Literal)
            and node.this.is_string
            and _type_words(node)[-1:] == ["regclass"]
        ):
            names.append(node.this.this)
    found = set()
    for name in names:
        parts = [t.value for t in tokenize(name) if t.kind in (WORD, QUOTED)]
        if parts:
            relation = scope.find(st.Name(parts[-1], parts[-2] if len(parts) > 1 else ""))
            if relation is not None:
                found.add(relation.oid)
    return found


def qualified_constants(scope: Scope, said: st.Sql) -> str:
    """A default whose regclass constants say their schemas. 42P01 for one that is not there."""

    def renamed(name: Token) -> str:
        schema, bare = split_name(name.value)
        if name.value.isdigit() or name.value == "-" or ((schema or "pg_catalog"), bare) in relations():
            return name.value  # an OID, or a relation that nobody renames
        found = scope.relation(st.Name(bare, schema, position=said.offset + name.start + 1))
        return quote_qualified(scope.catalog.schema_of(found.schema_oid).name, found.name)

    return with_constants(said.text, renamed)


def follow_constants(scope: Scope, before: Catalog, names: Collection[str]) -> None:
    """After names have changed: defaults, also of parameters, and views name what they named in the catalog `before`.

    `names`: one of these is in each text that has to be another one."""
    looked_for = tuple(name.casefold() for name in names)
    quoted = any(mark in name for name in names for mark in "'\"")  # these are written twice

    def followed(text: str) -> str:
        said = text.casefold()
        if not quoted and not any(name in said for name in looked_for):
            return text
        return with_constants(text, renamed)

    def renamed(name: Token) -> str:
        schema, bare = split_name(name.value)
        if schema and before.find_schema(schema) is None:
            return name.value
        then = before.find_relation(bare, schema, scope.search_path)
        now = scope.catalog.get(then.oid) if then is not None else None
        if not isinstance(now, Relation):
            return name.value
        return quote_qualified(scope.catalog.schema_of(now.schema_oid).name, now.name)

    for table in scope.catalog.tables_using(HAS_TEXT, HAS_QUERY):
        columns = tuple(
            replace(c, default=default)
            if c.default and "'" in c.default and (default := followed(c.default)) != c.default
            else c
            for c in table.columns
        )
        kept = table.materialized
        if kept is not None:
            kept = replace(kept, query=followed(kept.query))
        if columns != table.columns or kept != table.materialized:
            scope.replace(table, replace(table, columns=columns, materialized=kept))
    for f in [x for x in scope.catalog.using(HAS_TEXT) if isinstance(x, Function)]:
        if (kept_defaults := f.with_defaults(followed)) != f:
            scope.replace(f, kept_defaults)
    for view in list(scope.catalog.objects(View)):
        query = followed(view.query) if "'" in view.query else view.query
        if query != view.query:
            scope.replace(view, replace(view, query=query))


def _types(scope: Scope, tree: exp.Expression) -> set[Oid]:
    """Types made by CREATE TYPE and CREATE DOMAIN that casts name."""
    found = set()
    for node in tree.find_all(exp.Cast):
        parts = _type_words(node)
        if not parts:
            continue
        schema = parts[-2] if len(parts) > 1 else ""
        if schema and scope.catalog.find_schema(schema) is None:
            continue
        kind = scope.catalog.type_named(parts[-1], schema, scope.search_path)
        if isinstance(kind, UserType):
            found.add(kind.oid)
    for said in tree.find_all(exp.Collate):
        collation = made(collating.key(said, scope.catalog, scope.search_path))
        if collation is not None:
            found.add(collation.oid)
    found |= text_search_of(scope, tree)
    for call in tree.find_all(exp.Anonymous):
        kind_made = constructed_type(scope.catalog, function_name(call), "", scope.search_path)
        if kind_made is not None:
            found.add(kind_made.oid)
    return found


def text_search_of(scope: Scope, tree: exp.Expression) -> set[Oid]:
    """Users' text search configurations and dictionaries that constants name."""
    said: list[tuple[Kind, str]] = []
    for call in tree.find_all(exp.Anonymous):
        name = function_name(call)
        kind = (
            CONFIGURATION if name in TAKE_CONFIGURATION else DICTIONARY if name in TAKE_DICTIONARY else None
        )
        if kind is not None and len(call.expressions) > 1:
            said += [
                (kind, x.this) for x in call.expressions[:1] if isinstance(x, exp.Literal) and x.is_string
            ]
    for node in tree.find_all(exp.Cast):
        kind = _OF_CAST.get(_type_words(node)[-1:][0] if _type_words(node) else "")
        if kind is not None and isinstance(node.this, exp.Literal) and node.this.is_string:
            said.append((kind, node.this.this))
    made: set[Oid] = set()
    for kind, text in said:
        parts = [t.value for t in tokenize(text) if t.kind in (WORD, QUOTED)]
        if parts:
            schema = parts[-2] if len(parts) > 1 else ""
            oid = found_of_text_search(scope.catalog, kind, parts[-1], schema, scope.search_path)
            made |= {oid} if oid and not is_own(oid) else set()
    return made


def _type_words(node: exp.Cast) -> list[str]:
    """A cast's type as written, without brackets and modifiers: `["s", "color"]`."""
    words: list[str] = []
    for token in tokenize(
        node.to.sql("postgres").lower()
        if node.to.this == exp.DataType.Type.HSTORE
        else node.to.sql("postgres")
    ):
        if token.kind not in (WORD, QUOTED) and token.value != ".":
            break
        if token.value != ".":
            words.append(token.value)
    return words
