"""Triggers fire exactly for what is committed: under concurrency, across SIGKILL, and whatever a transaction does on its way."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from psycopg import errors

from tests.server.process import ServerProcess

AUDITED = """
CREATE TABLE accounts (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE audit (id int, op text, was int, is_now int);
CREATE TABLE total (id int PRIMARY KEY, n bigint);
INSERT INTO total VALUES (1, 0);
CREATE FUNCTION audited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit VALUES (coalesce(NEW.id, OLD.id), TG_OP, OLD.n, NEW.n);
  RETURN NULL;
END $$;
CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE total SET n = n + coalesce(NEW.n, 0) - coalesce(OLD.n, 0) WHERE id = 1;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION audited();
"""
COUNTED = "CREATE TRIGGER count BEFORE INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION counted()"
PASSED = """
CREATE FUNCTION passed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN coalesce(NEW, OLD); END $$;
CREATE TRIGGER pass BEFORE INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION passed();
"""
CLIENTS = 4
WRITES = 40


def _run(server: ServerProcess, work: Any) -> None:
    """The same work by several clients at once. Raises what one of them raised."""
    failed: list[Exception] = []

    def one(n: int) -> None:
        try:
            with server.connect() as c:
                work(c, n)
        except Exception as e:  # noqa: BLE001  told to whoever waits
            failed.append(e)

    threads = [threading.Thread(target=one, args=(n,)) for n in range(CLIENTS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failed:
        raise failed[0]


def _agree(c: psycopg.Connection[Any]) -> None:
    """Each account's rows of the audit are a chain that ends with the account as it is."""
    chains: dict[int, list[tuple[Any, Any]]] = {}
    for account, was, is_now in c.execute("SELECT id, was, is_now FROM audit"):
        chains.setdefault(account, []).append((was, is_now))
    now: dict[int, int] = dict(c.execute("SELECT id, n FROM accounts").fetchall())
    for account, steps in chains.items():
        # A value that is left as often as it is reached but for the beginning (None) and the end.
        ends = Counter(after for _, after in steps) - Counter(before for before, _ in steps)
        starts = Counter(before for before, _ in steps) - Counter(after for _, after in steps)
        here = now.get(account)
        assert (list(starts.elements()), list(ends.elements())) == (
            ([None], [here]) if here is not None else ([], [])
        )
    assert set(now) <= set(chains)


def test_others_are_served_between_the_rows_that_triggers_fire_for(server: ServerProcess) -> None:
    with server.connect() as busy, server.connect() as c:
        c.execute("CREATE TABLE many (id int PRIMARY KEY, n int)")
        c.execute(
            "CREATE FUNCTION fires() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.n := 1; RETURN NEW; END $$"
        )
        c.execute("CREATE TRIGGER f BEFORE INSERT ON many FOR EACH ROW EXECUTE FUNCTION fires()")
        waited, begun = [0.0], time.monotonic()
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(
                busy.execute, "INSERT INTO many SELECT i, i FROM generate_series(1, 10000) i"
            )
            while not running.done():
                before = time.monotonic()
                c.execute("SELECT 1")
                waited.append(time.monotonic() - before)
        assert max(waited) < (time.monotonic() - begun) / 2  # it was most of it
        busy.rollback()
        c.execute("DROP TABLE many; DROP FUNCTION fires")


def test_an_audit_has_a_row_for_every_committed_update(server: ServerProcess) -> None:
    with server.connect() as c:
        c.execute(AUDITED)
        c.execute(COUNTED)
        c.execute("INSERT INTO accounts SELECT i, 0 FROM generate_series(1, 3) i")

    def work(c: psycopg.Connection[Any], n: int) -> None:
        for i in range(WRITES):
            account = (n + i) % 3 + 1
            while True:
                try:
                    with c.transaction() if i % 2 else nullcontext():
                        c.execute("UPDATE accounts SET n = n + 1 WHERE id = %s", (account,))
                        if i % 2:
                            c.execute("UPDATE accounts SET n = n + 1 WHERE id = %s", (4 - account,))
                    break
                except (errors.SerializationFailure, errors.DeadlockDetected):
                    pass  # they meet at the total as well

    _run(server, work)
    with server.connect() as c:
        updates = CLIENTS * (WRITES // 2 + WRITES // 2 * 2)
        assert c.execute("SELECT sum(n) FROM accounts").fetchone() == (updates,)
        assert c.execute("SELECT count(*) FROM audit WHERE op = 'UPDATE'").fetchone() == (updates,)
        assert c.execute("SELECT n FROM total").fetchone() == (updates,)
        _agree(c)


def test_a_killed_server_has_the_audit_of_what_it_has(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        with server.connect() as c:
            c.execute(AUDITED)
            c.execute("INSERT INTO accounts SELECT i, 0 FROM generate_series(1, 3) i")
        answered = Counter[int]()
        going = threading.Semaphore(0)

        def work(n: int) -> None:
            try:
                with server.connect() as c:
                    while True:
                        c.execute("UPDATE accounts SET n = n + 1 WHERE id = 1")
                        answered[n] += 1
                        going.release()
            except psycopg.OperationalError:
                return

        threads = [threading.Thread(target=work, args=(n,)) for n in range(CLIENTS)]
        for t in threads:
            t.start()
        for _ in range(100):
            going.acquire()
        server.kill()
        for t in threads:
            t.join()
        server.start()
        with server.connect() as c:
            (count,) = c.execute("SELECT count(*) FROM audit WHERE op = 'UPDATE'").fetchone() or (0,)
            assert c.execute("SELECT n FROM accounts WHERE id = 1").fetchone() == (count,)
            assert count >= sum(answered.values())
            _agree(c)
            c.execute("UPDATE accounts SET n = n + 1 WHERE id = 1")  # the trigger is there still
            assert c.execute("SELECT count(*) FROM audit WHERE op = 'UPDATE'").fetchone() == (count + 1,)


STATEMENTS = (
    "INSERT INTO accounts VALUES ({a}, {b})",
    "INSERT INTO accounts VALUES ({a}, {b}), ({c}, {b})",
    "INSERT INTO accounts SELECT i, {b} FROM generate_series({a}, {c}) i ON CONFLICT (id) DO UPDATE SET n = accounts.n + 1",
    "INSERT INTO accounts VALUES ({a}, {b}) ON CONFLICT DO NOTHING",
    "UPDATE accounts SET n = n + {b} WHERE id = {a}",
    "UPDATE accounts SET n = n + {b} WHERE n > {c}",
    "DELETE FROM accounts WHERE id = {a}",
    "DELETE FROM accounts WHERE n % 3 = {b} % 3",
    "MERGE INTO accounts t USING (VALUES ({a}, {b})) s (id, n) ON t.id = s.id WHEN MATCHED AND t.n > {c} THEN DELETE "
    "WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)",
    "WITH d AS (DELETE FROM accounts WHERE id = {a} RETURNING n) INSERT INTO accounts SELECT {c} + 100, n FROM d",
    "SAVEPOINT s",
    "ROLLBACK TO s",
    "COMMIT; BEGIN",
    "ROLLBACK; BEGIN",
)


@pytest.fixture(scope="module", params=["at once", "row by row"])
def audited(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Accounts whose statements are written as a whole, or, as a trigger is asked before each row, one by one."""
    with ServerProcess(tmp_path_factory.mktemp("triggers") / "data") as server, server.connect() as c:
        c.execute(AUDITED)
        c.execute(COUNTED.replace("BEFORE", "AFTER"))  # before it is known which of the two ON CONFLICT does
        if request.param == "row by row":
            c.execute(PASSED)
        yield c


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=some.lists(
        some.tuples(
            some.sampled_from(STATEMENTS), some.integers(1, 5), some.integers(0, 6), some.integers(1, 5)
        ),
        max_size=12,
    )
)
def test_triggers_fire_for_the_rows_that_are_committed(
    audited: psycopg.Connection[Any], steps: list[tuple[str, int, int, int]]
) -> None:
    c = audited
    c.execute("TRUNCATE accounts, audit; UPDATE total SET n = 0")
    c.execute("BEGIN")
    for text, a, b, e in steps:
        try:
            for part in text.format(a=a, b=b, c=e).split("; "):
                c.execute(part.encode())
        except errors.Error:
            c.execute("ROLLBACK")
            c.execute("BEGIN")
    c.execute("COMMIT")
    _agree(c)
    assert (
        c.execute("SELECT (SELECT n FROM total), (SELECT coalesce(sum(n), 0) FROM accounts)").fetchall()[0]
        == (
            c.execute("SELECT coalesce(sum(coalesce(is_now, 0) - coalesce(was, 0)), 0) FROM audit").fetchone()
            or (None,)
        )
        * 2
    )
