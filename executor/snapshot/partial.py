"""Which rows of a run a partial index has.

    WHERE state = 'created' AND locked_at IS NULL        by columns: a comparison with a constant, what is null, what is true
    WHERE lower(name) <> 'x'                             row by row, of those that are left

Rows of a run never change, so it is found out once for each run and index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from executor.keyed.compile import compile_condition
from executor.snapshot.columns import row_reader
from planner import types as t
from planner.abc import Call, Col, Const, Expr

Mask = np.ndarray[Any, np.dtype[np.bool_]]
_EQUAL: Final = ("int2 = int2", "int4 = int4", "int8 = int8", "text = text")


def rows_of(predicate: Expr, columns: Sequence[pa.Array], among: Mask) -> Mask:
    """Which rows the predicate is true of; `among`: nobody asks for others."""
    found = among.copy()
    left: list[Expr] = []
    for part in predicate.args if isinstance(predicate, Call) and predicate.op == "and" else (predicate,):
        mask = _by_column(part, columns)
        if mask is None:
            left.append(part)
        else:
            found &= mask
    for part in left:
        passes = compile_condition(part)
        assert passes is not None
        read = row_reader(columns)
        rows = np.flatnonzero(found)
        found[rows] = np.fromiter((bool(passes((), read(int(i)), None)) for i in rows), np.bool_, len(rows))
    return found


def _by_column(e: Expr, columns: Sequence[pa.Array]) -> Mask | None:
    """The same of one column; None: it is not so simple."""
    if isinstance(e, Col):
        return _true(columns[e.index]) if e.type.oid == t.BOOL else None
    if not isinstance(e, Call):
        return None
    if e.op == "or":
        masks = [_by_column(a, columns) for a in e.args]
        if any(m is None for m in masks):
            return None
        return np.logical_or.reduce(masks)  # type: ignore[arg-type, no-any-return]
    column = e.args[0] if e.args else None
    if not isinstance(column, Col):
        return None
    values = columns[column.index]
    if e.op == "is null":
        return _true(pc.is_null(values))
    if e.op == "is not null":
        return _true(pc.is_valid(values))
    if e.op == "not" and column.type.oid == t.BOOL:
        return _true(pc.invert(values))
    if e.op in _EQUAL and isinstance(e.args[1], Const) and e.args[1].value is not None:
        return _true(pc.equal(values, pa.scalar(e.args[1].value, values.type)))
    return None


def _true(values: pa.Array | pa.ChunkedArray) -> Mask:
    made: Mask = pc.fill_null(values, False).to_numpy(zero_copy_only=False)
    return made.astype(np.bool_)


__all__ = ["rows_of"]
