"""GRANT and REVOKE of privileges: who may do what with which object, written down as `planner.catalog.rights` reads it.

    GRANT SELECT (a), INSERT ON t TO ann WITH GRANT OPTION        Grant(t, ann, by the owner, ...), one for the table and one for the column

What is granted on is found by its kind; what is PostgreSQL's own is found among `own_grants`.
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import (
    Function,
    Sequence,
    View,
    rights,
)
from planner.catalog.objects import Granted, Index
from planner.catalog.system.relations import SYSTEM_COLUMNS
from planner.catalog.type_objects import Domain
from planner.ddl.comments import refuse_member
from planner.ddl.constraints.definitions import require_role
from planner.ddl.foreign import servers as foreign
from planner.ddl.rights import (
    grants,
    own_grants,
    own_objects,
)
from planner.ddl.scope import Scope

_ALL: Final = rights.ALL_OF


def grant(scope: Scope, said: st.Grant) -> None:
    if said.granted_by and require_role(scope, said.granted_by) != scope.user:
        raise PlanError("0A000", "grantor must be current user")
    grantees = ["" if g == "" else require_role(scope, g) for g in said.grantees]
    for kind, target in _granted(scope, said):
        of_all = frozenset(_ALL[kind])
        for privilege, _ in said.privileges:
            names = of_all if privilege == "all" else frozenset((privilege,))
            if not names <= of_all:
                said_of = said.kind if said.kind in ("procedure", "routine") else kind
                raise PlanError("0LP01", f"invalid privilege type {privilege.upper()} for {said_of}")
        for columns in dict.fromkeys(columns for _, columns in said.privileges):
            mine = [p for p, named in said.privileges if named == columns]
            every = "all" in mine
            for attnum in [_attnum(target, c) for c in columns] or [0]:
                names = of_all if every else frozenset(mine)
                giver, names = grants.allowed(
                    scope, target, attnum, names, everything=every, revoke=said.revoke
                )
                places = [attnum]
                if said.revoke and not columns:  # what is revoked on a table is revoked on its columns
                    grants.look_at_columns(
                        scope, target, of_all if every else frozenset(mine), everything=every
                    )
                    places += sorted({g.attnum for g in scope.catalog.grants_on(target.oid) if g.attnum})
                if said.grant_option and not said.revoke and rights.PUBLIC in grantees and names:
                    raise PlanError("0LP01", "grant options can only be granted to roles")
                for grantee in grantees:
                    for place in places:
                        grants.record(scope, target, grantee, names, place, giver, said)
        grants.forget_parameter(scope, target)


def _attnum(target: Granted, name: str) -> int:
    for column in getattr(target, "columns", ()):
        if column.name == name:
            return int(column.attnum)
    if isinstance(target, Table):
        for attnum, shown in SYSTEM_COLUMNS.items():
            if shown == name:
                return attnum
    raise PlanError("42703", f'column "{name}" of relation "{getattr(target, "name", "")}" does not exist')


def _granted(scope: Scope, said: st.Grant) -> list[tuple[str, Granted]]:
    found: list[tuple[str, Granted]] = []
    if said.kind.startswith("all "):
        what = said.kind.split()[1]
        for name in said.names:
            schema = scope.catalog.schema(name.name)
            found += own_grants.inside(schema, what)
            for thing in scope.catalog.inside(schema.oid):
                if what == "tables" and isinstance(thing, Table | View):
                    found.append(("table", thing))
                elif what == "sequences" and isinstance(thing, Sequence):
                    found.append(("sequence", thing))
                elif what in ("functions", "routines") and isinstance(thing, Function):
                    found.append(("function", thing))
        return found
    if said.kind in ("function", "procedure", "routine"):
        return [("function", own_grants.routine(scope, s, said)) for s in said.signatures]
    for name in said.names:
        if said.kind == "schema":
            found.append(("schema", scope.catalog.schema(name.name)))
        elif said.kind == "database":
            database = scope.catalog.database(name.name)
            if database is None:
                raise PlanError("3D000", f'database "{name.name}" does not exist')
            found.append(("database", database))
        elif said.kind in ("type", "domain"):
            user_type = scope.catalog.find_type(name.name, name.schema, scope.search_path)
            if user_type is None and own_objects.find(scope, st.Comment("type", name, None)) is not None:
                raise PlanError("0A000", "privileges on a type of PostgreSQL's own are not supported")
            if user_type is None:
                if scope.catalog.array_named(name.name, name.schema, scope.search_path):
                    raise PlanError(
                        "0LP01",
                        "cannot set privileges of array types",
                        hint="Set the privileges of the element type instead.",
                    )
                raise PlanError("42704", f'type "{name}" does not exist')
            if said.kind == "domain" and not isinstance(user_type, Domain):
                raise PlanError("42809", f'"{name}" is not a domain')
            refuse_member(user_type, "privileges on")
            found.append((said.kind, user_type))
        elif said.kind == "foreign-data wrapper":
            found.append((said.kind, foreign.wrapper(scope, name.name)))
        elif said.kind in ("language", "tablespace", "parameter"):
            found.append((said.kind, own_grants.named(scope, said.kind, name.name, said.revoke)))
        elif said.kind == "foreign server":
            found.append((said.kind, foreign.server(scope, name.name)))
        else:
            named = st.Name(name.name, name.schema)
            if said.kind == "table" and (built_in := own_grants.relation_named(scope, named)) is not None:
                found.append(("table", built_in))
                continue
            relation = scope.relation(named)
            if isinstance(relation, Index):
                raise PlanError("42809", f'"{name.name}" is an index')
            if said.kind == "sequence" and not isinstance(relation, Sequence):
                raise PlanError("42809", f'"{name.name}" is not a sequence')
            found.append(("sequence" if isinstance(relation, Sequence) else "table", relation))
    return found
