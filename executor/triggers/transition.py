"""REFERENCING: the rows of a statement as tables that a trigger's function can name.

    AFTER UPDATE ... REFERENCING OLD TABLE AS gone NEW TABLE AS fresh       SELECT ... FROM gone JOIN fresh USING (id)

While the function runs, its transaction's catalog has them, before any relation of that name. The catalog is made once for each trigger
and catalog, so that the function's statements are planned once; only the rows are others each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from planner.abc import Table, Trigger
from planner.catalog import PG_CATALOG_OID, Catalog, CatalogChange
from planner.relations import TransitionTable
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

_FIRST_OID: Final = 0xF000_0000
"""Two for each trigger, above all that DDL hands out."""
_REMEMBERED_MAX: Final = 256
_remembered: dict[tuple[int, int, str], tuple[Catalog, list[TransitionTable]]] = {}
"""By the catalog's version, trigger and user: the catalog with the tables."""


@contextmanager
def shown(
    session: Session, block: Block, table: Table, trigger: Trigger, rows: Mapping[str, Sequence[Row]]
) -> Iterator[None]:
    """Around the function's run. `rows` by the names that the trigger gives them."""
    from executor.session.copying import staging

    before, around = block.catalog, session.transition
    catalog, tables = _with_tables(session.catalog, table, trigger, session.user)
    session.transition = {
        **around,
        **{x.oid: staging.written_rows(x, rows[x.name], range(len(rows[x.name]))) for x in tables},
    }
    block.catalog = catalog
    try:
        yield
    finally:
        session.transition = around
        if block.catalog is catalog:
            block.catalog = before
        elif block.catalog is not None:  # the function has changed it
            gone = [CatalogChange(x, None) for x in tables if block.catalog.get(x.oid) is x]
            block.catalog = block.catalog.with_changes(gone)


def _with_tables(
    catalog: Catalog, table: Table, trigger: Trigger, user: str
) -> tuple[Catalog, list[TransitionTable]]:
    key = catalog.version, trigger.oid, user
    found = _remembered.get(key)
    if found is None:
        if len(_remembered) >= _REMEMBERED_MAX:
            _remembered.clear()
        tables = []
        for n, name in enumerate((trigger.old_table, trigger.new_table)):
            if name:
                oid = _FIRST_OID + trigger.oid * 2 + n
                columns = table.columns
                shard = f"transition {oid}"
                tables.append(TransitionTable(oid, PG_CATALOG_OID, name, columns, (), shard, user))
        made = catalog.with_changes([CatalogChange(None, x) for x in tables])
        found = _remembered[key] = (made, tables)
    return found


__all__ = ["shown"]
