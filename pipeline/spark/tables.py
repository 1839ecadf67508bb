"""A table's columns for Spark: its types, and the exact Arrow schema in which Spark wants them.

    bool int2 int4 int8 float4 float8      boolean short int long float double
    numeric(p,s), p <= 38                  decimal(p,s)
    text kinds, uuid, json, enums, inet,
    numeric without precision, time,
    arrays                                 string        as PostgreSQL's text; Spark's arrays may be written
    bytea, date                            binary, date
    timestamp                              timestamp_ntz
    timestamptz                            timestamp     an instant
    interval                               struct<months: int, days: int, micros: long>

`infinity` dates and timestamps are the extreme values of their types.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T

from pipeline.spark.server import TidewireError

_DAY_US = 86_400_000_000
FIELD_ID = "parquet.field.id"
_NUMBERED = {3220: "pg_lsn", 3221: "pg_lsn", 790: "money", 791: "money", 27: "tid", 1010: "tid", 5069: "xid8"}
"""pg_lsn, money, tid and arrays of them, whose stored numbers are not what their texts say; and xid8: Spark has no number as wide."""


@dataclass(frozen=True)
class Column:
    name: str
    attnum: int
    oid: int
    typmod: int
    type: str
    not_null: bool
    generated: bool
    arrow: pa.DataType
    """The type in which parts keep it."""


@dataclass(frozen=True)
class TableShape:
    """What the server says of a table (`tidewire_describe`, `tidewire_open_snapshot`)."""

    schema: str
    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    stored: pa.Schema

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> TableShape:
        numbered = [c for c in found["columns"] if c["oid"] in _NUMBERED]
        if numbered:
            name, kind = numbered[0]["name"], _NUMBERED[numbered[0]["oid"]]
            raise TidewireError(f'column "{name}" of type {kind} is not supported by Spark', "0A000")
        stored = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(found["arrow"])))
        columns = tuple(
            Column(
                c["name"],
                c["attnum"],
                c["oid"],
                c["typmod"],
                c["type"],
                c["not_null"],
                c["generated"],
                stored.field(i).type,
            )
            for i, c in enumerate(found["columns"])
        )
        return cls(found["schema"], found["name"], columns, tuple(found["key"]), stored)

    @property
    def qualified(self) -> str:
        from planner.catalog import quote_qualified

        return quote_qualified(self.schema, self.name)

    def spark_schema(self) -> T.StructType:
        """The columns as Spark sees them."""
        return T.StructType([T.StructField(c.name, spark_type(c.arrow)) for c in self.columns])


def spark_type(arrow: pa.DataType) -> T.DataType:
    """The Spark type of a stored column."""
    k = pa.types
    simple: list[tuple[Any, T.DataType]] = [
        (k.is_boolean, T.BooleanType()),
        (k.is_int16, T.ShortType()),
        (k.is_int32, T.IntegerType()),
        (k.is_int64, T.LongType()),
        (k.is_float32, T.FloatType()),
        (k.is_float64, T.DoubleType()),
        (k.is_string, T.StringType()),
        (k.is_binary, T.BinaryType()),
        (k.is_date32, T.DateType()),
        (k.is_time64, T.StringType()),
    ]
    for fits, made in simple:
        if fits(arrow):
            return made
    if k.is_decimal(arrow):
        return T.DecimalType(arrow.precision, arrow.scale)
    if k.is_timestamp(arrow):
        return T.TimestampNTZType() if arrow.tz is None else T.TimestampType()
    if k.is_struct(arrow):
        return T.StructType(
            [
                T.StructField(arrow.field(i).name, spark_type(arrow.field(i).type))
                for i in range(arrow.num_fields)
            ]
        )
    raise TidewireError(f"Spark has no type for columns stored as {arrow}")


def spark_arrow_schema(schema: T.StructType) -> pa.Schema:
    """The schema that record batches for Spark must have, to the letter."""
    from pyspark.sql.pandas.types import to_arrow_schema

    made: pa.Schema = to_arrow_schema(schema, timezone="UTC")
    return made


def for_spark(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Columns in order, in exactly Spark's types."""
    arrays = []
    for column, field in zip(table.columns, schema, strict=True):
        if pa.types.is_time(column.type):
            column = _time_texts(column)
        arrays.append(
            column if column.type.equals(field.type, check_metadata=True) else column.cast(field.type)
        )
    return pa.Table.from_arrays(arrays, schema=schema)


def _time_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times of day as PostgreSQL writes them: no zeros at the end of a fraction, and midnight may come at the end of a day."""
    import pyarrow.compute as pc

    end = pc.equal(column.cast(pa.int64()), _DAY_US)
    text = pc.cast(pc.if_else(end, pa.scalar(0, column.type), column), pa.string())
    text = pc.if_else(end, "24:00:00", text)
    return pc.replace_substring_regex(pc.replace_substring_regex(text, r"(\.\d*?)0+$", r"\1"), r"\.$", "")


def mismatches(shape: TableShape, schema: T.StructType, *, partial: bool) -> list[str]:
    """Why rows of a Spark schema are no rows of the table, a line for each column. `partial`: some may be left out."""
    known = {c.name: c for c in shape.columns}
    lines = []
    for field in schema:
        column = known.pop(field.name, None)
        if column is None:
            lines.append(f'column "{field.name}" does not exist in table "{shape.name}"')
        elif not assignable(field.dataType, column):
            lines.append(
                f'column "{field.name}" is of type {column.type}, the data are {field.dataType.simpleString()}'
            )
    if not partial:
        left = [name for name, column in known.items() if not column.generated]
        lines += [f'column "{name}" of table "{shape.name}" is missing in the data' for name in left]
    twice = {n for n in schema.names if schema.names.count(n) > 1}
    return lines + [f'column "{name}" comes more than once in the data' for name in sorted(twice)]


_INTEGERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_FLOATS = (T.FloatType, T.DoubleType)


def assignable(given: T.DataType, column: Column) -> bool:
    """Whether values of a Spark type may go to the column: never with loss, or the server says which value is wrong."""
    wanted = spark_type(column.arrow)
    if given == wanted or isinstance(given, T.NullType):
        return True
    if isinstance(wanted, _INTEGERS):
        return isinstance(given, _INTEGERS)
    if isinstance(wanted, _FLOATS):
        return isinstance(given, (*_FLOATS, *_INTEGERS))
    if isinstance(wanted, T.DecimalType):
        return isinstance(given, (T.DecimalType, *_INTEGERS))
    if isinstance(wanted, T.StringType):
        numeric = column.type == "numeric"
        if isinstance(given, T.ArrayType):
            return column.type.endswith("[]")
        return isinstance(given, (T.StringType, T.CharType, T.VarcharType)) or (
            numeric and isinstance(given, (T.DecimalType, *_INTEGERS))
        )
    if isinstance(wanted, T.StructType):
        return isinstance(given, T.StringType) or (
            isinstance(given, T.StructType) and [f.dataType for f in given] == [f.dataType for f in wanted]
        )
    return False


def refuse_mismatches(shape: TableShape, schema: T.StructType, *, partial: bool) -> None:
    """Raises TidewireError that names each column."""
    lines: Sequence[str] = mismatches(shape, schema, partial=partial)
    if lines:
        raise TidewireError(f"the data do not fit table {shape.qualified}:\n  " + "\n  ".join(lines))


def refuse_unlike(shape: TableShape, schema: T.StructType) -> None:
    """Of a schema that the reader brings. Raises TidewireError that names each column that the table has not, or has otherwise."""
    known = {c.name: c for c in shape.columns}
    lines = []
    for field in schema:
        column = known.get(field.name)
        if column is None:
            lines.append(f'column "{field.name}" does not exist in table "{shape.name}"')
        elif spark_type(column.arrow) != field.dataType:
            there = spark_type(column.arrow).simpleString()
            lines.append(f'column "{field.name}" is {there} in Spark, not {field.dataType.simpleString()}')
    if lines:
        raise TidewireError(f"the schema is not that of table {shape.qualified}:\n  " + "\n  ".join(lines))
