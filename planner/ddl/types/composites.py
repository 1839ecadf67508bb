"""ALTER TYPE ... ATTRIBUTE: a composite type's fields.

Values are kept as texts without the names of their fields, so a rename is the catalog's affair alone, and refused where a
table's expressions say the field. A field that is
added or dropped means that every value is written anew, in a new shard for each table with a column of the type:

    c    ->    CASE WHEN c has a value THEN ROW((c).kept, ..., NULL)::text END

A field's type changes, as in PostgreSQL, only while no column is of the type; nor is anything changed here while
arrays of it, or other composite types, are made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from planner import statements as st
from planner import types
from planner.abc import Column, DomainUse, PlanError, Table, TypeRef
from planner.catalog import CompositeType, MultirangeType, RangeType, domains, quote_identifier, rights
from planner.catalog.attribute_domains import demands
from planner.catalog.collations import by_bytes, shown
from planner.catalog.row_types import row_type
from planner.catalog.stored_queries import stored_queries_over
from planner.catalog.user_types import has_rows_of
from planner.ddl import collations
from planner.ddl.constraints import definitions as constraints
from planner.ddl.dependencies import attributes_used, renamed_in_queries
from planner.ddl.dependencies.columns_named import mentions
from planner.ddl.scope import Scope, describe
from planner.ddl.tables import creation as tables
from planner.ddl.types.typenames import resolve_type
from planner.parse import parse_expression
from planner.records import replace
from planner.types.user_ranges import spanned

ACTIONS: Final = ("add column", "drop column", "rename column", "set type")


def alter_attribute(scope: Scope, found: CompositeType, action: st.AlterAction) -> None:
    names = [c.name for c in found.columns]
    name = action.column.name if action.column is not None else action.name
    if action.what == "add column":
        _refuse_itself(scope, found, action)
        if name in names:
            raise PlanError("42701", f'column "{name}" of relation "{found.name}" already exists')
    elif name not in names:
        message = f'column "{name}" of relation "{found.name}" does not exist'
        if action.what == "rename column":
            raise PlanError("42703", f'column "{name}" does not exist')
        if not action.exists:
            raise PlanError("42703", message)
        scope.notice(message + ", skipping")
        return
    if action.what == "rename column":
        if action.new_name in names:
            raise PlanError("42701", f'column "{action.new_name}" of relation "{found.name}" already exists')
        _refuse_said(scope, found, name)
        renamed_in_queries.with_attribute(scope, found, name, action.new_name)
        columns = tuple(replace(c, name=action.new_name) if c.name == name else c for c in found.columns)
    else:
        _refuse_used(scope, found, rewritable=action.what != "set type")
        if action.what == "drop column":
            attributes_used.free(scope, found, name, action.cascade)
        elif action.what == "set type":
            _refuse_said_by_queries(scope, found, name)
        columns = _changed(scope, found, action, name)
    scope.replace(found, replace(found, columns=columns))


def _refuse_itself(scope: Scope, found: CompositeType, action: st.AlterAction) -> None:
    """Raises 42P16 for an attribute in whose values there would be some of the type."""
    assert action.column is not None and action.column.type is not None
    ref = resolve_type(replace(action.column.type, position=0), scope.catalog, scope.search_path)
    if _holds(types.base_of(ref).oid, found):
        raise PlanError("42P16", f"composite type {found.name} cannot be made a member of itself")


def _refuse_said_by_queries(scope: Scope, found: CompositeType, name: str) -> None:
    """Raises 0A000 for an attribute whose type a query knows, of the type or of what functions return."""
    for kept in stored_queries_over(scope.catalog, found.oid, found.oid):
        if mentions(kept.query, name):
            shown = describe(kept.holder, scope.catalog, scope.search_path)
            raise PlanError(
                "0A000",
                "cannot alter type of a column used by a view or rule",
                detail=f'rule _RETURN on {shown} depends on column "{name}"',
            )


def write_values_anew(scope: Scope, oid: int) -> None:
    """After the last action on a type: the rows of every table whose columns hold values of its old shape."""
    before, after = scope.before.get(oid), scope.catalog.get(oid)
    assert isinstance(before, CompositeType) and isinstance(after, CompositeType)
    _write_anew(scope, oid, before.columns, after.columns)


def _write_anew(scope: Scope, oid: int, before: Sequence[Column], after: Sequence[Column]) -> None:
    fields = [c.attnum for c in after]
    if fields == [c.attnum for c in before]:
        return
    names = {c.attnum: c.name for c in before}
    for table in [t for t in scope.catalog.tables_using(oid) if any(c.type.oid == oid for c in t.columns)]:
        cells = [
            _of_new_shape(quote_identifier(c.name), [names.get(a) for a in fields])
            if c.type.oid == oid
            else quote_identifier(c.name)
            for c in table.columns
        ]
        old = scope.before.get(table.oid)
        assert isinstance(old, Table)
        new = replace(table, shard=tables.shard_of(scope.allocate()))
        scope.replace(table, new)
        query = f"SELECT {', '.join(cells)} FROM {constraints.qualified(scope, old)}"
        scope.rewrite(old, new, query, scope.before)


def _of_new_shape(value: str, fields: Sequence[str | None]) -> str:
    """The text of a value's fields, NULL for one that it has not had."""
    kept = ", ".join("NULL" if f is None else f"({value}).{quote_identifier(f)}" for f in fields)
    return f"CASE WHEN CAST({value} AS text) IS NOT NULL THEN CAST(ROW({kept}) AS text) END"


def _changed(scope: Scope, found: CompositeType, action: st.AlterAction, name: str) -> tuple[Column, ...]:
    if action.what == "drop column":
        return tuple(c for c in found.columns if c.name != name)
    said = action.column.type if action.column is not None else action.type
    assert said is not None
    ref, domain = domains.underneath(
        scope.catalog, resolve_type(replace(said, position=0), scope.catalog, scope.search_path)
    )
    refuse_conditions(ref, domain)
    if (demands(domain) or types.composite_conditions(ref.oid)) and _ranges_over(
        scope, (found.oid, found.array_oid)
    ):
        raise PlanError(
            "0A000",
            f'attributes that have conditions are not supported while ranges are of type "{found.name}"',
        )
    collation = action.column.collation if action.column is not None else ""
    collation = attribute_collation(scope, collation, ref, domain, action.position)
    if action.what == "add column":
        before = scope.before.get(found.oid)
        known = (*found.columns, *(before.columns if isinstance(before, CompositeType) else ()))
        attnum = max((c.attnum for c in known), default=0) + 1
        return (*found.columns, Column(name, ref, attnum, domain=domain, collation=collation))
    return tuple(
        replace(c, type=ref, domain=domain, collation=collation) if c.name == name else c
        for c in found.columns
    )


def change_rows(scope: Scope, before: Table, after: Table) -> None:
    """A table of whose row type columns are has another row: their values lose the fields that it loses, and new ones are NULL.

    Raises 0A000 where a field is of another type, or its default would have to be in all of them."""
    rows = row_type(before)
    if not has_rows_of(rows.oid) or _fields(before) == _fields(after):
        return
    if any(_holds(c.type.oid, rows) for c in after.visible):
        raise PlanError("42P16", f"composite type {before.name} cannot be made a member of itself")
    kept = {c.attnum: c.type for c in before.visible}
    as_they_are = all(
        kept[c.attnum] == c.type if c.attnum in kept else not c.identity and _is_null(c.default)
        for c in after.visible
    )
    within = _ranges_over(scope, (rows.oid, rows.array_oid))
    made = _made_of(scope, rows.oid, rows.array_oid, *within)
    for thing, column in ((x, c) for x in made for c in x.columns):
        follows = as_they_are and isinstance(thing, Table) and column.type.oid == rows.oid
        # A default may be made of the fields of before.
        follows = follows and column.default is None and not _is_within_others(scope, thing)
        if column.type.oid in (rows.oid, rows.array_oid, *within) and not follows:
            raise PlanError(
                "0A000",
                f'cannot alter {rights.table_word(before)} "{before.name}" because column "{thing.name}.{column.name}" uses its row type',
            )
    _write_anew(scope, rows.oid, before.visible, after.visible)


def _holds(oid: int, rows: CompositeType) -> bool:
    """Whether values of a type have rows of a table in them."""
    oid = types.element_of(oid) or oid
    fields, ranges = types.composite_fields(oid), spanned(oid)
    if ranges is not None:
        return _holds(ranges.subtype, rows)
    return oid == rows.oid or any(_holds(types.base_of(ref).oid, rows) for _, ref in fields or ())


def _is_null(default: str | None) -> bool:
    """Whether a default gives nothing: none, or NULL of whatever type."""
    if default is None:
        return True
    said = parse_expression(default).unnest()
    return isinstance(said.this.unnest() if isinstance(said, exp.Cast) else said, exp.Null)


def _made_of(scope: Scope, *of: int) -> list[Table | CompositeType]:
    """The tables, then the composite types, that say one of these types."""
    using = scope.catalog.using(*of)
    return [x for kind in (Table, CompositeType) for x in using if isinstance(x, kind)]


def _is_within_others(scope: Scope, thing: Table | CompositeType) -> bool:
    """Whether columns are of a table's row type."""
    if not isinstance(thing, Table):
        return False
    rows = row_type(thing)
    return has_rows_of(rows.oid) and bool(_made_of(scope, rows.oid, rows.array_oid))


def _fields(table: Table) -> list[tuple[int, TypeRef]]:
    """What values of its row type are made of: which columns, whatever they are called, and their types."""
    return [(c.attnum, c.type) for c in table.visible]


def attribute_collation(
    scope: Scope, said: str, ref: TypeRef, domain: DomainUse | None, position: int
) -> str:
    """The key of an attribute's. Raises 0A000 for an attribute in another order than that of bytes: values are compared without asking it."""
    key = collations.of_column(scope, said, ref, domain, position)
    if not by_bytes(key):
        raise PlanError("0A000", f'attributes with the collation "{shown(key)}" are not supported')
    return key


def refuse_conditions(ref: TypeRef, domain: DomainUse | None) -> None:
    """Raises 0A000 for an attribute of an array whose elements have to obey: nobody would ask each of them."""
    if domain is not None and domain.over_elements and demands(domain):
        raise PlanError(
            "0A000",
            f"attributes of arrays over domain {domain.name}, which has conditions, are not supported",
        )
    element = types.element_of(ref.oid)
    if element and types.composite_conditions(element):
        shown = types.type_in_words(element)
        raise PlanError(
            "0A000",
            f"attributes of arrays over type {shown}, whose attributes have conditions, are not supported",
        )


def _refuse_said(scope: Scope, found: CompositeType, name: str) -> None:
    """Raises 0A000 where a CHECK, a generated column or an index may say the field: their texts name it as it is called now."""
    of_it = (found.oid, found.array_oid)
    for table in scope.catalog.objects(Table):
        texts = [c.expression for c in table.constraints] + [c.default for c in table.columns]
        for index in scope.catalog.indexes_of(table.oid):
            texts += index.texts
        made_of_it = any(c.type.oid in of_it for c in table.columns)
        if any(
            text and mentions(text, name) and (made_of_it or mentions(text, found.name)) for text in texts
        ):
            raise PlanError(
                "0A000",
                f'renaming attribute "{name}" of type {found.name} is not supported while '
                f'a constraint, a column or an index of table "{table.name}" may name it',
            )


def _ranges_over(scope: Scope, of_it: Sequence[int]) -> list[int]:
    """The range types whose bounds are of these, their multiranges, and the arrays of both."""
    found: list[int] = []
    for made in scope.catalog.using(*of_it):
        if isinstance(made, RangeType) and made.subtype.oid in of_it:
            multi = scope.catalog.get(made.multirange_oid)
            assert isinstance(multi, MultirangeType)
            found += (made.oid, made.array_oid, multi.oid, multi.array_oid)
    return found


def _refuse_used(scope: Scope, found: CompositeType, *, rewritable: bool) -> None:
    """Raises 0A000 where a column, or a type that a column may be of, is made of the type.

    `rewritable`: columns of tables that are of the type itself will be written anew.
    """
    of_it = (found.oid, found.array_oid)
    within = _ranges_over(scope, of_it)
    for thing in _made_of(scope, *of_it, *within):
        for column in thing.columns:
            if column.type.oid in within:
                raise PlanError(
                    "0A000",
                    f'cannot alter type "{found.name}" because ranges of it are in column "{thing.name}.{column.name}"',
                )
            written_anew = rewritable and isinstance(thing, Table) and column.type.oid == found.oid
            written_anew = written_anew and not _is_within_others(scope, thing)
            if column.type.oid in of_it and not written_anew:
                shown = types.format_type(column.type).removesuffix("[]")
                raise PlanError(
                    "0A000",
                    f'cannot alter type "{shown}" because column "{thing.name}.{column.name}" uses it',
                )
