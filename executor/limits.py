"""Every bound of this room in one place, with its unit in its name.

A limit that is reached is an error with a SQLSTATE, never a slow death: too many rows buffered is
54000, too many queries waiting is 53300, too much memory is 53200.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExecutorLimits:
    """What one executor may use. All sessions share it unless the name says otherwise."""

    sessions_max: int = 500
    """Sessions open at once; one more is 53300."""

    statements_per_session_max: int = 5_000
    """Prepared statements a session may hold."""

    portals_per_session_max: int = 1_000

    columnar_threads: int = 4
    """Threads that drive DuckDB cursors (DuckDB's own threads are `duckdb_threads`)."""

    columnar_queue_max: int = 1_000
    """Columnar statements waiting for a thread; one more is 53300."""

    duckdb_threads: int = 1
    """DuckDB's threads while a query runs that has much to read (`executor.columnar.parallel`); others have one."""

    duckdb_memory_limit_bytes: int = 2 << 30

    stream_batch_rows: int = 8_192
    """Rows per Arrow batch of a streamed result, if they are narrow."""

    stream_step_rows: int = 1_024
    """Rows that DuckDB gives at once, whatever they weigh: it has twice as many in its hands. Batches are made of several steps."""

    stream_batch_bytes: int = 1 << 20
    """With so much a batch has enough rows."""

    small_result_rows: int = 256
    """A columnar result of at most this many rows is handed over as tuples."""

    cursor_rows_max: int = 10_000_000
    """Rows that a scrollable cursor may keep in memory; more is 54000. (Buffered writes are bounded in bytes,
    by `txn.limits.Limits`.)"""

    transaction_bytes_max: int = 1 << 36
    """Arrow bytes that one transaction may write in bulk; more is 54000. What is large lies in mapped files
    (`SnapshotLimits.spill_bytes_min`), so it takes disk rather than memory."""

    slot_kept_bytes_max: int = 8 << 30
    """What may have been written since the place up to which a replication slot's follower is; a slot that is further behind is lost, and
    no history is kept for it any more."""

    slot_result_bytes_max: int = 256 << 20
    """What pg_logical_slot_get_changes and its like return in one call, which is in memory as a whole; more is 54000."""

    stage_rows: int = 4_096
    """Bulk writes of at least this many rows go to the blob store as parts before the commit."""

    bulk_chunk_rows: int = 245_760
    """Rows per part of a bulk write: two row groups. Parts half as large are eight for a million rows, so many that
    compaction reads and writes them again at once."""

    retries_max: int = 50
    """How often a statement that is its own transaction is run again after a conflict."""

    savepoints_max: int = 50_000
    """Open in one block. Each remembers where its block then stood: some 500 bytes, and more for each table written."""

    large_object_bytes_max: int = 1 << 30
    """Of one large object; more is 54000."""

    large_object_descriptors_max: int = 1_000
    """Large objects that a transaction has open at once; one more is 53400."""

    statement_bytes_max: int = 64 << 20
