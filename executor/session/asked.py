"""Queries that functions of our own are given as texts: planned and run in the session's block, as EXECUTE of a function that only reads does.

They run with the rights of who asks, see what the statement sees, and may not write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from executor.abc import PlanOutdated
from executor.procedural.misplaced import refuse_in_non_volatile
from executor.procedural.result_rows import rows_of
from planner.abc import Plan, SqlError

if TYPE_CHECKING:
    from executor.session.session import Session

_PLANNED_MAX: Final = 3


def planned(session: Session, query: str) -> Plan:
    """The plan, for those who want no rows. Raises what planning raises, and 0A000 for what writes."""
    try:
        plan, _ = session.plan(query)
    except PlanOutdated:
        raise
    except SqlError as error:
        raise _of_query(error, query) from None
    refuse_in_non_volatile(plan)
    return plan


async def run(session: Session, query: str) -> tuple[Plan, Any]:
    """The plan and its result. Raises what the query raises, with its text."""
    for tries_left in reversed(range(_PLANNED_MAX)):
        try:
            plan, params = session.plan(query)
            refuse_in_non_volatile(plan)
            rows = session.at_once(plan, params)
            return plan, rows if rows is not None else await session.run_plan(plan, params, autocommit=False)
        except PlanOutdated:
            if not tries_left:
                raise
        except SqlError as error:
            raise _of_query(error, query) from None
    raise AssertionError("unreachable")


async def rows(session: Session, query: str) -> list[Any]:
    """All rows of a small result."""
    _, result = await run(session, query)
    return [tuple(row) async for row in rows_of(result)]


def _of_query(error: SqlError, query: str) -> SqlError:
    """What is wrong with the text is shown in it."""
    if error.position and not error.query:
        error.query = query
        return error
    near = f'SQL statement "{query}"'
    error.context = f"{error.context}\n{near}" if error.context else near
    return error


__all__ = ["planned", "rows", "run"]
