"""CREATE, ALTER and DROP STATISTICS: what a planner is told to count of several columns, or of an expression, together.

ANALYZE counts for them (`executor.statistics.together`), and no plan heeds it: an answer does not depend on them in PostgreSQL either.
They are kept, listed (pg_statistic_ext, \\d, \\dX), copied by LIKE and dumped.
"""

from __future__ import annotations

import dataclasses
from typing import Final

from planner import statements as st
from planner import types
from planner.abc import PlanError, Table, TypeRef
from planner.binding.naming import identifier
from planner.catalog import Function, IndexKey, Schema, StatisticsObject, View, rights
from planner.catalog.names import missing_schema
from planner.ddl import naming
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import own_names
from planner.ddl.dependencies import depends
from planner.ddl.rights import permits
from planner.ddl.routines import definitions as routines
from planner.ddl.scope import Scope
from planner.parse import parse_expression
from planner.types.orders import UNORDERED

_COLUMNS_MAX: Final = 8
KINDS: Final = {"ndistinct": "d", "dependencies": "f", "mcv": "m"}


def create_statistics(scope: Scope, said: st.CreateStatistics) -> None:
    """Raises 42P01, 42809, 42501, 42710, 54011, 42703, 42701, 42P17, 42601, 0A000."""
    try:
        table = scope.relation(said.table)
    except PlanError as e:
        e.position = 0
        raise
    if not isinstance(table, Table):
        what = "views" if isinstance(table, View) else "sequences"
        raise PlanError(
            "42809",
            f'cannot define statistics for relation "{table.name}"',
            detail=f"This operation is not supported for {what}.",
        )
    permits.must_own(scope, table)
    schema = scope.schema_for(said.name)
    permits.may_create_in(scope, schema)
    name = said.name.name
    if scope.catalog.statistics_in(schema.oid, name) is not None:
        message = f'statistics object "{name}" already exists'
        if said.if_not_exists:
            scope.notice(f"{message}, skipping", "42710")
            return
        raise PlanError("42710", message)
    if len(said.elements) > _COLUMNS_MAX:
        raise PlanError("54011", f"cannot have more than {_COLUMNS_MAX} columns in statistics")
    keys = [_key(scope, table, e, len(said.elements)) for e in said.elements]
    kinds = _kinds(said, keys)
    attnums = [k.attnum for k in keys if k.attnum]
    expressions = [k.expression for k in keys if not k.attnum]
    if len(set(attnums)) < len(attnums):
        raise PlanError("42701", "duplicate column name in statistics definition")
    if len({parse_expression(e) for e in expressions}) < len(expressions):
        raise PlanError("42701", "duplicate expression in statistics definition")
    ordered = sorted(keys, key=lambda k: k.attnum or 1 << 16)
    scope.add(
        StatisticsObject(scope.allocate(), schema.oid, name, table.oid, tuple(ordered), kinds, scope.user)
    )


def _key(scope: Scope, table: Table, said: str | st.Sql, of: int) -> IndexKey:
    column_name = said if isinstance(said, str) else ""
    if not isinstance(said, str):
        tree = parse_expression(said.text)
        bare = tree.unnest()
        if own_names.is_own_column(scope, table, bare):
            column_name = identifier(bare.this)
    if column_name:
        if column_name in constraints.SYSTEM_COLUMNS:
            raise PlanError("0A000", "statistics creation on system columns is not supported")
        column = constraints.find_column(table, column_name)
        if column is None:
            raise PlanError("42703", f'column "{column_name}" does not exist')
        _refuse_unordered(column.type, f'column "{column_name}" cannot be used in statistics')
        return IndexKey(column.attnum)
    assert not isinstance(said, str)
    constraints.refuse_subqueries(said, "statistics expression")
    plan = scope.plan_expression(said, constraints.qualified(scope, table), "statistics expressions")
    assert plan.columns is not None
    if of > 1:
        _refuse_unordered(plan.columns[0].type, "expression cannot be used in multivariate statistics")
    text = own_names.kept(scope, table, said.text)
    of_users = depends.needs_of_expression(scope, text) or any(
        routines.calls(scope, table, text, f.oid, f.name) for f in scope.catalog.objects(Function)
    )
    if of_users:
        raise PlanError("0A000", "statistics over expressions with objects of users are not supported")
    return IndexKey(0, text)


def _refuse_unordered(ref: TypeRef, what: str) -> None:
    if ref.oid in UNORDERED:
        raise PlanError(
            "0A000",
            f"{what} because its type {types.type_in_words(ref.oid)} has no default btree operator class",
        )


def _kinds(said: st.CreateStatistics, keys: list[IndexKey]) -> str:
    """As stxkind has them: d, f, m, and e where expressions are counted."""
    expressions = any(not k.attnum for k in keys)
    if len(keys) == 1 and expressions:
        if said.kinds:
            raise PlanError(
                "0A000",
                "when building statistics on a single expression, statistics kinds may not be specified",
            )
        return "e"
    for kind in said.kinds:
        if kind not in KINDS:
            raise PlanError("42601", f'unrecognized statistics kind "{kind}"')
    if len(keys) < 2:
        raise PlanError("42P17", "extended statistics require at least 2 columns")
    found = "".join(letter for kind, letter in KINDS.items() if not said.kinds or kind in said.kinds)
    return found + ("e" if expressions else "")


# --- ALTER, DROP --------------------------------------------------------------------------------------


def find(scope: Scope, name: st.Name) -> StatisticsObject | None:
    """None where there is none. Raises 3F000."""
    name = scope.homed(name)
    if name.schema:
        schema = scope.catalog.find_schema(name.schema)
        if schema is None:
            raise missing_schema(name.schema)
        return scope.catalog.statistics_in(schema.oid, name.name)
    for home in scope.catalog.schemas_on(scope.search_path):
        if not home.name.startswith("pg_temp_"):  # as functions are, they are not looked for there
            made = scope.catalog.statistics_in(home.oid, name.name)
            if made is not None:
                return made
    return None


def existing(scope: Scope, name: st.Name) -> StatisticsObject:
    """Raises 42704."""
    found = find(scope, name)
    if found is None:
        raise PlanError("42704", f'statistics object "{name}" does not exist')
    return found


def alter_statistics(scope: Scope, said: st.AlterStatistics) -> None:
    """Raises 42704, 42501, 42710, 22023."""
    if said.if_exists and find(scope, said.name) is None:
        scope.notice(f'statistics object "{said.name}" does not exist, skipping')
        return
    found = existing(scope, said.name)
    permits.must_own(scope, found)
    if said.what == "owner":
        owner = constraints.require_role(scope, said.to)
        permits.may_become(scope, said.to)
        scope.replace(found, dataclasses.replace(found, owner=owner))
    elif said.what == "rename":
        _refuse_taken(scope, scope.catalog.schema_of(found.schema_oid), said.to)
        scope.replace(found, dataclasses.replace(found, name=said.to))
    elif said.what == "set schema":
        schema = scope.catalog.schema(said.to)
        rights.require(scope.catalog, scope.user, schema, "create")
        if schema.oid != found.schema_oid:
            _refuse_taken(scope, schema, found.name)
            scope.replace(found, dataclasses.replace(found, schema_oid=schema.oid))
    else:
        target = said.target
        if target < -1:
            raise PlanError("22023", f"statistics target {target} is too low")
        if target > 10000:
            target = 10000
            scope.notice("lowering statistics target to 10000", "22023", severity="WARNING")
        scope.replace(found, dataclasses.replace(found, target=target))


def _refuse_taken(scope: Scope, schema: Schema, name: str) -> None:
    if scope.catalog.statistics_in(schema.oid, name) is not None:
        raise PlanError("42710", f'statistics object "{name}" already exists in schema "{schema.name}"')


# --- the table's changes ------------------------------------------------------------------------------


def without_column(scope: Scope, table: Table, attnum: int, name: str) -> None:
    """A column is dropped, and with it all statistics that it is in."""
    from planner.ddl.dependencies.columns_named import mentions

    for made in scope.catalog.statistics_of(table.oid):
        if any(k.attnum == attnum or (k.expression and mentions(k.expression, name)) for k in made.keys):
            scope.remove(made)
    forget_column(scope, table, attnum)


def forget_column(scope: Scope, table: Table, attnum: int) -> None:
    """What ANALYZE has found of a column that goes, or is of another type from now on."""
    found = scope.catalog.analysis_of(table.oid)
    if found is not None:
        columns = tuple(c for c in found.columns if c.attnum != attnum)
        of_it = {
            s.oid
            for s in scope.catalog.statistics_of(table.oid)
            if any(k.attnum in (attnum, 0) for k in s.keys)
        }
        together = tuple(x for x in found.together if x.statistics_oid not in of_it)
        scope.replace(found, dataclasses.replace(found, columns=columns, together=together))


def renamed_column(scope: Scope, table: Table, old: str, new: str) -> None:
    for made in scope.catalog.statistics_of(table.oid):
        keys = tuple(
            dataclasses.replace(k, expression=constraints.rename_in_expression(k.expression, old, new))
            if k.expression
            else k
            for k in made.keys
        )
        scope.replace(made, dataclasses.replace(made, keys=keys))


def copied(scope: Scope, made: StatisticsObject, table: Table, attnums: dict[int, int]) -> StatisticsObject:
    """The same of a table that is made LIKE its own, under a name that PostgreSQL chooses."""
    keys = tuple(dataclasses.replace(k, attnum=attnums[k.attnum]) if k.attnum else k for k in made.keys)
    by_attnum = {c.attnum: c.name for c in table.columns}
    labels = [by_attnum[k.attnum] if k.attnum else "expr" for k in keys]
    name = naming.choose(
        table.name,
        naming.joined(labels),
        "stat",
        lambda n: scope.catalog.statistics_in(table.schema_oid, n) is not None,
    )
    return StatisticsObject(scope.allocate(), table.schema_oid, name, table.oid, keys, made.kinds, scope.user)


__all__ = [
    "alter_statistics",
    "copied",
    "create_statistics",
    "existing",
    "find",
    "forget_column",
    "renamed_column",
    "without_column",
]
