"""Whether a document contains another one, seen in its text where that is enough.

    asked      {"customer": {"name": "c17"}}
    document   {"id": 4, "customer": {"age": 3, "name": "c17"}}
                ~~~~~~~~~                                           no bracket: so this is a member of the whole,
                         "customer": {
                                      ~~~~~~~~~~                    and this one of the customer
                                                "name": "c17"

Documents are stored as PostgreSQL shows them, so a member that is there can be found as a text, without reading what stands around
it. Where brackets stand before it (or in a string there), where the same number is written otherwise, or where more is asked than members
of members, the document is read: the text alone says yes, never no.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from planner.types.jsons import jsonb_in

Test = Callable[[Any], bool]

read: Final = json.JSONDecoder(parse_float=Decimal).raw_decode
"""(a document in jsonb's form, 0) -> (its value, its end)."""

_BRACKET: Final = re.compile(r"[\[\]{}]")
_BEGINS: Final = re.compile(r"[A-Za-z0-9_]")
"""With such a letter a key begins that is looked for as a text: behind a quote that ends a string none can stand."""

_SMALL: Final = 10**18


def jsonb_text(text: str) -> str:
    """A string as it stands in documents."""
    return jsonb_in(json.dumps(text))


def among(value: Any, key: str) -> bool:
    """Whether a key, an element or the whole is this string."""
    if isinstance(value, dict):
        return key in value
    if isinstance(value, list):
        return any(isinstance(x, str) and x == key for x in value)
    return isinstance(value, str) and value == key


def container(text: str) -> Test:
    """Whether a document contains this one."""
    asked = read(text, 0)[0]
    inner = _container(asked)
    if isinstance(asked, dict | list):
        return inner

    def scalar(value: Any) -> bool:  # an array contains a scalar as if that were an array
        return any(map(inner, value)) if isinstance(value, list) else inner(value)

    return scalar


def _container(asked: Any) -> Test:
    if isinstance(asked, dict):
        members = [(k, _container(v)) for k, v in asked.items()]

        def by_members(value: Any) -> bool:
            return isinstance(value, dict) and all(k in value and test(value[k]) for k, test in members)

        return by_members
    if isinstance(asked, list):
        tests = [_container(x) for x in asked]

        def by_elements(value: Any) -> bool:
            return isinstance(value, list) and all(any(map(test, value)) for test in tests)

        return by_elements
    if asked is None:
        return lambda value: value is None
    if isinstance(asked, bool):
        return lambda value: value is asked
    if isinstance(asked, str):
        return lambda value: isinstance(value, str) and value == asked
    return lambda value: not isinstance(value, bool | str) and value == asked


@lru_cache(maxsize=256)
def contained(asked: str) -> Callable[[str], bool]:
    """The test whether a document contains this one."""
    value = read(asked, 0)[0]
    inner = container(asked)
    path: list[str] = []
    while isinstance(value, dict) and len(value) == 1:
        ((key, below),) = value.items()
        if not isinstance(below, dict) or not _BEGINS.match(key):
            break
        path.append(f"{jsonb_text(key)}: {{")
        value = below
    members = _members(value)
    if members is None:
        return lambda document: inner(read(document, 0)[0])

    if len(path) < 2 and len(members) == 1:
        return _of_one(path[0] if path else "", members[0], inner)

    def test(document: str) -> bool:
        at = 1
        for text in path:
            found = document.find(text, at)
            if found < 0 or document[found - 1] == "\\" or bracket(document, at, found):
                return inner(read(document, 0)[0])
            at = found + len(text)
        for text in members:
            found = document.find(text, at)
            if (
                found < 0
                or document[found - 1] == "\\"
                or bracket(document, at, found)
                or document[found + len(text)] not in ",}"
            ):
                return inner(read(document, 0)[0])
        return True

    bracket = _BRACKET.search
    return test


def _of_one(path: str, member: str, inner: Test) -> Callable[[str], bool]:
    """The same of one member, or of one of a member: what is mostly asked for, in a microsecond."""
    bracket, depth, size = _BRACKET.search, len(path), len(member)

    def test(document: str) -> bool:
        at = 1
        if depth:
            at = document.find(path, 1) + depth
            if at < depth or bracket(document, 1, at - 1) or document[at - depth - 1] == "\\":
                return inner(read(document, 0)[0])
        found = document.find(member, at)
        if (
            found < 0
            or bracket(document, at, found)
            or document[found - 1] == "\\"
            or document[found + size] not in ",}"
        ):
            return inner(read(document, 0)[0])
        return True

    return test


def _members(value: Any) -> list[str] | None:
    """A document's members as texts; None if they are not all strings, whole numbers, and words of JSON."""
    if not isinstance(value, dict) or not value:
        return None
    made = []
    for key, member in value.items():
        if not _BEGINS.match(key):
            return None
        if isinstance(member, str):
            text = jsonb_text(member)
        elif member is None or isinstance(member, bool):
            text = "null" if member is None else "true" if member else "false"
        elif isinstance(member, int) and abs(member) < _SMALL:
            text = str(member)
        else:
            return None
        made.append(f"{jsonb_text(key)}: {text}")
    return made


__all__ = ["among", "contained", "container", "jsonb_text", "read"]
