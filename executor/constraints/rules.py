"""What a row must satisfy to be in a table: compiled once per table definition.

    check(row)        NOT NULL, then CHECK, in the order PostgreSQL looks        23502, 23514
    key(row)          the primary key as images and conflict checks name it
    uniques           per secondary unique constraint: its key, None where NULL excuses it

Uniqueness is looked up by whoever holds the image: at admission for the last word, where nothing can
come in between. Messages, details and names are PostgreSQL's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

from executor.abc import ExecutionError
from executor.constraints.references import ForeignKey, ReferenceRule, references_of
from executor.constraints.screens import Screen, screen
from executor.keyed import collated_keys
from executor.keyed.compile import NotCompilable, compile_condition_not_false
from executor.keyed.key_values import datum_forms, primary_key_of, secondary_key_of
from executor.statistics.counts import TableCounts
from planner import types as t
from planner.abc import Column, Constraint, Expr, Oid, SqlError, Table, Told
from planner.catalog import Cast, Catalog, Function, Operator, domains
from planner.ddl.constraints import index_values
from planner.partitioning import of_partition
from planner.relations import VIEW_CHECK, defined
from storage.abc import Row
from txn.abc import Key
from txn.locks import LockMode
from txn.write_buffer import row_bytes_of

Bound = tuple[Expr | None, Collection[Oid]]
"""A CHECK's condition; None where the keyed engine has no word for it, with what it calls of users' then."""
BindCheck = Callable[[Table, str], Bound]
"""Binds a CHECK's text over the table's columns."""

PARTITION_BOUND = "b"
"""The kind of the condition that a partition's bound is."""
LATE: Final = VIEW_CHECK + index_values.COMPUTED
"""The kinds of conditions that are asked of rows which are written, not of those in whose place ON CONFLICT finds others."""
_FIELD_LENGTH_MAX = 64
_DEFAULTS = t.TypeSettings()


_NUMBERS: Final = frozenset(
    (t.BOOL, t.INT2, t.INT4, t.INT8, t.OID, t.FLOAT4, t.FLOAT8, t.DATE, t.TIME, t.TIMESTAMP, t.TIMESTAMPTZ)
)
"""Types whose datums are numbers (`storage.abc`)."""


def sizes(table: Table) -> Callable[[Row], int]:
    """`row_bytes` of this table's rows, which looks at no numbers."""
    wide = [i for i, column in enumerate(table.columns) if column.type.oid not in _NUMBERS]
    return row_bytes_of(len(table.columns), wide)


@dataclass(frozen=True, slots=True)
class UniqueRule:
    """A secondary unique constraint: `key(row)` is None when a NULL excuses the row."""

    constraint: Constraint
    space: str
    key: Callable[[Row], Key | None]


def _is_volatile(catalog: Catalog, oid: Oid) -> bool:
    """Whether a function is, or that of an operator or cast."""
    thing = catalog.get(oid)
    if isinstance(thing, Operator | Cast):
        thing = catalog.get(thing.function)
    return isinstance(thing, Function) and thing.volatility == "v"


def identity_of(table: Table) -> tuple[int, ...]:
    """The places of columns in primary and unique keys, as far as these are columns, of all rows."""
    at = {c.attnum: i for i, c in enumerate(table.columns) if not c.hidden}
    keys = (c.columns for c in table.constraints if c.kind in "pu" and at.keys() >= set(c.columns))
    return tuple(sorted({at[a] for columns in keys for a in columns}))


class TableRules:
    """The compiled constraints of one table definition. `wide_checks` are CHECKs that only DuckDB can compute."""

    __slots__ = (
        "_collated", "_foreign_keys", "asks", "checks", "counts", "deferrable", "defined", "guards", "identity", "key", "key_indexes", "key_space",
        "not_null", "references", "screens", "size_bytes", "table", "under", "uniques", "wide_checks", "within",
    )  # fmt: skip

    def __init__(self, table: Table, bind_check: BindCheck, catalog: Catalog, counts: TableCounts) -> None:
        self.table = table
        self.counts = counts
        """What is counted of the table's rows."""
        self.under: int | None = None
        """What names meant when they were bound (`Catalog.meaning`), if they call what users have defined."""
        self.asks = ""
        """Whether some of them calls functions that look around: "v" where each row's sees the rows before it, as volatile
        functions of PostgreSQL's do, "s" where all see what was there when the statement began."""
        self.deferrable = any(c.deferrable for c in table.constraints if c.kind in "pu")
        """Whether some of its keys are looked at when an UPDATE is over."""
        self.size_bytes = sizes(table)
        """Of a row: `row_bytes`."""
        self.key_indexes = table.key_indexes
        in_key = set(self.key_indexes)
        self.not_null = tuple(i for i, c in enumerate(table.columns) if c.not_null or i in in_key)
        self.key = primary_key_of(table)
        primary = table.primary_key
        self.key_space = f"{table.shard}/{primary.oid}" if primary is not None else ""
        """In which the primary key's values are held while they are brought; rows are locked and written in the shard's own."""
        self.uniques = tuple(
            UniqueRule(c, f"{table.shard}/{c.oid}", secondary_key_of(table, c))
            for c in table.constraints
            if c.kind == "u"
        )
        keys = {table.index_of(a) for c in table.constraints if c.kind in "pu" for a in c.columns}
        self._collated = [i for i in sorted(keys) if collated_keys.key_form(table.columns[i]) is not None]
        self.identity = identity_of(table)
        """The columns of keys that others may refer to."""
        guards = [c for c in table.constraints if c.kind == VIEW_CHECK]
        self.defined = defined(table)
        """The catalog's definition, where this is a form of it that views ask more of."""
        self.references: tuple[ReferenceRule, ...] = references_of(table)
        self._foreign_keys: dict[Oid, ForeignKey] = {}
        wide: list[Constraint] = []
        checks: list[tuple[Constraint, Callable[..., bool]]] = []
        screens: list[Screen | None] = []
        # PostgreSQL looks at CHECK constraints in the order of their names.
        own = sorted((c for c in table.constraints if c.kind == "c"), key=lambda c: c.name)
        for c in (*domains.conditions(table), *own, *guards, *index_values.conditions(table, catalog)):
            expression, functions = bind_check(table, c.expression)
            computed = c.kind == index_values.COMPUTED
            if computed and functions:
                continue  # of PostgreSQL's own functions alone what an index is of is computed here
            if functions:
                self.asks = (
                    "v" if self.asks == "v" or any(_is_volatile(catalog, f) for f in functions) else "s"
                )
            try:
                if expression is None:
                    raise NotCompilable(c.expression)
                checks.append((c, compile_condition_not_false(expression)))
                screens.append(None if computed else screen(expression))
            except NotCompilable:
                wide.append(c)
        self.within: Callable[[Row], bool] | None = None
        """Of a partition: whether a row is its."""
        if table.partition is not None:  # behind all CHECKs, as there
            self.within = within = of_partition(table)
            whole = Constraint(table.oid, table.name, PARTITION_BOUND, ())
            checks.append((whole, lambda params, row, session: within(row)))
            screens.append(None)
        self.checks = tuple(checks)
        self.screens: tuple[Screen, ...] | None = None if None in screens else tuple(filter(None, screens))
        """What tells of many rows at once whether they pass; None: each is to be asked."""
        self.guards = tuple(c for c in checks if c[0].kind in LATE)
        self.wide_checks = tuple(wide)

    def foreign_key(self, parent: Table, constraint: Constraint) -> ForeignKey:
        """What is known of a foreign key of this table, or of an aim of it, with its other side."""
        known = self._foreign_keys.get(constraint.oid)
        if known is None or known.parent is not parent or known.constraint is not constraint:
            known = self._foreign_keys[constraint.oid] = ForeignKey(self.table, parent, constraint)
        return known

    def foresee(self, rows: Collection[Row]) -> None:
        """The keys of many rows are about to be made: what costs much text by text is made of all at once."""
        for i in self._collated:
            collated_keys.foresee(self.table.columns[i], (row[i] for row in rows))
        for rule in self.references:
            if rule.constraint.collations:
                rule.foresee([rule.values(row) for row in rows])

    def lock_mode(self, old: Row, new: Row) -> LockMode:
        """How an UPDATE locks a row, by what it makes of it: who refers to it is concerned if a key is another one."""
        moves = any(old[i] is not new[i] and old[i] != new[i] for i in self.identity)
        return LockMode.UPDATE if moves else LockMode.NO_KEY_UPDATE

    def check(self, row: Row, session: Any) -> None:
        """Raises 23502 or 23514."""
        for i in self.not_null:
            if row[i] is None:
                raise self._of_domains(row, session) or self.null_violation(i, row)
        for constraint, passes in self.checks:
            if not passes((), row, session):
                raise self.check_violation(constraint, row)

    def check_proposed(self, row: Row, session: Any) -> None:
        """The same of a row in whose place ON CONFLICT may find another: views and indexes ask nothing of a row that is not written."""
        if not self.guards:
            self.check(row, session)
            return
        for i in self.not_null:
            if row[i] is None:
                raise self._of_domains(row, session) or self.null_violation(i, row)
        for constraint, passes in self.checks:
            if constraint.kind not in LATE and not passes((), row, session):
                raise self.check_violation(constraint, row)

    def check_stays(self, row: Row) -> None:
        """Raises 0A000 if the row that DO UPDATE makes of another would be of another partition."""
        if self.within is not None and not self.within(row):
            raise ExecutionError(
                "0A000",
                "invalid ON UPDATE specification",
                detail="The result tuple would appear in a different partition than the original tuple.",
            )

    def check_met(self, row: Row, session: Any) -> None:
        """Of a row that DO UPDATE changes, as it is: constraints ask nothing of it."""

    def check_changed(self, row: Row, session: Any) -> None:
        """`check` of what DO UPDATE makes of a row."""
        self.check(row, session)

    def check_inserted(self, row: Row, session: Any) -> None:
        """What `check_proposed` has left, of a row that is written."""
        for constraint, passes in self.guards:
            if not passes((), row, session):
                raise self.check_violation(constraint, row)

    # --- errors ----------------------------------------------------------------------------

    def _of_domains(self, row: Row, session: Any) -> ExecutionError | None:
        """What the domains of columns refuse: values become theirs before the table asks for any."""
        for constraint, passes in self.checks:
            if constraint.kind == "d" and not passes((), row, session):
                return self.check_violation(constraint, row)
        return None

    def null_violation(self, index: int, row: Row) -> ExecutionError:
        column = self.table.columns[index].name
        return self._of_row(
            ExecutionError(
                "23502",
                f'null value in column "{column}" of relation "{self.table.name}" violates not-null constraint',
                table=self.table.name,
                column=column,
                about_oid=self.table.oid,
            ),
            row,
        )

    def check_violation(self, constraint: Constraint, row: Row) -> ExecutionError:
        if constraint.kind == "d":
            column = self.table.columns[self.table.index_of(constraint.columns[0])]
            code, message = domains.violation(column, constraint)
            return ExecutionError(
                code,
                message,
                about_oid=constraint.oid,
                datatype=domains.domain_of(column, constraint),
                constraint=constraint.name,
            )
        if constraint.kind == PARTITION_BOUND:
            message = f'new row for relation "{self.table.name}" violates partition constraint'
            return self._of_row(
                ExecutionError("23514", message, table=self.table.name, about_oid=self.table.oid), row
            )
        if constraint.kind == index_values.COMPUTED:
            return ExecutionError(
                "22000", "range lower bound must be less than or equal to range upper bound"
            )
        if constraint.kind == VIEW_CHECK:
            message = f'new row violates check option for view "{constraint.name}"'
            return self._of_row(ExecutionError("44000", message), row)  # of which PostgreSQL names no table
        return self._of_row(
            ExecutionError(
                "23514",
                f'new row for relation "{self.table.name}" violates check constraint "{constraint.name}"',
                table=self.table.name,
                constraint=constraint.name,
                about_oid=self.table.oid,
            ),
            row,
        )

    def _of_row(self, error: ExecutionError, row: Row) -> ExecutionError:
        """The error with the row in its DETAIL."""
        tell_row(error, self.table, row)
        return error

    def unique_violation(
        self, constraint: Constraint | None, key: Key, row: Row | None = None
    ) -> ExecutionError:
        """23505. `row`: the one whose key it is, which may say it in other words."""
        taken = (constraint.oid if constraint is not None else 0), key
        constraint = constraint or self.table.primary_key
        assert constraint is not None
        if row is not None and constraint.by_value:
            key = as_written(self.table, constraint, key, row)
        error = ExecutionError(
            "23505",
            f'duplicate key value violates unique constraint "{constraint.name}"',
            detail=f"Key {key_text(self.table, constraint, key)} already exists.",
            table=self.table.name,
            constraint=constraint.name,
            about_oid=self.table.oid,
        )
        error.told = Told(self.table.oid, constraint.columns, lambda readable: "")
        error.taken = taken
        return error


def tell_row(error: SqlError, table: Table, row: Row) -> None:
    """Puts the row, as one of this table, into the error's DETAIL."""
    error.row = row
    error.detail = f"Failing row contains ({describe_row(table, row)})."

    def of_some(readable: frozenset[int]) -> str:
        names = ", ".join(c.name for c in table.visible if c.attnum in readable)
        return f"Failing row contains ({names}) = ({describe_row(table, row, readable)})." if names else ""

    error.told = Told(table.oid, tuple(c.attnum for c in table.visible), of_some)


def as_written(table: Table, constraint: Constraint, key: Key, row: Row) -> Key:
    """A row's key with the cells that the row has: 1.00, where all that equal it are under 1."""
    if key == (None,) or not datum_forms(table, constraint):
        return key
    return itemgetter(*(table.index_of(a) for a in constraint.columns))(row)


def key_text(table: Table, constraint: Constraint, key: Key) -> str:
    """A key as PostgreSQL shows it: `(a, b)=(1, x)`."""
    columns = [table.columns[table.index_of(a)] for a in constraint.columns]
    values = key if len(columns) > 1 or key == (None,) else (key,)
    names = ", ".join(constraint.shown or (_quoted(c.name) for c in columns))
    if constraint.shown and len(columns) == 2 * len(
        constraint.shown
    ):  # which of them are NULL comes behind them
        many = len(constraint.shown)
        values = tuple(None if null else v for v, null in zip(values[:many], values[many:], strict=True))
        columns = columns[:many]
    shown = ", ".join(
        "null" if v is None else t.output_text(v, c.type, _DEFAULTS)
        for v, c in zip(values, columns, strict=True)
    )
    return f"({names})=({shown})"


def describe_key(names: Sequence[str], columns: Sequence[Column], values: Sequence[Any]) -> str:
    """A partition key as PostgreSQL shows it: `(a, lower(b)) = (1, x)`."""
    shown = [
        "null" if v is None else t.output_text(v, c.type, _DEFAULTS)
        for v, c in zip(values, columns, strict=True)
    ]
    return f"({', '.join(names)}) = ({', '.join(shown)})"


def _quoted(name: str) -> str:
    if name.isascii() and name.replace("_", "a").isalnum() and name == name.lower() and not name[0].isdigit():
        return name
    return '"' + name.replace('"', '""') + '"'


def describe_row(table: Table, row: Row, only: frozenset[int] | None = None) -> str:
    """A row as PostgreSQL shows it in a detail: text values, cut at 64 bytes. `only`: these columns (attnums)."""
    shown = []
    for value, column in zip(row, table.columns, strict=True):
        if column.hidden or (only is not None and column.attnum not in only):
            continue
        if value is None:
            shown.append("null")
            continue
        text = t.output_text(value, column.type, _DEFAULTS)
        raw = text.encode()
        if len(raw) > _FIELD_LENGTH_MAX:
            text = raw[:_FIELD_LENGTH_MAX].decode(errors="ignore") + "..."
        shown.append(text)
    return ", ".join(shown)
