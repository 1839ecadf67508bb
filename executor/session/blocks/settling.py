"""What a transaction's bulk writes come to, worked out beside the loop before anybody waits for it.

    own_clash    a bulk insert against what the same transaction has inserted before
    settle       before COMMIT: rows that were inserted and deleted again go, what is left is sorted once more

Admission is on the loop, for everybody; so what a bulk needs there must be ready when it comes: one sorted run for each
insert, tombstones for each deletion. Both are made when the statement runs. What later statements of the transaction
have changed of it (a DELETE of rows that it has inserted, an ALTER of a table that it has created) is made good here.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.keyed.row_ids import RowIds
from executor.keyed.table_writes import BulkDelete, BulkInsert, TableWrites
from executor.snapshot.bulk import Bulk, shared_keys
from executor.snapshot.keys import KeyIndex
from executor.snapshot.removal import Removal
from executor.snapshot.runs import Run
from executor.snapshot.spill import Spill, filtered
from txn.abc import Key

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


def own_clash(writes: TableWrites, bulk: Bulk) -> tuple[int, Key] | None:
    """(constraint oid, key) that the bulk shares with rows of the same transaction, or has twice. Any thread."""
    if bulk.duplicates:
        return bulk.duplicates[0]
    if bulk.keys is None or (not writes.bulk and not writes.by_key):
        return None
    gone = writes.gone()
    for other in writes.bulk:
        known = other.prepared
        if known is None or known.run is None:
            continue
        primary = writes.table.primary_key
        if primary is not None:
            clash = _clash(bulk.keys, known.keys, None, known.run, gone)
            if clash is not None:
                return primary.oid, clash
        for oid, index in bulk.uniques.items():
            secondary = known.run.secondary(oid)
            clash = _clash(index, secondary.keys, secondary, known.run, gone)
            if clash is None:
                nulls = set(bulk.with_nulls.get(oid, ())) & set(known.with_nulls.get(oid, ()))
                clash = min(nulls, key=repr, default=None)
            if clash is not None:
                return oid, clash
    return _clash_in_memory(writes, bulk)


def _clash(index: KeyIndex, known: KeyIndex, secondary: Any, run: Run, gone: RowIds) -> Key | None:
    at, rows = shared_keys(index, known)
    if secondary is not None:
        rows = secondary.rows_at(rows)
    mask = gone.among(run.rids[rows])
    if mask is not None:
        at = at[~mask]
    return index.key_at(int(at[0])) if len(at) else None


def _clash_in_memory(writes: TableWrites, bulk: Bulk) -> tuple[int, Key] | None:
    """The same against rows that were written one by one."""
    rules = writes.rules
    primary = writes.table.primary_key
    assert bulk.keys is not None
    for key, entry in writes.by_key.items():
        if entry is None:
            continue
        if primary is not None and bulk.keys.find(key) >= 0:
            return primary.oid, key
        for rule in rules.uniques:
            own = rule.key(entry[1])
            oid = rule.constraint.oid
            if own is not None and oid in bulk.uniques:
                has_null = type(own) is tuple and None in own
                if own in bulk.with_nulls.get(oid, ()) if has_null else bulk.uniques[oid].find(own) >= 0:
                    return oid, own
    return None


# --- before the commit -------------------------------------------------------------------------------


def unsettled(block: Block) -> bool:
    """Whether `settle` has anything to do. Cheap."""
    for shard, writes in block.tables.items():
        if not (writes.bulk or writes.bulk_deleted) or shard in block.dropped or shard in block.vanished:
            continue
        if writes.bulk_deleted and any(not _known(writes.image, d.removal) for d in writes.bulk_deleted):
            return True
        if not writes.bulk:
            continue
        if shard in block.created or writes.bulk_deleted:
            return True
        if any(b.replaces is None and not _known(writes.image, b.prepared) for b in writes.bulk):
            return True
        if writes.buffer.deletes:
            return True
    return False


async def settle(session: Session, block: Block) -> None:
    """Makes the block's bulk writes what admission will find them to be. Nothing of the block runs after it."""
    store = session.executor.store
    for shard, writes in block.tables.items():
        if not (writes.bulk or writes.bulk_deleted) or shard in block.dropped or shard in block.vanished:
            continue  # written one by one, or made by a step that was rolled back: nobody has such a table
        created = block.created.get(shard)
        image = store.draft(created) if created is not None else store.image(shard)
        gone = await store.sort(writes.gone)
        settled: list[BulkInsert] = []
        searched: list[BulkDelete] = []
        for bulk in writes.bulk:
            mask = await store.sort(functools.partial(_among, gone, bulk))
            if mask is None and (created is None or _fits(bulk.prepared, image)):
                if bulk.replaces is None and not _known(writes.image, bulk.prepared):
                    await store.look_up(image, bulk.prepared, gone)
                settled.append(bulk)
                continue
            if bulk.replaces is not None:  # its deletion shadows nothing any more
                searched.append(bulk.replaces)
            if mask is not None and mask.all():
                continue
            rows = await store.sort(functools.partial(_left, bulk, mask, store.spill))
            own = pa.table([*rows.columns[1:], rows.column(0)], names=[*image.physical.schema.names, "_rid"])
            prepared = await store.prepare_bulk(image, own, ignoring=gone)
            settled.append(BulkInsert(rows, prepared, None))
        for deletion in writes.bulk_deleted:
            due = deletion in searched if deletion.removal is None else not _known(image, deletion.removal)
            if due and writes.image is not None:
                deletion.removal = await store.prepare_removal(store.image(shard), deletion.rids)
        writes.bulk, writes.settled = settled, True


def _left(bulk: BulkInsert, mask: Any, spill: Spill) -> pa.Table:
    """Its rows, without those that the mask says are gone. On a thread."""
    return bulk.rows if mask is None else filtered(bulk.rows, ~mask, spill)


def _among(gone: RowIds, bulk: BulkInsert) -> Any:
    """Which of its rows were deleted again; None: not one. On a thread."""
    return bulk.among(gone)


def _known(image: Any, prepared: Bulk | Removal | None) -> bool:
    """Whether admission would not have to search for rows or keys: nothing was merged or added meanwhile."""
    return image is None or prepared is None or image.knows(prepared)


def _fits(prepared: Any, image: Any) -> bool:
    """Whether rows were prepared for the table as it is defined now."""
    if not isinstance(prepared, Bulk):
        return False
    same = prepared.table.schema.names[:-1] == image.physical.schema.names
    return same and (prepared.run.shape == image.shape if prepared.run is not None else not image.keyed)


__all__ = ["own_clash", "settle", "unsettled"]
