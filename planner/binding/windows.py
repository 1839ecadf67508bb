"""OVER: the window that a call is computed over, its definition and its frame (PostgreSQL manual, 4.2.8).

    OVER w             the window of that name
    OVER (w ORDER BY)  a copy of it with something added, which may not contradict what it has

Frames are checked as PostgreSQL checks them: which ends may meet, and of what type an offset of RANGE can be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.clauses import DEFINITIONS
from planner.binding.coerce import Coercions
from planner.binding.comparable import refuse_unequal, refuse_unordered
from planner.binding.naming import identifier
from planner.binding.scope import Scope
from planner.parse import position as first_position
from planner.types.numeric import typmod_of

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

INSIDE: Final = "aggregate argument"
NO_AGGREGATES: Final = frozenset(
    ("WHERE", "GROUP BY", "JOIN conditions", "FILTER", "VALUES", "LIMIT", "OFFSET", "UPDATE", "RETURNING",
     "functions in FROM", *DEFINITIONS)
)  # fmt: skip
_NO_WINDOWS: Final = NO_AGGREGATES | {"HAVING", "window definitions"}
_OVER: Final = re.compile(r"\bover\s*\(", re.IGNORECASE)
_TIMES: Final = (t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.TIME, t.INTERVAL)
_INTEGERS: Final = (t.INT2, t.INT4, t.INT8)
_MEASURED_BY: Final = {
    t.INT2: _INTEGERS, t.INT4: _INTEGERS, t.INT8: (t.INT8,), t.FLOAT4: (t.FLOAT8,), t.FLOAT8: (t.FLOAT8,),
    t.NUMERIC: (t.NUMERIC,), **dict.fromkeys(_TIMES, (t.INTERVAL,)),
}  # fmt: skip
"""Types by which RANGE can count, and of what its offset is then (`in_range` of PostgreSQL's operator families)."""
_WIDE: Final = TypeRef(t.NUMERIC, typmod_of(20, 0))
"""Where no bigint, and no bigint more or less, goes out of range."""


class WindowBinder:
    """The part of binding calls that knows windows."""

    coercions: Coercions
    queries: QueryBinder

    def bind(self, node: exp.Expression, scope: Scope) -> ir.Node:
        raise NotImplementedError

    def sort_keys(self, order: Sequence[exp.Expression], scope: Scope) -> tuple[ir.SortKey, ...]:
        raise NotImplementedError

    def over(self, call: ir.Node, over: exp.Window, scope: Scope, position: int) -> ir.Node:
        """A call over its window. Raises 42P20, 42704."""
        if scope.clause in _NO_WINDOWS:
            raise PlanError("42P20", f"window functions are not allowed in {scope.clause}", position=position)
        if scope.clause == INSIDE:
            raise PlanError(
                "42803", "aggregate function calls cannot contain window function calls", position=position
            )
        for inner in ir.walk(call):
            if isinstance(inner, ir.Window):
                at = getattr(inner.call, "position", 0) or position
                raise PlanError("42P20", "window function calls cannot be nested", position=at)
        partition, order, spec = self._specification(over, scope)
        clause, scope.clause = scope.clause, "window definitions"
        parts = tuple(self.coercions.settled(self.bind(p, scope)) for p in partition)
        for part, written in zip(parts, partition, strict=True):
            refuse_unequal(part.type, first_position(written))
        keys = self.sort_keys(order, scope)
        for key, written in zip(keys, order, strict=True):
            refuse_unordered(key.expr.type, first_position(written))
        scope.clause = clause
        opened = self._opened(over, position)
        frame = self._frame(spec, keys, scope, opened) if spec is not None else None
        if frame is not None and frame[0] == "RANGE":
            keys, frame = self._widened(keys, frame)
        made = ir.Window(call.type, call, parts, keys, frame)
        self.queries.windowed(made, over, scope)
        return made

    def _specification(
        self, over: exp.Window, scope: Scope
    ) -> tuple[list[exp.Expression], list[exp.Ordered], exp.WindowSpec | None]:
        partition = list(over.args.get("partition_by") or ())
        order = over.args.get("order")
        keys = list(order.expressions) if order is not None else []
        spec = over.args.get("spec")
        alias = over.args.get("alias")
        if alias is None:
            return partition, keys, spec
        name = str(alias.name)
        named = scope.windows.get(name)
        if named is None:
            raise PlanError("42704", f'window "{name}" does not exist', position=first_position(alias))
        assert isinstance(named, exp.Window)
        p, k, s = self._specification(named, scope)
        position = self.queries.parenthesis_before(first_position(alias))
        if partition:
            raise PlanError(
                "42P20", f'cannot override PARTITION BY clause of window "{name}"', position=position
            )
        if keys and k:
            raise PlanError("42P20", f'cannot override ORDER BY clause of window "{name}"', position=position)
        if s is not None and (keys or spec is not None):
            raise PlanError(
                "42P20", f'cannot copy window "{name}" because it has a frame clause', position=position
            )
        return p, keys or k, spec or s

    def _opened(self, over: exp.Window, position: int) -> int:
        """Where the parenthesis after OVER stands; 0 of a window that is named."""
        found = _OVER.search(self.queries.text, position) if over.args.get("alias") is None else None
        return found.end() if found is not None and position else 0

    def _frame(
        self, spec: exp.WindowSpec, keys: tuple[ir.SortKey, ...], scope: Scope, opened: int
    ) -> tuple[Any, ...]:
        kind = str(spec.args.get("kind") or "range").upper()
        if kind == "GROUPS" and not keys:
            raise PlanError("42P20", "GROUPS mode requires an ORDER BY clause", position=opened)
        start, end = (self._end(spec, which, kind, keys, scope, opened) for which in ("start", "end"))
        _refuse_ends(start[0], end[0], between=spec.args.get("end") is not None)
        exclude = spec.args.get("exclude")
        without = exclude.name if isinstance(exclude, exp.Expression) else exclude or ""
        return kind, start, end, str(without).upper()

    def _end(
        self,
        spec: exp.WindowSpec,
        which: str,
        kind: str,
        keys: tuple[ir.SortKey, ...],
        scope: Scope,
        opened: int,
    ) -> tuple[str, Any]:
        value, side = spec.args.get(which), str(spec.args.get(f"{which}_side") or "").upper()
        if value is None:
            return "CURRENT ROW", None
        if isinstance(value, str | exp.Var):
            word = str(value if isinstance(value, str) else value.name).upper()
            return (f"UNBOUNDED {side}" if word == "UNBOUNDED" else "CURRENT ROW"), None
        offset = self.bind(value, scope)
        if any(isinstance(n, ir.Var) for n in ir.walk(offset)):
            raise PlanError(
                "42P10", f"argument of {kind} must not contain variables", position=first_position(value)
            )
        if kind != "RANGE":
            return side, self.coercions.count(offset, kind, first_position(value))
        if len(keys) != 1:
            raise PlanError(
                "42P20",
                "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column",
                position=opened,
            )
        return side, self.measured(offset, keys[0].expr, first_position(value))

    def measured(self, offset: ir.Node, by: ir.Node, position: int) -> ir.Node:
        """An offset of RANGE as what such a key is counted by. Raises 0A000."""
        key = TypeRef(t.TEXT if by.type.oid == t.VARCHAR else by.type.oid)
        kinds = _MEASURED_BY.get(key.oid, ())

        def unsupported(said: str, hint: str = "") -> PlanError:
            told = f"RANGE with offset PRECEDING/FOLLOWING is not supported for column type {said}"
            return PlanError("0A000", told, hint=hint, position=position)

        if not kinds:
            raise unsupported(t.format_type(key))
        if key.oid == t.NUMERIC and self.queries.emitter.frag(by).form is None:
            raise unsupported("numeric without a precision", "Cast the column to numeric(precision, scale).")
        made: ir.Node | None = offset
        if offset.type.oid == t.UNKNOWN:
            made = self.coercions.coerce(offset, key if kinds == _INTEGERS else TypeRef(kinds[0]), "i")
        elif offset.type.oid not in kinds:
            made = self.coercions.try_coerce(offset, TypeRef(kinds[-1]), "i") if len(kinds) == 1 else None
        if made is None:
            raise unsupported(
                f"{t.format_type(key)} and offset type {t.format_type(offset.type)}",
                "Cast the offset value to an appropriate type.",
            )
        # Not a number: DuckDB would take it for all there is.
        if isinstance(made, ir.Lit) and (made.value != made.value or made.value == -math.inf):
            raise PlanError("22013", "invalid preceding or following size in window function")
        if isinstance(made, ir.Lit) and made.value == math.inf:
            raise PlanError("0A000", "infinite offsets of RANGE are not supported", position=position)
        if key.oid == t.NUMERIC and self.queries.emitter.frag(made).form is None:
            raise unsupported(
                "numeric and an offset of numeric without a precision",
                "Cast the offset to numeric(precision, scale).",
            )
        return made

    def _widened(
        self, keys: tuple[ir.SortKey, ...], frame: tuple[Any, ...]
    ) -> tuple[tuple[ir.SortKey, ...], tuple[Any, ...]]:
        """Integers in a type where a key more or less its offset is never out of range."""
        kind, *ends, exclude = frame
        if len(keys) != 1 or keys[0].expr.type.oid not in _INTEGERS or all(o is None for _, o in ends):
            return keys, frame

        def wide(node: ir.Node) -> ir.Node:
            return self.coercions.coerce(node, _WIDE, "e")

        key = ir.SortKey(wide(keys[0].expr), keys[0].descending, keys[0].nulls_first)
        start, end = ((side, wide(offset) if offset is not None else None) for side, offset in ends)
        return (key,), (kind, start, end, exclude)


def define_windows(node: exp.Select, scope: Scope, text: str) -> None:
    """What WINDOW says. Raises 42P20 for a name that is there already."""
    for w in node.args.get("windows") or ():
        name = identifier(w.this)
        if name in scope.windows:
            position = text.find("(", first_position(w.this)) + 1
            raise PlanError("42P20", f'window "{name}" is already defined', position=position)
        scope.windows[name] = w


def _refuse_ends(start: str, end: str, *, between: bool) -> None:
    """Raises 42P20 for a frame that ends before it begins, whatever the row."""
    message = ""
    if start == "UNBOUNDED FOLLOWING":
        message = "frame start cannot be UNBOUNDED FOLLOWING"
    elif end == "UNBOUNDED PRECEDING":
        message = "frame end cannot be UNBOUNDED PRECEDING"
    elif start == "CURRENT ROW" and end == "PRECEDING":
        message = "frame starting from current row cannot have preceding rows"
    elif start == "FOLLOWING" and not between:
        message = "frame starting from following row cannot end with current row"
    elif start == "FOLLOWING" and end in ("PRECEDING", "CURRENT ROW"):
        message = "frame starting from following row cannot have preceding rows"
    if message:
        raise PlanError("42P20", message)
