"""PARTITION BY: columns, and expressions over a row, each of which is a hidden column that the row has.

    PARTITION BY RANGE (a, (b + 0))         key    (a, ........partition.16391........)       generated: b + 0
    PARTITION OF t, ATTACH                  the partition gets a hidden column of the same name; attached rows are computed
    DETACH                                  it goes

So whoever deals out rows, asks of them whether they are a partition's, or notices that an UPDATE moves them knows of columns
alone, as with unique indexes over expressions (`unique_indexes`): the value is computed once, where the row is made.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from planner import statements as st
from planner import types
from planner.abc import Column, PlanError, SqlError, Table
from planner.binding.naming import identifier
from planner.catalog.classes_of_operators import oid_of
from planner.catalog.collations import NONE, is_collatable
from planner.catalog.system.operator_choice import opclass_for
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import own_names
from planner.ddl.constraints.index_classes import key_class
from planner.ddl.scope import Scope
from planner.parse import parse_expression
from planner.parse import position as first_position
from planner.partitioning import can_be_key, has_order
from planner.partitions import HIDDEN, WORDS, PartitionKey
from planner.records import replace

KEYS_MAX: Final = 32
_BY_BYTES: Final = frozenset(("", "C", "POSIX", "C.utf8", "default"))
"""Collations in whose order texts are as their bytes."""


def keyed(scope: Scope, table: Table, said: st.PartitionBy) -> Table:
    """A table that is being made, with its key, and with columns for the expressions in it. Raises 42703, 42P17, 42704, 0A000."""
    if said.strategy == "l" and len(said.elements) > 1:
        raise PlanError("42P17", 'cannot use "list" partition strategy with more than one column')
    if len(said.elements) > KEYS_MAX:
        raise PlanError("54011", f"cannot partition using more than {KEYS_MAX} columns")
    elements = [_plain(scope, table, element) for element in said.elements]
    known = any(not element.column for element in elements)
    if known:
        scope.add(table)  # what an expression names is looked up there
    found: list[int] = []
    collations: list[str] = []
    made: list[Column] = []
    for place, element in enumerate(elements, 1):
        if not element.column:
            column = _expression(scope, table, element, place)
            made.append(column)
        else:
            column = _column(table, element)
        _refuse_type(scope, said, element, column)
        found.append(column.attnum)
        of_column = column.collation or "default"
        collations.append(element.collation if element.collation != of_column else "")
    if known:
        scope.remove(table)
    key = PartitionKey(said.strategy, tuple(found), tuple(collations) if any(collations) else ())
    return replace(table, columns=(*table.columns, *made), partitioning=key)


def _plain(scope: Scope, table: Table, element: st.IndexElement) -> st.IndexElement:
    """`(column)` in parentheses is the column."""
    if element.expression is None:
        return element
    tree = parse_expression(element.expression.text).unnest()
    if own_names.is_own_column(scope, table, tree):
        name = identifier(tree.this)
        if name in constraints.SYSTEM_COLUMNS or constraints.find_column(table, name) is not None:
            return replace(element, column=name, expression=None)
    return element


def _column(table: Table, element: st.IndexElement) -> Column:
    column = constraints.find_column(table, element.column)
    if column is None:
        if element.column in constraints.SYSTEM_COLUMNS:
            raise PlanError(
                "42P17",
                f'cannot use system column "{element.column}" in partition key',
                position=element.position,
            )
        raise PlanError(
            "42703",
            f'column "{element.column}" named in partition key does not exist',
            position=element.position,
        )
    if column.generated:
        raise PlanError(
            "42P17",
            "cannot use generated column in partition key",
            detail=f'Column "{column.name}" is a generated column.',
            position=element.position,
        )
    return column


def _expression(scope: Scope, table: Table, element: st.IndexElement, place: int) -> Column:
    """The hidden column of an expression, the key's at this place."""
    said = element.expression
    assert said is not None
    tree = parse_expression(said.text).unnest()
    if isinstance(tree, exp.Null) or (isinstance(tree, exp.Literal) and tree.is_string):
        raise PlanError("42P16", f"partition key column {place} has pseudo-type unknown")
    source = constraints.qualified(scope, table)
    try:
        constraints.refuse_subqueries(said, "partition key expression")
        plan = scope.plan_expression(said, source, "partition key expressions")
    except SqlError as e:
        e.position = 0  # as PostgreSQL, which has lost the statement by then
        raise
    if constraints.system_columns_of(said, table):
        raise PlanError("42P17", "partition key expressions cannot contain system column references")
    named = constraints.columns_named(said)
    generated = {c.name for c in table.columns if c.generated}
    for node in named:
        if node.name in generated:
            raise PlanError(
                "42P17",
                "cannot use generated column in partition key",
                detail=f'Column "{node.name}" is a generated column.',
                position=element.position,
            )
        if node.name == table.name and not node.table and constraints.find_column(table, node.name) is None:
            raise PlanError(
                "0A000",
                "whole rows in partition key expressions are not supported",
                position=first_position(node),
            )
    assert plan.columns is not None
    if plan.columns[0].type.oid in (types.UNKNOWN, types.RECORD):
        pseudo = types.type_in_words(plan.columns[0].type.oid)
        raise PlanError("42P16", f"partition key column {place} has pseudo-type {pseudo}")
    if not named:
        raise PlanError("42P17", "cannot use constant expression as partition key")
    kind, collation = plan.columns[0].type, plan.columns[0].collation
    if collation == NONE:
        raise PlanError(
            "42P22",
            "could not determine which collation to use for partition expression",
            hint="Use the COLLATE clause to set the collation explicitly.",
        )
    number = scope.allocate()  # no other column ever had it
    text = own_names.kept(scope, table, said.text)
    return Column(
        f"{HIDDEN}{number}........", kind, number, default=text, generated=True, hidden=True, collation=collation
    )  # fmt: skip


def _refuse_type(scope: Scope, said: st.PartitionBy, element: st.IndexElement, column: Column) -> None:
    shown = types.format_type(column.type)
    access = "hash" if said.strategy == "h" else "btree"
    if element.collation and not is_collatable(column.type.oid):
        raise PlanError("42804", f"collations are not supported by type {shown}")
    if element.opclass:
        key = key_class(scope, access, element.opclass, column.type)
        if oid_of(key):
            raise PlanError(
                "0A000", "partition keys with a class of operators that is not the default are not supported"
            )
        wanted = opclass_for(access, element.opclass, column.type.oid)
        if not wanted:
            name = element.opclass
            raise PlanError("42704", f'operator class "{name}" does not exist for access method "{access}"')
        if wanted != opclass_for(access, "", column.type.oid):
            raise PlanError(
                "0A000", "partition keys with a class of operators that is not the default are not supported"
            )
    if said.strategy != "h" and not has_order(column.type):
        raise PlanError(
            "42704",
            f'data type {shown} has no default operator class for access method "btree"',
            hint="You must specify a btree operator class or define a default btree operator class for the data type.",
        )
    if not can_be_key(said.strategy, column.type):
        raise PlanError(
            "0A000", f"{WORDS[said.strategy]} partitions by a column of type {shown} are not supported"
        )
    if not {column.collation, element.collation} <= _BY_BYTES:
        raise PlanError("0A000", "partition keys with such a collation are not supported")


def uses(table: Table, name: str) -> bool:
    """Whether a table's key has an expression that names the column."""
    from planner.ddl.dependencies.columns_named import mentions

    key = table.partitioning
    return key is not None and any(
        c.hidden and c.attnum in key.columns and c.default is not None and mentions(c.default, name)
        for c in table.columns
    )


__all__ = ["keyed", "uses"]
