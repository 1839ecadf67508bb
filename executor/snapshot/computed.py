"""The columns that an index computes, of a whole run: lower(email) of ten million rows.

Rows of a run never change, so it is done once for each run and index, aside where the run is large. Where letters are ASCII's, which a
column says quickly, lower and upper are Arrow's; all else is computed row by row as the keyed engine computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from executor.keyed.compile import compile_expression
from executor.keyed.ordered_forms import column_of_bits, column_of_places, in_order
from executor.snapshot.columns import cell_reader, result_arrays, row_reader
from planner.abc import Call, Col, Expr
from planner.binding.keyed import ordered_forms
from planner.keyed_plans import ComputedColumns

_OF_ASCII: Final[dict[str, Callable[[pa.Array], pa.Array]]] = {
    "lower(text)": pc.ascii_lower,
    "lower(varchar)": pc.ascii_lower,
    "upper(text)": pc.ascii_upper,
    "upper(varchar)": pc.ascii_upper,
}


def computed(index: ComputedColumns, columns: Sequence[pa.Array]) -> list[pa.Array]:
    """The index's columns of the rows that `columns` are."""
    return [
        _of_rows(key, columns) if position >= index.width else columns[position]
        for position, key in zip(index, index.keys, strict=True)
    ]


def _of_rows(e: Expr, columns: Sequence[pa.Array]) -> pa.Array:
    if isinstance(e, Call) and e.op in _OF_ASCII and isinstance(e.args[0], Col):
        letters = columns[e.args[0].index]
        if pa.types.is_string(letters.type) and pc.all(pc.string_is_ascii(letters)).as_py() is not False:
            return _OF_ASCII[e.op](letters)
    if isinstance(e, Call) and e.op in ordered_forms.OPS and isinstance(e.args[0], Col):
        return _in_order(e, columns[e.args[0].index])
    value, read = compile_expression(e), row_reader(columns)
    made = [(value((), read(i), None),) for i in range(len(columns[0]))]
    return result_arrays(made, [e.type])[0]


def _in_order(e: Call, column: pa.Array) -> pa.Array:
    """The forms by which numbers are in order."""
    if e.op == ordered_forms.OF_PLACES and len(column):
        return column_of_places(column)
    if e.op == ordered_forms.OF_FLOAT:
        return column_of_bits(column)
    read = cell_reader(column)
    made = [None if (v := read(i)) is None else in_order(v) for i in range(len(column))]
    return pa.array(made, pa.string() if e.op == ordered_forms.OF_NUMERIC else pa.int64())


__all__ = ["computed"]
