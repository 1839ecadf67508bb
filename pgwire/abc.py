"""The shapes inside this room: what handlers return, what a conversation needs of its socket."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Final, Protocol

from planner.abc import Plan, StatementKind, Utility


class _Wait:
    __slots__ = ()


WAIT: Final = _Wait()
"""A callback, or the client, will go on with what this handler began."""


class _More:
    __slots__ = ()


MORE: Final = _More()
"""The message stays in the inbox until there is more behind it."""

Step = None | _Wait | _More | Coroutine[Any, Any, None]
"""What becomes of the loop after a handler: the next message, waiting for a callback or for bytes, or a task."""


class Io(Protocol):
    """What a conversation needs of its connection; a list and two flags in tests."""

    writable: bool
    """False while the client does not take what was written."""

    def write(self, data: bytes) -> None: ...

    async def drain(self) -> None:
        """Returns when `writable` again. Raises ConnectionResetError when the client is gone."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs `work` as the connection's one task."""

    def hold_reading(self) -> None:
        """Holds add up: as many `resume_reading` must follow."""

    def resume_reading(self) -> None: ...

    def close(self) -> None:
        """Closes after what was written has been sent."""

    def abort(self) -> None:
        """Closes without sending what nobody takes."""


EMPTY_PLAN: Final = Plan(StatementKind.SESSION, "", (), None, Utility(None), 0)
"""The plan of an empty query string, which is legal to prepare, bind and execute."""


def ends_transaction(plan: Plan) -> bool:
    """Whether a failed block lets this statement through."""
    return plan is EMPTY_PLAN or plan.tag in ("COMMIT", "ROLLBACK")
