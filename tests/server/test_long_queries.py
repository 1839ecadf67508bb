"""Who reads a table while a long query reads it, and others write to it, does not wait for that query.

a   a query of t ....................................................................... (a minute)
b             UPDATE t
c                        SELECT FROM t: DuckDB is told of the update, though a has not come to its first row
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.server.process import ServerProcess, wait_until

LONG = [
    "SELECT sum(v), count(s) FROM long_t, (SELECT pg_sleep(600)) s",
    "INSERT INTO long_sink SELECT sum(v) FROM long_t, (SELECT pg_sleep(600)) s",
    "UPDATE long_other SET n = q.n FROM (SELECT sum(v) AS n FROM long_t, (SELECT pg_sleep(600)) s) q",
    "SELECT count(*) FROM long_t a, long_t b, long_t c, long_t d WHERE (a.v + b.v * c.v + d.v) % 7 = 9",
]


@pytest.mark.parametrize("text", LONG)
def test_reads_do_not_wait_for_long_queries(server: ServerProcess, text: str) -> None:
    with server.connect() as a, server.connect() as b, ThreadPoolExecutor(1) as pool:
        b.execute("DROP TABLE IF EXISTS long_t, long_sink, long_other")
        b.execute("CREATE TABLE long_t (id int PRIMARY KEY, v int)")
        b.execute("CREATE TABLE long_sink (n bigint)")
        b.execute("CREATE TABLE long_other AS SELECT 1::bigint AS n")
        b.execute("INSERT INTO long_t SELECT i, i FROM generate_series(1, 3000) i")
        pid = a.info.backend_pid
        running = pool.submit(a.execute, text.encode())
        asked = "SELECT state = 'active' AND query = %s FROM pg_stat_activity WHERE pid = %s"
        wait_until(lambda: b.execute(asked, [text, pid]).fetchone() == (True,))
        for i in range(5):
            b.execute("UPDATE long_t SET v = v + 1 WHERE id = %s", [i + 1])
            found = b.execute("SELECT sum(v), count(*) FROM long_t WHERE v % 2 >= 0").fetchone()
            assert found == (3000 * 3001 // 2 + i + 1, 3000)
        assert not running.done()
        assert b.execute("SELECT pg_cancel_backend(%s)", [pid]).fetchone() == (True,)
        with pytest.raises(psycopg.errors.QueryCanceled):
            running.result()
        assert a.execute("SELECT count(*) FROM long_t").fetchone() == (3000,)


def test_others_are_answered_while_a_string_of_many_statements_is_read(server: ServerProcess) -> None:
    """All of a string is parsed before any of it runs: seconds of nothing else, of some thousand statements."""
    text = "SELECT a + b, c FROM nowhere WHERE d = 1 AND e LIKE 'x';" * 3000 + "SELEC"
    with server.connect() as a, server.connect() as b, ThreadPoolExecutor(1) as pool:
        b.execute("SELECT 1")
        running = pool.submit(a.execute, text.encode())
        answered = 0
        while not running.done():
            b.execute("SELECT 1")
            answered += 1
        with pytest.raises(psycopg.errors.SyntaxError):
            running.result()
    assert answered > 10
