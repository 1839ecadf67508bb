"""Whose rows policies restrict, and which policies these are: row-level security as far as the catalog decides it.

    superusers, BYPASSRLS                 never
    the owner, and who is in that role    where FORCE ROW LEVEL SECURITY was said
    everybody else                        while ROW LEVEL SECURITY is enabled

A command is for those rows that at least one permissive policy of it, and every restrictive one, holds for; where no
permissive one is for the role there is no such row. The rules are PostgreSQL's (`get_row_security_policies`), and so is
its order: restrictive policies are asked by name.
"""

from __future__ import annotations

from typing import Final

from planner.abc import Policy, Table
from planner.catalog import rights
from planner.catalog.catalog import Catalog
from planner.catalog.objects import Role

SELECT: Final = "r"
INSERT: Final = "a"
UPDATE: Final = "w"
DELETE: Final = "d"
ALL: Final = "*"
PUBLIC: Final = 0


def restricts(catalog: Catalog, table: Table, role: str) -> bool:
    """Whether a role sees and writes the table's rows through its policies only."""
    if not table.row_security or rights.is_superuser(catalog, role):
        return False
    known = catalog.role(role)
    if known is not None and known.bypass_rls:
        return False
    return table.force_row_security or not rights.owns(catalog, role, table)


def of_command(catalog: Catalog, table: Table, role: str, command: str) -> tuple[list[Policy], list[Policy]]:
    """The permissive and the restrictive policies that a command of a role is under."""
    mine = rights.roles_of(catalog, role)

    def is_for(policy: Policy) -> bool:
        for oid in policy.roles:
            if oid == PUBLIC:
                return True
            group = catalog.get(oid)
            if isinstance(group, Role) and group.name in mine:
                return True
        return False

    asked = [p for p in table.policies if p.command in (command, ALL) and is_for(p)]
    return [p for p in asked if p.permissive], [p for p in asked if not p.permissive]


def refusal(catalog: Catalog, table: Table, role: str) -> tuple[str, str]:
    """Message and hint for who says `row_security = off` and would be restricted."""
    hint = ""
    if rights.owns(catalog, role, table):
        hint = "To disable the policy for the table's owner, use ALTER TABLE NO FORCE ROW LEVEL SECURITY."
    return f'query would be affected by row-level security policy for table "{table.name}"', hint


__all__ = ["ALL", "DELETE", "INSERT", "PUBLIC", "SELECT", "UPDATE", "of_command", "refusal", "restricts"]
