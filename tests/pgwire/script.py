"""Protocol conversations as text: what the client says (>), what the server answers (<).

    > Parse name=s text=select $1
    > Bind stmt=s values=7
    > Execute
    > Sync
    < ParseComplete
    < BindComplete
    < DataRow 7
    ...
    ~ auto: select $1 (7,)        what the session was asked to do
    ! cancel                      something happens from outside

Consecutive > lines are one packet. Everything that the server answers must be written down.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Coroutine
from typing import Any

from pgwire.session import Conversation
from planner.abc import SqlError
from tests.pgwire.fake_session import FakeSession


def frame(kind: str, payload: bytes = b"") -> bytes:
    return kind.encode() + struct.pack(">i", len(payload) + 4) + payload


def cstr(text: str) -> bytes:
    return text.encode() + b"\0"


# --- client messages ---------------------------------------------------------------------------


def _words(rest: str, last: str) -> dict[str, str]:
    """key=value words; the value of `last` goes on to the end of the line."""
    found: dict[str, str] = {}
    while rest:
        key, _, rest = rest.partition("=")
        key = key.strip()
        if key == last:
            found[key] = rest
            break
        value, _, rest = rest.partition(" ")
        found[key] = value
    return found


def _codes(text: str) -> bytes:
    codes = [int(c) for c in text.split(",") if c]
    return struct.pack(f">H{len(codes)}H", len(codes), *codes)


def encode(line: str) -> bytes:
    """A client message from its line."""
    name, _, rest = line.partition(" ")
    if name == "Query":
        return frame("Q", cstr(rest))
    if name == "Raw":
        return bytes.fromhex(rest)
    if name in ("Sync", "Flush", "Terminate", "CopyDone"):
        return frame({"Sync": "S", "Flush": "H", "Terminate": "X", "CopyDone": "c"}[name])
    if name == "CopyData":
        return frame("d", rest.encode().decode("unicode_escape").encode())
    if name == "CopyFail":
        return frame("f", cstr(rest))
    if name == "Parse":
        words = _words(rest, "text")
        types = [int(t) for t in words.get("types", "").split(",") if t]
        tail = struct.pack(f">H{len(types)}I", len(types), *types)
        return frame("P", cstr(words.get("name", "")) + cstr(words.get("text", "")) + tail)
    if name == "Bind":
        words = _words(rest, "")
        values = [v for v in words.get("values", "").split(",") if v]
        body = cstr(words.get("portal", "")) + cstr(words.get("stmt", "")) + _codes(words.get("formats", ""))
        body += struct.pack(">H", len(values))
        for value in values:
            data = value.encode()
            body += struct.pack(">i", -1) if value == "NULL" else struct.pack(">i", len(data)) + data
        return frame("B", body + _codes(words.get("results", "")))
    if name in ("Describe", "Close"):
        words = _words(rest, "")
        kind = b"S" if "stmt" in words else b"P"
        return frame(name[0], kind + cstr(words.get("stmt", words.get("portal", ""))))
    if name == "Execute":
        words = _words(rest, "")
        return frame("E", cstr(words.get("portal", "")) + struct.pack(">i", int(words.get("limit", "0"))))
    if name == "Function":  # oid=870 values=a,NULL formats=0 result=1
        words = _words(rest, "")
        values = [v for v in words.get("values", "").split(",") if v]
        body = struct.pack(">I", int(words["oid"])) + _codes(words.get("formats", ""))
        body += struct.pack(">H", len(values))
        for value in values:
            data = bytes.fromhex(value[2:]) if value.startswith("0x") else value.encode()
            body += struct.pack(">i", -1) if value == "NULL" else struct.pack(">i", len(data)) + data
        return frame("F", body + struct.pack(">H", int(words.get("result", "0"))))
    raise AssertionError(f"no such client message: {line}")


# --- server messages ---------------------------------------------------------------------------

_PLAIN = {
    "1": "ParseComplete",
    "2": "BindComplete",
    "3": "CloseComplete",
    "n": "NoData",
    "s": "PortalSuspended",
    "I": "EmptyQueryResponse",
    "c": "CopyDone",
}


def fields(payload: bytes) -> dict[str, str]:
    return {f[:1].decode(): f[1:].decode() for f in payload.split(b"\0") if f}


def decode(kind: str, payload: bytes) -> str:
    """A server message as its line."""
    if kind in _PLAIN:
        assert payload == b""
        return _PLAIN[kind]
    if kind == "Z":
        return f"ReadyForQuery {payload.decode()}"
    if kind == "C":
        return f"CommandComplete {payload[:-1].decode()}"
    if kind == "T":
        (count,) = struct.unpack_from(">H", payload)
        position, shown = 2, []
        for _ in range(count):
            end = payload.index(0, position)
            _, _, oid, _, _, code = struct.unpack_from(">IhIhih", payload, end + 1)
            shown.append(f"{payload[position:end].decode()}:{oid}" + (":binary" if code else ""))
            position = end + 19
        assert position == len(payload)
        return "RowDescription " + " ".join(shown)
    if kind == "D":
        (count,) = struct.unpack_from(">H", payload)
        position, cells = 2, []
        for _ in range(count):
            (length,) = struct.unpack_from(">i", payload, position)
            position += 4
            cells.append("NULL" if length < 0 else repr(payload[position : position + length])[2:-1])
            position += max(length, 0)
        assert position == len(payload)
        return "DataRow " + " ".join(cells)
    if kind in "EN":
        found = fields(payload)
        assert found["S"] == found["V"]
        extra = f" @{found['P']}" if "P" in found else ""
        return f"{'Error' if kind == 'E' else 'Notice'} {found['S']} {found['C']} {found['M']}{extra}"
    if kind == "t":
        (count,) = struct.unpack_from(">H", payload)
        return " ".join(["ParameterDescription", *map(str, struct.unpack_from(f">{count}I", payload, 2))])
    if kind == "S":
        name, value, _ = payload.split(b"\0")
        return f"ParameterStatus {name.decode()}={value.decode()}"
    if kind == "A":
        pid, (channel, text, _) = struct.unpack_from(">I", payload)[0], payload[4:].split(b"\0")
        return f"NotificationResponse {pid} {channel.decode()} {text.decode()}"
    if kind == "V":
        return "FunctionCallResponse " + ("NULL" if payload == b"\xff" * 4 else repr(payload[4:])[2:-1])
    if kind in "GH":
        code, count = struct.unpack_from(">bH", payload)
        return f"{'CopyInResponse' if kind == 'G' else 'CopyOutResponse'} {code} {count}"
    if kind == "d":
        return "CopyData " + repr(payload)[2:-1]
    raise AssertionError(f"unknown reply {kind!r} {payload!r}")


def split_frames(data: bytes) -> list[tuple[str, bytes]]:
    found, position = [], 0
    while position < len(data):
        (length,) = struct.unpack_from(">i", data, position + 1)
        end = position + 1 + length
        assert end <= len(data), "the server wrote half a message"
        found.append((chr(data[position]), data[position + 5 : end]))
        position = end
    return found


# --- running -----------------------------------------------------------------------------------


class FakeIo:
    """A socket in memory."""

    def __init__(self) -> None:
        self.written = bytearray()
        self.writes = 0
        self.writable = True
        self.closed = False
        self.holds = 0
        self.tasks: list[asyncio.Task[None]] = []
        self.drained = asyncio.Event()

    def write(self, data: bytes) -> None:
        assert not self.closed, "written after close"
        self.written += data
        self.writes += 1

    async def drain(self) -> None:
        self.drained.clear()
        await self.drained.wait()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        assert all(t.done() for t in self.tasks) or len([t for t in self.tasks if not t.done()]) <= 1
        self.tasks = [t for t in self.tasks if not t.done()] + [asyncio.ensure_future(work)]

    def hold_reading(self) -> None:
        self.holds += 1

    def resume_reading(self) -> None:
        self.holds -= 1
        assert self.holds >= 0

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = True


class Wire:
    """A conversation on a fake socket with a fake session."""

    def __init__(self, session: Any = None) -> None:
        self.session = session or FakeSession()
        self.io = FakeIo()
        self.conversation = Conversation(self.session, self.io)

    async def settle(self) -> None:
        """Lets everything run that can run."""
        for _ in range(60):
            await asyncio.sleep(0)

    async def send(self, data: bytes, piece: int | None = None) -> None:
        step = piece or max(len(data), 1)
        for start in range(0, len(data), step):
            if self.io.closed:
                break
            self.conversation.receive(data[start : start + step])
            if piece:
                await asyncio.sleep(0)
        await self.settle()

    def replies(self) -> list[str]:
        data = bytes(self.io.written)
        self.io.written.clear()
        return [decode(kind, payload) for kind, payload in split_frames(data)]


async def play(lines: list[str], piece: int | None = None) -> list[str]:
    """Runs a script and returns it with the answers that were really given."""
    wire = Wire()
    session = wire.session
    seen: list[str] = []
    packet = b""

    async def flush() -> None:
        nonlocal packet
        if packet:
            await wire.send(packet, piece)
            packet = b""
            seen.extend("< " + reply for reply in wire.replies())
            if wire.io.closed:
                seen.append("< closed")
            seen.extend("~ " + entry for entry in session.log if not piece)
            session.log.clear()

    for line in lines:
        if line.startswith("> "):
            seen.append(line)
            packet += encode(line[2:])
            continue
        await flush()
        if line.startswith("! "):
            seen.append(line)
            match line[2:].strip():
                case "cancel":
                    wire.conversation.cancel()
                case "hold answers":
                    session.answer_later = False
                case "answer":
                    done, result = session.waiting.pop()
                    done(result)
                case "terminate":
                    wire.conversation.terminate(SqlError("57P01", "terminating connection"))
                case "notify":
                    session.heard.hear([(7, "news", "extra")])
                    session.on_notification()
                case "lost":
                    wire.conversation.lost()
                case "closed?":
                    seen.append(f"~ session {'closed' if session.closed else 'open'}")
                case "streams?":
                    seen.append(f"~ {session.streams_open} streams open")
                case "copied?":
                    seen.append(f"~ copied {session.copied}")
                case other:
                    raise AssertionError(f"no such event: {other}")
            await wire.settle()
            seen.extend("< " + reply for reply in wire.replies())
            if wire.io.closed:
                seen.append("< closed")
            seen.extend("~ " + entry for entry in session.log if not piece)
            session.log.clear()
        elif line.startswith("#") or not line.strip():
            seen.append(line)
    await flush()
    for task in wire.io.tasks:
        task.cancel()
    return seen
