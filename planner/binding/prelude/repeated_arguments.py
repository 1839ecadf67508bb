"""The same arguments again and again: what a Python function is asked for a column of them is computed once for each.

    x                       0.5 0.5 1.5 0.5 | 0.5 1.5       2,048 rows at a time, as DuckDB calls a function
    at least twice each     0.5 1.5                         the function is called for these
    taken back              0 0 1 0 | 0 1                   and its results are put where they belong

A microsecond or two for each call is what numerics in text, dates in words and the like cost; columns of them mostly hold few
different values (years, months, prices, shares of a whole in a window, constants beside them), and to find out costs a fiftieth of it. Values are
the same if their bits are: of floats 0 and -0 are two, and NaN is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

FEW: Final = 64
"""With fewer rows nothing is looked for."""
_PAIRS_MAX: Final = 1 << 16
_BITS: Final = {pa.float64(): pa.int64(), pa.float32(): pa.int32()}


def repeats(columns: Sequence[pa.Array]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]] | None:
    """One row of each that is there (by number), and for every row which of them is like it. None where most rows differ."""
    count = len(columns[0])
    if count < FEW:
        return None
    size, codes = 1, None
    for column in columns:
        bits = _BITS.get(column.type)
        found = (column if bits is None else column.view(bits)).dictionary_encode()
        kinds = len(found.dictionary) + (column.null_count > 0)
        if kinds * 2 > count:
            return None
        if kinds <= 1:
            continue
        indices = found.indices
        if column.null_count:
            indices = indices.fill_null(len(found.dictionary))
        own = indices.to_numpy().astype(np.int64)
        codes = own if codes is None else codes * kinds + own
        size *= kinds
        if size > _PAIRS_MAX:
            return None
    if codes is None:
        return np.zeros(1, np.int64), np.zeros(count, np.int64)
    rows = np.full(size, -1, np.int64)
    rows[codes] = np.arange(count)
    there = rows >= 0
    rows = rows[there]
    if len(rows) * 2 > count:
        return None
    return rows, (np.cumsum(there) - 1)[codes]
