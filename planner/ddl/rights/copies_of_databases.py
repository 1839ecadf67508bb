"""CREATE DATABASE ... TEMPLATE: every object of the template again, under OIDs of the new database's own.

    template 5 ── Schema 2200 ── Table 16384 (shard t16384) ── Index 16387        Comment -> 16384    Grant -> 16384
    copy 20000 ── Schema 20001 ── Table 20002 (shard t20002) ── Index 20003       Comment -> 20002    Grant -> 20002

Objects point to each other by OID, and OIDs are of the environment, not of a database. So a copy is the same records with all
that points to one of them pointing to its copy; what is shared (roles, what PostgreSQL and extensions bring) stays as it is. Texts
(defaults, bodies, views) name things, and names are the same. Rows are the executor's to copy (`DdlPlan.copies`).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from typing import Any, Final

from planner.abc import Oid, Table, TypeRef
from planner.catalog import (
    FIRST_USER_OID,
    TEMPORARY_PREFIX,
    Cast,
    Catalog,
    CatalogObject,
    Comment,
    Database,
    DefaultGrant,
    EventTrigger,
    Extension,
    ForeignDataWrapper,
    ForeignServer,
    Grant,
    Publication,
    Schema,
    UserMapping,
    View,
    collations,
    large_objects,
)
from planner.catalog.row_types import is_row_array as is_array
from planner.catalog.row_types import relation_of, row_array_oid, row_type, row_type_oid
from planner.catalog.user_types import has_rows_of, meet_rows
from planner.ddl.scope import Scope
from planner.ddl.tables.creation import shard_of
from planner.partitions import Partition
from planner.records import replace
from planner.relations import DomainUse
from planner.remembered import NamedRelation

_OF_DATABASES: Final[tuple[type[Any], ...]] = (
    EventTrigger, Publication, UserMapping, ForeignServer, ForeignDataWrapper, Cast, DefaultGrant, Extension,
)  # fmt: skip
"""What a copy has beside schemas and what is in them. Not settings, rights and comments of the database itself, nor subscriptions."""
_MADE: Final = frozenset(("oid", "array_oid", "label_oids", "multirange_oid"))
"""Fields that hold a thing's own OIDs; all others point to things."""
_POINTERS: Final = (TypeRef, DomainUse, NamedRelation)
"""Records whose `oid` is another thing's."""
_PLAIN: Final = frozenset(((Partition, "parent"), (NamedRelation, "oid")))
"""Numbers of objects where the name of their type cannot be had."""
_HOMES: Final = frozenset(("schema_oid", "database_oid", "namespace", "schema", "target"))
"""Fields that point to schemas and databases, which may have OIDs of PostgreSQL's own."""


def copy(scope: Scope, template: str, made: Database) -> None:
    """All that is in the template, in the new database, which has nothing yet."""
    inside = scope.catalog.for_database(template)
    source = inside.database(template)
    assert source is not None
    things: dict[Oid, CatalogObject] = {}
    numbers: dict[Oid, Oid] = {}
    for thing in _things(inside, source):
        things[thing.oid] = thing
        for oid in _own(thing):
            numbers.setdefault(oid, scope.allocate())
    for oid in list(numbers):
        about: list[CatalogObject] = [*inside.comments_on(oid), *inside.grants_on(oid)]
        if (analysis := inside.analysis_of(oid)) is not None:
            about.append(analysis)
        for attached in about:
            things[attached.oid] = attached
            numbers[attached.oid] = scope.allocate()
    numbers[source.oid] = made.oid
    copies: list[tuple[CatalogObject, CatalogObject]] = []
    for thing in things.values():
        copies.append((thing, _renumbered(thing, numbers)))
    own: list[Comment | Grant] = [*inside.objects(Comment), *inside.objects(Grant)]
    for said in own:  # of PostgreSQL's own objects
        if said.database_oid == source.oid:
            copies.append((said, replace(said, oid=scope.allocate(), database_oid=made.oid)))
    if large_objects.home(inside, source.oid) is not None:
        copies += _large(inside, source, made)
    scope.add_copies(copies)
    for old, new in copies:
        if isinstance(new, Table | View) and has_rows_of(row_type_oid(old.oid)):
            meet_rows(row_type(new))


def _large(
    inside: Catalog, source: Database, made: Database
) -> Iterator[tuple[CatalogObject, CatalogObject]]:
    """Where large objects are: OIDs there follow from the database's."""
    (theirs, *were), (ours, *made_tables) = large_objects.storage(source.oid), large_objects.storage(made.oid)
    yield theirs, ours
    for was, new in zip(were, made_tables, strict=True):
        old = inside.get(was.oid)
        assert isinstance(old, Table), "they were made together"
        yield old, new


def _things(inside: Catalog, source: Database) -> Iterator[CatalogObject]:
    for schema in inside.objects(Schema):
        if schema.database_oid == source.oid and not schema.name.startswith(TEMPORARY_PREFIX):
            yield schema
            yield from inside.inside(schema.oid)
    for kind in _OF_DATABASES:
        for thing in inside.objects(kind):
            if getattr(thing, "database_oid", 0) == source.oid:
                yield thing


def _own(thing: Any) -> Iterator[Oid]:
    """The OIDs that an object, and what is a part of it, has for itself."""
    for name, _, value in _fields(thing):
        if isinstance(value, tuple):
            for part in value:
                if dataclasses.is_dataclass(part):
                    yield from _own(part)
                elif name in _MADE:
                    yield part
        elif dataclasses.is_dataclass(value):
            yield from _own(value)
        elif name in _MADE and not isinstance(thing, _POINTERS) and value:
            yield value


def _renumbered(thing: Any, numbers: Mapping[Oid, Oid]) -> Any:
    """The object with the numbers of the copies for those of what is copied."""
    after: dict[str, Any] = {}
    for name, points, value in _fields(thing):
        if isinstance(value, tuple):
            after[name] = tuple(
                _renumbered(x, numbers)
                if dataclasses.is_dataclass(x)
                else _number(x, name, thing, numbers)
                if points
                else x
                for x in value
            )
        elif dataclasses.is_dataclass(value):
            after[name] = _renumbered(value, numbers)
        elif points:
            after[name] = _number(value, name, thing, numbers)
        elif name == "collation" and value.startswith("#"):
            after[name] = collations.key_of(numbers.get(int(value[1:]), int(value[1:])))
    if isinstance(thing, Table):
        after["shard"] = shard_of(after["oid"])
    return replace(thing, **after)


def _number(oid: Oid, name: str, thing: Any, numbers: Mapping[Oid, Oid]) -> Oid:
    if oid < FIRST_USER_OID and not (name in _HOMES or isinstance(thing, Schema)):
        return oid
    if (relation := relation_of(oid)) in numbers:
        return (row_array_oid if is_array(oid) else row_type_oid)(numbers[relation])
    return numbers.get(oid, oid)


def _fields(thing: Any) -> Iterator[tuple[str, bool, Any]]:
    """Of each field that may have to do with OIDs: its name, whether it holds some, its value."""
    for name, points in _kinds(type(thing)):  # type: ignore[arg-type]
        yield name, points, getattr(thing, name)


@functools.cache
def _kinds(cls: type[Any]) -> tuple[tuple[str, bool], ...]:
    points = ("Oid", "tuple[Oid, ...]")
    return tuple((f.name, f.type in points or (cls, f.name) in _PLAIN) for f in dataclasses.fields(cls))


__all__ = ["copy"]
