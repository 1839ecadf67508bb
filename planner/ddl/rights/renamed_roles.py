"""A role's new name, wherever the catalog says the old one: of what it owns, was granted, gave, and what is granted by default.

Objects know roles by name, in every database; only policies and the settings of roles know them by OID.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from planner.catalog import Database, DefaultGrant, Grant
from planner.catalog.uses import of_role, role_fields
from planner.ddl.scope import Scope
from planner.records import replace


def follow(scope: Scope, old: str, new: str) -> None:
    """Whatever is the role `old`'s becomes the role `new`'s, who is the same one."""
    for thing in scope.catalog.everywhere_using(of_role(old)):
        names: dict[str, Any] = {x: new for x in role_fields(thing) if getattr(thing, x) == old}
        scope.put(thing, replace(thing, **names))


def held_elsewhere(scope: Scope, role: str) -> list[tuple[str, int]]:
    """The other databases in which a role owns something or was granted it, and how many objects."""
    catalog, counts = scope.catalog, Counter[int]()
    defaults = set()
    for thing in catalog.everywhere_using(of_role(role)):
        if isinstance(thing, DefaultGrant):
            if role in (thing.role, thing.grantee):
                defaults.add((thing.database_oid, thing.role, thing.namespace, thing.kind))
            continue
        if not isinstance(thing, Grant):
            counts[catalog.home_of(thing)] += role in (
                getattr(thing, "owner", ""),
                getattr(thing, "user", ""),
            )
            continue
        if thing.database_oid:
            counts[thing.database_oid] += thing.grantee == role
            continue
        target = catalog.get(thing.target)
        if thing.grantee == role and target is not None and getattr(target, "owner", "") != role:
            counts[catalog.home_of(target)] += 1
    counts.update(database_oid for database_oid, *_ in defaults)
    del counts[catalog.database_oid]
    databases = ((catalog.get(oid), count) for oid, count in sorted(counts.items()) if count)
    return [(d.name, count) for d, count in databases if isinstance(d, Database)]
