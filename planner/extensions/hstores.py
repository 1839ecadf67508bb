"""hstore: texts by key, some of them null.

    a=>1, "two words"=>NULL        kept as PostgreSQL shows it:  "a"=>"1", "two words"=>NULL

Each key is there once, short ones first; so equal values are equal texts.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from planner.abc import SqlError
from planner.errors import BytesLeftOver
from planner.types.array_values import ArrayValue, parse, write

Pairs = dict[str, str | None]
_WHITESPACE: Final = " \t\n\r\v\f"
_LENGTH_MAX: Final = 0x3FFFFFFF
_PAIR: Final = re.compile(r'"((?:[^"\\]|\\.)*)"=>(?:"((?:[^"\\]|\\.)*)"|NULL)(?:, |$)', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def shown(pairs: Mapping[str, str | None]) -> str:
    order = sorted(pairs, key=lambda k: (len(k.encode()), k))
    return ", ".join(f"{_quoted(k)}=>{'NULL' if (v := pairs[k]) is None else _quoted(v)}" for k in order)


def pairs_of(value: str) -> Pairs:
    """A value taken apart, in its order."""
    found: Pairs = {}
    for m in _PAIR.finditer(value):
        found[_ESCAPED.sub(r"\1", m[1])] = None if m[2] is None else _ESCAPED.sub(r"\1", m[2])
    return found


class _Reader:
    """The input function: keys and values with or without quotes. Raises XX000, as PostgreSQL 15 does."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def fault(self) -> SqlError:
        if self.at >= len(self.text):
            return SqlError("XX000", "Unexpected end of string")
        c = self.text[self.at]
        place = len(self.text[: self.at].encode())
        return SqlError("XX000", f'Syntax error near "{c}" at position {place}')

    def _blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in _WHITESPACE:
            self.at += 1

    def pairs(self) -> Pairs:
        found: Pairs = {}
        while True:
            key = self._word(of_value=False)
            if key is None:
                return found
            self._arrow()
            value = self._word(of_value=True)
            if value is None:
                raise self.fault()
            null = not value[1] and value[0].lower() == "null"
            found.setdefault(key[0], None if null else value[0])
            self._blanks()
            if self.at >= len(self.text):
                return found
            if self.text[self.at] != ",":
                raise self.fault()
            self.at += 1

    def _arrow(self) -> None:
        self._blanks()
        for sign in "=>":
            if self.text[self.at : self.at + 1] != sign:
                raise self.fault()
            self.at += 1

    def _word(self, *, of_value: bool) -> tuple[str, bool] | None:
        """The word, and whether it was in quotes; None at the end."""
        self._blanks()
        if self.at >= len(self.text):
            return None
        if self.text[self.at] == '"':
            return self._in_quotes(), True
        if self.text[self.at] == "=" and not of_value:
            raise self.fault()
        out: list[str] = []
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == "\\":
                out.append(self._escaped())
                continue
            if out and (c in _WHITESPACE or (c == "=" and not of_value) or (c == "," and of_value)):
                break
            out.append(c)
            self.at += 1
        return "".join(out), False

    def _escaped(self) -> str:
        self.at += 2
        if self.at > len(self.text):
            self.at = len(self.text)
            raise self.fault()
        return self.text[self.at - 1]

    def _in_quotes(self) -> str:
        self.at += 1
        out: list[str] = []
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == "\\":
                out.append(self._escaped())
            elif c == '"':
                self.at += 1
                return "".join(out)
            else:
                out.append(c)
                self.at += 1
        raise self.fault()


def hstore_in(text: str) -> str:
    return shown(_Reader(text).pairs())


# --- making ---------------------------------------------------------------------------------------------------


def of_pair(key: str | None, value: str | None) -> str | None:
    return None if key is None else shown({key: value})


def _given(key: str | None) -> str:
    if key is None:
        raise SqlError("22004", "null value not allowed for hstore key")
    return key


def of_arrays(keys: Sequence[str | None] | None, values: Sequence[str | None] | None) -> str | None:
    if keys is None:
        return None
    values = [None] * len(keys) if values is None else values
    if len(keys) != len(values):
        raise SqlError("2202E", "arrays must have same bounds")
    return shown(_first((_given(k), v) for k, v in zip(keys, values, strict=True)))


def of_array(items: Sequence[str | None]) -> str:
    if len(items) % 2:
        raise SqlError("2202E", "array must have even number of elements")
    return shown(_first((_given(k), v) for k, v in zip(items[::2], items[1::2], strict=True)))


def of_array_text(array: str) -> str:
    """The same of an array by its text: a flat list of keys and values, or pairs of these."""
    value = parse(array)
    if len(value.dims) > 2:
        raise SqlError("2202E", "wrong number of array subscripts")
    if len(value.dims) == 2 and value.dims[1] != 2:
        raise SqlError("2202E", "array must have two columns")
    return of_array(value.items)


def _first(pairs: Iterable[tuple[str, str | None]]) -> Pairs:
    found: Pairs = {}
    for key, value in pairs:
        found.setdefault(key, value)
    return found


# --- asking ----------------------------------------------------------------------------------------------------


def value_of(h: str, key: str) -> str | None:
    return pairs_of(h).get(key)


def values_of(h: str, keys: Sequence[str | None]) -> list[str | None]:
    found = pairs_of(h)
    return [None if k is None else found.get(k) for k in keys]


def values_of_text(h: str, keys: str) -> str:
    """The same for an array of keys by its text: the values are in the same places."""
    value = parse(keys)
    return write(ArrayValue(value.dims, value.lows, values_of(h, value.items)))


def has(h: str, key: str) -> bool:
    return key in pairs_of(h)


def has_all(h: str, keys: Sequence[str | None]) -> bool:
    found = pairs_of(h)
    return all(k in found for k in keys if k is not None)


def has_any(h: str, keys: Sequence[str | None]) -> bool:
    found = pairs_of(h)
    return any(k in found for k in keys if k is not None)


def is_defined(h: str, key: str) -> bool:
    return pairs_of(h).get(key) is not None


def contains(h: str, other: str) -> bool:
    found = pairs_of(h)
    return all(k in found and found[k] == v for k, v in pairs_of(other).items())


def keys_of(h: str) -> list[str]:
    return list(pairs_of(h))


def all_values(h: str) -> list[str | None]:
    return list(pairs_of(h).values())


def flat(h: str) -> list[str | None]:
    return [item for pair in pairs_of(h).items() for item in pair]


def matrix(h: str) -> str:
    """The pairs as an array of two columns, as its text."""
    pairs = list(pairs_of(h).items())
    items = [item for pair in pairs for item in pair]
    return write(ArrayValue((len(pairs), 2), (1, 1), items)) if pairs else "{}"


# --- changing -----------------------------------------------------------------------------------------------------


def concatenated(h: str, other: str) -> str:
    return shown(pairs_of(h) | pairs_of(other))


def without(h: str, key: str) -> str:
    return shown({k: v for k, v in pairs_of(h).items() if k != key})


def without_all(h: str, keys: Sequence[str | None]) -> str:
    return shown({k: v for k, v in pairs_of(h).items() if k not in keys})


def without_pairs(h: str, other: str) -> str:
    gone = pairs_of(other)
    return shown({k: v for k, v in pairs_of(h).items() if not (k in gone and gone[k] == v)})


def slice_of(h: str, keys: Sequence[str | None]) -> str:
    return shown({k: v for k, v in pairs_of(h).items() if k in keys})


def to_json(h: str) -> str:
    """Spaced as PostgreSQL writes it."""
    return (
        "{"
        + ", ".join(f"{_json(k)}: {'null' if v is None else _json(v)}" for k, v in pairs_of(h).items())
        + "}"
    )


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def to_json_loose(h: str) -> str:
    """Numbers and booleans by what they look like."""

    def item(value: str | None) -> str:
        if value is None:
            return "null"
        if value in ("t", "f"):
            return "true" if value == "t" else "false"
        return value if _NUMBER.fullmatch(value) else _json(value)

    return "{" + ", ".join(f"{_json(k)}: {item(v)}" for k, v in pairs_of(h).items()) + "}"


# --- order and bytes -------------------------------------------------------------------------------------------------


def order_key(h: str) -> bytes:
    """What compares as PostgreSQL compares: the letters of all keys and values, then their number, then where they end."""
    texts, ends = bytearray(), bytearray()
    found = pairs_of(h)
    for item in flat(h):
        texts += (item or "").encode()
        ends += struct.pack(">I", len(texts)) + (b"\1" if item is None else b"\0")
    if not found:
        return b"\0"
    return b"\1" + bytes(texts) + b"\0" + struct.pack(">I", len(found)) + bytes(ends)


def to_binary(h: str) -> bytes:
    found = pairs_of(h)
    out = bytearray(struct.pack(">i", len(found)))
    for item in flat(h):
        coded = None if item is None else item.encode()
        out += struct.pack(">i", -1) if coded is None else struct.pack(">i", len(coded)) + coded
    return bytes(out)


def from_binary(data: bytes) -> str:
    """Raises 22004, 54000, 08P01, 22P03."""
    try:
        (count,) = struct.unpack_from(">i", data)
        at = 4
        items: list[str | None] = []
        if count < 0 or count > len(data):
            raise SqlError("54000", f"number of pairs ({count}) exceeds the maximum allowed ({_LENGTH_MAX})")
        for i in range(2 * count):
            (size,) = struct.unpack_from(">i", data, at)
            at += 4
            if size < 0:
                if i % 2 == 0:
                    raise SqlError("22004", "null value not allowed for hstore key")
                items.append(None)
                continue
            if at + size > len(data):
                raise SqlError("08P01", "insufficient data left in message")
            items.append(data[at : at + size].decode())
            at += size
    except (struct.error, UnicodeDecodeError):
        raise SqlError("08P01", "insufficient data left in message") from None
    if at != len(data):
        raise BytesLeftOver()
    return of_array(items)
