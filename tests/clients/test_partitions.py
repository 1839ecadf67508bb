"""Partitioned tables over the wire: dumps either way, generated statements beside a plain table, rows that move while others write."""

from __future__ import annotations

import random
import re
import shutil
import threading
from pathlib import Path

import psycopg
import pytest

from tests.clients.dumps import dumped, restored
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

SCRIPT = Path(__file__).with_name("partitions.sql")
COUNTS = [
    "SELECT tableoid::regclass::text, count(*), sum(id) FROM t GROUP BY 1 ORDER BY 1",
    "SELECT tableoid::regclass::text, count(*) FROM u GROUP BY 1 ORDER BY 1",
    "SELECT tableoid::regclass::text, v, d FROM e ORDER BY 1, 3",
    "SELECT tableoid::regclass::text, a, b FROM by_expressions ORDER BY 1, 2",
    "SELECT tableoid::regclass::text, v FROM by_folded ORDER BY 1, 2",
    "SELECT tableoid::regclass::text, n, v FROM by_hashed ORDER BY 1, 2",
    "SELECT partrelid::regclass::text, pg_get_partkeydef(partrelid) FROM pg_partitioned_table ORDER BY 1",
    "SELECT relid::text, parentrelid::text, isleaf, level FROM pg_partition_tree('t') ORDER BY 1",
    "SELECT inhrelid::regclass::text, inhparent::regclass::text FROM pg_inherits ORDER BY 1",
    "SELECT conrelid::regclass::text, conname, contype FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
    "SELECT relname, relrowsecurity FROM pg_class WHERE relname IN ('t', 't1', 'few') ORDER BY 1",
    "SELECT polname, polrelid::regclass::text, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid) FROM pg_policy",
    "INSERT INTO t (id, day, s) VALUES (999, '2024-02-02', 'new') RETURNING tableoid::regclass::text, n",
]
SEED = 12
STATEMENTS = 250
KINDS = (
    "PARTITION BY RANGE (k)",
    "PARTITION BY LIST (c)",
    "PARTITION BY HASH (id, k)",
)
PARTS = (
    ("FROM (MINVALUE) TO (10)", "FROM (10) TO (20)", "FROM (20) TO (MAXVALUE)"),
    ("IN ('a', 'b')", "IN ('c', NULL)", "IN ('d')"),
    ("WITH (MODULUS 3, REMAINDER 0)", "WITH (MODULUS 3, REMAINDER 1)", "WITH (MODULUS 3, REMAINDER 2)"),
)


@needs_psql
@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_partitions_are_dumped_and_restored_in_postgres_and_here(server: ServerProcess) -> None:
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as there:
            with server.connect() as here:
                here.execute("CREATE DATABASE parts")
                here.execute("CREATE DATABASE parts_again")
            made = server.psql("-d", "parts", "-v", "ON_ERROR_STOP=1", "-q", "-f", str(SCRIPT))
            assert made.stderr == ""
            restored(server, dumped(server, "--no-owner", "-d", "parts"), "parts_again", dsn)
            with server.connect(dbname="parts") as ours, server.connect(dbname="parts_again") as copy:
                for query in COUNTS:
                    expected = ours.execute(query).fetchall()
                    assert there.execute(query).fetchall() == expected, query
                    assert copy.execute(query).fetchall() == expected, query
    except NoPostgres as e:
        pytest.skip(str(e))


def condition(rng: random.Random) -> tuple[str, list[object]]:
    """A WHERE, with literals or parameters."""
    found = [
        rng.choice(
            [
                ("k = %s", [rng.randrange(30)]),
                ("k < %s", [rng.randrange(30)]),
                ("k >= %s AND k < %s", [rng.randrange(15), rng.randrange(10, 30)]),
                ("c = %s", [rng.choice("abcd")]),
                ("c IN (%s, %s)", [rng.choice("abcd"), rng.choice("abcd")]),
                ("c IS NULL", []),
                ("c > %s", [rng.choice("abcd")]),
                ("id = %s", [rng.randrange(60)]),
                ("id = %s AND k = %s", [rng.randrange(60), rng.randrange(30)]),
                ("k = ANY (%s)", [[rng.randrange(30) for _ in range(3)]]),
                ("k IN (5, 15, 25)", []),
                ("k = 12 OR k = 3", []),
                ("k BETWEEN 8 AND 11", []),
                ("v > %s", [rng.randrange(100)]),
            ]
        )
        for _ in range(rng.choice((1, 1, 2)))
    ]
    return " AND ".join(f"({text})" for text, _ in found), [v for _, values in found for v in values]


def statement(rng: random.Random, n: int, in_order: bool) -> tuple[str, list[object]]:
    """Something that is done to both tables, `T` in the place of their names."""
    what = rng.randrange(12)
    where, values = condition(rng)
    key = [rng.randrange(60), rng.randrange(30)]
    letter = rng.choice(["a", "b", "c", "d", None])
    if what == 0:
        text = "INSERT INTO T (id, k, c, v) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING *"
        return text, [*key, letter, n]
    if what == 1:
        text = "INSERT INTO T (id, k, c, v) SELECT g, (g * %s::int) %% 30, chr(97 + g %% 4), g FROM generate_series(%s::int, %s::int) g ON CONFLICT DO NOTHING"
        return text, [rng.randrange(1, 9), key[0], key[0] + 5]
    if what == 2:
        return f"UPDATE T SET v = v + 1 WHERE {where} RETURNING id, k, c, v", values
    if what == 3:
        return f"UPDATE T SET k = (k + %s::int) %% 30, id = id + 60 * %s::int WHERE {where}", [
            rng.randrange(30),
            n,
            *values,
        ]
    if what == 4:
        return f"UPDATE T SET c = %s WHERE {where} RETURNING *", [letter, *values]
    if what == 5:
        return f"DELETE FROM T WHERE {where} AND v %% 5 = 0 RETURNING *", values
    if what == 6:
        return (
            f"MERGE INTO T USING (SELECT %s::int AS i, %s::int AS j) s ON T.id = s.i AND T.k = s.j "
            f"WHEN MATCHED THEN UPDATE SET v = {n} WHEN NOT MATCHED THEN INSERT (id, k, c, v) VALUES (i, j, 'a', {n})",
            list(key),
        )
    if what == 7:
        return f"SELECT id, k, c, v FROM T WHERE {where} ORDER BY id, k, c", values
    # by key: one leaf answers for the table
    where, values = "id = %s AND k = %s AND c = %s", [*key, letter or "a"]
    if what == 8 and in_order:
        text = (
            "INSERT INTO T (id, k, c, v) VALUES (%s, %s, %s, %s) ON CONFLICT ON CONSTRAINT T_key "
            "DO UPDATE SET v = T.v + excluded.v WHERE T.v < 1000 RETURNING v"
        )
        return text, [*values, n]
    if what == 9:
        return f"UPDATE T SET v = v + %s WHERE {where} RETURNING *", [n, *values]
    if what == 10:
        return f"DELETE FROM T WHERE {where} RETURNING *", values
    literals = where % tuple(v if isinstance(v, int) else f"'{v}'" for v in values)
    return f"SELECT v, count(*) OVER () FROM T WHERE {literals}", []


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=("range", "list", "hash"))
@pytest.mark.parametrize("blocks", [False, True], ids=("alone", "in blocks"))
def test_a_partitioned_table_is_as_a_plain_one(server: ServerProcess, kind: int, blocks: bool) -> None:
    rng = random.Random(SEED + kind + 10 * blocks)
    with server.connect() as c:
        c.execute("DROP TABLE IF EXISTS plain, parted")
        key = ", c" if kind == 1 else ""
        unique = f"UNIQUE (id, k{key})" if kind == 1 else "PRIMARY KEY (id, k)"
        columns = "(id int, k int, c text, v int, CONSTRAINT {}_key {})"
        c.execute(f"CREATE TABLE plain {columns.format('plain', unique)}".encode())
        c.execute(f"CREATE TABLE parted {columns.format('parted', unique)} {KINDS[kind]}".encode())
        for i, part in enumerate(PARTS[kind]):
            if i == 1 and not blocks:  # columns in another order
                c.execute(f"CREATE TABLE parted_1 (v int, c text, k int, id int, {unique})".encode())
                c.execute("ALTER TABLE parted_1 ALTER k SET NOT NULL, ALTER id SET NOT NULL")
                if kind == 1:
                    c.execute("ALTER TABLE parted_1 ALTER k DROP NOT NULL, ALTER id DROP NOT NULL")
                c.execute(f"ALTER TABLE parted ATTACH PARTITION parted_1 FOR VALUES {part}".encode())
            else:
                c.execute(f"CREATE TABLE parted_{i} PARTITION OF parted FOR VALUES {part}".encode())
        for n in range(STATEMENTS):
            if blocks and n % 5 == 0:
                c.execute("BEGIN")
            text, values = statement(rng, n, blocks)
            answers = []
            for table in ("plain", "parted"):
                done = c.execute(re.sub(r"\bT(?=\b|_)", table, text).encode(), values)
                rows = sorted(map(repr, done.fetchall())) if done.description is not None else []
                answers.append((done.statusmessage, rows))
            assert answers[0] == answers[1], (text, values)
            if blocks and n % 5 == 4:
                c.execute(rng.choice(["COMMIT", "ROLLBACK"]).encode())
        both = [
            c.execute(f"SELECT id, k, c, v FROM {t} ORDER BY 1, 2, 3".encode()).fetchall()
            for t in ("plain", "parted")
        ]
        assert both[0] == both[1]
        assert both[0]


def test_rows_that_move_while_others_write_are_there_once(server: ServerProcess) -> None:
    """Two sessions add to counters that wander between partitions: every addition counts once, and no row is lost or doubled."""
    rows, each = 8, 40
    with server.connect() as c:
        c.execute(
            "CREATE TABLE wanderers (id int, place int, n int, PRIMARY KEY (id, place)) PARTITION BY LIST (place)"
        )
        for place in range(3):
            c.execute(
                f"CREATE TABLE wanderers_{place} PARTITION OF wanderers FOR VALUES IN ({place})".encode()
            )
        c.execute("INSERT INTO wanderers SELECT i, i %% 3, 0 FROM generate_series(1, %s) i", [rows])
    done: list[int] = []
    failed: list[BaseException] = []

    def write(seed: int) -> None:
        rng = random.Random(seed)
        count = 0
        try:
            with server.connect() as mine:
                for _ in range(each):
                    moves = "(place + 1) %% 3" if rng.randrange(2) else "place"
                    try:
                        answer = mine.execute(
                            f"UPDATE wanderers SET n = n + 1, place = {moves} WHERE id = %s".encode(),
                            [rng.randrange(1, rows + 1)],
                        )
                    except psycopg.errors.SerializationFailure:
                        continue
                    assert answer.rowcount == 1
                    count += 1
        except (psycopg.Error, AssertionError) as e:  # told by the test's own thread
            failed.append(e)
        done.append(count)

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not failed, failed
    with server.connect() as c:
        assert c.execute("SELECT count(*), count(DISTINCT id), sum(n) FROM wanderers").fetchall() == [
            (rows, rows, sum(done))
        ]
        assert sum(done) > each


def test_conditions_that_parameters_switch_off_are_asked_of_every_partition(server: ServerProcess) -> None:
    with server.connect(autocommit=True) as c:
        c.execute("CREATE TABLE switched (id int, g int, a int, PRIMARY KEY (id, g)) PARTITION BY LIST (g)")
        try:
            c.execute(
                "CREATE TABLE switched_0 PARTITION OF switched FOR VALUES IN (0, 1); CREATE TABLE switched_1 PARTITION OF switched DEFAULT"
            )
            c.execute("CREATE INDEX ON switched (a)")
            c.execute("INSERT INTO switched SELECT i, i % 4, i % 7 FROM generate_series(1, 60) i")
            for _ in range(3):
                for off, asked, found in ((None, 5, 60), (1, 5, 1), (1, 100, 0)):
                    rows = c.execute(
                        "SELECT id FROM switched WHERE %s::int IS NULL OR id = %s", (off, asked), prepare=True
                    ).fetchall()
                    assert len(rows) == found
                counted = "SELECT count(*) FROM switched x JOIN switched y USING (id) WHERE x.a = coalesce(%s::int, x.a)"
                assert c.execute(counted, (3,), prepare=True).fetchone() == (9,)
                assert c.execute(counted, (None,), prepare=True).fetchone() == (60,)
        finally:
            c.execute("DROP TABLE switched")
