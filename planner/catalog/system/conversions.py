"""Users' conversions between encodings as tools ask for them: rows of pg_conversion, in words."""

from __future__ import annotations

from planner.abc import Oid
from planner.catalog import conversions as known
from planner.catalog.names import quote_identifier, quote_qualified
from planner.catalog.routine_objects import Conversion
from planner.catalog.system.classes import owner_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows
from planner.types.oids import BOOL, OID


def pg_conversion(context: SystemContext) -> Rows:
    make = RowMaker("pg_conversion")
    return list(static_rows("pg_conversion")) + [
        make(
            oid=c.oid,
            conname=c.name,
            connamespace=c.schema_oid,
            conowner=owner_oid(context.catalog, c.owner),
            conforencoding=c.source,
            contoencoding=c.target,
            conproc=c.function,
            condefault=c.default,
        )
        for c in context.catalog.objects(Conversion)
    ]


def _name(context: SystemContext, oid: Oid) -> tuple[str, str] | None:
    """Schema and name."""
    made = context.catalog.get(oid)
    if isinstance(made, Conversion):
        return context.catalog.schema_of(made.schema_oid).name, made.name
    return next((("pg_catalog", name) for name, own in known.own().items() if own == oid), None)


@system("pg_conversion_is_visible", (OID,), BOOL)
def _visible(context: SystemContext, oid: Oid | None) -> bool | None:
    found = _name(context, oid) if oid is not None else None
    if found is None:
        return None
    return known.found(context.catalog, found[1], "", context.search_path) == oid


def described(context: SystemContext, oid: Oid) -> str | None:
    """`conversion s.c`; None: there is none."""
    found = _name(context, oid)
    if found is None:
        return None
    bare = _visible(context, oid)
    return f"conversion {quote_identifier(found[1]) if bare else quote_qualified(*found)}"


__all__ = ["described", "pg_conversion"]
