"""Names that say a database: of another one than that at hand nothing can be had.

    SELECT * FROM other.public.films      0A000: cross-database references are not implemented: "other.public.films"
    DROP TABLE other.public.films         the same; films of this database stays

Who says the database at hand says nothing by it. PostgreSQL looks at a name when it looks it up, and quotes those of relations;
here the whole statement is looked through before it is bound, what is in FROM and what is written first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from sqlglot import exp

from planner import statements as st
from planner.binding.naming import identifier, lowered
from planner.catalog import Catalog
from planner.catalog.names import elsewhere
from planner.parse import position as first_position

_THREE_PARTS: Final = re.compile(r'\.\s*(?:"(?:[^"]|"")*"|[^\W\d][\w$]*)\s*\.')
_ROUTINES: Final = (st.CreateFunction, st.CreateAggregate, st.CreateOperator, st.CreateCast)
_TYPES: Final = (st.CreateEnum, st.CreateDomain, st.CreateRange, st.CreateCollation, st.CreateConversion)
_OF_RELATIONS: Final = (
    "table", "view", "materialized view", "foreign table", "index", "sequence", "column", "constraint", "trigger", "rule", "policy",
)  # fmt: skip


def refuse(tree: exp.Expression, text: str, catalog: Catalog) -> None:
    """Raises 0A000 for the first name in a query that says another database."""
    if _THREE_PARTS.search(text) is None:
        return
    found = list(tree.find_all(exp.Table, exp.Column, exp.Dot, exp.Collate))
    for node in sorted(found, key=lambda n: not isinstance(n, exp.Table)):
        path, position = _path(node, text)
        if len(path) < 3:
            continue
        if path[0] != catalog.here:
            raise elsewhere(path, relation=_is_relation(node), position=position)
        if isinstance(node.parent, exp.DataType):
            node.set("this", node.this.expression)


def _is_relation(node: exp.Expression) -> bool:
    return isinstance(node, exp.Table) and not isinstance(node.this, exp.Anonymous)


def _path(node: exp.Expression, text: str) -> tuple[list[str], int]:
    """The parts of a name that says a database, and where it stands (0 for a type's); no parts for one that says none."""
    if isinstance(node, exp.Dot):
        called = node.expression
        if not (isinstance(node.this, exp.Dot) and isinstance(called, exp.Anonymous | exp.Identifier)):
            return [], 0
        first, second = node.this.this, node.this.expression
        in_type = isinstance(node.parent, exp.DataType)
        if not isinstance(first, exp.Identifier) or isinstance(called, exp.Identifier) != in_type:
            return [], 0
        named = called if isinstance(called, exp.Identifier) else called.this
        return [identifier(x) for x in (first, second, named)], 0 if in_type else first_position(first)
    position = 0
    if isinstance(node, exp.Collate):
        column = node.expression
        if not isinstance(column, exp.Column) or column.args.get("db") is None:
            return [], 0
        said = [column.args[part] for part in ("db", "table", "this")]
        position = lowered(text).rfind("collate", 0, first_position(said[0])) + 1
    elif node.args.get("catalog") is None or _is_assigned(node):
        return [], 0
    else:
        said = [
            node.args[part] for part in ("catalog", "db", "table", "this") if node.args.get(part) is not None
        ]
    called = [part.this if isinstance(part, exp.Anonymous) else part for part in said]
    words = ["*" if isinstance(part, exp.Star) else identifier(part) for part in called]
    return words, position or first_position(said[0])


def _is_assigned(node: exp.Expression) -> bool:
    """Whether it is a target of SET, whose names are a column and fields within fields: `SET place.street.house.number = 1`."""
    above = node.parent
    while (isinstance(above, exp.Bracket | exp.Dot) and node.arg_key == "this") or isinstance(
        above, exp.Tuple
    ):
        node, above = above, above.parent
    return (
        isinstance(above, exp.EQ)
        and node.arg_key == "this"
        and isinstance(above.parent, exp.Update | exp.OnConflict)
    )


def refuse_in(statement: Any, text: str, catalog: Catalog) -> None:
    """The same of a statement that is no query."""
    if _THREE_PARTS.search(text) is None:
        return
    relations = not isinstance(statement, _ROUTINES + _TYPES) and (
        str(getattr(statement, "kind", "table")).removesuffix("s") in _OF_RELATIONS
    )
    for named in _names(statement):
        if isinstance(named, st.TypeName):
            if len(named.names) > 2 and not named.copied and named.names[0] != catalog.here:
                raise elsewhere(named.names)
        elif named.database not in ("", catalog.here):
            made = isinstance(statement, st.CreateTable) and named is statement.name
            position = named.position if made else 0
            raise elsewhere((named.database, named.schema, named.name), relation=relations, position=position)


def _names(said: Any) -> Iterator[st.Name | st.TypeName]:
    if isinstance(said, st.Name | st.TypeName):
        yield said
    elif is_dataclass(said):
        for f in fields(said):
            yield from _names(getattr(said, f.name))
    elif isinstance(said, Sequence) and not isinstance(said, str | bytes):
        for part in said:
            yield from _names(part)


__all__ = ["refuse", "refuse_in"]
