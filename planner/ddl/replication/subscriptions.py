"""CREATE, ALTER and DROP SUBSCRIPTION: from whom a database would take changes in, as an object of the catalog.

Nobody connects here, so a subscription is what PostgreSQL makes of one WITH (connect = false), which is how dumps make them: named, owned,
altered, listed and dumped, and not enabled. Whatever would have to talk to the publisher is 0A000, after all that is wrong with
the statement has been said.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.catalog import Subscription, rights
from planner.ddl.constraints.definitions import require_role
from planner.ddl.of_database import OfDatabase
from planner.ddl.scope import Scope
from planner.types.booleans import bool_in
from planner.types.log_places import read_log_place, shown_log_place

_BY_NAME: Final = OfDatabase(Subscription, "subscription")
named, existing, require_owner = _BY_NAME.named, _BY_NAME.existing, _BY_NAME.require_owner
_CREATED: Final = (
    "connect", "enabled", "create_slot", "slot_name", "copy_data", "synchronous_commit", "binary", "streaming", "two_phase",
    "disable_on_error",
)  # fmt: skip
_ALTERED: Final = ("slot_name", "synchronous_commit", "binary", "streaming", "disable_on_error")
_REFRESHED: Final = ("copy_data", "refresh")
_COMMITS: Final = ("local", "remote_write", "remote_apply", "on", "off")
_NOWHERE: Final = "0/0"
_SLOT_MAX: Final = 63
_SETTING: Final = re.compile(r"\s*([^\s=]+)\s*(=?)\s*('(?:[^'\\]|\\.)*(')?|(?:[^\s\\]|\\.)*)")
_KNOWN: Final = frozenset(
    [
        "service",
        "user",
        "password",
        "passfile",
        "channel_binding",
        "connect_timeout",
        "dbname",
        "host",
        "hostaddr",
        "port",
        "client_encoding",
        "options",
        "application_name",
        "fallback_application_name",
        "keepalives",
        "keepalives_idle",
        "keepalives_interval",
        "keepalives_count",
        "tcp_user_timeout",
        "sslmode",
        "sslcompression",
        "sslcert",
        "sslkey",
        "sslpassword",
        "sslrootcert",
        "sslcrl",
        "sslcrldir",
        "sslsni",
        "requirepeer",
        "ssl_min_protocol_version",
        "ssl_max_protocol_version",
        "gssencmode",
        "krbsrvname",
        "gsslib",
        "replication",
        "target_session_attrs",
        "authtype",
        "tty",
    ]
)
"""What libpq knows in a connection string."""


def create_subscription(scope: Scope, said: st.CreateSubscription) -> None:
    """Raises 42601, 42501, 42710, 42602, 22023, 0A000."""
    options = _options(said.options, _CREATED)
    connects = options.get("connect", True)
    if not connects:
        for other in ("enabled", "create_slot", "copy_data"):
            if options.get(other):
                raise _exclusive("connect = false", f"{other} = true")
    _refuse_without_slot(options, connects)
    if not rights.is_superuser(scope.catalog, scope.user):
        raise PlanError("42501", "must be superuser to create subscriptions")
    if named(scope, said.name) is not None:
        raise PlanError("42710", f'subscription "{said.name}" already exists')
    _check_connection(said.connection)
    _refuse_twice(said.publications)
    if connects:
        raise PlanError(
            "0A000",
            "CREATE SUBSCRIPTION with connect = true is not supported",
            hint="WITH (connect = false) makes a subscription that is kept, but takes nothing in.",
        )
    made = Subscription(
        scope.allocate(),
        said.name,
        scope.catalog.database_oid,
        said.connection,
        said.publications,
        scope.user,
        slot=said.name,
    )
    scope.add(_with_options(made, options))
    scope.notice(
        "tables were not subscribed, you will have to run ALTER SUBSCRIPTION ... REFRESH PUBLICATION to subscribe the tables",
        "01000",
        severity="WARNING",
    )


def _exclusive(one: str, other: str) -> PlanError:
    return PlanError("42601", f"{one} and {other} are mutually exclusive options")


def _refuse_without_slot(options: dict[str, Any], connects: bool) -> None:
    if options.get("slot_name", "a name") is not None:
        return
    for other in ("enabled", "create_slot"):
        if options.get(other, connects):
            if other in options:
                raise _exclusive("slot_name = NONE", f"{other} = true")
            raise PlanError("42601", f"subscription with slot_name = NONE must also set {other} = false")


def alter_subscription(scope: Scope, said: st.AlterSubscription) -> None:
    """Raises 42704, 42501, 42710, 42601, 55000, 0A000, and what CREATE SUBSCRIPTION raises."""
    owner = require_role(scope, said.to) if said.what == "owner" else ""
    found = existing(scope, said.name)
    require_owner(scope, found)
    if said.what == "rename":
        if named(scope, said.to) is not None:
            raise PlanError("42710", f'subscription "{said.to}" already exists')
        scope.replace(found, dataclasses.replace(found, name=said.to))
    elif said.what == "owner":
        if owner != found.owner and not rights.is_superuser(scope.catalog, owner):
            raise PlanError(
                "42501",
                f'permission denied to change owner of subscription "{found.name}"',
                hint="The owner of a subscription must be a superuser.",
            )
        scope.replace(found, dataclasses.replace(found, owner=owner))
    elif said.what == "connection":
        _check_connection(said.to)
        scope.replace(found, dataclasses.replace(found, connection=said.to))
    elif said.what == "options":
        scope.replace(found, _with_options(found, _options(said.options, _ALTERED)))
    elif said.what == "skip":
        options = _options(said.options, ("lsn",))
        if not rights.is_superuser(scope.catalog, scope.user):
            raise PlanError("42501", "must be superuser to skip transaction")
        scope.replace(found, dataclasses.replace(found, skip=options["lsn"]))
    elif said.what == "enable":
        if not found.slot:
            raise PlanError("55000", "cannot enable subscription that does not have a slot name")
        raise PlanError("0A000", "ALTER SUBSCRIPTION ... ENABLE is not supported")
    elif said.what == "refresh":
        raise PlanError("55000", "ALTER SUBSCRIPTION ... REFRESH is not allowed for disabled subscriptions")
    elif said.what != "disable":
        _alter_publications(scope, found, said)


def _alter_publications(scope: Scope, found: Subscription, said: st.AlterSubscription) -> None:
    options = _options(said.options, _REFRESHED)
    _refuse_twice(said.publications)
    names = list(said.publications)
    if said.what == "add":
        for name in said.publications:
            if name in found.publications:
                raise PlanError("42710", f'publication "{name}" is already in subscription "{found.name}"')
        names = [*found.publications, *said.publications]
    elif said.what == "drop":
        for name in said.publications:
            if name not in found.publications:
                raise PlanError("42704", f'publication "{name}" is not in subscription "{found.name}"')
        names = [name for name in found.publications if name not in said.publications]
        if not names:
            raise PlanError("55000", "cannot drop all the publications from a subscription")
    if options.get("refresh", True):
        how = f"ALTER SUBSCRIPTION ... {said.what.upper()} PUBLICATION ... WITH (refresh = false)"
        raise PlanError(
            "55000",
            "ALTER SUBSCRIPTION with refresh is not allowed for disabled subscriptions",
            hint=f"Use {how}" + ("." if said.what == "set" else " instead."),
        )
    scope.replace(found, dataclasses.replace(found, publications=tuple(names)))


def drop_subscription(scope: Scope, said: st.Drop) -> None:
    """Raises 42704, 42501, 0A000."""
    for name in said.names:
        found = named(scope, name.name)
        if found is None:
            message = f'subscription "{name.name}" does not exist'
            if not said.if_exists:
                raise PlanError("42704", message)
            scope.notice(f"{message}, skipping")
            continue
        require_owner(scope, found)
        if found.slot:
            raise PlanError(
                "0A000",
                f'dropping replication slot "{found.slot}" on the publisher is not supported',
                hint="Use ALTER SUBSCRIPTION ... SET (slot_name = NONE) to disassociate the subscription from the slot.",
            )
        scope.remove(found)


# --- options ------------------------------------------------------------------------------------------


def _options(said: Sequence[st.PublicationOption], known: Sequence[str]) -> dict[str, Any]:
    """What options say, by their names. Raises 42601, 42602, 22023, 22P02."""
    found: dict[str, Any] = {}
    for option in said:
        if option.name not in known:
            raise PlanError("42601", f'unrecognized subscription parameter: "{option.name}"')
        if option.name in found:
            raise PlanError("42601", "conflicting or redundant options", position=option.position)
        found[option.name] = _value(option)
    return found


def _value(option: st.PublicationOption) -> Any:
    if option.name not in ("slot_name", "synchronous_commit", "lsn"):
        word = "true" if option.value is None else option.value.lower()
        if word not in ("true", "on", "1", "false", "off", "0"):
            raise PlanError("42601", f"{option.name} requires a Boolean value")
        return bool_in(word)
    if option.value is None:
        raise PlanError("42601", f"{option.name} requires a parameter")
    if option.name == "slot_name":
        return None if option.value == "none" else _slot(option.value)
    if option.name == "synchronous_commit":
        if option.value.lower() not in _COMMITS:
            raise PlanError(
                "22023",
                f'invalid value for parameter "synchronous_commit": "{option.value}"',
                hint=f"Available values: {', '.join(_COMMITS)}.",
            )
        return option.value
    if option.value == "none":
        return _NOWHERE
    place = shown_log_place(read_log_place(option.value))
    if place == _NOWHERE:
        raise PlanError("22023", f"invalid WAL location (LSN): {option.value}")
    return place


def _slot(name: str) -> str:
    if not name:
        raise PlanError("42602", f'replication slot name "{name}" is too short')
    if len(name.encode()) > _SLOT_MAX:
        raise PlanError("42622", f'replication slot name "{name}" is too long')
    if re.fullmatch(r"[a-z0-9_]+", name) is None:
        raise PlanError(
            "42602",
            f'replication slot name "{name}" contains invalid character',
            hint="Replication slot names may only contain lower case letters, numbers, and the underscore character.",
        )
    return name


def _with_options(subscription: Subscription, options: dict[str, Any]) -> Subscription:
    kept = {k: v for k, v in options.items() if k in (*_ALTERED, "two_phase") and k != "slot_name"}
    if "slot_name" in options:
        kept["slot"] = options["slot_name"] or ""
    return dataclasses.replace(subscription, **kept)


def _refuse_twice(names: Sequence[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise PlanError("42710", f'publication name "{name}" used more than once')


def _check_connection(text: str) -> None:
    """Raises 42601 for what libpq would not take, in its words."""
    if text.startswith(("postgresql://", "postgres://")):
        return
    at = 0
    while text[at:].strip():
        found = _SETTING.match(text, at)
        if found is None or not found[2]:
            name = found[1] if found is not None else text[at:].strip()
            raise _malformed(f'missing "=" after "{name}" in connection info string')
        if found[3].startswith("'") and not found[4]:
            raise _malformed("unterminated quoted string in connection info string")
        if found[1] not in _KNOWN:
            raise _malformed(f'invalid connection option "{found[1]}"')
        at = found.end()


def _malformed(what: str) -> PlanError:
    return PlanError("42601", f"invalid connection string syntax: {what}\n")


__all__ = [
    "alter_subscription",
    "create_subscription",
    "drop_subscription",
    "existing",
    "named",
    "require_owner",
]
