"""What passes between server and worker: a kind, a length, bytes.

server  Q  the query, JSON        R  rows of a relation that are in no file, Arrow IPC (as many as Q announces)
worker  A  it can be answered     B  rows, Arrow IPC     D  done     E  an error, JSON: kind, sqlstate, message
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any, Final

import pyarrow as pa

from executor.distributed.abc import Request

HEADER: Final = struct.Struct("!cQ")
FRAME_BYTES_MAX: Final = 1 << 30


class BrokenConversation(Exception):
    """The other side is gone, or does not speak this language."""


def frame(kind: bytes, data: bytes = b"") -> bytes:
    return HEADER.pack(kind, len(data)) + data


def header(data: bytes) -> tuple[bytes, int]:
    kind, length = HEADER.unpack(data)
    if length > FRAME_BYTES_MAX:
        raise BrokenConversation(f"a frame of {length} bytes")
    return kind, length


async def read_frame(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Raises BrokenConversation."""
    try:
        kind, length = header(await reader.readexactly(HEADER.size))
        return kind, await reader.readexactly(length)
    except (asyncio.IncompleteReadError, OSError) as e:
        raise BrokenConversation(str(e)) from e


def receive(connection: socket.socket) -> tuple[bytes, bytes]:
    """Blocking. Raises BrokenConversation."""
    kind, length = header(_exactly(connection, HEADER.size))
    return kind, _exactly(connection, length)


def _exactly(connection: socket.socket, length: int) -> bytes:
    out = bytearray()
    while len(out) < length:
        try:
            got = connection.recv(min(length - len(out), 1 << 20))
        except OSError as e:
            raise BrokenConversation(str(e)) from e
        if not got:
            raise BrokenConversation("the connection ended")
        out += got
    return bytes(out)


def table_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def table_of(data: bytes) -> pa.Table:
    with pa.ipc.open_stream(data) as reader:
        return reader.read_all()


def request_frames(request: Request) -> list[bytes]:
    """A request as the frames that carry it."""
    rows: list[bytes] = []

    def place(table: pa.Table | None) -> int | None:
        if table is None:
            return None
        rows.append(frame(b"R", table_bytes(table)))
        return len(rows) - 1

    said: dict[str, Any] = {
        "sql": request.sql,
        "functions": list(request.functions),
        "relations": [
            {
                "name": r.name,
                "as_of": r.as_of,
                "inserted": [[f.paths, f.has_ts, f.columns] for f in r.inserted],
                "deleted": [[f.paths, f.has_ts] for f in r.deleted],
                "inserted_rows": place(r.inserted_rows),
                "deleted_rows": place(r.deleted_rows),
            }
            for r in request.relations
        ],
    }
    said["row_frames"] = len(rows)
    return [frame(b"Q", json.dumps(said).encode()), *rows]
