"""OVER: the window that a call is computed over, its definition and its frame (PostgreSQL manual, 4.2.8).

    OVER w             the window of that name
    OVER (w ORDER BY)  a copy of it with something added, which may not contradict what it has

Frames are checked as PostgreSQL checks them: which ends may meet, and of what type an offset of RANGE can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.clauses import DEFINITIONS
from planner.binding.coerce import Coercions
from planner.binding.naming import identifier
from planner.binding.scope import Scope
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

INSIDE: Final = "aggregate argument"
NO_AGGREGATES: Final = frozenset(
    ("WHERE", "GROUP BY", "JOIN conditions", "FILTER", "VALUES", "LIMIT", "OFFSET", "UPDATE", "RETURNING",
     "functions in FROM", *DEFINITIONS)
)  # fmt: skip
_NO_WINDOWS: Final = NO_AGGREGATES | {"HAVING", "window definitions"}
_TIMES: Final = (t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.TIME, t.TIMETZ, t.INTERVAL)
_MEASURABLE: Final = (*_TIMES, t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.NUMERIC)
"""Types by which RANGE can count."""


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
        partition, order, spec = self._specification(over, scope)
        clause, scope.clause = scope.clause, "window definitions"
        parts = tuple(self.coercions.settled(self.bind(p, scope)) for p in partition)
        keys = self.sort_keys(order, scope)
        scope.clause = clause
        frame = self._frame(spec, keys, scope) if spec is not None else None
        return ir.Window(call.type, call, parts, keys, frame)

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

    def _frame(self, spec: exp.WindowSpec, keys: tuple[ir.SortKey, ...], scope: Scope) -> tuple[Any, ...]:
        kind = str(spec.args.get("kind") or "range").upper()
        if kind == "GROUPS" and not keys:
            raise PlanError("42P20", "GROUPS mode requires an ORDER BY clause")
        start, end = self._end(spec, "start", kind, keys, scope), self._end(spec, "end", kind, keys, scope)
        _refuse_ends(start[0], end[0], between=spec.args.get("end") is not None)
        exclude = spec.args.get("exclude")
        without = exclude.name if isinstance(exclude, exp.Expression) else exclude or ""
        return kind, start, end, str(without).upper()

    def _end(
        self, spec: exp.WindowSpec, which: str, kind: str, keys: tuple[ir.SortKey, ...], scope: Scope
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
            return side, self.coercions.coerce(offset, TypeRef(t.INT8), "i")
        if len(keys) != 1:
            raise PlanError(
                "42P20", "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column"
            )
        key = keys[0].expr.type
        if key.oid not in _MEASURABLE:
            raise PlanError(
                "0A000",
                f"RANGE with offset PRECEDING/FOLLOWING is not supported for column type {t.format_type(key)}",
                position=first_position(value),
            )
        if offset.type.oid == t.UNKNOWN:
            offset = self.coercions.coerce(offset, TypeRef(t.INTERVAL) if key.oid in _TIMES else key, "i")
        if (key.oid in _TIMES) != (offset.type.oid == t.INTERVAL):
            raise PlanError(
                "0A000",
                "RANGE with offset PRECEDING/FOLLOWING is not supported for column type "
                f"{t.format_type(key)} and offset type {t.format_type(offset.type)}",
                hint="Cast the offset value to an appropriate type.",
                position=first_position(value),
            )
        return side, offset


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
