"""What rules do beyond what psql shows of them (`tests/clients/alike/rules*.sql`): drivers, plans that are kept, other sessions, restarts."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess


@pytest.fixture
def c(server: ServerProcess) -> psycopg.Connection[Any]:
    c = server.connect(autocommit=True)
    c.execute("DROP TABLE IF EXISTS ruled, ruled_log CASCADE")
    c.execute("CREATE TABLE ruled (id int PRIMARY KEY, v text)")
    c.execute("CREATE TABLE ruled_log (id int, v text)")
    return c


def logged(c: psycopg.Connection[Any]) -> list[tuple[object, ...]]:
    return c.execute("SELECT id, v FROM ruled_log ORDER BY id, v").fetchall()


def test_a_prepared_write_notices_that_a_rule_has_come_and_gone(c: psycopg.Connection[Any]) -> None:
    for i in range(8):  # psycopg prepares it on the way
        c.execute("INSERT INTO ruled VALUES (%s, %s)", (i, "before"))
    c.execute("CREATE RULE r AS ON INSERT TO ruled DO ALSO INSERT INTO ruled_log VALUES (NEW.id, NEW.v)")
    for i in range(10, 13):
        c.execute("INSERT INTO ruled VALUES (%s, %s)", (i, "with"))
    c.execute("ALTER TABLE ruled DISABLE RULE r")
    c.execute("INSERT INTO ruled VALUES (%s, %s)", (20, "after"))
    assert logged(c) == [(10, "with"), (11, "with"), (12, "with")]
    assert c.execute("SELECT count(*) FROM ruled").fetchone() == (12,)


def test_rows_of_one_statement_and_of_many_executions_are_all_seen(c: psycopg.Connection[Any]) -> None:
    c.execute(
        "CREATE RULE r AS ON INSERT TO ruled WHERE NEW.id % 2 = 0 DO ALSO INSERT INTO ruled_log VALUES (NEW.id, NEW.v)"
    )
    with c.cursor() as cursor:
        cursor.executemany("INSERT INTO ruled VALUES (%s, %s)", [(i, "m") for i in range(6)])
        assert cursor.rowcount == 6
    with c.pipeline():
        for i in range(10, 14):
            c.execute("INSERT INTO ruled VALUES (%s, %s)", (i, "p"))
    values = ", ".join(["(%s, %s)"] * 40)
    parameters = [x for i in range(100, 140) for x in (i, "v")]
    assert c.execute(f"INSERT INTO ruled VALUES {values}", parameters, prepare=True).rowcount == 40
    assert len(logged(c)) == 3 + 2 + 20
    assert c.execute("SELECT count(*) FROM ruled").fetchone() == (50,)


def test_what_fails_in_a_rule_undoes_all_of_the_statement(c: psycopg.Connection[Any]) -> None:
    c.execute("ALTER TABLE ruled_log ADD CHECK (id < 5)")
    c.execute("CREATE RULE r AS ON INSERT TO ruled DO ALSO INSERT INTO ruled_log VALUES (NEW.id)")
    with pytest.raises(psycopg.errors.CheckViolation):
        c.execute("INSERT INTO ruled VALUES (7, 'x')")
    assert c.execute("SELECT count(*) FROM ruled").fetchone() == (0,)
    with c.transaction():
        c.execute("INSERT INTO ruled VALUES (1, 'x')")
        with pytest.raises(psycopg.errors.CheckViolation), c.transaction():
            c.execute("INSERT INTO ruled VALUES (8, 'x')")
        c.execute("INSERT INTO ruled VALUES (2, 'x')")
    assert [row[0] for row in logged(c)] == [1, 2]


def test_returning_of_a_rule_has_the_types_of_the_view(c: psycopg.Connection[Any]) -> None:
    c.execute("CREATE VIEW ruled_view AS SELECT id, v FROM ruled WHERE id > 0")
    c.execute(
        "CREATE RULE r AS ON INSERT TO ruled_view DO INSTEAD INSERT INTO ruled VALUES (NEW.id, upper(NEW.v)) RETURNING id, v"
    )
    found = c.execute("INSERT INTO ruled_view VALUES (%s, %s) RETURNING v, id + %s AS more", (3, "x", 4))
    assert found.fetchall() == [("X", 7)]
    assert [d.name for d in found.description or ()] == ["v", "more"]


def test_many_rows_go_the_same_way(c: psycopg.Connection[Any]) -> None:
    c.execute(
        "CREATE RULE r AS ON UPDATE TO ruled DO ALSO INSERT INTO ruled_log VALUES (OLD.id, OLD.v || NEW.v)"
    )
    c.execute("INSERT INTO ruled SELECT g, 'a' FROM generate_series(1, 20000) g")
    assert c.execute("UPDATE ruled SET v = 'b' WHERE id > 5000").rowcount == 15_000
    assert c.execute("SELECT count(*), min(id), min(v), max(v) FROM ruled_log").fetchone() == (
        15_000,
        5001,
        "ab",
        "ab",
    )
    c.execute("CREATE RULE d AS ON DELETE TO ruled WHERE OLD.id % 2 = 0 DO INSTEAD NOTHING")
    assert c.execute("DELETE FROM ruled").rowcount == 10_000
    assert c.execute("SELECT count(*) FROM ruled").fetchone() == (10_000,)


def test_rules_and_actions_of_foreign_keys_do_not_go_together(c: psycopg.Connection[Any]) -> None:
    c.execute("ALTER TABLE ruled_log ADD CONSTRAINT up FOREIGN KEY (id) REFERENCES ruled ON DELETE CASCADE")
    c.execute("CREATE RULE u AS ON UPDATE TO ruled_log DO INSTEAD NOTHING")
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="foreign key"):
        c.execute("CREATE RULE d AS ON DELETE TO ruled_log DO INSTEAD NOTHING")
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="foreign key"):
        c.execute("ALTER TABLE ruled_log ADD FOREIGN KEY (id) REFERENCES ruled ON UPDATE SET NULL")


def test_what_rules_name_keeps_its_name(c: psycopg.Connection[Any]) -> None:
    c.execute("CREATE RULE r AS ON INSERT TO ruled DO ALSO INSERT INTO ruled_log VALUES (NEW.id, NEW.v)")
    for renaming in ("ruled_log RENAME TO ruled_elsewhere", "ruled RENAME COLUMN v TO w"):
        with pytest.raises(psycopg.errors.FeatureNotSupported, match='rule "r"'):
            c.execute(f"ALTER TABLE {renaming}")


def test_explain_and_copy_of_what_rules_rewrite_are_refused(c: psycopg.Connection[Any]) -> None:
    c.execute("CREATE RULE r AS ON INSERT TO ruled DO INSTEAD NOTHING")
    for text in ("EXPLAIN ANALYZE INSERT INTO ruled VALUES (1)", "EXPLAIN INSERT INTO ruled VALUES (1)"):
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="DO INSTEAD NOTHING rules"):
            c.execute(text)


def test_a_view_over_what_has_rules_is_not_written_past_them(c: psycopg.Connection[Any]) -> None:
    c.execute(
        "CREATE VIEW ruled_view AS SELECT id, v FROM ruled; CREATE VIEW ruled_above AS SELECT * FROM ruled_view"
    )
    c.execute("CREATE RULE r AS ON INSERT TO ruled DO ALSO INSERT INTO ruled_log VALUES (NEW.id)")
    for view in ("ruled_view", "ruled_above"):
        with pytest.raises(psycopg.errors.FeatureNotSupported, match='over "ruled" with its rules'):
            c.execute(f"INSERT INTO {view} VALUES (1, 'x')")
        assert c.execute(f"UPDATE {view} SET v = 'y'").rowcount == 0
    c.execute(
        "CREATE RULE above AS ON INSERT TO ruled_above DO INSTEAD INSERT INTO ruled VALUES (NEW.id, NEW.v)"
    )
    assert c.execute("INSERT INTO ruled_above VALUES (1, 'x')").rowcount == 1
    assert logged(c) == [(1, None)]


def test_a_view_that_rules_write_says_so(c: psycopg.Connection[Any]) -> None:
    c.execute("CREATE VIEW ruled_view AS SELECT count(*) AS n FROM ruled")
    asked = "SELECT is_updatable, is_insertable_into FROM information_schema.views WHERE table_name = 'ruled_view'"
    assert c.execute(asked).fetchone() == ("NO", "NO")
    for event in ("INSERT", "UPDATE", "DELETE"):
        c.execute(f"CREATE RULE r_{event} AS ON {event} TO ruled_view DO INSTEAD NOTHING")
    assert c.execute(asked).fetchone() == ("YES", "YES")


def test_rules_of_a_replica_are_refused(c: psycopg.Connection[Any]) -> None:
    c.execute(
        "CREATE RULE r AS ON INSERT TO ruled DO INSTEAD NOTHING; SET session_replication_role = replica"
    )
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="session_replication_role"):
        c.execute("INSERT INTO ruled VALUES (1, 'x')")
    c.execute("RESET session_replication_role")
    assert c.execute("INSERT INTO ruled VALUES (1, 'x')").rowcount == 0
