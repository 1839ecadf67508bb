"""The typed tree: what a statement means once every name and type in it has been decided.

    sqlglot tree --(expressions, queries)--> typed tree --(emit)--> DuckDB SQL
                                                        --(keyed)--> planner.abc.Expr

Every node knows its PostgreSQL type. A call is named by the *declared* signature that resolution chose
(`int4 + int4`, `lower(text)`), which is the key under which `functions` has its DuckDB text and by
which the keyed engine has its Python function. Nodes are immutable and compare by value: GROUP BY
matching is equality.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import field
from operator import attrgetter, is_
from typing import Any, Final

from planner.abc import TypeRef
from planner.records import dataclass, replace
from planner.types import BOOL
from storage.abc import Datum


@dataclass(frozen=True, slots=True)
class Node:
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Lit(Node):
    """A constant. Of type unknown: a string literal whose type is not decided yet; value None: NULL."""

    value: Datum
    position: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Parm(Node):
    number: int
    position: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Var(Node):
    """Column `column` of relation `relation` (relations are numbered through the whole statement)."""

    relation: int
    column: int
    position: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Argument(Node):
    """A parameter in the body of a function that is being put in the place of its call (`planner.binding.routines.inlined`).

    No column, for it is the same for all rows of the body's queries; in their finished text it is a `Ref` like one.
    """

    relation: int
    column: int


@dataclass(frozen=True, slots=True)
class Let(Node):
    """`body`, in which `Var`s of relation `relation` are the values: each is computed once."""

    relation: int
    values: tuple[Node, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function or operator by its resolved signature.

    `volatile`: 0, or if pg_proc calls the function so, a number (`drawn`) that a copy of the call has as well: however often
    the tree that is one value stands in another, and whatever has been put into it since, it is asked for once (`once`).
    """

    op: str
    args: tuple[Node, ...]
    volatile: int = field(default=0, compare=False)
    position: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Cast(Node):
    """A conversion that changes the value's representation or fits it to a modifier."""

    arg: Node
    explicit: bool = True
    position: int = field(default=0, compare=False)
    reads: bool = field(default=False, compare=False)
    """It is a literal of no type that is read so: of a name, what it is when this is said, not each time it is computed."""
    whole: bool = field(default=False, compare=False)
    """The cast within it, to the type without a modifier, is the same one that somebody said."""


@dataclass(frozen=True, slots=True)
class Collated(Node):
    """A text whose order is not that of its bytes: of a column, or said by COLLATE (`planner.binding.collating`)."""

    arg: Node
    collation: str
    explicit: bool = False
    position: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class DomainCheck(Node):
    """A value that a domain's conditions hold for, or an error: (condition, text of the error).

    In a condition the value (an element of it, if `each`) is a `Var` of relation `relation`, so conditions are not
    subexpressions: no columns of the query are in them.
    """

    arg: Node
    relation: int = field(compare=False)
    tests: tuple[tuple[Node, str], ...] = field(compare=False)
    each: bool = False
    domain: int = 0


@dataclass(frozen=True, slots=True)
class Logic(Node):
    """`and`, `or`, `not`, `is null`, `is not true`, `case`, `coalesce`, `nullif`, `greatest`, `row`, `array`, ...

    What is grammar in PostgreSQL rather than a function. `case` has conditions and values in turn, then ELSE.
    """

    op: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AnyAll(Node):
    """`left op ANY (array)`: `compare` is the call with a `Var` for relation -1 in the element's place."""

    compare: Node
    array: Node
    all: bool
    listed: tuple[Lit, ...] = field(default=(), compare=False)
    """The elements, if they were said one by one (`planner.binding.long_lists`). They are no subexpressions: nobody need walk over them."""


def one_by_one(node: Node) -> Node:
    """`x = 1 OR x = 2 ...` of a list that is one array; any other node as it is."""
    if not isinstance(node, AnyAll) or not node.listed:
        return node
    test = node.compare
    assert isinstance(test, Call)
    return Logic(node.type, "or", tuple([replace(test, args=(test.args[0], e)) for e in node.listed]))


@dataclass(frozen=True, slots=True)
class SubQuery(Node):
    """A subquery in an expression: its text is finished, its outer references are in it as they are.

    kind: scalar, exists, array, any, all, row. `compare` (any, all, row) compares the left side with `Var`s of
    relation `relation`, which the query's rows are called by. `outer_from` are the outer columns in the text,
    `outer` what stands for each of them now (above a GROUP BY: the grouped column). `numbered` (array): the query
    has a column `tw_n`, the order of its rows.
    """

    kind: str
    query: Any  # emit.Frag
    relation: int = -1
    compare: Node | None = None
    outer_from: tuple[Var | Argument, ...] = ()
    outer: tuple[Node, ...] = ()
    form: Any = None
    numbered: bool = False
    asked: Any = None  # Frag
    """The query as it was bound, where `query` has more around it: what its syntax is known by."""
    by_key: Any = field(default=None, compare=False)
    """The same for the keyed engine (`planner.binding.keyed.selects.BoundSelect`), if it may be for that."""


@dataclass(frozen=True, slots=True)
class SortKey:
    expr: Node
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    op: str
    args: tuple[Node, ...]
    distinct: bool = False
    order: tuple[SortKey, ...] = ()
    filter: Node | None = None
    direct: tuple[Node, ...] = ()  # of an ordered-set aggregate
    scope: int = 0
    position: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Window(Node):
    call: Node  # an Aggregate or a Call of a window function
    partition: tuple[Node, ...]
    order: tuple[SortKey, ...]
    frame: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Session(Node):
    """A value that the session knows at execution (planner.abc.SessionValue)."""

    name: str


@dataclass(frozen=True, slots=True)
class SetReturning(Node):
    """A set-returning function in a target list."""

    op: str
    args: tuple[Node, ...]
    index: int = 0
    position: int = field(default=0, compare=False)
    asked: DomainCheck | None = field(default=None, compare=False)
    """What each of its composite values has to obey (of nothing: the check's own argument is not looked at)."""


def children(node: Node) -> tuple[Node, ...]:
    """The direct subexpressions (not into subqueries' text)."""
    made = _CHILDREN.get(type(node))
    return made(node) if made is not None else ()


def _of_aggregate(node: Aggregate) -> tuple[Node, ...]:
    own = node.args + node.direct + tuple([k.expr for k in node.order])
    return own if node.filter is None else (*own, node.filter)


def _of_subquery(node: SubQuery) -> tuple[Node, ...]:
    return node.outer if node.compare is None else (node.compare, *node.outer)


_args: Final = attrgetter("args")

_CHILDREN: Final[dict[type[Node], Callable[[Any], tuple[Node, ...]]]] = {
    Call: _args,
    Logic: _args,
    SetReturning: _args,
    Cast: lambda n: (n.arg,),
    Collated: lambda n: (n.arg,),
    DomainCheck: lambda n: (n.arg,),
    AnyAll: attrgetter("compare", "array"),
    Let: lambda n: (*n.values, n.body),
    SubQuery: _of_subquery,
    Aggregate: _of_aggregate,
    Window: lambda n: (*children(n.call), *n.partition, *[k.expr for k in n.order]),
}
"""Of nodes that have any. Nothing is asked as often while a statement is planned as what is below what."""
INNER: Final = frozenset(_CHILDREN)
"""Their classes."""


def replace_children(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node over changed direct subexpressions; itself where nothing changed."""
    kind = type(node)
    if kind not in _CHILDREN:
        return node

    def all_of(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple([change(n) for n in nodes])

    def keys(order: tuple[SortKey, ...]) -> tuple[SortKey, ...]:
        return tuple([SortKey(change(k.expr), k.descending, k.nulls_first) for k in order])

    if isinstance(node, Call | Logic | SetReturning):
        args = all_of(node.args)
        if all(map(is_, args, node.args)):
            return node
        if kind is Call:
            return Call(node.type, node.op, args, node.volatile, node.position)  # type: ignore[union-attr]
        if kind is Logic:
            return Logic(node.type, node.op, args)
        return replace(node, args=args)
    if isinstance(node, Cast | Collated | DomainCheck):
        arg = change(node.arg)
        if arg is node.arg:
            return node
        return Cast(node.type, arg, node.explicit, node.position) if kind is Cast else replace(node, arg=arg)  # type: ignore[union-attr]
    if isinstance(node, AnyAll):
        return replace(node, compare=change(node.compare), array=change(node.array))
    if isinstance(node, Let):
        return replace(node, values=all_of(node.values), body=change(node.body))
    if isinstance(node, SubQuery):
        compare = change(node.compare) if node.compare is not None else None
        return replace(node, compare=compare, outer=all_of(node.outer))
    if isinstance(node, Aggregate):
        condition = change(node.filter) if node.filter is not None else None
        return replace(
            node, args=all_of(node.args), direct=all_of(node.direct), order=keys(node.order), filter=condition
        )
    if isinstance(node, Window):
        call = node.call
        # The aggregate of a window is not one of the query's: only what is inside it changes.
        return replace(
            node,
            call=replace_children(call, change),
            partition=all_of(node.partition),
            order=keys(node.order),
        )
    return node


def walk(node: Node) -> list[Node]:
    """All nodes of a tree, one that is in several places once."""
    made = _CHILDREN.get(type(node))
    if made is None:
        return [node]
    level = made(node)
    if INNER.isdisjoint(map(type, level)):  # most are of two operands
        return [node, *dict(zip(map(id, level), level, strict=True)).values()]
    seen = {id(node): node}
    while level:
        fresh = dict(zip(map(id, level), level, strict=True))
        for again in seen.keys() & fresh.keys():
            del fresh[again]
        seen |= fresh
        nodes = list(fresh.values())
        if INNER.isdisjoint(map(type, nodes)):
            break
        level = tuple([child for n in nodes for child in children(n)])
    return list(seen.values())


RUN: Final = "run routine"
"""The operation of a call of a routine that runs: its arguments are the routine's OID, and what it is called with."""

_ONCE_OR_SO: Final = 4_096
_TANGLED: Final = 32
_SHALLOW: Final = 8
"""Levels of at most so many nodes each that are gone through without a count."""


def all_of(nodes: Sequence[Node]) -> Node | None:
    """What is true where all of these are; None: nothing is asked."""
    if len(nodes) < 2:
        return nodes[0] if nodes else None
    return Logic(TypeRef(BOOL), "and", tuple(nodes))


def is_tangled(node: Node, depth_max: int = 1_000_000) -> bool:
    """Whether it is deeper, or subtrees are in so many places, that what follows all ways would go very far: `x IN (1, 2)` as
    an `x` of another, and that of another again."""
    level: Sequence[Node] = (node,)
    for _ in range(min(_SHALLOW, depth_max + 1)):
        if len(level) > _TANGLED:
            break
        if INNER.isdisjoint(map(type, level)):
            return False
        level = [child for n in level for child in children(n)]
    ways, limit, pending = 0, _ONCE_OR_SO, [(node, 0)]
    while pending:
        n, depth = pending.pop()
        ways += 1
        if ways > limit:
            if limit > _ONCE_OR_SO:
                return True
            limit = max(limit, _TANGLED * len(walk(node))) + 1
        if depth > depth_max:
            return True
        pending.extend((child, depth + 1) for child in children(n))
    return False


_NUMBERS: Final = itertools.count(1)


def drawn(volatile: bool = True) -> int:
    """What a new call says of itself as `Call.volatile`."""
    return next(_NUMBERS) if volatile else 0


def is_volatile(node: Node) -> bool:
    """Whether this node itself is a call of a volatile function."""
    return isinstance(node, Call) and node.volatile > 0


def draws(node: Node) -> set[int]:
    """The numbers of what is another value each time in a tree."""
    return {n.volatile for n in walk(node) if isinstance(n, Call) and n.volatile}


def varies(node: Node) -> bool:
    """Whether it may be another value each time it is computed."""
    return type(node) in _CHILDREN and any(map(is_volatile, walk(node)))
