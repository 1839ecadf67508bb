"""Functions that may look at the table which their statement writes: the rows before theirs are to be there when they are called.

    INSERT INTO t SELECT a, next_of(a) FROM s      next_of: SELECT max(n) + 1 FROM t WHERE t.a = $1      1, 2, 3 for three alike

A volatile function sees what its statement has done so far (PostgreSQL's manual, "Function Volatility Categories"). To write row by row
is slow, so it is done for these alone. Which they are is read off the words of their bodies, leaning to caution: one that says EXECUTE; that
names, where a relation may stand, the table, one of its family, a view over these, or, if it writes, a table with triggers or rules; or that
calls one of these. What those words stand for is asked of the catalog, so a plan is made again when it is something else.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from planner.abc import Table
from planner.binding import ir
from planner.catalog import Function, View
from planner.lexer import PUNCTUATION, QUOTED, WORD, tokenize

if TYPE_CHECKING:
    from planner.binding.state import QueryState
    from planner.catalog import Catalog

_BEFORE_RELATIONS: Final = frozenset(
    ("from", "join", "into", "update", "only", "table", "using", ",", ".", "(")
)
"""What stands before a relation's name."""


class _Words(NamedTuple):
    """What a body names."""

    relations: frozenset[str]
    functions: frozenset[str]
    says_anything: bool
    """Some of its statements are texts that it makes."""
    writes: bool


@lru_cache(maxsize=512)
def _words(body: str) -> _Words:
    relations, functions, said, before = set[str](), set[str](), set[str](), ""
    tokens = tokenize(body)
    for i, token in enumerate(tokens):
        if token.kind in (WORD, QUOTED):
            said.add(token.keyword)
            after = tokens[i + 1]
            if after.kind == PUNCTUATION and after.value == "(":
                functions.add(token.value)
            if before in _BEFORE_RELATIONS:
                relations.add(token.value)
        before = token.value
    writes = not said.isdisjoint(("insert", "update", "delete", "merge", "truncate"))
    return _Words(frozenset(relations), frozenset(functions), "execute" in said, writes)


def _relatives(catalog: Catalog, table: Table) -> set[int]:
    """The table, whose rows its are, too, and what has rows among its own."""
    found, todo = {table.oid}, [table]
    for at in todo:
        above = [oid for oid in at.parents if oid] + (
            [at.partition.parent] if at.partition is not None else []
        )
        below = [*at.children, *(x.oid for x in catalog.partitions_of(at.oid))]
        for oid in (*above, *below):
            if oid not in found:
                found.add(oid)
                todo.append(catalog.table(oid))
    return found


class _Search:
    """Whether something leads to the table."""

    def __init__(self, catalog: Catalog, table: Table) -> None:
        self._catalog, self._wanted = catalog, _relatives(catalog, table)
        self._seen: set[int] = set()

    def through(self, thing: object, *, writes: bool = False) -> bool:
        if isinstance(thing, Table):
            return thing.oid in self._wanted or (writes and bool(thing.triggers or thing.rules))
        if not isinstance(thing, View | Function) or thing.oid in self._seen:
            return False
        self._seen.add(thing.oid)
        catalog = self._catalog
        if isinstance(thing, View):
            changes = writes and bool(thing.triggers or thing.rules)
            return changes or any(self.through(catalog.get(oid), writes=writes) for oid in thing.depends)
        said = _words(thing.body)
        return (
            said.says_anything
            or any(
                self.through(x, writes=said.writes) for name in said.relations for x in catalog.called(name)
            )
            or any(self.through(f) for name in said.functions for f in catalog.named_functions(name))
        )


def noted(queries: QueryState, f: Function) -> bool:
    """Whether such a function is called here; `is_called` knows it from then on."""
    if queries.written_table is None or f.volatility != "v" or f.returns_set or f.kind != "f":
        return False
    if f.oid not in queries.onlookers:
        if not _Search(queries.ctx.catalog, queries.written_table).through(f):
            return False
        queries.onlookers.add(f.oid)
    queries.onlooking += 1
    return True


def is_called(queries: QueryState, node: ir.Node) -> bool:
    """Whether a value is made by one of them."""
    if not queries.onlookers:
        return False
    return any(
        isinstance(n, ir.Call) and n.op == ir.RUN and isinstance(n.args[0], ir.Lit) and n.args[0].value in queries.onlookers
        for n in ir.walk(node)
    )  # fmt: skip


__all__ = ["is_called", "noted"]
