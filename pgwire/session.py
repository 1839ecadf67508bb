"""One client's conversation: messages in, replies out, the SQL session in between.

    Inbox --message--> handler --> Session.execute_now --> Rows      reply at once
                          |                            --> PENDING   reply from the callback
                          |                            --> None      \\
                          +------- await ... ------------------------- one task, then go on

A handler is an ordinary function that returns what is to become of the loop: `None` (answered: next
message), `WAIT` (a callback will go on), or a coroutine (the wide door: one task of this
connection runs it, later messages wait in the inbox). So a keyed statement is read, executed
and answered inside one call of `receive`, and all the answers of one read leave in one write.

Which handler a message finds depends on the state, and the state *is* the table of handlers:

    _normal     everything
    _skipping   after an error in the extended protocol: all is dropped until Sync
    _copying    COPY FROM STDIN: data goes to the task that waits for it
    _replicating    as _normal, with the commands of replication (`replication`)

The handlers live by protocol: `simple`, `extended`, `copying`. Not here: sockets (`connection`), the bytes of
messages (`messages`, `replies`), results on their way out (`results`),
what a client is told besides (`telling`).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from executor.abc import CopyIn, CopyOut, Portal, Prepared, Rows, RowsAfterOthers, Session, Stream
from pgwire import copying, express, extended, function_calls, fused, messages, parsed, replies, simple
from pgwire.abc import MORE, WAIT, Io, Step
from pgwire.copy_files import copy_from_file, copy_to_file
from pgwire.copying import CopyFeed, Feed
from pgwire.errors import describe
from pgwire.messages import BIND, PARSE, QUERY, Inbox, ProtocolViolation
from pgwire.replication import walsender
from pgwire.results import send_copy_out, send_rows, send_stream
from pgwire.runs import Run
from pgwire.shapes import shape_of, shape_of_columns
from pgwire.telling import Telling
from pgwire.wakefulness import ASLEEP, Wakefulness
from planner.abc import Plan, SqlError
from planner.types.speech import SPEAKER

READ_HIGH_BYTES: Final = 1024 * 1024
"""Reading pauses when more than this waits behind a running statement."""
OUT_PIECES_HIGH: Final = 64
"""So many pieces of replies are collected before they are handed to the socket."""


class Conversation(Telling):
    """The protocol after authentication, on one `Session`. Everything happens on the loop's thread."""

    __slots__ = (
        "_held",
        "bound",
        "calling",
        "calm",
        "copy",
        "deaf",
        "early",
        "handlers",
        "inbox",
        "one_by_one",
        "parsed",
        "pending",
        "pipeline",
        "said",
        "source",
        "unnamed_done",
        "usual",
        "wakefulness",
    )

    def __init__(
        self,
        session: Session,
        io: Io,
        *,
        limit_bytes: int = messages.DEFAULT_LIMIT_BYTES,
        wakefulness: Wakefulness = ASLEEP,
        replicates: bool = False,
    ) -> None:
        super().__init__(session, io)
        self.wakefulness = wakefulness
        session.on_notification = self._hear
        session.on_terminate, session.on_interrupt = self.end, self._interrupt
        session.on_notices = self._tell_notices
        self.inbox = Inbox(limit_bytes)
        self.calling = session.call_type  # what messages to this client call types
        self.calm = False
        """Nothing is under way or waits, but perhaps a statement that `express` has begun: what comes may be answered there."""
        self.usual = _replicating if replicates else _normal
        self.handlers = self.usual
        self.pending: tuple[Any, ...] | None = None  # who finishes what execute_now began
        self.early: Rows | Exception | None = None
        self.copy: CopyFeed | None = None
        self.source: Feed | None = None  # where the bytes of a COPY come from: that feed, or a file
        self._held = False
        self.deaf = False  # nothing more comes: the client has closed its side
        self.bound: list[Portal] = []  # that only read, and may have to be begun before something else
        self.unnamed_done: Prepared | None = None  # run by the fused path, inside a block
        self.pipeline: Run | None = None  # of which there may be more to come
        self.parsed: parsed.Known = {}  # unnamed statements that may come again
        self.said: dict[bytes, fused.Said] = {}  # messages that open or end a block
        self.one_by_one = 0  # Binds that are not to be taken as a run

    # --- from the connection -------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Bytes came from the client."""
        SPEAKER.set(self.calling)
        wakefulness = self.wakefulness
        wakefulness.heard += 1
        if not wakefulness.awake:
            wakefulness.stir()
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
        if self.calm and not self.busy and self.io.writable:
            first = data[0]
            if first == BIND:
                if express.answered(self, data):
                    return
            elif first == PARSE:
                if parsed.answered(self, data):
                    return
            elif first == QUERY and simple.answered(self, data):
                return
        self.calm = False
        self.inbox.feed(data)
        if not self.busy:
            self.run()
            if self.io.writable:
                return
        if not self._held and self.inbox.waiting_bytes > READ_HIGH_BYTES:
            self._held = True
            self.io.hold_reading()

    def lost(self) -> None:
        """The client is gone. What runs is cancelled; the session closes when it has stopped."""
        if self.gone:
            return
        self.gone, self.calm = True, False
        if self.source is not None:
            self.source.fail(SqlError("08006", "connection to client lost"))
        if self.working or self.busy:
            self.session.stop()
        else:
            self._close_session()

    def heard_out(self) -> bool:
        """The client has closed its side: nothing more comes, but it may still wait for answers to what it has said.

        Whether the connection is to stay until they are given. A client that is gone looks the same until something is sent to
        it, so what runs goes on for such a one, too, as it does in PostgreSQL, unless the session is to look after its client.
        """
        idle = not (self.busy or self.working)
        if self.gone or idle or self.usual is _replicating or self.session.looks_after_client():
            return False
        self.deaf, self.calm = True, False
        if not self.busy:
            self.run()
        return True

    def terminate(self, error: Exception) -> None:
        """Ends the conversation with a FATAL error as soon as no statement runs: now, or after it."""
        self._ending, self.calm = error, False
        if not (self.busy or self.working):
            self.run()

    def end(self, error: Exception) -> None:
        """Ends the conversation whatever it is at: somebody wants the session gone, with its locks and its snapshot.

        A statement whose rows nobody takes would never end, and a client that takes nothing cannot be told.
        """
        self.terminate(error)
        if not self.io.writable:
            self.io.abort()

    def cancel(self) -> None:
        """A cancel request with the right key, or who has waited long enough for a session that ends: the statement that runs, if
        one does, is not to go on."""
        if self.idle:
            return
        if self.ends:
            self.session.stop()
        else:
            self.session.cancel()

    def _interrupt(self, reason: Exception) -> None:
        """The session's statement is to end, whoever wants that: rows that COPY waits for come no more."""
        if self.source is not None:
            self.source.fail(reason)

    @property
    def undisturbed(self) -> bool:
        """Nothing is under way or waits."""
        return (
            self.handlers is self.usual
            and not self.busy
            and not self.inbox.buffer
            and self._ending is None
            and self.pipeline is None
            and not self.bound
            and not self.one_by_one
            and not self.gone
        )

    @property
    def ends(self) -> bool:
        """Whether the conversation ends as soon as no statement runs."""
        return self._ending is not None

    def writable(self) -> None:
        """The client takes data again."""
        if not self.busy and not self.gone:
            if self.session.heard:
                self._hear()
            self.run()

    # --- the loop ------------------------------------------------------------------------------

    def run(self) -> None:
        """Answers messages until there is none, or one has to wait."""
        inbox = self.inbox
        out = self.out
        try:
            while True:
                if self._ending is not None:
                    self._say_goodbye(self._ending)
                    return
                if not self.io.writable and not self.working:
                    break
                kind = inbox.next()
                if not kind:
                    break
                handler = self.handlers.get(kind)
                if handler is None:
                    handler = _refused
                step = handler(self)
                if step is None:
                    if len(out) > OUT_PIECES_HIGH:
                        self.flush()
                    continue
                if step is MORE:
                    break
                if not self.under_way(step):
                    return
        except ProtocolViolation as violation:
            self._say_goodbye(violation)
            return
        if self.deaf and self.io.writable:
            self._all_said()
            return
        self.flush()
        self.calm = self.undisturbed
        if self._held and self.io.writable:
            self._held = False
            self.io.resume_reading()

    def _all_said(self) -> None:
        """What the client had to say before it closed its side is answered, but for rows of a COPY whose end has not come."""
        if self.copy is not None:
            self.break_copy(SqlError("08006", "unexpected EOF on client connection with an open transaction"))
            return
        self.flush()
        self._leave()

    def under_way(self, step: Step) -> bool:
        """A handler has begun what a callback or a task ends. Whether it has ended already, so that the loop goes on."""
        self.busy = True
        out = self.out
        if step is WAIT:
            if self.early is not None:  # the callback came before execute_now returned
                early, self.early = self.early, None
                self._finish(early)
                return not self.busy
            if len(out) != 1 or out[0] is not replies.PARSE_COMPLETE:
                self.flush()
            return False
        self.flush()
        if not self.working:  # else COPY: the task that waits for the data goes on
            self.working = True
            self.io.spawn(self._wide(step))  # type: ignore[arg-type]
        return False

    async def _wide(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except ConnectionError:
            self.lost()
        except Exception as error:  # noqa: BLE001  a defect here must not leave a client waiting
            self.working = self.busy = False
            self._say_goodbye(error)
            return
        finally:
            self.working = self.busy = False
            if self.gone:
                self._close_session()
        if not self.gone:
            self.run()

    def _close_session(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
        session = self.session
        session.on_notification = session.on_terminate = session.on_interrupt = session.on_notices = None
        session.close()

    def _say_goodbye(self, error: Exception) -> None:
        if not self.gone:
            self.out.append(describe(error).fatal().encode())
            self.flush()
            self._leave()

    # --- the callback of keyed writes ----------------------------------------------------------

    def done(self, result: Rows | Exception) -> None:
        """The statement that answered PENDING is durable, or has failed."""
        if not self.busy:
            self.early = result
            return
        SPEAKER.set(self.calling)  # who calls back has had to do with others
        if self.gone:
            self.busy = False
            self._close_session()
            return
        if self.calm:  # `express` has begun it, and nothing has come since
            assert self.pending is not None
            four: fused.Four = self.pending[1][0]
            self.pending, self.busy = None, False
            answer = fused.answer(self, four, result)
            if answer and not self.out:
                self.io.write(answer)
            else:
                self.out.append(answer)
                self.flush()
            return
        self._finish(result)
        if not self.busy:
            self.run()

    def wait(self, finish: Callable[..., None], *rest: Any) -> Step:
        """`finish(conversation, result, *rest)` will write the reply when the callback comes."""
        self.pending = (finish, rest)
        return WAIT

    def _finish(self, result: Rows | Exception) -> None:
        assert self.pending is not None, "a callback without a pending statement"
        finish, rest = self.pending
        self.pending = None
        self.busy = False
        finish(self, result, *rest)

    def go_on(self, step: Coroutine[Any, Any, None]) -> None:
        """From a callback: the statement is not over, a task goes on with it."""
        self.busy = self.working = True
        self.io.spawn(self._wide(step))

    # --- results and portals -------------------------------------------------------------------

    async def send_result(
        self,
        plan: Plan,
        result: Rows | Stream | CopyIn | CopyOut,
        formats: tuple[int, ...] = (),
        *,
        described: bool = False,
    ) -> str:
        """Sends a whole result and returns the tag. `described`: no RowDescription."""
        if isinstance(result, CopyIn):
            return await (copy_from_file if result.path else copying.copy_in)(self, result)
        if isinstance(result, CopyOut):
            return await (copy_to_file if result.path else send_copy_out)(self, result)
        settings = self.session.type_settings
        if isinstance(result, RowsAfterOthers) and not described:
            for other in result.before:
                assert other.columns is not None
                shape = shape_of_columns(other.columns, formats, settings)
                self.out.append(shape.description)
                await send_rows(self, shape, other.rows)
        columns = result.columns
        if columns is None and plan.columns is None:
            return result.tag
        if columns is None or columns is plan.columns:
            shape = shape_of(plan, formats, settings)
        else:
            shape = shape_of_columns(columns, formats, settings)
        if not described:
            self.out.append(shape.description)
        if isinstance(result, Rows):
            await send_rows(self, shape, result.rows)
            return result.tag
        count = await send_stream(self, shape, result)
        return f"{result.tag} {count}"

    def drop_portal(self, name: str) -> None:
        portal = self.session.portals.pop(name, None)
        if portal is not None:
            portal.close()

    def after_statement(self, keep: str | None = None) -> None:
        """Portals end with their transaction; `keep` is the one that is just being run."""
        session = self.session
        if keep is not None and session.watched:
            self.log_duration()
        if session.portals and session.transaction_status == b"I" and not session.in_implicit:
            for name in [n for n, p in session.portals.items() if not p.from_sql and n != keep]:
                self.drop_portal(name)

    # --- states --------------------------------------------------------------------------------

    def fail_and_skip(self, error: BaseException, offset: int = 0) -> None:
        """A failure in the extended protocol: what follows is dropped until Sync."""
        self.fail(error, offset)
        self.handlers = _skipping

    def leave_skipping(self) -> None:
        """Sync has come."""
        self.one_by_one = 0
        self.handlers = self.usual

    def enter_copy(self, feed: CopyFeed) -> None:
        self.copy = self.source = feed
        self.handlers = _copying

    def break_copy(self, error: SqlError) -> None:
        """Rows of a COPY end without a word: nobody knows what would come next, so the conversation ends with it."""
        assert self.copy is not None, "no COPY to break"
        self._ending = ProtocolViolation(
            "terminating connection because protocol synchronization was lost", fatal=True
        )
        self._cut = True
        self.copy.fail(error)

    def leave_copy(self) -> None:
        self.copy = self.source = None
        self.handlers = self.usual

    # --- the rest ------------------------------------------------------------------------------

    def _ignore(self) -> Step:
        return None

    def _terminate(self) -> Step:
        self.flush()
        self._leave()
        return WAIT

    def _leave(self) -> None:
        """Closes from this side; a task that is still at work closes the session when it ends."""
        self.gone, self.calm = True, False
        if self.source is not None:
            self.source.fail(SqlError("08006", "connection to client lost"))
        self.io.close()
        if not self.working:
            self._close_session()

    def _refuse(self) -> Step:
        kind = self.inbox.buffer[self.inbox.start - messages.HEADER_SIZE_BYTES]
        raise ProtocolViolation(f"invalid frontend message type {kind}", fatal=True)


_refused: Final = Conversation._refuse
Handlers = Mapping[int, Callable[[Conversation], Step]]

_normal: Handlers = {
    messages.QUERY: simple.query,
    messages.PARSE: extended.parse,
    messages.BIND: extended.bind,
    messages.DESCRIBE: extended.describe,
    messages.EXECUTE: extended.execute,
    messages.CLOSE: extended.close,
    messages.FLUSH: extended.flush,
    messages.SYNC: extended.sync,
    messages.TERMINATE: Conversation._terminate,
    messages.FUNCTION_CALL: function_calls.function_call,
    # The tail of a COPY that failed here while the client was still sending.
    messages.COPY_DATA: Conversation._ignore,
    messages.COPY_DONE: Conversation._ignore,
    messages.COPY_FAIL: Conversation._ignore,
}

_replicating: Handlers = {**_normal, messages.QUERY: walsender.query}

_skipping: Handlers = {
    **dict.fromkeys(_normal, Conversation._ignore),
    messages.SYNC: extended.sync,
    messages.TERMINATE: Conversation._terminate,
}

_copying: Handlers = {
    **dict.fromkeys(_normal, copying.copy_refused),
    messages.COPY_DATA: copying.copy_data,
    messages.COPY_DONE: copying.copy_done,
    messages.COPY_FAIL: copying.copy_fail,
    # Clients may have sent these before they knew that the statement was a COPY.
    messages.FLUSH: Conversation._ignore,
    messages.SYNC: Conversation._ignore,
}
