"""What says a field of a composite type, or of a table's rows as values: views, functions, CHECKs, defaults, generated columns and indexes.

    CREATE VIEW v AS SELECT (t.pair).low FROM t      ALTER TYPE pair DROP ATTRIBUTE low      2BP01, or the view goes as well

Whether an expression says it, and not a column of the same name, is seen when it is written out with the field called
otherwise: the one text differs from the other.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from planner.abc import Oid, PlanError, SqlError, Table, TypeRef
from planner.binding.deparse import view_text
from planner.binding.deparse.expressions import NotWritable
from planner.binding.deparse.view_expressions import Renaming
from planner.catalog import CompositeType, Domain
from planner.catalog.stored_queries import stored_queries
from planner.catalog.system.definitions import qualified, type_name
from planner.ddl import drop
from planner.ddl.constraints import definitions as constraints
from planner.ddl.dependencies import removal, renamed_in_queries
from planner.ddl.dependencies.columns_named import mentions
from planner.ddl.dependencies.dependents import Dependent
from planner.ddl.scope import Scope, describe


def free(scope: Scope, found: CompositeType, name: str, cascade: bool) -> None:
    """Everything that says the field goes with CASCADE. Raises 2BP01 without, 0A000 for generated columns."""
    shown = describe(found, scope.catalog, scope.search_path).replace("type", "composite type", 1)
    on = f"column {name} of {shown}"
    using = list(using_field(scope, found, (found.oid, found.array_oid), name, on))
    if using and not cascade:
        raise drop.needed(on, [(d.shown(scope), on) for d in using])
    refuse_generated(using, f'dropping attribute "{name}" of type {found.name}')
    drop.tell(scope, [d.shown(scope) for d in using])
    let_go(scope, using)


def refuse_generated(using: Sequence[Dependent], doing: str) -> None:
    """Raises 0A000 where a column is generated from the field: its table would be written anew twice."""
    for d in using:
        if d.column is not None and not d.default_only:
            assert isinstance(d.thing, Table)
            raise PlanError(
                "0A000",
                f'{doing} is not supported while column "{d.column.name}" of table "{d.thing.name}" is generated from it',
            )


def let_go(scope: Scope, using: Sequence[Dependent]) -> None:
    """What says the field goes, but generated columns."""
    for d in using:
        if not d.is_whole:
            removal.remove_part(scope, d)
    if whole := [d.thing for d in using if d.is_whole]:
        drop.remove_all(scope, whole, True)


def using_field(
    scope: Scope, found: CompositeType | Table, of_it: tuple[Oid, Oid], name: str, on: str
) -> Iterator[Dependent]:
    """What says a field of a type, or a table whose rows are values, whose OID and whose array's are `of_it`. `on`: what the field is called."""
    otherwise = Renaming(found.oid, old_column=name, new_column=f"{name}_")
    says = functools.partial(_says, scope, found, of_it, otherwise)
    for table in scope.catalog.objects(Table):
        for column in table.columns:
            if column.default and not column.hidden and says(table, column.default):
                yield Dependent(table, on, column=column, default_only=not column.generated)
        for c in table.constraints:
            if c.kind == "c" and says(table, c.expression):
                yield Dependent(table, on, constraint=c)
        for index in scope.catalog.indexes_of(table.oid):
            if any(says(table, text) for text in index.texts):
                yield Dependent(index, on)
    for domain in scope.catalog.objects(Domain):
        value = f"(SELECT CAST(NULL AS {_type_name(scope, domain.base)})) AS tw_domain(value)"
        for c in domain.constraints if domain.base.oid == of_it[0] else ():
            if mentions(c.expression, name) and _differs(
                scope, f"SELECT {c.expression} FROM {value}", found, otherwise
            ):
                yield Dependent(domain, on, constraint=c)
    reading = [k for k in stored_queries(scope.catalog) if mentions(k.query, name)]
    before = renamed_in_queries.all_anew(scope, reading, Renaming(found.oid), found)
    after = renamed_in_queries.all_anew(scope, reading, otherwise, found)
    for (kept, text), (_, query) in zip(before, after, strict=True):
        if text != query:
            yield Dependent(kept.holder, on)


def _says(
    scope: Scope, found: CompositeType | Table, of_it: tuple[Oid, Oid], otherwise: Renaming, table: Table, expression: str
) -> bool:  # fmt: skip
    """Whether an expression over a table's rows says the field."""
    if not mentions(expression, otherwise.old_column):
        return False
    if not any(c.type.oid in of_it for c in table.columns) and not mentions(expression, found.name):
        return False
    return _differs(
        scope, f"SELECT {expression} FROM {constraints.qualified(scope, table)}", found, otherwise
    )


def _differs(scope: Scope, query: str, found: CompositeType | Table, otherwise: Renaming) -> bool:
    try:
        return _written(scope, query, Renaming(found.oid)) != _written(scope, query, otherwise)
    except (NotWritable, SqlError):
        return True  # nobody knows


def _written(scope: Scope, query: str, renaming: Renaming) -> str:
    kinds = functools.partial(_type_name, scope)
    shown = functools.partial(qualified, scope.catalog, search_path=())
    return view_text.query_text(scope.context(), query, ["x"], kinds, shown, pretty=True, renaming=renaming)


def _type_name(scope: Scope, ref: TypeRef) -> str:
    return type_name(scope.catalog, ref, ())


__all__ = ["free", "let_go", "refuse_generated", "using_field"]
