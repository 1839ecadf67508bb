"""CREATE, ALTER and DROP POLICY, ENABLE ROW LEVEL SECURITY: what PostgreSQL asks of a policy, and what becomes of its table.

A policy is a part of its table's definition, as triggers are: whoever has planned a statement without it plans it anew, here
and on servers that follow the log, and a write that is under way is refused at admission.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planner import statements as st
from planner.abc import Column, Oid, PlanError, Policy, SqlError, Table
from planner.binding.rights.policy_conditions import bind
from planner.catalog import CatalogObject, Role, View, policies, rights
from planner.catalog.uses import HAS_POLICIES
from planner.ddl import moments
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import own_names
from planner.ddl.dependencies import depends
from planner.ddl.dependencies.columns_named import in_policy
from planner.ddl.scope import Scope
from planner.lexer import tokenize
from planner.parse import parse_expression
from planner.records import replace


def create_policy(scope: Scope, said: st.CreatePolicy) -> None:
    table = _table(scope, said.table)
    if said.command in (policies.SELECT, policies.DELETE) and said.check is not None:
        raise PlanError("42601", "WITH CHECK cannot be applied to SELECT or DELETE")
    if said.command == policies.INSERT and said.using is not None:
        raise PlanError("42601", "only WITH CHECK expression allowed for INSERT")
    roles = _roles(scope, said.roles)
    using, check = _condition(scope, table, said.using), _condition(scope, table, said.check)
    if _named(table, said.name) is not None:
        raise PlanError("42710", f'policy "{said.name}" for table "{table.name}" already exists')
    made = Policy(scope.allocate(), said.name, said.command, said.permissive, roles)
    put(scope, table, [*table.policies, _with(scope, made, using, check)])


def alter_policy(scope: Scope, said: st.AlterPolicy) -> None:
    table = _table(scope, said.table)
    using, check = _condition(scope, table, said.using), _condition(scope, table, said.check)
    roles = _roles(scope, said.roles) if said.roles is not None else None
    old = _existing(table, said.name)
    if old.command in (policies.SELECT, policies.DELETE) and said.check is not None:
        raise PlanError("42601", "only USING expression allowed for SELECT, DELETE")
    if old.command == policies.INSERT and said.using is not None:
        raise PlanError("42601", "only WITH CHECK expression allowed for INSERT")
    made = old if roles is None else replace(old, roles=roles)
    put(scope, table, [*(p for p in table.policies if p is not old), _with(scope, made, using, check)])


def rename_policy(scope: Scope, said: st.RenamePolicy) -> None:
    table = _table(scope, said.table)
    if _named(table, said.new_name) is not None:
        raise PlanError("42710", f'policy "{said.new_name}" for table "{table.name}" already exists')
    old = _existing(table, said.name)
    renamed = replace(old, name=said.new_name)
    put(scope, table, [*(p for p in table.policies if p is not old), renamed])


def drop_policy(scope: Scope, said: st.DropPolicy) -> None:
    name = said.table
    if scope.passes_relation(name, said.if_exists):
        return
    table = _table(scope, name)
    old = _named(table, said.name)
    if old is None and said.if_exists:
        scope.notice(f'policy "{said.name}" for relation "{name}" does not exist, skipping')
        return
    remove(scope, table, [_existing(table, said.name)])


def remove(scope: Scope, table: Table, doomed: Sequence[Policy]) -> None:
    """Takes policies from a table, with what was said of them."""
    gone = {p.oid for p in doomed}
    scope.forget_comments(gone)
    put(scope, table, [p for p in table.policies if p.oid not in gone])


def put(scope: Scope, table: Table, kept: Sequence[Policy]) -> None:
    """The table with these policies."""
    ordered = tuple(sorted(kept, key=lambda p: p.name.encode()))
    scope.replace(table, replace(table, policies=ordered))


def named(scope: Scope, name: st.Name, policy: str) -> Policy:
    """Of a table, for COMMENT. Raises 42704, 42P01."""
    return _existing(_table(scope, name), policy)


def _table(scope: Scope, name: st.Name) -> Table:
    found = scope.relation(st.Name(name.name, name.schema))
    if isinstance(found, Table) and rights.table_word(found) == "table":
        return found
    raise PlanError("42809", f'"{found.name}" is not a table')


def _named(table: Table, name: str) -> Policy | None:
    return next((p for p in table.policies if p.name == name), None)


def _existing(table: Table, name: str) -> Policy:
    found = _named(table, name)
    if found is None:
        raise PlanError("42704", f'policy "{name}" for table "{table.name}" does not exist')
    return found


def _roles(scope: Scope, names: Sequence[str]) -> tuple[Oid, ...]:
    if "public" in names:
        if len(names) > 1:
            scope.notice(
                "ignoring specified roles other than PUBLIC",
                "22023",
                severity="WARNING",
                hint="All roles are members of the PUBLIC role.",
            )
        return (policies.PUBLIC,)
    found = []
    for name in names:
        role = scope.catalog.role(constraints.require_role(scope, name))
        assert role is not None
        found.append(role.oid)
    return tuple(found)


def _condition(scope: Scope, table: Table, said: st.Sql | None) -> tuple[str, tuple[Oid, ...]] | None:
    """A condition's text, and what it stands on besides the table. Bound now for its errors."""
    if said is None:
        return None
    try:
        called = bind(scope.context(), table, said.text)
    except SqlError as e:
        e.position = 0  # PostgreSQL points at nothing here
        raise
    needed = {*depends.needs_of_query(scope, parse_expression(said.text)), *called}
    text = said.text
    if not _reads(scope, needed):
        text = own_names.unqualified(scope, table, text)
    return moments.frozen(scope, text, table=table), tuple(sorted(needed))


def _reads(scope: Scope, needed: Iterable[Oid]) -> bool:
    """Whether there are queries in it: names in these may be others'."""
    return any(isinstance(scope.catalog.get(oid), Table | View) for oid in needed)


def _with(
    scope: Scope,
    policy: Policy,
    using: tuple[str, tuple[Oid, ...]] | None,
    check: tuple[str, tuple[Oid, ...]] | None,
) -> Policy:
    """The policy with what was said anew. Both texts are read on one search path."""
    kept: set[Oid] = set()
    for given, text in ((using, policy.using), (check, policy.check)):
        if given is not None:
            kept |= set(given[1])
        elif text:
            if policy.search_path and policy.search_path != scope.search_path:
                raise PlanError(
                    "0A000",
                    f'altering one condition of policy "{policy.name}" on another search_path than the other is not supported',
                )
            kept |= set(policy.depends)
    if using is None and check is None:
        return policy
    return replace(
        policy,
        using=using[0] if using is not None else policy.using,
        check=check[0] if check is not None else policy.check,
        depends=tuple(sorted(kept)),
        search_path=scope.search_path,
    )


# --- what depends on what ---------------------------------------------------------------------------------


def needing(scope: Scope, thing: CatalogObject) -> list[tuple[Table, Policy]]:
    """The policies that read or call an object, but for those of the table itself."""
    return [
        (table, p)
        for table in _having_policies(scope.catalog.using(thing.oid))
        for p in table.policies
        if thing.oid in p.depends and thing.oid != table.oid
    ]


def _having_policies(found: Iterable[CatalogObject]) -> list[Table]:
    return [x for x in found if isinstance(x, Table) and x.policies]


def using(scope: Scope, table: Table, column: Column) -> list[Policy]:
    """The policies of a table that name a column of it."""
    return [p for p in table.policies if in_policy(scope.catalog, table, p, table, column)]


def names_column(policy: Policy, name: str) -> bool:
    return any(t.value == name for text in (policy.using, policy.check) if text for t in tokenize(text))


def elsewhere(scope: Scope, table: Table, column: Column) -> list[tuple[Table, Policy]]:
    """The policies of other tables, and queries in those of this one, that name a column."""
    return [
        (owner, p)
        for owner in _having_policies(scope.catalog.using(table.oid))
        for p in owner.policies
        if table.oid in p.depends and in_policy(scope.catalog, owner, p, table, column)
    ]


def renamed_column(scope: Scope, table: Table, old: str, new: str) -> tuple[Policy, ...]:
    """The policies of a table of which a column has another name. Raises 0A000 where queries in them may mean others'."""
    found = []
    for p in table.policies:
        if names_column(p, old):
            if p.depends and any(isinstance(scope.catalog.get(oid), Table) for oid in p.depends):
                raise _not_renamed(f'column "{old}"', table, p)
            p = replace(
                p,
                using=constraints.rename_in_expression(p.using, old, new) if p.using else "",
                check=constraints.rename_in_expression(p.check, old, new) if p.check else "",
            )
        found.append(p)
    return tuple(found)


def refuse_renaming_column(table: Table, policy: Policy, name: str) -> None:
    raise _not_renamed(f'column "{name}"', table, policy)


def refuse_renaming(scope: Scope, thing: CatalogObject) -> None:
    """Raises 0A000 for an object that policies name: their text would not find it."""
    for table in _having_policies(scope.catalog.using(HAS_POLICIES)):
        for p in table.policies:
            if thing.oid in p.depends or (thing.oid == table.oid and names_column(p, table.name)):
                raise _not_renamed(f'"{getattr(thing, "name", "")}"', table, p)


def follow_schema(scope: Scope, old: str, new: str) -> None:
    """After a schema has another name. Raises 0A000 where a policy says the old one."""
    for table in scope.catalog.tables_using(HAS_POLICIES):
        for p in table.policies:
            if names_column(p, old):
                raise _not_renamed(f'schema "{old}"', table, p)
        kept = tuple(
            replace(p, search_path=tuple(new if s == old else s for s in p.search_path))
            for p in table.policies
        )
        if kept != table.policies:
            scope.replace(table, replace(table, policies=kept))


def _not_renamed(what: str, table: Table, policy: Policy) -> PlanError:
    return PlanError(
        "0A000",
        f'renaming {what}, which policy "{policy.name}" of table "{table.name}" names, is not supported',
    )


def of_role(scope: Scope, role: Role) -> list[tuple[Table, Policy]]:
    return [
        (table, p)
        for table in scope.catalog.tables_using(HAS_POLICIES)
        for p in table.policies
        if role.oid in p.roles
    ]


def without_roles(scope: Scope, names: set[str]) -> None:
    """DROP OWNED: policies are for these roles no more; one that was for no other goes."""
    gone = {role.oid for name in names if (role := scope.catalog.role(name)) is not None}
    for table in scope.catalog.tables_using(HAS_POLICIES):
        kept = []
        for p in table.policies:
            left = tuple(oid for oid in p.roles if oid not in gone)
            if left:
                kept.append(p if left == p.roles else replace(p, roles=left))
        if tuple(kept) != table.policies:
            put(scope, table, kept)


__all__ = [
    "alter_policy", "create_policy", "drop_policy", "elsewhere", "follow_schema", "named", "needing", "of_role", "put",
    "refuse_renaming", "refuse_renaming_column", "remove", "rename_policy", "renamed_column", "using", "without_roles",
]  # fmt: skip
