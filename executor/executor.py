"""The executor: where planner, transactions and the snapshot store meet, and what sessions share.

catalogs    the newest committed catalog, and what is admitted ahead of it     (catalogs.py)
plans       plan -> keyed functions, or "the wide door"                        (plans.py)
store       an image per table, hydrated in the background                     (snapshot/)
columnar    DuckDB's cursors and threads                                       (columnar/engine.py)
sessions    one per client, and notifications between them                     (session/)
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from executor.abc import ExecutionError
from executor.catalogs import CATALOG_SHARD, Catalogs, fetch_part
from executor.columnar.engine import ColumnarEngine
from executor.columnar.system import SystemRelations
from executor.constraints.rules import key_text
from executor.ddl.schema import shard_schema
from executor.ddl.sequences import Sequences
from executor.distributed.abc import Engine
from executor.following import Following
from executor.limits import ExecutorLimits
from executor.past.catalogs import PastCatalogs
from executor.past.tables import PastTables, shard_of
from executor.plans import Plans
from executor.replication.slots import Slots
from executor.session import functions, signals
from executor.session.blocks.block import Block
from executor.session.blocks.transaction_numbers import TransactionNumbers
from executor.session.heard import HEARD_BYTES_MAX
from executor.session.locks import advisory, bulk_locks, definition_locks, foundation_locks
from executor.session.locks.shared_advisory import SharedAdvisoryLocks
from executor.session.session import Session
from executor.session.settings.first_settings import FirstSettings
from executor.session.settings.written_settings import WrittenSettings
from executor.sizes import Sizes
from executor.snapshot.hydration import HydrationProgress
from executor.snapshot.store import SnapshotStore
from executor.snapshot.writer import SnapshotLimits
from executor.statistics.reported import Reported
from executor.statistics.statements import Statements
from executor.temporary import LeftBehind, prefix_of
from planner.abc import Oid, SqlError, Table
from planner.binding.prelude import installation as prelude
from planner.catalog import Catalog, Database, Role, rights
from planner.catalog.passwords import ends_us, is_kept
from planner.planner import Planner
from storage.abc import Part, ShardId, StorageError
from txn.abc import Key, Keyspace, TxnError
from txn.environment import Environment
from txn.shared import SharedEnvironment
from txn.transaction import Transaction

_log = logging.getLogger("tidewire.executor")

_INTERNAL: Final = {"default_transaction_read_only": "off", "statement_timeout": "0", "lock_timeout": "0"}
"""What the server's own transactions begin with, whatever is said of clients' (ALTER SYSTEM, ALTER DATABASE, ALTER ROLE ALL)."""
_SETTINGS_AGAIN_S: Final = 0.05
"""So long after a session was found at work it is looked whether it has new settings to hear of."""


class Executor:
    """See `executor.abc.Executor` and the module."""

    def __init__(
        self,
        env: Environment,
        planner: Planner,
        store: SnapshotStore,
        limits: ExecutorLimits,
        *,
        read_only: bool,
    ) -> None:
        self.env = env
        self.planner = planner
        self.store = store
        self.limits = limits
        self._unread_bytes = 0
        """At least what the client who has left most notifications unread has left."""
        self.read_only = read_only
        self.started_us = self.loaded_us = env.clock.now_us()
        self.columnar = ColumnarEngine(store.connection.cursor, limits, store.spill)
        self.sequences = Sequences(self)
        self.numbers = TransactionNumbers(env.clock.now_us)
        self.advisory = advisory.AdvisoryLocks(env.locks)
        if isinstance(env, SharedEnvironment):
            self.advisory = SharedAdvisoryLocks(env.session_locks, partial(signals.end, self))
        self.system = SystemRelations()
        self.first_settings = FirstSettings(self)
        self.configured: Mapping[str, str] = {}
        """The settings that sessions begin with, of the operator (`decided`) and of ALTER SYSTEM."""
        self.decided: Mapping[str, str] = {}
        self.written = WrittenSettings()
        self.sizes = Sizes(env, store)
        self.distributed: Engine | None = None
        """Who answers big SELECTs (`execution_engine`); the assembly puts it here and closes it."""
        self.catalogs = Catalogs(env, store)
        self.past_tables = PastTables(env, store)
        self.past = PastCatalogs(env, self.catalogs, self.past_tables)
        self.slots = Slots(env, limits.slot_kept_bytes_max)
        self.plans = Plans(env, planner, store, self.catalogs)
        self.statistics = Reported(self)
        self.statements = Statements(self)
        self.catalogs.became = self.statements.look
        self.rules = self.plans.rules
        self.triggers_of = self.plans.triggers_of
        self.sessions: dict[int, Session] = {}
        self.defining: dict[Transaction, frozenset[Oid]] = {}
        """Who defines tables anew, or waits for that, and which: others' statements queue (`definition_locks.behind`)."""
        self.letting: dict[Transaction, frozenset[Oid]] = {}
        """Of these the tables whose heirs come or go, and nothing else: nobody queues who goes on beside that at READ COMMITTED."""
        self.routines_inside = 0
        """Routines that queries of DuckDB wait for."""
        self._pids = itertools.count(1)
        self.signal_elsewhere: Callable[[int, bool, str], bool] | None = None
        """Passes `signals.signal` on to the process that numbers its sessions so, where there are several; with the name
        of the role that asks, which is "" for superusers."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self.read_ts = env.read_ts
        self.submit = env.committer.submit
        self.patience = env.committer.patience
        self.frontier = env.frontier if isinstance(env, SharedEnvironment) else None
        """In an environment of several servers: whether this one knows the end of the log."""
        self.temporary_prefix = prefix_of(env)
        self.left_behind = LeftBehind(self)
        self._closed = False

    # --- opening and closing ---------------------------------------------------------------

    @classmethod
    async def open(
        cls,
        environment: Environment,
        planner: Planner | None = None,
        *,
        scratch: str | None = None,
        limits: ExecutorLimits | None = None,
        hydrate: bool = True,
        read_only: bool = False,
        functions_beside: bool = False,
    ) -> Executor:
        """Loads the catalog (making it at first start), attaches every table, hydrates in the background.

        `functions_beside`: DuckDB is told of its functions in the background as well, and its queries wait for
        that; statements by key do not. Raises what storage and txn raise.
        """
        limits = limits or ExecutorLimits()
        # Until it is known which tables and followers want more than the usual history, all of it stays.
        held = environment.holds.acquire(environment.holds.since)

        async def fetch(shard: ShardId, part: Part) -> pa.Table:
            return await fetch_part(environment, shard, part)

        store = SnapshotStore(
            memory_limit=f"{limits.duckdb_memory_limit_bytes >> 20}MiB",
            threads=1,  # more while they are of use: `executor.columnar.parallel`
            scratch=scratch,
            durable_ts=environment.oracle.read_ts,
            oldest_read_ts=environment.holds.oldest,
            fetch=fetch,
            progress=_report_progress,
            limits=SnapshotLimits(unpacked_bytes_max=limits.duckdb_memory_limit_bytes // 8),
        )
        self = cls(environment, planner or Planner(), store, limits, read_only=read_only)
        store.packer.steady = self.columnar.steady
        self.sequences.install(store.connection)
        functions.install(self, store.connection)
        if functions_beside:
            self.columnar.install(prelude.install)
        else:
            prelude.install(store.connection)
        try:
            await environment.lead()  # installing all that takes a while
            if CATALOG_SHARD not in environment.registered():
                await self.catalogs.bootstrap()
            if isinstance(environment, SharedEnvironment):
                await environment.committer.exclusively(self._load_and_follow)
            else:
                await self.catalogs.load()
            if not read_only:
                await self.catalogs.widen()
            await self.past.find_windows()
            self.slots.load()
        except BaseException:
            await self.close()
            raise
        await self.left_behind.at_start()
        if isinstance(environment, SharedEnvironment):
            self.spawn(self.left_behind.watch())
        environment.describe_key = self.describe_key
        environment.locks.in_turn = frozenset(
            {definition_locks.SPACE, foundation_locks.NAMES, bulk_locks.TABLE_SPACE, advisory.SPACE}
        )
        environment.holds.on_since.append(store.set_since)
        store.set_since(environment.holds.since)
        store.since_of = lambda image: environment.retention.since(shard_of(image))
        environment.retention.windows = self.catalogs.windows
        environment.retention.lasting = frozenset((CATALOG_SHARD,))
        environment.retention.on_since.append(store.since_moved)
        environment.retention.advance(environment.oracle.read_ts())
        environment.holds.release(held)
        environment.sort_by = self._key_columns
        if hydrate:
            self.spawn(self._hydrate())
        return self

    def _key_columns(self, shard: ShardId) -> Sequence[str]:
        """By which columns compaction sorts a shard: in key order, hydration builds runs without sorting."""
        try:
            return _key_names(self.store.image(shard).table)
        except KeyError:  # dropped, or not a table's
            return ()

    async def _hydrate(self) -> None:
        await self.columnar.installed()  # first that, and tables that somebody waits for
        try:
            await self.store.hydrate_all()
        except ExceptionGroup as failed:
            for e in failed.exceptions:
                _log.warning("a table could not be read in the background and will be on demand: %s", e)

    async def _load_and_follow(self) -> None:
        """In one piece: what other servers commit comes after what was loaded, and nothing in between is missed."""
        env = self.env
        assert isinstance(env, SharedEnvironment)
        await self.catalogs.load()
        env.listener = Following(self)
        env.on_told.append(self._hear)

    @property
    def catalog(self) -> Catalog:
        """The newest committed one."""
        return self.catalogs.newest

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        for session in list(self.sessions.values()):
            session.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.columnar.close()
        await self.store.close()

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # --- sessions --------------------------------------------------------------------------

    def open_session(self, user: str, database: str | None, options: dict[str, str]) -> Session:
        if len(self.sessions) >= self.limits.sessions_max:
            raise ExecutionError("53300", "sorry, too many clients already")
        role = self.catalog.role(user)
        if not isinstance(role, Role):
            raise ExecutionError("28000", f'role "{user}" does not exist')
        if database is None:  # a session has one all the same
            database = next(iter(self.catalog.objects(Database))).name
        if self.catalog.database(database) is None:
            raise ExecutionError("3D000", f'database "{database}" does not exist')
        pid = next(self._pids)
        session = Session(self, pid, user, database, options)
        session.settings_changed()  # what it begins with: of the client, the role and the database
        self.sessions[pid] = session
        self.statistics.began(session)
        return session

    def admit(self, user: str, database: str | None) -> None:
        """Whether a client that has proved to be this role may come in. Raises 28000, 53300, 55000, 42501."""
        role = self.catalog.role(user)
        if role is None:
            return  # which `open_session` has words for
        if not role.login:
            raise ExecutionError("28000", f'role "{user}" is not permitted to log in')
        if role.connection_limit >= 0 and not role.superuser:
            of_role = sum(s.settings.user == user for s in self.sessions.values())
            if of_role >= role.connection_limit:
                raise ExecutionError("53300", f'too many connections for role "{user}"')
        asked = self.catalog.database(database) if database is not None else None
        if asked is None:
            return
        if not asked.allows_connections:
            raise ExecutionError("55000", f'database "{database}" is not currently accepting connections')
        if role.superuser:
            return
        if not rights.holds(self.catalog, user, asked, "connect"):
            raise ExecutionError(
                "42501",
                f'permission denied for database "{database}"',
                detail="User does not have CONNECT privilege.",
            )
        if asked.connection_limit >= 0:
            inside = sum(s.database == database for s in self.sessions.values())
            if inside >= asked.connection_limit:
                raise ExecutionError("53300", f'too many connections for database "{database}"')

    access_rules: Callable[[], list[dict[str, Any]]] = staticmethod(list)
    """Who may come in, as rows of pg_hba_file_rules: the server that asks for proofs knows."""

    reload: Callable[[], None] | None = None
    """Has the server read its files anew (`pg_reload_conf`), where there is one that can."""

    def configure(self, decided: Mapping[str, str], file: Path | None = None) -> None:
        """What the operator has decided, as SHOW tells it: canonical values by lower-case name. `file`: what ALTER SYSTEM writes."""
        self.decided = dict(decided)
        self.written.path = file
        self._configured_by(self.written.take(self.decided, starting=True))

    def reloaded(self) -> None:
        """The server's files have been read anew just now (`pg_conf_load_time`), and what ALTER SYSTEM has written is."""
        self.loaded_us = self.env.clock.now_us()
        self._configured_by(self.written.take(self.decided, starting=False))
        for session in list(self.sessions.values()):
            self._tell_settings(session)

    def _configured_by(self, written: Mapping[str, str]) -> None:
        self.configured = {**written, **self.decided}
        self.first_settings.forget()

    def _tell_settings(self, session: Session) -> None:
        """Between its statements: what computes with a setting goes on with it."""
        if self.sessions.get(session.pid) is not session:
            return
        if session.in_statement or session.is_running:
            asyncio.get_running_loop().call_later(_SETTINGS_AGAIN_S, self._tell_settings, session)
        else:
            session.settings.configure(self.configured)
            session.settings_changed()

    def look_at_log(self) -> asyncio.Future[None] | None:
        """Done when this server knows what others have acknowledged by now; None: it does. Fails as `Frontier.current`."""
        return None if self.frontier is None or self.frontier.is_valid else self.frontier.current()

    def role_secret(self, user: str) -> str | None:
        """What is kept of a role's password; None without one, and once it is VALID no longer."""
        role = self.catalog.role(user)
        if role is None or role.password is None or not is_kept(role.password):
            return None
        end_us = ends_us(role.valid_until)
        if isinstance(end_us, int) and end_us <= self.env.clock.now_us():
            return None
        return role.password

    def roles_of(self, user: str) -> frozenset[str]:
        """The role and those that it is in, whether it has their privileges at once or only by SET ROLE."""
        return rights.roles_of(self.catalog, user, inherited=False)

    def number_sessions(self, first: int, step: int) -> None:
        """The numbers of sessions to come: several servers that clients take for one give each its own."""
        self._pids = itertools.count(first, step)

    def cancel(self, pid: int, secret: bytes) -> None:
        session = self.sessions.get(pid)
        if session is not None and session.secret == secret:
            session.cancel()

    def closed(self, session: Session) -> None:
        """The session is gone; asked again when a commit of its last block comes to be known afterwards."""
        if self.sessions.pop(session.pid, None) is not None:
            self.statistics.ended(session)
        self.slots.ended(session.pid)
        if self._closed:
            return
        schema = (
            session.temporary_schema
        )  # `has_temporary` says what was known at the last statement's beginning
        with contextlib.suppress(SqlError):  # 3D000: it went with its database
            if self.catalogs.of(session.database).find_schema(schema) is not None:
                self.spawn(self.left_behind.drop([schema], session.database))

    def notify(
        self, sender: Session, notifications: Iterable[tuple[str, str]], *, told: bool = False
    ) -> None:
        """Delivers NOTIFYs of a commit to whoever listens (pgwire drains `notifications`).

        `told`: other servers hear of them by the commit itself; else by one of their own.
        """
        numbered = [(channel, payload, sender.pid) for channel, payload in notifications]
        self._hear(numbered)
        if isinstance(self.env, SharedEnvironment) and not told:
            self.spawn(self._tell(self.env, numbered))

    def _hear(self, notifications: Sequence[tuple[str, str, int]]) -> None:
        told = [(pid, channel, payload) for channel, payload, pid in notifications]
        for session in self.sessions.values():
            if session.channels:
                session.hear(told)
                self._unread_bytes = max(self._unread_bytes, session.heard.size_bytes)

    @property
    def hears_too_slowly(self) -> bool:
        """Whether some client has left too many notifications unread."""
        if self._unread_bytes > HEARD_BYTES_MAX:
            self._unread_bytes = max((s.heard.size_bytes for s in self.sessions.values()), default=0)
        return self._unread_bytes > HEARD_BYTES_MAX

    async def _tell(self, env: SharedEnvironment, notifications: Sequence[tuple[str, str, int]]) -> None:
        try:
            await env.tell(notifications)
        except (TxnError, StorageError) as e:
            _log.warning("a notification did not reach the other servers: %s", e)

    def describe_key(self, space: Keyspace, key: Key | None) -> str:
        """How errors of transactions name a key, or (None) some rows of a table. On error paths only."""
        if space == bulk_locks.TABLE_SPACE:
            space, key = str(key), None
        shard, _, index = space.partition("/")
        if space == definition_locks.SPACE and key is not None:
            return f"relation {key[0]}"
        if space == foundation_locks.NAMES and key is not None:
            return f'the name "{key[2 if key[0] != "role" else 1]}"'
        table = next((x for x in self.catalogs.newest.all_tables() if x.shard == shard), None)
        if space == advisory.SPACE:
            return advisory.describe(key)
        if table is None:
            return "the catalog" if shard == CATALOG_SHARD else f"{space} {key!r}"
        if key is None:
            return f'rows of table "{table.name}"'
        constraint = table.primary_key
        if index:
            constraint = next((c for c in table.constraints if c.oid == int(index)), None)
        if constraint is None:
            return f'row {key} of table "{table.name}"'
        if constraint.kind == "x":  # its one key stands for all rows that it looks at
            return f'constraint "{constraint.name}" of table "{table.name}"'
        return f'key {key_text(table, constraint, key)} of table "{table.name}"'

    def begin(self, block: Block) -> Transaction:
        # What READ ONLY forbids is refused by statement: temporary tables may be written (`read_only`).
        return self.env.begin(block.isolation, as_of=block.as_of)

    def internal_session(self, database: str = "tidewire") -> Session:
        """For transactions of the server's own, beside those of its clients: what these begin with is not said of them."""
        return Session(self, 0, "tidewire", database, dict(_INTERNAL))

    async def run_internal(self, text: str, database: str = "tidewire") -> None:
        """A statement of the server's own, in a session and transaction of its own."""
        session = self.internal_session(database)
        plan, params = session.plan(text)
        await session.execute(plan, params, autocommit=True)

    def discard(self, block: Block) -> None:
        """The block rolled back: nothing of it was ever anywhere but in its own memory."""
        block.tables.clear()


def _report_progress(progress: HydrationProgress) -> None:
    """How far reading the tables' parts at start-up has come, for the operator's log."""
    if progress.row_count:
        state = "is read" if progress.done else "is being read"
        _log.info("table %s %s: %d rows", progress.table, state, progress.row_count)


def _key_names(table: Table) -> Sequence[str]:
    schema = shard_schema(table)
    return [schema.field(i).name for i in table.key_indexes]


__all__ = ["CATALOG_SHARD", "Executor"]
