"""ALTER TABLE's actions on columns: add, drop, rename, type, default, NOT NULL, generation."""

from __future__ import annotations

from functools import partial
from typing import Final

from planner import aims, inheritance, types
from planner import statements as st
from planner.abc import Column, Constraint, PlanError, Table, TypeRef
from planner.binding.facts import type_name as fact_name
from planner.binding.resolve import castable, own_cast
from planner.catalog import Function, Index, Sequence, domains, exclusions, quote_identifier, quote_qualified
from planner.catalog.collations import nondeterministic
from planner.catalog.system.definitions import type_name
from planner.ddl import collations, limits, moments, rules, sequences, statistics
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints.collated_keys import refuse_keys
from planner.ddl.dependencies import columns_named, depends, standing
from planner.ddl.dependencies.columns_named import in_rule, mentions
from planner.ddl.dependencies.renamed_in_queries import beside_a_new_column, with_column
from planner.ddl.foreign import tables as foreign_tables
from planner.ddl.replication import published
from planner.ddl.rights import policies
from planner.ddl.routines import triggers
from planner.ddl.scope import Scope, describe, describe_part
from planner.ddl.tables import retyped
from planner.ddl.tables.alteration import Alteration, is_certain
from planner.ddl.tables.columns import (
    define_column,
    refuse_alike,
    refuse_column_name,
    verify_default,
    verify_first_value,
    verify_generated,
    with_generated_kept,
)
from planner.ddl.types.named_types import with_schemas
from planner.ddl.types.typenames import check_column_type, resolve_type
from planner.parse import parse_expression
from planner.records import replace
from planner.types.geometry import GEOMETRIC


def add_column(on: Alteration, a: st.AlterAction) -> None:
    said = a.column
    assert said is not None
    table, scope = on.table, on.scope
    if constraints.find_column(table, said.name) is not None:
        if a.exists:
            scope.notice(f'column "{said.name}" of relation "{table.name}" already exists, skipping', "42701")
            return
        raise PlanError("42701", f'column "{said.name}" of relation "{table.name}" already exists')
    refuse_column_name(said.name, [])
    refuse_alike(said.name, [c.name for c in table.columns])
    schema = scope.catalog.schema_of(table.schema_oid)
    attnum = next_attnum(table)
    limits.refuse_columns(attnum)
    column, sequence, checks = define_column(scope, said, schema, table.name, attnum, table.temporary)
    on.table = replace(table, columns=(*table.columns, column), last_attnum=attnum)
    if column.generated:
        on.table = with_generated_kept(scope, on.table)
        column = on.table.columns[-1]
    if sequence is not None:
        scope.replace(sequence, replace(sequence, table_oid=table.oid, unlogged=table.unlogged))
    on.reshaped = True
    beside_a_new_column(scope, table, column.name)
    if said.options:
        foreign_tables.set_column_options(
            on, st.AlterAction("foreign column options", said.name, foreign=said.options)
        )
        column = on.table.columns[-1]
    if column.generated:
        on.computed.append(attnum)
    else:
        on.sources[attnum] = _initial(on, column, sequence)
    if column.not_null and column.default is None and sequence is None:
        scope.checks.append(constraints.not_null_check(scope, on.table, column.name))
    scope.checks += constraints.domain_checks(scope, on.table, column)
    for check in checks:
        on.add(check)
    if said.default is not None:
        default = said.default
        certain = is_certain(on.sources.get(attnum, ""))
        verify = partial(verify_default, first=True) if certain else verify_first_value
        on.verify.append(lambda: verify(scope, on.table, column.name, default))
    if said.generated is not None:
        generated = said.generated
        on.verify.append(lambda: verify_generated(scope, on.table, column.name, generated))


def _initial(on: Alteration, column: Column, sequence: Sequence | None) -> str:
    """The new column's value in rows that are there already."""
    shown = type_name(on.scope.catalog, column.type, ())
    if column.filling is not None:
        on.scope.checks += constraints.length_checks(
            column.filling, column.type, constraints.qualified(on.scope, on.table)
        )
        return f"CAST(({column.filling}) AS {shown})"
    if sequence is not None:
        schema = on.scope.catalog.schema_of(sequence.schema_oid).name
        name = quote_qualified(schema, sequence.name).replace("'", "''")
        return f"CAST(nextval('{name}'::regclass) AS {shown})"
    return f"CAST(NULL AS {shown})"


def drop_column(on: Alteration, a: st.AlterAction) -> None:
    table, scope = on.table, on.scope
    column = constraints.find_column(table, a.name)
    if column is None:
        _refuse_of_system(a.name, "drop")
        if a.exists:
            scope.notice(f'column "{a.name}" of relation "{table.name}" does not exist, skipping')
            return
        raise PlanError("42703", f'column "{a.name}" of relation "{table.name}" does not exist')
    for other in standing.free_column(scope, table, column, a.cascade):
        drop_column(on, st.AlterAction("drop column", other.name, cascade=True))
    held = policies.using(scope, on.table, column)
    on.table = replace(on.table, policies=tuple(p for p in on.table.policies if p not in held))
    ruled = tuple(r for r in on.table.rules if not in_rule(scope.catalog, table, r, table, column))
    on.table = replace(on.table, rules=ruled)
    triggers.remove(scope, on.table, triggers.using(on.table, column))
    table = on.table
    kept: list[Constraint] = []
    for c in table.constraints:
        if (
            column.attnum in c.columns
            or _is_included(scope, c, column)
            or exclusions.names_column(scope.catalog, c, column.name)
        ):
            on.remove_index(c)
        else:
            kept.append(c)
    for index in scope.catalog.indexes_of(table.oid):
        if not index.constraint_oid and (
            any(k.attnum == column.attnum for k in index.keys)
            or column.attnum in index.include
            or any(mentions(k.expression, column.name) for k in index.keys if k.expression)
            or (index.predicate and mentions(index.predicate, column.name))
        ):
            scope.remove(index)
    statistics.without_column(scope, table, column.attnum, column.name)
    for sequence in scope.catalog.sequences_of(table.oid):
        if sequence.attnum == column.attnum:
            scope.remove(sequence)
    for comment in scope.catalog.comments_on(table.oid):
        if comment.sub == column.attnum:
            scope.remove(comment)
    columns = tuple(c for c in table.columns if c.attnum != column.attnum)
    on.table = replace(table, columns=columns, constraints=tuple(kept), last_attnum=next_attnum(table) - 1)
    on.sources.pop(column.attnum, None)
    on.computed = [n for n in on.computed if n != column.attnum]
    on.reshaped = True


def _refuse_of_system(name: str, verb: str) -> None:
    """Raises 0A000 for a column that every table has."""
    if name in constraints.SYSTEM_COLUMNS:
        raise PlanError("0A000", f'cannot {verb} system column "{name}"')


def _is_included(scope: Scope, key: Constraint, column: Column) -> bool:
    index = scope.catalog.get(key.index_oid) if key.index_oid else None
    return isinstance(index, Index) and column.attnum in index.include


def rename_column(on: Alteration, a: st.AlterAction) -> None:
    scope, table = on.scope, on.table
    column = constraints.find_column(table, a.name)
    if column is None:
        _refuse_of_system(a.name, "rename")
        raise PlanError("42703", f'column "{a.name}" does not exist')
    for taken in (*inheritance.family(scope.catalog, table)[1:], table):
        if constraints.find_column(taken, a.new_name) is not None:
            raise PlanError("42701", f'column "{a.new_name}" of relation "{taken.name}" already exists')
    refuse_column_name(a.new_name, [])
    refuse_alike(a.new_name, [c.name for c in table.columns if c is not column])

    def renamed(expression: str) -> str:
        return constraints.rename_in_expression(expression, a.name, a.new_name)

    columns = tuple(
        replace(c, name=a.new_name)
        if c.attnum == column.attnum
        else (replace(c, default=renamed(c.default)) if c.generated and c.default else c)
        for c in table.columns
    )
    checks = tuple(
        replace(c, expression=renamed(c.expression))
        if c.kind == "c"
        else replace(c, shown=tuple(renamed(s) for s in c.shown))
        for c in table.constraints
    )
    for owner, policy in policies.elsewhere(scope, table, column):
        if owner.oid != table.oid:
            policies.refuse_renaming_column(owner, policy, a.name)
    rules.refuse_renaming_column(scope, table, column)
    renamed_policies = policies.renamed_column(scope, table, a.name, a.new_name)
    renamed_triggers = triggers.renamed_column(table.triggers, a.name, a.new_name)
    on.table = replace(
        table, columns=columns, constraints=checks, triggers=renamed_triggers, policies=renamed_policies
    )
    for index in scope.catalog.indexes_of(table.oid):
        keys = tuple(replace(k, expression=renamed(k.expression)) if k.expression else k for k in index.keys)
        scope.replace(
            index,
            replace(index, keys=keys, predicate=renamed(index.predicate) if index.predicate else ""),
        )
    statistics.renamed_column(scope, table, a.name, a.new_name)
    published.renamed_column(scope, table, a.name, a.new_name)
    with_column(scope, table, a.name, a.new_name)


def set_default(on: Alteration, a: st.AlterAction) -> None:
    column = on.column(a.name)
    assert a.expression is not None
    _refuse_special(on, column, instead=False)
    default = depends.qualified_constants(on.scope, a.expression)
    on.put(
        column,
        replace(
            column,
            default=with_schemas(on.scope, moments.frozen(on.scope, default, column.type), column.type),
            sequence_oid=0,
        ),
    )
    expression = a.expression
    on.verify.append(lambda: verify_default(on.scope, on.table, column.name, expression))


def drop_default(on: Alteration, a: st.AlterAction) -> None:
    column = on.column(a.name)
    _refuse_special(on, column, instead=True)
    on.put(column, replace(column, default=None, sequence_oid=0))


def _refuse_special(on: Alteration, column: Column, instead: bool) -> None:
    """Raises 42601 for a default of a column that has none of its own; `instead`: and says how that is dropped."""
    for present, what, clause in (
        (column.identity, "an identity", "IDENTITY"),
        (column.generated, "a generated", "EXPRESSION"),
    ):
        if present:
            raise PlanError(
                "42601",
                f'column "{column.name}" of relation "{on.table.name}" is {what} column',
                hint=f"Use ALTER TABLE ... ALTER COLUMN ... DROP {clause} instead." if instead else "",
            )


def set_not_null(on: Alteration, a: st.AlterAction) -> None:
    column = on.column(a.name)
    if not column.not_null:
        on.put(column, replace(column, not_null=True))
        on.scope.checks.append(constraints.not_null_check(on.scope, on.table, column.name))


def drop_not_null(on: Alteration, a: st.AlterAction) -> None:
    column = on.column(a.name)
    if column.identity:
        raise PlanError(
            "42601", f'column "{column.name}" of relation "{on.table.name}" is an identity column'
        )
    key = on.table.primary_key
    if key is not None and column.attnum in key.columns:
        raise PlanError("42P16", f'column "{column.name}" is in a primary key')
    replica = on.scope.catalog.get(on.table.replica_index) if on.table.replica_index else None
    if isinstance(replica, Index) and any(k.attnum == column.attnum for k in replica.keys):
        raise PlanError("42P16", f'column "{column.name}" is in index used as replica identity')
    on.put(column, replace(column, not_null=False))


def _widens(old: TypeRef, new: TypeRef) -> bool:
    """Whether every value of a type with a length fits the other one."""
    return old.oid == new.oid in (types.VARCHAR, types.BPCHAR) and 0 <= old.typmod <= new.typmod


def _cast_default(scope: Scope, column: Column, ref: TypeRef, shown: str) -> None:
    """A column's default is cast to its new type, whatever becomes of its rows. Raises 42804."""
    if (
        column.default is not None
        and not column.generated
        and not casts_automatically(_type_of_default(scope, column), ref.oid)
    ):
        raise PlanError(
            "42804", f'default for column "{column.name}" cannot be cast automatically to type {shown}'
        )


def _type_of_default(scope: Scope, column: Column) -> int:
    """What a column's default is before it is converted to the column's type."""
    assert column.default is not None
    if column.sequence_oid:
        return types.INT8
    if retyped.is_untyped(column.default):
        return column.type.oid
    plan = scope.plan_expression(st.Sql(column.default))
    assert plan.columns is not None
    found = plan.columns[0].type.oid
    return column.type.oid if found == types.UNKNOWN else found


def _read_as(scope: Scope, column: Column) -> str | None:
    """The default of a column that gets another type: what was read as the old one ('t' as a boolean) stays that."""
    if column.default is None or column.generated or not retyped.is_quoted(column.default):
        return column.default
    return f"CAST({column.default} AS {type_name(scope.catalog, TypeRef(column.type.oid), ())})"


def set_type(on: Alteration, a: st.AlterAction) -> None:
    scope, table = on.scope, on.table
    column = on.column(a.name)
    assert a.type is not None
    if column.attnum in on.retyped:
        raise PlanError("0A000", f'cannot alter type of column "{column.name}" twice')
    on.retyped.add(column.attnum)
    ref = resolve_type(replace(a.type, position=0), scope.catalog, scope.search_path)
    check_column_type(ref, column.name, scope.catalog)
    ref, domain = domains.underneath(scope.catalog, ref)
    for kept in columns_named.queries(scope.catalog, table, column):
        shown = describe(kept.holder, scope.catalog, scope.search_path)
        of_function = isinstance(kept.holder, Function)
        raise PlanError(
            "0A000",
            f"cannot alter type of a column used by a {'function or procedure' if of_function else 'view or rule'}",
            detail=f'{"" if of_function else "rule _RETURN on "}{shown} depends on column "{column.name}"',
        )
    for holder, rule in rules.using(scope, table, column):
        raise PlanError(
            "0A000",
            "cannot alter type of a column used by a view or rule",
            detail=f'{describe_part("rule", rule.name, holder, scope)} depends on column "{column.name}"',
        )
    own = [(table, p) for p in policies.using(scope, table, column)]
    for owner, policy in [*own, *policies.elsewhere(scope, table, column)]:
        raise PlanError(
            "0A000",
            "cannot alter type of a column used in a policy definition",
            detail=f'{describe_part("policy", policy.name, owner, scope)} depends on column "{column.name}"',
        )
    published.refuse_altering(scope, table, column.attnum, column.name)
    for trigger in triggers.using(table, column):
        raise PlanError(
            "0A000",
            "cannot alter type of a column used in a trigger definition",
            detail=f'{describe_part("trigger", trigger.name, table, scope)} depends on column "{column.name}"',
        )
    if column.generated and a.expression is not None:
        raise PlanError(
            "42611",
            "cannot specify USING when altering type of generated column",
            detail=f'Column "{column.name}" is a generated column.',
        )
    said_alike = a.expression is None or retyped.is_cast_alone(column, a.expression)
    keys: list[Column] = []  # that unique indexes on expressions, or of a part of the rows, have of it
    for c in table.columns:
        if c.generated and c.attnum != column.attnum and c.default and mentions(c.default, column.name):
            if c.hidden and said_alike and retyped.read_alike(column.type, ref):
                keys.append(c)
                continue
            if c.hidden:
                retyped.remake_index_of(on, c)
                continue
            raise PlanError(
                "0A000",
                "cannot alter type of a column used by a generated column",
                detail=f'Column "{column.name}" is used by generated column "{c.name}".',
            )
    for k in exclusions.exclusions(table):
        if column.attnum in k.columns or exclusions.names_column(scope.catalog, k, column.name):
            raise PlanError(
                "0A000",
                "altering the type of a column that an exclusion constraint uses is not supported",
                hint=f'Drop the constraint "{k.name}", and add it again afterwards.',
            )
    collation = collations.of_column(scope, a.collation, ref, domain, a.position)
    if collation in nondeterministic and _is_key(scope, table, column):
        refuse_keys([replace(column, collation=collation)], "keys")
    same_type = ref == column.type and domain == column.domain
    if same_type and collation == column.collation and a.expression is None:
        return
    shown = type_name(scope.catalog, ref, scope.search_path)
    if table.foreign is not None:  # it has no rows, so none to cast
        a = replace(a, expression=st.Sql("NULL"))
    if a.expression is None and not casts_automatically(column.type.oid, ref.oid):
        raise PlanError(
            "42804",
            f'column "{column.name}" cannot be cast automatically to type {shown}',
            hint=f'You might need to specify "USING {quote_identifier(column.name)}::{shown}".',
        )
    if a.expression is not None and table.foreign is None:
        kind = retyped.verify_using(on, column, a.expression, ref, shown)
        _cast_default(scope, column, ref, shown)
        alike = _stays(column.type, ref) or _widens(column.type, ref) or not constraints.is_cut(ref)
        if (
            said_alike
            and alike
            and kind == ref
            and casts_automatically(column.type.oid, ref.oid)
            and not domain
        ):
            a = replace(a, expression=None)
        else:
            for key in keys:
                retyped.remake_index_of(on, key)
            keys = []
    else:
        _cast_default(scope, column, ref, shown)
    if same_type and collation == column.collation and a.expression is None:
        return
    by_row = a.expression is None or retyped.is_by_row(parse_expression(a.expression.text))
    source = a.expression.text if a.expression is not None else quote_identifier(column.name)
    if a.expression is not None or not _widens(column.type, ref):
        checks = constraints.length_checks(source, ref, constraints.qualified(scope, table))
        scope.checks += [replace(c, rows_of=table.oid) for c in checks] if by_row else checks
    on.sources[column.attnum] = f"CAST(({source}) AS {type_name(scope.catalog, ref, ())})"
    if by_row:
        on.cast.add(column.attnum)
    if said_alike and not domain and {column.type.oid, ref.oid} <= _CAST_ALIKE:
        on.one_by_one.add(column.attnum)
    on.staying.discard(column.attnum)
    if a.expression is None and _stays(column.type, ref):
        on.staying.add(column.attnum)
    on.reshaped = True
    statistics.forget_column(scope, table, column.attnum)
    default = column.default if ref.oid == column.type.oid else _read_as(scope, column)
    changed = replace(
        column, type=ref, domain=domain, collation=collation, default=default, storage="", compression=""
    )
    on.put(column, changed)
    scope.checks += constraints.domain_checks(scope, on.table, changed)
    retyped.reread(on, column)
    for key in keys:
        retyped.follow_key(on, key)
    names = {c.attnum: c for c in on.table.columns}
    on.table = replace(on.table, constraints=tuple(_by_value(column, k) for k in on.table.constraints))
    for k in on.table.constraints:
        if column.attnum in k.columns and k.kind in "pu" and k.index_oid not in on.remade:
            keys = [names[n] for n in k.columns]
            scope.checks.append(constraints.unique_check(scope, on.table, k.name, keys, k.nulls_not_distinct))
            scope.checks += constraints.nan_checks(scope, on.table, keys)
    if column.sequence_oid:
        sequence = scope.catalog.get(column.sequence_oid)
        if isinstance(sequence, Sequence) and sequence.identity:
            if ref.oid not in (types.INT2, types.INT4, types.INT8):
                raise PlanError("22023", "identity column type must be smallint, integer, or bigint")
            options = st.SequenceOptions(type=a.type)
            scope.replace(sequence, sequences.apply_options(sequence, options, scope, new=False))


_INTEGERS: Final = (types.INT2, types.INT4, types.INT8)


_CAST_ALIKE: Final = frozenset(
    (types.BOOL, types.INT2, types.INT4, types.INT8, types.NUMERIC, types.TEXT, types.VARCHAR)
)
"""Types between which no setting has a say in what a value becomes."""


def _stays(source: TypeRef, target: TypeRef) -> bool:
    """Whether each value of one type is the same datum of the other, nothing cut off or rounded."""
    if source.oid in _INTEGERS and target.oid in _INTEGERS:
        return _INTEGERS.index(source.oid) <= _INTEGERS.index(target.oid)
    texts = (types.TEXT, types.VARCHAR)
    if source.oid not in texts or target.oid not in texts:
        return False
    return target.typmod < 0 or (source.oid == types.VARCHAR and 0 <= source.typmod <= target.typmod)


def _by_value(column: Column, key: Constraint) -> Constraint:
    """A key over a column that gets another type: all of its rows are looked at, so it can go by values from now on."""
    with_it = key.kind in "pu" and column.attnum in key.columns
    return replace(key, by_value=True) if with_it else key


def drop_expression(on: Alteration, a: st.AlterAction) -> None:
    column = on.column(a.name)
    if not column.generated:
        message = f'column "{a.name}" of relation "{on.table.name}" is not a stored generated column'
        if a.exists:
            on.scope.notice(message + ", skipping")
            return
        raise PlanError("55000", message)
    on.put(column, replace(column, generated=False, default=None))


def next_attnum(table: Table) -> int:
    return max([table.last_attnum, *(c.attnum for c in table.visible)], default=0) + 1


_NUMERIC: Final = frozenset((types.INT2, types.INT4, types.INT8, types.FLOAT4, types.FLOAT8, types.NUMERIC))
_STRINGS: Final = frozenset((types.TEXT, types.VARCHAR, types.BPCHAR, types.NAME, types.CITEXT))
_DATES: Final = frozenset((types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ))


_BY_CASTS: Final = GEOMETRIC | {types.MONEY, types.XML}
"""Types of which pg_cast says all."""


def casts_automatically(source: int, target: int) -> bool:
    """Whether an assignment cast leads from one type to the other."""
    elements = types.element_of(source), types.element_of(target)
    if all(elements):
        return casts_automatically(*elements)
    if own_cast(source, target, "a") is not None:
        return True
    if not {source, target}.isdisjoint(_BY_CASTS):
        return source == target or castable(fact_name(source), fact_name(target), "a")
    return (
        source == target
        or target in _STRINGS
        or any(source in group and target in group for group in (_NUMERIC, _DATES))
        or (source in (types.TIMESTAMP, types.TIMESTAMPTZ) and target in (types.TIME, types.TIMETZ))
        or (source, target)
        in (
            (types.TIME, types.TIMETZ), (types.TIMETZ, types.TIME), (types.TIME, types.INTERVAL),
            (types.INTERVAL, types.TIME), (types.JSON, types.JSONB), (types.JSONB, types.JSON),
            (types.INT4, types.OID), (types.INT8, types.OID), (types.OID, types.INT8), (types.OID, types.INT4),
        )
    )  # fmt: skip


def _is_key(scope: Scope, table: Table, column: Column) -> bool:
    """Whether rows are told apart, or found, by the column: its own keys, and what refers to it."""
    mine = any(c.kind in "pufx" and column.attnum in c.columns for c in table.constraints)
    theirs = any(column.attnum in c.foreign_columns for c, _ in aims.into(scope.catalog, table))
    return mine or theirs
