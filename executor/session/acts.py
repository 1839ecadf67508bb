"""Calls by which a client asks or changes its session, answered without DuckDB where they are all that a statement is.

    SELECT nextval('s')          a number that is leased          otherwise  NeedsLease     the wide door
    SELECT pg_advisory_lock(7)   a lock that is free              otherwise  BLOCKED        the wide door, which waits
    SELECT setval('s', 7)                                         always     a definition   the wide door, without DuckDB (`restarted`)

They are the functions that DuckDB calls on the event loop (`functions`, `executor.ddl.sequences`), so the session, its block and its
settings are the same; what a statement sets by itself is settled when it is over, as there. Where several servers share an environment
advisory locks take time, and go the wide way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError
from executor.keyed.compile import Compiled
from executor.session import functions, permissions
from executor.session.blocks import transactions
from executor.session.commands import NeedsLease
from executor.session.locks.advisory import BLOCKED
from executor.session.values import session_value
from planner.binding.keyed.acts import ACTS, RESTARTING
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from executor.session.session import Session


class _NotNow(Exception):
    """The wide door is to do it."""


def answered(session: Session, act: Compiled, params: Sequence[Datum]) -> Row | None:
    """The statement's row; None: not here and now, and nothing has been done. Raises what the call raises."""
    advisory, block = session.executor.advisory, session.block
    advisory.attempt(session.pid)
    session.acts, well = True, False
    try:
        row: Row = act(params, None, session)
        well = True
        return row
    except (NeedsLease, _NotNow):
        return None
    except ExecutionError as error:
        if error.sqlstate != BLOCKED:
            raise
        advisory.give_up(session.pid)
        return None
    finally:
        session.acts = False
        if session.unsettled:
            transactions.settle_statement(session, well=well)
        if block is None:
            advisory.end_transaction(session.pid)


class _Restarts(_NotNow):
    """A sequence is to begin anew, which takes a commit: setval's three arguments."""

    def __init__(self, oid: int, value: int, called: bool) -> None:
        self.oid, self.value, self.called = oid, value, called


async def restarted(session: Session, act: Compiled, params: Sequence[Datum]) -> Row:
    """The row of a statement whose one call that acts is setval. Raises what that raises."""
    try:
        row: Row = act(params, None, session)  # of nothing: setval(NULL, 1) is NULL
    except _Restarts as asked:
        permissions.require_sequence(session, asked.oid, "UPDATE")
        await session.executor.sequences.restart(session, asked.oid, asked.value, called=asked.called)
        session.restarted = True
        try:
            row = act(params, None, session)
        finally:
            session.restarted = False
    return row


def act(session: Session, op: str, arguments: tuple[Datum, ...]) -> Datum:
    """What a call comes to."""
    return _DONE[op](session, *arguments)


def _locking(op: str) -> Callable[..., Datum]:
    """What `pg_[try_]advisory_[xact_](lock|unlock)[_shared]` of one number, or of two, does."""
    name, _, types = op.partition("(")
    words = name.split("_")
    what = "try" if words[1] == "try" else "unlock" if "unlock" in words else "lock"
    said = " ".join([what, *(w for w in ("xact", "shared") if w in words)])
    several = "," in types

    def done(session: Session, *numbers: int | None) -> Datum:
        if None in numbers:
            return None
        if session.executor.advisory.awaited:
            raise _NotNow
        first, second = numbers if several else (numbers[0], None)
        found: Any = functions.advisory(session, said, first, second)
        return "" if what == "lock" else found

    return done


def _unlock_all(session: Session) -> Datum:
    if session.executor.advisory.awaited:
        raise _NotNow
    session.executor.advisory.unlock_all(session.pid)
    return ""


def _next(session: Session, oid: int | None) -> Datum:
    return None if oid is None else session.nextval(oid)


def _restart(session: Session, oid: int | None, value: int | None, called: bool | None = True) -> Datum:
    if oid is None or value is None or called is None:
        return None
    if not session.restarted:
        raise _Restarts(oid, value, called)
    return value


def _current(session: Session, oid: int | None) -> Datum:
    return None if oid is None else session.executor.sequences.current(session, oid)


def _number(name: str) -> Callable[..., Datum]:
    return lambda s: session_value(s, name, s.executor.read_ts() if s.block is None else s.block.read_ts)


_DONE: Final[dict[str, Callable[..., Datum]]] = {
    "set_config(text, text, bool)": functions.set_config,
    "pg_notify(text, text)": functions.notify,
    "nextval(regclass)": _next,
    "currval(regclass)": _current,
    "lastval()": lambda s: s.executor.sequences.last(s),
    "pg_advisory_unlock_all()": _unlock_all,
    "txid": _number("txid"),
    "txid_if_numbered": _number("txid_if_numbered"),
}
_DONE.update(dict.fromkeys(RESTARTING, _restart))
_DONE.update({op: _locking(op) for op in ACTS if "lock" in op and op not in _DONE})

__all__ = ["act", "answered", "restarted"]
