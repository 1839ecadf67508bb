"""Arrow's buffers as numpy arrays and back: the few views that all column encoders share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Bytes = npt.NDArray[np.uint8]


def values_of(array: pa.Array, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """The values of a fixed-width column, null slots included (their content is arbitrary)."""
    kind = np.dtype(dtype)
    buffer = array.buffers()[1]
    if buffer is None:
        return np.zeros(len(array), kind)
    return np.frombuffer(buffer, kind, count=len(array), offset=array.offset * kind.itemsize)


def valid_of(array: pa.Array) -> npt.NDArray[np.bool_] | None:
    """Which slots hold a value; None: all."""
    if not array.null_count:
        return None
    mask: npt.NDArray[np.bool_] = array.is_valid().to_numpy(zero_copy_only=False)
    return mask


def as_binary(array: pa.Array) -> pa.Array:
    """A string column seen as bytes."""
    return array if array.type == pa.binary() else array.cast(pa.binary())


def offsets_of(array: pa.Array) -> npt.NDArray[np.int32]:
    """n + 1 offsets into `data_of`, for string and binary columns."""
    if not len(array):
        return np.zeros(1, np.int32)
    return np.frombuffer(array.buffers()[1], np.int32, count=len(array) + 1, offset=array.offset * 4)


def data_of(array: pa.Array) -> Bytes:
    buffer = array.buffers()[2]
    return np.zeros(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)


def binary_array(offsets: npt.NDArray[np.int32], data: Bytes, like: pa.Array | None = None) -> pa.Array:
    """A binary column of these buffers; nulls where `like` has them."""
    n = len(offsets) - 1
    out = pa.Array.from_buffers(pa.binary(), n, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    if like is not None and like.null_count:
        return pc.if_else(like.is_valid(), out, pa.scalar(None, pa.binary()))
    return out


def fixed_binary(matrix: Bytes, like: pa.Array | None = None) -> pa.Array:
    """A binary column of equally long values, the rows of a matrix."""
    n, width = matrix.shape
    offsets = np.arange(n + 1, dtype=np.int32) * np.int32(width)
    return binary_array(offsets, np.ascontiguousarray(matrix).reshape(-1), like)
