"""An INSERT ... VALUES whose rows differ in their parameters only, by columns: for many executions, or many rows, at once.

    INSERT INTO t (a, b, c) VALUES ($1, $2::int + 1, now())          once for each row
    INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4), ...              one row after another of the same form

Every column of the table is one of

    given        a parameter: read as the column's type, if that is the same as reading it as its own and assigning it
    widened      a number that a cast by columns surely brings to the column's type, or refuses
    constant     the same for every row of the statement
    sequence     the next values
    computed     whatever else the keyed engine can compute: row by row
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from executor.keyed.alike_rows import parameters_of, parameters_per_row
from executor.keyed.compile import Compiled, NotCompilable, compile_row
from planner import types as t
from planner.abc import Call, Const, Expr, InsertValues, Param, Plan, TypeRef
from planner.alike_rows import AlikeRows
from storage.abc import Row

_TEXTS: Final = frozenset((t.TEXT, t.VARCHAR))
_WIDENED: Final = frozenset(
    [(a, b) for a in (t.INT2, t.INT4, t.INT8) for b in (t.INT2, t.INT4, t.INT8)]
    + [(t.INT2, t.FLOAT8), (t.INT4, t.FLOAT8), (t.FLOAT4, t.FLOAT8)]
)


@dataclass(frozen=True, slots=True)
class _Given:
    parameter: int
    cast: bool


@dataclass(frozen=True, slots=True)
class _Sequence:
    oid: int


@dataclass(frozen=True, slots=True)
class _Computed:
    row: Compiled
    constant: bool


_Column = _Given | _Sequence | _Computed


class RowBatch:
    """The columns of such a statement. `types`: what each parameter of one row is to be read as."""

    __slots__ = ("_columns", "_refs", "row_count", "sequences", "types")

    def __init__(self, plan: Plan) -> None:
        """Raises NotCompilable for a statement of another kind."""
        body = plan.body
        if not isinstance(body, InsertValues) or body.returning is not None or body.on_conflict is not None:
            raise NotCompilable("not merely rows")
        self.row_count = len(body.rows)
        width, odd = divmod(len(plan.parameters), self.row_count)
        if odd or not width or not _are_one_row(body.rows, plan.parameters, width):
            raise NotCompilable("rows of different forms")
        cells = body.rows[0]
        self._refs = [c.type for c in body.table.columns]
        used = Counter(p.number for cell in cells for p in parameters_of(cell))
        self.types = list(plan.parameters[:width])
        self._columns: list[_Column] = []
        for cell, ref in zip(cells, self._refs, strict=True):
            given = _given(cell, ref)
            if given is not None and not given.cast and used[given.parameter + 1] == 1:
                self.types[given.parameter] = ref
            elif given is not None and not given.cast and self.types[given.parameter] != ref:
                given = None
            self._columns.append(given or _other(cell, ref))
        self.sequences = [c.oid for c in self._columns if isinstance(c, _Sequence)]
        """Whose values the rows take."""
        if len(set(self.sequences)) < len(self.sequences):
            raise NotCompilable("two values of a sequence in one row")

    def columns(
        self, given: Sequence[pa.Array], count: int, session: Any, numbers: Sequence[Sequence[int]]
    ) -> list[pa.Array]:
        """`count` full rows from parameters in canonical Arrow. `numbers`: values of each of `sequences`.

        Raises what computing raises, ArrowInvalid for a number out of range.
        """
        rows: list[Row] | None = None
        taken = iter(numbers)
        out = []
        for column, ref in zip(self._columns, self._refs, strict=True):
            kind = t.arrow_type(ref)
            if isinstance(column, _Given):
                values = given[column.parameter]
                out.append(values if values.type == kind else values.cast(kind))
            elif isinstance(column, _Sequence):
                out.append(pa.array(next(taken), kind))
            elif column.constant:
                (value,) = column.row((), None, session)
                out.append(pa.nulls(count, kind) if value is None else t.from_datums([value] * count, ref))
            else:
                if rows is None:
                    datums = [t.to_datums(c, r) for c, r in zip(given, self.types, strict=True)]
                    rows = list(zip(*datums, strict=True))
                out.append(t.from_datums([column.row(row, None, session)[0] for row in rows], ref))
        return out


def _are_one_row(rows: Sequence[tuple[Expr, ...]], types: Sequence[TypeRef], width: int) -> bool:
    """Whether each row is the first with its parameters moved on by `width`."""
    if isinstance(rows, AlikeRows):
        return len(rows.forms) == 1
    if len(rows) == 1:
        return True
    return list(types) == list(types[:width]) * len(rows) and parameters_per_row(rows) == width


def _calls(e: Expr, op: str) -> bool:
    return isinstance(e, Call) and (e.op == op or any(_calls(a, op) for a in e.args))


def _given(cell: Expr, ref: TypeRef) -> _Given | None:
    """A parameter that is stored as it is, or after a cast by columns."""
    if isinstance(cell, Param):
        a, b = cell.type, ref
        if (
            a == b
            or (a.oid == b.oid and (b.typmod < 0 or a.typmod < 0))
            or (a.oid in _TEXTS and b.oid in _TEXTS)
        ):
            return _Given(cell.number - 1, False) if a.typmod < 0 or a == b else None
        return None
    if not (isinstance(cell, Call) and cell.op.startswith("cast ") and isinstance(cell.args[0], Param)):
        return None
    a, b = cell.args[0].type, cell.type
    if b.oid != ref.oid or b.typmod >= 0 or a.typmod >= 0:
        return None
    if (a.oid, b.oid) in _WIDENED:
        return _Given(cell.args[0].number - 1, True)
    if a.oid in _TEXTS and b.oid == t.BPCHAR and ref.typmod >= 0:
        return _Given(cell.args[0].number - 1, False)
    return None


def _other(cell: Expr, ref: TypeRef) -> _Column:
    if _calls(cell, "nextval"):
        call = cell.args[0] if isinstance(cell, Call) and cell.op.startswith("cast ") else cell
        if isinstance(call, Call) and call.op == "nextval" and isinstance(call.args[0], Const):
            return _Sequence(int(call.args[0].value))
        raise NotCompilable("computed from a sequence")
    return _Computed(compile_row([cell], [ref]), not any(parameters_of(cell)))


__all__ = ["RowBatch"]
