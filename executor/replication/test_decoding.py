"""test_decoding: each change as a line of text, as PostgreSQL's plugin of this name writes it.

BEGIN 731
table public.t: INSERT: id[integer]:1 name[text]:'one'
table public.t: UPDATE: id[integer]:1 name[text]:'uno'
table public.t: DELETE: id[integer]:1
COMMIT 731
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from executor.replication.decoding import Tables, Transaction, logged
from executor.replication.eras import DELETE, INSERT, TRUNCATE, Change
from executor.replication.plugin import Options, flag, transaction_number
from planner.abc import Column, SqlError, Table, TypeRef
from planner.binding.writes.replica_identity import identity
from planner.catalog import Catalog
from planner.catalog.names import quote_identifier
from planner.types import TypeSettings, format_type, oids, output_text
from storage.abc import Timestamp

_BARE: Final = frozenset((oids.INT2, oids.INT4, oids.INT8, oids.OID, oids.FLOAT4, oids.FLOAT8, oids.NUMERIC))
_BITS: Final = frozenset((oids.BIT, oids.VARBIT))
_KNOWN: Final = ("include-xids", "include-timestamp", "skip-empty-xacts")
_WITHOUT_EFFECT: Final = (
    "force-binary",
    "only-local",
    "include-rewrites",
    "include-sequences",
    "stream-changes",
)


class TestDecoding:
    """See the module, and `plugin.Plugin`."""

    def __init__(self, options: Options) -> None:
        """Raises 22023."""
        self._flags = {"include-xids": True, "include-timestamp": False, "skip-empty-xacts": False}
        self.binary = False
        for name, value in options.items():
            if name not in (*_KNOWN, *_WITHOUT_EFFECT):
                raise SqlError("22023", f'option "{name}" = "{value or "(null)"}" is unknown')
            on = flag(name, value)
            self._flags[name] = on
            if name == "force-binary":
                self.binary = on

    @property
    def tables(self) -> Tables:
        return logged

    def messages(self, transaction: Transaction) -> Iterator[tuple[Timestamp, bytes]]:
        ts = transaction.ts
        number = f" {transaction_number(ts)}" if self._flags["include-xids"] else ""
        begun = False
        for change in transaction.changes:
            if not begun:
                begun = True
                yield ts, f"BEGIN{number}".encode()
            if change.moved and change.kind == DELETE:
                continue
            yield ts, _line(transaction.catalog, change).encode()
        if begun:
            at = ""
            if self._flags["include-timestamp"]:
                at = f" (at {output_text(ts, TypeRef(oids.TIMESTAMPTZ))})"
            yield ts, f"COMMIT{number}{at}".encode()


def _line(catalog: Catalog, change: Change) -> str:
    table = change.table
    schema = catalog.schema_of(table.schema_oid).name
    said = f"table {quote_identifier(schema)}.{quote_identifier(table.name)}:"
    if change.kind == TRUNCATE:
        return f"{said} TRUNCATE: (no-flags)"
    if change.kind == INSERT and change.moved:
        return f"{said} UPDATE:{_cells(table, change.new)}"
    if change.kind == INSERT:
        return f"{said} INSERT:{_cells(table, change.new)}"
    full = table.replica_identity == "f"
    key = identity(catalog, table)
    if change.kind == DELETE:
        if not full and key is None:
            return f"{said} DELETE: (no-tuple-data)"
        return f"{said} DELETE:{_cells(table, change.old, None if full else key, nulls=False)}"
    before = f" old-key:{_cells(table, change.old, nulls=False)} new-tuple:" if full else ""
    return f"{said} UPDATE:{before}{_cells(table, change.new)}"


def _cells(
    table: Table, row: Sequence[Any] | None, of: frozenset[int] | None = None, *, nulls: bool = True
) -> str:
    assert row is not None
    return "".join(
        f" {quote_identifier(c.name)}[{format_type(c.type)}]:{_value(c, datum)}"
        for c, datum in zip(table.columns, row, strict=True)
        if not c.hidden and (of is None or c.attnum in of) and (nulls or datum is not None)
    )


def _value(column: Column, datum: Any) -> str:
    if datum is None:
        return "null"
    oid = column.type.oid
    if oid == oids.BOOL:
        return "true" if datum else "false"
    text = output_text(datum, column.type, TypeSettings())
    if oid in _BARE:
        return text
    quoted = "'" + text.replace("'", "''") + "'"
    return f"B{quoted}" if oid in _BITS else quoted


__all__ = ["TestDecoding"]
