"""Which partial indexes serve a query: those whose predicate its conditions imply, as PostgreSQL's predtest.c finds it.

    CREATE INDEX ON jobs (priority, run_at) WHERE state = 'created'

    WHERE state = 'created' AND run_at <= now() ORDER BY priority LIMIT 1      the index has every row that is asked for
    WHERE state IN ('created', 'retry') ...                                    it has not

Each conjunct of the predicate must follow from a conjunct of the query: it is the same; it is one alternative of an OR, or fewer
alternatives; both compare one column, or one expression, with constants; it says IS NOT NULL of a column that the other cannot be true without.

Both are looked at as the keyed engine has them (`planner.keyed_plans`), where labels of an enum that are before another are a list of
labels. What it has no word for implies nothing, and an index whose predicate is such serves nobody.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from planner import types as t
from planner.abc import Call, Col, Const, Expr, Table
from planner.binding import ir
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.index_expressions import is_binding, of_rows
from planner.catalog import Catalog
from planner.catalog.classes_of_operators import has_own_order
from planner.catalog.objects import Index
from planner.catalog.reads import Remembered

_COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_OTHER_WAY: Final = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_INTEGERS: Final = (t.INT2, t.INT4, t.INT8)
_IN_ORDER: Final = (t.BOOL, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ)
"""Types whose datums are in the order of the values."""
_ALIKE: Final = tuple(f"{x} {op} {x}" for x in ("text", "uuid") for op in ("=", "<>"))
"""Comparisons of values that are equal where their datums are: of texts, and of labels."""
_SAFE: Final = (
    "and",
    "or",
    "not",
    "is null",
    "is not null",
    "is true",
    "is not true",
    "is false",
    "is not false",
)
_PREDICATES_MAX: Final = 2_000

_known: Remembered[tuple[Index, Table, Expr | None]] = Remembered(_PREDICATES_MAX)
"""By the definitions of an index and of its table, which are kept: their ids are their own."""


def _serving(catalog: Catalog, index: Index, table: Table, where: Sequence[Expr]) -> Expr | None:
    """The predicate, where the conditions imply it."""
    predicate = None if is_binding() else _predicate(catalog, index, table)
    if predicate is None or not all(any(implies(q, p) for q in where) for p in _all_of(predicate)):
        return None
    return predicate


def said_of_rows(number: int, where: ir.Node | None) -> list[Expr]:
    """What a query asks of relation `number`, as far as the keyed engine has words for it."""
    found: list[Expr] = []
    for c in keyed.conjuncts(where):
        with contextlib.suppress(keyed.NotKeyed):
            found += _all_of(keyed.expression(c, {number: 0}))
    return found


def _predicate(catalog: Catalog, index: Index, table: Table) -> Expr | None:
    def made(seen: Catalog) -> tuple[Index, Table, Expr | None]:
        found = of_rows(seen, table, index.predicate)
        return index, table, found if found is not None and _is_safe(found) else None

    return _known.of(catalog, (id(index), id(table)), made)[2]


def _is_safe(e: Expr) -> bool:
    """Whether it has a value for every row: it is asked for each that is written, when it is too late to refuse one."""
    if isinstance(e, Call):
        return (e.op in _SAFE or _operator(e) is not None) and all(map(_is_safe, e.args))
    return isinstance(e, Col | Const)


def _all_of(e: Expr) -> list[Expr]:
    if isinstance(e, Call) and e.op == "and":
        return [x for a in e.args for x in _all_of(a)]
    return [e]


def implies(q: Expr, p: Expr) -> bool:
    """Whether wherever `q` is true `p` is."""
    if q == p:
        return True
    if isinstance(p, Call) and p.op == "and":
        return all(implies(q, x) for x in p.args)
    if isinstance(q, Call) and q.op == "or":
        return all(implies(x, p) for x in q.args)
    if isinstance(q, Call) and q.op == "and" and any(implies(x, p) for x in q.args):
        return True
    if isinstance(p, Call) and p.op == "or":
        return any(implies(q, x) for x in p.args)
    truth = _truth(q)
    if truth is not None and truth == _truth(p):
        return True
    if isinstance(p, Call) and p.op == "is not null" and isinstance(p.args[0], Col):
        return _needs(q, p.args[0])
    mine, theirs = _compared(q), _compared(p)
    return mine is not None and theirs is not None and mine[0] == theirs[0] and _follows(mine[1:], theirs[1:])


def _truth(e: Expr) -> tuple[Expr, bool] | None:
    """The boolean column that is said to be true or false."""
    if isinstance(e, Col) and e.type.oid == t.BOOL:
        return e, True
    if isinstance(e, Call) and e.op in ("not", "is true", "is false"):
        inner = e.args[0]
        if isinstance(inner, Col) and inner.type.oid == t.BOOL:
            return inner, e.op == "is true"
    made = _compared(e)
    if made is not None and made[0].type.oid == t.BOOL and made[1] in ("=", "<>"):
        return made[0], bool(made[2]) == (made[1] == "=")
    return None


def _needs(e: Expr, column: Col) -> bool:
    """Whether a condition cannot be true where the column is null."""
    if isinstance(e, Call) and e.op in ("not", "is true", "is false"):
        e = e.args[0]
    return e == column or (isinstance(e, Call) and _operator(e) is not None and column in e.args)


def _operator(e: Call) -> str | None:
    """The operator of a comparison, which is null where an operand is."""
    words = e.op.split(" ")
    return words[1] if len(words) == 3 and len(e.args) == 2 and words[1] in _COMPARED else None


def _compared(e: Expr) -> tuple[Expr, str, Any] | None:
    """(column or what is computed of some, operator, constant)."""
    op = _operator(e) if isinstance(e, Call) else None
    if op is None:
        return None
    assert isinstance(e, Call)
    a, b = e.args
    if isinstance(a, Const):
        a, b, op = b, a, _OTHER_WAY[op]
    if isinstance(a, Const) or not isinstance(b, Const) or b.value is None:
        return None
    if b.type.oid in _INTEGERS and a.type.oid in _INTEGERS:
        return a, op, b.value
    if b.type.oid in _IN_ORDER and a.type.oid == b.type.oid:
        return a, op, b.value
    return (a, op, b.value) if op in ("=", "<>") and e.op in _ALIKE else None


def _follows(q: tuple[str, Any], p: tuple[str, Any]) -> bool:
    """Whether `x q` implies `x p`, each (operator, constant)."""
    (op, value), (wanted, limit) = q, p
    if type(value) is not type(limit):
        return False
    if op == "=":
        return _COMPARED[wanted](value, limit)
    if wanted == "=" or op == "<>":
        return (op, value) == (wanted, limit)
    below = op[0] == "<"
    if wanted == "<>":
        return not _COMPARED[op](limit, value)
    if below != (wanted[0] == "<"):
        return False
    if value == limit:
        return op == wanted or wanted in ("<=", ">=")
    return bool(value < limit) if below else bool(value > limit)


def served(
    catalog: Catalog, table: Table, number: int, where: ir.Node | None
) -> Iterator[tuple[Index, Expr]]:
    """The partial indexes of a table that serve such a query."""
    asked: list[Expr] | None = None
    for index in catalog.indexes_of(table.oid):
        if (
            not index.predicate
            or index.method != "btree"
            or not has_own_order(index)
            or where is None
            or type(table) is not Table
        ):
            continue
        if asked is None:
            asked = said_of_rows(number, where)
        predicate = _serving(catalog, index, table, asked)
        if predicate is not None:
            yield index, predicate


__all__ = ["implies", "said_of_rows", "served"]
