"""CREATE, ALTER and DROP COLLATION, and which collation a column's COLLATE names.

Collations are ICU's, of which DuckDB has the tables: by language, and to the first, second or third level of comparison.
What other attributes of a locale ask for (digits as numbers, punctuation passed over, upper case first) DuckDB does not
compute, so such locales are refused. Of the operating system's there is the order of bytes, "C" and "C.utf8". Which texts are equal by
their letters alone (`ks-level1`) differs between versions of ICU, so that DuckDB's would not be PostgreSQL's: equality is by
two levels at least.

One that is not deterministic calls texts equal that differ. Queries compare, group and sort by it; keys do not, for rows
lie under the bytes of their texts.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Final

from planner import statements as st
from planner import types
from planner.abc import DomainUse, PlanError, TypeRef
from planner.catalog import Collation, Schema
from planner.catalog.collations import COLLATIONS, is_collatable, made, read_locale
from planner.catalog.domains import said_collation
from planner.catalog.names import missing_schema
from planner.ddl.constraints import definitions as constraints
from planner.ddl.scope import Scope
from planner.ddl.types.named_types import follow

_UTF8: Final = 6
_BYTES: Final = re.compile(r"(?i:c|posix)|C\.(?i:utf-?8)")
"""The operating system's locales that order texts by their bytes."""
_TRUE, _FALSE = ("true", "on", "1"), ("false", "off", "0")


def create_collation(scope: Scope, said: st.CreateCollation) -> None:
    """Raises 42601, 42704, 42710, 42P17, 0A000."""
    schema = scope.schema_for(said.name)
    name = said.name.name
    if said.copied is not None:
        provider, locale, deterministic, encoding = _copied(scope, said.copied)
    else:
        provider, locale, deterministic = _read(said)
        encoding = -1 if provider == "i" else _UTF8
    if scope.catalog.collation_in(schema.oid, name) is not None:
        if said.if_not_exists:
            scope.notice(f'collation "{name}" already exists, skipping', "42710")
            return
        raise PlanError("42710", f'collation "{name}" already exists')
    scope.add(
        Collation(scope.allocate(), schema.oid, name, provider, locale, deterministic, encoding, scope.user)
    )


def _copied(scope: Scope, name: st.Name) -> tuple[str, str, bool, int]:
    key = _key(scope, name)
    found = made(key)
    if found is not None:
        return found.provider, found.locale, found.deterministic, found.encoding
    if key == "default":
        raise PlanError("42P17", 'collation "default" cannot be copied')
    if key.endswith("-x-icu"):
        return "i", key.removesuffix("-x-icu"), True, -1
    return "c", "C" if key == "ucs_basic" else key, True, -1 if key in ("C", "POSIX") else _UTF8


def _read(said: st.CreateCollation) -> tuple[str, str, bool]:
    options = {name: value for name, value, _ in said.options}
    if "locale" in options and ("lc_collate" in options or "lc_ctype" in options):
        raise PlanError(
            "42601",
            "conflicting or redundant options",
            detail="LOCALE cannot be specified together with LC_COLLATE or LC_CTYPE.",
        )
    provider = options.get("provider", "libc").lower()
    if provider not in ("icu", "libc"):
        raise PlanError("42P17", f"unrecognized collation provider: {options['provider']}")
    flag = options.get("deterministic", "true").lower()
    if flag not in (*_TRUE, *_FALSE):
        raise PlanError("42601", "deterministic requires a Boolean value")
    deterministic = flag in _TRUE
    if provider == "libc":
        parts = [options.get("locale", options.get(part)) for part in ("lc_collate", "lc_ctype")]
        for part, value in zip(("lc_collate", "lc_ctype"), parts, strict=True):
            if value is None:
                raise PlanError("42P17", f'parameter "{part}" must be specified')
        if not deterministic:
            raise PlanError("0A000", "nondeterministic collations not supported with this provider")
        if not all(_BYTES.fullmatch(str(p)) for p in parts):
            raise PlanError("0A000", f'collations of the operating system ("{parts[0]}") are not supported')
        return "c", str(parts[0]), True
    locale = options.get("locale")
    if locale is None:
        raise PlanError("42P17", 'parameter "locale" must be specified')
    read = read_locale(locale)
    if read is None:
        raise PlanError("0A000", f'collations of the locale "{locale}" are not supported')
    if not deterministic and (read.levels == 1 or read.attributes):
        raise PlanError("0A000", f'nondeterministic collations of the locale "{locale}" are not supported')
    return "i", locale, deterministic


# --- ALTER, DROP --------------------------------------------------------------------------------------


def find(scope: Scope, name: st.Name) -> Collation | None:
    """One that was made; None for PostgreSQL's own, and where there is none. Raises 3F000."""
    if name.schema and scope.catalog.find_schema(name.schema) is None:
        raise missing_schema(name.schema)
    return made(scope.catalog.collation_key(name.name, name.schema, scope.search_path))


def existing(scope: Scope, name: st.Name) -> Collation:
    """Raises 42704; 42501 for one of PostgreSQL's own."""
    found = find(scope, name)
    if found is None:
        if scope.catalog.collation_key(name.name, name.schema, scope.search_path):
            raise PlanError("42501", f"must be owner of collation {name.name}")
        raise _missing(name)
    current = scope.catalog.get(found.oid)
    assert isinstance(current, Collation)
    return current


def _missing(name: st.Name) -> PlanError:
    return PlanError("42704", f'collation "{name}" for encoding "UTF8" does not exist')


def alter_collation(scope: Scope, said: st.AlterCollation) -> None:
    found = existing(scope, said.name)
    before = scope.catalog
    if said.what == "owner":
        scope.replace(found, dataclasses.replace(found, owner=constraints.require_role(scope, said.to)))
    elif said.what == "rename":
        _refuse_taken(scope, before.schema_of(found.schema_oid), said.to)
        scope.replace(found, dataclasses.replace(found, name=said.to))
    elif said.what == "set schema":
        schema = before.schema(said.to)
        if schema.oid == found.schema_oid:
            return
        _refuse_taken(scope, schema, found.name)
        scope.replace(found, dataclasses.replace(found, schema_oid=schema.oid))
    else:
        scope.notice("version has not changed")
    follow(scope, before)


def _refuse_taken(scope: Scope, schema: Schema, name: str) -> None:
    if scope.catalog.collation_in(schema.oid, name) is not None:
        raise PlanError("42710", f'collation "{name}" already exists in schema "{schema.name}"')


# --- who uses which -----------------------------------------------------------------------------------


def _key(scope: Scope, name: st.Name, position: int = 0) -> str:
    if name.schema and scope.catalog.find_schema(name.schema) is None:
        raise missing_schema(name.schema, position)
    key = scope.catalog.collation_key(name.name, name.schema, scope.search_path)
    if not key:
        raise PlanError("42704", f'collation "{name}" for encoding "UTF8" does not exist', position=position)
    return key


def resolved(scope: Scope, said: str, ref: TypeRef | None, position: int) -> str:
    """The key of the collation that COLLATE names (`Cursor.collation`). Raises 42804, 42704, 3F000."""
    if not said:
        return ""
    if ref is not None and not is_collatable(ref.oid):
        state = "0A000" if ref.oid == types.CITEXT else "42804"
        raise PlanError(
            state, f"collations are not supported by type {types.format_type(ref)}", position=position
        )
    if said.startswith("#") or (said in COLLATIONS and not _hidden(scope, said)):
        return said
    schema, _, name = said.rpartition("\0")
    return _key(scope, st.Name(name, schema), position)


def of_column(scope: Scope, said: str, ref: TypeRef, domain: DomainUse | None, position: int) -> str:
    """The key of what COLLATE names, or else of what the column's domain has."""
    own = resolved(scope, said, ref, position)
    return own or ("" if domain is None else said_collation(scope.catalog, TypeRef(domain.oid)))


def _hidden(scope: Scope, name: str) -> bool:
    """Whether a schema that is searched before pg_catalog has a collation of this name."""
    return scope.catalog.collation_key(name, "", scope.search_path) != name


__all__ = ["alter_collation", "create_collation", "existing", "find", "of_column", "resolved"]
