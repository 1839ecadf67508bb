"""Row-level security as tools ask for it: pg_policy, pg_policies, row_security_active()."""

from __future__ import annotations

from collections.abc import Iterator

from planner.abc import Policy, Table
from planner.catalog import policies
from planner.catalog.catalog import Catalog
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.functions import regclass_in
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.written import policy_condition, spelled
from planner.types.oids import BOOL, OID, TEXT

_COMMANDS = {"*": "ALL", "r": "SELECT", "a": "INSERT", "w": "UPDATE", "d": "DELETE"}


def listed(catalog: Catalog) -> Iterator[tuple[Table, Policy]]:
    """All policies with their tables."""
    for table in catalog.objects(Table):
        for policy in table.policies:
            yield table, policy


def shown(context: SystemContext, table: Table, policy: Policy, text: str) -> str | None:
    """A condition as PostgreSQL writes it; None where there is none."""
    if not text:
        return None
    path = policy.search_path or context.search_path
    written = policy_condition(context.catalog, table, text, path, context.search_path)
    return written if written is not None else f"({spelled(text)})"


def pg_policy(context: SystemContext) -> Rows:
    make = RowMaker("pg_policy")
    return [
        make(
            oid=p.oid,
            polname=p.name,
            polrelid=table.oid,
            polcmd=p.command,
            polpermissive=p.permissive,
            polroles=list(p.roles),
            polqual=shown(context, table, p, p.using),
            polwithcheck=shown(context, table, p, p.check),
        )
        for table, p in listed(context.catalog)
    ]


def pg_policies(context: SystemContext) -> Rows:
    make = RowMaker("pg_policies")
    catalog = context.catalog

    def name_of(oid: int) -> str:
        return "public" if oid == policies.PUBLIC else str(getattr(catalog.get(oid), "name", ""))

    return [
        make(
            schemaname=catalog.schema_of(table.schema_oid).name,
            tablename=table.name,
            policyname=p.name,
            permissive="PERMISSIVE" if p.permissive else "RESTRICTIVE",
            roles=sorted(map(name_of, p.roles)),
            cmd=_COMMANDS[p.command],
            qual=shown(context, table, p, p.using),
            with_check=shown(context, table, p, p.check),
        )
        for table, p in listed(catalog)
    ]


@system("row_security_active", (OID,), BOOL)
def _active(context: SystemContext, oid: int | None) -> bool | None:
    if oid is None:
        return None
    found = context.catalog.get(oid)
    return isinstance(found, Table) and policies.restricts(context.catalog, found, context.user)


@system("row_security_active", (TEXT,), BOOL)
def _active_by_name(context: SystemContext, name: str | None) -> bool | None:
    if name is None:
        return None
    oid = regclass_in(context, name)
    found = context.catalog.get(oid) if oid is not None else None
    return isinstance(found, Table) and policies.restricts(context.catalog, found, context.user)


__all__ = ["listed", "pg_policies", "pg_policy", "shown"]
