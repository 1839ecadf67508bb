"""The one door of DDL: which function binds which statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from planner import statements as st
from planner.abc import SqlError
from planner.classify import classify
from planner.ddl import (
    collations,
    comments,
    conversions,
    drop,
    extensions,
    others,
    rules,
    schemas,
    sequences,
    statistics,
    text_search,
    truncation,
    views,
)
from planner.ddl.constraints import references
from planner.ddl.foreign import servers as foreign
from planner.ddl.operators import definitions as operators
from planner.ddl.operators import operator_classes
from planner.ddl.partitions import parts as partition_parts
from planner.ddl.plan import DdlPlan
from planner.ddl.replication import publications, subscriptions
from planner.ddl.rights import (
    databases,
    default_privileges,
    first_settings,
    owned,
    permits,
    policies,
    privileges,
    roles,
)
from planner.ddl.routines import aggregates, changes, event_triggers, triggers
from planner.ddl.routines import definitions as routines
from planner.ddl.scope import Scope
from planner.ddl.tables import alter, filled, inherits
from planner.ddl.tables import creation as tables
from planner.ddl.types import casts, enums, ranges
from storage.abc import Datum

if TYPE_CHECKING:
    from planner.plan_context import PlanContext
    from planner.planner import Planner

_BINDERS: Final[dict[type[Any], Callable[[Scope, Any], None]]] = {
    st.CreateTable: tables.create_table,
    st.CreateTableAs: filled.create_table_as,
    st.CreateSequence: sequences.create_sequence,
    st.AlterSequence: sequences.alter_sequence,
    st.AlterTable: alter.alter_relation,
    st.Truncate: truncation.truncate,
    st.RefreshMaterializedView: filled.refresh,
    st.CreateView: views.create_view,
    st.CreateIndex: others.create_index,
    st.CreateSchema: schemas.create_schema,
    st.AlterSchema: schemas.alter_schema,
    st.CreateEnum: enums.create_enum,
    st.CreateRange: ranges.create_range,
    st.CreateCollation: collations.create_collation,
    st.AlterCollation: collations.alter_collation,
    st.CreateStatistics: statistics.create_statistics,
    st.AlterStatistics: statistics.alter_statistics,
    st.CreateTextSearch: text_search.create,
    st.AlterTextSearch: text_search.alter,
    st.CreateOperator: operators.create_operator,
    st.AlterOperator: operators.alter_operator,
    st.DropOperators: operators.drop_operators,
    st.CreateOperatorClass: operator_classes.create_class,
    st.CreateOperatorFamily: operator_classes.create_family,
    st.AlterOperatorFamily: operator_classes.alter_family,
    st.AlterClass: operator_classes.alter,
    st.DropClass: operator_classes.drop,
    st.CreateConversion: conversions.create,
    st.AlterConversion: conversions.alter,
    st.CreateWrapper: foreign.create_wrapper,
    st.AlterWrapper: foreign.alter_wrapper,
    st.CreateServer: foreign.create_server,
    st.AlterServer: foreign.alter_server,
    st.UserMappingStatement: foreign.user_mapping,
    st.ImportForeignSchema: foreign.import_schema,
    st.CreateEventTrigger: event_triggers.create_event_trigger,
    st.AlterEventTrigger: event_triggers.alter_event_trigger,
    st.DropEventTrigger: event_triggers.drop_event_trigger,
    st.CreatePublication: publications.create_publication,
    st.CreateSubscription: subscriptions.create_subscription,
    st.AlterSubscription: subscriptions.alter_subscription,
    st.AlterPublication: publications.alter_publication,
    st.CreateCast: casts.create_cast,
    st.DropCast: casts.drop_cast,
    st.CreateExtension: extensions.create_extension,
    st.AlterExtension: extensions.alter_extension,
    st.AlterEnum: enums.alter_enum,
    st.CreateComposite: others.create_composite,
    st.CreateDomain: others.create_domain,
    st.AlterNamed: others.alter_named,
    st.CreateAggregate: aggregates.create_aggregate,
    st.CreateFunction: routines.create_function,
    st.AlterFunction: changes.alter_function,
    st.DropFunctions: changes.drop_functions,
    st.CreatePolicy: policies.create_policy,
    st.AlterPolicy: policies.alter_policy,
    st.RenamePolicy: policies.rename_policy,
    st.DropPolicy: policies.drop_policy,
    st.CreateRule: rules.create_rule,
    st.RenameRule: rules.rename_rule,
    st.DropRule: rules.drop_rule,
    st.CreateTrigger: triggers.create_trigger,
    st.DropTrigger: triggers.drop_trigger,
    st.RenameTrigger: triggers.rename_trigger,
    st.CreateRole: roles.create_role,
    st.AlterRole: roles.alter_role,
    st.AlterSettings: first_settings.alter_settings,
    st.GrantRole: roles.grant_role,
    st.Grant: privileges.grant,
    st.CreateDatabase: databases.create_database,
    st.Comment: comments.comment,
    st.AlterDefaultPrivileges: default_privileges.alter_default_privileges,
    st.DropOwned: owned.drop_owned,
    st.ReassignOwned: owned.reassign_owned,
    st.Drop: lambda scope, said: _DROPS.get(said.kind, drop.drop)(scope, said),
}
_DROPS: Final[dict[str, Callable[[Scope, Any], None]]] = {
    "role": roles.drop_roles,
    "database": databases.drop_database,
    "subscription": subscriptions.drop_subscription,
    "foreign-data wrapper": foreign.drop_named,
    "server": foreign.drop_named,
    "conversion": conversions.drop,
}


def bind_ddl(
    statement: Any, ctx: PlanContext, planner: Planner, computed: Mapping[int, Datum] | None = None
) -> DdlPlan:
    """What the statement changes in `ctx.catalog`. Raises PlanError as PostgreSQL does, with the notices that come before it.

    `computed`: the values that an earlier try has asked for (`bound_values.NotComputed`).
    """
    scope = Scope(ctx, planner, classify(statement)[1], computed)
    try:
        _bind(scope, statement)
        if isinstance(statement, st.CreateSchema) and statement.elements:
            for element in schemas.placed(scope, statement):
                _bind(scope, element)
        partition_parts.settle(scope)
        inherits.settle(scope)
        references.settle(scope)
        rules.settle(scope)
    except SqlError as e:
        e.notices = e.notices or tuple(scope.notices)
        raise
    return scope.plan()


def _bind(scope: Scope, statement: Any) -> None:
    permits.guard(scope, statement)
    _BINDERS[type(statement)](scope, statement)
