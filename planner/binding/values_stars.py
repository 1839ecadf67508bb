"""Stars in the rows of VALUES: `VALUES (NEW.*)` of a trigger, of a record in PL/pgSQL, or of a relation around it.

INSERT INTO archive VALUES (TG_OP, NEW.*)   ->   INSERT INTO archive VALUES (TG_OP, NEW."id", NEW."v")
VALUES ((r).*)                              ->   VALUES ((r)."id", (r)."v")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder
    from planner.binding.scope import Scope


def _is_star(item: exp.Expression) -> bool:
    if isinstance(item, exp.Column):
        return isinstance(item.this, exp.Star) and item.args.get("table") is not None
    return isinstance(item, exp.Dot) and isinstance(item.expression, exp.Star)


def items_of(row: exp.Expression) -> list[exp.Expression]:
    """The expressions of a row of VALUES."""
    if isinstance(row, exp.Tuple):
        return list(row.expressions)
    return [row.this if isinstance(row, exp.Paren) else row]


def spread(queries: QueryBinder, values: exp.Values, scope: Scope) -> exp.Values:
    """The same with each field in a star's place. Raises 42P01, 42809."""
    if not any(_is_star(item) for row in values.expressions for item in items_of(row)):
        return values
    made = values.copy()
    for row in list(made.expressions):
        items = items_of(row)
        if any(_is_star(item) for item in items):
            fields = [field for item in items for field in _fields(queries, item, scope)]
            row.replace(exp.Tuple(expressions=fields))
    return made


def _fields(queries: QueryBinder, item: exp.Expression, scope: Scope) -> list[exp.Expression]:
    if not _is_star(item):
        return [item]
    names = [exp.to_identifier(found.name, quoted=True) for found in queries.targets([item], scope)]
    if isinstance(item, exp.Column):
        return [exp.Column(this=name, table=item.args["table"].copy()) for name in names]
    return [exp.Dot(this=item.this.copy(), expression=name) for name in names]


__all__ = ["items_of", "spread"]
