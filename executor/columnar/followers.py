"""pg_replication_slots and pg_stat_replication: who follows this server's changes, and how far they have come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from executor.columnar.activity import activity
from planner.catalog import Database
from planner.types.log_places import datum_of

if TYPE_CHECKING:
    from executor.replication.slots import Slot
    from executor.session.session import Session

_WHO: Final = frozenset((
    "pid", "usesysid", "usename", "application_name", "client_addr", "client_hostname", "client_port", "backend_start", "backend_xmin",
))  # fmt: skip


def slot_rows(asking: Session) -> list[dict[str, Any]]:
    """A row for each slot."""
    names, slots = {d.oid: d.name for d in asking.catalog.objects(Database)}, asking.executor.slots
    return [
        {
            "slot_name": s.name,
            "plugin": s.plugin,
            "slot_type": "logical",
            "datoid": s.database_oid,
            "database": names.get(s.database_oid),
            "temporary": bool(s.holder),
            "active": bool(s.active_pid),
            "active_pid": s.active_pid or None,
            "restart_lsn": None if s.lost else datum_of(s.noted),
            "confirmed_flush_lsn": datum_of(s.confirmed),
            "wal_status": "lost" if s.lost else "reserved",
            "safe_wal_size": None if s.lost else max(0, slots.kept_bytes_max - slots.kept_bytes(s)),
            "two_phase": False,
        }
        for s in slots.all()
    ]


def sender_rows(asking: Session) -> list[dict[str, Any]]:
    """A row for each session that streams changes."""
    slots = {s.active_pid: s for s in asking.executor.slots.all() if s.active_pid}
    found = [row for row in activity(asking) if row["pid"] in slots]
    return [{k: v for k, v in row.items() if k in _WHO} | _sent(slots[row["pid"]]) for row in found]


def _sent(slot: Slot) -> dict[str, Any]:
    place = datum_of(slot.confirmed)
    told = datum_of(max(slot.told, slot.confirmed))
    return {
        "state": "streaming",
        "sent_lsn": told,
        "write_lsn": place,
        "flush_lsn": place,
        "replay_lsn": place,
        "sync_priority": 0,
        "sync_state": "async",
    }


__all__ = ["sender_rows", "slot_rows"]
