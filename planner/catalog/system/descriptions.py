"""What COMMENT ON said: pg_description, and pg_shdescription for what all databases share."""

from __future__ import annotations

from planner.abc import Oid, Table
from planner.catalog.objects import (
    Comment,
    CompositeType,
    Database,
    Domain,
    EnumType,
    Index,
    Role,
    Schema,
    Sequence,
    View,
)
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.relations import (
    CLASS_OID,
    CONSTRAINT_OID,
    DATABASE_CLASS_OID,
    NAMESPACE_OID,
    PG_CATALOG_OID,
    ROLE_CLASS_OID,
    TYPE_OID,
)
from planner.catalog.system.rowmaker import RowMaker

_CLASS_OF: dict[type[object], Oid] = {
    Table: CLASS_OID,
    View: CLASS_OID,
    Index: CLASS_OID,
    Sequence: CLASS_OID,
    Schema: NAMESPACE_OID,
    EnumType: TYPE_OID,
    Domain: TYPE_OID,
    CompositeType: TYPE_OID,
}


def pg_description(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_description")
    found: Rows = [
        make(objoid=PG_CATALOG_OID, classoid=NAMESPACE_OID, description="system catalog schema"),
        make(objoid=2200, classoid=NAMESPACE_OID, description="standard public schema"),
    ]
    constraints = {c.oid for t in catalog.objects(Table) for c in t.listed}
    constraints |= {c.oid for d in catalog.objects(Domain) for c in d.constraints}
    for t in catalog.objects(Table):
        if t.comment is not None:
            found.append(make(objoid=t.oid, classoid=CLASS_OID, description=t.comment))
    for comment in catalog.objects(Comment):
        thing = catalog.get(comment.target)
        if isinstance(thing, Database | Role) or (thing is None and comment.target not in constraints):
            continue
        class_oid = _CLASS_OF.get(type(thing), CONSTRAINT_OID if comment.target in constraints else CLASS_OID)
        found.append(
            make(objoid=comment.target, classoid=class_oid, objsubid=comment.sub, description=comment.text)
        )
    return found


def pg_shdescription(context: SystemContext) -> Rows:
    make = RowMaker("pg_shdescription")
    found: Rows = []
    for comment in context.catalog.objects(Comment):
        thing = context.catalog.get(comment.target)
        if isinstance(thing, Database | Role):
            class_oid = DATABASE_CLASS_OID if isinstance(thing, Database) else ROLE_CLASS_OID
            found.append(make(objoid=comment.target, classoid=class_oid, description=comment.text))
    return found
