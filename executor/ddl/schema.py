"""A table's columns as the Arrow schema under which its shard stores them.

A field is the same column in two schemas if its id is the same, whatever it is called: the id is the
attribute number, which is never reused. Parquet readers of any kind see the names. What rows have that are older than a
column is said there as well (`storage.rows.MISSING`).
"""

from __future__ import annotations

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
        metadata = {FIELD_ID: str(c.attnum).encode()}
        if c.missing:
            metadata[MISSING] = bytes.fromhex(c.missing)
        fields.append(pa.field(name, t.arrow_type(c.type), metadata=metadata))
    return pa.schema(fields)


def schema_bytes(table: Table) -> bytes:
    return bytes(shard_schema(table).serialize().to_pybytes())
