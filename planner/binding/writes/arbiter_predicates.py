"""What ON CONFLICT (...) WHERE says of rows, and whether a partial index's predicate follows from it.

    ON CONFLICT (a) WHERE x > 7            the index has WHERE x > 5: every row that the clause means is in it (PostgreSQL's predtest.c)
    ON CONFLICT (a) WHERE status = $1      the index has WHERE status = 'new': it does when $1 is 'new'. PostgreSQL, which plans the
                                           statement for the values that it is executed with, asks the same question of them

So the second kind is planned with the index, and asked at each execution first, by a query of no table; 42P10 where the answer is no.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner.abc import Call, Col, Expr, Param, Query
from planner.binding import ir
from planner.binding.fragments import join, sql
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.partial_indexes import implies, said_of_rows
from planner.binding.scope import Scope

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

NO_ARBITER: Final = "there is no unique or exclusion constraint matching the ON CONFLICT specification"
_EQUAL: Final = "="


class ClausePredicate:
    """WHERE behind the columns of ON CONFLICT."""

    def __init__(
        self,
        queries: QueryBinder,
        bound: Callable[[exp.Expression, Scope], ir.Node],
        clause: tuple[exp.Expression, Scope],
        rows: tuple[Scope, int],
    ) -> None:
        """`clause` is the predicate in the scope of the statement; `rows` is a scope of the table's own rows, and the relation's number."""
        self._queries, self._bound, self._clause = queries, bound, clause
        self._rows, self._number = rows
        self._known: list[Expr] | None = None

    def leaves(self, needed: Sequence[exp.Expression]) -> list[exp.Expression] | None:
        """Those of an index's conditions that hang on values of parameters; None: one of them does not follow."""
        left = []
        for one in needed:
            wanted = self._of_rows(one)
            if wanted is not None and any(implies(g, wanted) for g in self._given()):
                continue
            if wanted is None or self._equal(wanted) is None:
                return None
            left.append(one)
        return left

    def hang_on(self, conditions: Sequence[exp.Expression]) -> None:
        """They are asked of the parameters before each execution."""
        for one in conditions:
            wanted = self._of_rows(one)
            assert wanted is not None
            value = self._equal(wanted)
            assert value is not None
            self._queries.arbiter_conditions.append(_put(self._bound(one, self._rows), self._number, value))

    def _given(self) -> list[Expr]:
        if self._known is None:
            self._known = said_of_rows(self._number, self._bound(*self._clause))
        return self._known

    def _of_rows(self, condition: exp.Expression) -> Expr | None:
        try:
            return keyed.expression(self._bound(condition, self._rows), {self._number: 0})
        except keyed.NotKeyed:
            return None

    def _equal(self, wanted: Expr) -> Param | None:
        """The parameter that the one column of a condition equals."""
        if self._queries.parameters.literals:
            return None  # it is planned again, with the literals in their places
        columns = set(_columns(wanted))
        for one in self._given():
            if isinstance(one, Call) and len(one.args) == 2 and one.op.split(" ")[1:2] == [_EQUAL]:
                a, b = one.args if isinstance(one.args[0], Col) else reversed(one.args)
                if {a} == columns and isinstance(b, Param):
                    return b
        return None


def _columns(e: Expr) -> list[Col]:
    if isinstance(e, Call):
        return [c for a in e.args for c in _columns(a)]
    return [e] if isinstance(e, Col) else []


def _put(node: ir.Node, number: int, value: Param) -> ir.Node:
    """A condition of the value in the place of the column."""
    if isinstance(node, ir.Var) and node.relation == number:
        given = ir.Parm(value.type, value.number)
        return given if value.type == node.type else ir.Cast(node.type, given)
    return ir.replace_children(node, lambda n: _put(n, number, value))


def asked_first(queries: QueryBinder) -> Query:
    """The query that raises 42P10 where one of the statement's conditions is not true."""
    conditions = [queries.emitter.frag(n) for n in queries.arbiter_conditions]
    refusal = f"error('[42P10] {NO_ARBITER}')"
    return queries.finished(
        sql("SELECT CASE WHEN ", join(" AND ", conditions), f" THEN 1 ELSE {refusal} END")
    )


__all__ = ["NO_ARBITER", "ClausePredicate", "asked_first"]
