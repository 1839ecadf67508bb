"""information_schema: collations, and what columns, attributes and domains say of theirs, which is nothing of the default one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from planner.abc import Oid
from planner.catalog.collations import COLLATIONS, DEFAULT
from planner.catalog.objects import PG_CATALOG_OID
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.listings import schema_name
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.type_objects import Collation
from planner.types.encodings import encoding_named


def collation_facts(context: SystemContext, oid: Oid) -> dict[str, Any]:
    """The three columns that name a collation; nothing for the default one, and for none."""
    if oid in (0, DEFAULT):
        return {}
    made = context.catalog.get(oid)
    if isinstance(made, Collation):
        return _named(context, made.schema_oid, made.name)
    return _named(context, PG_CATALOG_OID, next(name for name, of in COLLATIONS.items() if of == oid))


def _named(context: SystemContext, schema_oid: Oid, name: str) -> dict[str, Any]:
    return {
        "collation_catalog": context.database,
        "collation_schema": schema_name(context, schema_oid),
        "collation_name": name,
    }


def _every(context: SystemContext) -> Iterator[dict[str, Any]]:
    """All that are for any encoding, or for UTF-8."""
    for name in COLLATIONS:
        yield _named(context, PG_CATALOG_OID, name)
    utf8 = encoding_named("UTF8")
    assert utf8 is not None
    for made in context.catalog.objects(Collation):
        if made.encoding in (-1, utf8.number):
            yield _named(context, made.schema_oid, made.name)


def _collations(context: SystemContext) -> Rows:
    make = RowMaker("collations", "information_schema", nulls=True)
    return [make(pad_attribute="NO PAD", **named) for named in _every(context)]


def _applicability(context: SystemContext) -> Rows:
    make = RowMaker("collation_character_set_applicability", "information_schema", nulls=True)
    return [make(character_set_name="UTF8", **named) for named in _every(context)]


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {
    "collation_character_set_applicability": _applicability,
    "collations": _collations,
}
