"""SQL functions that only a session can answer, as DuckDB calls them from its own threads.

    tw_set_config(name, value, is_local, pid)      set_config
    tw_current_setting(name, missing_ok, pid)      current_setting of a computed name
    tw_notify(channel, payload, pid)               pg_notify
    tw_export_snapshot(pid)                        pg_export_snapshot
    tw_transaction_status(number, pid)             pg_xact_status
    tw_advisory(what, number, number, pid)         pg_advisory_lock and its kin
    tw_cancel_backend(other pid, pid)              pg_cancel_backend
    tw_terminate_backend(other pid, pid)           pg_terminate_backend
    tw_setseed(seed, pid), tw_random(pid)          setseed, random after that
    tw_sleep(seconds, pid)                         pg_sleep
    tw_clock(pid)                                  clock_timestamp: for each row anew
    tw_open_snapshot(tables, time, lease, pid)     tidewire_open_snapshot and its kin: `native_reads`

They ask the event loop, where all sessions live, and wait for it; only sleeping waits where it is, and looks up
every so often whether its session has been cancelled.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from executor.abc import ExecutionError
from executor.columnar.errors import worded
from executor.session import chance, commands, native_reads, signals
from executor.session.blocks import transactions
from planner.abc import SqlError
from planner.binding.prelude.python_parameters import with_parameters
from planner.types.log_places import datum_of

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.session.session import Session


def set_config(session: Session, name: str | None, value: str | None, local: bool | None) -> str:
    if name is None:
        raise ExecutionError("22004", "SET requires parameter name")
    return commands.set_value(session, name, value, local=bool(local))


def _current_setting(session: Session, name: str | None, missing_ok: bool | None) -> str | None:
    if name is None or missing_ok is None:
        return None
    try:
        return commands.show_value(session, name)
    except SqlError:
        if missing_ok:
            return None
        raise


def notify(session: Session, channel: str | None, payload: str | None) -> str:
    if not channel:
        raise ExecutionError("22023", "channel name cannot be empty")
    if len(channel.encode()) > 63:
        raise ExecutionError("22023", "channel name too long")
    commands.notify(session, channel, payload or "")
    return ""


def _signal(session: Session, pid: int | None, *, end: bool) -> bool | None:
    """Whether there is such a session; a warning if not."""
    if pid is None:
        return None
    found = signals.signal(session.executor, pid, end=end, asker=session)
    if not found:
        session.notice("WARNING", "01000", f"PID {pid} is not a PostgreSQL backend process")
    return found


def _cancel(session: Session, pid: int | None) -> bool | None:
    return _signal(session, pid, end=False)


def _terminate(session: Session, pid: int | None) -> bool | None:
    return _signal(session, pid, end=True)


def advisory(
    session: Session, what: str, first: int | None, second: int | None
) -> bool | Awaitable[bool] | None:
    """`what`: lock, try or unlock, then `shared` and `xact` where they apply; or unlock all. Behind it `|how many|call|query` of a
    call in the WHERE of a query with a LIMIT."""
    locks, pid = session.executor.advisory, session.pid
    what, *until = what.split("|")
    words = what.split(" ")
    if what == "unlock all":
        return locks.unlock_all(pid)
    if first is None:
        return None
    key, shared, transaction = (session.database, first, second), "shared" in words, "xact" in words
    if words[0] == "unlock":
        done = locks.unlock(pid, key, shared=shared)
        if done is False:
            kind = "ShareLock" if shared else "ExclusiveLock"
            session.notice("WARNING", "01000", f"you don't own a lock of type {kind}")
        return done
    if until:
        most, call, query = until
        return locks.try_first(pid, key, int(most), call, query, shared=shared, transaction=transaction)
    if words[0] == "try":
        return locks.try_lock(pid, key, shared=shared, transaction=transaction)
    return locks.lock(pid, key, shared=shared, transaction=transaction)


def _status(session: Session, number: int | None) -> str | None:
    if number is None:
        return None
    if session.block is None and session.numbered == (session.transaction_began_us(), number):
        return "in progress"  # of the statement that asks, though its number is done with: see `values`
    return session.executor.numbers.status(number)


def _log_place(session: Session) -> int:
    """The place behind all that has committed, as the datum of a pg_lsn."""
    return datum_of(session.executor.env.oracle.read_ts() + 1)


def _set_seed(session: Session, seed: float | None) -> str | None:
    if seed is None:
        return None
    session.chance = chance.seeded(seed)
    return ""


def _random(session: Session) -> float:
    if session.chance is None:
        session.chance = chance.unseeded()
    return session.chance.number()


_FUNCTIONS: tuple[tuple[str, Callable[..., Any], list[str], str], ...] = (
    ("tw_set_config", set_config, ["VARCHAR", "VARCHAR", "BOOLEAN"], "VARCHAR"),
    ("tw_current_setting", _current_setting, ["VARCHAR", "BOOLEAN"], "VARCHAR"),
    ("tw_notify", notify, ["VARCHAR", "VARCHAR"], "VARCHAR"),
    ("tw_export_snapshot", transactions.export_snapshot, [], "VARCHAR"),
    ("tw_log_place", _log_place, [], "BIGINT"),
    ("tw_setseed", _set_seed, ["DOUBLE"], "VARCHAR"),
    ("tw_random", _random, [], "DOUBLE"),
    ("tw_transaction_status", _status, ["UBIGINT"], "VARCHAR"),
    ("tw_advisory", advisory, ["VARCHAR", "BIGINT", "BIGINT"], "BOOLEAN"),
    ("tw_cancel_backend", _cancel, ["INTEGER"], "BOOLEAN"),
    ("tw_open_snapshot", native_reads.open_snapshot, ["VARCHAR", "VARCHAR", "INTEGER"], "VARCHAR"),
    ("tw_renew_snapshot", native_reads.renew_snapshot, ["VARCHAR", "INTEGER"], "VARCHAR"),
    ("tw_describe", native_reads.describe, ["VARCHAR"], "VARCHAR"),
    ("tw_close_snapshot", native_reads.close_snapshot, ["VARCHAR"], "BOOLEAN"),
    ("tw_terminate_backend", _terminate, ["INTEGER"], "BOOLEAN"),
)
_ARROW = {
    "BIGINT": pa.int64(),
    "UBIGINT": pa.uint64(),
    "VARCHAR": pa.string(),
    "BOOLEAN": pa.bool_(),
    "DOUBLE": pa.float64(),
}


SLEEP_SLICE_S = 0.02


def _sleeper(executor: Executor) -> Callable[..., Any]:
    def sleep(seconds: float, pid: int) -> str:
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0:
            session = executor.sessions.get(pid)
            if session is None or session.interrupted:
                break  # DuckDB has been interrupted as well, and looks when this returns
            time.sleep(min(left_s, SLEEP_SLICE_S))
        return ""

    return sleep


def _clock(executor: Executor) -> Callable[..., Any]:
    """The time, once for each row that asks. The clock is everybody's: no loop is asked for it."""
    now_us = executor.env.clock.now_us

    def times(pids: pa.ChunkedArray) -> pa.Array:
        return pa.array([now_us() for _ in range(len(pids))], pa.timestamp("us", "UTC"))

    return times


def install(executor: Executor, connection: duckdb.DuckDBPyConnection) -> None:
    """Makes the functions known to the database. Called on the loop."""
    loop = asyncio.get_running_loop()

    async def answers(call: Callable[..., Any], asked: list[tuple[Any, ...]]) -> list[Any]:
        # All are asked before any is waited for: what goes into the log goes there together.
        try:
            made = [call(executor.sessions[pid], *arguments) for *arguments, pid in asked]
            return [await item if inspect.isawaitable(item) else item for item in made]
        except SqlError as e:
            raise ValueError(worded(e)) from e

    def vectorised(call: Callable[..., Any], result: pa.DataType, count: int) -> Callable[..., Any]:
        def run(*columns: Any) -> Any:
            asked = list(zip(*(c.to_pylist() for c in columns), strict=True))
            return pa.array(asyncio.run_coroutine_threadsafe(answers(call, asked), loop).result(), result)

        return with_parameters(run, count + 1)

    for name, call, types, result in _FUNCTIONS:
        connection.create_function(
            name,
            vectorised(call, _ARROW[result], len(types)),
            [*types, "INTEGER"],
            result,
            type="arrow",
            null_handling="special",
            side_effects=True,
        )
    from executor.procedural import asked  # whose statements ask for the functions here

    asked.install(executor, connection)
    connection.create_function(
        "tw_clock", _clock(executor), ["INTEGER"], "TIMESTAMPTZ", type="arrow", side_effects=True
    )
    connection.create_function(
        "tw_sleep", _sleeper(executor), ["DOUBLE", "INTEGER"], "VARCHAR", side_effects=True
    )
