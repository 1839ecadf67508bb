"""CREATE TABLE ... INHERITS, ALTER TABLE ... [NO] INHERIT: what a child has of its parents.

    columns       by name: the first parent's stand first, what is said of one twice is merged (NOTICE), the child's own come behind
    NOT NULL      if anybody says so
    defaults      the child's own; else the parents', if they agree
    CHECK         by name, unless it is NO INHERIT; of one name there is one condition

Each column and CHECK counts its parents (`inherited`), and knows whether the child has said it as well (`local`): so what a parent
drops goes where nobody else has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner import statements as st
from planner.abc import Column, Constraint, PlanError, Table
from planner.catalog import quote_identifier
from planner.catalog.system.attributes import storage_of
from planner.catalog.system.definitions import constraint_definition, default_text, type_name
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import own_names
from planner.ddl.rights import permits
from planner.ddl.scope import Scope
from planner.ddl.tables import action_words
from planner.ddl.tables.column_settings import compression_word, storage_word
from planner.inheritance import family, spreads
from planner.records import replace

if TYPE_CHECKING:
    from planner.ddl.tables.alteration import Alteration

_FOR_EACH_ROW = 1


class Inherited:
    """What a table in the making has of its parents, in the order in which they were named."""

    def __init__(self, scope: Scope, names: Sequence[st.Name], name: str, *, temporary: bool) -> None:
        """Raises PlanError for who cannot be a parent, and for parents that contradict each other."""
        self.scope, self.name = scope, name
        self.parents: list[Table] = []
        self.columns: list[Column] = []
        self.checks: list[Constraint] = []
        """Their columns are still the parents' numbers: it is by text that they are understood."""
        self._unsure: dict[str, bool] = {}
        """Columns whose parents do not agree on a default; True: on how they are generated."""
        self._defaults: dict[str, str | None] = {}
        """Their defaults as they are compared: in the catalog's own words."""
        self._said = 0
        self._met: set[str] = set()
        for said in names:
            parent = _parent(scope, replace(said, position=0), temporary=temporary)
            if any(p.oid == parent.oid for p in self.parents):
                raise PlanError("42P07", f'relation "{parent.name}" would be inherited from more than once')
            self.parents.append(parent)
            for column in parent.visible:
                self._take(parent, column)
            for check in parent.listed:
                if check.kind == "c" and not check.no_inherit:
                    self._take_check(parent, check)

    def _take(self, parent: Table, theirs: Column) -> None:
        at = next((i for i, c in enumerate(self.columns) if c.name == theirs.name), None)
        default = None if theirs.identity else theirs.default
        shown = default_text(self.scope.catalog, theirs, parent, self.scope.search_path) if default else None
        if at is None:
            self._defaults[theirs.name] = shown
            made = replace(
                theirs, attnum=len(self.columns) + 1, default=default, identity="", sequence_oid=0, local=False, inherited=1, statistics=-1, settings=()
            )  # fmt: skip
            self.columns.append(made)
            return
        mine = self.columns[at]
        self.scope.notice(f'merging multiple inherited definitions of column "{mine.name}"')
        _same_form(self.scope, mine, theirs, "inherited column")
        _same_storage(mine, theirs, "inherited column")
        mine = replace(mine, compression=_compression(mine, theirs))
        if mine.generated != theirs.generated:
            raise PlanError("42611", f'inherited column "{mine.name}" has a generation conflict')
        if default is not None:
            if mine.default is None:
                mine = replace(mine, default=default)
                self._defaults[mine.name] = shown
            elif self._defaults[mine.name] != shown:
                self._unsure[mine.name] = mine.generated
        self.columns[at] = replace(
            mine, not_null=mine.not_null or theirs.not_null, inherited=mine.inherited + 1
        )

    def _take_check(self, parent: Table, theirs: Constraint) -> None:
        shown = shown_check(self.scope, parent, theirs)
        for i, mine in enumerate(self.checks):
            if mine.name != theirs.name:
                continue
            if mine.shown != (shown,):
                raise PlanError(
                    "42710",
                    f'check constraint name "{mine.name}" appears multiple times but with different expressions',
                )
            self.checks[i] = replace(mine, inherited=mine.inherited + 1)
            return
        self.checks.append(
            replace(theirs, local=False, inherited=1, validated=True, parent=0, shown=(shown,))
        )

    def place(self, name: str) -> int | None:
        """Where the parents have a column of this name that the child is about to define as well."""
        self._said += 1
        at = next((i for i, c in enumerate(self.columns) if c.name == name), None)
        if at is not None and name in self._met:
            raise PlanError("42701", f'column "{name}" specified more than once')
        self._met.add(name)
        return at

    def merged(self, at: int, own: Column) -> Column:
        """The column, as parents and child have it. Raises 42804, 42P21, 42611."""
        theirs = self.columns[at]
        if at + 1 == self._said:
            self.scope.notice(f'merging column "{own.name}" with inherited definition')
        else:
            self.scope.notice(
                f'moving and merging column "{own.name}" with inherited definition',
                detail="User-specified column moved to the position of the inherited column.",
            )
        _same_form(self.scope, theirs, own, "column")
        if own.storage:  # of LIKE ... INCLUDING STORAGE
            _same_storage(theirs, own, "column")
        if theirs.generated:
            if own.generated:
                raise PlanError(
                    "42611",
                    f'child column "{own.name}" specifies generation expression',
                    hint="Omit the generation expression in the definition of the child table column to inherit "
                    "the generation expression from the parent table.",
                )
            if own.identity or own.default is not None:
                what = "identity" if own.identity else "default"
                raise PlanError(
                    "42611", f'column "{own.name}" inherits from generated column but specifies {what}'
                )
        if own.default is not None or own.identity:
            self._unsure.pop(own.name, None)
        return replace(
            own,
            not_null=own.not_null or theirs.not_null,
            default=own.default if own.default is not None or own.identity else theirs.default,
            generated=own.generated or theirs.generated,
            inherited=theirs.inherited,
            storage=theirs.storage,
            compression=_compression(theirs, own),
        )

    def settled(self) -> None:
        """Raises 42611 for defaults that the parents do not agree on, and the child has said nothing of."""
        for name, generated in self._unsure.items():
            what = "generation expressions" if generated else "default values"
            raise PlanError(
                "42611",
                f'column "{name}" inherits conflicting {what}',
                hint="" if generated else "To resolve the conflict, specify a default explicitly.",
            )

    def given(self, table: Table) -> Table:
        """The new table with the parents' CHECKs, and its place among them."""
        attnums = {c.name: c.attnum for c in table.columns}
        made = []
        for check in self.checks:
            parent = next(p for p in self.parents if any(c.oid == check.oid for c in p.constraints))
            own_names.refuse_whole_rows(self.scope, parent, check)
            above = {c.attnum: c.name for c in parent.columns}
            columns = tuple(attnums[above[n]] for n in check.columns)
            made.append(replace(check, oid=self.scope.allocate(), columns=columns, shown=()))
        parents = tuple(p.oid for p in self.parents)
        return replace(table, constraints=(*table.constraints, *made), parents=parents)

    def known(self, table: Table) -> None:
        """The parents know of the new table."""
        for parent in self.parents:
            put_child(self.scope, parent, table)


def merged_check(scope: Scope, table: Table, said: st.ConstraintDef) -> Table | None:
    """The table where a CHECK that it inherits is said once more; None: it inherits none of that name."""
    mine = next((c for c in table.constraints if c.kind == "c" and c.name == said.name and c.inherited), None)
    if said.kind != "c" or not said.name or mine is None or said.expression is None or mine.local:
        return None
    wanted = constraints.add_check(
        scope, replace(table, constraints=()), replace(said, not_valid=False), False
    ).constraints[-1]
    if shown_check(scope, table, wanted) != shown_check(scope, table, mine):
        raise PlanError("42710", f'constraint "{said.name}" for relation "{table.name}" already exists')
    if said.no_inherit:
        raise PlanError(
            "42P17",
            f'constraint "{said.name}" conflicts with inherited constraint on relation "{table.name}"',
        )
    scope.notice(f'merging constraint "{said.name}" with inherited definition')
    return _with_check(table, replace(mine, local=True))


def _with_check(table: Table, changed: Constraint) -> Table:
    return replace(
        table, constraints=tuple(changed if c.oid == changed.oid else c for c in table.constraints)
    )


def shown_check(scope: Scope, table: Table, check: Constraint) -> str:
    """A CHECK's condition as it is compared: in the catalog's own words."""
    alike = replace(check, validated=True, no_inherit=False)
    return constraint_definition(scope.catalog, table, alike, scope.search_path)


def _same_form(scope: Scope, mine: Column, theirs: Column, what: str) -> None:
    """Raises 42804, 42P21 where two definitions of one column differ."""
    if mine.declared != theirs.declared:
        a, b = (type_name(scope.catalog, c.declared, scope.search_path) for c in (mine, theirs))
        raise PlanError("42804", f'{what} "{mine.name}" has a type conflict', detail=f"{a} versus {b}")
    if mine.collation != theirs.collation:
        a, b = (quote_identifier(c.collation or "default") for c in (mine, theirs))
        raise PlanError(
            "42P21", f'{what} "{mine.name}" has a collation conflict', detail=f'"{a.strip(chr(34))}" versus "{b.strip(chr(34))}"'
        )  # fmt: skip


def _same_storage(mine: Column, theirs: Column, what: str) -> None:
    """Raises 42804 where two definitions of one column store it differently."""
    if storage_of(mine) != storage_of(theirs):
        raise PlanError(
            "42804",
            f'{what} "{mine.name}" has a storage parameter conflict',
            detail=f"{storage_word(mine)} versus {storage_word(theirs)}",
        )


def _compression(mine: Column, theirs: Column) -> str:
    """Raises 42804 where two definitions of one column compress it differently."""
    if mine.compression and theirs.compression and mine.compression != theirs.compression:
        words = (compression_word(c.compression) for c in (mine, theirs))
        raise PlanError(
            "42804", f'column "{mine.name}" has a compression method conflict', detail=" versus ".join(words)
        )
    return mine.compression or theirs.compression


def _parent(scope: Scope, name: st.Name, *, temporary: bool) -> Table:
    """A table that can be inherited from. Raises 42809, 42501."""
    found = scope.relation(name)
    if not isinstance(found, Table) or found.materialized is not None:
        raise PlanError("42809", f'inherited relation "{found.name}" is not a table or foreign table')
    if found.partitioning is not None:
        raise PlanError("42809", f'cannot inherit from partitioned table "{found.name}"')
    if found.partition is not None:
        raise PlanError("42809", f'cannot inherit from partition "{found.name}"')
    _refuse_temporary(found, temporary=temporary)
    permits.must_own(scope, found)
    return found


def _refuse_temporary(parent: Table, *, temporary: bool) -> None:
    if parent.temporary and not temporary:
        raise PlanError("42809", f'cannot inherit from temporary relation "{parent.name}"')
    if temporary and not parent.temporary:
        raise PlanError("0A000", "temporary tables that inherit from permanent ones are not supported")


def put_child(scope: Scope, parent: Table, child: Table, *, gone: bool = False) -> None:
    """A parent with one child more, or less."""
    current = scope.catalog.table(parent.oid)
    kept = tuple(oid for oid in current.children if oid != child.oid)
    changed = replace(current, children=kept if gone else tuple(sorted((*kept, child.oid))))
    scope.replace(current, changed)


def settle(scope: Scope) -> None:
    """Parents forget children that the statement has removed."""
    for oid, old in list(scope.first_states()):
        if isinstance(old, Table) and old.parents and scope.catalog.get(oid) is None:
            for above in old.parents:
                parent = scope.catalog.get(above) if above else None
                if isinstance(parent, Table) and oid in parent.children:
                    put_child(scope, parent, old, gone=True)


# --- ALTER TABLE -----------------------------------------------------------------------------------------


def inherit(on: Alteration, a: st.AlterAction) -> None:
    """ALTER TABLE ... INHERIT. Raises 42809, 42P07, 42804, 42P17."""
    scope, child = on.scope, on.table
    assert a.relation is not None
    _refuse_partition(child)
    parent = scope.relation(replace(a.relation, position=0))
    if not isinstance(parent, Table) or parent.materialized is not None:
        raise action_words.refused(parent, a)
    permits.must_own(scope, parent)
    _refuse_temporary(parent, temporary=child.temporary)
    if parent.partitioning is not None:
        raise PlanError("42809", f'cannot inherit from partitioned table "{parent.name}"')
    if parent.partition is not None:
        raise PlanError("42809", "cannot inherit from a partition")
    if any(x.bits & _FOR_EACH_ROW and (x.old_table or x.new_table) for x in child.triggers):
        trigger = next(x for x in child.triggers if x.bits & _FOR_EACH_ROW and (x.old_table or x.new_table))
        raise PlanError(
            "55000",
            f'trigger "{trigger.name}" prevents table "{child.name}" from becoming an inheritance child',
            detail="ROW triggers with transition tables are not supported in inheritance hierarchies.",
        )
    if parent.oid in child.parents:
        raise PlanError("42P07", f'relation "{parent.name}" would be inherited from more than once')
    if any(t.oid == parent.oid for t in family(scope.catalog, child)):
        raise PlanError(
            "42P07",
            "circular inheritance not allowed",
            detail=f'"{parent.name}" is already a child of "{child.name}".',
        )
    columns = {c.name: c for c in child.columns}
    for theirs in parent.visible:
        mine = columns.get(theirs.name)
        if mine is None or mine.hidden:
            raise PlanError("42804", f'child table is missing column "{theirs.name}"')
        _refuse_column(child, mine, theirs)
        columns[theirs.name] = replace(mine, inherited=mine.inherited + 1)
    checks = list(child.constraints)
    for above in parent.listed:
        if above.kind == "c" and not above.no_inherit:
            at = next((i for i, c in enumerate(checks) if c.kind == "c" and c.name == above.name), None)
            if at is None:
                raise PlanError("42804", f'child table is missing constraint "{above.name}"')
            _refuse_check(scope, parent, child, checks[at], above)
            checks[at] = replace(checks[at], inherited=checks[at].inherited + 1)
    on.table = replace(
        child, columns=tuple(columns.values()), constraints=tuple(checks), parents=(*child.parents, parent.oid)
    )  # fmt: skip
    put_child(scope, parent, child)


def _refuse_partition(child: Table) -> None:
    if child.partition is not None:
        raise PlanError("42809", "cannot change inheritance of a partition")
    if spreads(child) and child.partitioning is not None:
        raise PlanError("42809", "cannot change inheritance of partitioned table")


def _refuse_column(child: Table, mine: Column, theirs: Column) -> None:
    name = theirs.name
    if mine.declared != theirs.declared:
        raise PlanError("42804", f'child table "{child.name}" has different type for column "{name}"')
    if mine.collation != theirs.collation:
        raise PlanError("42P21", f'child table "{child.name}" has different collation for column "{name}"')
    if theirs.not_null and not mine.not_null:
        raise PlanError("42804", f'column "{name}" in child table must be marked NOT NULL')
    if theirs.generated and not mine.generated:
        raise PlanError("42804", f'column "{name}" in child table must be a generated column')
    if theirs.generated and mine.default != theirs.default:
        raise PlanError("42804", f'column "{name}" in child table has a conflicting generation expression')


def _refuse_check(scope: Scope, parent: Table, child: Table, mine: Constraint, theirs: Constraint) -> None:
    if shown_check(scope, child, mine) != shown_check(scope, parent, theirs):
        raise PlanError(
            "42804",
            f'child table "{child.name}" has different definition for check constraint "{theirs.name}"',
        )
    if mine.no_inherit:
        raise PlanError(
            "42P17",
            f'constraint "{theirs.name}" conflicts with non-inherited constraint on child table "{child.name}"',
        )
    if theirs.validated and not mine.validated:
        raise PlanError(
            "42P17",
            f'constraint "{theirs.name}" conflicts with NOT VALID constraint on child table "{child.name}"',
        )


def no_inherit(on: Alteration, a: st.AlterAction) -> None:
    """ALTER TABLE ... NO INHERIT: the child keeps all that it has, as its own. Raises 42809, 42P01."""
    scope, child = on.scope, on.table
    assert a.relation is not None
    if child.partition is not None:
        raise PlanError("42809", "cannot change inheritance of a partition")
    parent = scope.relation(replace(a.relation, position=0))
    if not isinstance(parent, Table) or parent.oid not in child.parents:
        raise PlanError("42P01", f'relation "{parent.name}" is not a parent of relation "{child.name}"')
    names = {c.name for c in parent.visible}
    checks = {c.name for c in parent.listed if c.kind == "c" and not c.no_inherit}
    columns = tuple(
        replace(c, inherited=c.inherited - 1, local=c.local or c.inherited == 1)
        if c.name in names and c.inherited
        else c
        for c in child.columns
    )
    kept = tuple(
        replace(c, inherited=c.inherited - 1, local=c.local or c.inherited == 1)
        if c.kind == "c" and c.name in checks and c.inherited
        else c
        for c in child.constraints
    )
    parents = [0 if oid == parent.oid else oid for oid in child.parents]
    while parents and not parents[-1]:
        parents.pop()
    on.table = replace(child, columns=columns, constraints=kept, parents=tuple(parents))
    put_child(scope, parent, child, gone=True)


__all__ = ["Inherited", "inherit", "merged_check", "no_inherit", "put_child", "settle", "shown_check"]
