"""Which columns of a row a read used and a write changed: sets of columns, as the bits of an int.

    bit 0          the row itself: that there is one (or none) under its key
    bit n          the column whose number is n; a number belongs to one column for ever (the table's attribute number)
    bit 62         all columns from 62 on, which are told apart no more
    ALL_COLUMNS    every bit: whoever inserts or deletes a row, moves it to another key, or does not know better

    New-Order   SELECT w_tax FROM warehouse WHERE w_id = 1          reads    {row, w_tax}
    Payment     UPDATE warehouse SET w_ytd = ... WHERE w_id = 1     writes   {w_ytd}          no conflict

**Why this is still strict serializability.** The objects of the theory may be of any size, as long as a transaction's
reads and writes are told of the same objects. Here each column of each row is an object, and so is the row's
being there. A transaction that commits at `ts` is checked against all that was written to the *objects that it
has read* since its snapshot: if none was, every value that its statements depended on is at `ts` what it was then, so it
could as well have run at `ts` in one moment; and `ts` is within its real time. What a statement depended on:

    which rows there are under the keys and ranges it asked for     bit 0: INSERT, DELETE and a change of key write it
    whether they fulfil its conditions, and what is computed        the columns named in it, wherever in the statement

**Writes stay whole rows.** A row is stored as a whole, so an UPDATE of one column puts back the others as it found
them: it depends on all of them. Two transactions that write one row therefore conflict (and wait for each
other's lock) whatever the columns, and a write's own look at the row counts as a read of all columns. Without that, the
later one of two updates of *different* columns would bring back what the earlier one replaced. For the same reason
a row that was read and then written needs no finer account: it may not have changed at all.
Savepoints are another: a row's look outlives the write that ROLLBACK TO undoes.

So a set of columns says two things, and each may err on one side only: of a read it may say too much, never too little;
of a write the same. A set that is too large refuses what could have gone on, and nothing worse.
"""

from __future__ import annotations

from typing import Final

Columns = int
"""See the module."""

ALL_COLUMNS: Final[Columns] = -1
THE_ROW: Final[Columns] = 1
_LAST: Final = 62
"""So that a set is an int64 wherever it is written down."""


def column(number: int) -> Columns:
    """The set of one column, by its number (from 1)."""
    assert number > 0, "columns are numbered from 1"
    return 1 << min(number, _LAST)
