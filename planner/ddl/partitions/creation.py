"""Partitioned tables: PARTITION OF, ATTACH and DETACH.

    CREATE TABLE p PARTITION OF t FOR VALUES ...      t's columns; then what t has of constraints and indexes (`partitions.parts`)
    ALTER TABLE t ATTACH PARTITION p FOR VALUES ...   p's own columns must be t's; its rows must be within the bound,
                                                      and none of the DEFAULT's may be

A bound's values (`bound_values`) are kept as texts of the key's types, in the form that its output function gives them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from planner import statements as st
from planner.abc import Column, PlanError, Table
from planner.catalog import Index
from planner.catalog.system.bounds import asked_of_rows, bound_text, condition_text
from planner.catalog.system.definitions import type_name
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import references, unique_indexes
from planner.ddl.partitions import bound_values
from planner.ddl.plan import DataCheck
from planner.ddl.scope import Scope
from planner.partitioning import Placing, ancestors, descendants
from planner.partitions import WORDS, Bound, Partition
from planner.records import replace
from planner.triggers import ROW

if TYPE_CHECKING:
    from planner.ddl.tables.alteration import Alteration

# --- bounds ------------------------------------------------------------------------------------------


def bound_of(scope: Scope, parent: Table, said: st.BoundDef, name: str) -> Bound:
    """A partition's bound. Raises 42P17, 42601, 42P16, 22P02, 42804, 0A000."""
    key = parent.partitioning
    assert key is not None
    if said.kind == "d":
        if key.strategy == "h":
            raise PlanError("42P16", "a hash-partitioned table may not have a default partition")
        return Bound(default=True)
    if said.kind != key.strategy:
        raise PlanError(
            "42P16",
            f"invalid bound specification for a {WORDS[key.strategy].lower()} partition",
            position=said.position,
        )
    columns = [parent.columns[parent.index_of(n)] for n in key.columns]
    if said.kind == "h":
        if said.modulus <= 0:
            raise PlanError("42P16", "modulus for hash partition must be an integer value greater than zero")
        if said.remainder < 0:
            raise PlanError(
                "42P16", "remainder for hash partition must be an integer value greater than or equal to zero"
            )
        if said.remainder >= said.modulus:
            raise PlanError("42P16", "remainder for hash partition must be less than modulus")
        return Bound(modulus=said.modulus, remainder=said.remainder)
    if said.kind == "l":
        texts = [bound_values.text_of(scope, columns[0], e) for e in said.values]
        kept: list[str | None] = []
        placing = Placing(columns)
        seen: list[Any] = []
        for text in texts:
            value = None if text is None else placing.value(0, text)
            if value not in seen:
                seen.append(value)
                kept.append(text)
        return Bound(values=tuple(kept))
    for edge, word in ((said.values, "FROM"), (said.upper, "TO")):
        if len(edge) != len(columns):
            raise PlanError(
                "42P16",
                f"{word} must specify exactly one value per partitioning column",
            )
    lower, lower_ends = _edge(scope, columns, said.values)
    upper, upper_ends = _edge(scope, columns, said.upper)
    bound = Bound(lower=lower, lower_ends=lower_ends, upper=upper, upper_ends=upper_ends)
    placing = Placing(columns)
    if placing.lower(bound) >= placing.upper(bound):
        low, high = bound_text(bound, columns, "r")[len("FOR VALUES FROM ") :].split(" TO ", 1)
        raise PlanError(
            "42P17",
            f'empty range bound specified for partition "{name}"',
            detail=f"Specified lower bound {low} is greater than or equal to upper bound {high}.",
            position=said.values[0].offset + 1,
        )
    return bound


def _edge(
    scope: Scope, columns: list[Column], said: tuple[st.Sql, ...]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    texts: list[str] = []
    ends: list[int] = []
    for column, expression in zip(columns, said, strict=True):
        word = expression.text.strip().lower()
        end = {"minvalue": -1, "maxvalue": 1}.get(word, 0)
        if ends and ends[-1] and end != ends[-1]:
            shown = "MINVALUE" if ends[-1] < 0 else "MAXVALUE"
            raise PlanError(
                "42804",
                f"every bound following {shown} must also be {shown}",
                position=expression.offset + 1,
            )
        ends.append(end)
        if end:
            texts.append("")
            continue
        text = bound_values.text_of(scope, column, expression)
        if text is None:
            raise PlanError("42P17", "cannot specify NULL in range bound")
        texts.append(text)
    return tuple(texts), tuple(ends)


def refuse_overlap(
    scope: Scope, parent: Table, bound: Bound, name: str, said: st.BoundDef, but: int = 0
) -> None:
    """Raises 42P17 for a bound that takes rows of another partition, 42P16 for moduli that do not fit."""
    key = parent.partitioning
    assert key is not None
    columns = [parent.columns[parent.index_of(n)] for n in key.columns]
    placing = Placing(columns)
    others = [t for t in scope.catalog.partitions_of(parent.oid) if t.oid != but]
    if bound.default:
        for other in others:
            if other.partition is not None and other.partition.bound.default:
                raise PlanError(
                    "42P17",
                    f'partition "{name}" conflicts with existing default partition "{other.name}"',
                    position=said.position,
                )
        return
    if key.strategy == "h":
        _refuse_modulus(bound, [(t.name, t.partition.bound) for t in others if t.partition is not None])
    for other in others:
        assert other.partition is not None
        theirs = other.partition.bound
        if theirs.default:
            continue
        at = said.position
        if key.strategy == "l":
            taken = placing.listed(theirs)
            clash = [e for e, v in zip(said.values, placing.listed(bound), strict=False) if v in taken]
            overlaps = any(v in taken for v in placing.listed(bound))
            if clash:
                at = clash[0].offset + 1
        elif key.strategy == "h":
            smaller = min(bound.modulus, theirs.modulus)
            overlaps = bound.remainder % smaller == theirs.remainder % smaller
        else:
            low, high = placing.lower(bound), placing.upper(bound)
            low2, high2 = placing.lower(theirs), placing.upper(theirs)
            overlaps = low < high2 and low2 < high
            if overlaps:
                at = _place_of_overlap(
                    placing, bound, [o.partition.bound for o in others if o.partition], said
                )
        if overlaps:
            raise PlanError(
                "42P17", f'partition "{name}" would overlap partition "{other.name}"', position=at
            )


def _place_of_overlap(placing: Placing, bound: Bound, others: list[Bound], said: st.BoundDef) -> int:
    """Where PostgreSQL points: at the column that decided the last comparison of its search for the lower edge, or the upper one."""
    ranges = [(placing.lower(b), placing.upper(b)) for b in others if not b.default]
    edges = sorted({e for r in ranges for e in r})
    low, high = placing.lower(bound), placing.upper(bound)
    first, last, column = -1, len(edges) - 1, 0
    while first < last:
        middle = (first + last + 1) // 2
        column = next((i for i, (a, b) in enumerate(zip(edges[middle], low, strict=True)) if a != b), -1)
        if edges[middle] <= low:
            first = middle
            if column < 0:
                break
        else:
            last = middle - 1
    if any(start <= low < end for start, end in ranges):
        return said.values[max(column, 0)].offset + 1
    above = next(e for e in edges if e > low)
    column = next((i for i, (a, b) in enumerate(zip(above, high, strict=True)) if a != b), 0)
    return said.upper[column].offset + 1


def _refuse_modulus(bound: Bound, others: list[tuple[str, Bound]]) -> None:
    ordered = sorted(others, key=lambda o: o[1].modulus)
    below = [o for o in ordered if o[1].modulus <= bound.modulus]
    above = [o for o in ordered if o[1].modulus > bound.modulus]
    message = "every hash partition modulus must be a factor of the next larger modulus"
    if below and bound.modulus % below[-1][1].modulus:
        other, b = below[-1]
        raise PlanError(
            "42P17", message,
            detail=f'The new modulus {bound.modulus} is not divisible by {b.modulus}, the modulus of existing partition "{other}".',
        )  # fmt: skip
    if above and above[0][1].modulus % bound.modulus:
        other, b = above[0]
        raise PlanError(
            "42P17", message,
            detail=f'The new modulus {bound.modulus} is not a factor of {b.modulus}, the modulus of existing partition "{other}".',
        )  # fmt: skip


# --- partitions --------------------------------------------------------------------------------------


def parent_of(scope: Scope, name: st.Name) -> Table:
    """The table that a new partition is to be of. Raises 42P01, 42P17."""
    found = scope.relation(replace(name, position=0))  # PostgreSQL says no place here
    if not isinstance(found, Table) or found.partitioning is None:
        raise PlanError("42P17", f'"{found.name}" is not partitioned')
    return found


def made_partition(scope: Scope, parent: Table, table: Table, bound: Bound) -> None:
    """A table becomes a partition: what it and the DEFAULT are asked for is put right when the statement is bound."""
    scope.replace(table, replace(table, partition=Partition(parent.oid, bound)))
    refuse_rows_of_default(scope, parent, bound)


def refuse_rows_of_default(scope: Scope, parent: Table, bound: Bound) -> None:
    """Rows of the DEFAULT partition that would belong to the new one stand in its way."""
    if bound.default:
        return
    for other in scope.catalog.partitions_of(parent.oid):
        if other.partition is None or not other.partition.bound.default or scope.made_here(other):
            continue
        _check_rows(
            scope,
            other,
            parent,
            bound,
            f'updated partition constraint for default partition "{other.name}" would be violated by some row',
            wanted=True,
        )


def _check_rows(
    scope: Scope, table: Table, parent: Table, bound: Bound, message: str, *, wanted: bool
) -> None:
    """A query for rows that are within a bound (or are not)."""
    key = parent.partitioning
    assert key is not None
    columns = [parent.columns[parent.index_of(n)] for n in key.columns]
    rows = constraints.qualified(scope, table)
    if key.strategy == "h":
        keys = ", ".join(map(asked_of_rows, columns))
        within = Placing(columns).within(key.strategy, bound)
        scope.checks.append(
            DataCheck(f"SELECT {keys} FROM {rows}", "23514", message, table=table, within=within, before=True)
        )
        return
    condition = condition_text(
        bound, columns, key.strategy, named=partial(type_name, scope.catalog, search_path=())
    )
    test = condition if wanted else f"NOT coalesce({condition}, false)"
    scope.checks.append(
        DataCheck(f"SELECT 1 FROM {rows} WHERE {test} LIMIT 1", "23514", message, table=table, before=True)
    )


def attach(on: Alteration, a: st.AlterAction) -> None:
    scope, parent = on.scope, on.table
    assert a.relation is not None
    if parent.partitioning is None:
        raise PlanError("42P17", f'table "{parent.name}" is not partitioned')
    if a.bound is None:
        raise PlanError("42601", "syntax error at end of input")
    child = scope.relation(replace(a.relation, position=0))
    if not isinstance(child, Table) or child.materialized is not None:
        raise PlanError("42809", f'"{child.name}" is not a table')
    _refuse_child(scope, parent, child)
    references.refuse_attached(scope, parent, child)
    bound = bound_of(scope, parent, a.bound, child.name)
    refuse_overlap(scope, parent, bound, child.name, a.bound)
    _refuse_columns(parent, child)
    if child.foreign is not None:
        from planner.ddl.foreign import tables as foreign_tables

        foreign_tables.refuse_partition(scope, parent, child.name)
    if not bound.default:
        _check_rows(
            scope, child, parent, bound,
            f'partition constraint of relation "{child.name}" is violated by some row', wanted=False,
        )  # fmt: skip
    else:
        key = parent.partitioning
        columns = [parent.columns[parent.index_of(n)] for n in key.columns]
        for other in scope.catalog.partitions_of(parent.oid):
            assert other.partition is not None
            condition = condition_text(
                other.partition.bound,
                columns,
                key.strategy,
                named=partial(type_name, scope.catalog, search_path=()),
            )
            scope.checks.append(
                DataCheck(
                    f"SELECT 1 FROM {constraints.qualified(scope, child)} WHERE {condition} LIMIT 1",
                    "23514",
                    f'partition constraint of relation "{child.name}" is violated by some row',
                    table=child,
                    before=True,
                )
            )
    for above in ancestors(scope.catalog, parent):
        _check_above(scope, child, parent, above)
    made_partition(scope, parent, child, bound)


def _check_above(scope: Scope, child: Table, parent: Table, above: Table) -> None:
    """What tables further above ask of a partition that is attached to one that is a partition itself."""
    at = parent
    while at.partition is not None and at.partition.parent != above.oid:
        at = scope.catalog.table(at.partition.parent)
    assert at.partition is not None
    if at.partition.bound.default:
        raise PlanError("0A000", "attaching partitions below a default partition is not supported")
    _check_rows(
        scope, child, above, at.partition.bound,
        f'partition constraint of relation "{child.name}" is violated by some row', wanted=False,
    )  # fmt: skip


def _refuse_child(scope: Scope, parent: Table, child: Table) -> None:
    if child.partition is not None:
        raise PlanError("42809", f'"{child.name}" is already a partition')
    if child.of_type:
        raise PlanError("42809", "cannot attach a typed table as partition")
    if any(child.parents):
        raise PlanError("42809", "cannot attach inheritance child as partition")
    if child.children:
        raise PlanError("42809", "cannot attach inheritance parent as partition")
    if child.oid == parent.oid or any(t.oid == parent.oid for t in descendants(scope.catalog, child)):
        raise PlanError(
            "42P07",
            "circular inheritance not allowed",
            detail=f'"{parent.name}" is already a child of "{child.name}".',
        )
    if child.temporary != parent.temporary:
        what = "a temporary" if child.temporary else "a permanent"
        of = "permanent" if child.temporary else "temporary"
        raise PlanError(
            "42809",
            f'cannot attach {what} relation as partition of {of} relation "{parent.name}"',
        )
    for trigger in child.triggers:
        if trigger.bits & ROW and (trigger.old_table or trigger.new_table):
            raise PlanError(
                "0A000",
                f'trigger "{trigger.name}" prevents table "{child.name}" from becoming a partition',
                detail="ROW triggers with transition tables are not supported on partitions.",
            )


def _refuse_columns(parent: Table, child: Table) -> None:
    """Raises 42804 where a partition's columns are not its parent's."""
    names = {c.name for c in parent.visible}
    for c in child.visible:
        if c.name not in names:
            raise PlanError(
                "42804",
                f'table "{child.name}" contains column "{c.name}" not found in parent "{parent.name}"',
                detail="The new partition may contain only the columns present in parent.",
            )
    for c in parent.visible:
        mine = constraints.find_column(child, c.name)
        if mine is None:
            raise PlanError("42804", f'child table is missing column "{c.name}"')
        if mine.declared != c.declared:
            raise PlanError("42804", f'child table "{child.name}" has different type for column "{c.name}"')
        if mine.collation != c.collation:
            raise PlanError(
                "42P21", f'child table "{child.name}" has different collation for column "{c.name}"'
            )
        if c.not_null and not mine.not_null:
            raise PlanError("42804", f'column "{c.name}" in child table must be marked NOT NULL')
        if c.generated != mine.generated or (c.generated and c.default != mine.default):
            if c.generated and mine.generated:
                raise PlanError(
                    "42804", f'column "{c.name}" in child table has a conflicting generation expression'
                )
            which = "must be" if c.generated else "must not be"
            raise PlanError("42804", f'column "{c.name}" in child table {which} a generated column')


def attach_index(scope: Scope, parent: Index, said: st.AlterAction) -> None:
    """ALTER INDEX ... ATTACH PARTITION: an index of a partition becomes a part of its table's."""
    assert said.relation is not None
    found = scope.relation(replace(said.relation, position=0))
    if not isinstance(found, Index):
        raise PlanError("42809", f'"{found.name}" is not an index')
    table, over = scope.catalog.table(found.table_oid), scope.catalog.table(parent.table_oid)
    if found.parent == parent.oid:
        return
    if table.partition is None or table.partition.parent != over.oid:
        raise PlanError(
            "55000",
            f'cannot attach index "{found.name}" as a partition of index "{parent.name}"',
            detail=f'Index "{found.name}" is not an index on any partition of table "{over.name}".',
        )
    if any(i.parent == parent.oid for i in scope.catalog.indexes_of(table.oid)):
        raise PlanError(
            "55000",
            f'cannot attach index "{found.name}" as a partition of index "{parent.name}"',
            detail=f'Another index is already attached for partition "{table.name}".',
        )
    if shape(over, parent) != shape(table, found):
        raise PlanError(
            "42P17",
            f'cannot attach index "{found.name}" as a partition of index "{parent.name}"',
            detail="The index definitions do not match.",
        )
    scope.replace(found, replace(found, parent=parent.oid))
    unique_indexes.named_as_above(scope, over, parent, table.oid, found)
    if parent.constraint_oid:
        mine = next((c for c in table.constraints if c.index_oid == found.oid), None)
        if mine is None or not found.constraint_oid:
            raise PlanError(
                "42P17",
                f'cannot attach index "{found.name}" as a partition of index "{parent.name}"',
                detail=f'The index "{parent.name}" belongs to a constraint in table "{over.name}" but no constraint exists '
                f'for index "{found.name}".',
            )
        kept = tuple(
            replace(c, parent=parent.constraint_oid) if c.oid == mine.oid else c for c in table.constraints
        )
        scope.replace(table, replace(table, constraints=kept))
    current = scope.catalog.get(parent.oid)
    if isinstance(current, Index) and all(
        any(i.parent == parent.oid for i in scope.catalog.indexes_of(t.oid))
        for t in scope.catalog.partitions_of(over.oid)
    ):
        scope.replace(current, replace(current, valid=True))


def shape(table: Table, index: Index) -> tuple[Any, ...]:
    """What two indexes of a table and its partition must have in common."""
    names = {c.attnum: c.name for c in table.columns}
    keys = tuple(
        (names.get(k.attnum, ""), k.expression, k.descending, k.nulls_first, k.opclass, k.collation)
        for k in index.keys
    )
    return keys, index.unique, index.method, index.predicate, tuple(names[a] for a in index.include)
