"""EXCLUDE: no two rows of a table answer yes to all of its operators at once.

    EXCLUDE USING gist (room WITH =, during WITH &&) WHERE (NOT cancelled)

    mine                         theirs, another row
    SELECT room, during     ->   SELECT room, during          ON mine.room = theirs.room AND mine.during && theirs.during
    WHERE NOT cancelled          WHERE NOT cancelled

The constraint has the operators, its index everything else. One query finds two rows that it excludes: over the whole
table when it is added, and between the rows that a statement has written and all of them ever after
(`executor.session.exclusions`). A NULL excludes nothing, as no operator says yes of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from planner.abc import Constraint, Table
from planner.catalog.catalog import Catalog
from planner.catalog.names import quote_identifier, quote_qualified
from planner.catalog.objects import Index
from planner.lexer import QUOTED, WORD, tokenize

MESSAGE: Final = 'conflicting key value violates exclusion constraint "{}"'


def exclusions(table: Table) -> list[Constraint]:
    """Those of a table, in the order in which PostgreSQL looks at them."""
    return sorted((c for c in table.constraints if c.kind == "x"), key=lambda c: c.oid)


def index_of(catalog: Catalog, constraint: Constraint) -> Index:
    """The index that has the constraint's keys and predicate."""
    index = catalog.get(constraint.index_oid)
    assert isinstance(index, Index), "an exclusion constraint has an index"
    return index


def conflicts(
    catalog: Catalog,
    table: Table,
    index: Index,
    operators: Sequence[str],
    *,
    alive: bool = False,
    whole: bool = False,
) -> str:
    """A query for two rows that exclude each other: the keys of one, then those of the other.

    The table is first named where one row comes from. `alive`: that one must be among the table's rows as well.
    `whole`: it is any row of the table.
    """
    names = {c.attnum: quote_identifier(c.name) for c in table.columns}
    source = quote_qualified(catalog.schema_of(table.schema_oid).name, table.name)
    keys = [names[k.attnum] if k.attnum else f"({k.expression})" for k in index.keys]
    shown = ", ".join(f"{key} AS tw_k{i}" for i, key in enumerate(keys))
    where = f" WHERE ({index.predicate})" if index.predicate else ""
    rows = f"SELECT ctid AS tw_row, {shown} FROM {source}{where}"
    tests = [f"tw_mine.tw_k{i} {op} tw_theirs.tw_k{i}" for i, op in enumerate(operators)]
    if alive:
        tests.append(f"tw_mine.tw_row IN (SELECT ctid FROM {source})")
    # The first row that meets an older one, if there is such a pair: that is the one which PostgreSQL names.
    order = "tw_mine.tw_row, tw_theirs.tw_row"
    order = order if whole else f"tw_mine.tw_row < tw_theirs.tw_row, {order}"
    columns = [f"{side}.tw_k{i}" for side in ("tw_mine", "tw_theirs") for i in range(len(keys))]
    return (
        f"SELECT {', '.join(columns)} FROM ({rows}) AS tw_mine JOIN ({rows}) AS tw_theirs"
        f" ON tw_mine.tw_row <> tw_theirs.tw_row AND {' AND '.join(tests)} ORDER BY {order} LIMIT 1"
    )


def names_column(catalog: Catalog, constraint: Constraint, name: str) -> bool:
    """Whether an expression or the predicate of the constraint names a column."""
    return constraint.kind == "x" and any(
        token.kind in (WORD, QUOTED) and token.value == name
        for text in _texts(index_of(catalog, constraint))
        for token in tokenize(text)
    )


def in_expression(catalog: Catalog, constraint: Constraint, name: str) -> bool:
    """Whether an expression that is a key names a column."""
    return any(
        token.kind in (WORD, QUOTED) and token.value == name
        for key in index_of(catalog, constraint).keys
        for token in tokenize(key.expression)
    )


def _texts(index: Index) -> Iterator[str]:
    yield from (k.expression for k in index.keys if k.expression)
    if index.predicate:
        yield index.predicate
