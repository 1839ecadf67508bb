"""What pgvector computes of vectors (`planner.types.embeddings`); distances of a column from one are computed by columns (`vector_columns`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.abc import SqlError
from planner.types.embeddings import DIMENSIONS_MAX, FLOAT, dims, items, numbers, of_finite, too_many


def compared(a: bytes, b: bytes) -> int:
    """vector_cmp."""
    x, y = items(a), items(b)
    return (x > y) - (x < y)


def _both(a: bytes, b: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Raises 22000."""
    if len(a) != len(b):
        raise SqlError("22000", f"different vector dimensions {dims(a)} and {dims(b)}")
    return numbers(a), numbers(b)


def _held(made: np.ndarray) -> bytes:
    """Raises 22003."""
    if not np.isfinite(made).all():
        raise SqlError("22003", "value out of range: overflow")
    return made.astype(FLOAT).tobytes()


def added(a: bytes, b: bytes) -> bytes:
    x, y = _both(a, b)
    with np.errstate(over="ignore"):
        return _held(x + y)


def subtracted(a: bytes, b: bytes) -> bytes:
    x, y = _both(a, b)
    with np.errstate(over="ignore"):
        return _held(x - y)


def multiplied(a: bytes, b: bytes) -> bytes:
    """Raises 22003, also for what is too small."""
    x, y = _both(a, b)
    with np.errstate(over="ignore", under="ignore"):
        made = x * y
    held = _held(made)
    if ((made == 0) & (x != 0) & (y != 0)).any():
        raise SqlError("22003", "value out of range: underflow")
    return held


def joined(a: bytes, b: bytes) -> bytes:
    """Raises 54000."""
    if dims(a) + dims(b) > DIMENSIONS_MAX:
        raise too_many()
    return a + b


def norm(vector: bytes) -> float:
    return float(np.sqrt(np.square(numbers(vector).astype(np.float64)).sum()))


def normalized(vector: bytes) -> bytes:
    """l2_normalize: zero stays zero."""
    length = norm(vector)
    if length == 0:
        return np.zeros(dims(vector), FLOAT).tobytes()
    return _held((numbers(vector).astype(np.float64) / length).astype(FLOAT))


def quantized(vector: bytes) -> str:
    """binary_quantize: a bit string, one where a number is above zero."""
    return "".join("1" if x > 0 else "0" for x in numbers(vector).tolist())


def part(vector: bytes, start: int, count: int) -> bytes:
    """subvector, from one. Raises 22000."""
    if count < 1:
        raise SqlError("22000", "vector must have at least 1 dimension")
    end = min(start + count, dims(vector) + 1)
    start = max(start, 1)
    if end - start < 1:
        raise SqlError("22000", "vector must have at least 1 dimension")
    return vector[4 * (start - 1) : 4 * (end - 1)]


def summed(vectors: Sequence[bytes]) -> bytes | None:
    """sum(vector). Raises 22000 and 22003."""
    if not vectors:
        return None
    total = vectors[0]
    for each in vectors[1:]:
        total = added(total, each)
    return total


def averaged(vectors: Sequence[bytes]) -> bytes | None:
    """avg(vector). Raises 22000 and 22003."""
    if not vectors:
        return None
    total = numbers(vectors[0]).astype(np.float64)
    for each in vectors[1:]:
        if len(each) != len(vectors[0]):
            raise SqlError("22000", f"expected {len(total)} dimensions, not {dims(each)}")
        total = total + numbers(each)
    with np.errstate(over="ignore"):
        return of_finite((total / len(vectors)).astype(FLOAT))


__all__ = [
    "added", "averaged", "compared", "joined", "multiplied", "norm", "normalized", "part", "quantized", "subtracted", "summed",
]  # fmt: skip
