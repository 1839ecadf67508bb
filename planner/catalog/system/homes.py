"""What every object stands on by being what it is: its schema, the language that it is written in.

    table t      ──normal──> schema s            function f ──normal──> language plpgsql
    extension e  ──normal──> schema s            default privileges in s ──auto──> schema s

Parts stand on what they are parts of, and have no schema of their own here: indexes, row types, arrays. Neither does what lies
in pg_catalog, which nobody drops. An extension's schema goes with it where the extension brought it.
"""

from __future__ import annotations

from typing import Any, Final

from planner.abc import Oid, Table
from planner.catalog.class_objects import OperatorClass, OperatorFamily
from planner.catalog.objects import (
    Extension,
    Sequence,
    StatisticsObject,
    View,
)
from planner.catalog.routine_objects import Conversion, Function, Operator
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.people import default_grants
from planner.catalog.system.relations import (
    CLASS_OID,
    COLLATION_OID,
    CONVERSION_OID,
    DEFAULT_ACL_OID,
    EXTENSION_OID,
    INFORMATION_SCHEMA_OID,
    LANGUAGE_OID,
    NAMESPACE_OID,
    OPCLASS_OID,
    OPERATOR_OID,
    OPFAMILY_OID,
    PG_CATALOG_OID,
    PROC_OID,
    STATISTIC_EXT_OID,
    TS_CONFIG_OID,
    TS_DICT_OID,
    TYPE_OID,
)
from planner.catalog.system.routines import LANGUAGES
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.text_search_objects import TextSearchConfiguration, TextSearchDictionary
from planner.catalog.type_objects import (
    BaseType,
    Collation,
    CompositeType,
    Domain,
    EnumType,
    MultirangeType,
    RangeType,
)

PLACED: Final[dict[type[Any], Oid]] = {
    Table: CLASS_OID, View: CLASS_OID, Sequence: CLASS_OID, EnumType: TYPE_OID, Domain: TYPE_OID, CompositeType: TYPE_OID,
    RangeType: TYPE_OID, MultirangeType: TYPE_OID, BaseType: TYPE_OID, Function: PROC_OID, Operator: OPERATOR_OID, OperatorClass: OPCLASS_OID,
    OperatorFamily: OPFAMILY_OID, Conversion: CONVERSION_OID, Collation: COLLATION_OID, StatisticsObject: STATISTIC_EXT_OID,
    TextSearchConfiguration: TS_CONFIG_OID, TextSearchDictionary: TS_DICT_OID, Extension: EXTENSION_OID,
}  # fmt: skip
"""What lies in a schema, and its class."""
_PINNED: Final = frozenset((PG_CATALOG_OID, INFORMATION_SCHEMA_OID))
_PINNED_LANGUAGES: Final = frozenset(("internal", "c", "sql"))
_AUTO, _NORMAL = "a", "n"


def edges(context: SystemContext) -> Rows:
    """Rows of pg_depend."""
    catalog, make = context.catalog, RowMaker("pg_depend")

    def edge(class_oid: Oid, oid: Oid, kind: str, on_class: Oid, on: Oid) -> tuple[object, ...]:
        return make(classid=class_oid, objid=oid, refclassid=on_class, refobjid=on, deptype=kind)

    found: Rows = [
        edge(class_oid, thing.oid, _NORMAL, NAMESPACE_OID, thing.schema_oid)
        for kind, class_oid in PLACED.items()
        for thing in (catalog.base_types() if kind is BaseType else catalog.objects(kind))
        if thing.schema_oid not in _PINNED
    ]
    found += [
        edge(PROC_OID, f.oid, _NORMAL, LANGUAGE_OID, LANGUAGES[f.language])
        for f in catalog.objects(Function)
        if f.language not in _PINNED_LANGUAGES
    ]
    found += [
        edge(DEFAULT_ACL_OID, said[0].oid, _AUTO, NAMESPACE_OID, namespace)
        for (_, namespace, _), said in default_grants(catalog).items()
        if namespace
    ]
    return found


__all__ = ["PLACED", "edges"]
