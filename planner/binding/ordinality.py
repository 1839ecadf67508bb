"""A function's list as rows of FROM, which keep the list's order; WITH ORDINALITY numbers them.

    unnest(t.a) WITH ORDINALITY

    SELECT u.c0, u.n FROM (SELECT unnest(list_transform(t.a, lambda x, i: {'c0': x, 'n': i})) AS u)

    unnest(t.a, t.b) WITH ORDINALITY      list_zip(t.a, t.b) is transformed; its tuples are taken apart again

To count the rows when they are there (`row_number() OVER ()`) is right only where nothing of an outer row is read: for
the rows of all outer rows are counted in one go then, in partitions whose rows come in any order.

DuckDB unnests a list beside its outer row, in order and fast, where nothing but the list is below the UNNEST. Otherwise, as
for LEFT JOIN, it joins the elements to their rows by a hash table, which gives each row's last element first and takes
forty times as long. So the list is one expression; and `LEFT JOIN f(t.a) ON true` is an inner join with a list that has
one NULL where it would be empty (`padded`).

A record that list_zip puts where a list has ended is NULL, but its fields are another record's (DuckDB 2.0): only what CASE makes of it
is NULL all through.
"""

from __future__ import annotations

from collections.abc import Sequence

from planner.binding.fragments import Frag, Item, join, sql

NUMBER = "n"
"""The column of the numbers."""


def padded(rows: Frag) -> Frag:
    """The list, with one NULL in it where it is empty or NULL."""
    return sql("tw_padded(", rows, ")")


def unnested(lists: Sequence[tuple[Frag, str]], *, at_least_one: bool = False) -> Frag:
    """A query with the elements of each list, under its name, and their numbers from 1; shorter lists go on as NULLs."""
    names = [name for _, name in lists]
    if len(lists) == 1:
        elements, made = lists[0][0], f"'{names[0]}': tw_x"
    else:
        elements = sql("list_zip(", join(", ", [frag for frag, _ in lists]), ")")
        made = ", ".join(
            f"'{name}': CASE WHEN tw_x[{i}] IS NULL THEN NULL ELSE tw_x[{i}] END"  # see above
            for i, name in enumerate(names, 1)
        )
    rows = sql("list_transform(", elements, f", lambda tw_x, tw_n: {{{made}, '{NUMBER}': tw_n}})")
    items: list[Item] = [f"u.{name} AS {name}" for name in (*names, NUMBER)]
    return sql(
        "SELECT ",
        join(", ", items),
        " FROM (SELECT unnest(",
        padded(rows) if at_least_one else rows,
        ") AS u)",
    )
