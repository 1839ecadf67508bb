"""Members of this room's own: a piece of work at admission (a registration, a lease, an advance), and a future."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from storage.abc import Timestamp
from txn.abc import Group
from txn.group import CommitGroup


@dataclass(slots=True)
class Call:
    """Calls `work(group)`; the future gets the commit's timestamp and what the work returned, or why not."""

    work: Callable[[CommitGroup], int | None]
    future: asyncio.Future[tuple[Timestamp, int | None]]
    result: int | None = field(default=None)

    def admit(self, group: Group) -> None:
        assert isinstance(group, CommitGroup)
        self.result = self.work(group)

    def committed(self, ts: Timestamp) -> None:
        if not self.future.done():
            self.future.set_result((ts, self.result))

    def failed(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)
