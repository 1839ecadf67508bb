"""Who depends on whom: what a dropped object would take with it, objects and parts of tables.

    DROP TYPE color     column c of table t, its arrays, functions that take one, composite types made of it
    DROP FUNCTION f     views, defaults, CHECKs, indexes and triggers that call it, operators and casts that are it

Who drops something asks this, says what else would have to go (2BP01), or takes all of it along (CASCADE).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from planner.abc import Column, Constraint, Oid, Policy, Rule, Table, Trigger
from planner.catalog import (
    Cast,
    Catalog,
    CatalogObject,
    Collation,
    CompositeType,
    Domain,
    Extension,
    ForeignDataWrapper,
    ForeignServer,
    Function,
    Index,
    MultirangeType,
    Operator,
    Publication,
    PublishedTable,
    RangeType,
    Schema,
    Sequence,
    TextSearchConfiguration,
    TextSearchDictionary,
    UserMapping,
    UserType,
    View,
)
from planner.catalog.collations import key_of
from planner.catalog.row_types import row_type, row_type_oid
from planner.catalog.stored_queries import stored_queries_of
from planner.catalog.user_types import has_rows_of
from planner.ddl import rules
from planner.ddl.dependencies import depends
from planner.ddl.dependencies.columns_named import mentions
from planner.ddl.operators import definitions as operators
from planner.ddl.operators import operator_classes
from planner.ddl.partitions import keys as partition_keys
from planner.ddl.rights import policies
from planner.ddl.routines import definitions as routines
from planner.ddl.routines import event_triggers, triggers
from planner.ddl.scope import Scope, describe
from planner.ddl.tables import typed_tables
from planner.ddl.types import casts, domains
from planner.records import replace


@dataclasses.dataclass(frozen=True, slots=True)
class Dependent:
    """Something that needs a doomed object: an object, or a part of a table."""

    thing: CatalogObject
    on: str  # how the doomed object is called in the message
    constraint: Constraint | None = None
    column: Column | None = None
    default_only: bool = False  # only the column's default goes
    trigger: Trigger | None = None
    policy: Policy | None = None
    rule: Rule | None = None
    published: tuple[Publication, PublishedTable] | None = None
    by_row_type: bool = False  # needs the type of the doomed relation's rows, not the relation

    @property
    def is_whole(self) -> bool:
        """Whether all of `thing` needs it, and not a part of a table."""
        return (
            self.constraint is None
            and self.column is None
            and self.trigger is None
            and self.policy is None
            and self.rule is None
            and self.published is None
        )

    def shown(self, scope: Scope) -> str:
        base = describe(self.thing, scope.catalog, scope.search_path)
        if self.published is not None:
            return f"publication of {base} in publication {self.published[0].name}"
        if self.constraint is not None and isinstance(self.thing, Domain):
            return f"constraint {self.constraint.name}"
        if self.constraint is not None:
            return f"constraint {self.constraint.name} on {base}"
        if self.policy is not None:
            return f"policy {self.policy.name} on {base}"
        if self.rule is not None:
            return f"rule {self.rule.name} on {base}"
        if self.trigger is not None:
            return f"trigger {self.trigger.name} on {base}"
        if self.column is not None:
            what = "default value for column" if self.default_only else "column"
            if isinstance(self.thing, CompositeType):
                base = f"composite {base}"
            return f"{what} {self.column.name} of {base}"
        return base


def _by_collation(scope: Scope, key: str, on: str) -> list[Dependent]:
    """Columns, indexes, domains and range types of the collation."""
    catalog = scope.catalog
    found = [
        Dependent(thing, on, column=column)
        for thing in catalog.tables_using(key)
        for column in thing.columns
        if column.collation == key
    ]
    found += [Dependent(i, on) for i in catalog.indexes_using(key) if any(k.collation == key for k in i.keys)]
    using = catalog.using(key)
    found += [Dependent(d, on) for d in using if isinstance(d, Domain)]
    return found + [Dependent(r, on) for r in using if isinstance(r, RangeType)]


def _by_text_search(
    scope: Scope, thing: TextSearchDictionary | TextSearchConfiguration, on: str
) -> list[Dependent]:
    """Defaults, generated columns, CHECKs and indexes that name it."""

    def uses(text: str | None) -> bool:
        return (
            text is not None and thing.name in text and thing.oid in depends.needs_of_expression(scope, text)
        )

    catalog = scope.catalog
    found: list[Dependent] = []
    for table in _tables_wording(catalog, thing.name):
        found += [
            Dependent(table, on, column=c, default_only=not c.generated)
            for c in table.visible
            if uses(c.default)
        ]
        found += [
            Dependent(table, on, constraint=c)
            for c in table.constraints
            if c.kind == "c" and uses(c.expression)
        ]
        found += [Dependent(i, on) for i in catalog.indexes_of(table.oid) if any(map(uses, i.texts))]
    return found


def _tables_wording(catalog: Catalog, name: str, *oids: Oid) -> list[Table]:
    """The tables in whose expressions, or those of their indexes, a name may be said, or that say one of the OIDs."""
    found: dict[Oid, Table] = {}
    for thing in [*catalog.wording(name), *(x for oid in oids if oid for x in catalog.using(oid))]:
        table = catalog.get(thing.table_oid) if isinstance(thing, Index) else thing
        if isinstance(table, Table):
            found[table.oid] = table
    return [table for _, table in sorted(found.items())]


def multirange_of(scope: Scope, thing: RangeType) -> MultirangeType:
    found = scope.catalog.get(thing.multirange_oid)
    assert isinstance(found, MultirangeType)
    return found


def _constraints_below(scope: Scope, index: Index, on: str) -> Iterator[Dependent]:
    """The keys of partitions whose indexes are parts of an index that is no constraint's."""
    for table in scope.catalog.partitions_of(index.table_oid):
        for mine in scope.catalog.indexes_of(table.oid):
            if mine.parent == index.oid and mine.constraint_oid:
                yield from (
                    Dependent(table, on, constraint=c) for c in table.constraints if c.index_oid == mine.oid
                )


def dependents(scope: Scope, thing: CatalogObject) -> list[Dependent]:
    """What needs CASCADE to lose this object."""
    catalog = scope.catalog
    on = describe(thing, catalog, scope.search_path)
    found: list[Dependent] = []
    if isinstance(thing, Schema):
        for other in catalog.inside(thing.oid):
            owned = (
                isinstance(other, Index | MultirangeType)
                or (isinstance(other, Sequence) and other.table_oid)
                or (isinstance(other, TextSearchDictionary | View) and other.extension)
            )
            if not owned:
                found.append(Dependent(other, on))
            elif isinstance(other, MultirangeType):  # it goes with its range, and takes it along
                made = catalog.get(other.range_oid)
                if isinstance(made, RangeType) and made.schema_oid != thing.oid:
                    found.append(Dependent(made, on))
    if isinstance(thing, ForeignDataWrapper):
        found += [Dependent(s, on) for s in catalog.objects(ForeignServer) if s.wrapper == thing.oid]
    if isinstance(thing, ForeignServer):
        found += [Dependent(m, on) for m in catalog.objects(UserMapping) if m.server == thing.oid]
        found += [
            Dependent(t, on)
            for t in catalog.objects(Table)
            if t.foreign is not None and t.foreign.server == thing.oid
        ]
    if isinstance(thing, TextSearchDictionary):
        found += [
            Dependent(c, on)
            for c in catalog.objects(TextSearchConfiguration)
            if any(thing.oid in m.dictionaries for m in c.mappings)
        ]
    if isinstance(thing, TextSearchDictionary | TextSearchConfiguration):
        found += _by_text_search(scope, thing, on)
    if isinstance(thing, Collation):
        found += _by_collation(scope, key_of(thing.oid), on)
    if isinstance(thing, Table):
        found += _heirs(scope, thing, on)
        for table in referencing(scope, thing):
            found += [Dependent(table, on, constraint=c) for c in _keys_into(table, thing)]
    if isinstance(thing, Table | View) and (
        has_rows_of(row_type_oid(thing.oid)) or routines.of_type(scope, row_type(thing))
    ):
        found += [replace(d, by_row_type=True) for d in dependents(scope, row_type(thing))]
    if isinstance(thing, Index) and thing.unique and thing.table_oid:
        found += _foreign_keys_on(scope, thing, on)
        if not thing.constraint_oid:
            found += _constraints_below(scope, thing, on)
    if isinstance(thing, Sequence | UserType):
        said = (thing.oid, getattr(thing, "array_oid", 0))
        for table in _tables_wording(catalog, thing.name, *said):
            for column in table.columns:
                if column.hidden or (table.partition is not None and column.inherited and not column.local):
                    continue  # an index's, which goes with its other columns; a partition's goes with that of the table above
                if column.declared.oid in said:
                    shown = on if column.declared.oid == thing.oid else f"{on}[]"
                    is_key = table.partitioning is not None and (
                        column.attnum in table.partitioning.columns or partition_keys.uses(table, column.name)
                    )
                    found.append(Dependent(table, shown, column=None if is_key else column))
                elif column.sequence_oid == thing.oid or (
                    column.default is not None
                    and thing.name in column.default
                    and thing.oid in depends.needs_of_expression(scope, column.default)
                ):
                    found.append(Dependent(table, on, column=column, default_only=not column.generated))
            found += [
                Dependent(table, on, constraint=c)
                for c in table.constraints
                if c.kind == "c"
                and thing.name in c.expression
                and thing.oid in depends.needs_of_expression(scope, c.expression)
            ]
    if isinstance(
        thing,
        Table | View | Sequence | UserType | Collation | TextSearchDictionary | TextSearchConfiguration,
    ):
        found += [Dependent(view.holder, on) for view in stored_queries_of(catalog, thing.oid)]
        found += _by_defaults_of_parameters(scope, thing.oid, on)
    found += [Dependent(table, on, policy=p) for table, p in policies.needing(scope, thing)]
    found += [Dependent(holder, on, rule=r) for holder, r in rules.needing(scope, thing)]
    found += [Dependent(x, on) for x in operator_classes.needing(scope, thing)]
    if isinstance(thing, Operator | Cast):
        found += _users(scope, thing.oid, getattr(thing, "name", ""), on)
    if isinstance(thing, Function):
        found += [Dependent(o, on) for o in operators.calling(scope, thing)]
        found += [Dependent(c, on) for c in casts.calling(scope, thing)]
        found += [Dependent(x, on) for x in event_triggers.calling(scope, thing)]
        found += [Dependent(holder, on, trigger=x) for holder, x in triggers.firing(scope, thing.oid)]
        found += [Dependent(holder, on, trigger=x) for holder, x in triggers.asking(scope, thing)]
        found += _callers(scope, thing, on)
    if isinstance(thing, Extension):
        from planner.ddl.extensions import triggers_calling, users_of

        for made in catalog.types_of_extension(thing.name):
            found += dependents(scope, made)
        gone = [(d.thing.oid, d.column) for d in found if d.column is not None and not d.default_only]
        found += [
            Dependent(u.thing, u.on, u.constraint, u.column, u.column is not None and not u.column.generated)
            for u in users_of(scope, thing)
            if not any(_goes_with(u.thing, u.constraint, *column) for column in gone)
        ]
        found += [
            Dependent(holder, called, trigger=x) for holder, x, called in triggers_calling(scope, thing)
        ]
    if isinstance(thing, RangeType):
        found += dependents(scope, multirange_of(scope, thing))
    if isinstance(thing, UserType):
        found += [Dependent(f, on) for f in routines.of_type(scope, thing)]
        found += [Dependent(o, on) for o in operators.of_type(scope, thing.oid, thing.array_oid)]
        found += [Dependent(c, on) for c in casts.of_type(scope, thing.oid, thing.array_oid)]
        of_it = (thing.oid, thing.array_oid)
        using = catalog.using(*of_it)
        found += [
            Dependent(r, on if r.subtype.oid == thing.oid else f"{on}[]")
            for r in using
            if isinstance(r, RangeType) and r.subtype.oid in of_it
        ]
        for composite in using:
            if isinstance(composite, CompositeType):
                found += [
                    Dependent(composite, on if c.declared.oid == thing.oid else f"{on}[]", column=c)
                    for c in composite.columns
                    if c.declared.oid in of_it
                ]
        found += [Dependent(d, on) for d in using if isinstance(d, Domain) and d.base.oid in of_it]
    if isinstance(thing, CompositeType):
        found += [Dependent(t, on) for t in typed_tables.tables_of(scope, thing)]
    return found


def _goes_with(thing: CatalogObject, constraint: Constraint | None, table_oid: Oid, column: Column) -> bool:
    """Whether an index or a CHECK is over a column that goes: nobody is told of it besides."""
    if isinstance(thing, Index):
        return thing.table_oid == table_oid and (
            any(k.attnum == column.attnum for k in thing.keys)
            or any(mentions(text, column.name) for text in thing.texts)
        )
    return constraint is not None and thing.oid == table_oid and mentions(constraint.expression, column.name)


def _heirs(scope: Scope, table: Table, on: str) -> list[Dependent]:
    """A table's children; what theirs are is asked of them."""
    return [Dependent(scope.catalog.table(oid), on) for oid in table.children]


def _callers(scope: Scope, function: Function, on: str) -> list[Dependent]:
    """Views, functions, defaults, CHECKs and indexes that call a function."""
    found = _by_defaults_of_parameters(scope, function.oid, on)
    return found + _users(scope, function.oid, function.name, on)


def _by_defaults_of_parameters(scope: Scope, oid: Oid, on: str) -> list[Dependent]:
    """Functions that need it apart from their bodies."""
    using = scope.catalog.using(oid)
    return [Dependent(f, on) for f in using if isinstance(f, Function) and oid in _needed_by(f)]


def _needed_by(f: Function) -> tuple[Oid, ...]:
    """What an aggregate calls, or the defaults of parameters need; what a body needs is its query's matter."""
    if f.aggregate is not None:
        return f.aggregate.functions
    return () if f.standard else f.depends


def _users(scope: Scope, oid: Oid, name: str, on: str) -> list[Dependent]:
    """Views, functions, defaults, CHECKs and indexes whose text calls a function or names an operator."""
    catalog = scope.catalog
    found = [Dependent(v.holder, on) for v in stored_queries_of(catalog, oid)]
    found += [Dependent(d, on, constraint=check) for d, check in domains.calling(scope, oid, name)]
    for table in _tables_wording(catalog, name):
        for column in table.columns:
            if column.default is None or not routines.calls(scope, table, column.default, oid, name):
                continue
            if not column.hidden:
                found.append(Dependent(table, on, column=column, default_only=not column.generated))
                continue
            if table.partitioning is not None and column.attnum in table.partitioning.columns:
                found.append(Dependent(table, on))
            found += [
                Dependent(table, on, constraint=c)
                for c in table.constraints
                if column.attnum in c.columns and not c.index_only
            ]
        found += [
            Dependent(i, on)
            for i in catalog.indexes_of(table.oid)
            if any(routines.calls(scope, table, text, oid, name) for text in i.texts)
        ]
        found += [
            Dependent(table, on, constraint=c)
            for c in table.constraints
            if c.kind == "c" and routines.calls(scope, table, c.expression, oid, name)
        ]
    return found


def _foreign_keys_on(scope: Scope, index: Index, on: str) -> list[Dependent]:
    """The foreign keys that a unique index, and no other, makes possible."""
    table = scope.catalog.get(index.table_oid)
    if not isinstance(table, Table):
        return []
    keys = [c for c in table.constraints if c.kind in "pu"]
    mine = next((c for c in keys if c.index_oid == index.oid), None)
    if mine is None or any(c is not mine and set(c.columns) == set(mine.columns) for c in keys):
        return []
    return [
        Dependent(child, on, constraint=c)
        for child in [*referencing(scope, table), table]
        for c in child.constraints
        if c.kind == "f" and c.foreign_table == table.oid and set(c.foreign_columns) == set(mine.columns)
    ]


def _keys_into(table: Table, target: Table) -> list[Constraint]:
    """The table's foreign keys into another, or into that as a partition; but for those that are parts of a key of a table above."""
    return [
        c
        for c in table.constraints
        if c.kind == "f"
        and not c.parent
        and (c.foreign_table == target.oid or any(a.table == target.oid for a in c.aims))
    ]


def referencing(scope: Scope, table: Table) -> list[Table]:
    """The other tables with a foreign key into this one."""
    referring = scope.catalog.referring_to(table.oid)
    return [t for t in referring if t.oid != table.oid and _keys_into(t, table)]
