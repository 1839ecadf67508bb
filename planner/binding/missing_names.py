"""Names that nothing visible has: PostgreSQL's guess at what was meant.

    FROM people p WHERE people.id = 1                 the alias hides the name            "Perhaps you meant ... alias"
    FROM a, (SELECT a.x) s                            a is there, but not to be seen      "There is an entry for ..."
    FROM a FULL JOIN LATERAL (SELECT a.x) s ON true   what such a join forbids            DETAIL

A scope's `beyond` are the relations of its level that its names do not reach, `barred` those that a join's kind keeps
from LATERAL.
"""

from __future__ import annotations

from collections.abc import Sequence

from planner.abc import PlanError
from planner.binding.scope import Relation, Scope


def missing_relation(scope: Scope, name: str, position: int) -> PlanError:
    """For `name.column` where no visible relation is called so: 42P01."""
    at: Scope | None = scope
    while at is not None:
        for r in (*at.relations, *_barred(at), *at.beyond):
            if r.name != name and not _is_of(r, name):
                continue
            if r.name == name and r in _barred(at):
                return _out_of_reach(at, r, position)
            message = f'invalid reference to FROM-clause entry for table "{name}"'
            if r.name != name and r in at.relations:
                hint = f'Perhaps you meant to reference the table alias "{r.name}".'
            else:
                hint = f'There is an entry for table "{r.name}", but it cannot be referenced from this part of the query.'
            return PlanError("42P01", message, position=position, hint=hint)
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


def barred_column(scope: Scope, name: str, position: int) -> PlanError | None:
    """For a bare name that a relation has which LATERAL may not look at: 42P10."""
    at: Scope | None = scope
    while at is not None:
        for r in _barred(at):
            if any(c.name == name and not c.hidden for c in r.columns):
                return _out_of_reach(at, r, position)
        at = at.parent
    return None


def _barred(at: Scope) -> Sequence[Relation]:
    return at.barred if at.target is None else (*at.barred, at.target)


def _out_of_reach(at: Scope, relation: Relation, position: int) -> PlanError:
    hint = detail = ""
    if relation is at.target:
        hint = f'There is an entry for table "{relation.name}", but it cannot be referenced from this part of the query.'
    else:
        detail = "The combining JOIN type must be INNER or LEFT for a LATERAL reference."
    message = f'invalid reference to FROM-clause entry for table "{relation.name}"'
    return PlanError("42P10", message, position=position, detail=detail, hint=hint)
