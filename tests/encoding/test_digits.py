"""Numbers laid out as digits print as the types' own output functions print them."""

from __future__ import annotations

import math
import random

import numpy as np
import pyarrow as pa
import pytest

from executor.abc import CopyOptions
from pgwire.encoding import batch_encoder, copy_encoder, row_encoder, row_join
from pgwire.encoding.digits import float8_digits, integer_digits
from planner.abc import ResultColumn
from planner.types import from_datums, output_text
from tests.types.samples import type_of

COUNT = 300


def _doubles(rng: random.Random, places: int, digits: int) -> list[float]:
    return [rng.randrange(10**digits) / 10**places for _ in range(COUNT)]


def _columns() -> dict[str, tuple[str, list[object], bool]]:
    """Name -> (type, values, whether they are laid out as digits)."""
    rng = random.Random(1)
    found: dict[str, tuple[str, list[object], bool]] = {
        "zeros": ("int4", [0] * COUNT, True),
        "one length": ("int4", list(range(1000, 1000 + COUNT)), True),
        "lengths": ("int8", [10**i + d for i in range(1, 19) for d in (-1, 0, 1)] * 6, True),
        "small": ("int2", [rng.randrange(32768) for _ in range(COUNT)], True),
        "negative": ("int4", [-1, *range(COUNT)], False),
        "extremes": ("int8", [2**63 - 1, 0] * COUNT, True),
        "null among integers": ("int4", [None, *range(COUNT)], False),
        "few": ("int4", [1, 2, 3], False),
        "whole doubles": ("float8", [float(rng.randrange(10**6)) for _ in range(COUNT)], True),
        "eighths": ("float8", [i / 8 for i in range(COUNT)], True),
        "large": ("float8", [999_999_999_999.125 + i for i in range(COUNT)], False),
        "fifteen digits": ("float8", [1e15 - 1 - i for i in range(COUNT)], True),
        "exponents": ("float8", [1e15 + i for i in range(COUNT)], False),
        "a ten-thousandth": ("float8", [0.0001, 0.0, 0.9999, 1.0] * COUNT, True),
        "minus zero": ("float8", [-0.0, 1.5] * COUNT, False),
        "not finite": ("float8", [0.5] * 20 + [math.inf, -math.inf] + [0.5] * COUNT, False),
        "sums": ("float8", [0.5] * 20 + [0.1 + 0.2] * COUNT, False),
        "thirds": ("float8", [i / 3 for i in range(COUNT)], False),
        "singles": ("float4", [float(np.float32(0.1))] * COUNT, False),
    }
    for places in range(5):
        for digits in (3, 9, 14):
            found[f"{digits} digits, {places} places"] = ("float8", list(_doubles(rng, places, digits)), True)
    return found


@pytest.mark.parametrize(("name", "values", "laid_out"), _columns().values(), ids=_columns())
def test_digits_are_what_the_type_prints(
    name: str, values: list[object], laid_out: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = type_of(name)
    array = from_datums(values, ref)
    if name != "float4":
        parts = (float8_digits if name == "float8" else integer_digits)(array)
        assert (parts is not None) == laid_out
    batch = pa.RecordBatch.from_arrays([array, array, pa.array(["x"] * len(values))], names=list("abc"))
    columns = [ResultColumn("a", ref), ResultColumn("b", ref), ResultColumn("c", type_of("text"))]
    texts = ["\\N" if v is None else output_text(v, ref) for v in values]
    for air in (0, 1 << 40):
        monkeypatch.setattr(row_join, "_AIR_MAX", air)
        copied = b"".join(copy_encoder(columns, CopyOptions()).encode(batch)).decode()
        assert copied == "".join(f"{text}\t{text}\tx\n" for text in texts)
        rows = [(v, v, "x") for v in values]
        assert b"".join(batch_encoder(columns)(batch)) == row_encoder(columns)(rows)
