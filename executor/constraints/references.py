"""Foreign keys as the executor knows them: compiled from a table's definition, without looking at any row.

    child (a, b) REFERENCES parent (x, y)

    key(row)       what the child row refers to, in the constraint's order of columns; None where NULL excuses it
    space          a keyspace of the conflict index: `shard of the child / constraint`. Whoever writes a child row
                   writes its key there; whoever takes a parent's key away asks whether anybody has since.

**Why a keyspace of its own.** A parent's DELETE reads "no child refers to k", which is a predicate over columns
that no index orders. Reading the whole child table would make every insertion of a child conflict with it. In the
space of the constraint the predicate is one point, so only the insertion of *this* reference conflicts, and the two
orders of the race end alike: whichever is admitted second sees the other (`executor.session.references.at_work`).

Keys in a space are *canonical*: datums that SQL calls equal are equal in Python, though the two sides of
a foreign key may be of different types (int4 and numeric, date and timestamp). What texts are equal is said by the key's
collation, whatever the referring column's own is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from operator import itemgetter
from typing import Any

from executor.abc import ExecutionError
from executor.keyed.collated_keys import foresee, key_form, sort_keys
from planner import types as t
from planner.abc import Column, Constraint, InsertValues, KeyedDelete, KeyedUpdate, Table, Told, TypeRef
from planner.binding.comparable import comparable, needs_key
from planner.binding.fragments import sql
from planner.binding.numeric_forms import column_form
from storage.abc import Row
from txn.abc import Key, Keyspace

_DAY_US = 86_400_000_000
_NAN = "NaN"  # which as a number is not even equal to itself
_DEFAULTS = t.TypeSettings()
_INTEGERS = (t.INT2, t.INT4, t.INT8, t.OID)
_TEXTS = (t.TEXT, t.VARCHAR, t.NAME)


@dataclass(frozen=True, slots=True)
class ReferenceRule:
    """A foreign key seen from the child."""

    constraint: Constraint
    space: Keyspace
    indexes: tuple[int, ...]
    """Row positions of the referring columns, in the constraint's order."""
    canonical: Callable[[Sequence[Any]], Key]
    types: tuple[TypeRef, ...] = ()
    """Those of the referring columns."""

    def values(self, row: Row) -> tuple[Any, ...]:
        return tuple(row[i] for i in self.indexes)

    def key(self, row: Row) -> Key | None:
        """The canonical key that a row refers to; None where NULL excuses it (MATCH SIMPLE and FULL alike)."""
        values = [row[i] for i in self.indexes]
        return None if None in values else self.canonical(values)

    def foresee(self, values: Sequence[Sequence[Any]]) -> None:
        """The keys of these, which are many, are about to be made: what costs much text by text is made of all at once."""
        for i, collation in enumerate(self.constraint.collations):
            if collation:
                foresee(_under(self.types[i], collation), (v[i] for v in values))

    def mixed(self, row: Row) -> bool:
        """Whether MATCH FULL forbids the row: some of its referring columns are null, others are not."""
        if self.constraint.match != "f":
            return False
        nulls = sum(row[i] is None for i in self.indexes)
        return 0 < nulls < len(self.indexes)


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key seen from both sides, each thing found out once for as long as both are so defined (`TableRules.foreign_key`)."""

    child: Table
    parent: Table
    constraint: Constraint

    @cached_property
    def rule(self) -> ReferenceRule:
        return reference(self.child, self.constraint)

    @cached_property
    def indexes(self) -> tuple[int, ...]:
        """Row positions of the referenced columns in the parent."""
        return referenced(self.parent, self.constraint)[0]

    @cached_property
    def canonical(self) -> Callable[[Sequence[Any]], Key]:
        """What makes a key of the values of these."""
        return referenced(self.parent, self.constraint)[1]

    @cached_property
    def stands_on(self) -> tuple[Constraint, tuple[int, ...]]:
        """See `referenced_key`."""
        return referenced_key(self.parent, self.constraint)

    @cached_property
    def same(self) -> bool:
        """See `same_datums`."""
        return same_datums(self.child, self.parent, self.constraint)

    @cached_property
    def plain(self) -> bool:
        """Whether equal values of the child's columns are equal datums."""
        return not self.constraint.collations and all(
            t.alike(self.child.columns[i].type) is None for i in self.rule.indexes
        )

    @cached_property
    def looked_for(self) -> Callable[[Sequence[Any]], Key]:
        """From values of the child's columns to the key under which the parent has them, where both sides' datums are the same."""
        _, order = self.stands_on
        if self.constraint.collations:
            canonical = [_canonical(*of) for of in told_by(self.child, self.constraint)]
            return lambda values: _canonical_key([canonical[i] for i in order])([values[i] for i in order])
        if len(order) == 1:
            return itemgetter(order[0])
        return lambda values: tuple([values[i] for i in order])


def concerns(table: Table) -> bool:
    """Whether writes to the table can have to do with any foreign key, or with rows that exclude each other."""
    return bool(table.referenced_by) or any(c.kind in "fx" for c in table.constraints)


def statement_concerns(body: InsertValues | KeyedUpdate | KeyedDelete) -> tuple[bool, bool]:
    """Whether this statement can (make references, take keys away).

    An UPDATE of other columns can do neither: it is as fast as if there were no foreign key.
    """
    table = body.table
    if not isinstance(body, KeyedDelete) and any(c.kind == "x" for c in table.constraints):
        return True, True
    if table.unheeded:
        return False, False
    if isinstance(body, KeyedDelete):
        return False, bool(table.referenced_by)
    if isinstance(body, KeyedUpdate):
        return update_concerns(table, {i for i, _ in body.assignments})
    conflict = body.on_conflict
    assigned = {i for i, _ in conflict.assignments or ()} if conflict is not None else set()
    return any(c.kind == "f" for c in table.constraints), update_concerns(table, assigned)[1]


def update_concerns(table: Table, assigned: Collection[int]) -> tuple[bool, bool]:
    """The same of an UPDATE that sets the columns at these places."""
    if any(c.kind == "x" for c in table.constraints):
        return True, True
    if table.unheeded:
        return False, False
    own = {table.index_of(a) for c in table.constraints if c.kind == "f" for a in c.columns}
    keys = {table.index_of(a) for c in table.constraints if c.kind in "pu" for a in c.columns}
    return not own.isdisjoint(assigned), bool(table.referenced_by) and not keys.isdisjoint(assigned)


def references_of(table: Table) -> tuple[ReferenceRule, ...]:
    """The foreign keys of a table that are heeded, in the order in which PostgreSQL looks at them."""
    own = () if table.unheeded else table.constraints
    found = sorted((c for c in own if c.kind == "f"), key=lambda c: c.oid)
    return tuple(reference(table, c) for c in found)


def reference(child: Table, constraint: Constraint) -> ReferenceRule:
    indexes = tuple(child.index_of(a) for a in constraint.columns)
    canon = [_canonical(*of) for of in told_by(child, constraint)]
    return ReferenceRule(
        constraint,
        space_of(child, constraint),
        indexes,
        _canonical_key(canon),
        tuple(child.columns[i].type for i in indexes),
    )


def told_by(child: Table, constraint: Constraint) -> Iterator[tuple[TypeRef, str]]:
    """Of each referring column its type, and the nondeterministic collation by which its values are equal ("": bytes)."""
    for i, attnum in enumerate(constraint.columns):
        yield (
            child.columns[child.index_of(attnum)].type,
            constraint.collations[i] if constraint.collations else "",
        )


def space_of(child: Table, constraint: Constraint) -> Keyspace:
    return f"{child.shard}/{constraint.oid}"


def referenced(
    parent: Table, constraint: Constraint
) -> tuple[tuple[int, ...], Callable[[Sequence[Any]], Key]]:
    """Row positions of the referenced columns in the parent, and what makes their values canonical."""
    indexes = tuple(parent.index_of(a) for a in constraint.foreign_columns)
    collations = constraint.collations or ("",) * len(indexes)
    canon = [_canonical(parent.columns[i].type, c) for i, c in zip(indexes, collations, strict=True)]
    return indexes, _canonical_key(canon)


def referenced_key(parent: Table, constraint: Constraint) -> tuple[Constraint, tuple[int, ...]]:
    """The primary key or unique constraint that the foreign key stands on, and for each of its columns
    the position in the foreign key."""
    wanted = sorted(constraint.foreign_columns)
    keys = [c for c in parent.constraints if c.kind in "pu" and sorted(c.columns) == wanted]
    assert keys, "a foreign key stands on a key"
    key = min(keys, key=lambda c: c.kind)  # the primary key if it is one of them
    return key, tuple(constraint.foreign_columns.index(a) for a in key.columns)


def same_datums(child: Table, parent: Table, constraint: Constraint) -> bool:
    """Whether equal values of both sides are equal datums, so that a child's datums find the parent's key."""
    if constraint.collations and not referenced_key(parent, constraint)[0].by_value:
        return False
    for mine, theirs in zip(constraint.columns, constraint.foreign_columns, strict=True):
        a = child.columns[child.index_of(mine)].type
        b = parent.columns[parent.index_of(theirs)].type
        if a.oid in _INTEGERS and b.oid in _INTEGERS:
            continue
        if a.oid in _TEXTS and b.oid in _TEXTS:
            continue
        if a != b or t.alike(a) is not None:
            return False
    return True


def sql_equal(a: str, a_type: TypeRef, b: str, b_type: TypeRef, collation: str = "") -> str:
    """DuckDB's text for the equality of two stored columns. `collation`: a nondeterministic one that says it."""
    if collation:
        told = _under(TypeRef(t.BPCHAR if t.BPCHAR in (a_type.oid, b_type.oid) else t.TEXT), collation)
        return f"{sort_keys(a, told)} = {sort_keys(b, told)}"
    if TypeRef(t.NUMERIC) in (a_type, b_type):
        return f"tw_num_key(CAST({a} AS VARCHAR)) = tw_num_key(CAST({b} AS VARCHAR))"
    if t.BPCHAR in (a_type.oid, b_type.oid):
        return f"rtrim({a}, ' ') = rtrim({b}, ' ')"
    if a_type.oid == b_type.oid and needs_key(sql(a, form=column_form(a_type)), a_type):
        return f"{_compared(a, a_type)} = {_compared(b, b_type)}"
    return f"{a} = {b}"


def _compared(column: str, ref: TypeRef) -> str:
    text = comparable(sql(column, form=column_form(ref)), ref).text
    assert text is not None, "a column stands for itself"
    return text


def _under(ref: TypeRef, collation: str) -> Column:
    return Column("text", ref, 0, collation=collation)


def _canonical(ref: TypeRef, collation: str = "") -> Callable[[Any], Any] | None:
    if collation:
        return key_form(_under(ref, collation))
    if ref.oid == t.NUMERIC:
        return _number
    if ref.oid in (t.FLOAT4, t.FLOAT8):
        return lambda v: _NAN if v != v else v
    if ref.oid == t.BPCHAR:
        return lambda v: v.rstrip(" ")
    if ref.oid == t.DATE:
        return lambda v: v * _DAY_US
    return t.alike(ref)


def _number(value: Any) -> Any:
    return _NAN if value == _NAN else Decimal(value)


def _canonical_key(canon: Sequence[Callable[[Any], Any] | None]) -> Callable[[Sequence[Any]], Key]:
    if not any(canon):
        return (lambda values: values[0]) if len(canon) == 1 else tuple

    def key(values: Sequence[Any]) -> Key:
        made = tuple(v if c is None else c(v) for c, v in zip(canon, values, strict=True))
        return made[0] if len(made) == 1 else made

    return key


# --- errors --------------------------------------------------------------------------------------


def missing_parent(
    child: Table, parent: Table, constraint: Constraint, values: Sequence[Any]
) -> ExecutionError:
    error = ExecutionError(
        "23503",
        f'insert or update on table "{child.name}" violates foreign key constraint "{constraint.name}"',
        detail=f'Key {_shown_key(_columns(child, constraint.columns), values)} is not present in table "{parent.name}".',
        table=child.name,
        constraint=constraint.name,
        about_oid=child.oid,
    )
    error.told = Told(
        child.oid, constraint.columns, lambda _: f'Key is not present in table "{parent.name}".'
    )
    return error


def mixed_nulls(child: Table, constraint: Constraint) -> ExecutionError:
    return ExecutionError(
        "23503",
        f'insert or update on table "{child.name}" violates foreign key constraint "{constraint.name}"',
        detail="MATCH FULL does not allow mixing of null and nonnull key values.",
        table=child.name,
        constraint=constraint.name,
        about_oid=child.oid,
    )


def still_referenced(
    child: Table, parent: Table, constraint: Constraint, values: Sequence[Any]
) -> ExecutionError:
    key = _shown_key(_columns(parent, constraint.foreign_columns), values)
    error = ExecutionError(
        "23503",
        f'update or delete on table "{parent.name}" violates foreign key constraint "{constraint.name}" '
        f'on table "{child.name}"',
        detail=f'Key {key} is still referenced from table "{child.name}".',
        table=child.name,
        constraint=constraint.name,
        about_oid=child.oid,
    )
    error.told = Told(
        parent.oid,
        constraint.foreign_columns,
        lambda _: f'Key is still referenced from table "{child.name}".',
    )
    return error


def _columns(table: Table, attnums: Sequence[int]) -> list[Column]:
    return [table.columns[table.index_of(a)] for a in attnums]


def _shown_key(columns: Sequence[Column], values: Sequence[Any]) -> str:
    names = ", ".join(c.name for c in columns)
    shown = ", ".join(
        "null" if v is None else t.output_text(v, c.type, _DEFAULTS)
        for c, v in zip(columns, values, strict=True)
    )
    return f"({names})=({shown})"
