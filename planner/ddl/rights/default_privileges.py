"""ALTER DEFAULT PRIVILEGES: what is granted on things that a role will make, and granting it when it does."""

from __future__ import annotations

from planner import statements as st
from planner.abc import PlanError
from planner.catalog import CatalogObject, DefaultGrant, Grant, Schema, rights
from planner.ddl.constraints.definitions import require_role
from planner.ddl.scope import Scope

_KINDS = {
    "tables": "table",
    "sequences": "sequence",
    "types": "type",
    "schemas": "schema",
    "functions": "function",
    "routines": "function",
}


def alter_default_privileges(scope: Scope, said: st.AlterDefaultPrivileges) -> None:
    kind = _KINDS[said.kind]
    if kind == "schema" and said.schemas:
        raise PlanError("0LP01", "cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS")
    roles = [require_role(scope, r) for r in said.roles] or [scope.user]
    for role in roles:
        mine = rights.roles_of(scope.catalog, scope.user, inherited=False)
        if not rights.is_superuser(scope.catalog, scope.user) and role not in mine:
            raise PlanError("42501", f'must be member of role "{role}"')
    schemas = [scope.catalog.schema(s).oid for s in said.schemas] or [0]
    allowed = rights.ALL_OF[kind]
    names: set[str] = set()
    for privilege in said.privileges:
        names |= set(allowed) if privilege == "all" else {privilege}
    wrong = next((n for n in sorted(names) if n not in allowed), None)
    if wrong is not None:
        raise PlanError("0LP01", f"invalid privilege type {wrong.upper()} for {kind}")
    grantees = ["" if g == "" else require_role(scope, g) for g in said.grantees]
    if said.grant_option and not said.revoke and rights.PUBLIC in grantees:
        raise PlanError("0LP01", "grant options can only be granted to roles")
    for role in roles:
        for schema in schemas:
            for grantee in grantees:
                _change(scope, role, schema, kind, grantee, names, said)


def _change(
    scope: Scope,
    role: str,
    schema: int,
    kind: str,
    grantee: str,
    names: set[str],
    said: st.AlterDefaultPrivileges,
) -> None:
    here = scope.catalog.database_oid
    old = next(
        (
            d
            for d in scope.catalog.objects(DefaultGrant)
            if (d.role, d.namespace, d.kind, d.grantee, d.database_oid) == (role, schema, kind, grantee, here)
        ),
        None,
    )
    unsaid = frozenset() if schema else rights.unsaid_of_kind(kind, grantee, role)
    held = set(old.privileges) if old is not None else set()
    held |= set() if old is not None and old.whole else unsaid
    grantable = set(old.grantable) if old is not None else set()
    if said.revoke:
        grantable -= names
        held = held if said.grant_option else held - names
    else:
        held |= names
        grantable |= names if said.grant_option else set()
    if held == unsaid and not grantable:
        if old is not None:
            scope.remove(old)
        return
    oid = old.oid if old is not None else scope.allocate()
    now = DefaultGrant(
        oid, role, schema, kind, grantee, tuple(sorted(held)), tuple(sorted(grantable)), here, bool(unsaid)
    )
    if old is None:
        scope.add(now)
    else:
        scope.replace(old, now)


def granted_by_default(scope: Scope, thing: CatalogObject) -> list[Grant]:
    """What goes with an object that was just made: what is said of all of its kind, then of those in its schema."""
    kind, owner = rights.kind_of(thing), getattr(thing, "owner", "")
    namespace = getattr(thing, "schema_oid", 0)
    found: dict[str, tuple[set[str], set[str]]] = {}
    said = [
        d
        for d in scope.catalog.objects(DefaultGrant)
        if (d.role, d.kind) == (owner, kind)
        and d.namespace in (0, namespace)
        and d.database_oid == scope.catalog.database_oid
    ]
    for d in sorted(said, key=lambda d: d.namespace):
        if d.grantee == owner and not d.whole:
            continue  # it has everything, and nobody took any of it away
        unsaid = set() if d.whole else set(rights.unsaid(thing, d.grantee))
        held, grantable = found.setdefault(d.grantee, (unsaid, set()))
        held |= set(d.privileges)
        grantable |= set(d.grantable)
    return [
        Grant(scope.allocate(), thing.oid, grantee, tuple(sorted(held)), tuple(sorted(grantable)), 0, owner)
        for grantee, (held, grantable) in found.items()
        if grantable or held != rights.unsaid(thing, grantee)
    ]


def described(scope: Scope, default: DefaultGrant) -> str:
    """As the error that keeps a role from being dropped calls it."""
    word = {"table": "relations"}.get(default.kind, f"{default.kind}s")
    schema = scope.catalog.get(default.namespace) if default.namespace else None
    place = f" in schema {schema.name}" if isinstance(schema, Schema) else ""
    return f"default privileges on new {word} belonging to role {default.role}{place}"
