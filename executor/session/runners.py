"""A prepared statement as one function: for one that is executed again and again.

    execute_now       any statement: which door, which block, which catalog, which errors; then the statement
    runner(plan)      all of that asked once; a call asks only whether it is still so

A runner runs what the fast door would run, and answers as it does: at once, or through the callback. Where anything is not as
usual it says None, and the statement begins at the fast door, or begins anew: what else it waits for, reports and fails by is
written down there, and not here. Reads outside of blocks have a shorter way yet (`readers`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from executor.abc import PENDING, Done, Rows, _Pending
from executor.keyed.autocommit import WriteMember
from executor.keyed.parts_member import PartsMember
from executor.keyed.plans import CompiledPlan, Door
from executor.session import commands
from executor.session.blocks import keyed
from executor.session.blocks.lanes import lane
from executor.session.locks.lock_wait import LockWait
from executor.session.partitions.leafwise import of_each
from executor.snapshot.abc import NoKeyedAnswer
from planner import statements as st
from planner.abc import Plan, SqlError
from txn.lease import LeaseLapsed

if TYPE_CHECKING:
    from executor.session.session import Session

Runner = Callable[[tuple[Any, ...], Done], Rows | _Pending | None]
"""Parameters and the callback -> as `Session.execute_now`. Raises SqlError as the statement would."""

_BEGUN = {start: Rows("START TRANSACTION" if start else "BEGIN") for start in (False, True)}
_NOT_NOW = (NoKeyedAnswer, commands.NeedsLease, LeaseLapsed)


def runner(session: Session, plan: Plan) -> Runner | None:
    """What runs this plan, in a block or outside; None if the fast door has to look at it each time.

    Call it after the plan has been executed: it is compiled then.
    """
    compiled = plan.compiled
    if compiled is None or session.executor.frontier is not None:
        return None
    found = _runner(session, plan, compiled)
    return found if found is None or not compiled.views else _through_views(session, compiled, found)


def _through_views(session: Session, compiled: CompiledPlan, found: Runner) -> Runner:
    """In blocks it notes the views that it goes through."""
    catalogs = session.executor.catalogs

    def run(params: tuple[Any, ...], done: Done) -> Rows | _Pending | None:
        block = session.block
        if block is not None:
            if (
                catalogs.newest is not session._base
                or compiled.catalog is not session._seen
                or session.executor.defining
                or block.failed
            ):
                return None
            block.look_through(compiled.views)
        return found(params, done)

    return run


def _runner(session: Session, plan: Plan, compiled: CompiledPlan) -> Runner | None:
    if compiled.door is Door.END:
        return _ending(session, compiled.statement)
    if compiled.leaves is not None:
        return _of_leaves(session, plan, compiled)
    if compiled.door is Door.WRITE or compiled.door is Door.READ:
        return _keyed(session, plan, compiled)
    if compiled.parts_target is not None:
        return _of_parts(session, plan, compiled)
    return None


def _ending(session: Session, statement: Any) -> Runner | None:
    """BEGIN and COMMIT, which are the same whatever the catalog."""
    if isinstance(statement, st.Begin) and statement.as_of is None:
        begun = _BEGUN[bool(statement.start)]

        def begin(params: tuple[Any, ...], done: Done) -> Rows | None:
            if session.block is not None:
                return None
            session.open_block(implicit=False, begin=statement)
            return begun

        return begin
    if isinstance(statement, st.Commit) and not statement.chain:
        advisory = session.executor.advisory

        def commit(params: tuple[Any, ...], done: Done) -> Rows | _Pending | None:
            block = session.block
            if block is None or block.failed or block.implicit or advisory.awaited:
                return None
            return session.commit_now(done)

        return commit
    return None


def _keyed(session: Session, plan: Plan, compiled: CompiledPlan) -> Runner:
    executor, target = session.executor, compiled.target
    catalogs, settings, submit = executor.catalogs, session.settings, executor.submit
    writes = compiled.door is Door.WRITE
    rules = compiled.rules
    in_blocks = rules is None or not (rules.wide_checks or compiled.related or compiled.fires)
    shortly = (lane(executor, compiled, plan) if in_blocks else None) or None

    def run(params: tuple[Any, ...], done: Done) -> Rows | _Pending | None:
        if (
            plan.compiled is not compiled
            or catalogs.newest is not session._base
            or compiled.catalog is not session._seen
            or executor.defining
        ):
            return None
        block = session.block
        if block is None:
            if target is None or session.pinned is not None or executor.read_only or settings.read_only:
                return None
            session.alone_since_us = 0
            try:
                member = WriteMember(target, params, session, done, plan)
            except (commands.NeedsLease, NoKeyedAnswer):
                return None
            submit(member)
            return PENDING
        if (
            not in_blocks
            or block.failed
            or block.catalog is not None
            or block.gathered is not None
            or block.as_of is not None
            or (writes and block.read_only)
        ):
            return None
        try:
            if shortly is not None and (result := shortly(session, block, params)) is not None:
                return result
            return keyed.run_in_block(session, block, compiled, plan, params)
        except (keyed.WouldBlock, keyed.Unsettled) as waits:
            reason = waits
        except _NOT_NOW:
            return None
        except SqlError:
            if not keyed.too_early(block):
                raise
            reason = keyed.Unsettled()
        again = session.again(plan, params, done)
        return LockWait(session, block, compiled, plan, params, done, again, shortly).begin(reason)

    return run


def _of_parts(session: Session, plan: Plan, compiled: CompiledPlan) -> Runner:
    """A statement of several parts by itself, which is a member of its own."""
    executor, target, settings = session.executor, compiled.parts_target, session.settings
    catalogs, submit = executor.catalogs, executor.submit
    assert target is not None

    def run(params: tuple[Any, ...], done: Done) -> _Pending | None:
        if (
            session.block is not None
            or plan.compiled is not compiled
            or catalogs.newest is not session._base
            or compiled.catalog is not session._seen
            or executor.defining
            or session.pinned is not None
            or executor.read_only
            or settings.read_only
            or not target.worth_it
        ):
            return None
        session.alone_since_us = 0
        submit(PartsMember(target, params, session, done, plan))
        return PENDING

    return run


def _of_leaves(session: Session, plan: Plan, compiled: CompiledPlan) -> Runner | None:
    """A runner of a leaf for each, where the plan is a partitioned table's."""
    if compiled.leaves.computes:
        return None  # at one time with what is computed by the leaf's plan: at the fast door
    of_leaf = of_each(session, compiled.leaves, runner)

    def run(params: tuple[Any, ...], done: Done) -> Rows | _Pending | None:
        if plan.compiled is not compiled or compiled.catalog is not session._seen:
            return None
        found = of_leaf(params)
        return None if found is None else found[0](found[1], done)

    return run


__all__ = ["Runner", "runner"]
