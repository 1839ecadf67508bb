"""What the commands of a replication connection do, and the stream of changes (PostgreSQL manual, 55.4).

    START_REPLICATION ...                              CopyBothResponse
      <-- 'w' place, end, time, message                one for each message of the plugin
      <-- 'k' end, time, answer now?                   in silence, and where the follower should say how far it is
      --> 'r' written, flushed, applied, time, ...     the slot's place is what it has flushed
    CopyDone on both sides, CommandComplete            and the connection takes the next command

The loop looks for what has committed every few milliseconds while there is much to tell, and ever less often while there is nothing.
"""

from __future__ import annotations

import asyncio
import struct
from time import monotonic_ns, time_ns
from typing import TYPE_CHECKING, Final

from executor.replication.follower import Changes, Follower, snapshot_name
from executor.replication.plugin import EPOCH_US
from pgwire import messages, replies, simple
from pgwire.abc import Step
from pgwire.copying import CopyFeed
from pgwire.messages import ProtocolViolation
from pgwire.pages import encoded
from pgwire.replication import commands
from pgwire.replication.commands import (
    Command,
    CreateSlot,
    DropSlot,
    IdentifySystem,
    Physical,
    ReadSlot,
    StartLogical,
)
from pgwire.shapes import shape_of_columns
from planner.abc import ResultColumn, SqlError, TypeRef
from planner.types import oids
from planner.types.log_places import datum_of, shown_log_place

if TYPE_CHECKING:
    from executor.abc import Session
    from pgwire.session import Conversation
    from storage.abc import Datum, Timestamp

COPY_BOTH: Final = replies.message(b"W", struct.pack(">bh", 0, 0))
QUICK_S: Final = 0.005
SLOW_S: Final = 0.25
KEEPALIVE_S: Final = 0.2
"""A follower whose tables rest is told so often that the log goes on, if it does."""
_DATA: Final = struct.Struct(">cqqq").pack
_KEEPALIVE: Final = struct.Struct(">cqq?").pack
_STATUS: Final = struct.Struct(">cqqqq?")
_TIMELINE: Final = 1


def query(conversation: Conversation) -> Step:
    """Query on a replication connection: a command, or SQL."""
    inbox = conversation.inbox
    text = ""
    try:
        text = messages.parse_query(inbox.buffer[inbox.start : inbox.end], conversation.encoding)
        command = commands.parse(text)
        if command is None and not conversation.session.follows_database:
            raise SqlError("0A000", "cannot execute SQL commands in WAL sender for physical replication")
        if isinstance(command, commands.Show):
            command = None  # SQL has it, too
    except (ProtocolViolation, SqlError) as error:
        conversation.fail(error)
        conversation.ready()
        return None
    if command is None:
        return simple.query(conversation)
    conversation.session.statement_text, conversation.session.statement_began_ns = text, time_ns()
    return _run(conversation, command)


async def _run(conversation: Conversation, command: Command) -> None:
    session = conversation.session
    try:
        if session.transaction_status == b"E":
            raise SqlError(
                "25P02", "current transaction is aborted, commands ignored until end of transaction block"
            )
        if isinstance(command, StartLogical):
            await _start(conversation, command)
        else:
            tag, columns, rows = await _answer(session, command)
            if columns:
                shape = shape_of_columns(columns, (), session.type_settings)
                conversation.out.append(shape.description)
                conversation.out.append(encoded(shape, rows))
            conversation.complete(tag)
    except ConnectionError:
        raise
    except Exception as error:  # noqa: BLE001  `errors` has the table
        conversation.fail(error)
    conversation.ready()


_Answer = tuple[str, tuple[ResultColumn, ...], list[tuple["Datum", ...]]]


async def _answer(session: Session, command: Command) -> _Answer:
    follower = session.follower()
    match command:
        case IdentifySystem():
            row = (
                follower.system,
                _TIMELINE,
                _place(follower.here),
                session.database if session.follows_database else None,
            )
            return "IDENTIFY_SYSTEM", _columns("systemid", "timeline", "xlogpos", "dbname"), [row]
        case ReadSlot(name):
            return (
                "READ_REPLICATION_SLOT",
                _columns("slot_type", "restart_lsn", "restart_tli"),
                [_read(follower, name)],
            )
        case DropSlot(name):
            await follower.drop(name)
            return "DROP_REPLICATION_SLOT", (), []
        case CreateSlot():
            return await _create(session, follower, command)
        case Physical(what):
            raise SqlError("0A000", f"{what} is not supported")
    raise AssertionError("unreachable")  # pragma: no cover


def _columns(*names: str) -> tuple[ResultColumn, ...]:
    return tuple(
        ResultColumn(
            name,
            TypeRef(oids.INT4 if name == "timeline" else oids.INT8 if name == "restart_tli" else oids.TEXT),
        )
        for name in names
    )


def _place(ts: Timestamp) -> str:
    return shown_log_place(datum_of(ts))


def _read(follower: Follower, name: str) -> tuple[Datum, ...]:
    try:
        follower.find(name)
    except SqlError:
        return None, None, None
    raise SqlError("0A000", "cannot use READ_REPLICATION_SLOT with a logical replication slot")


async def _create(session: Session, follower: Follower, command: CreateSlot) -> _Answer:
    if not session.follows_database:
        raise SqlError("55000", "logical decoding requires a database connection")
    if command.two_phase:
        raise SqlError("0A000", "two-phase commit of a replication slot is not supported")
    slot = await follower.create(command.name, command.plugin, temporary=command.temporary)
    try:
        if command.snapshot == "use":
            await follower.look_from(slot)
    except BaseException:
        await follower.drop(slot.name)
        raise
    exported = snapshot_name(slot) if command.snapshot == "export" else None
    row = (slot.name, _place(slot.confirmed), exported, slot.plugin)
    columns = _columns("slot_name", "consistent_point", "snapshot_name", "output_plugin")
    return "CREATE_REPLICATION_SLOT", columns, [row]


# --- the stream ---------------------------------------------------------------------------------------------------


class FollowerFeed(CopyFeed):
    """What the follower says while it is told of changes."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation.io)
        self.flushed: Timestamp = 0
        self.asked = False
        """It wants to hear from us now."""
        self.heard_ns = monotonic_ns()
        self.over = False
        self.failure: Exception | None = None
        self.woken = asyncio.Event()

    def put(self, data: bytes) -> None:
        self.heard_ns = monotonic_ns()
        if data[:1] == b"r" and len(data) == _STATUS.size:
            _, _, flushed, _, _, asked = _STATUS.unpack(data)
            self.flushed = max(self.flushed, flushed)
            self.asked = self.asked or asked
        elif data[:1] != b"h":  # feedback of a hot standby: there is nothing that it would hold back here
            self.failure = ProtocolViolation("unexpected message type in replication stream", fatal=True)
        self.woken.set()

    def finish(self, failure: Exception | None = None) -> None:
        self.over = True
        self.woken.set()

    def fail(self, error: Exception) -> None:
        self.failure = error
        self.woken.set()


async def _start(conversation: Conversation, command: StartLogical) -> None:
    session = conversation.session
    if session.transaction_status != b"I":
        raise SqlError("25001", "START_REPLICATION cannot run inside a transaction block")
    if not session.follows_database:
        raise SqlError("55000", "logical decoding requires a database connection")
    changes = session.follower().stream(command.name, command.place, command.options)
    feed = FollowerFeed(conversation)
    conversation.enter_copy(feed)
    try:
        conversation.out.append(COPY_BOTH)
        conversation.flush()
        conversation.busy = False
        conversation.run()  # what has been read already
        await _tell(conversation, changes, feed)
    finally:
        conversation.busy = True
        conversation.leave_copy()
        await changes.close()
    conversation.out.append(replies.COPY_DONE)
    conversation.complete("COPY 0")
    conversation.complete("START_REPLICATION")


async def _tell(conversation: Conversation, changes: Changes, feed: FollowerFeed) -> None:
    silent_s = SLOW_S
    spoke_ns, announced = monotonic_ns(), changes.told
    timeout_ns = conversation.session.sender_timeout_s * 1e9
    while not (feed.over or conversation.ends):
        if changes.has_more:
            async for place, message, is_last in changes.messages():
                _send(conversation, place, message)
                spoke_ns, silent_s = monotonic_ns(), QUICK_S
                if len(conversation.out) > 64:
                    await conversation.push()
                if (feed.over and is_last) or feed.failure is not None:
                    break
        if feed.failure is not None:
            raise feed.failure
        await changes.confirm(feed.flushed)
        now = monotonic_ns()  # whoever sets the clock ends nobody's stream
        behind = changes.told > announced and now - spoke_ns > KEEPALIVE_S * 1e9
        quiet = timeout_ns and now - max(feed.heard_ns, spoke_ns) > timeout_ns / 2
        if timeout_ns and now - feed.heard_ns > timeout_ns:
            raise ProtocolViolation("terminating walsender process due to replication timeout", fatal=True)
        if feed.asked or behind or quiet or silent_s == QUICK_S:
            feed.asked = False
            spoke_ns, announced = now, changes.told
            _alive(conversation, changes, answer=bool(quiet))
        await conversation.push()
        feed.woken.clear()
        try:
            await asyncio.wait_for(feed.woken.wait(), silent_s)
        except TimeoutError:
            silent_s = min(silent_s * 1.5, SLOW_S)


def _send(conversation: Conversation, place: Timestamp, message: bytes) -> None:
    conversation.out.append(
        replies.copy_data(_DATA(b"w", place, place, time_ns() // 1000 - EPOCH_US) + message)
    )


def _alive(conversation: Conversation, changes: Changes, *, answer: bool) -> None:
    body = _KEEPALIVE(b"k", changes.told + 1, time_ns() // 1000 - EPOCH_US, answer)
    conversation.out.append(replies.copy_data(body))


__all__ = ["query"]
