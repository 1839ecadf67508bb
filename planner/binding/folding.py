"""Constants that cannot be computed: PostgreSQL finds them when it plans, whether or not any row asks for them.

    SELECT * FROM t WHERE 1 / 0 = 1       22012 also of an empty table: the division is computed before any row is read
    CASE WHEN a > 9 THEN 1 / 0 END        the same, for nobody knows yet which a there will be
    CASE WHEN false THEN 1 / 0 END        none: what comes after a condition that is known is left out
    SELECT $1 / $2 FROM t                 22012 of an empty table for 0: a plan is made for the values of each execution

So trees are searched for the few operations that are refused for some values (division, roots, logarithms, sums
beyond a type), and those of literals are computed here, in plain numbers. What is found to fail becomes a query of its
own, which the executor asks first and which raises the error in its own words. Whatever is not surely a failure is left
to be computed row by row. Only a statement's own expressions are searched: those of subqueries PostgreSQL may drop
unseen (EXISTS, columns that nobody names); what INSERT selects is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import Query
from planner.binding import ir
from planner.binding.fragments import join, sql

if TYPE_CHECKING:
    from planner.binding.state import Parts
    from planner.binding.writing import QueryWriter

_BITS: Final = {t.INT2: 15, t.INT4: 31, t.INT8: 63}
_NUMBERS: Final = frozenset((*_BITS, t.NUMERIC, t.FLOAT4, t.FLOAT8))
_DIVISIONS: Final = frozenset(("/", "%", "mod", "div"))
_ROOTS: Final = frozenset(("sqrt", "|/"))
_LOGARITHMS: Final = frozenset(("ln", "log", "log10"))

Number = int | float | Decimal


class _Fails(Exception):
    """The constant that is being computed is refused: itself, not what names it beside columns (`a + 1 / 0`)."""

    def __init__(self, constant: ir.Node) -> None:
        super().__init__()
        self.constant = constant


def refused(nodes: Iterable[ir.Node | None]) -> list[ir.Node]:
    """The constants in these trees that fail, in the order in which PostgreSQL comes to them; one in several places once."""
    return _found(nodes, _Search())


def in_question(nodes: Iterable[ir.Node | None]) -> list[ir.Node]:
    """Those that fail for some values of the parameters in them: `$1 / $2`, not `$1 / 2`."""
    return _found(nodes, _Search(given=True))


def _found(nodes: Iterable[ir.Node | None], search: _Search) -> list[ir.Node]:
    return [f for node in nodes if node is not None and type(node) in ir.INNER for f in search.failing(node)]


def undecided(nodes: Iterable[ir.Node | None]) -> bool:
    """Whether parameters stand where literals might fail: `$1 / $2`, made of a statement without its literals."""
    return any(
        _name(n) in _DIVISIONS | _ROOTS | _LOGARITHMS and all(_given(a) for a in n.args)
        for node in nodes
        if node is not None
        for n in ir.walk(node)
        if isinstance(n, ir.Call)
    )


def asked_first(queries: QueryWriter, asked: list[ir.Node]) -> Query:
    """The query that raises the error of one of these."""
    return queries.finished(sql("SELECT ", join(", ", [queries.emitter.frag(n) for n in asked])))


def own_expressions(parts: Parts) -> list[ir.Node | None]:
    """What a query computes of its rows, in the order in which PostgreSQL looks at it."""
    below, targets = parts.below, [x.node for x in parts.targets]
    if below is not None:  # keys and what is aggregated is not in the targets any more
        targets, where, having = (
            [*(n for n in below.columns if n is not None), *targets],
            below.where,
            parts.where,
        )
    else:
        where, having = parts.where, None
    return [*targets, where, having, *(k.expr for k in parts.order)]


def _given(node: ir.Node) -> bool:
    return isinstance(node, ir.Parm | ir.Lit) or (isinstance(node, ir.Cast) and _given(node.arg))


def _open(node: ir.Node) -> bool:
    """Whether it is a parameter: no one knows yet what it is."""
    return isinstance(node, ir.Parm) or (isinstance(node, ir.Cast) and _open(node.arg))


class _Search:
    """One search through trees. A tree that is in several places is looked at once, and what is found of it kept:
    `x IN (1, 2)` has `x` twice, and the ways to the bottom of many of them in one another are a power of their number."""

    def __init__(self, *, given: bool = False) -> None:
        """`given`: what is in question is found, too."""
        self._given = given
        self._visited: dict[int, ir.Node] = {}
        self._rowwise: dict[int, bool] = {}
        self._values: dict[int, Number | None] = {}

    def failing(self, node: ir.Node) -> Iterator[ir.Node]:
        if id(node) in self._visited:
            return
        self._visited[id(node)] = node  # kept: its id is its own
        if isinstance(node, ir.Call | ir.Cast):
            try:
                self.computed(node)
            except _Fails as refusal:
                yield refusal.constant
                return
        if isinstance(node, ir.SubQuery | ir.SetReturning):
            return  # may be dropped, or computed for other rows than those of the statement
        if isinstance(node, ir.Logic) and node.op in ("and", "or", "case", "coalesce"):
            yield from self._reached(node)
            return
        for child in ir.children(node):
            if type(child) in ir.INNER:  # else it is neither computed nor of anything that is
                yield from self.failing(child)

    def _reached(self, node: ir.Logic) -> Iterator[ir.Node]:
        """Of arguments that decide about those after them: up to the first one that is known."""
        if node.op == "case":
            for condition, value in zip(node.args[:-1:2], node.args[1::2], strict=False):
                if not self._of_rows(condition):
                    yield from self.failing(condition)
                    return
                yield from self.failing(condition)
                yield from self.failing(value)
            yield from self.failing(node.args[-1])
            return
        among = node.op == "or" and _is_list(node)
        for argument in node.args:
            yield from self.failing(argument)
            if not among and not self._of_rows(argument):
                return

    def _of_rows(self, node: ir.Node) -> bool:
        """Whether it is surely known only when there is a row: one argument that is known may decide alone (`false AND a`)."""
        found = self._rowwise.get(id(node))
        if found is None:
            found = self._rowwise[id(node)] = self._is_of_rows(node)
        return found

    def _is_of_rows(self, node: ir.Node) -> bool:
        if isinstance(node, ir.Var | ir.Aggregate | ir.Window | ir.SubQuery):
            return True
        if isinstance(node, ir.Logic) and node.op in ("and", "or"):
            return all(map(self._of_rows, node.args))
        if isinstance(node, ir.Logic) and node.op in ("case", "coalesce"):
            return self._of_rows(node.args[0])
        children = list(ir.children(node))
        if any(isinstance(n, ir.Lit) and n.value is None for n in children):
            return False  # what is NULL for any NULL is known
        return any(map(self._of_rows, children))

    def computed(self, node: ir.Node) -> Number | None:
        """A constant's value, as far as it is told here; None: not known. Raises _Fails."""
        if id(node) not in self._values:
            self._values[id(node)] = self._compute(node)
        return self._values[id(node)]

    def _compute(self, node: ir.Node) -> Number | None:
        if isinstance(node, ir.Lit):
            return _number(node)
        if isinstance(node, ir.Cast):
            value = self.computed(node.arg)
            bits = _BITS.get(node.type.oid)
            if bits is None or not isinstance(value, int):
                return value if isinstance(value, int) and node.type == t.TypeRef(t.NUMERIC) else None
            return _within(value, bits, node)
        if not isinstance(node, ir.Call) or node.volatile or node.type.oid not in _NUMBERS:
            return None
        values = [self.computed(a) for a in node.args]
        name = _name(node)
        asked = self._given and name in _DIVISIONS | _ROOTS | _LOGARITHMS
        if asked and all(map(_given, node.args)) and _open(node.args[-1]):
            raise _Fails(node)
        if name in _DIVISIONS and len(values) == 2 and values[0] is not None and values[1] == 0:
            raise _Fails(node)
        if len(values) == 1 and (value := values[0]) is not None:
            if (name in _ROOTS and value < 0) or (name in _LOGARITHMS and value <= 0):
                raise _Fails(node)
            if name == "-":
                bits = _BITS.get(node.type.oid)
                return -value if bits is None else _within(-int(value), bits, node)
            return None
        if len(values) != 2 or node.type.oid not in _BITS:
            return None
        left, right = values
        if not isinstance(left, int) or not isinstance(right, int):
            return None
        bits = _BITS[node.type.oid]
        if name == "+":
            return _within(left + right, bits, node)
        if name == "-":
            return _within(left - right, bits, node)
        if name == "*":
            return _within(left * right, bits, node)
        if name == "/":
            return _within(abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1), bits, node)
        if name in ("%", "mod"):
            return abs(left) % abs(right) * (1 if left >= 0 else -1)
        return None


def _is_list(node: ir.Logic) -> bool:
    """`1 IN (1, 1 / 0)`: PostgreSQL makes an array of the list before it looks for anything in it."""
    first = node.args[0]
    return isinstance(first, ir.Call) and all(
        isinstance(a, ir.Call) and a.op == first.op and len(a.args) == 2 and a.args[0] is first.args[0]
        for a in node.args
    )


def _name(call: ir.Call) -> str:
    """`/` of `int4 / int4`, `sqrt` of `sqrt(float8)`."""
    op = call.op
    if op.endswith(")"):
        return op.partition("(")[0]
    words = op.split(" ")
    return words[1] if len(words) == 3 else words[0]


def _number(node: ir.Lit) -> Number | None:
    value = node.value
    if node.type.oid in _BITS:
        return int(value) if value is not None else None
    if node.type.oid == t.NUMERIC and value is not None:
        number = Decimal(str(value))
        return number if number.is_finite() else None
    return float(value) if node.type.oid in (t.FLOAT4, t.FLOAT8) and value is not None else None


def _within(value: int, bits: int, node: ir.Node) -> int:
    if not -(1 << bits) <= value < (1 << bits):
        raise _Fails(node)
    return value


__all__ = ["asked_first", "own_expressions", "refused", "undecided"]
