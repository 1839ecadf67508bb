"""What a DDL statement amounts to: catalog changes, and the work on data that goes with them.

The executor carries out, all in one transaction and in this order:

    1. `created`     register the shard of each new table (a rewritten table has a new shard)
    2. `rewrites`    fill new shards from old rows; `query` fills a table made by CREATE TABLE AS; `copies` take rows as they are
    3. `truncated`   delete all rows (and restart sequences, which is a catalog change)
    4. `checks`      look for rows that break a new constraint
    5. `changes`     write the catalog rows; `catalog` is the catalog after them
    6. `dropped`     forget the shards that nobody needs any more

Its SQL texts (`Rewrite.sql`, `DataCheck.sql`) are for `Planner.plan` with the catalog that they name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from planner.abc import Oid, Plan, Table
from planner.catalog import Catalog, CatalogChange, CatalogObject
from planner.records import dataclass
from planner.source_places import NOWHERE, Place
from storage.abc import ShardId

KeyTest = Callable[[Sequence[Any]], bool]
"""Whether the datums of a partition's key are within its bound."""


@dataclass(frozen=True, slots=True)
class DdlNotice:
    """A NOTICE or WARNING for the client."""

    message: str
    sqlstate: str = "00000"
    severity: str = "NOTICE"
    detail: str = ""
    hint: str = ""
    place: Place = NOWHERE
    position: int = 0
    """Where the statement says what it is about; 0: nowhere."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Rows of `old` become rows of `new`: `sql`, in `catalog`, selects them in the order of new's columns.

    `search_path`: that of a materialized view's query; None: the statement's own.
    """

    old: Table
    new: Table
    sql: str
    catalog: Catalog
    search_path: tuple[str, ...] | None = None
    role: str = ""
    """In whose name the rows are selected, privileges and policies included; empty: in nobody's, who sees them all."""
    plain: bool = False
    """It selects columns of `old`, nulls and simple constants, and nothing that could fail: where `old` has no rows there is nothing to ask."""
    cells: tuple[int | str, ...] = ()
    """The same of one row, where that is enough to say: for each column of `new` the attribute number of one of `old`, or an
    expression that has one value for all rows."""
    of_row: bool = False
    """Its expressions are over the columns of `old`, a value for each row, and have been planned already."""


@dataclass(frozen=True, slots=True)
class DataCheck:
    """A query, to be planned in the catalog after the change, that must find nothing.

    If it finds a row, the statement fails with `sqlstate` and `message`; in `detail`, `{0}`, `{1}`, ... stand for
    that row's values as text.
    """

    sql: str
    sqlstate: str
    message: str
    detail: str = ""
    table: Table | None = None
    constraint: str = ""
    column: str = ""
    plain: bool = False
    """It asks rows of `table` for what cannot fail: where that has none there is nothing to ask."""
    by_row: bool = False
    """It asks each row of `table` for that constraint of it, or `column` for a value: what a row that is inserted is asked for."""
    keys: tuple[str, ...] = ()
    """It asks whether these expressions differ in all rows of `table` that have none of them NULL."""
    where: str = ""
    """Of the rows of `keys` those of which this is true; "": all."""
    rows_of: Oid = 0
    """As `plain`, of a table that the error does not name."""
    within: KeyTest | None = None
    """It asks for the keys of rows, and finds those for which this is false."""
    before: bool = False  # to be run before the rows are moved, in the catalog before the change
    heeded: Oid = 0
    """A constraint that whoever writes has had to heed all along (VALIDATE): what others write meanwhile changes no answer."""


@dataclass(slots=True)
class DdlPlan:
    tag: str
    catalog: Catalog
    changes: list[CatalogChange] = field(default_factory=list)
    created: list[Table] = field(default_factory=list)
    dropped: list[ShardId] = field(default_factory=list)
    truncated: list[Table] = field(default_factory=list)
    rewrites: list[Rewrite] = field(default_factory=list)
    checks: list[DataCheck] = field(default_factory=list)
    notices: list[DdlNotice] = field(default_factory=list)
    query: Plan | None = None
    """CREATE TABLE AS, SELECT INTO: yields the rows of `created[0]`, in its columns' order."""
    copies: dict[Oid, CatalogObject] = field(default_factory=dict)
    """Of what is made like something that is there, by OID: that. Tables get its rows, sequences go on from where it stands."""
    next_oid: Oid = 0
    """The first OID that the statement has not taken."""
