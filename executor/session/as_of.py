"""Reading the past: `SELECT ... AS OF TIMESTAMP x`, `BEGIN ... AS OF TIMESTAMP x`.

    x is a timestamptz       2026-01-01 12:00+00, now() - interval '5 minutes'
      or a log timestamp     1767268800000000, as EXPLAIN TIMESTAMP shows it

History is kept from `since` on; an older time is refused and the message says from when.

The statement is planned with the **catalog of then** (`executor.past`). Planning cannot wait, and that catalog may have to
be read first, or the time to be computed; so the session says `PastNotReached`, is `behind`, and whoever plans on behalf
of a client asks it to catch up and plans again, as for the DDL of other servers.

    AS OF TIMESTAMP 1767268800000000     always the same catalog
    AS OF TIMESTAMP now() - ...          computed for planning, and again for each execution, which may be another catalog:
                                         planned anew then, and refused if the columns of the result are not the same
    BEGIN ... AS OF, tidewire.as_of      the block's, the session's
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from executor.abc import ExecutionError, Result, Rows
from executor.catalogs import CATALOG_SHARD
from executor.keyed.plans import CompiledPlan
from executor.session.arguments import evaluate
from executor.session.blocks.block import Block
from planner import statements as st
from planner import types as t
from planner.abc import Plan, PlanError, Query, SqlError, Table, TypeRef
from planner.catalog import Catalog
from planner.plan_context import PlanContext
from storage.abc import Datum, Timestamp

if TYPE_CHECKING:
    from executor.session.session import Session


class PastNotReached(PlanError):
    """A statement names a time whose catalog is not at hand. `Session.caught_up` gets it."""

    def __init__(self) -> None:
        super().__init__("40001", "the catalog of the time that is asked for has to be read first")


@dataclass(slots=True)
class Reached:
    """What the last AS OF came to that could not be planned: an expression's time is good for planning once."""

    text: str
    catalog: Catalog


def reading_at(session: Session, text: str) -> PlanContext:
    """In which context a query is planned that is AS OF this. Raises PastNotReached."""
    context, bare = session.context(), text.strip()
    reached, session.reached = session.reached, None
    if reached is not None and reached.text == text:
        catalog: Catalog | None = reached.catalog
    elif bare.isdigit():
        catalog = session.executor.past.known(int(bare), session.database)
    else:
        catalog = None
    if catalog is None:
        if session.block is None or not session.block.failed:
            session.wanted = text
        raise PastNotReached
    if catalog is context.catalog:
        return context
    return dataclasses.replace(context, catalog=catalog, reading_at=None, partition=None)


def is_behind(session: Session) -> bool:
    """Whether planning may lack the catalog of a time that this session reads at."""
    if session.wanted is not None:
        return True
    if _overtaken(session):
        return True
    try:
        return (
            session.pinned is not None
            and session.executor.past.known(session.pinned, session.database) is None
        )
    except PlanError:
        return False


def _overtaken(session: Session) -> bool:
    """Whether this is a block in the past that began with today's catalog, and that has changed since."""
    block = session.block
    return (
        block is not None
        and block.as_of is not None
        and block.catalog is None
        and block.as_of < session.executor.env.last_write(CATALOG_SHARD)
    )


async def reach(session: Session) -> bool:
    """Gets the catalog that planning lacked. Whether there is another one to plan with now."""
    text, session.wanted = session.wanted, None
    if text is not None:
        ts = await timestamp_of(session, text)
        session.reached = Reached(text, await session.executor.past.at(ts, session.database))
        return True
    if not is_behind(session):
        return False
    block = session.block
    try:
        if block is not None and block.as_of is not None and _overtaken(session):
            await look(session, block, block.as_of)
            return True
        assert session.pinned is not None
        await readable(session, session.pinned)
        await session.executor.past.at(session.pinned, session.database)
    except SqlError:
        return False  # the first query is told; until then the setting can be taken back
    return True


async def look(session: Session, block: Block | None, ts: Timestamp) -> None:
    """Before each statement of a block or session in the past: the catalog of then, settled against today's."""
    catalog = await session.executor.past.at(ts, session.database)
    if block is not None and (block.catalog is not None or session.pinned != block.as_of):
        block.catalog = catalog if catalog.past or session.pinned is not None else None


async def readable(session: Session, ts: Timestamp) -> Timestamp:
    """Checks that the log's timestamp can be read, and waits for one of this very moment."""
    env = session.executor.env
    if ts < env.holds.since:
        kept = t.output_text(env.holds.since, TypeRef(t.TIMESTAMPTZ), session.type_settings)
        raise ExecutionError(
            "22023",
            "the timestamp is older than the history that is kept",
            detail=f"History is kept from {kept} (timestamp {env.holds.since}) on.",
        )
    if ts > env.oracle.read_ts():
        try:
            await env.readable(ts)
        except ValueError:
            raise ExecutionError("22023", "the timestamp lies in the future") from None
    return ts


async def timestamp_of(session: Session, text: str) -> Timestamp:
    """The timestamp that an AS OF expression means. Raises 22023."""

    bare = text.strip()
    if bare.isdigit():
        return await readable(session, int(bare))
    value = await evaluate(session, bare, TypeRef(t.TIMESTAMPTZ))
    return await _of_datum(session, value)


async def _of_datum(session: Session, value: Datum) -> Timestamp:
    if value is None or not 0 <= value < (1 << 62):
        raise ExecutionError("22023", "AS OF needs a finite timestamp")
    return await readable(session, int(value))


async def _time(session: Session, plan: Plan, s: st.SelectAsOf) -> Timestamp:
    at = plan.extra.get("as_of")
    if isinstance(at, int):
        return await readable(session, at)
    if isinstance(at, Plan):
        result = await session.run_plan(at, (), session.block is None)
        assert isinstance(result, Rows)
        return await _of_datum(session, result.rows[0][0])
    return await timestamp_of(session, s.at.text)


@asynccontextmanager
async def _begun(
    session: Session, plan: Plan, s: st.SelectAsOf
) -> AsyncIterator[tuple[Timestamp, Block, Plan, CompiledPlan]]:
    """The time that a statement names, its SELECT and that compiled, and a block then, which stands in place of the
    session's own, whatever that one's snapshot is."""
    ts, inner = await _time(session, plan, s), plan.extra["query"]
    outer = session.block
    block = Block(session.executor, "repeatable read", True, True, session.transaction_began_us(), as_of=ts)
    await look(session, block, ts)
    session.block = block
    try:
        yield ts, block, inner, session.compiled(inner)
    finally:
        if block.txn is not None:
            block.txn.rollback()
        session.block = outer


async def run(
    session: Session, plan: Plan, s: st.SelectAsOf, params: Sequence[Datum], autocommit: bool
) -> Result:
    """A SELECT as of a time of its own."""
    async with _begun(session, plan, s) as (ts, block, inner, compiled):
        body = compiled.plan.body
        if isinstance(body, Query):
            from executor.session import queries

            return await queries.read(session, None, inner, body, params, as_of=ts)
        return await session.run_in(block, compiled, inner, tuple(params))


async def rows(session: Session, plan: Plan, s: st.SelectAsOf, table: Table) -> pa.Table:
    """The same as the rows of a table that is made of them, canonical."""
    from executor.session import queries
    from executor.session.copying import staging

    async with _begun(session, plan, s) as (_, block, inner, compiled):
        body = compiled.plan.body
        if isinstance(body, Query):
            return await queries.arrow(session, block, body, (), [c.type for c in table.columns])
        result = await session.run_in(block, compiled, inner, ())
        assert isinstance(result, Rows)
        return staging.written_rows(table, result.rows).drop_columns(["_rid"])
