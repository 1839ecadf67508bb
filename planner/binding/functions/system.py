"""What the session and the server know: who, where, when, and settings."""

from __future__ import annotations

from collections.abc import Sequence

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.collating import carried
from planner.binding.collations_met import asked
from planner.binding.functions.registry import templates
from planner.binding.records import told_type
from planner.catalog import quote_identifier
from planner.catalog.collations import NONE, is_collatable, shown
from planner.relations import said_type

VERSION = "PostgreSQL 15.0 (Tidewire 0.1.0)"

_SESSION: dict[str, tuple[str, int]] = {
    "current_user": ("current_user", t.NAME), "current_role": ("current_user", t.NAME), "user": ("current_user", t.NAME),
    "session_user": ("session_user", t.NAME), "current_catalog": ("current_database", t.NAME),
    "current_database": ("current_database", t.NAME), "current_schema": ("current_schema", t.NAME),
    "current_query": ("query_text", t.TEXT), "getpgusername": ("current_user", t.NAME), "pg_backend_pid": ("pid", t.INT4), "pg_trigger_depth": ("trigger_depth", t.INT4), "now": ("now", t.TIMESTAMPTZ), "current_timestamp": ("now", t.TIMESTAMPTZ),
    "transaction_timestamp": ("now", t.TIMESTAMPTZ), "statement_timestamp": ("statement_timestamp", t.TIMESTAMPTZ),
    "tidewire_now": ("read_ts", t.TIMESTAMPTZ),
    "inet_client_port": ("client_port", t.INT4), "inet_server_port": ("server_port", t.INT4),
    "txid_current": ("txid", t.INT8), "pg_current_xact_id": ("txid", t.XID8),
    "txid_current_if_assigned": ("txid_if_numbered", t.INT8), "pg_current_xact_id_if_assigned": ("txid_if_numbered", t.XID8),
    "pg_current_snapshot": ("snapshot", t.PG_SNAPSHOT), "txid_current_snapshot": ("snapshot", t.TXID_SNAPSHOT),
    "pg_postmaster_start_time": ("started_at", t.TIMESTAMPTZ), "pg_conf_load_time": ("loaded_at", t.TIMESTAMPTZ),
}  # fmt: skip
_CLOCKS = {
    "current_date": t.DATE,
    "localtimestamp": t.TIMESTAMP,
    "localtime": t.TIME,
    "current_time": t.TIMETZ,
}
_ADDRESSES = {"inet_client_addr": "client_addr", "inet_server_addr": "server_addr"}
_PRECISE = {"current_timestamp": t.TIMESTAMPTZ, **{k: v for k, v in _CLOCKS.items() if v != t.DATE}}
"""Clocks that take a number of digits."""


def session_function(name: str, args: Sequence[ir.Node]) -> ir.Node | None:
    """Functions whose value is the session's, or known when the statement is planned; None for others."""
    if not args:
        found = _SESSION.get(name)
        if found is not None:
            return ir.Session(TypeRef(found[1]), found[0])
        if name in _CLOCKS:
            return ir.Cast(TypeRef(_CLOCKS[name]), ir.Session(TypeRef(t.TIMESTAMPTZ), "now"))
        if name in _ADDRESSES:
            return ir.Cast(TypeRef(t.INET), ir.Session(TypeRef(t.TEXT), _ADDRESSES[name]))
        if name == "pg_client_encoding":
            return ir.Cast(TypeRef(t.NAME), ir.Session(TypeRef(t.TEXT), "setting:client_encoding"))
        if name == "version":
            return ir.Lit(TypeRef(t.TEXT), VERSION)
    if len(args) == 1:
        arg = args[0]
        if name == "pg_collation_for":
            asked()
            return _of_type(arg, _collation_name(arg))
        if name == "pg_typeof":
            ref = TypeRef(t.UNKNOWN) if arg.type.oid == t.UNKNOWN else said_type(told_type(arg.type))
            return _of_type(arg, ir.Lit(TypeRef(t.REGTYPE), ref.oid))
        if name == "current_setting" and isinstance(arg, ir.Lit) and isinstance(arg.value, str):
            return ir.Session(TypeRef(t.TEXT), f"setting:{arg.value.lower()}")
        if name in _PRECISE and isinstance(arg, ir.Lit) and isinstance(arg.value, int):
            now = ir.Cast(TypeRef(_PRECISE[name]), ir.Session(TypeRef(t.TIMESTAMPTZ), "now"))
            return ir.Cast(TypeRef(now.type.oid, min(arg.value, 6)), now)
        if name == "current_schemas":
            return _current_schemas(arg)
    if (
        len(args) == 2
        and name == "current_setting"
        and isinstance(args[0], ir.Lit)
        and isinstance(args[0].value, str)
    ):
        missing_ok = getattr(args[1], "value", None)
        if isinstance(missing_ok, bool):
            return ir.Session(TypeRef(t.TEXT), f"setting{'_or_null' * missing_ok}:{args[0].value.lower()}")
    return None


def _of_type(arg: ir.Node, known: ir.Node) -> ir.Node:
    """What is known of an argument's type alone; what makes the query an aggregating one, or gives it its rows, stays in it."""
    if not any(isinstance(n, ir.Aggregate | ir.Window | ir.SetReturning) for n in ir.walk(arg)):
        return known
    nothing = ir.Logic(TypeRef(t.BOOL), "is null", (arg,))
    return ir.Logic(known.type, "case", (nothing, known, known))


def _collation_name(value: ir.Node) -> ir.Node:
    """COLLATION FOR (value), as an identifier; NULL for what has no type yet. Raises 42804."""
    if value.type.oid == t.UNKNOWN:
        return ir.Lit(TypeRef(t.TEXT), None)
    if not is_collatable(value.type.oid):
        raise PlanError("42804", f"collations are not supported by type {t.type_in_words(value.type.oid)}")
    found = carried(value) or ("C" if value.type.oid == t.NAME else "default")
    return ir.Lit(TypeRef(t.TEXT), None if found == NONE else quote_identifier(shown(found)))


def _current_schemas(implicit: ir.Node) -> ir.Node:
    """The schemas of the path that exist, with or without pg_catalog, as the argument says; NULL for NULL."""
    kind = TypeRef(t.NAME_ARRAY)
    every, named = ir.Session(kind, "search_path_all"), ir.Session(kind, "search_path")
    if isinstance(implicit, ir.Lit):
        if implicit.value is None:
            return ir.Lit(kind, None)
        return every if implicit.value in (True, "true", "t", "on", "yes", "1") else named
    return ir.Logic(kind, "case", (implicit, every, ir.Logic(TypeRef(t.BOOL), "not", (implicit,)), named))


templates("""
pg_is_in_recovery() => false
pg_column_compression(any) => CAST(NULL AS VARCHAR)
pg_column_size(any) => CAST(octet_length(encode(CAST({0} AS VARCHAR))) AS INTEGER)
""")
