"""What a definition takes and builds on, as others may not take or remove it before it is everybody's.

    CREATE TABLE s.t (c color DEFAULT f())      the name s.t; the schema s, its owner, the type color, the function f
    CREATE OR REPLACE VIEW v AS ... FROM t      what the query reads and v has not read so far
    DROP TYPE color                             nothing: but nobody may have come to use it meanwhile (`newcomers`)

What an object says of others is known (`planner.catalog.uses`): here it is asked about what one change adds to that. Of names in
expressions it is known that they are said, not what they mean: everything of that name is meant.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator
from typing import TYPE_CHECKING

from planner.abc import Oid, Table
from planner.catalog.indexed import RELATIONS
from planner.catalog.objects import CatalogChange, CatalogObject, Extension, Role, Schema, Sequence, View
from planner.catalog.routine_objects import Function
from planner.catalog.row_types import relation_of
from planner.catalog.user_types import USER_TYPES
from planner.catalog.uses import of_role, uses
from planner.types import element_of
from planner.types.of_extensions import EXTENSION_OF

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog


def name_of(thing: CatalogObject) -> tuple[Hashable, ...] | None:
    """What only one object can be called at a time; None: others may be called so, or nobody asks."""
    match thing:
        case Function(schema_oid=home, name=name, signature=signature):
            return "function", home, name, *signature
        case Schema(database_oid=home, name=name) | Extension(database_oid=home, name=name):
            return type(thing).__name__, home, name
        case Role(name=name):
            return "role", name
    if isinstance(thing, (*RELATIONS, *USER_TYPES)):  # a relation's rows are a type of its name
        return "relation", thing.schema_oid, thing.name
    return None


def built_on(catalog: Catalog, change: CatalogChange) -> set[Oid]:
    """What somebody else must not remove from under a change: by OID, where it has one that a session's definitions can have."""
    old, new = change.old, change.new
    if new is None:
        return set()
    added = uses(new) if old is None else uses(new) - uses(old)
    found = {x for x in added if not isinstance(x, str)}
    home = getattr(new, "schema_oid", 0)
    if home and home != getattr(old, "schema_oid", 0):
        found.add(home)
    if old is None and not getattr(new, "class_oid", 0):
        found.add(getattr(new, "target", 0))
    for word in added:
        if not isinstance(word, str):
            continue
        if word.startswith("\0"):
            role = catalog.role(word.removeprefix(of_role("")))
            if role is not None:
                found.add(role.oid)
            continue
        found.update(f.oid for f in catalog.named_functions(word))
        found.update(x.oid for x in catalog.called(word) if isinstance(x, Sequence))
    return {_whole(catalog, oid) for oid in found} - {0, new.oid}


def _whole(catalog: Catalog, oid: Oid) -> Oid:
    """What is removed with what an OID says: of a constraint or trigger whose it is, of rows their relation, of arrays the elements'
    type, of an extension's type the extension; 0: nothing that a session has made."""
    if relation := relation_of(oid):
        return relation
    oid = element_of(oid) or oid
    if name := EXTENSION_OF.get(oid):
        extension = catalog.extension(name)
        return extension.oid if extension is not None else 0
    thing = catalog.get(oid) or catalog.holder_of(oid)
    return thing.oid if thing is not None else 0


def newcomers(
    newest: Catalog, own: Catalog, change: CatalogChange, touched: Container[Oid]
) -> Iterator[CatalogObject]:
    """Who builds on what a change removes, and did not where the change was made: `own` is the catalog after it, and
    `touched` what was changed together with it."""
    old, new = change.old, change.new
    if old is None or (new is not None and _stands(old, new)):
        return
    use = of_role(old.name) if isinstance(old, Role) else old.oid
    for user in newest.everywhere_using(use):
        known = own.get(user.oid)
        if user.oid not in touched and (known is None or use not in uses(known)):
            yield user
    if isinstance(old, Schema) and new is None:
        yield from (thing for thing in newest.inside(old.oid) if thing.oid not in touched)


def _stands(old: CatalogObject, new: CatalogObject) -> bool:
    """Whether who builds on the old definition can go on under the new one: of relations the columns that it had count."""
    if isinstance(old, Table) and isinstance(new, Table):
        now = {c.attnum: (c.name, c.type) for c in new.columns}
        return all(now.get(c.attnum) == (c.name, c.type) for c in old.columns)
    if isinstance(old, View) and isinstance(new, View):
        return old.columns == new.columns[: len(old.columns)]
    return True


__all__ = ["built_on", "name_of", "newcomers"]
