"""Arrays: `{1,NULL,"a b"}`, one dimension, any element type that has a family.

A datum is a list of datums. Arrays of several dimensions have no place in a column of type list<T>
and are refused with 0A000 rather than flattened; so are lower bounds other than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from planner.abc import SqlError
from planner.types.base import WHITESPACE, Coercion, SqlType, TextInput, TextOutput
from planner.types.settings import TypeSettings
from storage.abc import Datum

_QUOTED = frozenset('"\\{}' + WHITESPACE)


def _malformed(text: str, detail: str) -> SqlError:
    return SqlError("22P02", f'malformed array literal: "{text}"', detail=detail)


def split_array(text: str, delimiter: str = ",") -> list[str | None]:
    """The element texts of an array literal. Raises 22P02, and 0A000 for several dimensions."""
    i, n = 0, len(text)
    while i < n and text[i] in WHITESPACE:
        i += 1
    if i < n and text[i] == "[":
        close = text.find("=", i)
        if close < 0:
            raise _malformed(text, 'Missing "=" after array dimensions.')
        bounds = text[i:close].strip(WHITESPACE)
        if bounds.count("[") != 1 or not bounds.startswith("[1:"):
            raise SqlError("0A000", "array bounds other than 1 and several dimensions are not supported")
        i = close + 1
        while i < n and text[i] in WHITESPACE:
            i += 1
    if i >= n or text[i] != "{":
        raise _malformed(text, 'Array value must start with "{" or dimension information.')
    i += 1
    out: list[str | None] = []
    expect_value = False
    while True:
        while i < n and text[i] in WHITESPACE:
            i += 1
        if i >= n:
            raise _malformed(text, "Unexpected end of input.")
        c = text[i]
        if c == "}":
            if expect_value:
                raise _malformed(text, 'Unexpected "}" character.')
            i += 1
            break
        if c == "{":
            raise SqlError("0A000", "multidimensional arrays are not supported")
        if c == delimiter:
            raise _malformed(text, f'Unexpected "{delimiter}" character.')
        item, i = _element(text, i, delimiter)
        out.append(item)
        while i < n and text[i] in WHITESPACE:
            i += 1
        expect_value = False
        if i < n and text[i] == delimiter:
            i += 1
            expect_value = True
        elif i < n and text[i] == "\\":
            raise _malformed(text, 'Unexpected "\\" character.')
        elif i < n and text[i] != "}":
            raise _malformed(
                text, "Unexpected array element." if text[i] != "{" else 'Unexpected "{" character.'
            )
    if text[i:].strip(WHITESPACE):
        raise _malformed(text, "Junk after closing right brace.")
    return out


def _element(text: str, i: int, delimiter: str) -> tuple[str | None, int]:
    n = len(text)
    if text[i] == '"':
        i += 1
        buffer: list[str] = []
        while True:
            if i >= n:
                raise _malformed(text, "Unexpected end of input.")
            c = text[i]
            if c == '"':
                return "".join(buffer), i + 1
            if c == "\\":
                i += 1
                if i >= n:
                    raise _malformed(text, "Unexpected end of input.")
                c = text[i]
            buffer.append(c)
            i += 1
    buffer, escaped, end = [], False, 0
    while i < n and text[i] not in '{}"' and text[i] != delimiter:
        c = text[i]
        if c == "\\":
            i += 1
            if i >= n:
                raise _malformed(text, "Unexpected end of input.")
            escaped = True
            buffer.append(text[i])
            end = len(buffer)
        else:
            buffer.append(c)
            if c not in WHITESPACE:
                end = len(buffer)
        i += 1
    item = "".join(buffer[:end])
    return (None if item.upper() == "NULL" and not escaped else item), i


Nested = list[Any]
"""Element texts (str or None), or lists of them."""


def split_nested(text: str, delimiter: str = ",") -> Nested | None:
    """The element texts of an array literal of several dimensions, as lists within lists; None for one dimension.

    Raises 22P02 as `split_array` does, and for subarrays of different sizes.
    """
    start = text.find("{")
    head = text[:start].strip(WHITESPACE)
    rest = text[start + 1 :].lstrip(WHITESPACE)
    if start < 0 or not rest.startswith("{"):
        return None
    if head and not (
        head.endswith("=") and all(b.startswith("1:") for b in head[:-1].strip("[] ").split("]["))
    ):
        return None
    made, at = _nested(text, start, delimiter)
    if text[at:].strip(WHITESPACE):
        raise _malformed(text, "Junk after closing right brace.")
    _check_shape(text, made)
    return made


def _nested(text: str, i: int, delimiter: str) -> tuple[Nested, int]:
    out: Nested = []
    i += 1
    n = len(text)
    while True:
        while i < n and text[i] in WHITESPACE:
            i += 1
        if i >= n:
            raise _malformed(text, "Unexpected end of input.")
        if text[i] == "}":
            return out, i + 1
        if text[i] == "{":
            item, i = _nested(text, i, delimiter)
            out.append(item)
        else:
            value, i = _element(text, i, delimiter)
            out.append(value)
        while i < n and text[i] in WHITESPACE:
            i += 1
        if i < n and text[i] == delimiter:
            i += 1
            if text[i:].lstrip(WHITESPACE).startswith("}"):
                raise _malformed(text, 'Unexpected "}" character.')
        elif i < n and text[i] != "}":
            raise _malformed(text, "Unexpected array element.")


def _check_shape(text: str, items: Nested) -> None:
    lists = [x for x in items if isinstance(x, list)]
    if not lists:
        return
    if len(lists) != len(items):
        raise _malformed(text, "Unexpected array element.")
    if len({len(x) for x in lists}) > 1:
        raise _malformed(text, "Multidimensional arrays must have sub-arrays with matching dimensions.")
    for x in lists:
        _check_shape(text, x)


def join_array(items: Sequence[str | None], delimiter: str = ",") -> str:
    """The array literal of these element texts, quoted where needed."""
    out = []
    for item in items:
        if item is None:
            out.append("NULL")
        elif not item or item.upper() == "NULL" or delimiter in item or not _QUOTED.isdisjoint(item):
            out.append('"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"')
        else:
            out.append(item)
    return "{" + delimiter.join(out) + "}"


class ArrayType(SqlType):
    """An array over an element family; its modifier is the elements'."""

    def __init__(self, oid: int, element: SqlType, delimiter: str = ",") -> None:
        super().__init__(oid, pa.list_(element.arrow(-1)), element.duckdb(-1) + "[]")
        self.element, self.delimiter = element, delimiter
        self.storable = element.storable

    def arrow(self, typmod: int) -> pa.DataType:
        return pa.list_(self.element.arrow(typmod))

    def duckdb(self, typmod: int) -> str:
        return self.element.duckdb(typmod) + "[]"

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        read, delimiter = self.element.text_input(typmod, settings), self.delimiter

        def parse(text: str) -> list[Datum]:
            return [None if item is None else read(item) for item in split_array(text, delimiter)]

        return parse

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        show, delimiter = self.element.text_output(typmod, settings), self.delimiter

        def out(value: Datum) -> str:
            if type(value) is str:
                return value  # of several dimensions: see `split_nested`
            return join_array([None if item is None else show(item) for item in value], delimiter)

        return out

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        fit = self.element.coercion(typmod, explicit)
        if fit is None:
            return None
        return lambda items: [None if item is None else fit(item) for item in items]

    def literal(self, datum: Datum, typmod: int) -> str:
        items = ["NULL" if item is None else self.element.literal(item, typmod) for item in datum]
        return f"CAST([{', '.join(items)}] AS {self.duckdb(typmod)})"

    def typmod_in(self, args: Sequence[str]) -> int:
        return self.element.typmod_in(args)

    def format(self, typmod: int) -> str:
        return self.element.format(typmod) + "[]"

    def select_sql(self, expr: str, typmod: int) -> str:
        inner = self.element.select_sql("x", typmod)
        if inner.startswith("CAST("):
            return super().select_sql(expr, typmod)
        return f"list_transform({expr}, lambda x: {inner})"

    def store_sql(self, expr: str, typmod: int) -> str:
        inner = self.element.store_sql("x", typmod)
        return expr if inner == "x" else f"list_transform({expr}, lambda x: {inner})"

    def to_canonical(self, array: Any, typmod: int) -> Any:
        if isinstance(array, pa.ChunkedArray) and pa.types.is_string(array.type):
            return array
        if isinstance(array, pa.ChunkedArray):
            chunks = [self.to_canonical(c, typmod) for c in array.chunks]
            return pa.chunked_array(chunks, self.arrow(typmod))
        target = self.arrow(typmod)
        if array.type == target or pa.types.is_string(array.type):
            return array  # as text: of several dimensions
        values = self.element.to_canonical(array.values, typmod)
        mask = array.is_null() if array.null_count else None
        offsets = array.offsets
        return pa.ListArray.from_arrays(offsets, values, type=target, mask=mask)


class VectorType(SqlType):
    """int2vector and oidvector: numbers with blanks between, in catalogs only."""

    storable = False

    def __init__(self, oid: int, element: SqlType) -> None:
        super().__init__(oid, pa.list_(element.arrow(-1)), element.duckdb(-1) + "[]")
        self.element = element

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        read = self.element.text_input(-1, settings)
        return lambda text: [read(item) for item in text.split()]

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return lambda value: " ".join(map(str, value))

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST([{', '.join(map(str, datum))}] AS {self.duckdb(typmod)})"
