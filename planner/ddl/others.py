"""Indexes, schemas and types: what is made with few questions asked."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from planner import extensions, types
from planner import statements as st
from planner.abc import Column, Constraint, PlanError, Table, TypeRef
from planner.binding import collations_met
from planner.binding.naming import identifier
from planner.catalog import (
    CompositeType,
    Domain,
    Index,
    IndexKey,
    Schema,
    UserType,
    View,
    domains,
    information_types,
)
from planner.catalog.collations import NONE
from planner.catalog.names import missing_relation, missing_type
from planner.catalog.system.definitions import bare
from planner.catalog.type_objects import BaseType
from planner.ddl import collations, limits, moments, naming
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import index_values, own_names, unique_indexes
from planner.ddl.constraints.collated_keys import refuse_unordered
from planner.ddl.constraints.index_classes import (
    key_class,
    refuse_dimensions,
    refuse_without,
    require_own_order,
)
from planner.ddl.foreign import tables as foreign_tables
from planner.ddl.rights import databases
from planner.ddl.scope import Scope
from planner.ddl.tables import alter, typed_tables
from planner.ddl.tables.action_words import not_supported_for
from planner.ddl.tables.columns import refuse_column_name
from planner.ddl.types import composites
from planner.ddl.types import domains as domain_changes
from planner.ddl.types.named_types import follow, with_schemas
from planner.ddl.types.typenames import check_no_pseudo_type, resolve_type
from planner.lexer import WORD, tokenize
from planner.parse import parse_expression
from planner.parse.storage import class_options, kept
from planner.partitioning import descendants
from planner.records import replace

_METHODS: Final = frozenset(("btree", "hash", "gin", "gist", "brin", "spgist"))
_INCLUDING: Final = frozenset(("btree", "gist", "spgist"))
"""Methods whose indexes carry further columns."""
_OBSOLETE: Final = "rtree"
_INSTEAD: Final = "gist"
_OF_ONE: Final = frozenset(("hash", "spgist", "hnsw", "ivfflat"))
"""Methods whose indexes are of one column."""


# --- indexes ----------------------------------------------------------------------------------------


def create_index(scope: Scope, said: st.CreateIndex) -> None:
    """An index: recorded, and, if it is unique, checked over the rows that are there."""
    table = scope.relation(replace(said.table, position=0))
    if not isinstance(table, Table):
        raise PlanError(
            "42809", f'cannot create index on relation "{table.name}"', detail=not_supported_for(table)
        )
    if table.foreign is not None:
        raise PlanError(
            "42809",
            f'cannot create index on relation "{table.name}"',
            detail="This operation is not supported for foreign tables.",
        )
    if said.method == _OBSOLETE:
        scope.notice(f'substituting access method "{_INSTEAD}" for obsolete method "{_OBSOLETE}"', "00000")
        said = replace(said, method=_INSTEAD)
    of_extension = extensions.METHODS.get(said.method)
    known = of_extension is not None and scope.catalog.extension(of_extension[0]) is not None
    if said.method not in _METHODS and not known:
        raise PlanError("42704", f'access method "{said.method}" does not exist')
    if said.unique and said.method != "btree":
        raise PlanError("0A000", f'access method "{said.method}" does not support unique indexes')
    if said.unique and any(t.foreign is not None for t in descendants(scope.catalog, table)):
        raise foreign_tables.no_unique_index(table.name)
    if said.include and said.method not in _INCLUDING:
        raise PlanError("0A000", f'access method "{said.method}" does not support included columns')
    if len(said.elements) > 1 and said.method in _OF_ONE:
        raise PlanError("0A000", f'access method "{said.method}" does not support multicolumn indexes')
    schema = scope.catalog.schema_of(table.schema_oid)
    if said.name and scope.is_taken(schema, said.name):
        if said.if_not_exists:
            scope.notice(f'relation "{said.name}" already exists, skipping', "42P07")
            return
        scope.refuse_duplicate(schema, said.name)
    limits.refuse_index_columns(len(said.elements) + len(said.include))
    keys: list[IndexKey] = []
    labels: list[str] = []
    for element in said.elements:
        if element.column in constraints.SYSTEM_COLUMNS:
            raise PlanError("0A000", "index creation on system columns is not supported")
        keys.append(_key(scope, table, element, said))
        key = keys[-1]
        column_of_key = table.columns[table.index_of(key.attnum)].name if key.attnum else ""
        labels.append(column_of_key or naming.of_expression(key.expression))
    include: list[int] = []
    for column_name in said.include:
        column = constraints.find_column(table, column_name)
        if column is None:
            raise PlanError("42703", f'column "{column_name}" does not exist')
        include.append(column.attnum)
        labels.append(column_name)
    name = said.name or naming.choose(
        table.name, naming.joined(naming.distinct(labels)), "idx", lambda n: scope.is_taken(schema, n)
    )
    if said.where is not None:
        _refuse_system_columns(table, said.where)
        constraints.refuse_subqueries(said.where, "index predicate")
        constraints.verify_boolean(
            scope, table, said.where, "WHERE", "index predicates", listed=not said.unique
        )
    if table.partitioning is not None:
        _refuse_for_partitions(table, said, keys)
    index = Index(
        scope.allocate(),
        table.schema_oid,
        name,
        table.oid,
        tuple(keys),
        said.unique,
        False,
        said.method,
        own_names.kept(scope, table, said.where.text) if said.where is not None else "",
        tuple(include),
        said.nulls_not_distinct,
        options=kept((), said.options),
        valid=not (said.only and scope.catalog.partitions_of(table.oid)),
    )
    scope.add(index)
    if said.unique:
        alter.add_unique_index(scope, table, index)
        filled = table.materialized is None or table.materialized.populated
        if (
            filled and not scope.made_here(table) and table.partitioning is None
        ):  # else there is nothing to look at
            named = {k.attnum for k in index.keys}
            columns = [c for c in table.columns if c.attnum in named]
            checks = [
                unique_indexes.check(scope, table, index),
                *constraints.nan_checks(scope, table, columns),
            ]
            scope.checks += [replace(check, before=True) for check in checks]
        return
    if _has_rows(scope, table, said):
        scope.checks += index_values.computed(scope, table, index)
    index_values.is_other(scope, index)


def _has_rows(scope: Scope, table: Table, said: st.CreateIndex) -> bool:
    """Whether an index of this table's is made of rows: those of partitions are not, which ONLY leaves out."""
    if scope.made_here(table) or (said.only and table.partitioning is not None):
        return False
    return table.materialized is None or table.materialized.populated


def _refuse_for_partitions(table: Table, said: st.CreateIndex, keys: list[IndexKey]) -> None:
    """Raises 0A000 for an index that a partitioned table cannot have."""
    if said.concurrently:
        raise PlanError("0A000", f'cannot create index on partitioned table "{table.name}" concurrently')
    if said.unique:
        constraints.refuse_key_without(table, tuple(k.attnum for k in keys), "UNIQUE")


def _key(scope: Scope, table: Table, element: st.IndexElement, said: st.CreateIndex) -> IndexKey:
    method = said.method
    if method != "btree" and (element.descending or element.nulls_first is not None):
        what = "ASC/DESC" if element.descending else "NULLS FIRST/LAST"
        raise PlanError("0A000", f'access method "{method}" does not support {what} options')
    nulls_first = element.descending if element.nulls_first is None else element.nulls_first
    if element.column:
        column = constraints.find_column(table, element.column)
        if column is None:
            raise PlanError("42703", f'column "{element.column}" does not exist', position=0)
        opclass = _class(scope, element, said, column.type)
        return IndexKey(
            column.attnum,
            "",
            element.descending,
            nulls_first,
            opclass,
            collations.resolved(scope, element.collation, column.type, 0),
            _class_options(method, element),
        )
    assert element.expression is not None
    tree = parse_expression(element.expression.text).unnest()
    if own_names.is_own_column(scope, table, tree) and constraints.find_column(table, identifier(tree.this)):
        return _key(scope, table, replace(element, column=identifier(tree.this), expression=None), said)
    _refuse_system_columns(table, element.expression)
    constraints.refuse_subqueries(element.expression, "index expression")
    if isinstance(tree, exp.Null) or (isinstance(tree, exp.Literal) and tree.is_string):
        refuse_unordered(TypeRef(types.UNKNOWN), method)
    place = constraints.qualified(scope, table)
    with collations_met.meeting(told=True):
        plan = scope.plan_expression(element.expression, place, "index expressions", listed=not said.unique)
    inner = _collated_inside(element)
    if inner is not None:
        return _key(scope, table, inner, said)
    if plan.columns is not None:
        check_no_pseudo_type(plan.columns[0].type, plan.columns[0].name)
    if plan.columns is not None and plan.columns[0].collation == NONE and not element.collation:
        raise collations_met.undetermined("index expression")
    kind = plan.columns[0].type if plan.columns is not None else None
    if kind is not None and kind.oid == types.UNKNOWN:
        kind = TypeRef(types.TEXT)
    return IndexKey(
        0,
        own_names.kept(scope, table, element.expression.text),
        element.descending,
        nulls_first,
        _class(scope, element, said, plan.columns[0].type if plan.columns is not None else None),
        collations.resolved(scope, element.collation, kind, 0),
        _class_options(method, element),
    )


def _class_options(method: str, element: st.IndexElement) -> tuple[str, ...]:
    return class_options(method, element.opclass.rpartition(".")[2], element.class_options)


def _refuse_system_columns(table: Table, said: st.Sql) -> None:
    """Raises 0A000: what an index has of a row is what the row says."""
    if constraints.system_columns_of(said, table):
        raise PlanError("0A000", "index creation on system columns is not supported")


def _class(scope: Scope, element: st.IndexElement, said: st.CreateIndex, of: TypeRef | None) -> str:
    """Raises 42704, 42804, 0A000."""
    opclass = key_class(scope, said.method, element.opclass, of)
    if not element.opclass and not opclass and of is not None:
        refuse_unordered(of, said.method)
        refuse_without(scope, said.method, of)
    if said.method in extensions.METHODS and of is not None and of.oid == types.VECTOR:
        refuse_dimensions(said.method, of)
    if said.unique:
        require_own_order(scope, opclass, "a unique index")
    return opclass


def _collated_inside(element: st.IndexElement) -> st.IndexElement | None:
    """`((a COLLATE c))` is the column, or expression, under that collation, as `(a COLLATE c)` is; else None."""
    assert element.expression is not None
    tree = parse_expression(element.expression.text).unnest()
    if not isinstance(tree, exp.Collate) or element.collation:
        return None
    said = tree.expression
    collation = identifier(said.this) if isinstance(said, exp.Column) else identifier(said)
    schema = said.args.get("table") if isinstance(said, exp.Column) else None
    name = f"{identifier(schema)}\0{collation}" if schema is not None else collation
    inner = tree.this.unnest()
    if isinstance(inner, exp.Column) and not inner.table:
        return replace(element, column=identifier(inner.this), expression=None, collation=name)
    text = bare(element.expression.text)
    last = [x for x in tokenize(text) if x.kind == WORD and x.value == "collate"][-1]
    offset = element.expression.offset + element.expression.text.index(text)
    before = st.Sql(text[: last.start], offset)
    return replace(element, expression=before, collation=name)


# --- types --------------------------------------------------------------------------------------------


def place(scope: Scope, name: st.Name) -> Schema:
    schema = scope.schema_for(name)
    if scope.catalog.type_in(schema.oid, name.name) is not None or isinstance(
        scope.catalog.relation_in(schema.oid, name.name), Table | View
    ):
        raise PlanError("42710", f'type "{name.name}" already exists')
    return schema


def user_type(scope: Scope, name: st.Name, asked_as: str = "type") -> UserType:
    """Raises 42704, or 42P01 where a type is altered as the relation of its attributes."""
    found = scope.catalog.find_type(name.name, name.schema, scope.search_path)
    if found is None:
        if name.schema == "information_schema" and name.name in information_types.BY_NAME:
            raise PlanError("0A000", f"altering type {name} of the system is not supported")
        relation = scope.find(name)
        if isinstance(relation, Table | View):
            raise PlanError(
                "42809", f"{relation.name} is a table's row type", hint="Use ALTER TABLE instead."
            )
        raise missing_relation(str(name)) if asked_as == "relation" else missing_type(str(name))
    if isinstance(found, BaseType):
        raise PlanError("0A000", f"altering type {name} of an extension is not supported")
    return found


def create_composite(scope: Scope, said: st.CreateComposite) -> None:
    schema = place(scope, said.name)
    scope.refuse_duplicate(schema, said.name.name)
    columns: list[Column] = []
    for i, c in enumerate(said.columns):
        refuse_column_name(c.name, [x.name for x in columns])
        base, domain = domains.underneath(
            scope.catalog, resolve_type(replace(c.type, position=0), scope.catalog, scope.search_path)
        )
        check_no_pseudo_type(base, c.name)
        composites.refuse_conditions(base, domain)
        collation = composites.attribute_collation(scope, c.collation, base, domain, c.collation_position)
        columns.append(Column(c.name, base, i + 1, domain=domain, collation=collation))
    oid, array = scope.allocate(), scope.allocate()
    limits.refuse_columns(len(columns))
    scope.add(CompositeType(oid, schema.oid, said.name.name, array, tuple(columns), scope.user))


def create_domain(scope: Scope, said: st.CreateDomain) -> None:
    schema = place(scope, said.name)
    base = resolve_type(replace(said.type, position=0), scope.catalog, scope.search_path)
    domain_changes.refuse_base(base, said.name.name, scope.catalog)
    checks: list[Constraint] = []
    for check in said.checks:
        taken = {c.name for c in checks}
        checks.append(domain_changes.check_of(scope, schema.oid, said.name.name, base, check, taken))
    if said.default is not None:
        domain_changes.verify_default(scope, base, said.name.name, said.default)
    under = domains.underneath(scope.catalog, base)[0]
    collation = domain_changes.collation_of(scope, said.collation, under)
    beneath = domains.underneath(scope.catalog, base)[1]
    default = (
        beneath.default if beneath is not None else None
    )  # as it is now: later changes are that one's own
    if said.default is not None:
        default = with_schemas(scope, moments.frozen(scope, said.default.text, under))
    oid, array = scope.allocate(), scope.allocate()
    scope.add(
        Domain(
            oid,
            schema.oid,
            said.name.name,
            array,
            base,
            said.not_null,
            default,
            tuple(checks),
            scope.user,
            collation,
            own_default=True,
        )
    )


def alter_named(scope: Scope, said: st.AlterNamed) -> None:
    """ALTER TYPE, DOMAIN, DATABASE: rename, owner, schema."""
    if said.kind == "database":
        databases.alter_database(scope, said)
        return
    altered: list[int] = []
    _typed_tables_first(scope, said)
    for action in said.actions:
        of_attributes = action.what in composites.ACTIONS
        found = user_type(scope, said.name, "relation" if of_attributes else "type")
        before = scope.catalog
        if said.kind == "domain" and not isinstance(found, Domain):
            raise PlanError("42809", f"{said.name} is not a domain")
        if isinstance(found, CompositeType) and of_attributes:
            composites.alter_attribute(scope, found, action)
            altered.append(found.oid)
            continue
        if action.what == "rename":
            schema = scope.catalog.schema_of(found.schema_oid)
            if scope.catalog.type_in(schema.oid, action.new_name) is not None:
                raise PlanError("42710", f'type "{action.new_name}" already exists')
            scope.replace(found, replace(found, name=action.new_name))
            follow(scope, before)
            domain_changes.spread(scope)
        elif action.what == "owner":
            owner = constraints.require_role(scope, action.name)
            scope.replace(found, replace(found, owner=owner))
        elif action.what == "set schema":
            schema = scope.catalog.schema(action.name)
            if schema.oid == found.schema_oid:
                continue
            if scope.catalog.type_in(schema.oid, found.name) is not None:
                raise PlanError("42710", f'type "{found.name}" already exists in schema "{schema.name}"')
            scope.replace(found, replace(found, schema_oid=schema.oid))
            follow(scope, before)
            domain_changes.spread(scope)
        else:
            if not isinstance(found, Domain):
                raise missing_relation(str(said.name))
            domain_changes.alter_domain(scope, found, action)
    for oid in dict.fromkeys(altered):
        made = scope.catalog.get(oid)
        if isinstance(made, CompositeType) and said.actions[0].what != "rename column":
            typed_tables.follow(scope, made, said.actions)
        composites.write_values_anew(scope, oid)


def _typed_tables_first(scope: Scope, said: st.AlterNamed) -> None:
    """Whether typed tables may follow is asked first, and a column's name is theirs before it is the type's."""
    found = scope.catalog.find_type(said.name.name, said.name.schema, scope.search_path)
    if not isinstance(found, CompositeType):
        return
    for action in said.actions:
        if action.what in composites.ACTIONS:
            typed_tables.refuse_followers(scope, found, action)
            if action.what == "rename column":
                typed_tables.follow(scope, found, (action,))
