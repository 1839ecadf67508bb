"""INSERTs of many rows of parameters, as drivers and ORMs write them: the same outcome here and there, nulls and sizes of numbers included."""

from __future__ import annotations

import random
from decimal import Decimal

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.pq.abc import PGresult

from tests.server.process import ServerProcess

CASTS = ("::VARCHAR", "::NUMERIC(9, 2)", "::INTEGER", "::BOOLEAN")
ENDS = ("", " RETURNING batches.id, n", " ON CONFLICT (id) DO UPDATE SET b = excluded.b RETURNING id")
COUNTED = " AS imp_sen(p0, p1, p2, p3, sen_counter) ORDER BY sen_counter RETURNING batches.id, c AS cost"


def _statements(rng: random.Random) -> list[tuple[str, list[object]]]:
    """Statements and their values: numbers that psycopg declares by their size, nulls that it declares as nothing, and now and then an error."""
    made = []
    for turn in range(24):
        count = rng.choice([4, 9, 150])
        casts = rng.choice([CASTS, ("", "", "", ""), ("", "::numeric", "", "")])
        values: list[object] = []
        for i in range(count):
            n = rng.choice([None, i, 40_000, -5, 2**31 if rng.random() < 1 / count / 3 else 70_000])
            cost = rng.choice(
                [None, Decimal("1.005"), 7, Decimal(10**8 if rng.random() < 1 / count / 3 else 2)]
            )
            values += [rng.choice([f"n {i}", None, ""]), cost, n, rng.choice([True, False, None])]
        cells = ", ".join(f"%s{cast}" for cast in casts)
        if turn % 2:
            rows = ", ".join(f"({cells}, {i})" for i in range(count))
            items = ", ".join(f"p{i}{cast}" for i, cast in enumerate(CASTS))
            made.append(
                (f"INSERT INTO batches (b, c, n, d) SELECT {items} FROM (VALUES {rows}){COUNTED}", values)
            )
        else:
            rows = ", ".join([f"({cells})"] * count)
            made.append((f"INSERT INTO batches (b, c, n, d) VALUES {rows}{rng.choice(ENDS)}", values))
    return made


def _told(dsn: str, binary: bool) -> list[object]:
    told: list[object] = []
    with psycopg.connect(dsn, autocommit=True) as c:
        c.execute(
            "CREATE TEMP TABLE batches (id serial PRIMARY KEY, b varchar(5), c numeric(9, 2), n int, d bool)"
        )
        for text, values in _statements(random.Random(11)):
            try:
                cursor = c.execute(text.encode(), values, binary=binary)
                rows = cursor.fetchall() if cursor.description else []
                # How many numbers a statement has drawn that failed is not compared.
                first = rows[0][0] if rows else 0
                told.append((cursor.statusmessage, [(row[0] - first, *row[1:]) for row in rows]))
            except psycopg.Error as e:
                told.append((e.sqlstate, e.diag.message_primary))
        told.append(c.execute("SELECT b, c, n, d FROM batches ORDER BY id").fetchall())
    return told


@pytest.mark.parametrize("binary", [False, True])
def test_batches_of_parameters(server: ServerProcess, postgres: str, binary: bool) -> None:
    here = make_conninfo(f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire")
    assert _told(here, binary) == _told(postgres, binary)


def _rows(of: range, text: str = "n") -> str:
    return ", ".join(f"({i}, '{text} {i}', {i % 97}.25, NULL)" for i in of)


def _prepared(dsn: str) -> list[object]:
    """INSERTs of rows of literals as prepared statements: executed again, by EXECUTE, after DDL, in a block, with values that none asked for."""
    told: list[object] = []
    with psycopg.connect(dsn, autocommit=True) as c:

        def note(result: PGresult) -> None:
            told.append((result.status, result.command_tuples, result.nparams, result.error_message))
            told.extend(
                [result.get_value(r, f) for r in range(result.ntuples) for f in range(result.nfields)]
            )

        def run(sql: str) -> None:
            try:
                c.execute(sql)  # type: ignore[call-overload]
            except psycopg.Error as error:
                told.append((error.sqlstate, str(error)))

        wire = c.pgconn
        c.execute("CREATE TEMP TABLE rows_said (a int, b varchar(9), c numeric(9, 1), d date)")
        for text in (
            f"INSERT INTO rows_said VALUES {_rows(range(200))}",
            f"INSERT INTO rows_said (a, b, c, d) VALUES {_rows(range(100))} RETURNING a, c",
            f"INSERT INTO rows_said VALUES {_rows(range(9), 'far too long')}",
            f"INSERT INTO rows_said VALUES {_rows(range(9))}, ($1, $2, 1.5, NULL)",
        ):
            note(wire.exec_params(text.encode(), None))
            note(wire.prepare(b"said", text.encode()))
            note(wire.describe_prepared(b"said"))
            note(wire.exec_prepared(b"said", None))
            note(wire.exec_prepared(b"said", [b"1"]))
            run("EXECUTE said")
            run("EXECUTE said (1)")
            run("CREATE TABLE IF NOT EXISTS pg_temp.another (a int)")  # another catalog
            note(wire.exec_prepared(b"said", None))
            run("ALTER TABLE rows_said ALTER COLUMN c TYPE numeric(9, 2)")
            note(wire.exec_prepared(b"said", None))
            run("EXECUTE said")
            run("BEGIN")
            note(wire.exec_prepared(b"said", None))
            run("ALTER TABLE rows_said ALTER COLUMN c TYPE numeric(9, 1)")
            note(wire.exec_prepared(b"said", None))
            run("ROLLBACK")
            told.extend(
                c.execute("SELECT count(*), sum(a), sum(c), max(b), min(d) FROM rows_said").fetchall()
            )
            run("DEALLOCATE said")
    return told


def test_rows_of_literals_as_prepared_statements(server: ServerProcess, postgres: str) -> None:
    here = make_conninfo(f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire")
    assert _prepared(here) == _prepared(postgres)
