"""A role's new name, wherever the catalog says the old one: of what it owns, was granted, gave, and what is granted by default.

Objects know roles by name, in every database; only policies and the settings of roles know them by OID.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from planner.catalog import Database, DefaultGrant, Grant, MultirangeType, UserMapping
from planner.catalog.publication_objects import Subscription
from planner.ddl.rights.owned import OWNED
from planner.ddl.scope import Scope
from planner.records import replace

OF_DATABASES: Final[tuple[type[Any], ...]] = (*OWNED, MultirangeType, Subscription, UserMapping)
"""What names roles and is of one database."""
_OF_ALL: Final[tuple[type[Any], ...]] = (Database, Grant, DefaultGrant)
_FIELDS: Final = ("owner", "grantee", "grantor", "role", "user")


def follow(scope: Scope, old: str, new: str) -> None:
    """Whatever is the role `old`'s becomes the role `new`'s, who is the same one."""
    for thing in list(_all(scope)):
        names = {field: new for field in _FIELDS if getattr(thing, field, None) == old}
        if names:
            scope.put(thing, replace(thing, **names))


def _all(scope: Scope) -> Iterator[Any]:
    for kind in _OF_ALL:
        yield from scope.catalog.objects(kind)
    seen: set[int] = set()  # schemas of the system are in every database
    for database in scope.catalog.objects(Database):
        inside = scope.catalog.for_database(database.name)
        for kind in OF_DATABASES:
            for thing in inside.objects(kind):
                if thing.oid not in seen:
                    seen.add(thing.oid)
                    yield thing


def held_elsewhere(scope: Scope, role: str) -> list[tuple[str, int]]:
    """The other databases in which a role owns something or was granted it, and how many objects."""
    found = []
    for database in scope.catalog.objects(Database):
        if database.oid != scope.catalog.database_oid:
            inside = scope.catalog.for_database(database.name)
            count = sum(
                1
                for kind in OF_DATABASES
                for thing in inside.objects(kind)
                if role in (getattr(thing, "owner", None), getattr(thing, "user", None))
            )
            for grant in scope.catalog.objects(Grant):
                target = scope.catalog.get(grant.target)
                if grant.grantee == role and target is not None and not scope.catalog.has(target):
                    count += inside.has(target) and getattr(target, "owner", None) != role
            if count:
                found.append((database.name, count))
    return found
