"""Who may read the past: who may read the same thing today. So what was revoked stays revoked.

    roles, owners, privileges                those of now
    a table                                  as today; columns dropped since: by its owner
    a view that is today's, all the way      as today: what it reads is asked for in its owner's name
    a view that is another one today         as today, and what it reads is asked for in the name of who asks
    what has been dropped since              by its last owner
    a table under row-level security         by whom its policies do not restrict, then or today

and superusers read everything. DROP takes the privileges along, and nothing brings them back: otherwise REVOKE and DROP
would give back what REVOKE alone takes. The last owner is the one just before the DROP, and the same role: not another
one that has got the name since.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from executor.past.versions import Version
from planner.abc import Oid, Table
from planner.catalog import DEFAULT_OWNER, Catalog, CatalogObject, Grant, Role, View
from planner.catalog.codec import decode
from storage.abc import TIMESTAMP_MAX

NOBODY: Final = 0
"""No role's OID."""


def gone(things: Iterable[CatalogObject], newest: Catalog) -> set[Oid]:
    """What had an owner and has been dropped since."""
    return {t.oid for t in things if hasattr(t, "owner") and newest.get(t.oid) is None}


def last_owners(dropped: set[Oid], found: Iterable[Version]) -> dict[Oid, Oid]:
    """By OID, the role that was the owner just before the DROP. What `found` does not know to be dropped is left out."""
    last: dict[Oid, Version] = {}
    roles: list[tuple[Version, CatalogObject]] = []
    for version in found if dropped else ():
        oid, kind, _ = version.row
        if kind == "role":
            roles.append((version, decode(version.row)))
        elif oid in dropped and (oid not in last or last[oid].ends < version.ends):
            last[oid] = version
    owners: dict[Oid, Oid] = {}
    for oid, version in last.items():
        if version.ends == TIMESTAMP_MAX:
            continue
        name = getattr(decode(version.row), "owner", DEFAULT_OWNER)
        then = (r.oid for v, r in roles if _name(r) == name and v.begins < version.ends <= v.ends)
        owners[oid] = next(then, NOBODY)
    return owners


def _name(thing: object) -> str:
    return thing.name if isinstance(thing, Role) else ""


def owned(thing: CatalogObject, newest: Catalog, owners: Mapping[Oid, Oid]) -> CatalogObject:
    """The same under its owner of now, or its last one; under a superuser if there is no such role any more."""
    if not hasattr(thing, "owner"):
        return thing
    today = newest.get(thing.oid)
    if today is None:
        owner = _name(newest.get(owners.get(thing.oid, NOBODY))) or DEFAULT_OWNER
    else:
        owner = getattr(today, "owner", DEFAULT_OWNER)
    if isinstance(thing, Table) and isinstance(today, Table):
        thing = dataclasses.replace(
            thing,
            row_security=thing.row_security or today.row_security,
            force_row_security=thing.force_row_security or today.force_row_security,
        )
    if thing.owner == owner:
        return thing
    mine: CatalogObject = dataclasses.replace(thing, owner=owner)  # type: ignore[arg-type]
    return today if today is not None and mine == today else mine


def grants(things: Mapping[Oid, CatalogObject], newest: Catalog) -> Iterator[Grant]:
    """Today's on these objects. On a table with columns that are gone: on each of those that are left."""
    unused = itertools.count(-1, -1)  # OIDs of the catalog are positive
    for grant in newest.objects(Grant):
        thing, today = things.get(grant.target), newest.get(grant.target)
        if thing is None:
            continue
        if isinstance(thing, Table) and isinstance(today, Table) and not grant.attnum:
            known = {c.attnum for c in today.visible}
            left = [c.attnum for c in thing.visible if c.attnum in known]
            if len(left) < len(thing.visible) and grant.grantee != today.owner:
                yield from (dataclasses.replace(grant, oid=next(unused), attnum=n) for n in left)
                continue
        yield grant


def changed_views(things: Mapping[Oid, CatalogObject], newest: Catalog) -> frozenset[Oid]:
    """Views that are not today's, or that read one that is not."""
    views = {oid: t for oid, t in things.items() if isinstance(t, View)}
    changed: set[Oid] = set()
    for oid, view in views.items():
        today = newest.get(oid)
        if not isinstance(today, View) or _defined(view) != _defined(today):
            changed.add(oid)
    more = changed
    while more:
        more = {oid for oid, v in views.items() if oid not in changed and not changed.isdisjoint(v.depends)}
        changed |= more
    return frozenset(changed)


def _defined(view: View) -> View:
    """What a view shows, whatever it is called and wherever it is."""
    return dataclasses.replace(view, name="", schema_oid=0, owner=DEFAULT_OWNER)


__all__ = ["NOBODY", "changed_views", "gone", "grants", "last_owners", "owned"]
