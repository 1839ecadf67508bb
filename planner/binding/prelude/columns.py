"""Functions that look at whole columns first, and at single values only where that does not decide.

Two numerics are mostly far apart, and then their nearest doubles are so too: rounding to the nearest keeps the order, so
a smaller double means a smaller number. Only where the doubles are equal (or one is NaN) are the numbers themselves compared, and
not even then if their texts are the same. Forty thousand comparisons take 7 ms instead of 60.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from planner.binding import numerics
from planner.binding.prelude import float_folds as prelude_float_folds
from planner.binding.prelude import jsonb_built as prelude_jsonb_built
from planner.binding.prelude import jsonb_columns as prelude_jsonb_columns
from planner.binding.prelude import numbers as prelude_numbers
from planner.binding.prelude import numeric_columns as prelude_numeric_columns
from planner.binding.prelude import quotient_columns as prelude_quotient_columns
from planner.extensions import vector_columns
from planner.textsearch.matching import match_columns, needle_columns
from planner.textsearch.text_columns import match_texts
from planner.types.arrow_columns import one_array


def compare_numerics(a: Any, b: Any) -> pa.Array:
    """-1, 0 or 1 for each two numerics in text form, null where one is."""
    a, b = one_array(a), one_array(b)
    null = np.asarray(pc.or_(pc.is_null(a), pc.is_null(b)).to_numpy(zero_copy_only=False), np.bool_)
    try:
        x, y = (np.asarray(pc.cast(v, pa.float64()).to_numpy(zero_copy_only=False)) for v in (a, b))
    except pa.ArrowInvalid:  # beyond what a double can be
        x = y = np.full(len(a), np.nan)
    out = (x > y).astype(np.int32) - (x < y)
    undecided = np.flatnonzero((out == 0) & ~null)
    if len(undecided):
        same = pc.fill_null(pc.equal(a, b), True).to_numpy(zero_copy_only=False)
        undecided = undecided[~np.asarray(same, np.bool_)[undecided]]
        at = pa.array(undecided)
        out[undecided] = [
            numerics.compare(Decimal(v), Decimal(w))
            for v, w in zip(a.take(at).to_pylist(), b.take(at).to_pylist(), strict=True)
        ]
    return pa.array(out.astype(np.int32), mask=null)


_OF_NUMBERS: Final = {name: function for name, function, *_ in prelude_numbers.FUNCTIONS}
BY_COLUMN: Final[dict[str, Callable[..., pa.Array]]] = {
    "tw_jsonb_built": prelude_jsonb_built.built,
    "tw_jsonb_contains": prelude_jsonb_columns.contains,
    "tw_jsonb_has": prelude_jsonb_columns.has,
    "tw_jsonb_has_all": prelude_jsonb_columns.has_all,
    "tw_jsonb_has_any": prelude_jsonb_columns.has_any,
    "tw_jsonb_same": prelude_jsonb_columns.same,
    "tw_num_cmp": compare_numerics,
    "tw_ts_match": match_columns,
    "tw_ts_text_match": match_texts,
    "tw_ts_needle": needle_columns,
    **prelude_float_folds.BY_COLUMN,
    **vector_columns.BY_COLUMN,
    **prelude_numeric_columns.by_column(_OF_NUMBERS),
    **{name: prelude_quotient_columns.quotients(_OF_NUMBERS[name]) for name in ("tw_num_avg", "tw_num_div")},
}
"""What DuckDB calls instead of the function of values."""

__all__ = ["BY_COLUMN", "compare_numerics"]
