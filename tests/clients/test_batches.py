"""INSERTs of many rows of parameters, as drivers and ORMs write them: the same outcome here and there, nulls and sizes of numbers included."""

from __future__ import annotations

import random
from decimal import Decimal

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

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
