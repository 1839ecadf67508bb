"""Tables that a query fills: CREATE TABLE AS, SELECT INTO, CREATE and REFRESH MATERIALIZED VIEW.

A materialized view is a table that nobody writes to but its own query.

    CREATE    the table as CREATE TABLE AS makes it, which keeps its query (text, needs, search path)
    REFRESH   a new shard, filled by the query as of the refresh, under the same OID; indexes stay
    WITH NO DATA    an empty shard; reading it is an error (55000) until it is refreshed

Readers as of an earlier timestamp keep the rows of that time, and a refresh never blocks anybody: every REFRESH is
what PostgreSQL calls CONCURRENTLY.
"""

from __future__ import annotations

from planner import statements as st
from planner import types
from planner.abc import Column, MaterializedQuery, Plan, PlanError, Table, TypeRef
from planner.binding import collations_met
from planner.catalog import Index, quote_identifier
from planner.catalog.collations import NONE
from planner.catalog.domains import of_expression
from planner.catalog.system.definitions import type_name
from planner.cursors import is_select_into, writes_in_with
from planner.ddl import limits, views
from planner.ddl.dependencies import depends
from planner.ddl.plan import Rewrite
from planner.ddl.retention import retention_us
from planner.ddl.scope import Scope
from planner.ddl.tables import creation as tables
from planner.ddl.tables.columns import refuse_alike, refuse_column_name
from planner.ddl.types import used_types
from planner.ddl.types.typenames import check_column_type
from planner.parse.placeholders import refuse_parameters
from planner.parse.queries import parse_query
from planner.parse.storage import kept
from planner.records import replace
from planner.remembered import remembered


def create_table_as(scope: Scope, said: st.CreateTableAs) -> None:
    """A table with the columns of a query; without WITH NO DATA the executor fills it from `scope.query`."""
    created = "CREATE MATERIALIZED VIEW" if said.materialized else "CREATE TABLE AS"
    text = " " * said.query.offset + said.query.text
    ctx = scope.context(trusted=False)
    with collations_met.meeting(told=True):
        if said.variables is None:
            plan, _ = scope.planner.plan(text, ctx, said.parameters, normalise=False)
            if not said.parameters:
                refuse_parameters(plan, text)
        else:
            variables = replace(said.variables, places=[], current={}, used={})
            plan = scope.planner.plan_in_routine(text, ctx, variables, "")
    if said.materialized and writes_in_with(plan):
        raise PlanError("0A000", "materialized views must not use data-modifying statements in WITH")
    if plan.parameters and said.materialized:
        raise PlanError("0A000", "materialized views may not be defined using bound parameters")
    if is_select_into(plan):
        raise PlanError("42601", "SELECT ... INTO is not allowed here")
    if plan.columns is None:
        raise PlanError("42601", "query does not return rows", position=said.query.offset + 1)
    schema = scope.schema_for(said.name, said.temporary, said.unlogged)
    name = said.name.name
    if said.if_not_exists and scope.is_taken(schema, name):
        scope.notice(f'relation "{name}" already exists, skipping', "42P07")
        scope.tag = created
        return
    scope.refuse_duplicate(schema, name)
    if said.on_commit and not schema.name.startswith("pg_temp_"):
        raise PlanError("42P16", "ON COMMIT can only be used on temporary tables")
    if len(said.columns) > len(plan.columns):
        raise PlanError("42601", "too many column names were specified")
    limits.refuse_columns(len(plan.columns))
    columns: list[Column] = []
    for i, result in enumerate(plan.columns):
        label = said.columns[i] if i < len(said.columns) else result.name
        names = [c.name for c in columns]
        refuse_column_name(label, names)
        refuse_alike(label, names)
        ref = TypeRef(types.TEXT) if result.type.oid == types.UNKNOWN else result.type
        check_column_type(ref, label, scope.catalog)
        if result.collation == NONE:
            raise collations_met.underived(label, ref)
        origin = (result.table_oid, result.attnum) if said.materialized else (0, 0)
        column = Column(label, ref, i + 1, collation=result.collation, origin=origin)
        columns.append(of_expression(scope.catalog, column, ref))
        used_types.require(scope, columns[-1].declared.oid)
    oid = scope.allocate()
    temporary = schema.name.startswith("pg_temp_")
    on_commit = said.on_commit if said.on_commit in ("delete", "drop") else ""
    table = Table(
        oid, schema.oid, name, tuple(columns), (), tables.shard_of(oid), scope.user, temporary,
        on_commit=on_commit, retention_us=retention_us(said.options), unlogged=said.unlogged,
        options=kept((), said.options.items()),
    )  # fmt: skip
    if said.with_data:
        scope.query = plan
    if said.materialized:
        table = _keep_query(scope, table, said, plan)
    scope.add(table)
    scope.created.append(table)
    scope.tag = "SELECT" if said.with_data else created


def _keep_query(scope: Scope, table: Table, said: st.CreateTableAs, plan: Plan) -> Table:
    """The table as the materialized view that the statement makes of it."""
    tree = parse_query(" " * said.query.offset + said.query.text)
    query = views.settled_query(scope, said.query)
    needs = depends.needs_of_plan(scope, tree, plan)
    if any(getattr(scope.catalog.get(oid), "temporary", False) for oid in needs):
        raise PlanError("0A000", "materialized views must not use temporary tables or views")
    return replace(
        table,
        materialized=MaterializedQuery(
            query, needs, scope.search_path, said.with_data, depends.names_of_query(scope, tree)
        ),
    )


def refresh(scope: Scope, said: st.RefreshMaterializedView) -> None:
    found = scope.relation(st.Name(said.name.name, said.name.schema))
    if not isinstance(found, Table):
        raise PlanError("42809", f'"{found.name}" is not a table or materialized view')
    if found.materialized is None:
        raise PlanError("0A000", f'"{found.name}" is not a materialized view')
    kept = found.materialized
    if said.concurrently:
        _refuse_concurrently(scope, found, said)
    new = replace(
        found,
        shard=tables.shard_of(scope.allocate()),
        materialized=replace(kept, populated=said.with_data),
    )
    if not said.with_data:
        scope.replace(found, replace(new, shard=found.shard))
        scope.truncated.append(new)
        return
    scope.replace(found, new)
    path = remembered(kept.search_path, kept.names)
    scope.rewrites.append(
        Rewrite(found, new, _with_hidden(scope, new, kept.query), scope.before, path, found.owner)
    )
    scope.dropped.append(found.shard)


def _with_hidden(scope: Scope, table: Table, query: str) -> str:
    """A view's query, with the columns that unique indexes over expressions have made."""
    hidden = [
        f"CAST(({c.default}) AS {type_name(scope.catalog, c.type, ())})" for c in table.columns if c.hidden
    ]
    if not hidden:
        return query
    names = ", ".join(quote_identifier(c.name) for c in table.visible)
    return f"SELECT *, {', '.join(hidden)} FROM ({query}) AS {quote_identifier(table.name)} ({names})"


def _refuse_concurrently(scope: Scope, found: Table, said: st.RefreshMaterializedView) -> None:
    """What PostgreSQL asks of CONCURRENTLY, asked here too, so that scripts behave alike."""
    assert found.materialized is not None
    if not found.materialized.populated:
        raise PlanError("0A000", "CONCURRENTLY cannot be used when the materialized view is not populated")
    if not said.with_data:
        raise PlanError("42601", "CONCURRENTLY and WITH NO DATA options cannot be used together")
    indexes: list[Index] = scope.catalog.indexes_of(found.oid)
    if not any(i.unique and not i.predicate and all(k.attnum for k in i.keys) for i in indexes):
        schema = scope.catalog.schema_of(found.schema_oid).name
        raise PlanError(
            "55000",
            f'cannot refresh materialized view "{schema}.{found.name}" concurrently',
            hint="Create a unique index with no WHERE clause on one or more columns of the materialized view.",
        )
