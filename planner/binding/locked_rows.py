"""FOR UPDATE reaches into subqueries and views of FROM: their tables' rows are locked, as if they had been named.

    SELECT * FROM (SELECT a.x, b.y FROM a JOIN b ...) AS s FOR UPDATE
                                                                       asks   s, and all in it
    (SELECT a.x AS c0, b.y AS c1, a._rid AS tw_d1, b._rid AS tw_d2, ...) AS r3      the rows that s is made of
                                    |__ named once more by the query around it, up to the one that locks

What a query is asked by its surroundings travels with the binding: a query that locks asks the items of its FROM, and what
an item is asked it asks of its own FROM. A row of a subquery must be made of one row of each table; so
grouping and the like are refused, in PostgreSQL's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.abc import Table
from planner.binding import ir, partitioned
from planner.binding.fragments import Frag, sql
from planner.relations import TransitionTable

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder
    from planner.binding.scope import Relation
    from planner.binding.state import BoundQuery


@dataclass(frozen=True, slots=True)
class Asked:
    """What a locking clause asks of some items of a FROM; without names, of all."""

    strength: str
    wait: str
    names: frozenset[str] = frozenset()

    def of(self, name: str) -> Asked | None:
        """What it asks of all that is in an item."""
        return Asked(self.strength, self.wait) if not self.names or name in self.names else None


@dataclass(frozen=True, slots=True)
class InnerRow:
    """A row of a table inside a FROM item: what the item's text calls its row id and key, and where it is from."""

    table: Table
    number: int  # of the table's relation
    rid: str
    keys: tuple[str, ...]
    leaf_keys: tuple[int, ...] | None = None
    """As in RowLock; what the text calls the leaf is the last of `keys`."""


@contextmanager
def asking(queries: QueryBinder, asked: Sequence[Asked]) -> Iterator[None]:
    """While the FROM of a query is bound that is asked for this."""
    before, queries.asked = queries.asked, tuple(asked)
    try:
        yield
    finally:
        queries.asked = before


@contextmanager
def inside(queries: QueryBinder, name: str) -> Iterator[None]:
    """While a FROM item of this name is bound: its query is asked for what it is asked for."""
    before = queries.passed
    queries.passed = tuple(a for a in (x.of(name) for x in queries.asked) if a is not None)
    try:
        yield
    finally:
        queries.passed = before


def rows_of(queries: QueryBinder, relation: Relation) -> Sequence[InnerRow]:
    """The table rows that a row of the relation is made of, which its query's text is to name."""
    table = relation.table
    if table is None or not relation.slot:
        return relation.rows
    if isinstance(table, TransitionTable):  # nobody else sees its rows
        return ()
    relation.rid = True
    leaf_keys = partitioned.leaf_keys(queries, relation)
    for i in table.key_indexes if leaf_keys is None else leaf_keys:
        queries.use(ir.Var(table.columns[i].type, relation.number, i))
    return (InnerRow(table, relation.number, "", (), leaf_keys),)


def named(queries: QueryBinder, relation: Relation, row: InnerRow) -> tuple[Frag, list[Frag]]:
    """The texts of a row's id and key columns, where the relation is in FROM."""
    alias = f"r{relation.number}"
    if row.rid:
        return sql(f"{alias}.{row.rid}"), [sql(f"{alias}.{k}") for k in row.keys]
    places = row.table.key_indexes if row.leaf_keys is None else row.leaf_keys
    keys = [ir.Var(row.table.columns[i].type, relation.number, i) for i in places]
    texts = [queries.canonical(queries.emitter.frag(k), k.type) for k in keys]
    if row.leaf_keys is not None:
        texts.append(sql(f"{alias}.{partitioned.LEAF}"))
    return sql(f"{alias}._rid"), texts


def handed_on(
    queries: QueryBinder, relations: Sequence[Relation]
) -> tuple[list[tuple[Frag, str]], list[InnerRow]]:
    """Columns with which a query names the rows of its tables to the query around it, and what they are."""
    hidden: list[tuple[Frag, str]] = []
    rows: list[InnerRow] = []
    for relation in relations:
        for row in rows_of(queries, relation):
            rid, keys = named(queries, relation, row)
            own = f"tw_d{row.number}"
            names = tuple(f"{own}_{i}" for i in range(len(keys)))
            hidden.append((rid, own))
            hidden += zip(keys, names, strict=True)
            rows.append(InnerRow(row.table, row.number, own, names, row.leaf_keys))
    return hidden, rows


def marked(queries: QueryBinder, relation: Relation, bound: BoundQuery, *, reads: bool) -> None:
    """Notes on a subquery's or view's relation of FROM what its rows are made of."""
    relation.rows = bound.rows
    relation.derived = (
        reads and not bound.rows and not bound.unlocked and bound.frag not in queries.locked_texts
    )


__all__ = ["Asked", "InnerRow", "asking", "handed_on", "inside", "marked", "named", "rows_of"]
