"""Users' types in definitions, which are kept as texts: they say their schemas, and follow when a type is renamed.
Functions say theirs.

    CHECK (m <> 'sad'::mood)       kept as  m <> 'sad'::public.mood       whoever inserts may have another search path
    ALTER TYPE mood RENAME TO ...           m <> 'sad'::public.feeling

A name is a type's behind `::`, in CAST (... AS ...), before a string (`mood 'sad'`), and before a parenthesis if ranges are
made by it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from planner.abc import SqlError, TypeRef
from planner.binding.facts import operators, procs
from planner.catalog import Catalog, Collation, Domain, Function, UserType
from planner.catalog.collations import made
from planner.catalog.names import name_parts, quote_identifier, quote_qualified
from planner.catalog.stored_queries import stored_queries
from planner.catalog.text_search import (
    CONFIGURATION,
    DICTIONARY,
    TAKE_CONFIGURATION,
    TAKE_DICTIONARY,
    Kind,
    found,
)
from planner.catalog.uses import HAS_TEXT
from planner.ddl.scope import Scope
from planner.lexer import OPERATOR, QUOTED, STRING, WORD, Token, is_sign, tokenize
from planner.records import replace
from planner.types import BY_NAME
from planner.types.oids import REGCONFIG, REGDICTIONARY

_NAMES = (WORD, QUOTED)
_COLLATION = "\0"
"""Behind the words of a collation's name."""
_CAST: Final = "\3"
"""Behind those of a name that can be nothing but a type's: that of a table's rows, too."""
_CONSTANTS: Final = {"\1": CONFIGURATION, "\2": DICTIONARY}
"""Behind those of a constant that names a text search configuration or dictionary."""
_CONSTANT_TYPES: Final = {REGCONFIG: "::regconfig", REGDICTIONARY: "::regdictionary"}
_Change = Callable[[str], str]


def with_schemas(scope: Scope, text: str, ref: TypeRef | None = None) -> str:
    """The expression with the schemas of users' types and functions. Whatever does not exist stays as it is: binding says so.

    `ref`: the type that it is of, if that is known; a constant may be a name then.
    """
    if ref is not None and ref.oid in _CONSTANT_TYPES:
        tokens = tokenize(text)
        if len(tokens) == 2 and tokens[0].kind == STRING:
            text += _CONSTANT_TYPES[ref.oid]

    def name_of(said: tuple[str, ...]) -> str | None:
        return _qualified(scope.catalog, said, scope.search_path, scope.catalog) or _function(scope, said)

    return _with_schemas_of_signs(scope, _rewritten(text, name_of))


def _with_schemas_of_signs(scope: Scope, text: str) -> str:
    """Users' operators as `OPERATOR(s.###)`; not those whose sign is one of PostgreSQL's too (`planner.binding.routines.own_operators`)."""
    pieces: list[str] = []
    done = 0
    for before, token in itertools.pairwise(tokenize(text)):
        if token.kind != OPERATOR or is_sign(before, ".") or token.value in operators():
            continue
        homes = {o.schema_oid for o in scope.catalog.operators(token.value, "", scope.search_path)}
        if len(homes) == 1:
            home = quote_identifier(scope.catalog.schema_of(homes.pop()).name)
            pieces += [text[done : token.start], f"OPERATOR({home}.{token.value})"]
            done = token.end
    return "".join(pieces) + text[done:]


def _function(scope: Scope, said: tuple[str, ...]) -> str | None:
    """What functions of this name are called in full; None where there are none, or overloads in several schemas."""
    if len(said) > 1 or said[-1] == _CAST:
        return None
    homes = {f.schema_oid for f in scope.catalog.functions(said[0], "", scope.search_path)}
    home = homes.pop() if len(homes) == 1 else None
    return quote_qualified(scope.catalog.schema_of(home).name, said[0]) if home is not None else None


def follow(scope: Scope, before: Catalog) -> None:
    """After types, or their schemas, have other names: definitions name what they named in the catalog `before`."""

    def change_for(path: Sequence[str]) -> _Change:
        return lambda text: _rewritten(text, lambda said: _qualified(before, said, path, scope.catalog))

    change = change_for(scope.search_path)
    for table in scope.catalog.tables_using(HAS_TEXT):
        columns = tuple(replace(c, default=change(c.default)) if c.default else c for c in table.columns)
        held = tuple(
            replace(c, expression=change(c.expression)) if c.expression else c for c in table.constraints
        )
        if (columns, held) != (table.columns, table.constraints):
            scope.replace(table, replace(table, columns=columns, constraints=held))
    for index in scope.catalog.indexes_using(HAS_TEXT):
        keys = tuple(replace(k, expression=change(k.expression)) if k.expression else k for k in index.keys)
        now = replace(index, keys=keys, predicate=change(index.predicate) if index.predicate else "")
        if now != index:
            scope.replace(index, now)
    for domain in [x for x in scope.catalog.using(HAS_TEXT) if isinstance(x, Domain)]:
        checks = tuple(replace(c, expression=change(c.expression)) for c in domain.constraints)
        default = change(domain.default) if domain.default else domain.default
        if (checks, default) != (domain.constraints, domain.default):
            scope.replace(domain, replace(domain, constraints=checks, default=default))
    for f in [x for x in scope.catalog.using(HAS_TEXT) if isinstance(x, Function)]:
        if (with_defaults := f.with_defaults(change)) != f:
            scope.replace(f, with_defaults)
    for view in list(stored_queries(scope.catalog)):
        query = change_for(view.search_path)(view.query)
        if query != view.query:
            scope.replace(view.holder, view.reworded(query))


def _qualified(before: Catalog, said: tuple[str, ...], path: Sequence[str], now: Catalog) -> str | None:
    """What a name of a type in `before` is called in full now; None for what is no type of a user's."""
    if said[-1] == _COLLATION:
        return _collation(before, said[:-1], path, now)
    if said[-1] in _CONSTANTS:
        return _constant(before, _CONSTANTS[said[-1]], said[:-1], path, now)
    cast = said[-1] == _CAST
    said = said[:-1] if cast else said
    schema = said[-2] if len(said) > 1 else ""
    if schema and before.find_schema(schema) is None:
        return None
    if not schema and said[-1] in BY_NAME:
        return None
    find = before.type_named if cast else before.find_type
    found = find(said[-1], schema, path)
    current = now.get(found.oid) if found is not None else None
    if not isinstance(current, UserType):
        return None
    return quote_qualified(now.schema_of(current.schema_oid).name, current.name)


def _constant(
    before: Catalog, kind: Kind, said: tuple[str, ...], path: Sequence[str], now: Catalog
) -> str | None:
    schema = said[-2] if len(said) > 1 else ""
    made: Any = now.get(found(before, kind, said[-1], schema, path))
    if not isinstance(made, kind.made):
        return None
    full = quote_qualified(now.schema_of(made.schema_oid).name, made.name)
    return "'" + full.replace("'", "''") + "'"


def _collation(before: Catalog, said: tuple[str, ...], path: Sequence[str], now: Catalog) -> str | None:
    schema = said[-2] if len(said) > 1 else ""
    found = made(before.collation_key(said[-1], schema, path))
    current = now.get(found.oid) if found is not None else None
    if not isinstance(current, Collation):
        return None
    return quote_qualified(now.schema_of(current.schema_oid).name, current.name)


def _names_constant(tokens: list[Token], at: int) -> str:
    """Whether a string says a configuration (`to_tsvector('fr', ...)`, `'fr'::regconfig`) or a dictionary: the mark for it."""
    after = [t.value for t in tokens[at + 1 : at + 5]]
    cast = after[1] if after[:1] == ["::"] else ""
    if after[:4:2] == ["::", "."]:
        cast = after[3]
    if cast in ("regconfig", "regdictionary"):
        return "\1" if cast == "regconfig" else "\2"
    if at < 2 or after[:1] != [","] or not is_sign(tokens[at - 1], "("):
        return ""
    called = tokens[at - 2].value if tokens[at - 2].kind in _NAMES else ""
    return "\1" if called in TAKE_CONFIGURATION else "\2" if called in TAKE_DICTIONARY else ""


def _parts(text: str) -> tuple[str, ...]:
    try:
        return tuple(name_parts(text)[-2:])
    except SqlError:
        return ()


def _rewritten(text: str, name_of: Callable[[tuple[str, ...]], str | None]) -> str:
    pieces: list[str] = []
    done = 0
    for first, last, words in _type_names(tokenize(text)):
        name = name_of(words)
        if name is not None:
            pieces += [text[done : first.start], name]
            done = last.end
    return "".join(pieces) + text[done:]


def _type_names(tokens: list[Token]) -> Iterator[tuple[Token, Token, tuple[str, ...]]]:
    """Names, perhaps with a schema, where a type's may stand: first and last token, and the words."""
    i = 0
    while i < len(tokens) - 1:
        start = i
        i += 1
        if tokens[start].kind == STRING:
            mark = _names_constant(tokens, start)
            words = _parts(tokens[start].value) if mark else ()
            if words:
                yield tokens[start], tokens[start], (*words, mark)
            continue
        if tokens[start].kind not in _NAMES or (start and is_sign(tokens[start - 1], ".")):
            continue
        while is_sign(tokens[i], ".") and tokens[i + 1].kind in _NAMES:
            i += 2
        words = tuple(t.value for t in tokens[start:i:2])
        before = tokens[start - 1] if start else None
        if before is not None and before.keyword == "collate":
            yield tokens[start], tokens[i - 1], (*words, _COLLATION)
            continue
        cast = before is not None and (is_sign(before, "::") or before.keyword == "as")
        call = is_sign(tokens[i], "(") and (len(words) > 1 or words[0] not in procs())
        if cast or call or tokens[i].kind == STRING:
            sure = (_CAST,) if before is not None and is_sign(before, "::") else ()
            yield tokens[start], tokens[i - 1], (*words, *sure)
