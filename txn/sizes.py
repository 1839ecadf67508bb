"""What a shard's rows take as they are stored: parts that it has, and commits in the log that it has yet to take in.

A look at what is in memory anyway, from any thread: nothing is read, nothing waits.
"""

from __future__ import annotations

from collections.abc import Iterable

from storage.abc import Timestamp
from storage.shard.shard import Shard
from txn.log_entry import RawPart


def stored_bytes(shard: Shard | None, outstanding: Iterable[tuple[Timestamp, list[RawPart]]]) -> int:
    """`shard`: its handle, None if this process has not opened it; `outstanding` may name what it has already."""
    upper = 0 if shard is None else shard.state.upper
    own = 0 if shard is None else sum(part.size_bytes for _, part in shard.state.parts)
    return own + sum(raw_bytes(p) for ts, parts in list(outstanding) if ts >= upper for p in parts)


def raw_bytes(part: RawPart) -> int:
    return len(part[2]) if len(part) == 3 else int(part[3])
