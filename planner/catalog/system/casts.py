"""Users' casts as tools ask for them: rows of pg_cast."""

from __future__ import annotations

from planner.catalog.routine_objects import Cast
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows


def pg_cast(context: SystemContext) -> Rows:
    """PostgreSQL's own, and those that CREATE CAST has made."""
    make = RowMaker("pg_cast")
    return [
        *static_rows("pg_cast"),
        *(
            make(
                oid=c.oid,
                castsource=c.source,
                casttarget=c.target,
                castfunc=c.function,
                castcontext=c.context,
                castmethod=c.method,
            )
            for c in context.catalog.objects(Cast)
        ),
    ]


__all__ = ["pg_cast"]
