"""Consensus in an object store that has conditional puts (S3, GCS, Azure): no database to run.

A shard's whole log is one object, replaced only if it is still the one that was read:

    consensus/{shard}      [format, first seqno, [[token, data], ...]]        put if the etag matches

One object, and not one per entry, because a log must stay gapless while others truncate it: with
an object per entry a writer that slept through a truncation could create an entry far behind the end.
The price is that an append carries the log since the last rollup (tens of kilobytes) with it; a
put takes tens of milliseconds whatever it carries, and group commit makes it one for many.

The writer keeps the object it wrote last, so an uncontended append is a single put.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import quote, unquote

import msgpack
import obstore
from obstore import exceptions as obx
from obstore import store as obstores

from storage.abc import (
    CorruptBlob,
    Determinate,
    FormatTooNew,
    Indeterminate,
    LogEntry,
    SeqnoMismatch,
    ShardId,
)
from storage.causes import told

FORMAT_VERSION = 1

_PREFIX = "consensus/"
_ATTEMPTS_MAX = 16
_MISSING = (FileNotFoundError, obx.NotFoundError)
_BEATEN = (obx.PreconditionError, obx.AlreadyExistsError)
_REFUSED = (PermissionError, obx.PermissionDeniedError, obx.UnauthenticatedError, obx.NotSupportedError)


@dataclass(frozen=True, slots=True)
class _Log:
    """A version of the object: `version` is None for one that is not there."""

    version: Any
    first: int
    entries: tuple[tuple[bytes, bytes], ...]  # (token, data)

    @property
    def last(self) -> int:
        return self.first + len(self.entries) - 1

    def token(self, seqno: int) -> bytes | None:
        i = seqno - self.first
        return self.entries[i][0] if 0 <= i < len(self.entries) else None


class ObjectStoreConsensus:
    """See `storage.abc.Consensus`. `store` is an obstore store with conditional puts."""

    synchronous = False

    def __init__(self, url: str, store: Any = None) -> None:
        try:
            self._store = store or obstores.from_url(url)
        except (obx.BaseError, ValueError) as e:
            raise Determinate(f"consensus {url!r}: {told(e)}") from e
        self._known: dict[ShardId, _Log] = {}

    async def compare_and_append(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        log = self._known.get(shard)
        if log is None or log.last != expected_seqno:
            log = await self._read(shard)
        for _ in range(_ATTEMPTS_MAX):
            if log.last != expected_seqno:
                if log.token(expected_seqno + 1) == token:
                    return expected_seqno + 1
                raise SeqnoMismatch(shard, expected_seqno, log.last)
            if await self._replace(shard, log, log.first, (*log.entries, (bytes(token), bytes(data)))):
                return expected_seqno + 1
            log = await self._read(shard)
        raise Determinate(f"consensus: shard {shard} is truncated faster than it is appended to")

    def append_now(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        raise AssertionError("a remote consensus is not to be waited for on the loop")

    async def head(self, shard: ShardId) -> LogEntry | None:
        log = await self._read(shard)
        return LogEntry(log.last, log.entries[-1][1]) if log.entries else None

    async def scan(self, shard: ShardId, from_seqno: int, limit: int = 10_000) -> list[LogEntry]:
        log = await self._read(shard)
        start = max(from_seqno - log.first, 0)
        return [
            LogEntry(log.first + start + i, data)
            for i, (_, data) in enumerate(log.entries[start : start + limit])
        ]

    async def truncate(self, shard: ShardId, below_seqno: int) -> int:
        for _ in range(_ATTEMPTS_MAX):
            log = await self._read(shard)
            count = min(below_seqno, log.last) - log.first
            if count <= 0:
                return 0
            if await self._replace(shard, log, log.first + count, log.entries[count:]):
                return count
        return 0  # busy: whoever rolls up next truncates

    async def shards(self) -> list[ShardId]:
        names = []
        try:
            async for chunk in obstore.list(self._store, _PREFIX):
                names += [_shard(str(meta["path"])) for meta in chunk]
        except obx.BaseError as e:
            self._fail("", e)
        return sorted(names)

    async def delete(self, shard: ShardId) -> None:
        self._known.pop(shard, None)
        try:
            await obstore.delete_async(self._store, _key(shard))
        except _MISSING:
            return
        except obx.BaseError as e:
            self._fail(shard, e)

    async def close(self) -> None:
        self._known.clear()

    async def _read(self, shard: ShardId) -> _Log:
        try:
            result = await obstore.get_async(self._store, _key(shard))
            version = _version(result.meta)
            body = bytes(await result.bytes_async())
        except _MISSING:
            self._known.pop(shard, None)
            return _Log(None, 1, ())
        except obx.BaseError as e:
            self._fail(shard, e)
        try:
            fields = msgpack.unpackb(body)
            if fields[0] > FORMAT_VERSION:
                raise FormatTooNew(f"log of shard {shard} has format {fields[0]}, this is {FORMAT_VERSION}")
            _, first, entries = fields
            log = _Log(version, first, tuple([(t, d) for t, d in entries]))
        except (msgpack.exceptions.UnpackException, ValueError, TypeError, IndexError) as e:
            raise CorruptBlob(_key(shard), str(e)) from e
        self._known[shard] = log
        return log

    async def _replace(
        self, shard: ShardId, log: _Log, first: int, entries: tuple[tuple[bytes, bytes], ...]
    ) -> bool:
        """False: somebody else replaced it first."""
        body = msgpack.packb([FORMAT_VERSION, first, entries])
        self._known.pop(shard, None)  # until we know how this ended
        try:
            result = await obstore.put_async(
                self._store, _key(shard), body, mode="create" if log.version is None else log.version
            )
        except _BEATEN:
            return False
        except _MISSING:  # deleted meanwhile
            return False
        except obx.BaseError as e:
            self._fail(shard, e)
        self._known[shard] = _Log(_version(result), first, entries)
        return True

    @staticmethod
    def _fail(shard: ShardId, e: Exception) -> NoReturn:
        text = f"consensus: shard {shard}: {told(e)}"
        if isinstance(e, _REFUSED):
            raise Determinate(text) from e
        raise Indeterminate(text) from e


def _version(meta: Any) -> dict[str, str]:
    return {name: meta[name] for name in ("e_tag", "version") if meta.get(name) is not None}


def _key(shard: ShardId) -> str:
    """A shard's name as one path segment of letters that every store takes as they are."""
    return _PREFIX + quote(shard.replace("=", "\0"), safe="").replace("%", "=")


def _shard(key: str) -> ShardId:
    return unquote(key.removeprefix(_PREFIX).replace("=", "%")).replace("\0", "=")
