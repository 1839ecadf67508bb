"""Temporary schemas whose session is gone: with a server that was killed nobody is left to drop what its sessions made for themselves.

    pg_temp_7        of session 7, where one server leads alone      goes with its session; after a crash at the next start
    pg_temp_3_7      of session 7 of member 3                        the same; and when member 3 is missed by a look and the next

A supervisor starts a process anew at once, while the dead one is believed to be alive; and a server that dies for good is
nobody's to start. So the steward looks now and then. It looks twice, long apart: a server that only stalled comes back to its tables.
One that stalled for longer comes back to none, and its sessions that had some end (57P01) at their next statement: the names of their
tables would mean everybody's, and rows would be read from there and written there.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError
from planner.abc import SqlError
from planner.catalog import TEMPORARY_PREFIX, Database, Schema, quote_identifier
from storage.abc import StorageError
from txn.abc import TxnError
from txn.shared import SharedEnvironment

if TYPE_CHECKING:
    from executor.executor import Executor

LEASES_BETWEEN_LOOKS: Final = 3
_log = logging.getLogger(__name__)


def prefix_of(environment: object) -> str:
    """What the temporary schemas of this server's sessions begin with."""
    if isinstance(environment, SharedEnvironment):
        return f"{TEMPORARY_PREFIX}{environment.members.number}_"
    return TEMPORARY_PREFIX


def lost_tables() -> ExecutionError:
    """Why a session ends that has come back too late."""
    return ExecutionError(
        "57P01",
        "terminating connection because its temporary tables were dropped",
        detail="This server gave no sign of life for so long that the others had to take it for dead.",
    )


class LeftBehind:
    """Finds such schemas, and drops them."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._missed: frozenset[tuple[str, str]] = frozenset()
        """Database and schema of what was nobody's at the last look."""

    async def at_start(self) -> None:
        """Drops what nobody who is there can have made. Raises what storage raises."""
        for database, schema in sorted(await self._found()):
            await self.drop([schema], database)

    async def watch(self) -> None:
        """Looks again and again, for as long as the server runs; one that leads alone has dropped everything at its start."""
        env = self._executor.env
        while isinstance(env, SharedEnvironment):
            await env.sleep(LEASES_BETWEEN_LOOKS * env.members.lease_s)
            try:
                await self.look()
            except (StorageError, TxnError) as e:
                _log.warning("temporary schemas that were left behind are looked for later: %s", e)

    async def look(self) -> None:
        """Drops what was nobody's at the last look, and is not now. Raises what storage raises."""
        env = self._executor.env
        if not isinstance(env, SharedEnvironment) or not env.members.is_steward:
            self._missed = frozenset()
            return
        found = await self._found()
        for database, schema in sorted(found & self._missed):
            await self.drop([schema], database)
        self._missed = found

    async def drop(self, schemas: Sequence[str], database: str) -> None:
        """Temporary tables go with their session (or after a crash at the next start)."""
        executor = self._executor
        for name in schemas:
            try:
                if executor.catalogs.of(database).find_schema(name) is None:
                    continue
                await executor.run_internal(f"DROP SCHEMA {quote_identifier(name)} CASCADE", database)
            except (SqlError, TxnError) as e:
                _log.warning("temporary schema %s stays until the next start: %s", name, e)

    async def _found(self) -> frozenset[tuple[str, str]]:
        """Temporary schemas whose session is surely gone: all, where one server leads alone and begins."""
        executor = self._executor
        there = [
            (database.name, schema.name)
            for database in executor.catalog.objects(Database)
            for schema in executor.catalogs.of(database.name).objects(Schema)
            if schema.name.startswith(TEMPORARY_PREFIX)
        ]
        env = executor.env
        if not there or not isinstance(env, SharedEnvironment):
            return frozenset(there)
        await env.members.refresh()  # after the names are known: whoever has made one of them is on the table
        alive = tuple(f"{TEMPORARY_PREFIX}{number}_" for number in env.members.numbers)
        return frozenset(found for found in there if not found[1].startswith(alive))
