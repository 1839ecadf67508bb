"""DROP and TRUNCATE: what goes, what goes with it, and what stands in the way.

    internal    goes silently with its owner: indexes, constraints, owned sequences, comments, grants
    normal      needs CASCADE: views over a relation, foreign keys into a table, defaults that use a sequence

The whole set is found first, breadth first; then it is refused (2BP01, with what depends on what) or removed,
and what went beyond the named objects is told in one NOTICE, as in PostgreSQL.
"""

from __future__ import annotations

import dataclasses
from typing import Final

from planner import statements as st
from planner.abc import Column, Constraint, Oid, PlanError, Policy, Table, Trigger
from planner.catalog import (
    BaseType,
    Cast,
    CatalogObject,
    Collation,
    CompositeType,
    Domain,
    EnumType,
    Extension,
    Function,
    Index,
    MultirangeType,
    Operator,
    RangeType,
    Schema,
    Sequence,
    StatisticsObject,
    UserType,
    View,
    quote_identifier,
)
from planner.catalog.collations import key_of
from planner.catalog.names import missing_schema
from planner.catalog.row_types import row_type, row_type_oid
from planner.catalog.stored_queries import stored_queries, stored_query
from planner.catalog.user_types import has_rows_of
from planner.ddl import (
    absent,
    casts,
    collations,
    depends,
    event_triggers,
    operators,
    policies,
    routines,
    sequences,
    statistics,
    triggers,
)
from planner.ddl.scope import Scope, describe
from planner.inheritance import family
from planner.lexer import QUOTED, WORD, tokenize
from planner.partitioning import descendants
from planner.types.of_extensions import EXTENSION_OF

_KIND: Final[dict[str, tuple[type, ...]]] = {
    "table": (Table,),
    "materialized view": (Table,),
    "view": (View,),
    "sequence": (Sequence,),
    "index": (Index,),
    "type": (EnumType, CompositeType, Domain, RangeType, MultirangeType),
    "domain": (Domain,),
    "collation": (Collation,),
    "statistics": (StatisticsObject,),
}
_HINTS: Final = {
    Table: "Use DROP TABLE to remove a table.",
    View: "Use DROP VIEW to remove a view.",
    Sequence: "Use DROP SEQUENCE to remove a sequence.",
    Index: "Use DROP INDEX to remove an index.",
    CompositeType: "Use DROP TYPE to remove a type.",
}
_SHOWN_MAX: Final = 100
"""Dependents listed in a message; the rest is counted."""


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

    @property
    def is_whole(self) -> bool:
        """Whether all of `thing` needs it, and not a part of a table."""
        return (
            self.constraint is None and self.column is None and self.trigger is None and self.policy is None
        )

    def shown(self, scope: Scope) -> str:
        base = describe(self.thing, scope.catalog, scope.search_path)
        if self.constraint is not None:
            return f"constraint {quote_identifier(self.constraint.name)} on {base}"
        if self.policy is not None:
            return f"policy {quote_identifier(self.policy.name)} on {base}"
        if self.trigger is not None:
            return f"trigger {quote_identifier(self.trigger.name)} on {base}"
        if self.column is not None:
            what = "default value for column" if self.default_only else "column"
            if isinstance(self.thing, CompositeType):
                base = f"composite {base}"
            return f"{what} {quote_identifier(self.column.name)} of {base}"
        return base


# --- DROP ---------------------------------------------------------------------------------------------


def drop(scope: Scope, said: st.Drop) -> None:
    if said.kind in absent.KINDS:
        absent.drop(scope, said)
        return
    if said.kind == "foreign table":
        for name in said.names:
            if name.schema and said.if_exists and scope.catalog.find_schema(name.schema) is None:
                scope.notice(f'schema "{name.schema}" does not exist, skipping')
                continue
            if not said.if_exists:
                raise PlanError("42P01", f'{said.kind} "{name.name}" does not exist')
            scope.notice(f'{said.kind} "{name.name}" does not exist, skipping')
        return
    doomed: list[CatalogObject] = []
    for name in said.names:
        found = _find(scope, said, name)
        if found is not None and found not in doomed:
            doomed.append(found)
    remove_all(scope, doomed, said.cascade)


def _find(scope: Scope, said: st.Drop, name: st.Name) -> CatalogObject | None:
    kind = said.kind
    found: CatalogObject | None
    if kind == "schema":
        found = scope.catalog.find_schema(name.name)
        if found is not None and found.database_oid == 0:
            raise PlanError(
                "2BP01", f"cannot drop schema {name.name} because it is required by the database system"
            )
    elif kind == "extension":
        found = scope.catalog.extension(name.name)
    elif name.schema and scope.catalog.find_schema(name.schema) is None and name.schema != "pg_temp":
        if not said.if_exists:
            raise missing_schema(name.schema)
        scope.notice(f'schema "{name.schema}" does not exist, skipping')
        return None
    elif kind in ("type", "domain"):
        found = scope.catalog.find_type(name.name, name.schema, scope.search_path)
        if found is None and kind == "type":
            relation = scope.find(name)
            if isinstance(relation, Table):
                raise PlanError(
                    "2BP01",
                    f"cannot drop type {name.name} because table {name.name} requires it",
                    hint=f"You can drop table {name.name} instead.",
                )
        if isinstance(found, BaseType):
            own = describe(found, scope.catalog, scope.search_path)
            by = f"extension {EXTENSION_OF[found.oid]}"
            raise PlanError(
                "2BP01", f"cannot drop {own} because {by} requires it", hint=f"You can drop {by} instead."
            )
        if isinstance(found, MultirangeType):
            held = scope.catalog.get(found.range_oid)
            assert isinstance(held, RangeType)
            own, by = (describe(x, scope.catalog, scope.search_path) for x in (found, held))
            raise PlanError(
                "2BP01", f"cannot drop {own} because {by} requires it", hint=f"You can drop {by} instead."
            )
    elif kind == "collation":
        found = _collation(scope, name)
    elif kind == "statistics":
        found = statistics.find(scope, name)
    else:
        found = scope.find(name)
    if found is None:
        # PostgreSQL names the schema of types only.
        missing = f'type "{_shown(name)}"' if kind in ("type", "domain") else f'{kind} "{name.name}"'
        if kind == "collation" and not said.if_exists:
            missing = f'collation "{_shown(name)}" for encoding "UTF8"'
        if kind == "statistics":
            missing = f'statistics object "{_shown(name)}"'
        missing += " does not exist"
        if not said.if_exists:
            state = {
                "schema": "3F000",
                "type": "42704",
                "domain": "42704",
                "collation": "42704",
                "statistics": "42704",
                "extension": "42704",
                "index": "42704",
            }.get(kind, "42P01")
            raise PlanError(state, missing)
        scope.notice(f"{missing}, skipping")
        return None
    expected = _KIND.get(kind)
    materialized = isinstance(found, Table) and found.materialized is not None
    if expected is not None and (
        not isinstance(found, expected)
        or (kind in ("table", "materialized view") and materialized != (kind == "materialized view"))
    ):
        article = "an" if kind == "index" else "a"
        hint = _HINTS.get(type(found), "")
        if materialized:
            hint = "Use DROP MATERIALIZED VIEW to remove a materialized view."
        raise PlanError("42809", f'"{name.name}" is not {article} {kind}', hint=hint)
    if isinstance(found, Index) and found.parent:
        above = scope.catalog.get(found.parent)
        assert isinstance(above, Index)
        raise PlanError(
            "2BP01",
            f"cannot drop index {found.name} because index {above.name} requires it",
            hint=f"You can drop index {above.name} instead.",
        )
    if isinstance(found, Index) and found.constraint_oid:
        table = scope.catalog.table(found.table_oid)
        what = f"constraint {found.name} on table {table.name}"
        raise PlanError(
            "2BP01",
            f"cannot drop index {found.name} because {what} requires it",
            hint=f"You can drop {what} instead.",
        )
    if isinstance(found, Sequence) and found.identity and found.table_oid:
        table = scope.catalog.table(found.table_oid)
        column = next(c.name for c in table.columns if c.attnum == found.attnum)
        what = f"column {column} of table {table.name}"
        raise PlanError(
            "2BP01",
            f"cannot drop sequence {found.name} because {what} requires it",
            hint=f"You can drop {what} instead.",
        )
    return found


def _shown(name: st.Name) -> str:
    return f"{name.schema}.{name.name}" if name.schema else name.name


def remove_all(scope: Scope, doomed: list[CatalogObject], cascade: bool) -> None:
    """Removes objects with all that depends on them. Raises 2BP01 without CASCADE if more than they depends."""
    named = {d.oid for d in doomed}
    gone: dict[int, CatalogObject] = {d.oid: d for d in doomed}
    parts: list[Dependent] = []
    extra: list[Dependent] = []
    later: list[Dependent] = []
    queue = list(doomed)
    while queue:
        thing = queue.pop(0)
        for d in dependents(scope, thing):
            if d.is_whole:
                if d.thing.oid in gone:
                    continue
                gone[d.thing.oid] = d.thing
                queue.append(d.thing)
            elif d.thing.oid in gone or any(_same_part(d, p) for p in parts):
                continue
            else:
                parts.append(d)
                for view in _views_of_part(scope, d):
                    if view.thing.oid not in gone:
                        gone[view.thing.oid] = view.thing
                        queue.append(view.thing)
                        later.append(view)
            extra.append(d)
            extra += later
            later = []
        for inner in _internal(scope, thing):
            if inner.oid not in gone:
                gone[inner.oid] = inner
                queue.append(inner)
    parts = [p for p in parts if p.thing.oid not in gone]
    extra = [e for e in extra if e.thing.oid not in named or not e.is_whole]
    extra = [e for e in extra if e.is_whole or e.thing.oid not in gone]
    if extra and not cascade:
        _refuse(scope, doomed, extra)
    _tell(scope, extra)
    for part in parts:
        if part.column is None or part.default_only:
            _remove_part(scope, part)
    for thing in _in_order(gone):
        if isinstance(thing, View) or stored_query(thing) is not None:  # before the columns that they use
            if isinstance(thing, Table):
                for inner in _internal(scope, thing):
                    scope.remove(inner)
                scope.dropped.append(thing.shard)
            scope.remove(thing)
    _drop_columns(scope, [p for p in parts if p.column is not None and not p.default_only])
    from planner.ddl.alter import settle_unique_indexes

    for thing in _in_order(gone):
        current = scope.catalog.get(thing.oid)
        if current is None:
            continue
        if isinstance(current, Operator):
            operators.unlink(scope, current)
        scope.remove(current)
        if isinstance(current, Table):
            scope.dropped.append(current.shard)
        elif isinstance(current, Index) and current.table_oid not in gone:
            settle_unique_indexes(scope, scope.catalog.table(current.table_oid))


def _views_of_part(scope: Scope, part: Dependent) -> list[Dependent]:
    """Views that use a column which is about to go."""
    if part.column is None or part.default_only:
        return []
    name = part.column.name
    return [
        Dependent(view.holder, part.shown(scope))
        for view in stored_queries(scope.catalog)
        if part.thing.oid in view.depends and mentions(view.query, name)
    ]


def _same_part(a: Dependent, b: Dependent) -> bool:
    mine, theirs = (
        (a.constraint, a.column, a.trigger, a.policy),
        (b.constraint, b.column, b.trigger, b.policy),
    )
    return a.thing.oid == b.thing.oid and mine == theirs


def _in_order(gone: dict[int, CatalogObject]) -> list[CatalogObject]:
    """Indexes and sequences before tables, schemas last."""
    rank = {Index: 0, Sequence: 1, View: 2, Table: 3, Schema: 9}
    return sorted(gone.values(), key=lambda t: rank.get(type(t), 5))


def _refuse(scope: Scope, doomed: list[CatalogObject], extra: list[Dependent]) -> None:
    lines = [f"{e.shown(scope)} depends on {e.on}" for e in extra]
    detail = "\n".join(lines[:_SHOWN_MAX])
    if len(lines) > _SHOWN_MAX:
        detail += f"\nand {len(lines) - _SHOWN_MAX} other objects (see server log for list)"
    if len(doomed) == 1:
        what = f"cannot drop {describe(doomed[0], scope.catalog, scope.search_path)} because other objects depend on it"
    else:
        what = "cannot drop desired object(s) because other objects depend on them"
    raise PlanError(
        "2BP01", what, detail=detail, hint="Use DROP ... CASCADE to drop the dependent objects too."
    )


def _tell(scope: Scope, extra: list[Dependent]) -> None:
    lines = [f"drop cascades to {e.shown(scope)}" for e in extra]
    if len(lines) == 1:
        scope.notice(lines[0])
    elif lines:
        detail = "\n".join(lines[:_SHOWN_MAX])
        if len(lines) > _SHOWN_MAX:
            detail += f"\nand {len(lines) - _SHOWN_MAX} other objects (see server log for list)"
        scope.notice(f"drop cascades to {len(lines)} other objects", detail=detail)


def _drop_columns(scope: Scope, parts: list[Dependent]) -> None:
    """Columns of a dropped type: those of one table at once."""
    from planner.ddl import alter

    by_table: dict[int, list[st.AlterAction]] = {}
    for p in parts:
        assert p.column is not None
        if isinstance(p.thing, CompositeType):
            _drop_attribute(scope, p.thing, p.column)
            continue
        action = st.AlterAction("drop column", p.column.name, exists=True, cascade=True)
        by_table.setdefault(p.thing.oid, []).append(action)
    for oid, actions in by_table.items():
        table = scope.catalog.table(oid)
        alter.alter_table(scope, table, tuple(actions), above=bool(table.parents or table.children))


def _drop_attribute(scope: Scope, composite: CompositeType, attribute: Column) -> None:
    """An attribute of a dropped type. Values that tables hold would have to be rewritten: 0A000."""
    current = scope.catalog.get(composite.oid)
    assert isinstance(current, CompositeType)
    own = (current.oid, current.array_oid)
    if any(c.type.oid in own for t in scope.catalog.tables() for c in t.columns):
        raise PlanError(
            "0A000",
            f"dropping an attribute of composite type {current.name}, which tables use, is not supported",
        )
    kept = tuple(c for c in current.columns if c.attnum != attribute.attnum)
    scope.replace(current, dataclasses.replace(current, columns=kept))


def _remove_part(scope: Scope, part: Dependent) -> None:
    table = scope.catalog.get(part.thing.oid)
    if part.trigger is not None:
        assert isinstance(table, Table | View)
        triggers.remove(scope, table, [part.trigger])
        return
    assert isinstance(table, Table)
    if part.policy is not None:
        policies.remove(scope, table, [part.policy])
    elif part.constraint is not None:
        kept = tuple(c for c in table.constraints if c.oid != part.constraint.oid)
        scope.replace(table, dataclasses.replace(table, constraints=kept))
    elif part.column is not None:
        columns = tuple(
            dataclasses.replace(c, default=None, sequence_oid=0) if c.attnum == part.column.attnum else c
            for c in table.columns
        )
        scope.replace(table, dataclasses.replace(table, columns=columns))


# --- who depends on whom ---------------------------------------------------------------------------------


def _collation(scope: Scope, name: st.Name) -> Collation | None:
    found = collations.find(scope, name)
    if found is None and scope.catalog.collation_key(name.name, name.schema, scope.search_path):
        raise PlanError(
            "2BP01",
            f"cannot drop collation {quote_identifier(name.name)} because it is required by the database system",
        )
    return found


def _by_collation(scope: Scope, key: str, on: str) -> list[Dependent]:
    """Columns, indexes, domains and range types of the collation."""
    catalog = scope.catalog
    found = [
        Dependent(thing, on, column=column)
        for thing in catalog.objects(Table)
        for column in thing.columns
        if column.collation == key
    ]
    found += [Dependent(i, on) for i in catalog.objects(Index) if any(k.collation == key for k in i.keys)]
    found += [Dependent(d, on) for d in catalog.objects(Domain) if d.collation == key]
    return found + [Dependent(r, on) for r in catalog.objects(RangeType) if r.collation == key]


def _multirange(scope: Scope, thing: RangeType) -> MultirangeType:
    found = scope.catalog.get(thing.multirange_oid)
    assert isinstance(found, MultirangeType)
    return found


def _internal(scope: Scope, thing: CatalogObject) -> list[CatalogObject]:
    if isinstance(thing, RangeType):
        return [_multirange(scope, thing)]
    if isinstance(thing, Table):
        below = scope.catalog.partitions_of(thing.oid)
        counted = scope.catalog.statistics_of(thing.oid)
        owned: list[CatalogObject] = [
            *scope.catalog.indexes_of(thing.oid),
            *scope.catalog.sequences_of(thing.oid),
        ]
        return [*below, *owned, *counted]
    if isinstance(thing, Index):
        over = scope.catalog.partitions_of(thing.table_oid)
        return [i for t in over for i in scope.catalog.indexes_of(t.oid) if i.parent == thing.oid]
    return []


def dependents(scope: Scope, thing: CatalogObject) -> list[Dependent]:
    """What needs CASCADE to lose this object."""
    catalog = scope.catalog
    on = describe(thing, catalog, scope.search_path)
    found: list[Dependent] = []
    if isinstance(thing, Schema):
        for other in catalog.inside(thing.oid):
            owned = isinstance(other, Index | MultirangeType) or (
                isinstance(other, Sequence) and other.table_oid
            )
            if not owned:
                found.append(Dependent(other, on))
    if isinstance(thing, Collation):
        found += _by_collation(scope, key_of(thing.oid), on)
    if isinstance(thing, Table):
        found += _heirs(scope, thing, on)
        for table in referencing(scope, thing):
            found += [
                Dependent(table, on, constraint=c)
                for c in table.constraints
                if c.kind == "f" and c.foreign_table == thing.oid
            ]
    if isinstance(thing, Table | View) and (
        has_rows_of(row_type_oid(thing.oid)) or routines.of_type(scope, row_type(thing))
    ):
        found += dependents(scope, row_type(thing))
    if isinstance(thing, Index) and thing.unique and thing.table_oid:
        found += _foreign_keys_on(scope, thing, on)
    if isinstance(thing, Sequence | UserType):
        for table in catalog.objects(Table):
            for column in table.columns:
                if column.declared.oid in (thing.oid, getattr(thing, "array_oid", 0)):
                    shown = on if column.declared.oid == thing.oid else f"{on}[]"
                    found.append(Dependent(table, shown, column=column))
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
    if isinstance(thing, Table | View | Sequence | UserType | Collation):
        for view in stored_queries(catalog):
            if thing.oid in view.depends:
                found.append(Dependent(view.holder, on))
    found += [Dependent(table, on, policy=p) for table, p in policies.needing(scope, thing)]
    if isinstance(thing, Operator | Cast):
        found += _users(scope, thing.oid, getattr(thing, "name", ""), on)
    if isinstance(thing, Function):
        found += [Dependent(o, on) for o in operators.calling(scope, thing)]
        found += [Dependent(c, on) for c in casts.calling(scope, thing)]
        found += [Dependent(x, on) for x in event_triggers.calling(scope, thing)]
        found += [Dependent(holder, on, trigger=x) for holder, x in triggers.firing(scope, thing)]
        found += _callers(scope, thing, on)
    if isinstance(thing, Extension):
        from planner.ddl.extensions import users_of

        for made in catalog.types_of_extension(thing.name):
            found += dependents(scope, made)
        gone = {(d.thing.oid, d.column.attnum) for d in found if d.column is not None}
        found += [
            Dependent(u.thing, u.on, u.constraint, u.column, u.column is not None and not u.column.generated)
            for u in users_of(scope, thing)
            if not (
                isinstance(u.thing, Index)
                and any((u.thing.table_oid, k.attnum) in gone for k in u.thing.keys)
            )
        ]
    if isinstance(thing, RangeType):
        found += dependents(scope, _multirange(scope, thing))
    if isinstance(thing, UserType):
        found += [Dependent(f, on) for f in routines.of_type(scope, thing)]
        found += [Dependent(o, on) for o in operators.of_type(scope, thing.oid, thing.array_oid)]
        found += [Dependent(c, on) for c in casts.of_type(scope, thing.oid, thing.array_oid)]
        found += [
            Dependent(r, on)
            for r in catalog.objects(RangeType)
            if r.subtype.oid in (thing.oid, thing.array_oid)
        ]
        for composite in catalog.objects(CompositeType):
            found += [
                Dependent(composite, on if c.declared.oid == thing.oid else f"{on}[]", column=c)
                for c in composite.columns
                if c.declared.oid in (thing.oid, thing.array_oid)
            ]
        for domain in catalog.objects(Domain):
            if domain.base.oid in (thing.oid, thing.array_oid):
                found.append(Dependent(domain, on))
    return found


def _heirs(scope: Scope, table: Table, on: str) -> list[Dependent]:
    """A table's children, each with its own behind it."""
    found: list[Dependent] = []
    for oid in table.children:
        child = scope.catalog.table(oid)
        below = describe(child, scope.catalog, scope.search_path)
        found += [Dependent(child, on), *_heirs(scope, child, below)]
    return found


def _callers(scope: Scope, function: Function, on: str) -> list[Dependent]:
    """Views, functions, defaults, CHECKs and indexes that call a function."""
    found = [
        Dependent(f, on)
        for f in scope.catalog.objects(Function)
        if f.aggregate is not None and function.oid in f.aggregate.functions
    ]
    return found + _users(scope, function.oid, function.name, on)


def _users(scope: Scope, oid: Oid, name: str, on: str) -> list[Dependent]:
    """Views, functions, defaults, CHECKs and indexes whose text calls a function or names an operator."""
    catalog = scope.catalog
    found = [Dependent(v.holder, on) for v in stored_queries(catalog) if oid in v.depends]
    for table in catalog.objects(Table):
        for column in table.columns:
            if column.default is None or not routines.calls(scope, table, column.default, oid, name):
                continue
            if not column.hidden:
                found.append(Dependent(table, on, column=column, default_only=not column.generated))
                continue
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


def referencing(scope: Scope, table: Table) -> list[Table]:
    """The other tables with a foreign key into this one."""
    return [
        t
        for t in scope.catalog.tables()
        if t.oid != table.oid and any(c.kind == "f" and c.foreign_table == table.oid for c in t.constraints)
    ]


def mentions(query: str, name: str) -> bool:
    """Whether a query's text uses this name, or `*`, which uses them all."""
    tokens = tokenize(query)
    for i, token in enumerate(tokens):
        if token.kind in (WORD, QUOTED) and token.value == name:
            return True
        if token.value == "*" and (i == 0 or tokens[i - 1].value in ("select", "all", ",", ".", "distinct")):
            return True
    return False


# --- TRUNCATE -------------------------------------------------------------------------------------------


def truncate(scope: Scope, said: st.Truncate) -> None:
    tables: list[Table] = []
    for at, name in enumerate(said.tables):
        found = scope.find(name)
        if found is None:
            scope.require_schema(name)
            raise PlanError("42P01", f'relation "{_shown(name)}" does not exist')
        if not isinstance(found, Table) or found.materialized is not None:
            raise PlanError("42809", f'"{name.name}" is not a table')
        if found.partitioning is not None and at in said.only:
            raise PlanError(
                "42809",
                "cannot truncate only a partitioned table",
                hint="Do not specify the ONLY keyword, or use TRUNCATE ONLY on the partitions directly.",
            )
        below = descendants(scope.catalog, found)
        if at not in said.only:
            below += family(scope.catalog, found)[1:]
        tables += [t for t in [found, *below] if t not in tables]
    i = 0
    while i < len(tables):
        for other in referencing(scope, tables[i]):
            if other in tables:
                continue
            if not said.cascade:
                if any(other.name == n.name for n in said.tables):
                    continue
                raise PlanError(
                    "0A000",
                    "cannot truncate a table referenced in a foreign key constraint",
                    detail=f'Table "{other.name}" references "{tables[i].name}".',
                    hint=f'Truncate table "{other.name}" at the same time, or use TRUNCATE ... CASCADE.',
                )
            scope.notice(f'truncate cascades to table "{other.name}"')
            tables.append(other)
        i += 1
    scope.truncated += tables
    if said.restart_identity:
        for table in tables:
            for sequence in scope.catalog.sequences_of(table.oid):
                scope.replace(sequence, sequences.restarted(sequence))
