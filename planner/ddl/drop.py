"""DROP: what goes, what goes with it, and what stands in the way.

    internal    goes silently with its owner: indexes, constraints, owned sequences, comments, grants
    normal      needs CASCADE: views over a relation, foreign keys into a table, defaults that use a sequence

The whole set is found first, and told as PostgreSQL tells of it, each thing before what hangs on it; then it is refused (2BP01, with what depends on what) or removed,
and what went beyond the named objects is told in one NOTICE, as in PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from planner import statements as st
from planner import types
from planner.abc import PlanError, SqlError, Table, TypeRef
from planner.catalog import (
    BaseType,
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
    OperatorClass,
    OperatorFamily,
    RangeType,
    Schema,
    Sequence,
    StatisticsObject,
    TextSearchDictionary,
    View,
    information_types,
    quote_identifier,
    rights,
)
from planner.catalog.stored_queries import stored_queries_of, stored_query
from planner.ddl import absent, collations, statistics, text_search
from planner.ddl.constraints import index_values
from planner.ddl.dependencies.columns_named import in_query
from planner.ddl.dependencies.dependents import Dependent, dependents, multirange_of
from planner.ddl.dependencies.removal import drop_columns, remove_part
from planner.ddl.operators import definitions as operators
from planner.ddl.operators import operator_classes
from planner.ddl.replication import publications, published
from planner.ddl.scope import Scope, describe, describe_part
from planner.ddl.types.typenames import resolve_type
from planner.types.facts import FIRST_USER_OID
from planner.types.of_extensions import EXTENSION_OF

_KIND: Final[dict[str, tuple[type, ...]]] = {
    "table": (Table,),
    "materialized view": (Table,),
    "foreign table": (Table,),
    "view": (View,),
    "sequence": (Sequence,),
    "index": (Index,),
    "type": (EnumType, CompositeType, Domain, RangeType, MultirangeType),
    "domain": (Domain,),
    "collation": (Collation,),
    "statistics": (StatisticsObject,),
    **{word: (kind.made,) for word, kind in text_search.KINDS.items()},
}
_HINTS: Final = {
    View: "Use DROP VIEW to remove a view.",
    Sequence: "Use DROP SEQUENCE to remove a sequence.",
    Index: "Use DROP INDEX to remove an index.",
    CompositeType: "Use DROP TYPE to remove a type.",
}
_SHOWN_MAX: Final = 100
"""Dependents listed in a message; the rest is counted."""


# --- DROP ---------------------------------------------------------------------------------------------


def drop(scope: Scope, said: st.Drop) -> None:
    if said.kind in absent.KINDS:
        absent.drop(scope, said)
        return
    doomed: list[CatalogObject] = []
    for name in said.names:
        found = _find(scope, said, name)
        if found is not None and found not in doomed:
            doomed.append(found)
        if said.concurrently and isinstance(found, Index):
            above = scope.catalog.get(found.table_oid)
            if isinstance(above, Table) and above.partitioning is not None and not above.temporary:
                raise PlanError("0A000", f'cannot drop partitioned index "{found.name}" concurrently')
    remove_all(scope, doomed, said.cascade)


def _refuse_built_in(scope: Scope, said: st.Drop, name: st.Name) -> None:
    """Raises 2BP01, 42809 for PostgreSQL's own types, and for types of arrays, which go with their elements'."""
    element = name.name.rstrip("[]")
    words = (name.schema, element) if name.schema else (element,)
    depth = (len(name.name) - len(element)) // 2
    try:
        ref = resolve_type(st.TypeName(words, dimensions=depth), scope.catalog, scope.search_path)
    except SqlError:
        return
    shown = types.format_type(ref)
    if ref.oid >= FIRST_USER_OID:
        if depth:
            of = types.format_type(TypeRef(types.element_of(ref.oid)))
            hint = f"You can drop type {of} instead."
            raise PlanError("2BP01", f"cannot drop type {shown} because type {of} requires it", hint=hint)
        return
    if said.kind == "domain":
        raise PlanError("42809", f'"{name}" is not a domain')
    raise PlanError("2BP01", f"cannot drop type {shown} because it is required by the database system")


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
    elif kind == "publication":
        found = publications.named(scope, name.name)
    elif scope.passes_schema(name, said.if_exists):
        return None
    elif kind in ("type", "domain"):
        found = scope.catalog.find_type(name.name, name.schema, scope.search_path)
        if found is None and name.schema == "information_schema" and name.name in information_types.BY_NAME:
            raise PlanError(
                "0A000", f"dropping type {name.schema}.{name.name} of the system is not supported"
            )
        if found is None:
            _refuse_built_in(scope, said, name)
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
    elif kind in text_search.KINDS:
        found = text_search.to_drop(scope, text_search.KINDS[kind], name)
    else:
        found = scope.find(name)
        if isinstance(found, View) and found.extension:
            by = f"extension {quote_identifier(getattr(scope.catalog.get(found.extension), 'name', ''))}"
            raise PlanError(
                "2BP01",
                f"cannot drop {describe(found, scope.catalog, scope.search_path)} because {by} requires it",
                hint=f"You can drop {by} instead.",
            )
    if found is None:
        # PostgreSQL names the schema of types only.
        missing = f'type "{_shown(name)}"' if kind in ("type", "domain") else f'{kind} "{name.name}"'
        if kind == "collation" and not said.if_exists:
            missing = f'collation "{_shown(name)}" for encoding "UTF8"'
        if kind in text_search.KINDS:
            missing = f'{kind} "{_shown(name)}"'
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
                "publication": "42704",
                **dict.fromkeys(text_search.KINDS, "42704"),
                "index": "42704",
                "foreign table": "42704",
            }.get(kind, "42P01")
            raise PlanError(state, missing)
        scope.notice(f"{missing}, skipping")
        return None
    expected = _KIND.get(kind)
    word = rights.table_word(found) if isinstance(found, Table) else ""
    if expected is not None and (not isinstance(found, expected) or (word and word != kind)):
        article = "an" if kind == "index" else "a"
        hint = f"Use DROP {word.upper()} to remove a {word}." if word else _HINTS.get(type(found), "")
        raise PlanError("42809", f'"{name.name}" is not {article} {kind}', hint=hint)
    if isinstance(found, Index) and found.parent:
        raise of_index_above(scope, found)
    if isinstance(found, Index) and found.constraint_oid:
        table = scope.catalog.table(found.table_oid)
        what = describe_part("constraint", found.name, table, scope)
        raise PlanError(
            "2BP01",
            f"cannot drop {describe(found, scope.catalog, scope.search_path)} because {what} requires it",
            hint=f"You can drop {what} instead.",
        )
    if isinstance(found, Sequence) and found.identity and found.table_oid:
        table = scope.catalog.table(found.table_oid)
        column = next(c.name for c in table.columns if c.attnum == found.attnum)
        what = describe_part("column", column, table, scope)
        raise PlanError(
            "2BP01",
            f"cannot drop {describe(found, scope.catalog, scope.search_path)} because {what} requires it",
            hint=f"You can drop {what} instead.",
        )
    return found


def of_index_above(scope: Scope, found: Index) -> PlanError:
    """2BP01: a partition's index goes with that of the partitioned table."""
    above = scope.catalog.get(found.parent)
    assert above is not None
    what = describe(above, scope.catalog, scope.search_path)
    return PlanError(
        "2BP01",
        f"cannot drop {describe(found, scope.catalog, scope.search_path)} because {what} requires it",
        hint=f"You can drop {what} instead.",
    )


def _shown(name: st.Name) -> str:
    return f"{name.schema}.{name.name}" if name.schema else name.name


def remove_all(scope: Scope, doomed: list[CatalogObject], cascade: bool) -> None:
    """Removes objects with all that depends on them. Raises 2BP01 without CASCADE if more than they depends."""
    named = {d.oid for d in doomed}
    gone: dict[int, CatalogObject] = {d.oid: d for d in doomed}
    parts: list[Dependent] = []
    told: list[Dependent] = []

    def below(thing: CatalogObject) -> Iterator[CatalogObject]:
        """What goes because this does, the newest first: each is told of before what hangs on it, so it is noted after that."""
        hanging: list[Dependent | CatalogObject] = [*dependents(scope, thing), *_internal(scope, thing)]
        if isinstance(thing, Extension):  # what its members are used by is in their order
            hanging.reverse()
        else:
            hanging.sort(key=_age)
        for d in hanging:
            if not isinstance(d, Dependent):
                if d.oid not in gone:
                    gone[d.oid] = d
                    yield d
            elif d.is_whole:
                if d.thing.oid not in gone:
                    gone[d.thing.oid] = d.thing
                    yield d.thing
                    told.append(d)
            elif d.thing.oid not in gone and not any(_same_part(d, p) for p in parts):
                parts.append(d)
                for view in sorted(_views_of_part(scope, d), key=_age):
                    if view.thing.oid not in gone:
                        gone[view.thing.oid] = view.thing
                        yield view.thing
                        told.append(view)
                published = _publications_of_part(scope, d)
                parts.extend(published)
                told.extend((*reversed(published), d))

    stack = [below(thing) for thing in reversed(doomed)]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
        else:
            stack.append(below(found))
    extra = told[::-1]
    parts = [p for p in parts if p.thing.oid not in gone]
    extra = [e for e in extra if e.thing.oid not in named or not e.is_whole]
    extra = [e for e in extra if e.is_whole or e.thing.oid not in gone]
    extra = [e for e in extra if not (e.is_whole and _goes_with_its_table(e.thing, gone))]
    extra = [e for e in extra if not _goes_with_its_column(e.thing, parts)]
    if extra and not cascade:
        _refuse(scope, doomed, extra)
    tell(scope, [e.shown(scope) for e in extra])
    for part in parts:
        if part.column is None or part.default_only:
            remove_part(scope, part)
    for thing in _in_order(gone):
        if isinstance(thing, View) or stored_query(thing) is not None:  # before the columns that they use
            if isinstance(thing, Table):
                for inner in _internal(scope, thing):
                    scope.remove(inner)
                scope.dropped.append(thing.shard)
            scope.remove(thing)
    drop_columns(scope, [p for p in parts if p.column is not None and not p.default_only])
    from planner.ddl.tables.alter import settle_unique_indexes

    for thing in _in_order(gone):
        current = scope.catalog.get(thing.oid)
        if current is None:
            continue
        if isinstance(current, Operator):
            operators.unlink(scope, current)
        if isinstance(current, Operator | Function):
            operator_classes.forget(scope, current)
        scope.remove(current)
        if isinstance(current, Table):
            scope.dropped.append(current.shard)
        elif isinstance(current, Index) and current.table_oid not in gone:
            settle_unique_indexes(scope, scope.catalog.table(current.table_oid))
            index_values.is_other(scope, current)


def _age(d: Dependent | CatalogObject) -> tuple[bool, int, int]:
    """Where something is among what hangs on the same thing: the newest first, and of a table's columns the first one.

    What needs the type of a relation's rows hangs on that type, which is older than all that hangs on the relation itself.
    """
    if not isinstance(d, Dependent):
        return False, -d.oid, 0
    part = d.constraint or d.trigger or d.policy or d.rule
    if part is not None:
        return d.by_row_type, -part.oid, 0
    if d.column is None:
        return d.by_row_type, -d.thing.oid, 0
    return d.by_row_type, -d.thing.oid, -d.column.attnum if d.default_only else d.column.attnum


def _views_of_part(scope: Scope, part: Dependent) -> list[Dependent]:
    """Views that use a column which is about to go."""
    if part.column is None or part.default_only or not isinstance(part.thing, Table):
        return []
    return [
        Dependent(kept.holder, part.shown(scope))
        for kept in stored_queries_of(scope.catalog, part.thing.oid)
        if in_query(scope.catalog, kept, part.thing, part.column)
    ]


def _publications_of_part(scope: Scope, part: Dependent) -> list[Dependent]:
    """What publications say of a table of which a column is about to go that they name."""
    table = scope.catalog.get(part.thing.oid)
    if part.column is None or part.default_only or not isinstance(table, Table):
        return []
    on = part.shown(scope)
    using = published.using_column(scope, table, part.column.attnum)
    return [Dependent(table, on, published=found) for found in using]


def _goes_with_its_table(thing: CatalogObject, gone: dict[int, CatalogObject]) -> bool:
    """Whether it is a partition of what goes, counts it, or is a class of a family that goes: then it is not told of."""
    if isinstance(thing, OperatorClass):
        return thing.family in gone
    if isinstance(thing, StatisticsObject):
        return thing.table_oid in gone
    return isinstance(thing, Table) and thing.partition is not None and thing.partition.parent in gone


def _goes_with_its_column(thing: CatalogObject, parts: list[Dependent]) -> bool:
    """Whether it is an index of a column that goes: it goes with that in any case."""
    if not isinstance(thing, Index):
        return False
    mine = {k.attnum for k in thing.keys if k.attnum}
    lost = (
        p.column.attnum for p in parts if p.thing.oid == thing.table_oid and p.column and not p.default_only
    )
    return bool(mine.intersection(lost))


def _same_part(a: Dependent, b: Dependent) -> bool:
    mine, theirs = (
        (a.constraint, a.column, a.trigger, a.policy, a.rule, a.published),
        (b.constraint, b.column, b.trigger, b.policy, b.rule, b.published),
    )
    return a.thing.oid == b.thing.oid and mine == theirs


def _in_order(gone: dict[int, CatalogObject]) -> list[CatalogObject]:
    """Indexes and sequences before tables, schemas last."""
    rank = {Index: 0, Sequence: 1, View: 2, Table: 3, Schema: 9}
    return sorted(gone.values(), key=lambda t: rank.get(type(t), 5))


def _refuse(scope: Scope, doomed: list[CatalogObject], extra: list[Dependent]) -> None:
    standing = [(e.shown(scope), e.on) for e in extra]
    if len(doomed) > 1:
        raise needed("desired object(s)", standing, "them")
    raise needed(describe(doomed[0], scope.catalog, scope.search_path), standing)


def needed(what: str, standing: Iterable[tuple[str, str]], it: str = "it") -> PlanError:
    """2BP01: why something is not dropped without CASCADE. `standing`: what depends, and on what."""
    return PlanError(
        "2BP01",
        f"cannot drop {what} because other objects depend on {it}",
        detail=_listed([f"{one} depends on {on}" for one, on in standing]),
        hint="Use DROP ... CASCADE to drop the dependent objects too.",
    )


def tell(scope: Scope, going: Iterable[str]) -> None:
    """What goes with what is dropped, to the client."""
    lines = [f"drop cascades to {one}" for one in going]
    if len(lines) == 1:
        scope.notice(lines[0])
    elif lines:
        scope.notice(f"drop cascades to {len(lines)} other objects", detail=_listed(lines))


def _listed(lines: list[str]) -> str:
    """As many as PostgreSQL shows a client."""
    detail = "\n".join(lines[:_SHOWN_MAX])
    if len(lines) > _SHOWN_MAX:
        detail += f"\nand {len(lines) - _SHOWN_MAX} other objects (see server log for list)"
    return detail


# --- what goes with its owner -----------------------------------------------------------------------------


def _collation(scope: Scope, name: st.Name) -> Collation | None:
    found = collations.find(scope, name)
    if found is None and scope.catalog.collation_key(name.name, name.schema, scope.search_path):
        raise PlanError(
            "2BP01",
            f"cannot drop collation {quote_identifier(name.name)} because it is required by the database system",
        )
    return found


def _internal(scope: Scope, thing: CatalogObject) -> list[CatalogObject]:
    if isinstance(thing, RangeType):
        return [multirange_of(scope, thing)]
    if isinstance(thing, OperatorFamily):
        return list(operator_classes.classes_of(scope, thing))
    if isinstance(thing, Table):
        below = scope.catalog.partitions_of(thing.oid)
        counted = scope.catalog.statistics_of(thing.oid)
        owned: list[CatalogObject] = [
            *scope.catalog.indexes_of(thing.oid),
            *scope.catalog.sequences_of(thing.oid),
        ]
        return [*below, *owned, *counted]
    if isinstance(thing, Extension):
        found: list[CatalogObject] = [
            d for d in scope.catalog.objects(TextSearchDictionary) if d.extension == thing.oid
        ]
        return [*found, *(v for v in scope.catalog.objects(View) if v.extension == thing.oid)]
    if isinstance(thing, Index):
        over = scope.catalog.partitions_of(thing.table_oid)
        below_it = [i for t in over for i in scope.catalog.indexes_of(t.oid) if i.parent == thing.oid]
        return [i for i in below_it if thing.constraint_oid or not i.constraint_oid]
    return []
