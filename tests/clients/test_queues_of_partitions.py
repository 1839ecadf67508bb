"""Workers that take jobs at once from a queue that is a partition: each gets as many as it asked for while there are enough.

What others have locked is passed over, so a query for a few rows asks for some more; those locked while it runs must not count against it.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.server.process import ServerProcess

WORKERS, BATCH, ROUNDS = 4, 2, 5
TAKE = """
    WITH next AS (SELECT id FROM jobs WHERE queue = %s AND state < 'b' ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
    UPDATE jobs j SET state = 'x' FROM next WHERE queue = %s AND j.id = next.id RETURNING j.id
"""


@pytest.mark.parametrize("own_index", [False, True])
def test_workers_do_not_come_away_with_less_than_there_is(server: ServerProcess, own_index: bool) -> None:
    dsn = f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire"
    with psycopg.connect(dsn, autocommit=True) as c:
        c.execute(
            "CREATE TABLE jobs (id int, queue text, state text DEFAULT 'a', PRIMARY KEY (queue, id)) PARTITION BY LIST (queue)"
        )
        try:
            c.execute("CREATE TABLE jobs_s PARTITION OF jobs FOR VALUES IN ('s')")
            c.execute("CREATE TABLE jobs_t PARTITION OF jobs FOR VALUES IN ('t')")
            if own_index:
                c.execute("CREATE UNIQUE INDEX ON jobs_s (queue) WHERE state = 'alone'")
            for _ in range(ROUNDS):
                c.execute("DELETE FROM jobs")
                c.execute("INSERT INTO jobs SELECT g, 's' FROM generate_series(1, 12) g")
                together = threading.Barrier(WORKERS)

                def taken(_: int, together: threading.Barrier = together) -> list[int]:
                    with psycopg.connect(dsn, autocommit=True) as worker:
                        together.wait()
                        return [n for (n,) in worker.execute(TAKE, ("s", BATCH, "s")).fetchall()]

                with ThreadPoolExecutor(WORKERS) as pool:
                    got = list(pool.map(taken, range(WORKERS)))
                assert [len(ids) for ids in got] == [BATCH] * WORKERS
                assert len({n for ids in got for n in ids}) == BATCH * WORKERS
        finally:
            c.execute("DROP TABLE jobs")
