"""What becomes of one table's writes at the end of their transaction: asked once more at admission, and made versions.

    at admission    no other commit has taken a key that is written here      check_unique, check_bulk      23505, 40001
    applied         the rows that are buffered are put at the commit's ts     apply_buffer

Admission is where nothing can come in between, and both run on the commit path of every transaction that writes: what is
read there is row ids before rows, and a transaction of one row costs no list.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Any

from executor.keyed.table_writes import TableWrites
from executor.session.references import checks as reference_checks
from executor.snapshot.abc import TableImage
from planner.abc import Constraint
from storage.abc import Row, Timestamp
from txn.abc import Key
from txn.columns import Columns
from txn.write_buffer import ShardBuffer

_SOME = 2
"""More rows are put into an image together."""
_NOT_SEEN: Mapping[Key, tuple[Timestamp | None, Columns]] = MappingProxyType({})


def check_unique(w: TableWrites, ts: Timestamp) -> None:
    rules, image, buffer = w.rules, w.image, w.buffer
    assert image is not None
    gone: Container[int] = w.deleted_rids() if w.bulk_deleted else ()
    by_key, deletes = buffer.by_key, buffer.deletes
    if rules.key is not None:
        # A row that was seen, and has been changed here, has its key: nobody else has written it, or validation had failed.
        # That is made sure of by row ids: reading the row of a run costs more than the rest.
        seen = w.txn.writes.wrote.get(w.shard, _NOT_SEEN)
        taken = image.first_taken(by_key, deletes, gone, seen)
        if taken is not None:
            raise _taken_meanwhile(w, None, taken, by_key[taken][1])  # type: ignore[index]
    for entry in by_key.values() if rules.uniques else ():
        if entry is None:
            continue
        row = entry[1]
        for rule in rules.uniques:
            k = rule.key(row)
            if k is None:
                continue
            found = image.find_unique(rule.constraint.oid, k, ts)
            if found is not None and found[1] not in deletes and found[1] not in gone:
                raise _taken_meanwhile(w, rule.constraint, k, row)


def _taken_meanwhile(w: TableWrites, constraint: Constraint | None, key: Key, row: Row) -> Exception:
    """What COMMIT says of a key that another server was first to take: row locks are each server's own.

    Who wrote `ON CONFLICT` would never hear of it from PostgreSQL, where one waits for the other: once more, and it is so here.
    """
    if w.evades:
        return reference_checks.overtaken("a key was taken that ON CONFLICT found free")
    return w.rules.unique_violation(constraint, key, row)


def check_bulk(w: TableWrites, prepared: Any, ts: Timestamp, ignoring: Any) -> None:
    assert w.image is not None
    clashes = w.image.conflicting_keys(prepared, ts, ignoring=ignoring)  # type: ignore[call-arg]
    if clashes:
        oid, key = clashes[0]
        constraint = next(c for c in w.table.constraints if c.oid == oid)
        raise w.rules.unique_violation(constraint, key)


def apply_buffer(image: TableImage, buffer: ShardBuffer, ts: Timestamp, *, keyed: bool) -> None:
    """The buffered rows of one table become versions at `ts`."""
    by_key, inserts = buffer.by_key, buffer.inserts
    # Rows that were replaced under their key are shadowed by `put`; keys that are empty now are removed.
    many = len(by_key) > _SOME
    if many:
        if len(inserts) == len(by_key) and None not in by_key.values():
            rids, rows = zip(*by_key.values(), strict=True)
            if all(map(inserts.__contains__, rids)):
                image.put_each(by_key, rids, rows, ts)
                return
        some = {key: entry for key, entry in by_key.items() if entry is not None and entry[0] in inserts}
        image.put_each(some, [rid for rid, _ in some.values()], [row for _, row in some.values()], ts)
        if not buffer.deletes:
            return
    for key, entry in by_key.items():
        if entry is not None:
            if not many and entry[0] in inserts:
                image.put(key, entry[0], entry[1], ts)
        elif not keyed:
            if key in buffer.deletes:
                image.remove(key, key, ts)
        else:
            v = image.newest(key)
            if v is not None and v[2] is not None and v[1] in buffer.deletes:
                image.remove(key, v[1], ts)
