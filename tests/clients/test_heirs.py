"""Tables that inherit, over the wire: dumps either way, generated statements beside a model of them, writers of parents and of children."""

from __future__ import annotations

import random
import shutil
import threading
from pathlib import Path

import psycopg
import pytest

from tests.clients.dumps import dumped, restored
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

SCRIPT = Path(__file__).with_name("heirs.sql")
ASKED = [
    "SELECT tableoid::regclass::text, * FROM places ORDER BY id",
    "SELECT * FROM peaks",
    "SELECT * FROM own_places",
    "SELECT * FROM all_places ORDER BY 1",
    "SELECT tableoid::regclass::text, * FROM items ORDER BY id",
    "SELECT * FROM s",
    "SELECT inhrelid::regclass::text, inhparent::regclass::text, inhseqno FROM pg_inherits ORDER BY 1, 2",
    "SELECT attrelid::regclass::text, attname, attislocal, attinhcount FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid "
    "WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 ORDER BY 1, 2",
    "SELECT conrelid::regclass::text, conname, conislocal, coninhcount FROM pg_constraint WHERE contype = 'c' AND conrelid <> 0 ORDER BY 1, 2",
    "INSERT INTO books (label) VALUES ('y') RETURNING id",
]
SEED = 7
STATEMENTS = 200
BELOW = {"p": ("p", "c", "d"), "c": ("c", "d"), "d": ("d",)}


@needs_psql
@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_heirs_are_dumped_and_restored_in_postgres_and_here(server: ServerProcess) -> None:
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as there:
            with server.connect() as here:
                here.execute("CREATE DATABASE heirs")
                here.execute("CREATE DATABASE heirs_again")
            made = server.psql("-d", "heirs", "-v", "ON_ERROR_STOP=1", "-q", "-f", str(SCRIPT))
            assert "ERROR" not in made.stderr
            assert made.returncode == 0
            restored(server, dumped(server, "--no-owner", "-d", "heirs"), "heirs_again", dsn)
            with server.connect(dbname="heirs") as ours, server.connect(dbname="heirs_again") as copy:
                for query in ASKED:
                    expected = ours.execute(query).fetchall()
                    assert expected, query
                    assert there.execute(query).fetchall() == expected, query
                    assert copy.execute(query).fetchall() == expected, query
    except NoPostgres as e:
        pytest.skip(str(e))


def family(c: psycopg.Connection) -> None:
    """p, its child c whose columns stand in another order, with keys of its own, and c's child d."""
    c.execute("DROP TABLE IF EXISTS p, c, d, model")
    c.execute("CREATE TABLE p (id int, k int, v int)")
    c.execute("CREATE TABLE c (x int, v int, id int PRIMARY KEY, k int)")
    c.execute("ALTER TABLE c INHERIT p")
    c.execute("CREATE TABLE d (y int, s int GENERATED ALWAYS AS (v + x) STORED) INHERITS (c)")
    c.execute("CREATE INDEX ON d (k)")
    c.execute("CREATE TABLE model (of text, id int, k int, v int, x int, y int)")


def statement(rng: random.Random, n: int) -> tuple[str, str]:
    """What is done to one of the tables, and to the model."""
    table = rng.choice("pppcd")
    only = rng.randrange(4) == 0
    rows = ", ".join(f"'{t}'" for t in ((table,) if only else BELOW[table]))
    named = f"ONLY {table}" if only else table
    lower = rng.randrange(60)
    where = rng.choice(
        [f"id = {lower}", f"id BETWEEN {lower} AND {lower + 5}", f"k = {lower % 7}", f"v > {n}"]
    )
    mine = f"{where} AND of IN ({rows})"
    what = rng.randrange(7)
    if what < 2:
        return (
            f"INSERT INTO {table} (id, k, v) VALUES ({n}, {lower % 7}, {lower})",
            f"INSERT INTO model (of, id, k, v) VALUES ('{table}', {n}, {lower % 7}, {lower})",
        )
    if what == 2:
        return (
            f"UPDATE {named} SET v = v + {n} WHERE {where} RETURNING id, k, v",
            f"UPDATE model SET v = v + {n} WHERE {mine} RETURNING id, k, v",
        )
    if what == 3 and table != "p":
        return (
            f"UPDATE {named} SET x = coalesce(x, 0) + 1, k = (k + 1) % 7 WHERE {where} RETURNING id, x",
            f"UPDATE model SET x = coalesce(x, 0) + 1, k = (k + 1) % 7 WHERE {mine} RETURNING id, x",
        )
    if what == 4:
        return (
            f"DELETE FROM {named} WHERE {where} AND v % 4 = 0 RETURNING id, k, v",
            f"DELETE FROM model WHERE {mine} AND v % 4 = 0 RETURNING id, k, v",
        )
    if what == 5:
        return (
            f"MERGE INTO {table} AS t USING (SELECT {lower} AS i) s ON t.id = i WHEN MATCHED AND v % 2 = 0 THEN DELETE "
            f"WHEN MATCHED THEN UPDATE SET v = {n} WHEN NOT MATCHED THEN INSERT (id, k, v) VALUES (i, 1, {n})",
            f"MERGE INTO model AS t USING (SELECT {lower} AS i) s ON t.id = i AND of IN ({', '.join(repr(t) for t in BELOW[table])}) "
            f"WHEN MATCHED AND v % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = {n} "
            f"WHEN NOT MATCHED THEN INSERT (of, id, k, v) VALUES ('{table}', i, 1, {n})",
        )
    return (
        f"SELECT tableoid::regclass::text, id, k, v FROM {named} WHERE {where}",
        f"SELECT of, id, k, v FROM model WHERE {mine}",
    )


@pytest.mark.parametrize("blocks", [False, True], ids=("alone", "in blocks"))
def test_a_family_is_as_one_table_that_says_whose_rows_are_whose(server: ServerProcess, blocks: bool) -> None:
    rng = random.Random(SEED + blocks)
    with server.connect() as c:
        family(c)
        for n in range(STATEMENTS):
            if blocks and n % 5 == 0:
                c.execute("BEGIN")
            answers = []
            texts = statement(rng, n)
            for text in texts:
                c.execute("SAVEPOINT s" if blocks else "SELECT 1")
                try:
                    done = c.execute(text.encode())
                except psycopg.errors.UniqueViolation:
                    if blocks:
                        c.execute("ROLLBACK TO s")
                    break  # c's key: the model has none
                rows = sorted(map(repr, done.fetchall())) if done.description is not None else []
                answers.append((done.statusmessage, rows))
            assert len(answers) != 2 or answers[0] == answers[1], texts
            if blocks and n % 5 == 4:
                c.execute(rng.choice(["COMMIT", "ROLLBACK"]).encode())
        found = c.execute("SELECT tableoid::regclass::text, id, k, v FROM p ORDER BY 1, 2, 3, 4").fetchall()
        assert found == c.execute("SELECT of, id, k, v FROM model ORDER BY 1, 2, 3, 4").fetchall()
        own = c.execute("SELECT tableoid::regclass::text, id, x FROM c ORDER BY 1, 2, 3").fetchall()
        assert own == c.execute("SELECT of, id, x FROM model WHERE of <> 'p' ORDER BY 1, 2, 3").fetchall()
        assert {row[0] for row in found} == {"p", "c", "d"}
        assert c.execute("SELECT count(*) FROM d WHERE s IS DISTINCT FROM v + x").fetchall() == [(0,)]


def test_writers_of_parents_and_of_children_lose_nothing_of_each_other(server: ServerProcess) -> None:
    """One adds to columns of the parent, one to the child's own, by key: all of both is there in the end."""
    each = 60
    with server.connect() as c:
        c.execute("CREATE TABLE up (id int, n int)")
        c.execute("CREATE TABLE down (id int PRIMARY KEY, own int) INHERITS (up)")
        c.execute("INSERT INTO down SELECT i, 0, 0 FROM generate_series(1, 4) i")
    failed: list[BaseException] = []
    done: dict[str, int] = {}

    def write(text: str, seed: int) -> None:
        rng = random.Random(seed)
        try:
            with server.connect() as mine:
                for _ in range(each):
                    try:
                        answer = mine.execute(text.encode(), [rng.randrange(1, 5)])
                    except psycopg.errors.SerializationFailure:
                        continue
                    assert answer.rowcount == 1
                    done[text] = done.get(text, 0) + 1
        except (psycopg.Error, AssertionError) as e:  # told by the test's own thread
            failed.append(e)

    texts = ["UPDATE up SET n = n + 1 WHERE id = %s", "UPDATE down SET own = own + 1 WHERE id = %s"]
    threads = [threading.Thread(target=write, args=(text, i)) for i, text in enumerate(texts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not failed, failed
    with server.connect() as c:
        assert c.execute("SELECT count(*), sum(n), sum(own) FROM down").fetchall() == [
            (4, done[texts[0]], done[texts[1]])
        ]


def test_rows_in_bulk_keep_what_only_the_child_has(server: ServerProcess) -> None:
    with server.connect() as c:
        c.execute("CREATE TABLE much (id int, v int, s text)")
        c.execute("CREATE UNIQUE INDEX ON much ((v + id * 7))")
        c.execute(
            "CREATE TABLE more (extra text, id int PRIMARY KEY, cost numeric(20, 2), g int GENERATED ALWAYS AS (v * 2) STORED) "
            "INHERITS (much)"
        )
        c.execute("INSERT INTO much SELECT i, i % 7, 'p' || i FROM generate_series(1, 30000) i")
        c.execute(
            "INSERT INTO more (id, v, s, extra, cost) SELECT i, i % 7, 'c' || i, 'e' || i, i / 4.0 FROM generate_series(1, 30000) i"
        )
        assert c.execute("UPDATE much SET v = v + 7").rowcount == 60_000
        with pytest.raises(psycopg.errors.UniqueViolation):
            c.execute("UPDATE ONLY much SET id = 2, v = 9 WHERE id = 1")
        assert c.execute("DELETE FROM much WHERE id % 3 = 0").rowcount == 20_000
        wrong = "extra <> 'e' || id OR cost <> id / 4.0 OR g <> v * 2 OR v <> id % 7 + 7"
        assert c.execute(
            f"SELECT count(*), count(*) FILTER (WHERE {wrong}) FROM more".encode()
        ).fetchall() == [(20_000, 0)]
        assert c.execute("SELECT count(*) FROM ONLY much WHERE v = id % 7 + 7").fetchall() == [(20_000,)]


def test_plans_of_a_parent_hear_of_children(server: ServerProcess) -> None:
    """Statements by key are prepared before there is a child, and after it has gone."""
    with server.connect() as c, server.connect() as other:
        c.execute("CREATE TABLE root (id int PRIMARY KEY, v int)")
        c.execute("INSERT INTO root VALUES (1, 10)")

        def ask() -> list[tuple[int, ...]]:
            return c.execute("SELECT v FROM root WHERE id = %s ORDER BY v", [1], prepare=True).fetchall()

        def add() -> int:
            return c.execute("UPDATE root SET v = v + 1 WHERE id = %s", [1], prepare=True).rowcount

        assert (ask(), add()) == ([(10,)], 1)
        other.execute("CREATE TABLE branch (own text) INHERITS (root)")
        other.execute("INSERT INTO branch VALUES (1, 20, 'b')")
        assert (ask(), add(), ask()) == ([(11,), (20,)], 2, [(12,), (21,)])
        assert other.execute("SELECT * FROM branch").fetchall() == [(1, 21, "b")]
        other.execute("ALTER TABLE branch NO INHERIT root")
        assert (ask(), add()) == ([(12,)], 1)
        other.execute("ALTER TABLE branch INHERIT root")
        assert ask() == [(13,), (21,)]
        other.execute("DROP TABLE branch")
        assert (ask(), add()) == ([(13,)], 1)


REFUSED = [
    ("SELECT * FROM tidewire_changes('stem', 0, NULL)", "the change feed of table"),
    ("SELECT tidewire_open_snapshot('[\"stem\"]', '', 60)", "a snapshot of table"),
    ("COPY stem FROM 'staging/x' (FORMAT parquet)", "COPY of staged files of table"),
    (
        "CREATE TEMPORARY TABLE stem_shoot () INHERITS (stem)",
        "temporary tables that inherit from permanent ones",
    ),
    ("SELECT * FROM stem FOR UPDATE", 'locking rows of table "stem", of which a child has column "own"'),
]


@pytest.mark.parametrize(("text", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_is_left_of_parents_is_refused_by_name(server: ServerProcess, text: str, words: str) -> None:
    with server.connect() as c:
        c.execute("DROP TABLE IF EXISTS stem CASCADE")
        c.execute("CREATE TABLE stem (id int, v int)")
        c.execute("CREATE TABLE leaf (own int PRIMARY KEY) INHERITS (stem)")
        with pytest.raises(psycopg.errors.FeatureNotSupported) as told:
            c.execute(text.encode())
        assert words in str(told.value)
