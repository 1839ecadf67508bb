"""The program of the append process: reads requests, appends, answers (see `append_process`).

It is run as a file, `python -I -S append_main.py KIND PATH`, with the socket as its standard input, and imports nothing but
the standard library and what the one kind of consensus needs. The package around that knows every other kind, and the
drivers they need: so a bare package takes its place here.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import signal
import socket
import sys
import time
import types
from pathlib import Path
from typing import Any

BUSY_LIMIT_S = 10.0
TOOK_MAX_US = (1 << 32) - 1
BUSY_PAUSE_S = 0.0003
"""Between two tries when a thread of the server, or another server, is just writing."""


_KINDS = {"logfile": "LogFileConsensus", "sqlite": "SqliteConsensus"}


def _bare_package() -> None:
    """`storage.consensus` without what its `__init__` imports."""
    here = Path(__file__).resolve().parent
    sys.path.insert(0, str(here.parents[1]))
    package = types.ModuleType("storage.consensus")
    package.__path__ = [str(here)]
    sys.modules[package.__name__] = package


def _read(channel: socket.socket, size_bytes: int) -> bytes:
    """Exactly so many bytes; b"" at the end of the socket, when the server is gone."""
    data = channel.recv(size_bytes)
    while data and len(data) < size_bytes:
        more = channel.recv(size_bytes - len(data))
        if not more:
            return b""
        data += more
    return data


def _append(
    busy: type[Exception], consensus: Any, shard: str, expected: int, data: bytes, token: bytes
) -> int:
    deadline_s = time.monotonic() + BUSY_LIMIT_S
    while True:
        try:
            return int(consensus.append_now(shard, expected, data, token))
        except busy:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(BUSY_PAUSE_S * random.uniform(0.5, 1.5))


def main() -> None:
    # The server decides when it ends: it may have something to append after the signal that stops it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _bare_package()
    from storage import failpoints
    from storage.abc import Busy, CorruptBlob, Determinate, SeqnoMismatch, StorageFull
    from storage.consensus import append_process as protocol

    channel = socket.socket(fileno=0)
    kind, path = sys.argv[1:]
    module = importlib.import_module(f"storage.consensus.{kind}")
    consensus = getattr(module, _KINDS[kind])(path)
    consensus.share()

    def answer(kind: int, number: int = 0, text: str = "") -> None:
        encoded = text.encode()
        took_us = min(int((time.perf_counter() - began_s) * 1e6), TOOK_MAX_US)
        channel.sendall(protocol.ANSWER.pack(kind, number, took_us, len(encoded)) + encoded)

    began_s = time.perf_counter()
    answer(protocol.READY)
    while header := _read(channel, protocol.REQUEST.size):
        expected, name_size, token_size, data_size = protocol.REQUEST.unpack(header)
        rest = _read(channel, name_size + token_size + data_size)
        if not rest:
            break
        name, token = rest[:name_size].decode(), rest[name_size : name_size + token_size]
        failpoints.point("append_process.before")
        began_s = time.perf_counter()
        try:
            seqno = _append(Busy, consensus, name, expected, rest[name_size + token_size :], token)
        except SeqnoMismatch as error:
            answer(protocol.MISMATCH, error.current)
        except StorageFull as error:
            answer(protocol.FULL, 0, str(error))
        except CorruptBlob as error:
            answer(protocol.CORRUPT, 0, error.reason)
        except Determinate as error:
            answer(protocol.DETERMINATE, 0, str(error))
        except Exception as error:  # noqa: BLE001 - whatever it was, the append may be in the log
            answer(protocol.INDETERMINATE, 0, f"{type(error).__name__}: {error}")
        else:
            failpoints.point("append_process.after")
            answer(protocol.APPENDED, seqno)
    consensus._close()
    os._exit(0)  # nothing is left to be done, and nobody waits for threads


if __name__ == "__main__":
    with contextlib.suppress(
        BrokenPipeError, ConnectionResetError
    ):  # the server is gone: nobody hears the answer
        main()
