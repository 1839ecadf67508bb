"""Statements that rules rewrite (`planner.binding.writes.rules`): what is run for them, in order, in one transaction.

    UPDATE v ...   [INSERT INTO log ..., UPDATE base ...]   "UPDATE 2": the count of the one that stands for it

What the SELECTs among them find is the answer as well, where RETURNING asks for none. Their tables are used from the first on, so that who defines one anew waits; what was
defined anew between two of them all the same has the statement rewritten again, for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from executor.abc import ExecutionError, Result, Rows, RowsAfterOthers, Stream
from executor.procedural.result_rows import rows_of
from executor.session.locks import definition_locks, taking_turns
from planner import statements as st
from planner.abc import Plan, StatementKind, Utility, statement_reads
from planner.current_plans import is_current
from planner.relations import ViewRows
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
    return await taking_turns.retried(session, lambda _: _steps(session, plan, s, tuple(params)))


async def _steps(session: Session, plan: Plan, s: st.Rewritten, params: tuple[Datum, ...]) -> Rows:
    count, found = 0, Rows(s.verb)
    selected: list[Rows] = []
    block = session.block
    assert block is not None
    for step in s.steps:
        block.look_through(step.plan.extra.get("views", ()))
        for table in statement_reads(step.plan):
            if isinstance(table, ViewRows):  # which its triggers write
                continue
            block.use(table)
            if step.plan.kind is not StatementKind.READ:
                block.drew_from(table.oid)
    for i in range(len(s.steps)):
        if session.executor.defining:
            await definition_locks.behind(session, s.steps[i].plan)
        if not is_current(s.steps[i].plan, session.catalog):
            s = _anew(session, plan, s)
        step = s.steps[i]
        result = await session.run_plan(step.plan, params, autocommit=False)
        rows = await _all(result)
        if step.counts:
            count = int(rows.tag.rpartition(" ")[2])
        if step.returns:
            found = rows
        elif plan.columns is None and step.plan.tag == "SELECT" and rows.columns is not None:
            selected.append(rows)
    tag = f"INSERT 0 {count}" if s.verb == "INSERT" else f"{s.verb} {count}"
    if selected:
        return RowsAfterOthers(tag, None, (), selected)
    return Rows(tag, plan.columns, found.rows if plan.columns is not None else ())


def _anew(session: Session, plan: Plan, s: st.Rewritten) -> st.Rewritten:
    """The same by the rules, and for the tables, as they are by now. Raises SerializationFailure where it has become something else."""
    body = session.executor.plans.planned_again(plan, session).body
    found = body.statement if isinstance(body, Utility) else None
    if not isinstance(found, st.Rewritten) or len(found.steps) != len(s.steps):
        raise SerializationFailure(
            "could not serialize access: rules were altered by a concurrent transaction"
        )
    return found


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
