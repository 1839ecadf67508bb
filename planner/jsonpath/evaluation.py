"""A path applied to a JSON value: the items it finds, depth first, made on demand.

    lax       an array is unwrapped where one of its elements is meant, a scalar is an array of itself where an array
              is, and what is not there is nothing found
    strict    all of these are errors

An error within a predicate makes it *unknown* (None here); one elsewhere is raised as `PathError`, which `silent`
callers take for the end of the items. Mistakes of the caller (a variable that is not there, a time zone that is needed
and not asked for) are plain SqlErrors, which nothing silences.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Final

from planner.abc import SqlError
from planner.binding import numerics
from planner.jsonpath import methods
from planner.jsonpath.datetimes import Moment
from planner.jsonpath.datetimes import compare as compare_moments
from planner.jsonpath.methods import PathError
from planner.jsonpath.regexps import compiled
from planner.jsonpath.tree import ARITHMETIC, COMPARISONS, LAST, PREDICATES, Item, Path

Json = Any
"""dict, list, str, bool, None, Decimal; a Moment on the way."""

_OPERATIONS: Final[dict[str, Callable[[Decimal, Decimal], Decimal]]] = {
    "+": numerics.ADD,
    "-": numerics.SUBTRACT,
    "*": numerics.multiply,
    "/": numerics.divide,
    "%": numerics.remainder,
}
_SIGNS: Final = {"==": (0,), "!=": (-1, 1), "<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}
"""What the sign of a comparison is where it holds."""
_WRITTEN: Final = {"null": None, "true": True, "false": False}
_CONSTANTS: Final = frozenset((*_WRITTEN, "string", "numeric"))
_INT4: Final = 1 << 31
EVALUATING_S_MAX: float = 10.0
"""Seconds of the processor that one path over one value may take: nobody can interrupt it, and loops within loops take hours."""
_LOOKS: Final = (1 << 16) - 1
"""Steps between two looks at the clock, a power of two less one."""


class Evaluation:
    """One path over one value. `variables` None: every variable is null. `zone` None: no time zone may be needed."""

    def __init__(
        self, path: Path, root: Json, variables: Json | None = None, zone: str | None = None
    ) -> None:
        self.path, self.root, self.variables, self.zone = path, root, variables, zone
        self.lax = path.lax
        self.forgiving = path.lax
        self.current: Json = root
        self.size = -1
        self._sought: Item | None = None
        self._steps, self._began_s = 0, 0.0
        self.ids = methods.Ids(root, variables)

    def items(self) -> Iterator[Json]:
        return self._item(self.path.root, self.root)

    def exists(self) -> bool:
        """Whether anything is found. Strict paths are followed to their end, for an error may be there."""
        self._sought = self.path.root if self.lax else None
        found = self.items()
        return any(True for _ in found) if self.lax else bool(list(found))

    # --- items -----------------------------------------------------------------------------------

    def _item(self, item: Item, value: Json) -> Iterator[Json]:
        return self._target(item, value, self.lax)

    def _after(self, item: Item, value: Json) -> Iterator[Json]:
        if item.next is None:
            yield value
        else:
            yield from self._item(item.next, value)

    def _look(self) -> None:
        """At the clock. Raises 54001."""
        now_s = time.thread_time()
        if not self._began_s:
            self._began_s = now_s
        elif now_s - self._began_s > EVALUATING_S_MAX:
            raise SqlError(
                "54001",
                "jsonpath is too complex",
                detail=f"Evaluating it takes more than {EVALUATING_S_MAX:g} seconds.",
            )

    def _target(self, item: Item, value: Json, unwrap: bool) -> Iterator[Json]:
        self._steps += 1
        if not self._steps & _LOOKS:
            self._look()
        kind = item.kind
        if kind == "key" and isinstance(value, dict):  # most of what there is
            if item.value in value:
                yield from self._after(item, value[item.value])
            elif not self.forgiving:
                raise PathError("2203A", f'JSON object does not contain key "{item.value}"')
        elif kind in PREDICATES:
            yield from self._after(item, self._test(item, value))
        elif kind == "root" and self.ids.are_of(self.root, 0):
            yield from self._after(item, self.root)
        elif kind == "root":
            with self.ids.of(self.root, 0):
                yield from self._after(item, self.root)
        elif kind == "current":
            yield from self._after(item, self.current)
        elif kind == "last":
            yield from self._after(item, Decimal(self.size - 1))
        elif kind == "variable":
            with self.ids.of(self.variables, 1):
                yield from self._after(item, self._variable(str(item.value)))
        elif kind in _CONSTANTS:
            yield from self._after(item, _WRITTEN.get(kind, item.value))
        elif kind == "any_array":
            yield from self._any_array(item, value)
        elif kind == "subscripts":
            yield from self._subscripts(item, value)
        elif kind == "any":
            yield from self._any(item, value)
        elif kind in ARITHMETIC:
            yield from self._after(item, self._arithmetic(item, value))
        elif kind in ("plus", "minus"):
            yield from self._signed(item, value)
        elif kind == "type":
            yield from self._after(item, methods.type_name(value))
        elif kind == "size":
            yield from self._size(item, value)
        elif unwrap and isinstance(value, list):
            for element in value:
                yield from self._target(item, element, False)
        elif kind == "key":
            if not self.forgiving:
                raise PathError("2203A", "jsonpath member accessor can only be applied to an object")
        elif kind == "any_key":
            yield from self._any_key(item, value)
        elif kind == "filter":
            if self._nested_test(item.left, value):
                yield from self._after(item, value)
        elif kind == "keyvalue":
            for made, number in self.ids.pairs(value):
                with self.ids.of(made, number):
                    yield from self._after(item, made)
        else:
            yield from self._after(item, methods.METHODS[kind](value, item))

    def _any_key(self, item: Item, value: Json) -> Iterator[Json]:
        if isinstance(value, dict):
            for v in value.values():
                yield from self._next_of(item, v, self.lax)
        elif not self.forgiving:
            raise PathError("2203C", "jsonpath wildcard member accessor can only be applied to an object")

    def _next_of(self, item: Item, value: Json, unwrap: bool) -> Iterator[Json]:
        if item.next is None:
            yield value
        else:
            yield from self._target(item.next, value, unwrap)

    def _any_array(self, item: Item, value: Json) -> Iterator[Json]:
        if isinstance(value, list):
            for v in value:
                yield from self._next_of(item, v, self.lax)
        elif self.lax:
            yield from self._after(item, value)
        elif not self.forgiving:
            raise PathError("22039", "jsonpath wildcard array accessor can only be applied to an array")

    def _subscripts(self, item: Item, value: Json) -> Iterator[Json]:
        if not isinstance(value, list) and not self.lax:
            if not self.forgiving:
                raise PathError("22039", "jsonpath array accessor can only be applied to an array")
            return
        elements = value if isinstance(value, list) else [value]
        outer, self.size = self.size, len(elements)
        try:
            for first, last in item.ranges:
                low = self._index(first, value)
                high = low if last is None else self._index(last, value)
                if not self.forgiving and (low < 0 or low > high or high >= len(elements)):
                    raise PathError("22033", "jsonpath array subscript is out of bounds")
                for v in elements[max(low, 0) : max(high + 1, 0)]:
                    yield from self._after(item, v)
        finally:
            self.size = outer

    def _index(self, item: Item, value: Json) -> int:
        found = list(self._item(item, value))
        if len(found) != 1 or not isinstance(found[0], Decimal):
            raise PathError("22033", "jsonpath array subscript is not a single numeric value")
        whole = int(found[0])
        if not -_INT4 <= whole < _INT4:
            raise PathError("22033", "jsonpath array subscript is out of integer range")
        return whole

    def _any(self, item: Item, value: Json) -> Iterator[Json]:
        low, high = item.bounds
        if low == 0:
            with self._forgiven():
                yield from self._after(item, value)
        yield from self._below(item, value, 1, low, high)

    def _below(self, item: Item, value: Json, level: int, low: int, high: int) -> Iterator[Json]:
        if level > high or not isinstance(value, dict | list):
            return
        for v in value.values() if isinstance(value, dict) else value:
            inner = isinstance(v, dict | list)
            if level >= low or (low == high == LAST and not inner):
                with self._forgiven():
                    yield from self._next_of(item, v, self.lax)
            if level < high and inner:
                yield from self._below(item, v, level + 1, low, high)

    @contextmanager
    def _forgiven(self) -> Iterator[None]:
        """What `**` passes on the way need not have the structure that is asked for."""
        before, self.forgiving = self.forgiving, True
        try:
            yield
        finally:
            self.forgiving = before

    def _variable(self, name: str) -> Json:
        if self.variables is None:
            return None
        if name not in self.variables:
            raise SqlError("42704", f'could not find jsonpath variable "{name}"')
        return self.variables[name]

    def _size(self, item: Item, value: Json) -> Iterator[Json]:
        if isinstance(value, list):
            yield from self._after(item, Decimal(len(value)))
        elif self.lax:
            yield from self._after(item, Decimal(1))
        elif not self.forgiving:
            raise PathError("22039", "jsonpath item method .size() can only be applied to an array")

    # --- arithmetic ------------------------------------------------------------------------------

    def _unwrapped(self, item: Item | None, value: Json) -> list[Json]:
        """All that an operand finds, arrays unwrapped in lax mode."""
        assert item is not None
        if item.next is None and item.kind in _CONSTANTS:
            return [_WRITTEN.get(item.kind, item.value)]
        found = (
            [self.current] if item.next is None and item.kind == "current" else list(self._item(item, value))
        )
        if not self.lax:
            return found
        if len(found) == 1 and not isinstance(found[0], list):
            return found
        return [v for f in found for v in (f if isinstance(f, list) else [f])]

    def _operand(self, item: Item | None, value: Json) -> list[Json]:
        return self._unwrapped(item, value)

    def _arithmetic(self, item: Item, value: Json) -> Decimal:
        both = [self._operand(side, value) for side in (item.left, item.right)]
        for word, found in zip(("left", "right"), both, strict=True):
            if len(found) != 1 or not isinstance(found[0], Decimal):
                raise PathError(
                    "22038", f"{word} operand of jsonpath operator {item.kind} is not a single numeric value"
                )
        try:
            return _OPERATIONS[item.kind](both[0][0], both[1][0])
        except SqlError as e:
            raise PathError(e.sqlstate, e.message) from None

    def _signed(self, item: Item, value: Json) -> Iterator[Json]:
        sign = "+" if item.kind == "plus" else "-"
        for v in self._operand(item.left, value):
            if not isinstance(v, Decimal):
                if item is self._sought and item.next is None:
                    continue  # PostgreSQL looks for a number that is there, and not at what is none
                raise PathError("2203B", f"operand of unary jsonpath operator {sign} is not a numeric value")
            yield from self._after(item, v if item.kind == "plus" or not v else v.copy_negate())

    # --- predicates ------------------------------------------------------------------------------

    def _nested_test(self, item: Item | None, value: Json) -> bool | None:
        assert item is not None
        outer, self.current = self.current, value
        try:
            return self._test(item, value)
        finally:
            self.current = outer

    def _test(self, item: Item, value: Json) -> bool | None:
        """True, false or, as None, unknown."""
        kind = item.kind
        assert item.left is not None
        if kind in ("and", "or"):
            assert item.right is not None
            decisive = kind == "or"
            left = self._test(item.left, value)
            if left is decisive:
                return left
            right = self._test(item.right, value)
            return left if right is (not decisive) else right
        if kind == "not":
            inner = self._test(item.left, value)
            return None if inner is None else not inner
        if kind == "is_unknown":
            return self._test(item.left, value) is None
        if kind == "exists":
            return self._exists(item.left, value)
        if kind == "like_regex":
            pattern = compiled(str(item.value), item.flags)
            return self._predicate(
                item, value, lambda a, _: bool(pattern.search(a)) if isinstance(a, str) else None
            )
        if kind == "starts_with":
            return self._predicate(item, value, _starts_with)
        assert kind in COMPARISONS
        return self._predicate(item, value, lambda a, b: self._compared(kind, a, b))

    def _exists(self, item: Item, value: Json) -> bool | None:
        outer, self._sought = self._sought, item if self.lax else None
        try:
            found = self._item(item, value)
            return any(True for _ in found) if self.lax else bool(list(found))
        except PathError:
            return None
        finally:
            self._sought = outer

    def _predicate(self, item: Item, value: Json, test: Callable[[Json, Json], bool | None]) -> bool | None:
        """True of any pair of a left and a right item; in strict mode every pair is looked at."""
        try:
            left = self._unwrapped(item.left, value)
            if item.right is None:
                right = [None]
            elif item.kind == "starts_with":
                right = list(self._item(item.right, value))
            else:
                right = self._unwrapped(item.right, value)
        except PathError:
            return None
        unknown = found = False
        for a in left:
            for b in right:
                answer = test(a, b)
                if answer is None:
                    if not self.lax:
                        return None
                    unknown = True
                elif answer:
                    if self.lax:
                        return True
                    found = True
        return True if found else None if unknown else False

    def _compared(self, op: str, a: Json, b: Json) -> bool | None:
        if type(a) is Decimal and type(b) is Decimal:
            return numerics.compare(a, b) in _SIGNS[op]
        kinds = (_family(a), _family(b))
        if kinds[0] != kinds[1]:
            # A null is not equal to anything else, and that is known.
            return op == "!=" if "null" in kinds else None
        if kinds[0] == "container":
            return None
        sign: int | None
        if kinds[0] == "moment":
            sign = compare_moments(a, b, self.zone)
            if sign is None:
                return None
        elif kinds[0] == "null":
            sign = 0
        else:
            x, y = (a.encode(), b.encode()) if isinstance(a, str) else (a, b)
            sign = (x > y) - (x < y)
        return sign in _SIGNS[op]


def _family(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, Decimal):
        return "number"
    if isinstance(value, Moment):
        return "moment"
    return "string" if isinstance(value, str) else "container"


def _starts_with(whole: Json, prefix: Json) -> bool | None:
    if not isinstance(whole, str) or not isinstance(prefix, str):
        return None
    return whole.startswith(prefix)
