"""WITH ORDINALITY: the numbers come out of the lists, beside the rows.

    unnest(t.a, t.b) WITH ORDINALITY

    SELECT unnest(l0) AS c0, unnest(l1) AS c1, unnest(range(1, 1 + greatest(len(l0), len(l1)))) AS n
    FROM (SELECT t.a AS l0, t.b AS l1)

To count the rows when they are there (`row_number() OVER ()`) is right only where nothing of an outer row is read: for
the rows of all outer rows are counted in one go then, in partitions whose rows come in any order.
"""

from __future__ import annotations

from collections.abc import Sequence

from planner.binding.fragments import Frag, Item, join, sql

NUMBER = "n"
"""The column of the numbers."""


def unnested(lists: Sequence[tuple[Frag, str]]) -> Frag:
    """A query with the elements of each list, under its name, and their numbers from 1; shorter lists go on as NULLs."""
    items: list[Item] = [sql(f"unnest(l{i}) AS {name}") for i, (_, name) in enumerate(lists)]
    lengths: list[Item] = [f"coalesce(len(l{i}), 0)" for i in range(len(lists))]
    numbers = sql("unnest(range(1, 1 + greatest(", join(", ", lengths), f"))) AS {NUMBER}")
    held: list[Item] = [sql(frag, f" AS l{i}") for i, (frag, _) in enumerate(lists)]
    return sql("SELECT ", join(", ", [*items, numbers]), " FROM (SELECT ", join(", ", held), ")")
