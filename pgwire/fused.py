"""Bind, (Describe,) Execute and Sync of the unnamed portal, answered as one: no portal is made, it would die at this Sync.

    execute   Session.execute_now --> Rows      opening + rows + CommandComplete + ReadyForQuery, in one piece
                                  --> PENDING   the same, from the callback
                                  --> None      a task, by the wide door

The **opening** is what is said before the rows: BindComplete, and the description where Describe was among the four.
"""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING

from executor.abc import PENDING, CopyIn, Prepared, Rows
from pgwire import replies
from pgwire.abc import Step
from pgwire.pages import encoded
from pgwire.shapes import Shape
from planner.abc import SqlError

if TYPE_CHECKING:
    from pgwire.session import Conversation
    from storage.abc import Datum


def execute(
    conversation: Conversation,
    prepared: Prepared,
    params: tuple[Datum, ...],
    shape: Shape,
    formats: tuple[int, ...],
    opening: bytes,
) -> Step:
    """Runs it as a transaction of its own, or in the open block. None: it is answered."""
    session = conversation.session
    session.statement_text, session.statement_began_ns = prepared.text, time_ns()
    try:
        result = session.execute_now(prepared.plan, params, conversation.done, autocommit=True)
    except Exception as error:  # noqa: BLE001
        _fail(conversation, error, opening)
        return None
    if result is None:
        conversation.out.append(opening)
        return _wide(conversation, prepared, params, formats)
    conversation.unnamed_done = prepared
    if result is PENDING:
        return conversation.wait(_finish, shape, opening)
    _reply(conversation, shape, result, opening)  # type: ignore[arg-type]
    return None


def _reply(conversation: Conversation, shape: Shape, result: Rows, opening: bytes) -> None:
    session, rows, body = conversation.session, result.rows, b""
    if rows:
        try:
            body = encoded(shape, rows)
        except SqlError as error:  # a character that the client's encoding does not have
            _fail(conversation, error, opening)
            return
    if session.portals:
        conversation.after_statement()  # it may have been COMMIT
    if session.notices or session.parameter_changes or session.heard or session.silence_limited:
        conversation.out.append(opening + body)
        conversation.complete(result.tag)
        conversation.ready()
    else:
        ready = replies.READY[session.transaction_status]
        conversation.out.append(b"".join((opening, body, replies.command_complete(result.tag), ready)))


def _fail(conversation: Conversation, error: Exception, opening: bytes) -> None:
    conversation.out.append(opening)
    conversation.fail(error)
    conversation.ready()


def _finish(conversation: Conversation, result: Rows | Exception, shape: Shape, opening: bytes) -> None:
    if isinstance(result, Exception):
        _fail(conversation, result, opening)
    else:
        _reply(conversation, shape, result, opening)


async def _wide(
    conversation: Conversation, prepared: Prepared, params: tuple[Datum, ...], formats: tuple[int, ...]
) -> None:
    copied = False
    try:
        result = await conversation.session.execute(prepared.plan, params, autocommit=True)
        # The Sync that came along belongs to the copying; the one behind CopyDone is answered.
        copied = isinstance(result, CopyIn)
        conversation.complete(await conversation.send_result(prepared.plan, result, formats, described=True))
    except Exception as error:  # noqa: BLE001
        if copied:
            conversation.fail_and_skip(error)
            return
        conversation.fail(error)
    if not copied:
        conversation.after_statement()
        conversation.ready()


__all__ = ["execute"]
