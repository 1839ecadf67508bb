"""Distances of vectors by columns: of rows of equal length DuckDB's bytes are one matrix of numbers, which numpy takes at once.

    ORDER BY embedding <-> '[...]' LIMIT 10     2048 rows of 768 numbers are 1.5 million, in one go

Sums are made in an order of numpy's: the last digits may be others than pgvector's, which depend on its machine's, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from planner.abc import SqlError
from planner.types.arrow_columns import one_array

_Distance = Callable[[np.ndarray, np.ndarray], np.ndarray]
_VALUES_AT_A_TIME: Final = 1 << 20


def _added(made: np.ndarray) -> np.ndarray:
    """The sum of each row: of numbers of four bytes, as pgvector's, so that what is too small or too large is so here, too."""
    return np.asarray(made.sum(axis=1, dtype=np.float32), np.float64)


def _euclid(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt(_squared(x, y)))


def _product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return _added(x * y)


def _negative_product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return -_product(x, y)


def _cosine(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """NaN where one is zero."""
    alike = _product(x, y) / np.sqrt(_product(x, x) * _product(y, y))
    return np.asarray(1 - np.clip(alike, -1, 1))


def _taxicab(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return _added(np.abs(x - y))


def _squared(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    apart = x - y
    return _added(apart * apart)


def _spherical(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(np.arccos(np.clip(_product(x, y), -1, 1)) / np.pi)


def _matrix(array: pa.Array, rows: np.ndarray, size: int) -> np.ndarray:
    """Rows of equal length, as numbers."""
    _, offsets, data = array.buffers()
    begins = np.frombuffer(offsets, np.int32, len(array) + 1, 4 * array.offset)[:-1][rows]
    flat = np.frombuffer(data, np.uint8)
    first = int(begins[0])
    if (begins == first + size * np.arange(len(begins))).all():  # as they lie
        return flat[first : first + size * len(begins)].view("<f4").reshape(len(begins), size // 4)
    scattered = flat[begins[:, None] + np.arange(size)]
    return np.asarray(scattered.view("<f4").reshape(len(begins), size // 4))


def _by_column(distance: _Distance) -> Callable[..., pa.Array]:
    def of(left: Any, right: Any) -> pa.Array:
        """Of each two vectors; null where one is. Raises 22000."""
        a, b = one_array(left).cast(pa.binary()), one_array(right).cast(pa.binary())
        out = np.zeros(len(a), np.float64)
        known = pc.and_(pc.is_valid(a), pc.is_valid(b)).to_numpy(zero_copy_only=False)
        sizes, others = (pc.fill_null(pc.binary_length(v), 0).to_numpy(zero_copy_only=False) for v in (a, b))
        unlike = np.flatnonzero(known & (sizes != others))
        if len(unlike):
            x, y = sizes[unlike[0]] // 4, others[unlike[0]] // 4
            raise SqlError("22000", f"different vector dimensions {x} and {y}")
        for size in np.unique(sizes[known]).tolist():
            rows = np.flatnonzero(known & (sizes == size))
            step = max(1, _VALUES_AT_A_TIME * 4 // size)
            for at in range(0, len(rows), step):
                some = rows[at : at + step]
                with np.errstate(all="ignore"):
                    out[some] = distance(_matrix(a, some, size), _matrix(b, some, size))
        return pa.array(out, mask=~known)

    return of


BY_COLUMN: Final = {
    "tw_vector_euclid": _by_column(_euclid),
    "tw_vector_product": _by_column(_product),
    "tw_vector_negative_product": _by_column(_negative_product),
    "tw_vector_cosine": _by_column(_cosine),
    "tw_vector_taxicab": _by_column(_taxicab),
    "tw_vector_squared": _by_column(_squared),
    "tw_vector_spherical": _by_column(_spherical),
}


def of_values(name: str) -> Callable[[bytes, bytes], float]:
    """The same of two vectors."""

    def of(a: bytes, b: bytes) -> float:
        (found,) = BY_COLUMN[name](pa.array([a], pa.binary()), pa.array([b], pa.binary())).to_pylist()
        return float(found)

    return of


__all__ = ["BY_COLUMN", "of_values"]
