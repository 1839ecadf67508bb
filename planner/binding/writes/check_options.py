"""WITH CHECK OPTION: what is written through a view must be a row that the view shows.

    CREATE VIEW adults AS SELECT * FROM people WHERE age >= 18 WITH CHECK OPTION

    INSERT INTO adults ...      writes people with one more constraint:   (age >= 18) IS TRUE      44000

The statement's table is another form of the catalog's: the same shard and columns, and behind its own constraints one
of kind "w" for each view whose rows are asked for. So every way of writing rows asks them as it asks a CHECK. LOCAL
means the view's own condition, CASCADED those of the views under it as well; each is said in the table's columns, as a
CHECK is kept, and so one that cannot be said so (a subquery in it) is refused.
"""

from __future__ import annotations

from dataclasses import fields, replace
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
from planner.relations import VIEW_CHECK, GuardedTable, ViewRows

_REMEMBERED_MAX: Final = 1_024
_remembered: Remembered[tuple[Table, Table]] = Remembered(_REMEMBERED_MAX)
"""By catalog, view and table: the table, and its form. One form for all statements, so that its rules are compiled once."""


def guarded(ctx: Any, target: ViewTarget) -> Table:
    """The table of a view with what the view asks of new rows. Raises 0A000 for conditions that are no CHECK's."""
    asked = _asked(target)
    if not asked:
        return target.table

    def made(seen: Catalog) -> tuple[Table, Table]:
        # PostgreSQL looks at the views nearest to the table first.
        checks = [_check(replace(ctx, catalog=seen), target, level) for level in reversed(asked)]
        said = {f.name: getattr(target.table, f.name) for f in fields(Table)}
        said["constraints"] = (*target.table.constraints, *checks)
        if isinstance(target.table, ViewRows):
            return target.table, ViewRows(**said)
        return target.table, GuardedTable(**said, base=target.table, view_oid=target.view.oid)

    key = ctx.catalog.version, target.view.oid, id(target.table)
    return _remembered.of(ctx.catalog, key, made)[1]


def _asked(target: ViewTarget) -> list[ViewTarget]:
    """The views whose conditions hold for new rows, the outermost first."""
    asked, all_below = [], False
    for level in target.levels():
        option = level.view.check_option
        all_below = all_below or option == "cascaded"
        if level.where is not None and (all_below or option):
            asked.append(level)
    return asked


def _check(ctx: Any, target: ViewTarget, level: ViewTarget) -> Constraint:
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
        raise PlanError(
            "0A000",
            f'WITH CHECK OPTION of view "{level.view.name}" is not supported, for its condition is no expression over one row',
        ) from None
    return Constraint(level.view.oid, level.view.name, VIEW_CHECK, (), f"({said}) IS TRUE")


__all__ = ["guarded"]
