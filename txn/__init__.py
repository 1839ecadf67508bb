"""Clocks, isolation and atomic durability: one log, one clock, and what follows from them.

A singleton **txns shard** coordinates writes to any number of **data shards**. Every change is one
append to it at one timestamp; every read is as of one timestamp of the **oracle**. Nothing else is needed for
strict serializability: order by timestamp is a serial order, and timestamps never go backwards in real time.

    executor    begin ---- read as of read_ts ---- write to the buffer ---- commit
                  |                                                           |
    txn         oracle   holds   conflicts   locks                        committer: admit, append, answer
                                                                              |
    storage                                   txns shard   <------------------+
                                                  |  apply, lazily and in large steps
                                              data shards t1 t2 t3 ...

**Benefits**

* A commit of any size, to any number of tables, DDL included, costs one append. Everybody who is ready
  when it is made shares it (group commit), so throughput grows with clients.
* The upper of *every* data shard advances with every commit, without being touched.
* General transactions: any mix of reads and writes, read-your-own-writes, savepoints.
* Large transactions stage their rows as blobs beforehand; committing them is a reference, at whatever
  timestamp it turns out to be (re-timestamping is a metadata change), and rolling back is free.
* Readers never wait for writers and are never refused. Refusals name the key and the commit.
* A crash between any two steps loses nothing that was acknowledged and leaves nothing half done.

**Restrictions**

* All writes go through one log: its appends bound the commits, though not the rows, per second.
* An environment has one leader at a time (`LeasedOracle`), or it belongs to several servers from its beginning
  (`txn.shared`), whose reads look at the log's end first. A newer leader's epoch makes an older one's appends
  fail; reads of an older one that does not append end with its lease (`lease`), which a new leader waits out. A
  data directory is locked by whoever serves it, and needs no lease.
* The conflict index and the key locks are memory: both are bounded, and say so when the bound is met.
* If it cannot be found out whether an append happened, nobody guesses: the transactions fail with CommitUnknown,
  and the environment must be opened again.

**Jargon**

    commit      the writes are in the txns shard: durable, and decided
    apply       they are copied to the data shards, in order of time; idempotent, anyone may
    tidy        what was applied is retracted from the txns shard, in the next append
    forget      a data shard leaves: no more writes, the rest applied, its registration retracted
    since/upper reads are right from since on; everything below upper is known and final
    epoch       which leader wrote an entry; the newest fences the others
    admission   the moment at which a member of a group is checked and its writes are taken
    read hold   a promise that a snapshot stays readable
    rollup      the state as one entry of the log, before which it is truncated

**Isolation levels** differ only in what is compared with commits since the snapshot, at admission:

    strict serializable    reads (as ranges) and writes; read_ts from the oracle
    serializable           the same; it may read at any timestamp that this process knows
    repeatable read        writes: the first committer wins
    read committed         each statement has a new snapshot; each write against its own statement's

**Usage** (it runs as a test)

>>> import asyncio, pyarrow as pa
>>> from txn import Environment, Isolation
>>> async def usage():
...     env = await Environment.open(blob="memory://", consensus="memory://")
...     schema = pa.schema([("key", pa.int64()), ("value", pa.string())]).serialize().to_pybytes()
...     await env.register({"t1": schema, "t2": schema})
...
...     txn = env.begin(Isolation.STRICT_SERIALIZABLE)      # interactive: reads, then writes
...     txn.reads.point("t1", 7)                            # what it reads, whatever it found
...     txn.insert("t1", 7, env.rids.next(), (7, "seven"))
...     txn.insert("t2", 7, env.rids.next(), (7, "sept"))
...     ts = await txn.commit()                             # durable, and visible to whoever begins now
...     assert env.begin().read_ts >= ts
...
...     await env.apply_le(ts)                              # for readers of the physical shards
...     table = await (await env.shard("t1")).read(as_of=ts)
...     print(table.column("value").to_pylist())
...     await env.close()
>>> asyncio.run(usage())
['seven']

Where to find it: `oracle` (time), `txns_state` (the log as a pure state machine), `log_entry` (its bytes),
`txns_shard` (the log), `group` and `committer` (group commit), `resolve` (lost answers), `transaction` with `read_set`
and `write_buffer`, `conflicts` with `written_keys` and `columns`, `locks`, `holds`, `lease`, `rids`, `apply`, `upkeep` (background), `environment` (all of it
assembled), `handle` (the log's operations one by one, for tools and tests), `shared` (all of it for several servers).
"""

from txn.abc import (
    Commit,
    CommitFailed,
    CommitUnknown,
    DeadlockDetected,
    Fenced,
    Group,
    Isolation,
    Key,
    Keyspace,
    LockNotAvailable,
    Member,
    QueueFull,
    SerializationFailure,
    ShardWrites,
    TimestampTaken,
    TransactionExpired,
    TxnError,
    Unregistered,
)
from txn.environment import Environment
from txn.limits import Limits, Statistics
from txn.locks import LockMode
from txn.transaction import Transaction

__all__ = [
    "Commit",
    "CommitFailed",
    "CommitUnknown",
    "DeadlockDetected",
    "Environment",
    "Fenced",
    "Group",
    "Isolation",
    "Key",
    "Keyspace",
    "Limits",
    "LockMode",
    "LockNotAvailable",
    "Member",
    "QueueFull",
    "SerializationFailure",
    "ShardWrites",
    "Statistics",
    "TimestampTaken",
    "Transaction",
    "TransactionExpired",
    "TxnError",
    "Unregistered",
]
