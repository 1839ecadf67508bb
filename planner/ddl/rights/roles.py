"""Roles, databases, privileges and comments: what `planner.catalog.rights` reads and pg_catalog lists."""

from __future__ import annotations

from typing import Any, Final

from planner import statements as st
from planner import types
from planner.abc import Oid, PlanError, Table, TypeRef
from planner.catalog import (
    CatalogObject,
    Comment,
    Database,
    DefaultGrant,
    Function,
    Grant,
    Role,
    Sequence,
    UserMapping,
    View,
    large_objects,
    passwords,
    predefined,
    rights,
)
from planner.catalog.objects import BuiltIn, Granted, Index
from planner.catalog.publication_objects import Subscription
from planner.catalog.system import built_ins
from planner.catalog.type_objects import BaseType, Domain, MultirangeType
from planner.catalog.uses import of_role
from planner.ddl import collations, conversions, rules, statistics, text_search
from planner.ddl.constraints.definitions import require_role
from planner.ddl.foreign import servers as foreign
from planner.ddl.operators import definitions as operators
from planner.ddl.operators import operator_classes
from planner.ddl.replication import publications, subscriptions
from planner.ddl.rights import (
    default_privileges,
    first_settings,
    grants,
    large_object_roles,
    own_grants,
    own_objects,
    policies,
    renamed_roles,
)
from planner.ddl.rights.owned import OWNED
from planner.ddl.routines import event_triggers, triggers
from planner.ddl.routines import names as routine_names
from planner.ddl.scope import Scope, describe, describe_part
from planner.ddl.types import casts
from planner.records import replace

# --- roles --------------------------------------------------------------------------------------------

_FLAGS: Final = {
    "superuser": "superuser",
    "createdb": "create_db",
    "createrole": "create_role",
    "inherit": "inherit",
    "login": "login",
    "replication": "replication",
    "bypassrls": "bypass_rls",
    "connection_limit": "connection_limit",
    "password": "password",
    "valid_until": "valid_until",
}


def create_role(scope: Scope, said: st.CreateRole) -> None:
    _refuse_reserved(said.name, _PREFIX)
    if scope.catalog.role(said.name) is not None:
        raise PlanError("42710", f'role "{said.name}" already exists')
    if "sysid" in said.options:
        scope.notice("SYSID can no longer be specified")
    fields: dict[str, Any] = {"login": said.login} | _attributes(scope, said.name, said.options)
    groups = tuple(require_role(scope, r) for r in said.options.get("in_role", ()))
    scope.add(Role(scope.allocate(), said.name, **fields))
    for group in groups:
        _join(scope, said.name, group)
    for member in (*said.options.get("role", ()), *said.options.get("user", ())):
        _join(scope, member, said.name)
    for member in said.options.get("admin", ()):
        _join(scope, member, said.name, admin=True)


_PREFIX: Final = 'Role names starting with "pg_" are reserved.'


def _refuse_reserved(name: str, detail: str) -> None:
    if name.startswith("pg_"):
        raise PlanError("42939", f'role name "{name}" is reserved', detail=detail)


def _attributes(scope: Scope, role: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options of CREATE and ALTER ROLE that are a role's own fields, as it keeps them."""
    fields = {_FLAGS[option]: value for option, value in options.items() if option in _FLAGS}
    password, valid_until = fields.get("password"), fields.get("valid_until")
    if password is not None:
        kept = passwords.kept(password, role, scope.ctx.password_encryption) if password else None
        fields["password"] = kept
        if kept is None:
            scope.notice("empty string is not a valid password, clearing password")
    limit = fields.get("connection_limit")
    if limit is not None and limit < -1:
        raise PlanError("22023", f"invalid connection limit: {limit}")
    if valid_until is not None:
        ref = TypeRef(types.TIMESTAMPTZ)
        at = types.input_text(valid_until, ref, scope.ctx.settings)
        fields["valid_until"] = types.output_text(at, ref, types.DEFAULT_SETTINGS)
    return fields


def alter_role(scope: Scope, said: st.AlterRole) -> None:
    role = scope.catalog.role(require_role(scope, said.name))
    assert role is not None
    if said.new_name:
        _refuse_reserved(role.name, _PREFIX)
        _refuse_reserved(said.new_name, _PREFIX)
        if scope.catalog.role(said.new_name) is not None:
            raise PlanError("42710", f'role "{said.new_name}" already exists')
        if said.name == scope.user:
            raise PlanError("0A000", "session user cannot be renamed")
        large_object_roles.refuse_renaming(scope, role)
        password = role.password
        if password is not None and passwords.MD5_SECRET.fullmatch(password):  # which has the name in it
            password = None
            scope.notice("MD5 password cleared because of role rename")
        scope.replace(role, replace(role, name=said.new_name, password=password))
        _regroup(scope, role.name, (said.new_name,))
        renamed_roles.follow(scope, role.name, said.new_name)
        return
    _refuse_reserved(role.name, "Cannot alter reserved roles.")
    scope.replace(role, replace(role, **_attributes(scope, role.name, said.options)))
    for member in said.options.get("user", ()):
        _join(scope, member, role.name)


def drop_roles(scope: Scope, said: st.Drop) -> None:
    for name in said.names:
        role = scope.catalog.role(scope.user if name.name == "current_user" else name.name)
        if role is None:
            if not said.if_exists:
                raise PlanError("42704", f'role "{name.name}" does not exist')
            scope.notice(f'role "{name.name}" does not exist, skipping')
            continue
        if role.name == scope.user:
            raise PlanError("55006", "current user cannot be dropped")
        if role.name in predefined.OIDS:
            raise PlanError(
                "2BP01", f"cannot drop role {role.name} because it is required by the database system"
            )
        _refuse_owner(scope, role.name)
        large_object_roles.refuse_dropping(scope, role)
        _regroup(scope, role.name, ())
        first_settings.forget(scope, role)
        scope.remove(role)


def _refuse_owner(scope: Scope, role: str) -> None:
    """A role that owns something, or was granted something, stays (2BP01)."""
    catalog, path = scope.catalog, scope.search_path
    lines: list[tuple[int, int, str]] = []
    kinds: tuple[type[Any], ...] = (Database, MultirangeType, Subscription, *OWNED)
    for thing in catalog.using(of_role(role)):
        if isinstance(thing, (UserMapping, *kinds)):
            lines.append((thing.oid, 0, f"owner of {describe(thing, catalog, path)}"))
        if not isinstance(thing, Grant):
            continue
        grant = thing
        target = built_ins.target(catalog, grant.target)
        here = target is not None and (
            grant.database_oid in (0, catalog.database_oid)
            if isinstance(target, BuiltIn)
            else catalog.has(target)
        )
        if grant.grantee == role and target is not None and here and getattr(target, "owner", None) != role:
            shown = own_grants.described(target) or describe(target, catalog, path)
            for column in getattr(target, "columns", ()) if grant.attnum else ():
                if column.attnum == grant.attnum:
                    shown = f"column {column.name} of {shown}"
            lines.append((grant.target, grant.attnum, f"privileges for {shown}"))
    known = catalog.role(role)
    for table, policy in policies.of_role(scope, known) if known is not None else ():
        lines.append((policy.oid, 0, f"target of {describe_part('policy', policy.name, table, scope)}"))
    for default in catalog.objects(DefaultGrant):
        here = default.database_oid == catalog.database_oid
        if here and role in (default.role, default.grantee):
            word = "owner of" if default.role == role else "privileges for"
            lines.append((default.oid, 0, f"{word} {default_privileges.described(scope, default)}"))
    said = [line for _, _, line in sorted(lines)]
    for database, count in renamed_roles.held_elsewhere(scope, role):
        said.append(f"{count} object{'s' * (count != 1)} in database {database}")
    if said:
        raise PlanError(
            "2BP01",
            f'role "{role}" cannot be dropped because some objects depend on it',
            detail="\n".join(dict.fromkeys(said)),
        )


def _regroup(scope: Scope, group: str, now: tuple[str, ...]) -> None:
    """Members of a group that is renamed or dropped are in these groups instead of it."""

    def after(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(g for old in names for g in (now if old == group else (old,)))

    for member in list(scope.catalog.objects(Role)):
        if group in member.member_of:
            scope.replace(
                member,
                replace(member, member_of=after(member.member_of), admin_of=after(member.admin_of)),
            )


def _join(scope: Scope, member: str, group: str, *, admin: bool = False) -> None:
    role = scope.catalog.role(require_role(scope, member))
    assert role is not None
    if group == predefined.DATABASE_OWNER:
        raise PlanError("XX000", f'role "{group}" cannot have explicit members')
    if role.name == predefined.DATABASE_OWNER:
        raise PlanError("XX000", f'role "{role.name}" cannot be a member of any role')
    if role.name == group or _is_member(scope, group, role.name):
        raise PlanError("0LP01", f'role "{group}" is a member of role "{role.name}"')
    groups = role.member_of if group in role.member_of else (*role.member_of, group)
    options = (*role.admin_of, group) if admin and group not in role.admin_of else role.admin_of
    scope.replace(role, replace(role, member_of=groups, admin_of=options))


def grant_role(scope: Scope, said: st.GrantRole) -> None:
    if said.of_group:
        _refuse_reserved(require_role(scope, said.roles[0]), "Cannot alter reserved roles.")
    for group in said.roles:
        group = require_role(scope, group)
        for member in said.grantees:
            role = scope.catalog.role(require_role(scope, member))
            assert role is not None
            if said.revoke:
                _leave(scope, role, group, only_option=said.admin)
            elif group in role.member_of and (not said.admin or group in role.admin_of):
                scope.notice(f'role "{role.name}" is already a member of role "{group}"')
            else:
                _join(scope, role.name, group, admin=said.admin)


def _leave(scope: Scope, role: Role, group: str, *, only_option: bool) -> None:
    if group not in role.member_of:
        scope.notice(f'role "{role.name}" is not a member of role "{group}"', "01000", severity="WARNING")
    groups = role.member_of if only_option else tuple(g for g in role.member_of if g != group)
    options = tuple(g for g in role.admin_of if g != group)
    scope.replace(role, replace(role, member_of=groups, admin_of=options))


def _is_member(scope: Scope, member: str, group: str) -> bool:
    """Whether `member` is in `group`, through others too."""
    seen: set[str] = set()
    queue = [member]
    while queue:
        name = queue.pop()
        role = scope.catalog.role(name)
        if role is None or name in seen:
            continue
        seen.add(name)
        if group in role.member_of:
            return True
        queue += role.member_of
    return False


# --- comments ------------------------------------------------------------------------------------------


def comment(scope: Scope, said: st.Comment) -> None:
    if said.kind == "database" and scope.catalog.database(said.name.name) is None:
        # A warning, so that a dump is restored into a database of another name.
        message = f'database "{said.name.name}" does not exist'
        scope.notice(message, sqlstate="3D000", severity="WARNING")
        return
    try:
        own = own_objects.find(scope, said)
        if own is not None:
            if said.kind == "large object":
                large_object_roles.require_owner(scope, own.oid)
            _comment_on_own(scope, own, said.text)
            return
        target, sub = _commented(scope, said)
    except PlanError as e:
        e.position = 0  # PostgreSQL points at nothing in COMMENT
        raise
    if isinstance(target, Table) and not sub:
        scope.replace(target, replace(target, comment=said.text))
        return
    oid = target if isinstance(target, int) else target.oid
    old = next((c for c in scope.catalog.comments_on(oid) if c.sub == sub), None)
    if said.text is None:
        if old is not None:
            scope.remove(old)
    elif old is not None:
        scope.replace(old, replace(old, text=said.text))
    else:
        scope.add(Comment(scope.allocate(), oid, sub, said.text))


def _comment_on_own(scope: Scope, found: own_objects.OwnObject, text: str | None) -> None:
    home = 0 if found.shared else scope.catalog.database_oid
    old = next(
        (
            c
            for c in scope.catalog.comments_on_own(found.oid)
            if (c.class_oid, c.sub, c.database_oid) == (found.class_oid, found.sub, home)
        ),
        None,
    )
    kept = text or ""
    if text is None and old is not None and found.class_oid == large_objects.PAGES_CLASS_OID:
        scope.remove(old)  # nothing is said of it by nature
        return
    if old is not None:
        scope.replace(old, replace(old, text=kept))
    else:
        scope.add(Comment(scope.allocate(), found.oid, found.sub, kept, found.class_oid, home))


def _commented(scope: Scope, said: st.Comment) -> tuple[CatalogObject | Oid, int]:
    """The object, or the OID of a constraint or trigger, and the column's number."""
    name, kind = said.name, said.kind
    found: CatalogObject | None
    if kind == "column":
        relation = scope.relation(name)
        for column in getattr(relation, "columns", ()):
            if column.name == said.column:
                return relation, column.attnum
        raise PlanError("42703", f'column "{said.column}" of relation "{name.name}" does not exist')
    if kind == "constraint":
        table = scope.table(name)
        for constraint in table.constraints:
            if constraint.name == said.column:
                return constraint.oid, 0
        raise PlanError("42704", f'constraint "{said.column}" for table "{name.name}" does not exist')
    if kind == "trigger":
        return triggers.named(scope, name, said.column).oid, 0
    if kind == "rule":
        return rules.named(scope, name, said.column), 0
    if kind == "policy":
        return policies.named(scope, name, said.column).oid, 0
    if isinstance(said.signature, st.CastSignature):
        return casts.existing(scope, said.signature.source, said.signature.target), 0
    if isinstance(said.signature, st.ClassSignature):
        return operator_classes.existing(scope, said.signature, "a comment on"), 0
    if isinstance(said.signature, st.OperatorSignature):
        return operators.existing(scope, said.signature), 0
    if said.signature is not None:
        return routine_names.named(scope, said.signature, kind), 0
    if kind == "domain constraint":
        return _domain_constraint(scope, name, said.column), 0
    if kind == "conversion":
        conversions.existing(scope, name, "a comment on")
        return conversions.oid_of(scope, name), 0
    if kind in text_search.KINDS:
        return text_search.existing(scope, text_search.KINDS[kind], name, "a comment on"), 0
    if kind == "statistics":
        return statistics.existing(scope, name), 0
    if kind == "schema":
        return scope.catalog.schema(name.name), 0
    if kind == "database":
        found = scope.catalog.database(name.name)
        assert found is not None
        return found, 0
    if kind == "role":
        found = scope.catalog.role(name.name)
        if found is None:
            raise PlanError("42704", f'role "{name.name}" does not exist')
        return found, 0
    if kind == "collation":
        return collations.existing(scope, name), 0
    if kind == foreign.WRAPPER:
        return foreign.wrapper(scope, name.name), 0
    if kind == "server":
        return foreign.server(scope, name.name), 0
    if kind == "event trigger":
        return event_triggers.existing(scope, name.name), 0
    if kind == "publication":
        return publications.existing(scope, name.name), 0
    if kind == "subscription":
        return subscriptions.existing(scope, name.name), 0
    if kind == "extension":
        found = scope.catalog.extension(name.name)
        if found is None:
            raise PlanError("42704", f'extension "{name.name}" does not exist')
        return found, 0
    if kind in ("type", "domain"):
        found = scope.catalog.find_type(name.name, name.schema, scope.search_path)
        if found is None:
            raise PlanError("42704", f'type "{name}" does not exist')
        _refuse_member(found, "COMMENT ON")
        return found, 0
    expected = {
        "table": Table,
        "materialized view": Table,
        "foreign table": Table,
        "view": View,
        "index": Index,
        "sequence": Sequence,
    }.get(kind)
    if expected is None:
        raise PlanError("0A000", f"COMMENT ON {kind.upper()} is not supported")
    found = scope.relation(name)
    if not isinstance(found, expected) or (isinstance(found, Table) and rights.table_word(found) != kind):
        article = "an" if kind == "index" else "a"
        raise PlanError("42809", f'"{name.name}" is not {article} {kind}')
    return found, 0


def _refuse_member(found: object, what: str) -> None:
    """Types of extensions have one OID in all databases, so nothing can be kept beside one of them. Raises 0A000."""
    if isinstance(found, BaseType):
        raise PlanError("0A000", f"{what} a type of an extension is not supported")


def _domain_constraint(scope: Scope, name: st.Name, constraint: str) -> Oid:
    domain = scope.catalog.find_type(name.name, name.schema, scope.search_path)
    if domain is None:
        raise PlanError("42704", f'type "{name}" does not exist')
    if not isinstance(domain, Domain):
        raise PlanError("42809", f'"{name}" is not a domain')
    for check in domain.constraints:
        if check.name == constraint:
            return check.oid
    raise PlanError("42704", f'constraint "{constraint}" for domain {domain.name} does not exist')


# --- privileges ----------------------------------------------------------------------------------------

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
                raise PlanError("0LP01", f"invalid privilege type {privilege.upper()} for {kind}")
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
                raise PlanError("42704", f'type "{name}" does not exist')
            _refuse_member(user_type, "privileges on")
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
