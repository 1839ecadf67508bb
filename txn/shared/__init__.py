"""Several servers on one environment: the log is what they share, and all that they share.

    server A                     consensus                      server B
    committer --append 101-->  | 101 A | ...
                               | 101 A | 102 B |  <--append 102-- committer     (after it has read 101)
    follows   <---- 102 -----                                                   rows into images, DDL into the catalog,
    reads: where does the log end? -----> 102                                   keys into the conflict index

* **One clock.** A write's time is its place in the log; a read's is the log's end when the read began. That is strict
  serializability across servers without another service (`oracle`, `frontier`).
* **One race.** Compare-and-append decides who is next. Whoever lost reads what won, admits its group anew and tries
  again: optimistic concurrency between servers, locks and queues inside each (`committer`).
* **Everything that others need rides in the entry**: rows, catalog rows, registrations, leased blocks, written keys,
  NOTIFYs (`marks`). A server that follows the log is a server that knows (`environment`).
* **Nobody is in charge of answering.** Servers come and go; a small table says who is alive and what he still
  needs (`members`), and the one with the lowest number does the chores (`upkeep`).

* **Locks that say nothing of rows** (advisory locks) are in the log as well: asked for and lost there, so whoever has lost
  his cannot commit any more (`session_locks`, `txn.lock_table`).

Row locks are each server's own: between servers a conflict is found at commit (40001), not waited for.

To read first: `environment` (the parts in their places), then `committer`.
"""

from txn.shared.committer import LeftBehind, SharedCommitter
from txn.shared.environment import Listener, SharedEnvironment
from txn.shared.frontier import Frontier
from txn.shared.marks import Marks
from txn.shared.members import Members
from txn.shared.session_locks import LocksLost, SessionLocks

__all__ = [
    "Frontier",
    "LeftBehind",
    "Listener",
    "LocksLost",
    "Marks",
    "Members",
    "SessionLocks",
    "SharedCommitter",
    "SharedEnvironment",
]
