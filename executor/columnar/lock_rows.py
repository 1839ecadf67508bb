"""pg_locks: who holds, and who awaits, which advisory lock, and which table's of LOCK TABLE.

Where several servers share an environment these are the locks of all of them. Sessions are told apart by `virtualtransaction`, which
says `server/pid`; another server may have a session of the same pid. Row locks are not listed: like
PostgreSQL's they are not in shared memory, and nothing but the transactions themselves knows them. Nor are tables that are merely
used, which nobody locks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from executor.session.advisory import RELATION

if TYPE_CHECKING:
    from executor.session.session import Session

_LOW = (1 << 32) - 1


def lock_rows(asking: Session) -> list[dict[str, Any]]:
    """A row for each session that holds or awaits a lock."""
    rows = []
    for (database, first, second), server, pid, shared, granted in asking.executor.advisory.listing():
        one = second is None
        what = {"locktype": "relation", "relation": first}
        if second != RELATION:
            what = {
                "locktype": "advisory",
                "classid": (first >> 32 if one else first) & _LOW,
                "objid": (first if one else second) & _LOW,
                "objsubid": 1 if one else 2,
            }
        rows.append(
            {
                **what,
                "database": asking.executor.catalogs.of(database).database_oid,
                "virtualtransaction": f"{server}/{pid}",
                "pid": pid,
                "mode": "ShareLock" if shared else "ExclusiveLock",
                "granted": granted,
                "fastpath": False,
            }
        )
    return rows
