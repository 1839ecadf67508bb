"""Reads where several servers share the log: before a statement takes its timestamp, is what this server knows the present?

    fast door     a look on the spot, where that is cheap (SQLite): nothing new, and the statement goes on at once
                  otherwise PENDING: one look at the log's end serves everybody who waits, then the read answers
    wide door     the same look, awaited
    in a block    only the statement that takes the snapshot looks; at READ COMMITTED every one

At `serializable` (without "strict") a read may use what this server knows already, and never looks.

Planning comes before any of this, with the catalog that is known. A plan is made anew when its catalog has changed by
the time it runs; a name that is not there is looked for again after a look at the log (`caught_up`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from executor.abc import PENDING, Done, Rows, _Pending
from executor.keyed.plans import CompiledPlan
from executor.session import as_of
from executor.session.blocks.block import ISOLATION, Block
from executor.snapshot.abc import NoKeyedAnswer, NotHydrated
from planner.abc import Plan
from storage.abc import Datum
from txn.abc import Isolation

if TYPE_CHECKING:
    from executor.session.session import Session


def takes_snapshot(session: Session, block: Block | None) -> bool:
    """Whether the next statement reads at a timestamp that it has yet to take, and that must be the present."""
    if block is None:
        level = ISOLATION.get(session.settings.raw("default_transaction_isolation"))
    elif block.as_of is not None:
        return False
    else:
        level = block.isolation
        if block.txn is not None and level is not Isolation.READ_COMMITTED:
            return False
    return level is not Isolation.SERIALIZABLE


async def led(session: Session, block: Block | None) -> None:
    """Before a statement of the wide door: this server leads, or knows the end of the log. Raises Fenced."""
    env = session.executor.env
    if not env.leadership.is_held or takes_snapshot(session, block):
        await env.lead()


def read_when_current(
    session: Session,
    compiled: CompiledPlan,
    plan: Plan,
    params: tuple[Datum, ...],
    done: Done,
    again: Callable[[Exception], None],
) -> Rows | _Pending | None:
    """A keyed read of its own at the fast door, when a look at the log is not to be had on the spot.

    None: take the wide door.
    """
    frontier = session.executor.frontier
    if frontier is None or session.settings.statement_timeout_ms:
        return None
    if not takes_snapshot(session, None):
        try:
            return _read(session, compiled, plan, params)
        except NoKeyedAnswer:
            return None

    def looked(look: asyncio.Future[None]) -> None:
        if look.cancelled():
            done(asyncio.CancelledError())  # type: ignore[arg-type]
            return
        error = look.exception()
        if isinstance(error, Exception):
            done(error)
            return
        result: Rows | Exception
        try:
            if compiled.catalog is not session.newest_catalog():
                raise NotHydrated  # planned for another catalog: the wide door plans anew
            result = _read(session, compiled, plan, params)
        except NoKeyedAnswer as reason:
            again(reason)
            return
        except Exception as failed:  # noqa: BLE001 - whatever it is, the client is told
            result = failed
        done(result)

    frontier.current().add_done_callback(looked)
    return PENDING


def _read(session: Session, compiled: CompiledPlan, plan: Plan, params: Sequence[Datum]) -> Rows:
    assert compiled.read is not None and compiled.image is not None
    rows = compiled.read.run(params, session, compiled.image, session.executor.env.oracle.read_ts())
    return Rows(f"SELECT {len(rows)}", plan.columns, rows)


async def caught_up(session: Session) -> bool:
    """Gets the catalog that planning lacked: of a time that the statement names, or DDL of another server.

    Whether there is another one now.
    """
    reached = await as_of.reach(session)
    if session.executor.frontier is None:
        return reached
    before = session.executor.catalog
    await session.executor.env.lead()
    return reached or session.executor.catalog is not before
