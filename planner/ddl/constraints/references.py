"""Foreign keys from the other side: each table knows which tables refer to it, and each key the partitions that it leads to.

Two things rest on `Table.referenced_by`. A write to a table looks for children only there. And adding or dropping
a foreign key changes the definition of *both* tables, so that a write to the parent that was made up without
the new constraint is refused at admission, like any other that an ALTER TABLE has overtaken.

The partitions of a table that is referred to are referred to themselves. When one comes or goes, the keys' aims change
(`planner.aims`), and with them the tables that refer: who writes these without knowing of it is overtaken, too.

It follows from the constraints alone, and is put right once, when a statement has been bound.
"""

from __future__ import annotations

from planner import aims
from planner.abc import Constraint, Oid, PlanError, Table
from planner.catalog import quote_identifier
from planner.ddl import naming
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import names as constraint_names
from planner.ddl.plan import DataCheck
from planner.ddl.scope import Scope
from planner.partitioning import Router, descendants
from planner.records import replace
from planner.relations import Aim


def settle(scope: Scope) -> None:
    """Brings aims and `referenced_by` in line with the foreign keys and partitions that the statement has left."""
    touched: set[Oid] = set()
    aiming: set[Oid] = set()
    parts: set[Oid] = set()
    for oid, old in scope.first_states():
        new = scope.catalog.get(oid)
        if isinstance(old, Table) and isinstance(new, Table) and _leads_as_before(old, new):
            continue
        aiming.add(oid)
        for state in (old, new):
            if isinstance(state, Table):
                touched.update(c.foreign_table for c in state.constraints if c.kind == "f")
                touched.update(a.table for c in state.constraints for a in c.aims)
                if state.partition is not None:
                    parts.update((oid, state.partition.parent))
    touched |= parts
    for oid in list(touched):
        table = scope.catalog.get(oid)
        if isinstance(table, Table):
            above = aims.aimed(scope.catalog, table)
            touched.update(above)
            if oid in parts:
                parts.update(above)
    aiming.update(t.oid for to in parts for t in scope.catalog.referring_to(to))
    for oid in sorted(aiming):
        table = scope.catalog.get(oid)
        if isinstance(table, Table):
            _aim(scope, table)
    for oid in list(touched):
        table = scope.catalog.get(oid)
        if isinstance(table, Table):
            touched.update(t.oid for t in descendants(scope.catalog, table))
    for oid in sorted(touched):
        parent = scope.catalog.get(oid)
        if not isinstance(parent, Table):
            continue
        to = aims.aimed(scope.catalog, parent)
        referring = {t.oid for above in to for t in _referring(scope, above)}
        children = tuple(sorted(referring))
        if children != parent.referenced_by:
            scope.replace(parent, replace(parent, referenced_by=children))
    if touched:
        scope.refresh()


def _leads_as_before(old: Table, new: Table) -> bool:
    """Whether nothing of this rests on what is otherwise in the two definitions."""
    if old.partition != new.partition:
        return False
    before, after = ([c for c in table.constraints if c.kind == "f"] for table in (old, new))
    return before == after


def _referring(scope: Scope, oid: Oid) -> list[Table]:
    """The tables with a foreign key into the very table."""
    return [
        t
        for t in scope.catalog.referring_to(oid)
        if any(c.kind == "f" and c.foreign_table == oid for c in t.constraints)
    ]


def _aim(scope: Scope, table: Table) -> None:
    """A table's foreign keys, each with an aim at every partition that it leads to."""
    for key in [c for c in table.constraints if c.kind == "f"]:
        there = {a.table: a for a in key.aims}
        target = scope.catalog.table(key.foreign_table)
        wanted = [] if key.parent else _partitions(scope, target)
        of = {p.oid for p in wanted}
        found = {oid: a for oid, a in there.items() if oid in of}
        for part in wanted:
            if part.oid in found:
                continue
            assert part.partition is not None
            above = found.get(part.partition.parent)
            name = _name(scope, scope.catalog.table(table.oid), key, {a.name for a in found.values()})
            parent = above.oid if above is not None else key.oid
            found[part.oid] = Aim(scope.allocate(), name, part.oid, parent)
        now = scope.catalog.table(table.oid)
        kept = tuple(
            replace(c, aims=tuple(found.values())) if c.oid == key.oid else c for c in now.constraints
        )
        scope.replace(now, replace(now, constraints=kept))


def _name(scope: Scope, table: Table, key: Constraint, also: set[str]) -> str:
    taken = constraint_names.is_taken_for_condition(scope, table)
    label = naming.joined(table.columns[table.index_of(n)].name for n in key.columns)
    return naming.choose(table.name, label, "fkey", lambda name: name in also or taken(name))


def _partitions(scope: Scope, table: Table) -> list[Table]:
    """All tables below a partitioned one, in the order in which PostgreSQL goes through them: by bounds, each with its own behind it."""
    if table.partitioning is None:
        return []
    found: list[Table] = []
    for child in Router(scope.catalog, table).children():
        found += [child, *_partitions(scope, child)]
    return found


def still_aimed_at(scope: Scope, part: Table) -> list[DataCheck]:
    """What must not be found when a partition is detached: a row of it that somebody refers to."""
    found = []
    for table in scope.catalog.referring_to(part.oid):
        for key in table.constraints:
            if part.oid not in {a.table for a in key.aims}:
                continue
            seen = aims.at(scope.catalog, key, part)
            mine = [quote_identifier(table.columns[table.index_of(n)].name) for n in seen.columns]
            shown = [part.columns[part.index_of(n)].name for n in seen.foreign_columns]
            theirs = [quote_identifier(name) for name in shown]
            joined = " AND ".join(f"p.{t} = f.{m}" for m, t in zip(mine, theirs, strict=True))
            values = ", ".join(f"{{{i}}}" for i in range(len(mine)))
            found.append(
                DataCheck(
                    f"SELECT {', '.join('f.' + m for m in mine)} FROM {constraints.qualified(scope, part)} AS p "
                    f"JOIN {constraints.qualified(scope, table)} AS f ON {joined} LIMIT 1",
                    "23503",
                    f'removing partition "{part.name}" violates foreign key constraint "{seen.name}"',
                    f'Key ({", ".join(shown)})=({values}) is still referenced from table "{table.name}".',
                    table,
                    seen.name,
                )
            )
    return found


def refuse_attached(scope: Scope, parent: Table, child: Table) -> None:
    """Raises 0A000 for a table that is to be a partition of one that refers to it."""
    below = {t.oid for t in descendants(scope.catalog, child)}
    for key in parent.constraints:
        if key.kind == "f" and key.foreign_table == child.oid:
            raise PlanError(
                "0A000",
                f'cannot attach table "{child.name}" as a partition because it is referenced by foreign key "{key.name}"',
            )
        if key.kind == "f" and key.foreign_table in below:
            name = scope.catalog.table(key.foreign_table).name
            raise PlanError(
                "55006",
                f'cannot ALTER TABLE "{name}" because it is being used by active queries in this session',
            )


__all__ = ["refuse_attached", "settle", "still_aimed_at"]
