"""The simple protocol: one message, any number of statements, text results.

    Query "insert ...; insert ...; select ..."
      -> split -> plan -> execute -> RowDescription DataRow* CommandComplete   each
      -> end_implicit -> the last CommandComplete -> ReadyForQuery

A single statement that is known to the plan cache is answered on the spot. Several statements are
one implicit transaction; BEGIN inside turns it into a block. The last tag is held back until
the implicit transaction has committed: a tag says that it is durable.
"""

from __future__ import annotations

import asyncio
from struct import Struct
from time import monotonic, time_ns
from typing import TYPE_CHECKING

from executor.abc import PENDING, PlanOutdated, Result, Rows
from pgwire import fused, messages, replies
from pgwire.abc import WAIT, Step
from pgwire.bound_before import begin_first
from pgwire.messages import ProtocolViolation
from pgwire.pages import encoded
from pgwire.shapes import formats_of_fetch, shape_of, shape_of_columns
from planner.abc import Plan, PlanError, SqlError, Utility
from planner.alone import refuse_with_others
from planner.parse import parse_query, parse_statement
from planner.parse.placeholders import UNDECIDED_PARAMETER, named, no_parameter, prepares
from planner.statements import QueryStatement

if TYPE_CHECKING:
    from executor.abc import Session
    from pgwire.session import Conversation
    from storage.abc import Datum

_int32_at = Struct(">i").unpack_from
ALONE_BYTES_MAX = 65_536
"""Longer queries go through the inbox."""
_SMALLEST_BYTES = messages.HEADER_SIZE_BYTES + 1
SAID_MAX = 80
"""Characters of what opens or ends a block as drivers say it."""
SAID_COUNT_MAX = 16
YIELD_AFTER_S = 0.01
"""So long the statements of one string have the loop."""
PLANNED_MAX = 10
"""How often a statement is planned anew because its catalog has changed."""


def query(conversation: Conversation) -> Step:
    inbox = conversation.inbox
    if conversation.bound and (first := begin_first(conversation)) is not None:
        return first
    try:
        text = messages.parse_query(inbox.buffer[inbox.start : inbox.end], conversation.encoding)
    except (ProtocolViolation, SqlError) as violation:
        conversation.fail(violation)
        conversation.ready()
        return None
    return _asked(conversation, text)


def _asked(conversation: Conversation, text: str) -> Step:
    """Answers a query string, or begins to."""
    session = conversation.session
    session.statement_text, session.statement_began_ns = text, time_ns()
    if session.escapes_in_strings:
        try:
            text = session.standard(text)
        except SqlError as error:
            conversation.fail(error)
            conversation.ready()
            return None
    if session.portals:
        conversation.drop_portal("")
    conversation.unnamed_done = None
    session.statements.pop("", None)
    try:
        known = session.plan_simple(text)
    except Exception as error:  # noqa: BLE001 - a defect of ours: the client is told, and stays
        conversation.fail(error)
        conversation.ready()
        return None
    if known is None or len(known) != 1 or session.in_implicit:
        return _simple(conversation, text)
    plan, params = known[0]
    try:
        result = session.execute_now(plan, params, conversation.done, autocommit=True)
    except Exception as error:  # noqa: BLE001  `errors` has the table
        conversation.fail(error, plan.position_offset)
        conversation.ready()
        return None
    if result is None:
        return _simple_known(conversation, plan, params, text)
    if plan.body.__class__ is Utility and len(text) <= SAID_MAX:
        _learn(conversation, plan, text)
    if result is PENDING:
        return conversation.wait(_finish, plan, text)
    _reply(conversation, plan, result)  # type: ignore[arg-type]
    return None


def answered(conversation: Conversation, data: bytes) -> bool:
    """Answers what opens or ends a block, said as it was said before, or another query that is all that came, or begins to; False:
    nothing has happened.

    The conversation is `calm`. Drivers say these two with each transaction.
    """
    said, session = conversation.said.get(data), conversation.session
    if said is None:
        return _alone(conversation, data)
    if session.portals or session.in_implicit:
        return False
    session.statement_text, session.statement_began_ns = said.text, time_ns()
    conversation.unnamed_done = None
    session.statements.pop("", None)
    assert said.run is not None
    try:
        result = said.run((), conversation.done)
    except Exception as error:  # noqa: BLE001
        answer = fused.answer(conversation, said, error)
    else:
        if result is None:
            return False
        if result is PENDING:
            conversation.pending = fused.finish, (said,)
            if conversation.early is None:
                conversation.busy = True
            elif conversation.under_way(WAIT):
                conversation.flush()
            return True
        answer = fused.answer(conversation, said, result)  # type: ignore[arg-type]
    if answer:
        conversation.io.write(answer)
    else:
        conversation.flush()
    return True


def _alone(conversation: Conversation, data: bytes) -> bool:
    """Answers one whole query, past the inbox, which would be empty again behind it."""
    size = len(data)
    if size > ALONE_BYTES_MAX or size < _SMALLEST_BYTES or conversation.encoding is not None:
        return False
    if conversation.usual[messages.QUERY] is not query:
        return False  # it may be a command of replication
    if _int32_at(data, 1)[0] != size - 1 or data.find(0, messages.HEADER_SIZE_BYTES) != size - 1:
        return False
    try:
        text = str(data[messages.HEADER_SIZE_BYTES : -1], "utf-8")
    except UnicodeDecodeError:
        return False  # the handler reports it
    conversation.calm = False
    step = _asked(conversation, text)
    if step is None and not conversation.ends and conversation.io.writable:
        conversation.flush()
        conversation.calm = conversation.undisturbed
    elif step is None or conversation.under_way(step):
        conversation.run()
    return True


def _learn(conversation: Conversation, plan: Plan, text: str) -> None:
    """Keeps how a block is opened or ended by this text, whole as it came."""
    # ASCII is the same bytes in every encoding.
    if len(conversation.said) < SAID_COUNT_MAX and text.isascii():
        run = conversation.session.runner(plan)
        if run is not None:
            # It counts itself and the NUL behind the text, but not the type before it.
            size_bytes = len(text) + messages.HEADER_SIZE_BYTES
            whole = bytes((messages.QUERY,)) + size_bytes.to_bytes(4, "big") + text.encode() + b"\0"
            conversation.said[whole] = fused.Said(text, run)


def _reply(conversation: Conversation, plan: Plan, result: Rows) -> None:
    try:
        _describe_and_send(conversation, plan, result)
    except Exception as error:  # noqa: BLE001  a character that the client's encoding does not have, or a defect, which is reported
        conversation.fail(error)
        conversation.ready()
        return
    conversation.complete(result.tag)
    if conversation.session.portals:
        conversation.after_statement()  # it may have been COMMIT
    conversation.ready()


def _describe_and_send(conversation: Conversation, plan: Plan, result: Rows) -> None:
    columns, out = result.columns, conversation.out
    if columns is None and plan.columns is None:
        return
    session = conversation.session
    if columns is None or columns is plan.columns:
        shape = shape_of(plan, (), session.type_settings)
    else:
        shape = shape_of_columns(columns, (), session.type_settings)
    out.append(shape.description)
    if result.rows:
        out.append(encoded(shape, result.rows))


async def _simple_known(conversation: Conversation, plan: Plan, params: tuple[Datum, ...], text: str) -> None:
    try:
        result = await conversation.session.execute(plan, params, autocommit=True)
        formats = formats_of_fetch(plan, conversation.session)
        conversation.complete(await conversation.send_result(plan, result, formats))
    except PlanOutdated:
        await _simple(conversation, text)
        return
    except Exception as error:  # noqa: BLE001
        conversation.fail(error, plan.position_offset)
    conversation.after_statement()
    conversation.ready()


def check_syntax(text: str) -> None:
    """Raises SqlError 42601 for what cannot be parsed, whatever the catalog holds."""
    parsed = parse_statement(text)
    if isinstance(parsed, QueryStatement):
        parse_query(text, list(parsed.tokens))


def _at_semicolon(error: Exception, text: str, offset: int) -> Exception:
    """Where a statement ends too early PostgreSQL sees the semicolon behind it, which is no part of it here."""
    if not isinstance(error, PlanError) or error.message != "syntax error at end of input":
        return error
    end = offset + error.position - 1
    rest = text[end:].lstrip()
    if not rest.startswith(";"):
        return error
    return PlanError("42601", 'syntax error at or near ";"', position=len(text) - len(rest) + 1 - offset)


async def _others_first(since: float) -> float:
    """Between the statements of a string, of which there may be any number: others have the loop now and then. Returns since when it is ours."""
    if monotonic() - since < YIELD_AFTER_S:
        return since
    await asyncio.sleep(0)
    return monotonic()


async def _simple(conversation: Conversation, text: str) -> None:
    """A query string of any number of statements, in one implicit transaction if several."""
    session = conversation.session
    offset, since = 0, monotonic()
    try:
        statements = session.split(text)
        alone = len(statements) == 1 and not session.in_implicit
        if len(statements) > 1:
            # All of the string is parsed before any of it runs.
            for statement, offset in statements:  # noqa: B007  where it failed
                check_syntax(statement)
                since = await _others_first(since)
        tag = ""
        for index, (statement, offset) in enumerate(statements):
            if index:
                conversation.complete(tag, told=True)
                since = await _others_first(since)
            began_ns = time_ns()
            plan, result = await _run(session, statement, offset, alone)
            tag = await conversation.send_result(plan, result, formats_of_fetch(plan, session))
            if session.watched:
                session.executed(statement, began_ns, tag)
            conversation.after_statement()
        offset = 0
        if session.in_implicit:
            await session.end_implicit(commit=True)
        # The last tag says that all of it is durable, so it waits for the commit.
        if statements:
            conversation.complete(tag, told=True)
        else:
            conversation.out.append(replies.EMPTY_QUERY)
    except Exception as error:  # noqa: BLE001
        conversation.fail(_at_semicolon(error, text, offset), offset)
        if session.in_implicit:
            await session.end_implicit(commit=False)
    conversation.after_statement()
    conversation.ready()


async def _run(session: Session, statement: str, offset: int, alone: bool) -> tuple[Plan, Result]:
    """Plans and executes; again, if another server has changed the catalog meanwhile."""
    for tries_left in reversed(range(PLANNED_MAX)):
        try:
            plan, params = _planned(session, statement, offset)
            if not alone and isinstance(plan.body, Utility):
                refuse_with_others(plan.body.statement)
            soon = await _soon(session, plan, params) if alone else None
            if soon is not None:
                return plan, soon
            return plan, await session.execute(plan, params, autocommit=alone)
        except PlanOutdated:
            if not tries_left:
                raise
        except PlanError:
            if not tries_left or not session.behind or not await session.caught_up():
                raise
    raise AssertionError("unreachable")


async def _soon(session: Session, plan: Plan, params: tuple[Datum, ...]) -> Result | None:
    """The fast door's answer to a statement that was planned just now: it is what it will be when the statement comes again.

    Most of what test-suites and migrations say is said once, and of tables that have just been made.
    """
    answer: asyncio.Future[Rows] = asyncio.get_running_loop().create_future()

    def done(result: Rows | Exception) -> None:
        if answer.done():  # nobody waits any more: the server stops
            return
        if isinstance(result, Exception):
            answer.set_exception(result)
        else:
            answer.set_result(result)

    result = session.execute_now(plan, params, done, autocommit=True)
    return await answer if result is PENDING else result  # type: ignore[return-value]


def _planned(session: Session, statement: str, offset: int) -> tuple[Plan, tuple[Datum, ...]]:
    """Raises 42P02 for a statement with parameters: here are no values for them."""
    try:
        plan, params = session.plan(statement, offset=offset)
    except PlanError as error:
        if error.sqlstate == UNDECIDED_PARAMETER and not prepares(statement) and named(statement) is not None:
            raise no_parameter(statement) from None
        raise
    if len(plan.parameters) > len(params):
        raise no_parameter(statement)
    return plan, params


def _finish(conversation: Conversation, result: Rows | Exception, plan: Plan, text: str) -> None:
    """The callback's answer."""
    if isinstance(result, PlanOutdated):
        conversation.go_on(_simple(conversation, text))
    elif isinstance(result, Exception):
        conversation.fail(result, plan.position_offset)
        conversation.ready()
    else:
        _reply(conversation, plan, result)
