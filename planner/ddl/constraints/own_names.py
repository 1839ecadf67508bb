"""What definitions say of their own table: its columns by their names alone, so that the table may be called anything later.

    CREATE TABLE said (a int CHECK (said.a > 0))       kept as  a > 0
    ALTER TABLE said RENAME TO told                             a > 0
    CHECK (said IS NOT NULL)                                    told IS NOT NULL

An expression that is kept with a table (a condition, a generated column, a key or predicate of an index) has that table's
columns in reach and nothing else, so whose a column is goes without saying. Only the whole row has no other name than
the table's: that follows when the table is renamed, and is not copied to another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from sqlglot import exp

from planner.abc import Constraint, PlanError, SqlError, Table
from planner.binding import system_columns
from planner.binding.naming import identifier
from planner.catalog import Index, StatisticsObject, quote_identifier
from planner.ddl import moments
from planner.ddl.scope import Scope
from planner.ddl.types.named_types import with_schemas
from planner.parse.queries import parse_expression
from planner.records import replace

_Edit = tuple[int, int, str]
_Keyed = TypeVar("_Keyed", Index, StatisticsObject)


def kept(scope: Scope, table: Table, text: str) -> str:
    """An expression over a table's columns as its definition keeps it: types with their schemas, dates as values."""
    return with_schemas(scope, moments.frozen(scope, unqualified(scope, table, text), table=table))


def unqualified(scope: Scope, table: Table, text: str) -> str:
    """The expression, its columns without their table's name before them."""
    return _edited(text, _qualifiers(scope, table, text))


def is_own_column(scope: Scope, table: Table, tree: exp.Expression) -> bool:
    """Whether an expression is nothing but a name of a column, its table's before it or not."""
    return (
        isinstance(tree, exp.Column)
        and not isinstance(tree.this, exp.Star)
        and (not tree.table or _is_own(scope, table, tree))
    )


def names_whole_row(scope: Scope, table: Table, text: str) -> bool:
    return any(True for _ in _whole_rows(scope, table, text))


def renamed(scope: Scope, table: Table, name: str) -> Table:
    """The table under a new name, and its indexes and statistics, what they say of its rows included."""

    def follow(text: str) -> str:
        edits = [*_qualifiers(scope, table, text), *_whole_rows(scope, table, text, quote_identifier(name))]
        return _edited(text, edits)

    for index in scope.catalog.indexes_of(table.oid):
        scope.replace(index, _followed(index, follow))
    for counted in scope.catalog.statistics_of(table.oid):
        scope.replace(counted, _followed(counted, follow))
    columns = tuple(
        replace(c, default=follow(c.default)) if c.generated and c.default else c for c in table.columns
    )
    held = tuple(
        replace(c, expression=follow(c.expression)) if c.expression else c for c in table.constraints
    )
    return replace(table, name=name, columns=columns, constraints=held)


def refuse_whole_rows(scope: Scope, table: Table, said: Constraint) -> None:
    """Raises 0A000 for a condition over the whole row, of a table that is not the one where it is to hold."""
    if names_whole_row(scope, table, said.expression):
        raise PlanError(
            "0A000",
            "cannot convert whole-row table reference",
            detail=f'Constraint "{said.name}" contains a whole-row reference to table "{table.name}".',
        )


# --- where the names stand ------------------------------------------------------------------------------


def _followed(thing: _Keyed, follow: Callable[[str], str]) -> _Keyed:
    keys = tuple(replace(k, expression=follow(k.expression)) if k.expression else k for k in thing.keys)
    if isinstance(thing, Index) and thing.predicate:
        return replace(thing, keys=keys, predicate=follow(thing.predicate))
    return replace(thing, keys=keys)


def _columns(table: Table, text: str) -> Iterator[exp.Column]:
    """Every name in the text that could be the table's own; none of a text that nobody can read, which binding says."""
    if table.name.lower() not in text.lower() and '"' not in text:
        return
    try:
        tree = parse_expression(text)
    except SqlError:
        return
    yield from tree.find_all(exp.Column)


def _is_own(scope: Scope, table: Table, node: exp.Column) -> bool:
    """Whether what stands before the column is the table's name, its schema's before that or not."""
    owner, schema = node.args.get("table"), node.args.get("db")
    return (
        owner is not None
        and identifier(owner) == table.name
        and (schema is None or identifier(schema) == scope.catalog.schema_of(table.schema_oid).name)
    )


def _has(table: Table, name: str) -> bool:
    return name in system_columns.NUMBERS or any(c.name == name for c in table.columns)


def _qualifiers(scope: Scope, table: Table, text: str) -> Iterator[_Edit]:
    for node in _columns(table, text):
        named = isinstance(node.this, exp.Identifier) and _has(table, identifier(node.this))
        if named and _is_own(
            scope, table, node
        ):  # else it is a function of the row: that has no shorter name
            first = node.args.get("db") or node.args["table"]
            yield first.meta["start"], node.this.meta["start"], ""


def _whole_rows(scope: Scope, table: Table, text: str, name: str = "") -> Iterator[_Edit]:
    for node in _columns(table, text):
        named = None
        if _is_own(scope, table, node):
            if isinstance(node.this, exp.Star) or not _has(table, identifier(node.this)):
                named = node.args["table"]
        elif not node.table and isinstance(node.this, exp.Identifier):
            alone = identifier(node.this) == table.name and not _has(table, table.name)
            named = node.this if alone else None
        if named is not None:
            first = node.args.get("db") or named
            yield first.meta["start"], named.meta["end"] + 1, name


def _edited(text: str, edits: Iterable[_Edit]) -> str:
    for start, end, made in sorted(edits, reverse=True):
        text = text[:start] + made + text[end:]
    return text
