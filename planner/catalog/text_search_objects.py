"""Text search configurations and dictionaries, as a database's catalog has them (what they do: `planner.textsearch.chains`)."""

from __future__ import annotations

from dataclasses import dataclass

from planner.abc import Oid
from planner.catalog.predefined import DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class TextSearchDictionary:
    """CREATE TEXT SEARCH DICTIONARY, or one that an extension brings: a template and its options, as `dictinitoption` has them."""

    oid: Oid
    schema_oid: Oid
    name: str
    template: str
    options: str = ""
    owner: str = DEFAULT_OWNER
    extension: Oid = 0


@dataclass(frozen=True, slots=True)
class TokenMapping:
    """The dictionaries that a kind of tokens goes through."""

    kind: int
    dictionaries: tuple[Oid, ...]


@dataclass(frozen=True, slots=True)
class TextSearchConfiguration:
    """CREATE TEXT SEARCH CONFIGURATION: of the default parser's tokens."""

    oid: Oid
    schema_oid: Oid
    name: str
    mappings: tuple[TokenMapping, ...] = ()
    owner: str = DEFAULT_OWNER
