"""What COMMENT ON said: pg_description, and pg_shdescription for what all databases share.

Functions, operators and the like come with descriptions; no COMMENT ON can change those but a schema's.
"""

from __future__ import annotations

from functools import lru_cache

from planner.abc import Oid, Table
from planner.catalog.objects import (
    PUBLIC_OID,
    Collation,
    Comment,
    CompositeType,
    Database,
    Domain,
    EnumType,
    Extension,
    Function,
    Index,
    MultirangeType,
    RangeType,
    Role,
    Schema,
    Sequence,
    View,
)
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.relations import (
    CLASS_OID,
    COLLATION_OID,
    CONSTRAINT_OID,
    DATABASE_CLASS_OID,
    EXTENSION_OID,
    NAMESPACE_OID,
    PROC_OID,
    ROLE_CLASS_OID,
    TRIGGER_OID,
    TYPE_OID,
)
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows
from planner.catalog.system.triggers import listed

_CLASS_OF: dict[type[object], Oid] = {
    Table: CLASS_OID,
    View: CLASS_OID,
    Index: CLASS_OID,
    Sequence: CLASS_OID,
    Schema: NAMESPACE_OID,
    Function: PROC_OID,
    Extension: EXTENSION_OID,
    EnumType: TYPE_OID,
    Domain: TYPE_OID,
    CompositeType: TYPE_OID,
    RangeType: TYPE_OID,
    Collation: COLLATION_OID,
    MultirangeType: TYPE_OID,
}


_OF_PUBLIC = "standard public schema"


def commented(context: SystemContext) -> Rows:
    """The rows of pg_description that COMMENT ON has made."""
    catalog = context.catalog
    make = RowMaker("pg_description")
    found: Rows = []
    constraints = {c.oid for t in catalog.objects(Table) for c in t.listed}
    constraints |= {c.oid for d in catalog.objects(Domain) for c in d.constraints}
    triggers = {x.oid for _, x in listed(catalog)}
    for t in catalog.objects(Table):
        if t.comment is not None:
            found.append(make(objoid=t.oid, classoid=CLASS_OID, description=t.comment))
    for comment in catalog.objects(Comment):
        thing = catalog.get(comment.target)
        parts = comment.target in constraints or comment.target in triggers
        if isinstance(thing, Database | Role) or (thing is None and not parts):
            continue
        class_oid = _CLASS_OF.get(type(thing), CONSTRAINT_OID if comment.target in constraints else CLASS_OID)
        if comment.target in triggers:
            class_oid = TRIGGER_OID
        found.append(
            make(objoid=comment.target, classoid=class_oid, objsubid=comment.sub, description=comment.text)
        )
    return found


def pg_description(context: SystemContext) -> Rows:
    found = commented(context)
    said = {(row[0], row[1]) for row in found}
    make = RowMaker("pg_description")
    for schema in context.catalog.objects(Schema):
        if schema.name == "public" and schema.oid != PUBLIC_OID and (schema.oid, NAMESPACE_OID) not in said:
            found.append(make(objoid=schema.oid, classoid=NAMESPACE_OID, description=_OF_PUBLIC))
    return [row for row in static_rows("pg_description") if (row[0], row[1]) not in said] + found


def built_in(oid: Oid, class_oid: Oid | None) -> str | None:
    """What PostgreSQL says of an object of its own. `class_oid` None: of any kind."""
    return next((text for of, text in _built_in().get(oid, ()) if class_oid in (None, of)), None)


@lru_cache(maxsize=1)
def _built_in() -> dict[Oid, list[tuple[Oid, str]]]:
    found: dict[Oid, list[tuple[Oid, str]]] = {}
    for oid, class_oid, _, text in static_rows("pg_description"):
        found.setdefault(oid, []).append((class_oid, text))
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
