"""What the executor hangs on a plan: the compiled form, good for one catalog.

READ     keyed read           run it on a view at a timestamp
WRITE    keyed write          submit a member, or buffer its changes in a block
END      BEGIN, COMMIT, ...   answered by the session without a task
WIDE     all else             the coroutine decides
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from executor.constraints.rules import TableRules
from executor.keyed.autocommit import WriteTarget
from executor.keyed.index_read import IndexRead
from executor.keyed.insert import InsertPlan
from executor.keyed.join import JoinPlan
from executor.keyed.parts import PartsPlan
from executor.keyed.parts_member import PartsTarget
from executor.keyed.read import ReadPlan
from executor.keyed.row_batches import RowBatch
from executor.keyed.write import UpdatePlan
from executor.snapshot.abc import TableImage, TooFarToLook
from executor.statistics.counts import Way, WholeScan
from planner.abc import Plan, Table
from planner.catalog import View
from storage.abc import Row, Timestamp

WritePlan = InsertPlan | UpdatePlan


class Door(enum.Enum):
    READ = "read"
    WRITE = "write"
    END = "end"
    WIDE = "wide"


@dataclass(slots=True)
class Shortcut:
    """A query that the keyed engine answers as well if it asks for little: a look-up, a short range, an index's rows,
    tables that lead to each other by keys."""

    read: Callable[[Sequence[Any], Any, Any, Timestamp], Sequence[Row] | None]
    """(params, session, image, ts) -> the rows; None: DuckDB is to answer."""
    image: Any
    """Of a join: an image of each table."""
    tables: tuple[Table, ...]
    plan: ReadPlan | IndexRead | JoinPlan
    otherwise: Shortcut | None = None
    """Where this one proves too long; `read` tries both."""
    ways: tuple[Way | WholeScan, ...] = ()
    """Where it is counted that rows were looked for."""


def either_way(one: Shortcut, other: Shortcut) -> Shortcut:
    """The first one, and where that is too long the other, of the same table."""
    first, second, images = one.read, other.read, other.image

    def read(params: Sequence[Any], session: Any, image: Any, ts: Timestamp) -> Sequence[Row] | None:
        try:
            rows = first(params, session, image, ts)
        except TooFarToLook:
            rows = None
        return second(params, session, images, ts) if rows is None else rows

    return Shortcut(read, one.image, one.tables, one.plan, other, one.ways)


@dataclass(slots=True)
class CompiledPlan:
    """`plan` is the plan itself, or its successor if the catalog has changed since it was made."""

    door: Door
    catalog: Any
    plan: Plan
    table: Table | None = None
    image: TableImage | None = None
    read: ReadPlan | None = None
    write: WritePlan | None = None
    rules: TableRules | None = None
    target: WriteTarget | None = None
    lock: str = ""
    way: Way | None = None
    """READ, and WRITE of rows that are there: where it is counted that rows were looked for."""
    related: bool = False
    """WRITE: it can make references or take keys away that others refer to (foreign keys)."""
    fires: bool = False
    """WRITE: its table has triggers for it, or CHECKs that call functions (`executor.triggers`)."""
    shortcut: Shortcut | None = None
    by_range: CompiledPlan | None = None
    """An UPDATE or DELETE that a query finds the rows of, as a keyed one: for when its range is short."""
    beyond: CompiledPlan | None = None
    """A read of the first rows of a range, as a query: for when they are not found among its first rows (`TooFarToLook`)."""
    parts: PartsPlan | None = None
    """A statement of several parts, or of rows that look-ups find, as one function (`executor.keyed.parts`)."""
    parts_target: PartsTarget | None = None
    """The same outside of blocks, where it writes."""
    leaves: Any = None
    """Plans that answer for it, as parameters say: a partitioned table's leaves (`executor.session.partitions.leafwise.LeafPlans`), a query's
    with and without the conditions that they switch off (`executor.session.choices.ChosenPlans`)."""
    constant: Any = None
    """A query's one row as a function, where it depends on no table."""
    act: Any = None
    """The same of a call that asks or changes the session (`executor.session.acts`)."""
    running: Any = None
    """The same of one that calls routines: it raises `Asked` for their values (`executor.procedural.calls`)."""
    statement: Any = None
    """END: BEGIN, COMMIT or ROLLBACK."""
    views: tuple[tuple[View, bool], ...] = field(init=False)
    """The views that it goes through, and whether it writes by them: who defines one anew waits for the blocks that have used it."""
    lane: Any = None
    """What runs it in blocks where nothing is in its way (`executor.session.blocks.lanes`); None: not looked at yet, False: nothing."""
    batch: RowBatch | Literal[False] | None = None
    """WRITE: an INSERT's rows by columns; None: not looked at yet, False: it cannot be done."""

    def __post_init__(self) -> None:
        self.views = self.plan.extra.get("views", ())
