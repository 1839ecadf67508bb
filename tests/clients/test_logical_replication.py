"""PostgreSQL subscribes to us: what is written here is there, whatever happens to tables and servers meanwhile.

The follower is a real one: CREATE SUBSCRIPTION of a PostgreSQL, `pg_recvlogical`, psycopg2's replication connection.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.postgres import NoPostgres, postgres_bin, running_postgres
from tests.server.process import ServerProcess, wait_until

TABLES = """
CREATE TABLE beats (n int PRIMARY KEY);
CREATE TABLE t (id int PRIMARY KEY, name text, email text UNIQUE);
CREATE TABLE k (a int, b numeric(8, 2));
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE w (id int PRIMARY KEY, ts timestamptz, d date, j jsonb, arr int[], by bytea, m mood, f float8, iv interval, bo bool,
  g int GENERATED ALWAYS AS (3) STORED, num numeric, ch char(5), tr int4range);
"""
T, K, W = "TABLE t ORDER BY id", "TABLE k ORDER BY a, b", "TABLE w ORDER BY id"


class Hasty(ServerProcess):
    """`tests.server.hasty`: what is kept for an hour elsewhere it keeps for a fifth of a second."""

    def command(self) -> list[str]:
        return [sys.executable, "-m", "tests.server.hasty", *super().command()[3:]]


@dataclass
class Pair:
    """A publisher, which is ours, and a subscriber."""

    server: ServerProcess
    here: psycopg.Connection[Any]
    there: psycopg.Connection[Any]

    def both(self, *statements: str) -> None:
        for statement in statements:
            self.there.execute(statement.encode())
            self.here.execute(statement.encode())

    def run(self, *statements: str) -> None:
        for statement in statements:
            self.here.execute(statement.encode())

    def same(self, *queries: str) -> None:
        """Waits until the subscriber has everything, and compares."""
        (n,) = self.here.execute("INSERT INTO beats SELECT count(*) FROM beats RETURNING n").fetchone() or (
            0,
        )
        copied = "SELECT count(*) FROM pg_subscription_rel WHERE srsubstate <> 'r'"
        wait_until(lambda: self.there.execute(copied.encode()).fetchone() == (0,))
        wait_until(lambda: self.there.execute("SELECT 1 FROM beats WHERE n = %s", (n,)).fetchone())
        for query in queries:
            assert (
                self.there.execute(query.encode()).fetchall() == self.here.execute(query.encode()).fetchall()
            )

    def subscribe(self, name: str, publications: str = "p", options: str = "") -> None:
        host, port, user = self.here.info.host, self.here.info.port, self.here.info.user
        self.there.execute(
            f"CREATE SUBSCRIPTION {name} CONNECTION 'host={host} port={port} user={user} dbname={self.here.info.dbname}'"
            f" PUBLICATION {publications} {options}".encode()
        )

    def restart(self) -> None:
        self.server.kill()
        self.server.start()
        self.here = self.server.connect(autocommit=True)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    try:
        with (
            running_postgres(
                {"fsync": "off", "timezone": "UTC", "wal_retrieve_retry_interval": "100ms"}
            ) as dsn,
            psycopg.connect(dsn, autocommit=True) as there,
            ServerProcess(tmp_path / "data") as server,
        ):
            made = Pair(server, server.connect(autocommit=True), there)
            made.both(TABLES)
            made.run("ALTER TABLE k REPLICA IDENTITY FULL", "CREATE PUBLICATION p FOR TABLE beats, t, k, w")
            yield made
            for (name,) in there.execute("SELECT subname FROM pg_subscription").fetchall():
                there.execute(f"ALTER SUBSCRIPTION {name} DISABLE".encode())
                there.execute(f"ALTER SUBSCRIPTION {name} SET (slot_name = NONE)".encode())
                there.execute(f"DROP SUBSCRIPTION {name}".encode())
            made.here.close()
            assert server.unexpected() == [], "the log tells of defects"
    except NoPostgres as e:
        pytest.skip(str(e))


def test_rows_that_are_there_and_rows_that_come(pair: Pair) -> None:
    pair.run(
        "INSERT INTO t SELECT i, 'n' || i, 'e' || i FROM generate_series(1, 1000) i",
        "INSERT INTO k SELECT i, i * 1.5 FROM generate_series(1, 1000) i",
    )
    pair.subscribe("s")
    pair.same(T, K)
    pair.run(
        "BEGIN; UPDATE t SET name = 'sieben' WHERE id = 7; DELETE FROM k WHERE a <= 500; UPDATE k SET b = b + 1 WHERE a > 900; COMMIT",
        "UPDATE t SET id = id + 10000 WHERE id > 990",
        "BEGIN; SAVEPOINT a; INSERT INTO t VALUES (6000, 'no'); ROLLBACK TO a; INSERT INTO t VALUES (6001, 'yes'); COMMIT",
        "BEGIN; INSERT INTO t VALUES (6002, 'never'); ROLLBACK",
        """INSERT INTO w (id, ts, d, j, arr, by, m, f, iv, bo, num, ch, tr) VALUES
           (1, '2020-01-01 12:00+02', 'infinity', '{"a": [1, 2.50, null]}', '{1,NULL,3}', '\\x00ff', 'happy', 1e-300, '1 mon 2 days 3.5 s', true,
            'NaN', 'ab', '[1,5)'),
           (2, NULL, '-infinity', 'null', '{}', '', 'sad', 'Infinity', '-1 year', false, 123456789012345678901234567890.12345, '', NULL),
           (3, 'infinity', '0044-03-15 BC', NULL, NULL, NULL, NULL, 'NaN', NULL, NULL, 1.10, NULL, 'empty')""",
    )
    pair.same(T, K, "SELECT w::text FROM w ORDER BY id")
    pair.run(
        "DELETE FROM k WHERE a = 501",
        "UPDATE k SET b = NULL WHERE a = 502",
        "UPDATE w SET m = 'sad', j = '[]' WHERE id = 1",
    )
    pair.same(K, "SELECT w::text FROM w ORDER BY id")


def test_unique_values_that_change_hands_in_one_transaction(pair: Pair) -> None:
    pair.run("INSERT INTO t VALUES (1, 'a', 'one'), (2, 'b', 'two'), (3, 'c', 'three')")
    pair.subscribe("s")
    pair.same(T)
    pair.run(
        "BEGIN; UPDATE t SET email = 'x' WHERE id = 1; UPDATE t SET email = 'one' WHERE id = 2; UPDATE t SET email = 'two' WHERE id = 1; COMMIT",
        "BEGIN; DELETE FROM t WHERE id = 3; INSERT INTO t VALUES (30, 'x', 'three'); COMMIT",
        "BEGIN; DELETE FROM t WHERE id = 30; INSERT INTO t VALUES (4, 'x', 'three'); COMMIT",
        "BEGIN; UPDATE t SET id = 100 WHERE id = 1; UPDATE t SET id = 1 WHERE id = 4; UPDATE t SET id = 4 WHERE id = 100; COMMIT",
    )
    pair.same(T)


def test_truncate(pair: Pair) -> None:
    pair.run("INSERT INTO k VALUES (1, 1), (2, 2)")
    pair.subscribe("s")
    pair.same(K)
    pair.run(
        "BEGIN; INSERT INTO k VALUES (9, 9); TRUNCATE k; INSERT INTO k VALUES (1, 1), (1, 1), (2, NULL); COMMIT"
    )
    pair.same(K)
    pair.run("TRUNCATE k, t")
    pair.same(K, T)


def test_tables_that_are_defined_anew(pair: Pair) -> None:
    """In one transaction with changes of their rows, of which each has to arrive."""
    pair.run("INSERT INTO t SELECT i, 'n' || i FROM generate_series(1, 60) i")
    pair.subscribe("s")
    pair.same(T)
    pair.there.execute("ALTER TABLE t ADD COLUMN c int DEFAULT 5")
    pair.run(
        "BEGIN; INSERT INTO t VALUES (100, 'before'); ALTER TABLE t ADD COLUMN c int DEFAULT 5; INSERT INTO t VALUES (101, 'behind', NULL, 10);"
        " UPDATE t SET c = 77 WHERE id = 8; DELETE FROM t WHERE id = 9; COMMIT",
        "INSERT INTO t VALUES (102, 'later', 'e', 11)",
    )
    pair.same(T)
    pair.there.execute("ALTER TABLE t ADD COLUMN d text")
    pair.run(
        "BEGIN; UPDATE t SET name = 'zz' WHERE id = 8; ALTER TABLE t ADD COLUMN d text; UPDATE t SET d = 'dd' WHERE id < 5;"
        " DELETE FROM t WHERE id = 10; COMMIT",
        "UPDATE t SET d = 'ee' WHERE id = 11",
    )
    pair.same(T)
    pair.there.execute("ALTER TABLE t ALTER c TYPE bigint")
    pair.run(
        "BEGIN; UPDATE t SET c = c + 1 WHERE id < 5; ALTER TABLE t ALTER COLUMN c TYPE bigint; UPDATE t SET c = c * 2 WHERE id < 50;"
        " INSERT INTO t VALUES (103, 'aa'); COMMIT"
    )
    pair.same(T)
    pair.there.execute("ALTER TABLE t ALTER id TYPE bigint")
    pair.run(
        "BEGIN; ALTER TABLE t ALTER COLUMN id TYPE bigint; UPDATE t SET c = 1 WHERE id < 3; INSERT INTO t VALUES (104); COMMIT"
    )
    pair.same(T)
    pair.there.execute("ALTER TABLE t RENAME name TO title")
    pair.run(
        "BEGIN; ALTER TABLE t RENAME name TO title; UPDATE t SET title = 'renamed' WHERE id = 12; COMMIT",
        "ALTER TABLE t DROP COLUMN d",
        "UPDATE t SET title = 'dropped' WHERE id = 13",
    )
    pair.same("SELECT id, title, email, c FROM t ORDER BY id")


def test_a_follower_that_was_away_while_tables_came_and_went(pair: Pair) -> None:
    """It is told of rows as they were then, after the server was killed in between, too."""
    pair.run("INSERT INTO t VALUES (1, 'one')")
    pair.subscribe("s")
    pair.same(T)
    pair.there.execute("ALTER SUBSCRIPTION s DISABLE")
    pair.run(
        "INSERT INTO t SELECT i FROM generate_series(1000, 30000) i",
        "DELETE FROM t WHERE id >= 20000",
        "ALTER TABLE t ADD COLUMN q int",
        "UPDATE t SET q = 1 WHERE id = 1",
        "ALTER TABLE t DROP COLUMN q",
        "INSERT INTO t VALUES (2, 'two')",
        "CREATE TABLE late (id serial PRIMARY KEY, x text)",
        "INSERT INTO late (x) VALUES ('unpublished')",
        "ALTER PUBLICATION p ADD TABLE late",
        "INSERT INTO late (x) VALUES ('published')",
    )
    pair.there.execute("CREATE TABLE late (id serial PRIMARY KEY, x text)")
    pair.restart()
    pair.there.execute("ALTER TABLE t ADD COLUMN q int")
    pair.there.execute("ALTER SUBSCRIPTION s ENABLE")
    pair.there.execute("ALTER SUBSCRIPTION s REFRESH PUBLICATION")
    pair.same("SELECT id, name, email FROM t ORDER BY id")
    wait_until(lambda: pair.there.execute("SELECT count(*) FROM late").fetchone() == (2,))
    assert pair.there.execute("SELECT id, q FROM t WHERE q IS NOT NULL").fetchall() == [(1, 1)]


def test_nothing_is_lost_and_nothing_comes_twice_when_servers_are_killed(pair: Pair) -> None:
    """Each row of a table without a key would be there twice if it were told twice and taken twice."""
    pair.subscribe("s")
    for round in range(3):
        for i in range(40):
            pair.run(
                f"INSERT INTO k VALUES ({round}, {i})", f"INSERT INTO t VALUES ({round * 1000 + i}, '{i}')"
            )
        pair.restart()
    pair.same(T, K)
    assert pair.here.execute("SELECT count(*) FROM k").fetchone() == (120,)


def test_a_server_that_stops_lets_its_followers_go(pair: Pair) -> None:
    pair.subscribe("s")
    pair.run("INSERT INTO t VALUES (1)")
    pair.same(T)
    assert pair.server.stop() == 0
    pair.server.start()
    pair.here = pair.server.connect(autocommit=True)
    pair.run("INSERT INTO t VALUES (2)")
    pair.same(T)


def test_what_publications_show_of_tables(pair: Pair) -> None:
    pair.both(
        "CREATE TABLE partly (id int PRIMARY KEY, visible bool, a text, b text)",
        "CREATE TABLE parted (id int PRIMARY KEY, x text)",
        "ALTER TABLE partly REPLICA IDENTITY FULL",
    )
    pair.run(
        "DROP TABLE parted",
        "CREATE TABLE parted (x text, id int PRIMARY KEY) PARTITION BY RANGE (id)",
        "CREATE TABLE part_1 (id int NOT NULL, x text)",
        "ALTER TABLE parted ATTACH PARTITION part_1 FOR VALUES FROM (0) TO (10)",
        "CREATE TABLE part_2 PARTITION OF parted DEFAULT",
        "CREATE PUBLICATION filtered FOR TABLE partly WHERE (visible AND id < 100)",
        "CREATE PUBLICATION whole FOR TABLE parted WITH (publish_via_partition_root)",
        "CREATE PUBLICATION inserts FOR TABLE t (id, email) WITH (publish = 'insert')",
        "CREATE PUBLICATION beat FOR TABLE beats",
    )
    pair.subscribe("s", "filtered, whole, inserts, beat")
    pair.run(
        "INSERT INTO partly VALUES (1, true, 'a', 'b'), (2, false, 'a', 'b'), (3, NULL, 'a', 'b'), (200, true, 'a', 'b')",
        "INSERT INTO parted VALUES ('one', 1), ('twelve', 12)",
        "INSERT INTO t VALUES (1, 'hidden', 'shown')",
    )
    pair.same(
        "SELECT * FROM partly WHERE visible AND id < 100 ORDER BY id", "SELECT id, x FROM parted ORDER BY id"
    )
    pair.run(
        "UPDATE partly SET visible = NOT visible",  # one goes out of sight, another comes into it
        "UPDATE partly SET b = 'c' WHERE id = 2",
        "UPDATE parted SET id = 13 WHERE id = 1",
        "DELETE FROM parted WHERE id = 12",
        "UPDATE t SET email = 'unseen'",
    )
    pair.same("SELECT id, x FROM parted ORDER BY id")
    assert pair.there.execute("SELECT * FROM partly").fetchall() == [(2, True, "a", "c")]
    assert pair.there.execute("SELECT * FROM t").fetchall() == [(1, None, "shown")]


def test_who_follows_is_listed_and_who_leaves_is_not(pair: Pair) -> None:
    pair.subscribe("s")
    pair.same(T)
    slots = "SELECT slot_name, plugin, slot_type, active, temporary, wal_status FROM pg_replication_slots"
    senders = "SELECT count(*) FROM pg_stat_replication WHERE application_name = 's' AND state = 'streaming'"
    wait_until(lambda: pair.here.execute(senders.encode()).fetchone() == (1,))
    assert pair.here.execute(slots.encode()).fetchall() == [
        ("s", "pgoutput", "logical", True, False, "reserved")
    ]
    with pytest.raises(psycopg.errors.ObjectInUse):
        pair.run("SELECT pg_drop_replication_slot('s')")
    place = pair.here.execute("SELECT confirmed_flush_lsn FROM pg_replication_slots").fetchone()
    pair.run("INSERT INTO t VALUES (1)")
    pair.same(T)
    wait_until(
        lambda: pair.here.execute("SELECT confirmed_flush_lsn FROM pg_replication_slots").fetchone() != place
    )
    pair.there.execute("DROP SUBSCRIPTION s")
    assert pair.here.execute(slots.encode()).fetchall() == []


def test_pg_recvlogical(pair: Pair, tmp_path: Path) -> None:
    program = shutil.which("pg_recvlogical") or str(postgres_bin() / "pg_recvlogical")
    if not Path(program).exists():
        pytest.skip("pg_recvlogical is not installed")
    environment = pair.server.client_environment()
    common = [program, "-d", pair.here.info.dbname, "--slot", "texts"]
    subprocess.run([*common, "--create-slot", "-P", "test_decoding"], env=environment, check=True, timeout=60)
    pair.run(
        "INSERT INTO t VALUES (1, 'it''s', NULL)", "UPDATE t SET name = 'uno'", "DELETE FROM t", "TRUNCATE k"
    )
    (end,) = pair.here.execute("SELECT pg_current_wal_lsn()::text").fetchone() or ("",)
    pair.run("INSERT INTO k VALUES (1, 2)")
    told = tmp_path / "told"
    follow = [*common, "--start", "--endpos", end, "-f", str(told), "-o", "include-xids=0", "-s", "1"]
    subprocess.run(follow, env=environment, check=True, timeout=120)
    assert told.read_text().splitlines() == [
        "BEGIN",
        "table public.t: INSERT: id[integer]:1 name[text]:'it''s' email[text]:null",
        "COMMIT",
        "BEGIN",
        "table public.t: UPDATE: id[integer]:1 name[text]:'uno' email[text]:null",
        "COMMIT",
        "BEGIN",
        "table public.t: DELETE: id[integer]:1",
        "COMMIT",
        "BEGIN",
        "table public.k: TRUNCATE: (no-flags)",
        "COMMIT",
    ]
    subprocess.run([*common, "--drop-slot"], env=environment, check=True, timeout=60)


def test_a_slot_keeps_history_and_one_that_is_given_up_does_not(tmp_path: Path) -> None:
    """With history kept for a fifth of a second the changes of a while ago are there for as long as somebody has not taken them."""
    with (
        Hasty(tmp_path / "data") as server,
        server.connect(autocommit=True) as c,
    ):
        c.execute("CREATE TABLE t (id int PRIMARY KEY)")
        c.execute("SELECT pg_create_logical_replication_slot('kept', 'test_decoding')")
        c.execute("INSERT INTO t VALUES (1)")
        c.execute("DELETE FROM t")
        time.sleep(4)
        read = "SELECT data FROM pg_logical_slot_get_changes('kept', NULL, NULL, 'include-xids', '0') WHERE data LIKE 'table%'"
        assert c.execute(read.encode()).fetchall() == [
            ("table public.t: INSERT: id[integer]:1",),
            ("table public.t: DELETE: id[integer]:1",),
        ]
        assert c.execute(read.encode()).fetchall() == []


def test_slots_go_with_their_database_unless_somebody_follows(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, server.connect(autocommit=True) as c:
        c.execute("CREATE DATABASE followed")
        with server.connect(dbname="followed", autocommit=True) as inside:
            inside.execute("SELECT pg_create_logical_replication_slot('inside', 'test_decoding')")
        c.execute("SELECT pg_create_logical_replication_slot('outside', 'test_decoding')")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            c.execute("SELECT * FROM pg_logical_slot_peek_changes('inside', NULL, NULL)")
        c.execute("DROP DATABASE followed")
        names = "SELECT slot_name FROM pg_replication_slots"
        wait_until(lambda: c.execute(names.encode()).fetchall() == [("outside",)])
        server.kill()
        server.start()
        with server.connect(autocommit=True) as again:
            assert again.execute(names.encode()).fetchall() == [("outside",)]


def test_physical_replication_is_of_no_database(tmp_path: Path) -> None:
    """What psycopg2's PhysicalReplicationConnection does: whatever database is named, the server says who it is, and speaks no SQL."""
    with ServerProcess(tmp_path / "data") as server:
        dsn = f"host={server.host} port={server.port} user=tidewire"
        with psycopg.connect(f"{dsn} dbname=replication replication=true", autocommit=True) as follower:
            said = follower.pgconn.exec_(b"IDENTIFY_SYSTEM")
            assert [said.fname(i) for i in range(4)] == [b"systemid", b"timeline", b"xlogpos", b"dbname"]
            assert said.get_value(0, 1) == b"1" and said.get_value(0, 3) is None
            refused = follower.pgconn.exec_(b"SELECT 1")
            assert b"cannot execute SQL commands in WAL sender" in refused.error_message
            with psycopg.connect(f"{dsn} dbname=tidewire") as other:
                listed = "SELECT datid, datname FROM pg_stat_activity WHERE pid = %s"
                assert other.execute(listed, (follower.info.backend_pid,)).fetchall() == [(None, None)]
        with pytest.raises(psycopg.OperationalError, match='database "replication" does not exist'):
            psycopg.connect(f"{dsn} dbname=replication replication=database")
