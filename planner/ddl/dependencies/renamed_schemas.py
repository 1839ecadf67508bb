"""A schema has another name: what is kept as text names what it named, under the new one.

    SELECT t.a, old.f(t.b) FROM old.t       ->      SELECT t.a, new.f(t.b) FROM new.t
    looked up on (old, public)              ->      looked up on (new, public)

A schema's name is what stands before a dot and behind none. So does a table's, or its alias, in `t.a`: where a query calls
something like the schema, nobody can say from the words alone which of them it means, and that is refused.
Types and regclass constants have followed before (`named_types`, `depends`).
"""

from __future__ import annotations

import itertools

from planner.abc import PlanError
from planner.catalog import Domain, quote_identifier
from planner.catalog.objects import View
from planner.catalog.routine_objects import Function
from planner.catalog.stored_queries import StoredQuery, stored_queries
from planner.catalog.uses import HAS_TEXT
from planner.ddl.scope import Scope
from planner.lexer import OPERATOR, QUOTED, WORD, Token, is_sign, tokenize
from planner.records import replace
from planner.remembered import NamedRelation


def follow(scope: Scope, old: str, new: str) -> None:
    """Raises 0A000 for a query in which the name is something else's too."""

    def calls(text: str) -> str:
        return _reworded(text, old, new, only_calls=True)

    for kept in list(stored_queries(scope.catalog)):
        query = kept.query
        if _mentions(query, old):
            _refuse_other_meanings(kept, old)
            query = _reworded(query, old, new)
        names = tuple(replace(n, schema=new) if n.schema == old else n for n in kept.names)
        _replace_query(scope, kept, query, _path(kept.search_path, old, new), names)
    for table in scope.catalog.tables_using(HAS_TEXT):
        columns = tuple(replace(c, default=calls(c.default)) if c.default else c for c in table.columns)
        held = tuple(
            replace(c, expression=calls(c.expression)) if c.expression else c for c in table.constraints
        )
        scope.replace(table, replace(table, columns=columns, constraints=held))
    for index in scope.catalog.indexes_using(HAS_TEXT):
        keys = tuple(replace(k, expression=calls(k.expression)) if k.expression else k for k in index.keys)
        scope.replace(index, replace(index, keys=keys, predicate=calls(index.predicate)))
    for domain in [x for x in scope.catalog.using(HAS_TEXT) if isinstance(x, Domain)]:
        checks = tuple(replace(c, expression=calls(c.expression)) for c in domain.constraints)
        default = calls(domain.default) if domain.default else domain.default
        scope.replace(domain, replace(domain, constraints=checks, default=default))
    for f in [x for x in scope.catalog.using(HAS_TEXT) if isinstance(x, Function)]:
        scope.replace(f, f.with_defaults(calls))


def _path(path: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    """Nothing was found in a schema of the new name so far, wherever the path has it."""
    return tuple(new if name == old else name for name in path if name != new) if old in path else path


def _replace_query(
    scope: Scope, kept: StoredQuery, query: str, path: tuple[str, ...], names: tuple[NamedRelation, ...]
) -> None:
    held = kept.reworded(query)
    if isinstance(held, Function):
        held = replace(held, search_path=path)
    elif isinstance(held, View):
        held = replace(held, search_path=path, names=names)
    elif held.materialized is not None:
        kept_query = replace(held.materialized, search_path=path, names=names)
        held = replace(held, materialized=kept_query)
    scope.replace(kept.holder, held)


def _schema_places(tokens: list[Token], name: str) -> list[int]:
    return [
        i
        for i, token in enumerate(tokens[:-2])
        if token.kind in (WORD, QUOTED)
        and token.value == name
        and is_sign(tokens[i + 1], ".")
        and not (i and is_sign(tokens[i - 1], "."))
    ]


def _mentions(text: str, name: str) -> bool:
    return bool(_schema_places(tokenize(text), name))


def _reworded(text: str, old: str, new: str, *, only_calls: bool = False) -> str:
    if not _mentions(text, old):
        return text
    out, done = "", 0
    tokens = tokenize(text)
    for i in _schema_places(tokens, old):
        called = (i + 3 < len(tokens) and is_sign(tokens[i + 3], "(")) or tokens[i + 2].kind == OPERATOR
        if only_calls and not called:
            continue
        out += text[done : tokens[i].start] + quote_identifier(new)
        done = tokens[i].end
    return out + text[done:]


def _refuse_other_meanings(kept: StoredQuery, name: str) -> None:
    """Whatever else goes by the name says so somewhere where no dot follows: `FROM t name`, `WITH name AS`."""
    kept.refuse_parameter(name)
    tokens = tokenize(kept.query)
    bare = any(
        a.kind in (WORD, QUOTED) and a.value == name and not is_sign(b, ".")
        for a, b in itertools.pairwise(tokens)
    )
    if bare or kept.name == name:
        raise PlanError(
            "0A000",
            f'renaming schema "{name}" is not supported while {kept.name} calls something else so as well',
        )
