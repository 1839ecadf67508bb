"""A transaction block: from BEGIN (or the first statement of an implicit one) to its end.

    Block                what SQL says of it: level, read only, savepoints, its view of the catalog
      .txn               txn.Transaction: snapshot, reads, buffered writes; made by the first statement that
                         needs a snapshot, so that a late first read sees late commits
      .tables            what this room adds per table written: unique keys, bulk rows
      .changes           catalog changes of its DDL, and the shards that come and go with them

At commit the transaction validates itself against everything committed since, then asks `on_admit`
for what only this room knows: that unique keys are still free, that no table it used was altered.
After that nothing may fail, and `on_apply` puts the new versions into the images.
"""

from __future__ import annotations

import functools
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError, Portal
from executor.ddl.shape import same_shape
from executor.keyed import deferred_keys
from executor.keyed.overlay import OverlayView
from executor.keyed.table_writes import TableWrites
from executor.procedural.inside import of_a_reader
from executor.session import heard
from executor.session.blocks.defining import DefiningBlock
from executor.session.blocks.final_writes import apply_buffer, check_bulk, check_unique
from executor.session.references import checks as reference_checks
from planner.abc import Oid, Table
from planner.catalog import View
from planner.overtaking import asks_of_rows_alone, concerns_nobody, goes_on, shows_the_same
from planner.relations import defined
from storage.abc import Row, ShardId, Timestamp
from txn.abc import Group, Isolation, Key, Keyspace, SerializationFailure
from txn.columns import ALL_COLUMNS, Columns
from txn.locks import LockMode
from txn.shared.group import SharedGroup
from txn.transaction import Transaction

if TYPE_CHECKING:
    from executor.executor import Executor

ISOLATION = {
    "read uncommitted": Isolation.READ_COMMITTED,
    "read committed": Isolation.READ_COMMITTED,
    "repeatable read": Isolation.REPEATABLE_READ,
    "snapshot": Isolation.REPEATABLE_READ,
    "serializable": Isolation.SERIALIZABLE,
    "strict serializable": Isolation.STRICT_SERIALIZABLE,
}
LOCK_MODES = {
    "update": LockMode.UPDATE,
    "no key update": LockMode.NO_KEY_UPDATE,
    "share": LockMode.SHARE,
    "key share": LockMode.KEY_SHARE,
}


@dataclass(slots=True)
class Savepoint:
    """What a savepoint remembers beyond the transaction's own journal."""

    name: str
    settings_mark: int
    references: int
    """How many checks of foreign keys there were."""
    deferred: tuple[list[Any], int]
    """The events that wait, and how many there were: SET CONSTRAINTS begins another list, and leaves this one."""
    constraint_modes: dict[int, bool]
    bulk_marks: dict[ShardId, tuple[int, int]]
    catalog: Any
    steps: int
    portals: Mapping[str, Portal]
    """Those that were open, by name: one of the same name may be another one later."""
    notifications: int
    read_only: bool
    descriptors: int
    """How many descriptors of large objects had been opened."""
    advisory: Any
    """The transaction's advisory locks, and those of tables (`AdvisoryLocks.mark`)."""
    locked: dict[Keyspace, Timestamp]
    """The tables to which nobody else may have written (`Snapshot.locked`)."""
    writing: frozenset[Oid]
    """Those to which it was about to write (`Block.writing`)."""


_TAKEN = attrgetter("taken")
_NOTHING: frozenset[Oid] = frozenset()
_NO_TABLES: Mapping[ShardId, Table] = MappingProxyType({})


class Block(DefiningBlock):
    """The state of one transaction block (see the module).

    One is made for every transaction, so what only DDL makes is shared by all that have none.
    """

    __slots__ = (
        "again", "as_of", "begun", "commit_ts", "constraint_modes",
        "deferrable", "deferred", "drawn", "executor", "failed", "found", "gathered", "implicit", "isolation_name", "large_objects", "last_changes", "level",
        "notifications", "number", "party", "postponed", "read_only", "reference_checks", "routed", "savepoints", "sender_pid",
        "settled", "since", "start_us", "stepped", "tables", "txn", "used", "writing",
    )  # fmt: skip

    def __init__(
        self,
        executor: Executor,
        isolation_name: str,
        read_only: bool,
        implicit: bool,
        start_us: int,
        *,
        as_of: Timestamp | None = None,
        party: int | None = None,
        deferrable: bool = False,
    ) -> None:
        self.executor = executor
        self.isolation_name = isolation_name
        self.read_only = read_only
        self.implicit = implicit
        self.start_us = start_us
        self.as_of = as_of
        self.party = party
        """The session's pid: it owns advisory locks beside the transaction's row locks."""
        self.sender_pid = party or 0
        """Whose notifications they are."""
        self.deferrable = deferrable
        self.failed = False
        self.again = False
        """A conflict has undone an earlier attempt: bulk statements keep others away this time."""
        self.settled = False
        """It is about to commit: its bulk writes are what they come to (`settling`)."""
        self.begun = False
        """A statement has run: SET TRANSACTION comes too late."""
        self.txn: Transaction | None = None
        self.tables: dict[ShardId, TableWrites] = {}
        self.used: dict[int, Table | View] = {}
        """By OID: must be unaltered at commit."""
        self.drawn: Any = frozenset()
        """Sequences that it has drawn from, or set, views that it has written by, tables that rules will have it write: who alters one waits."""
        self.writing: frozenset[Oid] = _NOTHING
        """Tables to which a statement was about to write when it had to wait for others: it may have no row of its own in them yet."""
        self.savepoints: list[Savepoint] = []
        self.notifications: dict[heard.Said, None] = {}
        self.reference_checks: list[Any] = []
        """What foreign keys found, to be asked again at admission (`executor.session.references.checks`)."""
        self.deferred: list[Any] = []
        """What deferred constraints look at before the commit."""
        self.constraint_modes: dict[int, bool] = {}
        """SET CONSTRAINTS: deferred or not, by constraint; 0: all."""
        self.found: Mapping[ShardId, Mapping[int, Row]] = {}
        """Rows by their ids, as keys have led to them last (`executor.session.few_rows`): a row id is of one version."""
        self.large_objects: Any = None
        """Descriptors of large objects, once there are any (`executor.session.large_objects`)."""
        self.gathered: Any = None
        """Rows of many INSERTs that wait beside the block (`executor.session.blocks.gathering`)."""
        self.since: Timestamp = 0
        """The snapshot in which the writing statement at hand looks for its rows, or an earlier one. At READ COMMITTED the
        functions that it calls may move the transaction's meanwhile: `newer_than_found`."""
        self.last_changes: Any = ()
        """What the last keyed write changed: for CHECKs that are computed behind it."""
        self.level: Any = None
        """What triggers the statement that runs has to fire when it is over (`executor.triggers.firing`)."""
        self.routed: Mapping[int, Any] = {}
        """Leaves to which rows of a statement go that names a table above them, and who takes down what is written there
        (`executor.triggers.firing.Above`; None: nobody)."""
        self.postponed: list[Any] | None = None
        """What a statement has written to leaves of its table, for foreign keys to look at when it has written to all."""
        self.stepped: Container[Oid] = ()
        """The tables, by OID, that a statement writes row by row (`executor.session.stepwise`) or in several parts, and of which so is
        put off."""
        self.catalog = self.published = None
        self.steps = []
        self.created = self.dropped = self.altered = self.vanished = _NO_TABLES
        self.own_oids = frozenset()
        self.catalog_rids = {}
        self.commit_ts: Timestamp = 0
        self.number = 0
        """What it has been told as (`executor.session.blocks.transaction_numbers`); 0: nobody has asked."""

    @property
    def isolation(self) -> Isolation:
        return ISOLATION[self.isolation_name]

    @property
    def wrote(self) -> bool:
        return self.txn is not None and bool(self.txn.writes)

    # --- the snapshot ----------------------------------------------------------------------

    def transaction(self) -> Transaction:
        """The transaction, begun by the first who asks."""
        txn = self.txn
        if txn is None:
            txn = self.txn = self.executor.begin(self)
            txn.party = self.party
            txn.on_admit = self._on_admit
            txn.on_apply = self._on_apply
            txn.may_move = self._still_defined
        return txn

    @property
    def has_written(self) -> bool:
        """Whether there is anything yet that a COMMIT would make durable."""
        return bool(
            self.own_oids
            or (self.txn is not None and self.txn.writes)
            or any(w.bulk or w.bulk_deleted for w in self.tables.values())
        )

    def statement(self) -> Transaction:
        """Before each statement: READ COMMITTED gets a fresh snapshot, and so does who has got a lock, but for what is part of another
        statement."""
        self.begun = True
        self.executor.patience.statements += 1
        txn = self.txn or self.transaction()
        if txn.hold.lapsed:
            txn.hold.check()
        if txn.renews and self.as_of is None and not of_a_reader(self.party):
            txn.new_statement()
        return txn

    @property
    def read_ts(self) -> Timestamp:
        return self.as_of if self.as_of is not None else self.transaction().read_ts

    # --- tables ----------------------------------------------------------------------------

    @contextmanager
    def looking(self, *, begins: bool = True) -> Iterator[None]:
        """Around a statement, or a part of one, that looks for rows and writes them."""
        txn = self.statement() if begins else self.transaction()
        around, found_ts, self.since = self.since, txn.found_ts, txn.read_ts
        txn.found_ts = found_ts or txn.read_ts
        try:
            yield
        finally:
            self.since, txn.found_ts = around, found_ts

    def newer_than_found(self, shard: ShardId, keys: Iterable[Key]) -> bool:
        """Whether some of these rows, which are locked, may be newer than the statement that found them knows."""
        since, txn = self.since, self.transaction()
        if not since or since >= txn.read_ts:
            return False
        index = self.executor.env.conflicts
        return since < index.floor or any(index.point(shard, key, since) for key in keys)

    def look_through(self, views: Iterable[tuple[View, bool]]) -> None:
        """Notes the views that a statement goes through, and by which of them it writes. Raises SerializationFailure."""
        for view, writes in views:
            oid = view.oid
            if oid in self.own_oids:
                continue
            known = self.used.setdefault(oid, view)
            if known is not view:
                if self.isolation is not Isolation.READ_COMMITTED and not self._reads_on(known, view):
                    raise SerializationFailure(
                        f'could not serialize access: view "{view.name}" was altered by a concurrent transaction'
                    )
                if oid not in self.drawn:
                    self.used[oid] = view
            if writes:
                self.drew_from(oid)

    def use(self, table: Table) -> None:
        """Notes that the block's outcome depends on this definition of the table.

        What it has only read it may go on with as it is by now, where every statement has a snapshot of its own. Elsewhere it may not:
        who defines a table anew waits for the blocks of his own server alone. Raises SerializationFailure.
        """
        if table.oid in self.own_oids:
            return
        known = self.used.setdefault(table.oid, defined(table))
        if known is table or known is (now := defined(table)):
            return
        anew = self.isolation is Isolation.READ_COMMITTED
        if not anew:
            if not self._reads_on(known, now):
                raise SerializationFailure(
                    f'could not serialize access: table "{table.name}" was altered by a concurrent transaction'
                )
            anew = isinstance(known, Table) and known.shard == now.shard
        if anew and not self.has_rows_in(known):  # what it writes it writes under this one
            self.used[table.oid] = now

    def _still_defined(self) -> bool:
        """Whether a snapshot of the present shows the tables that were used as they were: a definition that was in flight when they were
        has waited for nobody."""
        catalogs = self.executor.catalogs
        return catalogs.unaltered(self.used) or catalogs.altered(self.used, self._reads_on) is None

    def _reads_on(self, known: Table | View, now: Table | View) -> bool:
        """Whether what the block has read of a relation is so under another definition of it."""
        if isinstance(known, View) or isinstance(now, View):
            return isinstance(known, View) and isinstance(now, View) and shows_the_same(known, now)
        return self.goes_on(known, now) or asks_of_rows_alone(known, now)

    def drew_from(self, oid: Oid) -> None:
        """Notes that who alters the sequence, or the relation that is about to be written, has to wait for the block."""
        if oid not in self.drawn:
            self.drawn = {*self.drawn, oid}

    def has_rows_in(self, table: Table | View) -> bool:
        """Whether there are rows of the block's own, or others are gone by it, in a table that it has used."""
        if isinstance(table, View):
            return False
        writes = self.tables.get(table.shard)
        return self.gathered is not None or (writes is not None and writes.has_rows)

    def writes(self, table: Table) -> TableWrites:
        """Where the block's writes to a table go. Raises 0A000 for a table whose shape it has altered."""
        w = self._writes(table)
        if w.image is not None and table.shard in self.altered and not same_shape(w.image.table, table):
            raise ExecutionError(
                "0A000",
                f'writing to "{table.name}" in the transaction that alters its columns or keys is not supported',
                hint="Commit the ALTER TABLE first.",
            )
        return w

    def _writes(self, table: Table) -> TableWrites:
        shard = table.shard
        w = self.tables.get(shard)
        if w is None:
            executor = self.executor
            store = executor.store
            image = None if shard in self.created else store.image(shard)
            w = TableWrites(
                self.txn or self.transaction(), executor.rules(table, self.catalog), image, store.spill
            )
            self.tables[shard] = w
        elif w.rules.table is not table:
            w.rules = self.executor.rules(table, self.catalog)  # altered in this very block
        return w

    def view(
        self, table: Table, columns: Columns = ALL_COLUMNS, base: Any = None, *, record: bool = True
    ) -> OverlayView:
        """`columns`: what the statement uses of the rows that it finds; not `record`: it does not depend on them. `base`
        replaces the image (history)."""
        w = self.tables.get(table.shard)
        if w is None or w.rules.table is not table or table.oid not in self.used:
            w = self.used_writes(table)
        view = OverlayView(w, columns if record else 0)
        if w.rules.deferrable:
            view.put_off = deferred_keys.put_off(w.rules, self.constraint_modes)
        if base is not None:
            view.base = base
        return view

    def refuse_keys_held_twice(self, ts: Timestamp, only: Container[Oid] | None = None) -> None:
        """What UNIQUE constraints have put off. `only`: of these. Raises 23505."""
        for shard, w in self.tables.items():
            if w.taken and shard not in self.dropped and shard not in self.vanished:
                found = deferred_keys.held_twice(OverlayView(w, 0), ts, only)
                if found is not None:
                    rule, key = found
                    raise w.rules.unique_violation(rule.constraint, key)

    def used_writes(self, table: Table) -> TableWrites:
        """The block's writes to a table that it is about to look at (`use`), be there any or not."""
        w = self.tables.get(table.shard)
        if w is not None and w.rules.table is table and table.oid in self.used:
            return w  # as for every statement but the first
        self.use(table)
        return self._writes(table)

    def fail(self) -> None:
        """A statement has failed: nothing but an end, or the way back to a savepoint, is left. Others need not wait for that."""
        self.failed = True
        # Those of the statement's own are over with it.
        while self.savepoints and self.savepoints[-1].name.startswith("\0"):
            self.release(len(self.savepoints) - 1)
        self.writing = self.savepoints[-1].writing if self.savepoints else _NOTHING
        if self.txn is not None:
            self.txn.let_go_since_savepoint()

    # --- savepoints ------------------------------------------------------------------------

    def savepoint(
        self, name: str, settings_mark: int, portals: Mapping[str, Portal], advisory: Any = None
    ) -> None:
        if len(self.savepoints) >= self.executor.limits.savepoints_max:
            raise ExecutionError(
                "54000", f"more than {self.executor.limits.savepoints_max} savepoints are open"
            )
        self.transaction().savepoint(name)
        marks = {s: (len(w.bulk), len(w.bulk_deleted)) for s, w in self.tables.items()}
        self.savepoints.append(
            Savepoint(
                name,
                settings_mark,
                len(self.reference_checks),
                (self.deferred, len(self.deferred)),
                dict(self.constraint_modes),
                marks,
                self.catalog,
                len(self.steps),
                portals,
                len(self.notifications),
                self.read_only,
                self.large_objects.begun if self.large_objects is not None else 0,
                advisory,
                dict(self.transaction().locked),
                self.writing,
            )
        )

    def find(self, name: str) -> int:
        for i in range(len(self.savepoints) - 1, -1, -1):
            if self.savepoints[i].name == name:
                return i
        raise ExecutionError("3B001", f'savepoint "{name}" does not exist')

    def rollback_to(self, index: int) -> Savepoint:
        """Undoes what came after the savepoint; it stays, the later ones go."""
        point = self.savepoints[index]
        txn = self.transaction()
        txn.rollback_to(point.name)
        txn.locked, self.writing = dict(point.locked), point.writing
        del self.savepoints[index + 1 :]
        self.gathered = None  # nothing that was gathered is older than a savepoint
        if self.large_objects is not None:
            self.large_objects.roll_back(point.descriptors)
        for shard, w in self.tables.items():
            w.roll_back(*point.bulk_marks.get(shard, (0, 0)))
        self.catalog = point.catalog
        del self.steps[point.steps :]
        self._settle_steps()
        while len(self.notifications) > point.notifications:
            self.notifications.popitem()
        del self.reference_checks[point.references :]
        self.deferred, count = point.deferred
        del self.deferred[count:]
        self.constraint_modes = dict(point.constraint_modes)
        return point

    def release(self, index: int) -> Savepoint:
        point = self.savepoints[index]
        self.transaction().release(point.name)
        del self.savepoints[index:]
        return point

    # --- the end ---------------------------------------------------------------------------

    def _on_admit(self, group: Group) -> None:
        """What validation cannot know: raises 23505, 40001, 42P07 before anything was written."""
        catalogs = self.executor.catalogs
        if self.steps:
            catalogs.admit(self.net_changes(), self.used, self.goes_on, self.catalog)
            self.executor.sequences.admit((step.counted for step in self.steps), group)
        elif not catalogs.unaltered(self.used):
            catalogs.admit((), self._depends_on(), self.goes_on)
        if self.reference_checks:
            reference_checks.admit(self, group)
        tables = self.tables
        if any(map(_TAKEN, tables.values())):
            self.refuse_keys_held_twice(group.ts)
        dropped, vanished = self.dropped, self.vanished
        for shard, w in tables.items():
            if w.image is None or not (w.buffer.inserts or w.has_rows):
                continue
            if self.steps and (shard in dropped or shard in vanished):
                continue
            rules = w.rules
            if rules.key is not None or rules.uniques:
                check_unique(w, group.ts)
            if w.bulk:
                for bulk in w.final_bulk():
                    if bulk.replaces is None:
                        check_bulk(w, bulk.rows, group.ts, w.gone())

    def _depends_on(self) -> dict[int, Table | View]:
        """The definitions under which the block has written, or looked for rows that its own refer to; at other levels than
        READ COMMITTED those under which it has read, too."""
        if self.isolation is not Isolation.READ_COMMITTED:
            return self.used
        parents = {
            check.parent.oid
            for check in self.reference_checks
            if isinstance(check, reference_checks.Presence)
        }
        return {oid: t for oid, t in self.used.items() if oid in parents or self.has_rows_in(t)}

    def goes_on(self, old: Table | View, new: Table | View, *, only_adds: bool | None = None) -> bool:
        """Whether another definition of a relation, or another one yet, leaves the block as it is.

        `only_adds`: whether it does so if it changes or deletes no row of the table; None: as far as it has come.
        """
        if isinstance(old, View) or isinstance(new, View):
            return old == new
        anew = self.isolation is Isolation.READ_COMMITTED
        if only_adds is None and not self.has_rows_in(old):
            if asks_of_rows_alone(old, new) and (anew or old.shard == new.shard):
                return True  # it has read there, or locked what its rows refer to
            only_adds = True
        if not anew:
            return old == new or concerns_nobody(old, new)
        if only_adds is None:
            w = self.tables.get(old.shard)
            only_adds = w is None or not (w.buffer.deletes or w.bulk_deleted or w.gone())
        return goes_on(old, new, only_adds=only_adds)

    def _on_apply(self, group: Group) -> None:
        """Everything is decided: versions into the images, DDL into the catalog."""
        ts = self.commit_ts = group.ts
        executor = self.executor
        if self.notifications and isinstance(group, SharedGroup):
            told = heard.told(self.notifications)
            group.tell([(channel, payload, self.sender_pid) for channel, payload in told])
        if self.steps:
            executor.catalogs.apply(self, group)
        image_of = executor.store.image
        for shard, w in self.tables.items():
            buffer = w.buffer
            if not (buffer.inserts or w.has_rows):
                continue
            if self.steps and (shard in self.dropped or shard in self.vanished):
                continue
            image = image_of(shard)
            group.undo(functools.partial(image.undo, ts))
            if not w.bulk and not w.bulk_deleted:
                apply_buffer(image, buffer, ts, keyed=w.rules.key is not None)
                continue
            final = w.final_bulk()
            replaced = [b.replaces for b in final if b.replaces is not None]
            for deletion in w.bulk_deleted:
                removal = deletion.removal if deletion.removal is not None else deletion.rids
                image.remove_bulk(removal, ts, replaced=deletion in replaced)
                group.wrote_all(shard)
            apply_buffer(image, w.buffer, ts, keyed=w.rules.key is not None)
            for bulk in final:
                image.put_bulk(bulk.rows, ts)
                group.wrote_all(shard, fresh=bulk.replaces is None)
                for rule in w.rules.uniques:
                    group.wrote_all(rule.space)
                for reference in w.rules.references:
                    group.wrote_all(reference.space)
