"""pg_identify_object and pg_identify_object_as_address: an object by a name that holds on every search path.

    (pg_class, 16384, 2)            table column    s.t.b                       {s,t,b}  {}
    (pg_publication_rel, 16390, 0)  publication relation    s.t in publication p    {s,t}    {p}

Which words an object has is `planner.ddl.dependencies.addresses`' to say, as for event triggers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planner.abc import Oid, SqlError, Table
from planner.catalog.names import quote_identifier
from planner.catalog.objects import Database, Role, View
from planner.catalog.publication_objects import Publication
from planner.catalog.routine_objects import EventTrigger
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.relations import (
    CONSTRAINT_OID,
    POLICY_OID,
    PUBLICATION_NAMESPACE_OID,
    PUBLICATION_REL_OID,
    REWRITE_OID,
    TRIGGER_OID,
    by_oid,
)
from planner.types import array_datum
from planner.types.oids import INT4, OID, RECORD, TEXT, TEXT_ARRAY

if TYPE_CHECKING:
    from planner.ddl.dependencies.addresses import Address


@system(
    "pg_identify_object",
    (OID, OID, INT4),
    RECORD,
    columns=(("type", TEXT), ("schema", TEXT), ("name", TEXT), ("identity", TEXT)),
)
def _identify(
    context: SystemContext, class_oid: Oid | None, oid: Oid | None, sub: int | None
) -> list[dict[str, Any]]:
    if class_oid is None or oid is None or sub is None:
        return []
    found = _address(context, class_oid, oid, sub)
    return [
        {
            "type": found.kind,
            "schema": quote_identifier(found.schema) if found.schema is not None else None,
            "name": quote_identifier(found.name) if found.name is not None else None,
            "identity": found.identity,
        }
    ]


@system(
    "pg_identify_object_as_address",
    (OID, OID, INT4),
    RECORD,
    columns=(("type", TEXT), ("object_names", TEXT_ARRAY), ("object_args", TEXT_ARRAY)),
)
def _as_address(
    context: SystemContext, class_oid: Oid | None, oid: Oid | None, sub: int | None
) -> list[dict[str, Any]]:
    if class_oid is None or oid is None or sub is None:
        return []
    found = _address(context, class_oid, oid, sub)
    return [
        {
            "type": found.kind,
            "object_names": array_datum(list(found.names), TEXT_ARRAY),
            "object_args": array_datum(list(found.arguments), TEXT_ARRAY),
        }
    ]


def _address(context: SystemContext, class_oid: Oid, oid: Oid, sub: int) -> Address:
    """Raises 0A000 for what is not there, or is PostgreSQL's own and no relation."""
    from planner.ddl.dependencies.addresses import CLASSES, Address, Addresses

    catalog = context.catalog
    here = Addresses(catalog)
    thing: Any = catalog.get(oid)
    if class_oid in (PUBLICATION_REL_OID, PUBLICATION_NAMESPACE_OID):
        for publication in catalog.objects(Publication):
            for part in publication.parts:
                if part.oid == oid:
                    return here.published(publication, part)
    elif isinstance(thing, EventTrigger | Role | Database):
        kind = {EventTrigger: "event trigger", Role: "role", Database: "database"}[type(thing)]
        return Address(class_oid, oid, kind, None, quote_identifier(thing.name), thing.name, (thing.name,))
    elif isinstance(thing, Table | View) and sub:
        column = next((c for c in thing.columns if c.attnum == sub and not c.hidden), None)
        if column is not None:
            return replace(here.column(thing, column), name=thing.name)
    elif thing is not None and _is_known(thing, CLASSES):
        return here.of(thing)
    elif thing is None and (holder := catalog.holder_of(oid)) is not None:
        for of_class, kind, field in (
            (CONSTRAINT_OID, "table constraint", "constraints"), (TRIGGER_OID, "trigger", "triggers"),
            (POLICY_OID, "policy", "policies"), (REWRITE_OID, "rule", "rules"),
        ):  # fmt: skip
            for piece in getattr(holder, field, ()) if isinstance(holder, Table | View) else ():
                if piece.oid == oid and of_class == class_oid:
                    return here.part(
                        class_oid, oid, kind, holder, piece.name, schema=kind == "table constraint"
                    )
    elif (of_system := by_oid().get(oid)) is not None and not sub:
        kind = "view" if of_system.kind == "v" else "table"
        names = (of_system.schema, of_system.name)
        return Address(class_oid, oid, kind, names[0], ".".join(names), names[1], names)
    raise SqlError("0A000", f"identifying object {oid} of class {class_oid} is not supported")


def _is_known(thing: Any, classes: dict[type[Any], Any]) -> bool:
    from planner.catalog import Cast, Function, UserType

    return type(thing) in classes or isinstance(thing, Table | Function | UserType | Cast)


__all__: list[str] = []
