"""ALTER TABLE of a table with parents or children: which actions its heirs follow.

    each heir once     types, defaults, NOT NULL, names, VALIDATE
    by each way        ADD and DROP, of columns and CHECKs: a child with two parents that have it counts both (`Column.inherited`), and
                       loses it only with the last
    not at all         keys, foreign keys, triggers, owners, identity

An action goes through the family before the next one begins, but each table's rows are written anew once, in the end. ONLY is refused where
parent and child would not fit any more; of what is dropped it leaves the children what they have, as their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from planner import statements as st
from planner.abc import Column, Constraint, Oid, PlanError, Table
from planner.ddl.constraints import definitions as constraints
from planner.ddl.partitions.alter import below_serial
from planner.ddl.scope import Scope
from planner.ddl.tables import inherits
from planner.ddl.tables.alteration import Alteration
from planner.ddl.types import composites
from planner.inheritance import family
from planner.records import replace

Action = Callable[[Alteration, st.AlterAction], None]

_EACH_ONCE: Final = frozenset(
    ("set type", "set default", "drop default", "set not null", "drop not null", "drop expression", "rename column",
     "rename constraint", "validate constraint", "set statistics", "set storage")
)  # fmt: skip
_OF_COLUMNS: Final = {"drop column": "drop", "rename column": "rename", "set type": "alter"}


def alter_family(
    scope: Scope,
    table: Table,
    actions: tuple[st.AlterAction, ...],
    known: Mapping[str, Action],
    *,
    only: bool,
    alone: bool,
) -> None:
    """A list of actions over a table and its heirs. `alone`: over it, whatever the others have.

    Raises PlanError for what cannot be done to one of them without the others.
    """
    _Family(scope, table.oid, known, only=only).run(actions, alone=alone)


class _Family:
    """The tables in the making."""

    def __init__(self, scope: Scope, oid: Oid, known: Mapping[str, Action], *, only: bool) -> None:
        self._scope, self._oid, self._known, self._only = scope, oid, known, only
        self._made: dict[Oid, Alteration] = {}

    def run(self, actions: tuple[st.AlterAction, ...], *, alone: bool) -> None:
        on = self._on(self._oid)
        for action in actions:
            if alone:
                self._known[action.what](on, action)
            else:
                self._one(on, action)
        for made in self._made.values():
            composites.change_rows(self._scope, made.before, made.table)
            made.finish()

    def _on(self, oid: Oid) -> Alteration:
        made = self._made.get(oid)
        if made is None:
            made = self._made[oid] = Alteration(self._scope, self._scope.catalog.table(oid))
            made.only = self._only
        return made

    def _children(self, on: Alteration) -> Iterator[Alteration]:
        for oid in sorted(on.table.children):
            yield self._on(oid)

    def _one(self, on: Alteration, a: st.AlterAction) -> None:
        """An action that was said of this very table."""
        _refuse_inherited(on.table, a)
        if on.table.children and self._only:
            _refuse_alone(on.table, a)
        if a.what == "add column":
            self._add_column(on, a)
        elif a.what == "drop column":
            self._drop_column(on, a)
        elif a.what == "add constraint" and a.constraint is not None and a.constraint.kind == "c":
            self._add_check(on, a)
        elif a.what == "drop constraint":
            self._drop_constraint(on, a)
        elif a.what in _EACH_ONCE and not self._only:
            self._each(on, a)
        else:
            self._known[a.what](on, a)
            if a.constraint is not None and a.constraint.kind == "p" and not self._only:
                key = on.table.primary_key
                for name in [on.table.columns[on.table.index_of(n)].name for n in key.columns] if key else []:
                    self._each(on, st.AlterAction("set not null", name))

    # --- each heir once ----------------------------------------------------------------------------

    def _each(self, on: Alteration, a: st.AlterAction) -> None:
        tables = family(self._scope.catalog, on.table)
        if a.what.endswith("constraint"):
            found = _check(on.table, a.name)
            if found is None or found.no_inherit:
                tables = tables[:1]
        if a.what in _OF_COLUMNS or a.what == "rename constraint":
            _refuse_other_parents(tables, a)
        for table in tables:
            self._known[a.what](self._on(table.oid), a)

    # --- columns -----------------------------------------------------------------------------------

    def _add_column(self, on: Alteration, a: st.AlterAction) -> None:
        said = a.column
        assert said is not None
        there = constraints.find_column(on.table, said.name) is not None
        if on.table.children and not (there and a.exists) and said.identity:
            raise PlanError("42P16", "cannot recursively add identity column to table that has child tables")
        before = {c.oid for c in on.table.constraints}
        self._known["add column"](on, a)
        if there:
            return
        key = any(c.kind == "p" for c in said.constraints)
        below = below_serial(on.table, said)
        below = replace(below, constraints=(), not_null=below.not_null or key or None)
        for child in self._children(on):
            self._column_below(on, child, replace(a, column=below, exists=False))
        for made in [c for c in on.table.constraints if c.oid not in before and c.kind == "c"]:
            self._check_below(on, made)

    def _column_below(self, above: Alteration, on: Alteration, a: st.AlterAction) -> None:
        said = a.column
        assert said is not None
        column, mine = above.column(said.name), constraints.find_column(on.table, said.name)
        if mine is not None:
            if mine.declared != column.declared:
                raise PlanError(
                    "42804", f'child table "{on.table.name}" has different type for column "{mine.name}"'
                )
            if mine.collation != column.collation:
                raise PlanError(
                    "42P21", f'child table "{on.table.name}" has different collation for column "{mine.name}"'
                )
            if mine.generated != column.generated:
                raise PlanError(
                    "0A000", f'merging column "{mine.name}", which one of both tables computes, is not supported'
                )  # fmt: skip
            on.put(mine, replace(mine, inherited=mine.inherited + 1))
            self._scope.notice(f'merging definition of column "{mine.name}" for child "{on.table.name}"')
            return
        self._known["add column"](on, a)
        made = on.column(said.name)
        on.put(made, replace(made, local=False, inherited=1))
        for child in self._children(on):
            self._column_below(on, child, a)

    def _drop_column(self, on: Alteration, a: st.AlterAction) -> None:
        column = constraints.find_column(on.table, a.name)
        below = list(self._children(on)) if column is not None else []
        self._known["drop column"](on, a)
        for child in below:
            mine = constraints.find_column(child.table, a.name)
            if mine is None or not mine.inherited:
                continue
            if not self._only and mine.inherited == 1 and not mine.local:
                self._drop_column(child, replace(a, exists=True))
            else:
                child.put(mine, _less(mine, local=self._only))

    # --- CHECK -------------------------------------------------------------------------------------

    def _add_check(self, on: Alteration, a: st.AlterAction) -> None:
        said = a.constraint
        assert said is not None
        merged = inherits.merged_check(self._scope, on.table, said)
        if merged is not None:
            on.table = merged
            return
        before = {c.oid for c in on.table.constraints}
        self._known["add constraint"](on, a)
        for made in [c for c in on.table.constraints if c.oid not in before]:
            self._check_below(on, made)

    def _check_below(self, on: Alteration, theirs: Constraint) -> None:
        if theirs.no_inherit:
            return
        for child in self._children(on):
            table = child.table
            mine = next((c for c in table.constraints if c.name == theirs.name and not c.index_only), None)
            if mine is None:
                said = st.ConstraintDef(
                    "c", theirs.name, expression=st.Sql(theirs.expression), not_valid=not theirs.validated
                )
                self._known["add constraint"](child, st.AlterAction("add constraint", constraint=said))
                made = next(c for c in child.table.constraints if c.name == theirs.name)
                _put_check(child, replace(made, local=False, inherited=1))
                self._check_below(child, replace(made, local=False))
                continue
            shown = inherits.shown_check(self._scope, table, mine) if mine.kind == "c" else ""
            if shown != inherits.shown_check(self._scope, on.table, theirs):
                raise PlanError(
                    "42710", f'constraint "{theirs.name}" for relation "{table.name}" already exists'
                )
            if mine.no_inherit:
                raise PlanError(
                    "42P17",
                    f'constraint "{theirs.name}" conflicts with non-inherited constraint on relation "{table.name}"',
                )
            if theirs.validated and not mine.validated:
                raise PlanError(
                    "42P17",
                    f'constraint "{theirs.name}" conflicts with NOT VALID constraint on relation "{table.name}"',
                )
            self._scope.notice(f'merging constraint "{theirs.name}" with inherited definition')
            _put_check(child, replace(mine, inherited=mine.inherited + 1))

    def _drop_constraint(self, on: Alteration, a: st.AlterAction) -> None:
        check = _check(on.table, a.name)
        self._known["drop constraint"](on, a)
        if check is None or check.no_inherit:
            return
        for child in self._children(on):
            mine = _check(child.table, a.name)
            if mine is None or not mine.inherited:
                continue
            if not self._only and mine.inherited == 1 and not mine.local:
                self._drop_constraint(child, a)
            else:
                _put_check(
                    child,
                    replace(mine, inherited=mine.inherited - 1, local=mine.local or self._only),
                )


def _less(column: Column, *, local: bool) -> Column:
    """A column that one parent has lost."""
    return replace(column, inherited=column.inherited - 1, local=column.local or local)


def _put_check(on: Alteration, changed: Constraint) -> None:
    kept = tuple(changed if c.oid == changed.oid else c for c in on.table.constraints)
    on.table = replace(on.table, constraints=kept)


def _check(table: Table, name: str) -> Constraint | None:
    return next((c for c in table.listed if c.name == name and c.kind == "c"), None)


def _refuse_inherited(table: Table, a: st.AlterAction) -> None:
    """Raises 42P16 for what is the parents' to say."""
    column = constraints.find_column(table, a.name) if a.what in _OF_COLUMNS else None
    if column is not None and column.inherited:
        raise PlanError("42P16", f'cannot {_OF_COLUMNS[a.what]} inherited column "{a.name}"')
    if a.what == "drop expression":
        column = constraints.find_column(table, a.name)
        if column is not None and column.inherited:
            raise PlanError("42P16", "cannot drop generation expression from inherited column")
    if a.what in ("drop constraint", "rename constraint"):
        found = _check(table, a.name)
        if found is not None and found.inherited:
            doing = a.what.partition(" ")[0]
            of = f' of relation "{table.name}"' if doing == "drop" else ""
            raise PlanError("42P16", f'cannot {doing} inherited constraint "{a.name}"{of}')


def _refuse_alone(table: Table, a: st.AlterAction) -> None:
    """Raises 42P16 for ONLY where the children would not fit any more."""
    if a.column is not None and constraints.find_column(table, a.column.name) is None:
        raise PlanError("42P16", "column must be added to child tables too")
    said = a.constraint if a.what == "add constraint" else None
    if said is not None and said.kind == "c" and not said.no_inherit:
        raise PlanError("42P16", "constraint must be added to child tables too")
    found = _check(table, a.name) if a.what in ("rename constraint", "validate constraint") else None
    if found is not None and not found.no_inherit:
        if a.what == "rename constraint":
            raise PlanError("42P16", f'inherited constraint "{a.name}" must be renamed in child tables too')
        if not found.validated:
            raise PlanError("42P16", "constraint must be validated on child tables too")
    if a.what == "rename column" and constraints.find_column(table, a.name) is not None:
        raise PlanError("42P16", f'inherited column "{a.name}" must be renamed in child tables too')
    if a.what == "set type" and constraints.find_column(table, a.name) is not None:
        raise PlanError("42P16", f'type of inherited column "{a.name}" must be changed in child tables too')
    if a.what == "drop expression":
        raise PlanError("0A000", "ALTER TABLE / DROP EXPRESSION must be applied to child tables too")


def _refuse_other_parents(tables: list[Table], a: st.AlterAction) -> None:
    """Raises 42P16 where an heir has the column or CHECK of somebody else's as well, who is not asked."""
    within = {t.oid for t in tables}
    for table in tables[1:]:
        known = sum(parent in within for parent in table.parents)
        if a.what == "rename constraint":
            check = _check(table, a.name)
            if check is not None and check.inherited > known:
                raise PlanError("42P16", f'cannot rename inherited constraint "{a.name}"')
            continue
        column = constraints.find_column(table, a.name)
        if column is not None and column.inherited > known:
            of = f' of relation "{table.name}"' if a.what == "set type" else ""
            raise PlanError("42P16", f'cannot {_OF_COLUMNS[a.what]} inherited column "{a.name}"{of}')


__all__ = ["alter_family"]
