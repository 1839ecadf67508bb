"""What the keyed engine computes of arrays (`planner.binding.keyed.arrays`): of their texts, by the functions that DuckDB's queries call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from executor.abc import ExecutionError
from executor.keyed import text
from executor.keyed.registry import lax, scalar
from planner import types as t
from planner.binding.prelude import arrays as prelude
from planner.types.array_values import ArrayValue, appended, cut, item_at, joined, parse, put, vector, write

_NOTHING: Final = parse("{}")
_TEXTS: Final = (t.TEXT, t.VARCHAR, t.UUID)
_ITEMS: Final = (*_TEXTS, t.BOOL, t.INT2, t.INT4, t.INT8)
"""Elements that are in an array's text what they are in any text."""
_KEPT_MAX: Final = 16_000_000
_kept: dict[str, ArrayValue] = {}
"""Arrays by their texts: one that has just been made, or asked, is often asked next."""
_kept_size = 0
"""About how many bytes they take, elements and texts."""


def _keep(array: str, value: ArrayValue) -> None:
    global _kept_size
    size = 2 * len(array) + 64 * (len(value.items) + 1)
    _kept_size += size
    if _kept_size > _KEPT_MAX:
        _kept.clear()
        _kept_size = size
    _kept[array] = value


def _parsed(array: str) -> ArrayValue:
    value = _kept.get(array)
    if value is None:
        value = parse(array)
        _keep(array, value)
    return value


def _item(value: Any) -> str | None:
    """An element as an array's text has it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "t" if value else "f"
    return str(value)


scalar("array length")(prelude.length)
scalar("array upper")(prelude.upper)
scalar("array lower")(prelude.lower)


@scalar("array ndims")
def _dimensions(array: str) -> int | None:
    return len(_parsed(array).dims) or None


@scalar("array cardinality")
def _cardinality(array: str) -> int:
    return len(_parsed(array).items)


@scalar("elements of")
def _elements(oid: int, array: str) -> list[Any]:
    return t.array_items(array, oid)


def _is_plain(array: str) -> bool:
    """Of one dimension that begins at one, and not empty: its elements stand between the outer brackets."""
    return array[0] == "{" and array[1] not in "{}"


def _within_bounds(array: str) -> str:
    if len(array) > text.LONGEST:
        raise ExecutionError("54000", "array size exceeds the maximum allowed (134217727)")
    return array


@lax("array append")
def _append(array: str | None, value: Any) -> str:
    if array is not None and _is_plain(array):
        return _within_bounds(f"{array[:-1]},{write(appended(_NOTHING, _item(value)))[1:]}")
    return write(appended(parse(array or "{}"), _item(value)))


@lax("array prepend")
def _prepend(value: Any, array: str | None) -> str:
    return write(appended(parse(array or "{}"), _item(value), before=True))


@lax("array cat")
def _cat(a: str | None, b: str | None) -> str | None:
    if a is None or b is None:
        return a if b is None else b
    if _is_plain(a) and _is_plain(b):
        return _within_bounds(f"{a[:-1]},{b[1:]}")
    return _within_bounds(write(joined(parse(a), parse(b))))


@lax("array remove")
def _remove(array: str | None, value: Any) -> str | None:
    if array is None:
        return None
    gone, found = _item(value), parse(prelude.one_dimension(array))
    return prelude.kept(array, [x for x in found.items if x != gone])


@lax("array position")
def _position(array: str | None, value: Any) -> int | None:
    if array is None:
        return None
    found, item = _parsed(prelude.searchable(array)), _item(value)
    return found.items.index(item) + found.lows[0] if item in found.items else None


@lax("array at")
def _at(oid: int, array: str | None, *places: int | None) -> Any:
    if array is None or None in places:
        return None
    item = item_at(_parsed(array), [p for p in places if p is not None])
    return None if item is None else _of_item(oid)(item)


@lru_cache(maxsize=100)
def _of_item(oid: int) -> Callable[[str], Any]:
    """From an element's text to its datum."""
    element = t.element_of(oid)
    if element == t.BOOL:
        return lambda text: text == "t"
    if element in (t.INT2, t.INT4, t.INT8):
        return int
    if element in _TEXTS:
        return str
    return lambda text: t.array_items(write(vector([text])), oid)[0]


@lax("array put")
def _put(oid: int, array: str | None, value: Any, *places: int | None) -> str:
    if None in places:
        raise ExecutionError("22004", "array subscript in assignment must not be null")
    if value is None or (isinstance(value, str | int) and t.element_of(oid) in _ITEMS):
        item = _item(value)
    else:
        item = parse(t.array_datum([value], oid)).items[0]
    value = put(_parsed(array or "{}"), [p for p in places if p is not None], item)
    made = _within_bounds(write(value))
    if made not in _kept:
        _keep(made, value)
    return made


@lax("array slice")
def _slice(array: str | None, given: Sequence[bool], *bounds: int | None) -> str | None:
    """`given`: of each bound, whether it is said at all; an array that has none there has its own."""
    if array is None or None in bounds:
        return None
    said = iter(bounds)
    return write(cut(_parsed(array), [next(said) if g else None for g in given]))


@lax("array strung")
def _strung(array: str | None, separator: str | None, null: str | None = None) -> str | None:
    if array is None or separator is None:
        return None
    texts = [null if x is None else x for x in _parsed(array).items]
    return separator.join([x for x in texts if x is not None])


@scalar("array contains", "terms array @>")
def _contains(a: str, b: str) -> bool:
    """NULL is in no array, and no array with a NULL is in another."""
    wanted = _parsed(b).items
    return None not in wanted and set(wanted) <= _known(a)


@scalar("array contained")
def _contained(a: str, b: str) -> bool:
    return _contains(b, a)


@scalar("array overlaps", "terms array &&")
def _overlaps(a: str, b: str) -> bool:
    return not _known(a).isdisjoint(_known(b))


def _known(array: str) -> set[str]:
    return {x for x in _parsed(array).items if x is not None}
