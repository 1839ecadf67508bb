"""Rows of a leaf that an UPDATE of a table above moves to other leaves, where BEFORE triggers say what the rows are to be.

    BEFORE UPDATE of the leaf   ->  the row's partition is looked for  ->  still this leaf: updated as any row
                                                                       ->  another one: BEFORE DELETE, deleted here, AFTER DELETE;
                                                                           then BEFORE INSERT, inserted there, AFTER INSERT

So it is the row that the triggers leave which decides, and a row that moves fires no AFTER UPDATE trigger of its leaf. Where a leaf has no
such trigger, all rows are dealt out at once, before any is written (`partitioned.update`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import pyarrow as pa

from executor.keyed.write import Change
from executor.session import restricted
from executor.session.partitions.placing import leaf_of
from executor.snapshot.columns import rows_to_arrays
from executor.triggers import firing
from planner import triggers
from planner import types as t
from planner.abc import Table
from planner.partitioning import of_partition, router
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


def decides(session: Session, block: Block, leaf: Table, assigned: Collection[int]) -> bool:
    """Whether triggers of the leaf are asked what a row is to be that an UPDATE sets these columns of."""
    fired = firing.statement(session, block, leaf, triggers.UPDATE, assigned)
    return fired is not None and bool(fired.of(triggers.UPDATE, triggers.BEFORE, row=True))


class Leaving:
    """The rows of one leaf that are on their way to others."""

    def __init__(self, session: Session, block: Block, table: Table, leaf: Table) -> None:
        self._session, self._block, self._table, self._leaf = session, block, table, leaf
        where = {c.name: i for i, c in enumerate(leaf.columns)}
        self._places = [where.get(c.name) for c in table.columns]
        self._way = router(session.catalog, table)
        self._ours = of_partition(table)
        self.changes: list[Change] = []
        """What has been deleted from the leaf."""
        self._going: list[tuple[Table, int, Row]] = []

    async def moved(self, row: Row) -> Row | None:
        """A row that belongs elsewhere, as the table has it."""
        shown = tuple(None if i is None else row[i] for i in self._places)
        on = self._session.executor.triggers_of(self._table)
        whole = await on.completed(self._session, self._block, shown)
        found = self._way.leaf(whole)
        stays = isinstance(found, Table) and found.oid == self._leaf.oid and self._ours(whole)
        return None if stays else whole

    def goes(self, change: Change, row: Row) -> None:
        """A row has been deleted here, and is to be inserted where it belongs. Raises 23514: nobody takes it."""
        if not self._ours(row):
            self._session.rules(self._table).check(row, self._session)  # says so
        told = not restricted.restricts(self._session, self._table)
        leaf = leaf_of(self._session, self._way, row, told=told)
        self.changes.append(change)
        self._going.append((leaf, change[1], row))

    @property
    def rids(self) -> list[int]:
        return [rid for _, rid, _ in self._going]

    def pieces(self) -> list[tuple[Table, pa.Table]]:
        """By leaves: the ids that the rows had, and the rows as the table has them."""
        found: list[tuple[Table, pa.Table]] = []
        types = [t.arrow_type(c.type) for c in self._table.columns]
        names = ["_rid", *(f"c{c.attnum}" for c in self._table.columns)]
        for leaf in {leaf.oid: leaf for leaf, _, _ in self._going}.values():
            mine = [(rid, row) for to, rid, row in self._going if to.oid == leaf.oid]
            rids = pa.array([rid for rid, _ in mine], pa.int64())
            arrays = [rids, *rows_to_arrays([row for _, row in mine], types)]
            found.append((leaf, pa.table(arrays, names=names)))
        return found


__all__ = ["Leaving", "decides"]
