"""What the keyed engine is asked (`planner.abc`): expressions of a closed set, look-ups, and reads made of look-ups.

    SELECT abalance FROM accounts WHERE aid = $1       KeyedRead   Points(($1,))
    ... FROM orders o JOIN lines l ON l.o = o.id ...   KeyedJoin   a step for each table, each made of the ones before it
    ... EXISTS (SELECT 1 FROM lines l WHERE ...) ...   Ask         a KeyedJoin in an expression

Executors compile these to Python; `planner.binding.keyed.expressions` says what can be one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from planner.records import dataclass
from planner.relations import Table, TypeRef
from storage.abc import Datum

if TYPE_CHECKING:
    from planner.searches import Search, Sought


@dataclass(frozen=True, slots=True)
class Const:
    value: Datum
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Param:
    """$n, 1-based; its datum arrives already of this type."""

    number: int
    type: TypeRef
    near: str = ""
    """Not the numeric itself, but the one of this type, numeric(p,s), that compares with all of such as it does: `floor`, `ceil`, or `exact`, which
    is beyond them all where there is none (`planner.types.near_decimals`)."""


@dataclass(frozen=True, slots=True)
class Col:
    """A column of the one table at hand, by its position in the row."""

    index: int
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Call:
    """An operator, function or cast from the closed set that `executor.keyed` can compile.

    `op` is a PostgreSQL operator with its operand types spelled out, such as `int4 + int4`,
    a function, such as `lower(text)`, or a cast, such as `cast int8 int4`; also `and`, `or`,
    `not`, `is null`, `is not null`, `case`, `coalesce`, `now`, `nextval`.
    """

    op: str
    args: tuple[Expr, ...]
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Ask:
    """What a subquery comes to for the row at hand: `query` is asked with `given`, values of that row.

    kind: "exists"; "scalar" (the value of its only row); "in", whether `value` is among its values (with SQL's nulls);
    "list", its values, as keys to look for; "array", its values as an array. `number` tells the statement's subqueries apart.
    """

    kind: str
    number: int
    query: KeyedJoin
    given: tuple[Expr, ...]
    type: TypeRef
    value: Expr | None = None


Expr = Const | Param | Col | Call | Ask


@dataclass(frozen=True, slots=True)
class Points:
    """The rows whose primary key is one of these; each key is an expression per key column."""

    keys: tuple[tuple[Expr, ...], ...]
    listed: Expr | None = None
    """An array, or a subquery's list: its elements are the keys, and `keys` is empty."""
    beside: tuple[Expr | None, ...] = ()
    """Of a key of several columns: the values that all of these keys have, and None where the elements belong."""


@dataclass(frozen=True, slots=True)
class Range:
    """Rows whose primary key has this prefix and whose next key column lies within the bounds."""

    prefix: tuple[Expr, ...]
    low: Expr | None = None
    low_inclusive: bool = True
    high: Expr | None = None
    high_inclusive: bool = True


Lookup = Points | Range


@dataclass(frozen=True, slots=True)
class Way:
    """One of several ways to a table's rows: as in JoinStep."""

    lookup: Lookup
    unique: int = 0
    index: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """The rows that any of these ways leads to, each once: `id = $1 OR parent = $1`, by a key and an index."""

    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """All rows of a table that is small, to which no key leads: in the order in which they were made. Whether it is small, each
    execution looks."""

    columns: tuple[int, ...] = ()
    key: tuple[Expr, ...] = ()
    """Of them those that have these values in these columns."""


@dataclass(frozen=True, slots=True)
class Produced:
    """Rows that queries make, one after the other: of a subquery in FROM, a WITH query, VALUES, UNION ALL."""

    number: int
    queries: tuple[KeyedJoin, ...]
    given: tuple[Expr, ...] = ()
    """Of the row so far (LATERAL): their rows begin with it."""


@dataclass(frozen=True, slots=True)
class Recursed:
    """Rows of WITH RECURSIVE: those of one query, then again and again what another one makes of the ones before."""

    number: int
    base: tuple[int, KeyedJoin]
    step: tuple[int, KeyedJoin]
    """(its number among the statement's queries, the query)"""
    types: tuple[TypeRef, ...]
    once: bool
    """UNION: a row that is like one before is left out."""


@dataclass(frozen=True, slots=True)
class Iterated:
    """The rows that the step before has made, in the step of the recursion of that number."""

    number: int


@dataclass(frozen=True, slots=True)
class Handed:
    """Rows that another part of the statement has made, by the slot that they are put in; each of these types."""

    slot: str
    types: tuple[TypeRef, ...]


@dataclass(frozen=True, slots=True)
class SystemRows:
    """Rows of a system relation: those whose column has one of these values, or all of them where no column is named.

    Behind the relation's columns there are those that `*` does not show (`planner.catalog.system.found.HIDDEN`).
    """

    schema: str
    name: str
    column: int | None = None
    keys: tuple[Expr, ...] = ()
    listed: Expr | None = None
    """An array, or a subquery's list: its elements are the values, and `keys` is empty."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A row for each place of some lists, side by side: unnest and its kin. Those that are shorter are filled up with nulls."""

    values: tuple[Expr, ...]
    numbered: bool = False
    """Behind them is the number of the row (WITH ORDINALITY)."""
    wide: bool = False
    """The one list's elements are rows already (jsonb_each)."""


class PartialColumns(tuple[int, ...]):
    """Positions of a partial index's columns: of rows that the predicate is true of."""

    predicate: Expr
    compiled: Any
    """The executor's: from a row to its key."""
    _hash: int

    def __new__(cls, positions: tuple[int, ...], predicate: Expr) -> PartialColumns:
        made = super().__new__(cls, positions)
        made.predicate, made.compiled, made._hash = predicate, None, hash((positions, predicate))
        return made

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PartialColumns)
            and tuple.__eq__(self, other)
            and self.predicate == other.predicate
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self._hash


class ComputedColumns(tuple[int, ...]):
    """Positions of an index's columns, of which those from `width` on are no columns of the table; `keys` says what each is of a row."""

    width: int
    keys: tuple[Expr, ...]
    compiled: Any
    """The executor's: from a row to its key."""
    _hash: int

    def __new__(cls, positions: tuple[int, ...], width: int, keys: tuple[Expr, ...]) -> ComputedColumns:
        made = super().__new__(cls, positions)
        made.width, made.keys, made.compiled = width, keys, None
        made._hash = hash((positions, keys))
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComputedColumns) and tuple.__eq__(self, other) and self.keys == other.keys

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self._hash


def key_types(table: Table, index: Sequence[int]) -> list[TypeRef]:
    """The types of an index's columns."""
    if isinstance(index, ComputedColumns):
        return [key.type for key in index.keys]
    return [table.columns[i].type for i in index]


def like(index: tuple[int, ...], positions: tuple[int, ...]) -> tuple[int, ...]:
    """Other positions of the same rows."""
    return PartialColumns(positions, index.predicate) if isinstance(index, PartialColumns) else positions


def narrowed(index: tuple[int, ...], pinned: int) -> int:
    """How much an index of which so many columns are pinned says of rows: its predicate counts as one more."""
    return pinned + isinstance(index, PartialColumns)


@dataclass(frozen=True, slots=True)
class OrderKey:
    value: Expr
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class Groups:
    """What rows become that are grouped: (keys, then what is folded of each group) is the row that follows.

    The outputs of the read are the keys and the arguments of the folds; its ORDER BY is about the rows that follow.
    """

    keys: int
    folds: tuple[str, ...]
    """One for each output behind the keys (`executor.keyed.folds` has their names)."""
    condition: Expr | None = None  # HAVING
    outputs: tuple[Expr, ...] = ()  # none: the row itself
    single: bool = True  # without GROUP BY: no rows are a group, too
    sets: tuple[tuple[int, ...], ...] = ()
    """Grouping sets, if there are several (ROLLUP): which of the keys each has; the others are null in its groups."""


@dataclass(frozen=True, slots=True)
class KeyedWalk:
    """Rows in the order of an index, until there are enough of them.

    `index` are the positions of its columns: those that WHERE pins, then those that the rows are wanted in the order of. Without
    any it is the primary key.
    """

    index: tuple[int, ...]
    within: Range  # of these columns
    condition: Expr | None
    descending: bool
    nulls: str
    """Where rows come whose first column of the order is null: "first", "last", "nowhere"."""
    whole: bool
    """Nothing else is asked of the order: rows that are alike in it may come as they like."""
    one: bool = False
    """The first row says it all: `max(x)` is the last x."""
    turn: int = 0
    """Behind so many columns of the order the others go the other way: `ORDER BY priority DESC, run_at`. 0: they do not."""
    among: tuple[int, Points] | None = None
    """(column, its values) of a column that has one of several: the range is made of each in turn, as of a row `(value,)`."""


@dataclass(frozen=True, slots=True)
class OtherRange:
    """Another way to the rows of a KeyedRead by an index's key: the range of another index, where the key has many rows."""

    index: tuple[int, ...]
    within: Range
    condition: Expr | None
    """What else is asked of the rows of that range."""


@dataclass(frozen=True, slots=True)
class KeyedRead:
    """SELECT by primary key. Rows that pass `condition` are projected through `outputs`."""

    table: Table
    lookup: Lookup
    condition: Expr | None
    outputs: tuple[Expr, ...]
    descending: bool = False  # key order; only where ORDER BY is a prefix of the key
    ordered: bool = False
    limit: Expr | None = None
    lock: str = ""  # "", "update", "no key update", "share", "key share"
    lock_wait: str = "wait"  # "wait", "nowait", "skip"
    unique: int = 0  # oid of the UNIQUE constraint whose columns the points are; 0: the primary key
    index: tuple[
        int, ...
    ] = ()  # positions of an index's columns, whose keys may repeat, if the point is of these
    groups: Groups | None = None
    order: tuple[OrderKey, ...] = ()
    """ORDER BY of rows that are found in no such order."""
    offset: Expr | None = None
    distinct: bool = False  # of outputs that are equal if their datums are
    walk: KeyedWalk | None = None
    """The same in the order of an index: where nothing else leads to these rows (then `lookup` is its range), or all that
    do are too many."""
    other: OtherRange | None = None
    terms: Search | Sought | None = None
    """An index of parts leads to the rows, by these conditions; `lookup` says nothing."""
    undecided: Expr | None = None
    """What of `condition` is still to be asked where the terms decide all that they are asked for."""
    otherwise: KeyedRead | KeyedJoin | None = None
    """The same by what leads to few rows, where an index's range, or a walk, proves too long."""


@dataclass(frozen=True, slots=True)
class JoinStep:
    """One relation of a KeyedJoin: which of its rows go with a row of the relations before it.

    The joined row is the relations' columns one after another, in the order of the steps; `lookup` is made of what is there
    before this one's, `condition` and `passes` may look at this one's too.
    """

    table: Table | None  # None: its rows are Produced, Handed, or the system's
    lookup: (
        Lookup | Either | Whole | Produced | Recursed | Iterated | Handed | SystemRows | Spread
    )  # points are one key, but for the first step's
    width: int
    condition: Expr | None = None
    unique: int = 0  # as in KeyedRead
    index: tuple[int, ...] = ()
    outer: bool = False  # LEFT JOIN: a row that finds none goes on with nulls
    passes: Expr | None = None  # asked of the row after that
    rid: bool = False  # behind the table's columns there is the row's id


@dataclass(frozen=True, slots=True)
class KeyedWindow:
    """A window over a query's rows (of groups, over these): its value is a column behind theirs."""

    function: str
    """Its name; of an aggregate "fold " and the name of the fold."""
    args: tuple[Expr, ...]
    partition: tuple[Expr, ...]
    order: tuple[OrderKey, ...]
    by: str
    """ROWS, RANGE or GROUPS: how the ends of the frame are meant."""
    start: tuple[str, int]
    end: tuple[str, int]


@dataclass(frozen=True, slots=True)
class FirstRows:
    """The way to the first rows of a locking query's one table: they are enough, and it ends there."""

    walk: KeyedWalk
    limit: Expr
    offset: Expr
    skips: bool
    """Rows that somebody has locked do not count: so many more are needed."""
    before: bool
    """WHERE leads no nearer to the rows than this way does: it is taken before the look-ups, not after them."""


@dataclass(frozen=True, slots=True)
class KeyedJoin:
    """A SELECT whose rows lead to each other by keys: beside the columnar plan, for when they are few.

    A subquery's rows begin with the values that it is given (`Ask`), so many as `given` says.
    """

    steps: tuple[JoinStep, ...]
    outputs: tuple[Expr, ...]
    limit: Expr | None = None
    groups: Groups | None = None
    order: tuple[OrderKey, ...] = ()
    offset: Expr | None = None
    distinct: bool = False
    firsts: tuple[Expr, ...] = ()
    """DISTINCT ON: of rows that are alike in these, in order, the first."""
    condition: Expr | None = None  # asked of what is given alone
    given: int = 0
    drawn: tuple[tuple[int, Expr], ...] = ()
    """(output, what it is) of those that are another value for each row: `nextval`. They are made of no columns, once the rows
    are there."""
    windows: tuple[KeyedWindow, ...] = ()
    """What outputs, `order` and `firsts` find behind the columns of a row, or of a group."""
    first: FirstRows | None = None
    walk: KeyedWalk | None = None
    """The first step's rows in order, each joined as it is met, until there are enough: its `lookup` is the walk's range."""
    otherwise: KeyedJoin | None = None
    """The same rows in another way, for where these look-ups prove too many."""
    compiled: list[Any] = field(default_factory=list, compare=False, repr=False)
    """The executor's, where it is a part of a statement that writes."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The keyed forms of a query in which parameters switch conditions off."""

    tests: tuple[Expr, ...]
    """Of parameters alone."""
    forms: tuple[KeyedRead | KeyedJoin | None, ...]
    """By the tests' answers as digits of a binary number: 1 is true, 0 is false or NULL."""
