"""CREATE VIEW: the query as text, its columns as they are now, and which relations it needs.

A view is expanded where it is used. So that it keeps meaning what it meant, it remembers the search path under
which it was made, its columns by name and type, and `SELECT *` over one relation is written out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Final

from planner import statements as st
from planner import types
from planner.abc import Column, Oid, Plan, PlanError, TypeRef
from planner.binding import collations_met
from planner.binding.records import told_type
from planner.binding.writes.check_options import guarded
from planner.binding.writes.updatable_views import view_target
from planner.catalog import View
from planner.catalog.collations import NONE, shown
from planner.catalog.domains import of_expression
from planner.cursors import is_select_into, writes_in_with
from planner.ddl import limits, moments, stars
from planner.ddl.dependencies import depends as depends_on
from planner.ddl.scope import Scope
from planner.ddl.tables.columns import refuse_column_name
from planner.ddl.types import used_types
from planner.parse.placeholders import refuse_parameters
from planner.parse.queries import parse_query


def settled_query(scope: Scope, said: st.Sql) -> str:
    """A view's query as it is kept: stars, moments, dates and regclass constants as what they are when it is made."""
    written = st.Sql(stars.written_out(said, scope.context()), said.offset)
    return moments.frozen_query(scope, depends_on.qualified_constants(scope, written))


def create_view(scope: Scope, said: st.CreateView) -> None:
    schema = scope.schema_for(said.name, said.temporary)
    name = said.name.name
    text = " " * said.query.offset + said.query.text
    with collations_met.meeting(told=True):
        plan = scope.planner.plan_stored(text, scope.context())
    if is_select_into(plan):
        raise PlanError("0A000", "views must not contain SELECT INTO")
    if plan.columns is None:
        raise PlanError("42601", "views must not contain data-modifying statements")
    if writes_in_with(plan):
        raise PlanError("0A000", "views must not contain data-modifying statements in WITH")
    refuse_parameters(plan, text)
    columns = _columns(scope, said, plan)
    for column in columns:
        used_types.require(scope, column.declared.oid)
    tree = parse_query(text)
    query = settled_query(scope, said.query)
    depends = depends_on.needs_of_plan(scope, tree, plan)
    names = depends_on.names_of_query(scope, tree)
    options = view_options(said.options, said.check_option)
    sketch = View(
        0, schema.oid, name, columns, query, search_path=scope.search_path, options=options, names=names
    )
    if sketch.check_option:
        refuse_check_option(scope, sketch)
    if not schema.name.startswith("pg_temp_") and _is_of_session(scope, depends):
        scope.notice(f'view "{name}" will be a temporary view')
        if said.name.schema:
            raise PlanError("42P16", "cannot create temporary relation in non-temporary schema")
        schema = scope.schema_for(said.name, True)
    old = scope.catalog.relation_in(schema.oid, name)
    if old is not None and not (said.replace and isinstance(old, View)):
        if said.replace:
            raise PlanError("42809", f'"{name}" is not a view')
        scope.refuse_duplicate(schema, name)
    if isinstance(old, View):
        _refuse_other_columns(old, columns)
        given = {c.name: c.default for c in old.columns}
        columns = tuple(dataclasses.replace(c, default=given.get(c.name)) for c in columns)
        scope.replace(
            old,
            dataclasses.replace(
                old,
                columns=columns,
                query=query,
                depends=depends,
                search_path=scope.search_path,
                options=options,
                names=names,
            ),
        )
        return
    temporary = schema.name.startswith("pg_temp_")
    scope.add(
        View(
            scope.allocate(),
            schema.oid,
            name,
            columns,
            query,
            scope.user,
            temporary,
            depends,
            scope.search_path,
            options=options,
            names=names,
        )
    )


def _is_of_session(scope: Scope, depends: tuple[Oid, ...]) -> bool:
    """Whether one of these is gone when the session ends, and so what is made of it."""
    return any(getattr(scope.catalog.get(oid), "temporary", False) for oid in depends)


def view_options(said: Iterable[tuple[str, Any]], check_option: str = "") -> tuple[str, ...]:
    """Options as they are kept and listed: `security_barrier=true`. WITH CHECK OPTION is one of them."""
    kept = [f"{name}={'true' if value is True else value}" for name, value in said]
    return (*kept, f"check_option={check_option}") if check_option else tuple(kept)


def refuse_check_option(scope: Scope, view: View) -> None:
    """Raises 0A000 for a view that asks of new rows what nobody can look at, or that cannot be written at all."""
    try:
        target = view_target(scope.catalog, view, "insert into")
    except PlanError as e:
        raise PlanError(
            "0A000",
            "WITH CHECK OPTION is supported only on automatically updatable views",
            hint=e.detail,
        ) from None
    guarded(scope.context(), target)


def _refuse_row(column: str, ref: TypeRef) -> None:
    """Raises 42P16 for a record that is no row of a relation: PostgreSQL has no type of it that would last."""
    listed = ref.oid == types.RECORD_ARRAY
    if (listed or ref.oid == types.RECORD) and told_type(ref) == ref:
        kind = "record[]" if listed else "record"
        raise PlanError("42P16", f'column "{column}" has pseudo-type {kind}')


def _columns(scope: Scope, said: st.CreateView, plan: Plan) -> tuple[Column, ...]:
    assert plan.columns is not None
    if len(said.columns) > len(plan.columns):
        raise PlanError("42601", "CREATE VIEW specifies more column names than columns")
    limits.refuse_columns(len(plan.columns))
    columns: list[Column] = []
    for i, result in enumerate(plan.columns):
        label = said.columns[i] if i < len(said.columns) else result.name
        refuse_column_name(label, [c.name for c in columns], of_view=True)
        _refuse_row(label, result.type)
        if result.collation == NONE:
            raise collations_met.undetermined(f'view column "{label}"')
        origin = result.table_oid, result.attnum
        column = Column(label, _kept(result.type), i + 1, collation=result.collation, origin=origin)
        columns.append(of_expression(scope.catalog, column, result.type))
    return tuple(columns)


def _kept(ref: TypeRef) -> TypeRef:
    """A column's type as the catalog keeps it: the fields that a record's modifier stands for are known to this process alone."""
    if ref.oid == types.UNKNOWN:
        return TypeRef(types.TEXT)
    return TypeRef(ref.oid) if ref.oid in (types.RECORD, types.RECORD_ARRAY) else ref


_DEFAULT: Final = "default"
"""What a collation that nobody has asked for is called."""


def _refuse_other_columns(old: View, columns: tuple[Column, ...]) -> None:
    """CREATE OR REPLACE VIEW may add columns at the end and nothing else (42P16)."""
    if len(columns) < len(old.columns):
        raise PlanError("42P16", "cannot drop columns from view")
    for before, after in zip(old.columns, columns, strict=False):
        if before.name != after.name:
            raise PlanError(
                "42P16",
                f'cannot change name of view column "{before.name}" to "{after.name}"',
                hint="Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.",
            )
        old_domain = before.domain is not None  # of views of older servers nobody knows
        if before.type != after.type or (old_domain and before.declared != after.declared):
            raise PlanError(
                "42P16",
                f'cannot change data type of view column "{before.name}" from '
                f"{types.format_type(before.declared)} to {types.format_type(after.declared)}",
            )
        if before.collation != after.collation:
            raise PlanError(
                "42P16",
                f'cannot change collation of view column "{before.name}" from "{shown(before.collation) or _DEFAULT}" '
                f'to "{shown(after.collation) or _DEFAULT}"',
            )
