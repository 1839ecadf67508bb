"""In the worker: a request becomes views over parts, a Spark query, and blocks of Arrow.

    inserted files + inserted rows, those at or before the timestamp
        left anti join deleted files + deleted rows on _rid          = the table as of the timestamp, a temporary view

The result's rows become Arrow where they are computed (`to_blocks`) and arrive here partition by partition, in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.spark.blobs import PARQUET_READER
from pipeline.spark.selects.frames import table_bytes, table_of
from planner.binding.prelude.installation import Udf
from planner.binding.spark.emitter import python_functions
from planner.types.letter_case import uppered

CONF: Final = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.codegen.wholeStage": "true",
    "spark.task.maxFailures": "4",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
}
"""What the emitted SQL relies on."""

_DUCK: Final = {
    "VARCHAR": "string", "BIGINT": "bigint", "INTEGER": "int", "SMALLINT": "smallint", "DOUBLE": "double", "FLOAT": "float",
    "BOOLEAN": "boolean", "DATE": "date", "TIMESTAMP": "timestamp_ntz", "BLOB": "binary",
}  # fmt: skip
_ARROW: Final = {
    "bool": "boolean", "int16": "smallint", "int32": "int", "int64": "bigint", "float": "float", "double": "double",
    "string": "string", "binary": "binary", "date32[day]": "date", "timestamp[us]": "timestamp_ntz",
    "timestamp[us, tz=UTC]": "timestamp",
}  # fmt: skip
_DECIMAL = re.compile(r"decimal128\((\d+), ?(\d+)\)")


def spark_type(arrow: str) -> str:
    """The Spark type of an Arrow type's name."""
    match = _DECIMAL.fullmatch(arrow)
    return f"decimal({match[1]},{match[2]})" if match else _ARROW[arrow]


# --- the functions of the planner's prelude --------------------------------------------------------------


class PythonCall:
    """One of them as an Arrow function; pickled by its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *columns: pa.Array) -> pa.Array:
        if self.name == "tw_lower":
            return pc.utf8_lower(columns[0])
        if self.name == "tw_upper":
            return _upper(columns[0])
        return python_functions()[self.name].function(*columns)


def _upper(column: pa.Array) -> pa.Array:
    """Arrow makes a capital of one letter that has none in PostgreSQL's C library (`tw_upper` in `prelude.macros`)."""
    found, own = pc.utf8_upper(column), pc.fill_null(pc.match_substring(column, "ß"), False)
    if not pc.any(own).as_py():
        return found
    return pc.replace_with_mask(
        found, own, pa.array(map(uppered, column.filter(own).to_pylist()), found.type)
    )


def register_functions(spark: Any, names: Sequence[str]) -> None:
    """Makes them callable in SQL under their names."""
    from pyspark.sql.functions import arrow_udf

    known = python_functions()
    for name in names:
        udf = known.get(name)
        result = _DUCK[udf.result] if udf is not None else "string"
        spark.udf.register(name, arrow_udf(_typed(name, udf), result))


def _typed(name: str, udf: Udf | None) -> Any:
    """A function of as many columns: PySpark reads the kind of a function off its annotations."""
    call = PythonCall(name)
    count = len(udf.arguments) if udf is not None else 1
    if count == 1:

        def one(a: pa.Array) -> pa.Array:
            return call(a)

        return _annotated(one)
    if count == 2:

        def two(a: pa.Array, b: pa.Array) -> pa.Array:
            return call(a, b)

        return _annotated(two)
    if count == 3:

        def three(a: pa.Array, b: pa.Array, c: pa.Array) -> pa.Array:
            return call(a, b, c)

        return _annotated(three)

    def several(*columns: pa.Array) -> pa.Array:
        return call(*columns)

    return _annotated(several)


def _annotated(function: Any) -> Any:
    function.__annotations__ = dict.fromkeys(function.__annotations__, pa.Array)
    return function


# --- relations --------------------------------------------------------------------------------------------


def make_view(spark: Any, said: dict[str, Any], rows: Sequence[bytes]) -> None:
    """The table as of its timestamp, as a temporary view of its name."""
    from pyspark.sql import functions as f

    as_of = said["as_of"]
    pieces = []
    for paths, has_ts, columns in said["inserted"]:
        frame = spark.read.options(**PARQUET_READER).parquet(*paths)
        if has_ts:
            frame = frame.where(f.col("_ts") <= f.lit(as_of))
        cells = [
            (f.col(_quoted(source)) if source is not None else f.lit(missing))
            .cast(spark_type(kind))
            .alias(name)
            for name, source, kind, missing in columns
        ]
        pieces.append(frame.select("_rid", *cells))
    if said["inserted_rows"] is not None:
        pieces.append(rows_frame(spark, table_of(rows[said["inserted_rows"]])))
    whole = pieces[0]
    for piece in pieces[1:]:
        whole = whole.unionAll(piece)
    gone = [_deleted(spark, paths, has_ts, as_of) for paths, has_ts in said["deleted"]]
    if said["deleted_rows"] is not None:
        gone.append(rows_frame(spark, table_of(rows[said["deleted_rows"]])))
    if gone:
        dead = gone[0]
        for piece in gone[1:]:
            dead = dead.unionAll(piece)
        whole = whole.join(dead, "_rid", "left_anti")
    whole.drop("_rid").createOrReplaceTempView(said["name"])


def _deleted(spark: Any, paths: Sequence[str], has_ts: bool, as_of: int) -> Any:
    from pyspark.sql import functions as f

    frame = spark.read.options(**PARQUET_READER).parquet(*paths)
    return (frame.where(f.col("_ts") <= f.lit(as_of)) if has_ts else frame).select("_rid")


def rows_frame(spark: Any, table: pa.Table) -> Any:
    """Rows that came with the request."""
    schema = ", ".join(f"{_quoted(x.name)} {spark_type(str(x.type))}" for x in table.schema)
    return spark.createDataFrame(table, schema=schema)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


# --- answers ----------------------------------------------------------------------------------------------


def to_blocks(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On executors: each batch as one row that holds its bytes."""
    for batch in batches:
        if batch.num_rows:
            data = table_bytes(pa.Table.from_batches([batch]))
            yield pa.RecordBatch.from_arrays([pa.array([data], pa.binary())], names=["block"])


def blocks(frame: Any) -> Iterator[bytes]:
    """The result as Arrow IPC streams, in order, a partition in memory at a time."""
    for row in frame.mapInArrow(to_blocks, "block binary").toLocalIterator():
        yield bytes(row.block)


# --- errors -----------------------------------------------------------------------------------------------

_OWN = re.compile(r"\[([0-9A-Z]{5})\] ([^\n]*?)(?: SQLSTATE: \w+)?(?:\n|$)")
_SPARK = re.compile(r"\[([A-Z][A-Z_0-9]+(?:\.[A-Z_0-9]+)*)\] ([^\n]*)")
_TARGET = re.compile(r'to "(\w+)"')
_INTEGERS = {"SMALLINT": "smallint", "INT": "integer", "BIGINT": "bigint"}


def sql_error(text: str) -> tuple[str, str]:
    """SQLSTATE and message, in PostgreSQL's words, of what Spark said while a query ran."""
    own = _OWN.search(text)
    if own is not None:
        return own[1], own[2].strip()
    found = _SPARK.search(text)
    kind, message = (found[1], found[2]) if found is not None else ("", text.strip().split("\n")[0])
    if kind in ("DIVIDE_BY_ZERO", "REMAINDER_BY_ZERO"):
        return "22012", "division by zero"
    if kind == "CAST_OVERFLOW":
        target = _TARGET.search(message)
        return "22003", f"{_INTEGERS.get(target[1], 'value') if target else 'value'} out of range"
    if kind in ("ARITHMETIC_OVERFLOW", "BINARY_ARITHMETIC_OVERFLOW"):
        if "long" in message or re.search(r"\dL\b", message):
            return "22003", "bigint out of range"
        small = "short" in message or re.search(r"\dS\b", message)
        return "22003", "smallint out of range" if small else "integer out of range"
    if kind.startswith("NUMERIC_VALUE_OUT_OF_RANGE"):
        return "22003", "numeric field overflow"
    if kind == "SCALAR_SUBQUERY_TOO_MANY_ROWS":
        return "21000", "more than one row returned by a subquery used as an expression"
    if "OutOfMemoryError" in text:
        return "53200", "out of memory"
    return "XX000", message[:1_000]
