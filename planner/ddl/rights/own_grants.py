"""PostgreSQL's own objects, and settings, as GRANT and REVOKE name them.

    GRANT SELECT ON pg_stat_activity TO ann           a relation of pg_catalog or information_schema, or all that are in one
    GRANT EXECUTE ON FUNCTION pg_ls_dir(text) TO ann
    GRANT USAGE ON LANGUAGE plpgsql TO ann            but for languages that only superusers use
    GRANT SET ON PARAMETER log_statement TO ann       an object of the catalog from then on, until nobody has anything of it

What is recorded of them is what is recorded of any object (`grants`). Whether a function that everybody may call is called is not asked
anew for each call, so EXECUTE of such a one is not taken from PUBLIC (0A000).
"""

from __future__ import annotations

import re
from functools import lru_cache

from planner import statements as st
from planner import types
from planner.abc import PlanError, TypeRef
from planner.catalog import Schema, rights
from planner.catalog.objects import BuiltIn, Granted, Parameter
from planner.catalog.system import built_ins
from planner.catalog.system.relations import PROC_OID, fact_lines, relation, relations
from planner.ddl.rights import own_objects
from planner.ddl.routines import names as routine_names
from planner.ddl.scope import Scope


def inside(schema: Schema, what: str) -> list[tuple[str, Granted]]:
    """Those of a schema, of ALL TABLES and its kin."""
    if what != "tables":
        return []
    here = (built_ins.of_relation(r.oid) for r in relations().values() if r.schema == schema.name)
    return [("table", thing) for thing in here if thing is not None]


def relation_named(scope: Scope, name: st.Name) -> BuiltIn | None:
    """A relation of PostgreSQL's own, where no other is meant."""
    if not name.schema and scope.find(name) is not None:
        return None
    found = relation(name.schema or "pg_catalog", name.name)
    return None if found is None else built_ins.of_relation(found.oid)


def routine(scope: Scope, said: st.Signature, of: st.Grant) -> Granted:
    """Raises 42883, 42725, 42809, 0A000."""
    own = own_objects.find(scope, st.Comment(of.kind, said.name, None, signature=said))
    if own is None or own.class_oid != PROC_OID:
        return routine_names.of_users(scope, said, of.kind, "granting and revoking rights on")
    found = built_ins.of_function(own.oid)
    assert found is not None, "it is in pg_proc"
    if of.revoke and "" in of.grantees and found.public:
        doing = f"taking EXECUTE of {found.name}, a function that everybody may call, from PUBLIC"
        raise PlanError("0A000", f"{doing} is not supported")
    return found


def named(scope: Scope, kind: str, name: str, revoke: bool) -> Granted:
    """A language, a tablespace or a setting. Raises 42704, 42809."""
    if kind == "parameter":
        return _parameter(scope, name.lower())
    if kind == "language":
        oid = next((oid for oid, known in built_ins.languages().items() if known == name), 0)
        if (language := built_ins.of_language(oid)) is None:
            raise PlanError("42704", f'language "{name}" does not exist')
        if not built_ins.is_trusted(name):
            raise PlanError(
                "42809",
                f'language "{name}" is not trusted',
                detail="GRANT and REVOKE are not allowed on untrusted languages, because only superusers can use untrusted languages.",
            )
        return language
    oid = next((oid for oid, known in built_ins.TABLESPACES.items() if known == name), 0)
    if (tablespace := built_ins.of_tablespace(oid)) is None:
        raise PlanError("42704", f'tablespace "{name}" does not exist')
    return tablespace


_CUSTOM = re.compile(r"[a-z_][a-z0-9_$]*(\.[a-z_][a-z0-9_$]*)+")


@lru_cache(maxsize=1)
def _settings() -> frozenset[str]:
    lines = fact_lines("settings")
    place = next(lines).index("name")
    return frozenset(fields[place].lower() for fields in lines)


def _parameter(scope: Scope, name: str) -> Parameter:
    known = rights.parameter(scope.catalog, name)
    if known is not None:
        return known
    if name not in _settings() and not _CUSTOM.fullmatch(name):
        raise PlanError("42602", f'invalid parameter name "{name}"')
    made = Parameter(scope.allocate(), name)
    scope.add(made)
    return made


def described(thing: Granted) -> str:
    """As DROP ROLE tells of it; empty: it is an object of another kind."""
    if isinstance(thing, Parameter):
        return f"parameter {thing.name}"
    if not isinstance(thing, BuiltIn):
        return ""
    if thing.kind == "function":
        takes = ",".join(types.format_type(TypeRef(oid)) for oid in thing.arguments)
        return f"function {thing.name}({takes})"
    return f"{thing.word} {thing.name}"


def require_language(scope: Scope, language: str) -> None:
    """USAGE of what a routine is written in. Raises 42501."""
    if rights.is_superuser(scope.catalog, scope.user):
        return
    oid = next((oid for oid, known in built_ins.languages().items() if known == language), 0)
    thing = built_ins.of_language(oid)
    if thing is not None:
        rights.require(scope.catalog, scope.user, thing, "usage")


__all__ = ["described", "inside", "named", "relation_named", "require_language", "routine"]
