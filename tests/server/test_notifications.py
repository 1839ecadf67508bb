"""Notifications by the thousand, and clients that do not read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from executor.session.heard import Heard
from tests.server.process import ServerProcess, wait_until


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "data") as running:
        yield running


def payloads(listener: psycopg.Connection[object], count: int) -> list[str]:
    return [n.payload for n in listener.notifies(timeout=120, stop_after=count)]


def test_what_a_client_does_not_read_waits_for_it_in_order(server: ServerProcess) -> None:
    sent = [f"{i} {'x' * 4_000}" for i in range(5_000)]
    with server.connect() as listener, server.connect() as other:
        listener.execute("LISTEN news")
        with other.transaction():
            for payload in sent:
                other.execute("SELECT pg_notify('news', %s)", (payload,))
                other.execute("SELECT pg_notify('news', %s)", (payload,))  # heard once
        other.execute("NOTIFY news, 'one more'")
        assert other.execute("SELECT 1").fetchone() == (1,)
        assert payloads(listener, 5_001) == [*sent, "one more"]


def test_what_is_rolled_back_is_not_heard(server: ServerProcess) -> None:
    with server.connect() as listener, server.connect() as other:
        listener.execute("LISTEN news")
        other.execute("BEGIN; NOTIFY news, 'a'; SAVEPOINT s; NOTIFY news, 'b'; NOTIFY news, 'a'")
        other.execute("ROLLBACK TO s; NOTIFY news, 'c'; COMMIT")
        assert payloads(listener, 2) == ["a", "c"]


def test_a_client_that_never_reads_makes_notify_fail_in_the_end(server: ServerProcess) -> None:
    with server.connect() as listener, server.connect() as other:
        listener.execute("LISTEN news")
        more = "SELECT count(pg_notify('news', repeat('x', 7900) || i)) FROM generate_series(1, 10000) AS i"
        with pytest.raises(errors.ProgramLimitExceeded, match="NOTIFY queue"):
            for _ in range(10):
                other.execute(more)  # type: ignore[arg-type]
        assert other.execute("SELECT 1").fetchone() == (1,)
        listener.close()

        def is_forgotten() -> bool:
            try:
                other.execute("NOTIFY news")
            except errors.ProgramLimitExceeded:  # the server has not heard yet that it is gone
                return False
            return True

        wait_until(is_forgotten)


def test_what_is_unread_is_counted() -> None:
    heard = Heard()
    heard.hear([(1, "news", "x" * 100), (1, "news", "")])
    full = heard.size_bytes
    assert heard.taken(1) == [(1, "news", "x" * 100)] and 0 < heard.size_bytes < full
    assert heard.taken(5) == [(1, "news", "")] and heard.size_bytes == 0 and not heard


def test_a_transaction_hears_itself_by_what_it_listens_to_in_the_end(server: ServerProcess) -> None:
    """Whatever the order in which LISTEN, UNLISTEN and NOTIFY came; and LISTEN that was undone hears nothing."""
    with server.connect() as listener:
        listener.execute("LISTEN old")
        with listener.transaction():
            listener.execute("NOTIFY news, 'one'")
            listener.execute("LISTEN news")
            listener.execute("UNLISTEN old")
            listener.execute("NOTIFY old, 'nobody'")
            listener.execute("NOTIFY news, 'two'")
        with listener.transaction(force_rollback=True):
            listener.execute("LISTEN undone")
        listener.execute("NOTIFY undone, 'nobody'")
        listener.execute("NOTIFY news, 'three'")
        assert payloads(listener, 3) == ["one", "two", "three"]
