"""`tidewire_changes('t', after, upto)` in FROM: what was committed to a table in (after, upto], row by row.

    _change        insert or delete; an UPDATE is a deletion of the old row and an insertion of the new one
    _commit_ts     the log's timestamp of the commit (microseconds since 1970), one for each transaction
    ...            the table's columns: of the row that came, or of the one that went

The arguments are written out, for the columns must be known when the statement is planned: the table's name as
in FROM, then timestamps of the log; NULL as the last is everything that the statement may see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from planner import partitioning
from planner import types as t
from planner.abc import ChangesUse, PlanError, Slot, TypeRef
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import quote_name, sql
from planner.binding.from_items import Source
from planner.binding.naming import identifier
from planner.binding.numeric_forms import column_form
from planner.binding.scope import Relation, RelationColumn, StarColumn
from planner.catalog.foreign_objects import unreachable
from planner.catalog.names import split_name
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding import ir  # noqa: F401
    from planner.binding.queries import QueryBinder
    from planner.binding.sources import SourceBinder

NAME = "tidewire_changes"
COLUMNS = (("_change", t.TEXT), ("_commit_ts", t.INT8))


def source(
    queries: QueryBinder, call: exp.Anonymous, alias: exp.Expression | None, binder: SourceBinder
) -> Source:
    """The FROM item. Raises 42883 for other arguments, 42P01 for an unknown table."""
    from planner.binding.ir import Var

    given = list(call.expressions)
    position = first_position(call)
    if len(given) != 3 or not isinstance(given[0], exp.Literal) or not given[0].is_string:
        raise PlanError(
            "42883",
            f"{NAME} takes a table's name and two timestamps of the log, written out",
            hint=f"{NAME}('orders', 1767268800000000, NULL)",
            position=position,
        )
    after, upto = _timestamp(given[1], position), _timestamp(given[2], position)
    if after is None or (upto is not None and upto < after):
        raise PlanError("22023", f"{NAME}: the changes after which time, up to which?", position=position)
    schema, name = split_name(given[0].this)
    table = queries.ctx.catalog.resolve_table(name, schema, queries.search_path, position)
    if table.row_security:
        from planner.binding.rights import row_security

        row_security.refuse(queries, table, "reading the changes")
    if table.foreign is not None:
        raise unreachable(queries.ctx.catalog, table)
    partitioning.refuse(table, "the change feed")
    number = queries.next_relation()
    columns = [RelationColumn(n, TypeRef(oid)) for n, oid in COLUMNS]
    columns += [RelationColumn(c.name, c.type, table.oid, c.attnum, c.hidden) for c in table.columns]
    shown = identifier(alias.this) if alias is not None and alias.this is not None else NAME
    relation = Relation(number, shown, columns)
    binder.rename(relation, alias)
    slot = f"h{number}"
    queries.system.append(ChangesUse(slot, table, after, upto))
    emitted = [EmittedColumn(quote_name(n)) for n, _ in COLUMNS]
    emitted += [EmittedColumn(quote_name(c.name), column_form(c.type)) for c in table.columns]
    queries.declare(number, emitted)
    star = [
        StarColumn(c.name, Var(c.type, number, i), c) for i, c in enumerate(relation.columns) if not c.hidden
    ]
    return Source(sql(Slot(slot), f" AS r{number}"), [relation], star)


def _timestamp(node: exp.Expression, position: int) -> int | None:
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.Literal) and not node.is_string and str(node.this).isdigit():
        return int(node.this)
    raise PlanError("22023", f"{NAME} takes timestamps of the log as plain numbers", position=position)
