"""WITH CHECK OPTION: what is written through a view must be a row that the view shows.

    CREATE VIEW adults AS SELECT * FROM people WHERE age >= 18 WITH CHECK OPTION

    INSERT INTO adults ...      writes people with one more constraint:   (age >= 18) IS TRUE      44000

The statement's table is another form of the catalog's: the same shard and columns, and behind its own constraints one
of kind "w" for each view whose rows are asked for. So every way of writing rows asks them as it asks a CHECK. LOCAL
means the view's own condition, CASCADED those of the views under it as well; each is said in the table's columns, as a
CHECK is kept. One that cannot be said so (a subquery in it) is asked of the rows that a statement writes by a query, as policies
are (`secured_rows`).
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from planner.abc import Constraint, PlanError, Table
from planner.binding.deparse.expressions import NotWritable, Writer
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.writes import updatable_views
from planner.binding.writes.dml import DmlBinder
from planner.binding.writes.updatable_views import ViewTarget
from planner.catalog import Catalog
from planner.catalog.reads import Remembered
from planner.catalog.system.definitions import type_name
from planner.records import replace
from planner.relations import VIEW_CHECK, GuardedTable, ViewRows

_REMEMBERED_MAX: Final = 1_024
_remembered: Remembered[tuple[Table, Table, tuple[str, ...]]] = Remembered(_REMEMBERED_MAX)
"""By catalog, view and table: the table, its form, and which views' conditions are no CHECK's. One form for all statements, so that its rules are compiled once."""


def guarded(ctx: Any, target: ViewTarget) -> Table:
    """The table of a view with what the view asks of new rows, as far as a CHECK can say it."""
    return _form(ctx, target)[1]


def beyond(ctx: Any, target: ViewTarget) -> list[ViewTarget]:
    """The views that ask more of new rows than a CHECK can say, those nearest to the table first."""
    names = _form(ctx, target)[2]
    return [level for level in reversed(_asked(target)) if level.view.name in names] if names else []


def _form(ctx: Any, target: ViewTarget) -> tuple[Table, Table, tuple[str, ...]]:
    asked = _asked(target)
    if not asked:
        return target.table, target.table, ()

    def made(seen: Catalog) -> tuple[Table, Table, tuple[str, ...]]:
        # PostgreSQL looks at the views nearest to the table first.
        known = [(level, _check(replace(ctx, catalog=seen), target, level)) for level in reversed(asked)]
        others = tuple(level.view.name for level, check in known if check is None)
        checks = [check for _, check in known if check is not None]
        said = {f.name: getattr(target.table, f.name) for f in fields(Table)}
        said["constraints"] = (*target.table.constraints, *checks)
        if isinstance(target.table, ViewRows):
            if others:
                raise PlanError(
                    "0A000",
                    f'WITH CHECK OPTION of view "{others[0]}" is not supported, for it is over a view with triggers and its condition '
                    "is no expression over one row",
                )
            return target.table, ViewRows(**said), ()
        return target.table, GuardedTable(**said, base=target.table, view_oid=target.view.oid), others

    key = ctx.catalog.version, target.view.oid, id(target.table)
    return _remembered.of(ctx.catalog, key, made)


def _asked(target: ViewTarget) -> list[ViewTarget]:
    """The views whose conditions hold for new rows, the outermost first."""
    asked, all_below = [], False
    for level in target.levels():
        option = level.view.check_option
        all_below = all_below or option == "cascaded"
        if level.where is not None and (all_below or option):
            asked.append(level)
    return asked


def _check(ctx: Any, target: ViewTarget, level: ViewTarget) -> Constraint | None:
    """A view's condition as a CHECK; None: it is no expression over one row."""
    queries = QueryBinder(ctx, level.view.query, Parameters((), None))
    queries.routines.expand = False
    binder = DmlBinder(queries)
    relation = binder.relation(target.table, target.table.name, of_table=False)
    node = updatable_views.condition(binder, level, relation)
    # Where a literal stood is told of one text only, and the condition may show columns of another view.
    text = "" if isinstance(level.source, ViewTarget) else level.view.query
    writer = Writer(
        [c.name for c in target.table.columns], text, lambda ref: type_name(ctx.catalog, ref, ()), False
    )
    writer.catalog = ctx.catalog
    try:
        said = writer.top(node)
    except NotWritable:
        return None
    return Constraint(level.view.oid, level.view.name, VIEW_CHECK, (), f"({said}) IS TRUE")


__all__ = ["beyond", "guarded"]
