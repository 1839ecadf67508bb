"""One log file in the hands of one process: its turn, what others have added, writing, replacing.

    file on disk     [append s 1][append txns 1][append txns 2][truncate txns 2][append txns 3] zeros...
    in memory        txns: first 2, places of [2, 3]      s: first 1, places of [1]           end ^

Everything is a record of the one file, truncation and deletion too; what is in memory is where each entry lies. Once more than
half of the file, and `garbage_max_bytes`, are truncated entries, the rest is copied into a new file that takes its name
(`_replace`), in one `rename`.

**Several processes** (the append process beside the server; two servers that both believe to lead; tools) take turns under the lock
of `PATH.lock`, and each first reads what the others have added (`catch_up`): a look at the place where the next record would be.
Zeros there say that nothing was added, and that the file was not replaced either: whoever replaces it first cuts the zeros
off the old one. Everybody else looks whether the name still is this file's. (To ask for that each time costs 30 microseconds: a file
whose times were asked for writes them anew with its next record.) The lock goes with its process.

**When the disk does not answer as it should.** No space: found when the file is lengthened, before anything is written. A write that
fails in any other way leaves it open what is on the disk, now and after further attempts (the page in memory may be called
clean). So it is `Indeterminate`, and the next operation first copies all that can be read into a new file: what has been copied and
made durable is what happened. A record whose writer died before the disk had it is written once more, in one write with the next
record: a write makes only its own stretch durable, and a record behind a hole would be a corrupt file. Only the newest one can be
so, for whoever wrote it had done the same. Who finds it otherwise sees to that first (`make_durable`).

Nothing here is for several threads, nor waits for anything but the lock and the disk.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import os
import random
import time
from struct import error as StructError

from storage import failpoints
from storage.abc import (
    Busy,
    CorruptBlob,
    Determinate,
    FormatTooNew,
    Indeterminate,
    ShardId,
    StorageError,
    StorageFull,
)
from storage.consensus import log_records as records

STEP_BYTES = 512 * 1024
"""The file is lengthened by so many zeros at a time."""
PAGE_BYTES = 4096
"""So many of them in one write. What is written at once the kernel keeps as one large page of its cache, and each record that is
written into it later pays for its size: of 512 KiB a fifth more CPU than of 4."""
GARBAGE_MAX_BYTES = 8 * 1024 * 1024
WINDOW_BYTES = 64 * 1024
"""What is read at once of that which other processes have added."""
BUSY_PAUSE_S = 0.0001
NAME_CHECK_S = 1.0
"""How often the name is looked at all the same: somebody may have removed the file or put another in its place."""

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class Log:
    """One shard's entries: the first one's seqno, and (offset, size) of each."""

    __slots__ = ("first", "places")

    def __init__(self, first: int) -> None:
        self.first = first
        self.places: list[tuple[int, int]] = []

    @property
    def last(self) -> int:
        return self.first + len(self.places) - 1


class LogFile:
    """See the module. Opened (and made, if there is none) under the lock, which it waits for `patience_s`.

    Raises FormatTooNew, CorruptBlob, StorageFull, Busy, and Determinate when the file cannot be opened.
    """

    def __init__(self, path: str, *, patience_s: float, step_bytes: int, garbage_max_bytes: int) -> None:
        self.path = path
        self.logs: dict[ShardId, Log] = {}
        self.wrote = False  # since it was opened
        self._step_bytes, self._garbage_max_bytes = step_bytes, garbage_max_bytes
        self._live_bytes = 0  # of the entries that were not truncated
        self._fd = -1
        self._inode = 0
        self._seed = 0
        self._end = 0  # where the next record goes
        self._size_bytes = 0  # of the file, with the zeros behind the end
        self._doubtful = False
        self._foreign: records.Record | None = (
            None  # the newest record, if others wrote it, perhaps not durable
        )
        self._closed = False
        self._name_checked_s = 0.0
        try:
            self._lock_fd = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise Determinate(f"consensus {self.path}: {error}") from error
        try:
            self.acquire(patience_s)
            try:
                self._open()
            finally:
                self.release()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._closed = True
        for fd in (self._fd, self._lock_fd):
            if fd >= 0:
                os.close(fd)
        self._fd = self._lock_fd = -1

    # --- the lock, and what others have written ------------------------------------------------------

    def acquire(self, patience_s: float) -> None:
        """The turn of this process. Raises Busy when another has it for longer than `patience_s`."""
        if self._closed:
            raise Determinate(f"consensus {self.path} is closed")
        try:
            fcntl.flock(self._lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pass
        deadline_s = time.monotonic() + patience_s
        while time.monotonic() < deadline_s:
            time.sleep(BUSY_PAUSE_S * random.uniform(0.5, 1.5))
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(self._lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
        raise Busy(f"consensus {self.path}: another process is writing")

    def release(self) -> None:
        fcntl.flock(self._lock_fd, fcntl.LOCK_UN)

    def catch_up(self) -> bool:
        """Reads what other processes have added; whether there was anything. With the lock held."""
        if self._doubtful:
            self._settle()
        try:
            head = os.pread(self._fd, records.HEAD_BYTES, self._end)
            now_s = time.monotonic()
            if head == records.NOTHING and now_s - self._name_checked_s < NAME_CHECK_S:
                return False
            self._name_checked_s = now_s
            status = os.stat(self.path)
            if status.st_ino != self._inode:
                self._open()
                return True
            self._size_bytes = status.st_size
            if records.is_end(head):
                if self._end > status.st_size:
                    raise CorruptBlob(
                        self.path, f"{self._end} bytes were written, {status.st_size} are there"
                    )
                return False
        except OSError as error:
            raise Determinate(f"consensus {self.path}: {error}") from error
        window_bytes = WINDOW_BYTES
        while True:
            end = self._end
            window = memoryview(os.pread(self._fd, window_bytes, end))
            why = self._read(window, end)
            if why is not records.End.CUT:
                return True
            if self._end == end:
                window_bytes = self._size_bytes - end  # a record larger than the window

    def _read(self, view: memoryview, base: int) -> records.End:
        """Takes in the records of a stretch of the file. Cuts off what a crash has left. Raises CorruptBlob."""
        found, self._end, why = records.read(view, base, self._seed, self._size_bytes)
        for record in found:
            self._note(record)
        self._foreign = found[-1] if found else self._foreign
        if why is records.End.GARBAGE:
            rest = os.pread(self._fd, self._size_bytes - self._end, self._end)
            if records.goes_on(rest, self._end, self._seed, self._size_bytes):
                raise CorruptBlob(self.path, f"the record at byte {self._end} is not what was written")
            os.ftruncate(self._fd, self._end)
            os.fsync(self._fd)
            self._size_bytes = self._end
        return why

    def _note(self, record: records.Record) -> None:
        """One more record: what is in memory follows it."""
        kind, shard, seqno, offset, size = record
        if kind == records.CLOSED:
            return
        log = self.logs.get(shard)
        if kind == records.APPEND:
            if log is None:
                log = self.logs[shard] = Log(seqno)
            if seqno != log.last + 1:
                raise CorruptBlob(self.path, f"entry {seqno} of shard {shard} follows {log.last}")
            log.places.append((offset, size))
            self._live_bytes += size
        elif log is not None:
            gone = len(log.places) if kind == records.DELETE else seqno - log.first
            self._live_bytes -= sum(size for _, size in log.places[:gone])
            del log.places[:gone]
            log.first += gone
            if kind == records.DELETE:
                del self.logs[shard]

    # --- writing ----------------------------------------------------------------------------------

    def write(self, kind: int, shard: ShardId, seqno: int, token: bytes, data: bytes) -> None:
        """One record, durable when it returns. Raises StorageFull, Determinate: nothing was written; Indeterminate."""
        offset = self._end
        try:
            record = records.encode(self._seed, kind, shard, seqno, token, data, offset)
        except (StructError, UnicodeEncodeError) as error:  # longer than a length can say
            raise Determinate(f"shard {shard}: {error}") from error
        size = len(record)
        if offset + size > self._size_bytes:
            self._lengthen(offset + size)
        try:
            before = self._again()
            written = os.pwrite(self._fd, before + record, offset - len(before))
            if written != len(before) + size:
                raise OSError(errno.EIO, f"wrote {written} of {len(before) + size} bytes")
        except OSError as error:
            if error.errno in _NO_SPACE and self._cut_off(
                offset
            ):  # a file system that writes elsewhere each time
                raise self._unwritten(error) from error
            self._doubtful = True
            raise Indeterminate(f"consensus {self.path}: {error}") from error
        self._foreign = None
        self._end = offset + size
        self.wrote = kind != records.CLOSED
        self._note((kind, shard, seqno, offset, size))

    def _again(self) -> bytes:
        """The newest record, where its writer may have died before the disk had it; a large one is seen to here."""
        if self._foreign is None:
            return b""
        _, _, _, offset, size = self._foreign
        if size > WINDOW_BYTES:
            os.fsync(self._fd)
            return b""
        found = os.pread(self._fd, size, offset)
        assert len(found) == size and offset + size == self._end, (offset, size, self._end)
        return found

    def _cut_off(self, end: int) -> bool:
        """Whether nothing is left behind `end`, durably."""
        try:
            os.ftruncate(self._fd, end)
            os.fsync(self._fd)
        except OSError:
            return False
        self._size_bytes = end
        return True

    def _lengthen(self, least_bytes: int) -> None:
        """Zeros behind the end, durable with the file's new length: where the next records will be written."""
        to = -(-least_bytes // self._step_bytes) * self._step_bytes
        try:
            fd = os.open(
                self.path, os.O_WRONLY | os.O_CLOEXEC
            )  # not O_DSYNC: made durable at the end, all at once
            try:
                if os.fstat(fd).st_ino != self._inode:
                    raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
                _fill(fd, self._size_bytes, to)
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            raise self._unwritten(error) from error
        self._size_bytes = to

    def make_room(self) -> None:
        """A new file, if most of this one is garbage."""
        garbage_bytes = self._end - self._live_bytes
        if garbage_bytes > self._garbage_max_bytes and garbage_bytes > self._live_bytes:
            try:
                self._replace()
            except OSError as error:
                raise self._unwritten(error) from error

    # --- the file ------------------------------------------------------------------------------------

    def _open(self) -> None:
        """Opens the file that has the name now, making it if there is none, and reads it. With the lock held."""
        try:
            if not os.path.exists(self.path):
                self.logs, self._live_bytes = {}, 0
                self._replace()
                return
            self._take(os.open(self.path, os.O_RDWR | os.O_DSYNC | os.O_CLOEXEC))
            with mmap.mmap(self._fd, 0, access=mmap.ACCESS_READ) as whole, memoryview(whole) as view:
                self._load(view)
            # A writer may have died before the disk had its record, or the file's name.
            os.fsync(self._fd)
            self._foreign = None
            self._make_name_durable()
        except OSError as error:
            raise self._unwritten(error) from error
        except ValueError as error:  # nothing in it: nothing to map
            raise Determinate(f"consensus {self.path}: not a log: {error}") from error

    def _take(self, fd: int) -> None:
        """This file from now on."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = fd
        status = os.fstat(fd)
        self._inode, self._size_bytes = status.st_ino, status.st_size

    def _load(self, view: memoryview) -> None:
        """Everything that is in memory, from the bytes of the file."""
        try:
            version, self._seed = records.read_header(bytes(view[: records.HEADER_BYTES]))
        except records.NotALog as error:
            raise Determinate(f"consensus {self.path}: not a log: {error}") from error
        if version > records.FORMAT_VERSION:
            raise FormatTooNew(
                f"consensus {self.path} has format {version}, this is {records.FORMAT_VERSION}"
            )
        self.logs, self._live_bytes = {}, 0
        with view[records.HEADER_BYTES :] as rest:
            self._read(rest, records.HEADER_BYTES)

    def _replace(self) -> None:
        """A new file under the name, of nothing but the entries that were not truncated. With the lock held.

        A crash leaves one or the other: the new file is whole and durable before it gets the name. Raises OSError, CorruptBlob.
        """
        salt = os.urandom(records.SALT_BYTES)
        _, seed = records.read_header(records.header(salt))
        fresh = f"{self.path}.new"
        failpoints.point("logfile.replace.before")
        try:
            with open(fresh, "wb") as out:
                out.write(records.header(salt))
                offset = records.HEADER_BYTES
                for shard, log in self.logs.items():
                    for seqno, place in enumerate(log.places, log.first):
                        token, data = self.payload(*place)
                        offset += out.write(
                            records.encode(seed, records.APPEND, shard, seqno, token, data, offset)
                        )
                out.flush()
                _fill(out.fileno(), offset, offset + (-offset % self._step_bytes or self._step_bytes))
                os.fsync(out.fileno())
            if self._fd >= 0:
                os.ftruncate(self._fd, self._end)  # whoever has it open looks at the name
            failpoints.point("logfile.replace.unnamed")
            os.rename(fresh, self.path)
            self._make_name_durable()
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(fresh)
            raise
        failpoints.point("logfile.replace.after")
        self._take(os.open(self.path, os.O_RDWR | os.O_DSYNC | os.O_CLOEXEC))
        with mmap.mmap(self._fd, 0, access=mmap.ACCESS_READ) as whole, memoryview(whole) as view:
            self._load(view)
        self._foreign = None

    def _make_name_durable(self) -> None:
        folder = os.open(os.path.dirname(os.path.abspath(self.path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _settle(self) -> None:
        """After a write that failed: what can be read of the file is copied, and that copy is what happened."""
        try:
            self._take(os.open(self.path, os.O_RDWR | os.O_DSYNC | os.O_CLOEXEC))
            with mmap.mmap(self._fd, 0, access=mmap.ACCESS_READ) as whole, memoryview(whole) as view:
                self._load(view)
            self._replace()
        except (OSError, StorageError) as error:
            raise Indeterminate(f"consensus {self.path}: after a write that failed: {error}") from error
        self._doubtful = False

    def make_durable(self) -> None:
        """Before what another process has written is vouched for."""
        try:
            os.fsync(self._fd)
            self._foreign = None
        except OSError as error:
            self._doubtful = True
            raise Indeterminate(f"consensus {self.path}: {error}") from error

    def payload(self, offset: int, size: int) -> tuple[bytes, bytes]:
        """(token, data) of the entry there. Raises CorruptBlob."""
        found = records.payload(os.pread(self._fd, size, offset), self._seed)
        if found is None:
            raise CorruptBlob(self.path, f"the record at byte {offset} is not what was written")
        return found

    def _unwritten(self, error: OSError) -> Determinate:
        """The error of what failed before anything was written."""
        kind = StorageFull if error.errno in _NO_SPACE else Determinate
        return kind(f"consensus {self.path}: {error}")


def _fill(fd: int, start: int, to: int) -> None:
    """Zeros, page by page (`PAGE_BYTES`)."""
    while start < to:
        start += os.pwrite(fd, bytes(min(PAGE_BYTES - start % PAGE_BYTES, to - start)), start)
