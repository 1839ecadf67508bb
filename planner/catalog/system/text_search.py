"""What the default parser makes of a text: ts_parse, ts_token_type."""

from __future__ import annotations

from typing import Any

from planner.abc import Oid, SqlError
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.textsearch.tokens import KINDS, tokens
from planner.types.oids import INT4, OID, RECORD, TEXT

_PARSER = 3722
_TYPES = (("tokid", INT4), ("alias", TEXT), ("description", TEXT))
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


for _by in (TEXT, OID):
    system("ts_token_type", (_by,), RECORD, columns=_TYPES)(_kinds)
    system("ts_parse", (_by, TEXT), RECORD, columns=_TOKENS)(_parsed)
