"""FOREIGN KEY: the key that it refers to, what may not be in it, and the query that looks for rows without a parent."""

from __future__ import annotations

from typing import NoReturn

from planner import statements as st
from planner import types
from planner.abc import Column, Constraint, PlanError, Table
from planner.catalog import Relation, quote_identifier, rights
from planner.catalog.collations import nondeterministic, shown, telling_apart
from planner.catalog.system.definitions import collation_name
from planner.ddl import limits, naming
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import names as constraint_names
from planner.ddl.plan import DataCheck
from planner.ddl.scope import Scope
from planner.records import replace


def add(scope: Scope, table: Table, said: st.ConstraintDef, has_rows: bool) -> Table:
    assert said.foreign is not None
    columns = [_referring(table, name) for name in said.columns]
    target = _target(scope, table, said.foreign)
    if target.temporary != table.temporary:
        kind = "temporary" if table.temporary else "permanent"
        raise PlanError("42P16", f"constraints on {kind} tables may reference only {kind} tables")
    if target.unlogged and not table.unlogged:
        raise PlanError("42P16", "constraints on permanent tables may reference only permanent tables")
    if target is not table:
        rights.require(scope.catalog, scope.user, target, "references")
    limits.refuse_foreign_key_columns(len(columns))
    key = _referenced(target, said)
    if len(key) != len(columns):
        raise PlanError("42830", "number of referencing and referenced columns for foreign key disagree")
    _refuse_generated(columns, said)
    label = naming.joined(c.name for c in columns)
    name = said.name or naming.choose(
        table.name, label, "fkey", constraint_names.is_taken_for_condition(scope, table)
    )
    refuse_incomparable(name, columns, key)
    constraint = Constraint(
        scope.allocate(),
        name,
        "f",
        tuple(c.attnum for c in columns),
        foreign_table=target.oid,
        foreign_columns=tuple(c.attnum for c in key),
        on_update=said.on_update,
        on_delete=said.on_delete,
        deferrable=said.deferrable,
        deferred=said.initially_deferred,
        match=said.match,
        delete_columns=_delete_columns(table, said),
        validated=not (said.not_valid and has_rows),
        collations=key_collations(columns, key),
    )
    if has_rows and not said.not_valid:
        scope.checks += check_rows(scope, table, constraint, columns, target, key)
    return replace(table, constraints=(*table.constraints, constraint))


def refuse_incomparable(name: str, columns: list[Column], key: list[Column]) -> None:
    """Raises 42804 for a foreign key whose columns the key's equality does not take."""
    for mine, theirs in zip(columns, key, strict=True):
        if mine.type.oid == types.CITEXT and theirs.type.oid in _TEXTS:
            raise PlanError("0A000", "a reference of citext to text is not supported")
        if not _comparable(mine.type.oid, theirs.type.oid):
            raise PlanError(
                "42804",
                f'foreign key constraint "{name}" cannot be implemented',
                detail=f'Key columns "{mine.name}" and "{theirs.name}" are of incompatible types: '
                f"{types.type_in_words(mine.type.oid)} and {types.type_in_words(theirs.type.oid)}.",
            )


def key_collations(columns: list[Column], key: list[Column]) -> tuple[str, ...]:
    """By which collations values of the key are equal, as `Constraint.collations` has them. Raises 0A000 for what refers
    to a key by another equality than the key's own: PostgreSQL asks the one of an insertion and the other of a deletion."""
    if not nondeterministic:
        return ()
    for mine, theirs in zip(columns, key, strict=True):
        if mine.collation in nondeterministic and not telling_apart(theirs.collation):
            raise PlanError(
                "0A000",
                f'foreign keys of column "{mine.name}" with the nondeterministic collation "{shown(mine.collation)}" '
                f'to column "{theirs.name}" with a deterministic one are not supported',
            )
    found = tuple(telling_apart(c.collation) for c in key)
    return found if any(found) else ()


def _delete_columns(table: Table, said: st.ConstraintDef) -> tuple[int, ...]:
    """What ON DELETE SET NULL (...) means: columns of the key."""
    found: list[int] = []
    for name in said.delete_columns:
        column = _referring(table, name)
        if name not in said.columns:
            raise PlanError(
                "42P10",
                f'column "{name}" referenced in ON DELETE SET action must be part of foreign key',
            )
        if column.attnum not in found:
            found.append(column.attnum)
    return tuple(found)


def _referring(table: Table, name: str) -> Column:
    column = constraints.find_column(table, name)
    if column is None:
        if name in constraints.SYSTEM_COLUMNS:
            raise PlanError("0A000", "system columns cannot be used in foreign keys")
        raise PlanError("42703", f'column "{name}" referenced in foreign key constraint does not exist')
    return column


def _refuse_generated(columns: list[Column], said: st.ConstraintDef) -> None:
    """Raises 42601 for an action that would write a generated column."""
    if any(c.generated for c in columns):
        for event, action, writing in (("UPDATE", said.on_update, "ndc"), ("DELETE", said.on_delete, "nd")):
            if action in writing:
                raise PlanError(
                    "42601",
                    f"invalid ON {event} action for foreign key constraint containing generated column",
                )


def _target(scope: Scope, table: Table, name: st.Name) -> Table:
    """The referenced table; the one being made may be meant by its own name."""
    found = scope.find(st.Name(name.name, name.schema))
    if name.name == table.name and _means_itself(scope, table, name, found):
        return table
    if found is None:
        found = scope.relation(st.Name(name.name, name.schema))
    if not isinstance(found, Table) or found.foreign is not None:
        raise PlanError("42809", f'referenced relation "{name.name}" is not a table')
    return found


def _means_itself(scope: Scope, table: Table, name: st.Name, found: Relation | None) -> bool:
    """Whether a table's own name means it: not where its schema is not searched, or behind that of another of the name."""
    schema, path = scope.catalog.schema_of(table.schema_oid).name, list(scope.search_path)
    if name.schema or schema.startswith("pg_temp"):
        return name.schema in ("", schema)
    if schema not in path or found is None:
        return schema in path
    other = scope.catalog.schema_of(found.schema_oid).name
    return other in path and path.index(schema) <= path.index(other)


def _referenced(target: Table, said: st.ConstraintDef) -> list[Column]:
    by_attnum = {c.attnum: c for c in target.columns}
    if not said.foreign_columns:
        if target.primary_key is None:
            raise PlanError("42704", f'there is no primary key for referenced table "{target.name}"')
        if target.primary_key.deferrable:
            _refuse_deferrable("primary key", target)
        return [by_attnum[a] for a in target.primary_key.columns]
    key: list[Column] = []
    for name in said.foreign_columns:
        key.append(_referring(target, name))
    wanted = sorted(c.attnum for c in key)
    matching = [c for c in target.constraints if c.kind in "pu" and sorted(c.columns) == wanted]
    if not matching:
        raise PlanError(
            "42830",
            f'there is no unique constraint matching given keys for referenced table "{target.name}"',
        )
    if all(c.deferrable for c in matching):
        _refuse_deferrable("unique constraint", target)
    return key


def _refuse_deferrable(what: str, target: Table) -> NoReturn:
    raise PlanError("55000", f'cannot use a deferrable {what} for referenced table "{target.name}"')


_NUMBERS = {types.INT2: 0, types.INT4: 0, types.INT8: 0, types.NUMERIC: 1, types.FLOAT4: 2, types.FLOAT8: 2}
"""Where each stands in the order in which numbers are converted without being asked."""
_TEXTS = frozenset((types.TEXT, types.VARCHAR, types.BPCHAR, types.NAME))
_TIMES = frozenset((types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ))


def _comparable(mine: int, theirs: int) -> bool:
    """Whether the key's own equality takes what refers to it, converted without an explicit cast."""
    if mine in _NUMBERS and theirs in _NUMBERS:
        return _NUMBERS[mine] <= _NUMBERS[theirs]
    return mine == theirs or any(mine in group and theirs in group for group in (_TEXTS, _TIMES))


def _explicitly(scope: Scope, key: Column) -> str:
    """Two collations meet, so one is to be said: the key's if it tells less apart than bytes do, else any that goes by bytes."""
    apart = telling_apart(key.collation)
    return f" COLLATE {collation_name(scope.catalog, apart, ())}" if apart else ' COLLATE "C"'


def check_rows(
    scope: Scope,
    table: Table,
    constraint: Constraint,
    columns: list[Column],
    target: Table,
    key: list[Column],
) -> list[DataCheck]:
    """What must not be found: a row without a parent and, with MATCH FULL, one whose key is null in part."""
    mine = [quote_identifier(c.name) for c in columns]
    theirs = [quote_identifier(c.name) for c in key]
    joined = " AND ".join(
        f"p.{t} = f.{m}" + (_explicitly(scope, k) if c.collation != k.collation else "")
        for m, t, c, k in zip(mine, theirs, columns, key, strict=True)
    )
    present = " AND ".join(constraints.is_there(f"f.{m}", c) for m, c in zip(mine, columns, strict=True))
    values = ", ".join(f"{{{i}}}" for i in range(len(mine)))
    message = f'insert or update on table "{table.name}" violates foreign key constraint "{constraint.name}"'
    orphans = DataCheck(
        f"SELECT {', '.join('f.' + m for m in mine)} FROM {constraints.qualified(scope, table)} AS f WHERE {present} AND NOT EXISTS "
        f"(SELECT 1 FROM {constraints.qualified(scope, target)} AS p WHERE {joined}) LIMIT 1",
        "23503",
        message,
        constraints.literally(f"Key ({', '.join(mine)})=")
        + f"({values})"
        + constraints.literally(f' is not present in table "{target.name}".'),
        table,
        constraint.name,
        plain=True,
        by_row=True,
    )
    if constraint.match != "f" or len(mine) < 2:
        return [orphans]
    some = " OR ".join(constraints.is_there(f"f.{m}", c) for m, c in zip(mine, columns, strict=True))
    mixed = DataCheck(
        f"SELECT 1 FROM {constraints.qualified(scope, table)} AS f WHERE ({some}) AND NOT ({present}) LIMIT 1",
        "23503",
        message,
        "MATCH FULL does not allow mixing of null and nonnull key values.",
        table,
        constraint.name,
        plain=True,
        by_row=True,
    )
    return [orphans, mixed]
