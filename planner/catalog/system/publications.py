"""Publications as tools ask for them: pg_publication and its parts, and which tables each is of in the end.

FOR TABLE t                     t, or the leaves of it
FOR TABLES IN SCHEMA s          the tables of s, and the leaves, wherever they are, of those that are partitioned
publish_via_partition_root      in place of the leaves the topmost table that is published
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from planner.abc import Oid, SqlError, Table
from planner.catalog.catalog import Catalog
from planner.catalog.objects import Role
from planner.catalog.publication_objects import Publication, PublishedTable, Subscription
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.measures import publishable
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.written import columns_named, condition, spelled
from planner.partitioning import ancestors, descendants
from planner.types import array_datum
from planner.types.log_places import read_log_place
from planner.types.oids import INT2VECTOR, OID, PG_NODE_TREE, RECORD, TEXT


def pg_publication(context: SystemContext) -> Rows:
    make = RowMaker("pg_publication")
    found: Rows = []
    for p in context.catalog.objects(Publication):
        owner = context.catalog.role(p.owner)
        found.append(
            make(
                oid=p.oid,
                pubname=p.name,
                pubowner=owner.oid if isinstance(owner, Role) else 0,
                puballtables=p.all_tables,
                pubinsert=p.inserts,
                pubupdate=p.updates,
                pubdelete=p.deletes,
                pubtruncate=p.truncates,
                pubviaroot=p.via_root,
            )
        )
    return found


def pg_publication_rel(context: SystemContext) -> Rows:
    make = RowMaker("pg_publication_rel")
    return [
        make(
            oid=part.oid,
            prpubid=p.oid,
            prrelid=part.table,
            prqual=_condition(context, part),
            prattrs=list(part.columns) or None,
        )
        for p in context.catalog.objects(Publication)
        for part in p.tables
    ]


def pg_publication_namespace(context: SystemContext) -> Rows:
    make = RowMaker("pg_publication_namespace")
    return [
        make(oid=part.oid, pnpubid=p.oid, pnnspid=part.schema)
        for p in context.catalog.objects(Publication)
        for part in p.schemas
    ]


def pg_subscription(context: SystemContext) -> Rows:
    make = RowMaker("pg_subscription")
    found: Rows = []
    for s in context.catalog.objects(Subscription):
        owner = context.catalog.role(s.owner)
        found.append(
            make(
                oid=s.oid,
                subdbid=s.database_oid,
                subskiplsn=read_log_place(s.skip),
                subname=s.name,
                subowner=owner.oid if isinstance(owner, Role) else 0,
                subenabled=False,
                subbinary=s.binary,
                substream=s.streaming,
                subtwophasestate="p" if s.two_phase else "d",
                subdisableonerr=s.disable_on_error,
                subconninfo=s.connection,
                subslotname=s.slot or None,
                subsynccommit=s.synchronous_commit,
                subpublications=list(s.publications),
            )
        )
    return found


def pg_publication_tables(context: SystemContext) -> Rows:
    make = RowMaker("pg_publication_tables")
    catalog = context.catalog
    found: Rows = []
    for p in catalog.objects(Publication):
        for table in published(catalog, p):
            part = part_of(p, table)
            columns = [
                c.name for c in table.visible if part is None or not part.columns or c.attnum in part.columns
            ]
            found.append(
                make(
                    pubname=p.name,
                    schemaname=catalog.schema_of(table.schema_oid).name,
                    tablename=table.name,
                    attnames=columns or None,
                    rowfilter=_condition(context, part) if part is not None else None,
                )
            )
    return found


@system(
    "pg_get_publication_tables",
    (TEXT,),
    RECORD,
    columns=(("relid", OID), ("attrs", INT2VECTOR), ("qual", PG_NODE_TREE)),
)
def _tables(context: SystemContext, name: str | None) -> list[dict[str, Any]]:
    if name is None:
        return []
    found = next((p for p in context.catalog.objects(Publication) if p.name == name), None)
    if found is None:
        raise SqlError("42704", f'publication "{name}" does not exist')
    rows: list[dict[str, Any]] = []
    for table in published(context.catalog, found):
        part = part_of(found, table)
        columns = list(part.columns) if part is not None else []
        rows.append(
            {
                "relid": table.oid,
                "attrs": array_datum(columns, INT2VECTOR) if columns else None,
                "qual": _condition(context, part) if part is not None else None,
            }
        )
    return rows


def published(catalog: Catalog, publication: Publication) -> list[Table]:
    """The tables whose changes a subscriber would be told of, under their own names."""
    root = publication.via_root
    if publication.all_tables:
        tables = [t for t in catalog.objects(Table) if publishable(catalog, t)]
        leaves = [t for t in tables if t.partitioning is None and not (root and t.partition)]
        return leaves + [t for t in tables if root and t.partitioning is not None and not t.partition]
    found: dict[Oid, Table] = {}
    named = [t for p in publication.tables for t in _spread(catalog, catalog.table(p.table), root)]
    found |= {t.oid: t for t in sorted(named, key=lambda t: t.oid)}
    for part in publication.schemas:
        for table in catalog.objects(Table):
            if table.schema_oid == part.schema and publishable(catalog, table):
                found |= {t.oid: t for t in _spread(catalog, table, root) if t.oid not in found}
    if not root:
        return list(found.values())
    return [t for t in found.values() if not any(a.oid in found for a in ancestors(catalog, t))]


def _spread(catalog: Catalog, table: Table, root: bool) -> Iterable[Table]:
    if root or table.partitioning is None:
        return [table]
    return [t for t in descendants(catalog, table) if t.partitioning is None]


def part_of(publication: Publication, table: Table) -> PublishedTable | None:
    """What was said of a table itself; nothing counts of one whose schema is published."""
    if publication.all_tables or publication.has_schema(table.schema_oid):
        return None
    return publication.table(table.oid)


def _condition(context: SystemContext, part: PublishedTable) -> str | None:
    if not part.condition:
        return None
    table = context.catalog.table(part.table)
    written = condition(context.catalog, table, part.condition, ())
    return written if written is not None else f"({spelled(part.condition)})"


def columns_used(context: SystemContext, part: PublishedTable) -> list[int]:
    """The columns that a part of a publication needs: one that it names twice, twice, as PostgreSQL notes them."""
    table = context.catalog.table(part.table)
    named = columns_named(context.catalog, table, part.condition) if part.condition else frozenset()
    return sorted([*part.columns, *named])


__all__ = [
    "columns_used",
    "part_of",
    "pg_publication",
    "pg_publication_namespace",
    "pg_publication_rel",
    "pg_publication_tables",
    "pg_subscription",
    "published",
]
