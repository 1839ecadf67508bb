"""Locking queries in LATERAL, which name columns of the query around them: how pgqueuer takes jobs of each kind that it works at.

    FROM kinds k CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name ORDER BY j.id LIMIT 5 FOR UPDATE SKIP LOCKED) x WHERE k.free

    each     SELECT DISTINCT k.name FROM kinds k WHERE k.free         -> 'mail', 'print'
    part w0  SELECT j.id FROM jobs j WHERE j.kind = $1 ...            asked with 'mail', then with 'print': its rows, and the value behind them
    FROM kinds k CROSS JOIN LATERAL (SELECT c0 FROM w0 WHERE w0.k0 IS NOT DISTINCT FROM k.name) x WHERE k.free

A part of a statement that locks rows runs before the rest (`planner.binding.locking`). What it names of the query around it are parameters of
it (`Standing`), so each time that it is asked it is a query like any other: it waits, skips, and stops at its own LIMIT. It is asked for the values
that the items of FROM before it have, in those rows of which WHERE does not say no without looking at it. PostgreSQL asks as often as its
plan comes by there, which a LIMIT around it may end sooner.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import Each, PlanError, Slot, TypeRef
from planner.binding import ir
from planner.binding.fragments import Frag, Item, Ref, join, sql
from planner.binding.keyed import expressions as keyed
from planner.binding.numeric_forms import column_form
from planner.binding.parameters import NUMBER_MAX

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder
    from planner.binding.scope import Scope
    from planner.binding.state import BoundQuery

_NUMBER: Final = re.compile(r"\$(\d+)")
_VARIABLES_MAX: Final = 1_000
"""Parameters of PL/pgSQL's variables are numbered as they are met: so many may still come."""
_NOT_CARRIED: Final = (t.RECORD, t.RECORD_ARRAY, t.UNKNOWN, t.VOID)


@dataclass(slots=True, eq=False)
class Standing:
    """Columns around a locking query, and the parameters that stand for them in it."""

    queries: QueryBinder
    scope: Scope
    what: str
    position: int
    first: int = 0
    values: list[ir.Var] = field(default_factory=list)

    def instead(self, queries: QueryBinder, node: ir.Node, at: Scope) -> ir.Node:
        """A column around it, as the query is to see it. Raises 0A000 where it cannot be asked once for each value of it."""
        if isinstance(node, ir.Var):
            return self._parameter(queries, node, at)
        return ir.replace_children(node, lambda n: self.instead(queries, n, at))

    def _parameter(self, queries: QueryBinder, var: ir.Var, at: Scope) -> ir.Node:
        above = self.scope.parent
        assert above is not None
        if var.type.oid in _NOT_CARRIED or (above is not at and between(above, at)):
            raise PlanError(
                "0A000",
                f"{self.what} is not supported in a subquery that depends on the query around it",
                position=self.position,
            )
        queries.use(var)
        inner: Scope | None = above
        while inner is not None and inner is not at:
            inner.outer.append(var)
            inner = inner.parent
        if var not in self.values:
            if not self.values:
                self.first = 1 + max(queries.parameters.highest, *_numbers(queries.text))
                if queries.variables is not None:
                    self.first += _VARIABLES_MAX
            number = queries.parameters.stand(self.first, var.type)
            self.first = self.first if self.values else number
            self.values.append(var)
        return ir.Parm(var.type, self.first + self.values.index(var), var.position)

    def is_of(self, name: str, slot: str, bound: BoundQuery) -> Frag:
        """The condition that a row of the part (called `name`) was found for the row around it; notes what the part is to be asked for."""
        if any(c.type.oid in _NOT_CARRIED for c in bound.columns):
            raise PlanError(
                "0A000", f"{self.what} in LATERAL of rows as values is not supported", position=self.position
            )
        self.queries.locked_each[slot] = Asks(
            tuple(self.values), self.first, tuple(c.type for c in bound.columns), _levels(self)
        )
        tests = [
            sql(f"{name}.k{i} IS NOT DISTINCT FROM ", _carried(self.queries, var))
            for i, var in enumerate(self.values)
        ]
        return join(" AND ", tests)


@dataclass(frozen=True, slots=True)
class Asks:
    """Of which rows a locking query is to be asked; which conditions they pass is known when all of the statement is bound."""

    values: tuple[ir.Var, ...]
    first: int
    shown: tuple[TypeRef, ...]
    levels: tuple[tuple[Frag, Scope], ...]

    def finished(self, queries: QueryBinder, slot: str) -> Each:
        from planner.binding.locking import around_of

        known = {r.number: r for _, scope in self.levels for r in scope.relations}
        tests: list[Item] = []
        for _, scope in self.levels:
            for c in keyed.conjuncts(scope.where):
                columns = [n for n in ir.walk(c) if isinstance(n, ir.Var)]
                if not columns or ir.varies(c) or any(_asks(n, slot) for n in ir.walk(c)):
                    continue
                if all(n.relation in known and not known[n.relation].nullable for n in columns) and _within(
                    columns, self.levels
                ):
                    tests.append(sql("(", queries.emitter.frag(c), ")"))
        items = [sql(_carried(queries, var), f" AS k{i}") for i, var in enumerate(self.values)]
        text = sql(
            "SELECT DISTINCT ", join(", ", items), " FROM ", join(", ", [frag for frag, _ in self.levels])
        )
        if tests:
            text = sql(text, " WHERE ", join(" AND ", tests))
        around = around_of(queries, text)
        if around:
            text = sql("WITH RECURSIVE ", join(", ", around), " ", text)
        return Each(queries.finished(text), tuple(v.type for v in self.values), self.first, self.shown)


def between(scope: Scope, at: Scope) -> Standing | None:
    """The locking query, if any, within which a name is that is found outside of it."""
    inner: Scope | None = scope
    while inner is not None and inner is not at:
        if inner.standing is not None:
            return inner.standing
        inner = inner.parent
    return None


def _levels(standing: Standing) -> tuple[tuple[Frag, Scope], ...]:
    """The items of FROM before it that lead to its values, from the outside in. Raises 0A000 where they are not before it."""
    found: list[tuple[Frag, Scope]] = []
    wanted = {v.relation for v in standing.values}
    met: set[int] = set()
    at = standing.scope.parent
    while at is not None:
        here = {r.number for r in at.relations}
        if at.before and here & wanted:
            items = join(", ", [source.frag for source in at.before])
            found.insert(0, (items, at.query or at))
            wanted |= {p.relation for p in items.parts if isinstance(p, Ref)}
            met |= here
        at = at.parent
    if not {v.relation for v in standing.values} <= met:
        raise PlanError(
            "0A000",
            f"{standing.what} is not supported in a subquery that depends on the query around it",
            position=standing.position,
        )
    return tuple(found)


def _within(columns: Sequence[ir.Var], levels: Sequence[tuple[Frag, Scope]]) -> bool:
    """Whether the columns are all of relations that stand before the part in FROM."""
    texts = [p for frag, _ in levels for p in frag.parts if isinstance(p, str)]
    return all(any(re.search(rf" AS r{v.relation}\b", p) for p in texts) for v in columns)


def _asks(node: ir.Node, slot: str) -> bool:
    return isinstance(node, ir.SubQuery) and Slot(slot) in node.query.parts


def _carried(queries: QueryBinder, var: ir.Var) -> Frag:
    """A value as the part is given it, and as it comes back behind the part's rows."""
    return queries.canonical(queries.emitter.frag(var), var.type).with_form(column_form(var.type))


def _numbers(text: str) -> list[int]:
    """The numbers of parameters that the text names, and 0."""
    return [0, *(n for n in map(int, _NUMBER.findall(text)) if n <= NUMBER_MAX)]


__all__ = ["Asks", "Standing", "between"]
