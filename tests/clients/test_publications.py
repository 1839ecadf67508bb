"""Publications and subscriptions as clients meet them: kept over restarts and in dumps, and asked of statements that are sent again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.clients.dumps import dumped, restored
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

MADE = r"""
CREATE SCHEMA a;
CREATE SCHEMA "B b";
CREATE TABLE a.t (id int PRIMARY KEY, "two words" text, n int);
CREATE TABLE "B b".u (x int, y int);
CREATE TABLE parted (k int) PARTITION BY LIST (k);
CREATE TABLE part PARTITION OF parted FOR VALUES IN (1);
SET client_min_messages = error;
CREATE PUBLICATION everything FOR ALL TABLES WITH (publish = 'insert');
CREATE PUBLICATION "Some of it" FOR TABLE a.t (id, "two words") WHERE (id > 5 AND "two words" <> 'it''s'), ONLY "B b".u;
CREATE PUBLICATION schemas FOR TABLES IN SCHEMA a, "B b", TABLE parted WHERE (k > 0) WITH (publish_via_partition_root);
CREATE PUBLICATION nothing WITH (publish = '');
COMMENT ON PUBLICATION nothing IS 'nobody';
ALTER TABLE "B b".u REPLICA IDENTITY FULL;
CREATE SUBSCRIPTION whole CONNECTION 'host=nowhere dbname=''it\''s''' PUBLICATION p, "Q q" WITH (connect = false, binary = on, two_phase = on);
CREATE SUBSCRIPTION slotless CONNECTION 'host=nowhere' PUBLICATION p WITH (connect = false, slot_name = NONE, streaming = on);
COMMENT ON SUBSCRIPTION whole IS 'all of it';
"""
SEEN = [
    "SELECT pubname, puballtables, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot, obj_description(oid, 'pg_publication')"
    " FROM pg_publication ORDER BY 1",
    "SELECT pubname, prrelid::regclass::text, prattrs::text, pg_get_expr(prqual, prrelid) FROM pg_publication_rel "
    "JOIN pg_publication p ON p.oid = prpubid ORDER BY 1, 2",
    "SELECT pubname, pnnspid::regnamespace::text FROM pg_publication_namespace JOIN pg_publication p ON p.oid = pnpubid ORDER BY 1, 2",
    "SELECT subname, subenabled, subbinary, substream, subtwophasestate, subconninfo, subslotname, subsynccommit, subpublications, "
    "obj_description(oid, 'pg_subscription') FROM pg_subscription ORDER BY 1",
    "SELECT * FROM pg_publication_tables WHERE schemaname IN ('a', 'B b', 'public') ORDER BY 1, 2, 3",
]


def seen(connection: psycopg.Connection[Any]) -> list[list[tuple[Any, ...]]]:
    return [connection.execute(query.encode()).fetchall() for query in SEEN]


@needs_psql
@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_a_dump_is_restored_in_postgres_and_here(server: ServerProcess) -> None:
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as there:
            if there.info.server_version // 10000 != 15:
                pytest.skip("pg_dump is compared with version 15")
            with server.connect() as here:
                here.execute("CREATE DATABASE published")
                here.execute("CREATE DATABASE published_again")
            with server.connect(dbname="published", autocommit=True) as ours:
                ours.execute(MADE)
                expected = seen(ours)
            assert len(expected[1]) == 3
            dump = dumped(server, "--no-owner", "-d", "published")
            # Both warn that nobody is told of anything.
            quiet = dump.replace("SET client_min_messages = warning", "SET client_min_messages = error")
            restored(server, quiet, "published_again", dsn)
            assert seen(there) == expected
            with server.connect(dbname="published_again") as copy:
                assert seen(copy) == expected
    except NoPostgres as e:
        pytest.skip(str(e))


def test_publications_are_there_after_a_restart(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        with server.connect(autocommit=True) as c:
            c.execute(MADE)
            expected = seen(c)
        server.stop()
        server.start()
        with server.connect(autocommit=True) as c:
            assert seen(c) == expected
            c.execute("CREATE TABLE bare (a int)")
            c.execute("CREATE PUBLICATION updates FOR TABLE bare")
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
                c.execute("UPDATE bare SET a = 1")


@pytest.mark.parametrize("in_block", [False, True])
def test_a_statement_that_is_sent_again_notices(server: ServerProcess, in_block: bool) -> None:
    """By key, prepared, in its lane: what was found out about it the first time no longer holds."""
    name = f"again_{in_block}".lower()
    statement = f"UPDATE {name} SET n = n + 1 WHERE id = %s".encode()
    with server.connect(autocommit=True) as one, server.connect(autocommit=True) as other:
        one.execute(f"CREATE TABLE {name} (id int PRIMARY KEY, n int)".encode())
        one.execute(f"ALTER TABLE {name} REPLICA IDENTITY NOTHING".encode())
        one.execute(f"INSERT INTO {name} VALUES (1, 0)".encode())

        def again() -> None:
            if in_block:
                with one.transaction():
                    one.execute(statement, (1,), prepare=True)
            else:
                one.execute(statement, (1,), prepare=True)

        for _ in range(8):
            again()
        other.execute(f"CREATE PUBLICATION p_{name} FOR TABLE {name}".encode())
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState) as caught:
            again()
        assert str(caught.value.diag.message_primary) == (
            f'cannot update table "{name}" because it does not have a replica identity and publishes updates'
        )
        other.execute(f"DROP PUBLICATION p_{name}".encode())
        again()
        assert one.execute(f"SELECT n FROM {name}".encode()).fetchall() == [(9,)]
