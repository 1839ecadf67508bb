"""The grammar of partitions.

PARTITION BY RANGE | LIST | HASH (column [COLLATE c] [opclass], ...)
PARTITION OF parent [(columns and constraints)] FOR VALUES IN (...) | FROM (...) TO (...) | WITH (MODULUS m, REMAINDER r)  |  DEFAULT
ALTER TABLE ... ATTACH PARTITION p FOR VALUES ...,  DETACH PARTITION p
"""

from __future__ import annotations

from typing import Any

from planner import statements as st
from planner.abc import PlanError
from planner.parse import column_constraints, constraints
from planner.parse.cursor import Cursor
from planner.parse.exclusions import index_element
from planner.records import replace


def partition_by(c: Cursor) -> st.PartitionBy | None:
    """PARTITION BY, if it comes next."""
    if not c.accept("partition", "by"):
        return None
    position = c.position
    how = c.name()
    if how not in ("range", "list", "hash"):
        raise PlanError("22023", f'unrecognized partitioning strategy "{how}"')
    elements = c.bracketed(index_element)
    return st.PartitionBy(how[0], elements, position)


def bound(c: Cursor) -> st.BoundDef:
    """FOR VALUES ... or DEFAULT."""
    position = c.position
    if c.accept("default"):
        return st.BoundDef("d", position=position)
    c.expect("for", "values")
    position = c.position
    if c.accept("in"):
        return st.BoundDef("l", c.bracketed(Cursor.expression), position=position)
    if c.accept("from"):
        lower = c.bracketed(Cursor.expression)
        c.expect("to")
        return st.BoundDef("r", lower, c.bracketed(Cursor.expression), position=position)
    c.expect("with")
    c.expect_symbol("(")
    said: dict[str, int] = {}
    while True:
        at = c.position
        word = c.name()
        if word not in ("modulus", "remainder"):
            raise PlanError("42601", f'unrecognized hash partition bound specification "{word}"', position=at)
        if word in said:
            raise PlanError("42710", f"{word} for hash partition provided more than once", position=at)
        said[word] = c.integer()
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    for word in ("modulus", "remainder"):
        if word not in said:
            raise PlanError("42601", f"{word} for hash partition must be specified")
    return st.BoundDef("h", modulus=said["modulus"], remainder=said["remainder"], position=position)


def typed_elements(c: Cursor, table: str) -> tuple[Any, ...]:
    """What a partition says of the columns that it has from its parent: `(a DEFAULT 1, b WITH OPTIONS NOT NULL, CHECK (...))`."""
    if not c.accept_symbol("("):
        return ()
    found: list[Any] = []
    while True:
        if constraints.begins(c):
            found.append(constraints.table_constraint(c))
        else:
            position = c.position
            column = st.ColumnDef(c.name(), st.TypeName(("text",)), position=position)
            c.accept("with", "options")
            found.append(column_constraints.read(c, column, table))
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return tuple(found)


def attach(c: Cursor, position: int) -> st.AlterAction:
    """After ATTACH PARTITION."""
    name = replace(c.qualified(), position=0)  # PostgreSQL gives no place for it
    if c.ended:  # of an index
        return st.AlterAction("attach partition", relation=name, position=position)
    return st.AlterAction("attach partition", relation=name, bound=bound(c), position=position)


def detach(c: Cursor, position: int) -> st.AlterAction:
    """After DETACH PARTITION."""
    name = c.qualified()
    how = c.accept_one("concurrently", "finalize") or ""
    return st.AlterAction("detach partition", which=how, relation=name, position=position)
