"""pg_catalog and information_schema: relations computed from the catalog.

Clients find out what a database holds by asking PostgreSQL's system relations, and they ask for
everything: `\\d` alone joins a dozen. So every relation of PostgreSQL 15 exists here, with its columns
and types (`relations`), and each has one of three sources:

    static      rows that are the same in every PostgreSQL: types, functions, operators (facts/*.tsv)
    computed    rows made from the Catalog when asked: pg_class, pg_attribute, information_schema.*
    server      rows that only the running server knows: settings, sessions, locks

The rest is empty. Functions over them (pg_get_indexdef, format_type, ...) are in `functions`.

    rows("pg_catalog", "pg_class", SystemContext(catalog))  ->  [(oid, relname, ...), ...]
"""

from __future__ import annotations

from collections.abc import Callable

from planner.catalog.system import (
    attributes,
    casts,
    classes,
    column_statistics,
    constraints,
    conversions,
    counted,
    dependencies,
    descriptions,
    event_triggers,
    extensions,
    foreign,
    information_schema,
    listings,
    operator_classes,
    operators,
    partitions,
    people,
    policies,
    publications,
    routines,
    rules,
    shared_dependencies,
    text_search,
    triggers,
    user_types,
)
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.relations import SystemRelation, relation, relations
from planner.catalog.system.static import has_facts, static_rows
from planner.catalog.system.statistics import STATISTICS

_COMPUTED: dict[str, Callable[[SystemContext], Rows]] = {
    "pg_attrdef": attributes.pg_attrdef,
    "pg_attribute": attributes.pg_attribute,
    "pg_auth_members": people.pg_auth_members,
    "pg_authid": people.pg_authid,
    "pg_event_trigger": event_triggers.pg_event_trigger,
    "pg_cast": casts.pg_cast,
    "pg_foreign_data_wrapper": foreign.pg_foreign_data_wrapper,
    "pg_foreign_table": foreign.pg_foreign_table,
    "pg_foreign_server": foreign.pg_foreign_server,
    "pg_user_mapping": foreign.pg_user_mapping,
    "pg_user_mappings": foreign.pg_user_mappings,
    "pg_class": classes.pg_class,
    "pg_conversion": conversions.pg_conversion,
    "pg_collation": user_types.pg_collation,
    "pg_constraint": constraints.pg_constraint,
    "pg_database": people.pg_database,
    "pg_depend": dependencies.pg_depend,
    "pg_description": descriptions.pg_description,
    "pg_available_extension_versions": extensions.pg_available_extension_versions,
    "pg_available_extensions": extensions.pg_available_extensions,
    "pg_extension": extensions.pg_extension,
    "pg_enum": user_types.pg_enum,
    "pg_group": people.pg_group,
    "pg_index": constraints.pg_index,
    "pg_indexes": listings.pg_indexes,
    "pg_am": classes.pg_am,
    "pg_inherits": partitions.pg_inherits,
    "pg_init_privs": people.pg_init_privs,
    "pg_language": people.pg_language,
    "pg_parameter_acl": people.pg_parameter_acl,
    "pg_operator": operators.pg_operator,
    "pg_opclass": operator_classes.pg_opclass,
    "pg_opfamily": operator_classes.pg_opfamily,
    "pg_amop": operator_classes.pg_amop,
    "pg_amproc": operator_classes.pg_amproc,
    "pg_namespace": people.pg_namespace,
    "pg_range": user_types.pg_range,
    "pg_policies": policies.pg_policies,
    "pg_policy": policies.pg_policy,
    "pg_publication": publications.pg_publication,
    "pg_publication_namespace": publications.pg_publication_namespace,
    "pg_publication_rel": publications.pg_publication_rel,
    "pg_subscription": publications.pg_subscription,
    "pg_publication_tables": publications.pg_publication_tables,
    "pg_partitioned_table": partitions.pg_partitioned_table,
    "pg_aggregate": routines.pg_aggregate,
    "pg_proc": routines.pg_proc,
    "pg_rewrite": rules.pg_rewrite,
    "pg_rules": rules.pg_rules,
    "pg_roles": people.pg_roles,
    "pg_sequence": classes.pg_sequence,
    "pg_sequences": listings.pg_sequences,
    "pg_shdepend": shared_dependencies.pg_shdepend,
    "pg_shdescription": descriptions.pg_shdescription,
    "pg_statistic": column_statistics.pg_statistic,
    "pg_statistic_ext": counted.pg_statistic_ext,
    "pg_statistic_ext_data": counted.pg_statistic_ext_data,
    "pg_stats": column_statistics.pg_stats,
    "pg_stats_ext": counted.pg_stats_ext,
    "pg_tables": listings.pg_tables,
    "pg_tablespace": people.pg_tablespace,
    "pg_trigger": triggers.pg_trigger,
    "pg_ts_config": text_search.pg_ts_config,
    "pg_ts_config_map": text_search.pg_ts_config_map,
    "pg_ts_dict": text_search.pg_ts_dict,
    "pg_ts_template": text_search.pg_ts_template,
    "pg_type": user_types.pg_type,
    "pg_shadow": people.pg_shadow,
    "pg_user": people.pg_user,
    "pg_views": listings.pg_views,
    "pg_matviews": listings.pg_matviews,
    "pg_db_role_setting": people.pg_db_role_setting,
    "pg_default_acl": people.pg_default_acl,
    **STATISTICS,
}


def rows(schema: str, name: str, context: SystemContext) -> Rows:
    """The rows of a system relation, in the order of its columns. Raises KeyError for an unknown one."""
    if (schema, name) not in relations():
        raise KeyError((schema, name))
    if schema == "information_schema":
        provider = information_schema.PROVIDERS.get(name)
        return provider(context) if provider is not None else []
    computed = _COMPUTED.get(name)
    if computed is not None:
        return computed(context)
    if has_facts(name):
        return list(static_rows(name))
    return listings.server_rows(name, context)


__all__ = ["Rows", "SystemContext", "SystemRelation", "relation", "relations", "rows"]
