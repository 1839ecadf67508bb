"""`a = 1 AND b = 2 OR a = 3 AND b = 4 OR ...`, of many pairs, as one search: `(a, b) IN ((1, 2), (3, 4), ...)`.

Rows fetched by keys of two columns come so, by the thousand, from ORMs. DuckDB rewrites such an OR in time that grows with the
square of its length (1,500 pairs: 4 s). A list of structs it looks up by hash, but takes NULLs for values; so those are told apart:

    both are there    (a, b) IN (...)
    neither is        NULL
    one is            NULL if any pair has it, else false: what SQL's three-valued OR comes to

Other long ORs (values that are parameters, three columns, ranges) become some of `coalesce(a OR b OR ..., NULL)`, which means the same
and is a wall to the rewriting: each group is rewritten by itself (1,000 pairs: 0.1 s instead of 1.4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from planner.binding import ir
from planner.binding.fragments import Frag, join, sql

PAIRS_MIN: Final = 50
"""Fewer are soon compared one by one."""

GROUP: Final = 64
"""So many alternatives are rewritten together."""


def in_groups(alternatives: list[Frag]) -> list[Frag]:
    """The alternatives of an OR: as they are if they are few, else in groups that DuckDB looks at one by one."""
    if len(alternatives) <= 2 * GROUP:
        return alternatives
    groups = [alternatives[i : i + GROUP] for i in range(0, len(alternatives), GROUP)]
    return [sql("coalesce(", join(" OR ", group), ", NULL)") for group in groups]


def listed(
    args: Sequence[ir.Node], emitted: Callable[[ir.Node], Frag], is_alike: Callable[[ir.Node], bool]
) -> Frag | None:
    """The text of an OR of these; None where it is not that. `is_alike`: equality of such a node is DuckDB's own."""
    if len(args) < PAIRS_MIN:
        return None
    columns: tuple[ir.Node, ...] = ()
    values: tuple[list[Frag], list[Frag]] = ([], [])
    for arg in args:
        if not isinstance(arg, ir.Logic) or arg.op != "and" or len(arg.args) != 2:
            return None
        tests = [c for c in arg.args if isinstance(c, ir.Call) and len(c.args) == 2]
        if len(tests) != 2:
            return None
        mine = tuple(c.args[0] for c in tests)
        if not columns:
            columns = mine
            if columns[0] == columns[1] or not all(isinstance(n, ir.Var) and is_alike(n) for n in columns):
                return None
        if mine != columns:
            return None
        for column, test, found in zip(columns, tests, values, strict=True):
            value = test.args[1]
            if not isinstance(value, ir.Lit) or value.value is None:
                return None  # a parameter may be NULL, which a list of structs takes for a value
            among = emitted(value)
            if among.form is not None or emitted(test) != sql("(", emitted(column), " = ", among, ")"):
                return None  # equality takes more than DuckDB's own
            found.append(among)
    a, b = (emitted(n) for n in columns)
    pairs = join(", ", [sql("(", x, ", ", y, ")") for x, y in zip(*values, strict=True)])
    return sql(
        "(CASE WHEN ", a, " IS NOT NULL AND ", b, " IS NOT NULL THEN (", a, ", ", b, ") IN (", pairs, ")",
        " WHEN ", a, " IS NOT NULL THEN nullif(", a, " IN (", join(", ", values[0]), "), true)",
        " WHEN ", b, " IS NOT NULL THEN nullif(", b, " IN (", join(", ", values[1]), "), true) END)",
    )  # fmt: skip


__all__ = ["GROUP", "PAIRS_MIN", "in_groups", "listed"]
