"""What COMMENT ON said: pg_description, and pg_shdescription for what all databases share.

Functions, operators and the like come with descriptions, in whose place a database's own may come: one that is empty says that there is
none any more.
"""

from __future__ import annotations

from functools import lru_cache

from planner.abc import Oid, Table
from planner.catalog.class_objects import OperatorClass, OperatorFamily
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer
from planner.catalog.objects import (
    PUBLIC_OID,
    Comment,
    Database,
    Extension,
    Index,
    Role,
    Schema,
    Sequence,
    StatisticsObject,
    View,
)
from planner.catalog.publication_objects import Publication, Subscription
from planner.catalog.routine_objects import Cast, Conversion, EventTrigger, Function, Operator
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.relations import (
    CAST_OID,
    CLASS_OID,
    COLLATION_OID,
    CONSTRAINT_OID,
    CONVERSION_OID,
    DATABASE_CLASS_OID,
    EVENT_TRIGGER_OID,
    EXTENSION_OID,
    NAMESPACE_OID,
    OPCLASS_OID,
    OPERATOR_OID,
    OPFAMILY_OID,
    POLICY_OID,
    PROC_OID,
    PUBLICATION_OID,
    REWRITE_OID,
    ROLE_CLASS_OID,
    SERVER_OID,
    STATISTIC_EXT_OID,
    SUBSCRIPTION_OID,
    TRIGGER_OID,
    TS_CONFIG_OID,
    TS_DICT_OID,
    TYPE_OID,
    WRAPPER_OID,
)
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows
from planner.catalog.text_search_objects import TextSearchConfiguration, TextSearchDictionary
from planner.catalog.type_objects import Collation, CompositeType, Domain, EnumType, MultirangeType, RangeType

_CLASS_OF: dict[type[object], Oid] = {
    Table: CLASS_OID,
    View: CLASS_OID,
    Index: CLASS_OID,
    Sequence: CLASS_OID,
    Schema: NAMESPACE_OID,
    Function: PROC_OID,
    Operator: OPERATOR_OID,
    Conversion: CONVERSION_OID,
    OperatorClass: OPCLASS_OID,
    OperatorFamily: OPFAMILY_OID,
    Cast: CAST_OID,
    EventTrigger: EVENT_TRIGGER_OID,
    Publication: PUBLICATION_OID,
    Subscription: SUBSCRIPTION_OID,
    Extension: EXTENSION_OID,
    ForeignDataWrapper: WRAPPER_OID,
    ForeignServer: SERVER_OID,
    EnumType: TYPE_OID,
    Domain: TYPE_OID,
    CompositeType: TYPE_OID,
    RangeType: TYPE_OID,
    Collation: COLLATION_OID,
    StatisticsObject: STATISTIC_EXT_OID,
    TextSearchConfiguration: TS_CONFIG_OID,
    TextSearchDictionary: TS_DICT_OID,
    MultirangeType: TYPE_OID,
}


_OF_PUBLIC = "standard public schema"


def commented(context: SystemContext) -> Rows:
    """The rows of pg_description that COMMENT ON has made."""
    found: Rows = [
        (t.oid, CLASS_OID, 0, t.comment) for t in context.catalog.objects(Table) if t.comment is not None
    ]
    for comment in context.catalog.objects(Comment):
        found += _described(context, comment)
    return found


def commented_on(context: SystemContext, oid: Oid) -> Rows:
    """Those of one object."""
    thing = context.catalog.get(oid)
    found: Rows = []
    if isinstance(thing, Table) and thing.comment is not None:
        found.append((oid, CLASS_OID, 0, thing.comment))
    for comment in (*context.catalog.comments_on(oid), *context.catalog.comments_on_own(oid)):
        found += _described(context, comment)
    return found


def _described(context: SystemContext, comment: Comment) -> Rows:
    """The row of a comment; none for what all databases share, and where its object is gone."""
    if comment.class_oid:
        here = comment.database_oid == context.catalog.database_oid
        return [(comment.target, comment.class_oid, comment.sub, comment.text)] if here else []
    thing = context.catalog.get(comment.target)
    if isinstance(thing, Database | Role):
        return []
    if thing is not None and not context.catalog.has(thing):
        return []
    # Attributes of composite types are columns of the class that the type has.
    class_oid = CLASS_OID if comment.sub else _CLASS_OF.get(type(thing), CLASS_OID)
    if thing is None:
        holder = context.catalog.holder_of(comment.target)
        if holder is None or not context.catalog.has(holder):
            return []
        constraints = () if isinstance(holder, View) else holder.constraints
        is_constraint = any(c.oid == comment.target for c in constraints)
        is_policy = isinstance(holder, Table) and any(p.oid == comment.target for p in holder.policies)
        is_rule = isinstance(holder, Table | View) and any(r.oid == comment.target for r in holder.rules)
        class_oid = CONSTRAINT_OID if is_constraint else POLICY_OID if is_policy else TRIGGER_OID
        class_oid = REWRITE_OID if is_rule else class_oid
    return [(comment.target, class_oid, comment.sub, comment.text)]


def pg_description(context: SystemContext) -> Rows:
    found = commented(context)
    said = {(row[0], row[1]) for row in found if not row[2]}
    found = [row for row in found if row[3]]
    make = RowMaker("pg_description")
    for schema in context.catalog.objects(Schema):
        if schema.name == "public" and schema.oid != PUBLIC_OID and (schema.oid, NAMESPACE_OID) not in said:
            found.append(make(objoid=schema.oid, classoid=NAMESPACE_OID, description=_OF_PUBLIC))
    if context.catalog.shown is not None:
        return found
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
        if comment.class_oid:
            if not comment.database_oid and comment.text:
                found.append(
                    make(objoid=comment.target, classoid=comment.class_oid, description=comment.text)
                )
            continue
        thing = context.catalog.get(comment.target)
        if isinstance(thing, Database | Role):
            class_oid = DATABASE_CLASS_OID if isinstance(thing, Database) else ROLE_CLASS_OID
            found.append(make(objoid=comment.target, classoid=class_oid, description=comment.text))
    return found
