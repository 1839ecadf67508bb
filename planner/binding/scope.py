"""Names and what they stand for: relations of a FROM clause, the columns they show, and the scopes around them.

    outer scope     FROM t, LATERAL (...)            names of t
      scope         SELECT ... FROM u JOIN v USING (k)
        columns     k (merged), u's others, v's others      what unqualified names and `*` see
        relations   u, v                                    what `u.x` and `v.*` see

A name is looked for in the innermost scope first; two finds in one scope are 42702, none at all 42703.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Final

from planner.abc import PlanError, Table, TypeRef
from planner.binding import ir
from planner.binding.collations_met import met
from planner.catalog.collations import by_bytes
from planner.records import dataclass

if TYPE_CHECKING:
    from planner.binding.from_items import Source
    from planner.binding.keyed.selects import BoundSelect
    from planner.binding.locked_each import Standing
    from planner.binding.locked_rows import InnerRow


@dataclass(slots=True)
class RelationColumn:
    name: str
    type: TypeRef
    table_oid: int = 0
    attnum: int = 0
    hidden: bool = False  # not part of `*`
    collation: str = ""

    def value(self, relation: int, index: int, position: int = 0) -> ir.Node:
        """What stands for it, as column `index` of a relation."""
        var = ir.Var(self.type, relation, index, position)
        if not self.collation or (not met(self.collation) and by_bytes(self.collation)):
            return var
        return ir.Collated(self.type, var, self.collation)


@dataclass(slots=True)
class Relation:
    """One FROM item. `table` is of base tables; `used` of these and of views: which columns the statement touches."""

    number: int
    name: str
    columns: list[RelationColumn]
    table: Table | None = None
    schema: str = ""
    slot: str = ""
    used: set[int] = field(default_factory=set)
    guarded: set[int] = field(default_factory=set)  # the columns that its policies look at
    nullable: bool = False
    scalar: bool = False  # a function of one scalar column: its name is also the column's
    visible: bool = True
    derived: bool = False  # a subquery or view that reads tables whose rows cannot be named
    rows: Sequence[InnerRow] = ()  # of a subquery or view: the table rows that its rows are made of
    rid: bool = False  # its text needs `_rid`
    system: set[int] = field(default_factory=set)  # which system columns the statement names
    only: bool = False  # ONLY: no rows of partitions
    values: Sequence[
        ir.Node
    ] = ()  # of the columns that JOIN ... USING (...) AS x merges: what x's columns are
    parts: Sequence[Relation] = ()  # of a join with a name: what it joins
    own_names: tuple[str, ...] = ()
    """What a table or view calls its columns: so its whole rows have them, whatever the alias calls them."""
    view: int = 0
    """The view that it is."""
    returned: int = 0
    """The table or view whose rows the function returns that it is."""
    composite: int = 0
    """The composite type, none of a relation's rows, whose values the function returns that it is."""
    called_now: str = ""
    """What it is shown as where nothing else was said: a stored query's text may have the name of before a renaming."""

    @property
    def oid(self) -> int:
        """What it is in the catalog; 0: a subquery, a function, a join with a name."""
        return self.view if self.table is None else self.table.oid

    @property
    def rows_of(self) -> int:
        """The table or view whose rows it has; 0: none's."""
        return self.oid or self.returned

    def value(self, index: int) -> ir.Node:
        """What stands for a column of it."""
        return self.values[index] if self.values else self.columns[index].value(self.number, index)


@dataclass(frozen=True, slots=True)
class Recursion:
    """WITH RECURSIVE for the keyed engine: the rows of `base`, then those that `step` makes of the ones before."""

    number: int
    base: BoundSelect
    step: BoundSelect
    once: bool  # UNION


@dataclass(frozen=True, slots=True)
class FromStep:
    """A relation in a FROM of plain joins (`planner.binding.keyed.joins`), and what it is joined on."""

    relation: Relation
    on: tuple[ir.Node, ...] = ()
    outer: bool = False  # LEFT JOIN
    made_of: tuple[BoundSelect, ...] = ()
    """Queries whose rows it has, one after the other, if it is no table."""
    given: tuple[ir.Var, ...] = ()
    """Columns around those queries that they name,"""
    given_as: tuple[ir.Node, ...] = ()
    """and what stands for each of them."""
    handed: str = ""
    """The slot that its rows are put in by another part of the statement."""
    rid: bool = False
    """Behind the table's columns there is the row's id."""
    system: tuple[str, str] | None = None
    """Schema and name of the system relation that it is."""
    spread: tuple[ir.Node, ...] = ()
    """Functions in FROM that it has the values of, side by side,"""
    numbered: bool = False
    """and their numbers."""
    recursion: Recursion | None = None
    """The WITH RECURSIVE query that it is."""
    iterated: int = 0
    """The recursion of which it is the rows that the step before has made."""
    guards: tuple[ir.Node, ...] = ()
    """What its policies ask of its rows, before anything else is asked of them."""


@dataclass(slots=True)
class StarColumn:
    """A column that `*` and unqualified names see: its value is a Var or, merged by FULL JOIN USING, a COALESCE."""

    name: str
    node: ir.Node
    column: RelationColumn


@dataclass(slots=True)
class Scope:
    parent: Scope | None
    number: int
    relations: list[Relation] = field(default_factory=list)
    columns: list[StarColumn] = field(default_factory=list)
    ctes: dict[str, object] = field(default_factory=dict)
    later: Sequence[str] = ()  # WITH queries that are yet to come, for messages
    lateral: bool = True  # whether names may be found in it from a FROM subquery
    windows: dict[str, object] = field(default_factory=dict)
    outer: list[ir.Var] = field(default_factory=list)  # outer columns that the scope's query uses
    beyond: Sequence[Relation] = ()  # of the same FROM, and out of reach (`planner.binding.missing_names`)
    barred: Sequence[Relation] = ()  # on the left of a join whose kind forbids LATERAL to look at them
    target: Relation | None = None  # what UPDATE or DELETE writes, which its FROM may not look at either
    forming: bool = False  # whether its FROM is being bound: there are no rows to aggregate yet
    computed: int = 0  # how many LATERAL subqueries of its FROM have no FROM themselves
    clause: str = ""  # what is being bound, for messages: WHERE, GROUP BY, ...
    steps: Sequence[FromStep] = ()  # the whole FROM, if it is tables and plain joins of them
    before: Sequence[Source] = ()  # the items of FROM so far, which LATERAL looks at
    query: Scope | None = None  # the scope of the query whose FROM is being joined, if it is not this one
    where: ir.Node | None = None
    standing: Standing | None = None  # of a locking query in another one
    queried: dict[str, tuple[ir.Node, str | None]] | None = None
    """Subqueries of a target list, and what their values are called, by their trees: for the clauses that may say one again (GROUP BY, DISTINCT)."""
    repeats: bool = False  # whether a clause is being bound that may do so
    single: bool = False  # whether its query is a value in an expression: no row is NULL to it

    def find_relation(self, name: str, schema: str = "") -> Relation | None:
        found = [
            r for r in self.relations if r.visible and r.name == name and (not schema or r.schema == schema)
        ]
        return found[-1] if found else None


def duplicate_alias(relations: Sequence[Relation]) -> str | None:
    seen: set[str] = set()
    for r in relations:
        if r.visible and r.name:
            if r.name in seen:
                return r.name
            seen.add(r.name)
    return None


def no_column(shown: str, position: int, hint: str = "") -> PlanError:
    return PlanError("42703", f"column {shown} does not exist", position=position, hint=hint)


def ambiguous_column(name: str, position: int) -> PlanError:
    return PlanError("42702", f'column reference "{name}" is ambiguous', position=position)


def find_column(scope: Scope, name: str, position: int) -> tuple[StarColumn | None, Scope | None]:
    """An unqualified name, from the inside out. Raises 42702."""
    at: Scope | None = scope
    while at is not None:
        found = [c for c in at.columns if c.name == name]
        if len(found) > 1:
            raise ambiguous_column(name, position)
        if found:
            return found[0], at
        hidden = [
            (r, i) for r in at.relations for i, c in enumerate(r.columns) if c.hidden and c.name == name
        ]
        if len(hidden) > 1:
            raise ambiguous_column(name, position)
        if hidden:
            relation, i = hidden[0]
            column = relation.columns[i]
            at_end = relation.table is not None and i >= len(relation.table.columns)
            value = column.value(relation.number, i - len(relation.columns) if at_end else i)
            return StarColumn(name, value, column), at
        at = at.parent
    return None, None


def similar_column(scope: Scope, name: str, relation: str = "") -> str:
    """PostgreSQL's hint where no visible column is called so: one out of reach, or what comes closest to the name."""
    least, closest, crowded = _FAR + 1, list[tuple[str, str]](), False
    at: Scope | None = scope
    while at is not None:
        for r in (*at.relations, *at.barred, *at.beyond):
            if not r.name:
                continue
            off = _distance(relation, r.name) if relation else 0
            for c in r.columns:
                if c.hidden or off > least:
                    continue
                d = _distance(name, c.name)
                if d == 0 and off == 0:
                    return (
                        f'There is a column named "{name}" in table "{r.name}", but it cannot be referenced from this '
                        "part of the query."
                    )
                if d > len(name.encode()) // 2:
                    continue
                if d + off < least:
                    least, closest, crowded = d + off, [(r.name, c.name)], False
                elif d + off == least and least <= _FAR and not crowded:
                    closest.append((r.name, c.name))
                    crowded = len(closest) > 2
        at = at.parent
    if not closest or crowded:
        return ""
    return "Perhaps you meant to reference " + " or ".join(f'the column "{r}.{c}"' for r, c in closest) + "."


_FAR: Final = 3
"""How many letters may differ."""


def _distance(a: str, b: str) -> int:
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (x != y)))
        previous = row
    return previous[-1]
