"""How much: sizes of relations and databases, and sizes as people write them.

    main fork    a table's rows, an index's keys      the other forks (free space, visibility) have nothing here
    table        its rows                             TOAST is not apart: values of any length lie in their columns
    total        table and indexes

Who knows the bytes is the context's `sizes`.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from planner.abc import Oid, SqlError, Table
from planner.catalog.objects import Database, Index
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.types.oids import INT8, NAME, NUMERIC, OID, REGCLASS, TEXT

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
_SIZE = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*\Z", re.DOTALL)
_FORKS = ("main", "fsm", "vm", "init")
TABLESPACES = {"pg_default": 1663, "pg_global": 1664}
_SYSTEM_OIDS = 16384


@system("pg_relation_size", (REGCLASS, TEXT), INT8, optional=1)
def _relation_size(context: SystemContext, oid: Oid | None, fork: str | None = "main") -> int | None:
    if oid is None or fork is None:
        return None
    if fork not in _FORKS:
        raise SqlError(
            "22023",
            "invalid fork name",
            hint='Valid fork names are "main", "fsm", "vm", and "init".',
        )
    own = _own_bytes(context, oid)
    return own if own is None or fork == "main" else 0


@system("pg_table_size", (REGCLASS,), INT8)
def _table_size(context: SystemContext, oid: Oid | None) -> int | None:
    return _own_bytes(context, oid)


@system("pg_indexes_size", (REGCLASS,), INT8)
def _indexes_size(context: SystemContext, oid: Oid | None) -> int | None:
    own = _own_bytes(context, oid)
    if own is None or oid is None:
        return None
    thing = context.catalog.get(oid)
    if context.sizes is None or not isinstance(thing, Table):
        return 0
    return sum(context.sizes.index_bytes(thing, i) for i in context.catalog.indexes_of(oid))


@system("pg_total_relation_size", (REGCLASS,), INT8)
def _total_size(context: SystemContext, oid: Oid | None) -> int | None:
    own, indexes = _own_bytes(context, oid), _indexes_size(context, oid)
    return None if own is None or indexes is None else own + indexes


@system("pg_database_size", (OID,), INT8)
def _database_oid_size(context: SystemContext, oid: Oid | None) -> int | None:
    database = context.catalog.get(oid) if oid is not None else None
    return _database_bytes(context, database) if isinstance(database, Database) else None


@system("pg_database_size", (NAME,), INT8)
def _database_size(context: SystemContext, name: str | None) -> int | None:
    if name is None:
        return None
    database = context.catalog.database(name)
    if database is None:
        raise SqlError("3D000", f'database "{name}" does not exist')
    return _database_bytes(context, database)


@system("pg_tablespace_size", (OID,), INT8)
def _tablespace_oid_size(context: SystemContext, oid: Oid | None) -> int | None:
    return None if oid is None or oid not in TABLESPACES.values() else _tablespace_bytes(context, oid)


@system("pg_tablespace_size", (NAME,), INT8)
def _tablespace_size(context: SystemContext, name: str | None) -> int | None:
    if name is None:
        return None
    if name not in TABLESPACES:
        raise SqlError("42704", f'tablespace "{name}" does not exist')
    return _tablespace_bytes(context, TABLESPACES[name])


def _tablespace_bytes(context: SystemContext, oid: Oid) -> int:
    """Everything is in the default one."""
    default = oid == TABLESPACES["pg_default"]
    return context.sizes.everything_bytes(context.catalog) if context.sizes is not None and default else 0


def _own_bytes(context: SystemContext, oid: Oid | None) -> int | None:
    """Of a relation without what belongs to it; zero for what holds no rows, NULL for what is not there."""
    if oid is None:
        return None
    catalog, sizes = context.catalog, context.sizes
    thing = catalog.get(oid)
    if sizes is not None and isinstance(thing, Table):
        return sizes.table_bytes(thing)
    if sizes is not None and isinstance(thing, Index):
        return sizes.index_bytes(catalog.table(thing.table_oid), thing)
    return 0 if thing is not None or oid < _SYSTEM_OIDS else None


def _database_bytes(context: SystemContext, database: Database) -> int:
    if context.sizes is None:
        return 0
    return context.sizes.database_bytes(context.catalog.for_database(database.name))


@system("pg_size_pretty", (INT8,), TEXT)
@system("pg_size_pretty", (NUMERIC,), TEXT)
def _size_pretty(context: SystemContext, size: int | str | None) -> str | None:
    """Divided, rounding half away from zero, until it is below 10,240 of a unit."""
    if size is None:
        return None
    exact = Decimal(size)
    if not exact.is_finite():
        return f"{size} {_UNITS[-1]}"
    if exact == exact.to_integral_value() and abs(exact) < 10 * 1024:
        return f"{int(exact)} bytes"
    if abs(exact) < 10 * 1024:
        return f"{exact} bytes"
    number = int(exact)
    # One bit more than shown is kept for rounding: halves of the unit.
    sign, number = (-1 if number < 0 else 1), abs(number) >> 9
    for unit in _UNITS[1:]:
        if number < 20 * 1024 - 1 or unit == _UNITS[-1]:
            return f"{sign * ((number + 1) // 2)} {unit}"
        number >>= 10
    raise AssertionError("units end the loop")


@system("pg_size_bytes", (TEXT,), INT8)
def _size_bytes(context: SystemContext, text: str | None) -> int | None:
    if text is None:
        return None
    found = _SIZE.match(text)
    units = {u.lower(): 1024**i for i, u in enumerate(_UNITS)} | {"": 1}
    if found is None:
        raise SqlError("22023", f'invalid size: "{text}"')
    if found[2].lower() not in units:
        raise SqlError(
            "22023",
            f'invalid size: "{text}"',
            detail=f'Invalid size unit: "{found[2]}".',
            hint='Valid units are "bytes", "kB", "MB", "GB", "TB", and "PB".',
        )
    try:
        size = Decimal(found[1])
        exact = size * units[found[2].lower()]
    except InvalidOperation:
        raise SqlError("22003", "value overflows numeric format") from None
    if exact.adjusted() > 20 or not -(2**63) <= (rounded := exact.to_integral_value(ROUND_HALF_UP)) < 2**63:
        raise SqlError("22003", "bigint out of range")
    return int(rounded)
