"""What foreign keys found while statements ran, and how admission asks again.

    Presence    "these parents are there"          now: the newest version of each, admitted ones included, is a row
    Absence     "nobody refers to these keys"      now: none was written in the constraint's keyspace since
    Lost        keys that this transaction took    (its own doing: it looked after the children then)
                away itself

Nothing of this enters the transaction's read set: an update of a parent's other columns is no conflict with the
insertion of a child, and the answers hold at every isolation level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from executor.session.waits import WouldBlock, lock_keys, wait_for
from planner.abc import Constraint, Oid, Table
from storage.abc import Row, ShardId, Timestamp
from txn.abc import Group, Key, Keyspace, SerializationFailure
from txn.held_keys import HELD_MAX
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


@dataclass(frozen=True, slots=True)
class Presence:
    """Parents that were there at `ts`: they must still be. `keys`: as the parent's own key has them."""

    parent: Table
    key: Constraint
    keys: frozenset[Key] | None
    """None: too many to list, or of other types: then nobody may have written to the parent since."""
    ts: Timestamp


@dataclass(frozen=True, slots=True)
class Absence:
    """Keys that nobody referred to at `ts`: nobody may have begun to since."""

    space: Keyspace
    keys: frozenset[Key]
    ts: Timestamp
    overtaken: str = "a key that it took away is referred to again"
    """Why the transaction is refused if somebody has."""


@dataclass(frozen=True, slots=True)
class Lost:
    shard: ShardId
    key_oid: Oid
    keys: frozenset[Key]


async def parents_locked(session: Session, block: Block, parent: Table, keys: Iterable[Key]) -> bool:
    """Locks rows that are referred to (FOR KEY SHARE), but for those of a transaction that has very many: they are only asked for
    again at admission. False: one has changed while this waited, and is to be looked for again. Raises SerializationFailure."""
    txn, env = block.transaction(), session.executor.env
    again = False
    for key in keys:
        if env.locks.mark(txn) >= HELD_MAX:
            break
        if env.locks.try_acquire(txn, parent.shard, key, LockMode.KEY_SHARE):
            continue
        await wait_for(session, block, WouldBlock(parent.shard, key, LockMode.KEY_SHARE))
        newer = env.conflicts.point(parent.shard, key, txn.read_ts)
        if newer and not txn.refresh(newer):
            raise txn.stale(parent.shard, key, newer)
        again = again or bool(newer)
    return not again


async def children_locked(
    session: Session, block: Block, child: Table, found: Sequence[tuple[int, Row]], mode: LockMode
) -> bool:
    """Locks rows that go or change with what they refer to, as long as they are not very many. False: some have changed while this
    waited, and all are to be looked for again. Raises SerializationFailure."""
    txn, key_of = block.transaction(), session.rules(child).key
    before = txn.read_ts
    keys: list[Key] = [key_of(row) if key_of is not None else rid for rid, row in found]
    while len(keys) <= HELD_MAX:
        try:
            lock_keys(session, txn, child, keys, mode)
            break
        except WouldBlock as blocked:
            await wait_for(session, block, blocked)
    return txn.read_ts == before


def admit(block: Block, group: Group) -> None:
    """Whether what was seen then still holds. Raises SerializationFailure."""
    lost: dict[tuple[ShardId, Oid], set[Key]] = {}
    for check in block.reference_checks:
        if isinstance(check, Lost):
            lost.setdefault((check.shard, check.key_oid), set()).update(check.keys)
    index = block.executor.env.conflicts
    # Tables and shapes of tables that are this transaction's alone, even if they have made way for others since.
    own = {table.shard for step in block.steps for table in step.created}
    for check in block.reference_checks:
        if isinstance(check, Absence):
            index.validatable(check.ts)
            if index.whole(check.space, check.ts) and any(
                index.point(check.space, k, check.ts) for k in check.keys
            ):
                raise overtaken(check.overtaken)
        elif isinstance(check, Lost) or check.parent.shard in own:
            continue
        elif check.keys is None:
            index.validatable(check.ts)
            if (
                index.whole(check.parent.shard, check.ts)
                or _shard_now(block, check.parent) != check.parent.shard
            ):
                raise overtaken("the referenced table was written")
        else:
            _admit_presence(
                block, group, check, check.keys - lost.get((check.parent.shard, check.key.oid), set())
            )


def _shard_now(block: Block, table: Table) -> ShardId:
    """Where the table's rows are by now: an index that it has got since may have had them written anew."""
    now = block.executor.catalogs.newest.get(table.oid)
    return now.shard if isinstance(now, Table) else table.shard


def _admit_presence(block: Block, group: Group, check: Presence, keys: frozenset[Key]) -> None:
    """Each key has a row: committed, or admitted before, or this transaction's own."""
    writes = block.tables.get(check.parent.shard)
    own = writes.by_key if writes is not None else {}
    image = block.executor.store.image(_shard_now(block, check.parent))
    bulk: set[Key] | None = None
    for key in keys:
        if check.key.kind == "p":
            if own.get(key) is not None:
                continue
            newest = image.newest(key)
            if newest is not None and newest[2] is not None:
                continue
        elif image.find_unique(check.key.oid, key, group.ts) is not None or (
            writes is not None and writes.own_unique(check.key.oid, key) is not None
        ):
            continue
        if writes is not None and writes.bulk:
            if bulk is None:
                rule = next((r for r in writes.rules.uniques if r.constraint.oid == check.key.oid), None)
                bulk = {k if rule is None else rule.key(row) for k, _, row in writes.bulk_rows()}
            if key in bulk:
                continue
        raise overtaken("a row that it refers to was deleted")


def overtaken(why: str) -> SerializationFailure:
    """40001 of a COMMIT that meets what another server committed first. `why`: after "by a concurrent transaction"."""
    return SerializationFailure(
        "could not serialize access due to concurrent update", detail=f"By a concurrent transaction, {why}."
    )
