"""Row-level security over whole servers: generated policies against PostgreSQL, what is refused, two servers, dumps.

What single statements say is compared with PostgreSQL line by line in `tests/clients/alike/policies_*.sql`.
"""

from __future__ import annotations

import dataclasses
import random
import shutil
from pathlib import Path
from typing import Any

import psycopg
import pytest

from planner.abc import PlanError
from planner.binding.spark.emitter import SparkEmitter
from planner.binding.statements import bind_statement
from planner.catalog import Catalog, CatalogChange
from planner.catalog.objects import Role
from planner.parse import parse_query
from planner.planner import PlanContext
from tests.binding.world import make_table
from tests.clients.dumps import dumped, restored
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql
from tests.server.test_shared_advisory_locks import two_servers

Client = psycopg.Connection[Any]

CONDITIONS = (
    "a < 5", "a % 2 = 0", "b = current_user", "b <> 'x'", "c IS NULL", "c > 3", "true", "NULL", "a = ANY ('{1,2,3}')",
    "a::text = current_setting('app.a', true)", "EXISTS (SELECT FROM u WHERE u.a = t.a)", "c IN (SELECT c FROM u)",
    "(SELECT max(u.c) FROM u) > t.c", "length(b) = 1", "coalesce(c, 0) < 4",
)  # fmt: skip
READS = (
    "SELECT * FROM t", "SELECT a FROM t WHERE a = 3", "SELECT count(*), sum(c) FROM t", "SELECT t.a, u.c FROM t JOIN u USING (a)",
    "SELECT a FROM t WHERE 10 / (coalesce(c, 1) + 1) >= 0 AND b < 'm'", "SELECT a FROM t ORDER BY a FOR UPDATE",
    "SELECT a FROM u WHERE EXISTS (SELECT FROM t WHERE t.a = u.a)", "TABLE v",
)  # fmt: skip
WRITES = (
    "UPDATE t SET c = 1", "UPDATE t SET c = c + 1 WHERE a < 6 RETURNING a, c", "UPDATE t SET b = 'x' WHERE a = 2",
    "DELETE FROM t", "DELETE FROM t WHERE c > 2 RETURNING a", "INSERT INTO t VALUES (20, 'y', 4)", "UPDATE v SET c = 2 WHERE a > 1",
    "INSERT INTO t VALUES (21, 'x', 1), (22, 'someone', 9) RETURNING a", "INSERT INTO t VALUES (1, 'q', 0)",
    "INSERT INTO t VALUES (1, 'q', 0) ON CONFLICT DO NOTHING", "INSERT INTO t SELECT a + 100, b, c FROM u",
    "INSERT INTO t VALUES (2, 'q', 2) ON CONFLICT (a) DO UPDATE SET c = excluded.c + t.c RETURNING *",
    "UPDATE t SET c = u.c FROM u WHERE u.a = t.a", "DELETE FROM t USING u WHERE u.a = t.a",
)  # fmt: skip
WORLD = """
CREATE TABLE u (a int PRIMARY KEY, c int);
CREATE TABLE t (a int PRIMARY KEY, b text, c int);
INSERT INTO u SELECT g, g % 4 FROM generate_series(1, 9, 2) g;
INSERT INTO t SELECT g, CASE g % 3 WHEN 0 THEN 'x' WHEN 1 THEN 'rls_one' ELSE 'y' END, nullif(g % 7, 5) FROM generate_series(1, 12) g;
CREATE VIEW v WITH (security_invoker) AS SELECT * FROM t WHERE a > 1;
GRANT ALL ON t, u, v TO rls_one, rls_two;
ALTER TABLE t ENABLE ROW LEVEL SECURITY;
"""


def generated(chance: random.Random) -> list[str]:
    """Some policies of the table t."""
    made = []
    for i in range(chance.randint(1, 4)):
        kind = chance.choice(("", "", "AS RESTRICTIVE "))
        command = chance.choice(("ALL", "ALL", "SELECT", "INSERT", "UPDATE", "DELETE"))
        to = chance.choice(("", "TO rls_one ", "TO rls_group "))
        using = f"USING ({chance.choice(CONDITIONS)}) " if command != "INSERT" else ""
        check = ""
        if command in ("ALL", "UPDATE", "INSERT") and (command == "INSERT" or chance.random() < 0.5):
            check = f"WITH CHECK ({chance.choice(CONDITIONS)})"
        made.append(f"CREATE POLICY p{i} ON t {kind}FOR {command} {to}{using}{check}")
    return made


def answer(c: Client, text: str) -> Any:
    """The rows of a statement that is undone, or its error."""
    try:
        with c.transaction(force_rollback=True):
            done = c.execute(text)
            return done.statusmessage, sorted(map(repr, done.fetchall())) if done.description else None
    except psycopg.Error as e:
        return e.sqlstate, e.diag.message_primary, e.diag.message_detail


def test_generated_policies_show_and_refuse_what_postgres_shows_and_refuses(server: ServerProcess) -> None:
    chance = random.Random(15)
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as there:
            with server.connect() as admin:
                admin.execute("CREATE DATABASE generated_policies")
            with server.connect(dbname="generated_policies") as here:
                for c in (here, there):
                    c.execute(
                        "CREATE ROLE rls_group; CREATE ROLE rls_one; CREATE ROLE rls_two IN ROLE rls_group"
                    )
                    c.execute(WORLD)
                for _ in range(12):
                    policies, setting = generated(chance), chance.randint(1, 3)
                    for c in (here, there):
                        for text in policies:
                            c.execute(text)
                        c.execute(f"SET app.a = {setting}")
                    for role in ("rls_one", "rls_two"):
                        for c in (here, there):
                            c.execute(f"SET ROLE {role}")
                        for text in (*READS, *chance.sample(WRITES, 6)):
                            assert answer(here, text) == answer(there, text), (policies, role, text)
                        for c in (here, there):
                            c.execute("RESET ROLE")
                    for c in (here, there):
                        for i in range(len(policies)):
                            c.execute(f"DROP POLICY p{i} ON t")
    except NoPostgres as e:
        pytest.skip(str(e))


REFUSED = (
    ("COPY t FROM STDIN", "COPY FROM not supported with row-level security"),
    ("SELECT * FROM tidewire_changes('t', 0, NULL)", "reading the changes of table"),
    ("SELECT tidewire_open_snapshot('[\"t\"]', '', 60)", "cannot be read natively"),
    ("MERGE INTO t USING (VALUES (1)) s (i) ON t.a = s.i WHEN MATCHED THEN DELETE", "MERGE of table"),
)


def test_what_would_pass_by_the_policies_is_refused(server: ServerProcess) -> None:
    with server.connect() as admin:
        admin.execute("CREATE DATABASE passing_by")
    with server.connect(dbname="passing_by") as c:
        c.execute(
            "CREATE ROLE rls_refused; CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1), (2)"
        )
        before = c.execute("SELECT tidewire_open_snapshot('[\"t\"]', '', 60)::json ->> 'as_of'").fetchone()
        assert before is not None
        c.execute(
            "ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (a = 1); GRANT ALL ON t TO rls_refused"
        )
        c.execute("SET ROLE rls_refused")
        for text, why in REFUSED:
            with pytest.raises(psycopg.Error, match=why):
                c.execute(text)
        c.execute(f"SET tidewire.as_of = '{before[0]}'")
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="reading the past"):
            c.execute("SELECT * FROM t")
        c.execute("RESET tidewire.as_of")
        assert c.execute("SELECT * FROM t").fetchall() == [(1,)]


def test_spark_refuses_what_policies_restrict() -> None:
    table = dataclasses.replace(make_table(50_000, "t", "a int4"), row_security=True, owner="other")
    catalog = Catalog().with_changes(
        [CatalogChange(None, table), CatalogChange(None, Role(90_000, "reader"))]
    )
    with pytest.raises(PlanError, match="distributed engine") as caught:
        bind_statement(
            parse_query("SELECT a FROM t"),
            PlanContext(catalog, user="reader"),
            (),
            "SELECT a FROM t",
            None,
            False,
            SparkEmitter(),
        )
    assert caught.value.sqlstate == "0A000"


def test_a_policy_that_one_server_makes_holds_on_the_other_at_once(tmp_path: Path) -> None:
    with two_servers("sqlite", tmp_path) as (a, b), a.connect() as admin, b.connect() as other:
        admin.execute(
            "CREATE ROLE rls_other; CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1), (2, 2)"
        )
        admin.execute("GRANT ALL ON t TO rls_other")
        other.execute("SET ROLE rls_other")
        read, write = "SELECT v FROM t WHERE id = %s", "UPDATE t SET v = v + 10 WHERE id = %s"
        for _ in range(8):  # prepared by now
            assert other.execute(read, (2,)).fetchall() == [(2,)]
        assert other.execute(write, (2,)).rowcount == 1
        admin.execute("CREATE POLICY p ON t USING (id = 1); ALTER TABLE t ENABLE ROW LEVEL SECURITY")
        assert other.execute(read, (2,)).fetchall() == []
        assert other.execute(read, (1,)).fetchall() == [(1,)]
        assert other.execute(write, (2,)).rowcount == 0
        admin.execute("ALTER POLICY p ON t USING (id = 2)")
        assert other.execute(read, (2,)).fetchall() == [(12,)]
        admin.execute("ALTER ROLE rls_other BYPASSRLS")
        assert other.execute("SELECT count(*) FROM t").fetchall() == [(2,)]


@needs_psql
@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_policies_are_dumped_and_restored_in_postgres_and_here(server: ServerProcess) -> None:
    listed = "SELECT tablename, policyname, permissive, roles, cmd, qual, with_check FROM pg_policies ORDER BY 1, 2"
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as there:
            with server.connect() as admin:
                admin.execute("CREATE DATABASE policies_dumped")
                admin.execute("CREATE DATABASE policies_restored")
            with server.connect(dbname="policies_dumped") as c:
                c.execute("CREATE TABLE m (who text, id int); CREATE TABLE t (id int PRIMARY KEY, v text)")
                c.execute("ALTER TABLE t ENABLE ROW LEVEL SECURITY; ALTER TABLE t FORCE ROW LEVEL SECURITY")
                c.execute(
                    "CREATE POLICY a ON t USING (EXISTS (SELECT 1 FROM m WHERE m.id = t.id AND who = current_user))"
                )
                c.execute(
                    "CREATE POLICY b ON t AS RESTRICTIVE FOR UPDATE USING (v > 'a') WITH CHECK (id > 1 OR v IS NULL)"
                )
                c.execute("CREATE POLICY c ON t FOR INSERT WITH CHECK (id IN (SELECT id FROM m))")
                expected = c.execute(listed).fetchall()
            restored(server, dumped(server, "--no-owner", "-d", "policies_dumped"), "policies_restored", dsn)
            with server.connect(dbname="policies_restored") as copy:
                assert copy.execute(listed).fetchall() == expected
            assert there.execute(listed).fetchall() == expected
    except NoPostgres as e:
        pytest.skip(str(e))
