"""A prepared read as one function: for a statement that is executed again and again, each time by itself.

    execute_now       any statement: which door, which block, which view, which errors; then the read
    reader(plan)      all of that asked once; a call asks only whether it is still so

A read changes nothing, so a reader that cannot answer says None, and the statement goes the usual way from its beginning: what
it waits for, what it reports and how it fails is written down in one place, and not here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from executor.keyed.plans import CompiledPlan, Door
from executor.session.partitions.leafwise import of_each
from executor.snapshot.abc import NoKeyedAnswer
from executor.statistics.counts import Way
from planner.abc import Plan
from storage.abc import Row
from txn.lease import LeaseLapsed

if TYPE_CHECKING:
    from executor.session.session import Session

Reader = Callable[[tuple[Any, ...]], Sequence[Row] | None]
"""Parameters -> rows, or None. Raises SqlError as the statement would."""

_Run = Callable[[Sequence[Any], Any, Any, int], Sequence[Row] | None]
_UNKNOWN = (NoKeyedAnswer, LeaseLapsed)


def reader(session: Session, plan: Plan) -> Reader | None:
    """What answers this plan outside of blocks; None if it is no read that the keyed engine may answer.

    A cursor on it, AS OF, locks and blocks are not for readers. Call it after the plan has been executed: it is compiled then.
    """
    compiled = plan.compiled
    if compiled is None or compiled.lock:
        return None
    if compiled.leaves is not None:
        return _of_leaves(session, plan, compiled)
    run: _Run
    image: Any
    hit = missed = session.counts.commit
    if compiled.door is Door.READ and compiled.read is not None:
        run, image, way = compiled.read.at_once, compiled.image, compiled.way
        assert way is not None
        if compiled.read.lookup.single:
            hit, missed = way.hit_alone, way.missed_alone
        else:
            run = _counted(run, (way,))
    elif compiled.door is Door.WIDE and compiled.constant is None and compiled.shortcut is not None:
        run, image = _counted(compiled.shortcut.read, compiled.shortcut.ways), compiled.shortcut.image
    else:
        return None
    if image is None:
        return None
    catalogs, read_ts = session.executor.catalogs, session.executor.read_ts

    def read(params: tuple[Any, ...]) -> Sequence[Row] | None:
        if (
            session.block is not None
            or plan.compiled is not compiled
            or catalogs.newest is not session._base
            or compiled.catalog is not session._seen
            or session.pinned is not None
        ):
            return None
        session.alone_since_us = 0
        try:
            rows = run(params, session, image, read_ts())
        except _UNKNOWN:
            return None
        if rows:
            hit()
        elif rows is not None:
            missed()
        return rows

    return read


def _counted(run: _Run, ways: tuple[Way, ...]) -> _Run:
    """What finds more than the row of one key: its rows are counted."""
    if not ways:
        return run

    def counted(params: Sequence[Any], session: Any, image: Any, ts: int) -> Sequence[Row] | None:
        rows = run(params, session, image, ts)
        if rows is not None:
            for way in ways:
                way.add(len(rows))
        return rows

    return counted


def _of_leaves(session: Session, plan: Plan, compiled: CompiledPlan) -> Reader | None:
    """A reader of a leaf for each, where the plan is a partitioned table's."""
    if compiled.leaves.computes:
        return None
    of_leaf = of_each(session, compiled.leaves, reader)

    def read(params: tuple[Any, ...]) -> Sequence[Row] | None:
        if (
            session.block is not None
            or plan.compiled is not compiled
            or compiled.catalog is not session._seen
        ):
            return None
        found = of_leaf(params)
        return None if found is None else found[0](found[1])

    return read


__all__ = ["Reader", "reader"]
