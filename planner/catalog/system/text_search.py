"""What the default parser makes of a text, and dictionaries of that: ts_parse, ts_token_type, ts_debug."""

from __future__ import annotations

from typing import Any

from planner.abc import Oid, SqlError
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.textsearch.configurations import DICTIONARIES, configuration
from planner.textsearch.documents import dictionary_of, lexize
from planner.textsearch.tokens import KINDS, tokens
from planner.types.array_values import ArrayValue, write
from planner.types.oids import INT4, OID, RECORD, REGCONFIG, REGDICTIONARY, TEXT

_PARSER = 3722
_TYPES = (("tokid", INT4), ("alias", TEXT), ("description", TEXT))
_DEBUGGED = (
    ("alias", TEXT),
    ("description", TEXT),
    ("token", TEXT),
    ("dictionaries", TEXT),
    ("dictionary", REGDICTIONARY),
    ("lexemes", TEXT),
)
"""Arrays are texts in records."""
_TOKENS = (("tokid", INT4), ("token", TEXT))


def _check(parser: str | Oid) -> None:
    if isinstance(parser, int):
        if parser != _PARSER:
            raise SqlError("XX000", f"cache lookup failed for text search parser {parser}")
    elif parser.removeprefix("pg_catalog.") != "default":
        raise SqlError("42704", f'text search parser "{parser}" does not exist')


def _kinds(context: SystemContext, parser: str | Oid | None) -> list[dict[str, Any]]:
    if parser is None:
        return []
    _check(parser)
    return [{"tokid": k, "alias": alias, "description": said} for k, (alias, said) in KINDS.items()]


def _parsed(context: SystemContext, parser: str | Oid | None, text: str | None) -> list[dict[str, Any]]:
    if parser is None or text is None:
        return []
    _check(parser)
    return [{"tokid": kind, "token": token} for kind, token in tokens(text)]


def _array(items: list[str]) -> str:
    return write(ArrayValue((len(items),), (1,), list(items)) if items else ArrayValue((), (), []))


def _debugged(context: SystemContext, said: Oid | None, text: str | None) -> list[dict[str, Any]]:
    if said is None or text is None:
        return []
    name = configuration(str(said))
    oids = {found: oid for oid, found in DICTIONARIES.items()}
    rows: list[dict[str, Any]] = []
    for kind, token in tokens(text):
        alias, description = KINDS[kind]
        dictionary = dictionary_of(name, kind)
        row: dict[str, Any] = {"alias": alias, "description": description, "token": token}
        row["dictionaries"] = f"{{{oids[dictionary] if dictionary else ''}}}"
        row["dictionary"] = oids[dictionary] if dictionary else None
        row["lexemes"] = _array(lexize(dictionary, token)) if dictionary else None
        rows.append(row)
    return rows


system("ts_debug", (REGCONFIG, TEXT), RECORD, columns=_DEBUGGED)(_debugged)
for _by in (TEXT, OID):
    system("ts_token_type", (_by,), RECORD, columns=_TYPES)(_kinds)
    system("ts_parse", (_by, TEXT), RECORD, columns=_TOKENS)(_parsed)
