"""What `SessionValue`s in a query's text stand for: what the session knows when the query runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError
from executor.session import commands, restricted, text_search
from planner.abc import SqlError
from planner.catalog import rights
from planner.types.timezones import icu_name, session_zone
from storage.abc import Datum, Timestamp

if TYPE_CHECKING:
    from executor.session.session import Session


def _schema(session: Session) -> str | None:
    own = session.temporary_schema
    if session.named_path()[:1] == (own,):  # whoever asks for it would have it made
        return own
    return next(iter(_present(session)), None)


def _present(session: Session) -> list[str]:
    """The schemas of the path that exist, and that the user may use."""
    path = rights.usable(session.catalog, session.user, session.named_path())
    return [n for n in path if session.catalog.find_schema(n) is not None]


def _looked_through(session: Session) -> list[str]:
    """All schemas in which names are looked up, those too that the path does not name."""
    path = [n for n in session.search_path() if session.catalog.find_schema(n) is not None]
    if "pg_catalog" not in path:
        path.insert(int(path[:1] == [session.temporary_schema]), "pg_catalog")
    return path


def _asking(session: Session) -> int:
    """Who asks for routines: the statement that waits for them, or another in the course of which a query runs that does."""
    asking = session.asking
    if asking is not None and asking.depth == session.routine_depth:
        return int(asking.number)
    return -1 - session.routine_depth


def _end(of: tuple[str, int] | str, part: int) -> Datum:
    """Address (0) or port (1) of one end of the connection; NULL of those over a socket of the file system."""
    return of[part] if isinstance(of, tuple) else None


_QUERIES = itertools.count(1)


def _number(session: Session, ts: Timestamp) -> int:
    """The transaction's number, which it has from now on. That of a query by itself is over behind what the query reads."""
    numbers, block = session.executor.numbers, session.block
    if block is None:
        began_us, number = session.numbered
        if began_us != session.transaction_began_us():
            number = numbers.begin(session.pid)
            numbers.end(number, ts + 1)
            session.numbered = session.transaction_began_us(), number
        return number
    if not block.number:
        block.number = numbers.begin(session.pid)
    return block.number


def _number_if_any(session: Session, ts: Timestamp) -> int | None:
    block = session.block
    return _number(session, ts) if block is not None and (block.number or block.has_written) else None


def _snapshot(session: Session, ts: Timestamp) -> str:
    """Raises 0A000 where other servers have transactions under way."""
    if session.executor.frontier is not None:
        raise ExecutionError("0A000", "pg_current_snapshot() on one of several servers is not supported")
    return session.executor.numbers.snapshot(ts)


def statement_us(session: Session) -> int:
    """When the client's statement began: not before its transaction did, but for one that has ended transactions."""
    began_ns, at_us = session.statement_before
    if began_ns == session.statement_began_ns:
        return at_us
    return max(session.statement_began_ns // 1000, session.transaction_began_us())


def _json_look(session: Session) -> str:
    """What values look like in JSON depends on: the zone and, where they are not as many as it takes, the digits of floats."""
    settings = session.type_settings
    digits = settings.extra_float_digits
    return settings.time_zone if digits > 0 else f"{settings.time_zone}\n{digits}"


_VALUES: dict[str, Callable[[Any], Datum]] = {
    "now": lambda s: s.transaction_began_us(),
    "statement_timestamp": statement_us,
    "started_at": lambda s: s.executor.started_us,
    "loaded_at": lambda s: s.executor.loaded_us,
    "current_user": lambda s: s.user,
    "session_user": lambda s: s.settings.raw("session_authorization"),
    "user": lambda s: s.user,
    "current_role": lambda s: s.user,
    "current_database": lambda s: s.database,
    "current_catalog": lambda s: s.database,
    "current_schema": _schema,
    "search_path": _present,
    "search_path_all": _looked_through,
    "time_zone": lambda s: s.type_settings.time_zone,
    "time_zone_icu": lambda s: icu_name(session_zone(s.type_settings.time_zone)),
    "json_look": _json_look,
    "pid": lambda s: s.pid,
    "seeded": lambda s: s.chance is not None,
    "channels": lambda s: list(s.channels),
    "query_text": lambda s: s.statement_text,
    "query": lambda _s: next(_QUERIES),
    "client_addr": lambda s: _end(s.peer, 0),
    "client_port": lambda s: _end(s.peer, 1),
    "server_addr": lambda s: _end(s.local, 0),
    "server_port": lambda s: _end(s.local, 1),
    "asking": _asking,
    "catalog_ref": lambda s: s.executor.system.seen.of(s).ref,
    "backend_pid": lambda s: s.pid,
    "trigger_depth": lambda s: s.trigger_depth,
    "version": lambda s: f"PostgreSQL {s.settings.show('server_version')}",
    "row_locks": lambda s: len(s.executor.env.locks),
}
_AT_TIMES: dict[str, Callable[[Any, Timestamp], Datum]] = {
    "read_ts": lambda _s, ts: ts,
    "txid": _number,
    "txid_if_numbered": _number_if_any,
    "snapshot": _snapshot,
}
"""What depends on the timestamp at which the statement reads."""


def session_value(session: Session, name: str, ts: Timestamp) -> Datum:
    """The datum of a session value. Raises 0A000 for a name that nobody has taught it."""
    if name.startswith("setting:"):
        return commands.show_value(session, name.removeprefix("setting:"))
    if name.startswith("setting_or_null:"):
        try:
            return commands.show_value(session, name.removeprefix("setting_or_null:"))
        except SqlError:
            return None
    if name in _AT_TIMES:
        return _AT_TIMES[name](session, ts)
    if name.startswith("text_search"):
        return text_search.definition(session, name.removeprefix("text_search"))
    if name.startswith("row_security:"):
        return restricted.told_of(session, name.removeprefix("row_security:"))
    value = _VALUES.get(name)
    if value is None:
        raise ExecutionError("0A000", f"session value {name} is not supported")
    return value(session)
