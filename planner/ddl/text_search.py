"""CREATE, ALTER and DROP TEXT SEARCH CONFIGURATION and DICTIONARY.

    CREATE TEXT SEARCH CONFIGURATION fr (COPY = french)
    ALTER TEXT SEARCH CONFIGURATION fr ALTER MAPPING FOR hword, hword_part, word WITH unaccent, french_stem

A configuration says for each kind of tokens which dictionaries it goes through (`planner.textsearch.chains`). Vectors that are stored
are not computed anew when one changes, as in PostgreSQL; indexes are listed only, so none can be wrong. Those of PostgreSQL, which all
databases have, cannot be changed here (0A000).
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Final

from planner import statements as st
from planner.abc import Oid, PlanError, SqlError
from planner.catalog import Schema, TextSearchConfiguration, TextSearchDictionary, TokenMapping, rights
from planner.catalog import text_search as known
from planner.catalog.names import missing_schema, quote_identifier
from planner.catalog.text_search import CONFIGURATION, DICTIONARY, Kind
from planner.ddl.constraints import definitions as constraints
from planner.ddl.rights import permits
from planner.ddl.scope import Scope
from planner.ddl.types.named_types import follow
from planner.textsearch import chains, documents

_Made = TextSearchConfiguration | TextSearchDictionary
KINDS: Final[dict[str, Kind]] = {kind.word: kind for kind in (CONFIGURATION, DICTIONARY)}
_INDEXES: Final = {
    CONFIGURATION.word: ("pg_ts_config_cfgname_index", "cfgname, cfgnamespace"),
    DICTIONARY.word: ("pg_ts_dict_dictname_index", "dictname, dictnamespace"),
}
_AS_SAID: Final = {
    "stopwords": "StopWords", "accept": "Accept", "language": "Language", "rules": "Rules", "dictfile": "DictFile",
    "afffile": "AffFile", "dictionary": "Dictionary",
}  # fmt: skip


# --- finding ------------------------------------------------------------------------------------------


def oid_of(scope: Scope, kind: Kind, name: st.Name) -> Oid:
    """One of a name, PostgreSQL's too. Raises 42704, 3F000."""
    found = known.found(scope.catalog, kind, name.name, _schema(scope, name), scope.search_path)
    if not found:
        raise PlanError("42704", f'{kind.word} "{name}" does not exist')
    return found


def find(scope: Scope, kind: Kind, name: st.Name) -> _Made | None:
    """A user's; None for PostgreSQL's, and where there is none. Raises 3F000."""
    oid = known.found(scope.catalog, kind, name.name, _schema(scope, name), scope.search_path)
    made = scope.catalog.get(oid)
    return made if isinstance(made, _Made) else None


def existing(scope: Scope, kind: Kind, name: st.Name, what: str) -> _Made:
    """A user's. Raises 42704, 3F000, and 0A000 for one of PostgreSQL's."""
    oid = oid_of(scope, kind, name)
    made = scope.catalog.get(oid)
    if not isinstance(made, _Made):
        if not rights.is_superuser(scope.catalog, scope.user):
            raise PlanError("42501", f"must be owner of {kind.word} {name.name}")
        raise PlanError(
            "0A000", f"{what} {kind.word} {name.name}, which is PostgreSQL's own, is not supported"
        )
    return made


def to_drop(scope: Scope, kind: Kind, name: st.Name) -> _Made | None:
    """Raises 2BP01 for what nobody may drop."""
    made = find(scope, kind, name)
    if made is None:
        if known.found(scope.catalog, kind, name.name, _schema(scope, name), scope.search_path):
            shown = f"{kind.word} {quote_identifier(name.name)}"
            raise PlanError("2BP01", f"cannot drop {shown} because it is required by the database system")
        return None
    if isinstance(made, TextSearchDictionary) and made.extension:
        by = f"extension {quote_identifier(getattr(scope.catalog.get(made.extension), 'name', ''))}"
        raise PlanError(
            "2BP01",
            f"cannot drop {kind.word} {quote_identifier(made.name)} because {by} requires it",
            hint=f"You can drop {by} instead.",
        )
    return made


def _schema(scope: Scope, name: st.Name) -> str:
    homed = scope.homed(name)
    if homed.schema and scope.catalog.find_schema(homed.schema) is None:
        raise missing_schema(homed.schema)
    return homed.schema


# --- CREATE -------------------------------------------------------------------------------------------


def create(scope: Scope, said: st.CreateTextSearch) -> None:
    """Raises 42601, 42704, 42P17, 22023, 23505, 42501, 3F000, F0000, 0A000."""
    schema = scope.schema_for(said.name)
    name = said.name.name
    if said.kind == DICTIONARY.word:
        template, options = _template(scope, said.options)
        text = _verified(scope, template, options)
        _refuse_taken(scope, DICTIONARY, schema, name, made=True)
        scope.add(TextSearchDictionary(scope.allocate(), schema.oid, name, template, text, scope.user))
        return
    mappings = _begun(scope, said.options)
    _refuse_taken(scope, CONFIGURATION, schema, name, made=True)
    scope.add(TextSearchConfiguration(scope.allocate(), schema.oid, name, mappings, scope.user))


def _begun(scope: Scope, options: tuple[st.TextSearchOption, ...]) -> tuple[TokenMapping, ...]:
    parser = copied = None
    for option in options:
        if option.label not in ("parser", "copy"):
            raise PlanError("42601", f'text search configuration parameter "{option.label}" not recognized')
        if option.label == "parser":
            parser = _named(option)
        else:
            copied = _named(option)
    if parser is not None and copied is not None:
        raise PlanError("42601", "cannot specify both PARSER and COPY options")
    if copied is not None:
        return known.mappings(scope.catalog, oid_of(scope, CONFIGURATION, copied))
    if parser is None:
        raise PlanError("42P17", "text search parser is required")
    if _schema(scope, parser) not in ("", "pg_catalog") or parser.name != known.PARSER:
        raise PlanError("42704", f'text search parser "{parser}" does not exist')
    return ()


def _named(option: st.TextSearchOption) -> st.Name:
    if option.name is not None:
        return option.name
    return st.Name(option.value or "")


def _template(
    scope: Scope, said: tuple[st.TextSearchOption, ...]
) -> tuple[str, tuple[st.TextSearchOption, ...]]:
    name: st.Name | None = None
    for option in said:
        if option.label == "template":
            name = _named(option)
    if name is None:
        raise PlanError("42P17", "text search template is required")
    home = _schema(scope, name)
    extension = scope.catalog.extension(chains.UNACCENT) if name.name == chains.UNACCENT else None
    if extension is not None:
        schema = scope.catalog.schema_of(extension.schema_oid)
        found = home == schema.name or (not home and schema.name in scope.search_path)
    else:
        found = home in ("", "pg_catalog") and name.name in known.TEMPLATES
    if not found:
        raise PlanError("42704", f'text search template "{name}" does not exist')
    return name.name, tuple(o for o in said if o.label != "template")


def _verified(scope: Scope, template: str, options: tuple[st.TextSearchOption, ...]) -> str:
    """The options as they are kept, and looked at. Raises 22023, 42704, F0000, 0A000."""
    text = chains.written((o.label, o.value or "true", o.number) for o in options)
    seen: set[str] = set()
    for option in options:
        if option.label in seen:
            raise PlanError("22023", f"multiple {_AS_SAID.get(option.label, option.label)} parameters")
        seen.add(option.label)
    try:
        named = partial(known.step_named, scope.catalog, search_path=scope.search_path)
        made = chains.step(template, chains.options_of(text), named)
        documents.stop_list(made.stops)
        if made.files:
            chains.read(made, anew=True)
    except SqlError as error:
        raise PlanError(error.sqlstate, error.message, hint=error.hint) from None
    return text


def _refuse_taken(scope: Scope, kind: Kind, schema: Schema, name: str, *, made: bool = False) -> None:
    if known.in_schema(scope.catalog, kind, schema.oid, name) is None:
        return
    if made:
        index, columns = _INDEXES[kind.word]
        raise PlanError(
            "23505",
            f'duplicate key value violates unique constraint "{index}"',
            detail=f"Key ({columns})=({name}, {schema.oid}) already exists.",
        )
    raise PlanError("42710", f'{kind.word} "{name}" already exists in schema "{schema.name}"')


# --- ALTER --------------------------------------------------------------------------------------------


def alter(scope: Scope, said: st.AlterTextSearch) -> None:
    """Raises 42704, 42501, 42710, 23505, 22023, 3F000, F0000, 0A000."""
    kind = KINDS[said.kind]
    found = existing(scope, kind, said.name, "altering")
    permits.must_own(scope, found)
    before = scope.catalog
    if said.what == "owner":
        owner = constraints.require_role(scope, said.to)
        permits.may_become(scope, said.to)
        scope.replace(found, dataclasses.replace(found, owner=owner))
    elif said.what == "rename":
        _refuse_taken(scope, kind, before.schema_of(found.schema_oid), said.to)
        scope.replace(found, dataclasses.replace(found, name=said.to))
        follow(scope, before)
    elif said.what == "set schema":
        schema = before.schema(said.to)
        rights.require(before, scope.user, schema, "create")
        if schema.oid != found.schema_oid:
            _refuse_taken(scope, kind, schema, found.name)
            scope.replace(found, dataclasses.replace(found, schema_oid=schema.oid))
            follow(scope, before)
    elif isinstance(found, TextSearchDictionary):
        _set_options(scope, found, said.options)
    else:
        _map(scope, found, said)


def _set_options(scope: Scope, found: TextSearchDictionary, said: tuple[st.TextSearchOption, ...]) -> None:
    """Options that are named are set, or, without a value, taken out."""
    kept = {
        name: st.TextSearchOption(name, value) for name, value in chains.options_of(found.options).items()
    }
    for option in said:
        kept.pop(option.label, None)
        if option.value is not None:
            kept[option.label] = option
    text = _verified(scope, found.template, tuple(kept.values()))
    scope.replace(found, dataclasses.replace(found, options=text))


def _map(scope: Scope, found: TextSearchConfiguration, said: st.AlterTextSearch) -> None:
    kinds = {_kind(token): token for token in said.tokens}
    by_kind = {m.kind: m.dictionaries for m in found.mappings}
    dictionaries = tuple(oid_of(scope, DICTIONARY, name) for name in said.dictionaries)
    if said.what == "drop":
        for kind, token in sorted(kinds.items()):
            if by_kind.pop(kind, None) is not None:
                continue
            message = f'mapping for token type "{token}" does not exist'
            if not said.if_exists:
                raise PlanError("42704", message)
            scope.notice(f"{message}, skipping")
    elif said.what == "replace":
        old, new = dictionaries
        for kind, now in by_kind.items():
            if not kinds or kind in kinds:
                by_kind[kind] = tuple(new if d == old else d for d in now)
    else:
        for kind in sorted(kinds):
            if said.what == "add" and kind in by_kind:
                raise PlanError(
                    "23505",
                    'duplicate key value violates unique constraint "pg_ts_config_map_index"',
                    detail=f"Key (mapcfg, maptokentype, mapseqno)=({found.oid}, {kind}, 1) already exists.",
                )
            by_kind[kind] = dictionaries
    mappings = tuple(TokenMapping(kind, by) for kind, by in sorted(by_kind.items()))
    scope.replace(found, dataclasses.replace(found, mappings=mappings))


def _kind(token: str) -> int:
    kind = known.KIND_OF.get(token)
    if kind is None:
        raise PlanError("22023", f'token type "{token}" does not exist')
    return kind


__all__ = ["KINDS", "alter", "create", "existing", "find", "oid_of", "to_drop"]
