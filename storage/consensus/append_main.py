"""The program of the append process: reads requests, appends, answers (see `append_process`).

It is run as a file, `python -I -S append_main.py PATH`, with the socket as its standard input, and imports nothing but
the standard library, `storage.abc` and the module of the SQLite consensus, which it loads past the package around it: that
one knows every other kind of consensus, and the drivers they need.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

BUSY_LIMIT_S = 10.0
BUSY_PAUSE_S = 0.0003
"""Between two tries when a thread of the server, or another server, is just writing."""


def _load(name: str) -> Any:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"storage_consensus_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _read(channel: socket.socket, size_bytes: int) -> bytes:
    """Exactly so many bytes; b"" at the end of the socket, when the server is gone."""
    data = channel.recv(size_bytes)
    while data and len(data) < size_bytes:
        more = channel.recv(size_bytes - len(data))
        if not more:
            return b""
        data += more
    return data


def _append(sqlite: Any, consensus: Any, shard: str, expected: int, data: bytes, token: bytes) -> int:
    deadline_s = time.monotonic() + BUSY_LIMIT_S
    while True:
        try:
            return int(consensus.append_now(shard, expected, data, token))
        except sqlite.Busy:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(BUSY_PAUSE_S * random.uniform(0.5, 1.5))


def main() -> None:
    # The server decides when it ends: it may have something to append after the signal that stops it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    protocol, sqlite = _load("append_process"), _load("sqlite")
    from storage import failpoints
    from storage.abc import CorruptBlob, Determinate, SeqnoMismatch, StorageFull

    channel = socket.socket(fileno=0)
    consensus = sqlite.SqliteConsensus(sys.argv[1])
    consensus.share()

    def answer(kind: int, number: int = 0, text: str = "") -> None:
        encoded = text.encode()
        channel.sendall(protocol.ANSWER.pack(kind, number, len(encoded)) + encoded)

    answer(protocol.READY)
    while header := _read(channel, protocol.REQUEST.size):
        expected, name_size, token_size, data_size = protocol.REQUEST.unpack(header)
        rest = _read(channel, name_size + token_size + data_size)
        if not rest:
            break
        name, token = rest[:name_size].decode(), rest[name_size : name_size + token_size]
        failpoints.point("append_process.before")
        try:
            seqno = _append(sqlite, consensus, name, expected, rest[name_size + token_size :], token)
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
