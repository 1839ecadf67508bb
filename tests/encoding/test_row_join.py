"""Rows are laid out in a matrix or, where one would be mostly air, joined by Arrow: the same stream either way."""

from __future__ import annotations

import itertools
import random

import pyarrow as pa
import pytest

from executor.abc import CopyOptions
from pgwire.encoding import batch_encoder, copy_encoder, row_join
from pgwire.encoding.row_join import RowStream
from planner.abc import ResultColumn
from planner.types import from_datums
from tests.types.samples import DATUMS, type_of

NAMES = ["int4", "text", "bool", "numeric(12,2)", "uuid", "float8", "bytea", "timestamp"]


def batch_of(rng: random.Random, names: list[str], count: int, nulls: float) -> pa.RecordBatch:
    """A slice of a larger batch, so that nothing begins where its buffer does."""
    columns = []
    for name in names:
        values = [None if rng.random() < nulls else rng.choice(DATUMS[name]) for _ in range(count + 7)]
        columns.append(from_datums(values, type_of(name)))
    return pa.RecordBatch.from_arrays(columns, names=[f"c{i}" for i in range(len(names))]).slice(5, count)


@pytest.mark.parametrize("seed", range(8))
def test_matrix_and_join_make_the_same_bytes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    for _ in range(8):
        names = rng.choices(NAMES, k=rng.randint(1, 6))
        batch = batch_of(rng, names, rng.choice([1, 2, 50]), rng.choice([0.0, 0.2, 1.0]))
        columns = [ResultColumn(f"c{i}", type_of(name)) for i, name in enumerate(names)]
        encoders = [batch_encoder(columns, (form,)) for form in (0, 1)]
        encoders += [copy_encoder(columns, CopyOptions(format=f)).framed for f in ("text", "csv", "binary")]
        streams = []
        for air in (0, 1 << 40):
            monkeypatch.setattr(row_join, "_AIR_MAX", air)
            streams.append([b"".join(encode(batch)) for encode in encoders])
        assert streams[0] == streams[1], names


def test_a_long_value_among_short_ones_costs_no_matrix_of_its_width() -> None:
    texts = ["x"] * 4000 + ["y" * 1_000_000] + ["z"] * 4000
    stream = RowStream(len(texts), b"D")
    stream.add_field(pa.array(texts))
    data, offsets = stream.join()
    assert len(data) == offsets[-1] == 1_000_000 + 8000 + 9 * len(texts)
    first = int(offsets[4000])
    assert (
        data[first : first + 10].tobytes()
        == b"D" + (1_000_008).to_bytes(4, "big") + (10**6).to_bytes(4, "big") + b"y"
    )


def test_values_of_every_length_to_the_end_of_their_buffer() -> None:
    for texts in (
        ["", "a", "bc", "def"],
        ["", ""],
        [None, "", None],
        ["abc", None, ""],
        ["é" * n for n in range(300)],
    ):
        stream = RowStream(len(texts))
        stream.add_constant(b"<")
        stream.add_text(pa.array(texts, pa.string()))
        stream.add_constant(b">")
        data, offsets = stream.join()
        rows = [data[a:b].tobytes().decode() for a, b in itertools.pairwise(offsets)]
        assert rows == [f"<{text or ''}>" for text in texts]
