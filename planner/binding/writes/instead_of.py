"""Writing to a view whose INSTEAD OF triggers say how: the rows that the statement is of are the view's own.

    UPDATE v SET a = a + 1 WHERE b > 2

    SELECT r1._rid, r1.a + 1 AS a, r1.b AS b, r1.a AS "old 0", r1.b AS "old 1"
    FROM (SELECT row_number() OVER () AS _rid, c0 AS a, c1 AS b FROM (the view's query)) AS r1 WHERE r1.b > 2

Any view will do. Such a trigger decides alone, whether the view could be written through or not, as in PostgreSQL. A view that can be
written and is over such a view shows its rows (`updatable_views`).
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final

from planner import triggers
from planner.abc import Table
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Frag, join, quote_name, sql
from planner.binding.scope import Relation, RelationColumn
from planner.catalog import View
from planner.relations import ViewRows, typed

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

_EVENTS: Final = {
    "insert into": triggers.INSERT,
    "update": triggers.UPDATE,
    "delete from": triggers.DELETE,
}


def handles(view: View, what: str) -> bool:
    """Whether the view has a trigger for it. `what`: "insert into", "update" or "delete from"."""
    event = _EVENTS.get(what, 0)
    return any(x.bits & triggers.INSTEAD and x.bits & event for x in view.triggers)


def rows_of(view: View) -> ViewRows:
    plain = view.as_table()
    return ViewRows(**{f.name: getattr(plain, f.name) for f in fields(Table)})


class Target:
    """A view that its triggers write."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.rows = rows_of(view)
        self.source: Frag = sql("")
        """The text of the rows that UPDATE and DELETE look at."""

    def relation(self, queries: QueryBinder, alias: str) -> Relation:
        """The view's rows, numbered."""
        bound = queries.view_query(self.view)
        number = queries.next_relation()
        names = [quote_name(c.name) for c in self.view.columns]
        cells = join(", ", [f"c{i} AS {name}" for i, name in enumerate(names)])
        self.source = sql(
            "(SELECT row_number() OVER () AS _rid, ", cells, " FROM (", bound.frag, ") AS seen)"
        )
        queries.declare(number, [EmittedColumn(n, f) for n, f in zip(names, bound.forms, strict=True)])
        columns = [
            RelationColumn(c.name, typed(c), self.view.oid, c.attnum, collation=b.collation)
            for c, b in zip(self.view.columns, bound.columns, strict=True)
        ]
        return Relation(number, alias, columns)


__all__ = ["Target", "handles", "rows_of"]
