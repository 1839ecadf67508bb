"""Storage: shards on blob and consensus. Durable, definite, time-varying multisets of rows.

**The idea.** Everything durable goes through two narrow doors. A *blob* store keeps bytes under names
and never changes them; a *consensus* keeps a gapless log of small entries per shard and lets exactly
one writer win each position. Every state is a function of what went through these doors, so any
process, on any machine, at any later time, computes the same one.

    Shard        what happened to one table, and when            shard/      pure machine + I/O loop
      Batch      all that happened in [lower, upper)             parts.py    rows <-> msgpack, Parquet
        Part     some rows inserted, or deleted, at one time     rows.py     datums <-> Arrow
    Consensus    log file, sqlite, postgresql, object store      consensus/
    Blob         folder, S3, GCS, Azure, memory                  blob.py

**Jargon.** A row is named by its `rid`, unique for ever. An *update* is a row inserted or deleted at a
*timestamp*. `upper`: everything below it is known and final. `since`: reads are right from here on;
what was told apart only below it may be merged. A *snapshot* at `t` is the insertions at `<= t` less
those whose rid is among the deletions at `<= t`. To *re-timestamp* a part is to change its
description, not its bytes. A *lease* or a *hold* keeps `since`, and the blobs of old states, where a
reader needs them. *Compaction* makes few parts of many and drops the past; a *rollup* makes one log
entry of many; *garbage collection* deletes the blobs that nobody can name any more.

**What happens to a commit here**: the transactions' log decides it, its rows come as inline parts (or
staged as Parquet beforehand), `Shard.apply` copies them in, many commits in one append.

    >>> import asyncio, random, time
    >>> import pyarrow as pa
    >>> from storage.blob import open_blob
    >>> from storage.consensus import open_consensus
    >>> from storage.parts import inline_deletes, inline_inserts
    >>> from storage.shard import Shard
    >>> class WallClock:
    ...     def now_us(self): return time.time_ns() // 1000
    >>> async def example():
    ...     shard = await Shard.open(
    ...         "t1", blob=await open_blob("memory://"), consensus=await open_consensus("memory://"),
    ...         clock=WallClock(), rng=random.Random(),
    ...         schema=pa.schema([("name", pa.string()), ("born", pa.int32())]))
    ...     # At time 10 two rows come; at time 20 one of them is replaced.
    ...     await shard.append([inline_inserts([(1, ("Ada", 1815)), (2, ("Alan", 1921))], 10)], 0, 11)
    ...     await shard.append([inline_deletes([2], 20), inline_inserts([(3, ("Alan", 1912))], 20)], 11, 21)
    ...     for as_of in (10, 20):
    ...         print(as_of, (await shard.read(as_of)).select(["name", "born"]).to_pylist())
    ...     # Nobody asks for the time before 20 any more.
    ...     print("since", await shard.allow_since(20))
    >>> asyncio.run(example())
    10 [{'name': 'Ada', 'born': 1815}, {'name': 'Alan', 'born': 1921}]
    20 [{'name': 'Ada', 'born': 1815}, {'name': 'Alan', 'born': 1912}]
    since 20

**Promises.** An acknowledged append is durable. Errors say whether it happened (`Determinate`: it did
not; `Indeterminate`: ask the log); an append whose answer was lost is resolved by its idempotency
token and never done twice. Bytes that are not those that were written are `CorruptBlob`, by name.

**Restrictions.** A shard takes one append at a time: throughput comes from batching above it. Row
ids must come from a source that never repeats one. A writer must commit its staged parts within a day
(`gc.GcLimits.orphan_age_us`). Clocks of processes may differ, but by less than the grace periods.

All state machines here take their clock, randomness and I/O as arguments, so that a simulated world
can run them: see `tests/simulation/`.
"""
