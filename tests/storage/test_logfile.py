"""The log file: torn ends, damage, replacement, crashes between its steps, a disk that says no."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import random
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from storage.abc import (
    Busy,
    Consensus,
    CorruptBlob,
    Determinate,
    FormatTooNew,
    Indeterminate,
    LogEntry,
    SeqnoMismatch,
    StorageFull,
)
from storage.consensus import LogFileConsensus, MemoryConsensus, log_store
from storage.consensus import log_records as records

SMALL = {"step_bytes": 4096, "garbage_max_bytes": 2000}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "consensus.log"


def opened(file: Path) -> LogFileConsensus:
    return LogFileConsensus(file, busy_timeout_s=0.05, **SMALL)  # type: ignore[arg-type]


def entries(file: Path, shard: str = "s") -> list[LogEntry]:
    """As whoever opens the file next finds them."""

    async def read() -> list[LogEntry]:
        c = opened(file)
        found = await c.scan(shard, 1)
        await c.close()
        return found

    return asyncio.run(read())


def filled(file: Path, count: int, size_bytes: int = 50) -> list[int]:
    """`count` entries of shard s by a process that was killed; where each ends in the file."""
    c = opened(file)
    ends = []
    for i in range(count):
        c.append_now("s", i, bytes([i + 1]) * size_bytes, b"token %d" % i)
        ends.append(c._file._end)
    c._file.close()
    return ends


# --- the end of the file -----------------------------------------------------------------------------


@pytest.mark.parametrize("size_bytes", [0, 3, 50])
def test_a_record_torn_at_any_byte_is_no_record(file: Path, size_bytes: int) -> None:
    *_, before, end = filled(file, 3, size_bytes)
    whole = file.read_bytes()
    last = max(i for i in range(end) if whole[i]) + 1  # behind it is padding
    for cut in range(before, last):
        for rest in (b"\0", b"\xff"):
            file.write_bytes(whole[:cut] + rest * (end - cut) + whole[end:])
            assert [e.seqno for e in entries(file)] == [1, 2], (cut, rest)
    # What is written next is whole, whatever was left of the torn one.
    c = opened(file)
    assert c.append_now("s", 2, b"!", b"again") == 3
    asyncio.run(c.close())
    assert entries(file)[-1] == LogEntry(3, b"!")


def test_a_file_that_was_not_lengthened_is_read_to_its_end(file: Path) -> None:
    ends = filled(file, 3)
    file.write_bytes(file.read_bytes()[: ends[-1]])
    assert len(entries(file)) == 3
    file.write_bytes(file.read_bytes()[: ends[-1] - 5])
    assert len(entries(file)) == 2


@pytest.mark.parametrize("place", [0, 4, 9, 17, 25, 40, 70])
@pytest.mark.parametrize("which", [0, 1])
def test_damage_before_the_end_is_no_torn_record(file: Path, which: int, place: int) -> None:
    """It was acknowledged once: to go on without it would be to lose it in silence."""
    ends = filled(file, 3)
    data = bytearray(file.read_bytes())
    data[([records.HEADER_BYTES, *ends])[which] + place] ^= 4
    file.write_bytes(data)
    with pytest.raises(CorruptBlob, match=r"consensus\.log"):
        opened(file)
    assert file.read_bytes() == data, "nothing was cut off"


def test_after_a_peaceful_end_the_last_record_is_no_torn_one_either(file: Path) -> None:
    filled(file, 2)
    c = opened(file)
    c.append_now("s", 2, b"the last one", b"t")
    asyncio.run(c.close())
    file.write_bytes(file.read_bytes().replace(b"the last one", b"the lost one"))
    with pytest.raises(CorruptBlob):
        opened(file)


def test_damage_under_an_open_handle_is_found_when_it_is_read(file: Path) -> None:
    async def main() -> None:
        c = opened(file)
        c.append_now("s", 0, b"first", b"a")
        c.append_now("s", 1, b"second", b"b")
        data = file.read_bytes()
        with open(file, "r+b") as out:
            out.seek(data.index(b"first"))
            out.write(b"worst")
        with pytest.raises(CorruptBlob):
            await c.scan("s", 1)
        await c.close()

    asyncio.run(main())


def test_what_a_torn_record_has_left_is_not_read_behind_the_next(file: Path) -> None:
    """The data of the torn one are a record for the very place where they lie, but for the salt that nobody knows."""
    c = opened(file)
    c.append_now("s", 0, b"1", b"a")
    inner_at = c._file._end + 2 * records.HEAD_BYTES
    inner = records.encode(0, records.APPEND, "s", 3, b"x", b"forged", inner_at)
    c.append_now("s", 1, b"\0" * 31 + inner * 2, b"b")
    c._file.close()
    data = bytearray(file.read_bytes())
    data[inner_at - records.HEAD_BYTES - 8] ^= 1
    file.write_bytes(data)
    c = opened(file)
    assert c.append_now("s", 1, b"2", b"c") == 2
    asyncio.run(c.close())
    assert entries(file) == [LogEntry(1, b"1"), LogEntry(2, b"2")]


def test_a_writer_that_died_in_mid_record_is_noticed_by_who_was_there_already(file: Path) -> None:
    one, two = opened(file), opened(file)
    one.append_now("s", 0, b"1", b"a")
    torn = records.encode(one._file._seed, records.APPEND, "s", 2, b"b", b"2" * 100, one._file._end)
    os.pwrite(one._file._fd, torn[:-20], one._file._end)
    assert two.append_now("s", 1, b"two", b"c") == 2
    with pytest.raises(SeqnoMismatch):
        one.append_now("s", 1, b"x", b"d")
    assert one.append_now("s", 2, b"three", b"e") == 3
    for c in (one, two):
        asyncio.run(c.close())
    assert [e.data for e in entries(file)] == [b"1", b"two", b"three"]


@pytest.mark.parametrize("size_bytes", [10, 5_000, 100_000])
def test_what_a_dead_writer_left_to_the_disk_is_made_durable_with_the_next_record(
    file: Path, size_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut after two appends, the first by a process that died before the disk had it: both or neither."""
    one, two = opened(file), opened(file)
    one.append_now("s", 0, b"1", b"a")
    two.append_now("s", 1, b"2", b"b")
    durable = bytearray(file.read_bytes())
    end = two._file._end
    dead = records.encode(one._file._seed, records.APPEND, "s", 3, b"c", b"3" * size_bytes, end)
    with open(file, "r+b") as behind_its_back:
        behind_its_back.seek(end)
        behind_its_back.write(dead)

    def disk_has(start: int, data: bytes) -> None:
        durable.extend(bytes(max(0, start + len(data) - len(durable))))
        durable[start : start + len(data)] = data

    written, synced = os.pwrite, os.fsync

    def pwrite(fd: int, data: bytes, offset: int) -> int:
        disk_has(offset, data)  # O_DSYNC: this stretch, and no other
        return written(fd, data, offset)

    def fsync(fd: int) -> None:
        disk_has(0, file.read_bytes())
        synced(fd)

    monkeypatch.setattr(os, "pwrite", pwrite)
    monkeypatch.setattr(os, "fsync", fsync)
    assert two.append_now("s", 3, b"4", b"d") == 4
    monkeypatch.undo()
    for c in (one, two):
        c._file.close()
    file.write_bytes(durable)
    assert [e.data for e in entries(file)] == [b"1", b"2", b"3" * size_bytes, b"4"]


# --- other files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"short", b"SQLite format 3\0" * 20, bytes(5000)])
def test_a_file_of_somebody_else_is_left_alone(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(Determinate, match="not a log"):
        opened(file)
    assert file.read_bytes() == content


def test_a_newer_format_is_left_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as newer:
        newer.setattr(records, "FORMAT_VERSION", 2)
        filled(file, 1)
    with pytest.raises(FormatTooNew):
        opened(file)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Determinate):
        opened(tmp_path / "no" / "folder" / "consensus.log")


def test_a_file_that_goes_away_says_so_at_the_next_look_at_its_name(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_store, "NAME_CHECK_S", 0.0)
    c = opened(file)
    c.append_now("s", 0, b"1", b"a")
    file.unlink()
    with pytest.raises(Determinate):
        c.append_now("s", 1, b"2", b"b")
    asyncio.run(c.close())


# --- locks -------------------------------------------------------------------------------------------


def test_a_process_that_does_not_let_go_is_waited_for_so_long(file: Path) -> None:
    async def main() -> None:
        c = opened(file)
        c.append_now("s", 0, b"1", b"a")
        with open(f"{file}.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(Busy):
                c.append_now("s", 1, b"2", b"b")
            with pytest.raises(Busy):
                await c.head("s")
        assert c.append_now("s", 1, b"2", b"b") == 2
        await c.close()
        with pytest.raises(Determinate):
            c.append_now("s", 2, b"3", b"c")
        with pytest.raises(Determinate):
            await c.scan("s", 1)
        await c.close()

    asyncio.run(main())


# --- replacement -------------------------------------------------------------------------------------


def test_a_replaced_file_is_noticed_by_everybody(file: Path) -> None:
    async def main() -> None:
        one, two = opened(file), opened(file)
        for i in range(40):
            (one, two)[i % 2].append_now("s", i, b"x" * 100, b"%d" % i)
        one.append_now("t", 0, b"other", b"a")
        size = file.stat().st_size
        assert await one.truncate("s", 39) == 38
        assert file.stat().st_size < size
        assert two.append_now("s", 40, b"after", b"b") == 41
        assert [e.seqno for e in await one.scan("s", 1)] == [39, 40, 41]
        assert await two.head("t") == LogEntry(1, b"other")
        await one.delete("t")
        assert await two.shards() == ["s"]
        for c in (one, two):
            await c.close()

    asyncio.run(main())
    assert [e.seqno for e in entries(file)] == [39, 40, 41]


def test_nobody_looks_at_the_name_as_long_as_there_is_nothing_new(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_store, "NAME_CHECK_S", 1e9)
    looks: list[object] = []
    stat = os.stat

    def counted(path: Any, **more: Any) -> os.stat_result:
        looks.append(path)
        return stat(path, **more)

    async def main() -> None:
        one, two = opened(file), opened(file)
        one.append_now("s", 0, b"1", b"t")
        monkeypatch.setattr(os, "stat", counted)
        for i in range(1, 6):
            one.append_now("s", i, b"1", b"t%d" % i)
        assert not looks
        two.append_now("s", 6, b"1", b"u")
        assert len(looks) == 1, "there was something new"
        assert await one.truncate("s", 6) == 5
        two.append_now("s", 7, b"1", b"v")
        monkeypatch.setattr(os, "stat", stat)
        for c in (one, two):
            await c.close()

    asyncio.run(main())
    assert [e.seqno for e in entries(file)] == [6, 7, 8]


@pytest.mark.parametrize("small", [True, False])
def test_a_copy_that_takes_the_name_is_seen_by_who_had_read_everything(file: Path, small: bool) -> None:
    """Nothing follows the last record of the old file, not even zeros."""

    async def main() -> None:
        one, two = opened(file), opened(file)
        one.append_now("s", 0, b"x" * (10 if small else 10_000), b"t")
        assert (await two.scan("s", 1))[0].seqno == 1
        one._file.acquire(1.0)
        one._file._replace()
        one._file.release()
        assert two.append_now("s", 1, b"2", b"u") == 2
        assert one.append_now("s", 2, b"3", b"v") == 3
        for c in (one, two):
            await c.close()

    asyncio.run(main())
    assert [e.seqno for e in entries(file)] == [1, 2, 3]


_WRITER = """
import asyncio, os, sys
from storage.consensus import LogFileConsensus

async def main():
    c = LogFileConsensus(sys.argv[1], step_bytes=4096, garbage_max_bytes=2000)
    head = await c.head("s")
    seqno = 0 if head is None else head.seqno
    while True:
        for _ in range(15):
            seqno = c.append_now("s", seqno, b"%d" % (seqno + 1) * 20, b"%d" % seqno)
            os.write(1, b"%d\\n" % seqno)
        await c.truncate("s", seqno - 2)

asyncio.run(main())
"""


@pytest.mark.parametrize("when", ["before", "unnamed", "after"])
def test_killed_while_the_file_is_replaced(file: Path, when: str) -> None:
    """Nothing that was acknowledged is lost, and the next one goes on from there."""
    for times in (1, 2, 4):  # 1: when there is nothing yet
        killed = subprocess.run(
            [sys.executable, "-c", _WRITER, str(file)],
            check=False,
            capture_output=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | {"TIDEWIRE_FAIL_AT": f"logfile.replace.{when}:{times}"},
            timeout=240,
        )
        assert killed.returncode == -9, killed.stderr.decode()
        acknowledged = [int(line) for line in killed.stdout.split()]
        found = entries(file)
        if acknowledged:
            assert found[-1].seqno == acknowledged[-1]
        assert [e.seqno for e in found] == list(range(found[0].seqno, found[-1].seqno + 1)) if found else True
        assert all(e.data == b"%d" % e.seqno * 20 for e in found)


# --- the disk says no --------------------------------------------------------------------------------


def refusing(monkeypatch: pytest.MonkeyPatch, refuses: Callable[[bytes, int], int]) -> None:
    """Writes of which `refuses` gives an error's number fail with it, half done."""
    pwrite = os.pwrite

    def maybe(fd: int, data: bytes, offset: int) -> int:
        number = refuses(data, offset)
        if number:
            pwrite(fd, data[: len(data) // 2], offset)
            raise OSError(number, os.strerror(number))
        return pwrite(fd, data, offset)

    monkeypatch.setattr(os, "pwrite", maybe)


def test_a_full_disk_is_storage_full_and_nothing_happened(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is found when the file is lengthened or, as some file systems have it, at the write itself."""

    async def main() -> None:
        c = opened(file)
        c.append_now("s", 0, b"1", b"t1")
        for size_bytes, is_zeros in ((100_000, True), (10, False)):
            with monkeypatch.context() as full:
                refusing(full, lambda data, _: errno.ENOSPC if is_zeros is not any(data) else 0)  # noqa: B023
                with pytest.raises(StorageFull):
                    c.append_now("s", 1, b"x" * size_bytes, b"t2")
            assert await c.head("s") == LogEntry(1, b"1")
        assert c.append_now("s", 1, b"2", b"t3") == 2
        await c.close()

    asyncio.run(main())
    assert [e.data for e in entries(file)] == [b"1", b"2"]


@pytest.mark.parametrize("arrived", [True, False])
def test_a_write_that_failed_is_found_out_by_its_token(
    file: Path, monkeypatch: pytest.MonkeyPatch, arrived: bool
) -> None:
    async def main() -> None:
        c = opened(file)
        c.append_now("s", 0, b"1", b"t1")
        inode = file.stat().st_ino
        pwrite = os.pwrite

        def failing(fd: int, data: bytes, offset: int) -> int:
            pwrite(fd, data if arrived else data[:-20], offset)
            raise OSError(errno.EIO, "the disk did not answer")

        with monkeypatch.context() as broken:
            broken.setattr(os, "pwrite", failing)
            with pytest.raises(Indeterminate):
                c.append_now("s", 1, b"2" * 30, b"t2")
        other = opened(file)  # whoever looks meanwhile
        assert await c.compare_and_append("s", 1, b"2" * 30, b"t2") == 2
        assert file.stat().st_ino != inode, "what is on the disk was written anew"
        assert await other.scan("s", 1) == [LogEntry(1, b"1"), LogEntry(2, b"2" * 30)]
        assert other.append_now("s", 2, b"3", b"t3") == 3
        for handle in (c, other):
            await handle.close()

    asyncio.run(main())
    assert [e.seqno for e in entries(file)] == [1, 2, 3]


def test_as_long_as_it_cannot_be_found_out_nothing_is_said(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        c = opened(file)
        c.append_now("s", 0, b"1", b"t1")
        with monkeypatch.context() as broken:
            refusing(broken, lambda data, _: errno.EIO if any(data) else 0)
            with pytest.raises(Indeterminate):
                c.append_now("s", 1, b"2", b"t2")
        with monkeypatch.context() as broken:
            broken.setattr(os, "fsync", lambda fd: (_ for _ in ()).throw(OSError(errno.EIO, "still")))
            with pytest.raises(Indeterminate):
                c.append_now("s", 1, b"2", b"t2")
            with pytest.raises(Indeterminate):
                await c.head("s")
        assert c.append_now("s", 1, b"2", b"t2") == 2
        await c.close()

    asyncio.run(main())
    assert [e.seqno for e in entries(file)] == [1, 2]


def test_zeros_are_written_page_by_page_and_the_disk_has_them_before_a_record(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One large write would be one large page of the cache, for which each record pays."""
    did: list[str] = []
    pwrite, fsync = os.pwrite, os.fsync

    def written(fd: int, data: bytes, offset: int) -> int:
        did.append("record" if any(data) else "zeros")
        assert any(data) or (len(data) <= 4096 and (offset + len(data)) % 4096 == 0)
        return pwrite(fd, data, offset)

    def synced(fd: int) -> None:
        did.append("sync")
        fsync(fd)

    monkeypatch.setattr(os, "pwrite", written)
    monkeypatch.setattr(os, "fsync", synced)
    c = LogFileConsensus(file, step_bytes=16_384)
    assert "zeros" in did, "it was made"
    for seqno, (size_bytes, lengthens) in enumerate(
        ((50, False), (9_000, False), (9_000, True), (50, False))
    ):
        del did[:]
        c.append_now("s", seqno, b"x" * size_bytes, b"t")
        steps = [what for i, what in enumerate(did) if did[i - 1 : i] != [what]]
        assert steps == (["zeros", "sync", "record"] if lengthens else ["record"]), size_bytes
    monkeypatch.undo()
    c._file.close()
    assert len(entries(file)) == 4


# --- against the model -------------------------------------------------------------------------------


async def _outcome(work: Awaitable[object]) -> object:
    try:
        return await work
    except SeqnoMismatch as e:
        return e.expected, e.current


@pytest.mark.parametrize("seed", range(6))
def test_it_does_what_the_one_in_memory_does(file: Path, seed: int) -> None:
    """Any operations on several shards, by three handles that are closed and opened now and then."""
    rng = random.Random(seed)

    async def main() -> None:
        model: Consensus = MemoryConsensus()
        handles = [opened(file) for _ in range(3)]
        for step in range(250):
            i = rng.randrange(3)
            shard = f"s{rng.randrange(3)}"
            head = await model.head(shard)
            last = 0 if head is None else head.seqno
            kind = rng.choices("arthdo", (20, 3, 3, 3, 0.3, 1))[0]
            expected = rng.choice((last, last, last, max(0, last - 1), last + 2))
            data, token = rng.randbytes(rng.choice((0, 10, 200, 5000))), b"%d" % expected
            answers: list[object] = []
            for c in (model, handles[i]):
                if kind == "a":
                    answers.append(await _outcome(c.compare_and_append(shard, expected, data, token)))
                elif kind == "r":
                    answers.append(await c.scan(shard, max(1, last - 3), 5))
                elif kind == "t":
                    answers.append(await c.truncate(shard, last - 1))
                elif kind == "h":
                    answers.append((await c.head(shard), await c.shards()))
                elif kind == "d":
                    await c.delete(shard)
            assert answers[:1] == answers[1:], (step, kind, shard)
            if kind == "o":
                await handles[i].close()
                handles[i] = opened(file)
        for c in handles:
            await c.close()

    asyncio.run(main())
