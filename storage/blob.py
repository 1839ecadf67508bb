"""Blobs: immutable bytes under names, on whatever obstore reaches.

    file:///path      a local folder     puts are ours: temporary file, fsync, rename, fsync folder
    memory://         a dict             nothing survives; the same faults as `consensus.memory`
    s3:// gs:// az:// object stores      atomic by nature; bounded retries with backoff

obstore's local store renames into place but does not sync, so an acknowledged part could be empty
after a power cut; that is why local puts do not go through it. Reading, listing and deleting do.

**Errors.** A put that failed may still arrive (a request whose answer was lost), so remote failures
of unknown outcome are Indeterminate. That is harmless: names are never used twice, and a blob that no
state names is an orphan that garbage collection finds. A blob that is absent when somebody holds a
reference to it is corrupt, for whoever asks.
"""

from __future__ import annotations

import asyncio
import errno
import os
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar
from urllib.parse import unquote, urlsplit

import obstore
from obstore import exceptions as obx
from obstore import store as obstores

from storage import failpoints
from storage.abc import Blob, BlobInfo, Clock, CorruptBlob, Determinate, Indeterminate, StorageFull
from storage.causes import told
from storage.consensus.memory import Faults

_STAGING = ".staging"
_STAGED_AGE_S_MAX = 3600.0
"""Temporary files older than this were left by a crash and are swept when the folder is opened."""

_ATTEMPTS_MAX = 6
_BACKOFF_FIRST_S = 0.05
_BACKOFF_MAX_S = 2.0

_T = TypeVar("_T")

_FULL = (errno.ENOSPC, errno.EDQUOT)


class MemoryBlob:
    """Blobs in a dict, deterministic, with a plan of faults for simulation."""

    url = "memory://"

    def __init__(self, faults: Faults | None = None, clock: Clock | None = None) -> None:
        self.faults = faults
        self.clock = clock
        self.blobs: dict[str, tuple[bytes, int]] = {}

    async def get(self, key: str) -> bytes:
        if self.faults is not None:
            await self.faults.before("get", key)
        found = self.blobs.get(key)
        if self.faults is not None:
            await self.faults.after("get", key)
        if found is None:
            raise CorruptBlob(key, "it is absent")
        return found[0]

    async def put(self, key: str, data: bytes) -> None:
        if self.faults is not None:
            await self.faults.before("put", key)
        self.blobs[key] = (bytes(data), 0 if self.clock is None else self.clock.now_us())
        if self.faults is not None:
            await self.faults.after("put", key)

    async def settle(self, key: str) -> None:
        """Memory is as durable as it gets."""

    async def delete(self, key: str) -> None:
        if self.faults is not None:
            await self.faults.before("delete", key)
        self.blobs.pop(key, None)
        if self.faults is not None:
            await self.faults.after("delete", key)

    async def list(self, prefix: str) -> AsyncIterator[BlobInfo]:
        if self.faults is not None:
            await self.faults.before("list", prefix)
        for key in sorted(self.blobs):
            if key.startswith(prefix) and key in self.blobs:
                data, modified_us = self.blobs[key]
                yield BlobInfo(key, len(data), modified_us)


class LocalBlob:
    """Blobs as files below one folder. An answered `put` survives a power cut as far as fsync goes."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).resolve()  # `../data` too: no key may have dots
        self.url = self.root.as_uri()
        self._sequence = 0
        self._synced: set[Path] = set()
        try:
            self._make_folder(self.root)
            self._make_folder(self.root / _STAGING)
            self._sweep()
            self._store = obstores.LocalStore(str(self.root))
        except OSError as e:
            self._fail(e, str(self.root))

    def path(self, key: str) -> Path:
        """Where the blob's file is, for whoever can use a file better than bytes."""
        path = self.root / key
        if ".." in path.parts or not path.is_relative_to(self.root) or key.startswith((_STAGING, "/")):
            raise Determinate(f"{key!r} cannot name a blob")
        return path

    async def get(self, key: str) -> bytes:
        path = self.path(key)
        try:
            return await asyncio.to_thread(path.read_bytes)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise CorruptBlob(key, "it is absent") from None
        except OSError as e:
            if e.errno == errno.EIO:
                raise CorruptBlob(key, f"the disk cannot read it: {e}") from e
            self._fail(e, key)

    async def put(self, key: str, data: bytes) -> None:
        await asyncio.to_thread(self._put, key, data)

    def _put(self, key: str, data: bytes) -> None:
        path = self.path(key)
        failpoints.point("blob.put.before")
        self._sequence += 1
        staged = self.root / _STAGING / f"{os.getpid()}-{self._sequence}-{time.time_ns()}"
        try:
            self._make_folder(path.parent)
            with open(staged, "xb", buffering=0) as f:
                view = memoryview(data)
                while view:
                    view = view[f.write(view) :]
                os.fsync(f.fileno())
            failpoints.point("blob.put.unnamed")
            os.replace(staged, path)
            _sync_folder(path.parent)
            failpoints.point("blob.put.after")
        except OSError as e:
            staged.unlink(missing_ok=True)
            self._fail(e, key)

    async def settle(self, key: str) -> None:
        try:
            await asyncio.to_thread(self._settle, self.path(key))
        except FileNotFoundError:
            raise CorruptBlob(key, "it is absent") from None
        except OSError as e:
            self._fail(e, key)

    def _settle(self, path: Path) -> None:
        with open(path, "rb") as f:
            os.fsync(f.fileno())
        folder = path.parent
        while True:  # whoever wrote it made the folders too, and synced none of them
            _sync_folder(folder)
            if folder == self.root:
                return
            folder = folder.parent

    async def delete(self, key: str) -> None:
        path = self.path(key)
        failpoints.point("blob.delete.before")
        try:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            failpoints.point("blob.delete.after")
        except OSError as e:
            self._fail(e, key)

    async def list(self, prefix: str) -> AsyncIterator[BlobInfo]:
        # obstore's prefixes are whole path segments; names are compared here.
        folder = prefix.rpartition("/")[0]
        async for info in _list(self._store, folder or None):
            if info.key.startswith(prefix) and not info.key.startswith(_STAGING):
                yield info

    def _make_folder(self, folder: Path) -> None:
        """Makes it durable too: each new folder's name is synced into its parent."""
        if folder in self._synced:
            return
        if not folder.exists():
            self._make_folder(folder.parent)
            folder.mkdir(exist_ok=True)
            _sync_folder(folder.parent)
        if len(self._synced) < 100_000:
            self._synced.add(folder)

    def _sweep(self) -> None:
        oldest = time.time() - _STAGED_AGE_S_MAX
        for entry in os.scandir(self.root / _STAGING):
            if entry.stat().st_mtime < oldest:
                os.unlink(entry.path)

    def _fail(self, e: OSError, key: str) -> NoReturn:
        if e.errno in _FULL:
            raise StorageFull(f"blob {key!r}: {e}") from e
        raise Determinate(f"blob {key!r}: {e}") from e


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


class RemoteBlob:
    """Blobs in an object store that obstore knows. Retries what may pass, a bounded number of times."""

    def __init__(self, url: str, rng: random.Random, *, store: Any = None, **options: Any) -> None:
        self.url = url
        self._rng = rng
        try:
            # One place retries: here, where the outcome is known to be told exactly.
            self._store = store or obstores.from_url(url, retry_config={"max_retries": 0}, **options)
        except (obx.BaseError, ValueError) as e:
            raise Determinate(f"blob store {url!r}: {told(e)}") from e

    async def get(self, key: str) -> bytes:
        async def work() -> bytes:
            result = await obstore.get_async(self._store, key)
            return bytes(await result.bytes_async())

        return await self._retry(key, work)

    async def put(self, key: str, data: bytes) -> None:
        await self._retry(key, lambda: obstore.put_async(self._store, key, data))

    async def settle(self, key: str) -> None:
        """Object stores answer when it is safe."""

    async def delete(self, key: str) -> None:
        async def work() -> None:
            try:
                await obstore.delete_async(self._store, key)
            except (FileNotFoundError, obx.NotFoundError):
                return  # a former attempt deleted it, or it never was

        await self._retry(key, work)

    async def list(self, prefix: str) -> AsyncIterator[BlobInfo]:
        folder = prefix.rpartition("/")[0]
        try:
            async for info in _list(self._store, folder or None):
                if info.key.startswith(prefix):
                    yield info
        except obx.BaseError as e:
            raise Indeterminate(f"listing {prefix!r}: {told(e)}") from e

    async def _retry(self, key: str, work: Callable[[], Awaitable[_T]]) -> _T:
        delay_s = _BACKOFF_FIRST_S
        for attempt in range(1, _ATTEMPTS_MAX + 1):
            try:
                return await work()
            except (FileNotFoundError, obx.NotFoundError):
                raise CorruptBlob(key, "it is absent") from None
            except _HOPELESS as e:
                raise Determinate(f"blob {key!r}: {told(e)}") from e
            except (obx.BaseError, OSError) as e:
                if attempt == _ATTEMPTS_MAX:
                    raise Indeterminate(f"blob {key!r}: {told(e)} (tried {attempt} times)") from e
            await asyncio.sleep(delay_s * (0.5 + self._rng.random()))
            delay_s = min(delay_s * 2, _BACKOFF_MAX_S)
        raise AssertionError("unreachable: the last attempt returns or raises")


_HOPELESS = (
    PermissionError,
    obx.PermissionDeniedError,
    obx.UnauthenticatedError,
    obx.NotSupportedError,
    obx.InvalidPathError,
    obx.UnknownConfigurationKeyError,
)


async def _list(store: Any, folder: str | None) -> AsyncIterator[BlobInfo]:
    async for chunk in obstore.list(store, folder):
        for meta in chunk:
            yield BlobInfo(
                str(meta["path"]), int(meta["size"]), int(meta["last_modified"].timestamp() * 1_000_000)
            )


async def open_blob(url: str, rng: random.Random | None = None, clock: Clock | None = None) -> Blob:
    """Opens the blob store that `url` names (`file:///dir`, `memory://`, `s3://bucket/prefix`, ...).

    Credentials and endpoints of object stores come from the environment, as their own tools read them.
    Raises Determinate for what cannot be opened.
    """
    parts = urlsplit(url)
    if parts.scheme == "memory":
        return MemoryBlob(clock=clock)
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise Determinate(f"blob store {url!r}: write file:///absolute/path")
        return await asyncio.to_thread(LocalBlob, unquote(parts.path))
    return RemoteBlob(url, rng or random.Random())
