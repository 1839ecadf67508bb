"""What windows are over, and what they draw, where DuckDB does not take it as it is written: computed one storey below the windows.

KEYS. DuckDB refuses PARTITION BY and ORDER BY of a window over what it holds to be volatile, and its `error()` is: so over
every macro that may raise, and over what asks the session; and over a subquery with windows of its own, of which
`ARRAY(SELECT ... ORDER BY ...)` is made. As with a grouping, the query is then written in two storeys:

    SELECT rank() OVER (ORDER BY a / b), c FROM t WHERE d

    SELECT rank() OVER (ORDER BY r7.k0), r7.k1          windows over columns
    FROM (SELECT tw_div(r1.a, r1.b) AS k0, r1.c AS k1   keys, and the columns that are used above
          FROM t AS r1 WHERE r1.d) AS r7

ARGUMENTS of a window's aggregate that are another value each time, of which its formula names several, are columns below as well
(`drawn_arguments` does it for groups); each row draws one, in the order of the window.

OTHER ROWS. What `lag` and its kin show of another row PostgreSQL computes when it is shown, so there the columns are looked up and the
value is drawn of them:

    lag(nextval('s') + x) OVER w        CASE WHEN lag(true) OVER w THEN nextval('s') + lag(x) OVER w END
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir, shapes, told_rows
from planner.binding.collating import standing_for, told_apart
from planner.binding.comparable import comparable
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.functions.sequences import PID
from planner.binding.prelude.installation import PRELUDE_STATEMENTS
from planner.binding.scope import Scope
from planner.records import replace

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


_OF_OTHER_ROWS: Final = frozenset({"lag", "lead", "first_value", "last_value", "nth_value"})
_BOOLEAN: Final = TypeRef(t.BOOL)


def lift(writer: QueryWriter, parts: Parts, scope: Scope) -> None:
    """Puts the storeys below under a query that needs them."""
    windows = _windows(parts)
    if not windows:
        return
    own = {r.number for r in scope.relations} | {parts.grouping}
    if any(_varies(writer, a) for w in windows for a in ir.children(w.call)):
        own = _drawn(writer, parts, own)
        windows = _windows(parts)
    storey = _Storey(writer, own)
    if any(storey.refused(k) for w in windows for k in _keys(w)):
        _put_below(parts, storey, lambda n: [k for k in _keys(n) if storey.refused(k)])


def _windows(parts: Parts) -> list[ir.Window]:
    nodes = [x.node for x in parts.targets] + [k.expr for k in parts.order] + list(parts.distinct_on or ())
    return [n for node in nodes for n in ir.walk(node) if isinstance(n, ir.Window)]


def _keys(window: ir.Window) -> list[ir.Node]:
    return [*window.partition, *(o.expr for o in window.order)]


def _varies(writer: QueryWriter, node: ir.Node) -> bool:
    return node.type.oid != t.RECORD and shapes.shape(node, writer.emitter.shapes).varies


def _drawn(writer: QueryWriter, parts: Parts, own: set[int]) -> set[int]:
    """Puts what windows' calls draw below them, as far as each row has one of its own. The relations above."""
    varies = functools.partial(_varies, writer)
    _change(parts, lambda n: _of_other_row(n, own, varies) if isinstance(n, ir.Window) else n)
    passing = [w for w in _windows(parts) if isinstance(w.call, ir.Aggregate)]
    passing = [w for w in passing if any(map(varies, ir.children(w.call)))]
    if not passing:
        return own
    if sorted_by := [*map(ir.SortKey, passing[0].partition), *passing[0].order]:
        storey = _Storey(writer, own, sorted_by)
        own = _put_below(parts, storey, lambda n: [k for k in _keys(n) if varies(k)])
    if any(varies(w.call.filter) for w in passing if isinstance(w.call, ir.Aggregate) and w.call.filter):
        storey = _Storey(writer, own)
        own = _put_below(parts, storey, lambda n: [x for x in _filter(n) if varies(x)])
    _change(parts, lambda n: _of_those_that_pass(n, varies) if isinstance(n, ir.Window) else n)
    storey = _Storey(writer, own)
    return _put_below(parts, storey, lambda n: [x for x in _arguments(n) if varies(x)])


def _filter(window: ir.Window) -> Sequence[ir.Node]:
    passed = window.call.filter if isinstance(window.call, ir.Aggregate) else None
    return () if passed is None else (passed,)


def _arguments(window: ir.Window) -> Sequence[ir.Node]:
    return window.call.args if isinstance(window.call, ir.Aggregate) else ()


def _of_those_that_pass(node: ir.Window, varies: Callable[[ir.Node], bool]) -> ir.Window:
    """The window with arguments that a row which does not pass FILTER does not draw."""
    call = node.call
    if not isinstance(call, ir.Aggregate) or (passed := call.filter) is None:
        return node
    args = [
        ir.Logic(a.type, "case", (passed, a, ir.Lit(a.type, None))) if varies(a) else a for a in call.args
    ]
    return replace(node, call=replace(call, args=tuple(args)))


def _of_other_row(node: ir.Window, own: set[int], varies: Callable[[ir.Node], bool]) -> ir.Node:
    """What is drawn of the columns of another row, once for each row that it is shown in."""
    call = node.call
    if not isinstance(call, ir.Call) or call.op.partition("(")[0] not in _OF_OTHER_ROWS:
        return node
    value, *others = call.args
    if not varies(value) or any(isinstance(n, shapes.BEFORE) for n in ir.walk(value)):
        return node
    name = call.op.partition("(")[0]
    op = f"{name}(anyelement{', int4' if others else ''})"

    def there(n: ir.Node) -> ir.Node:
        return replace(node, type=n.type, call=replace(call, type=n.type, op=op, args=(n, *others[:1])))

    def moved(n: ir.Node) -> ir.Node:
        if isinstance(n, ir.Var) and n.relation in own:
            return there(n)
        return ir.replace_children(n, moved)

    is_there = there(ir.Lit(_BOOLEAN, True))
    tests = [is_there, moved(value)]
    if len(others) == 2:  # an offset that is null leads to no row, and to no default
        null = ir.Lit(value.type, None)
        tests += [ir.Logic(_BOOLEAN, "is null", (others[0],)), null, others[1]]
    else:
        tests.append(ir.Lit(value.type, None))
    return ir.Logic(value.type, "case", tuple(tests))


def _change(parts: Parts, change: Callable[[ir.Node], ir.Node]) -> None:
    """Puts what `change` makes of a node in its place, wherever a window may stand."""

    def put(node: ir.Node) -> ir.Node:
        made = change(node)
        return made if made is not node else ir.replace_children(node, put)

    for x in parts.targets:
        x.node = put(x.node)
    parts.order = [ir.SortKey(put(k.expr), k.descending, k.nulls_first) for k in parts.order]
    if parts.distinct_on is not None:
        parts.distinct_on = [put(n) for n in parts.distinct_on]


def _put_below(parts: Parts, storey: _Storey, taken: Callable[[ir.Window], Sequence[ir.Node]]) -> set[int]:
    """Writes a query in two storeys: its windows' nodes that are taken are columns of the lower one. The relation above."""
    for w in _windows(parts):
        storey.keep([k for k in taken(w) if k in _keys(w)])
    _change(parts, lambda n: storey.lift(n, taken))
    parts.source, parts.where = storey.written(parts.source, parts.where), None
    return {storey.number}


class _Storey:
    def __init__(self, writer: QueryWriter, own: set[int], order: Sequence[ir.SortKey] = ()) -> None:
        self._writer = writer
        self._own = own
        self._order = order
        self.number = writer.next_relation()
        writer.declare(self.number, [])
        self._places: dict[tuple[ir.Node, frozenset[int]], int] = {}
        self._items: list[Item] = []

    def refused(self, node: ir.Node) -> bool:
        if ir.varies(node):
            return True
        emit = self._writer.emitter
        return _refused(emit.sort_key(node)) or _refused(
            comparable(emit.frag(node), node.type, told_apart(node))
        )

    def lift(self, node: ir.Node, taken: Callable[[ir.Window], Sequence[ir.Node]]) -> ir.Node:
        if self._place(node) is not None or (isinstance(node, ir.Var) and node.relation in self._own):
            return self._column(node)
        if isinstance(node, ir.Window):
            for below in taken(node):
                self._column(below)
        return ir.replace_children(node, lambda n: self.lift(n, taken))

    def keep(self, keys: Sequence[ir.Node]) -> None:
        """Columns of windows' keys, which are what is written alike wherever that is."""
        for key in keys:
            self._column(key, everywhere=True)

    def _place(self, node: ir.Node) -> int | None:
        """Where a value is. Of what is drawn two that look alike are two."""
        found = self._places.get((node, frozenset()))
        return self._places.get((node, frozenset(ir.draws(node)))) if found is None else found

    def _column(self, node: ir.Node, everywhere: bool = False) -> ir.Node:
        emit = self._writer.emitter
        at = self._place(node)
        if at is None:
            at = len(self._items)
            self._places[node, frozenset() if everywhere else frozenset(ir.draws(node))] = at
            frag = emit.frag(node)
            self._items.append(sql(frag, f" AS k{at}"))
            emit.columns[self.number].append(EmittedColumn(f"k{at}", frag.form))
        return standing_for(node, ir.Var(node.type, self.number, at))

    def written(self, source: Frag | None, where: ir.Node | None) -> Frag:
        emit = self._writer.emitter
        items: list[Item] = ["(SELECT ", join(", ", self._items) if self._items else "1 AS one"]
        items += [" FROM ", source] if source is not None else []
        items += [" WHERE ", emit.frag(where)] if where is not None else []
        items += [" ORDER BY ", emit.order(self._order)] if self._order else []
        made = sql(*items, f") AS r{self.number}")
        return told_rows.marked(emit, self.number, [n.type for n, _ in self._places], made)
