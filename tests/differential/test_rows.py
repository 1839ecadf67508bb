"""What calls come to is the same over many rows, of one row by its key, and on PostgreSQL.

Bounded by default. `TIDEWIRE_EXAMPLES=20000 pytest tests/differential/test_rows.py` searches longer. Rows of which PostgreSQL raises an error are left out
of the query of all: which of several errors is met first is nobody's promise.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from random import Random

import psycopg
from psycopg import pq

from tests.differential.calls import calls
from tests.differential.rows import FEW, Asked, asked, definition
from tests.server.process import ServerProcess

EXAMPLES = int(os.environ.get("TIDEWIRE_EXAMPLES", "200"))
FLOATS = (700, 701)


@dataclass(frozen=True)
class Found:
    """The value of each row by its key, and the type of them all; or the SQLSTATE."""

    kind: int = 0
    values: tuple[tuple[str, str | None], ...] = ()
    state: str = ""

    def agrees(self, other: Found) -> bool:
        if self.kind != other.kind or len(self.values) != len(other.values):
            return False
        return all(
            a == b and _same(x, y, self.kind)
            for (a, x), (b, y) in zip(self.values, other.values, strict=True)
        )


def _same(x: str | None, y: str | None, kind: int) -> bool:
    """Functions of floats may differ in their last digits: they are the C library's."""
    if x == y or x is None or y is None or kind not in FLOATS:
        return x == y
    return math.isclose(float(x), float(y), rel_tol=1e-13 if kind == 701 else 1e-6, abs_tol=0)


def _found(
    connection: psycopg.Connection[tuple[str | None, ...]], text: str, parameters: tuple[str, ...]
) -> Found:
    result = connection.pgconn.exec_params(text.encode(), [p.encode() for p in parameters])
    state = result.error_field(pq.DiagnosticField.SQLSTATE)
    if state is not None:
        return Found(state=state.decode())
    values = []
    for row in range(result.ntuples):
        k, v = result.get_value(row, 0), result.get_value(row, 1)
        assert k is not None
        values.append((k.decode(), None if v is None else v.decode()))
    return Found(result.ftype(1), tuple(values))


def test_rows_answer_alike(postgres: str, tidewire: ServerProcess) -> None:
    rng, wrong, compared = Random(7), [], 0
    with psycopg.connect(postgres) as there, tidewire.connect() as here:
        there.autocommit = here.autocommit = True
        for statement in definition(rng):
            there.execute(statement.encode())
            here.execute(statement.encode())
        for c in (there, here):
            c.execute("SET statement_timeout = '20s'")
        plan = here.execute("EXPLAIN SELECT k, abs(c_int4) FROM many WHERE few").fetchall()
        assert ("Engine: columnar",) in plan
        known = calls(lambda text: there.execute(text.encode()).fetchall())

        def differs(text: str, parameters: tuple[str, ...], theirs: Found) -> None:
            nonlocal compared
            mine = _found(here, text, parameters)
            if mine.state or theirs.state:
                return
            compared += 1
            if not mine.agrees(theirs):
                pairs = zip(mine.values, theirs.values, strict=False)
                first = next((p for p in pairs if p[0] != p[1]), (mine.kind, theirs.kind))
                wrong.append(f"{text} {parameters}\nTidewire   {first[0]}\nPostgreSQL {first[1]}")

        for _ in range(EXAMPLES):
            one: Asked = asked(known, rng)
            theirs = _found(there, one.of_all([]), one.parameters)
            by_key = {
                k: _found(there, one.by_key(), (*one.parameters, str(k))) for k in rng.sample(range(FEW), 4)
            }
            if theirs.state:
                keys = range(FEW)
                failing = [k for k in keys if _found(there, one.by_key(), (*one.parameters, str(k))).state]
                theirs = _found(there, one.of_all(failing), one.parameters)
                differs(one.of_all(failing), one.parameters, theirs)
            else:
                differs(one.of_all([]), one.parameters, theirs)
            for k, expected in by_key.items():
                differs(one.by_key(), (*one.parameters, str(k)), expected)
    assert compared > EXAMPLES
    assert not wrong, "\n\n".join(wrong)
