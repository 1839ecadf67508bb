"""What may not stand in which clause: functions that return sets, and functions that change their minds.

A query's clauses are bound with the clause's name in the scope (`Scope.clause`). The expressions of definitions
(CHECK, DEFAULT, generated columns, indexes) are bound as a query's only column, and `PlanContext.clause` says what
that column is in truth. PostgreSQL's words are those of `check_srf_call_placement` and `CheckMutability`.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from planner.abc import PlanError
from planner.binding import ir
from planner.errors import NotImmutable
from planner.parse import position as first_position

ROW_FILTERS: Final = "row filters"
_STEADY: Final = {
    "column generation expressions": "generation expression is not immutable",
    "index expressions": "functions in index expression must be marked IMMUTABLE",
    "partition key expressions": "functions in partition key expression must be marked IMMUTABLE",
    "index predicates": "functions in index predicate must be marked IMMUTABLE",
    ROW_FILTERS: "functions in a publication's row filter must be immutable",
}
"""Where the answer must be the same forever."""
DEFINITIONS: Final = frozenset(
    (
        *_STEADY,
        "check constraints",
        "DEFAULT expressions",
        "partition bound",
        "statistics expressions",
        "transform expressions",
        "COPY FROM WHERE conditions",
    )
)

ONCE: Final = ("", "DEFAULT expressions", "check constraints", "partition bound", "transform expressions")
"""Clauses whose expressions are computed when rows are written or a partition is made, and never again: they may be queries, and run."""


def refuse_into(node: exp.Select) -> None:
    """Raises 42601 for SELECT ... INTO within another statement; a whole one has lost its INTO before."""
    into = node.args.get("into")
    if into is not None:
        raise PlanError("42601", "SELECT ... INTO is not allowed here", position=first_position(into))


def refuse_sets(node: ir.Node, clause: str) -> None:
    """Raises 0A000 for a set-returning function where there may be none at all."""
    for n in ir.walk(node):
        if isinstance(n, ir.SetReturning):
            raise PlanError(
                "0A000", f"set-returning functions are not allowed in {clause}", position=n.position
            )


def refuse_sets_inside(node: ir.Node) -> None:
    """Raises 0A000 for a set-returning function in CASE or COALESCE, which compute only what they need, and in another one."""
    for n in ir.walk(node):
        if isinstance(n, ir.SetReturning):
            for inner in (x for arg in n.args for x in ir.walk(arg)):
                if isinstance(inner, ir.SetReturning):
                    raise PlanError(
                        "0A000",
                        "a set-returning function as an argument of another one is not supported",
                        hint="Move the inner function into a subquery in FROM.",
                        position=inner.position,
                    )
    refuse_sets_in_branches(node)


def refuse_sets_in_branches(node: ir.Node) -> None:
    """Raises 0A000 for a set-returning function in CASE or COALESCE, 42804 for one in a condition of CASE."""
    for n in ir.walk(node):
        if isinstance(n, ir.Logic) and n.op in ("case", "coalesce") and not _is_of_type_alone(n):
            for at, inner in ((at, x) for at, arg in enumerate(n.args) for x in ir.walk(arg)):
                if isinstance(inner, ir.SetReturning):
                    if n.op == "case" and at % 2 == 0 and at + 1 < len(n.args):
                        said = "argument of CASE/WHEN must not return a set"
                        raise PlanError("42804", said, position=inner.position)
                    raise PlanError(
                        "0A000",
                        f"set-returning functions are not allowed in {n.op.upper()}",
                        hint="You might be able to move the set-returning function into a LATERAL FROM item.",
                        position=inner.position,
                    )


def _is_of_type_alone(node: ir.Logic) -> bool:
    """Whether it is what `pg_typeof(unnest(a))` becomes: the answer is one, known already, and only asks for its rows."""
    return node.op == "case" and len(node.args) == 3 and node.args[1] is node.args[2]


def refuse_sets_below(call: ir.Node) -> None:
    """Raises 0A000 for a set-returning function that is not all that an item of FROM is."""
    for n in ir.walk(call)[1:]:
        if isinstance(n, ir.SetReturning):
            raise PlanError(
                "0A000", "set-returning functions must appear at top level of FROM", position=n.position
            )


def refuse_unsteady(clause: str, position: int = 0) -> None:
    """Raises 42P17 in a clause whose functions must be immutable: one that is not has been met.

    A publication's row filter is refused in words of its own, which say where (`planner.binding.rights.row_filters`).
    """
    if clause in _STEADY:
        raise NotImmutable("42P17", _STEADY[clause], position=position if clause == ROW_FILTERS else 0)
