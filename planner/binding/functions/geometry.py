"""Geometric functions and operators, by PostgreSQL's own names for them (`planner.geometry.table`).

One Python function in DuckDB for each kind of result stands for all of them; which is meant is its first argument.
"""

from __future__ import annotations

from planner.binding import ir
from planner.binding.emit import Emitter, Implementation
from planner.binding.facts import operators
from planner.binding.fragments import Frag, Item, sql
from planner.binding.functions.registry import register
from planner.binding.prelude.geometry import caller
from planner.geometry.table import FUNCTIONS
from planner.geometry.texts import OF_DATUM


def call(signature: str, args: list[Frag]) -> Frag:
    """A function of the table, called by DuckDB."""
    items: list[Item] = [f"{caller(signature)}('{signature}'"]
    for arg in args:
        items += [", ", arg]
    return sql(*items, ")")


def _of(signature: str) -> Implementation:
    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        return call(signature, args)

    return made


for _signature in FUNCTIONS:
    register(_signature, _of(_signature))
for _rows in operators().values():
    for _o in _rows:
        if _o.left in OF_DATUM or _o.right in OF_DATUM:
            _given = f"{_o.left}, {_o.right}" if _o.left else _o.right
            _written = f"{_o.left} {_o.name} {_o.right}" if _o.left else f"{_o.name} {_o.right}"
            register(_written, _of(f"{_o.function}({_given})"))
