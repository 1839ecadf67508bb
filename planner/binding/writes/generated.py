"""Generated columns: computed from the row's other values, each of which is computed once.

A generated column is written with the values in the places of the columns that it names:

    INSERT INTO t (a) VALUES ($1)       b GENERATED ALWAYS AS (a * 2)       ->  $1, $1 * 2

A value that may be another one each time it is asked for (a serial's number, `gen_random_uuid()`, a subquery) is
not asked for twice. The row is made without such columns first, and they are computed from what it is then:

    INSERT INTO t DEFAULT VALUES        ->  SELECT * REPLACE (tw_made.a * 2 AS b) FROM (SELECT nextval(...) AS a, NULL AS b) AS tw_made

Hidden columns of unique indexes on expressions are such columns too.
"""

from __future__ import annotations

from collections.abc import Sequence

from planner import types as t
from planner.abc import Table
from planner.binding import ir
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import quote_name
from planner.binding.numeric_forms import column_form

MADE = "tw_made"


def emitted(table: Table) -> list[EmittedColumn]:
    """How the columns of the row that is made first are written behind it."""
    return [
        EmittedColumn(t.store_sql(f"{MADE}.{quote_name(c.name)}", c.type), column_form(c.type), whole=True)
        for c in table.columns
    ]


def may_vary(node: ir.Node) -> bool:
    """Whether asking for the value again may bring another one."""
    return ir.varies(node) or any(isinstance(n, ir.SubQuery) for n in ir.walk(node))


def reads(node: ir.Node, relation: int) -> set[int]:
    """The columns of a relation that an expression names."""
    return {n.column for n in ir.walk(node) if isinstance(n, ir.Var) and n.relation == relation}


def is_late(node: ir.Node, made: Sequence[int]) -> bool:
    """Whether a value is computed from the row that is made first: `made` are the numbers of such rows."""
    return bool(made) and any(isinstance(n, ir.Var) and n.relation in made for n in ir.walk(node))
