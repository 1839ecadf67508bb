"""Functions whose rows a system view shows, as tools call them that know the function and not the view.

    FROM pg_show_all_settings()      what pg_settings is over in PostgreSQL
    FROM (SELECT name, setting, ... FROM pg_catalog.pg_settings)      what is bound: here the view is what is computed

So one place knows the rows, whichever way they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner.binding.from_items import Source
from planner.binding.naming import function_name, identifier
from planner.binding.queried_texts import planned

if TYPE_CHECKING:
    from planner.binding.sources import SourceBinder

_SETTINGS = (
    "name, setting, unit, category, short_desc, extra_desc, context, vartype, source, min_val, max_val, enumvals, boot_val, "
    "reset_val, sourcefile, sourceline, pending_restart"
)
_LOCKS = (
    "locktype, database, relation, page, tuple, virtualxid, transactionid, classid, objid, objsubid, virtualtransaction, pid, "
    "mode, granted, fastpath, waitstart"
)
_ACTIVITY = (
    "a.datid, a.pid, a.usesysid, a.application_name, a.state, a.query, a.wait_event_type, a.wait_event, a.xact_start, "
    "a.query_start, a.backend_start, a.state_change, a.client_addr, a.client_hostname, a.client_port, a.backend_xid, "
    "a.backend_xmin, a.backend_type, s.ssl, s.version AS sslversion, s.cipher AS sslcipher, s.bits AS sslbits, "
    "s.client_dn AS ssl_client_dn, s.client_serial AS ssl_client_serial, s.issuer_dn AS ssl_issuer_dn, "
    "g.gss_authenticated AS gss_auth, g.principal AS gss_princ, g.encrypted AS gss_enc, a.leader_pid, a.query_id "
    "FROM pg_catalog.pg_stat_activity a LEFT JOIN pg_catalog.pg_stat_ssl s ON s.pid = a.pid "
    "LEFT JOIN pg_catalog.pg_stat_gssapi g ON g.pid = a.pid"
)
_QUERIES: Final = {
    "pg_show_all_settings": f"SELECT {_SETTINGS} FROM pg_catalog.pg_settings",
    "pg_lock_status": f"SELECT {_LOCKS} FROM pg_catalog.pg_locks",
    "pg_config": "SELECT name, setting FROM pg_catalog.pg_config",
    "pg_get_backend_memory_contexts": "SELECT name, ident, parent, level, total_bytes, total_nblocks, free_bytes, free_chunks, used_bytes "
    "FROM pg_catalog.pg_backend_memory_contexts",
    "pg_hba_file_rules": "SELECT line_number, type, database, user_name, address, netmask, auth_method, options, error "
    "FROM pg_catalog.pg_hba_file_rules",
    "pg_ident_file_mappings": "SELECT line_number, map_name, sys_name, pg_username, error FROM pg_catalog.pg_ident_file_mappings",
    "pg_show_all_file_settings": "SELECT sourcefile, sourceline, seqno, name, setting, applied, error FROM pg_catalog.pg_file_settings",
    "pg_get_shmem_allocations": "SELECT name, off, size, allocated_size FROM pg_catalog.pg_shmem_allocations",
    "pg_show_replication_origin_status": "SELECT local_id, external_id, remote_lsn, local_lsn FROM pg_catalog.pg_replication_origin_status",
    "pg_available_extensions": "SELECT name, default_version, comment FROM pg_catalog.pg_available_extensions",
    "pg_available_extension_versions": "SELECT name, version, superuser, trusted, relocatable, schema, requires, comment "
    "FROM pg_catalog.pg_available_extension_versions",
    "pg_prepared_statement": "SELECT name, statement, prepare_time, parameter_types, from_sql, generic_plans, custom_plans "
    "FROM pg_catalog.pg_prepared_statements",
    "pg_get_replication_slots": "SELECT slot_name, plugin, slot_type, datoid, temporary, active, active_pid, xmin, catalog_xmin, restart_lsn, "
    "confirmed_flush_lsn, wal_status, safe_wal_size, two_phase FROM pg_catalog.pg_replication_slots",
    "pg_stat_get_wal_senders": "SELECT pid, state, sent_lsn, write_lsn, flush_lsn, replay_lsn, write_lag, flush_lag, replay_lag, sync_priority, "
    "sync_state, reply_time FROM pg_catalog.pg_stat_replication",
    "pg_cursor": "SELECT name, statement, is_holdable, is_binary, is_scrollable, creation_time FROM pg_catalog.pg_cursors",
}
_OF_A_SESSION = "pg_stat_get_activity"
_ALL, _OWN = f"SELECT {_ACTIVITY}", f"SELECT {_ACTIVITY} WHERE a.pid = pg_catalog.pg_backend_pid()"
SIGNATURES: Final = (*(f"{name}()" for name in _QUERIES), f"{_OF_A_SESSION}(int4)")


def source(sources: SourceBinder, call: exp.Expression, node: exp.Expression) -> Source | None:
    """A call in FROM; None where it is of another function, or of a session that is not written out."""
    if not isinstance(call, exp.Anonymous) or node.args.get("ordinality"):
        return None
    schema = node.args.get("db")
    if schema is not None and identifier(schema) != "pg_catalog":
        return None
    name = function_name(call)
    if name == _OF_A_SESSION and len(call.expressions) == 1:
        text = _of_session(call.expressions[0])
    else:
        text = _QUERIES.get(name) if not call.expressions else None
    if text is None:
        return None
    alias = node.args.get("alias")
    shown = identifier(alias.this) if alias is not None and alias.this is not None else name
    return sources.subquery_source(planned(sources.queries, text), shown, alias)


def _of_session(pid: exp.Expression) -> str | None:
    while isinstance(pid, exp.Cast | exp.Paren):
        pid = pid.this
    if isinstance(pid, exp.Null):
        return _ALL
    if isinstance(pid, exp.Literal) and not pid.is_string and pid.this.isdigit():
        return f"{_ALL} WHERE a.pid = {pid.this}"
    own = isinstance(pid, exp.Anonymous) and function_name(pid) == "pg_backend_pid" and not pid.expressions
    return _OWN if own else None


__all__ = ["SIGNATURES", "source"]
