"""CREATE UNIQUE INDEX: uniqueness that is no constraint, over columns, expressions, or some of the rows.

Whatever enforces UNIQUE constraints (newest versions, runs, bulk checks, admission) compares columns. So a
unique index is a `Constraint` that is not listed as one (`index_only`), over columns that may have been made for it:

    (a, b)                      the columns themselves
    (lower(name))               a hidden column, generated: lower(name)
    (a, b) WHERE active         a hidden column CASE WHEN active THEN a END, and b
                                rows outside the predicate have a NULL there, and NULLs are distinct
    (a) NULLS NOT DISTINCT WHERE active
                                two: CASE WHEN active THEN coalesce(a, 0) END, CASE WHEN active THEN a IS NULL END
                                a NULL within the predicate must not be one

Hidden columns have no name that anybody could say, attribute numbers far above those of columns, and are in no list
of columns; they cost the room of the value. `settled` takes away what no index needs any more.

A partitioned table has them too, though no rows; what is a part of its index in a partition has columns of the same
names (`named_as_above`), so that rows go from one to the other as they are. Those of a partition's own indexes are
computed when it is known which rows are its (`executor.session.partitions.rows_of_leaves`).
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner import types
from planner.abc import Column, Constraint, Oid, PlanError, Table, TypeRef
from planner.binding.keyed.closed_set import KEY_TYPES
from planner.catalog import Index, IndexKey, quote_identifier
from planner.catalog.collations import nondeterministic, telling_apart
from planner.catalog.system.definitions import collation_name, index_column
from planner.ddl.constraints import definitions as constraints
from planner.ddl.plan import DataCheck
from planner.ddl.scope import Scope
from planner.partitioning import computed_keys
from planner.partitions import HIDDEN
from planner.records import replace

_IN_PLACE_OF_NULL: Final = {
    **dict.fromkeys((types.INT2, types.INT4, types.INT8, types.NUMERIC, types.FLOAT4, types.FLOAT8), "0"),
    **dict.fromkeys((types.TEXT, types.VARCHAR, types.BPCHAR), "''"),
    types.BOOL: "false",
    types.UUID: "uuid '00000000-0000-0000-0000-000000000000'",
    types.DATE: "date '2000-01-01'",
    types.TIMESTAMP: "timestamp '2000-01-01'",
    types.TIMESTAMPTZ: "timestamptz '2000-01-01Z'",
}
"""Some value of each type that may be a key of a partial index with NULLS NOT DISTINCT."""


def hidden_columns(scope: Scope, table: Table, index: Index) -> tuple[Table, dict[int, str]]:
    """The table with the index's constraint and hidden columns, and their expressions over the old rows."""
    by_attnum = {c.attnum: c for c in table.columns}
    attnums: list[int] = []
    shown: list[str] = []
    made: list[Column] = []
    nulls: list[str] = []
    whole = bool(index.predicate) and index.nulls_not_distinct

    def hide(kind: TypeRef, value: str, collation: str = "") -> None:
        number = scope.allocate()  # no other column ever had it
        name = f"........unique.{number}........"
        made.append(
            Column(name, kind, number, default=value, generated=True, hidden=True, collation=collation)
        )
        attnums.append(number)

    for i, key in enumerate(index.keys):
        column = by_attnum[key.attnum] if key.attnum else None
        collation = _nondeterministic(scope, table, key, column)
        text = quote_identifier(column.name) if column is not None else f"({key.expression})"
        shown.append(shown_key(scope, table, index, i + 1))
        partial = index.predicate and (i == 0 or whole)
        if column is not None and not partial and collation == telling_apart(column.collation):
            attnums.append(column.attnum)
            continue
        kind = column.type if column is not None else _type(scope, table, key.expression)
        if whole:
            nulls.append(f"CASE WHEN ({index.predicate}) THEN ({text}) IS NULL END")
            text = f"coalesce({text}, {_in_place_of_null(kind)})"
        hide(kind, f"CASE WHEN ({index.predicate}) THEN {text} END" if partial else text, collation)
    for test in nulls:
        hide(TypeRef(types.BOOL), test)
    constraint = Constraint(
        index.oid,
        index.name,
        "u",
        tuple(attnums),
        index_oid=index.oid,
        nulls_not_distinct=index.nulls_not_distinct and not whole,
        index_only=True,
        by_value=True,
        shown=tuple(shown) if made else (),
    )
    changed = replace(table, columns=(*table.columns, *made), constraints=(*table.constraints, constraint))
    return changed, {c.attnum: c.default or "" for c in made}


def remade(scope: Scope, table: Table, index: Index) -> tuple[Table, list[int]]:
    """The table with the index's hidden columns as they are of its columns' types by now, under their old names; their numbers."""
    found = next(c for c in table.constraints if c.index_only and c.index_oid == index.oid)
    old = [c for c in map(table.columns.__getitem__, map(table.index_of, found.columns)) if c.hidden]
    bare = replace(
        table,
        columns=tuple(c for c in table.columns if c not in old),
        constraints=tuple(c for c in table.constraints if c is not found),
    )
    if index.predicate:  # is read first, so it is what fails
        scope.plan_expression(st.Sql(index.predicate), constraints.qualified(scope, table))
    made, _ = hidden_columns(scope, bare, index)
    new = made.columns[len(bare.columns) :]
    if len(new) != len(old):
        raise PlanError(
            "0A000",
            "altering the collation of a column by which a unique index tells its keys apart is not supported",
            hint="Drop the index, and create it again afterwards.",
        )
    renamed = {
        was.attnum: replace(now, name=was.name, attnum=was.attnum) for was, now in zip(old, new, strict=True)
    }
    columns = tuple(renamed.get(c.attnum, c) for c in table.columns)
    shown = replace(found, shown=made.constraints[-1].shown, by_value=True)
    constraints_ = tuple(shown if c is found else c for c in table.constraints)
    return replace(table, columns=columns, constraints=constraints_), list(renamed)


def _in_place_of_null(kind: TypeRef) -> str:
    if kind.oid not in _IN_PLACE_OF_NULL:
        shown = types.format_type(kind)
        raise PlanError(
            "0A000", f"partial unique indexes with NULLS NOT DISTINCT on type {shown} are not supported"
        )
    return _IN_PLACE_OF_NULL[kind.oid]


def shown_key(scope: Scope, table: Table, index: Index, position: int) -> str:
    """A key of an index, 1-based, as PostgreSQL names it: a column, a call, or an expression in parentheses."""
    return index_column(table, index, position, scope.catalog, pretty=True)


def named_as_above(scope: Scope, parent: Table, theirs: Index, oid: Oid, mine: Index) -> None:
    """Hidden columns of a partition's index have the names of those of the index that it is a part of.

    So whoever writes through the table above finds them by name, as all the others.
    """
    child = scope.catalog.table(oid)
    wanted, own = _hidden(parent, theirs), _hidden(child, mine)
    names = {c.attnum: above.name for c, above in zip(own, wanted, strict=True)}
    if any(names[c.attnum] != c.name for c in own):
        columns = tuple(replace(c, name=names[c.attnum]) if c.attnum in names else c for c in child.columns)
        scope.replace(child, replace(child, columns=columns))


def _hidden(table: Table, index: Index) -> list[Column]:
    found = next((c for c in table.constraints if c.index_only and c.index_oid == index.oid), None)
    columns = [table.columns[table.index_of(n)] for n in found.columns] if found is not None else []
    return [c for c in columns if c.hidden]


def check(scope: Scope, table: Table, index: Index) -> DataCheck:
    """What must find nothing where the rows that are there are to have a unique index."""
    columns = {c.attnum: c for c in table.columns}
    of = [columns.get(k.attnum) for k in index.keys]
    keys = [
        f"({k.expression})" if c is None else _collated(scope, c, k)
        for k, c in zip(index.keys, of, strict=True)
    ]
    tests = []
    if not index.nulls_not_distinct:
        tests = [constraints.is_there(k, c) for k, c in zip(keys, of, strict=True)]
    if index.predicate:
        tests.append(f"({index.predicate})")
    where = " WHERE " + " AND ".join(tests) if tests else ""
    shown = ", ".join(shown_key(scope, table, index, i) for i in range(1, len(keys) + 1))
    found = constraints.no_duplicates(scope, table, index.name, keys, where, shown, plain=True)
    if index.nulls_not_distinct or not _equal_as_datums(scope.catalog.table(table.oid), index):
        return found
    return replace(found, by_row=True, keys=tuple(keys), where=index.predicate)


def _collated(scope: Scope, column: Column, key: IndexKey) -> str:
    """A column as a key. Under a deterministic collation of the index's own equal texts are the same."""
    name = quote_identifier(column.name)
    if key.collation in nondeterministic:
        return f"{name} COLLATE {collation_name(scope.catalog, key.collation, ())}"
    return f'{name} COLLATE "C"' if column.collation and key.collation else name


def _equal_as_datums(table: Table, index: Index) -> bool:
    """Whether rows can be asked for differing keys as they are: 'A' and 'a' of citext, 1 and 1.0 in a document are other datums, and equal."""
    found = next(c for c in table.constraints if c.index_only and c.index_oid == index.oid)
    columns = [table.columns[table.index_of(n)] for n in found.columns]
    return all(types.base_of(c.type).oid in KEY_TYPES and not c.collation for c in columns)


def _nondeterministic(scope: Scope, table: Table, key: IndexKey, column: Column | None) -> str:
    """The nondeterministic collation under which an index tells a key's values apart; empty: by their bytes."""
    if not nondeterministic:
        return ""
    if key.collation:
        return telling_apart(key.collation)
    if column is not None:
        return telling_apart(column.collation)
    plan = scope.plan_expression(st.Sql(key.expression), constraints.qualified(scope, table))
    assert plan.columns is not None
    return telling_apart(plan.columns[0].collation)


def _type(scope: Scope, table: Table, expression: str) -> TypeRef:
    plan = scope.plan_expression(st.Sql(expression), constraints.qualified(scope, table))
    assert plan.columns is not None
    kind = plan.columns[0].type
    return TypeRef(types.TEXT) if kind.oid == types.UNKNOWN else kind


def settled(scope: Scope, table: Table) -> Table:
    """The table without constraints whose index is gone, and without hidden columns that no constraint and no partition key needs."""
    kept = tuple(
        c for c in table.constraints if not c.index_only or scope.catalog.get(c.index_oid) is not None
    )
    needed = {a for c in kept for a in c.columns}
    if table.partitioning is not None:
        needed.update(table.partitioning.columns)
    if any(c.name.startswith(HIDDEN) for c in table.columns):
        dealt = computed_keys(scope.catalog, table)  # of tables above and below, too
        needed.update(c.attnum for c in table.columns if c.name in dealt)
    columns = tuple(c for c in table.columns if not c.hidden or c.attnum in needed)
    if len(kept) == len(table.constraints) and len(columns) == len(table.columns):
        return table
    return replace(table, constraints=kept, columns=columns)
