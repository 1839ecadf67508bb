"""One statement of DuckDB's on one cursor, from its first batch to its close.

    start --> read, read, ... --> close        on a thread of the engine's, batch by batch
    cancel                                     from the loop: DuckDB stops at its next look

Whoever has the result closes it, once; the cursor goes back to the engine, which sees whether another query may have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from executor.columnar.parallel import has_effect
from executor.columnar.read_ahead import ReadAhead
from executor.columnar.submitting import bound as bound_query
from executor.columnar.submitting import reader
from executor.columnar.unaided import failed_in_a_branch
from planner.types.timezones import icu_name, session_zone

if TYPE_CHECKING:
    from executor.columnar.engine import ColumnarEngine

FAILURES = (duckdb.Error, pa.ArrowException, OSError)
"""How DuckDB fails: Arrow wraps its errors in OSError."""


class RunningQuery:
    """One statement on one cursor, from its first batch to its close."""

    __slots__ = (
        "_bindings",
        "_ended",
        "_engine",
        "_failed",
        "_in_transaction",
        "_on_close",
        "ahead",
        "batch_rows",
        "cancelled",
        "closed",
        "cursor",
        "reader",
        "schema",
        "sql",
        "zone",
    )

    def __init__(self, engine: ColumnarEngine, cursor: duckdb.DuckDBPyConnection) -> None:
        self._engine = engine
        self.cursor = cursor
        self.reader: Any = None
        self.schema: pa.Schema | None = None
        self._bindings: list[str] = []
        self._on_close: list[Callable[[], None]] = []
        self.closed = False
        self.cancelled = ""
        self.zone = ""
        self.ahead: ReadAhead | None = None
        self.sql = ""
        self._in_transaction = False
        self.batch_rows = 0
        """Steps are put together until there are so many rows."""
        self._failed: Exception | None = None
        self._ended = False

    @property
    def has_effect(self) -> bool:
        """See `executor.columnar.parallel.has_effect`: its text is searched, once for a result that is streamed."""
        return has_effect(self.sql)

    def cancel(self, reason: str) -> None:
        """The next batch raises 57014 with this message."""
        self.cancelled = reason
        self._engine.interrupt(self.cursor)

    def start(
        self,
        sql: str,
        bindings: Mapping[str, pa.Table],
        batch_rows: int,
        zone: str,
        bound: Callable[[], None] | None = None,
    ) -> None:
        """On a thread: binds, starts, leaves a reader.

        `bound` is called when the query's snapshot stands and nothing has been computed yet, which may take minutes: what is
        committed from then on is none of its business. That costs a transaction of DuckDB's (150 microseconds).
        """
        for name, table in bindings.items():
            self.cursor.register(name, table)
            self._bindings.append(name)
        if zone:
            self.zone = zone
            self.cursor.execute(f"SET TimeZone = '{icu_name(session_zone(zone))}'")
        self.sql = sql
        if bound is None:
            self.reader = reader(self.cursor, sql, batch_rows)
        else:
            self.cursor.execute("BEGIN TRANSACTION")
            self._in_transaction = True
            # It looks up its tables, and so begins the transaction in their databases.
            relation = bound_query(self.cursor, sql)
            bound()
            self.reader = relation.to_arrow_reader(batch_rows)
        self.schema = self.reader.schema

    def failed_in_a_branch(self, error: Exception) -> bool:
        """On a thread, after `start` has failed: see `unaided.failed_in_a_branch`."""
        if self._in_transaction:
            self.cursor.execute("ROLLBACK")
            self._in_transaction = False
        return failed_in_a_branch(self.cursor, self.sql, error)

    def over(self) -> None:
        """On a thread: all has been read."""
        if self._in_transaction:
            self.reader = None
            self.cursor.execute("COMMIT")
            self._in_transaction = False

    def read(self) -> pa.RecordBatch | None:
        """On a thread: the next batch, None at the end. Of a result that is streamed some steps together, as long as they are small.

        An error is said in its place, behind the rows that were read before it.
        """
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed
        batch = self.step()
        if batch is None or batch.num_rows >= self.batch_rows:
            return batch
        steps, rows, size = [batch], batch.num_rows, batch.get_total_buffer_size()
        while rows < self.batch_rows and size < self._engine.limits.stream_batch_bytes:
            try:
                batch = self.step()
            except FAILURES as error:
                self._failed = error
                break
            if batch is None:
                break
            steps.append(batch)
            rows += batch.num_rows
            size += batch.get_total_buffer_size()
        return steps[0] if len(steps) == 1 else pa.concat_batches(steps)

    def step(self) -> pa.RecordBatch | None:
        """On a thread: the next that DuckDB gives and that has rows, None at the end."""
        while not self._ended:
            try:
                batch = self.reader.read_next_batch()
            except StopIteration:
                self._ended = True
                break
            if batch.num_rows:
                return batch
        return None

    def on_close(self, callback: Callable[[], None]) -> None:
        self._on_close.append(callback)

    def close(self) -> None:
        """On the loop. A thread that reads ahead is stopped, and the cursor let go when it has. Idempotent."""
        if self.closed:
            return
        self.closed = True
        reading = self.ahead.stop() if self.ahead is not None else None
        if reading is None:
            self._let_go()
        else:
            self.cancelled = self.cancelled or "nobody reads it any more"
            reading.add_done_callback(lambda _: self._let_go())

    def _is_clean(self) -> bool:
        """Whether another query may have the cursor."""
        return not (self._bindings or self.zone or self.cancelled or self._in_transaction)

    def _let_go(self) -> None:
        self.reader = None
        self._engine.give_back(self.cursor, clean=self._is_clean())
        for callback in self._on_close:
            callback()
