"""Columnar statements: SELECTs, and writes whose rows a query finds.

    read     snapshot timestamp -> store made ready -> relations as of it (own writes on top) -> DuckDB -> Rows or Stream
    write    the query's rows as Arrow -> few: changes, row by row, as keyed statements make them
                                          many: row ids, checks and staged parts, in bulk

The read hold ends when the query has begun: DuckDB's own snapshot protects it from then on.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pyarrow as pa

from executor.abc import ExecutionError, Portal, Result, Rows, Stream
from executor.columnar.assemble import assemble
from executor.columnar.errors import canceled
from executor.columnar.plain_rows import finds_rows_only
from executor.columnar.rows import batch_rows, canonical_batch
from executor.columnar.running import RunningQuery
from executor.columnar.unaided import planned
from executor.past.tables import Loan
from executor.session import acts, catalog_reads, changes, few_rows, searching
from executor.session.blocks import keyed, moved_tables
from executor.session.blocks.block import Block
from executor.session.locks.advisory import refused_midway
from executor.session.partitions import pruning
from executor.session.relations import cells, physical_schema, record, relation, was_there
from executor.session.values import session_value
from executor.snapshot.writer import ReadPin
from executor.statistics.counts import WHOLE
from planner import types as t
from planner.abc import (
    ChangesUse,
    Plan,
    Query,
    RelationUse,
    ResultColumn,
    SessionValue,
    Slot,
    SystemUse,
    Table,
    TypeRef,
)
from planner.relations import TransitionTable
from storage.abc import Datum, Timestamp
from txn.abc import Isolation, SerializationFailure

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.session.session import Session

T = TypeVar("T")

UTC_NAMES = ("UTC", "GMT", "Etc/UTC")
DISTRIBUTED = ("auto", "distributed")
"""Values of `execution_engine` that may send a query elsewhere."""


Given = tuple[Table | None, pa.Table]
"""Rows for a slot: of a table (physical column names, then what else is known of each), or as another query of the statement made them."""


_SHORT_ROWS: Final = 20_000
"""A query of one table with fewer rows is over at once,"""
_LASTING: Final = ("generate_series", "range(", "RECURSIVE", "unnest", "tw_sleep")
"""unless it has one of these in it."""


class Prepared:
    """A query's text with its relations in place, and what must be held until it has begun."""

    __slots__ = ("_feeds", "_hold", "_loan", "_pin", "bindings", "rows", "session", "several", "sql")

    def __init__(
        self,
        session: Session,
        sql: str,
        bindings: dict[str, pa.Table],
        pin: ReadPin,
        hold: Any,
        feeds: changes.Feeds,
        loan: Loan,
    ) -> None:
        self._feeds, self._loan = feeds, loan
        self.session = session
        self.sql = sql
        self.bindings = bindings
        self.rows = sum(image.stored_rows for image in pin.images) + sum(map(len, bindings.values()))
        """Of all relations together, about."""
        self.several = False
        """Whether it reads more than one relation, or one several times: rows are multiplied then."""
        self._pin = pin
        self._hold = hold

    @property
    def bound(self) -> Callable[[], None] | None:
        """To be called once the query's snapshot stands, if it may go on for long after that: flushes wait for it until then."""
        lasts = self.several or self.rows >= _SHORT_ROWS or any(w in self.sql for w in _LASTING)
        return self._pin.release if self._pin.images and lasts else None

    async def table(self, *, zone: str = "", rows: int = 0, unaided: bool = False) -> pa.Table:
        """The query's whole result; see `ColumnarEngine.table`."""
        engine = self.session.executor.columnar
        try:
            return await engine.table(
                self.sql, self.bindings, zone=zone, rows=rows, bound=self.bound, unaided=unaided
            )
        finally:
            self.begun()

    def begun(self) -> None:
        """The query has begun, or never will. Idempotent."""
        self._pin.release()
        self._loan.release()
        self._feeds.release()
        if self._hold is not None:
            self.session.executor.env.holds.release(self._hold)
            self._hold = None


async def prepare(
    session: Session,
    block: Block | None,
    query: Query,
    params: Sequence[Datum],
    extra: Mapping[str, Given] | None = None,
    as_of: Timestamp | None = None,
    *,
    begins: bool = True,
) -> Prepared:
    """Makes the store ready and the text of a query.

    `extra`: slots that are given rows. `begins`: it is what the
    statement begins with; queries in its course see what it has seen so far, at READ COMMITTED too.
    """
    executor = session.executor
    env = executor.env
    hold = None
    if session.dealt:  # to rows of the last query
        session.dealt = {}
    if block is not None:
        await (block.statement() if begins else block.transaction()).settled()
        ts = block.read_ts
        txn = block.transaction()
        if executor.frontier is not None and block.tables and txn.isolation is Isolation.READ_COMMITTED:
            txn.check_written()  # or else rows that other servers wrote anew are read beside the block's own
    else:
        if not env.leadership.is_held:
            await env.lead()
        ts = as_of if as_of is not None else env.oracle.read_ts()
        hold = env.holds.acquire(ts)
    uses = [r for r in query.relations if isinstance(r, RelationUse)]
    unread: frozenset[str] = frozenset()
    if any(u.part is not None for u in uses):
        unread = pruning.unread(session, uses, params)
        uses = [u for u in uses if u.slot not in unread]
    created = block.created if block is not None else {}
    kept = [u for u in uses if not isinstance(u.table, TransitionTable)]
    shards = list(dict.fromkeys(u.table.shard for u in kept if u.table.shard not in created))
    past = as_of is not None or (block is not None and block.as_of is not None)
    nothing = not past and asks_for_nothing(query)
    if block is not None and moved_tables.catch_up(session, block, [u.table for u in uses]):
        ts = block.read_ts
    loan = executor.past_tables.lend(shards)
    try:
        for used in uses if past else ():
            was_there(session, used.table, ts)
            if executor.store.find(used.table.shard) is None:  # let go of between plan and hold
                raise SerializationFailure(
                    f'could not serialize access: table "{used.table.name}" was dropped just now'
                )
        if nothing:
            executor.store.begin_read(shards, ts)
        else:
            await executor.store.prepare_read(shards, ts)
        for used in uses if not nothing else ():
            own = block.tables.get(used.table.shard) if block is not None else None
            if own is not None and own.bulk:
                await executor.store.sort(own.live_bulk)  # of millions, perhaps: not on the loop
        for used in uses if past else ():
            was_there(session, used.table, ts)  # only now is it known what its parts hold
        feeds = await changes.feeds(session, query, ts)
        pin = executor.store.pin(() if nothing or _asks(query) else shards)
    except BaseException:
        loan.release()
        if hold is not None:
            env.holds.release(hold)
        raise
    bindings: dict[str, pa.Table] = {}
    relations: dict[str, str] = {}
    prepared = Prepared(session, "", bindings, pin, hold, feeds, loan)
    prepared.several = len(query.relations) > 1
    if block is not None:
        for above in query.dealing:
            block.use(above)
    try:  # a setting may not be there, `row_security` may be off
        for use in query.relations:
            if isinstance(use, SystemUse):
                relations[use.slot] = executor.system.relation(session, use, bindings)
            elif isinstance(use, ChangesUse):
                relations[use.slot] = feeds.texts[use.slot]
            elif extra is not None and use.slot in extra:
                continue
            elif isinstance(use.table, TransitionTable):
                relations[use.slot] = _transition(session, use, bindings)
            else:
                if block is not None:
                    block.use(use.table)
                executor.plans.counts_of(use.table, session.catalog).way(WHOLE).add(_rows_of(executor, use))
                if nothing or use.slot in unread:
                    relations[use.slot] = _no_rows(use, bindings)
                    continue
                if block is not None:
                    record(session, block, use, params)
                looked_at = searching.found(session, use, params, ts) if use.terms is not None else None
                if looked_at is None:
                    relations[use.slot] = relation(executor, block, use, ts, pin, bindings)
                    continue
                made = searching.Relation(session, use, ts, pin, bindings, looked_at)
                relations[use.slot] = relation(executor, block, use, ts, pin, bindings, made.text)
                prepared.rows -= made.unread
        for slot, (table, rows) in (extra or {}).items():
            bindings[f"given_{slot}"] = rows
            relations[slot] = f"given_{slot}"
            if table is not None:
                beside = rows.column_names[len(table.columns) :]  # `executor.session.returned`
                relations[slot] = f"(SELECT {', '.join([*cells(table), *beside])} FROM given_{slot})"
        prepared.sql = assemble(query, params, relations, lambda v: session_value(session, v.name, ts))
        prepared.rows += sum(map(len, bindings.values()))
    except BaseException:
        prepared.begun()
        raise
    return prepared


def _rows_of(executor: Executor, use: RelationUse) -> int:
    """How many rows a scan looks at, about."""
    image = executor.store.find(use.table.shard)
    return 0 if image is None else image.physical.live_rows


def _asks(query: Query) -> bool:
    """Whether it waits for routines while it runs: these may read a table that is flushed, which would wait for its pin."""
    return any(isinstance(piece, SessionValue) and piece.name == "asking" for piece in query.pieces)


_NOTHING = re.compile(r" AS r\d+ (WHERE \((1 = 0|0 = 1|FALSE|false)\)|WHERE (FALSE|false)|LIMIT 0)")


def asks_for_nothing(query: Query) -> bool:
    """Whether it is one SELECT over one table of which it wants no row: what clients send (Spark, and ORMs) to learn of columns.

    Nobody waits for rows then, be they many; but whoever asks so will soon read, so they are made ready meanwhile.
    """
    if len(query.pieces) != 3 or len(query.relations) != 1 or query.volatile:
        return False
    head, slot, tail = query.pieces
    if not (isinstance(head, str) and isinstance(tail, str) and isinstance(slot, Slot)):
        return False
    return _NOTHING.fullmatch(tail) is not None and head.count("SELECT") == 1 and head.endswith(" FROM ")


def _transition(session: Session, use: RelationUse, bindings: dict[str, pa.Table]) -> str:
    """The rows of a statement that a trigger's function looks at."""
    name = f"transition_{use.table.oid}"
    bindings[name] = session.transition[use.table.oid]
    return f"(SELECT {', '.join([*cells(use.table), '_rid'])} FROM {name})"


def _no_rows(use: RelationUse, bindings: dict[str, pa.Table]) -> str:
    """A relation without rows in the place of a table."""
    name = f"no_rows_{use.table.oid}"
    bindings[name] = physical_schema(use.table).empty_table()
    return f"(SELECT {', '.join([*cells(use.table), '_rid'])} FROM {name})"


# --- reading -------------------------------------------------------------------------------------


async def read(
    session: Session,
    block: Block | None,
    plan: Plan,
    query: Query,
    params: Sequence[Datum],
    *,
    as_of: Timestamp | None = None,
    tag: str = "SELECT",
) -> Result:
    """A SELECT: small results as Rows, large ones as a Stream."""
    few = catalog_reads.answered(session, block, plan, params) if as_of is None and tag == "SELECT" else None
    if few is not None:
        return few
    columns = plan.columns or ()
    if "restarts" in plan.extra and as_of is None and tag == "SELECT":
        act = session.compiled(plan).act
        if act is not None:
            if block is not None:
                block.statement()  # who alters the sequence waits for its end
            return Rows("SELECT 1", columns, (await acts.restarted(session, act, params),))
    if "constants" in plan.extra:
        await _constants(session, block, plan, params)
    if session.settings.execution_engine in DISTRIBUTED and session.executor.distributed is not None:
        from executor.distributed import read as distributed

        answer = await distributed.read(session, block, plan, query, params, as_of, tag)
        if answer is not None:
            return answer

    async def begun(unaided: bool) -> tuple[RunningQuery, list[pa.RecordBatch], bool]:
        prepared = await prepare(session, block, query, params, as_of=as_of)
        try:
            return await session.executor.columnar.start(
                prepared.sql,
                prepared.bindings,
                zone=_zone(session),
                rows=_to_read(session, prepared),
                bound=prepared.bound,
                unaided=unaided,
            )
        finally:
            prepared.begun()

    try:
        running, batches, complete = await _with_advisory_locks(session, lambda: planned(begun))
    finally:
        if block is None:
            session.executor.advisory.end_transaction(session.pid)
    types = [c.type for c in columns]
    if complete:
        rows = [row for b in batches for row in batch_rows(b, types)]
        return Rows(f"{tag} {len(rows)}", plan.columns, rows)
    return stream(session, running, batches, columns, tag)


async def _constants(session: Session, block: Block | None, plan: Plan, params: Sequence[Datum]) -> None:
    """Raises what a constant of the statement is refused with, whether or not a row asks for it."""
    await arrow(session, block, plan.extra["constants"], params, begins=False)


def _to_read(session: Session, prepared: Prepared) -> int:
    """About how many rows DuckDB is to read in parallel; 0 where it is not to."""
    return 0 if session.rows_wanted and finds_rows_only(prepared.sql) else prepared.rows


async def _with_advisory_locks(session: Session, run: Callable[[], Awaitable[T]]) -> T:
    """Runs a query, and again after every wait for an advisory lock that it asks for."""
    timeout_s = session.settings.lock_timeout_ms / 1000 or None
    begun = False

    async def running() -> T:
        nonlocal begun
        if begun and session.block is not None:
            session.block.transaction().follow(waited=True)
        begun = True
        return await run()

    return await session.executor.advisory.until_granted(session.pid, timeout_s, running)


def _zone(session: Session) -> str:
    zone = session.type_settings.time_zone
    return "" if zone in UTC_NAMES else zone


def stream(
    session: Session,
    running: RunningQuery,
    first: list[pa.RecordBatch],
    columns: tuple[ResultColumn, ...],
    tag: str,
) -> Stream:
    """The result of a running query, cancellable until it is closed."""
    types = [c.type for c in columns]
    session.streams.add(running)
    running.on_close(lambda: session.streams.discard(running))
    timeout_ms = session.settings.statement_timeout_ms
    if timeout_ms:
        timer = asyncio.get_running_loop().call_later(
            timeout_ms / 1000, running.cancel, "canceling statement due to statement timeout"
        )
        running.on_close(timer.cancel)

    source = session.executor.columnar.stream(running, first)

    async def batches() -> AsyncIterator[pa.RecordBatch]:
        with refused_midway(session.executor.advisory, session.pid):
            try:
                async for batch in source:
                    if running.cancelled:
                        raise canceled(running.cancelled)
                    yield canonical_batch(batch, types)
            except ExecutionError as e:
                if e.sqlstate == "57014" and running.cancelled:
                    raise canceled(running.cancelled) from None  # DuckDB knows only that it was interrupted
                raise

    def at_hand() -> pa.RecordBatch | None:
        batch = None if running.cancelled else source.at_hand()
        if batch is None:
            return None
        try:
            return canonical_batch(batch, types)
        except Exception:  # noqa: BLE001  whoever waits for the batch is told
            source.put_back(batch)
            return None

    return Stream(tag, columns, batches(), running.close, at_hand)


async def arrow(
    session: Session,
    block: Block | None,
    query: Query,
    params: Sequence[Datum],
    types: Sequence[TypeRef] | None = None,
    extra: Mapping[str, Given] | None = None,
    *,
    begins: bool = True,
) -> pa.Table:
    """A query's whole result, canonical where `types` are given."""
    if query.by_key is not None and block is not None:
        few = await few_rows.found(session, block, query, query.by_key, params, extra or {}, begins=begins)
        if few is not None:
            return few if types is None else canonical_table(few, types)

    async def table(unaided: bool) -> pa.Table:
        prepared = await prepare(session, block, query, params, extra, begins=begins)
        return await prepared.table(zone=_zone(session), rows=prepared.rows, unaided=unaided)

    result = await _with_advisory_locks(session, lambda: planned(table))
    return result if types is None else canonical_table(result, types)


def canonical_table(rows: pa.Table, types: Sequence[TypeRef]) -> pa.Table:
    """The first columns, as many as there are types, in canonical Arrow."""
    if rows.num_columns > len(types):
        rows = rows.select(range(len(types)))
    batches = [canonical_batch(b, types) for b in rows.to_batches()]
    if not batches:
        fields = [(f"c{i}", t.arrow_type(ref)) for i, ref in enumerate(types)]
        return pa.schema(fields).empty_table()
    return pa.Table.from_batches(batches)


# --- writing -------------------------------------------------------------------------------------


async def write(session: Session, block: Block, plan: Plan, body: Any, params: Sequence[Datum]) -> Result:
    """INSERT ... SELECT, and UPDATE, DELETE and MERGE of rows that a query finds; anew if the snapshot moved."""
    from executor.session import writing

    if "constants" in plan.extra:
        await _constants(session, block, plan, params)
    for _ in range(session.executor.limits.retries_max):
        around, block.level = block.level, None
        try:
            with block.looking(), block.transaction().statement_reads():
                result = await writing.write(session, block, plan, body, params)
            if block.level is not None:  # triggers that come after the statement
                await block.level.drain(session, block)
            return result
        except keyed.SnapshotMoved:
            continue
        finally:
            block.level = around
    raise SerializationFailure("could not serialize access due to concurrent update")


async def materialise_held(session: Session) -> None:
    """Before a commit: cursors WITH HOLD take their rows with them. If it fails, they go as well (`holding`)."""
    for portal in list(session.portals.values()):
        if portal.extra.get("hold") and "held" not in portal.extra:
            await hold(session, portal)
            session.holding.append(portal.name)


async def hold(session: Session, portal: Portal) -> None:
    """Fetches what is left of a cursor's result."""
    from executor.session import cursors

    await cursors.materialise(session, portal)
    portal.extra["held"] = True
