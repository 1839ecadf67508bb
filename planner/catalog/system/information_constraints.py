"""information_schema: constraints, and what they are over. Each view is for those whom the standard lets see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from planner import aims
from planner.abc import Column, Constraint, Table
from planner.catalog.system import information_domains, permitted
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import constraint_definition
from planner.catalog.system.listings import schema_name
from planner.catalog.system.rowmaker import of_information_schema

YES_NO = {True: "YES", False: "NO"}


_KINDS = {"p": "PRIMARY KEY", "u": "UNIQUE", "f": "FOREIGN KEY", "c": "CHECK"}


def _constraints_of(
    context: SystemContext, shown: Callable[[Table], bool]
) -> Iterator[tuple[str, Table, Constraint]]:
    """The constraints of the tables that are shown."""
    for t in filter(shown, context.catalog.objects(Table)):
        schema = schema_name(context, t.schema_oid)
        for c in aims.listed(context.catalog, t):
            if c.kind != "x":  # the standard knows none
                yield schema, t, c


def _to_writers(context: SystemContext) -> Callable[[Table], bool]:
    """Tables that the user owns or may do more to than read."""
    return lambda table: permitted.holds(context, table, permitted.OF_WRITERS)


def _table_constraints(context: SystemContext) -> Rows:
    make = of_information_schema("table_constraints")
    found: Rows = []
    db = context.database
    shown = _to_writers(context)
    for schema, t, c in _constraints_of(context, shown):
        nulls = {"nulls_distinct": YES_NO[not c.nulls_not_distinct]} if c.kind == "u" else {}
        found.append(
            make(
                constraint_catalog=db,
                constraint_schema=schema,
                constraint_name=c.name,
                table_catalog=db,
                table_schema=schema,
                table_name=t.name,
                constraint_type=_KINDS[c.kind],
                is_deferrable=YES_NO[c.deferrable],
                initially_deferred=YES_NO[c.deferred],
                enforced="YES",
                **nulls,
            )
        )
    for t in filter(shown, context.catalog.objects(Table)):
        schema = schema_name(context, t.schema_oid)
        for column in t.visible:
            if column.not_null:
                found.append(
                    make(
                        constraint_catalog=db,
                        constraint_schema=schema,
                        constraint_name=_not_null_name(t, column),
                        table_catalog=db,
                        table_schema=schema,
                        table_name=t.name,
                        constraint_type="CHECK",
                        is_deferrable="NO",
                        initially_deferred="NO",
                        enforced="YES",
                    )
                )
    return found


def _not_null_name(t: Table, column: Column) -> str:
    return f"{t.schema_oid}_{t.oid}_{column.attnum}_not_null"


def _key_column_usage(context: SystemContext) -> Rows:
    make = of_information_schema("key_column_usage")
    found: Rows = []
    for schema, t, c in _constraints_of(context, lambda t: True):
        if c.kind not in "puf":
            continue
        target_key = _referenced(context, c) if c.kind == "f" else None
        for i, attnum in enumerate(c.columns, 1):
            if not permitted.holds(context, t, permitted.OF_COLUMNS, attnum):
                continue
            position = None
            if target_key is not None:
                position = target_key[1].columns.index(c.foreign_columns[i - 1]) + 1
            found.append(
                make(
                    constraint_catalog=context.database,
                    constraint_schema=schema,
                    constraint_name=c.name,
                    table_catalog=context.database,
                    table_schema=schema,
                    table_name=t.name,
                    column_name=t.columns[t.index_of(attnum)].name,
                    ordinal_position=i,
                    position_in_unique_constraint=position,
                )
            )
    return found


def _referenced(context: SystemContext, c: Constraint) -> tuple[Table, Constraint] | None:
    """The unique constraint that a foreign key points at."""
    target = context.catalog.get(c.foreign_table)
    if isinstance(target, Table):
        for k in target.constraints:
            if k.kind in ("p", "u") and set(k.columns) == set(c.foreign_columns):
                return target, k
    return None


def _constraint_column_usage(context: SystemContext) -> Rows:
    make = of_information_schema("constraint_column_usage")
    found: Rows = []
    for schema, t, c in _constraints_of(context, lambda t: True):
        table, attnums = t, c.columns
        if c.kind == "f":
            target = context.catalog.get(c.foreign_table)
            assert isinstance(target, Table)
            table, attnums = target, c.foreign_columns
        for attnum in attnums if permitted.owns(context, table) else ():
            found.append(
                make(
                    table_catalog=context.database,
                    table_schema=schema_name(context, table.schema_oid),
                    table_name=table.name,
                    column_name=table.columns[table.index_of(attnum)].name,
                    constraint_catalog=context.database,
                    constraint_schema=schema,
                    constraint_name=c.name,
                )
            )
    return found


def _constraint_table_usage(context: SystemContext) -> Rows:
    make = of_information_schema("constraint_table_usage")
    found: Rows = []
    for schema, t, c in _constraints_of(context, lambda t: True):
        table: Table = t
        if c.kind == "f":
            target = context.catalog.get(c.foreign_table)
            assert isinstance(target, Table)
            table = target
        elif c.kind == "c":
            continue
        if not permitted.owns(context, table):
            continue
        found.append(
            make(
                table_catalog=context.database,
                table_schema=schema_name(context, table.schema_oid),
                table_name=table.name,
                constraint_catalog=context.database,
                constraint_schema=schema,
                constraint_name=c.name,
            )
        )
    return found


_RULES = {"a": "NO ACTION", "r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}


def _referential_constraints(context: SystemContext) -> Rows:
    make = of_information_schema("referential_constraints")
    found: Rows = []
    for schema, _, c in _constraints_of(context, _to_writers(context)):
        if c.kind != "f":
            continue
        target = _referenced(context, c)
        found.append(
            make(
                constraint_catalog=context.database,
                constraint_schema=schema,
                constraint_name=c.name,
                unique_constraint_catalog=context.database if target else None,
                unique_constraint_schema=schema_name(context, target[0].schema_oid) if target else None,
                unique_constraint_name=target[1].name if target else None,
                match_option="FULL" if c.match == "f" else "NONE",
                update_rule=_RULES[c.on_update],
                delete_rule=_RULES[c.on_delete],
            )
        )
    return found


def _check_constraints(context: SystemContext) -> Rows:
    make = of_information_schema("check_constraints")
    found: Rows = []

    def shown(table: Table) -> bool:
        return permitted.owns(context, table)

    for schema, t, c in _constraints_of(context, shown):
        if c.kind == "c":
            clause = constraint_definition(context.catalog, t, c, context.search_path)
            clause = clause.removesuffix(" NOT VALID")[len("CHECK ") :]
            found.append(
                make(
                    constraint_catalog=context.database,
                    constraint_schema=schema,
                    constraint_name=c.name,
                    check_clause=clause,
                )
            )
    found += information_domains.domain_checks(context)
    for t in filter(shown, context.catalog.objects(Table)):
        for column in t.visible:
            if column.not_null:
                found.append(
                    make(
                        constraint_catalog=context.database,
                        constraint_schema=schema_name(context, t.schema_oid),
                        constraint_name=_not_null_name(t, column),
                        check_clause=f"{column.name} IS NOT NULL",
                    )
                )
    return found


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {
    "check_constraints": _check_constraints,
    "constraint_column_usage": _constraint_column_usage,
    "constraint_table_usage": _constraint_table_usage,
    "key_column_usage": _key_column_usage,
    "referential_constraints": _referential_constraints,
    "table_constraints": _table_constraints,
}
