"""A table's columns as the Arrow schema under which its shard stores them.

A field is the same column in two schemas if its id is the same, whatever it is called: the id is the
attribute number, which is never reused. Parquet readers of any kind see the names. What rows have that are older than a
column is said there as well (`storage.rows.MISSING`).
"""

from __future__ import annotations

import functools

import pyarrow as pa

from planner import types as t
from planner.abc import Table
from storage.rows import FIELD_ID, MISSING


def shard_schema(table: Table) -> pa.Schema:
    """The schema to register for a table; every field nullable, since constraints are not storage's."""
    names: set[str] = set()
    fields = []
    for c in table.columns:
        name = c.name if c.name not in ("_rid", "_ts") and c.name not in names else f"{c.name}_{c.attnum}"
        names.add(name)
        fields.append(_field(name, c.attnum, t.arrow_type(c.type), c.missing))
    return pa.schema(fields)


@functools.lru_cache(maxsize=2_048)
def _field(name: str, attnum: int, type_: pa.DataType, missing: str) -> pa.Field:
    """Tables share most of them with what they were before."""
    metadata = {FIELD_ID: str(attnum).encode()}
    if missing:
        metadata[MISSING] = bytes.fromhex(missing)
    return pa.field(name, type_, metadata=metadata)


def schema_bytes(table: Table) -> bytes:
    found: bytes = shard_schema(table).serialize().to_pybytes()
    return found
