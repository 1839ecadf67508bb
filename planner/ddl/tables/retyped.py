"""What is written over a column that gets another type, read again as PostgreSQL reads it.

    c timestamp CHECK (c > '2024-01-01')       ALTER c TYPE text
    as it was meant:  c > '2024-01-01 00:00:00'::timestamp without time zone
    read again:       42883 operator does not exist: text > timestamp without time zone

A constraint says what it said when it was made, not what its words would say of another type. So the words are spelled
out over the column as it was (`planner.catalog.system.written`), with the types of all constants, and bound over the
column as it is: what cannot be read so is refused now, also where there are no rows, for no row could ever come. A key
of other rows, and what refers to it, must still be comparable, and the references are looked for again.

Source: PostgreSQL's manual, ALTER TABLE ("SET DATA TYPE"), and what its `ATPostAlterTypeCleanup` does.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import aims, types
from planner import statements as st
from planner.abc import Column, Constraint, PlanError, Table, TypeRef
from planner.catalog import Index, quote_identifier
from planner.catalog.system.definitions import type_name
from planner.catalog.system.written import condition
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import foreign_keys
from planner.ddl.dependencies.columns_named import mentions
from planner.ddl.plan import DataCheck
from planner.ddl.tables.columns import assignable
from planner.parse import parse_expression
from planner.records import replace

if TYPE_CHECKING:
    from planner.ddl.tables.alteration import Alteration


def reread(on: Alteration, column: Column) -> None:
    """Raises, once the table is as it shall be, what PostgreSQL raises where a CHECK, an index or a foreign key cannot
    be meant of the column's new type. `column`: as it was."""
    scope = on.scope
    meant: list[Constraint] = []
    for c in on.table.constraints:
        if c.kind == "c" and column.attnum in c.columns:
            c = replace(c, expression=_spelled_out(on, c.expression))
            _verify_check(on, c.expression)
        elif c.kind == "f" and (column.attnum in c.columns or _refers_to(c, on.table, column)):
            _verify_reference(on, c)
        meant.append(c)
    on.table = replace(on.table, constraints=tuple(meant))
    for reference, child in aims.into(scope.catalog, on.table):
        if child.oid != on.table.oid and _refers_to(reference, on.table, column):
            _verify_reference(on, reference, child)
    for index in scope.catalog.indexes_of(on.table.oid):
        _reread_index(on, column, index)


_ALIKE: Final = (
    frozenset((types.INT2, types.INT4, types.INT8)),
    frozenset((types.TEXT, types.VARCHAR)),
)
"""Types of which one value is the same, whatever is computed of it."""


def read_alike(old: TypeRef, new: TypeRef) -> bool:
    """Whether an expression says the same of a value of the new type as of the old one."""
    return any(old.oid in kinds and new.oid in kinds for kinds in _ALIKE)


def verify_using(on: Alteration, column: Column, said: st.Sql, ref: TypeRef, shown: str) -> TypeRef | None:
    """Binds what the new values are made of, over the table as it was; their type. Raises 42804 for what cannot be stored in the column."""
    constraints.refuse_subqueries(said, "transform expression")
    scope, first = on.scope, on.scope.before.get(on.before.oid)
    if not isinstance(first, Table):
        return None
    rows = f"{quote_identifier(scope.before.schema_of(first.schema_oid).name)}.{quote_identifier(first.name)}"
    plan = scope.plan_expression(said, rows, "transform expressions", catalog=scope.before)
    assert plan.columns is not None
    if not assignable(plan.columns[0].type.oid, ref.oid) and not is_untyped(said.text):
        raise PlanError(
            "42804",
            f'result of USING clause for column "{column.name}" cannot be cast automatically to type {shown}',
            hint="You might need to add an explicit cast.",
        )
    if is_quoted(said.text):  # is read now, as the new type
        scope.plan_expression(st.Sql(f"CAST({said.text} AS {type_name(scope.before, ref, ())})"))
    if not is_by_row(parse_expression(said.text)):
        # what is computed of constants is refused where there is no row to compute it for, too
        asked = f"SELECT ({said.text}) FROM {rows} LIMIT 0"
        scope.checks.append(DataCheck(asked, "XX000", "nothing is found", before=True))
    kind: TypeRef = plan.columns[0].type
    return kind


def is_cast_alone(column: Column, said: st.Sql) -> bool:
    """Whether an expression casts the column and does nothing else, as some frameworks write with each change of a type."""
    found = parse_expression(said.text).unnest()
    name = found.this if isinstance(found, exp.Cast) and not isinstance(found, exp.TryCast) else None
    return isinstance(name, exp.Column) and not name.table and name.name == column.name


def is_quoted(text: str) -> bool:
    """Whether an expression is a constant in quotes, which has no type but the one it is read as: `'5'`."""
    found = parse_expression(text).unnest()
    return isinstance(found, exp.Literal) and bool(found.is_string)


def is_untyped(text: str) -> bool:
    """Whether an expression is a constant that is of whatever type is wanted."""
    return is_quoted(text) or isinstance(parse_expression(text).unnest(), exp.Null)


def is_by_row(node: exp.Expression) -> bool:
    """Whether nothing is computed of an expression where there is no row: each part of it is of a column, or a mere constant."""
    if isinstance(node, exp.Column):
        return True
    parts = [part for part in node.iter_expressions() if not isinstance(part, exp.Literal | exp.DataType)]
    return bool(parts) and all(map(is_by_row, parts))


def remake_index_of(on: Alteration, key: Column) -> None:
    """Has the unique index that a hidden column is of made anew, once all columns have their types."""
    for c in on.table.constraints:
        if c.index_only and key.attnum in c.columns:
            on.remade[c.index_oid] = None


def follow_key(on: Alteration, key: Column) -> None:
    """The hidden column of a unique index (`unique_indexes`), over columns one of which has another type now."""
    scope = on.scope
    assert key.default is not None

    def named(ref: TypeRef) -> str:
        return type_name(scope.catalog, ref, ())

    values = ", ".join(
        f"CAST(NULL AS {named(c.type)}) AS {quote_identifier(c.name)}"
        for c in on.table.columns
        if not c.hidden
    )
    plan = scope.plan_expression(
        st.Sql(key.default), f"(SELECT {values}) AS {quote_identifier(on.table.name)}", "index expressions"
    )
    assert plan.columns is not None
    kind = plan.columns[0].type
    on.sources[key.attnum] = f"CAST(({key.default}) AS {named(kind)})"
    on.put(key, replace(key, type=kind))


def _refers_to(reference: Constraint, table: Table, column: Column) -> bool:
    return reference.foreign_table == table.oid and column.attnum in reference.foreign_columns


def _spelled_out(on: Alteration, text: str) -> str:
    """An expression over the table as it was before the statement, constants with their types."""
    return condition(on.scope.before, on.before, text, ()) or text


def _verify_check(on: Alteration, text: str) -> None:
    on.verify.append(lambda: constraints.verify_check(on.scope, on.table, st.Sql(text)))


def _verify_reference(on: Alteration, reference: Constraint, child: Table | None = None) -> None:
    """A foreign key between columns that are comparable still, and whose rows are looked for again."""
    scope = on.scope

    def verify() -> None:
        mine = on.table if child is None else scope.catalog.table(child.oid)
        theirs = scope.catalog.table(reference.foreign_table)
        by_number = {c.attnum: c for c in mine.columns}
        keys = {c.attnum: c for c in theirs.columns}
        columns = [by_number[n] for n in reference.columns]
        key = [keys[n] for n in reference.foreign_columns]
        foreign_keys.refuse_incomparable(reference.name, columns, key)
        if foreign_keys.key_collations(columns, key) != reference.collations:
            raise PlanError(
                "0A000",
                "altering the collation by which a foreign key compares its key's values is not supported",
            )
        if reference.validated:
            scope.checks += foreign_keys.check_rows(scope, mine, reference, columns, theirs, key)

    on.verify.append(verify)


def _reread_index(on: Alteration, column: Column, index: Index) -> None:
    """Expressions and the predicate of an index."""
    keys = tuple(
        replace(k, expression=_spelled_out(on, k.expression))
        if k.expression and mentions(k.expression, column.name)
        else k
        for k in index.keys
    )
    predicate = index.predicate
    if predicate and mentions(predicate, column.name):
        predicate = _spelled_out(on, predicate)
    if keys == index.keys and predicate == index.predicate:
        return
    scope = on.scope
    source = constraints.qualified(scope, on.table)
    scope.replace(index, replace(index, keys=keys, predicate=predicate))
    if predicate:
        on.verify.append(
            lambda: constraints.verify_boolean(
                scope, on.table, st.Sql(predicate), "WHERE", "index predicates"
            )
        )
    for k in keys:
        if k.expression:
            on.verify.append(partial(_bind, on, k.expression, source))


def _bind(on: Alteration, text: str, source: str) -> None:
    on.scope.plan_expression(st.Sql(text), source, "index expressions")
