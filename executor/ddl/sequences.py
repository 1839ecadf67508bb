"""Sequences: values from blocks leased through the log.

    nextval      the next of the block in memory; nothing is written
    block empty  one commit leases the next `cache` numbers; a crash loses what was left of them

A lease counts 1, 2, 3, ...: the n-th number is `first + (n - 1) * increment`. `setval`, RESTART and whatever else
changes that formula begin a new series (a change of the catalog), so a number of the log never means two
values. Statements that need many values lease them at once, and get them in order. As in PostgreSQL, nothing that a
transaction takes from a sequence is given back by ROLLBACK.

DuckDB calls `tw_nextval(oid, pid)`, `tw_currval`, `tw_setval` and their kin from its own threads;
they ask the event loop and wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import itertools
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from executor.abc import ExecutionError
from executor.columnar.errors import canceled, worded
from executor.session import permissions
from executor.session.blocks.block import Block
from executor.session.blocks.defining import DdlStep
from executor.session.commands import NeedsLease
from executor.session.locks import definition_locks
from executor.session.locks.refusals import REFUSALS, in_sql
from planner.abc import SqlError
from planner.catalog import Catalog, CatalogChange, Sequence
from txn.abc import Group, SerializationFailure

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.session.context import SessionContext
    from executor.session.session import Session

BLOCK = 64
"""Values leased at a time, if neither the sequence (CACHE) nor a statement asks for more."""
BULK_MAX = 1_000_000
SERIES_MAX = 10_000
_CANCELED_S = 0.1
"""How often who waits for a sequence in the middle of a query looks whether that was given up."""


@dataclass(slots=True)
class _Leased:
    """What is left of the block of one series; numbers [next, stop)."""

    next: int
    stop: int


class Sequences:
    """All sequences of the process."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._leased: dict[str, _Leased] = {}
        """By series: a RESTART that is rolled back leaves the old series as it was."""

    def _definition(self, oid: int, catalog: Catalog | None = None) -> Sequence:
        """The sequence, in a session's own catalog (it may be made by its open block) or everybody's."""
        found = (catalog if catalog is not None else self._executor.catalog).get(oid)
        if isinstance(found, Sequence):
            return found
        name = getattr(found, "name", None)
        if name is None:
            raise ExecutionError("42P01", f"sequence with OID {oid} does not exist")
        raise ExecutionError("42809", f'"{name}" is not a sequence')

    def _drawn_from(self, session: SessionContext, oid: int) -> Sequence:
        """The sequence as everybody draws from it: a block that has a catalog of its own knows it as it was then, and would take numbers
        of a series that has ended."""
        block = session.block
        own = block is not None and oid in block.own_oids
        return self._definition(oid, session.catalog if own else session.newest_catalog())

    def next_now(self, session: SessionContext, oid: int) -> int:
        """The next value. Raises NeedsLease, 2200H at the end of a sequence that does not cycle."""
        if self._executor.defining and definition_locks.must_queue(session, oid):
            raise NeedsLease(oid)
        sequence = self._drawn_from(session, oid)
        leased = self._leased.get(sequence.lease_name)
        if leased is None or leased.next >= leased.stop:
            raise NeedsLease(oid)
        value = self.value(sequence, leased.next)
        leased.next += 1
        return value

    def reserve(self, session: SessionContext, oid: int, count: int) -> None:
        """Makes sure that the next `count` values can be had at once, in order. Raises NeedsLease."""
        if self._executor.defining and definition_locks.must_queue(session, oid):
            raise NeedsLease(oid, count)
        leased = self._leased.get(self._drawn_from(session, oid).lease_name)
        if leased is None or leased.stop - leased.next < count:
            raise NeedsLease(oid, count)

    @staticmethod
    def value(sequence: Sequence, n: int) -> int:
        """The n-th value (from 1) of the current series."""
        value = sequence.first + (n - 1) * sequence.increment
        if sequence.minimum <= value <= sequence.maximum:
            return value
        if not sequence.cycle:
            bound = "maximum" if sequence.increment > 0 else "minimum"
            limit = sequence.maximum if sequence.increment > 0 else sequence.minimum
            raise ExecutionError(
                "2200H", f'nextval: reached {bound} value of sequence "{sequence.name}" ({limit})'
            )
        span = sequence.maximum - sequence.minimum + 1
        if sequence.increment > 0:
            count = (sequence.maximum - sequence.first) // sequence.increment + 1
            per_cycle = (span - 1) // sequence.increment + 1
            return sequence.minimum + (n - 1 - count) % per_cycle * sequence.increment
        count = (sequence.first - sequence.minimum) // -sequence.increment + 1
        per_cycle = (span - 1) // -sequence.increment + 1
        return sequence.maximum + (n - 1 - count) % per_cycle * sequence.increment

    def position(self, sequence: Sequence, *, everywhere: bool = False) -> tuple[int, bool]:
        """last_value and is_called. After a restart, what was leased counts as taken; `everywhere`: and so does what other servers have."""
        leased, end = self._leased.get(sequence.lease_name), self._executor.env.leased(sequence.lease_name)
        if leased is not None and (leased.stop == end or not everywhere):
            taken = leased.next - 1
        else:
            taken = end - 1
        if not taken:
            return sequence.origin, sequence.called
        if not sequence.cycle:
            room = (
                sequence.maximum - sequence.first
                if sequence.increment > 0
                else sequence.first - sequence.minimum
            )
            taken = min(taken, room // abs(sequence.increment) + 1)
            if taken < 1:
                return sequence.origin, True
        return self.value(sequence, taken), True

    def settled(self, old: Sequence | None, new: Sequence) -> Sequence:
        """A sequence as it is to be stored: made or restarted, it gets a series that never was, whatever was rolled
        back before; altered, it goes on from where the old definition stands, in a series of its own.

        Raises 22023 if that is outside the new bounds.
        """

        def formula(s: Sequence) -> tuple[Any, ...]:
            return s.lease_name, s.first, s.increment, s.minimum, s.maximum, s.cycle

        series = self._executor.env.rids.next
        if old is None or old.lease_name != new.lease_name:
            return dataclasses.replace(new, restarts=series())
        if formula(old) == formula(new):
            return new
        last, called = self.position(old, everywhere=True)
        if last < new.minimum:
            raise ExecutionError(
                "22023", f"RESTART value ({last}) cannot be less than MINVALUE ({new.minimum})"
            )
        if last > new.maximum:
            raise ExecutionError(
                "22023", f"RESTART value ({last}) cannot be greater than MAXVALUE ({new.maximum})"
            )
        return dataclasses.replace(new, restarts=series(), restarted_at=last, called=called)

    def counted(self, old: Sequence | None, new: Sequence) -> Mapping[str, int]:
        """What `admit` is to be asked of a sequence that goes on in a series of its own."""
        if self._executor.frontier is None or old is None or old.lease_name == new.lease_name:
            return {}
        return {old.lease_name: self._executor.env.leased(old.lease_name)}

    def admit(self, counted: Iterable[Mapping[str, int]], group: Group) -> None:
        """Raises SerializationFailure where another server has leased numbers of a series since it was found out where the next one begins:
        they would come twice."""
        for series, end in itertools.chain.from_iterable(c.items() for c in counted):
            if group.leased(series) != end:
                raise SerializationFailure(
                    "could not serialize access: a sequence was altered while others drew from it"
                )

    async def lease(self, session: Session, oid: int, count: int = 1) -> None:
        """Leases a block of at least `count` values, durably, behind whoever alters the sequence. It continues what is left, if it can."""
        if self._executor.defining:
            await definition_locks.behind_of(session, oid)
        sequence = self._drawn_from(session, oid)
        series = sequence.lease_name
        n = max(BLOCK, sequence.cache, count)
        first = await self._executor.env.lease(series, n)
        leased = self._leased.get(series)
        if leased is not None and leased.stop == first:
            leased.stop += n
        elif leased is None or first > leased.stop:
            if len(self._leased) >= SERIES_MAX:
                self._forget_old()
            self._leased[series] = _Leased(first, first + n)

    def _forget_old(self) -> None:
        """Series that no sequence has any more; should one come back, it goes on with a new block."""
        current = {s.lease_name for s in self._executor.catalog.objects(Sequence)}
        self._leased = {name: block for name, block in self._leased.items() if name in current}

    async def take(self, session: Session, oid: int) -> int:
        """The next value for a session, leasing if need be."""
        return (await self.take_many(session, oid, 1))[0]

    async def take_many(self, session: Session, oid: int, count: int) -> list[int]:
        """The next `count` values for a session; leased in few blocks if they are many."""
        out: list[int] = []
        while len(out) < count:
            try:
                out.append(session.nextval(oid))
            except NeedsLease:
                await self.lease(session, oid, min(count - len(out), BULK_MAX))
        return out

    # --- what DuckDB calls ---------------------------------------------------------------------

    def install(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Makes the functions known to the database. Called on the loop."""
        loop = asyncio.get_running_loop()

        def ask(work: Any) -> Any:
            return asyncio.run_coroutine_threadsafe(work, loop).result()

        def nextval(oids: Any, pids: Any) -> Any:
            return pa.array(ask(self._many(oids.to_pylist(), pids.to_pylist())), pa.int64())

        def currval(oids: Any, pids: Any) -> Any:
            return pa.array(ask(self._current(oids.to_pylist(), pids.to_pylist())), pa.int64())

        def lastval(pids: Any) -> Any:
            return pa.array(ask(self._last(pids.to_pylist())), pa.int64())

        def setval(oids: Any, values: Any, called: Any, pids: Any) -> Any:
            asked = (c.to_pylist() for c in (oids, values, called, pids))
            return pa.array(ask(self._set(list(zip(*asked, strict=True)))), pa.int64())

        def last_value(oids: Any, pids: Any) -> Any:
            found = ask(self._position(oids.to_pylist(), pids.to_pylist()))
            return pa.array([last for last, _ in found], pa.int64())

        def is_known(oids: Any, pids: Any) -> Any:
            ask(self._may_know(oids.to_pylist(), pids.to_pylist()))
            return is_called(oids, pids)

        def is_called(oids: Any, pids: Any) -> Any:
            found = ask(self._position(oids.to_pylist(), pids.to_pylist()))
            return pa.array([called for _, called in found], pa.bool_())

        for name, function, parameters, result in (
            ("tw_nextval", nextval, ["BIGINT", "INTEGER"], "BIGINT"),
            ("tw_currval", currval, ["BIGINT", "INTEGER"], "BIGINT"),
            ("tw_lastval", lastval, ["INTEGER"], "BIGINT"),
            ("tw_setval", setval, ["BIGINT", "BIGINT", "BOOLEAN", "INTEGER"], "BIGINT"),
            ("tw_sequence_last", last_value, ["BIGINT", "INTEGER"], "BIGINT"),
            ("tw_sequence_called", is_called, ["BIGINT", "INTEGER"], "BOOLEAN"),
            ("tw_sequence_known", is_known, ["BIGINT", "INTEGER"], "BOOLEAN"),
        ):
            connection.create_function(
                name,
                function,
                parameters,
                result,
                type="arrow",
                side_effects=True,
            )

    def _session(self, pid: int) -> Session:
        return self._executor.sessions[pid]

    async def _many(self, oids: list[int], pids: list[int]) -> list[int]:
        """A vector of values: runs of one sequence are leased together."""
        out: list[int] = []
        with _prefixed():
            for (oid, pid), run in itertools.groupby(zip(oids, pids, strict=True)):
                count, session = len(list(run)), self._session(pid)
                if count > 1 and session.dealt.get(oid) == []:
                    raise _unlike_rows(self._definition(oid, session.catalog).name)
                values = await _unless_canceled(session, self.take_many(session, oid, count))
                session.dealt[oid] = values
                out += values
        return out

    async def _current(self, oids: list[int], pids: list[int]) -> list[int]:
        with _prefixed():
            found = [self.current(self._session(p), o) for o, p in zip(oids, pids, strict=True)]
            return self._by_row(self._session(pids[0]), oids[0], found) if len(set(oids)) == 1 else found

    async def _last(self, pids: list[int]) -> list[int]:
        with _prefixed():
            found, session = [self.last(self._session(p)) for p in pids], self._session(pids[0])
            return self._by_row(session, session.last_sequence, found)

    def _by_row(self, session: Session, oid: int, found: list[int]) -> list[int]:
        """What currval() is for each of several rows: DuckDB deals nextval() to all of them before it asks. Raises 0A000."""
        if len(found) == 1:
            return found
        dealt = session.dealt.setdefault(oid, [])
        if len(dealt) in (0, 1):
            return found
        if len(dealt) != len(found):
            raise _unlike_rows(self._definition(oid, session.catalog).name)
        return dealt

    async def _set(self, asked: list[tuple[int, int, bool, int]]) -> list[int]:
        with _prefixed():
            for oid, value, called, pid in asked:
                session = self._session(pid)
                permissions.require_sequence(session, oid, "UPDATE")
                await self.restart(session, oid, value, called=called)
        return [value for _, value, _, _ in asked]

    async def _position(self, oids: list[int], pids: list[int]) -> list[tuple[int, bool]]:
        with _prefixed():
            return [
                self.position(self._definition(o, self._session(p).catalog))
                for o, p in zip(oids, pids, strict=True)
            ]

    async def _may_know(self, oids: list[int], pids: list[int]) -> None:
        """Who asks for a sequence's last value by pg_sequence_last_value. Raises 42501."""
        with _prefixed():
            for oid, pid in zip(oids, pids, strict=True):
                permissions.require_sequence(self._session(pid), oid, "SELECT", "USAGE")

    def current(self, session: Session, oid: int) -> int:
        """currval. Raises 55000 where this session has taken no value yet."""
        permissions.require_sequence(session, oid, "SELECT", "USAGE")
        value = session.currval.get(oid)
        if value is None:
            name = self._definition(oid, session.catalog).name
            raise ExecutionError("55000", f'currval of sequence "{name}" is not yet defined in this session')
        return value

    def last(self, session: Session) -> int:
        if session.last_sequence not in session.currval or session.catalog.get(session.last_sequence) is None:
            raise ExecutionError("55000", "lastval is not yet defined in this session")
        permissions.require_sequence(session, session.last_sequence, "SELECT", "USAGE")
        return session.currval[session.last_sequence]

    async def restart(self, session: Session, oid: int, value: int, *, called: bool) -> None:
        """setval: a new series that begins at `value`, or behind it if it counts as taken.

        A transaction of its own, so that no ROLLBACK takes it back; only of a sequence that the open block itself
        has made or altered does the block keep it.
        """
        session.refuse_read_only("setval()", oid)
        if self._executor.defining:
            await definition_locks.behind_of(session, oid)
        own = session.block
        if own is not None and oid in own.own_oids:
            self._restart_in(session, own, oid, value, called)
        else:
            for attempt in range(self._executor.limits.retries_max):
                inner = self._executor.internal_session(session.database)
                block = inner.open_block(implicit=True)
                try:
                    block.statement()
                    self._restart_in(inner, block, oid, value, called)
                    await inner.commit()
                    break
                except SerializationFailure:
                    inner.rollback()
                    if attempt + 1 == self._executor.limits.retries_max:
                        raise
                except BaseException:
                    inner.rollback()
                    raise
        if own is not None:
            own.drew_from(oid)
        if called:
            session.currval[oid] = value

    def _restart_in(self, session: Session, block: Block, oid: int, value: int, called: bool) -> None:
        old = self._definition(oid, session.catalog)
        if not old.minimum <= value <= old.maximum:
            raise ExecutionError(
                "22003",
                f'setval: value {value} is out of bounds for sequence "{old.name}" ({old.minimum}..{old.maximum})',
            )
        series = self._executor.env.rids.next()
        new = dataclasses.replace(old, restarts=series, restarted_at=value, called=called)
        change = CatalogChange(old, new)
        catalog = session.catalog.with_changes([change])
        block.add_step(DdlStep([change]), self._executor.catalogs.renumbered(catalog))


async def _unless_canceled(session: Session, work: Coroutine[Any, Any, list[int]]) -> list[int]:
    """What DuckDB asks for on a thread of its own, which waits for it: nothing else hears there that the statement is to end."""
    if not session.executor.defining:
        return await work
    task = asyncio.ensure_future(work)
    while not (await asyncio.wait((task,), timeout=_CANCELED_S))[0]:
        if session.interrupted:
            task.cancel()
    if task.cancelled():
        raise canceled()
    return task.result()


def _unlike_rows(name: str) -> ExecutionError:
    return ExecutionError(
        "0A000",
        f'currval() of sequence "{name}" before nextval(), or for other rows of a query, is not supported',
    )


@contextlib.contextmanager
def _prefixed() -> Iterator[None]:
    """Errors on their way through DuckDB carry their code in the text (see `executor.columnar.errors`)."""
    try:
        yield
    except SqlError as e:
        raise ValueError(worded(e)) from e
    except REFUSALS as e:
        raise ValueError(worded(in_sql(e))) from e
