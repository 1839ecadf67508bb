"""Portals that were bound before what else is done, and read as of then.

    Bind a: SELECT id FROM t    Bind, Execute: DELETE FROM t    Execute a       finds what has been deleted

A portal is run when it is first asked for rows, which is mostly at once. Where something comes between that may change what it
reads, it is begun before that: the message goes back into the inbox until this is done. Those without a name are not, for they are run
next, nor what does something besides, which nobody may have asked for yet.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from executor.abc import Portal, Rows, Stream
from pgwire.messages import HEADER_SIZE_BYTES
from planner.abc import KeyedRead, Plan, Query

if TYPE_CHECKING:
    from pgwire.session import Conversation


def only_reads(plan: Plan) -> bool:
    """Whether a statement may be begun before it is asked for rows: it does nothing else, and nothing else changes by it."""
    body = plan.body
    return (
        isinstance(body, KeyedRead | Query)
        and "runs" not in plan.extra
        and not getattr(body, "volatile", False)
    )


def unbegun(conversation: Conversation) -> list[Portal]:
    """Those of `bound` that are still there and have not been run."""
    portals = conversation.session.portals
    return [p for p in conversation.bound if portals.get(p.name) is p and p.result is None and not p.finished]


def begin_first(conversation: Conversation) -> Coroutine[Any, Any, None] | None:
    """Begins what was bound and has not been run, before the message at hand; None if there is nothing to begin."""
    waiting = unbegun(conversation)
    conversation.bound = []
    if not waiting or conversation.session.transaction_status == b"E":
        return None
    inbox = conversation.inbox
    inbox.position = inbox.start - HEADER_SIZE_BYTES
    return _begin(conversation, waiting)


async def _begin(conversation: Conversation, waiting: list[Portal]) -> None:
    for portal in waiting:
        try:
            result = await conversation.session.execute(portal.prepared.plan, portal.params, autocommit=False)
        except Exception as error:  # noqa: BLE001  which is said to who asks for rows
            portal.extra["failure"] = error
            continue
        assert isinstance(result, Rows | Stream), "a query has rows"
        portal.result = result
