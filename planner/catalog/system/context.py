"""What a system relation is computed from: a catalog, and what the asking session knows besides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from planner.abc import Oid
from planner.catalog.catalog import DEFAULT_SEARCH_PATH, Catalog
from storage.abc import Datum, Row


@dataclass(slots=True)
class SystemContext:
    """Filled by the executor. Rows of relations that only the server knows come in `server_rows`.

    `server_rows` maps a relation's name (pg_settings, pg_stat_activity, pg_locks, pg_prepared_statements,
    pg_cursors, ...) to rows as dictionaries by column name; absent columns are NULL or zero.
    """

    catalog: Catalog
    search_path: tuple[str, ...] = DEFAULT_SEARCH_PATH
    user: str = "tidewire"
    database: str = "tidewire"
    server_rows: dict[str, Sequence[dict[str, Datum]]] = field(default_factory=dict)
    size_bytes: Callable[[Oid], int | None] | None = None
    """What a table's rows take on this server, in bytes; None for what it does not hold."""


Rows = list[Row]
