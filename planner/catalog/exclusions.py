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
from planner.catalog.objects import Index, IndexKey
from planner.lexer import QUOTED, WORD, tokenize
from planner.types import format_type

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
    bounds = [(i, _bounds(table, k)) for i, k in enumerate(index.keys) if operators[i] != "<>"]
    for i, ends in bounds:
        shown += "".join(f", {end} AS tw_{side}{i}" for side, end in zip(("low", "high"), ends, strict=False))
    where = f" WHERE ({index.predicate})" if index.predicate else ""
    rows = f"SELECT ctid AS tw_row, {shown} FROM {source}{where}"
    tests = [f"tw_mine.tw_k{i} {op} tw_theirs.tw_k{i}" for i, op in enumerate(operators)]
    for i, ends in bounds:
        if ends:
            tests.append(
                f"tw_mine.tw_low{i} <= tw_theirs.tw_high{i} AND tw_theirs.tw_low{i} <= tw_mine.tw_high{i}"
            )
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


_NUMBERS: Final = frozenset(("int4range", "int8range"))
"""Not numrange: a numeric may be beyond what a float holds."""
_MOMENTS: Final = frozenset(("daterange", "tsrange", "tstzrange"))


def _bounds(table: Table, key: IndexKey) -> tuple[str, ...]:
    """Where a range begins and ends at most, as floats; nothing for what is no column of a range.

    Ranges that overlap, touch or are equal have bounds that do. That is a join by order, which takes the place of
    comparing each row with each; a float may be rounded, but never past another one.
    """
    column = next((c for c in table.columns if c.attnum == key.attnum), None) if key.attnum else None
    kind = format_type(column.type) if column is not None else ""
    if column is None or kind not in _NUMBERS | _MOMENTS:
        return ()
    ends = (f"lower({quote_identifier(column.name)})", f"upper({quote_identifier(column.name)})")
    if kind in _MOMENTS:
        ends = (f"date_part('epoch', {ends[0]})", f"date_part('epoch', {ends[1]})")
    return f"coalesce({ends[0]}::float8, '-infinity')", f"coalesce({ends[1]}::float8, 'infinity')"


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
