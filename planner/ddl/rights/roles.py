"""CREATE, ALTER and DROP ROLE, and GRANT of one role to another: who there is, and whose rights are whose as well."""

from __future__ import annotations

from typing import Any, Final

from planner import statements as st
from planner import types
from planner.abc import PlanError, TypeRef
from planner.catalog import (
    Database,
    DefaultGrant,
    Grant,
    Role,
    UserMapping,
    passwords,
    predefined,
)
from planner.catalog.objects import BuiltIn
from planner.catalog.publication_objects import Subscription
from planner.catalog.system import built_ins
from planner.catalog.type_objects import MultirangeType
from planner.catalog.uses import of_role
from planner.ddl.constraints.definitions import require_role
from planner.ddl.rights import (
    default_privileges,
    first_settings,
    large_object_roles,
    own_grants,
    policies,
    renamed_roles,
)
from planner.ddl.rights.owned import OWNED
from planner.ddl.scope import Scope, describe, describe_part
from planner.records import replace

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
    said = [line for _, _, line in sorted(set(lines))]
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
    members = [require_role(scope, name or "public") for name in said.grantees]
    for group in said.roles:
        group = require_role(scope, group)
        for member in members:
            role = scope.catalog.role(member)
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
