"""The contract of `storage.abc.Blob`, and what each store owes beyond it."""

from __future__ import annotations

import asyncio
import errno
import os
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from obstore import exceptions as obx
from obstore import store as obstores

from storage import blob as blobs
from storage.abc import Blob, CorruptBlob, Determinate, Indeterminate, StorageFull
from storage.blob import LocalBlob, MemoryBlob, RemoteBlob, open_blob

Body = Callable[[Blob], Awaitable[None]]


@pytest.fixture(params=["memory", "file", "remote"])
def with_blob(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Body], None]:
    def run(body: Body) -> None:
        async def main() -> None:
            if request.param == "remote":
                # obstore's own in-memory store, behind everything that stands before S3.
                await body(RemoteBlob("s3://none", random.Random(1), store=obstores.MemoryStore()))
            else:
                await body(await open_blob("memory://" if request.param == "memory" else tmp_path.as_uri()))

        asyncio.run(main())

    return run


def test_what_was_put_is_got_listed_and_deleted(with_blob: Callable[[Body], None]) -> None:
    async def body(blob: Blob) -> None:
        data = os.urandom(100_000)
        await blob.put("t1/w/a.parquet", data)
        await blob.put("t1/w/b.parquet", b"")
        await blob.put("t10/w/c.parquet", b"x")
        assert await blob.get("t1/w/a.parquet") == data
        assert await blob.get("t1/w/b.parquet") == b""
        found = {b.key: b.size_bytes async for b in blob.list("t1/")}
        assert found == {"t1/w/a.parquet": 100_000, "t1/w/b.parquet": 0}
        assert [b.key async for b in blob.list("t1/w/b")] == ["t1/w/b.parquet"]
        assert len([b async for b in blob.list("")]) == 3
        await blob.delete("t1/w/a.parquet")
        await blob.delete("t1/w/a.parquet")
        assert [b.key async for b in blob.list("t1/")] == ["t1/w/b.parquet"]
        assert [b.key async for b in blob.list("nothing/")] == []

    with_blob(body)


def test_an_absent_blob_is_corrupt_and_named(with_blob: Callable[[Body], None]) -> None:
    async def body(blob: Blob) -> None:
        with pytest.raises(CorruptBlob) as e:
            await blob.get("t1/w/gone.parquet")
        assert e.value.key == "t1/w/gone.parquet"

    with_blob(body)


def test_many_at_once(with_blob: Callable[[Body], None]) -> None:
    async def body(blob: Blob) -> None:
        await asyncio.gather(*(blob.put(f"s/{i % 5}/{i}", b"%d" % i) for i in range(50)))
        assert await asyncio.gather(*(blob.get(f"s/{i % 5}/{i}") for i in range(50))) == [
            b"%d" % i for i in range(50)
        ]

    with_blob(body)


# --- files -------------------------------------------------------------------------------------


def test_a_put_syncs_the_file_before_its_name_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Power may go at any moment: the name must never point to bytes that are not there."""
    events: list[str] = []
    fsync, replace, mkdir = os.fsync, os.replace, Path.mkdir

    def note_fsync(fd: int) -> None:
        name = os.readlink(f"/proc/self/fd/{fd}")
        events.append("sync folder " + Path(name).name if os.path.isdir(name) else "sync file")
        fsync(fd)

    def note_replace(a: Any, b: Any) -> None:
        events.append("rename")
        replace(a, b)

    def note_mkdir(self: Path, *args: Any, **kwargs: Any) -> None:
        events.append(f"make {self.name}")
        mkdir(self, *args, **kwargs)

    blob = LocalBlob(tmp_path / "root")
    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "replace", note_replace)
    monkeypatch.setattr(Path, "mkdir", note_mkdir)
    asyncio.run(blob.put("t1/w/a", b"data"))
    assert events == [
        *("make t1", "sync folder root", "make w", "sync folder t1"),
        *("sync file", "rename", "sync folder w"),
    ]
    events.clear()
    asyncio.run(blob.put("t1/w/b", b"data"))
    assert events == ["sync file", "rename", "sync folder w"]


@pytest.mark.parametrize(
    ("code", "error"),
    [(errno.ENOSPC, StorageFull), (errno.EDQUOT, StorageFull), (errno.EIO, Determinate)],
)
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_put_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int, error: type[Exception]
) -> None:
    blob = LocalBlob(tmp_path)
    asyncio.run(blob.put("t1/w/first", b"data"))

    def fail(*args: Any) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(error, match="t1/w/x") as e:
            asyncio.run(blob.put("t1/w/x", b"data"))
        assert type(e.value) is error
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_file()) == ["first"]
    asyncio.run(blob.put("t1/w/x", b"data"))
    assert asyncio.run(blob.get("t1/w/x")) == b"data"


def test_temporary_files_of_the_dead_are_swept(tmp_path: Path) -> None:
    LocalBlob(tmp_path)
    old, young = tmp_path / ".staging" / "1-1-1", tmp_path / ".staging" / "1-1-2"
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    blob = LocalBlob(tmp_path)
    assert not old.exists() and young.exists()

    async def listed() -> list[str]:
        return [b.key async for b in blob.list("")]

    assert asyncio.run(listed()) == []


@pytest.mark.parametrize("key", ["../x", "a/../../x", "/etc/passwd", ".staging/x"])
def test_a_key_cannot_leave_the_folder(tmp_path: Path, key: str) -> None:
    with pytest.raises(Determinate):
        asyncio.run(LocalBlob(tmp_path / "root").put(key, b"x"))


def test_a_folder_may_be_named_by_way_of_another(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    blob = LocalBlob(tmp_path / "here" / ".." / "there")
    asyncio.run(blob.put("a/b", b"1"))
    assert (tmp_path / "there" / "a" / "b").read_bytes() == b"1"
    assert blob.path("a/b") == tmp_path / "there" / "a" / "b"


@pytest.mark.parametrize("url", ["file://host/x", "nonsense://x", "file:///proc/nowhere"])
def test_urls_that_name_no_store(url: str) -> None:
    with pytest.raises(Determinate) as refused:
        asyncio.run(open_blob(url))
    assert "Debug source" not in str(refused.value), "a structure of obstore's says nothing to anybody"


# --- object stores -----------------------------------------------------------------------------


class Flaky:
    """An obstore call that fails so many times before it works."""

    def __init__(self, call: Any, failures: int, error: Exception) -> None:
        self.call, self.failures, self.error, self.calls = call, failures, error, 0

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        if self.calls <= self.failures:
            raise self.error
        return await self.call(*args, **kwargs)


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waits: list[float] = []

    async def sleep(s: float) -> None:
        waits.append(s)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return waits


def remote() -> RemoteBlob:
    return RemoteBlob("s3://none", random.Random(1), store=obstores.MemoryStore())


def test_what_may_pass_is_tried_again_with_growing_pauses(
    monkeypatch: pytest.MonkeyPatch, no_waiting: list[float]
) -> None:
    flaky = Flaky(blobs.obstore.put_async, 3, obx.GenericError("503 slow down"))
    monkeypatch.setattr(blobs.obstore, "put_async", flaky)
    blob = remote()
    asyncio.run(blob.put("k", b"v"))
    assert asyncio.run(blob.get("k")) == b"v"
    assert flaky.calls == 4
    assert len(no_waiting) == 3 and no_waiting[2] > no_waiting[0]


def test_in_the_end_the_outcome_is_unknown(monkeypatch: pytest.MonkeyPatch, no_waiting: list[float]) -> None:
    flaky = Flaky(
        blobs.obstore.put_async, 1_000, obx.GenericError("connection reset\n\nDebug source:\nGeneric {}")
    )
    monkeypatch.setattr(blobs.obstore, "put_async", flaky)
    with pytest.raises(Indeterminate, match=r"connection reset \(tried"):
        asyncio.run(remote().put("k", b"v"))
    assert flaky.calls == blobs._ATTEMPTS_MAX


def test_what_cannot_pass_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch, no_waiting: list[float]
) -> None:
    flaky = Flaky(blobs.obstore.put_async, 1_000, obx.PermissionDeniedError("403"))
    monkeypatch.setattr(blobs.obstore, "put_async", flaky)
    with pytest.raises(Determinate):
        asyncio.run(remote().put("k", b"v"))
    assert flaky.calls == 1 and no_waiting == []


def test_memory_blobs_are_copies() -> None:
    async def main() -> None:
        blob = MemoryBlob()
        data = bytearray(b"abc")
        await blob.put("k", data)  # type: ignore[arg-type]
        data[0] = 0
        assert await blob.get("k") == b"abc"

    asyncio.run(main())
