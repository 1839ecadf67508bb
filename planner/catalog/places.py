"""Where an object is found by what it is itself: its schema or database, the names of its constraints, its parts, what it refers to."""

from __future__ import annotations

from typing import Any, Final, get_args

from planner.abc import Oid, Table
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer, UserMapping
from planner.catalog.objects import CatalogObject, Placed, Schema, View
from planner.catalog.publication_objects import Publication, Subscription
from planner.catalog.routine_objects import Cast, EventTrigger
from planner.catalog.type_objects import Domain

OF_DATABASES: Final = (
    Cast, EventTrigger, Publication, Subscription, ForeignDataWrapper, ForeignServer, UserMapping
)  # fmt: skip
"""Kinds of objects that are a database's, in none of its schemas."""
_KINDS: Final[tuple[type[CatalogObject], ...]] = get_args(CatalogObject)
_CLASSES: Final[dict[type[Any], tuple[type[CatalogObject], ...]]] = {}
PLACED: Final[frozenset[type[CatalogObject]]] = frozenset(get_args(Placed))


def place(thing: CatalogObject) -> Oid:
    """The schema, or else the database, that an object is in; 0: every database."""
    if isinstance(thing, Placed):
        return thing.schema_oid
    return thing.database_oid if isinstance(thing, (Schema, *OF_DATABASES)) else 0


def of_classes(kind: type[Any]) -> tuple[type[CatalogObject], ...]:
    """The classes of a kind, which is one of them or several."""
    found = _CLASSES.get(kind)
    if found is None:
        found = _CLASSES[kind] = tuple(k for k in _KINDS if issubclass(k, kind))
    return found


def parts(thing: CatalogObject) -> list[Oid]:
    """The constraints, triggers, policies and rules of an object."""
    found = [c.oid for c in thing.constraints] if isinstance(thing, Table | Domain) else []
    if isinstance(thing, Table):
        found += [p.oid for p in thing.policies]
        found += [a.oid for c in thing.constraints for a in c.aims]
    if isinstance(thing, Table | View):
        found += [x.oid for x in thing.triggers] + [r.oid for r in thing.rules]
    return found


def constraint_names(thing: CatalogObject) -> set[tuple[Oid, str]]:
    """The names of an object's constraints, with its schema."""
    if isinstance(thing, Table):
        return {(thing.schema_oid, name) for name in thing.constraint_names} if thing.constraints else set()
    return {(thing.schema_oid, c.name) for c in thing.constraints} if isinstance(thing, Domain) else set()


def targets(table: Table) -> set[Oid]:
    """The tables that its foreign keys refer to, partitions of these included."""
    keys = [c for c in table.constraints if c.kind == "f"]
    return {c.foreign_table for c in keys} | {a.table for c in keys for a in c.aims}


__all__ = ["OF_DATABASES", "PLACED", "constraint_names", "of_classes", "parts", "place", "targets"]
