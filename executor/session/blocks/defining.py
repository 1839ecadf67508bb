"""What a transaction block's DDL has come to: one step a statement, and what all of them do together.

    add_step       a statement has defined something: the block sees the catalog behind it
    net_changes    each object as it was before the block and as it is after it: what the commit asks for, once

ROLLBACK TO takes the last steps away, and what is left is put together anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from planner.abc import Table
from planner.catalog import CatalogChange, EnumType
from storage.abc import ShardId


@dataclass(slots=True)
class DdlStep:
    """What one DDL statement did to its block: undone by ROLLBACK TO."""

    changes: list[CatalogChange]
    created: list[Table] = field(default_factory=list)
    dropped: list[Table] = field(default_factory=list)
    altered: list[Table] = field(default_factory=list)
    emptied: frozenset[ShardId] = frozenset()
    """Those of the created shards that TRUNCATE has made."""
    counted: Mapping[str, int] = field(default_factory=dict)
    """Of series of numbers that it ends: where the leases of all servers ended when it was found out where to go on."""
    net: Sequence[CatalogChange] | None = None
    """What it and the steps before it change in all, when somebody has asked (`Block.net_changes`)."""


class DefiningBlock:
    """A block, as far as it defines. `Block` sets the fields: one is made for every transaction, and most define nothing."""

    __slots__ = (
        "altered",
        "catalog",
        "catalog_rids",
        "created",
        "dropped",
        "own_oids",
        "published",
        "steps",
        "vanished",
    )

    catalog: Any
    """Its own view; None: nothing of the catalog changed here."""
    steps: list[DdlStep]
    created: Any
    dropped: Any
    altered: Any
    vanished: Any
    """Tables by their shards: what all steps together do; vanished: created and dropped by this very block."""
    own_oids: Any
    """Objects that the block's DDL has changed: `admit_catalog` looks after those."""
    catalog_rids: dict[int, int | None]
    published: Any
    """The catalog that the commit made, once it was admitted."""

    def add_step(self, step: DdlStep, catalog: Any) -> None:
        """A DDL statement's changes become the block's."""
        self.steps.append(step)
        self.catalog = catalog
        if len(self.steps) == 1:
            self._settle_steps()
        else:
            self._settle(step)

    def _settle_steps(self) -> None:
        """What all steps together create, drop and alter."""
        self.own_oids = set()
        self.created, self.dropped, self.altered, self.vanished = {}, {}, {}, {}
        for step in self.steps:
            self._settle(step)

    def _settle(self, step: DdlStep) -> None:
        """What one more step adds to that: a migration has thousands of them."""
        created, dropped, altered, vanished = self.created, self.dropped, self.altered, self.vanished
        self.own_oids.update(change.oid for change in step.changes)
        for table in step.created:
            created[table.shard] = table
        for table in step.altered:
            if table.shard in created:
                created[table.shard] = table
            else:
                altered[table.shard] = table
        for table in step.dropped:
            altered.pop(table.shard, None)
            if created.pop(table.shard, None) is None:
                dropped[table.shard] = table
            else:
                vanished[table.shard] = table

    def net_changes(self) -> Sequence[CatalogChange]:
        """Per object: as it was before the block, as it is after it."""
        if not self.steps:
            return ()
        last = self.steps[-1]
        if last.net is None:
            last.net = self._netted()
        return last.net

    def _netted(self) -> Sequence[CatalogChange]:
        first: dict[int, Any] = {}
        last: dict[int, Any] = {}
        for step in self.steps:
            for change in step.changes:
                first.setdefault(change.oid, change.old)
                last[change.oid] = change.new
        for oid, made in last.items():
            if isinstance(made, EnumType) and made.unsafe:
                last[oid] = replace(made, unsafe=())
        return [
            CatalogChange(first[oid], last[oid])
            for oid in first
            if first[oid] is not last[oid] and first[oid] != last[oid]
        ]
