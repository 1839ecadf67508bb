"""Columns that nobody asks for and that do something: PostgreSQL computes them, DuckDB would leave them out.

    SELECT count(*) FROM (SELECT pg_advisory_unlock(id) FROM jobs) x
    SELECT count(*) FROM (SELECT * FROM (SELECT tw_advisory(...) AS c0 FROM ...) AS r3 WHERE hash(c0) IS NOT NULL) AS r3

A query in FROM or WITH that draws numbers, sets a setting, takes locks, tells others or runs a routine is read through a condition
that names these columns and is always true, of which DuckDB cannot know it. EXISTS asks for no columns, in PostgreSQL either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner.binding import ir
from planner.binding.fragments import Frag, join, sql

if TYPE_CHECKING:
    from planner.binding.state import BoundQuery, Target

_WITHOUT: Final = (
    "random(", "gen_random_", "gen_salt(", "uuid_generate_", "clock_timestamp(", "timeofday(", "statement_timestamp(", "currval(", "lastval(",
    "pg_current_", "txid_", "pg_backend_pid(", "pg_is_", "pg_last_", "pg_stat_", "pg_size", "pg_table_size", "pg_relation_size",
    "pg_total_relation_size", "pg_database_size", "pg_indexes_size", "inet_", "version(", "lo_get(", "lo_tell", "pg_ls_", "pg_read_", "pg_safe_",
)  # fmt: skip
"""Volatile functions that leave nothing behind."""


_ALL_ROWS: Final = 1 << 62


def of(targets: Sequence[Target]) -> tuple[int, ...]:
    """Which of a query's columns do something."""
    return tuple(i for i, x in enumerate(targets) if does_something(x.node))


def does_something(value: ir.Node) -> bool:
    return any(_does_something(n) for n in ir.walk(value))


def _does_something(node: ir.Node) -> bool:
    return isinstance(node, ir.Call) and node.volatile > 0 and not node.op.startswith(_WITHOUT)


def computed(bound: BoundQuery, number: int) -> Frag:
    """The query's text, of which these columns are computed whatever is asked of it. `number`: a relation's."""
    if not bound.effects:
        return bound.frag
    return asked(bound.frag, bound.effects, number)


def computed_whole(bound: BoundQuery, number: int) -> Frag:
    """The same of WITH: for each of its rows, whichever of them somebody wants. DuckDB takes no condition below a LIMIT."""
    if not bound.effects:
        return bound.frag
    return sql(asked(bound.frag, bound.effects, number), f" LIMIT {_ALL_ROWS}")


def asked(rows: Frag, columns: Sequence[int], number: int) -> Frag:
    """Rows of which these columns are asked for, for they do something: of a query, or a function in FROM."""
    named = join(", ", [f"r{number}.c{i}" for i in columns])
    return sql("SELECT * FROM (", rows, f") AS r{number} WHERE hash(", named, ") IS NOT NULL")


__all__ = ["asked", "computed", "computed_whole", "does_something", "of"]
