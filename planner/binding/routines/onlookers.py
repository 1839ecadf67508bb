"""Functions that may look at the table which their statement writes: the rows before theirs are to be there when they are called.

    INSERT INTO t SELECT a, next_of(a) FROM s      next_of: SELECT max(n) + 1 FROM t WHERE t.a = $1      1, 2, 3 for three alike

A volatile function sees what its statement has done so far (PostgreSQL's manual, "Function Volatility Categories"). To write row by row
is slow, so it is done for these alone. Which they are is read off the words of their bodies, leaning to caution: one that names
the table where a relation may stand, or another that has triggers, rules, heirs or partitions, or a view; that says EXECUTE; or that calls one
of these. What those words stand for is asked of the catalog, so a plan is made again when it is something else.
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


@lru_cache(maxsize=512)
def _words(body: str) -> _Words:
    relations, functions, anything, before = set[str](), set[str](), False, ""
    tokens = tokenize(body)
    for i, token in enumerate(tokens):
        if token.kind in (WORD, QUOTED):
            anything = anything or token.keyword == "execute"
            after = tokens[i + 1]
            if after.kind == PUNCTUATION and after.value == "(":
                functions.add(token.value)
            if before in _BEFORE_RELATIONS:
                relations.add(token.value)
        before = token.value
    return _Words(frozenset(relations), frozenset(functions), anything)


def _may_look(catalog: Catalog, f: Function, table: Table, seen: set[int]) -> bool:
    if f.oid in seen:
        return False
    seen.add(f.oid)
    said = _words(f.body)
    if said.says_anything:
        return True
    for name in said.relations:
        for found in catalog.called(name):
            if isinstance(found, View) or (
                isinstance(found, Table)
                and (found.oid == table.oid or found.triggers or found.children or found.parents or found.partitioning)
            ):  # fmt: skip
                return True
    return any(
        _may_look(catalog, g, table, seen) for name in said.functions for g in catalog.named_functions(name)
    )


def noted(queries: QueryState, f: Function) -> bool:
    """Whether such a function is called here; `is_called` knows it from then on."""
    if queries.written_table is None or f.volatility != "v" or f.returns_set or f.kind != "f":
        return False
    if f.oid not in queries.onlookers:
        if not _may_look(queries.ctx.catalog, f, queries.written_table, set()):
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
