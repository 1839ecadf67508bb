"""pgbench in all its built-in scripts and modes ends without error, and its sums agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.process import ServerProcess, needs_pgbench

pytestmark = needs_pgbench

SUMS = """
SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(bbalance) FROM pgbench_branches),
       (SELECT sum(tbalance) FROM pgbench_tellers), (SELECT coalesce(sum(delta), 0) FROM pgbench_history)
"""


def check_sums(server: ServerProcess) -> None:
    """pgbench's invariant: every transaction adds one delta to each of the four tables."""
    with server.connect() as connection:
        row = connection.execute(SUMS).fetchone()
    assert row is not None and len(set(row)) == 1, f"accounts, branches, tellers, history: {row}"


@pytest.fixture(scope="module")
def loaded(server: ServerProcess) -> ServerProcess:
    done = server.pgbench("-i", "-s", "1", "-q")
    assert "done in" in done.stderr
    with server.connect() as connection:
        assert connection.execute("SELECT count(*) FROM pgbench_accounts").fetchone() == (100_000,)
    return server


@pytest.mark.parametrize("mode", ["simple", "extended", "prepared"])
@pytest.mark.parametrize("script", ["select-only", "simple-update", "tpcb-like"])
@pytest.mark.parametrize("clients", [1, 16])
def test_built_in_scripts(loaded: ServerProcess, script: str, mode: str, clients: int) -> None:
    done = loaded.pgbench(
        "-n", "-b", script, "-M", mode, "-c", str(clients), "-j", "2", "-t", str(400 // clients)
    )
    assert "number of failed transactions: 0" in done.stdout
    with loaded.connect() as connection:
        row = connection.execute(SUMS).fetchone()
    assert row is not None
    accounts, branches, tellers, history = row
    # simple-update leaves branches and tellers alone; tpcb-like writes all four.
    assert accounts == history and branches == tellers, row


def test_many_clients(loaded: ServerProcess) -> None:
    loaded.pgbench("-i", "-s", "1", "-q")
    done = loaded.pgbench("-n", "-M", "prepared", "-c", "64", "-j", "2", "-t", "10")
    assert "number of transactions actually processed: 640/640" in done.stdout
    check_sums(loaded)


def test_a_connection_for_each_transaction(loaded: ServerProcess) -> None:
    done = loaded.pgbench("-n", "-S", "-C", "-c", "4", "-t", "25")
    assert "number of transactions actually processed: 100/100" in done.stdout


def test_one_row_that_everybody_increments(loaded: ServerProcess, tmp_path: Path) -> None:
    """Autocommit, and in blocks whose clients never try again: nothing is lost, nobody is refused."""
    with loaded.connect() as connection:
        connection.execute("DROP TABLE IF EXISTS counter")
        connection.execute("CREATE TABLE counter (id int PRIMARY KEY, n int)")
        connection.execute("INSERT INTO counter VALUES (1, 0)")
    alone = tmp_path / "alone.sql"
    alone.write_text("UPDATE counter SET n = n + 1 WHERE id = 1;\n")
    block = tmp_path / "block.sql"
    block.write_text(f"BEGIN;\n{alone.read_text()}SELECT n FROM counter WHERE id = 1;\nEND;\n")
    done = loaded.pgbench(
        "-n", "-M", "prepared", "-f", f"{alone}@9", "-f", f"{block}@1", "-c", "64", "-j", "2", "-t", "20"
    )
    assert "number of failed transactions: 0" in done.stdout
    with loaded.connect() as connection:
        assert connection.execute("SELECT n FROM counter").fetchone() == (64 * 20,)
