"""A block that has given a table other columns in place (`executor.ddl.in_place`), and now writes to it.

Rows of two definitions cannot be in one image before it is known that the block commits. So the table is written anew, in the
block, before the first statement that may write to it: what it would have been at once if others had not been spared it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from executor.ddl.shape import same_columns
from executor.session.blocks.block import Block
from planner import statements as st
from planner.abc import Plan, StatementKind, Table, Utility, statement_reads
from planner.catalog import CatalogChange, quote_identifier, quote_qualified
from planner.ddl.plan import DdlPlan, Rewrite
from planner.ddl.tables.creation import shard_of

if TYPE_CHECKING:
    from executor.session.session import Session

_RUNS_ANYTHING: Final = (st.Do, st.Call, st.Copy)


async def before(session: Session, block: Block, plan: Plan) -> None:
    """Before a statement of a block that has altered tables."""
    store = session.executor.store
    shaped = [t for shard, t in block.altered.items() if not same_columns(store.image(shard).table, t)]
    if not shaped or not _may_write(plan, shaped):
        return
    from executor.ddl import run

    for table in shaped:
        await run.apply(session, block, _anew(session, session.catalog.table(table.oid)))


def _may_write(plan: Plan, shaped: list[Table]) -> bool:
    """Whether a statement may write to one of these tables, or runs what may."""
    if isinstance(plan.body, Utility):
        said = plan.body.statement
        if isinstance(
            said, st.Rewritten
        ):  # its steps know NEW and OLD by it alone, and are not planned again by themselves
            return any(_may_write(step.plan, shaped) for step in said.steps)
        return isinstance(said, _RUNS_ANYTHING)
    if "runs" in plan.extra:
        return True
    if plan.kind is StatementKind.READ:
        return False
    oids = {t.oid for t in shaped}
    return any(t.oid in oids or t.triggers or t.referenced_by for t in statement_reads(plan))


def _anew(session: Session, table: Table) -> DdlPlan:
    """The table's rows as they are, in a shard of their own."""
    context = session.ddl_context(session.catalog)
    catalog = context.catalog
    columns = tuple(dataclasses.replace(c, missing="") for c in table.columns)
    shard = f"{shard_of(table.oid)}_{session.executor.env.rids.next()}"
    fresh = dataclasses.replace(table, shard=shard, columns=columns)
    change = CatalogChange(table, fresh)
    name = quote_qualified(catalog.schema_of(table.schema_oid).name, table.name)
    cells = ", ".join(quote_identifier(c.name) for c in table.columns) or "NULL"
    rewrite = Rewrite(table, fresh, f"SELECT {cells} FROM ONLY {name}", session.catalog)
    return DdlPlan("", session.catalog.with_changes([change]), [change], rewrites=[rewrite])


__all__ = ["before"]
