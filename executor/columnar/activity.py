"""pg_stat_activity, pg_stat_ssl, pg_stat_gssapi, pg_stat_progress_copy: who is connected, from where, since when, and what they do.

Times are noted where something begins (a session, a statement) and nowhere else; a transaction's beginning is its block's.
What a session runs, and from where, is for who has its role's privileges, or `pg_read_all_stats`, to see, as in PostgreSQL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.catalog import predefined, rights
from planner.catalog.objects import SUPERUSER_OID

if TYPE_CHECKING:
    from executor.abc import Encryption
    from executor.executor import Executor
    from executor.session.session import Session

_STATES = {b"I": "idle", b"T": "idle in transaction", b"E": "idle in transaction (aborted)"}
_HIDDEN = "<insufficient privilege>"


def activity(asking: Session) -> list[dict[str, Any]]:
    """A row for each session, as `asking` may see it; what is hidden is NULL."""
    return [_row(asking, session) for session in asking.executor.sessions.values()]


def _row(asking: Session, session: Session) -> dict[str, Any]:
    catalog = session.catalog
    role = catalog.role(session.user)
    of_none = session.follows_database is False  # physical replication
    row: dict[str, Any] = {
        "datid": None if of_none else catalog.database_oid,
        "datname": None if of_none else session.database,
        "pid": session.pid,
        "usesysid": role.oid if role is not None else SUPERUSER_OID,
        "usename": session.user,
        "application_name": session.settings.raw("application_name"),
        "query": _HIDDEN,
    }
    if _may_see(asking, session):
        row |= _private(session, session is asking)
    return row


def encryption(asking: Session) -> list[dict[str, Any]]:
    """pg_stat_ssl: of each session whether, and how, what it says is encrypted; how only for who may see it."""
    return [
        {"pid": s.pid}
        | ({"ssl": s.encryption is not None} | _said_of(s.encryption) if _may_see(asking, s) else {})
        for s in asking.executor.sessions.values()
    ]


def _said_of(tls: Encryption | None) -> dict[str, Any]:
    if tls is None:
        return {}
    return {
        "version": tls.version, "cipher": tls.cipher, "bits": tls.bits, "client_dn": tls.client,
        "client_serial": tls.serial, "issuer_dn": tls.issuer,
    }  # fmt: skip


def kerberos(asking: Session) -> list[dict[str, Any]]:
    """pg_stat_gssapi: nobody comes by it."""
    return [
        {"pid": s.pid} | ({"gss_authenticated": False, "encrypted": False} if _may_see(asking, s) else {})
        for s in asking.executor.sessions.values()
    ]


def copies(asking: Session) -> list[dict[str, Any]]:
    """pg_stat_progress_copy: each COPY that is under way; how far it has come only for who may see it."""
    rows = []
    for session in asking.executor.sessions.values():
        made = session.copy_progress
        if made is None:
            continue
        row = {"pid": session.pid, "datid": session.catalog.database_oid, "datname": session.database}
        if _may_see(asking, session):
            row |= {
                "relid": made.relation_oid, "command": made.command, "type": made.type,
                "bytes_processed": made.bytes_processed, "bytes_total": made.bytes_total,
                "tuples_processed": made.tuples_processed, "tuples_excluded": made.tuples_excluded,
            }  # fmt: skip
        rows.append(row)
    return rows


def _may_see(asking: Session, session: Session) -> bool:
    shown_to = (session.user, predefined.READ_ALL_STATS)
    return any(rights.has_role(asking.catalog, asking.user, r) for r in shown_to)


def _number(session: Session) -> int | None:
    """The statement's number, where it is computed (`compute_query_id`)."""
    said, statements = session.settings.raw("compute_query_id"), session.executor.statements
    if said == "off" or (said != "on" and not statements.is_on) or not session.statement_text:
        return None
    return statements.called(session.statement_text)[1]


def _waits(session: Session) -> bool:
    """Whether it waits for a row: at once, or somewhere in a statement (a function in it, a trigger)."""
    txn = session.block.txn if session.block is not None else None
    locks = session.executor.env.locks
    return session.lock_wait is not None or (txn is not None and locks.is_waiting(txn))


def blocking(executor: Executor, pid: int) -> list[int]:
    """Whom a session of this server waits for, for rows, keys and locks of any kind: sessions of this server (pg_blocking_pids)."""
    locks = executor.env.locks
    found = locks.blockers(pid)
    if locks.beyond is not None:
        found += locks.beyond.blockers(pid)
    return sorted({party for party in found if isinstance(party, int)})


def _private(session: Session, asks: bool) -> dict[str, Any]:
    active, waiting = asks or session.is_running, _waits(session)
    address, port = session.peer if isinstance(session.peer, tuple) else (None, -1)
    query_us = session.statement_began_ns // 1_000 or None
    return {
        "client_addr": address,
        "client_port": port,
        "backend_start": session.began_us,
        "xact_start": session.block.start_us if session.block is not None else query_us if active else None,
        "query_start": query_us,
        "state_change": query_us if active else None,  # when it became idle nobody has noted
        "state": "active" if active else _STATES[session.transaction_status],
        "query": session.statement_text,
        "query_id": _number(session),
        "wait_event_type": "Lock" if waiting else None if active else "Client",
        "wait_event": "tuple" if waiting else None if active else "ClientRead",
        "backend_type": "client backend",
    }
