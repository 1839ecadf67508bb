"""Rows of a table that has few of them, all in memory: what a definition asks of them is asked of one after the other.

    ADD COLUMN c int DEFAULT 7              (1, 'a')  ->  (1, 'a', 7)      and inserted, as rows of keyed statements are
    ADD CHECK, UNIQUE, SET NOT NULL         what each row is asked that is inserted
    ADD FOREIGN KEY                         the parents are looked up

Most tables that migrations and dumps define anew are of this kind, and the query that does the same of any table is planned,
and answered by DuckDB, which has to be told of the rows first: fifteen milliseconds. Where what is refused shows a row, or somebody
else has to say whether a row passes, the query is asked all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from executor.constraints.references import reference, same_datums
from executor.ddl.shape import same_shape
from executor.keyed.compile import NotCompilable, compile_tuple
from executor.keyed.insert import InsertPlan
from executor.keyed.overlay import OverlayView
from executor.session import bulk
from executor.session.blocks.block import Block
from executor.session.references.lookups import LOOKUPS_MAX, absent
from executor.snapshot import unkeyed
from executor.snapshot.abc import NoKeyedAnswer
from planner.abc import Constraint, InsertValues, SqlError, Table
from planner.catalog import Catalog
from planner.ddl.plan import DataCheck, Rewrite
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from executor.session.session import Session

ROWS_MAX: Final = 1_000
_COMPARABLE: Final = frozenset((bool, bytes, Decimal, int, str, type(None)))
"""Values that are equal here where SQL finds them equal."""


def rows_of(session: Session, block: Block, table: Table) -> list[Row] | None:
    """What the block sees of the table, which has to be true when it is committed (`old_rows.keep`); None: they are many, or not at hand."""
    if table.partitioning is not None or table.children or table.foreign is not None:
        return None
    shard, txn = table.shard, block.transaction()
    writes = block.tables.get(shard)
    if writes is None and shard in block.created:
        return []
    if writes is not None and writes.in_bulk:
        return None
    image: Any = None if shard in block.created else session.executor.store.image(shard)
    if image is not None and not same_shape(image.table, table):
        return None
    try:
        if writes is None and not image.keyed:
            rows: list[Row] | None = unkeyed.few_rows(image, block.read_ts, ROWS_MAX)
        else:
            view = image if writes is None else OverlayView(writes, 0)
            found: Iterator[tuple[Any, int, Row]] = view.scan(None, None, block.read_ts)
            hits = list(islice(found, ROWS_MAX + 1))
            hits.sort(key=itemgetter(1))  # as they were made: so queries without ORDER BY show them
            rows = [row for _, _, row in hits]
    except NoKeyedAnswer:
        return None
    if rows is None or len(rows) > ROWS_MAX:
        return None
    txn.locked.setdefault(shard, txn.read_ts)
    txn.reads.whole(shard)  # a refusal that a savepoint has outlived was one of this time, too
    return rows


# --- another shape ---------------------------------------------------------------------------------


def reshaped(session: Session, block: Block, rewrite: Rewrite) -> list[Row] | None:
    """The rows of a rewrite's new table; None: its query is to be asked."""
    if not rewrite.cells or rewrite.role:
        return None
    rows = rows_of(session, block, rewrite.old)
    if not rows:
        return rows
    old = rewrite.old
    if rewrite.of_row:
        return _widened(session, rewrite, rows)
    same = computed(session, rewrite)
    if same is None:
        return None
    places = [old.index_of(cell) if isinstance(cell, int) else None for cell in rewrite.cells]
    rest = iter(same)
    value = [None if place is not None else next(rest) for place in places]
    cells = list(zip(places, value, strict=True))
    return [tuple([v if place is None else row[place] for place, v in cells]) for row in rows]


def _widened(session: Session, rewrite: Rewrite, rows: list[Row]) -> list[Row] | None:
    """Rows with values of their own in further columns."""
    old = rewrite.old
    values = _values(session, old, [c for c in rewrite.cells if isinstance(c, str)], rewrite.catalog, rows)
    if values is None:
        return None
    places = [old.index_of(cell) if isinstance(cell, int) else None for cell in rewrite.cells]
    made = []
    for row, own in zip(rows, values, strict=True):
        rest = iter(own)
        made.append(tuple([next(rest) if place is None else row[place] for place in places]))
    return made


def _values(
    session: Session, table: Table, texts: Sequence[str], catalog: Catalog, rows: Iterable[Row]
) -> list[Row] | None:
    """What expressions come to in each row; None: the keyed engine has no word for one, or an error is to be told."""
    found = [session.executor.plans.over_rows(table, text, catalog) for text in texts]
    expressions = tuple(x for x in found if x is not None)
    if len(expressions) < len(found):
        return None
    try:
        compute = compile_tuple(expressions)
        values: list[Row] = [compute((), row, session) for row in rows]
    except (NotCompilable, SqlError):
        return None
    return values if {type(v) for row in values for v in row} <= _COMPARABLE else None


def under(session: Session, block: Block, old: Table, new: Table) -> list[Row] | None:
    """The rows of a table under a definition that has no other columns, as `old_rows.under` has them: an order may be another."""
    places = {c.attnum: i for i, c in enumerate(old.columns)}
    if any(c.attnum not in places or old.columns[places[c.attnum]].type != c.type for c in new.columns):
        return None
    rows = rows_of(session, block, old)
    if not rows or [c.attnum for c in new.columns] == list(places):
        return rows
    order = [places[c.attnum] for c in new.columns]
    return [tuple([row[i] for i in order]) for row in rows]


def computed(session: Session, rewrite: Rewrite) -> Row | None:
    """The values that all rows get; None: the keyed engine has no word for one."""
    texts = [cell for cell in rewrite.cells if isinstance(cell, str)]
    if all(text.startswith("CAST(NULL AS ") for text in texts):
        return (None,) * len(texts)
    context = session.ddl_context(rewrite.catalog)
    plan, _ = session.executor.planner.plan(f"SELECT {', '.join(texts)}", context, normalise=False)
    if "constant" not in plan.extra:
        return None
    try:
        values: Row = compile_tuple(plan.extra["constant"])((), (), session)
    except (NotCompilable, SqlError):
        return None
    return values


def put(session: Session, block: Block, table: Table, rows: list[Row], *, checked: bool) -> bool:
    """Adds rows that were there already, in the table's new shape. False: somebody has something against it."""
    rules = session.rules(table)
    if not checked and (rules.asks or rules.wide_checks or not all(c.validated for c in table.constraints)):
        return False
    if any(row[i] is None for i in rules.not_null for row in rows):
        return False
    try:
        if not checked:
            for row in rows:
                rules.check(row, session)
        view = block.view(table, record=False)
        plan = InsertPlan(InsertValues(table, (), None, None), rules)
        changes, _, _ = plan.changes((), session, view, block.read_ts, rows)
    except (SqlError, NoKeyedAnswer):
        return False
    rids = bulk.taken(session.executor, len(changes))
    block.writes(table).apply(changes, iter(rids).__next__, plan.written)
    return True


# --- checks ------------------------------------------------------------------------------------------


async def passes(session: Session, block: Block, check: DataCheck) -> bool | None:
    """Whether all rows pass; None: the check's query is to be asked, which may have to show a row. Raises what a CHECK raises."""
    if not check.by_row or check.table is None:
        return None
    table = session.catalog.table(check.table.oid)  # which may have moved
    rows = rows_of(session, block, table)
    if rows is None:
        return None
    if not rows:
        return True
    if check.keys:
        return _keys_differ(session, table, check, rows) or None
    if check.column:
        place = next((i for i, c in enumerate(table.columns) if c.name == check.column), None)
        return None if place is None else all(row[place] is not None for row in rows)
    constraint = next((c for c in table.constraints if c.name == check.constraint), None)
    if constraint is None:
        return None
    if constraint.kind == "c":
        return _meets(session, table, constraint, rows)
    if constraint.kind in "pu":
        return _differs(session, table, constraint, rows) or None
    return (constraint.kind == "f" and await _has_parents(session, block, table, constraint, rows)) or None


def _meets(session: Session, table: Table, constraint: Constraint, rows: Iterable[Row]) -> bool | None:
    rules = session.rules(table)
    asks = next((asks for c, asks in rules.checks if c.oid == constraint.oid), None)
    if asks is None or rules.asks:
        return None
    return all(asks((), row, session) for row in rows)


def _differs(session: Session, table: Table, constraint: Constraint, rows: Iterable[Row]) -> bool:
    rules = session.rules(table)
    key = rules.key
    if constraint.kind == "u":
        key = next((u.key for u in rules.uniques if u.constraint.oid == constraint.oid), None)
    if key is None:
        return False
    keys = [k for k in map(key, rows) if k is not None]
    return len(set(keys)) == len(keys)


def _keys_differ(session: Session, table: Table, check: DataCheck, rows: list[Row]) -> bool:
    texts = [*check.keys, *([f"({check.where})"] if check.where else [])]
    values = _values(session, table, texts, session.catalog, rows)
    if values is None:
        return False
    asked = len(check.keys)
    keys = [row[:asked] for row in values if None not in row[:asked] and all(row[asked:])]
    return len(set(keys)) == len(keys)


async def _has_parents(
    session: Session, block: Block, table: Table, constraint: Constraint, rows: Iterable[Row]
) -> bool:
    rule = reference(table, constraint)
    if any(rule.mixed(row) for row in rows):
        return False
    values: dict[tuple[Datum, ...], None] = dict.fromkeys(rule.values(row) for row in rows)
    values = {v: None for v in values if None not in v}
    if not values:
        return True
    parent = session.catalog.table(constraint.foreign_table)
    if parent.partitioning is not None or parent.children or not same_datums(table, parent, constraint):
        return False
    txn = block.transaction()
    txn.locked.setdefault(parent.shard, txn.read_ts)
    wanted = list(values)
    return len(wanted) <= LOOKUPS_MAX and not await absent(session, block, table, parent, constraint, wanted)


__all__ = ["computed", "passes", "put", "reshaped", "rows_of", "under"]
