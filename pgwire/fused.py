"""Bind, (Describe,) Execute and Sync of the unnamed portal, answered as one: no portal is made, it would die at this Sync.

    execute   Session.execute_now --> Rows      opening + rows + CommandComplete + ReadyForQuery, in one piece
                                  --> PENDING   the same, from the callback
                                  --> None      a task, by the wide door

The **opening** is what is said before the rows: BindComplete, and the description where Describe was among the four.
"""

from __future__ import annotations

from collections.abc import Callable
from time import time_ns
from typing import TYPE_CHECKING, Any

from executor.abc import PENDING, CopyIn, Done, Prepared, Rows, _Pending
from pgwire import replies
from pgwire.abc import WAIT, Step
from pgwire.pages import encoded
from pgwire.shapes import Shape

if TYPE_CHECKING:
    from pgwire.session import Conversation
    from storage.abc import Datum


Run = Callable[[tuple[Any, ...], Done], "Rows | _Pending | None"]


class Four:
    """The four messages: with which formats of its columns, and what opens their answer.

    It does not know whose they are: the statement knows it (`express`), and what held each other would stay until the cycle
    collector comes by, and the session with it.
    """

    __slots__ = ("formats", "opening", "run", "said", "shape", "told")

    def __init__(self, shape: Shape, formats: tuple[int, ...], *, described: bool) -> None:
        self.shape, self.formats = shape, formats
        self.opening = shape.bound if described else replies.BIND_COMPLETE
        self.run: Run | None = None
        """What runs it instead, if it comes again (`express`)."""
        self.told: Rows | None = None
        """A result without rows that has been answered, and with what, in which status: it is always the same one (a constant)."""
        self.said = b"", b""


class Said(Four):
    """BEGIN or COMMIT as a whole message of the simple protocol: before its answer is nothing to say (`simple.answered`)."""

    __slots__ = ("text",)

    def __init__(self, text: str, run: Run) -> None:
        self.text, self.run = text, run
        self.opening, self.told = b"", None


def execute(
    conversation: Conversation, prepared: Prepared, four: Four, params: tuple[Datum, ...]
) -> Step | bytes:
    """Runs it as a transaction of its own, or in the open block: the answer, or who will give it.

    An answer that is empty has been given: what it says is behind other things that were to be said.
    """
    session = conversation.session
    session.statement_text, session.statement_began_ns = prepared.text, time_ns()
    try:
        result = session.execute_now(prepared.plan, params, conversation.done, True)
    except Exception as error:  # noqa: BLE001
        return _failed(conversation, four, error)
    if result is PENDING:
        conversation.unnamed_done = prepared
        conversation.pending = finish, (four,)
        return WAIT
    if result is None:
        conversation.out.append(four.opening)
        return _wide(conversation, prepared, params, four.formats)
    conversation.unnamed_done = prepared
    return answer(conversation, four, result)  # type: ignore[arg-type]


def answer(conversation: Conversation, four: Four, result: Rows | Exception) -> bytes:
    """What is said of a result. Empty as with `execute`."""
    if result.__class__ is not Rows:
        return _failed(conversation, four, result)  # type: ignore[arg-type]
    session, rows, body = conversation.session, result.rows, b""
    if result is four.told:
        status, said = four.said
        quiet = not (session.notices or session.parameter_changes or session.heard or session.watched)
        if status == session.transaction_status and quiet and not session.portals:
            return said
    if rows:
        try:
            body = encoded(four.shape, rows)
        except Exception as error:  # noqa: BLE001  a character that the client's encoding does not have, or a defect, which is reported
            return _failed(conversation, four, error)
    if session.portals:
        conversation.after_statement()  # it may have been COMMIT
    if session.notices or session.parameter_changes or session.heard or session.watched:
        conversation.out.append(four.opening + body)
        conversation.complete(result.tag)
        conversation.ready()
        return b""
    tag, status = result.tag, session.transaction_status
    end = replies.ENDED.get((tag, status)) or replies.ended(tag, status)
    if body:
        return b"".join((four.opening, body, end))
    said = four.opening + end
    four.told, four.said = result, (status, said)
    return said


def _failed(conversation: Conversation, four: Four, error: Exception) -> bytes:
    conversation.out.append(four.opening)
    conversation.fail(error)
    conversation.ready()
    return b""


def finish(conversation: Conversation, result: Rows | Exception, four: Four) -> None:
    """What a callback answers (`Conversation.wait`)."""
    conversation.out.append(answer(conversation, four, result))


async def _wide(
    conversation: Conversation, prepared: Prepared, params: tuple[Datum, ...], formats: tuple[int, ...]
) -> None:
    copied = False
    try:
        result = await conversation.session.execute(prepared.plan, params, autocommit=True)
        # The Sync that came along belongs to the copying; the one behind CopyDone is answered.
        copied = isinstance(result, CopyIn) and not result.path
        conversation.complete(await conversation.send_result(prepared.plan, result, formats, described=True))
    except Exception as error:  # noqa: BLE001
        if copied:
            conversation.fail_and_skip(error)
            return
        conversation.fail(error)
    if not copied:
        conversation.after_statement()
        conversation.ready()


__all__ = ["Four", "Said", "answer", "execute", "finish"]
