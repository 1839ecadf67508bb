"""Pipelines of one INSERT: rows that come as runs of messages go in as one batch.

    Bind Describe Execute | Bind Describe Execute | ... | Sync        JDBC's batches, libpq's pipelines
    Bind Execute | Bind Execute | ...                   | Sync        asyncpg's executemany
    Bind of 1,280 parameters, Describe, Execute         | Sync        VALUES of many rows

A run is the same few bytes around the values of each row, so it is framed by comparing those, its values are read by
columns (`encoding.bound_columns`), and its replies are the same constant, so many times. The session takes all of it
or nothing; if nothing, the very same messages are answered one by one, so errors are what and where they would be.

What has come of a run may be its beginning only. Nobody may expect an answer before Sync or Flush, so it waits for
more (`Run.waits`), up to RUN_BYTES_MAX.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from time import time_ns
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from executor.abc import Portal, Prepared, Rows
from pgwire import messages, replies
from pgwire.abc import MORE, Step
from pgwire.encoding.arrow_views import Bytes
from pgwire.encoding.binary_fields import Fields, Places
from pgwire.encoding.bound_columns import BoundColumn, read_columns
from pgwire.encoding.bound_places import fields_of_binds
from pgwire.encoding.copy_columns import Doubt
from pgwire.results import PortalRun
from pgwire.shapes import Formats, bound_columns
from planner.abc import SqlError, TypeRef
from planner.types.settings import MomentUnsaid

if TYPE_CHECKING:
    from pgwire.session import Conversation

RUN_ROWS_MIN: Final = 8
"""Fewer rows are as well inserted one by one."""
_FIRST_STEP: Final = 8
_STEP_GROWTH: Final = 8
"""How many Binds are compared at once: few at first, for where statements take turns there is one of each."""
RUN_ROWS_MAX: Final = 4_096
RUN_BYTES_MAX: Final = 256 * 1024
VALUES_MIN: Final = 16
"""So many parameters in one Bind are worth a look whether they are those of many rows."""

_DESCRIBE: Final = b"D\x00\x00\x00\x06P\x00"
_EXECUTE: Final = b"E\x00\x00\x00\x09\x00"
_EXECUTE_SIZE_BYTES: Final = 10
_BIND: Final = messages.BIND
_PIECES: Final = frozenset((messages.BIND, messages.DESCRIBE, messages.EXECUTE))
_length_at = Struct(">I").unpack_from


class Run:
    """What has come of a run so far; places count from its first byte."""

    __slots__ = (
        "_behind",
        "_beyond",
        "_head",
        "_pieces",
        "_tail_size_bytes",
        "count",
        "described",
        "end",
        "is_over",
    )

    def __init__(self, head: bytes, tail: bytes, after: bytes) -> None:
        self._head = np.frombuffer(head, np.uint8)
        """A Bind's payload up to its values."""
        self._behind = np.frombuffer(tail + after, np.uint8)
        """What follows the values: the result formats, then the messages after each Bind."""
        self._tail_size_bytes, self._beyond = len(tail), len(after)
        self.described = after.startswith(_DESCRIBE)
        self._pieces: list[tuple[Places, Places]] = []
        self.count = 0
        self.end = 0
        self.is_over = False

    def read(self, buffer: bytes, base: int) -> None:
        """Goes on where it stopped, in a buffer in which the run begins at `base`."""
        beyond, size = self._beyond, len(buffer)
        stop = base + RUN_BYTES_MAX
        step = _FIRST_STEP
        while True:
            at = base + self.end
            room = min(RUN_ROWS_MAX - self.count, step)
            places = [at]
            while room and at < stop and at + 5 <= size:
                at += 1 + _length_at(buffer, at + 1)[0] + beyond
                if at > size:
                    break
                places.append(at)
                room -= 1
            if len(places) == 1:
                break
            if not self._keep_alike(buffer, base, np.array(places, np.int64)):
                self.is_over = True
                return
            step *= _STEP_GROWTH
        self.is_over = self.count >= RUN_ROWS_MAX or self.end >= RUN_BYTES_MAX
        self.is_over = self.is_over or _goes_elsewhere(buffer, base + self.end)

    def _keep_alike(self, buffer: bytes, base: int, places: Places) -> bool:
        """Takes those Binds that are the run's, of messages that begin at `places` if all of them are; whether they are."""
        head, behind = self._head, self._behind
        ends = places[1:] - self._beyond
        starts, tails = places[:-1] + 5 + len(head), ends - self._tail_size_bytes
        octets = np.frombuffer(buffer, np.uint8)
        alike = (octets[places[:-1]] == _BIND) & (tails >= starts)
        # A message that is too short may not be looked into: what is there instead is the next one.
        last = len(buffer) - len(head)
        alike &= (_windows(octets, len(head))[np.minimum(starts - len(head), last)] == head).all(axis=1)
        alike &= (_windows(octets, len(behind))[tails] == behind).all(axis=1)
        count = len(alike) if alike.all() else int(alike.argmin())
        if count:
            self._pieces.append((starts[:count] - base, tails[:count] - base))
            self.count += count
            self.end = int(places[count]) - base
        return count == len(alike)

    def values(self) -> tuple[Places, Places]:
        """Where each Bind's values begin and end."""
        starts, ends = zip(*self._pieces, strict=True)
        return np.concatenate(starts), np.concatenate(ends)


def _windows(octets: Bytes, width: int) -> Bytes:
    """For every byte the `width` bytes that begin there."""
    return np.ndarray((len(octets) - width + 1, width), np.uint8, octets, 0, (1, 1))


def _goes_elsewhere(buffer: bytes, at: int) -> bool:
    """Whether a whole message is here that ends the run, or one that is too long to wait for."""
    size = len(buffer)
    while at + 5 <= size:
        length = _length_at(buffer, at + 1)[0]
        if buffer[at] not in _PIECES or length > RUN_BYTES_MAX:
            return True
        at += 1 + length
        if at > size:
            return False
    return False


def is_single(conversation: Conversation, value_count: int) -> bool:
    """Whether a Bind at hand is for certain no beginning of a run: little, and Sync comes after its Execute."""
    inbox = conversation.inbox
    return (
        value_count < VALUES_MIN
        and conversation.pipeline is None
        and not conversation.one_by_one
        and inbox.buffer.startswith(messages.DESCRIBE_EXECUTE_SYNC, inbox.end)
    )


def take(conversation: Conversation, prepared: Prepared, bound: messages.Bound) -> Step:
    """What becomes of a Bind of the unnamed portal that may begin a run; None: it is answered as any other."""
    if conversation.one_by_one:
        conversation.one_by_one -= 1
        return None
    run, conversation.pipeline = conversation.pipeline, None
    if conversation.encoding is not None:
        return None  # every text has to be translated
    inbox = conversation.inbox
    inbox.widen()
    buffer, end = inbox.buffer, inbox.end
    after = end + len(_DESCRIBE) if buffer.startswith(_DESCRIBE, end) else end
    executed = buffer.startswith(_EXECUTE, after)
    after += _EXECUTE_SIZE_BYTES
    follows = executed and after < len(buffer) and buffer[after] == _BIND
    _, name, codes, values, formats = bound
    if not (follows or len(values) >= VALUES_MIN) or len(values) != len(prepared.plan.parameters):
        return None
    types = conversation.session.takes_batches(prepared.plan)
    if types is None:
        return None
    row_count = len(values) // len(types)
    if not follows and row_count < RUN_ROWS_MIN:
        return None
    base = inbox.start - messages.HEADER_SIZE_BYTES
    if after > len(buffer) and not _goes_elsewhere(buffer, end):
        inbox.position = base
        return MORE  # its Execute is on the way
    if not executed:
        return None
    if run is None:
        start = inbox.start + len(name.encode()) + 6 + 2 * len(codes)  # two terminators, two counts
        run = Run(buffer[inbox.start : start], buffer[end - 2 - 2 * len(formats) : end], buffer[end:after])
    run.read(inbox.buffer, base)
    if run.count * row_count < RUN_ROWS_MIN:
        return None
    if not run.is_over:
        conversation.pipeline = run
        inbox.position = base
        return MORE
    return _Batch(conversation, prepared, types, codes, run, row_count).begin(base)


class _Batch:
    """The rows of a run on their way into the session, and what is said of them."""

    __slots__ = ("_codes", "_conversation", "_prepared", "_row_count", "_run", "_types")

    def __init__(
        self,
        conversation: Conversation,
        prepared: Prepared,
        types: Sequence[TypeRef],
        codes: Formats,
        run: Run,
        row_count: int,
    ) -> None:
        self._conversation, self._prepared = conversation, prepared
        self._types, self._codes = types, codes
        self._run, self._row_count = run, row_count

    def begin(self, base: int) -> Step:
        """Reads the values of the run that begins there, then has them inserted. None: they are to go one by one.

        The messages stay where they are until they are answered.
        """
        conversation, run = self._conversation, self._run
        try:
            readers = bound_columns(
                self._prepared, self._types, self._codes, conversation.session.type_settings
            )
            given = read_columns(readers, self._fields(base, readers))
        except (Doubt, SqlError, MomentUnsaid, pa.ArrowException, OverflowError):
            conversation.one_by_one = run.count - 1
            return None
        conversation.inbox.position = base
        return self._insert(given)

    def _fields(self, base: int, readers: Sequence[BoundColumn]) -> list[Fields]:
        data = self._conversation.inbox.buffer
        starts, ends = (base + places for places in self._run.values())
        # Of a row in each Bind every step is all rows': leaping over values saves nothing.
        widths = [c.width if self._row_count > 1 else 0 for c in readers]
        return fields_of_binds(data, starts, ends, self._row_count, widths)

    async def _insert(self, given: Sequence[pa.Array]) -> None:
        conversation, prepared, run = self._conversation, self._prepared, self._run
        count = run.count
        session = conversation.session
        session.statement_text, session.statement_began_ns = prepared.text, time_ns()
        try:
            taken = await session.insert_batch(prepared.plan, given, executions=count)
        except Exception as error:  # noqa: BLE001
            conversation.fail_and_skip(error)
            return
        if not taken:
            conversation.one_by_one = count
            return
        conversation.inbox.position += run.end
        result = Rows(f"INSERT 0 {self._row_count}")
        reply = replies.BIND_COMPLETE + replies.NO_DATA if run.described else replies.BIND_COMPLETE
        conversation.out.append((reply + replies.command_complete(result.tag)) * count)
        conversation.drop_portal("")
        conversation.unnamed_done = None
        portal = session.portals[""] = Portal("", prepared, ())
        PortalRun.mark_finished(portal, result)


__all__ = ["Run", "take"]
