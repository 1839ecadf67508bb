"""psql and psycopg over a real socket, against the whole house."""

from __future__ import annotations

import threading
import time
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.server.process import ServerProcess, needs_psql, wait_until


@pytest.fixture
def connection(server: ServerProcess) -> Any:
    with server.connect() as opened:
        yield opened


# --- psql ----------------------------------------------------------------------------------------


@needs_psql
def test_psql_a_session(server: ServerProcess) -> None:
    script = """
CREATE TABLE people (id int PRIMARY KEY, name text NOT NULL, born date);
INSERT INTO people VALUES (1, 'Ada', '1815-12-10'), (2, 'Grace', '1906-12-09');
SELECT * FROM people ORDER BY id;
UPDATE people SET name = 'Ada Lovelace' WHERE id = 1 RETURNING name;
SELECT nothing FROM people;
BEGIN; DELETE FROM people; ROLLBACK;
SELECT count(*) FROM people;
DROP TABLE people;
"""
    done = server.psql(stdin=script)
    assert done.stdout == (
        "CREATE TABLE\nINSERT 0 2\n"
        " id | name  |    born    \n----+-------+------------\n  1 | Ada   | 1815-12-10\n  2 | Grace | 1906-12-09\n"
        "(2 rows)\n\n"
        "     name     \n--------------\n Ada Lovelace\n(1 row)\n\nUPDATE 1\n"
        "BEGIN\nDELETE 2\nROLLBACK\n"
        " count \n-------\n     2\n(1 row)\n\nDROP TABLE\n"
    )
    assert 'ERROR:  column "nothing" does not exist\nLINE 1: SELECT nothing FROM people;\n' in done.stderr


@needs_psql
def test_psql_copy_both_ways(server: ServerProcess) -> None:
    rows = "".join(f"{i}\tname {i}\n" for i in range(1000))
    done = server.psql(
        "-c",
        "CREATE TABLE copied (id int PRIMARY KEY, name text)",
        "-c",
        "\\copy copied FROM STDIN",
        stdin=rows,
    )
    assert done.stdout == "CREATE TABLE\nCOPY 1000\n", done.stderr
    back = server.psql("-c", "COPY (SELECT * FROM copied ORDER BY id) TO STDOUT")
    assert back.stdout == rows
    failed = server.psql("-c", "\\copy copied FROM STDIN", stdin="5000\tnew\n1\tagain\n")
    assert "23505" in failed.stderr or "duplicate key value violates unique constraint" in failed.stderr
    count = server.psql("-At", "-c", "SELECT count(*) FROM copied", "-c", "DROP TABLE copied")
    assert count.stdout == "1000\nDROP TABLE\n"


# --- simple protocol -----------------------------------------------------------------------------


def test_several_statements_are_one_transaction(connection: Any) -> None:
    connection.execute("CREATE TABLE batch (id int PRIMARY KEY)")
    with pytest.raises(psycopg.errors.UniqueViolation):
        connection.execute(
            "INSERT INTO batch VALUES (1); INSERT INTO batch VALUES (2); INSERT INTO batch VALUES (1)"
        )
    assert connection.execute("SELECT count(*) FROM batch").fetchone() == (0,)
    cursor = connection.execute("INSERT INTO batch VALUES (1); SELECT 7; INSERT INTO batch VALUES (2)")
    tags = [cursor.statusmessage]
    while cursor.nextset():
        tags.append(cursor.statusmessage)
    assert tags == ["INSERT 0 1", "SELECT 1", "INSERT 0 1"]
    connection.execute("DROP TABLE batch")


def test_begin_inside_a_string(connection: Any) -> None:
    connection.execute("CREATE TABLE inside (id int PRIMARY KEY)")
    connection.execute("INSERT INTO inside VALUES (1); BEGIN; INSERT INTO inside VALUES (2)")
    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
    connection.execute("ROLLBACK")
    assert connection.execute("SELECT count(*) FROM inside").fetchone() == (0,)
    connection.execute("BEGIN; INSERT INTO inside VALUES (3); COMMIT; INSERT INTO inside VALUES (4)")
    assert connection.execute("SELECT id FROM inside ORDER BY id").fetchall() == [(3,), (4,)]
    connection.execute("DROP TABLE inside")


def test_positions_count_from_the_start_of_the_string(connection: Any) -> None:
    text = "SELECT 1; SELECT 2; SELECT missing FROM nowhere"
    with pytest.raises(psycopg.errors.UndefinedTable) as caught:
        connection.execute(text)
    assert int(caught.value.diag.statement_position or 0) == text.index("nowhere") + 1


def test_a_failed_block_waits_for_its_end(connection: Any) -> None:
    connection.execute("BEGIN")
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.execute("SELECT 1/0")
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        connection.execute("SELECT 1")
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        connection.execute("SELECT %s::int", (1,))
    assert connection.execute("COMMIT").statusmessage == "ROLLBACK"
    assert connection.execute("SELECT 1").fetchone() == (1,)


# --- extended protocol ---------------------------------------------------------------------------


def test_parameters_text_and_binary(connection: Any) -> None:
    for binary in (False, True):
        row = connection.execute(
            "SELECT %s::int, %s::text, %s::numeric, %s::bool, %s::bytea, %s::int",
            (7, "süß", 1.5, True, b"\x00\xff", None),
            binary=binary,
        ).fetchone()
        assert [str(v) if i == 2 else v for i, v in enumerate(row)] == [
            7,
            "süß",
            "1.5",
            True,
            b"\x00\xff",
            None,
        ]


def test_prepared_statements_again_and_again(connection: Any) -> None:
    connection.execute("CREATE TABLE prepared (id int PRIMARY KEY, v int)")
    for i in range(20):
        connection.execute("INSERT INTO prepared VALUES (%s, %s)", (i, i * i), prepare=True)
    for i in range(20):
        found = connection.execute("SELECT v FROM prepared WHERE id = %s", (i,), prepare=True).fetchone()
        assert found == (i * i,)
    connection.execute("DROP TABLE prepared")


def test_a_pipeline_is_one_transaction_and_ends_at_an_error(connection: Any) -> None:
    connection.execute("CREATE TABLE piped (id int PRIMARY KEY)")
    with pytest.raises(psycopg.errors.UniqueViolation), connection.pipeline():
        for i in (1, 2, 1, 3):
            connection.execute("INSERT INTO piped VALUES (%s)", (i,))
    assert connection.execute("SELECT count(*) FROM piped").fetchone() == (0,)
    with connection.pipeline():
        for i in range(50):
            connection.execute("INSERT INTO piped VALUES (%s)", (i,))
        counted = connection.execute("SELECT count(*) FROM piped")
    assert counted.fetchone() == (50,)
    connection.execute("DROP TABLE piped")


def test_execute_and_fetch_are_described_as_what_they_run(connection: Any) -> None:
    connection.execute("PREPARE twice (int) AS SELECT $1 * 2 AS double, 'x' AS x")
    cursor = connection.cursor(binary=True)
    cursor.execute(b"EXECUTE twice (21)", (), prepare=True)
    assert [c.name for c in cursor.description] == ["double", "x"]
    assert cursor.fetchall() == [(42, "x")]
    connection.execute("DEALLOCATE twice")
    with connection.transaction():
        connection.execute("DECLARE c CURSOR FOR SELECT 7 AS seven UNION ALL SELECT 8 ORDER BY 1")
        cursor.execute(b"FETCH ALL FROM c", (), prepare=True)
        assert [c.name for c in cursor.description] == ["seven"]
        assert cursor.fetchall() == [(7,), (8,)]


def test_errors_carry_their_fields(connection: Any) -> None:
    connection.execute("CREATE TABLE fields (id int CONSTRAINT fields_key PRIMARY KEY, n int NOT NULL)")
    connection.execute("INSERT INTO fields VALUES (1, 1)")
    with pytest.raises(psycopg.errors.UniqueViolation) as caught:
        connection.execute("INSERT INTO fields VALUES (1, 2)")
    diag = caught.value.diag
    assert (diag.severity, diag.schema_name, diag.table_name) == ("ERROR", "public", "fields")
    assert diag.constraint_name == "fields_key"
    assert diag.message_detail == "Key (id)=(1) already exists."
    with pytest.raises(psycopg.errors.NotNullViolation) as missing:
        connection.execute("INSERT INTO fields VALUES (%s, %s)", (2, None))
    assert missing.value.diag.column_name == "n"
    connection.execute("DROP TABLE fields")


# --- COPY ----------------------------------------------------------------------------------------


def test_copy_through_psycopg(connection: Any) -> None:
    connection.execute("CREATE TABLE bulk (id int PRIMARY KEY, what text)")
    rows = [(i, None if i % 10 == 0 else f"row\t{i}\n") for i in range(5000)]
    with connection.cursor() as cursor:
        with cursor.copy("COPY bulk FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        assert cursor.statusmessage == "COPY 5000"
        with cursor.copy("COPY (SELECT id, what FROM bulk ORDER BY id) TO STDOUT") as copy:
            copy.set_types(["int4", "text"])
            assert list(copy.rows()) == rows
        with cursor.copy("COPY (SELECT id, what FROM bulk ORDER BY id) TO STDOUT (FORMAT binary)") as copy:
            copy.set_types(["int4", "text"])
            assert list(copy.rows()) == rows
    connection.execute("DROP TABLE bulk")


def test_a_copy_that_fails_leaves_nothing(connection: Any) -> None:
    connection.execute("CREATE TABLE torn (id int PRIMARY KEY)")
    with (
        pytest.raises(psycopg.errors.InvalidTextRepresentation) as caught,
        connection.cursor() as cursor,
        cursor.copy("COPY torn FROM STDIN") as copy,
    ):
        copy.write(b"1\n2\nthree\n")
    assert "COPY torn, line 3" in (caught.value.diag.context or "")
    with (
        pytest.raises(RuntimeError, match="changes its mind"),
        connection.cursor() as cursor,
        cursor.copy("COPY torn FROM STDIN") as copy,
    ):
        copy.write(b"1\n")
        raise RuntimeError("the client changes its mind")
    assert connection.execute("SELECT count(*) FROM torn").fetchone() == (0,)
    connection.execute("DROP TABLE torn")


# --- large results, cursors ----------------------------------------------------------------------


def test_a_large_result_streams(connection: Any) -> None:
    total = 0
    for row in connection.cursor().stream(
        "SELECT i, i::text FROM generate_series(1, 200000) g(i)", size=1000
    ):
        total += row[0]
    assert total == 200_000 * 200_001 // 2


def test_server_side_cursors(connection: Any) -> None:
    connection.autocommit = False
    with connection.cursor(name="some") as cursor:
        cursor.execute("SELECT i FROM generate_series(1, 1000) g(i)")
        assert cursor.fetchmany(3) == [(1,), (2,), (3,)]
        assert len(cursor.fetchall()) == 997
    connection.rollback()


# --- from outside --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT pg_sleep(60)",
        "SELECT count(*) FROM generate_series(1, 100000) a(i), generate_series(1, 100000) b(j) WHERE i * j % 7 = 8",
    ],
    ids=["sleeping", "working"],
)
def test_cancel(server: ServerProcess, connection: Any, statement: str) -> None:
    failed: list[Exception] = []

    def work() -> None:
        try:
            connection.execute(statement.encode())
        except psycopg.Error as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: connection.info.transaction_status == psycopg.pq.TransactionStatus.ACTIVE)
    for _ in range(100):  # a request that comes before the statement cancels nothing
        connection.cancel_safe()
        thread.join(0.3)
        if not thread.is_alive():
            break
    assert len(failed) == 1 and isinstance(failed[0], psycopg.errors.QueryCanceled)
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_statement_timeout(connection: Any) -> None:
    connection.execute("SET statement_timeout = 100")
    with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
        connection.execute("SELECT pg_sleep(60)")
    connection.execute("RESET statement_timeout")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT pg_sleep(60)",
        "SELECT i, i::text FROM generate_series(1, 3000000) g(i)",
        "COPY gone FROM STDIN",
        "COPY (SELECT i FROM generate_series(1, 3000000) g(i)) TO STDOUT",
        "INSERT INTO gone SELECT i FROM generate_series(1, 2000000) g(i)",
        "BEGIN; INSERT INTO gone VALUES (1); SELECT pg_sleep(60)",
    ],
)
def test_gone_in_the_middle_of_anything(server: ServerProcess, statement: str) -> None:
    with server.connect() as watcher:
        watcher.execute("CREATE TABLE IF NOT EXISTS gone (id int PRIMARY KEY)")
        watcher.execute("DELETE FROM gone")
        client = server.connect()
        client.execute("SET client_connection_check_interval = '1s'")  # else what it has begun goes on
        client.pgconn.send_query(statement.encode())
        client.pgconn.flush()
        time.sleep(0.15)
        client.close()
        wait_until(lambda: watcher.execute("SELECT count(*) FROM gone").fetchone() in ((0,), (2_000_000,)))
        watcher.execute("DROP TABLE gone")


def test_parameter_status_follows_set(connection: Any) -> None:
    assert connection.info.parameter_status("server_version").startswith("15")
    assert connection.info.parameter_status("integer_datetimes") == "on"
    connection.execute("SET application_name = 'tests'")
    assert connection.info.parameter_status("application_name") == "tests"
    connection.execute(sql.SQL("SET TimeZone TO {}").format("Europe/Berlin"))
    assert connection.info.parameter_status("TimeZone") == "Europe/Berlin"


def test_notices(connection: Any) -> None:
    heard: list[str] = []
    connection.add_notice_handler(lambda diag: heard.append(f"{diag.severity} {diag.message_primary}"))
    connection.execute("DROP TABLE IF EXISTS never_there")
    assert heard == ['NOTICE table "never_there" does not exist, skipping']


def test_listen_and_notify(server: ServerProcess, connection: Any) -> None:
    connection.execute("LISTEN news")
    with server.connect() as other:
        other.execute("NOTIFY news, 'one'")
        with other.transaction():
            other.execute("NOTIFY news, 'two'")
            other.execute("NOTIFY news, 'two'")  # the same again within one transaction is heard once
        other.execute("BEGIN; NOTIFY news, 'never'; ROLLBACK")
        other.execute("NOTIFY news, 'three'")
    heard = [n.payload for n in connection.notifies(timeout=60, stop_after=3)]
    assert heard == ["one", "two", "three"]
