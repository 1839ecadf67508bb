"""Two servers on one log: the one that was stalled while the other took over answers nothing from its past."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT v FROM t WHERE id = 1",
        pytest.param("SELECT sum(v) FROM t", marks=pytest.mark.soak),
        pytest.param("UPDATE t SET v = 9", marks=pytest.mark.soak),
    ],
)
def test_a_stalled_leader_that_wakes_answers_nothing(tmp_path: Path, statement: str) -> None:
    log = ["--consensus", f"sqlite:///{tmp_path / 'log.sqlite'}", "--blob", (tmp_path / "blob").as_uri()]
    with ServerProcess(tmp_path / "old", *log) as old, old.connect() as asked:
        asked.execute("CREATE TABLE t (id int PRIMARY KEY, v int)")
        asked.execute("INSERT INTO t VALUES (1, 1)")
        assert asked.execute("SELECT v FROM t WHERE id = 1").fetchone() == (1,)
        os.kill(old.pid, signal.SIGSTOP)
        try:
            with ServerProcess(tmp_path / "new", *log) as new, new.connect() as client:
                client.execute("UPDATE t SET v = 2 WHERE id = 1")
                awake = threading.Timer(0.3, os.kill, (old.pid, signal.SIGCONT))
                awake.start()  # by then the question waits in the socket of the one that sleeps
                with pytest.raises(psycopg.Error):
                    asked.execute(statement)
                awake.join()
                assert client.execute("SELECT v FROM t WHERE id = 1").fetchone() == (2,)
                assert new.stop() == 0
        finally:
            if old.running:
                os.kill(old.pid, signal.SIGCONT)
