"""Keys of windows that DuckDB does not take: computed one storey below the windows.

DuckDB refuses PARTITION BY and ORDER BY of a window over what it holds to be volatile, and its `error()` is: so over
every macro that may raise, and over what asks the session; and over a subquery with windows of its own, of which `ARRAY(SELECT ... ORDER BY ...)` is made. As with a grouping, the query is then written in two storeys:

    SELECT rank() OVER (ORDER BY a / b), c FROM t WHERE d

    SELECT rank() OVER (ORDER BY r7.k0), r7.k1          windows over columns
    FROM (SELECT tw_div(r1.a, r1.b) AS k0, r1.c AS k1   keys, and the columns that are used above
          FROM t AS r1 WHERE r1.d) AS r7
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from planner.binding import ir, told_rows
from planner.binding.collating import standing_for, told_apart
from planner.binding.comparable import comparable
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.functions.sequences import PID
from planner.binding.prelude.installation import PRELUDE_STATEMENTS
from planner.binding.scope import Scope

if TYPE_CHECKING:
    from planner.binding.state import Parts
    from planner.binding.writing import QueryWriter

_CALL = re.compile(r"(\w+)\(")
_OVER = re.compile(r"\bOVER\b")
_MACRO = re.compile(r"CREATE (?:OR REPLACE )?MACRO (\w+)")


@functools.cache
def _raising() -> frozenset[str]:
    """`error`, and the macros that call it, however far down."""
    calls = {
        found[1]: set(_CALL.findall(text, found.end()))
        for text in PRELUDE_STATEMENTS
        if (found := _MACRO.match(text))
    }
    raising = {"error"}
    while more := {name for name, called in calls.items() if name not in raising and called & raising}:
        raising |= more
    return frozenset(raising)


def _refused(frag: Frag) -> bool:
    return PID in frag.parts or any(
        isinstance(p, str) and (_OVER.search(p) is not None or not _raising().isdisjoint(_CALL.findall(p)))
        for p in frag.parts
    )


def lift(writer: QueryWriter, parts: Parts, scope: Scope) -> None:
    """Puts the storey below under a query that needs it."""
    nodes = [x.node for x in parts.targets] + [k.expr for k in parts.order] + list(parts.distinct_on or ())
    windows = [n for node in nodes for n in ir.walk(node) if isinstance(n, ir.Window)]
    if not windows:
        return
    storey = _Storey(writer, {r.number for r in scope.relations} | {parts.grouping})
    if not any(storey.refused(k) for w in windows for k in (*w.partition, *(o.expr for o in w.order))):
        return
    for x in parts.targets:
        x.node = storey.lift(x.node)
    parts.order = [ir.SortKey(storey.lift(k.expr), k.descending, k.nulls_first) for k in parts.order]
    if parts.distinct_on is not None:
        parts.distinct_on = [storey.lift(n) for n in parts.distinct_on]
    parts.source, parts.where = storey.written(parts.source, parts.where), None


class _Storey:
    def __init__(self, writer: QueryWriter, own: set[int]) -> None:
        self._writer = writer
        self._own = own
        self._number = writer.next_relation()
        writer.declare(self._number, [])
        self._places: dict[ir.Node, int] = {}
        self._items: list[Item] = []

    def refused(self, node: ir.Node) -> bool:
        if ir.varies(node):
            return True
        emit = self._writer.emitter
        return _refused(emit.sort_key(node)) or _refused(
            comparable(emit.frag(node), node.type, told_apart(node))
        )

    def lift(self, node: ir.Node) -> ir.Node:
        if node in self._places or (isinstance(node, ir.Var) and node.relation in self._own):
            return self._column(node)
        if isinstance(node, ir.Window):
            keys = (*node.partition, *(k.expr for k in node.order))
            for key in keys:
                if self.refused(key):
                    self._column(key)
        return ir.replace_children(node, self.lift)

    def _column(self, node: ir.Node) -> ir.Node:
        emit = self._writer.emitter
        at = self._places.get(node)
        if at is None:
            at = self._places[node] = len(self._items)
            frag = emit.frag(node)
            self._items.append(sql(frag, f" AS k{at}"))
            emit.columns[self._number].append(EmittedColumn(f"k{at}", frag.form))
        return standing_for(node, ir.Var(node.type, self._number, at))

    def written(self, source: Frag | None, where: ir.Node | None) -> Frag:
        emit = self._writer.emitter
        items: list[Item] = ["(SELECT ", join(", ", self._items)]
        items += [" FROM ", source] if source is not None else []
        items += [" WHERE ", emit.frag(where)] if where is not None else []
        made = sql(*items, f") AS r{self._number}")
        return told_rows.marked(emit, self._number, [n.type for n in self._places], made)
