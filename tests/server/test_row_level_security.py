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

from planner.abc import Plan, PlanError, Policy, Query
from planner.binding.spark.emitter import SparkEmitter
from planner.binding.statements import bind_statement
from planner.catalog import Catalog, CatalogChange
from planner.catalog.objects import Role
from planner.parse import parse_query
from planner.plan_context import PlanContext
from planner.relations import GuardedTable
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
    "SELECT a FROM u WHERE EXISTS (SELECT FROM t WHERE t.a = u.a)", "TABLE v", "SELECT * FROM t WHERE a = 4 AND 6 / (c - 3) > 0",
    "SELECT u.a, t.b FROM u LEFT JOIN t ON t.a = u.a WHERE u.a = 3", "SELECT u.a FROM u LEFT JOIN t ON t.a = u.a WHERE t.b IS NULL",
    "SELECT u.a, t.c FROM u LEFT JOIN t ON t.a = u.a AND t.b = 'y' WHERE t.c = 3 OR u.a < 4 AND t.c IS NULL",
    "SELECT a FROM t WHERE a BETWEEN 2 AND 7 AND length(b) = 1 ORDER BY a DESC LIMIT 2", "SELECT b FROM t WHERE a IN (1, 4, 6)",
    "SELECT max(c), count(*) FROM t WHERE a BETWEEN 3 AND 9", "SELECT u.c, (SELECT b FROM t WHERE t.a = u.a) FROM u WHERE u.a = 5",
    "SELECT x.b FROM (SELECT * FROM t WHERE b <> 'x') x WHERE x.a = 2 AND x.b NOT IN ('a', 'z')", "SELECT a FROM t WHERE a = 5 FOR UPDATE",
    "SELECT a FROM t WHERE c IS NOT NULL AND NOT (b = 'x' OR a > 9) AND 2 >= c AND b = ANY ('{x,y}')",
)  # fmt: skip
WRITES = (
    "UPDATE t SET c = 1", "UPDATE t SET c = c + 1 WHERE a < 6 RETURNING a, c", "UPDATE t SET b = 'x' WHERE a = 2",
    "DELETE FROM t", "DELETE FROM t WHERE c > 2 RETURNING a", "INSERT INTO t VALUES (20, 'y', 4)", "UPDATE v SET c = 2 WHERE a > 1",
    "INSERT INTO t VALUES (21, 'x', 1), (22, 'someone', 9) RETURNING a", "INSERT INTO t VALUES (1, 'q', 0)",
    "INSERT INTO t VALUES (1, 'q', 0) ON CONFLICT DO NOTHING", "INSERT INTO t SELECT a + 100, b, c FROM u",
    "INSERT INTO t VALUES (2, 'q', 2) ON CONFLICT (a) DO UPDATE SET c = excluded.c + t.c RETURNING *",
    "UPDATE t SET c = 5, b = 'x' WHERE a = 3 RETURNING b", "DELETE FROM t WHERE a = 4 AND 6 / (c - 3) > 0", "UPDATE t SET a = a + 50 WHERE a IN (2, 3)",
    "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED AND u.c > 1 THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (u.a, 'x', u.c)",
    "MERGE INTO t USING (VALUES (4)) s (i) ON t.a = s.i WHEN MATCHED THEN UPDATE SET c = 4 WHEN NOT MATCHED THEN DO NOTHING",
    "MERGE INTO t USING (VALUES (3), (40)) s (i) ON t.a = s.i WHEN MATCHED THEN UPDATE SET c = 4 WHEN NOT MATCHED THEN INSERT VALUES (s.i)",
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


def planned(text: str, using: str = "tenant = current_setting('app.tenant')::int") -> Plan:
    """As a role is told that a policy lets see rows of its tenant."""
    table = make_table(50_000, "t", "id int4; tenant int4; name text; worth numeric", key="id")
    own = Policy(60_000, "own", using=using)
    table = dataclasses.replace(table, row_security=True, policies=(own,))
    table = dataclasses.replace(table, force_row_security=True, owner="reader")
    catalog = Catalog().with_changes(
        [CatalogChange(None, table), CatalogChange(None, Role(90_000, "reader"))]
    )
    context = PlanContext(catalog, user="reader", trusted=False)
    return bind_statement(parse_query(text), context, (), text, None)


def text_of(plan: Plan) -> str:
    assert isinstance(plan.body, Query)
    return "".join(p if isinstance(p, str) else f"<{getattr(p, 'name', '')}>" for p in plan.body.pieces)


@pytest.mark.parametrize(
    ("condition", "below"),
    [
        ("name = 'a'", True), ("3 < id", True), ("name IN ('a', 'b') OR id IS NULL", True), ("NOT (id = ANY ('{1,2}'))", True),
        ("worth = 1", False), ("name LIKE 'a%'", False), ("id + 1 = 2", False), ("name = 'a' OR length(name) = 2", False),
        ("id = (SELECT 1)", False), ("id < random()", False), ("name::int = 3", False), ("id = tenant", False),
    ],
)  # fmt: skip
def test_what_tells_nothing_passes_the_barrier(condition: str, below: bool) -> None:
    plan = planned(f"SELECT count(*) FROM t WHERE ({condition}) AND upper(name) = 'A'")
    inside, _, outside = text_of(plan).partition(" LIMIT 9223372036854775807")
    assert ("<setting:app.tenant>" in inside) and " WHERE " in outside
    assert (inside.count(" AND (") > 1) == below


@pytest.mark.parametrize(
    ("using", "by_key"),
    [
        ("tenant = current_setting('app.tenant')::int", True), ("name = current_user AND (worth > 1 OR id IS NULL)", True),
        ("id IN (SELECT 1)", False), ("name ~ 'a'", True), ("random() < 1", False), ("tableoid = 5", False),
    ],
)  # fmt: skip
def test_what_the_keyed_engine_can_ask_of_new_rows_it_asks(using: str, by_key: bool) -> None:
    for text in ("UPDATE t SET name = 'x' WHERE id = 1", "INSERT INTO t VALUES (1, 2, 'a', 3)"):
        table = getattr(planned(text, using).body, "table", None)
        assert isinstance(table, GuardedTable)
        checks = [c for c in (table.row_checks.inserted, table.row_checks.updated) if c is not None]
        assert [len(c.tests) == len(c.messages) for c in checks] == [by_key]


def test_rows_under_policies_are_looked_up_by_key(server: ServerProcess) -> None:
    with server.connect() as admin:
        admin.execute("CREATE DATABASE looked_up")
    with server.connect(dbname="looked_up") as c, server.connect(dbname="looked_up") as other:
        c.execute(
            "CREATE ROLE rls_reader; CREATE ROLE rls_auditor; CREATE TABLE t (id int PRIMARY KEY, tenant int, v int);"
            "INSERT INTO t SELECT g, g % 3, g FROM generate_series(1, 9) g; ALTER TABLE t ENABLE ROW LEVEL SECURITY;"
            "CREATE POLICY own ON t TO rls_reader USING (tenant = current_setting('app.tenant')::int);"
            "CREATE POLICY high ON t TO rls_auditor USING (id > 5); GRANT ALL ON t TO rls_reader, rls_auditor;"
            "SET ROLE rls_reader; SET app.tenant = 1"
        )
        assert "Engine: keyed" in [x for (x,) in c.execute("EXPLAIN SELECT v FROM t WHERE id = 4")]
        assert "Engine For Few Rows: keyed" in " ".join(
            x for (x,) in c.execute("EXPLAIN UPDATE t SET v = 1 WHERE id = 4")
        )
        c.execute("PREPARE q (int) AS SELECT id FROM t WHERE id = $1")

        def shown() -> list[int]:
            prepared = [c.execute(f"EXECUTE q({i})").fetchall() for i in range(1, 10)]
            extended = [c.execute("SELECT id FROM t WHERE id = %s", (i,)).fetchall() for i in range(1, 10)]
            simple = [c.execute(f"SELECT id FROM t WHERE id = {i}").fetchall() for i in range(1, 10)]
            assert prepared == extended == simple
            return [i for i, rows in enumerate(simple, 1) if rows == [(i,)]]

        assert shown() == shown() == [1, 4, 7]
        c.execute("SET app.tenant = 2")
        assert shown() == [2, 5, 8]
        c.execute("SET ROLE rls_auditor")
        assert shown() == [6, 7, 8, 9]
        c.execute("RESET ROLE")
        assert shown() == list(range(1, 10))
        c.execute("SET ROLE rls_reader")
        other.execute("ALTER POLICY own ON t USING (tenant <> current_setting('app.tenant')::int AND v < 7)")
        assert shown() == [1, 3, 4, 6]
        c.execute("SET row_security = off")
        for text in ("EXECUTE q(1)", "SELECT id FROM t WHERE id = 1", "SELECT id FROM t WHERE id = 100"):
            with pytest.raises(
                psycopg.errors.InsufficientPrivilege, match="would be affected by row-level security"
            ):
                c.execute(text)
        c.execute("SET row_security = on")
        assert shown() == [1, 3, 4, 6]
        c.execute("RESET app.tenant")
        with pytest.raises(psycopg.errors.InvalidTextRepresentation):
            c.execute("EXECUTE q(1)")


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


def test_a_batch_of_new_rows_is_asked_about_row_by_row(server: ServerProcess) -> None:
    with server.connect() as admin:
        admin.execute("CREATE DATABASE new_rows")
    with server.connect(dbname="new_rows") as c:
        c.execute(
            "CREATE ROLE rls_writer; CREATE TABLE t (id int PRIMARY KEY, tenant int); ALTER TABLE t ENABLE ROW LEVEL SECURITY;"
            "CREATE POLICY own ON t USING (tenant = current_setting('app.tenant')::int); GRANT ALL ON t TO rls_writer;"
            "SET ROLE rls_writer; SET app.tenant = 1"
        )
        for end in ("", " ON CONFLICT (id) DO UPDATE SET tenant = 1", " ON CONFLICT DO NOTHING RETURNING id"):
            said = " ".join(x for (x,) in c.execute(f"EXPLAIN INSERT INTO t VALUES (1, 1){end}"))
            assert "Engine: keyed" in said
        rows = c.cursor()
        rows.executemany("INSERT INTO t VALUES (%s, %s)", [(i, 1) for i in range(50)])
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="new row violates"):
            rows.executemany("INSERT INTO t VALUES (%s, %s)", [(i, 1 + (i == 90)) for i in range(50, 100)])
        assert c.execute("SELECT count(*), max(tenant) FROM t").fetchall() == [(50, 1)]
        c.execute("RESET ROLE")
        assert c.execute("SELECT count(*), max(tenant) FROM t").fetchall() == [(50, 1)]
