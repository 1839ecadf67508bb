"""A parsed path: items, each with what follows it.

    $.a[*] ? (@ > 1)     root -> key "a" -> any_array -> filter(greater(current, 1))

The kinds and what they hold:

    null true false string numeric variable     `value`
    root current last any_key any_array
    key                                         `value`
    subscripts                                  `ranges`: (from, to or None)
    any                                         `bounds`: levels of `**{a to b}`; LAST is the deepest
    filter not is_unknown exists plus minus     `left`
    and or + - * / % == != < <= > >= starts_with   `left`, `right`
    like_regex                                  `left`, `value` is the pattern, `flags`
    type size abs floor ceiling double keyvalue datetime (`value`: its template or None)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

LAST: Final = 0xFFFFFFFF
"""The level `last` of `**`."""
COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
ARITHMETIC: Final = ("+", "-", "*", "/", "%")
PREDICATES: Final = frozenset(
    (*COMPARISONS, "and", "or", "not", "is_unknown", "exists", "starts_with", "like_regex")
)
METHODS: Final = ("type", "size", "abs", "floor", "ceiling", "double", "keyvalue")


@dataclass(frozen=True, slots=True)
class Item:
    kind: str
    value: str | Decimal | None = None
    left: Item | None = None
    right: Item | None = None
    ranges: tuple[tuple[Item, Item | None], ...] = ()
    bounds: tuple[int, int] = (0, 0)
    flags: str = ""
    next: Item | None = None


@dataclass(frozen=True, slots=True)
class Path:
    root: Item
    lax: bool


def chain(items: list[Item]) -> Item:
    """Items one after the other; the first of them may be chains already."""
    made: Item | None = None
    for item in reversed(items):
        made = _followed(item, made)
    assert made is not None
    return made


def _followed(item: Item, rest: Item | None) -> Item:
    if rest is None:
        return item
    return replace(item, next=_followed(item.next, rest) if item.next is not None else rest)
