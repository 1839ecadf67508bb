"""Large objects: values of up to gigabytes with a number instead of a place in a row.

    pg_largeobject             (loid, pageno) -> data      pages of 2 KB; one that is missing, or short, reads as zeros
    pg_largeobject_metadata    oid -> lomowner, lomacl     what there is, and whose

Both are tables like any other, rows in a shard of their own, so whatever a transaction is, large objects are too. A database
gets them with its first large object. They lie in a schema that no listing has, for its database is no database;
`pg_catalog.pg_largeobject` means the table where there is one. Their OIDs follow from the database's: who makes
them at the same time as another is told so (40001), and finds them there.

The functions run, as PL/pgSQL does (`planner.binding.routines.runs`), each call once: `executor.session.large_objects`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from planner.abc import Column, Constraint, Oid, PlanError, Table, TypeRef
from planner.catalog import running_functions
from planner.catalog.objects import Schema
from planner.catalog.routine_objects import Function

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog

SCHEMA: Final = "pg_large_objects"
PAGES: Final = "pg_largeobject"
METADATA: Final = "pg_largeobject_metadata"
PAGES_CLASS_OID: Final = 2613
"""Under which comments on large objects are kept."""
PAGE_BYTES: Final = 2048
MAX_BYTES: Final = (2**31 - 1) * PAGE_BYTES
"""What PostgreSQL's seeks go up to."""
_OIDS: Final = range(0xC000_0000, 0xF000_0000)
"""OIDs that nothing else has: above those of row types, below those of transition tables."""
_INT4, _OID, _BYTEA, _ACL = 23, 26, 17, 1034
_NAMES: Final = frozenset((
    "lo_close", "lo_creat", "lo_create", "lo_export", "lo_from_bytea", "lo_get", "lo_import", "lo_lseek", "lo_lseek64", "lo_open", "lo_put",
    "lo_tell", "lo_tell64", "lo_truncate", "lo_truncate64", "lo_unlink", "loread", "lowrite",
))  # fmt: skip


def _first(database_oid: Oid) -> Oid:
    return _OIDS.start + database_oid * 8


def storage(database_oid: Oid) -> tuple[Schema, Table, Table]:
    """The schema, the metadata, the pages of a database, as they are made. Raises 54000."""
    first = _first(database_oid)
    if first + 7 not in _OIDS:
        raise PlanError("54000", f"large objects of a database with OID {database_oid} are not supported")
    schema = Schema(first, SCHEMA, database_oid=-database_oid)
    metadata = Table(
        first + 1,
        schema.oid,
        METADATA,
        (
            Column("oid", TypeRef(_OID), 1, not_null=True),
            Column("lomowner", TypeRef(_OID), 2, not_null=True),
            Column("lomacl", TypeRef(_ACL), 3),
        ),
        (Constraint(first + 2, "pg_largeobject_metadata_oid_index", "p", (1,), index_oid=first + 3),),
        f"t{first + 1}",
    )
    pages = Table(
        first + 4,
        schema.oid,
        PAGES,
        (
            Column("loid", TypeRef(_OID), 1, not_null=True),
            Column("pageno", TypeRef(_INT4), 2, not_null=True),
            Column("data", TypeRef(_BYTEA), 3, not_null=True),
        ),
        (Constraint(first + 5, "pg_largeobject_loid_pn_index", "p", (1, 2), index_oid=first + 6),),
        f"t{first + 4}",
    )
    return schema, metadata, pages


def home(catalog: Catalog, database_oid: Oid) -> Schema | None:
    """Where a database's large objects are; None: it never had one."""
    found = catalog.get(_first(database_oid))
    return found if isinstance(found, Schema) else None


def is_readable(table: Table) -> bool | None:
    """Whether everybody may read it, where it is one of the two; None where it is not."""
    return table.name == METADATA if table.oid in _OIDS else None


def shown_oid(table: Table) -> Oid:
    """Of the two, the OID that PostgreSQL has for it."""
    return table.oid if table.oid not in _OIDS else 2995 if table.name == METADATA else 2613


def table_of(catalog: Catalog, name: str) -> Table | None:
    """What `pg_catalog.name` is in the database at hand, where it is one of the two and there is any."""
    if name not in (PAGES, METADATA):
        return None
    found = catalog.get(_first(catalog.database_oid) + (1 if name == METADATA else 4))
    return found if isinstance(found, Table) else None


@lru_cache(maxsize=1)
def functions() -> Mapping[Oid, Function]:
    """By OID, as pg_proc has them."""
    return running_functions.of_names(_NAMES)


__all__ = [
    "MAX_BYTES", "METADATA", "PAGES", "PAGES_CLASS_OID", "PAGE_BYTES", "SCHEMA", "functions", "home", "is_readable", "shown_oid", "storage", "table_of",
]  # fmt: skip
