"""Operations that wait, told to DuckDB: in any order and company it is as if each had been told by itself."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as s

from executor.snapshot.pending import BulkClose, BulkInsert, CloseAll, Op, Written, bulk_op, write_ops
from executor.snapshot.physical import Physical
from tests.snapshot.model import INT, STRING, table

TABLE = table((INT, STRING), key=())


class Counted:
    """A connection that counts the statements."""

    def __init__(self) -> None:
        self.con = duckdb.connect(config={"threads": 2})
        self.statements = 0

    def execute(self, sql: str) -> Any:
        self.statements += 1
        return self.con.execute(sql)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.con, name)


def physical(con: Any) -> Physical:
    made = Physical(TABLE, 0)
    con.execute(made.create())
    return made


def rows(
    first: int, count: int, chunks: int = 1, times: list[int] | None = None, front: bool = False
) -> pa.Table:
    made = pa.concat_tables(
        pa.table(
            {
                "c1": pa.array([(first + i) % 7 for i in some], pa.int32()),
                "c2": pa.array(
                    [None if (first + i) % 5 == 0 else f"n{first + i}" for i in some], pa.string()
                ),
                "_rid": pa.array([first + i for i in some], pa.int64()),
            }
        )
        for some in np.array_split(np.arange(count), chunks)
    )
    if times is not None:
        column = pa.array(times, pa.uint64())
        field = pa.field(
            "_ts", pa.uint64(), nullable=not front
        )  # as parts have it, or as tables are made here
        made = made.add_column(0, field, column) if front else made.append_column(field, column)
    return made


@s.composite
def queues(draw: s.DrawFn) -> list[Op]:
    """Insertions of one and many rows, some with their own times, deletions and TRUNCATEs in between."""
    ops: list[Op] = []
    rid, ts = 1, 10
    kinds = s.sampled_from(["bulk"] * 6 + ["timed", "timed at the front", "row", "close", "truncate", "none"])
    for kind in draw(s.lists(kinds, max_size=14)):
        ts += draw(s.integers(0, 1))
        count = draw(s.integers(1, 5))
        if kind == "row":
            ops.append((ts, None, rid, (rid % 7, f"r{rid}"), -1))
            count = 1
        elif kind == "close":
            gone = draw(s.sets(s.integers(1, max(rid - 1, 1)), max_size=4))
            ops.append(bulk_op(ts, BulkClose(pa.table({"_rid": pa.array(sorted(gone), pa.int64())}))))
            count = 0
        elif kind == "truncate":
            ops.append(bulk_op(ts, CloseAll()))
            count = 0
        elif kind == "none":
            ops.append(bulk_op(ts, BulkInsert(rows(rid, 0))))
            count = 0
        elif kind == "bulk":
            ops.append(bulk_op(ts, BulkInsert(rows(rid, count, draw(s.integers(1, 2))))))
        else:
            times = draw(s.lists(s.integers(1, ts), min_size=count, max_size=count))
            made = rows(rid, count, 1, times, kind == "timed at the front")
            ops.append(bulk_op(ts, BulkInsert(made)))
        rid += count
    return ops


def written(ops: list[list[Op]]) -> tuple[list[tuple[Any, ...]], Written]:
    con = Counted()
    made, whole = physical(con), Written()
    for some in ops:
        done = write_ops(con, made, some)
        whole.add_insert(done.inserted, done.max_from)
        whole.add_close(done.closed, done.max_to)
    return con.con.sql(f"SELECT * FROM {made.name}").fetchall(), whole


@given(queues())
@settings(max_examples=150, deadline=None)
def test_together_they_do_what_each_does_by_itself(ops: list[Op]) -> None:
    before = list(ops)
    assert written([ops]) == written([[op] for op in ops])
    assert ops == before, "should the write fail, they are pending again"


def test_insertions_that_follow_each_other_are_one_statement() -> None:
    con = Counted()
    made = physical(con)
    begun = con.statements
    batches = [bulk_op(10 + n // 16, BulkInsert(rows(n * 1000, 1000))) for n in range(64)]
    done = write_ops(con, made, [*batches[:40], bulk_op(14, CloseAll()), *batches[40:]])
    assert con.statements - begun == 3
    assert (done.inserted, done.closed, done.max_from, done.max_to) == (64_000, 40_000, 13, 14)
    times = con.con.sql(
        f"SELECT _from, count(*), min(_rid), max(_rid) FROM {made.name} GROUP BY ALL ORDER BY ALL"
    )
    assert times.fetchall() == [(10 + n, 16_000, n * 16_000, n * 16_000 + 15_999) for n in range(4)]
