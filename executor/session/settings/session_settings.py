"""One session's settings: checked on the way in, rolled back with the transaction that set them.

    session value   SET, set_config(..., false), start-up options      reverts if its transaction fails
    local value     SET LOCAL, set_config(..., true)                   gone at the end of the transaction
    reset value     what RESET goes back to: start-up option, what the server was started with, or default

A savepoint remembers both dictionaries; rolling back to it restores them. A name of a user's own (`my.tenant`) is known to
the session from the first time that it is set, and is empty wherever it is not set any more. What the engines look at
often (`statement_timeout_ms`, `search_path`, `types`) is kept parsed and renewed on every change, so
that a statement reads an attribute and parses nothing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from operator import attrgetter
from typing import Final

from executor.abc import ExecutionError
from executor.session.settings.guc_table import GUCS, REPORTED, Guc
from executor.session.settings.setting_values import canonical_value, invalid, shown, truth, unknown_setting
from planner.abc import TypeRef
from planner.catalog.names import split_identifiers
from planner.catalog.system.reg_names import RegNames
from planner.parse.clauses import INDEX_METHODS
from planner.types import TIMESTAMPTZ, TypeSettings, input_text

SNAPSHOT_NAME = re.compile("0[0-9A-F]{15}-1")
"""What pg_export_snapshot() says: the timestamp of the log."""


_FIXED = {
    "internal": "cannot be changed",
    "postmaster": "cannot be changed without restarting the server",
    "sighup": "cannot be changed now",
    "backend": "cannot be set after connection start",
    "superuser-backend": "cannot be set after connection start",
}


_WHO: Final = ("is_superuser", "role", "session_authorization")
"""As whom the session acts, which RESET ALL leaves alone."""
_NAMING: Final = {
    "default_tablespace": ("Tablespace", ("", "pg_default", "pg_global")),
    "default_table_access_method": ("Table access method", ("heap",)),
}
"""Settings that name what is there: what else they are set to is refused, but not where a session begins with it."""


class Settings:
    """The settings of one session."""

    __slots__ = (
        "_block",
        "_configured",
        "_custom",
        "_functions",
        "_given",
        "_local",
        "_reported",
        "_reset",
        "_savepoints",
        "_session",
        "_taken",
        "_told",
        "acting",
        "as_of",
        "changes",
        "deferrable",
        "distributed_min_bytes",
        "duration_logged_ms",
        "escapes_in_strings",
        "execution_engine",
        "idle_in_transaction_timeout_ms",
        "idle_session_timeout_ms",
        "isolation",
        "lock_timeout_ms",
        "looks_after_client",
        "read_only",
        "reg_names",
        "replica",
        "row_security",
        "search_path",
        "statement_timeout_ms",
        "transaction_timeout_ms",
        "types",
        "user",
    )

    def __init__(
        self,
        user: str,
        options: dict[str, str],
        reg_names: Callable[[tuple[str, ...]], RegNames] | None = None,
        *,
        superuser: bool = True,
        configured: Mapping[str, str] | None = None,
    ) -> None:
        """`configured`: canonical values of what only the operator of the server decides."""
        self.user = user
        self.reg_names = reg_names
        self.acting = ""
        """As whom a function of SECURITY DEFINER acts; "" outside of such."""
        self._session: dict[str, str] = {}
        self._taken: frozenset[str] = frozenset()
        """What names of users' own may not begin with: extensions that were loaded."""
        self._configured = configured or {}
        self._reset: dict[str, str] = {
            **self._configured,
            "session_authorization": user,
            "is_superuser": "on" if superuser else "off",
        }
        given = dict(self._check(name, value, startup=True) for name, value in options.items())
        self._reset |= given
        self._given = frozenset(given)
        self._custom: set[str] = set()
        """The names of users' own that have been set, whatever has become of their values."""
        self._local: dict[str, str] = {}
        self._block: dict[str, str] | None = None
        self._functions: list[dict[str, str | None]] = []
        self._savepoints: list[tuple[dict[str, str], dict[str, str], list[dict[str, str | None]]]] = []
        self.changes: list[tuple[str, str]] = []
        self._told: dict[str, str] = {}
        """What the client has heard last of what it is to hear more of."""
        self._renew()
        self._reported = {n: self.show(n) for n in REPORTED}

    def another(self) -> Settings:
        """Those of another session that begins as this one has begun: nothing may have been set since."""
        made = Settings.__new__(Settings)
        _ran(map(setattr, repeat(made), _ALIKE, _alike(self)))
        made._session, made._local, made._savepoints, made.changes, made._functions = {}, {}, [], [], []
        made._custom, made._taken, made._told = set(), frozenset(), {}
        made._reported = self._reported.copy()
        return made

    # --- reading ---------------------------------------------------------------------------

    @property
    def reported(self) -> tuple[tuple[str, str], ...]:
        """What clients are told of unasked, as SHOW prints it."""
        return tuple(self._reported.items())

    def raw(self, key: str) -> str:
        """The canonical value of a setting by its lower-case name. KeyError for an unknown one."""
        for level in (self._local, self._session, self._reset):
            if key in level:
                return level[key]
        return "" if key in self._custom else GUCS[key].default

    def listed(self, key: str) -> frozenset[str]:
        """The words of such a setting that is a list."""
        try:
            return frozenset(word.strip().lower() for word in self.raw(key).split(","))
        except KeyError:
            return frozenset()

    def switch(self, key: str, default: bool) -> bool:
        """A setting of PL/pgSQL's, which is there once somebody has set it. What is no truth value is the default."""
        try:
            meaning = truth(self.raw(key))
        except KeyError:
            return default
        return default if meaning is None else meaning

    def show(self, name: str) -> str:
        """As SHOW prints it. Raises 42704."""
        key = name.lower()
        try:
            value = self.raw(key)
        except KeyError:
            raise unknown_setting(name) from None
        guc = GUCS.get(key)
        return value if guc is None else shown(guc, value)

    def show_all(self) -> list[tuple[str, str, str]]:
        """(name, value, description) of every setting, by name; those of users' own are not listed."""
        rows = [(g.name, self.show(k), g.description) for k, g in GUCS.items() if not g.hidden]
        return sorted(rows, key=lambda r: r[0].lower())

    def origin(self, key: str) -> tuple[str, str]:
        """Where a setting's value is from, as pg_settings says it, and what RESET would make of it."""
        source = "session" if key in self._local or key in self._session else "default"
        if source == "default" and key in self._reset:
            of_server = key in self._configured and key not in self._given
            source = "configuration file" if of_server else "client"
        return source, self._reset.get(key, GUCS[key].default if key in GUCS else "")

    # --- writing ---------------------------------------------------------------------------

    def check(self, name: str, value: str) -> str:
        """The canonical value, without setting anything. Raises as `set` does."""
        return self._check(name, value)[1]

    def set_for_nothing(self, name: str, value: str | None) -> None:
        """SET LOCAL outside of a block: nothing comes of it but that a name of a user's own is known. Raises as `set` does."""
        key = self._check(name, value)[0] if value is not None else name.lower()
        if key not in GUCS and "." not in key:
            raise unknown_setting(name)
        if key not in GUCS:
            self._custom.add(key)

    def set(self, name: str, value: str | None, *, local: bool = False) -> str:
        """SET and RESET (None). Returns the new value as SHOW prints it. Raises 42704, 22023, 55P02."""
        if value is None:
            key = name.lower()
            if key not in GUCS and "." not in key:
                raise unknown_setting(name)
            canonical = self._reset.get(key, GUCS[key].default if key in GUCS else "")
            self._changeable(key)
        else:
            key, canonical = self._check(name, value)
            require_names(key, value, canonical)
        if key not in GUCS:
            self._custom.add(key)
        self._put(key, canonical, local=local)
        self._renew()
        return self.show(key)

    def become(self, name: str, value: str | None, *, superuser: bool, local: bool) -> None:
        """`set` of a role or a session's user, and whether they are a superuser, which is undone and told of together."""
        self._put("is_superuser", "on" if superuser else "off", local=local)
        self.set(name, value, local=local)

    def _put(self, key: str, canonical: str, *, local: bool) -> None:
        if local:
            self._local[key] = canonical
            return
        if self._block is None:
            self._block = dict(self._session)
        self._session[key] = canonical
        self._local.pop(key, None)
        for before in self._functions:
            before.pop(key, None)

    def configure(self, configured: Mapping[str, str]) -> None:
        """The server's own values are others now: so is what nobody has said anything else of, and what RESET goes back to."""
        kept = {k: v for k, v in self._reset.items() if k in self._given or k not in self._configured}
        self._reset = {**configured, **kept}
        self._configured = configured
        self._renew()

    def take(self, prefix: str, own: Mapping[str, str]) -> list[str]:
        """From now on names that begin so are an extension's own. Returns what is no more: others that users have set."""
        self._taken |= {prefix}
        self._reset = {**own, **self._reset}
        gone = sorted(k for k in self._custom if k.startswith(f"{prefix}.") and k not in own)
        self._custom.difference_update(gone)
        for level in (self._local, self._session, self._block or {}):
            for key in gone:
                level.pop(key, None)
        return gone

    def reset_all(self) -> None:
        if self._block is None:
            self._block = dict(self._session)
        keep = {k: v for k, v in self._session.items() if k in _WHO}
        self._session, self._local = keep, {}
        for before in self._functions:
            before.clear()
        self._renew()

    # --- functions -------------------------------------------------------------------------

    def enter(self, acting: str, settings: Iterable[tuple[str, str]]) -> None:
        """A function begins that acts as somebody, with settings of its own: local ones, until `leave`."""
        before: dict[str, str | None] = {}
        try:
            for name, value in settings:
                key, canonical = self._check(name, value)
                if key not in GUCS:
                    self._custom.add(key)
                before[key] = self._local.get(key)
                self._local[key] = canonical
        finally:  # what `leave` puts back, also where a value is refused that was taken once
            self._functions.append(before)
            self.acting = acting
        self._renew()

    def leave(self, acting: str) -> None:
        """It has ended. What it has SET itself stays, and SET LOCAL of other settings too; its own are what they were."""
        self.acting = acting
        for key, value in self._functions.pop().items():
            if value is None:
                self._local.pop(key, None)
            else:
                self._local[key] = value
        self._renew()

    # --- transactions ----------------------------------------------------------------------

    def commit(self) -> bool:
        """The transaction ended well: local values go, session values stay. Whether there were any of either."""
        if self._block is None and not self._local and not self._savepoints:
            return False
        self._block = None
        self._local = {}
        self._savepoints.clear()
        self._renew()
        return True

    def rollback(self) -> bool:
        if self._block is None and not self._local and not self._savepoints:
            return False
        if self._block is not None:
            self._session = self._block
        self._block = None
        self._local = {}
        self._savepoints.clear()
        self._renew()
        return True

    def savepoint(self) -> int:
        """Remembers the values. Returns the mark for `rollback_to` and `release`."""
        functions = [before.copy() for before in self._functions]
        self._savepoints.append((dict(self._session), dict(self._local), functions))
        return len(self._savepoints) - 1

    def rollback_to(self, mark: int) -> bool:
        """The values of then. Whether any is another one by it."""
        session, local, functions = self._savepoints[mark]
        for before, then in zip(self._functions, functions, strict=False):
            before.clear()
            before.update(then)
        del self._savepoints[mark + 1 :]
        if self._session == session and self._local == local:
            return False
        if self._block is None:
            self._block = dict(self._savepoints[0][0])
        self._session, self._local = dict(session), dict(local)
        self._renew()
        return True

    def release(self, mark: int) -> None:
        del self._savepoints[mark:]

    # --- inside ----------------------------------------------------------------------------

    def _changeable(self, key: str) -> None:
        guc = GUCS.get(key)
        if guc is None or guc.context in ("user", "superuser"):
            return
        raise ExecutionError("55P02", f'parameter "{guc.name}" {_FIXED[guc.context]}')

    def _check(self, name: str, value: str, *, startup: bool = False) -> tuple[str, str]:
        key = name.lower()
        guc = GUCS.get(key)
        if guc is None:
            if "." not in key:
                raise unknown_setting(name)
            if not re.fullmatch(r"[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)+", key):
                raise ExecutionError(
                    "42602",
                    f'invalid configuration parameter name "{name}"',
                    detail="Custom parameter names must be two or more simple identifiers separated by dots.",
                )
            if (prefix := key.partition(".")[0]) in self._taken and key not in self._reset:
                raise ExecutionError(
                    "42602",
                    f'invalid configuration parameter name "{name}"',
                    detail=f'"{prefix}" is a reserved prefix.',
                )
            return key, value
        if not (startup and guc.context in ("backend", "superuser-backend")):
            self._changeable(key)
        if key == "session_authorization" and value.lower() == "default":
            return key, self.user
        if key == "tidewire.as_of":
            return key, self._parse_as_of(guc, value)
        return key, canonical_value(guc, value, "ISO, MDY" if startup else self.raw("datestyle"))

    def _parse_as_of(self, guc: Guc, value: str) -> str:
        """A time, a snapshot's name or a timestamp of the log; kept as the last, which nothing reinterprets."""
        text = value.strip()
        if not text:
            return ""
        if SNAPSHOT_NAME.fullmatch(text):
            text = str(int(text[:16], 16))
        types = getattr(self, "types", None) or TypeSettings()
        ts = int(text) if text.isdigit() else input_text(text, TypeRef(TIMESTAMPTZ), types)
        if not 0 <= ts < 1 << 62:
            raise invalid(guc, value, "A finite time since 1970 is needed.")
        return str(ts)

    def _renew(self) -> None:
        raw = self.raw
        as_of = raw("tidewire.as_of")
        self.as_of = int(as_of) if as_of else None
        self.isolation = raw("default_transaction_isolation")
        self.read_only = raw("default_transaction_read_only") == "on"
        self.replica = raw("session_replication_role") == "replica"
        self.deferrable = raw("default_transaction_deferrable") == "on"
        self.execution_engine = raw("execution_engine")
        self.distributed_min_bytes = int(raw("distributed_min_size")) << 20
        self.escapes_in_strings = raw("standard_conforming_strings") == "off"
        self.statement_timeout_ms = int(raw("statement_timeout"))
        self.lock_timeout_ms = int(raw("lock_timeout"))
        self.duration_logged_ms = 0 if raw("log_duration") == "on" else int(raw("log_min_duration_statement"))
        self.idle_in_transaction_timeout_ms = int(raw("idle_in_transaction_session_timeout"))
        self.idle_session_timeout_ms = int(raw("idle_session_timeout"))
        self.looks_after_client = bool(int(raw("client_connection_check_interval")))
        self.transaction_timeout_ms = int(raw("transaction_timeout"))
        role = raw("role")
        user = self.acting or (role if role != "none" else raw("session_authorization"))
        self.row_security = self.raw("row_security") == "on"
        self.search_path = tuple(
            user if n == "$user" else n for n in split_identifiers(raw("search_path")) if n
        )
        names = self.reg_names(self.search_path) if self.reg_names is not None else None
        self.types = TypeSettings(
            date_style=raw("datestyle"),
            interval_style=raw("intervalstyle"),
            time_zone=raw("timezone"),
            extra_float_digits=int(raw("extra_float_digits")),
            bytea_output=raw("bytea_output"),
            client_encoding=raw("client_encoding"),
            reg_output=names.output if names is not None else None,
            reg_input=names.input if names is not None else None,
        )
        reported = getattr(self, "_reported", None)
        if reported is not None:
            for name in REPORTED:
                now = self.show(name)
                if reported[name] != now:
                    self._note(name, reported[name], now)
                    reported[name] = now

    def _note(self, name: str, before: str, now: str) -> None:
        """The client hears of it when it is its turn, unless all is by then as it has heard."""
        for pending in self.changes:
            if pending[0] == name:
                self.changes.remove(pending)
                break
        else:
            self._told[name] = before
        if now != self._told[name]:
            self.changes.append((name, now))
            self.changes.sort(key=lambda change: change[0].lower())


_OWN = (
    "_session",
    "_local",
    "_savepoints",
    "changes",
    "_functions",
    "_reported",
    "_custom",
    "_taken",
    "_told",
)
"""What a session changes in place."""
_ALIKE = tuple(name for name in Settings.__slots__ if name not in _OWN)
_alike = attrgetter(*_ALIKE)
_ran = deque[None](maxlen=0).extend


def require_names(key: str, value: str, canonical: str) -> None:
    """Raises 22023 for a name of what is not there."""
    if key not in _NAMING or canonical in _NAMING[key][1]:
        return
    if key == "default_table_access_method" and value in INDEX_METHODS:
        raise ExecutionError("42809", f'access method "{value}" is not of type TABLE')
    raise ExecutionError(
        "22023",
        f'invalid value for parameter "{key}": "{value}"',
        detail=f'{_NAMING[key][0]} "{value}" does not exist.' if value else f"{key} cannot be empty.",
    )


def join_list(values: Iterable[str]) -> str:
    """How a list setting such as `search_path` keeps the names of SET: quoted where they must be."""
    return ", ".join(
        v if re.fullmatch(r"[a-z_][a-z0-9_$]*|[0-9]+", v) else '"' + v.replace('"', '""') + '"'
        for v in values
    )
