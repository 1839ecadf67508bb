"""information_schema: the same facts in the SQL standard's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from planner.abc import Column, Constraint, Table, TypeRef
from planner.catalog.objects import CompositeType, Role, Schema, Sequence, View
from planner.catalog.system import information_domains
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import constraint_definition, default_text, view_definition
from planner.catalog.system.information_domains import INTEGER_BITS, type_facts
from planner.catalog.system.listings import schema_name
from planner.catalog.system.relations import SystemRelation, relations
from planner.catalog.system.rowmaker import RowMaker
from planner.types import BY_OID, format_type

YES_NO = {True: "YES", False: "NO"}
_PRIVILEGES = ("INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")


def _make(name: str) -> RowMaker:
    return RowMaker(name, "information_schema", nulls=True)


def _system_relations() -> Iterator[SystemRelation]:
    return iter(relations().values())


def _columns_of(context: SystemContext) -> Iterator[tuple[str, str, Column, bool, Table | None]]:
    """(schema, relation, column, updatable, table)."""
    for r in _system_relations():
        for c in r.columns:
            yield r.schema, r.name, Column(c.name, c.type, c.attnum), False, None
    for t in context.catalog.objects(Table):
        if t.materialized is not None:
            continue
        for column in t.visible:
            yield schema_name(context, t.schema_oid), t.name, column, True, t
    for v in context.catalog.objects(View):
        for column in v.columns:
            yield schema_name(context, v.schema_oid), v.name, column, False, None


def _columns(context: SystemContext) -> Rows:
    make = _make("columns")
    found: Rows = []
    positions: dict[tuple[str, str], int] = {}
    sequences = {(s.table_oid, s.attnum): s for s in context.catalog.objects(Sequence) if s.table_oid}
    for schema, relation, c, updatable, table in _columns_of(context):
        positions[schema, relation] = positions.get((schema, relation), 0) + 1
        values = type_facts(context, c.declared)
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
                column_default=default_text(context.catalog, c, table, context.search_path)
                if plain_default
                else None,
                is_nullable=YES_NO[not c.not_null and not (c.domain is not None and c.domain.not_null)],
                dtd_identifier=str(c.attnum),
                is_self_referencing="NO",
                is_identity=YES_NO[bool(c.identity)],
                identity_cycle="NO",
                is_generated="ALWAYS" if c.generated else "NEVER",
                generation_expression=default_text(context.catalog, c, table, context.search_path)
                if c.generated
                else None,
                is_updatable=YES_NO[updatable],
                **values,
            )
        )
    return found


def _relations_of(context: SystemContext) -> Iterator[tuple[str, str, str, str, bool]]:
    """(schema, name, type, owner, insertable)."""
    for r in _system_relations():
        yield r.schema, r.name, "BASE TABLE" if r.kind == "r" else "VIEW", "tidewire", False
    for t in context.catalog.objects(Table):
        if t.materialized is not None:
            continue
        kind = "LOCAL TEMPORARY" if t.temporary else "BASE TABLE"
        yield schema_name(context, t.schema_oid), t.name, kind, t.owner, True
    for v in context.catalog.objects(View):
        yield schema_name(context, v.schema_oid), v.name, "VIEW", v.owner, False


def _tables(context: SystemContext) -> Rows:
    make = _make("tables")
    return [
        make(
            table_catalog=context.database,
            table_schema=schema,
            table_name=name,
            table_type=kind,
            is_insertable_into=YES_NO[insertable],
            is_typed="NO",
        )
        for schema, name, kind, _, insertable in _relations_of(context)
    ]


def _schemata(context: SystemContext) -> Rows:
    make = _make("schemata")
    return [
        make(catalog_name=context.database, schema_name=s.name, schema_owner=s.owner)
        for s in context.catalog.objects(Schema)
    ]


def _views(context: SystemContext) -> Rows:
    make = _make("views")
    return [
        make(
            table_catalog=context.database,
            table_schema=schema_name(context, v.schema_oid),
            table_name=v.name,
            view_definition=view_definition(context.catalog, v, context.search_path),
            check_option="NONE",
            is_updatable="NO",
            is_insertable_into="NO",
            is_trigger_updatable="NO",
            is_trigger_deletable="NO",
            is_trigger_insertable_into="NO",
        )
        for v in context.catalog.objects(View)
    ]


_KINDS = {"p": "PRIMARY KEY", "u": "UNIQUE", "f": "FOREIGN KEY", "c": "CHECK"}


def _constraints_of(context: SystemContext) -> Iterator[tuple[str, Table, Constraint]]:
    for t in context.catalog.objects(Table):
        schema = schema_name(context, t.schema_oid)
        for c in t.listed:
            yield schema, t, c


def _table_constraints(context: SystemContext) -> Rows:
    make = _make("table_constraints")
    found: Rows = []
    db = context.database
    common = {"is_deferrable": "NO", "initially_deferred": "NO", "enforced": "YES"}
    for schema, t, c in _constraints_of(context):
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
                **common,
                **nulls,
            )
        )
    for t in context.catalog.objects(Table):
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
                        **common,
                    )
                )
    return found


def _not_null_name(t: Table, column: Column) -> str:
    return f"{t.schema_oid}_{t.oid}_{column.attnum}_not_null"


def _key_column_usage(context: SystemContext) -> Rows:
    make = _make("key_column_usage")
    found: Rows = []
    for schema, t, c in _constraints_of(context):
        if c.kind not in "puf":
            continue
        target_key = _referenced(context, c) if c.kind == "f" else None
        for i, attnum in enumerate(c.columns, 1):
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
    make = _make("constraint_column_usage")
    found: Rows = []
    for schema, t, c in _constraints_of(context):
        table, attnums = t, c.columns
        if c.kind == "f":
            target = context.catalog.get(c.foreign_table)
            assert isinstance(target, Table)
            table, attnums = target, c.foreign_columns
        for attnum in attnums:
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
    make = _make("constraint_table_usage")
    found: Rows = []
    for schema, t, c in _constraints_of(context):
        table: Table = t
        if c.kind == "f":
            target = context.catalog.get(c.foreign_table)
            assert isinstance(target, Table)
            table = target
        elif c.kind == "c":
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
    make = _make("referential_constraints")
    found: Rows = []
    for schema, _, c in _constraints_of(context):
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
                match_option="NONE",
                update_rule=_RULES[c.on_update],
                delete_rule=_RULES[c.on_delete],
            )
        )
    return found


def _check_constraints(context: SystemContext) -> Rows:
    make = _make("check_constraints")
    found: Rows = []
    for schema, t, c in _constraints_of(context):
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
    for t in context.catalog.objects(Table):
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


def _sequences(context: SystemContext) -> Rows:
    make = _make("sequences")
    found: Rows = []
    for s in context.catalog.objects(Sequence):
        if s.identity:
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
    make = _make("user_defined_types")
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
    make = _make("element_types")
    places = {c.name for c in make.relation.columns}
    found: Rows = []
    for t in context.catalog.objects(Table):
        for c in t.visible:
            known = BY_OID.get(c.type.oid)
            if known is None or known.typcategory != "A" or not known.typelem:
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


def _table_privileges(name: str) -> Callable[[SystemContext], Rows]:
    def rows(context: SystemContext) -> Rows:
        make = _make(name)
        found: Rows = []
        for schema, relation, _, owner, _insertable in _relations_of(context):
            if schema in ("pg_catalog", "information_schema"):
                granted: list[tuple[str, tuple[str, ...], str]] = [("PUBLIC", ("SELECT",), "NO")]
            else:
                granted = [(owner, _PRIVILEGES, "YES")]
            for grantee, privileges, grantable in granted:
                for p in privileges:
                    found.append(
                        make(
                            grantor=owner,
                            grantee=grantee,
                            table_catalog=context.database,
                            table_schema=schema,
                            table_name=relation,
                            privilege_type=p,
                            is_grantable=grantable,
                            with_hierarchy=YES_NO[p == "SELECT"],
                        )
                    )
        return found

    return rows


def _column_privileges(name: str) -> Callable[[SystemContext], Rows]:
    def rows(context: SystemContext) -> Rows:
        make = _make(name)
        found: Rows = []
        for schema, relation, c, updatable, table in _columns_of(context):
            owner = table.owner if table is not None else "tidewire"
            privileges = ("INSERT", "SELECT", "UPDATE", "REFERENCES") if updatable else ("SELECT",)
            for p in privileges:
                found.append(
                    make(
                        grantor=owner,
                        grantee=owner,
                        table_catalog=context.database,
                        table_schema=schema,
                        table_name=relation,
                        column_name=c.name,
                        privilege_type=p,
                        is_grantable="YES",
                    )
                )
        return found

    return rows


def _view_table_usage(context: SystemContext) -> Rows:
    make = _make("view_table_usage")
    found: Rows = []
    for v in context.catalog.objects(View):
        for oid in dict.fromkeys(v.depends):
            t = context.catalog.get(oid)
            if isinstance(t, Table | View):
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
    return [_make("information_schema_catalog_name")(catalog_name=context.database)]


def _enabled_roles(context: SystemContext) -> Rows:
    make = _make("enabled_roles")
    return [make(role_name=r.name) for r in context.catalog.objects(Role)]


def _applicable_roles(context: SystemContext) -> Rows:
    make = _make("applicable_roles")
    return [
        make(grantee=r.name, role_name=group, is_grantable="NO")
        for r in context.catalog.objects(Role)
        for group in r.member_of
    ]


def _character_sets(context: SystemContext) -> Rows:
    return [
        _make("character_sets")(
            character_set_name="UTF8",
            character_repertoire="UCS",
            form_of_use="UTF8",
            default_collate_catalog=context.database,
            default_collate_schema="pg_catalog",
            default_collate_name="C",
        )
    ]


def _collations(context: SystemContext) -> Rows:
    make = _make("collations")
    return [
        make(
            collation_catalog=context.database,
            collation_schema="pg_catalog",
            collation_name=name,
            pad_attribute="NO PAD",
        )
        for name in ("default", "C", "POSIX", "ucs_basic")
    ]


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {
    "applicable_roles": _applicable_roles,
    "character_sets": _character_sets,
    "check_constraints": _check_constraints,
    "collations": _collations,
    "column_privileges": _column_privileges("column_privileges"),
    "columns": _columns,
    "constraint_column_usage": _constraint_column_usage,
    "constraint_table_usage": _constraint_table_usage,
    **information_domains.PROVIDERS,
    "element_types": _element_types,
    "enabled_roles": _enabled_roles,
    "information_schema_catalog_name": _catalog_name,
    "key_column_usage": _key_column_usage,
    "referential_constraints": _referential_constraints,
    "role_column_grants": _column_privileges("role_column_grants"),
    "role_table_grants": _table_privileges("role_table_grants"),
    "schemata": _schemata,
    "sequences": _sequences,
    "table_constraints": _table_constraints,
    "table_privileges": _table_privileges("table_privileges"),
    "tables": _tables,
    "user_defined_types": _user_defined_types,
    "view_table_usage": _view_table_usage,
    "views": _views,
}
"""The views with something to say; the others are empty."""
