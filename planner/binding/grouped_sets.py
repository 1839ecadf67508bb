"""Functions that return sets below others: in GROUP BY, in windows, as arguments of each other. The rows are multiplied first.

    SELECT unnest(tags) AS tag, count(*) FROM posts GROUP BY tag

    FROM posts, LATERAL (SELECT unnest(tags) AS s0) AS r7       several of them side by side, as far as the longest goes
    GROUP BY r7.s0

    SELECT generate_series(1, generate_series(1, 3))            the inner one is a column of such a relation
    SELECT rank() OVER (ORDER BY unnest(tags)) FROM posts       and so is what a window looks at
    SELECT generate_series(1, 1000000000)                       a long series of no table is a relation that nobody holds

The functions of keys become columns of one more relation below the grouping; above it there are only keys. A function
that is no key is called for each group, and one that is in nothing else is what it always was: a target that is many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from planner.binding import ir
from planner.binding.clauses import refuse_sets_in_branches, refuse_sets_inside
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import join, sql
from planner.binding.scope import FromStep, Relation, RelationColumn
from planner.binding.series import streamed
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.scope import Scope
    from planner.binding.state import Parts, QueryState

Keys = list[tuple[ir.Node, ...]]
_LEVELS_MAX: Final = 50
"""Functions in functions; deeper ones are refused where the query is written."""


def spread(queries: QueryState, parts: Parts, scope: Scope, sets: Keys | None) -> Keys | None:
    """The keys without functions that return sets: `parts` has a source with their rows. Raises 0A000 for one in another."""
    keys = dict.fromkeys(k for s in sets or () for k in s)
    calls = dict.fromkeys(n for k in keys for n in ir.walk(k) if isinstance(n, ir.SetReturning))
    if sets is None or not calls:
        return sets
    for key in keys:
        refuse_sets_inside(key)
    columns = _below(queries, parts, scope, list(calls))
    spread_keys = {k: _swapped(k, columns) for k in keys}
    _in_all(parts, spread_keys)
    return [tuple(spread_keys[k] for k in s) for s in sets]


def below(queries: QueryState, parts: Parts, scope: Scope) -> None:
    """Functions that are arguments of others, or in windows, get columns of their own. Level by level: those in others
    beside all that are in none, as PostgreSQL does."""
    if parts.source is None and _is_series(queries, parts, scope):
        return
    for _ in range(_LEVELS_MAX):
        nodes = _asked(parts)
        found = dict.fromkeys(_all(nodes))
        if not found:
            return
        if any(_all([k.expr]) for k in parts.order):
            scope.steps = []  # there are more rows than the keyed engine would find
        windows = [w for n in nodes for w in ir.walk(n) if isinstance(w, ir.Window)]
        innermost = [c for c in found if not _all(c.args)]
        if windows:  # they see the rows before these are multiplied by what is in none of them
            windowed = set(_all(child for w in windows for child in ir.children(w)))
            calls = [c for c in innermost if c in windowed]
        else:
            calls = innermost if len(innermost) < len(found) else []
        if not calls:
            return
        for node in nodes:
            refuse_sets_in_branches(node)
        _in_all(parts, _below(queries, parts, scope, calls))


def _is_series(queries: QueryState, parts: Parts, scope: Scope) -> bool:
    """Whether the rows are those of a series alone, which is the source then (`series.streamed`)."""
    nodes = _asked(parts)
    calls = list(dict.fromkeys(_all(nodes)))
    if len(calls) != 1 or parts.grouped or parts.having is not None:
        return False
    if any(isinstance(n, ir.Aggregate | ir.Window) for node in nodes for n in ir.walk(node)):
        return False
    rows = streamed(queries.emitter, calls[0])
    if rows is None:
        return False
    for node in nodes:
        refuse_sets_in_branches(node)
    number = queries.next_relation()
    queries.declare(number, [EmittedColumn("c0")])
    parts.source = sql("(", rows, f") AS r{number}")
    relation = Relation(number, "", [RelationColumn("c0", calls[0].type)], scalar=True, visible=False)
    scope.steps = [FromStep(relation, spread=(calls[0],))]
    _in_all(parts, {calls[0]: ir.Var(calls[0].type, number, 0)})
    return True


def _asked(parts: Parts) -> list[ir.Node]:
    return [*(x.node for x in parts.targets), *(k.expr for k in parts.order), *(parts.distinct_on or ())]


def _all(nodes: Iterable[ir.Node]) -> list[ir.SetReturning]:
    return [n for node in nodes for n in ir.walk(node) if isinstance(n, ir.SetReturning)]


def _below(
    queries: QueryState, parts: Parts, scope: Scope, calls: Sequence[ir.SetReturning]
) -> dict[ir.Node, ir.Node]:
    """What stands for each of the calls, which are side by side in one more relation of the source."""
    scope.steps = []
    number = queries.next_relation()
    frags = [queries.emitter.frag(call) for call in calls]
    queries.declare(number, [EmittedColumn(f"s{i}", f.form) for i, f in enumerate(frags)])
    rows = sql("(SELECT ", join(", ", [sql(f, f" AS s{i}") for i, f in enumerate(frags)]), f") AS r{number}")
    parts.source = rows if parts.source is None else sql(parts.source, ", LATERAL ", rows)
    return {c: ir.Var(c.type, number, i) for i, c in enumerate(calls)}


def _in_all(parts: Parts, keys: dict[ir.Node, ir.Node]) -> None:
    for x in parts.targets:
        x.node = _swapped(x.node, keys)
    parts.order = [replace(k, expr=_swapped(k.expr, keys)) for k in parts.order]
    if parts.distinct_on is not None:
        parts.distinct_on = [_swapped(n, keys) for n in parts.distinct_on]
    if parts.having is not None:
        parts.having = _swapped(parts.having, keys)


def _swapped(node: ir.Node, others: dict[ir.Node, ir.Node]) -> ir.Node:
    found = others.get(node)
    return found if found is not None else ir.replace_children(node, lambda n: _swapped(n, others))


__all__ = ["below", "spread"]
