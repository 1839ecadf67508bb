"""Text search configurations and dictionaries: those of PostgreSQL, by language, and those of users, by name and by number.

    found(catalog, Configurations, "fr", "", path)      the OID that a search path finds
    definition(catalog, 16400)                          what the configuration does, as text (`planner.textsearch.chains`)

Queries carry definitions, not numbers: a function that reads a document asks no catalog.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from planner.abc import Oid, SqlError
from planner.catalog.objects import (
    FIRST_USER_OID,
    PG_CATALOG_OID,
)
from planner.catalog.text_search_objects import TextSearchConfiguration, TextSearchDictionary, TokenMapping
from planner.textsearch import chains
from planner.textsearch.configurations import CONFIGURATIONS, DICTIONARIES
from planner.textsearch.documents import dictionary_of
from planner.textsearch.tokens import KINDS

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog

PARSER: Final = "default"
PARSER_OID: Final = 3722
TEMPLATES: Final = {"simple": 3727, "synonym": 3730, "ispell": 3733, "thesaurus": 3742, "snowball": 13_150}
KIND_OF: Final = {alias: kind for kind, (alias, _) in KINDS.items()}
"""Kinds of tokens by their names."""
TAKE_CONFIGURATION: Final = frozenset(
    ("to_tsvector", "to_tsquery", "plainto_tsquery", "phraseto_tsquery", "websearch_to_tsquery", "ts_headline",
     "json_to_tsvector", "jsonb_to_tsvector", "ts_debug")
)  # fmt: skip
"""Functions whose first argument is a configuration, where another one follows it."""
TAKE_DICTIONARY: Final = frozenset(("ts_lexize", "unaccent"))


@dataclass(frozen=True, slots=True)
class Kind:
    """Configurations, or dictionaries."""

    word: str
    made: type[Any]
    own: Mapping[str, Oid]
    """PostgreSQL's, by name."""


CONFIGURATION: Final = Kind(
    "text search configuration", TextSearchConfiguration, {name: oid for oid, name in CONFIGURATIONS.items()}
)
DICTIONARY: Final = Kind(
    "text search dictionary", TextSearchDictionary, {name: oid for oid, name in DICTIONARIES.items()}
)


def in_schema(
    catalog: Catalog, kind: Kind, schema_oid: Oid, name: str
) -> TextSearchConfiguration | TextSearchDictionary | None:
    """A user's of this name; None where there is none."""
    return next((x for x in catalog.at(kind.made, schema_oid) if x.name == name), None)


def found(catalog: Catalog, kind: Kind, name: str, schema: str, search_path: Sequence[str]) -> Oid:
    """The OID under which a name is found; 0: nowhere."""
    homes = [catalog.find_schema(schema)] if schema else catalog.schemas_on(search_path)
    for home in homes:
        if home is None or (not schema and home.name.startswith("pg_temp_")):
            continue
        if home.oid == PG_CATALOG_OID and name in kind.own:
            return kind.own[name]
        made = in_schema(catalog, kind, home.oid, name)
        if made is not None:
            return Oid(made.oid)
    return 0


def is_own(oid: Oid) -> bool:
    """Whether it is PostgreSQL's."""
    return oid < FIRST_USER_OID


def own_mappings(oid: Oid) -> tuple[TokenMapping, ...]:
    """What one of PostgreSQL's configurations does."""
    name = CONFIGURATIONS[oid]
    said = ((kind, dictionary_of(name, kind)) for kind in KINDS)
    return tuple(TokenMapping(kind, (DICTIONARY.own[by],)) for kind, by in said if by)


def mappings(catalog: Catalog, oid: Oid) -> tuple[TokenMapping, ...]:
    if oid in CONFIGURATIONS:
        return own_mappings(oid)
    made = catalog.get(oid)
    return made.mappings if isinstance(made, TextSearchConfiguration) else ()


def step(catalog: Catalog, oid: Oid) -> chains.Step:
    """What a dictionary does."""
    if oid in DICTIONARIES:
        return chains.built_in(DICTIONARIES[oid])
    made = catalog.get(oid)
    assert isinstance(made, TextSearchDictionary)
    if made.template == chains.THESAURUS:
        path = ("pg_catalog", catalog.schema_of(made.schema_oid).name, "public")
        return chains.step(
            made.template, chains.options_of(made.options), lambda name: step_named(catalog, name, path)
        )
    return _step(made.template, made.options)


@lru_cache(maxsize=256)
def _step(template: str, options: str) -> chains.Step:
    return chains.step(template, chains.options_of(options), chains.built_in)


def step_named(catalog: Catalog, said: str, search_path: Sequence[str]) -> chains.Step:
    """What a dictionary does that an option names. Raises 42704."""
    schema, _, name = said.rpartition(".")
    oid = found(catalog, DICTIONARY, name, schema, search_path)
    if not oid:
        raise SqlError("42704", f'text search dictionary "{said}" does not exist')
    return step(catalog, oid)


def definition(catalog: Catalog, oid: Oid) -> str:
    """What a configuration or a dictionary does, as text; its number where it is PostgreSQL's, or not there."""
    made = catalog.get(oid) if not is_own(oid) else None
    if isinstance(made, TextSearchConfiguration):
        return chains.definition({m.kind: [step(catalog, d) for d in m.dictionaries] for m in made.mappings})
    if isinstance(made, TextSearchDictionary):
        return json.dumps(step(catalog, oid), separators=(",", ":"))
    return str(oid)


def definitions(catalog: Catalog) -> str:
    """Those of all that users have made, by number; empty: there are none."""
    made = [x.oid for kind in (CONFIGURATION, DICTIONARY) for x in catalog.all_of(kind.made)]
    return json.dumps({oid: definition(catalog, oid) for oid in made}) if made else ""


__all__ = [
    "CONFIGURATION", "DICTIONARY", "KIND_OF", "PARSER", "PARSER_OID", "TAKE_CONFIGURATION", "TAKE_DICTIONARY", "TEMPLATES", "Kind",
    "definition", "definitions", "found", "in_schema", "is_own", "mappings", "own_mappings", "step", "step_named",
]  # fmt: skip
