"""Workers at one queue, by the statements that queues use, while the server is killed: no job is lost, none is given twice."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess

JOBS, WORKERS = 400, 6
WORLD = f"""
ALTER DATABASE tidewire SET default_transaction_isolation = 'read committed';
CREATE TABLE kinds (name text PRIMARY KEY, most int);
INSERT INTO kinds VALUES ('mail', 2), ('print', 1);
CREATE TABLE jobs (id int PRIMARY KEY, kind text, state text DEFAULT 'queued');
CREATE INDEX ON jobs (kind, state, id);
INSERT INTO jobs (id, kind) SELECT g, CASE WHEN g % 2 = 0 THEN 'mail' ELSE 'print' END FROM generate_series(1, {JOBS}) g;
CREATE TABLE taken (job int PRIMARY KEY, worker int);
"""
FREE = "SELECT j.id FROM jobs j WHERE j.kind = {kind} AND j.state = 'queued' ORDER BY j.id LIMIT {most} FOR UPDATE SKIP LOCKED"
FOUND = {
    "lateral": f"SELECT x.id FROM kinds k CROSS JOIN LATERAL ({FREE.format(kind='k.name', most='k.most')}) x",
    "alone": FREE.format(kind="'mail'", most="3"),
}
TAKE = """WITH found AS ({found}), gone AS (UPDATE jobs SET state = 'taken' FROM found WHERE jobs.id = found.id RETURNING jobs.id)
INSERT INTO taken SELECT id, %s FROM gone RETURNING job"""


class Worker(threading.Thread):
    """Takes jobs until it is told to stop; a lost connection is made anew."""

    def __init__(self, server: ServerProcess, number: int, found: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self._server, self._number, self._stop_now = server, number, stop
        self._take = TAKE.format(found=found)
        self.got: list[int] = []
        self.refused: list[str] = []

    def run(self) -> None:
        while not self._stop_now.is_set():
            try:
                with self._server.connect() as c:
                    while not self._stop_now.is_set():
                        jobs = c.execute(self._take.encode(), (self._number,)).fetchall()
                        self.got += [job for (job,) in jobs]
                        if not jobs:
                            return
            except psycopg.OperationalError as gone:
                if gone.sqlstate is not None and gone.sqlstate[:2] not in ("08", "57"):
                    self.refused.append(gone.sqlstate)
                time.sleep(0.05)  # until it is there again
            except psycopg.Error as error:
                self.refused.append(str(error))
                return


@pytest.mark.parametrize("found", FOUND)
def test_jobs_are_given_once_though_the_server_dies(tmp_path: Path, found: str) -> None:
    with ServerProcess(tmp_path / "data") as server:
        with server.connect() as c:
            for statement in filter(str.strip, WORLD.split(";")):
                c.execute(statement.encode())
        stop = threading.Event()
        workers = [Worker(server, n, FOUND[found], stop) for n in range(WORKERS)]
        for worker in workers:
            worker.start()
        for _ in range(2):
            before = sum(len(w.got) for w in workers)
            while sum(len(w.got) for w in workers) < before + 40 and any(w.is_alive() for w in workers):
                time.sleep(0.01)
            server.kill()
            server.start()
        for worker in workers:
            worker.join(240)
        stop.set()
        assert not any(w.is_alive() for w in workers)
        assert [x for w in workers for x in w.refused] == []
        with server.connect() as c:
            given = dict(c.execute("SELECT job, worker FROM taken").fetchall())
            marked = {job for (job,) in c.execute("SELECT id FROM jobs WHERE state = 'taken'")}
            wanted = "SELECT id FROM jobs" + (" WHERE kind = 'mail'" if found == "alone" else "")
            all_jobs = {job for (job,) in c.execute(wanted.encode())}
        assert set(given) == marked == all_jobs
        got = [(job, n) for n, w in enumerate(workers) for job in w.got]
        assert len(got) == len({job for job, _ in got}), "given twice"
        assert all(given[job] == n for job, n in got), "acknowledged, and somebody else's"
        assert server.stop() == 0
