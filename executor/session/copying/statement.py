"""COPY: rows in and out without SQL in between.

    COPY t FROM STDIN    pgwire decodes  ->  write(batch)  ->  completed rows, numbered, staged as parts
                                             finish()      ->  checked, added to the block, committed
    COPY t TO STDOUT     a SELECT's stream; pgwire encodes it
    COPY t FROM '/file'  the same two with a file of the server's where the client would be: `pgwire/copy_files.py`
    COPY t FROM 'staging/...' (FORMAT parquet)    what others wrote to the blob store: `staged`

Parts are staged while the client is still sending, so a large COPY ends soon after its last byte.
Columns that are not copied get their defaults.
"""

from __future__ import annotations

import asyncio
import dataclasses
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from executor.abc import CopyIn, CopyOptions, CopyOut, ExecutionError, Result, Rows, Stream
from executor.columnar.rows import canonical_batch
from executor.session import bulk, permissions, queries, read_only, relations, restricted, row_checks, rules
from executor.session.blocks.block import Block
from executor.session.copying import into_views, loads, staging
from executor.session.copying.copy_options import check_columns, options_of
from executor.session.copying.loads import Load, refuse_read_only
from executor.session.locks import definition_locks
from executor.session.partitions import partitioned
from executor.session.row_queries import recomputed, verify_copy_condition
from executor.snapshot.spill import spilled_table
from executor.triggers import firing
from planner import statements as st
from planner import triggers
from planner import types as t
from planner.abc import Column, Plan, Query, ResultColumn, Table
from planner.catalog import Sequence as SequenceObject
from planner.catalog import View, predefined, rights
from planner.catalog.foreign_objects import unreachable
from planner.lexer import quoted
from storage.abc import Datum, Part

if TYPE_CHECKING:
    from executor.session.session import Session

STAGING_MAX = 2
"""Chunks being written while the next one is read."""
_DEALS: Final = re.compile(r"\bnextval\s*\(", re.IGNORECASE)
_ASKS_WHAT_CAME: Final = re.compile(r"\b(currval|lastval)\s*\(", re.IGNORECASE)


async def run(session: Session, plan: Plan, s: st.Copy, params: Sequence[Datum], autocommit: bool) -> Result:
    if s.is_from and s.filename is not None and str(s.options.get("format", "")).lower() == "parquet":
        from executor.session.copying import staged

        return await staged.run(session, s, params)
    if s.filename is not None:
        _require_files(session, s)
    options = options_of(s)
    if not s.is_from:
        return await _copy_out(session, plan, s, options, tuple(params), autocommit)
    assert s.table is not None
    if s.filename is None and (refused := _unfilled(session, s, s.table, options)) is not None:
        return refused
    table = _into(session, s.table)
    if session.executor.defining and await definition_locks.behind_of(session, table.oid):
        table = _into(session, s.table)
    columns = copied_columns(table, s.columns)
    if table.foreign is not None:
        raise unreachable(session.catalog, table)
    permissions.require_columns(session, table, "INSERT", [c.attnum for c in columns])
    if restricted.restricts(session, table):
        raise ExecutionError(
            "0A000", "COPY FROM not supported with row-level security", hint="Use INSERT statements instead."
        )
    if s.where is not None:
        verify_copy_condition(session, table, s.where)
    check_columns(options, table, [c.name for c in columns])
    own = session.block is None
    block = session.block or session.open_block(implicit=True)
    if not read_only.may_write(session, block, table):
        refuse_read_only(session, own=own)
    block.statement()
    block.use(table)  # who defines it anew waits
    where = s.where.text if s.where is not None else None
    load = _Load(session, block, table, columns, own=own, where=where, path=s.filename)
    described = tuple(ResultColumn(c.name, c.type, table.oid, c.attnum) for c in columns)
    return CopyIn(
        described,
        options,
        load.write,
        load.finish,
        load.abort,
        table.name,
        s.filename or "",
        load.progress,
        _not_fresh(block, table) if options.freeze else None,
    )


def _no_table(relation: Any) -> ExecutionError | None:
    """What COPY FROM says of what it does not fill."""
    if isinstance(relation, SequenceObject):
        return ExecutionError("42809", f'cannot copy to sequence "{relation.name}"')
    if isinstance(relation, View):
        if into_views.is_written_by_triggers(relation):
            return ExecutionError(
                "0A000", "COPY FROM of a file into a view with INSTEAD OF triggers is not supported"
            )
        return ExecutionError(
            "42809",
            f'cannot copy to view "{relation.name}"',
            hint="To enable copying to a view, provide an INSTEAD OF INSERT trigger.",
        )
    if isinstance(relation, Table) and relation.materialized is not None:
        return ExecutionError("42809", f'cannot copy to materialized view "{relation.name}"')
    return None


def _unfilled(session: Session, s: st.Copy, name: st.Name, options: CopyOptions) -> CopyIn | None:
    """COPY FROM STDIN of what it does not fill: the client is told once it has begun to send, as there. Raises 42501, 42703."""
    relation = session.catalog.commanded_relation(name.name, name.schema, session.search_path())
    refused = _no_table(relation)
    if refused is None:
        return None
    written = isinstance(relation, View) and into_views.is_written_by_triggers(relation)

    async def nowhere(*_: object) -> Any:
        raise refused

    rights.require(session.catalog, session.user, relation, "insert")
    shown = tuple(ResultColumn(c.name, c.type) for c in getattr(relation, "columns", ()) if not c.hidden)
    for column in s.columns:
        if all(c.name != column for c in shown) and shown:
            raise ExecutionError("42703", f'column "{column}" of relation "{relation.name}" does not exist')
    if written:
        if s.where is not None:
            raise ExecutionError("0A000", "COPY FROM ... WHERE into a view is not supported")
        assert isinstance(relation, View)
        return into_views.begin(session, relation, s.columns, options)
    return CopyIn(shown, options, nowhere, nowhere, lambda: None, relation.name, refused=refused)


def _into(session: Session, name: st.Name) -> Table:
    """The table that COPY FROM fills. Raises 42P01, 42809."""
    relation = session.catalog.commanded_relation(name.name, name.schema, session.search_path())
    if (refused := _no_table(relation)) is not None:
        raise refused
    table: Table = session.catalog.resolve_table(name.name, name.schema, session.search_path())
    return table


def _not_fresh(block: Block, table: Table) -> ExecutionError | None:
    """FREEZE means nothing here, where rows have no transaction's number to freeze; it is taken where PostgreSQL takes it: for
    a table that its own subtransaction has created or truncated."""
    if table.partitioning is not None:
        return ExecutionError("0A000", "cannot perform COPY FREEZE on a partitioned table")
    since = block.savepoints[-1].steps if block.savepoints else 0
    if any(made.shard == table.shard for step in block.steps[since:] for made in step.created):
        return None
    return ExecutionError(
        "55000",
        "cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction",
    )


def _require_files(session: Session, s: st.Copy) -> None:
    """Files of the server are for superusers and those whom they trust with them. Raises 42501, 42602, 0A000 for programs."""
    if s.program:
        raise ExecutionError("0A000", f"COPY {'FROM' if s.is_from else 'TO'} PROGRAM is not supported")
    way, role = ("from", predefined.READ_SERVER_FILES) if s.is_from else ("to", predefined.WRITE_SERVER_FILES)
    if not rights.has_role(session.catalog, session.user, role):
        raise ExecutionError(
            "42501",
            f"must be superuser or have privileges of the {role} role to COPY {way} a file",
            hint="Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.",
        )
    if not s.is_from and not PurePath(s.filename or "").is_absolute():
        raise ExecutionError("42602", "relative path not allowed for COPY to file")


def copied_columns(table: Table, names: Sequence[str]) -> list[Column]:
    if not names:
        return [c for c in table.columns if not c.generated]
    by_name = {c.name: c for c in table.columns}
    out = []
    for name in names:
        column = by_name.get(name)
        if column is None:
            raise ExecutionError("42703", f'column "{name}" of relation "{table.name}" does not exist')
        if column in out:
            raise ExecutionError("42701", f'column "{name}" specified more than once')
        if column.generated:
            raise ExecutionError(
                "42P10",
                f'column "{name}" is a generated column',
                detail="Generated columns cannot be used in COPY.",
            )
        out.append(column)
    return out


class _Load(Load):
    """Rows of a table, added in bulk."""

    def __init__(
        self,
        session: Session,
        block: Block,
        table: Table,
        columns: list[Column],
        *,
        own: bool,
        where: str | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__(session, block, table.oid, own=own, path=path)
        self._where = where
        self._table = table
        self._columns = columns
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0
        self._done: list[pa.Table] = []
        self._parts: list[Part] = []
        self._staging: list[asyncio.Task[Part]] = []
        self._bytes = 0
        self._held = 0
        """Bytes of complete chunks; from `SnapshotLimits.spill_bytes_min` on they go to mapped files."""
        self._fired = firing.statement(session, block, table, triggers.INSERT)
        """What the rows fire; None: nothing."""
        self._level: firing.Level | None = None

    async def _take(self, batch: pa.RecordBatch) -> None:
        self._waiting.append(canonical_batch(batch, [c.type for c in self._columns]))
        self._waiting_rows += batch.num_rows
        self._bytes += batch.nbytes
        limit = self._session.executor.limits.transaction_bytes_max
        if self._bytes > limit:
            raise ExecutionError("54000", f"COPY of more than {limit} bytes in one transaction")
        if self._waiting_rows >= self._session.executor.limits.bulk_chunk_rows:
            await self._chunk(stage=True)

    async def _chunk(self, *, stage: bool) -> None:
        if not self._waiting_rows:
            return
        given = pa.Table.from_batches(self._waiting)
        self._waiting, self._waiting_rows = [], 0
        session, table = self._session, self._table
        rows = await self._completed(given)
        await partitioned.in_turn(session, table, rows)
        if table.partitioning is not None and self._fired is None:
            _, count = await bulk.insert(session, self._block, table, rows, None)
            self.progress.tuples_processed += count
            return
        if self._fired is not None:
            await self._fire(rows)
            return
        rules = session.rules(table)
        try:
            await session.executor.store.sort(lambda: row_checks.check_rows(rules, rows, session))
            numbered = staging.numbered(
                session.executor.env.rids.take(rows.num_rows), table, rows, session.executor.store.spill
            )
            await row_checks.check_wide(session, self._block, table, staging.physical(table, numbered))
        except ExecutionError as error:
            error.which = self._placed(error.which)
            raise
        self.progress.tuples_processed += numbered.num_rows
        spill = session.executor.store.spill
        self._held += numbered.nbytes
        if self._held >= spill.size_bytes_min:
            numbered = await session.executor.store.sort(lambda: spilled_table(numbered, spill))
        self._done.append(numbered)
        if stage:
            # The next chunk is read while this one is written, and the one before it must have been.
            if len(self._staging) >= STAGING_MAX:
                self._parts.append(await self._staging[0])
                del self._staging[0]
            self._staging.append(asyncio.ensure_future(staging.stage(session, table, "+", numbered)))

    async def _fire(self, rows: pa.Table | None) -> None:
        """Rows of a table with triggers, which fire in one level of their own; None: there are no more."""
        session, block, fired = self._session, self._block, self._fired
        assert fired is not None
        around, block.level = block.level, self._level
        try:
            await fired.begin(triggers.INSERT)
            if rows is not None:
                _, count = await bulk.insert(session, block, self._table, rows, None)
                self.progress.tuples_processed += count
            else:
                await fired.end(triggers.INSERT)
                await firing.over(session, block)
            self._level = block.level
        finally:
            block.level = around

    async def _staged(self) -> list[Part]:
        """All parts, in the order of their rows."""
        while self._staging:
            self._parts.append(await self._staging[0])
            del self._staging[0]
        return self._parts

    async def _completed(self, given: pa.Table) -> pa.Table:
        """Full rows: the copied columns, and defaults for the others."""
        arrays = []
        copied = {c.attnum: i for i, c in enumerate(self._columns)}
        for column in self._table.columns:
            i = copied.get(column.attnum)
            if i is not None:
                arrays.append(given.column(i))
            else:
                arrays.append(await self._filled(column, given.num_rows))
        # Of a table without columns the rows are what came, which knows how many they are.
        rows = pa.table(arrays, names=[f"c{c.attnum}" for c in self._table.columns]) if arrays else given
        if self._where is None and not any(c.generated for c in self._table.columns):
            return rows
        zeros = pa.array(np.zeros(rows.num_rows, np.int64))
        whole = pa.table([*rows.columns, zeros], schema=relations.physical_schema(self._table))
        kept = await recomputed(self._session, self._block, self._table, whole, self._where)
        self.progress.tuples_excluded += rows.num_rows - kept.num_rows
        return kept

    async def _filled(self, column: Column, count: int) -> pa.Array:
        if column.generated:
            return pa.nulls(count, t.arrow_type(column.type))
        if _ASKS_WHAT_CAME.search(column.filling or "") and any(
            c.sequence_oid or _DEALS.search(c.filling or "") for c in self._table.columns
        ):  # each column is filled for many rows before the next one
            raise ExecutionError(
                "0A000",
                f'the default of column "{column.name}", currval() beside nextval(), is not supported in COPY',
            )
        return await default_values(self._session, column, count)

    def _placed(self, which: Callable[[], int | None] | None) -> Callable[[], int | None] | None:
        """Of a chunk's row: which it is of all. Nobody knows that of rows of which WHERE has let some go."""
        if which is None or self._where is not None:
            return None
        before, row = self.progress.tuples_processed, which()
        return None if row is None else partial(int, before + row)

    async def _complete(self) -> None:
        """Checks keys, adds everything to the block."""
        session, block = self._session, self._block
        await self._chunk(stage=bool(self._parts or self._staging))
        if self._fired is not None:
            await self._fire(None)
        if self._done:
            await bulk.hydrated(block, self._table)
            parts = await self._staged()
            try:
                await bulk.add_bulk(session, block, self._table, pa.concat_tables(self._done), parts or None)
            except ExecutionError as error:
                error.which = error.which if self._where is None else None
                raise

    def _let_go(self) -> None:
        """What was staged is garbage."""
        for task in self._staging:
            task.cancel()


async def default_values(session: Session, column: Column, count: int) -> pa.Array:
    """`count` values of a column's default."""
    ref = column.type
    if column.generated:
        raise ExecutionError("0A000", "staged files for a table with generated columns are not supported")
    if column.sequence_oid:
        values = await session.executor.sequences.take_many(session, column.sequence_oid, count)
        return pa.array(values, t.arrow_type(ref))
    if column.filling is None:
        return pa.nulls(count, t.arrow_type(ref))
    text = f"SELECT CAST({column.filling} AS {t.format_type(ref)})"
    plan, params = session.executor.planner.plan(text, session.context(), normalise=False)
    body = session.compiled(plan).plan.body
    if not isinstance(body, Query):
        raise ExecutionError("0A000", f'the default of column "{column.name}" is not supported in COPY')
    if body.volatile:  # a value of its own for each row
        body = dataclasses.replace(body, pieces=(*body.pieces, f" FROM range({count})"))
        return (await queries.arrow(session, session.block, body, params, [ref], begins=False)).column(0)
    one = await queries.arrow(session, session.block, body, params, [ref], begins=False)
    return one.column(0).take(pa.array(np.zeros(count, np.int64)))


async def _copy_out(
    session: Session,
    plan: Plan,
    s: st.Copy,
    options: CopyOptions,
    params: tuple[Datum, ...],
    autocommit: bool,
) -> Result:
    inner, oid = plan.extra.get("query"), 0
    if inner is None:
        assert s.table is not None
        relation = session.catalog.commanded_relation(s.table.name, s.table.schema, session.search_path())
        if isinstance(relation, Table):
            columns = copied_columns(relation, s.columns)
            names = [c.name for c in columns]
            if relation.row_security:  # rights come first, policies after them
                permissions.require_columns(session, relation, "SELECT", [c.attnum for c in columns])
            if relation.foreign is not None:
                raise ExecutionError(
                    "42809",
                    f'cannot copy from foreign table "{s.table.name}"',
                    hint="Try the COPY (SELECT ...) TO variant.",
                )
            if relation.materialized is not None:
                raise ExecutionError(
                    "42809",
                    f'cannot copy from materialized view "{s.table.name}"',
                    hint="Try the COPY (SELECT ...) TO variant.",
                )
            if relation.partitioning is not None:
                raise ExecutionError(
                    "42809",
                    f'cannot copy from partitioned table "{s.table.name}"',
                    hint="Try the COPY (SELECT ...) TO variant.",
                )
        elif isinstance(relation, SequenceObject):
            raise ExecutionError("42809", f'cannot copy from sequence "{s.table.name}"')
        else:
            raise ExecutionError(
                "42809",
                f'cannot copy from view "{s.table.name}"',
                hint="Try the COPY (SELECT ...) TO variant.",
            )
        oid = relation.oid
        schema = session.catalog.schema_of(relation.schema_oid).name
        cells = ", ".join(quoted(n) for n in names)
        only = "ONLY " if relation.children else ""  # as there: the table's own rows
        text = f"SELECT {cells} FROM {only}{quoted(schema)}.{quoted(relation.name)}"
        inner, params = session.executor.planner.plan(text, session.context(), normalise=False)
        check_columns(options, relation, names)
    else:
        rules.refuse(inner, "COPY")
        check_columns(options, None, [c.name for c in inner.columns])
    progress = loads.progress(session, "COPY TO", oid, s.filename)
    session.said_of_rows = None
    try:
        result = await session.run_plan(inner, params, autocommit)
        if isinstance(result, Rows):
            result = _as_stream(result)
        if not isinstance(result, Stream):
            raise ExecutionError("0A000", "COPY of this query is not supported")
    except BaseException:
        session.copy_progress = None
        raise
    result.tag = "COPY"
    close = result.close

    def over() -> None:
        session.copy_progress = None
        close()

    result.close = over
    return CopyOut(options, result, s.filename or "", progress, session.said_of_rows)


def _as_stream(rows: Rows) -> Stream:
    from executor.snapshot.columns import result_arrays

    columns = rows.columns or ()
    arrays = result_arrays(list(rows.rows), [c.type for c in columns])

    async def batches() -> Any:
        if rows.rows and not columns:
            yield pa.RecordBatch.from_struct_array(pa.array([{}] * len(rows.rows), pa.struct([])))
        elif rows.rows:
            yield pa.RecordBatch.from_arrays(arrays, names=[f"c{i}" for i in range(len(columns))])

    return Stream("COPY", columns, batches(), lambda: None)
