"""What rewritten queries call: macros and Python functions, installed once on the executor's DuckDB.

    install(connection)         everything, in order
    PRELUDE_UDFS                Python functions, each callable with a connection; vectorised over Arrow
    PRELUDE_SQL                 macros, as one script (they may call the functions above)

All names begin with `tw_`. An error that a user is to see begins with its code in brackets, `[22012] division by
zero`, with `[DETAIL]` and `[HINT]` parts after it where there are any; the executor turns it into a SqlError.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from planner.abc import SqlError
from planner.binding.prelude import jsonb_parts as prelude_jsonb_parts
from planner.binding.prelude import places as prelude_places
from planner.binding.prelude import plain_texts
from planner.binding.prelude.columns import BY_COLUMN
from planner.binding.prelude.macros import INTERVALS, MACROS
from planner.binding.prelude.python_parameters import with_parameters
from planner.binding.prelude.quotients import QUOTIENTS
from planner.binding.prelude.repeated_arguments import repeats
from planner.binding.prelude.stoppable import stoppable
from planner.types.arrow_columns import one_array

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
"""Name, function of values, DuckDB's types of its arguments, and of its result."""


class QueryError(Exception):
    """An SqlError on its way through DuckDB, as text."""


@dataclass(frozen=True, slots=True)
class Udf:
    """A Python function of Arrow arrays, NULLs included (`udf` makes it strict)."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[str, ...]
    result: str
    null_handling: str = "special"

    def __call__(self, connection: Any) -> None:
        connection.create_function(
            self.name,
            self.function,
            list(self.arguments),
            self.result,
            type="arrow",
            null_handling=self.null_handling,
        )


_ARROW: Final = {
    "VARCHAR": pa.string(), "BLOB": pa.binary(), "BIGINT": pa.int64(), "UBIGINT": pa.uint64(), "INTEGER": pa.int32(), "SMALLINT": pa.int16(),
    "DOUBLE": pa.float64(), "FLOAT": pa.float32(), "BOOLEAN": pa.bool_(), "DATE": pa.date32(), "TIME": pa.time64("us"),
    "TIMESTAMP": pa.timestamp("us"), "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", "UTC"),
    "VARCHAR[]": pa.list_(pa.string()), "VARCHAR[][]": pa.list_(pa.list_(pa.string())), "INTEGER[]": pa.list_(pa.int32()),
    "BIGINT[]": pa.list_(pa.int64()), "UBIGINT[]": pa.list_(pa.uint64()), "BLOB[]": pa.list_(pa.binary()), "FLOAT[]": pa.list_(pa.float32()), "DOUBLE[]": pa.list_(pa.float64()),
    "STRUCT(months INTEGER, days INTEGER, micros BIGINT)": pa.struct([("months", pa.int32()), ("days", pa.int32()), ("micros", pa.int64())]),
}  # fmt: skip
_PLAIN: Final = frozenset(name for name, kind in _ARROW.items() if not pa.types.is_nested(kind))
"""Types whose values Arrow tells apart (`repeated_arguments`)."""
_PARTS: Final = "STRUCT(months INTEGER, days INTEGER, micros BIGINT)"
"""An interval on its way in and out: Arrow's own counts nanoseconds, and ends after 292 years of hours."""


def _column(array: Any) -> list[Any]:
    """An Arrow column as Python values: dates and times as the integers that datums are."""
    kind = array.type
    if pa.types.is_date32(kind):
        array = array.cast(pa.int32())
    elif pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        array = array.cast(pa.int64())
    elif pa.types.is_struct(kind):
        return [None if v is None else tuple(v.values()) for v in array.to_pylist()]
    return array.to_pylist()  # type: ignore[no-any-return]


def _result(values: list[Any], result: str) -> Any:
    kind = _ARROW[result]
    if result == _PARTS:
        values = [None if v is None else {"months": v[0], "days": v[1], "micros": v[2]} for v in values]
        return pa.array(values, kind)
    if result == "DATE":
        return pa.array(values, pa.int32()).cast(kind)
    if result in ("TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"):
        return pa.array(values, pa.int64()).cast(kind)
    return pa.array(values, kind)


def raised(error: SqlError) -> QueryError:
    text = f"[{error.sqlstate}] {error.message}"
    if error.detail:
        text += f" [DETAIL] {error.detail}"
    if error.hint:
        text += f" [HINT] {error.hint}"
    if error.context:
        text += f" [CONTEXT] {error.context}"
    return QueryError(text)


def _by_parts(name: str) -> str:
    """What a function of intervals is called that takes them apart: the name itself is its macro's."""
    return f"{name}_by_parts"


def _macros(entries: Sequence[Entry]) -> Iterator[str]:
    for name, _, arguments, result in entries:
        if "INTERVAL" not in (*arguments, result):
            continue
        names = [f"x{i}" for i in range(len(arguments))]
        given = [f"tw_parts({x})" if a == "INTERVAL" else x for x, a in zip(names, arguments, strict=True)]
        call = f"{_by_parts(name)}({', '.join(given)})"
        made = f"tw_of_parts({call})" if result == "INTERVAL" else call
        yield f"CREATE OR REPLACE MACRO {name}({', '.join(names)}) AS {made}"


_ONE_AT_A_TIME: Final = threading.Lock()
"""Held while a function of columns works. It calls Arrow some twenty times, which lets go of the interpreter each time: two of DuckDB's threads that
did so side by side would wait for each other, and for the system to wake them, at each of these (half a second instead of a twentieth)."""


def _heard(function: Callable[..., Any], arguments: int) -> Callable[..., Any]:
    """A function of columns whose SqlErrors leave as QueryErrors."""

    def run(*columns: Any) -> Any:
        try:
            with _ONE_AT_A_TIME:
                return function(*columns)
        except SqlError as e:
            raise raised(e) from None

    return with_parameters(stoppable(run), arguments)


def udf(name: str, function: Callable[..., Any], arguments: Sequence[str], result: str) -> Udf:
    """A strict scalar function as a vectorised one. SqlErrors leave as QueryErrors."""
    if name in BY_COLUMN:
        return Udf(name, _heard(BY_COLUMN[name], len(arguments)), tuple(arguments), result)
    if "INTERVAL" in (*arguments, result):
        name = _by_parts(name)
        arguments = [_PARTS if a == "INTERVAL" else a for a in arguments]
        result = _PARTS if result == "INTERVAL" else result

    def run(columns: list[list[Any]]) -> Any:
        out = []
        try:
            if len(columns) == 1:
                out = [None if v is None else function(v) for v in columns[0]]
            else:
                for row in zip(*columns, strict=True):
                    out.append(None if None in row else function(*row))
        except SqlError as e:
            raise raised(e) from None
        return _result(out, result)

    def once_each(*columns: Any) -> Any:
        """As `run`: of rows that are alike only one is computed."""
        arrays = list(map(one_array, columns))
        found = repeats(arrays)
        if found is None:
            return run(list(map(_column, arrays)))
        rows, places = found
        return run([_column(a.take(rows)) for a in arrays]).take(places)

    def each(*columns: Any) -> Any:
        return run(list(map(_column, columns)))

    computed = once_each if _PLAIN.issuperset(arguments) else each
    return Udf(name, with_parameters(stoppable(computed), len(arguments)), tuple(arguments), result)


def _entries() -> tuple[Entry, ...]:
    from planner.binding.prelude import arrays as prelude_arrays
    from planner.binding.prelude import bits as prelude_bits
    from planner.binding.prelude import collated_texts
    from planner.binding.prelude import dates as prelude_dates
    from planner.binding.prelude import degrees as prelude_degrees
    from planner.binding.prelude import encodings as prelude_encodings
    from planner.binding.prelude import extensions as prelude_extensions
    from planner.binding.prelude import float_folds as prelude_float_folds
    from planner.binding.prelude import format as prelude_format
    from planner.binding.prelude import geometry as prelude_geometry
    from planner.binding.prelude import instants as prelude_instants
    from planner.binding.prelude import internals as prelude_internals
    from planner.binding.prelude import json as prelude_json
    from planner.binding.prelude import jsonpath as prelude_jsonpath
    from planner.binding.prelude import languages as prelude_languages
    from planner.binding.prelude import log_places as prelude_log_places
    from planner.binding.prelude import macaddrs as prelude_macaddrs
    from planner.binding.prelude import money as prelude_money
    from planner.binding.prelude import networks as prelude_networks
    from planner.binding.prelude import numbers as prelude_numbers
    from planner.binding.prelude import patterns as prelude_patterns
    from planner.binding.prelude import ranges as prelude_ranges
    from planner.binding.prelude import records as prelude_records
    from planner.binding.prelude import text as prelude_text
    from planner.binding.prelude import textsearch as prelude_textsearch
    from planner.binding.prelude import xml as prelude_xml

    out: list[Entry] = []
    for family in (
        prelude_numbers,
        prelude_text,
        prelude_dates,
        prelude_encodings,
        prelude_format,
        prelude_geometry,
        prelude_instants,
        prelude_internals,
        prelude_json,
        prelude_jsonpath,
        prelude_languages,
        collated_texts,
        prelude_log_places,
        prelude_macaddrs,
        prelude_money,
        prelude_networks,
        prelude_patterns,
        prelude_places,
        prelude_arrays,
        prelude_ranges,
        prelude_records,
        prelude_bits,
        prelude_extensions,
        prelude_degrees,
        prelude_float_folds,
        prelude_textsearch,
        prelude_xml,
    ):
        out += family.FUNCTIONS
    assert len({name for name, *_ in out}) == len(out), "two functions of one name"
    return tuple(out)


_ENTRIES: Final = _entries()
PRELUDE_UDFS: Final = tuple(udf(*entry) for entry in _ENTRIES)
PRELUDE_STATEMENTS: Final = (
    *INTERVALS, *_macros(_ENTRIES), *MACROS, *QUOTIENTS, *plain_texts.MACROS, *prelude_places.MACROS, *prelude_jsonb_parts.MACROS,
)  # fmt: skip
PRELUDE_SQL: Final = ";\n".join(PRELUDE_STATEMENTS) + ";"


def install(connection: Any) -> None:
    """Makes a DuckDB connection's database ready for bound queries. Idempotent for macros only."""
    from planner.binding.functions import catalog

    connection.execute("BEGIN")  # five hundred functions in a transaction each would take half as long again
    for made in PRELUDE_UDFS:
        made(connection)
    catalog.install(connection, raised)
    connection.execute(PRELUDE_SQL)
    connection.execute("COMMIT")
