"""Durable appends beside the event loop: a small process of our own that waits for the disk.

    event loop      ... statements of others ... statements of others ... | answer
       | request                                                          ^ seqno, or what went wrong
       v                                                                  |
    append process  compare-and-append, fdatasync ------------------------+

While an append waits for the disk, the loop could run the statements of everybody else. A thread gives less of
that than it seems: when the disk has answered, the thread needs the interpreter's lock to say so, and a busy
loop gives it away only after `sys.getswitchinterval()`, 5 ms, or in gaps too short to catch. A process has an
interpreter of its own: a hand-over costs a write, a wake-up and a read, whatever the loop is doing.

The process runs `append_main.py` on the same file, imports little, and is started when it is first wanted;
until it is ready appends go the ways they went before. One request is under way at a time. If the process dies,
the outcome of that request is unknown (`Indeterminate`), to be resolved by its token as always, and another
process is started, `STARTS_MAX` times. If this process dies, the other reads the end of the socket and ends; an append
that it still makes is one whose answer was lost, which the next leader either reads or beats to its position.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from struct import Struct

from storage.abc import (
    CorruptBlob,
    Determinate,
    Indeterminate,
    SeqnoMismatch,
    ShardId,
    StorageError,
    StorageFull,
)

REQUEST = Struct("<QHHI")
"""Expected seqno; lengths of the shard's name, the token and the data, which follow."""
ANSWER = Struct("<BQII")
"""What happened; a seqno; how long it took, in microseconds; the length of a text, which follows."""

READY, APPENDED, MISMATCH, FULL, CORRUPT, DETERMINATE, INDETERMINATE = range(7)

DATA_MAX_BYTES = 64 * 1024
"""A request fits into the socket's buffer, so that sending it never waits."""
BUFFER_BYTES = 512 * 1024
STARTS_MAX = 5

Done = Callable[[int | StorageError], None]


class AppendProcess:
    """See the module. All methods are called on the event loop's thread."""

    def __init__(self, kind: str, path: str) -> None:
        """`kind`: the module of the consensus."""
        self.kind, self.path = kind, path
        self.starts = 0
        self.took_s = 0.0
        """The newest append, without the way there and back: the loop may have been busy when it ended."""
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_ready = False
        self._received = b""
        self._request: tuple[ShardId, int, Done] | None = None

    def takes(self, size_bytes: int) -> bool:
        """Whether an append of so many bytes can be handed over now. Starts the process if there is none."""
        if self._socket is None and self.starts < STARTS_MAX:
            self._start()
        return self._is_ready and self._request is None and size_bytes <= DATA_MAX_BYTES

    def append(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes, done: Done) -> None:
        """`Consensus.compare_and_append`; `done` gets the new seqno or the error, in a later turn. Only if it `takes` it."""
        assert (
            self._is_ready and self._request is None and self._socket is not None and self._loop is not None
        )
        self._request = shard, expected_seqno, done
        name = shard.encode()
        request = REQUEST.pack(expected_seqno, len(name), len(token), len(data)) + name + token + data
        try:
            sent = self._socket.send(request)
        except OSError:
            sent = 0
        if sent != len(request):  # it is gone, or does not read: part of a request does nothing
            self._loop.call_soon(self._lost)

    def close(self) -> None:
        """Ends the process; waits for it, so that its file is closed."""
        self.starts = STARTS_MAX
        self._lost()

    # --- inside ----------------------------------------------------------------------------------

    def _start(self) -> None:
        self.starts += 1
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                ours.setblocking(False)
                ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
                program = Path(__file__).with_name("append_main.py")
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(program), self.kind, self.path],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,  # a Ctrl-C in the terminal is for the server, which still has to append
                )
            except OSError:
                ours.close()
                self.starts = STARTS_MAX  # no process to be had: appends go the other ways
                return
        self._socket = ours
        self._received = b""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(ours.fileno(), self._readable)

    def _readable(self) -> None:
        assert self._socket is not None
        try:
            got = self._socket.recv(65_536)
        except BlockingIOError:
            return
        except OSError:
            got = b""
        if not got:
            self._lost()
            return
        self._received += got
        if len(self._received) < ANSWER.size:
            return
        kind, number, took_us, length = ANSWER.unpack_from(self._received)
        if len(self._received) < ANSWER.size + length:
            return
        text = self._received[ANSWER.size :].decode(errors="replace")
        self._received = b""  # one request at a time: nothing follows its answer
        if kind == READY:
            self._is_ready = True
            return
        request, self._request = self._request, None
        if request is None:
            self._lost()  # it says what nobody asked
            return
        shard, expected, done = request
        self.took_s = took_us / 1e6
        done(number if kind == APPENDED else _error(kind, number, text, shard, expected))

    def _lost(self) -> None:
        """The process is gone, or is to go."""
        ours, self._socket = self._socket, None
        process, self._process = self._process, None
        self._is_ready = False
        if ours is not None:
            if self._loop is not None and not self._loop.is_closed():
                self._loop.remove_reader(ours.fileno())
            ours.close()
        if process is not None:
            try:
                process.wait(timeout=10)  # it has read the end of its socket, and ends with its append
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        request, self._request = self._request, None
        if request is not None:
            request[2](Indeterminate(f"consensus {self.path}: the process that appends has ended"))


def _error(kind: int, number: int, text: str, shard: ShardId, expected: int) -> StorageError:
    if kind == MISMATCH:
        return SeqnoMismatch(shard, expected, number)
    if kind == FULL:
        return StorageFull(text)
    if kind == CORRUPT:
        return CorruptBlob(shard, text)
    return Determinate(text) if kind == DETERMINATE else Indeterminate(text)
