"""Arrays over any element type that has a family, and the vectors of the catalog.

A datum is the array's text as PostgreSQL shows it under default settings (`array_values` says why): the elements'
texts, quoted where needed, with commas between (those of boxes too, which are shown with semicolons). It is the same for equal arrays wherever it is so for the elements. What shows arrays
under other settings (DateStyle, TimeZone, bytea_output) shows the elements again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.array_values import ArrayValue, parse, vector, write
from planner.types.base import Coercion, SqlType, TextInput, TextOutput, quote_literal
from planner.types.geometry import GEOMETRIC
from planner.types.settings import DEFAULT_SETTINGS, TypeSettings
from storage.abc import Datum

_SHOWN_BY_SETTINGS = frozenset(
    (
        oids.DATE,
        oids.TIMESTAMP,
        oids.TIMESTAMPTZ,
        oids.INTERVAL,
        oids.FLOAT4,
        oids.FLOAT8,
        oids.BYTEA,
        oids.REGPROC,
        oids.REGPROCEDURE,
        oids.REGOPER,
        oids.REGOPERATOR,
        oids.REGCLASS,
        oids.REGTYPE,
        oids.REGNAMESPACE,
        oids.REGROLE,
        oids.REGCOLLATION,
        oids.REGCONFIG,
        oids.REGDICTIONARY,
        *GEOMETRIC,
    )
)
"""Types whose text depends on what the session has set."""


class ArrayType(SqlType):
    """An array over an element family; its modifier is the elements'."""

    def __init__(self, oid: int, element: SqlType, delimiter: str = ",") -> None:
        super().__init__(oid, pa.string(), "VARCHAR")
        self.element, self.delimiter = element, delimiter
        self.storable = element.storable

    def list_type(self, typmod: int) -> str:
        """DuckDB's type of its elements as a list."""
        return self.element.duckdb(typmod) + "[]"

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        read, delimiter = self.element.text_input(typmod, settings), self.delimiter
        show = self.element.text_output(typmod, DEFAULT_SETTINGS)

        def canonical(text: str) -> str:
            value = parse(text, delimiter)
            items = [None if item is None else show(read(item)) for item in value.items]
            return write(ArrayValue(value.dims, value.lows, items))

        return canonical

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        if settings == DEFAULT_SETTINGS and self.delimiter == ",":
            return str
        show = self.element.text_output(typmod, settings)
        if self.element.oid not in _SHOWN_BY_SETTINGS and not (self.element.of_fields and show is not str):
            return str
        return self._again(self.element.text_input(-1, DEFAULT_SETTINGS), show, self.delimiter)

    def _again(self, read: TextInput, show: TextOutput, delimiter: str = ",") -> TextOutput:

        def out(text: Datum) -> str:
            value = parse(text)
            items = [None if item is None else show(read(item)) for item in value.items]
            return write(ArrayValue(value.dims, value.lows, items), delimiter)

        return out

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        fit = self.element.coercion(typmod, explicit)
        if fit is None:
            return None
        read, show = (
            self.element.text_input(-1, DEFAULT_SETTINGS),
            self.element.text_output(-1, DEFAULT_SETTINGS),
        )
        fitted = fit
        return self._again(lambda item: fitted(read(item)), show)

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({quote_literal(datum)} AS VARCHAR)"

    def items(self, datum: Datum) -> list[Datum]:
        """The elements as datums, row by row."""
        read = self.element.text_input(-1, DEFAULT_SETTINGS)
        return [None if item is None else read(item) for item in parse(datum).items]

    def slices(self, datum: Datum, dimensions: int) -> list[Datum]:
        """The arrays of so many dimensions that it is made of. Raises 2202E for more than it has."""
        value = parse(datum)
        count = len(value.dims)
        if not 0 <= dimensions <= count:
            raise SqlError("2202E", f"slice dimension ({dimensions}) is out of the valid range 0..{count}")
        dims, lows = value.dims[count - dimensions :], value.lows[count - dimensions :]
        size = math.prod(dims)
        return [
            write(ArrayValue(dims, lows, value.items[i : i + size])) for i in range(0, len(value.items), size)
        ]

    def of_items(self, items: Sequence[Datum]) -> str:
        """The array of one dimension with these elements."""
        show = self.element.text_output(-1, DEFAULT_SETTINGS)
        return write(vector([None if item is None else show(item) for item in items]))

    def typmod_in(self, args: Sequence[str]) -> int:
        return self.element.typmod_in(args)

    def format(self, typmod: int) -> str:
        return self.element.format(typmod) + "[]"


class VectorType(SqlType):
    """int2vector and oidvector: numbers with blanks between, in catalogs only."""

    storable = False

    def __init__(self, oid: int, element: SqlType) -> None:
        super().__init__(oid, pa.list_(element.arrow(-1)), element.duckdb(-1) + "[]")
        self.element = element

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        read = self.element.text_input(-1, settings)
        return lambda text: tuple(read(item) for item in text.split())  # hashable, as constants are

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return lambda value: " ".join(map(str, value))

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST([{', '.join(map(str, datum))}] AS {self.duckdb(typmod)})"


def split_array(text: str, delimiter: str = ",") -> list[Any]:
    """The element texts of an array literal, row by row."""
    return list(parse(text, delimiter).items)


def join_array(items: Sequence[str | None], delimiter: str = ",") -> str:
    """The array literal of these element texts, quoted where needed."""
    return write(vector(items), delimiter)
