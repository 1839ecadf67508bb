"""What PostgreSQL's own functions and operators answer here is what they answer there.

Bounded by default. `TIDEWIRE_EXAMPLES=50000 pytest tests/differential/test_calls.py` searches longer. A function that is not there
says so (0A000); of errors the text of the first that is met may be another's.
"""

from __future__ import annotations

import os
from random import Random

import psycopg

from tests.differential.calls import calls
from tests.server.process import ServerProcess

EXAMPLES = int(os.environ.get("TIDEWIRE_EXAMPLES", "1500"))

Answer = list[tuple[str | None, ...]] | str


def answered(connection: psycopg.Connection[tuple[str | None, ...]], text: str) -> Answer:
    """Rows as texts, or the SQLSTATE."""
    result = connection.pgconn.exec_(text.encode())
    state = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
    if state is not None:
        return state.decode()
    columns = range(result.nfields)
    return [
        tuple(None if (v := result.get_value(i, j)) is None else v.decode() for j in columns)
        for i in range(result.ntuples)
    ]


def test_calls_answer_alike(postgres: str, tidewire: ServerProcess) -> None:
    rng, wrong = Random(15), []
    with psycopg.connect(postgres) as there, tidewire.connect() as here:
        there.autocommit = here.autocommit = True
        for c in (there, here):
            c.execute("SET statement_timeout = '20s'")
        known = calls(lambda text: there.execute(text.encode()).fetchall())
        assert len(known.known) > 500
        for _ in range(EXAMPLES):
            text = known.text(rng)
            expected, found = answered(there, text), answered(here, text)
            if expected != found and isinstance(expected, list) and isinstance(found, list):
                wrong.append(f"{text}\nTidewire   {found}\nPostgreSQL {expected}")
    assert not wrong, "\n\n".join(wrong)
