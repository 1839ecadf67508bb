"""The buffer of a transaction's writes: how much memory it says it takes."""

from __future__ import annotations

from decimal import Decimal
from sys import getsizeof

import pytest

from storage.abc import Row
from txn.write_buffer import ROW_OVERHEAD_BYTES, WriteBuffer, row_bytes


@pytest.mark.parametrize(
    "row",
    [
        (1, 2, None),
        tuple(range(10**9, 10**9 + 30)),
        ("short", b"bytes", 3.5, True),
        ("x" * 10_000, 7),
        ("ż" * 10_000, "𝄞" * 3_000),
        (b"\0" * 100_000,),
        (Decimal("12345678901234567890.123"), (1, 2, 3)),
        (Decimal("1" * 5_000),),
    ],
    ids=["nothing much", "many numbers", "short", "long text", "other scripts", "bytes", "numeric, interval", "long numeric"],
)  # fmt: skip
def test_what_a_row_takes_is_estimated_within_a_factor_of_two(row: Row) -> None:
    truth = ROW_OVERHEAD_BYTES + sum(map(getsizeof, row))
    assert truth / 2 < row_bytes(row) < truth * 2


def test_what_is_taken_back_takes_nothing() -> None:
    buffer = WriteBuffer()
    buffer.savepoint("s")
    buffer.insert("t1", 1, 10, (1, "one", b"1", Decimal("1.0")))
    buffer.insert("t1", 2, 11, (2, "zwei" * 1_000, None, None))
    buffer.delete("t1", 1, 10)
    assert buffer.size_bytes == row_bytes((2, "zwei" * 1_000, None, None))
    buffer.rollback_to(0)
    assert buffer.size_bytes == 0
    buffer.release(0)
    buffer.replace("t1", 3, 5, 12, (3, "three"), 100, -1)
    assert buffer.size_bytes == ROW_OVERHEAD_BYTES + row_bytes((3, "three"))


def test_rows_that_a_rollback_brings_back_stand_where_they_stood() -> None:
    buffer = WriteBuffer()
    for n in range(6):
        buffer.insert("t1", n, 10 + n, (n,))
    buffer.savepoint("a")
    buffer.delete("t1", 1, 11)
    buffer.replace("t1", 3, 13, 20, (30,), 100, -1)
    buffer.savepoint("b")
    for key, rid in ((2, 12), (5, 15), (3, 20)):
        buffer.delete("t1", key, rid)
    buffer.rollback_to(1)
    assert list(buffer.of("t1").inserts) == [10, 12, 14, 15, 20]
    buffer.rollback_to(0)
    assert list(buffer.of("t1").inserts) == [10, 11, 12, 13, 14, 15]
    assert list(buffer.of("t1").inserts.values()) == [(n,) for n in range(6)]


@pytest.mark.parametrize("before", ["nothing", "own rows", "a key written", "a savepoint"])
def test_rows_replaced_together_are_rows_replaced_one_by_one(before: str) -> None:
    one_by_one, together = WriteBuffer(), WriteBuffer()
    for buffer in (one_by_one, together):
        buffer.replace("t1", 9, 4, 90, (9, "nine"), 95, 0b1)
        if before == "own rows":
            buffer.insert("t1", 2, 11, (2, "b"))
            buffer.touched("t1", 2, None)
        elif before == "a key written":
            buffer.touched("t1", 2, 90, 0b100)
        elif before == "a savepoint":
            buffer.savepoint("s")
    keys, rids, new_rids = [1, 2, 3], [10, 11, 12], [100, 101, 102]
    rows: list[Row] = [(1, "one"), (2, "zwei" * 50), (3, None)]
    for key, rid, new_rid, row in zip(keys, rids, new_rids, rows, strict=True):
        one_by_one.replace("t1", key, rid, new_rid, row, 100, 0b10)
    together.replace_each("t1", keys, rids, new_rids, rows, 100, 0b10, sum(map(row_bytes, rows)))
    for _ in range(2 if before == "a savepoint" else 1):
        assert together.wrote == one_by_one.wrote
        assert together.size_bytes == one_by_one.size_bytes
        mine, others = together.of("t1"), one_by_one.of("t1")
        assert list(mine.inserts.items()) == list(others.inserts.items())
        assert (mine.deletes, mine.by_key) == (others.deletes, others.by_key)
        if before == "a savepoint":
            together.rollback_to(0)
            one_by_one.rollback_to(0)


def test_a_row_is_not_replaced_twice_together() -> None:
    buffer = WriteBuffer()
    with pytest.raises(AssertionError):
        buffer.replace_each("t1", [1, 2], [10, 10], [100, 101], [(1,), (2,)], 100, -1, 0)
