"""CREATE and ALTER DOMAIN: conditions over VALUE, and what a change of them means for the columns of the domain.

A column carries what its domain demands (`planner.abc.DomainUse`), so every change of a domain is `spread`: the tables
with columns of it, or of a domain over it, get new definitions. A condition that is new must hold for the rows that
are there already, unless it comes NOT VALID.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from planner import statements as st
from planner import types
from planner.abc import Column, Constraint, Oid, PlanError, SqlError, Table, TypeRef
from planner.catalog import Catalog, CompositeType, Domain, RangeType, domains, quote_identifier
from planner.catalog.collations import by_bytes, shown
from planner.catalog.system.definitions import type_name
from planner.catalog.uses import HAS_TEXT, HAS_TYPES
from planner.ddl import collations, moments, naming
from planner.ddl.constraints import definitions as constraints
from planner.ddl.plan import DataCheck
from planner.ddl.scope import Scope
from planner.ddl.tables import columns
from planner.ddl.types.named_types import with_schemas
from planner.records import replace


def collation_of(scope: Scope, said: str, base: TypeRef) -> str:
    """A domain's. Raises what it cannot be: of the other types (42804), unknown (42704), a language's (0A000)."""
    key = collations.resolved(scope, said, base, 0)
    if not by_bytes(key):
        raise PlanError("0A000", f'domains with the collation "{shown(key)}" are not supported')
    return key


def refuse_base(base: TypeRef, name: str, catalog: Catalog) -> None:
    """Raises 42804 for a type that a domain cannot be of, 0A000 for one whose conditions would be asked of the whole array."""
    use = domains.underneath(catalog, base)[1]
    if use is not None and use.over_elements:
        raise PlanError("0A000", "domains over arrays of domains are not supported")
    fact = types.BY_OID.get(base.oid)
    if fact is not None and fact.typtype == "p":
        raise PlanError("42804", f'"{fact.typname}" is not a valid base type for a domain')


def check_of(
    scope: Scope, schema_oid: Oid, domain: str, base: TypeRef, said: st.ConstraintDef, taken: set[str]
) -> Constraint:
    """CHECK (...) as a constraint of the domain. Raises what binding it raises, 42804 unless it is boolean."""
    assert said.expression is not None
    constraints.refuse_subqueries(said.expression, "check constraint")
    catalog = scope.catalog
    name = said.name or naming.choose(
        domain, "", "check", lambda name: name in taken or catalog.has_constraint(schema_oid, name)
    )
    if name in taken:
        raise PlanError("42710", f'constraint "{name}" for domain "{domain}" already exists')
    under = type_name(scope.catalog, domains.underneath(scope.catalog, base)[0], scope.search_path)
    # Without an offset errors have no position: PostgreSQL gives none here.
    alone = st.Sql(said.expression.text)
    plan = scope.plan_expression(
        alone, f"(SELECT CAST(NULL AS {under}) AS {domains.VALUE}) AS tw_domain", "check constraints"
    )
    assert plan.columns is not None
    found = plan.columns[0].type
    if found.oid not in (types.BOOL, types.UNKNOWN):
        raise PlanError(
            "42804",
            f"argument of CHECK must be type boolean, not type {types.format_type(found)}",
        )
    return Constraint(
        scope.allocate(),
        name,
        "c",
        (),
        with_schemas(scope, moments.frozen(scope, said.expression.text, table=_of_value(scope, base))),
        validated=not said.not_valid,
    )


def _of_value(scope: Scope, base: TypeRef) -> Table:
    """What a domain's conditions name: one column, VALUE."""
    under = domains.underneath(scope.catalog, base)[0]
    return Table(0, 0, "", (Column(domains.VALUE, under, 1),), (), "")


def verify_default(scope: Scope, base: TypeRef, name: str, expression: st.Sql) -> None:
    """Binds a DEFAULT on its own, as that of a column: unknown names, references to columns, and what no value of the domain's base can
    be, are errors now."""
    like = Table(0, 0, "", (Column(name, domains.underneath(scope.catalog, base)[0], 1),), (), "")
    try:
        columns.verify_default(scope, like, name, expression)
    except SqlError as e:
        e.position = 0  # as PostgreSQL, which has lost the statement by then
        raise


def calling(scope: Scope, oid: Oid, name: str) -> Iterator[tuple[Domain, Constraint | None]]:
    """The domains that call a function, or name an operator, each with the condition that does; None: its default does."""
    for domain in scope.catalog.using(HAS_TEXT):
        if not isinstance(domain, Domain):
            continue
        if domain.default is not None and _calls(scope, domain, domain.default, oid, name):
            yield domain, None
        for check in domain.constraints:
            if _calls(scope, domain, check.expression, oid, name):
                yield domain, check


def _calls(scope: Scope, domain: Domain, text: str, oid: Oid, name: str) -> bool:
    if name not in text:
        return False
    under = type_name(scope.catalog, domains.underneath(scope.catalog, domain.base)[0], scope.search_path)
    try:
        plan = scope.plan_expression(
            st.Sql(text), f"(SELECT CAST(NULL AS {under}) AS {domains.VALUE}) AS tw_domain"
        )
    except SqlError:
        return False
    return oid in plan.extra.get("functions", ())


def without(scope: Scope, domain: Domain, check: Constraint) -> None:
    """Removes a condition, from the columns of the domain as well."""
    found = scope.catalog.get(domain.oid)
    assert isinstance(found, Domain)
    kept = tuple(c for c in found.constraints if c.oid != check.oid)
    scope.replace(found, replace(found, constraints=kept))
    spread(scope)


def spread(scope: Scope) -> None:
    """Gives every column of a domain what the domains are now."""
    for table, _ in _of_attributes(scope):  # what is asked of its rows is another
        scope.replace(table, replace(table))
    for table in scope.catalog.tables_using(HAS_TYPES):
        if any(c.domain is not None for c in table.columns):
            columns = tuple(
                domains.column_of(scope.catalog, c) if c.domain is not None else c for c in table.columns
            )
            scope.replace(table, replace(table, columns=columns))
    for composite in list(scope.catalog.objects(CompositeType)):
        if any(c.domain is not None for c in composite.columns):
            columns = tuple(
                domains.column_of(scope.catalog, c) if c.domain is not None else c for c in composite.columns
            )
            scope.replace(composite, replace(composite, columns=columns))


def _of_attributes(scope: Scope) -> list[tuple[Table, Column]]:
    """The columns of composite types some of whose attributes, at any depth, are of domains."""
    return [
        (table, column)
        for table in scope.catalog.tables_using(HAS_TYPES)
        for column in table.columns
        if any(True for _ in _domains_within(scope.catalog, column.type))
    ]


def _domains_within(catalog: Catalog, ref: TypeRef) -> Iterator[TypeRef]:
    """The domains of a composite type's attributes (of an array's elements, if they are such)."""
    made = catalog.get(types.element_of(ref.oid) or ref.oid)
    for attribute in made.columns if isinstance(made, CompositeType) else ():
        if attribute.domain is not None:
            yield attribute.declared
        yield from _domains_within(catalog, attribute.type)


def _refuse_stored(scope: Scope, found: Domain) -> None:
    """Raises 0A000 for a new condition of a domain of which attributes are, where tables hold values of such types."""
    for table, column in _of_attributes(scope):
        if any(_is_of(scope.catalog, ref, found) for ref in _domains_within(scope.catalog, column.type)):
            raise PlanError(
                "0A000",
                f'cannot alter type "{types.format_type(TypeRef(found.oid))}" because column "{table.name}.{column.name}" uses it',
            )


def _refuse_ranges(scope: Scope, of: Collection[int], name: str) -> None:
    """Raises 0A000 for what alters a type of which ranges are: their bounds are not looked at again."""
    for made in scope.catalog.using(*of):
        if isinstance(made, RangeType):
            raise PlanError(
                "0A000", f'altering type "{name}" of which ranges are ("{made.name}") is not supported'
            )
        if isinstance(made, Domain | CompositeType):
            _refuse_ranges(scope, (made.oid, made.array_oid), name)


def alter_domain(scope: Scope, found: Domain, action: st.AlterAction) -> None:
    what = action.what
    if what == "set default":
        assert action.expression is not None
        verify_default(scope, found.base, found.name, action.expression)
        under = domains.underneath(scope.catalog, found.base)[0]
        default = with_schemas(scope, moments.frozen(scope, action.expression.text, under))
        scope.replace(found, replace(found, default=default, own_default=True))
    elif what == "drop default":
        scope.replace(found, replace(found, default=None, own_default=True))
    elif what == "set not null":
        scope.replace(found, replace(found, not_null=True))
        scope.checks += _violations(scope, found, None)
    elif what == "drop not null":
        scope.replace(found, replace(found, not_null=False))
    elif what in ("drop constraint", "validate constraint", "rename constraint"):
        _change_constraint(scope, found, action)
    else:
        assert action.constraint is not None
        if action.constraint.kind != "c":
            kinds = {"p": "primary key", "u": "unique", "f": "foreign key"}
            raise PlanError("42601", f"{kinds[action.constraint.kind]} constraints not possible for domains")
        taken = {c.name for c in found.constraints}
        made = check_of(scope, found.schema_oid, found.name, found.base, action.constraint, taken)
        scope.replace(found, replace(found, constraints=(*found.constraints, made)))
        if made.validated:
            scope.checks += _violations(scope, found, made)
    spread(scope)
    # The checks run over the tables as they are now.
    scope.checks = [
        replace(c, table=scope.catalog.table(c.table.oid)) if c.table is not None else c for c in scope.checks
    ]


def _change_constraint(scope: Scope, found: Domain, action: st.AlterAction) -> None:
    old = next((c for c in found.constraints if c.name == action.name), None)
    if old is None:
        message = (
            f'constraint "{action.name}" of domain "{types.format_type(TypeRef(found.oid))}" does not exist'
        )
        if not action.exists:
            raise PlanError("42704", message)
        scope.notice(message + ", skipping")
        return
    if action.what == "drop constraint":
        made = tuple(c for c in found.constraints if c is not old)
    elif action.what == "rename constraint":
        if any(c.name == action.new_name for c in found.constraints):
            raise PlanError(
                "42710",
                f'constraint "{action.new_name}" for domain "{types.format_type(TypeRef(found.oid))}" already exists',
            )
        made = tuple(replace(c, name=action.new_name) if c is old else c for c in found.constraints)
    else:
        made = tuple(replace(c, validated=True) if c is old else c for c in found.constraints)
        scope.checks += _violations(scope, found, old)
    scope.replace(found, replace(found, constraints=made))


def _violations(scope: Scope, found: Domain, check: Constraint | None) -> list[DataCheck]:
    """What finds rows that break a new condition of the domain (None: NOT NULL)."""
    _refuse_stored(scope, found)
    _refuse_ranges(scope, (found.oid, found.array_oid), found.name)
    out = []
    for table in scope.catalog.tables_using(HAS_TYPES):
        for column in table.columns:
            if column.domain is None or not _is_of(scope.catalog, column.declared, found):
                continue
            text = check.expression if check is not None else f"{domains.VALUE} IS NOT NULL"
            test = domains.over_column(text, column)
            shown, name = quote_identifier(column.name), constraints.qualified(scope, table)
            out.append(
                DataCheck(
                    f"SELECT {shown} FROM {name} WHERE NOT ({test}) LIMIT 1",
                    "23514" if check is not None else "23502",
                    f'column "{column.name}" of table "{table.name}" contains '
                    + ("values that violate the new constraint" if check is not None else "null values"),
                    table=table,
                    column=column.name,
                )
            )
    return out


def _is_of(catalog: Catalog, ref: TypeRef, domain: Domain) -> bool:
    """Whether a type is the domain, an array over it, or a domain over one of these."""
    if ref.oid in (domain.oid, domain.array_oid):
        return True
    thing = catalog.get(types.DOMAIN_ARRAYS.get(ref.oid, ref.oid))
    return isinstance(thing, Domain) and _is_of(catalog, thing.base, domain)
