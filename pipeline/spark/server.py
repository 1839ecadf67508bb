"""The server, as Spark's driver and tasks talk to it: a Postgres connection, and errors that say the cause first.

    options    url                                    postgresql://user:password@host:port/database
               host, port, user, password, database   instead of the URL, or over what it says

Errors become `TidewireError`: the server's message, SQLSTATE, detail and hint in one text, and no chain of
tracebacks of drivers before it. Passwords are never part of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg

DEFAULT_URL = "postgresql://tidewire@127.0.0.1:5488/tidewire"
CONNECT_TIMEOUT_S = 30


class TidewireError(RuntimeError):
    """Why a job cannot go on. `sqlstate` is the server's, where it was the server that said so."""

    def __init__(self, message: str, sqlstate: str = "") -> None:
        super().__init__(message)
        self.sqlstate = sqlstate

    def __reduce__(self) -> tuple[Any, ...]:
        return TidewireError, (str(self), self.sqlstate)


def url_of(options: Mapping[str, str]) -> str:
    """A connection string from the options of a source. Raises TidewireError."""
    given = options.get("url", "")
    if given.startswith("jdbc:"):
        raise TidewireError('option "url" is a JDBC URL; here it is postgresql://user@host:port/database')
    parts = {"host": "host", "port": "port", "user": "user", "password": "password", "database": "dbname"}
    named = {parameter: options[name] for name, parameter in parts.items() if options.get(name)}
    if not named:
        return given or DEFAULT_URL
    try:
        return psycopg.conninfo.make_conninfo(given, **named)
    except psycopg.Error as e:
        raise TidewireError(f'option "url" is no connection string: {str(e).strip()}') from None


def explained(error: psycopg.Error) -> TidewireError:
    """The server's own words."""
    diag = error.diag
    lines = [diag.message_primary or str(error).strip() or type(error).__name__]
    if diag.message_detail:
        lines.append(f"DETAIL: {diag.message_detail}")
    if diag.message_hint:
        lines.append(f"HINT: {diag.message_hint}")
    text = "\n".join(lines)
    state = error.sqlstate or ""
    return TidewireError(f"{text} (SQLSTATE {state})" if state else text, state)


@contextmanager
def connected(url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection of its own, in autocommit. Raises TidewireError for whatever the server or the network says."""
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S) as connection:
            yield connection
    except psycopg.Error as e:
        raise explained(e) from None


def ask(url: str, text: str, *params: Any) -> Any:
    """The only value of a query's only row."""
    with connected(url) as connection:
        row = connection.execute(text, params).fetchone()
        assert row is not None
        return row[0]


def ask_json(url: str, text: str, *params: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ask(url, text, *params))
    return found


def qualified(table: str) -> str:
    """A table's name as SQL takes it, given as people write it: `orders`, `sales.orders`, `"Odd name"`."""
    from planner.catalog import quote_identifier
    from planner.catalog.names import split_name

    schema, name = split_name(table)
    return f"{quote_identifier(schema)}.{quote_identifier(name)}" if schema else quote_identifier(name)
