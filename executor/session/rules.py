"""Statements that rules rewrite (`planner.binding.writes.rules`): what is run for them, in order, in one transaction.

    UPDATE v ...   [INSERT INTO log ..., UPDATE base ...]   "UPDATE 2": the count of the one that stands for it

What a SELECT among them finds is nobody's answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from executor.abc import ExecutionError, Result, Rows, Stream
from executor.procedural.texts import rows_of
from planner import statements as st
from planner.abc import Plan, Utility
from storage.abc import Datum
from txn.abc import SerializationFailure

if TYPE_CHECKING:
    from executor.session.session import Session


async def run(
    session: Session, plan: Plan, s: st.Rewritten, params: Sequence[Datum], autocommit: bool
) -> Rows:
    if session.settings.replica:  # which rules are heeded then is not what they were planned with
        raise ExecutionError(
            "0A000", "writing relations with rules under session_replication_role = replica is not supported"
        )
    if session.block is not None:
        return await _steps(session, plan, s, tuple(params))
    attempts = session.executor.limits.retries_max
    while True:
        block = session.open_block(implicit=True)
        block.again = attempts < session.executor.limits.retries_max
        try:
            result = await _steps(session, plan, s, tuple(params))
            await session.commit()
            return result
        except SerializationFailure:
            attempts -= 1
            session.rollback()
            if not attempts:
                raise
            await asyncio.sleep(0)
        except BaseException:
            session.rollback()
            raise


async def _steps(session: Session, plan: Plan, s: st.Rewritten, params: tuple[Datum, ...]) -> Rows:
    count, found = 0, Rows(s.verb)
    for step in s.steps:
        result = await session.run_plan(step.plan, params, autocommit=False)
        rows = await _all(result)
        if step.counts:
            count = int(rows.tag.rpartition(" ")[2])
        if step.returns:
            found = rows
    tag = f"INSERT 0 {count}" if s.verb == "INSERT" else f"{s.verb} {count}"
    return Rows(tag, plan.columns, found.rows if plan.columns is not None else ())


async def _all(result: Result) -> Rows:
    if isinstance(result, Stream):
        return Rows(result.tag, result.columns, [tuple(row) async for row in rows_of(result)])
    assert isinstance(result, Rows)  # no rule copies
    return result


def refuse(plan: Plan, what: str) -> None:
    """Raises 0A000 for a statement that rules rewrite, where that cannot be."""
    if isinstance(plan.body, Utility) and isinstance(plan.body.statement, st.Rewritten):
        raise ExecutionError("0A000", f"{plan.body.statement.kinds} are not supported for {what}")


__all__ = ["refuse", "run"]
