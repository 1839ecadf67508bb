"""The extended protocol: Parse, Bind, Describe, Execute, Close, Flush, Sync.

    Parse --> Prepared --Bind--> Portal --Execute--> rows, PortalSuspended or CommandComplete
                                        \\--Execute--> the next rows ...

Nearly always Bind is followed in the same packet by (Describe,) Execute and Sync for the unnamed
portal: then no portal is made, and the four are answered as one (`fused`).

**Whose transaction is it?** An Execute that Sync follows directly is a transaction of its own.
Any other one outside a block joins the implicit transaction, which Sync commits, or which the
first error rolls back together with everything up to Sync.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import time_ns
from typing import TYPE_CHECKING, Final

from executor.abc import PENDING, CopyIn, CopyOut, Portal, Prepared, Rows, Stream, aborted
from pgwire import express, fused, messages, parsed, replies, runs
from pgwire.abc import EMPTY_PLAN, WAIT, Step, ends_transaction
from pgwire.bound_before import begin_first, only_reads, unbegun
from pgwire.messages import ProtocolViolation
from pgwire.pages import encoded
from pgwire.results import PortalRun, send_ready, send_rows
from pgwire.shapes import Shape, decode_parameters, described_columns, shape_of, shape_of_columns
from planner.abc import Plan, PlanError, ResultColumn, SqlError, Utility
from storage.abc import StorageError

if TYPE_CHECKING:
    from pgwire.session import Conversation
    from planner.types import TypeSettings
    from storage.abc import Datum

_STATEMENT: Final = ord("S")
PORTALS_MAX: Final = 1_000
"""Portals a session may hold open; one more is 54000."""


def parse(conversation: Conversation) -> Step:
    inbox, session = conversation.inbox, conversation.session
    payload = inbox.buffer[inbox.start : inbox.end]
    if parsed.again(conversation, payload):
        conversation.out.append(replies.PARSE_COMPLETE)
        return None
    try:
        name, text, types = messages.parse_parse(payload, conversation.encoding)
        if session.escapes_in_strings:
            text = session.standard(text)
        if not name:
            session.statements.pop("", None)
        if _is_empty(conversation, text):
            _name(conversation, Prepared(name, text, EMPTY_PLAN, ()))
        else:
            if session.behind:
                return _parse_later(conversation, name, text, types)
            prepared = session.prepare(name, text, types)
            _name(conversation, prepared)
            if not name:
                parsed.keep(conversation, payload, prepared)
    except Exception as error:  # noqa: BLE001
        if isinstance(error, PlanError) and session.behind:  # a time's catalog is to be read first
            return _parse_later(conversation, name, text, types)
        conversation.fail_and_skip(error)
        return None
    conversation.out.append(replies.PARSE_COMPLETE)
    return None


async def _parse_later(conversation: Conversation, name: str, text: str, types: Sequence[int]) -> None:
    """First this server learns what others that share the log have done to the catalog, or what it was once.

    If the log is out of reach, what is known will do for now: running the statement looks again, and ROLLBACK need not.
    """
    session = conversation.session
    unread: StorageError | None = None
    try:
        try:
            await session.caught_up()
        except StorageError as error:
            unread = error
        _name(conversation, session.prepare(name, text, types))
    except PlanError as error:
        conversation.fail_and_skip(unread or error)
    except Exception as error:  # noqa: BLE001
        conversation.fail_and_skip(error)
    else:
        conversation.out.append(replies.PARSE_COMPLETE)


def _name(conversation: Conversation, prepared: Prepared) -> None:
    """The statement has its name from now on. Raises 42P05 if another has it: what is wrong with its text is said before that."""
    statements, name = conversation.session.statements, prepared.name
    if name and name in statements:
        raise SqlError("42P05", f'prepared statement "{name}" already exists')
    statements[name] = prepared


def _is_empty(conversation: Conversation, text: str) -> bool:
    bare = text.strip(" \t\r\n\f\v;")
    return not bare or (bare.startswith(("--", "/*")) and not conversation.session.split(text))


def _statement(conversation: Conversation, name: str) -> Prepared:
    prepared = conversation.session.statements.get(name)
    if prepared is None:
        raise SqlError(
            "26000",
            f'prepared statement "{name}" does not exist'
            if name
            else "unnamed prepared statement does not exist",
        )
    return prepared


def bind(conversation: Conversation) -> Step:
    inbox, session = conversation.inbox, conversation.session
    buffer, end = inbox.buffer, inbox.end
    try:
        bound = messages.parse_bind(buffer, inbox.start, end)
        portal_name, name, codes, values, formats = bound
        prepared = session.statements.get(name)
        if prepared is None:
            prepared = _statement(conversation, name)
        if prepared.literals is not None or prepared.listing is not None:
            prepared = session.renewed(prepared)
        plan = prepared.plan
        if conversation.bound and not only_reads(plan) and (first := begin_first(conversation)) is not None:
            return first
        if plan.tag == "INSERT" and not portal_name and not runs.is_single(conversation, len(values)):
            step = runs.take(conversation, prepared, bound)
            if step is not None:
                return step
            buffer, end = inbox.buffer, inbox.end
        settings = session.type_settings
        params = (
            decode_parameters(prepared, codes, values, settings, portal_name, session.input_now_us)
            if values or plan.parameters
            else ()
        )
        shape = shape_of(plan, formats, settings)
        if portal_name or session.in_implicit or plan is EMPTY_PLAN or shape.dynamic:
            return _bind_portal(conversation, portal_name, prepared, params, formats)
        if session.portals:
            conversation.drop_portal("")
        described = buffer.startswith(messages.DESCRIBE_EXECUTE_SYNC, end)
        if described:
            inbox.position = end + len(messages.DESCRIBE_EXECUTE_SYNC)
        elif buffer.startswith(messages.EXECUTE_SYNC, end):
            inbox.position = end + len(messages.EXECUTE_SYNC)
        else:
            return _bind_portal(conversation, portal_name, prepared, params, formats)
    except Exception as error:  # noqa: BLE001
        conversation.fail_and_skip(_or_aborted(conversation, error))
        return None
    alone = session.transaction_status == b"I"
    answer = fused.execute(conversation, prepared, fused.Four(shape, formats, described=described), params)
    known, at_once = prepared.express, isinstance(answer, bytes)
    if (at_once or answer is WAIT) and (known is None or (alone and known and known.read is None)):
        express.learn(conversation, prepared, shape, bound, described=described, alone=alone)
    if not isinstance(answer, bytes):
        return answer
    conversation.out.append(answer)
    return None


def _or_aborted(conversation: Conversation, error: Exception) -> Exception:
    """In a failed block no value is read: what is wrong with one is not told there."""
    failed = conversation.session.transaction_status == b"E"
    return aborted() if failed and isinstance(error, SqlError) and error.sqlstate[:2] == "22" else error


def _bind_portal(
    conversation: Conversation,
    name: str,
    prepared: Prepared,
    params: tuple[Datum, ...],
    formats: tuple[int, ...],
) -> Step:
    session = conversation.session
    if not name:
        conversation.drop_portal("")
        conversation.unnamed_done = None
    elif name in session.portals:
        raise SqlError("42P03", f'cursor "{name}" already exists')
    if session.transaction_status == b"E" and (
        prepared.plan is EMPTY_PLAN or not ends_transaction(prepared.plan)
    ):
        raise aborted()
    if len(session.portals) >= PORTALS_MAX:
        raise SqlError("54000", f"more than {PORTALS_MAX} portals are open")
    portal = session.portals[name] = Portal(name, prepared, params, formats)
    if name and only_reads(prepared.plan):
        if len(conversation.bound) >= PORTALS_MAX:  # most of which are gone
            conversation.bound = unbegun(conversation)
        conversation.bound.append(portal)
    conversation.out.append(replies.BIND_COMPLETE)
    return None


def _portal(conversation: Conversation, name: str) -> Portal:
    portal = conversation.session.portals.get(name)
    done = conversation.unnamed_done
    if portal is None and not name and done is not None and conversation.session.transaction_status == b"T":
        # It was bound and run to its end in one step, inside a block that is still open.
        portal = Portal("", done, (), finished=True)
        tag = done.plan.tag
        counted = {"INSERT": " 0 0", "SELECT": " 0", "UPDATE": " 0", "DELETE": " 0", "MERGE": " 0"}
        portal.result = Rows(tag=tag + counted.get(tag, ""))
        conversation.session.portals[""] = portal
    if portal is None:
        raise SqlError("34000", f'portal "{name}" does not exist')
    return portal


def _shape(
    plan: Plan, columns: tuple[ResultColumn, ...] | None, formats: tuple[int, ...], settings: TypeSettings
) -> Shape:
    if columns is None or columns is plan.columns:
        return shape_of(plan, formats, settings)
    return shape_of_columns(columns, formats, settings)


def describe(conversation: Conversation) -> Step:
    inbox, session = conversation.inbox, conversation.session
    try:
        kind, name = messages.parse_target(inbox.buffer[inbox.start : inbox.end])
        settings = session.type_settings
        if kind == _STATEMENT:
            prepared = _statement(conversation, name)
            _refuse_in_failed(conversation, prepared.plan)
            conversation.out.append(replies.parameter_description(prepared.parameter_types))
            columns = described_columns(prepared.plan, session)
            conversation.out.append(_shape(prepared.plan, columns, (), settings).description)
        else:
            portal = _portal(conversation, name)
            plan = portal.prepared.plan
            _refuse_in_failed(conversation, plan)
            result = portal.result
            columns = result.columns if isinstance(result, Rows | Stream) else None
            if columns is None:
                columns = described_columns(plan, session)
            shape = _shape(plan, columns, portal.formats, settings)
            conversation.out.append(shape.description)
    except Exception as error:  # noqa: BLE001
        conversation.fail_and_skip(error)
    return None


def _refuse_in_failed(conversation: Conversation, plan: Plan) -> None:
    if plan.columns is not None and conversation.session.transaction_status == b"E":
        raise aborted()


def execute(conversation: Conversation) -> Step:
    inbox, session = conversation.inbox, conversation.session
    try:
        name, limit = messages.parse_execute(inbox.buffer[inbox.start : inbox.end])
        portal = _portal(conversation, name)
        plan = portal.prepared.plan
        if plan is EMPTY_PLAN:
            conversation.out.append(replies.EMPTY_QUERY)
            return None
        if session.transaction_status == b"E" and not ends_transaction(plan):
            raise aborted()
        if conversation.bound and not only_reads(plan) and (first := begin_first(conversation)) is not None:
            return first
        if portal.extra and (failure := portal.extra.pop("failure", None)) is not None:
            raise failure
        autocommit = not session.in_implicit and inbox.buffer.startswith(messages.SYNC_BYTES, inbox.end)
        session.statement_text, session.statement_began_ns = portal.prepared.text, time_ns()
        if portal.advance is not None:
            return _execute_cursor(conversation, portal, limit)
        if portal.result is None and not portal.finished and not limit:
            result = session.execute_now(plan, portal.params, conversation.done, autocommit=autocommit)
            if result is PENDING:
                return conversation.wait(_finish_execute, portal)
            if result is not None:
                _reply_execute(conversation, portal, result)  # type: ignore[arg-type]
                return None
        elif limit and portal.encoded is not None and send_ready(conversation, portal, limit):
            conversation.out.append(replies.PORTAL_SUSPENDED)
            return None
    except Exception as error:  # noqa: BLE001
        conversation.fail_and_skip(error)
        return None
    return _execute_wide(conversation, portal, limit, autocommit)


def _reply_execute(conversation: Conversation, portal: Portal, result: Rows) -> None:
    if result.rows:
        plan = portal.prepared.plan
        columns = result.columns if result.columns is not None else plan.columns
        shape = _shape(plan, columns, portal.formats, conversation.session.type_settings)
        try:
            conversation.out.append(encoded(shape, result.rows))
        except Exception as error:  # noqa: BLE001  a character that the client's encoding does not have, or a defect, which is reported
            conversation.fail_and_skip(error)
            return
    PortalRun.mark_finished(portal, result)
    conversation.complete(result.tag)
    conversation.after_statement(portal.name)


async def _execute_wide(conversation: Conversation, portal: Portal, limit: int, autocommit: bool) -> None:
    try:
        plan = portal.prepared.plan
        if portal.result is None and not portal.finished:
            session = conversation.session
            if not autocommit and isinstance(plan.body, Utility):
                session.outside_block(plan.body.statement)
            session.rows_wanted = limit
            try:
                result = await session.execute(plan, portal.params, autocommit=autocommit)
            finally:
                session.rows_wanted = 0
            if isinstance(result, CopyIn | CopyOut):
                portal.finished = True
                conversation.complete(await conversation.send_result(plan, result))
                conversation.after_statement(portal.name)
                return
            portal.result = result
        tag = await PortalRun(conversation, portal).send(limit)
        if tag is None:
            conversation.out.append(replies.PORTAL_SUSPENDED)
        else:
            conversation.complete(tag)
            conversation.after_statement(portal.name)
    except Exception as error:  # noqa: BLE001
        conversation.fail_and_skip(error)
        if conversation.session.transaction_status == b"E":
            portal.close()  # its name stays taken until the block ends
            portal.finished, portal.pending, portal.encoded = True, None, None
        else:
            conversation.drop_portal(portal.name)


async def _execute_cursor(conversation: Conversation, portal: Portal, limit: int) -> None:
    """Execute of a cursor that DECLARE made: its rows from where the last FETCH has left it."""
    try:
        columns = portal.prepared.plan.columns or ()
        assert portal.advance is not None, "not a cursor"
        rows = await portal.advance(portal, limit)
        shape = shape_of_columns(columns, portal.formats, conversation.session.type_settings)
        await send_rows(conversation, shape, rows)
        if limit and len(rows) == limit:
            conversation.out.append(replies.PORTAL_SUSPENDED)
        else:
            conversation.complete(f"SELECT {len(rows)}")
            conversation.after_statement(portal.name)
    except Exception as error:  # noqa: BLE001
        conversation.fail_and_skip(error)


def close(conversation: Conversation) -> Step:
    inbox = conversation.inbox
    try:
        kind, name = messages.parse_target(inbox.buffer[inbox.start : inbox.end])
    except ProtocolViolation as violation:
        conversation.fail_and_skip(violation)
        return None
    if kind == _STATEMENT:
        conversation.session.statements.pop(name, None)
    else:
        if not name:
            conversation.unnamed_done = None
        conversation.drop_portal(name)
    conversation.out.append(replies.CLOSE_COMPLETE)
    return None


def flush(conversation: Conversation) -> Step:
    conversation.flush()
    return None


def sync(conversation: Conversation) -> Step:
    conversation.leave_skipping()
    if conversation.bound:
        conversation.bound = unbegun(conversation)
    if conversation.session.in_implicit:
        return _end_implicit(conversation)
    conversation.after_statement()
    conversation.ready()
    return None


async def _end_implicit(conversation: Conversation) -> None:
    try:
        await conversation.session.end_implicit(commit=True)
    except Exception as error:  # noqa: BLE001
        conversation.fail(error)
    conversation.after_statement()
    conversation.ready()


def _finish_execute(conversation: Conversation, result: Rows | Exception, portal: Portal) -> None:
    if isinstance(result, Exception):
        conversation.fail_and_skip(result)
    else:
        _reply_execute(conversation, portal, result)
