"""What it means to be a type here: five representations and the ways between them.

    text  --text_input-->   datum   --text_output-->  text        PostgreSQL's own input and output
    datum --literal-->      DuckDB SQL literal                    parameters of columnar queries
    DuckDB expression --select_sql--> canonical Arrow             results
    canonical Arrow --store_sql-->    DuckDB column               inserts

**One canonical Arrow type for each SQL type** (the table in `storage.abc`): parts, batches, results and
COPY all carry it, so that encoders meet one shape only. DuckDB's own Arrow output differs in few
places (intervals, time zones, HUGEINT); `select_sql` says what to wrap a column in at the top of a
query, and `to_canonical` mends an array that came without it.

Input and output are *closures*, resolved once for a (type, modifier, settings) and then called per
value: the hot path pays no dispatch. A family (one file of this package) implements `SqlType`; the
registry lists the instances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from planner.abc import SqlError
from planner.types.facts import BY_OID
from planner.types.settings import TypeSettings
from storage.abc import Datum

TextInput = Callable[[str], Datum]
TextOutput = Callable[[Datum], str]
Coercion = Callable[[Datum], Datum]

WHITESPACE = " \t\n\r\v\f"
"""C's isspace in the C locale: what PostgreSQL's input functions skip."""


def invalid_input(type_name: str, text: str, detail: str = "") -> SqlError:
    """22P02, as every input function words it."""
    return SqlError("22P02", f'invalid input syntax for type {type_name}: "{text}"', detail=detail)


def value_out_of_range(type_name: str, text: str) -> SqlError:
    """22003, as the integer and float input functions word it."""
    return SqlError("22003", f'value "{text}" is out of range for type {type_name}')


def quote_literal(text: str) -> str:
    """A SQL string literal; DuckDB and PostgreSQL (standard_conforming_strings) agree on it."""
    return "'" + text.replace("'", "''") + "'"


class SqlType:
    """A type's behaviour. Subclasses override what differs; the defaults are those of text."""

    storable = True
    """Whether a table may have a column of it."""
    of_fields = False
    """Whether it shows its values by the types of their fields, which may go by the session's settings."""

    def __init__(self, oid: int, arrow: pa.DataType, duckdb: str, sql_name: str = "") -> None:
        self.oid = oid
        self.name = BY_OID[oid].typname
        self.sql_name = sql_name or self.name
        """The name that messages and format_type use: integer, character varying."""
        self._arrow = arrow
        self._duckdb = duckdb

    def arrow(self, typmod: int) -> pa.DataType:
        return self._arrow

    def duckdb(self, typmod: int) -> str:
        return self._duckdb

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        raise NotImplementedError

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        raise NotImplementedError

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        """Brings a datum of this type to the modifier, as assignment or explicit cast; None: nothing to do.

        Raises 22001, 22003.
        """
        return None

    def literal(self, datum: Datum, typmod: int) -> str:
        """A DuckDB expression of type `duckdb(typmod)` with this value (never None)."""
        raise NotImplementedError

    def typmod_in(self, args: Sequence[str]) -> int:
        """The modifier of `name(args)`. Raises 42601 where the type takes none, 22023 where it is out of range."""
        raise SqlError("42601", f'type modifier is not allowed for type "{self.name}"')

    def typmod_out(self, typmod: int) -> str:
        """The parenthesised modifier, with format_type's spelling."""
        return "" if typmod < 0 else f"({typmod})"

    def format(self, typmod: int) -> str:
        return self.sql_name + self.typmod_out(typmod)

    def select_sql(self, expr: str, typmod: int) -> str:
        return f"CAST({expr} AS {self.duckdb(typmod)})"

    def store_sql(self, expr: str, typmod: int) -> str:
        return expr

    def to_canonical(self, array: Any, typmod: int) -> Any:
        """An array (or chunked array) that DuckDB gave, in the canonical Arrow type."""
        target = self.arrow(typmod)
        return array if array.type == target else array.cast(target)


def integer_args(args: Sequence[str], limit: int, of: str = "") -> list[int]:
    """Type modifiers as integers. Raises 22P02 for what is none, 22023 where they are too many, in words of the type (`of`)."""
    values = []
    for said in args:
        try:
            values.append(int(said))
        except ValueError:
            raise SqlError("22P02", f'invalid input syntax for type integer: "{said}"') from None
    if not 1 <= len(values) <= limit:
        raise SqlError("22023", f"invalid {of}type modifier")
    return values
