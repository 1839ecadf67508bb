"""Foreign keys into partitioned tables, by statements of a random history, beside the same keys into a plain table."""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from tests.server.consensus import consensus
from tests.server.process import ServerProcess

SEEDS = (3, 14, 159)
STATEMENTS = 120
ACTIONS = ("NO ACTION", "CASCADE", "SET NULL", "SET DEFAULT")
PARTS = """
CREATE TABLE {s}.pk (a int, b int, v int DEFAULT 0, PRIMARY KEY (a, b)) PARTITION BY RANGE (a);
CREATE TABLE {s}.pk_low PARTITION OF {s}.pk FOR VALUES FROM (MINVALUE) TO (3);
CREATE TABLE {s}.pk_mid (v int DEFAULT 0, b int NOT NULL, a int NOT NULL);
ALTER TABLE {s}.pk ATTACH PARTITION {s}.pk_mid FOR VALUES FROM (3) TO (6);
CREATE TABLE {s}.pk_high PARTITION OF {s}.pk DEFAULT PARTITION BY LIST (b);
CREATE TABLE {s}.pk_high_odd PARTITION OF {s}.pk_high FOR VALUES IN (1, 3, 5);
CREATE TABLE {s}.pk_high_rest PARTITION OF {s}.pk_high DEFAULT;
"""
PLAIN = "CREATE TABLE {s}.pk (a int, b int, v int DEFAULT 0, PRIMARY KEY (a, b));"


def _tables(rng: random.Random, schema: str, dealt: bool) -> str:
    made = (PARTS if dealt else PLAIN).format(s=schema)
    deferred = rng.choice(("", " DEFERRABLE INITIALLY DEFERRED"))
    for name in ("f1", "f2"):
        acts = f"ON UPDATE {rng.choice(ACTIONS)} ON DELETE {rng.choice(ACTIONS)}{deferred}"
        made += (
            f"CREATE TABLE {schema}.{name} (n int PRIMARY KEY, a int DEFAULT 1, b int DEFAULT 1, "
            f"FOREIGN KEY (a, b) REFERENCES {schema}.pk {acts}) "
        )
        parted = dealt and name == "f2"
        made = (
            made.replace("n int PRIMARY KEY, a int DEFAULT 1", "n int, a int DEFAULT 1") if parted else made
        )
        made += "PARTITION BY HASH (n);" if parted else ";"
    if dealt:
        for i in range(2):
            made += f"CREATE TABLE {schema}.f2_{i} PARTITION OF {schema}.f2 FOR VALUES WITH (MODULUS 2, REMAINDER {i});"
    return made


def _statement(rng: random.Random, number: int) -> str:
    a, b, c, d = (rng.randrange(9) for _ in range(4))
    child = rng.choice(("f1", "f2"))
    return rng.choice(
        (
            f"INSERT INTO pk VALUES ({a}, {b}) ON CONFLICT DO NOTHING",
            f"INSERT INTO pk SELECT x, {b} FROM generate_series({a}, {a + 3}) x ON CONFLICT (a, b) DO UPDATE SET v = pk.v + 1",
            f"INSERT INTO {child} VALUES ({number}, {a}, {b})",
            f"INSERT INTO {child} SELECT {number} + row_number() OVER (ORDER BY a, b), a, b FROM pk WHERE a = {a}",
            f"DELETE FROM pk WHERE a = {a} AND b = {b}",
            f"DELETE FROM pk WHERE b = {b}",
            f"UPDATE pk SET a = {c} WHERE a = {a} AND b = {b} AND NOT EXISTS (SELECT FROM pk p WHERE p.a = {c} AND p.b = {b})",
            f"UPDATE pk SET a = {c}, b = {d} WHERE a = {a} AND b = {b} AND NOT EXISTS (SELECT FROM pk p WHERE p.a = {c} AND p.b = {d})",
            f"UPDATE pk SET v = v + 1 WHERE a > {a}",
            f"UPDATE {child} SET a = {a}, b = {b} WHERE n % 7 = {c % 7}",
            f"DELETE FROM {child} WHERE a = {a}",
        )
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_partitions_are_referred_to_as_a_plain_table_is(server: ServerProcess, seed: int) -> None:
    rng = random.Random(seed)
    with server.connect() as c:
        for schema, dealt in (("into_parts", True), ("into_plain", False)):
            c.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
            c.execute(f"CREATE SCHEMA {schema}")
            c.execute(_tables(random.Random(seed), schema, dealt).encode())
        refused = done = 0
        for i in range(STATEMENTS):
            some = [_statement(rng, (i + 1) * 1000 + 100 * k) for k in range(rng.choice((1, 1, 2)))]
            told = []
            for schema in ("into_parts", "into_plain"):
                c.execute(f"SET search_path = {schema}")
                try:
                    with c.transaction():
                        counts = [c.execute(s.encode()).rowcount for s in some]
                    told.append(str(counts))
                except psycopg.Error as e:
                    told.append(str(e.sqlstate))
            assert told[0] == told[1], some
            refused, done = refused + (told[0] == "23503"), done + (told[0][0] == "[")
            for table in ("pk", "f1", "f2"):
                rows = [
                    c.execute(f"SELECT * FROM {schema}.{table} ORDER BY 1, 2, 3").fetchall()
                    for schema in ("into_parts", "into_plain")
                ]
                assert rows[0] == rows[1], (table, some)
        assert refused > 5 and done > 30


def test_two_servers_leave_nobody_without_a_parent(tmp_path: Path) -> None:
    """No lock of one server holds on the other: who commits second is refused, or sees the first one's rows."""
    with consensus("sqlite", tmp_path) as url, ExitStack() as stack:
        shared = ["--shared", "--consensus", url, "--blob", (tmp_path / "blob").as_uri()]
        one, two = (stack.enter_context(ServerProcess(tmp_path / name, *shared)) for name in ("one", "two"))
        a, b = stack.enter_context(one.connect()), stack.enter_context(two.connect())
        a.execute(
            b"CREATE TABLE pk (id int PRIMARY KEY) PARTITION BY RANGE (id);"
            b"CREATE TABLE pk1 PARTITION OF pk FOR VALUES FROM (0) TO (10);"
            b"CREATE TABLE pk2 PARTITION OF pk FOR VALUES FROM (10) TO (20);"
            b"CREATE TABLE fk (n int PRIMARY KEY, id int REFERENCES pk);"
            b"INSERT INTO pk SELECT generate_series(1, 15)"
        )
        for n, other in enumerate(
            (
                "DELETE FROM pk WHERE id = 1",
                "DELETE FROM pk1 WHERE id = 2",
                "UPDATE pk SET id = 16 WHERE id = 3",
            ),
            1,
        ):
            a.execute("BEGIN")
            a.execute("INSERT INTO fk VALUES (%s, %s)", (n, n))
            b.execute(other.encode())
            with pytest.raises(psycopg.errors.SerializationFailure):
                a.execute("COMMIT")
        a.execute("BEGIN")
        a.execute("DELETE FROM pk WHERE id = 11")
        b.execute("INSERT INTO fk VALUES (11, 11)")
        with pytest.raises((psycopg.errors.SerializationFailure, psycopg.errors.ForeignKeyViolation)):
            a.execute("COMMIT")
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            b.execute("ALTER TABLE pk DETACH PARTITION pk2")
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            a.execute("DELETE FROM pk2")
        assert b.execute("SELECT id FROM fk").fetchall() == [(11,)]
        assert a.execute("SELECT count(*) FROM pk WHERE id IN (1, 2, 3, 11)").fetchall() == [(1,)]
