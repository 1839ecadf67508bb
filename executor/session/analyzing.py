"""ANALYZE: a sample of a table's rows is read, and what it says is kept in the catalog (`planner.catalog.analyses`).

    SELECT count(*), count(a), count(b) FROM ONLY t                                     all rows, and those that are NULL
    SELECT a, dense_rank() OVER (ORDER BY a) FROM ONLY t WHERE a IS NOT NULL ORDER BY ctid   a column, in the order of its rows

Rows are read as of the transaction, by DuckDB, in nobody's name: policies and rights do not hide any. What others write meanwhile changes
nothing, nor does this keep them from it. Tables of more rows than PostgreSQL looks at are sampled by about as many, but counted.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from executor.abc import Rows
from executor.columnar.rows import batch_rows
from executor.ddl import run as ddl
from executor.ddl import table_rows
from executor.ddl.old_rows import unread
from executor.session import queries
from executor.session.blocks.block import Block
from executor.statistics import samples, together, widths
from planner import types as t
from planner.abc import Column, Query, SqlError, Table
from planner.catalog import CatalogChange, StatisticsObject, quote_identifier, quote_qualified
from planner.catalog.analyses import Analysis, ColumnStatistics, TogetherStatistics
from planner.catalog.system.definitions import type_name
from planner.ddl.plan import DdlPlan
from planner.types import oids
from planner.types.orders import UNORDERED
from planner.types.ranges import RangeType
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.session import Session

TEXT_MAX: Final = 256 * 1024
"""Longer arrays of values are not kept: a catalog is in the memory of each server."""


async def analyze(session: Session, block: Block, table: Table, columns: Sequence[str]) -> None:
    """Looks at a table, or at some of its columns, and keeps what is found with the block's commit."""
    catalog = session.catalog
    wanted = [c for c in table.visible if not columns or c.name in columns]
    known = catalog.analysis_of(table.oid)
    found: list[ColumnStatistics] = []
    of_all: list[TogetherStatistics] = []
    rows = 0.0
    with unread(block):
        for inherited in (False, True):
            if inherited and not (table.children or table.partitioning is not None):
                continue
            if not inherited and table.partitioning is not None:
                continue
            counted, of_columns, of_several = await _looked(session, block, table, wanted, inherited)
            found += of_columns
            of_all += of_several
            if not inherited or table.partitioning is not None:
                rows = counted
    made = {(c.inherited, c.attnum): c for c in known.columns} if known is not None else {}
    made.update({(c.inherited, c.attnum): c for c in found})
    kept = tuple(made[key] for key in sorted(made))
    several = {(x.inherited, x.statistics_oid): x for x in known.together} if known is not None else {}
    several.update({(x.inherited, x.statistics_oid): x for x in of_all})
    there = {s.oid for s in catalog.statistics_of(table.oid)}
    kept_together = tuple(several[key] for key in sorted(several) if key[1] in there)
    if known is not None and (known.rows, known.columns, known.together) == (rows, kept, kept_together):
        return
    if known is None:
        oid = session.executor.catalogs.reserve_oids(session.catalog)
        session.executor.catalogs.took_oids(oid + 1)
    else:
        oid = known.oid
    change = CatalogChange(known, Analysis(oid, table.oid, rows, kept, kept_together))
    changes = [change]
    counter = session.catalog.counter
    if known is None and counter.next_oid <= oid:
        changes.append(CatalogChange(counter, type(counter)(oid + 1)))
    await ddl.apply(
        session, block, DdlPlan("ANALYZE", session.catalog.with_changes(changes), changes, next_oid=oid + 1)
    )


async def _looked(
    session: Session, block: Block, table: Table, columns: Sequence[Column], inherited: bool
) -> tuple[float, list[ColumnStatistics], list[TogetherStatistics]]:
    """How many rows there are, and what is to be said of the columns, alone and together."""
    home = session.catalog.schema_of(table.schema_oid).name
    source = f"{'' if inherited else 'ONLY '}{quote_qualified(home, table.name)}"
    counts = "".join(f", count({quote_identifier(c.name)})" for c in columns)
    ((total, *present),) = await _asked(session, block, f"SELECT count(*){counts} FROM {source}")
    if not total:
        return 0.0, [], []
    usual = int(session.settings.raw("default_statistics_target"))
    targets = [usual if c.statistics < 0 else c.statistics for c in columns]
    looked = samples.ROWS_FOR_TARGET * max(targets, default=0)
    if total > looked:
        source += f" TABLESAMPLE BERNOULLI ({100 * looked / total})"
    alone = [
        await _column(session, block, source, column, inherited, target, total, there, min(total, looked))
        for column, target, there in zip(columns, targets, present, strict=True)
        if target
    ]
    attnums = {found.attnum for found in alone}
    several = []
    for made in session.catalog.statistics_of(table.oid):
        if {k.attnum for k in made.keys if k.attnum} <= attnums:
            several.append(await _together(session, block, source, table, made, inherited, total))
        else:
            schema = session.catalog.schema_of(made.schema_oid).name
            message = f'statistics object "{schema}.{made.name}" could not be computed for relation "{home}.{table.name}"'
            session.notice("WARNING", "42P17", message)
    return float(total), alone, several


async def _together(
    session: Session,
    block: Block,
    source: str,
    table: Table,
    made: StatisticsObject,
    inherited: bool,
    total: int,
) -> TogetherStatistics:
    """Of the kinds that are asked for: how many combinations there are, and what follows from what."""
    numbers = [k.attnum for k in made.keys if k.attnum]
    numbers += [-1 - i for i in range(len(made.keys) - len(numbers))]
    if not {*made.kinds} & {"d", "f"}:
        return TogetherStatistics(made.oid, inherited)
    names = {c.attnum: quote_identifier(c.name) for c in table.columns}
    terms = [names[k.attnum] if k.attnum else f"({k.expression})" for k in made.keys]
    ranks = ", ".join(f"dense_rank() OVER (ORDER BY {term})" for term in terms)
    rows = await _asked(session, block, f"SELECT {ranks} FROM {source}")
    columns = list(zip(*rows, strict=True))
    if not columns:
        return TogetherStatistics(made.oid, inherited)
    counted = (
        await asyncio.to_thread(together.distinct, columns, numbers, float(total))
        if "d" in made.kinds
        else ""
    )
    follows = await asyncio.to_thread(together.dependencies, columns, numbers) if "f" in made.kinds else ""
    return TogetherStatistics(made.oid, inherited, counted, follows)


async def _column(
    session: Session,
    block: Block,
    source: str,
    column: Column,
    inherited: bool,
    target: int,
    total: int,
    there: int,
    sampled: int,
) -> ColumnStatistics:
    oid, null_frac = column.type.oid, samples.single((total - there) / total)
    if not there:
        return ColumnStatistics(column.attnum, inherited, 1.0, widths.fixed(oid), 0.0)
    name = quote_identifier(column.name)
    rows_of = f"FROM {source} WHERE {name} IS NOT NULL ORDER BY ctid"
    # Of text vectors and ranges it is not asked which are the same: all are taken to be different.
    unlike = oid == oids.TSVECTOR or isinstance(t.sql_type(oid), RangeType)
    rows = None if unlike else await _ranked(session, block, column, name, rows_of)
    ordered = rows is not None
    if rows is None:
        rows = await _asked(session, block, f"SELECT {name}, 0 {rows_of}")
    if sampled < total:  # about so many: those of this column are counted
        sampled = max(round(len(rows) / (1.0 - null_frac)), 1)
    sample = sampled, float(total), null_frac
    found = await asyncio.to_thread(_described, column, inherited, rows, sample, target, ordered)
    if unlike:
        found = dataclasses.replace(found, distinct=-samples.single(1.0 - null_frac))
    if oid == oids.TSVECTOR:
        lexemes = await _asked(session, block, f"SELECT tsvector_to_array({name}) {rows_of}")
        words = [t.array_items(value, oids.TEXT_ARRAY) for (value,) in lexemes]
        return await _with_elements(session, block, found, words, oids.TEXT, target, vectors=True)
    element = t.element_of(oid)
    if not ordered or not element:
        return found
    kind = t.TypeRef(element)
    arrays = [
        [None if x is None else t.output_text(x, kind) for x in t.array_items(value, oid)]
        for value, _ in rows
    ]
    return await _with_elements(session, block, found, arrays, element, target)


async def _ranked(
    session: Session, block: Block, column: Column, name: str, rows_of: str
) -> Sequence[Row] | None:
    """Values with their ranks; None where the type has no order, or a part of it has none."""
    if column.type.oid in UNORDERED:
        return None
    try:
        return await _asked(session, block, f"SELECT {name}, dense_rank() OVER (ORDER BY {name}) {rows_of}")
    except SqlError as e:
        if e.sqlstate != "42883":
            raise
        return None


def _described(
    column: Column,
    inherited: bool,
    rows: Sequence[Row],
    sample: tuple[int, float, float],
    target: int,
    ordered: bool,
) -> ColumnStatistics:
    """`sample`: how many rows were looked at, how many there are, and which part is NULL."""
    oid, (sampled, total, null_frac) = column.type.oid, sample
    texts = [t.output_text(value, column.type) for value, _ in rows]
    sizes = [widths.width(text, oid) for text in texts]
    size = widths.fixed(oid) or sum(sizes) // max(len(sizes), 1)
    if not ordered:
        return ColumnStatistics(column.attnum, inherited, null_frac, size, 0.0)
    narrow = [i for i, taken in enumerate(sizes) if taken <= samples.WIDTH_MAX]
    ranks = [int(rows[i][1]) for i in narrow]
    found = samples.scalar(ranks, len(rows) - len(narrow), null_frac, sampled, total, target)
    shown = [texts[i] for i in narrow]
    common, bounds = _array([shown[i] for i in found.common]), _array([shown[i] for i in found.bounds])
    return ColumnStatistics(
        column.attnum,
        inherited,
        null_frac,
        size,
        found.distinct,
        common,
        found.frequencies if common else (),
        bounds,
        found.correlation,
    )


async def _with_elements(
    session: Session,
    block: Block,
    found: ColumnStatistics,
    values: Sequence[Sequence[str | None]],
    element: int,
    target: int,
    *,
    vectors: bool = False,
) -> ColumnStatistics:
    """The same with what is said of the elements of arrays, in the order of their type, or of the words of text vectors, the short ones first."""
    shares = dict(samples.common_elements(values, target))
    counts = () if vectors else samples.element_counts(values, target)
    if vectors:
        order = sorted(shares, key=lambda word: (len(word.encode()), word.encode()))
    else:
        kind = type_name(session.catalog, t.TypeRef(element), ())
        literal = _array(list(shares)).replace("'", "''") or "{}"
        sql = f"SELECT unnest(CAST('{literal}' AS {kind}[])) ORDER BY 1"
        ref = t.TypeRef(element)
        order = [t.output_text(value, ref) for (value,) in await _asked(session, block, sql)]
    elements = _array(order)
    if not elements:
        return dataclasses.replace(found, element_counts=counts)
    frequencies = [shares[x] for x in order]
    frequencies += (min(frequencies), max(frequencies))
    if not vectors:
        frequencies.append(samples.single(sum(None in value for value in values) / len(values)))
    return dataclasses.replace(
        found, elements=elements, element_frequencies=tuple(frequencies), element_counts=counts
    )


def _array(texts: Sequence[str]) -> str:
    """The text of an array of values whose texts these are; "" for none, and where they are too much."""
    if not texts or sum(map(len, texts)) > TEXT_MAX:
        return ""
    return t.output_text(t.array_datum(list(texts), oids.TEXT_ARRAY), t.TypeRef(oids.TEXT_ARRAY))


async def _asked(session: Session, block: Block, sql: str) -> Sequence[Any]:
    """The rows of a query over what the block sees."""
    plan = table_rows.plan_in(session, sql, session.catalog)
    if isinstance(plan.body, Query):
        types = [c.type for c in plan.columns or ()]
        return batch_rows(await queries.arrow(session, block, plan.body, (), types), types)
    result = await session.run_in(block, session.compiled(plan), plan, ())
    assert isinstance(result, Rows)
    return result.rows


__all__ = ["analyze"]
