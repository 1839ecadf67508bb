"""A path as `jsonpath` shows it: one spelling for equal paths. It is what a column of the type holds."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Final

from planner.jsonpath.parser import parse
from planner.jsonpath.tree import ARITHMETIC, COMPARISONS, LAST, METHODS, Item

_PRIORITY: Final = {
    "or": 0,
    "and": 1,
    "starts_with": 2,
    "+": 3,
    "-": 3,
    "*": 4,
    "/": 4,
    "%": 4,
    "plus": 5,
    "minus": 5,
} | dict.fromkeys(COMPARISONS, 2)
_INFIX: Final = {"and": "&&", "or": "||", "starts_with": "starts with"} | {
    o: o for o in (*COMPARISONS, *ARITHMETIC)
}
_PLAIN: Final = {
    "null": "null",
    "true": "true",
    "false": "false",
    "root": "$",
    "current": "@",
    "last": "last",
}
quoted: Final = json.encoder.encode_basestring


def canonical(text: str) -> str:
    """The type's input function. Raises as `parse` does."""
    path = parse(text)
    return ("" if path.lax else "strict ") + _written(path.root, in_key=False, brackets=True)


def _priority(item: Item) -> int:
    return _PRIORITY.get(item.kind, 6)


def _written(item: Item, *, in_key: bool, brackets: bool) -> str:
    shown = _one(item, in_key, brackets)
    if item.next is not None:
        shown += _written(item.next, in_key=True, brackets=True)
    return shown


def _operand(item: Item | None, of: Item) -> str:
    assert item is not None
    return _written(item, in_key=False, brackets=_priority(item) <= _priority(of))


def _inner(item: Item | None) -> str:
    assert item is not None
    return _written(item, in_key=False, brackets=False)


def _one(item: Item, in_key: bool, brackets: bool) -> str:
    kind, dot = item.kind, "." if in_key else ""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind == "string":
        return quoted(str(item.value))
    if kind == "numeric":
        assert isinstance(item.value, Decimal)
        number = format(item.value, "f")
        return f"({number})" if item.next is not None else number
    if kind == "variable":
        return "$" + quoted(str(item.value))
    if kind == "key":
        return dot + quoted(str(item.value))
    if kind == "any_key":
        return dot + "*"
    if kind == "any_array":
        return "[*]"
    if kind == "subscripts":
        return f"[{','.join(_range(a, b) for a, b in item.ranges)}]"
    if kind == "any":
        return dot + "**" + _levels(*item.bounds)
    if kind in METHODS:
        return f".{kind}()"
    if kind == "datetime":
        return f".datetime({quoted(str(item.value)) if item.value is not None else ''})"
    if kind == "filter":
        return f"?({_inner(item.left)})"
    if kind == "not":
        return f"!({_inner(item.left)})"
    if kind == "is_unknown":
        return f"({_inner(item.left)}) is unknown"
    if kind == "exists":
        return f"exists ({_inner(item.left)})"
    shown = _operation(item)
    return f"({shown})" if brackets else shown


def _operation(item: Item) -> str:
    if item.kind in ("plus", "minus"):
        return ("+" if item.kind == "plus" else "-") + _operand(item.left, item)
    if item.kind == "like_regex":
        flags = f' flag "{item.flags}"' if item.flags else ""
        return f"{_operand(item.left, item)} like_regex {quoted(str(item.value))}{flags}"
    return f"{_operand(item.left, item)} {_INFIX[item.kind]} {_operand(item.right, item)}"


def _range(start: Item, end: Item | None) -> str:
    return _inner(start) + (f" to {_inner(end)}" if end is not None else "")


def _levels(low: int, high: int) -> str:
    if (low, high) == (0, LAST):
        return ""
    a, b = ("last" if x == LAST else str(x) for x in (low, high))
    return f"{{{a}}}" if low == high else f"{{{a} to {b}}}"
