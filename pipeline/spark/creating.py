"""Tables made from a frame's schema, for writers who ask for it.

    write(frame, "orders", url=..., create=Creation(primary_key=("id",)))
    frame.write.format("tidewire").option("create", "true").option("primaryKey", "id")...

    boolean byte short int long float double     boolean smallint smallint integer bigint real double precision
    decimal(p,s)                                 numeric(p,s)
    string, char(n), varchar(n)                  text, char(n), varchar(n)
    binary date                                  bytea date
    timestamp_ntz timestamp                      timestamp, timestamp with time zone
    struct<months, days, micros>                 interval
    array of these                               array; arrays of arrays have no type here
    not nullable                                 NOT NULL

A table that is there already stays as it is. One that is not is made **in the transaction that writes the rows**: a
job that fails leaves no empty table behind. Executors have to know the columns before that, so the server is asked what
the table would be: it is created, described, and rolled back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import types as T

from pipeline.spark.options import flag, names_of
from pipeline.spark.server import TidewireError, connected, qualified

UNDEFINED_TABLE = "42P01"
_SIMPLE: Mapping[type[T.DataType], str] = {
    T.BooleanType: "boolean",
    T.ByteType: "smallint",
    T.ShortType: "smallint",
    T.IntegerType: "integer",
    T.LongType: "bigint",
    T.FloatType: "real",
    T.DoubleType: "double precision",
    T.StringType: "text",
    T.BinaryType: "bytea",
    T.DateType: "date",
    T.TimestampNTZType: "timestamp",
    T.TimestampType: "timestamp with time zone",
}
_INTERVAL = T.StructType(
    [
        T.StructField("months", T.IntegerType()),
        T.StructField("days", T.IntegerType()),
        T.StructField("micros", T.LongType()),
    ]
)


@dataclass(frozen=True)
class Creation:
    """That a table may be made, and with which primary key."""

    primary_key: Sequence[str] = ()


def creation_of(options: Mapping[str, str]) -> Creation | None:
    """From the options `create` and `primaryKey` (columns, separated by commas). Raises TidewireError."""
    key = tuple(names_of(options, "primaryKey"))
    if flag(options, "create"):
        return Creation(key)
    if key:
        raise TidewireError('option "primaryKey" goes with option "create"')
    return None


def create_statement(table: str, schema: T.StructType, creation: Creation) -> str:
    """CREATE TABLE IF NOT EXISTS for rows of a schema. Raises TidewireError that names each column without a type."""
    from planner.catalog import quote_identifier

    cells, wrong = [], []
    for field in schema:
        kind = _type_name(field.dataType)
        if kind is None:
            wrong.append(f'column "{field.name}" is of type {field.dataType.simpleString()}')
        cells.append(f"{quote_identifier(field.name)} {kind}{'' if field.nullable else ' NOT NULL'}")
    if wrong:
        raise TidewireError(
            f"table {qualified(table)} cannot be created, no type fits:\n  " + "\n  ".join(wrong)
        )
    if creation.primary_key:
        cells.append(f"PRIMARY KEY ({', '.join(map(quote_identifier, creation.primary_key))})")
    return f"CREATE TABLE IF NOT EXISTS {qualified(table)} ({', '.join(cells)})"


def _type_name(kind: T.DataType) -> str | None:
    if isinstance(kind, T.DecimalType):
        return f"numeric({kind.precision},{kind.scale})"
    if isinstance(kind, T.CharType | T.VarcharType):
        return f"{'char' if isinstance(kind, T.CharType) else 'varchar'}({kind.length})"
    if isinstance(kind, T.ArrayType):
        element = _type_name(kind.elementType)
        return None if element is None or isinstance(kind.elementType, T.ArrayType) else f"{element}[]"
    if isinstance(kind, T.StructType):
        same = [(f.name, f.dataType) for f in kind] == [(f.name, f.dataType) for f in _INTERVAL]
        return "interval" if same else None
    return _SIMPLE.get(type(kind))


def description_of_new(url: str, table: str, statement: str) -> dict[str, Any]:
    """What `tidewire_describe` would say of the table if it were there; nothing stays. Raises TidewireError."""
    with connected(url) as connection, connection.transaction(force_rollback=True):
        connection.execute(statement.encode())
        row = connection.execute("SELECT tidewire_describe(%s)", [table]).fetchone()
        assert row is not None
        found: dict[str, Any] = json.loads(row[0])
        return found
