"""The unnamed statement that is parsed again and again: the same bytes in the same surroundings are the same statement.

    P length | NUL text NUL types     B ... D ... E ... S
      \\_______ parsed before? ______/  \\_ as usual? _/

Drivers that name no statements (and `pgbench -M extended`) send Parse with every execution, always in the same bytes. What a text
means depends on the catalog, the search path, the user and the settings: while these are one and the same object
(`Session.surroundings`), the statement that was prepared from those bytes is what Parse would make again. So it is put in
its place, with what is known of how it is usually bound (`express`).

It is no cache of plans, which all sessions share: what is spared here is to read the message and look there.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any, Final

from executor.abc import Prepared
from pgwire import express, messages, replies
from planner.abc import StatementKind

if TYPE_CHECKING:
    from pgwire.session import Conversation

KEPT_MAX: Final = 16
MESSAGE_BYTES_MAX: Final = 2_048

_int32_at = Struct(">i").unpack_from

Known = dict[bytes, tuple[Prepared, Any]]
"""Parse's payload -> what was prepared of it, and the surroundings that it holds for."""


def keep(conversation: Conversation, payload: bytes, prepared: Prepared) -> None:
    """After Parse of the unnamed statement: it may come again."""
    known, plan = conversation.parsed, prepared.plan
    if len(payload) > MESSAGE_BYTES_MAX or plan.kind is StatementKind.DDL or "as_of" in plan.extra:
        return
    surroundings = conversation.session.surroundings()
    if surroundings is None:
        return
    # Surroundings that are no more never come back; kept, they would hold a catalog each.
    for gone in [said for said, (_, then) in known.items() if then is not surroundings]:
        del known[gone]
    if len(known) >= KEPT_MAX and payload not in known:
        del known[next(iter(known))]
    known[payload] = prepared, surroundings


def again(conversation: Conversation, payload: bytes) -> bool:
    """Whether Parse's payload came before: then the unnamed statement is in its place."""
    found = conversation.parsed.get(payload)
    if found is None:
        return False
    session = conversation.session
    if session.surroundings() is not found[1]:
        return False
    session.statements[""] = found[0]
    return True


def answered(conversation: Conversation, data: bytes) -> bool:
    """Answers a Parse that came before and what is behind it, or begins to, if that is as usual; False: nothing has happened.

    As `express.answered`, for a conversation that is `calm`.
    """
    if len(data) < messages.HEADER_SIZE_BYTES:
        return False
    end = 1 + _int32_at(data, 1)[0]
    if not messages.HEADER_SIZE_BYTES <= end < len(data) or data[end] != messages.BIND:
        return False
    if not again(conversation, data[messages.HEADER_SIZE_BYTES : end]):
        return False
    return express.answered(conversation, data[end:], replies.PARSE_COMPLETE)


__all__ = ["again", "answered", "keep"]
