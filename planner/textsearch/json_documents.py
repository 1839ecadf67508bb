"""JSON as documents: its texts (and keys, numbers, booleans, as asked for), one after the other, with a gap between each two.

    to_tsvector('english', '{"a": "fat cats", "b": ["rats"]}')         'cat':2 'fat':1 'rat':4
    json_to_tsvector('english', '{"a": "fat", "b": 1}', '["numeric"]')  '1':1

Values are walked as they stand in the text: json as it was written, jsonb in its own order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from planner.abc import SqlError
from planner.textsearch import documents, headlines, vectors
from planner.types.json_errors import refuse_escapes

STRING, NUMERIC, BOOLEAN, KEY = "string", "numeric", "boolean", "key"
_ALL: Final = frozenset((STRING, NUMERIC, BOOLEAN, KEY))
_HINT: Final = 'Possible values are: "string", "numeric", "boolean", "key", and "all".'


@dataclass(frozen=True, slots=True)
class _Members:
    pairs: list[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class _Number:
    text: str


def _parsed(value: str) -> Any:
    """Raises 22P05, 22P02 for escapes that are no text."""
    refuse_escapes(value)
    return json.loads(value, object_pairs_hook=_Members, parse_int=_Number, parse_float=_Number, strict=False)


def _parts(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, _Members):
        for key, inner in value.pairs:
            yield KEY, key
            yield from _parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner)
    elif isinstance(value, _Number):
        yield NUMERIC, value.text
    elif isinstance(value, bool):
        yield BOOLEAN, "true" if value else "false"
    elif value is not None:
        yield STRING, value


def _kinds(flags: str) -> frozenset[str]:
    """Raises 22023."""
    asked = _parsed(flags)
    if isinstance(asked, _Members):
        raise SqlError("22023", "wrong flag type, only arrays and scalars are allowed")
    found: set[str] = set()
    for flag in asked if isinstance(asked, list) else [asked]:
        if isinstance(flag, list | _Members):
            raise SqlError("XX000", "unexpected end of flag array")
        if not isinstance(flag, str):
            raise SqlError("22023", "flag array element is not a string", hint=_HINT)
        small = flag.lower() if flag.isascii() else flag
        if small != "all" and small not in _ALL:
            raise SqlError("22023", f'wrong flag in flag array: "{flag}"', hint=_HINT)
        found |= _ALL if small == "all" else {small}
    return frozenset(found)


def vector(configuration: str, value: str, flags: str = f'"{STRING}"') -> str:
    """`to_tsvector`, `json_to_tsvector`. Raises 22023, 22P02, 22P05, 42704, 54000."""
    configuration = documents.check_configuration(configuration)
    wanted = _kinds(flags)

    def kept() -> Iterator[tuple[str, int]]:
        last = 0
        for kind, text in _parts(_parsed(value)):
            if kind in wanted:
                some = False
                end = last
                for word, end in documents.placed(configuration, text, last):
                    if word is not None:
                        some = True
                        yield word, end
                last = end + some

    return vectors.of_document(kept())


def headline(configuration: str, value: str, query: str, options: str = "") -> str:
    """`ts_headline`: of each text that is no key. Raises what `headlines.headline` raises, 22P02, 22P05."""
    configuration = documents.check_configuration(configuration)
    o = headlines.options_of(options)
    place = 0

    def shown(text: str) -> str:
        nonlocal place
        made, place = headlines.marked(configuration, text, query, o, place)
        return made

    return _replaced(_parsed(value), shown)


def _replaced(value: Any, made: Callable[[str], str]) -> str:
    """JSON with its texts changed: numbers as they were written, keys as often as they were there."""
    if isinstance(value, _Members):
        return "{" + ",".join(f"{_quoted(k)}:{_replaced(v, made)}" for k, v in value.pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_replaced(v, made) for v in value) + "]"
    if isinstance(value, _Number):
        return value.text
    return _quoted(made(value) if isinstance(value, str) else value)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


__all__ = ["headline", "vector"]
