"""Where writers race: a gapless log per shard, kept by whatever can compare and swap.

    log:///PATH             one append-only file of our own: the embedded default
    sqlite:///PATH          one SQLite file; several servers of one machine
    postgresql://...        a table in a PostgreSQL, for several machines
    s3:// gs:// az://       an object store with conditional puts, no database at all
    memory://               this process only, nothing survives

To add a backend: a class with the methods of `storage.abc.Consensus` beside its siblings, a line in
`open_consensus`, and a line in the contract test.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

from storage.abc import Consensus, Determinate
from storage.consensus.logfile import LogFileConsensus
from storage.consensus.memory import MemoryConsensus
from storage.consensus.objectstore import ObjectStoreConsensus
from storage.consensus.sqlite import SqliteConsensus

__all__ = [
    "LogFileConsensus",
    "MemoryConsensus",
    "ObjectStoreConsensus",
    "SqliteConsensus",
    "open_consensus",
]


_FILES: dict[str, Callable[[str], Consensus]] = {"log": LogFileConsensus, "sqlite": SqliteConsensus}


async def open_consensus(url: str) -> Consensus:
    """Opens (and where needed creates) the consensus that `url` names.

    What follows the third slash of `log:///tmp/x` or `sqlite:///tmp/x` is the path, as SQLAlchemy reads it:
    three slashes relative, four absolute. Raises Determinate for a scheme that nobody knows or a
    store that cannot be reached, FormatTooNew for one that a newer Tidewire wrote.
    """
    parts = urlsplit(url)
    if parts.scheme == "memory":
        return MemoryConsensus()
    file_kind = _FILES.get(parts.scheme)
    if file_kind is not None:
        path, scheme = unquote(parts.path), parts.scheme
        if parts.netloc or not path.strip("/"):
            raise Determinate(
                f"consensus {url!r}: write {scheme}:///relative/path or {scheme}:////absolute/path"
            )
        return await asyncio.to_thread(file_kind, path[1:] if path.startswith("/") else path)
    if parts.scheme in ("postgresql", "postgres"):
        from storage.consensus.postgres import (
            PostgresConsensus,
        )  # its driver takes a tenth of a second to import

        return await PostgresConsensus.open(url)
    if parts.scheme in ("s3", "gs", "az", "abfs", "abfss"):
        return ObjectStoreConsensus(url)
    raise Determinate(f"consensus {url!r}: unknown scheme {parts.scheme!r}")
