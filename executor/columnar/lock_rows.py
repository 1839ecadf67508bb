"""pg_locks: which transactions there are, and who holds, or awaits, which advisory lock, and which table's of LOCK TABLE.

Where several servers share an environment these are the locks of all of them. Sessions are told apart by `virtualtransaction`, which
says `server/pid`; another server may have a session of the same pid. Row locks are not listed: like
PostgreSQL's they are not in shared memory, and nothing but the transactions themselves knows them. Nor are tables that are merely
used, which nobody locks, until DDL has to wait for that (`executor.session.locks.definition_locks`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from executor.session.locks import definition_locks
from executor.session.locks.advisory import RELATION
from txn.locks import party_of

if TYPE_CHECKING:
    from executor.session.session import Session

_LOW = (1 << 32) - 1


def lock_rows(asking: Session) -> list[dict[str, Any]]:
    """A row for each session that holds or awaits a lock; each transaction holds its own number's."""
    rows = _of_definitions(asking)
    said = {(row["virtualtransaction"], row["relation"], row["granted"]) for row in rows}
    for (database, first, second), server, pid, shared, granted in asking.executor.advisory.listing():
        one = second is None
        if second == RELATION and (f"{server}/{pid}", first, granted) in said:
            continue  # LOCK TABLE: there its mode is known
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
    return rows + _of_transactions(asking)


def _of_transactions(asking: Session) -> list[dict[str, Any]]:
    """The transactions of this server, each under the name of its session."""
    server = asking.executor.advisory.server
    return [
        {
            "locktype": "virtualxid",
            "virtualxid": f"{server}/{session.pid}",
            "virtualtransaction": f"{server}/{session.pid}",
            "pid": session.pid,
            "mode": "ExclusiveLock",
            "granted": True,
            "fastpath": True,
        }
        for session in asking.executor.sessions.values()
        if session is asking or session.block is not None
    ]


def _of_definitions(asking: Session) -> list[dict[str, Any]]:
    """Tables that somebody defines anew, and those that keep him waiting; of this server alone."""
    executor = asking.executor
    rows = []
    for (oid,), owner, mode, granted in executor.env.locks.listing(definition_locks.SPACE):
        session = executor.sessions.get(party_of(owner))  # type: ignore[call-overload]
        if session is not None:
            rows.append(
                {
                    "locktype": "relation",
                    "relation": oid,
                    "database": executor.catalogs.of(session.database).database_oid,
                    "virtualtransaction": f"{executor.advisory.server}/{session.pid}",
                    "pid": session.pid,
                    "mode": definition_locks.MODES[mode],
                    "granted": granted,
                    "fastpath": False,
                }
            )
    return rows
