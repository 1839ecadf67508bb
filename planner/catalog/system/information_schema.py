"""information_schema: the same facts in the SQL standard's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from planner import triggers as kinds
from planner.abc import Column, Oid, Table, TypeRef
from planner.catalog import rights
from planner.catalog.collations import collation_oid
from planner.catalog.objects import Role, Schema, Sequence, View
from planner.catalog.system import (
    foreign,
    information_attributes,
    information_collations,
    information_constraints,
    information_domains,
    information_privileges,
    information_routines,
    information_usage,
    permitted,
    triggers,
)
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import default_text, view_definition
from planner.catalog.system.information_collations import collation_facts
from planner.catalog.system.information_domains import type_facts
from planner.catalog.system.information_measures import INTEGER_BITS
from planner.catalog.system.listings import schema_name
from planner.catalog.system.relations import SystemRelation, relations
from planner.catalog.system.rowmaker import of_information_schema
from planner.catalog.system.styles import styled
from planner.catalog.type_objects import CompositeType
from planner.types import BY_OID, format_type

YES_NO = {True: "YES", False: "NO"}


def _system_relations() -> Iterator[SystemRelation]:
    return iter(relations().values())


def _columns_of(context: SystemContext) -> Iterator[tuple[str, str, Column, bool, Table | View | None]]:
    """(schema, relation, column, updatable, table)."""
    for r in _system_relations() if context.catalog.shown is None else ():
        for c in r.columns:
            column = Column(c.name, c.type, c.attnum, not_null=c.attnum in r.not_null)
            yield r.schema, r.name, column, False, None
    for t in context.catalog.objects(Table):
        if t.materialized is not None:
            continue
        for column in t.visible:
            if permitted.holds(context, t, permitted.OF_COLUMNS, column.attnum):
                yield schema_name(context, t.schema_oid), t.name, column, t.foreign is None, t
    for v in context.catalog.objects(View):
        assignable = _assignable(context, v)
        for column in v.columns:
            if not permitted.holds(context, v, permitted.OF_COLUMNS, column.attnum):
                continue
            yield schema_name(context, v.schema_oid), v.name, column, column.attnum in assignable, v


def _assignable(context: SystemContext, view: View) -> list[int]:
    """The columns of a view that can be written."""
    from planner.binding.writes.updatable_views import updatable_columns

    return updatable_columns(context.catalog, view)


def _events(context: SystemContext, view: View) -> int:
    """What can be done to a view, as bits of PostgreSQL's."""
    from planner.binding.writes.updatable_views import events

    return events(context.catalog, view)


def _columns(context: SystemContext) -> Rows:
    make = of_information_schema("columns")
    found: Rows = []
    positions: dict[tuple[str, str], int] = {}
    sequences = {(s.table_oid, s.attnum): s for s in context.catalog.objects(Sequence) if s.table_oid}
    for schema, relation, c, updatable, table in _columns_of(context):
        positions[schema, relation] = positions.get((schema, relation), 0) + 1
        values = type_facts(context, c.declared) | collation_facts(context, collation_oid(c))
        if c.identity and table is not None:
            s = sequences.get((table.oid, c.attnum))
            values |= {
                "identity_generation": "ALWAYS" if c.identity == "a" else "BY DEFAULT",
                "identity_start": str(s.start) if s else "1",
                "identity_increment": str(s.increment) if s else "1",
                "identity_maximum": str(s.maximum) if s else None,
                "identity_minimum": str(s.minimum) if s else None,
            }
        plain_default = c.default is not None and not c.generated and not c.identity
        found.append(
            make(
                table_catalog=context.database,
                table_schema=schema,
                table_name=relation,
                column_name=c.name,
                ordinal_position=c.attnum,
                column_default=styled(context, default_text(context.catalog, c, table, context.search_path))
                if plain_default
                else None,
                is_nullable=YES_NO[not c.not_null and not (c.domain is not None and c.domain.not_null)],
                dtd_identifier=str(c.attnum),
                is_self_referencing="NO",
                is_identity=YES_NO[bool(c.identity)],
                identity_cycle="NO",
                is_generated="ALWAYS" if c.generated else "NEVER",
                generation_expression=styled(
                    context, default_text(context.catalog, c, table, context.search_path)
                )
                if c.generated
                else None,
                is_updatable=YES_NO[updatable],
                **values,
            )
        )
    return found


def _relations_of(context: SystemContext) -> Iterator[tuple[str, str, str, bool, Oid]]:
    """(schema, name, kind, insertable, the type that it is a typed table of)."""
    for r in _system_relations() if context.catalog.shown is None else ():
        yield r.schema, r.name, "BASE TABLE" if r.kind == "r" else "VIEW", False, 0
    for t in context.catalog.objects(Table):
        if t.materialized is not None or not permitted.holds(context, t, permitted.OF_TABLES):
            continue
        kind = "LOCAL TEMPORARY" if t.temporary else "BASE TABLE" if t.foreign is None else "FOREIGN"
        yield schema_name(context, t.schema_oid), t.name, kind, t.foreign is None, t.of_type
    for v in context.catalog.objects(View):
        if permitted.holds(context, v, permitted.OF_TABLES):
            yield schema_name(context, v.schema_oid), v.name, "VIEW", bool(_events(context, v) & 8), 0


def _typed(context: SystemContext, of_type: Oid) -> dict[str, str]:
    """What is said of the type of a typed table."""
    made = context.catalog.get(of_type) if of_type else None
    if not isinstance(made, CompositeType):
        return {}
    return {
        "user_defined_type_catalog": context.database,
        "user_defined_type_schema": schema_name(context, made.schema_oid),
        "user_defined_type_name": made.name,
    }


def _tables(context: SystemContext) -> Rows:
    make = of_information_schema("tables")
    return [
        make(
            table_catalog=context.database,
            table_schema=schema,
            table_name=name,
            table_type=kind,
            is_insertable_into=YES_NO[insertable],
            is_typed=YES_NO[bool(of_type)],
            **_typed(context, of_type),
        )
        for schema, name, kind, insertable, of_type in _relations_of(context)
    ]


def _schemata(context: SystemContext) -> Rows:
    make = of_information_schema("schemata")
    return [
        make(catalog_name=context.database, schema_name=s.name, schema_owner=s.owner)
        for s in context.catalog.objects(Schema)
        if permitted.owns(context, s)
        or any(rights.holds(context.catalog, context.user, s, p) for p in ("create", "usage"))
    ]


def _instead(view: View, event: int) -> bool:
    return any(x.bits & kinds.INSTEAD and x.bits & event for x in view.triggers)


def _views(context: SystemContext) -> Rows:
    make = of_information_schema("views")
    return [
        make(
            table_catalog=context.database,
            table_schema=schema_name(context, v.schema_oid),
            table_name=v.name,
            view_definition=view_definition(context.catalog, v, context.search_path)
            if permitted.owns(context, v)
            else None,
            check_option=v.check_option.upper() or "NONE",
            is_updatable=YES_NO[_events(context, v) & 20 == 20],
            is_insertable_into=YES_NO[bool(_events(context, v) & 8)],
            is_trigger_updatable=YES_NO[_instead(v, kinds.UPDATE)],
            is_trigger_deletable=YES_NO[_instead(v, kinds.DELETE)],
            is_trigger_insertable_into=YES_NO[_instead(v, kinds.INSERT)],
        )
        for v in context.catalog.objects(View)
        if permitted.holds(context, v, permitted.OF_TABLES)
    ]


def _sequences(context: SystemContext) -> Rows:
    make = of_information_schema("sequences")
    found: Rows = []
    for s in context.catalog.objects(Sequence):
        if s.identity or not permitted.holds(context, s, permitted.OF_SEQUENCES):
            continue
        found.append(
            make(
                sequence_catalog=context.database,
                sequence_schema=schema_name(context, s.schema_oid),
                sequence_name=s.name,
                data_type=format_type(s.type),
                numeric_precision=INTEGER_BITS.get(s.type.oid, 64),
                numeric_precision_radix=2,
                numeric_scale=0,
                start_value=str(s.start),
                minimum_value=str(s.minimum),
                maximum_value=str(s.maximum),
                increment=str(s.increment),
                cycle_option=YES_NO[s.cycle],
            )
        )
    return found


def _user_defined_types(context: SystemContext) -> Rows:
    make = of_information_schema("user_defined_types")
    return [
        make(
            user_defined_type_catalog=context.database,
            user_defined_type_schema=schema_name(context, c.schema_oid),
            user_defined_type_name=c.name,
            user_defined_type_category="STRUCTURED",
            is_instantiable="YES",
        )
        for c in context.catalog.objects(CompositeType)
    ]


def _element_types(context: SystemContext) -> Rows:
    make = of_information_schema("element_types")
    places = {c.name for c in make.relation.columns}
    found: Rows = []
    for t in context.catalog.objects(Table):
        for c in t.visible:
            known = BY_OID.get(c.type.oid)
            if known is None or known.typcategory != "A" or not known.typelem:
                continue
            if not permitted.holds(context, t, permitted.OF_COLUMNS, c.attnum):
                continue
            facts = {k: v for k, v in type_facts(context, TypeRef(known.typelem)).items() if k in places}
            facts |= {
                "object_catalog": context.database,
                "object_schema": schema_name(context, t.schema_oid),
                "object_name": t.name,
                "object_type": "TABLE",
                "collection_type_identifier": str(c.attnum),
                "dtd_identifier": "a" + str(c.attnum),
            }
            found.append(make(**facts))
    return found


def _view_table_usage(context: SystemContext) -> Rows:
    make = of_information_schema("view_table_usage")
    found: Rows = []
    for v in context.catalog.objects(View):
        for oid in dict.fromkeys(v.depends):
            t = context.catalog.get(oid)
            if isinstance(t, Table | View) and permitted.owns(context, t):
                found.append(
                    make(
                        view_catalog=context.database,
                        view_schema=schema_name(context, v.schema_oid),
                        view_name=v.name,
                        table_catalog=context.database,
                        table_schema=schema_name(context, t.schema_oid),
                        table_name=t.name,
                    )
                )
    return found


def _catalog_name(context: SystemContext) -> Rows:
    return [of_information_schema("information_schema_catalog_name")(catalog_name=context.database)]


def _enabled_roles(context: SystemContext) -> Rows:
    make = of_information_schema("enabled_roles")
    return [make(role_name=r.name) for r in context.catalog.objects(Role) if _is_in(context, r.name)]


def _is_in(context: SystemContext, role: str) -> bool:
    catalog, user = context.catalog, context.user
    return rights.is_superuser(catalog, user) or role in rights.roles_of(catalog, user)


def _applicable_roles(context: SystemContext) -> Rows:
    make = of_information_schema("applicable_roles")
    return [
        make(grantee=r.name, role_name=group, is_grantable="YES" if group in r.admin_of else "NO")
        for r in context.catalog.objects(Role)
        if _is_in(context, r.name)
        for group in r.member_of
    ]


def _administrable_roles(context: SystemContext) -> Rows:
    """Those of the applicable ones that may be granted on."""
    return [row for row in _applicable_roles(context) if row[-1] == "YES"]


def _character_sets(context: SystemContext) -> Rows:
    return [
        of_information_schema("character_sets")(
            character_set_name="UTF8",
            character_repertoire="UCS",
            form_of_use="UTF8",
            default_collate_catalog=context.database,
            default_collate_schema="pg_catalog",
            default_collate_name="C",
        )
    ]


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {
    "administrable_role_authorizations": _administrable_roles,
    "applicable_roles": _applicable_roles,
    "character_sets": _character_sets,
    "columns": _columns,
    **information_attributes.PROVIDERS,
    **information_collations.PROVIDERS,
    **information_constraints.PROVIDERS,
    **information_domains.PROVIDERS,
    **foreign.PROVIDERS,
    **information_privileges.PROVIDERS,
    "element_types": _element_types,
    "enabled_roles": _enabled_roles,
    "information_schema_catalog_name": _catalog_name,
    **information_routines.PROVIDERS,
    **information_usage.PROVIDERS,
    "schemata": _schemata,
    "sequences": _sequences,
    "tables": _tables,
    "triggered_update_columns": triggers.triggered_update_columns,
    "triggers": triggers.information_triggers,
    "user_defined_types": _user_defined_types,
    "view_table_usage": _view_table_usage,
    "views": _views,
}
"""The views with something to say; the others are empty."""
