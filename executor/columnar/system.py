"""pg_catalog and information_schema in a query of DuckDB's: Arrow tables of what the session sees (`executor.columnar.seen`).

Rows that only the running server knows are made here, fresh each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.abc import ExecutionError
from executor.columnar.activity import activity, copies, encryption, kerberos
from executor.columnar.followers import sender_rows, slot_rows
from executor.columnar.lock_rows import lock_rows
from executor.columnar.process_rows import access_rows, build_rows, memory_rows
from executor.columnar.seen import SeenByAll
from executor.session import permissions
from executor.session.settings.guc_table import GUCS, Guc
from executor.session.settings.written_settings import file_rows
from planner import types as t
from planner.abc import SystemUse, TypeRef
from planner.catalog import Sequence, system
from planner.catalog.catalog import Catalog
from planner.catalog.system.reg_names import RegNames
from planner.catalog.system.zones import abbreviation_rows, zone_rows
from planner.lexer import quoted

if TYPE_CHECKING:
    from executor.session.session import Session

_CACHE_MAX = 2_000


class SystemRelations:
    """The system relations of one executor."""

    def __init__(self) -> None:
        self.seen = SeenByAll(_SERVER)
        self._names: dict[tuple[str, ...], RegNames] = {}

    def names(self, search_path: tuple[str, ...], database: str, current: Callable[[], Catalog]) -> RegNames:
        """Names of regclass and its kin for all sessions with this search path.

        Shared, because encoders are kept by their settings: a session's own would be compiled for each.
        """
        found = self._names.get((database, *search_path))
        if found is None:
            if len(self._names) >= _CACHE_MAX:
                self._names.clear()
            found = self._names[database, *search_path] = RegNames(
                lambda: system.SystemContext(current(), search_path)
            )
        return found

    def relation(self, session: Session, use: SystemUse, bindings: dict[str, pa.Table]) -> str:
        """The text of a system relation as a subquery; its rows are bound under a name of their own."""
        found = system.relations().get((use.schema, use.name))
        if found is None:
            raise ExecutionError("42P01", f'relation "{use.schema}.{use.name}" does not exist')
        name, count = f"system_{use.slot}", len(found.columns)
        rows = self.seen.arrow(session, (use.schema, use.name))
        asked = [i for i in use.columns if i < count]
        # The columns that nobody names would be bound and pruned by DuckDB: half the time of most such queries.
        bindings[name] = rows.select(asked) if asked else rows.select([0])
        cells = []
        for c in (found.columns[i] for i in asked):
            cells.append(f"{t.store_sql(quoted(c.name), c.type)} AS {quoted(c.name)}")
        hidden = (
            f"CAST({found.oid} AS {t.duckdb_type(TypeRef(t.OID))}) AS tableoid",
            *("2::BIGINT AS xmin", "0::BIGINT AS cmin", "0::BIGINT AS xmax", "0::BIGINT AS cmax"),
            "tw_ctid(row_number() OVER ()) AS ctid",  # where it stands among all that is seen now
        )
        cells += [hidden[i - count] for i in use.columns if i >= count]
        return f"(SELECT {', '.join(cells or hidden[:1])} FROM {name})"


def _settings(session: Session) -> list[dict[str, Any]]:
    rows = []
    hidden, written = permissions.hidden_settings(session), session.executor.written
    for name, value, description in session.settings.show_all():
        key = name.lower()
        if key in hidden:
            continue
        guc = GUCS[key]
        source, reset = session.settings.origin(key)
        row: dict[str, Any] = {
            "name": name,
            "source": source,
            "reset_val": reset,
            "pending_restart": key in written.pending,
        }
        if source == "configuration file" and not hidden:
            row["sourceline"] = line = written.line_of(key)
            row["sourcefile"] = None if line is None else str(written.path)
        raw = session.settings.raw(key)
        rows.append(
            {
                **row,
                "setting": value if key in ("transaction_isolation", "tidewire.isolation") else raw,
                "unit": guc.unit or None,
                "category": guc.category,
                "short_desc": description,
                "extra_desc": guc.details or None,
                "context": guc.context,
                "vartype": "integer" if guc.kind == "int" else guc.kind,
                "min_val": _bound(guc, guc.low),
                "max_val": _bound(guc, guc.high),
                "enumvals": list(guc.choices) or None,
                "boot_val": guc.default,
            }
        )
    return rows


def _bound(guc: Guc, value: float) -> str | None:
    if guc.kind == "int":
        return str(int(value))
    return f"{value:g}" if guc.kind == "real" else None


def _statements(session: Session) -> list[dict[str, Any]]:
    return [
        {
            "name": p.name,
            "statement": p.text,
            "parameter_types": [ref.oid for ref in p.parameter_types],
            "from_sql": p.from_sql,
        }
        for p in session.statements.values()
        if p.name
    ]


def _cursors(session: Session) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "statement": portal.prepared.text,
            "is_holdable": bool(portal.extra.get("hold")),
            "is_binary": bool(portal.extra.get("binary")),
            "is_scrollable": portal.from_sql and portal.extra.get("scroll") is not False,
            "creation_time": portal.extra.get("declared_us"),
        }
        for name, portal in session.portals.items()
        if name
    ]


def _sequences(session: Session) -> list[dict[str, Any]]:
    rows = []
    for s in session.catalog.objects(Sequence):
        last, called = session.executor.sequences.position(s)
        shown = called and permissions.holds_sequence(session, s, "SELECT", "USAGE")
        rows.append({"oid": s.oid, "last_value": last if shown else None})
    return rows


_SERVER: dict[str, Any] = {
    "pg_sequences": _sequences,
    "pg_settings": _settings,
    "pg_stat_activity": activity,
    "pg_stat_ssl": encryption,
    "pg_stat_progress_copy": copies,
    "pg_stat_gssapi": kerberos,
    "pg_locks": lock_rows,
    "pg_config": build_rows,
    "pg_backend_memory_contexts": memory_rows,
    "pg_hba_file_rules": access_rows,
    "pg_file_settings": file_rows,
    "pg_replication_slots": slot_rows,
    "pg_stat_replication": sender_rows,
    "pg_prepared_statements": _statements,
    "pg_cursors": _cursors,
    "pg_timezone_names": lambda session: zone_rows(),
    "pg_timezone_abbrevs": lambda session: abbreviation_rows(),
}
