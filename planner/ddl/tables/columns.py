"""A column of a table: its name, what its definition makes of it (type, default, the sequence of a serial), and whether what is
computed for it can be stored in it.
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner import types
from planner.abc import Column, Plan, PlanError, Query, SqlError, Table, TypeRef
from planner.binding.facts import type_name
from planner.binding.resolve import castable, own_cast
from planner.catalog import (
    Schema,
    Sequence,
    domains,
    quote_qualified,
)
from planner.catalog.system.definitions import type_name as name_of_type
from planner.ddl import collations, moments, sequences
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import own_names
from planner.ddl.dependencies import depends
from planner.ddl.partitions.bound_values import NotComputed
from planner.ddl.scope import Scope
from planner.ddl.tables import column_settings
from planner.ddl.types.named_types import with_schemas
from planner.ddl.types.typenames import check_column_type, resolve_type, serial_type
from planner.lexer import STRING, tokenize, within_parentheses
from planner.parse.beginnings import position as first_position
from planner.records import replace
from planner.types.facts import FIRST_USER_OID

HIDDEN_COLUMNS: Final = frozenset(("_rid", "_from", "_to", "_ts"))


def refuse_column_name(name: str, others: list[str], of_view: bool = False) -> None:
    """Raises 42701 for a name that is taken by another column, by PostgreSQL or by this server. A view has no system columns."""
    if name in others:
        raise PlanError("42701", f'column "{name}" specified more than once')
    if not of_view and name in constraints.SYSTEM_COLUMNS:
        raise PlanError("42701", f'column name "{name}" conflicts with a system column name')
    if name in HIDDEN_COLUMNS:
        raise PlanError("42939", f'column name "{name}" is reserved')


def refuse_alike(name: str, others: list[str]) -> None:
    """Raises 0A000 for a table's column "a" beside "A": DuckDB, which tables are read by, would take one for the other."""
    if name.lower() in map(str.lower, others):
        raise PlanError("0A000", f'columns whose names differ in capitals only are not supported: "{name}"')


def define_column(
    scope: Scope, said: st.ColumnDef, schema: Schema, table_name: str, attnum: int, temporary: bool
) -> tuple[Column, Sequence | None, list[st.ConstraintDef]]:
    """A column, the sequence that comes with it, and its constraints as constraints of the table."""
    sequence: Sequence | None = None
    default = depends.qualified_constants(scope, said.default) if said.default is not None else None
    not_null = bool(said.not_null)
    integer = serial_type(said.type)
    if integer and scope.catalog.find_type(said.type.names[0], "", scope.search_path) is None:
        ref = TypeRef(integer)
        if said.default is not None:
            raise PlanError(
                "42601",
                f'multiple default values specified for column "{said.name}" of table "{table_name}"',
            )
        if said.not_null is False:
            raise PlanError(
                "42601",
                f'conflicting NULL/NOT NULL declarations for column "{said.name}" of table "{table_name}"',
            )
        for what, present in (("identity", said.identity), ("generation expression", said.generated)):
            if present:
                raise PlanError(
                    "42601",
                    f'both default and {what} specified for column "{said.name}" of table "{table_name}"',
                )
        sequence = sequences.owned(scope, schema, table_name, said.name, ref, None, attnum, False, temporary)
        shown = quote_qualified(schema.name, sequence.name).replace("'", "''")
        default, not_null = f"nextval('{shown}'::regclass)", True
    else:
        ref = resolve_type(said.type, scope.catalog, scope.search_path)
    check_column_type(ref, said.name, scope.catalog)
    ref, domain = domains.underneath(scope.catalog, ref)
    collation = collations.of_column(scope, said.collation, ref, domain, said.collation_position)
    default = with_schemas(scope, moments.frozen(scope, default, ref), ref) if default is not None else None
    if said.identity:
        if ref.oid not in (types.INT2, types.INT4, types.INT8):
            raise PlanError("22023", "identity column type must be smallint, integer, or bigint")
        sequence = sequences.owned(
            scope, schema, table_name, said.name, ref, said.identity_options, attnum, True, temporary
        )
        not_null = True
    if said.generated is not None:
        constraints.refuse_subqueries(said.generated, "column generation expression")
        default = with_schemas(scope, _of_its_type(scope, said.generated, ref).text)
    checks = [c if c.kind == "c" else replace(c, columns=(said.name,)) for c in said.constraints]
    column = Column(
        said.name,
        ref,
        attnum,
        not_null,
        default,
        said.identity,
        said.generated is not None,
        sequence.oid if sequence is not None else 0,
        domain,
        collation=collation,
    )
    if said.compression:
        column = replace(column, compression=column_settings.compression(scope, column, said.compression))
    return column, sequence, checks


def verify_first_value(scope: Scope, table: Table, name: str, expression: st.Sql) -> None:
    """Binds the DEFAULT of a column that is added, and has it computed: PostgreSQL keeps what it comes to as the value of rows that
    are there already, whether there are any or not. Raises NotComputed."""
    plan = verify_default(scope, table, name, expression, first=True)
    column = constraints.find_column(table, name)
    assert column is not None
    if (
        not _is_kept(table)
        or plan is None
        or "runs" in plan.extra
        or (isinstance(plan.body, Query) and plan.body.volatile)
    ):
        return
    if expression.offset not in scope.computed:
        raise NotComputed(expression, column, "a default")
    scope.checks += constraints.length_checks(expression.text, column.type, "(SELECT 1) AS tw_one")


def _is_kept(table: Table) -> bool:
    """Whether it has rows of its own."""
    return table.partitioning is None and table.foreign is None


def verify_default(
    scope: Scope, table: Table, name: str, expression: st.Sql, *, first: bool = False
) -> Plan | None:
    """Binds a DEFAULT on its own: unknown names and functions, and references to columns, are errors now. None for what is
    a constant, or a number of a sequence. `first`: of a column that is added, where PostgreSQL makes a value of it at once."""
    constraints.refuse_subqueries(expression, "DEFAULT expression")
    constraints.refuse_columns(expression)
    column = constraints.find_column(table, name)
    assert column is not None
    tokens = within_parentheses(tokenize(expression.text))
    if len(tokens) == 2 and tokens[0].kind == STRING:
        try:
            whole = column.type.oid == types.INTERVAL or (first and _is_kept(table))
            kind = column.type if whole else TypeRef(column.type.oid)  # otherwise lengths are asked later
            types.input_text(tokens[0].value, kind, scope.ctx.settings)
        except SqlError as e:
            e.position = expression.offset + tokens[0].start + 1
            raise
        return None
    if len(tokens) == 2 and tokens[0].keyword == "null":
        return None
    if [t.value for t in tokens[:2]] == ["nextval", "("]:
        return None  # evaluated by the executor, not by a query
    plan = scope.plan_expression(expression, clause="DEFAULT expressions")
    _verify_type(plan, column)
    return None if len(tokens) == 2 else plan


def with_generated_kept(scope: Scope, table: Table) -> Table:
    """The table, what its columns are generated by as it is kept: of what type a literal is, the other columns say."""
    if not any(c.generated for c in table.columns):
        return table
    columns = (
        replace(
            c, default=moments.frozen(scope, own_names.unqualified(scope, table, c.default), c.type, table)
        )
        if c.generated and c.default is not None
        else c
        for c in table.columns
    )
    return replace(table, columns=tuple(columns))


def _of_its_type(scope: Scope, expression: st.Sql, ref: TypeRef) -> st.Sql:
    """A generation expression that is a literal or NULL is one of the column's type."""
    tokens = within_parentheses(tokenize(expression.text))
    if len(tokens) != 2 or not (tokens[0].kind == STRING or tokens[0].keyword == "null"):
        return expression
    text = f"CAST({expression.text} AS {name_of_type(scope.catalog, TypeRef(ref.oid), search_path=())})"
    return replace(expression, text=text, offset=expression.offset - len("CAST("))


def verify_generated(scope: Scope, table: Table, name: str, expression: st.Sql) -> None:
    """Binds a generation expression over the finished table: its columns, its functions, its type."""
    generated = {c.name for c in table.columns if c.generated}
    for node in constraints.system_columns_of(expression, table):
        if node.name == "tableoid":
            raise PlanError(
                "0A000",
                "tableoid in column generation expressions is not supported",
                position=first_position(node),
            )
        raise PlanError(
            "42P10",
            f'cannot use system column "{node.name}" in column generation expression',
            position=first_position(node),
        )
    for node in constraints.columns_named(expression):
        if node.name == table.name and not node.table and constraints.find_column(table, node.name) is None:
            raise PlanError(
                "42P17",
                "cannot use whole-row variable in column generation expression",
                detail="This would cause the generated column to depend on its own value.",
                position=first_position(node),
            )
        if node.name in generated:
            raise PlanError(
                "42P17",
                f'cannot use generated column "{node.name}" in column generation expression',
                detail="A generated column cannot reference another generated column.",
                position=first_position(node),
            )
    column = constraints.find_column(table, name)
    assert column is not None
    source = constraints.qualified(scope, table)
    expression = _of_its_type(scope, expression, column.type)
    _verify_type(scope.plan_expression(expression, source, "column generation expressions"), column)


def _verify_type(plan: Plan, column: Column) -> None:
    """Raises 42804 for what cannot be stored in the column."""
    assert plan.columns is not None
    source = plan.columns[0].type
    if not assignable(source.oid, column.type.oid):
        raise PlanError(
            "42804",
            f'column "{column.name}" is of type {types.format_type(TypeRef(column.type.oid))} '
            f"but default expression is of type {types.format_type(source)}",
            hint="You will need to rewrite or cast the expression.",
        )


_NUMERIC: Final = frozenset((types.INT2, types.INT4, types.INT8, types.FLOAT4, types.FLOAT8, types.NUMERIC))


_STRINGS: Final = frozenset((types.TEXT, types.VARCHAR, types.BPCHAR, types.NAME, types.CITEXT))


_DATES: Final = frozenset((types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ))


def assignable(source: int, target: int) -> bool:
    """Whether a default of one type can surely not be stored in a column of the other is what this refuses."""
    if source == target or source == types.UNKNOWN or target in _STRINGS:
        return True
    if own_cast(source, target, "a") is not None:
        return True
    if source < types.CITEXT and target < types.CITEXT:
        elements = types.element_of(source), types.element_of(target)
        if all(elements):
            return assignable(*elements)
        return castable(type_name(source), type_name(target), "a")
    if target >= FIRST_USER_OID:
        return source == types.RECORD or source >= FIRST_USER_OID
    return not (source == types.BOOL or source in _STRINGS) or target not in _NUMERIC | _DATES | {types.BOOL}
