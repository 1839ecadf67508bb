"""Tables to whose rows no key leads: small ones are read whole, as the last way.

    SELECT * FROM settings WHERE enabled                                     all its rows, and what is asked of them
    ... FROM jobs j LEFT JOIN workers w ON w.name = j.worker WHERE ...       all workers, by name, once for all jobs

An application has many tables of a few rows, and asks of most of its jobs, users and settings what no index was made for. How many rows
there are nobody knows when a plan is made: the executor looks before it begins (`executor.keyed.whole_tables`), and where they are
many DuckDB answers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planner.binding import ir
from planner.binding.keyed import closed_set, key_conditions
from planner.binding.keyed import expressions as keyed
from planner.catalog.collations import nondeterministic
from planner.keyed_plans import Expr, KeyedJoin, Produced, Whole

if TYPE_CHECKING:
    from planner.relations import Table


def whole(
    table: Table, number: int, asked: Sequence[ir.Node], offsets: Mapping[int, int]
) -> tuple[Whole, Sequence[ir.Node]] | None:
    """All rows of the table, or those of them that have what the rows so far say; and what is left to be asked. None: its rows are in
    several places, or nothing tells one from another."""
    if not table.key_indexes or table.partitioning is not None:
        return None
    key: dict[int, Expr] = {}
    rest: list[ir.Node] = []
    for c in asked:
        joined = _joined_by(table, number, c, offsets)
        if joined is None or joined[0] in key:
            rest.append(c)
        else:
            key[joined[0]] = joined[1]
    return Whole(tuple(key), tuple(key.values())), rest


def read_whole(queries: Sequence[KeyedJoin]) -> bool:
    """Whether no key leads to the rows of some table in these."""
    for query in queries:
        for step in query.steps:
            lookup = step.lookup
            if isinstance(lookup, Whole) or (isinstance(lookup, Produced) and read_whole(lookup.queries)):
                return True
    return False


def _joined_by(
    table: Table, number: int, node: ir.Node, offsets: Mapping[int, int]
) -> tuple[int, Expr] | None:
    """The column of the table that has to be what the rows so far say, and what that is, if that is asked, and values are equal if
    their datums are: rows are put beside each other by these as they are (an index has other forms, of `citext` or NaN)."""
    if not isinstance(node, ir.Call) or len(node.args) != 2:
        return None
    named = [n for n in ir.walk(node) if isinstance(n, ir.Var)]
    if not any(n.relation in offsets for n in named):
        return None
    for column in {n.column for n in named if n.relation == number}:
        of = table.columns[column]
        if of.type.oid not in closed_set.KEY_TYPES or of.collation in nondeterministic:
            continue
        with contextlib.suppress(keyed.NotKeyed):
            points, rest = key_conditions.find_points(table, number, node, (column,), offsets)
            if len(points.keys) == 1 and not rest:
                return column, points.keys[0][0]
    return None


__all__ = ["read_whole", "whole"]
