"""Users' operators as tools ask for them: rows of pg_operator."""

from __future__ import annotations

from planner.catalog.objects import Role
from planner.catalog.routine_objects import Operator
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows


def pg_operator(context: SystemContext) -> Rows:
    """PostgreSQL's own, and those that CREATE OPERATOR has made."""
    make = RowMaker("pg_operator")
    found = list(static_rows("pg_operator"))
    for o in context.catalog.objects(Operator):
        owner = context.catalog.role(o.owner)
        found.append(
            make(
                oid=o.oid,
                oprname=o.name,
                oprnamespace=o.schema_oid,
                oprowner=owner.oid if isinstance(owner, Role) else 0,
                oprkind="b" if o.left else "l",
                oprcanmerge=o.merges,
                oprcanhash=o.hashes,
                oprleft=o.left,
                oprright=o.right,
                oprresult=o.result,
                oprcom=o.commutator,
                oprnegate=o.negator,
                oprcode=o.function,
                oprrest=o.restrict,
                oprjoin=o.join,
            )
        )
    return found


__all__ = ["pg_operator"]
