"""CREATE, ALTER and DROP CONVERSION.

    CREATE CONVERSION s.mine FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8

A function that converts takes and fills the server's own buffers, so it is one of PostgreSQL's: what users make converts as PostgreSQL's
conversion of the pair does, and no text becomes another one by it. It is kept, listed and dumped.
"""

from __future__ import annotations

import dataclasses

from planner import statements as st
from planner.abc import Oid, PlanError
from planner.catalog import Conversion, Schema, rights
from planner.catalog import conversions as known
from planner.catalog.names import missing_schema, quote_identifier
from planner.ddl.constraints.definitions import require_role
from planner.ddl.rights import permits
from planner.ddl.scope import Scope
from planner.types.encodings import BY_NUMBER, encoding_named

_TAKES = "integer, integer, cstring, internal, integer, boolean"
_SQL_ASCII = 0


def create(scope: Scope, said: st.CreateConversion) -> None:
    """Raises 42704, 42883, 42710, 42P17, 42501, 3F000, XX000."""
    schema = scope.schema_for(said.name)
    permits.may_create_in(scope, schema)
    pair = []
    for word, name in (("source", said.source), ("destination", said.target)):
        encoding = encoding_named(name)
        if encoding is None:
            raise PlanError("42704", f'{word} encoding "{name}" does not exist')
        pair.append(encoding.number)
    if _SQL_ASCII in pair:
        raise PlanError("42P17", 'encoding conversion to or from "SQL_ASCII" is not supported')
    source, target = pair
    function = _function(scope, said.function, source, target)
    name = said.name.name
    if known.in_schema(scope.catalog, schema.oid, name) is not None:
        raise PlanError("42710", f'conversion "{name}" already exists')
    if said.default:
        for made in scope.catalog.objects(Conversion):
            if made.default and (made.schema_oid, made.source, made.target) == (schema.oid, source, target):
                shown = " to ".join(map(_shown, pair))
                raise PlanError("42710", f"default conversion for {shown} already exists")
    scope.add(
        Conversion(scope.allocate(), schema.oid, name, source, target, function, said.default, scope.user)
    )


def _shown(number: int) -> str:
    return BY_NUMBER[number].name


def _function(scope: Scope, said: st.Name, source: int, target: int) -> Oid:
    """Raises 42883, 3F000, and XX000 for one that is for other encodings."""
    name = scope.homed(said)
    if name.schema and scope.catalog.find_schema(name.schema) is None:
        raise missing_schema(name.schema)
    found = known.functions().get(name.name) if name.schema in ("", "pg_catalog") else None
    if found is None:
        raise PlanError("42883", f"function {said}({_TAKES}) does not exist")
    for word, given, takes in (("source", source, found.sources), ("destination", target, found.targets)):
        if len(takes) == 1 and given not in takes:
            wanted = _shown(next(iter(takes)))
            raise PlanError(
                "XX000", f'expected {word} encoding "{wanted}", but got "{_shown(given)}"'
            )  # fmt: skip
    for given, takes in ((source, found.sources), (target, found.targets)):
        if given not in takes:
            sets = "ISO 8859" if "iso8859" in found.name else "WIN"
            raise PlanError("XX000", f"unexpected encoding ID {given} for {sets} character sets")
    return found.oid


def oid_of(scope: Scope, said: st.Name) -> Oid:
    """One of a name, PostgreSQL's too. Raises 42704, 3F000."""
    name = scope.homed(said)
    if name.schema and scope.catalog.find_schema(name.schema) is None:
        raise missing_schema(name.schema)
    oid = known.found(scope.catalog, name.name, name.schema, scope.search_path)
    if not oid:
        raise PlanError("42704", f'conversion "{said}" does not exist')
    return oid


def existing(scope: Scope, said: st.Name, what: str) -> Conversion:
    """A user's. Raises 42704, 3F000, 42501, and 0A000 for one of PostgreSQL's."""
    made = scope.catalog.get(oid_of(scope, said))
    if isinstance(made, Conversion):
        permits.must_own(scope, made)
        return made
    if not rights.is_superuser(scope.catalog, scope.user):
        raise PlanError("42501", f"must be owner of conversion {said.name}")
    raise PlanError("0A000", f"{what} conversion {said.name}, which is PostgreSQL's own, is not supported")


def alter(scope: Scope, said: st.AlterConversion) -> None:
    """RENAME, OWNER, SET SCHEMA. Raises 42704, 42501, 42710, 3F000, 0A000."""
    made = existing(scope, said.name, "altering")
    home = scope.catalog.schema_of(made.schema_oid)
    if said.what == "owner":
        owner = require_role(scope, said.to)
        permits.may_become(scope, said.to)
        scope.replace(made, dataclasses.replace(made, owner=owner))
    elif said.what == "rename":
        permits.may_create_in(scope, home)
        _refuse_taken(scope, home, said.to)
        scope.replace(made, dataclasses.replace(made, name=said.to))
    else:
        home = scope.catalog.schema(said.to)
        permits.may_create_in(scope, home)
        if home.oid != made.schema_oid:
            _refuse_taken(scope, home, made.name)
            scope.replace(made, dataclasses.replace(made, schema_oid=home.oid))


def _refuse_taken(scope: Scope, schema: Schema, name: str) -> None:
    if known.in_schema(scope.catalog, schema.oid, name) is not None:
        raise PlanError("42710", f'conversion "{name}" already exists in schema "{schema.name}"')


def drop(scope: Scope, said: st.Drop) -> None:
    """Raises 42704, 3F000, 2BP01, 42501."""
    from planner.ddl.drop import remove_all

    doomed: list[Conversion] = []
    for name in said.names:
        if scope.passes_schema(name, said.if_exists):
            continue
        homed = scope.homed(name)
        if said.if_exists and not known.found(scope.catalog, homed.name, homed.schema, scope.search_path):
            scope.notice(f'conversion "{name}" does not exist, skipping')
            continue
        made = scope.catalog.get(oid_of(scope, name))
        if not isinstance(made, Conversion):
            shown = quote_identifier(name.name)
            raise PlanError(
                "2BP01", f"cannot drop conversion {shown} because it is required by the database system"
            )
        permits.must_own(scope, made, schema_will_do=True)
        if made not in doomed:
            doomed.append(made)
    remove_all(scope, list(doomed), said.cascade)


__all__ = ["alter", "create", "drop", "existing", "oid_of"]
