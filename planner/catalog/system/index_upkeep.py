"""What PostgreSQL's owners of BRIN and GIN indexes call to keep these in order: there is never anything to be done here.

    brin_summarize_new_values(index)        0 page ranges summarized     no index here has page ranges to summarize,
    gin_clean_pending_list(index)           0 pages cleaned              or a list of entries that wait

They refuse what PostgreSQL refuses, so that jobs which call them behave alike.
"""

from __future__ import annotations

from typing import Final

from planner.abc import Oid, SqlError, Table
from planner.catalog.objects import Index, Sequence, View
from planner.catalog.system import permitted
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.types.oids import INT4, INT8, REGCLASS, VOID

_ALL_BLOCKS: Final = (1 << 32) - 1


def _index(context: SystemContext, oid: Oid, method: str) -> None:
    """Raises 42809, 42501 for what is no index of this kind, or another's."""
    found = context.catalog.get(oid)
    if not isinstance(found, Index | Table | View | Sequence):
        raise SqlError("XX000", f"could not open relation with OID {oid}")
    name = found.name
    if not isinstance(found, Index):
        raise SqlError("42809", f'"{name}" is not an index')
    table = context.catalog.table(found.table_oid)
    if found.method != method or table.partitioning is not None:
        raise SqlError("42809", f'"{name}" is not a {method.upper()} index')
    if not permitted.owns(context, table):
        raise SqlError("42501", f"must be owner of index {name}")


def _range(block: int, highest: int) -> None:
    if not 0 <= block <= highest:
        raise SqlError("22003", f"block number out of range: {block}")


@system("brin_summarize_new_values", (REGCLASS,), INT4)
def _summarize_all(context: SystemContext, oid: Oid | None) -> int | None:
    return _summarized(context, oid, _ALL_BLOCKS)


@system("brin_summarize_range", (REGCLASS, INT8), INT4)
def _summarize(context: SystemContext, oid: Oid | None, block: int | None) -> int | None:
    return _summarized(context, oid, block)


def _summarized(context: SystemContext, oid: Oid | None, block: int | None) -> int | None:
    if oid is None or block is None:
        return None
    _range(block, _ALL_BLOCKS)
    _index(context, oid, "brin")
    return 0


@system("brin_desummarize_range", (REGCLASS, INT8), VOID)
def _desummarize(context: SystemContext, oid: Oid | None, block: int | None) -> str | None:
    if oid is None or block is None:
        return None
    _range(block, _ALL_BLOCKS - 1)
    _index(context, oid, "brin")
    return ""


@system("gin_clean_pending_list", (REGCLASS,), INT8)
def _clean(context: SystemContext, oid: Oid | None) -> int | None:
    if oid is None:
        return None
    _index(context, oid, "gin")
    return 0
