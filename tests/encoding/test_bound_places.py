"""Values of many Binds are found by leaps where their sizes allow it, and just where a walk from one to the next finds them."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest

from pgwire.encoding.binary_fields import Fields
from pgwire.encoding.bound_places import fields_of_binds
from pgwire.encoding.copy_columns import Doubt

Row = list[bytes | None]


def value(piece: bytes | None) -> bytes:
    return struct.pack(">i", -1) if piece is None else struct.pack(">i", len(piece)) + piece


def binds(rows: list[Row], row_count: int) -> tuple[bytes, list[int], list[int]]:
    """Rows as the values of Binds, with heads and tails of various lengths around them."""
    data, starts, ends = b"head", [], []
    for at in range(0, len(rows), row_count):
        starts.append(len(data))
        data += b"".join(value(piece) for row in rows[at : at + row_count] for piece in row)
        ends.append(len(data))
        data += bytes(at % 5)
    return data, starts, ends


def found(
    data: bytes, starts: list[int], ends: list[int], row_count: int, widths: tuple[int, ...]
) -> list[Row]:
    places = (np.array(p, np.int64) for p in (starts, ends))
    columns: list[Fields] = fields_of_binds(data, *places, row_count, widths)
    return [list(row) for row in zip(*(c.pieces() for c in columns), strict=True)]


LAYOUTS = [(8, 4, 8, 0), (0, 8, 0, 0, 4), (0,), (4,), (8, 4), (0, 0), (0, 1, 2)]


@pytest.mark.parametrize("row_count", [1, 3, 40])
@pytest.mark.parametrize("bind_count", [1, 7, 30])
@pytest.mark.parametrize("widths", LAYOUTS, ids=str)
@pytest.mark.parametrize("nulls", ["none", "where sizes vary", "anywhere"])
def test_every_value_is_found(widths: tuple[int, ...], bind_count: int, row_count: int, nulls: str) -> None:
    rng = random.Random(f"{widths} {bind_count} {row_count} {nulls}")

    def piece(width: int) -> bytes | None:
        if nulls != "none" and rng.random() < 0.2 and not (width and nulls == "where sizes vary"):
            return None
        # Small numbers look like sizes.
        return rng.choice([0, 4, 8, 255]).to_bytes(width, "big") if width else bytes(rng.randrange(12))

    rows = [[piece(w) for w in widths] for _ in range(bind_count * row_count)]
    data, starts, ends = binds(rows, row_count)
    assert found(data, starts, ends, row_count, widths) == rows
    assert found(data, starts, ends, row_count, (0,) * len(widths)) == rows


@pytest.mark.parametrize("bind_count", [2, 30])
@pytest.mark.parametrize("odd", [b"", b"12345", b"123456789"], ids=["empty", "shorter", "longer"])
def test_a_value_of_another_size_is_found_as_it_is(bind_count: int, odd: bytes) -> None:
    """Whether it may have that size is for its type to say."""
    rows: list[Row] = [[b"8 octets", b"n" * (i % 5)] for i in range(4 * bind_count)]
    rows[5][0] = odd
    assert found(*binds(rows, 4), 4, (8, 0)) == rows


@pytest.mark.parametrize("bind_count", [2, 30])
@pytest.mark.parametrize(
    "wrong", [struct.pack(">i", -2), struct.pack(">i", 3), struct.pack(">i", 1 << 30)], ids=["negative", "long", "huge"]
)  # fmt: skip
@pytest.mark.parametrize("widths", [(4, 0), (0, 0)], ids=str)
def test_sizes_that_do_not_fill_their_bind_are_in_doubt(
    bind_count: int, wrong: bytes, widths: tuple[int, int]
) -> None:
    data, starts, ends = binds([[b"four", b"ab"] for _ in range(3 * bind_count)], 3)
    last = ends[-1] - 6  # the size of the last value
    with pytest.raises(Doubt):
        found(data[:last] + wrong + data[last + 4 :], starts, ends, 3, widths)


def test_nothing_to_look_at_is_in_doubt() -> None:
    with pytest.raises(Doubt):
        found(b"ab", [0], [2], 1, (0,))
