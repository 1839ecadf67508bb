"""pg_class's figures of size, as they are at this moment: reltuples, relpages, relallvisible.

    reltuples    -1      nothing is known: no row was ever seen, nor has ANALYZE been there
                 n       the rows that the server knows of now; where it has not read the table since it started, those of the last ANALYZE

PostgreSQL writes them down at ANALYZE, VACUUM and CREATE INDEX, and autovacuum sees to it that they are not old. Here they are looked up,
so that they are as good as there on a server whose autovacuum has just been by. Everything else of a row is the catalog's, and kept with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from planner.abc import Table
from planner.catalog.objects import Index
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.relations import relation
from storage.abc import Row

NAME: Final = ("pg_catalog", "pg_class")
_PAGE_BYTES: Final = 8_192


@cache
def _places() -> tuple[int, int, int, int]:
    target = relation(*NAME)
    assert target is not None
    names = [c.name for c in target.columns]
    pages, tuples, visible = (names.index(c) for c in ("relpages", "reltuples", "relallvisible"))
    assert (tuples, visible) == (pages + 1, pages + 2), "they are side by side"
    return names.index("oid"), pages, visible + 1, names.index("relkind")


def columns() -> range:
    """Where they are in a row."""
    _, first, end, _ = _places()
    return range(first, end)


def estimated(context: SystemContext, rows: Iterable[Row]) -> Rows:
    """Rows of pg_class with these figures."""
    oid, first, end, kind = _places()
    return [
        (*row[:first], *_figures(context, row[oid], row[first + 1]), *row[end:])
        if row[kind] in "rmi"
        else row
        for row in rows
    ]


def _figures(context: SystemContext, oid: object, known: object) -> tuple[int, float, int]:
    """(pages, rows, pages of which nothing is hidden from anybody)"""
    thing = context.catalog.get(oid)  # type: ignore[arg-type]
    whole = not isinstance(thing, Index) or not thing.predicate
    table = context.catalog.get(thing.table_oid) if isinstance(thing, Index) else thing
    rows = float(known)  # type: ignore[arg-type]
    if not isinstance(table, Table) or context.statistics is None or not whole:
        return 0, rows, 0
    live = context.statistics.live_rows(table)
    if live is not None and (live or rows > 0):
        rows = float(live)
    if isinstance(thing, Index):
        return 0, rows, 0
    pages = (
        -(-context.sizes.table_bytes(table) // _PAGE_BYTES) if context.sizes is not None and rows > 0 else 0
    )
    return pages, rows, pages


__all__ = ["NAME", "columns", "estimated"]
