"""Python functions on bytes in named encodings: convert_from, convert_to, convert, length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.abc import SqlError
from planner.types.encodings import UTF8, Encoding, decoded, encoded, encoding_named

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"


def _named(name: str, what: str) -> Encoding:
    found = encoding_named(name)
    if found is None:
        raise SqlError("22023", f'invalid {what} "{name}"')
    if not found.codec:
        raise SqlError("0A000", f"conversion between {found.name} and {UTF8} is not supported")
    return found


def _from(data: bytes, source: str) -> str:
    return decoded(bytes(data), _named(source, "source encoding name"))


def _to(text: str, target: str) -> bytes:
    return encoded(text, _named(target, "destination encoding name"))


def _convert(data: bytes, source: str, target: str) -> bytes:
    return encoded(_from(data, source), _named(target, "destination encoding name"))


FUNCTIONS: list[Entry] = [
    ("tw_convert_from", _from, ("BLOB", _V), _V),
    ("tw_convert_to", _to, (_V, _V), "BLOB"),
    ("tw_convert", _convert, ("BLOB", _V, _V), "BLOB"),
    (
        "tw_length_in",
        lambda data, name: len(decoded(bytes(data), _named(name, "encoding name"))),
        ("BLOB", _V),
        "INTEGER",
    ),
]
