"""Names that nothing visible has: PostgreSQL's guess at what was meant.

    FROM people p WHERE people.id = 1                 the alias hides the name            "Perhaps you meant ... alias"
    FROM a, (SELECT a.x) s                            a is there, but not to be seen      "There is an entry for ..."
    FROM a FULL JOIN LATERAL (SELECT a.x) s ON true   what such a join forbids            DETAIL

A scope's `beyond` are the relations of its level that its names do not reach, `barred` those that a join's kind keeps
from LATERAL.
"""

from __future__ import annotations

from planner.abc import PlanError
from planner.binding.scope import Relation, Scope, similar_column


def missing_relation(scope: Scope, name: str, position: int) -> PlanError:
    """For `name.column` where no visible relation is called so: 42P01."""
    at: Scope | None = scope
    while at is not None:
        for r in (*at.relations, *at.barred, *at.beyond):
            if r.name != name and not _is_of(r, name):
                continue
            message = f'invalid reference to FROM-clause entry for table "{name}"'
            hint = detail = ""
            if r in at.barred:
                detail = "The combining JOIN type must be INNER or LEFT for a LATERAL reference."
            elif r.name != name and r in at.relations:
                hint = f'Perhaps you meant to reference the table alias "{r.name}".'
            else:
                hint = f'There is an entry for table "{r.name}", but it cannot be referenced from this part of the query.'
            return PlanError("42P01", message, position=position, detail=detail, hint=hint)
        at = at.parent
    return PlanError("42P01", f'missing FROM-clause entry for table "{name}"', position=position)


def missing_table(scope: Scope, name: str, shown: str, position: int) -> PlanError:
    """For a relation that FROM names: 42P01. A WITH query that comes later may have been meant."""
    at: Scope | None = scope
    detail = hint = ""
    while at is not None and not detail:
        if name == shown and name in at.later:
            detail = f'There is a WITH item named "{name}", but it cannot be referenced from this part of the query.'
            hint = "Use WITH RECURSIVE, or re-order the WITH items to remove forward references."
        at = at.parent
    return PlanError(
        "42P01", f'relation "{shown}" does not exist', position=position, detail=detail, hint=hint
    )


def _is_of(relation: Relation, name: str) -> bool:
    return relation.visible and relation.table is not None and relation.table.name == name


def hint_for_column(scope: Scope, name: str) -> str:
    """For a bare name that no visible column has."""
    at: Scope | None = scope
    while at is not None:
        for r in (*at.barred, *at.beyond):
            if any(c.name == name and not c.hidden for c in r.columns):
                return (
                    f'There is a column named "{name}" in table "{r.name}", but it cannot be referenced from this '
                    "part of the query."
                )
        at = at.parent
    return similar_column(scope, name)
