"""Extensions: those that this database has, and those that it could have.

plpgsql is in every database, and nobody takes it away.
"""

from __future__ import annotations

from planner.catalog.objects import Extension
from planner.catalog.system.classes import owner_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.rowmaker import RowMaker
from planner.extensions import known

PLPGSQL = 13559
"""The OID of the extension that the language comes with."""


def pg_extension(context: SystemContext) -> Rows:
    make = RowMaker("pg_extension", nulls=True)
    plpgsql = make(
        oid=PLPGSQL, extname="plpgsql", extowner=10, extnamespace=11, extrelocatable=False, extversion="1.0"
    )
    return [plpgsql] + [
        make(
            oid=e.oid,
            extname=e.name,
            extowner=owner_oid(context.catalog, e.owner),
            extnamespace=e.schema_oid,
            extrelocatable=known()[e.name].relocatable,
            extversion=e.version,
        )
        for e in context.catalog.objects(Extension)
    ]


def pg_available_extensions(context: SystemContext) -> Rows:
    make = RowMaker("pg_available_extensions", nulls=True)
    return [
        make(
            name=k.name,
            default_version=k.version,
            installed_version=_installed(context, k.name),
            comment=k.comment,
        )
        for k in known().values()
    ]


def pg_available_extension_versions(context: SystemContext) -> Rows:
    make = RowMaker("pg_available_extension_versions", nulls=True)
    return [
        make(
            name=k.name,
            version=k.version,
            installed=_installed(context, k.name) is not None,
            superuser=k.superuser,
            trusted=k.trusted,
            relocatable=k.relocatable,
            comment=k.comment,
        )
        for k in known().values()
    ]


def _installed(context: SystemContext, name: str) -> str | None:
    found = context.catalog.extension(name)
    return found.version if found is not None else None
