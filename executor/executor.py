"""The executor: where planner, transactions and the snapshot store meet, and what sessions share.

    open        catalog shard (made at first start)  ->  catalog  ->  an image per table, cold
                                                                      hydrated in the background
    compile     plan -> keyed functions, or "the wide door"           one per plan and catalog
    catalog     the newest committed one; admitted ones ahead of it while their append is under way

Catalog changes ride in the commit that makes them: `admit_catalog` refuses what was overtaken,
`apply_catalog` writes the rows of the catalog shard and prepares the images, and the new catalog
is published when the commit is durable.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import itertools
import logging
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from executor.abc import ExecutionError, PlanOutdated
from executor.columnar.engine import ColumnarEngine
from executor.columnar.system import SystemRelations
from executor.constraints.references import referenced_key, same_datums, statement_concerns
from executor.constraints.rules import TableRules, key_text
from executor.ddl.schema import shard_schema
from executor.ddl.sequences import Sequences
from executor.distributed.abc import Engine
from executor.following import CATALOG_SHARD, Following
from executor.keyed.autocommit import Parent, WriteTarget
from executor.keyed.compile import NotCompilable, compile_tuple
from executor.keyed.plans import CompiledPlan, Door, Shortcut
from executor.keyed.read import ReadPlan
from executor.keyed.write import InsertPlan, UpdatePlan
from executor.limits import ExecutorLimits
from executor.session import advisory, bulk_locks, functions
from executor.session.block import Block
from executor.session.session import Session
from executor.snapshot.hydration import HydrationProgress, HydrationSource
from executor.snapshot.store import SnapshotStore
from planner.abc import (
    Constraint,
    Expr,
    InsertValues,
    KeyedDelete,
    KeyedRead,
    KeyedUpdate,
    Plan,
    SqlError,
    StatementKind,
    Table,
    Utility,
)
from planner.binding import prelude
from planner.catalog import (
    TEMPORARY_PREFIX,
    Catalog,
    CatalogChange,
    Counter,
    Database,
    Role,
    Schema,
    encode,
    quote_identifier,
    quote_qualified,
)
from planner.planner import PlanContext, Planner
from planner.statements import Begin, Commit, Rollback
from planner.types import DEFAULT_SETTINGS
from storage.abc import Part, ShardId, StorageError, Timestamp
from storage.parts import inline_table
from storage.rows import conform
from txn.abc import Group, Key, Keyspace, SerializationFailure, TxnError
from txn.environment import Environment
from txn.shared import SharedEnvironment
from txn.transaction import Transaction

_log = logging.getLogger("tidewire.executor")

CATALOG_SCHEMA = pa.schema([("oid", pa.int64()), ("kind", pa.string()), ("payload", pa.string())])
OIDS_PER_STATEMENT = 4096
PREPARED_MAX = 2_000
PREPARED_TEXT_LENGTH_MAX = 65_536


DATABASES_KEPT_MAX = 1_000
"""How many databases' views of the catalog are kept at once."""


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
        self.read_only = read_only
        self.columnar = ColumnarEngine(store.connection.cursor, limits, store.spill)
        self.sequences = Sequences(self)
        self.advisory = advisory.AdvisoryLocks(env.locks)
        self.system = SystemRelations()
        self.distributed: Engine | None = None
        """Who answers big SELECTs (`execution_engine`); the assembly puts it here and closes it."""
        self.catalog: Catalog = Catalog()
        self._windows_of: tuple[Catalog, Mapping[ShardId, float]] = (self.catalog, {})
        self._seen_from: dict[str, tuple[Catalog, Catalog]] = {}
        """By database: the newest catalog, and the same as that database sees it."""
        self.admitted: Catalog = self.catalog
        """The catalog after everything admitted; ahead of `catalog` while an append is under way."""
        self.catalog_rids: dict[int, int] = {}
        """Of each catalog object: its row in the catalog's shard."""
        self._versions = itertools.count(2)
        self._next_oid = 0
        self._rules: dict[int, TableRules] = {}
        self._prepared: dict[tuple[Any, ...], Plan] = {}
        self.sessions: dict[int, Session] = {}
        self._pids = itertools.count(1)
        self._tasks: set[asyncio.Task[Any]] = set()
        self.read_ts = env.read_ts
        self.submit = env.committer.submit
        self.frontier = env.frontier if isinstance(env, SharedEnvironment) else None
        """In an environment of several servers: whether this one knows the end of the log."""
        self.temporary_prefix = TEMPORARY_PREFIX
        if isinstance(env, SharedEnvironment):
            self.temporary_prefix += f"{env.members.number}_"
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
    ) -> Executor:
        """Loads the catalog (making it at first start), attaches every table, hydrates in the background.

        Raises what storage and txn raise.
        """
        limits = limits or ExecutorLimits()

        async def fetch(shard: ShardId, part: Part) -> pa.Table:
            return await fetch_part(environment, shard, part)

        store = SnapshotStore(
            memory_limit=f"{limits.duckdb_memory_limit_bytes >> 20}MiB",
            threads=limits.duckdb_threads,
            scratch=scratch,
            durable_ts=environment.oracle.read_ts,
            oldest_read_ts=environment.holds.oldest,
            fetch=fetch,
            progress=_report_progress,
        )
        _install_prelude(store)
        self = cls(environment, planner or Planner(), store, limits, read_only=read_only)
        self.sequences.install(store.connection)
        functions.install(self, store.connection)
        try:
            await environment.lead()  # installing all that takes a while
            if CATALOG_SHARD not in environment.registered():
                await self._bootstrap()
            if isinstance(environment, SharedEnvironment):
                await environment.committer.exclusively(self._load_and_follow)
            else:
                await self._load_catalog()
        except BaseException:
            await self.close()
            raise
        for database in list(self.catalog.objects(Database)):
            schemas = self.catalog_of(database.name).objects(Schema)
            leftovers = [s.name for s in schemas if s.name.startswith(TEMPORARY_PREFIX)]
            await self._drop_temporary(await self._without_owner(leftovers), database.name)
        environment.describe_key = self.describe_key
        environment.holds.on_since.append(store.set_since)
        store.set_since(environment.holds.since)
        store.since_of = environment.retention.since
        environment.retention.windows = self._windows
        environment.retention.on_since.append(store.since_moved)
        environment.retention.advance(environment.oracle.read_ts())
        environment.sort_by = self._key_columns
        if hydrate:
            self.spawn(self._hydrate())
        return self

    def _windows(self) -> Mapping[ShardId, float]:
        """Tables whose history is kept for a time of their own, in seconds."""
        catalog = self.catalog
        if self._windows_of[0] is not catalog:
            windows = {
                x.shard: x.retention_us / 1e6 for x in catalog.objects(Table) if x.retention_us is not None
            }
            self._windows_of = (catalog, windows)
        return self._windows_of[1]

    def _key_columns(self, shard: ShardId) -> Sequence[str]:
        """By which columns compaction sorts a shard: in key order, hydration builds runs without sorting."""
        try:
            return _key_names(self.store.image(shard).table)
        except KeyError:  # dropped, or not a table's
            return ()

    async def _hydrate(self) -> None:
        try:
            await self.store.hydrate_all()
        except (SqlError, OSError, ValueError) as e:
            _log.warning("hydration in the background stopped and will be done on demand: %s", e)

    async def _load_and_follow(self) -> None:
        """In one piece: what other servers commit comes after what was loaded, and nothing in between is missed."""
        env = self.env
        assert isinstance(env, SharedEnvironment)
        await self._load_catalog()
        env.listener = Following(self)
        env.on_told.append(self._hear)

    async def _without_owner(self, temporary: Sequence[str]) -> Sequence[str]:
        """Temporary schemas whose session is surely gone: all, unless other servers are there."""
        env = self.env
        if not isinstance(env, SharedEnvironment) or not temporary:
            return temporary
        await env.members.refresh()
        prefixes = tuple(f"{TEMPORARY_PREFIX}{number}_" for number in env.members.numbers)
        return [name for name in temporary if not name.startswith(prefixes)]

    async def _load_catalog(self) -> None:
        env = self.env
        shard = await env.shard(CATALOG_SHARD)
        # Another server may have applied what this one has not read from the log yet.
        as_of = min(shard.upper, env.txns.state.upper) - 1
        rows: dict[int, tuple[int, tuple[int, str, str]]] = {}
        gone: set[int] = set()
        if as_of >= 0 and shard.schema is not None:
            table = await shard.read(as_of)
            for rid, oid, kind, payload in zip(*(c.to_pylist() for c in table.columns), strict=True):
                rows[rid] = (oid, (oid, kind, payload))
        for ts, writes in env.outstanding(CATALOG_SHARD):
            if ts <= as_of:
                continue
            for rid, row in writes.inserts:
                rows[rid] = (row[0], (row[0], row[1], row[2]))
            gone.update(writes.deletes)
            for part in writes.parts:
                found = await fetch_part(env, CATALOG_SHARD, part)
                if part.kind == "-":
                    gone.update(found.column(0).to_pylist())
                    continue
                for rid, oid, kind, payload in zip(*(c.to_pylist() for c in found.columns), strict=True):
                    rows[rid] = (oid, (oid, kind, payload))
        live = {rid: row for rid, row in rows.items() if rid not in gone}
        self.catalog_rids = {oid: rid for rid, (oid, _) in live.items()}
        assert len(self.catalog_rids) == len(live), "an object has one row in the catalog"
        catalog = Catalog.from_rows([row for _, row in live.values()], version=1)
        self.catalog = self.admitted = catalog
        self._next_oid = catalog.counter.next_oid
        registered = env.registered()
        for table in catalog.all_tables():
            if table.shard not in registered:
                raise SqlError("XX001", f"table {table.name}: its shard {table.shard} is not registered")
            self.attach(table)

    async def _bootstrap(self) -> None:
        """The first start: the catalog's shard and its first rows in one commit."""
        env = self.env

        def first(_group: Group) -> None:
            if CATALOG_SHARD in env.registered():
                raise SerializationFailure("another server has made the catalog")

        txn = env.begin()
        txn.on_admit = first
        txn.register(CATALOG_SHARD, bytes(CATALOG_SCHEMA.serialize().to_pybytes()))
        for row in Catalog().rows():
            txn.insert(CATALOG_SHARD, row[0], env.rids.next(), row)
        try:
            await txn.commit()
        except SerializationFailure:
            if CATALOG_SHARD not in env.registered():
                raise

    def attach(self, table: Table) -> None:
        """A cold image of a table, to be read from its parts and what the log still holds."""
        env, id = self.env, table.shard

        async def opener() -> HydrationSource:
            shard = await env.shard(id)
            if isinstance(env, SharedEnvironment):
                await env.needs_history()
                await shard.refresh()
                if shard.since > env.holds.since:
                    env.holds.recall(shard.since)  # nobody has held it for this server
            # Another server may have applied what this one has not read from the log yet.
            as_of = min(shard.upper, env.txns.state.upper) - 1

            async def parts() -> Any:
                if as_of < 0 or shard.schema is None:
                    return
                registered = pa.ipc.read_schema(pa.py_buffer(env.registered()[id]))
                for part in await shard.snapshot(as_of):
                    rows = await shard.fetch(part, as_of)
                    yield part.kind, conform(rows, registered) if part.kind == "+" else rows, part.ts

            return HydrationSource(as_of, parts())

        self.store.attach(table, opener, env.outstanding(id), last_write_ts=env.last_write(id))

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

    def open_session(self, user: str, database: str, options: dict[str, str]) -> Session:
        if len(self.sessions) >= self.limits.sessions_max:
            raise ExecutionError("53300", "sorry, too many clients already")
        role = self.catalog.role(user)
        if not isinstance(role, Role):
            raise ExecutionError("28000", f'role "{user}" does not exist')
        if self.catalog.database(database) is None:
            raise ExecutionError("3D000", f'database "{database}" does not exist')
        pid = next(self._pids)
        session = Session(self, pid, user, database, options)
        self.sessions[pid] = session
        return session

    def cancel(self, pid: int, secret: bytes) -> None:
        session = self.sessions.get(pid)
        if session is not None and session.secret == secret:
            session.cancel()

    def closed(self, session: Session) -> None:
        self.sessions.pop(session.pid, None)
        if session.has_temporary and not self._closed:
            self.spawn(self._drop_temporary([session.temporary_schema], session.database))

    def catalog_of(self, database: str) -> Catalog:
        """The newest catalog as sessions of a database see it. Raises 3D000 if the database was dropped."""
        base = self.catalog
        kept = self._seen_from.get(database)
        if kept is None or kept[0] is not base:
            if len(self._seen_from) >= DATABASES_KEPT_MAX:
                self._seen_from.clear()
            kept = self._seen_from[database] = (base, base.for_database(database))
        return kept[1]

    async def _drop_temporary(self, schemas: Sequence[str], database: str) -> None:
        """Temporary tables go with their session (or after a crash at the next start)."""
        for name in schemas:
            try:
                if self.catalog_of(database).find_schema(name) is None:
                    continue
                await self.run_internal(f"DROP SCHEMA {quote_identifier(name)} CASCADE", database)
            except (SqlError, TxnError) as e:
                _log.warning("temporary schema %s stays until the next start: %s", name, e)

    def notify(
        self, sender: Session, notifications: Sequence[tuple[str, str]], *, told: bool = False
    ) -> None:
        """Delivers NOTIFYs of a commit to whoever listens (pgwire drains `notifications`).

        `told`: other servers hear of them by the commit itself; else by one of their own.
        """
        numbered = [(channel, payload, sender.pid) for channel, payload in notifications]
        self._hear(numbered)
        if isinstance(self.env, SharedEnvironment) and not told:
            self.spawn(self._tell(self.env, numbered))

    def _hear(self, notifications: Sequence[tuple[str, str, int]]) -> None:
        for session in self.sessions.values():
            for channel, payload, pid in notifications:
                if channel in session.channels:
                    session.hear(pid, channel, payload)

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
        table = next((x for x in self.catalog.objects(Table) if x.shard == shard), None)
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
        return f'key {key_text(table, constraint, key)} of table "{table.name}"'

    def begin(self, block: Block) -> Transaction:
        return self.env.begin(block.isolation, block.read_only, as_of=block.as_of)

    def internal_session(self, database: str = "tidewire") -> Session:
        """For transactions of the server's own, beside those of its clients."""
        return Session(self, 0, "tidewire", database, {})

    async def run_internal(self, text: str, database: str = "tidewire") -> None:
        """A statement of the server's own, in a session and transaction of its own."""
        session = self.internal_session(database)
        plan, params = session.plan(text)
        await session.execute(plan, params, autocommit=True)

    # --- plans -----------------------------------------------------------------------------

    def prepared(self, text: str, context: PlanContext, types: tuple[int, ...]) -> Plan:
        """The plan of a statement to be prepared: many clients prepare the same few again and again."""
        settings = context.settings
        key = (
            text,
            types,
            context.search_path,
            context.user,
            context.database,
            settings.date_style,
            settings.interval_style,
            settings.time_zone,
        )
        plan = self._prepared.get(key)
        if plan is not None and plan.catalog_version == context.catalog.version:
            return plan
        plan, _ = self.planner.plan(text, context, types, normalise=False)
        if plan.kind is not StatementKind.DDL and len(text) <= PREPARED_TEXT_LENGTH_MAX:
            if len(self._prepared) >= PREPARED_MAX:
                del self._prepared[next(iter(self._prepared))]
            self._prepared[key] = plan
        return plan

    def rules(self, table: Table) -> TableRules:
        """The compiled constraints of a table definition."""
        rules = self._rules.get(table.oid)
        if rules is None or rules.table is not table:
            rules = TableRules(table, self._bind_check)
            self._rules[table.oid] = rules
        return rules

    def _bind_check(self, table: Table, text: str) -> Expr | None:
        """A CHECK's expression over the table's columns; None where only DuckDB can compute it.

        It is bound as the output of a keyed read of a table that has the same columns and surely a key.
        """
        key = Constraint(0, "", "p", (table.columns[0].attnum,))
        stand_in = dataclasses.replace(table, name=f"check {table.oid}", constraints=(key,))
        before = self.catalog.get(table.oid)
        schema_made = self.catalog.get(table.schema_oid)
        if not isinstance(schema_made, Schema):
            return None
        database = self.catalog.get(schema_made.database_oid)
        seen = self.catalog_of(database.name) if isinstance(database, Database) else self.catalog
        catalog = seen.with_changes([CatalogChange(before, stand_in)], version=next(self._versions))
        schema = catalog.schema_of(table.schema_oid).name
        column = quote_identifier(table.columns[0].name)
        source = f"{quote_qualified(schema, stand_in.name)} AS {quote_identifier(table.name)}"
        sql = f"SELECT ({text}) FROM {source} WHERE {column} = $1"
        context = PlanContext(catalog, (schema, "public"), settings=DEFAULT_SETTINGS)
        plan, _ = self.planner.plan(sql, context, normalise=False)
        return plan.body.outputs[0] if isinstance(plan.body, KeyedRead) else None

    def compile(self, plan: Plan, catalog: Catalog, session: Session) -> CompiledPlan:
        """What executing the plan takes; plans made for another catalog are made anew first."""
        current = plan
        if plan.catalog_version != catalog.version:
            current = self._planned_again(plan, session)
        body = current.body
        if isinstance(body, Utility):
            ends = isinstance(body.statement, Begin | Commit | Rollback)
            return CompiledPlan(Door.END if ends else Door.WIDE, catalog, current, statement=body.statement)
        if not isinstance(body, KeyedRead | InsertValues | KeyedUpdate | KeyedDelete):
            found = CompiledPlan(Door.WIDE, catalog, current, shortcut=self._shortcut(current, session))
            if "constant" in current.extra:
                with contextlib.suppress(NotCompilable):
                    found.constant = compile_tuple(current.extra["constant"])
            return found
        table = body.table
        created = session.block is not None and table.shard in session.block.created
        image = None if created else self.store.image(table.shard)
        try:
            if isinstance(body, KeyedRead):
                return CompiledPlan(
                    Door.READ, catalog, current, table, image, read=ReadPlan(body), lock=body.lock
                )
            rules = self.rules(table)
            write = InsertPlan(body, rules) if isinstance(body, InsertValues) else UpdatePlan(body, rules)
        except NotCompilable as e:
            raise ExecutionError("0A000", f"the keyed engine cannot compute this: {e}") from None
        target = None
        refers, takes = statement_concerns(body)
        parents = self._parents(table, catalog, session) if refers else ()
        plain = not rules.wide_checks and not takes and parents is not None
        if image is not None and plain and not table.on_commit:
            assert parents is not None
            target = WriteTarget(
                write,
                rules,
                image,
                self.env.locks,
                self.env.rids.next,
                plan.columns,
                self._is_current,
                parents,
            )
        return CompiledPlan(
            Door.WRITE,
            catalog,
            current,
            table,
            image,
            write=write,
            rules=rules,
            target=target,
            related=refers or takes,
        )

    def _parents(self, table: Table, catalog: Catalog, session: Session) -> tuple[Parent, ...] | None:
        """Where an autocommit write looks for the rows that it refers to; None: not as simply as that."""
        found: list[Parent] = []
        for rule in self.rules(table).references:
            c = rule.constraint
            parent = catalog.table(c.foreign_table)
            key, order = referenced_key(parent, c)
            simple = key.kind == "p" and not c.deferrable and c.match == "s" and parent.oid != table.oid
            if not simple or not same_datums(table, parent, c):
                return None
            if session.block is not None and parent.shard in session.block.created:
                return None
            indexes = tuple(rule.indexes[i] for i in order)
            found.append(Parent(indexes, self.store.image(parent.shard), self.rules(parent)))
        return tuple(found)

    def _shortcut(self, plan: Plan, session: Session) -> Shortcut | None:
        """The keyed way to a query's answer, for when it asks for little."""
        body = plan.extra.get("keyed")
        if body is None or (session.block is not None and body.table.shard in session.block.created):
            return None
        try:
            return Shortcut(ReadPlan(body), self.store.image(body.table.shard))
        except NotCompilable:
            return None

    def _is_current(self, rules: TableRules) -> bool:
        """Whether the table is still so defined, by everything admitted: asked at each admission."""
        return self.admitted.get(rules.table.oid) is rules.table

    def _planned_again(self, plan: Plan, session: Session) -> Plan:
        oids = [p.oid for p in plan.parameters]
        made, _ = self.planner.plan(plan.text, session.context(), oids, normalise=False)
        if plan.columns is not None and made.columns is not None:
            before = [(c.name, c.type) for c in plan.columns]
            if before != [(c.name, c.type) for c in made.columns]:
                raise PlanOutdated("0A000", "cached plan must not change result type")
        return made

    # --- the catalog -----------------------------------------------------------------------

    def reserve_oids(self, catalog: Catalog) -> Catalog:
        """The catalog with OIDs set aside for one DDL statement, which nobody else will use."""
        counter = catalog.counter
        first = max(self._next_oid, counter.next_oid)
        self._next_oid = first + OIDS_PER_STATEMENT
        return catalog.with_changes([CatalogChange(counter, Counter(first))], version=next(self._versions))

    def renumbered(self, catalog: Catalog) -> Catalog:
        """A transaction's own next catalog, with a version that no other catalog has."""
        return catalog.with_changes([], version=next(self._versions))

    def admit_catalog(self, changes: Iterable[CatalogChange], used: dict[int, Table]) -> None:
        """Whether changes made against an older catalog still hold. Raises 40001, 42P07."""
        newest = self.admitted
        for oid, table in used.items():
            if newest.get(oid) is not table:
                raise SerializationFailure(
                    f'could not serialize access: table "{table.name}" was altered by a concurrent transaction'
                )
        changes = list(changes)
        made = {c.oid for c in changes if c.new is not None}
        removed = set()
        for change in changes:
            if change.old is None and newest.get(change.oid) is not None:  # by another server
                raise SerializationFailure(
                    "could not serialize access: a concurrent transaction has created an object"
                )
            if change.old is not None:
                if newest.get(change.oid) != change.old and not isinstance(change.old, Counter):
                    raise SerializationFailure(
                        "could not serialize access: a concurrent transaction changed the same object"
                    )
                removed.add(change.oid)
        for change in changes:
            new = change.new
            schema_oid, name = getattr(new, "schema_oid", 0), getattr(new, "name", "")
            if schema_oid and name:
                other = newest.relation_in(schema_oid, name)
                if other is not None and other.oid != change.oid and other.oid not in removed:
                    raise ExecutionError("42P07", f'relation "{name}" already exists')
                if newest.get(schema_oid) is None and schema_oid not in made:
                    raise SerializationFailure("could not serialize access: the schema was dropped")

    def apply_catalog(self, block: Block, group: Group) -> None:
        """The rows of the counter, the images, the admitted catalog. Raises nothing."""
        changes = block.net_changes()
        if not changes:
            return
        before, rids_before = self.admitted, dict(self.catalog_rids)
        counter = before.counter
        merged: list[CatalogChange] = [c for c in changes if not isinstance(c.new, Counter)]
        next_oid = max([counter.next_oid, *(c.new.next_oid for c in changes if isinstance(c.new, Counter))])
        if next_oid != counter.next_oid:
            merged.append(CatalogChange(counter, Counter(next_oid)))
            rid = self.env.rids.next()
            group.delete(CATALOG_SHARD, self.catalog_rids[counter.oid])
            group.insert(CATALOG_SHARD, rid, encode(Counter(next_oid)))
            self.catalog_rids[counter.oid] = rid
        for oid, row in block.catalog_rids.items():
            if row is None:
                self.catalog_rids.pop(oid, None)
            else:
                self.catalog_rids[oid] = row
        self.admitted = admitted = before.with_changes(merged, version=next(self._versions))
        ts = group.ts
        undo_images = self._apply_images(block, ts)

        def undo() -> None:
            self.admitted, self.catalog_rids = before, rids_before
            for callback in reversed(undo_images):
                callback()

        group.undo(undo)
        block.published = admitted

    def _apply_images(self, block: Block, ts: Timestamp) -> list[Any]:
        undos: list[Any] = []
        store = self.store
        for shard, table in block.created.items():
            store.create(table, ts)
            undos.append(lambda shard=shard: store.discard(shard))
        for shard in block.dropped:
            image = store.image(shard)
            image.dropped_ts = ts
            undos.append(lambda image=image: setattr(image, "dropped_ts", None))
        for shard, table in block.altered.items():
            if shard in block.created or shard in block.dropped:
                continue
            image = store.image(shard)
            store.alter(table, ts)
            undos.append(lambda image=image: image.undo(ts))
        return undos

    def catalog_row_writes(self, block: Block) -> None:
        """Before the commit: the block's catalog changes become rows of its transaction."""
        txn = block.transaction()
        for change in block.net_changes():
            if isinstance(change.new, Counter):
                continue
            rid = self.catalog_rids.get(change.oid)
            if change.old is not None and rid is not None:
                txn.delete(CATALOG_SHARD, change.oid, rid)
            if change.new is None:
                block.catalog_rids[change.oid] = None
            else:
                fresh = self.env.rids.next()
                txn.insert(CATALOG_SHARD, change.oid, fresh, encode(change.new), blind=change.old is None)
                block.catalog_rids[change.oid] = fresh

    def learn_catalog(self, changes: Sequence[CatalogChange], rids: dict[int, int | None]) -> None:
        """Another server's DDL: everybody's catalog from now on. Nothing of this server's is under way."""
        assert self.admitted is self.catalog, "the log is followed between this server's own commits"
        for oid, rid in rids.items():
            if rid is None:
                self.catalog_rids.pop(oid, None)
            else:
                self.catalog_rids[oid] = rid
        if changes:
            self.catalog = self.admitted = self.admitted.with_changes(changes, version=next(self._versions))

    def publish(self, block: Block) -> None:
        """The block's commit is durable: its catalog is everybody's."""
        self.catalog = block.published
        for shard in block.dropped:
            self.store.drop(shard, block.commit_ts)

    def discard(self, block: Block) -> None:
        """The block rolled back: nothing of it was ever anywhere but in its own memory."""
        block.tables.clear()


async def fetch_part(env: Environment, id: ShardId, part: Part) -> pa.Table:
    """The rows of a committed part in the shard's registered schema, applied to the shard already or not."""
    shard = await env.shard(id)
    registered = pa.ipc.read_schema(pa.py_buffer(env.registered()[id]))
    if shard.schema is not None and shard.schema.equals(registered, check_metadata=True):
        return await shard.fetch(part)
    if part.data is not None:
        table = inline_table(part, registered if part.kind == "+" else None)
    else:
        table = await shard.parts.read(part)
    return conform(table, registered) if part.kind == "+" else table


def _report_progress(progress: HydrationProgress) -> None:
    """How far reading the tables' parts at start-up has come, for the operator's log."""
    if progress.row_count:
        state = "is read" if progress.done else "is being read"
        _log.info("table %s %s: %d rows", progress.table, state, progress.row_count)


def _key_names(table: Table) -> Sequence[str]:
    schema = shard_schema(table)
    return [schema.field(i).name for i in table.key_indexes]


def _install_prelude(store: SnapshotStore) -> None:
    """The functions that rewritten queries call, on the whole database."""
    prelude.install(store.connection)


__all__ = ["CATALOG_SHARD", "Executor"]
