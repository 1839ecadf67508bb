"""What one durable append costs, with the embedded log and with what it could be made of instead.

    log                   `LogFileConsensus.append_now` of 250 bytes
    bare, small pages     one write of as many bytes into zeros that were written page by page, as the log does it
    bare, a large page    ... into zeros that were written half a megabyte at a time: the kernel caches them in large pages
    bare, O_DIRECT        ... past the page cache: the whole block from a buffer of ours
    sqlite                `SqliteConsensus.append_now`

The kinds take turns at each append, so whatever else the disk and the machine are doing is done to all of them alike. Beside
others who write to the disk the medians of the time are theirs; the tenth and the quarter of the appends that waited least
say more, and the CPU most of all (system calls included).

    python -m bench.micro_append [appends] [folder]
"""

from __future__ import annotations

import asyncio
import mmap
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from storage.consensus import LogFileConsensus, SqliteConsensus
from storage.consensus.log_store import PAGE_BYTES, STEP_BYTES

APPENDS = 3_000
DATA = bytes(range(250))
TOKEN = bytes(16)
RECORD_BYTES = 304
"""What the log makes of them."""

Append = Callable[[int], object]


def _zeros(path: Path, appends: int, at_once: int) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT)
    for at in range(0, -(-appends * RECORD_BYTES // STEP_BYTES + 1) * STEP_BYTES, at_once):
        os.pwrite(fd, bytes(at_once), at)
    os.fsync(fd)
    os.close(fd)


def _bare(path: Path, appends: int, at_once: int) -> Append:
    _zeros(path, appends, at_once)
    fd = os.open(path, os.O_RDWR | os.O_DSYNC)
    record = b"r" * RECORD_BYTES
    return lambda seqno: os.pwrite(fd, record, seqno * RECORD_BYTES)


def _direct(path: Path, appends: int) -> Append:
    _zeros(path, appends, PAGE_BYTES)
    fd = os.open(path, os.O_RDWR | os.O_DSYNC | os.O_DIRECT)
    block = mmap.mmap(-1, PAGE_BYTES)
    block[:RECORD_BYTES] = b"r" * RECORD_BYTES
    return lambda seqno: os.pwrite(fd, block, seqno * RECORD_BYTES // PAGE_BYTES * PAGE_BYTES)


def measure(folder: Path, appends: int) -> dict[str, tuple[list[float], list[float]]]:
    """(seconds, seconds of CPU) of each append, by kind; sorted."""
    log = LogFileConsensus(folder / "consensus.log")
    sqlite = SqliteConsensus(str(folder / "consensus.sqlite"))
    kinds: dict[str, Append] = {
        "log": lambda seqno: log.append_now("txns", seqno, DATA, TOKEN),
        "bare, small pages": _bare(folder / "small", appends, PAGE_BYTES),
        "bare, a large page": _bare(folder / "large", appends, STEP_BYTES),
        "bare, O_DIRECT": _direct(folder / "direct", appends),
        "sqlite": lambda seqno: sqlite.append_now("txns", seqno, DATA, TOKEN),
    }
    figures: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in kinds}
    for seqno in range(appends):
        for name, append in kinds.items():
            cpu_s, begun_s = time.thread_time(), time.perf_counter()
            append(seqno)
            figures[name][0].append(time.perf_counter() - begun_s)
            figures[name][1].append(time.thread_time() - cpu_s)

    async def close() -> None:
        await log.close()
        await sqlite.close()

    asyncio.run(close())
    for columns in figures.values():
        for column in columns:
            column.sort()
    return figures


def main() -> None:
    appends = int(sys.argv[1]) if len(sys.argv) > 1 else APPENDS
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        figures = measure(Path(folder), appends)
    print(f"{'microseconds':<22}{'tenth':>9}{'quarter':>9}{'median':>9} | {'CPU':>5}")
    for name, (took, cpu) in figures.items():
        at = [took[appends // share] * 1e6 for share in (10, 4, 2)]
        print(f"{name:<22}{at[0]:9.0f}{at[1]:9.0f}{at[2]:9.0f} | {cpu[appends // 2] * 1e6:5.0f}")


if __name__ == "__main__":
    main()
