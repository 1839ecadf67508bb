"""What a system relation is computed from: a catalog, and what the asking session knows besides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from planner.abc import Oid, Table
from planner.catalog.catalog import DEFAULT_SEARCH_PATH, Catalog
from planner.catalog.objects import Index
from storage.abc import Datum, Row


class Sizes(Protocol):
    """What relations take on this server, in bytes."""

    def table_bytes(self, table: Table) -> int:
        """Rows, old versions that are still kept included."""

    def index_bytes(self, table: Table, index: Index) -> int: ...

    def database_bytes(self, catalog: Catalog) -> int:
        """The catalog, and all that is in the database from which it is seen."""

    def everything_bytes(self, catalog: Catalog) -> int:
        """All databases and the catalog that they share."""


class Statistics(Protocol):
    """What the server has counted. Answers are by the names of the views' columns; what is left out is zero."""

    def table(self, table: Table) -> dict[str, Datum]: ...

    def live_rows(self, table: Table) -> int | None:
        """None: the table was not read since the server has started."""

    def index(self, table: Table, index: Index) -> dict[str, Datum]: ...

    def database(self, oid: Oid) -> dict[str, Datum]: ...

    def shared(self, name: str) -> dict[str, Datum]:
        """What all databases share: "wal" for `pg_stat_wal`."""

    def statements(self, catalog: Catalog, asking: str, *, with_text: bool) -> list[dict[str, Datum]]:
        """Those that are counted, by the columns of `pg_stat_statements`, as a role may see them."""

    def statements_info(self) -> dict[str, int]: ...

    def reset_statements(self, user: Oid, database: Oid, number: int) -> None: ...

    def reset(self, database: Oid) -> None: ...

    def reset_shared(self, name: str) -> bool:
        """False: there is nothing of that name."""

    def reset_table(self, table: Table, index: Index | None = None) -> None: ...


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
    sizes: Sizes | None = None
    """Who knows what relations take on this server; without it everything takes nothing."""
    blocking: Callable[[int], Sequence[int]] | None = None
    """Whom a session waits for, by process id; without it nobody waits."""
    interval_style: str = "postgres"
    date_style: str = "ISO, MDY"
    """In which constants of definitions are shown (`styles`)."""
    statistics: Statistics | None = None
    """Who knows what was counted; without it everything is at zero."""
    named: dict[tuple[Oid, str], Oid] = field(default_factory=dict)
    """What names that were read as `regclass`, `regprocedure` and their kin stand for, by type and text: what a query's condition names is
    read for one of its rows (Rails asks three `regprocedure`s of each row of `pg_type`)."""


Rows = list[Row]
