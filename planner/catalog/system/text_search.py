"""Text search as the catalog has it: pg_ts_config and its kin, names of configurations and dictionaries, and what the default parser
makes of a text, and dictionaries of that (ts_parse, ts_token_type, ts_debug)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from planner.abc import Oid, SqlError
from planner.catalog import text_search as known
from planner.catalog.names import missing_schema, quote_identifier, quote_qualified, split_name
from planner.catalog.objects import Extension
from planner.catalog.system.classes import owner_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.reg_routines import number_in
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows
from planner.catalog.text_search import CONFIGURATION, DICTIONARY, Kind
from planner.catalog.text_search_objects import TextSearchConfiguration, TextSearchDictionary
from planner.textsearch import chains
from planner.textsearch.configurations import CONFIGURATIONS, DICTIONARIES
from planner.textsearch.tokens import KINDS, tokens
from planner.types.array_values import ArrayValue, write
from planner.types.oids import BOOL, INT4, OID, RECORD, REGCONFIG, REGDICTIONARY, TEXT

_TEMPLATE_OF_UNACCENT: Final = 15_990
"""The same in every database, as types of extensions are."""
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


# --- names ------------------------------------------------------------------------------------------------


def read(kind: Kind) -> Callable[[SystemContext, str], Oid]:
    """The cast of a text to regconfig or regdictionary. Raises 42704, 3F000, 22003."""

    def made(context: SystemContext, text: str) -> Oid:
        if (number := number_in(text)) is not None:
            return number
        schema, name = split_name(text, context.catalog.here)
        if schema and context.catalog.find_schema(schema) is None:
            raise missing_schema(schema)
        found = known.found(context.catalog, kind, name, schema, context.search_path)
        if not found:
            full = f"{schema}.{name}" if schema else name
            raise SqlError("42704", f'{kind.word} "{full}" does not exist')
        return found

    return made


def _name(context: SystemContext, kind: Kind, oid: Oid) -> tuple[str, str] | None:
    """Schema and name."""
    names = CONFIGURATIONS if kind is CONFIGURATION else DICTIONARIES
    if oid in names:
        return "pg_catalog", names[oid]
    made: Any = context.catalog.get(oid)
    return (
        (context.catalog.schema_of(made.schema_oid).name, made.name) if isinstance(made, kind.made) else None
    )


def _seen(context: SystemContext, kind: Kind, oid: Oid, name: str) -> bool:
    return known.found(context.catalog, kind, name, "", context.search_path) == oid


def shown(kind: Kind) -> Callable[[SystemContext, Oid | None], str | None]:
    def made(context: SystemContext, oid: Oid | None) -> str | None:
        if not oid:
            return None if oid is None else "-"
        found = _name(context, kind, oid)
        if found is None:
            return str(oid)
        return quote_identifier(found[1]) if _seen(context, kind, oid, found[1]) else quote_qualified(*found)

    return made


def _visible(kind: Kind) -> Callable[[SystemContext, Oid | None], bool | None]:
    def made(context: SystemContext, oid: Oid | None) -> bool | None:
        found = _name(context, kind, oid) if oid is not None else None
        return None if oid is None or found is None else _seen(context, kind, oid, found[1])

    return made


system("pg_ts_config_is_visible", (OID,), BOOL)(_visible(CONFIGURATION))
system("pg_ts_dict_is_visible", (OID,), BOOL)(_visible(DICTIONARY))


# --- relations --------------------------------------------------------------------------------------------


def pg_ts_config(context: SystemContext) -> Rows:
    make = RowMaker("pg_ts_config")
    return list(static_rows("pg_ts_config")) + [
        make(
            oid=c.oid,
            cfgname=c.name,
            cfgnamespace=c.schema_oid,
            cfgowner=owner_oid(context.catalog, c.owner),
            cfgparser=known.PARSER_OID,
        )
        for c in context.catalog.objects(TextSearchConfiguration)
    ]


def pg_ts_config_map(context: SystemContext) -> Rows:
    make = RowMaker("pg_ts_config_map")
    return list(static_rows("pg_ts_config_map")) + [
        make(mapcfg=c.oid, maptokentype=m.kind, mapseqno=i + 1, mapdict=by)
        for c in context.catalog.objects(TextSearchConfiguration)
        for m in c.mappings
        for i, by in enumerate(m.dictionaries)
    ]


def pg_ts_dict(context: SystemContext) -> Rows:
    make = RowMaker("pg_ts_dict", nulls=True)
    templates = known.TEMPLATES | {chains.UNACCENT: _TEMPLATE_OF_UNACCENT}
    return list(static_rows("pg_ts_dict")) + [
        make(
            oid=d.oid,
            dictname=d.name,
            dictnamespace=d.schema_oid,
            dictowner=owner_oid(context.catalog, d.owner),
            dicttemplate=templates[d.template],
            dictinitoption=d.options or None,
        )
        for d in context.catalog.objects(TextSearchDictionary)
    ]


def pg_ts_template(context: SystemContext) -> Rows:
    make = RowMaker("pg_ts_template")
    return list(static_rows("pg_ts_template")) + [
        make(oid=_TEMPLATE_OF_UNACCENT, tmplname=e.name, tmplnamespace=e.schema_oid)
        for e in _unaccent(context)
    ]


def _unaccent(context: SystemContext) -> list[Extension]:
    return [e for e in context.catalog.objects(Extension) if e.name == chains.UNACCENT]


def of_extension(context: SystemContext) -> list[tuple[Oid, Oid]]:
    """Templates that extensions bring, with these."""
    return [(_TEMPLATE_OF_UNACCENT, e.oid) for e in _unaccent(context)]


# --- what becomes of a text ------------------------------------------------------------------------------


def _check(parser: str | Oid) -> None:
    if isinstance(parser, int):
        if parser != known.PARSER_OID:
            raise SqlError("XX000", f"cache lookup failed for text search parser {parser}")
    elif parser.removeprefix("pg_catalog.") != known.PARSER:
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
    catalog = context.catalog
    if said not in CONFIGURATIONS and not isinstance(catalog.get(said), TextSearchConfiguration):
        raise SqlError("XX000", f"cache lookup failed for text search configuration {said}")
    by_kind = {m.kind: m.dictionaries for m in known.mappings(catalog, said)}
    rows: list[dict[str, Any]] = []
    for kind, token in tokens(text):
        alias, description = KINDS[kind]
        chain = by_kind.get(kind, ())
        steps = [known.step(catalog, d) for d in chain]
        row: dict[str, Any] = {"alias": alias, "description": description, "token": token}
        row["dictionaries"] = "{" + ",".join(map(str, chain)) + "}"
        # Each dictionary is asked for the token itself, not for what a filter has made of it.
        knows = [
            (d, found)
            for d, s in zip(chain, steps, strict=True)
            if (found := chains.lexized(s, token)) is not None
        ]
        row["dictionary"] = knows[0][0] if knows else None
        row["lexemes"] = _array(list(knows[0][1])) if knows else None
        rows.append(row)
    return rows


system("ts_debug", (REGCONFIG, TEXT), RECORD, columns=_DEBUGGED)(_debugged)
for _by in (TEXT, OID):
    system("ts_token_type", (_by,), RECORD, columns=_TYPES)(_kinds)
    system("ts_parse", (_by, TEXT), RECORD, columns=_TOKENS)(_parsed)
