"""Reading the past: `SELECT ... AS OF TIMESTAMP x`, `BEGIN ... AS OF TIMESTAMP x`.

    x is a timestamptz       2026-01-01 12:00+00, now() - interval '5 minutes'
      or a log timestamp     1767268800000000, as EXPLAIN TIMESTAMP shows it

History is kept from `since` on; an older time is refused and the message says from when.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from executor.abc import ExecutionError, Result, Rows
from executor.session.arguments import evaluate
from executor.session.block import Block
from planner import statements as st
from planner import types as t
from planner.abc import Plan, Query, TypeRef
from storage.abc import Datum, Timestamp

if TYPE_CHECKING:
    from executor.session.session import Session


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


async def run(
    session: Session, plan: Plan, s: st.SelectAsOf, params: Sequence[Datum], autocommit: bool
) -> Result:
    """A SELECT as of a time of its own, whatever the block's snapshot is."""
    at = plan.extra.get("as_of")
    if isinstance(at, int):
        ts = await readable(session, at)
    elif isinstance(at, Plan):
        result = await session.run_plan(at, (), session.block is None)
        assert isinstance(result, Rows)
        ts = await _of_datum(session, result.rows[0][0])
    else:
        ts = await timestamp_of(session, s.at.text)
    inner: Plan = plan.extra["query"]
    outer = session.block
    block = Block(session.executor, "repeatable read", True, True, session.now_us(), as_of=ts)
    session.block = block
    try:
        compiled = session.compiled(inner)
        body = compiled.plan.body
        if isinstance(body, Query):
            from executor.session import queries

            return await queries.read(session, None, inner, body, params, as_of=ts)
        return await session.run_in(block, compiled, inner, tuple(params))
    finally:
        if block.txn is not None:
            block.txn.rollback()
        session.block = outer
