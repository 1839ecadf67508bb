"""A real server on a real socket, with the fake executor behind it, for the length of a `with`."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from typing import Any

import uvloop

from pgwire.server import Server
from tests.pgwire.fake_session import FakeExecutor
from tests.pgwire.script import cstr, decode, frame


class LiveServer:
    """Runs a `Server` in a thread of its own. `options` go to the Server."""

    def __init__(self, host: str = "127.0.0.1", **options: Any) -> None:
        self.executor = FakeExecutor()
        self._host, self._options = host, options
        self._started = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.server: Server | None = None
        self.port = 0

    def _run(self) -> None:
        async def main() -> None:
            self._loop = asyncio.get_running_loop()
            self._stop = asyncio.Event()
            self.server = Server(self.executor, **self._options)
            _, self.port = await self.server.listen(self._host, 0)
            self._started.set()
            await self._stop.wait()
            await self.server.drain()

        try:
            uvloop.run(main())
        except BaseException as error:  # noqa: BLE001  raised again in __enter__
            self._error = error
        finally:
            self._started.set()

    def __enter__(self) -> LiveServer:
        self._thread.start()
        self._started.wait(10)
        if self._error is not None:
            raise self._error
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        assert not self._thread.is_alive(), "the server did not drain"

    def stop(self) -> None:
        if self._loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):  # a server that was told before may have closed its loop
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(15)

    def call(self, function: Any) -> Any:
        """Runs a function on the server's loop."""
        assert self._loop is not None

        async def run() -> Any:
            return function()

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(10)

    @property
    def dsn(self) -> str:
        return f"host=127.0.0.1 port={self.port} user=tidewire dbname=tidewire"


class Client:
    """The bytes of a client, by hand."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection((host, port), timeout=240)
        self._data = b""

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def startup(self, minor: int = 0, **parameters: str) -> None:
        body = struct.pack(">HH", 3, minor)
        for name, value in ({"user": "tidewire"} | parameters).items():
            body += cstr(name) + cstr(value)
        body += b"\0"
        self.send(struct.pack(">i", len(body) + 4) + body)

    def byte(self) -> bytes:
        return self.socket.recv(1)

    def frame(self) -> tuple[str, bytes] | None:
        """The next message; None when the server has closed."""
        while True:
            if len(self._data) >= 5:
                (length,) = struct.unpack_from(">i", self._data, 1)
                if len(self._data) > length:
                    kind, payload = chr(self._data[0]), self._data[5 : length + 1]
                    self._data = self._data[length + 1 :]
                    return kind, payload
            try:
                more = self.socket.recv(65536)
            except ConnectionResetError:
                more = b""
            if not more:
                assert not self._data, "the server closed in the middle of a message"
                return None
            self._data += more

    def until_ready(self) -> list[str]:
        """Replies as lines, up to ReadyForQuery or the end."""
        seen = []
        while (found := self.frame()) is not None:
            kind, payload = found
            if kind == "R":
                seen.append(f"Authentication {struct.unpack_from('>i', payload)[0]}")
            elif kind == "K":
                seen.append(f"BackendKeyData {len(payload) - 4}")
                self.pid, self.key = struct.unpack_from(">I", payload)[0], payload[4:]
            elif kind == "v":
                seen.append(f"NegotiateProtocolVersion {payload!r}")
            else:
                seen.append(decode(kind, payload))
            if kind == "Z":
                return seen
        return [*seen, "closed"]

    def query(self, text: str) -> list[str]:
        self.send(frame("Q", cstr(text)))
        return self.until_ready()

    def cancel_request(self, port: int, key: bytes | None = None) -> None:
        secret = self.key if key is None else key
        with Client(port) as other:
            other.send(struct.pack(">iiI", 12 + len(secret), (1234 << 16) | 5678, self.pid) + secret)
            assert other.frame() is None
