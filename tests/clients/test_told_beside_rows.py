"""What the extended protocol tells beside rows, alike on PostgreSQL and here: the parameters' types, each column's type, modifier and home,
errors, settings that a statement has changed, and what a value means that is sent beside its text.

Each step is prepared, described, and executed with its values, whatever psql would have written into the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import psycopg
import pytest
from psycopg import pq
from psycopg.conninfo import make_conninfo

from tests.server.process import ServerProcess

Step: TypeAlias = str | tuple[str, Sequence[str | None]]
STATUSES = (b"is_superuser", b"session_authorization", b"DateStyle", b"TimeZone", b"IntervalStyle")
FIELDS = (
    pq.DiagnosticField.SQLSTATE,
    pq.DiagnosticField.MESSAGE_PRIMARY,
    pq.DiagnosticField.MESSAGE_DETAIL,
    pq.DiagnosticField.STATEMENT_POSITION,
)

SESSIONS: dict[str, Sequence[Step]] = {
    "who acts is told whenever it changes": (
        "CREATE ROLE told_beside_rows LOGIN",
        "SET ROLE told_beside_rows",
        "SHOW is_superuser",
        "RESET ALL",
        "SELECT current_setting('is_superuser'), current_user",
        "RESET ROLE",
        "BEGIN",
        "SET LOCAL SESSION AUTHORIZATION told_beside_rows",
        "SELECT current_setting('is_superuser')",
        "ROLLBACK",
        "BEGIN",
        "SAVEPOINT s",
        "SELECT set_config('role', 'told_beside_rows', false)",
        "SHOW is_superuser",
        "ROLLBACK TO s",
        "COMMIT",
        "SHOW is_superuser",
        "SET SESSION AUTHORIZATION told_beside_rows",
        "SET SESSION AUTHORIZATION DEFAULT",
        "SET ROLE told_beside_rows",
        "DISCARD ALL",
        "SHOW is_superuser",
        "DROP ROLE told_beside_rows",
    ),
    "settings that functions have for themselves are not told": (
        "CREATE FUNCTION pg_temp.in_german(date) RETURNS text LANGUAGE plpgsql SET datestyle = german AS 'BEGIN RETURN $1::text; END'",
        ("SELECT pg_temp.in_german($1), $1::text", ["2020-01-31"]),
        "DO $$ BEGIN SET datestyle = sql; SET datestyle = iso; SET timezone = 'Asia/Tokyo'; END $$",
        "RESET timezone",
    ),
    "system columns are of their table": (
        "CREATE TEMP TABLE homes (a int, b text)",
        "INSERT INTO homes VALUES (1, 'x') RETURNING tableoid = 'homes'::regclass, a",
        "SELECT x.ctid, x.a FROM (SELECT ctid, a FROM homes) x WHERE a = 0",
        "SELECT a, h.ctid, ctid::text, max(a) OVER () FROM homes h WHERE a = 0",
        "SELECT ctid FROM homes WHERE a = 0 UNION SELECT ctid FROM homes WHERE a = 0",
    ),
    "lists of varying texts are of texts": (
        "CREATE TABLE v (v varchar(10) PRIMARY KEY, w varchar(10)[], c char(3), n name)",
        "INSERT INTO v VALUES ('a', '{x}', 'c', 'n'), ('b', NULL, 'd', 'm')",
        ("SELECT v FROM v WHERE v = ANY($1)", ["{a,c}"]),
        ("SELECT v FROM v WHERE v <> ALL($1) AND c = ANY($2) AND n = ANY($3)", ["{a}", "{d}", "{m,n}"]),
        ("SELECT v FROM v WHERE v LIKE ANY($1) AND w && $2", ["{a%}", "{x}"]),
        ("UPDATE v SET w = $2 WHERE v = ANY($1) RETURNING *", ["{a}", "{y}"]),
        ("DELETE FROM v WHERE v = ANY($1) RETURNING v", ["{b}"]),
        "DROP TABLE v",
    ),
    "procedures are called with numbers": (
        "CREATE PROCEDURE halved(INOUT n numeric) LANGUAGE plpgsql AS 'BEGIN n := n / 2; END'",
        ("CALL halved($1)", ["5"]),
        ("CALL halved($1)", ["5.25"]),
        ("CALL halved($1)", [None]),
        ("CALL halved($1 + $2)", ["1.5", "2"]),
        "DROP PROCEDURE halved",
    ),
    "columns of views that were written are the views'": (
        "CREATE TABLE written (id int PRIMARY KEY, name text, n int DEFAULT 3)",
        "CREATE VIEW seen AS SELECT upper(name) AS loud, n * 2 AS twice, id, name AS called FROM written",
        ("INSERT INTO seen (id, called) VALUES ($1, $2) RETURNING id, called, loud, twice, id + 1", ["1", "a"]),
        ("UPDATE seen s SET called = $1 WHERE id = $2 RETURNING *", ["b", "1"]),
        ("UPDATE seen s SET called = w.name FROM written w WHERE w.id = s.id RETURNING s.id, s.called AS c, w.name, w.*, s.loud", []),
        ("DELETE FROM seen WHERE id = $1 RETURNING seen.id, seen.twice", ["1"]),
        "DROP VIEW seen",
        "DROP TABLE written",
    ),
    "what is given to a domain is read as the domain's": (
        "CREATE DOMAIN three AS varchar(3)",
        "CREATE DOMAIN four AS numeric(4, 1)",
        ("SELECT $1::three", ["abcdef"]),
        ("SELECT $1::three, $2::four", ["abc", "1.26"]),
        ("SELECT $1::four", ["12345"]),
        ("SELECT $1::text::three, $2::varchar(3), 'abcdef'::three", ["abcdef", "abcdef"]),
        "DROP DOMAIN three, four",
    ),
    "now is the transaction's": (
        "CREATE TEMP TABLE told (at timestamptz, local timestamp, day date, daytime time, n int)",
        "BEGIN",
        ("INSERT INTO told VALUES ($1, $2, $3, $4, $5)", ["now", "now", "today", "now", "1"]),
        "SELECT pg_sleep(0.01)",
        ("INSERT INTO told VALUES ($1, $2, $3, $4, $5)", ["now", "Now", "tomorrow", "now", "2"]),
        ("INSERT INTO told (at) VALUES ($1)", ["now"]),
        ("INSERT INTO told (at) VALUES ($1)", ["now"]),
        "SELECT count(DISTINCT at), count(DISTINCT local), count(DISTINCT daytime), max(day) - min(day), bool_and(at = now()) FROM told",
        ("SELECT $1::timestamptz = now(), $2::date = current_date, $3::timestamp[] = ARRAY[now()::timestamp]", ["now", "today", "{now}"]),
        "COMMIT",
    ),
}  # fmt: skip


USERS_OIDS_MIN = 16384


def names_of(c: psycopg.Connection[tuple[object, ...]], oids: Sequence[int], catalog: str) -> list[object]:
    """System objects by their numbers, users' by their names."""
    named: list[object] = []
    for oid in oids:
        made = oid >= USERS_OIDS_MIN and c.info.transaction_status != pq.TransactionStatus.INERROR
        named.append(c.execute(f"SELECT {oid}::{catalog}::text").fetchone() if made else oid)
    return named


def columns(c: psycopg.Connection[tuple[object, ...]], result: pq.abc.PGresult) -> list[tuple[object, ...]]:
    each = range(result.nfields)
    types = names_of(c, [result.ftype(i) for i in each], "regtype")
    homes = names_of(c, [result.ftable(i) for i in each], "regclass")
    return [(result.fname(i), types[i], result.fmod(i), homes[i], result.ftablecol(i)) for i in each]


def told(dsn: str, steps: Sequence[Step]) -> list[object]:
    out: list[object] = []
    with psycopg.connect(dsn, autocommit=True) as c:
        for step in steps:
            text, values = (step, ()) if isinstance(step, str) else step
            out.append(text)
            result = c.pgconn.prepare(b"", text.encode())
            if result.status == pq.ExecStatus.COMMAND_OK:
                plan = c.pgconn.describe_prepared(b"")
                result = c.pgconn.exec_prepared(b"", [None if v is None else v.encode() for v in values])
                if plan.status == pq.ExecStatus.COMMAND_OK:
                    out.append(names_of(c, [plan.param_type(i) for i in range(plan.nparams)], "regtype"))
                    out.append(columns(c, plan))
                width = range(result.nfields)
                out.append([[result.get_value(r, i) for i in width] for r in range(result.ntuples)])
            out.append([result.error_field(f) for f in FIELDS])
            out.append([c.pgconn.parameter_status(name) for name in STATUSES])
    return out


@pytest.fixture(scope="module")
def theirs(postgres: str) -> str:
    """PostgreSQL for a superuser who is called there what he is called here."""
    with psycopg.connect(postgres, autocommit=True) as c:
        if c.execute("SELECT current_user").fetchall() != [("tidewire",)]:
            c.execute("CREATE ROLE tidewire SUPERUSER LOGIN")
    return make_conninfo(postgres, user="tidewire", options="-c timezone=UTC")


@pytest.mark.parametrize("name", SESSIONS)
def test_told_alike(server: ServerProcess, theirs: str, name: str) -> None:
    here = f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire"
    assert told(here, SESSIONS[name]) == told(theirs, SESSIONS[name])
