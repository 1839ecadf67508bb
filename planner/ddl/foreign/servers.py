"""Foreign-data wrappers, servers and user mappings: kept, listed, granted and dumped, as a PostgreSQL keeps them without a handler.

    CREATE FOREIGN DATA WRAPPER w VALIDATOR postgresql_fdw_validator
    CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (host 'h')       USAGE of w; the validator looks at the options
    CREATE USER MAPPING FOR ann SERVER s OPTIONS (user 'a')         the server's owner, or ann with USAGE of it

A handler is a function in C, so there is none here: whoever names one names a function that does not exist, or another kind of one. For
the same reason nobody can ask for rows (`no_handler`). Options are a list in which the order stays: SET leaves one where it is.
"""

from __future__ import annotations

import dataclasses
from typing import Final

from planner import statements as st
from planner.abc import Oid, PlanError
from planner.binding.facts import procs
from planner.catalog import rights
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer, UserMapping, no_handler
from planner.ddl import drop
from planner.ddl.constraints.definitions import require_role
from planner.ddl.rights import permits
from planner.ddl.scope import Scope
from planner.types.oids import OID, TEXT_ARRAY

WRAPPER: Final = "foreign-data wrapper"
VALIDATOR_OID: Final = 2316
_VALIDATOR: Final = "postgresql_fdw_validator"
_OF_MAPPINGS: Final = ("user", "password")
_OF_SERVERS: Final = (
    "authtype", "service", "connect_timeout", "dbname", "host", "hostaddr", "port", "tty", "options", "requiressl", "sslmode",
    "gsslib",
)  # fmt: skip


# --- finding --------------------------------------------------------------------------------------------


def find_wrapper(scope: Scope, name: str) -> ForeignDataWrapper | None:
    return next((w for w in scope.catalog.objects(ForeignDataWrapper) if w.name == name), None)


def find_server(scope: Scope, name: str) -> ForeignServer | None:
    return next((s for s in scope.catalog.objects(ForeignServer) if s.name == name), None)


def wrapper(scope: Scope, name: str) -> ForeignDataWrapper:
    """Raises 42704."""
    found = find_wrapper(scope, name)
    if found is None:
        raise PlanError("42704", f'{WRAPPER} "{name}" does not exist')
    return found


def server(scope: Scope, name: str) -> ForeignServer:
    """Raises 42704."""
    found = find_server(scope, name)
    if found is None:
        raise PlanError("42704", f'server "{name}" does not exist')
    return found


def wrapper_of(scope: Scope, found: ForeignServer) -> ForeignDataWrapper:
    made = scope.catalog.get(found.wrapper)
    assert isinstance(made, ForeignDataWrapper)
    return made


# --- options --------------------------------------------------------------------------------------------


def changed_options(kept: tuple[str, ...], said: tuple[st.ForeignOption, ...]) -> tuple[str, ...]:
    """Options after ADD, SET and DROP. Raises 42710, 42704."""
    options = [(name, value) for name, _, value in (o.partition("=") for o in kept)]
    for one in said:
        at = next((i for i, (name, _) in enumerate(options) if name == one.name), None)
        if one.action == "add":
            if at is not None:
                raise PlanError("42710", f'option "{one.name}" provided more than once')
            options.append((one.name, one.value))
        elif at is None:
            raise PlanError("42704", f'option "{one.name}" not found')
        elif one.action == "set":
            options[at] = (one.name, one.value)
        else:
            del options[at]
    return tuple(f"{name}={value}" for name, value in options)


def validated(
    by: ForeignDataWrapper | Oid, options: tuple[str, ...], known: tuple[str, ...]
) -> tuple[str, ...]:
    """The options, if the wrapper's validator lets them pass. Raises 42601."""
    validator = by.validator if isinstance(by, ForeignDataWrapper) else by
    for name in (o.partition("=")[0] for o in options) if validator else ():
        if name not in known:
            valid = f"Valid options in this context are: {', '.join(known)}"
            hint = valid if known else "There are no valid options in this context."
            raise PlanError("42601", f'invalid option "{name}"', hint=hint)
    return options


# --- wrappers -------------------------------------------------------------------------------------------


def create_wrapper(scope: Scope, said: st.CreateWrapper) -> None:
    """Raises 42501, 42710, 42601, 42883, 42809, 0A000."""
    _require_superuser(scope, f'create {WRAPPER} "{said.name}"', f"create a {WRAPPER}")
    _refuse_wrapper(scope, said.name)
    functions = _functions(scope, said.functions)
    validator = functions.get("validator", 0)
    options = validated(validator, changed_options((), said.options), ())
    scope.add(
        ForeignDataWrapper(
            scope.allocate(), said.name, scope.catalog.database_oid, validator, options, scope.user
        )
    )


def _require_superuser(scope: Scope, denied: str, what: str) -> None:
    if not rights.is_superuser(scope.catalog, scope.user):
        raise PlanError("42501", f"permission denied to {denied}", hint=f"Must be superuser to {what}.")


def _refuse_wrapper(scope: Scope, name: str) -> None:
    if find_wrapper(scope, name) is not None:
        raise PlanError("42710", f'{WRAPPER} "{name}" already exists')


def _functions(scope: Scope, said: tuple[st.WrapperFunction, ...]) -> dict[str, Oid]:
    """What was said of handler and validator; 0: NO. Raises 42601, 42883, 42809, 0A000."""
    found: dict[str, Oid] = {}
    for one in said:
        if one.what in found:
            raise PlanError("42601", "conflicting or redundant options", position=one.position)
        if one.name is None:
            found[one.what] = 0
        elif one.what == "handler":
            raise _no_handler_function(scope, one.name)
        else:
            found[one.what] = _validator(scope, one.name)
    return found


def _no_handler_function(scope: Scope, name: st.Name) -> PlanError:
    scope.require_schema(name)
    made = scope.catalog.functions(name.name, name.schema, scope.search_path)
    own = procs().get(name.name, ()) if name.schema in ("", "pg_catalog") else ()
    if any(f.signature == () for f in made) or any(not proc.args for proc in own):
        return PlanError("42809", f"function {name} must return type fdw_handler")
    return PlanError("42883", f"function {name}() does not exist")


def _validator(scope: Scope, name: st.Name) -> Oid:
    if name.name == _VALIDATOR and name.schema in ("", "pg_catalog"):
        return VALIDATOR_OID
    scope.require_schema(name)
    made = scope.catalog.functions(name.name, name.schema, scope.search_path)
    if any(f.signature == (TEXT_ARRAY, OID) for f in made):
        raise PlanError("0A000", f"validators other than {_VALIDATOR} are not supported")
    raise PlanError("42883", f"function {name}(text[], oid) does not exist")


def alter_wrapper(scope: Scope, said: st.AlterWrapper) -> None:
    """Raises 42704, 42501, 42710, 42601, 42883, 42809, 0A000."""
    if said.what == "rename":
        found = wrapper(scope, said.name)
        permits.must_own(scope, found)
        _refuse_wrapper(scope, said.to)
        scope.replace(found, dataclasses.replace(found, name=said.to))
        return
    if said.what == "owner":
        owner = require_role(scope, said.to)
        found = wrapper(scope, said.name)
        denied = f'change owner of {WRAPPER} "{said.name}"'
        _require_superuser(scope, denied, f"change owner of a {WRAPPER}")
        if not rights.is_superuser(scope.catalog, owner):
            raise PlanError(
                "42501",
                f"permission denied to {denied}",
                hint=f"The owner of a {WRAPPER} must be a superuser.",
            )
        scope.replace(found, dataclasses.replace(found, owner=owner))
        return
    _require_superuser(scope, f'alter {WRAPPER} "{said.name}"', f"alter a {WRAPPER}")
    found = wrapper(scope, said.name)
    functions = _functions(scope, said.functions)
    if "handler" in functions:
        scope.notice(
            f"changing the {WRAPPER} handler can change behavior of existing foreign tables",
            "01000",
            severity="WARNING",
        )
    if functions.get("validator"):
        scope.notice(
            f"changing the {WRAPPER} validator can cause the options for dependent objects to become invalid",
            "01000",
            severity="WARNING",
        )
    validator = functions.get("validator", found.validator)
    options = found.options
    if said.options:
        options = validated(validator, changed_options(options, said.options), ())
    scope.replace(found, dataclasses.replace(found, validator=validator, options=options))


# --- servers --------------------------------------------------------------------------------------------


def create_server(scope: Scope, said: st.CreateServer) -> None:
    """Raises 42710, 42704, 42501, 42601."""
    if find_server(scope, said.name) is not None:
        message = f'server "{said.name}" already exists'
        if not said.if_not_exists:
            raise PlanError("42710", message)
        scope.notice(f"{message}, skipping", "42710")
        return
    by = wrapper(scope, said.wrapper)
    rights.require(scope.catalog, scope.user, by, "usage")
    options = validated(by, changed_options((), said.options), _OF_SERVERS)
    scope.add(
        ForeignServer(
            scope.allocate(),
            said.name,
            scope.catalog.database_oid,
            by.oid,
            said.type,
            said.version,
            options,
            scope.user,
        )
    )


def alter_server(scope: Scope, said: st.AlterServer) -> None:
    """Raises 42704, 42501, 42710, 42601."""
    if said.what == "owner":
        _give_server(scope, said)
        return
    found = server(scope, said.name)
    permits.must_own(scope, found)
    if said.what == "rename":
        if find_server(scope, said.to) is not None:
            raise PlanError("42710", f'server "{said.to}" already exists')
        scope.replace(found, dataclasses.replace(found, name=said.to))
        return
    version = said.version if said.versioned else found.version
    options = found.options
    if said.options:
        options = validated(wrapper_of(scope, found), changed_options(options, said.options), _OF_SERVERS)
    scope.replace(found, dataclasses.replace(found, version=version, options=options))


def _give_server(scope: Scope, said: st.AlterServer) -> None:
    owner = require_role(scope, said.to)
    found = server(scope, said.name)
    if owner != found.owner and not rights.is_superuser(scope.catalog, scope.user):
        permits.must_own(scope, found)
        permits.may_become(scope, owner)
        rights.require(scope.catalog, owner, wrapper_of(scope, found), "usage")
    scope.replace(found, dataclasses.replace(found, owner=owner))


# --- user mappings --------------------------------------------------------------------------------------


def user_mapping(scope: Scope, said: st.UserMappingStatement) -> None:
    """CREATE, ALTER, DROP USER MAPPING. Raises 42704, 42501, 42710, 42601."""
    if said.verb == "drop" and said.exists:
        if said.user not in ("", "current_user", "session_user") and scope.catalog.role(said.user) is None:
            scope.notice(f'role "{said.user}" does not exist, skipping')
            return
        if find_server(scope, said.server) is None:
            scope.notice(f'server "{said.server}" does not exist, skipping')
            return
    user = require_role(scope, said.user) if said.user else ""
    on = server(scope, said.server)
    mine = (m for m in scope.catalog.objects(UserMapping) if m.server == on.oid and m.user == user)
    found = next(mine, None)
    of = f'user mapping for "{user or "public"}"'
    if said.verb == "create":
        _may_map(scope, on, user)
        if found is not None:
            message = f'{of} already exists for server "{on.name}"'
            if not said.exists:
                raise PlanError("42710", message)
            scope.notice(f"{message}, skipping", "42710")
            return
        options = validated(wrapper_of(scope, on), changed_options((), said.options), _OF_MAPPINGS)
        scope.add(UserMapping(scope.allocate(), on.oid, user, scope.catalog.database_oid, options))
        return
    if found is None:
        message = f'{of} does not exist for server "{on.name}"'
        if said.verb != "drop" or not said.exists:
            raise PlanError("42704", message)
        scope.notice(f"{message}, skipping")
        return
    _may_map(scope, on, user)
    if said.verb == "drop":
        scope.remove(found)
        return
    options = validated(wrapper_of(scope, on), changed_options(found.options, said.options), _OF_MAPPINGS)
    scope.replace(found, dataclasses.replace(found, options=options))


def _may_map(scope: Scope, on: ForeignServer, user: str) -> None:
    """Raises 42501: mappings are the server's owner's to make, and one's own that of who may use it."""
    if rights.owns(scope.catalog, scope.user, on):
        return
    if user != scope.user:
        permits.must_own(scope, on)
    rights.require(scope.catalog, scope.user, on, "usage")


# --- DROP, IMPORT ---------------------------------------------------------------------------------------


def drop_named(scope: Scope, said: st.Drop) -> None:
    """DROP FOREIGN DATA WRAPPER, DROP SERVER. Raises 42704, 42501, 2BP01."""
    doomed: list[ForeignDataWrapper | ForeignServer] = []
    for name in said.names:
        found = find_wrapper(scope, name.name) if said.kind == WRAPPER else find_server(scope, name.name)
        if found is not None:
            permits.must_own(scope, found)
            if found not in doomed:
                doomed.append(found)
            continue
        message = f'{said.kind} "{name.name}" does not exist'
        if not said.if_exists:
            raise PlanError("42704", message)
        scope.notice(f"{message}, skipping")
    if doomed:
        drop.remove_all(scope, list(doomed), said.cascade)


def import_schema(scope: Scope, said: st.ImportForeignSchema) -> None:
    """Raises 42704, 42501, 3F000, and 55000 in the end: nobody could say what is there."""
    on = server(scope, said.server)
    rights.require(scope.catalog, scope.user, on, "usage")
    permits.may_create_in(scope, scope.catalog.schema(said.into))
    raise no_handler(wrapper_of(scope, on))


__all__ = [
    "WRAPPER", "alter_server", "alter_wrapper", "changed_options", "create_server", "create_wrapper", "drop_named", "find_server",
    "find_wrapper", "import_schema", "server", "user_mapping", "validated", "wrapper", "wrapper_of",
]  # fmt: skip
